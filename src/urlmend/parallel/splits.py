"""Parts of files, and where a file may be parted.

Nothing is likely to go across such a place. Whether nothing does shows when the split before it has been read, and what
was read wrong behind it is read again (`urlmend.parallel`).
"""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from urlmend.scan.triggers import TRIGGER_REACH
from urlmend.sources import SourceError, compression, recognise, text
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.sources.recognise import container, not_text
from urlmend.text.limits import LOOKBACK

if TYPE_CHECKING:
    from urlmend.sources.public_inbox import InboxRange
    from urlmend.sources.tar import TarRange
    from urlmend.sources.zip import Entry

SPLIT_SIZE = 1 << 21
"""How many bytes a split has, about: 20 to 50 ms of work, beside which what it costs to hand one over is nothing."""

RANGE_SIZE = 1000
"""How many messages of a public-inbox are a split: some 2 MB, beside which it costs little to start git."""

_PACKED = 4
"""How many times as much comes out of a zip, about."""

_CONTEXT = LOOKBACK + TRIGGER_REACH
_AROUND = 1 << 16


class Split(NamedTuple):
    """A split of the file at *path*, which its matches call *name*: what begins from the offset *at* on, before *stop*.

    Of a *split* file, the text from *context* on, a line's start, is there to be looked back at, and *last_end* is the
    end of the last match before; a file that is not split is one whole, read as `iter_texts` reads it.

    Or it is the members of a zip with these *entries*, or of a *tar* in this range, *before* which so many bytes came
    out of the whole, or these *messages* of a public-inbox.
    """

    path: str
    name: str
    source: str
    is_split: bool = False
    at: int = 0
    stop: int = sys.maxsize
    context: int = 0
    last_end: int = 0
    entries: "list[Entry] | None" = None
    tar: "TarRange | None" = None
    before: int = 0
    messages: "InboxRange | None" = None

    def __str__(self) -> str:
        stop = "the end" if self.stop == sys.maxsize else f"byte {self.stop}"
        return f"byte {self.at} to {stop}"


def splits(path: str, name: str, source: str, size: int = SPLIT_SIZE) -> Iterator[Split]:
    """Yield the splits of the file at *path*, of some *size*; one where it cannot be read or split.

    Texts are split at lines, mboxes at messages, zips and tars at members.
    """
    whole = Split(path, name, source)
    try:
        with Path(path).open("rb") as file:
            head = file.read(max(CHUNK_SIZE, compression.MAGIC_SIZE))
            if (kept := container(head, whole=True)) == "tar":
                from urlmend.sources.tar import ranges  # noqa: PLC0415 -- few files are one

                yield from (whole._replace(tar=part) for part in ranges(file, size))
                return
            if kept == "zip" and hasattr(os, "pread"):
                yield from _members(file, whole, size // _PACKED)
                return
            kind, begin = _kind(head, source)
            if kind is None:
                yield whole
                return
            split = Split(path, name, kind, is_split=True, at=begin, context=begin)
            places = _lines(file, begin, size) if kind == "text" else _messages(file, size)
            for place, context in places:
                yield split._replace(stop=place)
                split = split._replace(at=place, context=context)
    except OSError:
        # The one that reads it will meet the same.
        yield whole
        return
    yield split


def _members(file: BinaryIO, whole: Split, size: int) -> Iterator[Split]:
    from urlmend.sources.containers import zip_ranges  # noqa: PLC0415 -- few files are one
    from urlmend.sources.zip import on_disk  # noqa: PLC0415 -- as above

    try:
        found = list(zip_ranges(on_disk(file.fileno()), size))
    except SourceError:
        found = []  # the one that reads it will meet the same
    if len(found) <= 1:
        yield whole
        return
    yield from (whole._replace(entries=entries) for entries in found)


def inbox_splits(path: str, name: str, source: str) -> Iterator[Split]:
    """Yield the splits of the public-inbox at *path*; `SourceError` where git cannot read it."""
    from urlmend.sources.public_inbox import ranges  # noqa: PLC0415 -- as above

    for messages in ranges(path, RANGE_SIZE):
        yield Split(path, name, source, messages=messages)


def _kind(head: bytes, source: str) -> tuple[str | None, int]:
    """Return as what a file that begins with *head* may be split, `None` for not at all, and where its text begins."""
    if compression.kind(head) or container(head, whole=True):
        return None, 0
    kind = recognise.recognise(head, whole=False) if source == "auto" else source
    if kind == "mbox":
        return kind, 0
    if (
        kind == "text"
        and (source != "auto" or not not_text(head, whole=True))
        and (first := next(iter(text.texts(io.BytesIO(head))), None))
        and first.places is None
    ):
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
