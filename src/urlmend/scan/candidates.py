"""Finding candidates in a stream of text: extent only, no joining and no judging (sans-IO: `feed` and `close`).

Binary input is scanned as Latin-1, one character a byte, so that offsets are true; only a candidate is decoded. The
search looks for colons first, and each character is visited a bounded number of times. Nothing that a candidate says
depends on how the input is cut: what could still change is held back until enough text is there.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from urlmend.grammar.profiles import WEB
from urlmend.match import URLMatch
from urlmend.mend import continuation
from urlmend.query import Query
from urlmend.scan import ordinary, triggers
from urlmend.scan.candidate import Candidate
from urlmend.scan.delimiters import Delimiters, Extent, Hold, ends_line
from urlmend.scan.ordinary import OrdinaryURL
from urlmend.sources import Origin, Span, Text
from urlmend.sources.line_counter import LineCounter
from urlmend.text.limits import LOOKAHEAD, LOOKBACK, MOST_LEFT

BLOCK_SIZE = 65536
"""How much text, in characters, is scanned at once: the memory of larger strings is mapped and unmapped one by one."""

# A candidate may start on the left of its trigger, and sees LOOKBACK characters from there.
_KEPT = LOOKBACK + triggers.TRIGGER_REACH


class Stretch(NamedTuple):
    """The part of a stream that a scanner is for.

    It is fed from *offset* on, which is in *line*, from 1. Candidates come from the triggers at *start* or behind, and
    before *stop*, offsets too; what stands before *start* is only looked back at.
    """

    offset: int = 0
    line: int = 1
    start: int = 0
    stop: int = sys.maxsize


WHOLE_STREAM = Stretch()


class CandidateScanner:
    """Finds candidates in text that comes in pieces: `feed` each piece, then `close`.

    With *binary*, pieces are bytes; else they are str. What is found stands in *origin*. Ordinary URLs come
    out as matches, as they are valid under the profile WEB; not under another profile, and not with *fast* off.
    """

    def __init__(
        self,
        origin: Origin,
        query: Query,
        stretch: Stretch = WHOLE_STREAM,
        *,
        binary: bool,
        fast: bool = True,
    ) -> None:
        self._binary = binary
        self._ascii_only = "ucschar" not in query.profile.rules
        self._fast = fast and query.profile is WEB
        self._query = query
        if query.on_request:
            from urlmend.scan.forms.extents import extent as on_request  # noqa: PLC0415 -- on request only

            self._on_request = on_request
        self._origin = origin
        self._view = ""  # the text held back, with _KEPT characters on its left
        self._octets = b""  # the same, one a character
        self._base = stretch.offset  # the offset of the view in the stream
        self._pos = max(0, stretch.start - stretch.offset)  # in the view: everything on the left is decided
        self._stop = stretch.stop
        self._fresh: list[Any] = []  # what came since the view was last scanned
        self._fresh_size = 0
        self.lines = LineCounter(stretch.offset, stretch.line)

    @property
    def position(self) -> int:
        """The offset in the stream up to which candidates are decided."""
        return self._base + self._pos

    def feed(self, chunk: bytes | str) -> Iterator[Candidate | URLMatch]:
        """Take the next piece of the stream and find the candidates that are now certain, as they are asked for.

        All are to be asked for before the next piece comes.
        """
        pieces = memoryview(chunk) if isinstance(chunk, bytes) else chunk
        for start in range(0, len(chunk), BLOCK_SIZE):
            self._fresh.append(pieces[start : start + BLOCK_SIZE])
            self._fresh_size += len(self._fresh[-1])
            # Whatever the sizes, what is held back is scanned again only after it grew by an eighth. A short text is
            # scanned when it is closed: at a line's end nothing is certain before LOOKAHEAD characters.
            held = len(self._view) - self._pos
            if self._fresh_size * 8 >= held and self._fresh_size + held >= LOOKAHEAD:
                self._take_fresh()
                yield from self._scan(self._spans(), closed=False)

    def close(self) -> Iterator[Candidate | URLMatch]:
        """Find the candidates left at the end of the stream."""
        self._take_fresh()
        yield from self._scan(self._spans(), closed=True)

    def whole(self, text: Text) -> Iterator[Candidate | URLMatch]:
        """Find the candidates of *text*, which is a stream of its own and all in hand."""
        self._origin = text.origin
        self._base = text.offset
        self._pos = 0
        self._view = str(text.data)
        self._octets = self._view.encode("latin-1", "replace")
        self.lines = LineCounter(text.offset, text.line)
        self.lines.look_at(self._octets, text.offset)
        return self._scan(self._spans() if text.spans is None else text.spans, closed=True)

    def _take_fresh(self) -> None:
        """Make the view of what is held back and of what came since."""
        if self._binary:
            self._octets = b"".join((self._octets, *self._fresh))
            self._view = self._octets.decode("latin-1")
        else:
            self._view = "".join((self._view, *self._fresh))
            self._octets = self._view.encode("latin-1", "replace")
        self._fresh.clear()
        self._fresh_size = 0
        self.lines.look_at(self._octets, self._base)

    def _spans(self) -> Iterable[Span]:
        view = self._view
        octets_only = self._binary or view.isascii()
        if octets_only:
            return ordinary.spans(self._octets, self._query)
        return ordinary.spans_of_text(view, self._pos, self._query)

    def _scan(self, spans: Iterable[Span], *, closed: bool) -> Iterator[Candidate | URLMatch]:
        view = self._view
        delimiters = Delimiters(view, binary=self._binary, ascii_only=self._ascii_only, closed=closed)
        # An ordinary URL is asked whether it goes on in the text behind it, which must be there.
        reach = 0 if closed else LOOKAHEAD
        certain = min(len(view) - reach, self._stop - self._base)
        for span in self._undecided(spans, certain):
            colon, stop = span
            if stop <= certain and self._fast and (url := ordinary.ordinary_url(view, span, delimiters)):
                self._pos = url[-1]
                yield self._ordinary(url)
                continue
            if view[colon] == ":":
                extent = delimiters.extent(colon, triggers.kind(view, colon, stop))
            else:
                extent = self._on_request(delimiters, colon, self._query)
            if isinstance(extent, Hold):
                certain = colon
                break
            self._pos = colon + 1
            if extent is not None:
                candidate = self._candidate(extent)
                self._pos = max(extent.resume, self._pos)
                yield candidate
        if not closed:
            self._consume(max(self._pos, certain))

    def _undecided(self, spans: Iterable[Span], certain: int) -> Iterator[Span]:
        """Yield those of *spans* that start before *certain*, in order, but for those that `_pos` passes meanwhile."""
        view = self._view
        octets = self._binary or view.isascii()
        for span in spans:
            colon, stop = span
            if colon >= certain:
                return
            if colon >= self._pos:
                yield span
            # A span hides the triggers inside it.
            while self._pos < stop:
                inside = max(self._pos, colon + 1)
                hidden = ordinary.span_inside(view, inside, min(stop, certain), self._query, octets=octets)
                if hidden is None:
                    break
                yield hidden
                colon = hidden[0]

    def _ordinary(self, url: OrdinaryURL) -> Candidate | URLMatch:
        """Return the match of *url*, or a candidate where it may go on in the next line."""
        text, start, form, trimmed, stop = url
        view, base, lines = self._view, self._base, self.lines
        offset = base + start
        lines.count_to(offset)
        line_start = lines.line_start - base
        left = view[line_start:start] if start - line_start < LOOKBACK else ""
        column = start - line_start + 1
        behind = view[stop : stop + 2]
        # Most stand inside a line, which two characters show.
        in_line = behind > "!" or (behind > "  " and behind[0] == " ")
        if in_line or form == "angle" or continuation.ends_here(view, stop, stop + LOOKAHEAD, stop - line_start):
            return URLMatch(
                text,
                offset,
                offset + len(text),
                text,
                lines.line,
                column,
                form,
                (text,),
                (),
                trimmed,
                WEB,
                self._origin,
                left=left[:MOST_LEFT],
            )
        at_line_end = stop if ends_line(view, stop) else 0
        return Candidate(form, text, offset, lines.line, column, left, trimmed, view=view, at=start, stop=at_line_end)

    def _candidate(self, extent: Extent) -> Candidate:
        view, at, lines = self._view, extent.start, self.lines
        lines.count_to(self._base + at)
        line_start = lines.line_start - self._base
        return Candidate(
            extent.form,
            view[at : extent.end],
            self._base + at,
            lines.line,
            at - line_start + 1,
            view[line_start:at] if at - line_start < LOOKBACK else "",
            view[extent.end : extent.resume] if extent.form in ("bare", "prefix", "schemeless") else "",
            extent.too_long,
            view=view,
            at=at,
            stop=extent.stop,
        )

    def _consume(self, pos: int) -> None:
        """Drop the view up to _KEPT characters before *pos*: the one place where view and offset move."""
        self._pos = pos
        drop = pos - _KEPT
        if drop > 0:
            # A CRLF is one line end: it is not cut in two.
            drop -= self._view[drop - 1] == "\r"
            self.lines.count_to(self._base + drop)
            self._view = self._view[drop:]
            self._octets = self._octets[drop:]
            self._base += drop
            self._pos = pos - drop
