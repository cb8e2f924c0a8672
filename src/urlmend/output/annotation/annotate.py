"""The text itself, with each URL and each rejected candidate marked in its place."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol

from urlmend.match import Rejected, URLMatch
from urlmend.output.annotation.weighed import WeighedEnd, weighed_ends
from urlmend.scan.candidates import Stretch
from urlmend.scanner import StreamScanner
from urlmend.sources import iter_texts
from urlmend.text.limits import LOOKAHEAD, LOOKBACK

if TYPE_CHECKING:
    from urlmend.query import Query
    from urlmend.sources import Origin, Text

HELD = 1 << 18
"""How many of the bytes or characters read last are held back. A match is decided before so many stand behind it."""

_CONTINUES = 0x80
"""The two highest bits of a byte that continues a character in UTF-8."""

_MOST_CONTINUING = 3
"""How many such bytes a character has at most."""


class Page(Protocol):
    """What an annotated text is written to, piece by piece."""

    def begin_text(self, origin: "Origin") -> None:
        """Begin the text of *origin*."""

    def text(self, text: str) -> None:
        """Write *text*, in which nothing was found."""

    def url(self, match: URLMatch, ends: Sequence[WeighedEnd] = ()) -> None:
        """Write the URL *match* as it stands; *ends* are the line ends at which it was weighed."""

    def rejected(self, rejected: Rejected, text: str) -> None:
        """Write *text*, which looked like a URL."""


def annotate(file: Any, page: Page, query: "Query") -> Iterator[URLMatch]:  # noqa: ANN401 -- has read(n)
    """Write the texts of *file* to *page*; yield the URLs once they are written. Memory is bounded.

    What is found is what `iter_urls` finds. Errors of reading pass through
    once everything read so far is written.
    """
    passage = None
    error = None
    try:
        for text in iter_texts(file, query.source):
            if passage is None or text.origin is not passage.origin:
                if passage is not None:
                    yield from passage.close()
                passage = _Passage(text, page, query)
            yield from passage.feed(text.data)
    except OSError as broken:
        error = broken
    if passage is not None:
        yield from passage.close()
    if error is not None:
        raise error


class _Passage:
    """One text: what of it is not written yet, and what was found there."""

    def __init__(self, first: "Text", page: Page, query: "Query") -> None:
        self.origin = first.origin
        self._page = page
        self._held: Any = first.data[:0]  # bytes or str
        self._before: Any = first.data[:0]  # the last of what stood before
        self._start = self._written = first.offset  # the place of what is held, and of what is not written
        self._marks: list[URLMatch | Rejected] = []  # in no order
        self._scanner = StreamScanner(
            query,
            first.origin,
            self._marks.append,
            Stretch(first.offset, first.line),
            binary=isinstance(first.data, bytes),
        )
        page.begin_text(first.origin)

    def feed(self, data: bytes | str) -> list[URLMatch]:
        self._held += data
        self._marks += self._scanner.feed(data)
        if len(self._held) <= HELD:
            return []
        # A cut behind a line end goes through no character and no CRLF.
        newline = b"\n" if isinstance(self._held, bytes) else "\n"
        stop = self._held.rfind(newline, 0, len(self._held) - HELD) + 1
        if not stop:
            stop = len(self._held) - HELD
            if newline == b"\n":
                stop = _character_start(self._held, stop)
        return self._write(self._start + stop)

    def close(self) -> list[URLMatch]:
        self._marks += self._scanner.close()
        return self._write(self._start + len(self._held))

    def _write(self, stop: int) -> list[URLMatch]:
        """Write what stands before *stop*; what was found there ends with it, or begins what is held from now on."""
        # A match waits until it is decided, while a candidate after it may be rejected at once.
        self._marks.sort(key=lambda mark: mark.start)
        ready = list(takewhile(lambda mark: mark.end <= stop, self._marks))
        del self._marks[: len(ready)]
        starts = [*(mark.start for mark in [*ready[1:], *self._marks[:1]]), stop]
        written = []
        for mark, following in zip(ready, starts, strict=False):
            if mark.start < self._written:
                continue
            self._page.text(self._taken(mark.start))
            if isinstance(mark, URLMatch):
                self._taken(mark.end)
                self._page.url(mark, self._ends(mark))
                written.append(mark)
            else:
                # What is rejected as a whole may hold a URL.
                self._page.rejected(mark, self._taken(min(mark.end, following)))
        if self._marks:
            stop = max(self._written, min(stop, self._marks[0].start))
        self._page.text(self._taken(stop))
        self._before = (self._before + self._held[: stop - self._start])[-LOOKBACK:]
        self._held = self._held[stop - self._start :]
        self._start = stop
        return written

    def _ends(self, match: URLMatch) -> list[WeighedEnd]:
        if match.confidence == 1:
            return []
        at, stop = match.start - self._start, match.end - self._start
        before = (self._before + self._held[max(0, at - LOOKBACK) : at])[-LOOKBACK:]
        after = self._held[at : stop + len(match.trimmed.encode()) + LOOKAHEAD]
        return weighed_ends(match, *map(_as_text, (before, after)))

    def _taken(self, end: int) -> str:
        """Return what stands between what is written and *end*, and take it for written."""
        taken = self._held[self._written - self._start : end - self._start]
        self._written = end
        return taken.decode(errors="replace") if isinstance(taken, bytes) else str(taken)


def _as_text(data: bytes | str) -> str:
    return data.decode(errors="surrogateescape") if isinstance(data, bytes) else data


def _character_start(octets: bytes, stop: int) -> int:
    """Return where the character of UTF-8 begins that the byte at *stop* belongs to; *stop* itself if none does."""
    start = stop
    while octets[start] & 0xC0 == _CONTINUES and stop - start < _MOST_CONTINUING:
        start -= 1
    return start
