"""Where text that was decoded stands in its file."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

from urlmend.sources.octets.steps import DecodingStep, Removed

REMEMBERED = 1 << 18
"""How many characters of a text, the latest, are remembered with their places: more than a match is behind them."""


class Place(NamedTuple):
    """A stretch of a file: `start` and `end` in bytes from 0, `line` and `column` of its start from 1.

    Where `exact`, the file has the stretch there as it was read. Else it was encoded, and they tell the encoded lines,
    from the start of the first to the end of the last.
    """

    start: int
    end: int
    line: int
    column: int
    exact: bool


def line_ends(data: bytes, start: int, stop: int) -> int:
    """Return how many lines end between *start* and *stop*: with LF, CRLF or CR."""
    count = data.count(b"\n", start, stop)
    if data.find(b"\r", start, stop) >= 0:
        cut = start < stop and data[stop - 1 : stop + 1] == b"\r\n"
        count += data.count(b"\r", start, stop) - data.count(b"\r\n", start, stop) - cut
    return count


class Segment(NamedTuple):
    """Bytes of a file: *raw* begins at *offset* in *line*; *steps* made text of it, in this order.

    Its lines end with *newline*.
    """

    raw: bytes
    offset: int
    line: int
    steps: tuple[DecodingStep, ...] = ()
    newline: bytes = b"\n"

    def line_ends(self, start: int, stop: int) -> int:
        """Return how many lines end between two places in `raw`."""
        if self.newline == b"\n":
            return line_ends(self.raw, start, stop)
        count = 0
        while (start := self.end_of_line(start)) < stop:
            count += 1
            start += len(self.newline)
        return count

    def start_of_line(self, pos: int, since: int = 0) -> int | None:
        """Return where in `raw` the line begins in which it has the place *pos*; `None` if that is before *since*."""
        found = self.raw.rfind(self.newline, since, pos)
        # Where characters have several bytes, the last ones of one and the first ones of the next are none.
        while found % len(self.newline) and found >= 0:
            found = self.raw.rfind(self.newline, since, found + len(self.newline) - 1)
        return None if found < 0 else found + len(self.newline)

    def end_of_line(self, pos: int) -> int:
        """Return where in `raw` the line ends that has the place *pos*; the length of `raw` where it does not."""
        found = self.raw.find(self.newline, pos)
        while found % len(self.newline) and found >= 0:
            found = self.raw.find(self.newline, found + 1)
        return len(self.raw) if found < 0 else found


class _Part(NamedTuple):
    """A piece whose text begins with the character *begin*, and *into* its first line, in bytes."""

    begin: int
    piece: Segment
    into: int


class _Span(NamedTuple):
    number: int
    start: int  # in the file
    end: int
    exact: bool


class _LineEnds:
    """Where lines begin and end around places of a part, which are mostly asked for in their order.

    What stands before the place that was asked for last is not looked at again.
    """

    def __init__(self) -> None:
        # Of places asked for as they are, and of lines: the offset of a piece, a place in it, and the line of that.
        self._counted = {True: (-1, 0, 0), False: (-1, 0, 0)}
        self._known_line = (-1, 0, 0, -1)  # a piece, a place, where its line begins, and what is behind the last CR
        self._known_end = (-1, 0, 0)  # a piece, a place in it, and the end of its line

    def start(self, piece: Segment, into: int, pos: int) -> tuple[int, int]:
        """Return where in the file the line of *pos* begins, and what stands behind the last CR of the piece.

        The piece begins *into* its first line, in bytes.
        """
        offset, known, start, behind_return = self._known_line
        if offset != piece.offset or known > pos:
            known, start, behind_return = 0, piece.offset - into, -1
        found = piece.start_of_line(pos, known)
        start = start if found is None else piece.offset + found
        carriage_return = piece.raw.rfind(b"\r", known, pos) if piece.newline == b"\n" else -1
        behind_return = behind_return if carriage_return < 0 else piece.offset + carriage_return + 1
        self._known_line = piece.offset, pos, start, behind_return
        return start, behind_return

    def number(self, piece: Segment, pos: int, *, exact: bool) -> int:
        """Return the number of the line of *pos*."""
        offset, counted, line = self._counted[exact]
        if offset != piece.offset or counted > pos:
            counted, line = 0, piece.line
        line += piece.line_ends(counted, pos)
        self._counted[exact] = piece.offset, pos, line
        return line

    def end(self, piece: Segment, pos: int) -> int:
        """Return where in the piece the line of *pos* ends; the length of the piece where it does not."""
        offset, known, found = self._known_end
        if offset != piece.offset or not known <= pos <= found:
            found = piece.end_of_line(pos)
            self._known_end = piece.offset, pos, found
        return found


class Places:
    """The places of a text's pieces: each is added before its text is read. With *keep_all*, none is forgotten.

    Other texts of the same part have the places *beside*.
    """

    def __init__(self, *, keep_all: bool = False, beside: "Places | None" = None) -> None:
        self._keep_all = keep_all
        self._parts: deque[_Part] = deque()
        self._last: _Part | None = None
        self._line_ends: _LineEnds = beside._line_ends if beside else _LineEnds()  # noqa: SLF001 -- of the same class
        self._size = 0

    def rest(self, start: int) -> "Places":
        """Return the places of the text from the character *start* on, as if it began there."""
        rest = Places(keep_all=self._keep_all, beside=self)
        first = max(0, bisect_right(self._parts, start, key=lambda part: part.begin) - 1)
        for begin, piece, into in islice(self._parts, first, None):
            cut = max(0, start - begin)
            steps = (*piece.steps, Removed([0], [cut])) if cut else piece.steps
            rest._parts.append(_Part(begin + cut - start, piece._replace(steps=steps), into))
        rest._last, rest._size = self._last, self._size - start
        return rest

    def add(self, size: int, piece: Segment) -> None:
        """Take the next piece, of *size* characters."""
        into = 0
        if self._last:
            _, last, last_into = self._last
            end = len(last.raw)
            if last.offset == piece.offset:
                into = last_into
            elif last.offset + end == piece.offset and not last.raw.endswith(last.newline):
                start = last.start_of_line(end)
                into = last_into + end if start is None else end - start
        self._last = _Part(self._size, piece, into)
        self._parts.append(self._last)
        self._size += size
        while not self._keep_all and len(self._parts) > 1 and self._parts[1].begin < self._size - REMEMBERED - size:
            self._parts.popleft()

    def locate(self, start: int, end: int, *, as_it_is: bool = True) -> Place:
        """Return where the characters *start* to *end* of the text stand; or their lines, if not *as_it_is*."""
        spans = list(self._spans(start, end))
        number, first, _, _ = spans[0]
        part = self._parts[number]
        piece = part.piece
        pos = first - piece.offset
        start_of_line, behind_return = self._line_ends.start(piece, part.into, pos)
        together = all(span.end == after.start for span, after in pairwise(spans))
        if as_it_is and together and all(span.exact for span in spans):
            column = first - max(start_of_line, behind_return) + 1
            return Place(first, spans[-1].end, self._line_ends.number(piece, pos, exact=True), column, exact=True)
        stop = self._end_of_line(spans[-1])
        line = self._line_ends.number(piece, max(0, start_of_line - piece.offset), exact=False)
        return Place(start_of_line, stop, line, 1, exact=False)

    def _end_of_line(self, span: _Span) -> int:
        end = span.end - 1
        for number in range(span.number, len(self._parts)):
            _, piece, _ = self._parts[number]
            if number > span.number and piece.offset != end:
                break
            found = self._line_ends.end(piece, max(0, end - piece.offset))
            if found < len(piece.raw):
                return piece.offset + found
            end = piece.offset + len(piece.raw)
        return end

    def _spans(self, start: int, end: int) -> Iterator[_Span]:
        number = max(0, bisect_right(self._parts, start, key=lambda part: part.begin) - 1)
        last = len(self._parts) - 1
        while True:
            begin, piece, _ = self._parts[number]
            next_begin = self._parts[number + 1].begin if number < last else max(end, self._size)
            first, stop, exact = max(start, begin) - begin, min(end, next_begin) - begin, True
            for step in reversed(piece.steps):
                first, stop, exactly = step.to_source(first, stop)
                exact = exact and exactly
            yield _Span(number, piece.offset + first, piece.offset + stop, exact)
            if end <= next_begin:
                return
            number += 1
