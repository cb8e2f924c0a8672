"""Defanged URLs: security reports write `hxxp://evil[.]example` so that nobody follows the link by mistake.

Only the scheme and the authority are defanged, never a path.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from urlmend.text.schemes import SCHEMES, either

_SCHEMES = {scheme.name: scheme.stands_for for scheme in SCHEMES if scheme.stands_for}


def _bracketed(inside: str) -> str:
    """Return a pattern for *inside* in brackets of any kind, with or without blanks."""
    padded = rf"[ \t]{{0,3}}(?:{inside})[ \t]{{0,3}}"
    return rf"(?:\[{padded}\]|\({padded}\)|\{{{padded}\}})"


DOT: str = rf"(?:{_bracketed('[.]|[Dd][Oo][Tt]')}|\\\.)"
"""A pattern for a defanged dot."""

AT: str = _bracketed("@|[Aa][Tt]")
"""A pattern for a defanged `@`."""

COLON: str = r"\[:\]"
"""A pattern for a defanged colon."""

SLASHES: str = rf"(?:(?:{COLON}|:)(?:\[//\]|(?:/|\[/\]){{2}})|\[://\])"
"""A pattern for `://`, defanged or not."""

_HEAD = re.compile(
    rf"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*+)(?P<slashes>{SLASHES})(?P<authority>[^/?#]*+)"
    r"|(?i:mailto):(?P<address>[^?#]*+)"
)
# Rules most URLs out quickly.
_MAY_BE = re.compile(
    rf"(?:{either(_SCHEMES)}):|mailto:[^?#\[({{\\]*+[\[({{\\]|[A-Za-z][A-Za-z0-9+.\-]*+(?:://[^/?#\[({{\\]*+[\[({{\\]|\[|:/?\[)",
    re.IGNORECASE,
)
_MARK = re.compile(rf"(?:(?P<dot>{DOT})|(?P<at>{AT})|(?P<colon>{COLON}))(?=[A-Za-z0-9_%\-]|[^\x00-\x7f])")
_MEANING = {"dot": ".", "at": "@", "colon": ":"}


class Change(NamedTuple):
    """One defanged place in a text: `removed`, at index `at`, means `meant`."""

    at: int
    removed: str
    meant: str


# One URL is asked about up to five times.
@lru_cache(maxsize=4)
def changes(text: str) -> tuple[Change, ...]:
    """Return the changes that refang *text*, a URL, in order; none for an ordinary URL."""
    if not _MAY_BE.match(text) or not (head := _HEAD.match(text)):
        return ()
    found = []
    if head["scheme"] is not None:
        if meant := _SCHEMES.get(head["scheme"].lower()):
            found.append(Change(0, head["scheme"], meant))
        if head["slashes"] != "://":
            found.append(Change(head.end("scheme"), head["slashes"], "://"))
    marks = _MARK.finditer(text, head.start(head.lastgroup or "") + 1, head.end())
    found += [Change(mark.start(), mark[0], _MEANING[mark.lastgroup or ""]) for mark in marks]
    return tuple(found)


def refanged(text: str, found: Sequence[Change]) -> str:
    """Return *text* with the changes *found* in it made."""
    pieces: list[str] = []
    end = 0
    for change in found:
        pieces += text[end : change.at], change.meant
        end = change.at + len(change.removed)
    return "".join((*pieces, text[end:]))


def moved(index: int, found: Sequence[Change]) -> int:
    """Return the new index of the character at *index* once the changes *found* are made."""
    return index + sum(len(change.meant) - len(change.removed) for change in found if change.at < index)
