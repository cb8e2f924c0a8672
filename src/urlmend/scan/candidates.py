"""Finding candidates in a stream of text: extent only, no joining and no judging (sans-IO: `feed` and `close`).

Binary input is scanned as Latin-1, one character a byte, so that offsets are true; only a candidate is decoded. The
search looks for colons first, and each character is visited a bounded number of times. Nothing that a candidate says
depends on how the input is cut: what could still change is held back until enough text is there.
"""

import re
import sys
from collections.abc import Iterator
from typing import Any

from urlmend.grammar.profiles import WEB
from urlmend.match import URLMatch, mended, whole
from urlmend.scan import ordinary, regex_engine, triggers
from urlmend.scan.candidate import Candidate
from urlmend.scan.delimiters import HOLD, LOOKAHEAD, LOOKBACK, Extents, Found
from urlmend.scan.torn import torn_at
from urlmend.sources import Origin

BLOCK_SIZE = 65536
"""How much text, in characters, is scanned at once: the memory of larger strings is mapped and unmapped one by one."""

# A candidate may start on the left of what betrays it, and sees LOOKBACK characters from there.
_KEPT = LOOKBACK + triggers.TRIGGER_REACH


class CandidateScanner:
    """Finds candidates in text that comes in pieces: `feed` each piece, then `close`.

    With *binary*, pieces are bytes; else they are str. *ascii_only* ends bare URLs at the first character beyond ASCII.
    With *origin*, plain URLs come out as matches of that origin: they are valid under the profile WEB.
    *offset* and *line* are those of the first character, for a text that begins inside a file. Of that text, the first
    *decided* characters are there to be looked back at, and what betrays a URL at *stop* (an offset) or behind it is
    left to others.
    """

    def __init__(  # noqa: PLR0913 -- each is asked for by name
        self,
        *,
        binary: bool,
        ascii_only: bool = False,
        origin: Origin | None = None,
        offset: int = 0,
        line: int = 1,
        decided: int = 0,
        stop: int = sys.maxsize,
    ) -> None:
        self._binary = binary
        self._ascii_only = ascii_only
        self._quick = origin is not None
        self._origin = origin or Origin()
        self._view = ""  # the text held back, with _KEPT characters on its left
        self._base = offset  # the offset of the view in the stream
        self._pos = decided  # in the view: everything on the left is decided
        self._stop = stop
        self._octets = b""  # the same, one a character
        self._fresh: list[Any] = []  # what came since the view was last scanned
        self._fresh_size = 0
        self._torn_among = False  # whether one of the plain ones found is torn
        self._extents = Extents("", binary=binary, ascii_only=ascii_only, closed=False)
        self._returns = False  # whether there is a "\r" in the view
        self._line = line  # the line that _line_start begins
        self._line_start = offset  # in the stream
        self._counted = offset  # in the stream: lines are counted up to here

    @property
    def position(self) -> int:
        """The offset in the stream up to which candidates are decided."""
        return self._base + self._pos

    @property
    def counted(self) -> tuple[int, int]:
        """An offset in the stream, and the line that it is in: up to there lines are counted."""
        return self._counted, self._line

    def feed(self, chunk: bytes | str) -> Iterator[Candidate | list[URLMatch] | tuple[URLMatch, ...]]:
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
                yield from self._scan(closed=False)

    def close(self) -> Iterator[Candidate | list[URLMatch] | tuple[URLMatch, ...]]:
        """Find the candidates left at the end of the stream."""
        return self._scan(closed=True)

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
        self._returns = b"\r" in self._octets

    def _scan(self, *, closed: bool) -> Iterator[Candidate | list[URLMatch] | tuple[URLMatch, ...]]:
        self._take_fresh()
        view = self._view
        self._extents = Extents(view, binary=self._binary, ascii_only=self._ascii_only, closed=closed)
        # A plain URL at a line's end has been looked at with the text after it, which must be there.
        reach = 0 if closed else LOOKAHEAD if self._quick else triggers.TRIGGER_REACH
        last = len(view) - reach
        certain = min(last, self._stop - self._base)
        plain_ones: list[URLMatch] = []
        for colon, stop in self._triggers(certain, last, plain_ones):
            kind = triggers.kind(view, colon, stop)
            found = self._extents.found(colon, kind)
            if found is HOLD:
                certain = colon
                break
            self._pos = colon + 1
            if isinstance(found, Found):
                if plain_ones:
                    yield self._given_out(plain_ones)
                candidate = self._candidate(found)
                self._pos = max(found.resume, self._pos)
                yield candidate
        if plain_ones:
            yield self._given_out(plain_ones)
        if not closed:
            self._consume(max(self._pos, certain))

    def _given_out(self, plain_ones: list[URLMatch]) -> list[URLMatch] | tuple[URLMatch, ...]:
        """Empty *plain_ones*, and return what was in it: as a tuple where torn ones are among them."""
        given = tuple(plain_ones) if self._torn_among else plain_ones.copy()
        plain_ones.clear()
        self._torn_among = False
        return given

    def _triggers(self, certain: int, last: int, plain_ones: list[URLMatch]) -> Iterator[tuple[int, int]]:
        """Yield where triggers before *certain* start and end, in order, but for those that `_pos` passes meanwhile.

        With *quick*, those of plain URLs are not among them: the URLs that end at *last* or before join *plain_ones*.
        """
        view = self._view
        octets_only = self._binary or view.isascii()
        pattern = ordinary.plain_or_trigger(octets=octets_only) if self._quick else triggers.trigger()
        found = regex_engine.spans(pattern, self._octets) if octets_only else None
        spans = iter(found or map(re.Match.span, pattern.finditer(view, self._pos)))
        following = self._pass_plain if self._quick else lambda spans, *_: next(spans, None)
        while (span := following(spans, certain, last, plain_ones)) and span[0] < certain:
            colon, stop = span
            if colon >= self._pos:
                yield span
            # A trigger hides what starts inside it.
            while self._pos < stop and (colon := view.find(":", max(self._pos, colon + 1), stop)) >= 0:
                hidden = pattern.match(view, colon)
                if hidden and (span := following(iter((hidden.span(),)), certain, last, plain_ones)):
                    yield span

    def _pass_plain(
        self, spans: Iterator[tuple[int, int]], certain: int, last: int, plain_ones: list[URLMatch]
    ) -> tuple[int, int] | None:
        """Add the plain URLs next among *spans* to *plain_ones*; return the first span of something else, or behind."""
        view, base, origin, extents, pos = self._view, self._base, self._origin, self._extents, self._pos
        other = None
        for span in spans:
            colon, stop = other = span
            if stop <= pos or (stop == colon + 3 and colon < certain and self._is_nothing(colon)):
                other = None
                continue
            if colon < pos or colon >= certain:
                break
            told = ordinary.plain_at(view, colon, stop, extents)
            torn = None if told else torn_at(view, colon)
            if (one := told or torn) is None or one[-1] > last:
                break
            url, start, form, rest, pos = one
            other = None
            self._count_lines(start)
            line, line_start = self._line, self._line_start - base
            left = view[line_start:start] if start - line_start < LOOKBACK else ""
            column = start - line_start + 1
            if torn:
                self._torn_among = True
                plain_ones.append(mended(url, base + start, line, column, form, "", left, rest, WEB, origin))
            else:
                plain_ones.append(whole(url, base + start, line, column, form, rest, left, WEB, origin))
        self._pos = pos
        return other

    def _is_nothing(self, colon: int) -> bool:
        """Tell whether behind the scheme that ends at *colon*, and its slashes, nothing follows."""
        view = self._view
        return ordinary.NOTHING.match(view, colon) is not None and (
            view.startswith("<", colon + 3) or not self._extents.angle_may_open(colon)
        )

    def _consume(self, pos: int) -> None:
        """Drop the view up to _KEPT characters before *pos*: the one place where view and offset move."""
        self._pos = pos
        drop = pos - _KEPT
        if drop > 0:
            # A CRLF is one line end: it is not cut in two.
            drop -= self._view[drop - 1] == "\r"
            self._count_lines(drop)
            self._view = self._view[drop:]
            self._octets = self._octets[drop:]
            self._base += drop
            self._pos = pos - drop

    def _count_lines(self, pos: int) -> None:
        """Count the line ends between what is counted and *pos* in the view."""
        start = self._counted - self._base
        if pos <= start:
            return
        # Without a line end too, all is counted up to here: else a line full of URLs is counted again for each.
        octets = self._octets
        if ends := octets.count(10, start, pos):
            self._line += ends
            self._line_start = self._base + octets.rfind(10, start, pos) + 1
        if self._returns and (ends := octets.count(13, start, pos)):
            self._line += ends - octets.count(b"\r\n", start, pos)
            self._line_start = max(self._line_start, self._base + octets.rfind(13, start, pos) + 1)
        self._counted = self._base + pos

    def _candidate(self, found: Found) -> Candidate:
        view = self._view
        at = found.start
        self._count_lines(at)
        line_start = self._line_start - self._base
        return Candidate(
            found.form,
            view[at : found.end],
            self._base + at,
            self._line,
            at - line_start + 1,
            view[line_start:at] if at - line_start < LOOKBACK else "",
            view[found.end : found.resume] if found.form in ("bare", "prefix") else "",
            found.too_long,
            view,
            at,
            found.stop,
            found.text,
        )
