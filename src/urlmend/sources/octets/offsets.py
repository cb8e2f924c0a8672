"""Where text that was decoded stands in its file."""

from bisect import bisect_right
from collections import deque
from itertools import islice
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


class _LineCursor:
    """Counts the lines of a part's pieces up to one place after the other, which are mostly asked for in their order.

    What stands before the place that was asked for last is not looked at again. Lines are counted with all line ends;
    `start` is where in the file the line begins, `after_return` what follows the last CR before the place.
    """

    __slots__ = ("_end", "_has_lone_returns", "_offset", "_pos", "after_return", "line", "line_at_start", "start")

    def __init__(self) -> None:
        self._offset = -1  # of the piece
        self._pos = 0  # in it: all up to here is counted
        self._has_lone_returns = False  # or line ends of more than one byte
        self._end = (0, -1)  # a place and the end of its line
        self.line = self.line_at_start = 1  # of the place, and of the start of its line
        self.start = 0
        self.after_return = -1

    def go_to(self, piece: Segment, into: int, pos: int, *, line_only: bool) -> None:
        """Count up to *pos* in *piece*, which begins *into* its first line, in bytes.

        With *line_only*, only the start of the line is asked for.
        """
        raw = piece.raw
        if pos < self._pos and piece.offset == self._offset and pos >= self.start - self._offset:
            # Back in the same line: an encoded URL tells its line, one behind it perhaps its place.
            if line_only or not self._has_lone_returns:
                return
            self._pos = max(0, self.start - self._offset)
            self.line = self.line_at_start
            self.after_return = -1
        elif pos < self._pos or piece.offset != self._offset:
            self._offset = piece.offset
            self._pos = 0
            self._end = (0, -1)
            self.line = self.line_at_start = piece.line
            self.start = piece.offset - into
            self.after_return = -1
            returns = raw.count(13)
            self._has_lone_returns = piece.newline != b"\n" or (returns > 0 and returns != raw.count(b"\r\n"))
        if self._has_lone_returns:
            self._count(piece, pos)
        elif ends := raw.count(10, self._pos, pos):
            self.line += ends
            self.line_at_start = self.line
            self.start = self._offset + raw.rfind(10, self._pos, pos) + 1
        self._pos = pos

    def _count(self, piece: Segment, pos: int) -> None:
        found = piece.start_of_line(pos, self._pos)
        if found is not None:
            self.start = piece.offset + found
            self.line_at_start = self.line + piece.line_ends(self._pos, found)
        self.line += piece.line_ends(self._pos, pos)
        carriage_return = piece.raw.rfind(b"\r", self._pos, pos) if piece.newline == b"\n" else -1
        if carriage_return >= 0:
            self.after_return = piece.offset + carriage_return + 1

    def end(self, piece: Segment, pos: int) -> int:
        """Return where in the piece the line of *pos* ends; the length of the piece where it does not."""
        known, found = self._end
        if piece.offset != self._offset or not known <= pos <= found:
            found = piece.end_of_line(pos)
            if piece.offset == self._offset:
                self._end = pos, found
        return found


class Places:
    """The places of a text's pieces: each is added before its text is read. With *keep_all*, none is forgotten.

    Other texts of the same part have the places *beside*.
    """

    def __init__(self, *, keep_all: bool = False, beside: "Places | None" = None) -> None:
        self._keep_all = keep_all
        self._parts: deque[_Part] = deque()
        self._last: _Part | None = None
        self._lines: _LineCursor = beside._lines if beside else _LineCursor()  # noqa: SLF001 -- of the same class
        self._size = 0

    def rest(self, start: int) -> "Places":
        """Return the places of the text from the character *start* on, as if it began there."""
        rest = Places(keep_all=self._keep_all, beside=self)
        for begin, piece, into in islice(self._parts, self._number_of(start) if self._parts else 0, None):
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
        parts, lines = self._parts, self._lines
        number = last = self._number_of(start)
        first, stop, exact = self._span(number, start, end)
        # Nearly all stand in one piece.
        while last + 1 < len(parts) and parts[last + 1].begin < end:
            last += 1
            next_first, next_stop, next_exact = self._span(last, start, end)
            exact = exact and next_exact and next_first == stop
            stop = next_stop
        _, piece, into = parts[number]
        exact = exact and as_it_is
        lines.go_to(piece, into, first - piece.offset, line_only=not exact)
        if exact:
            return Place(first, stop, lines.line, first - max(lines.start, lines.after_return) + 1, exact)
        return Place(lines.start, self._end_of_line(last, stop), lines.line_at_start, 1, exact=False)

    def _number_of(self, start: int) -> int:
        if len(self._parts) == 1:
            return 0
        return max(0, bisect_right(self._parts, start, key=lambda part: part.begin) - 1)

    def _span(self, number: int, start: int, end: int) -> tuple[int, int, bool]:
        """Return where what the part *number* has of the characters *start* to *end* stands, and whether as it is."""
        begin, piece, _ = self._parts[number]
        if number + 1 < len(self._parts):
            end = min(end, self._parts[number + 1].begin)
        first, stop, exact = max(start, begin) - begin, end - begin, True
        for step in reversed(piece.steps):
            first, stop, exactly = step.to_source(first, stop)
            exact = exact and exactly
        return piece.offset + first, piece.offset + stop, exact

    def _end_of_line(self, last: int, stop: int) -> int:
        """Return where in the file the line ends that has the byte before *stop*, of the part *last*."""
        end = stop - 1
        for number in range(last, len(self._parts)):
            _, piece, _ = self._parts[number]
            if number > last and piece.offset != end:
                break
            found = self._lines.end(piece, max(0, end - piece.offset))
            if found < len(piece.raw):
                return piece.offset + found
            end = piece.offset + len(piece.raw)
        return end
