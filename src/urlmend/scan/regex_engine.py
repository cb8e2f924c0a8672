"""The engine that looks for what betrays URLs: PCRE2, which compiles to machine code, where it is installed, or `re`.

The extra `urlmend[fast]` installs it. What is found is the same, and a test holds the one against the other. The
environment variable URLMEND_ENGINE says `re` for never, and `pcre2` for always, in the shortest texts too.
"""

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

_ASKED_FOR = os.environ.get("URLMEND_ENGINE")

WORTH_IT = 0 if _ASKED_FOR == "pcre2" else 4096
"""In a shorter text, of so many octets, `re` is done before PCRE2 is called."""

# No octets of UTF-8, and rare in others.
_MARKS = (b"\xff", b"\xfe", b"\xc0", b"\xc1")


def spans(pattern: re.Pattern[str], octets: bytes) -> Iterator[tuple[int, int]] | None:
    """Return where *pattern*, which has the flags DOTALL and ASCII, matches in *octets*; `None` leaves that to `re`."""
    mark = next((mark for mark in _MARKS if mark not in octets), None)
    if len(octets) < WORTH_IT or mark is None or (marked := _marker(pattern.pattern)) is None:
        return None
    try:
        return _between(mark, marked(mark, octets))
    except Exception:  # noqa: BLE001 -- PCRE2 has limits, of its stack above all, that `re` has not
        return None


def everywhere(pattern: re.Pattern[str], octets: bytes) -> Iterator[tuple[int, int]]:
    """Return where *pattern*, which has the flags DOTALL and ASCII, matches in *octets*, by whichever engine."""
    found = spans(pattern, octets)
    return map(re.Match.span, pattern.finditer(octets.decode("latin-1"))) if found is None else found


@cache
def _marker(pattern: str) -> Callable[[bytes, bytes], bytes] | None:
    """Return what marks in octets where matches of *pattern* start and end: a single call, and no object a match.

    `None` where there is no PCRE2, or none that can compile to this machine's code.
    """
    if _ASKED_FOR == "re":
        return None
    try:
        pcre2 = import_module("pcre2")
        # PCRE2's \Z looks past a line end.
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
