"""The URLs of a text at a glance: where each sign of one is a plain URL's, or clearly nothing's, no scanner is needed.

Most texts of mail are short and have a URL or two. A scanner gives the same, at five times the cost.
"""

import re
from collections.abc import Iterable

from urlmend import plain, triggers
from urlmend.extents import BEFORE_BRACKET, LOOKBACK, MAY_OPEN, bare_form
from urlmend.matches import URLMatch, whole
from urlmend.profiles import WEB
from urlmend.sources import Origin, Sighting

_REACH = triggers.MAX_SCHEME_LENGTH + BEFORE_BRACKET
_SLASHES = "://"


def signs(text: bytes | str) -> Iterable[Sighting]:
    """Return where in *text* something may be a URL: from its scheme's colon on, to where it stops if it is plain."""
    octets = isinstance(text, bytes)
    view = text.decode("latin-1") if isinstance(text, bytes) else text
    return map(re.Match.span, plain.plain_or_trigger(octets=octets).finditer(view))


def urls(text: str, found: Iterable[Sighting], origin: Origin, offset: int, line: int) -> list[URLMatch] | None:
    """Return the URLs of *text*, valid under WEB, in which *found* is all that `signs` finds.

    `None` where that takes a scanner. *origin*, *offset* and *line* are as in `Scanner`.
    """
    matches: list[URLMatch] = []
    counted = taken = 0
    for colon, end in found:
        if colon < taken:
            if end > taken:
                return None
            continue
        taken = end
        one = None
        if text.startswith(_SLASHES, colon):
            if end > colon + len(_SLASHES):
                one = _plain(text, colon, end)
        elif shape := plain.opaque().match(text, colon):
            taken = shape.end()
            one = _plain(text, colon, taken)
        elif (shape := plain.wrapped().match(text, colon)) and shape.end() <= colon + plain.LONGEST:
            taken = shape.end()
            one = shape[1], shape.start(1), "wrapper", ""
        if one is None:
            if _is_nothing(text, colon):
                continue
            return None
        url, start, form, trimmed = one
        line += text.count("\n", counted, start)
        counted = start
        line_start = text.rfind("\n", 0, start) + 1
        left = text[line_start:start] if start - line_start < LOOKBACK else ""
        matches.append(whole(url, offset + start, line, start - line_start + 1, form, trimmed, left, WEB, origin))
    return matches


def _plain(text: str, colon: int, stop: int) -> tuple[str, int, str, str] | None:
    """Return the plain URL whose scheme ends at *colon* and its tail at *stop*, and its start, form, and what is cut.

    `None` where there may be more to it.
    """
    start = colon - plain.SCHEME_SIZES[text[colon - 3 : colon]]
    url = text[start:stop]
    trimmed = ""
    if url[-1] in plain.TAIL:
        url = url.rstrip(plain.TAIL)
        trimmed = text[start + len(url) : stop]
    if stop - start > plain.LONGEST or (url[0] == "f" and ";" in url):
        return None
    before = text[start - 1] if start else ""
    if before == "<":
        return None if trimmed or not text.startswith(">", stop) else (url, start, "angle", "")
    bracket = text.rfind("<", max(0, start - BEFORE_BRACKET), start)
    if bracket >= 0 and MAY_OPEN.match(text, bracket, start):
        return None
    return url, start, bare_form(text, start) if before == ":" else "bare", trimmed


def _is_nothing(text: str, colon: int) -> bool:
    """Tell whether the sign that has its *colon* there clearly is no URL's: no bracket opens a torn one before it."""
    near = text[max(0, colon - _REACH) : colon]
    torn = "<" in near or "&lt;" in near
    if text.startswith(_SLASHES, colon):
        ended = text.startswith("<", colon + len(_SLASHES))
        return (ended or not torn) and plain.NOTHING.match(text, colon) is not None
    if torn or near.lower().endswith(tuple(triggers.SPLIT_SCHEMES)):
        return False
    trigger = triggers.trigger().match(text, colon)
    return trigger is None or trigger.lastgroup != "opaque"
