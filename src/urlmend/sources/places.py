"""Where text that was decoded stands in its file."""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

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


class Layer(Protocol):
    """One step of decoding, looked at backwards."""

    def back(self, index: int) -> tuple[int, bool]:
        """Return what the decoded *index* is in what was decoded, and whether that is exact."""


class Removed:
    """A step that took stretches out: *at* has where in its result, ascending, *sizes* how much was taken out there."""

    def __init__(self, at: Sequence[int], sizes: Sequence[int]) -> None:
        self._at = at
        self._shifts = [0]
        for size in sizes:
            self._shifts.append(self._shifts[-1] + size)

    def back(self, index: int) -> tuple[int, bool]:
        """Return where *index* was before: behind what was taken out right there."""
        return index + self._shifts[bisect_right(self._at, index)], True


class Encoded:
    """A step from bytes to *text*, in *charset*."""

    def __init__(self, text: str, charset: str) -> None:
        self._text = text
        self._charset = charset

    def back(self, index: int) -> tuple[int, bool]:
        """Return how many bytes stand before the character *index*."""
        try:
            return len(self._text[:index].encode(self._charset)), True
        except UnicodeError:
            return index, False

    def width(self, index: int) -> int:
        """Return how many bytes the character *index* takes."""
        try:
            return len(self._text[index : index + 1].encode(self._charset))
        except UnicodeError:
            return 1


class ByLine:
    """A step that decodes each line of *raw* for itself, with *decode*, to bytes."""

    def __init__(self, raw: bytes, decode: Callable[[bytes], bytes]) -> None:
        self._raw = raw
        self._decode = decode
        self._table: tuple[list[int], list[int], list[bool]] | None = None

    def back(self, index: int) -> tuple[int, bool]:
        """Return where *index* stands: exactly in a line in which nothing is encoded, else at the line's start."""
        if self._table is None:
            decoded_starts, starts, plain = [], [], []
            decoded_start = start = 0
            for octets in self._raw.splitlines(keepends=True):
                decoded_starts.append(decoded_start)
                starts.append(start)
                decoded = self._decode(octets)
                plain.append(decoded == octets)
                decoded_start += len(decoded)
                start += len(octets)
            self._table = decoded_starts, starts, plain
        decoded_starts, starts, plain = self._table
        line = max(0, bisect_right(decoded_starts, index) - 1)
        if not starts or not plain[line]:
            return starts[line] if starts else 0, False
        return starts[line] + index - decoded_starts[line], True


class Base64:
    """A step that decodes *raw*, of which *before* characters of the alphabet were left over from earlier."""

    def __init__(self, raw: bytes, before: int, keep: Callable[[bytes], bytes]) -> None:
        self._raw = raw
        self._before = before
        self._keep = keep

    def back(self, index: int) -> tuple[int, bool]:
        """Return the start of the line in which the octet *index* is encoded."""
        wanted = index * 4 // 3 - self._before
        start = 0
        for line in self._raw.splitlines(keepends=True):
            wanted -= len(self._keep(line))
            if wanted < 0:
                break
            start += len(line)
        return min(start, max(0, len(self._raw) - 1)), False


class Piece(NamedTuple):
    """Bytes of a file: *raw* begins at *offset* and at the start of *line*; *layers* made text of it, in this order.

    Its lines end with *newline*.
    """

    raw: bytes
    offset: int
    line: int
    layers: tuple[Layer, ...] = ()
    newline: bytes = b"\n"

    def back(self, index: int) -> tuple[int, int, bool]:
        """Return where in `raw` the character *index* of the text stands, how wide it is, and whether that is exact."""
        exact, width = True, 1
        for layer in reversed(self.layers):
            if isinstance(layer, Encoded):
                width = layer.width(index)
            index, exactly = layer.back(index)
            exact = exact and exactly
        return index, width, exact


class Places:
    """The places of a text's pieces: each is added before its text is read. With *keep_all*, none is forgotten."""

    def __init__(self, *, keep_all: bool = False) -> None:
        self._keep_all = keep_all
        self._pieces: deque[tuple[int, Piece]] = deque()
        self._size = 0
        self._counted: tuple[Piece | None, int, int] = (None, 0, 1)  # lines are counted up to here

    def add(self, size: int, piece: Piece) -> None:
        """Take the next piece, of *size* characters."""
        self._pieces.append((self._size, piece))
        self._size += size
        while not self._keep_all and len(self._pieces) > 1 and self._pieces[1][0] < self._size - REMEMBERED - size:
            self._pieces.popleft()

    def locate(self, start: int, end: int) -> Place:
        """Return where the characters *start* to *end* of the text stand in the file."""
        piece, first, _, exact = self._back(start)
        # The last character's place, not the next one's: that may be behind something left out.
        last_piece, last, width, last_exact = self._back(max(start, end - 1))
        newline = piece.newline
        start_of_line = piece.raw.rfind(newline, 0, first) + 1
        start_of_line += len(newline) - 1 if start_of_line else 0
        if exact and last_exact:
            stop = last + width
        else:
            first = start_of_line
            stop = last_piece.raw.find(newline, last)
            stop = len(last_piece.raw) if stop < 0 else stop
        column = first - start_of_line + 1
        line = self._line(piece, first)
        return Place(piece.offset + first, last_piece.offset + stop, line, column, exact and last_exact)

    def _line(self, piece: Piece, index: int) -> int:
        """Return the line of *index* in *piece*, counted from where it was asked for last."""
        known, start, line = self._counted
        if known is not piece or index < start:
            start, line = 0, piece.line
        line += piece.raw.count(piece.newline, start, index)
        self._counted = piece, index, line
        return line

    def _back(self, index: int) -> tuple[Piece, int, int, bool]:
        number = max(0, bisect_right(self._pieces, index, key=lambda item: item[0]) - 1)
        start, piece = self._pieces[number]
        return (piece, *piece.back(index - start))
