"""The steps by which bytes of a file become text, each looked at backwards."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from operator import eq
from typing import Protocol

from urlmend.sources.octets.charsets import encoded, is_wide


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
        # UTF-8 becomes the bytes again that it was; of other charsets each line may begin somewhere else.
        in_text, in_bytes = _NO_LINES if self._charset == "utf-8" else self._line_starts()
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

    def _line_starts(self) -> tuple[list[int], list[int]]:
        self._starts = self._starts or self._lines()
        return self._starts

    def _lines(self) -> tuple[list[int], list[int]]:
        in_text = [0, *(found.end() for found in _LINE_FEED.finditer(self._text))]
        if is_wide(self._charset):
            sizes = (len(encoded(self._text[start:end], self._charset)) for start, end in pairwise(in_text))
            return in_text, list(accumulate(sizes, initial=0))
        in_bytes = [0, *(found.end() for found in _LINE_FEED_BYTE.finditer(self._raw))]
        # Some charsets have ways to write a line end that is none, or to hide one: what is left is of the last line.
        count = min(len(in_text), len(in_bytes))
        return in_text[:count], in_bytes[:count]


_NO_LINES = [0], [0]
_LINE_FEED = re.compile("\n")
_LINE_FEED_BYTE = re.compile(b"\n")


class Stretches:
    """A step that decodes stretches of bytes one after the other: each with where it begins in the text and bytes."""

    def __init__(self, stretches: Sequence[tuple[int, int, DecodingStep]]) -> None:
        self._stretches = stretches
        self._in_text = [start for start, _, _ in stretches]

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return where the characters stand, or their lines; of more than two stretches, the lines."""
        number = bisect_right(self._in_text, start) - 1
        last = max(number, bisect_right(self._in_text, end - 1) - 1)
        begin, offset, step = self._stretches[number]
        stop = end if last == number else self._in_text[number + 1]
        first, behind, exact = step.to_source(start - begin, stop - begin)
        if last > number:
            begin, its_offset, step = self._stretches[last]
            _, behind, its_exact = step.to_source(0, end - begin)
            behind += its_offset - offset
            exact = exact and its_exact and last == number + 1
        return offset + first, offset + behind, exact


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
        last = max(first, bisect_right(decoded_starts, end - 1, first) - 1)
        if plain[first] if first == last else all(plain[first : last + 1]):
            return starts[first] + start - decoded_starts[first], starts[last] + end - decoded_starts[last], True
        return starts[first], starts[last] + 1, False

    def _lines(self) -> tuple[list[int], list[int], list[bool]]:
        """Return where each line begins, decoded and as it is, and whether nothing in it is encoded."""
        lines = _LINE.findall(self._raw) or [b""]
        decoded = list(map(self._decode, lines))
        # The last of the sums is no line's.
        starts, decoded_starts = (list(accumulate(map(len, some), initial=0)) for some in (lines, decoded))
        del starts[-1], decoded_starts[-1]
        return decoded_starts, starts, list(map(eq, decoded, lines))


_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


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
