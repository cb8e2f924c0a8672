"""The engine that runs the search: PCRE2, which compiles to machine code, where it is installed, or `re`.

The extra `urlmend[fast]` installs PCRE2. Both find the same, and a test compares them. The environment variable
URLMEND_ENGINE may say `re` (never PCRE2) or `pcre2` (always, in the shortest texts too).
"""

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

_ASKED_FOR = os.environ.get("URLMEND_ENGINE")

WORTH_IT = 0 if _ASKED_FOR == "pcre2" else 4096
"""The least size, in bytes, for PCRE2: `re` has searched a shorter text before PCRE2 is called."""

# UTF-8 never has these octets, and other charsets seldom do.
_MARKS = (b"\xff", b"\xfe", b"\xc0", b"\xc1")


def spans(pattern: re.Pattern[str], octets: bytes) -> Iterator[tuple[int, int]]:
    """Yield where *pattern*, which has the flags DOTALL and ASCII, starts and ends in *octets*, in bytes from 0."""
    found = _spans_by_pcre2(pattern, octets) if len(octets) >= WORTH_IT else None
    return map(re.Match.span, pattern.finditer(octets.decode("latin-1"))) if found is None else found


def _spans_by_pcre2(pattern: re.Pattern[str], octets: bytes) -> Iterator[tuple[int, int]] | None:
    mark = next((mark for mark in _MARKS if mark not in octets), None)
    if mark is None or (marked := _marker(pattern.pattern)) is None:
        return None
    try:
        return _between(mark, marked(mark, octets))
    except Exception:  # noqa: BLE001 -- PCRE2 has limits, of its stack above all, that `re` has not
        return None


@cache
def _marker(pattern: str) -> Callable[[bytes, bytes], bytes] | None:
    """Return a function that puts a mark before and behind each match: one call for a block, and no object a match.

    `None` without PCRE2, and where PCRE2 cannot compile for this machine.
    """
    if _ASKED_FOR == "re":
        return None
    try:
        pcre2 = import_module("pcre2")
        # PCRE2's \Z matches before a last line end, too.
        source = pattern.replace(r"\Z", r"\z").encode("latin-1")
        substitute = pcre2.compile(source, pcre2.DOTALL | pcre2.ASCII).sub
    except Exception:
        if _ASKED_FOR == "pcre2":
            raise
        return None
    return lambda mark, octets: substitute(b"%b$0%b" % (mark, mark), octets)


def _between(mark: bytes, octets: bytes) -> Iterator[tuple[int, int]]:
    find = octets.find
    marks = 0
    start = find(mark)
    while start >= 0:
        end = find(mark, start + 1)
        yield start - marks, end - marks - 1
        marks += 2
        start = find(mark, end + 1)
