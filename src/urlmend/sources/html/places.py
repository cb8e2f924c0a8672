"""Where the text and the URLs that a parser made of HTML stand in it: it is searched, a bounded number of times."""

import re
from bisect import bisect_right
from functools import lru_cache
from html import unescape
from itertools import accumulate

from urlmend.sources.octets.offsets import Place, Places
from urlmend.sources.octets.steps import Removed

MAX_SEARCHES = 64
"""How often a document is searched for its URLs, at most: for those behind, the last line that was found is told."""

_COST_OF_SEARCH = 200
"""A search costs as much as so many characters more."""

# What stands in an attribute that is no part of its URL (URL Standard 4.4), or in a URL of the text, and entities.
_IN_TAGS = re.compile(r"[\t\n\r]++|&[#\w]{2,32}+;?")
_IN_TEXT = re.compile(r"<[^<>]*+>|&[#\w]{2,32}+;?")
_BEGINNING = re.compile(r"[\w.~\-/?#:@]{4,64}", re.ASCII)


_unescaped = lru_cache(256)(unescape)
"""Most entities of a document are the same few."""


class InSource(Places):
    """The places of *text* that a parser made of *source*: where the source has a stretch as it is, it stands there.

    With *in_tags* it stands in a tag, else outside. What is written otherwise, with entities or tags in it, is looked
    for in the source without them, and its lines are told.
    """

    def __init__(self, text: str, source: str, places: Places, *, in_tags: bool) -> None:
        super().__init__()
        self._text = text
        self._source = source
        self._source_places = places
        self._in_tags = in_tags
        self._pos = 0  # in the source: behind the last one found
        self._to_search = MAX_SEARCHES * len(source)
        self._plain: _Plain | None = None

    def locate(self, start: int, end: int, *, as_it_is: bool = True) -> Place:
        """Return where the characters *start* to *end* of the text stand, or the lines."""
        wanted = self._text[start:end]
        first = self._literal(wanted)
        if first is not None:
            self._pos = first + len(wanted)
            return self._source_places.locate(first, self._pos, as_it_is=as_it_is)
        if "&" in wanted:
            # Most is written so, and this search costs least.
            written = wanted.replace("&", "&amp;")
            first = self._literal(written)
            if first is not None:
                self._pos = first + len(written)
                return self._source_places.locate(first, self._pos, as_it_is=False)
        span = self._written(wanted)
        if span is None:
            # The beginning may be found where the rest is written in another way.
            beginning = _BEGINNING.match(wanted)
            span = self._written(beginning[0]) if beginning else None
        first, stop = span or (self._pos, self._pos + 1)
        self._pos = max(self._pos, first)
        return self._source_places.locate(first, stop, as_it_is=False)

    def _literal(self, wanted: str) -> int | None:
        """Return where *wanted* stands next in the source, in a tag or outside as it should, else anywhere."""
        pos = self._pos
        in_tag = False
        anywhere = None
        while self._to_search > 0:
            found = self._source.find(wanted, pos)
            self._to_search -= (found if found >= 0 else len(self._source)) - pos + _COST_OF_SEARCH
            if found < 0:
                break
            anywhere = found if anywhere is None else anywhere
            opening, closing = self._source.rfind("<", pos, found), self._source.rfind(">", pos, found)
            in_tag = opening > closing or (in_tag and opening == closing)
            if in_tag == self._in_tags:
                return found
            pos = found + 1
        return anywhere

    def _written(self, wanted: str) -> tuple[int, int] | None:
        """Return where the source has what reads as *wanted*."""
        if self._to_search <= 0:
            return None
        if self._plain is None:
            self._plain = _Plain(self._source, _IN_TAGS if self._in_tags else _IN_TEXT)
        plain = self._plain
        start = plain.from_source(self._pos)
        found = plain.text.find(wanted, start)
        self._to_search -= (found if found >= 0 else len(plain.text)) - start + 1
        return plain.step.to_source(found, found + len(wanted))[:2] if found >= 0 else None


class _Plain:
    """A source without what *pattern* finds in it, but with the characters that entities stand for."""

    def __init__(self, source: str, pattern: re.Pattern[str]) -> None:
        at: list[int] = []
        sizes: list[int] = []
        parts: list[str] = []
        self._ends: list[int] = []
        pos = size = 0
        for found in pattern.finditer(source):
            written = found[0]
            read = _unescaped(written) if written[0] == "&" else ""
            if read == written:
                continue
            start = found.start()
            parts += source[pos:start], read
            size += start - pos + len(read)
            pos = found.end()
            at.append(size)
            sizes.append(len(written) - len(read))
            self._ends.append(pos)
        self.text = "".join([*parts, source[pos:]])
        self.step = Removed(at, sizes)
        self._shifts = list(accumulate(sizes, initial=0))

    def from_source(self, pos: int) -> int:
        """Return where what stands at *pos* in the source is in the text."""
        return max(0, pos - self._shifts[bisect_right(self._ends, pos)])
