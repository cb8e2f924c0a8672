"""The URLs of a text at a glance: where each sign of one is a plain URL's, or clearly nothing's, no scanner is needed.

Most texts of mail are short and have a URL or two. A scanner gives the same, at five times the cost.
"""

from collections.abc import Iterable

from urlmend import plain
from urlmend.extents import BEFORE_BRACKET, LOOKBACK, MAY_OPEN, bare_form
from urlmend.matches import URLMatch, whole
from urlmend.profiles import WEB
from urlmend.sources import Origin, Sighting


def urls(text: str, found: Iterable[Sighting], origin: Origin, offset: int, line: int) -> list[URLMatch] | None:
    """Return the URLs of *text*, valid under WEB, of which *found* is all that `plain_or_trigger` finds.

    `None` where that takes a scanner. *origin*, *offset* and *line* are as in `Scanner`.
    """
    matches: list[URLMatch] = []
    counted = 0
    for colon, stop, name in found:
        if name != "plain":
            return None
        start = colon - plain.SCHEME_SIZES[text[colon - 3 : colon]]
        url = text[start:stop]
        trimmed = ""
        form = "bare"
        if url[-1] in plain.TAIL:
            url = url.rstrip(plain.TAIL)
            trimmed = text[start + len(url) : stop]
        if len(url) > plain.LONGEST or (url[0] == "f" and ";" in url):
            return None
        before = text[start - 1 : start] if start else ""
        if before == "<":
            if trimmed or text[stop : stop + 1] != ">":
                return None
            form = "angle"
        elif (bracket := text.rfind("<", max(0, start - BEFORE_BRACKET), start)) >= 0 and MAY_OPEN.match(
            text, bracket, start
        ):
            return None
        elif before == ":":
            form = bare_form(text, start)
        line += text.count("\n", counted, start)
        counted = start
        line_start = text.rfind("\n", 0, start) + 1
        column = start - line_start + 1
        left = text[line_start:start] if column <= LOOKBACK else ""
        matches.append(whole(url, offset + start, line, column, form, trimmed, left, WEB, origin))
    return matches
