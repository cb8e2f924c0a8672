"""The URLs of a text at a glance: where each sign of one is a plain URL's, or clearly nothing's, no scanner is needed.

Most texts of mail are short and have a URL or two. A scanner gives the same, at five times the cost.
"""

import re
from collections.abc import Iterable

from urlmend.grammar.profiles import WEB, Profile
from urlmend.match import URLMatch, whole
from urlmend.scan import ordinary, regex_engine, triggers
from urlmend.scan.delimiters import LOOKBACK, Extents
from urlmend.sources import Origin, Span


class Glance:
    """The `Prefilter` that URLs are looked for by; it takes texts in which it sees them all at once.

    It takes none where *profile* is not WEB. Without *places* nobody asks where the URLs stand: of their origin they
    have the name of the file only.
    """

    def __init__(self, profile: Profile = WEB, *, places: bool = True) -> None:
        self.places = places
        self._takes = profile is WEB
        self._taken: list[URLMatch] = []

    @staticmethod
    def sightings(text: bytes | str) -> Iterable[Span]:
        """Return where in *text* something may be a URL: from its scheme's colon on, to where it stops if it is plain.

        Bytes are in whatever charset has ASCII.
        """
        pattern = ordinary.plain_or_trigger(octets=isinstance(text, bytes))
        if isinstance(text, bytes):
            return regex_engine.everywhere(pattern, text)
        return map(re.Match.span, pattern.finditer(text))

    def takes(self, text: str, found: list[Span], origin: Origin, offset: int, line: int) -> bool:
        """Take the URLs of *text*, in which *found* is all that is sighted, if a glance tells them; tell if it does.

        *origin*, *offset* and *line* are as in `Scanner`.
        """
        if not self._takes:
            return False
        matches: list[URLMatch] = []
        extents = Extents(text, binary=False, ascii_only=False, closed=True)
        counted = passed = 0
        ahead = found[::-1]
        while ahead:
            colon, end = ahead.pop()
            if colon < passed:
                if end > passed:
                    return False
                continue
            one = ordinary.plain_at(text, colon, end, extents)
            if one is None:
                trigger = triggers.trigger().match(text, colon)
                if trigger and extents.found(colon, trigger.lastgroup or "") is not None:
                    return False
                ahead += _hidden(text, colon, end)
                passed = colon + 1
                continue
            url, start, form, trimmed, passed = one
            if end > passed:
                return False
            if not self.places:
                matches.append(whole(url, start, 1, 1, form, trimmed, "", WEB, origin))
                continue
            line += text.count("\n", counted, start)
            counted = start
            line_start = text.rfind("\n", 0, start) + 1
            left = text[line_start:start] if start - line_start < LOOKBACK else ""
            matches.append(whole(url, offset + start, line, start - line_start + 1, form, trimmed, left, WEB, origin))
        self._taken += matches
        return True

    def taken(self) -> list[URLMatch]:
        """Return the URLs that were taken since this was asked last."""
        taken, self._taken = self._taken, []
        return taken


def _hidden(text: str, colon: int, end: int) -> list[Span]:
    """Return what a sign from *colon* to *end*, which is nothing's, hides: the last first."""
    pattern = ordinary.plain_or_trigger(octets=text.isascii())
    hidden: list[Span] = []
    while (colon := text.find(":", colon + 1, end)) >= 0:
        if match := pattern.match(text, colon):
            hidden.append(match.span())
    return hidden[::-1]
