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
        if compiled is None:
            return None
        code, engine, context = compiled
        matches = engine.match_generator(code, octets, len(octets), 0, context)
        return [engine.match_substring_span_bynumber(match, octets, 0) for match, _, _ in matches]
    except Exception:  # noqa: BLE001 -- whatever PCRE2 raises
        return None


@cache
def _compiled_by_pcre2(pattern: str) -> Any:  # noqa: ANN401 -- a pattern of the package pcre2
    """Return *pattern* for bytes; `None` without PCRE2, and if PCRE2 cannot compile for this machine.

    It is what `pcre2.Pattern.finditer` calls: the package's objects for matches would double the time of a search.
    """
    if _ENGINE == "re":
        return None
    try:
        pcre2 = import_module("pcre2")
        # PCRE2's \Z also matches before a last line end.
        compiled = pcre2.compile(pattern.replace(r"\Z", r"\z").encode("latin-1"), pcre2.DOTALL | pcre2.ASCII)
        context = pcre2._EMPTY_MATCH_CONTEXT  # noqa: SLF001 -- as said above
    except Exception:
        if _ENGINE == "pcre2":
            raise
        return None
    return compiled._pcre2_code, pcre2._cy, context  # noqa: SLF001
