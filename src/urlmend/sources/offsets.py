"""Where text that was decoded stands in its file."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

from urlmend.sources.charsets import encoded, is_wide

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


class DecodingStep(Protocol):
    """One step of decoding, looked at backwards."""

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return where the result's *start* to *end* stood before the step, and whether it stood there as it is.

        Where it did not, what is returned begins in the first line and ends in the last one of what it was made from.
        """


class Removed:
    """A step that took stretches out: *at* has where in its result, ascending, *sizes* how much was taken out there.

    A size below 0 tells how much was put in.
    """

    def __init__(self, at: Sequence[int], sizes: Sequence[int]) -> None:
        self._at = at
        self._shifts = [0, *accumulate(sizes)]

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return what stood around what was taken out; if nothing was taken out inside, it stood there as it is."""
        first = max(0, start + self._shifts[bisect_right(self._at, start)])
        if start == end:
            return first, first, True
        # The last one's place, not the next one's: that may be behind something taken out.
        stop = max(first, end - 1 + self._shifts[bisect_right(self._at, end - 1)]) + 1
        return first, stop, stop - first == end - start


class Encoded:
    """A step from the bytes *raw* to *text*, in *charset*, a name of Python's."""

    def __init__(self, raw: bytes, text: str, charset: str) -> None:
        self._raw = raw
        self._text = text
        self._charset = charset
        self._starts: tuple[list[int], list[int]] | None = None  # of the lines, in the text and in the bytes
        self._known = (0, 0)  # a character and its place: what is asked for next mostly stands behind it

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return where the characters stand in the bytes, or their lines: charsets may write the same in many ways."""
        self._starts = self._starts or self._lines()
        in_text, in_bytes = self._starts
        number = bisect_right(in_text, start) - 1
        known, place = self._known
        if not in_text[number] <= known <= start:
            known, place = in_text[number], in_bytes[number]
        first = place + len(encoded(self._text[known:start], self._charset))
        self._known = start, first
        stretch = encoded(self._text[start:end], self._charset)
        if self._raw.startswith(stretch, first):
            return first, first + len(stretch), True
        last = max(number, bisect_right(in_text, end - 1) - 1)
        return in_bytes[number], in_bytes[last] + 1, False

    def _lines(self) -> tuple[list[int], list[int]]:
        in_text = [0, *(found.end() for found in _LINE_FEED.finditer(self._text))]
        if is_wide(self._charset):
            sizes = (len(encoded(self._text[start:end], self._charset)) for start, end in pairwise(in_text))
            return in_text, list(accumulate(sizes, initial=0))
        in_bytes = [0, *(found.end() for found in _LINE_FEED_BYTE.finditer(self._raw))]
        # Some charsets have ways to write a line end that is none, or to hide one: what is left is of the last line.
        count = min(len(in_text), len(in_bytes))
        return in_text[:count], in_bytes[:count]


_LINE_FEED = re.compile("\n")
_LINE_FEED_BYTE = re.compile(b"\n")


class ByLine:
    """A step that decodes each line of *raw* for itself, with *decode*, to bytes."""

    def __init__(self, raw: bytes, decode: Callable[[bytes], bytes]) -> None:
        self._raw = raw
        self._decode = decode
        self._table: tuple[list[int], list[int], list[bool]] | None = None

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return where octets stand: as they are in lines in which nothing is encoded."""
        self._table = self._table or self._lines()
        decoded_starts, starts, plain = self._table
        first = max(0, bisect_right(decoded_starts, start) - 1)
        last = max(first, bisect_right(decoded_starts, end - 1) - 1)
        if all(plain[first : last + 1]):
            return starts[first] + start - decoded_starts[first], starts[last] + end - decoded_starts[last], True
        return starts[first], starts[last] + 1, False

    def _lines(self) -> tuple[list[int], list[int], list[bool]]:
        decoded_starts: list[int] = []
        starts: list[int] = []
        plain: list[bool] = []
        decoded_start = start = 0
        while not starts or start < len(self._raw):
            end = self._raw.find(b"\n", start) + 1 or len(self._raw)
            octets = self._raw[start:end]
            decoded = self._decode(octets)
            decoded_starts.append(decoded_start)
            starts.append(start)
            plain.append(decoded == octets)
            decoded_start += len(decoded)
            start = end
        return decoded_starts, starts, plain


class Base64:
    """A step that decodes *raw*, of which *before* characters of the alphabet were left over from earlier."""

    def __init__(self, raw: bytes, before: int, keep: Callable[[bytes], bytes]) -> None:
        self._raw = raw
        self._before = before
        self._keep = keep
        self._table: tuple[list[int], list[int]] | None = None

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return the lines in which the octets are encoded."""
        # An octet is in two characters.
        first = self._line_of(start * 4 // 3 - self._before)
        last = self._line_of((end - 1) * 4 // 3 + 1 - self._before)
        return first, max(first, last) + 1, False

    def _line_of(self, wanted: int) -> int:
        """Return the start of the line with the character *wanted* of the alphabet."""
        if self._table is None:
            lines = self._raw.splitlines(keepends=True)
            kept = accumulate((len(self._keep(line)) for line in lines), initial=0)
            self._table = list(kept), list(accumulate(map(len, lines), initial=0))
        before, starts = self._table
        return starts[max(0, min(bisect_right(before, wanted), len(starts) - 1) - 1)]


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
        return self.raw.count(self.newline, start, stop)

    def start_of_line(self, pos: int, since: int = 0) -> int | None:
        """Return where in `raw` the line begins in which it has the place *pos*; `None` if that is before *since*."""
        found = self.raw.rfind(self.newline, since, pos)
        return None if found < 0 else found + len(self.newline)


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


class Places:
    """The places of a text's pieces: each is added before its text is read. With *keep_all*, none is forgotten.

    What the text stands right behind, in the same part, are the pieces of *after*.
    """

    def __init__(self, *, keep_all: bool = False, after: "Places | None" = None) -> None:
        self._keep_all = keep_all
        self._parts: deque[_Part] = deque()
        self._last: _Part | None = after.last if after else None
        # Of places asked for as they are, and of lines: the offset of a piece, a place in it, and the line of that.
        self._counted = {True: (-1, 0, 0), False: (-1, 0, 0)}
        self._known_line = (-1, 0, 0, -1)  # a piece, a place, where its line begins, and what is behind the last CR
        self._known_end = (-1, 0, 0)  # a piece, a place in it, and the end of its line
        self._size = 0

    @property
    def last(self) -> _Part | None:
        """The last piece."""
        return self._last

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
        start_of_line, behind_return = self._line_of(part, pos)
        together = all(span.end == after.start for span, after in pairwise(spans))
        if as_it_is and together and all(span.exact for span in spans):
            column = first - max(start_of_line, behind_return) + 1
            return Place(first, spans[-1].end, self._line_at(piece, pos, exact=True), column, exact=True)
        stop = self._end_of_line(spans[-1])
        line = self._line_at(piece, max(0, start_of_line - piece.offset), exact=False)
        return Place(start_of_line, stop, line, 1, exact=False)

    def _line_of(self, part: _Part, pos: int) -> tuple[int, int]:
        """Return where in the file the line of *pos* begins, and what stands behind the last CR of the piece.

        What stands before the place that was asked for last is not looked at again.
        """
        piece = part.piece
        offset, known, start, behind_return = self._known_line
        if offset != piece.offset or known > pos or piece.newline != b"\n":
            known, start, behind_return = 0, piece.offset - part.into, -1
        found = piece.start_of_line(pos, known)
        start = start if found is None else piece.offset + found
        carriage_return = piece.raw.rfind(b"\r", known, pos)
        behind_return = behind_return if carriage_return < 0 else piece.offset + carriage_return + 1
        self._known_line = piece.offset, pos, start, behind_return
        return start, behind_return

    def _line_at(self, piece: Segment, pos: int, *, exact: bool) -> int:
        offset, counted, line = self._counted[exact]
        if offset != piece.offset or counted > pos:
            counted, line = 0, piece.line
        line += piece.line_ends(counted, pos)
        self._counted[exact] = piece.offset, pos, line
        return line

    def _end_of_line(self, span: _Span) -> int:
        end = span.end - 1
        for number in range(span.number, len(self._parts)):
            _, piece, _ = self._parts[number]
            if number > span.number and piece.offset != end:
                break
            pos = max(0, end - piece.offset)
            offset, known, found = self._known_end
            if offset != piece.offset or not known <= pos <= found:
                found = piece.raw.find(piece.newline, pos)
                found = len(piece.raw) if found < 0 else found
                self._known_end = piece.offset, pos, found
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
