"""JSON lines (https://jsonlines.org): a value in each line."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import Any

from urlmend.sources.json import MAX_SIZE, loads
from urlmend.sources.json.strings import Source, texts_of
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.reader import CHUNK_SIZE


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the strings of each line of *fileobj*; *prefilter* is as in `iter_texts`.

    `Origin.message` is the number of the value, from 1, `offset` where its line begins, and `part` the path of a
    string's keys (RFC 6901). A line that is no JSON, or longer than MAX_SIZE, is read as text.
    """
    lines = _Lines(fileobj)
    for source, whole in _lines(fileobj):
        yield from lines.texts(source, prefilter, whole=whole)
    lines.tell()


class _Lines:
    """The lines of *file*, and those of them that are no JSON."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401 -- any object with read(n)
        self._name = source_name(file)
        self._defects: dict[str, None] = getattr(file, "defects", {})
        self._tell: Callable[[str], object] | None = getattr(file, "report", None)
        self._number = 0
        self._wrong: list[int] = []  # the first line that is no JSON
        self._count = 0  # how many are none
        self._begun: Origin | None = None  # of a line that is read as text in pieces

    def texts(self, source: Source, prefilter: Prefilter | None, *, whole: bool) -> Iterator[Text]:
        """Yield the texts of the line *source*, or of what is next of it, up to its end if it is *whole*."""
        if not source.offset and source.data.startswith(BOM_UTF8):
            source = Source(source.data[len(BOM_UTF8) :], len(BOM_UTF8), 1)
        data = source.data
        if self._begun is None:
            if not data.strip():
                return
            self._number += 1
            try:
                value = loads(data)  # a piece is too long
            except ValueError:
                self._count += 1
                self._wrong = self._wrong or [source.line]
                self._begun = self._origin(None, source.offset, {"no JSON, or too long: read as text": None})
            else:
                yield from texts_of(
                    value, source, lambda path: self._origin(path, source.offset, self._defects), prefilter
                )
                return
        yield Text(data, self._begun, source.offset, source.line)
        if whole:
            self._begun = None

    def _origin(self, path: str | None, offset: int, defects: dict[str, None]) -> Origin:
        made = Origin(self._name, self._number, path)
        made.offset = offset
        made.noted = defects
        return made

    def tell(self) -> None:
        """Tell of the lines that are no JSON."""
        if not self._wrong:
            return
        others = f" and {self._count - 1} more are" if self._count > 1 else " is"
        reason = f"line {self._wrong[0]}{others} read as text: no JSON, or longer than {MAX_SIZE} bytes"
        self._defects[reason] = None
        if self._tell is not None:
            self._tell(reason)


def _lines(fileobj: Any) -> Iterator[tuple[Source, bool]]:  # noqa: ANN401 -- any object with read(n)
    """Yield the lines of *fileobj*, in pieces where one is longer than MAX_SIZE, each with whether its line ends."""
    offset, line = 0, 1
    held = b""
    while data := fileobj.read(CHUNK_SIZE):
        if isinstance(data, str):
            message = "JSON lines are read from a binary file"
            raise TypeError(message)
        end = data.find(b"\n") + 1
        if not end:
            held += data
            if len(held) > MAX_SIZE:
                yield Source(held, offset, line), False
                offset, held = offset + len(held), b""
            continue
        piece = held + data[:end]
        yield Source(piece, offset, line), True
        offset, line = offset + len(piece), line + 1
        while following := data.find(b"\n", end) + 1:
            yield Source(data[end:following], offset, line), True
            offset, line = offset + following - end, line + 1
            end = following
        held = data[end:]
    if held:
        yield Source(held, offset, line), True
