"""Dividing files into splits: ranges of texts and mboxes, members of zips, messages of public-inboxes."""

import io
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from urlmend.scan.triggers import TRIGGER_REACH
from urlmend.sources import SourceError, compression, containers, recognise, text
from urlmend.sources.directories import size_of
from urlmend.sources.mbox import MESSAGE_START, next_message
from urlmend.sources.places import count_line_ends
from urlmend.sources.reader import CHUNK_SIZE, MAX_LINE
from urlmend.sources.recognise import container, not_text
from urlmend.text.limits import LOOKBACK

if TYPE_CHECKING:
    from urlmend.sources.archives import Entry
    from urlmend.sources.public_inbox import InboxRange

SPLIT_SIZE = 1 << 21
"""The size of a split in bytes, about: reading one takes 20 to 50 ms, and handing it over far less."""

MESSAGES = 1000
"""How many messages of a public-inbox are one split: about 2 MB, which take far longer than git takes to start."""

_PACKED = 4
"""How many times as large the contents of a zip are, about."""

_CONTEXT = LOOKBACK + TRIGGER_REACH
_AROUND = 1 << 16
_COUNTED_AT_ONCE = 1 << 20


class Range(NamedTuple):
    """The bytes of a text or mbox from the offset *at* to *stop*.

    *line* is the line at its start, and *message* the number of its first message, from 1, as counted before anything
    was read: *hidden* of the messages counted were text of other messages. Of a text, the bytes from *context* on, the
    start of a line, are context only, and *last_end* is the end of the last match before the range.
    """

    at: int = 0
    stop: int = sys.maxsize
    line: int = 1
    message: int = 1
    hidden: int = 0
    context: int = 0
    last_end: int = 0


class Split(NamedTuple):
    """A *part* of the *number*th file, which is at *path* and has *size* bytes; without a part, the whole file.

    A list of entries is a part of a zip. *before* is the number of bytes that the parts before this one in a container
    expanded to. If a split is not *shared*, as standard input, which has no path, only the main process can read it.
    *error* ends a file that cannot be divided any further.
    """

    number: int
    path: str
    source: str
    size: int = 0
    part: "Range | list[Entry] | InboxRange | None" = None
    before: int = 0
    shared: bool = True
    error: OSError | None = None

    def __str__(self) -> str:
        part = self.part if isinstance(self.part, Range) else Range()
        stop = "the end" if part.stop == sys.maxsize else f"byte {part.stop}"
        return f"byte {part.at} to {stop}"


Task = list[Split]
"""What a process reads in one go: a split of a file, or small files together."""


def tasks(paths: Iterable[str | None], source: str, *, numbered: bool) -> Iterator[Task]:
    """Yield the tasks for the files at *paths*; `None` is standard input.

    If matches are to be *numbered*, the lines and messages before each range are counted.
    """
    splits = _splits(paths, source, numbered=numbered)
    for is_alone, some in groupby(splits, key=lambda split: split.part is not None or not split.shared):
        if is_alone:
            yield from ([split] for split in some)
        else:
            yield from containers.batches(some, SPLIT_SIZE, attrgetter("size"))


def _splits(paths: Iterable[str | None], source: str, *, numbered: bool) -> Iterator[Split]:
    number = 0
    try:
        for number, path in enumerate(paths):
            size = None if path is None else size_of(path)
            whole = Split(number, path or "", source, size or 0, shared=size is not None)
            if not whole.shared or whole.size < 2 * SPLIT_SIZE:
                yield whole
            else:
                yield from divided(whole, numbered=numbered)
    except OSError as error:
        yield Split(number + 1, "", source, error=error)  # a directory cannot be read


def divided(whole: Split, *, numbered: bool) -> Iterator[Split]:
    """Yield the splits of a large file: only itself if it cannot be divided."""
    path = Path(whole.path)
    if path.is_dir():
        yield from _of_inbox(whole)
        return
    try:
        with path.open("rb") as file:
            head = file.read(max(CHUNK_SIZE, compression.MAGIC_SIZE))
            packed = container(head, whole=True)
            if packed == "zip":
                yield from _of_zip(whole, file)
            elif not packed and (found := _text_or_mbox(head, whole.source)):
                kind, begin = found
                for part in _ranges(file, kind, begin, numbered=numbered):
                    yield whole._replace(source=kind, part=part)
            else:
                yield whole
    except OSError:
        yield whole  # the process that opens it says why


def _of_inbox(whole: Split) -> Iterator[Split]:
    from urlmend.sources.public_inbox import ranges  # noqa: PLC0415 -- as above

    try:
        yield from (whole._replace(part=messages) for messages in ranges(whole.path, MESSAGES))
    except SourceError as error:
        yield whole._replace(error=error)


def _of_zip(whole: Split, file: BinaryIO) -> Iterator[Split]:
    try:
        parts = list(containers.zip_ranges(file, SPLIT_SIZE // _PACKED))
    except SourceError:
        parts = []  # the process that reads it says why
    yield from (whole._replace(part=part) for part in parts) if len(parts) > 1 else [whole]


def _text_or_mbox(head: bytes, source: str) -> tuple[str, int] | None:
    """Return whether the file that begins with *head* is a text or an mbox, and where its text begins, if it is one."""
    if compression.kind(head):
        return None
    kind = recognise.recognise(head, whole=False) if source == "auto" else source
    if kind == "mbox":
        return kind, 0
    if kind == "text" and (source != "auto" or not not_text(head, whole=True)):
        first = next(iter(text.texts(io.BytesIO(head))), None)
        if first and first.places is None:
            return kind, first.offset
    return None


def _ranges(file: BinaryIO, kind: str, begin: int, *, numbered: bool) -> Iterator[Range]:
    part = Range(begin, context=begin)
    for stop, context in _lines(file, begin) if kind == "text" else _messages(file):
        yield part._replace(stop=stop)
        lines, messages = counted(file, part.at, stop, kind) if numbered else (0, 0)
        part = Range(stop, line=part.line + lines, message=part.message + messages, context=context)
    yield part


def _lines(file: BinaryIO, begin: int) -> Iterator[tuple[int, int]]:
    """Yield places where lines begin, and where the context of each begins."""
    target = begin + SPLIT_SIZE
    while True:
        start = max(begin, target - _AROUND)
        file.seek(start)
        data = file.read(target - start + _AROUND)
        if len(data) <= target - start:
            return
        place = data.find(b"\n", target - start) + 1
        context = data.rfind(b"\n", 0, max(0, place - _CONTEXT)) + 1
        if 0 < place < len(data) and (context or start == begin):
            yield start + place, start + context
            target = start + place + SPLIT_SIZE
        else:
            target += _AROUND


def _messages(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yield places where messages seem to begin. Each is its own context: messages have none."""
    place = 0
    while (found := next_message(file, place + SPLIT_SIZE + 1)) is not None:
        yield found, found
        place = found


def counted(file: BinaryIO, start: int, stop: int, kind: str) -> tuple[int, int]:
    """Return how many lines end from *start* to *stop*, and how many messages of an mbox seem to begin in between."""
    lines = messages = 0
    while start < stop:
        file.seek(start)
        size = min(_COUNTED_AT_ONCE, stop - start)
        data = file.read(size + MAX_LINE)
        lines += count_line_ends(data, 0, size)
        if kind == "mbox":
            messages += sum(1 for found in MESSAGE_START.finditer(data) if found.start() < size)
        start += size
    return lines, messages
