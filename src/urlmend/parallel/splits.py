"""Parts of files, and where a file may be parted.

A place is only likely to be one where nothing goes across: that is seen when the part before it has been read, and what
was read wrong behind it is read again (`urlmend.parallel`).
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from urlmend.scan.delimiters import LOOKBACK
from urlmend.scan.triggers import TRIGGER_REACH
from urlmend.sources import compression, recognise, text
from urlmend.sources.reader import CHUNK_SIZE

PART_SIZE = 1 << 21
"""How many bytes a part has, about: 20 to 50 ms of work, beside which what it costs to hand one over is nothing."""

_CONTEXT = LOOKBACK + TRIGGER_REACH
_AROUND = 1 << 16


class Part(NamedTuple):
    """A part of the file at *path*, which its matches call *name*: what begins from the offset *at* on, before *stop*.

    Of a *split* file, the text from *context* on, a line's start, is there to be looked back at, and *taken* is the end
    of the last match before; a file that is not split is read as `iter_texts` does.
    """

    path: str
    name: str
    source: str
    split: bool = False
    at: int = 0
    stop: int = sys.maxsize
    context: int = 0
    taken: int = 0

    def __str__(self) -> str:
        stop = "the end" if self.stop == sys.maxsize else f"byte {self.stop}"
        return f"byte {self.at} to {stop}"


def parts(path: str, name: str, source: str, size: int = PART_SIZE) -> Iterator[Part]:
    """Yield the parts of the file at *path*, of some *size*; one where it cannot be read or split.

    Texts are split at lines, mboxes at messages.
    """
    whole = Part(path, name, source)
    try:
        with Path(path).open("rb") as file:
            kind, begin = _kind(file.read(max(CHUNK_SIZE, compression.MAGIC_SIZE)), source)
            if kind is None:
                yield whole
                return
            part = Part(path, name, kind, split=True, at=begin, context=begin)
            places = _lines(file, begin, size) if kind == "text" else _messages(file, size)
            for place, context in places:
                yield part._replace(stop=place)
                part = part._replace(at=place, context=context)
    except OSError:
        # The one that reads it will meet the same.
        yield whole
        return
    yield part


def _kind(head: bytes, source: str) -> tuple[str | None, int]:
    """Return as what a file that begins with *head* may be split, `None` for not at all, and where its text begins."""
    if compression.kind(head):
        return None, 0
    kind = recognise.recognise(head, whole=False) if source == "auto" else source
    if kind == "mbox":
        return kind, 0
    if kind == "text" and (first := next(iter(text.texts(io.BytesIO(head))), None)) and first.places is None:
        return kind, first.offset
    return None, 0


def _lines(file: BinaryIO, begin: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield places where lines begin, behind blank lines if there are any, each with where its context begins."""
    target = begin + size
    while True:
        start = max(begin, target - _AROUND)
        file.seek(start)
        data = file.read(target - start + _AROUND)
        if len(data) <= target - start:
            return
        place = _line(data, target - start)
        context = data.rfind(b"\n", 0, max(0, place - _CONTEXT)) + 1
        if place and (context or start == begin):
            yield start + place, start + context
            target = start + place + size
        else:
            target += _AROUND


def _line(data: bytes, target: int) -> int:
    """Return where in *data* a line begins, from *target* on, 0 for nowhere."""
    for blank in (b"\n\n", b"\n\r\n", b"\n"):
        found = data.find(blank, target)
        if 0 <= found < len(data) - len(blank):
            return found + len(blank)
    return 0


def _messages(file: BinaryIO, size: int) -> Iterator[tuple[int, int]]:
    """Yield places where messages seem to begin, each twice: they have no context."""
    from urlmend.sources.mbox import next_message  # noqa: PLC0415 -- plain text needs nothing of mail

    place = 0
    while (found := next_message(file, place + size + 1)) is not None:
        yield found, found
        place = found
