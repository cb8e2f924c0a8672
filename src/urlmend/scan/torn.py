"""The torn URL in brackets whose readings are all known to be URLs by its shape, as `plain` knows whole ones.

`http://`, `https://` or `ftp://` and an ordinary host in one piece, and behind that nothing but what may stand in any
order: what is left is a URL whatever hyphens are taken out. A test compares these with what `parser` says.
"""

import re
from functools import cache

from urlmend.scan.delimiters import MOST_LEFT
from urlmend.scan.ordinary import HOST, LONGEST
from urlmend.text import leaders

_CHARACTERS = r"[A-Za-z0-9$\-_.+~/:@?&=,;]*+"
_ANY = f"{_CHARACTERS}(?:%[0-9A-Fa-f][0-9A-Fa-f]{_CHARACTERS})*+"
_MOST_LEFT = MOST_LEFT - len("<URL:")


@cache
def stable() -> re.Pattern[str]:
    """Return what matches a URL that stays one whatever hyphens are taken out behind its host; its group ends there."""
    return re.compile(rf"((?:https?|ftp(?!.*;))://{HOST}/){_ANY}(?:#{_ANY})?", re.DOTALL)


@cache
def _torn(leader: str) -> re.Pattern[str]:
    gap = rf"[ \t]*+(?:\r\n?|\n){leader}(?=[!-~])"
    any_torn = f"{_ANY}(?:{gap}{_ANY})*+"
    found = rf"(?:https?|ftp)://{HOST}/{any_torn}(?:#{any_torn})?+(?<=[!-~])"
    return re.compile(f"<([Uu][Rr][Ll]:)?({found})[ \\t]*+>")


def torn_at(view: str, colon: int) -> tuple[str, int, str, str, int] | None:
    """Return the torn URL in brackets whose scheme, or whose `URL:`, ends at *colon*.

    That is the URL with all hyphens kept, where it starts, its form, how it stands there, and the bracket's end.
    """
    bracket = view.rfind("<", colon - 6 if colon > 6 else 0, colon)  # noqa: PLR2004 -- "<https"
    if bracket < 0:
        return None
    start = bracket - _MOST_LEFT if bracket > _MOST_LEFT else 0
    line = view.rfind("\n", start, bracket) + 1
    through = leaders.plain_way()
    if line < bracket:
        line = max(line, view.rfind("\r", start, bracket) + 1)
        stop = view.find(">", bracket, bracket + LONGEST) + 1
        led = (
            leaders.way_through(view[bracket:stop], leaders.leader(view[line : bracket + 1])) if line >= start else None
        )
        if led is None:
            return None
        through = led
    shape = _torn(through.leader).match(view, bracket, bracket + LONGEST)
    if shape is None:
        return None
    mark, raw = shape.groups()
    url = through.joined(raw) if through.depth else "".join(raw.split())
    if len(url) == len(raw) or "=3D" in url or (url[0] == "f" and ";" in url):
        return None
    return url, shape.start(2), "wrapper" if mark else "angle", raw, shape.end()
