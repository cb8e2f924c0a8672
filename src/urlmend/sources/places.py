"""Where text is in its file: its lines and columns, and the bytes that decoded text was made from."""

import re
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from operator import add, itemgetter, sub
from typing import Any, AnyStr, NamedTuple, Protocol

from urlmend.text.patterns import lazy_regex

REMEMBERED = 1 << 19
"""The places of so many characters of a text, the latest, are remembered: a match is always among them."""


LONE_RETURN = lazy_regex(rb"\r(?!\n)(?!\0{1,3}\n)")
"""A CR that ends a line alone. In UTF-16 and UTF-32 there are zeros between the two characters of a CRLF."""


class LineCounter:
    """Counts the line ends of a stream, forward only.

    The offset `counted`, up to which it has counted, is in `line`, from 1, and that line begins at `line_start`. It
    counts in *data*, which begins at *offset*, until `look_at` gives it other data. Unless *numbered*, only
    `line_start` is right.
    """

    __slots__ = ("_base", "_data", "_has_lone_returns", "_numbered", "counted", "line", "line_start")

    def __init__(self, offset: int = 0, line: int = 1, data: bytes | bytearray = b"", *, numbered: bool = True) -> None:
        self._numbered = numbered
        self.line = line
        self.line_start = offset
        self.counted = offset
        self._base = offset
        self._data = data
        # The first test is much faster than the second, and most texts have none.
        self._has_lone_returns = b"\r" in data and LONE_RETURN.search(data) is not None

    def look_at(self, data: bytes | bytearray, base: int) -> None:
        """Count in *data* from now on; it begins at the offset *base* and includes the last byte counted."""
        if data.startswith(b"\n", self.counted - base) and self._data.endswith(b"\r"):
            self.line -= self._base + len(self._data) == self.counted  # the CR counted last is half of a line end
        self._data = data
        self._base = base
        self._has_lone_returns = b"\r" in data and LONE_RETURN.search(data) is not None

    def count_to(self, offset: int) -> None:
        """Count the line ends before *offset*, unless they are counted already."""
        data, base = self._data, self._base
        start, pos = self.counted - base, offset - base
        if pos <= start:
            return
        if (last := data.rfind(b"\n", start, pos)) >= 0:
            self.line_start = base + last + 1
            if self._numbered:
                self.line += data.count(b"\n", start, pos)
        if self._has_lone_returns and data.find(b"\r", start, pos) >= 0:
            cut = data.startswith(b"\r\n", pos - 1)  # a CRLF that *offset* cuts in two ends its line after it
            self.line += len(LONE_RETURN.findall(data, start, pos)) - cut
            self.line_start = max(self.line_start, base + data.rfind(b"\r", start, pos - cut) + 1)
        # Even if no line ended: a line full of URLs would be searched again for each of them.
        self.counted = offset


class Lines:
    """A piece of a file: `data` begins at `offset`, in bytes from 0, in `line`, from 1, which begins at `line_start`.

    It ends with a line end, unless it ends its file or is part of a very long line.
    """

    __slots__ = ("_counter", "_stop", "data", "line", "line_start", "offset")

    def __init__(self, data: bytes, offset: int, line: int, line_start: int | None = None) -> None:
        self.data = data
        self.offset = offset
        self.line = line
        self.line_start = offset if line_start is None else line_start
        self._counter: LineCounter | None = None
        self._stop = (0, -1)

    def line_at(self, pos: int) -> tuple[int, int]:
        """Return the line of the place *pos* in `data`, and where in the file it begins."""
        counter = self._counter
        # Most places are located in order.
        if counter is None or self.offset + pos < counter.counted:
            counter = self._counter = LineCounter(self.offset, self.line, self.data)
        counter.count_to(self.offset + pos)
        return counter.line, self.line_start if counter.line == self.line else counter.line_start

    def line_stop(self, pos: int) -> int:
        """Return where in the file the line of the place *pos* in `data` ends, or the end of `data`."""
        known, stop = self._stop
        if not known <= pos <= stop:
            stop = self.data.find(b"\n", pos)
            stop = len(self.data) if stop < 0 else stop
            self._stop = pos, stop
        return self.offset + stop

    def part(self, start: int, stop: int | None = None) -> "Lines":
        """Return the part from *start* to *stop* in `data`, or to its end."""
        return self.of(self.data[start:stop], start)

    def of(self, data: bytes, start: int = 0) -> "Lines":
        """Return the lines of *data*, which begins at *start* in `data`."""
        return Lines(data, self.offset + start, *self.line_at(start))


class Step(Protocol):
    """A step of decoding, which can find the input of any part of its result."""

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return which part of the input became *start* to *end* of the result, and whether it is unchanged.

        If it was changed, only its first and last line are exact.
        """


def source_of(steps: Sequence[Step], start: int, end: int) -> tuple[int, int, bool]:
    """Return which part of the input of all *steps* became *start* to *end* of the last result, as `Step` does."""
    exact = True
    for step in reversed(steps):
        start, end, unchanged = step.to_source(start, end)
        exact = exact and unchanged
    return start, end, exact


class Removed:
    """A step that removed parts of its input, or put some in.

    *at* has places in its result, in ascending order; from each on, the input is so many characters further on as
    *shifts* says.
    """

    __slots__ = ("_at", "_shifts")

    def __init__(self, at: Iterable[int], shifts: Iterable[int]) -> None:
        # A text of nothing but edits has millions: in lists they would take five times as much memory for as long as
        # the text is read. An array is made of a list twice as fast as of an iterator.
        self._at = array("q", [*at])
        self._shifts = array("q", [0, *shifts])

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return the part from the first character to the last. It is unchanged if nothing inside it was removed."""
        first = max(0, start + self._shifts[bisect_right(self._at, start)])
        if start == end:
            return first, first, True
        # The place of the last character, not of the next one: something between them may have been removed.
        stop = max(first, end - 1 + self._shifts[bisect_right(self._at, end - 1)]) + 1
        return first, stop, stop - first == end - start


_UNCHANGED = Removed((), ())


def replaced(text: AnyStr, edits: Iterable[tuple[int, int, AnyStr]]) -> tuple[AnyStr, Removed]:
    """Apply *edits*, each a start, a stop and the replacement, in order, to *text*; also return the step for them."""
    kept: list[Any] = []  # mypyc takes the slices for `str | bytes`
    removed: list[int] = []
    new: list[AnyStr] = []
    pos = 0
    for start, stop, replacement in edits:
        kept.append(text[pos:start])
        removed.append(stop - start)
        new.append(replacement)
        pos = stop
    kept.append(text[pos:])
    return spliced(kept, removed, new) if new else (text, _UNCHANGED)


def substituted(pattern: re.Pattern[str], text: str, meaning: Callable[[str], str]) -> tuple[str, Removed]:
    """Replace what *pattern*, whose only group is around all of it, finds in *text* by its *meaning*, as `replaced`."""
    pieces = pattern.split(text)
    if len(pieces) == 1:
        return text, _UNCHANGED
    found = pieces[1::2]
    return spliced(pieces[::2], map(len, found), list(map(meaning, found)))


def spliced(kept: list[AnyStr], removed: Iterable[int], new: Sequence[AnyStr]) -> tuple[AnyStr, Removed]:
    """Join the stretches *kept* of a text with the *new* one after each but the last; also return the step for it.

    Each of *new* replaces as many characters as *removed* says. A document has thousands: `itertools` counts them.
    """
    added = list(map(len, new))
    pieces: list[Any] = [*kept, *new]
    pieces[::2], pieces[1::2] = kept, new
    joined: Any = kept[0][:0].join(pieces)
    at = accumulate(map(add, map(len, kept), added))
    return joined, Removed(at, accumulate(map(sub, removed, added)))


class Shifted:
    """A step whose result is in its input as it is, *by* characters further on."""

    __slots__ = ("_by",)

    def __init__(self, by: int) -> None:
        self._by = by

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return the same part, moved."""
        return start + self._by, end + self._by, True


class Within:
    """A step that knows only that its result comes from somewhere between *start* and *end*."""

    __slots__ = ("_span",)

    def __init__(self, start: int, end: int) -> None:
        self._span = start, max(start + 1, end)

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:  # noqa: ARG002 -- a step is asked so
        """Return the whole range."""
        return *self._span, False


def within(lines: "Lines", size: int) -> "SourceMap":
    """Return the places of a text of *size* characters that comes from somewhere in *lines*."""
    places = SourceMap()
    places.add(size, lines, (Within(0, len(lines.data)),))
    return places


class Place(NamedTuple):
    """A range of a file: `start` and `end` in bytes from 0, `line` and `column` of its start from 1.

    If `exact`, the file has the text there as it was read. Else these are the lines that it was decoded from.
    """

    start: int
    end: int
    line: int
    column: int
    exact: bool


class _Part(NamedTuple):
    """A piece of text that starts with the character *begin*, and what it was made from."""

    begin: int
    lines: Lines
    steps: tuple[Step, ...]


_BEGIN = itemgetter(0)


class SourceMap:
    """Where the pieces of a text are in its file. Each piece is added before its text is read."""

    def __init__(self) -> None:
        self._parts: deque[_Part] = deque()
        self._size = 0

    def add(self, size: int, lines: Lines, steps: tuple[Step, ...] = ()) -> None:
        """Add the next piece, of *size* characters, which the *steps* made from *lines*."""
        if not size:
            return  # otherwise a text whose pieces all come out empty would use more and more memory
        parts = self._parts
        parts.append(_Part(self._size, lines, steps))
        while len(parts) > 1 and parts[1].begin < self._size - REMEMBERED:
            parts.popleft()
        self._size += size

    def locate(self, start: int, end: int, *, as_it_is: bool = True) -> Place:
        """Return where the characters *start* to *end* of the text are; their lines unless *as_it_is*."""
        first, stop, exact = self.to_source(start, end)
        lines = self._parts[self._number_at(start)].lines
        line, line_start = lines.line_at(first - lines.offset)
        if exact and as_it_is:
            return Place(first, stop, line, first - line_start + 1, exact)
        lines = self._parts[self._number_at(end - 1)].lines
        return Place(line_start, lines.line_stop(stop - 1 - lines.offset), line, 1, exact=False)

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return which bytes of the file became the characters *start* to *end*, and whether they are unchanged."""
        number = self._number_at(start)
        first, stop, exact = self._span(number, start, end)
        while number + 1 < len(self._parts) and self._parts[number + 1].begin < end:
            number += 1
            next_first, next_stop, next_exact = self._span(number, start, end)
            exact = exact and next_exact and next_first == stop
            stop = next_stop
        return first, stop, exact

    def _number_at(self, pos: int) -> int:
        return max(0, bisect_right(self._parts, pos, key=_BEGIN) - 1) if len(self._parts) > 1 else 0

    def written(self, start: int, raw: str) -> str:  # noqa: ARG002 -- for a text that does not have it as it is
        """Return *raw*, which begins at *start* of the text, as the file has it: for example, as a relative link."""
        return raw

    def _span(self, number: int, start: int, end: int) -> tuple[int, int, bool]:
        """Return where the characters *start* to *end* of a part are in the file, and whether they are unchanged."""
        begin, lines, steps = self._parts[number]
        if number + 1 < len(self._parts):
            end = min(end, self._parts[number + 1].begin)
        first, stop, exact = source_of(steps, max(start, begin) - begin, end - begin)
        return lines.offset + first, lines.offset + stop, exact
