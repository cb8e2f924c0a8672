"""The engine that searches large texts: PCRE2, which compiles to machine code, or `re`. Both find the same.

PCRE2 is used if the extra `urlmend[fast]` has installed it; a test compares the two. The environment variable
URLMEND_ENGINE may say `re` (never PCRE2) or `pcre2` (always, in the shortest texts too).
"""

import os
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

_ENGINE = os.environ.get("URLMEND_ENGINE")

LEAST_FOR_PCRE2 = 0 if _ENGINE == "pcre2" else 4096
"""The smallest text, in bytes, for PCRE2: `re` has searched a shorter one before PCRE2 is called."""


def search(pattern: re.Pattern[str], octets: bytes, text: str = "", pos: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the spans of *pattern*, which has the flags DOTALL and ASCII, in *octets*, in bytes from 0.

    *text* is *octets* as Latin-1, if the caller has it. Those that start before *pos* may be left out.
    """
    found = _search_by_pcre2(pattern, octets) if len(octets) >= LEAST_FOR_PCRE2 else None
    return map(re.Match.span, pattern.finditer(text or octets.decode("latin-1"), pos)) if found is None else iter(found)


def _search_by_pcre2(pattern: re.Pattern[str], octets: bytes) -> list[tuple[int, int]] | None:
    """Return what `search` does; `None` without PCRE2, and past its limits, above all of its stack: `re` has none."""
    compiled = _compiled_by_pcre2(pattern.pattern)
    try:
        return compiled and [match.span() for match in compiled.finditer(octets)]
    except Exception:  # noqa: BLE001 -- whatever PCRE2 raises
        return None


@cache
def _compiled_by_pcre2(pattern: str) -> Any:  # noqa: ANN401 -- a pattern of the package pcre2
    """Return *pattern* for bytes; `None` without PCRE2, and if PCRE2 cannot compile for this machine."""
    if _ENGINE == "re":
        return None
    try:
        pcre2 = import_module("pcre2")
        # PCRE2's \Z also matches before a last line end.
        return pcre2.compile(pattern.replace(r"\Z", r"\z").encode("latin-1"), pcre2.DOTALL | pcre2.ASCII)
    except Exception:
        if _ENGINE == "pcre2":
            raise
        return None
