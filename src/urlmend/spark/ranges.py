"""Ranges of large files: each is read by one task, and gives what reading the whole file gives there.

The ranges of an mbox begin at messages. Where one begins is a guess, made where the range is read, and the number of
its first message depends on the ranges before. So the messages and lines of each range are counted first (`measured`),
without decoding them. Then the counts of a file are added up in order, and a range that does not begin where the one
before it ends is counted again (`numbered`). The members of a zip and the messages of a public-inbox need no counting.
"""

import pickle
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from urlmend.arrow import batches_of
from urlmend.reading import Job
from urlmend.sources import SourceError, Text, compression, iter_texts, mbox, recognise, texts_in
from urlmend.sources.archives import Entry, zip_members
from urlmend.sources.containers import Expansion, Faults, MemberReader, zip_ranges
from urlmend.sources.mbox import BEGINNING, Position
from urlmend.sources.public_inbox import Inbox, InboxRange
from urlmend.sources.public_inbox import ranges as inbox_ranges
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.spark.files import File, opened

MAY_BE_MBOX = frozenset(["auto", "mbox"])
"""The sources with which a file may be read in ranges of bytes."""

WEB_ARCHIVES = frozenset(["warc", "arc"])
"""The sources whose files are one task each: they are many, and need not be opened before they are read."""

MAIL_SIZE = 1 << 12
"""The approximate size of a message in a public-inbox, in bytes: its ranges are numbers of messages."""

_NONE = Position(offset=-1)
"""Where a range begins in which no message seems to."""


class Range(NamedTuple):
    """A part of *file*: all of it, if nothing else is given.

    Of an mbox, it is the messages that begin at *begin* or later and before the offset *stop*; the next range begins at
    *end*. Of a zip it is the members with these *entries*, of a public-inbox these *messages*.
    """

    file: File
    begin: Position = BEGINNING
    stop: int = 0
    end: Position = BEGINNING
    entries: list[Entry] | None = None
    messages: InboxRange | None = None


def measured(slice_of: tuple[int, Range], source: str) -> Iterator[Any]:
    """Yield rows with the ranges that begin in a slice of a file, given as the number of the file and its bytes.

    A file that is not an mbox has all its ranges in the first slice. Of an mbox there is one range, in which messages
    and lines are counted from 1 (`numbered`).
    """
    number, part = slice_of
    for at, found in enumerate(_ranges(part, source), part.begin.offset):
        yield pa.record_batch({"file": [number], "at": [at], "range": [pickle.dumps(found)]})


def _ranges(part: Range, source: str) -> list[Range]:
    file, start, size = part.file, part.begin.offset, part.stop - part.begin.offset
    whole = [] if start else [Range(file)]
    try:
        if file.is_inbox:
            return [Range(file, messages=messages) for messages in inbox_ranges(file.path, size // MAIL_SIZE or 1)]
        with opened(file) as content:
            head = content.read(CHUNK_SIZE)
            kind = compression.kind(head) or recognise.kind_of(head, whole=False, source=source)
            if kind == "zip":
                members = [] if start else list(zip_ranges(content, size))
                return [Range(file, entries=entries) for entries in members] if len(members) > 1 else whole
            if kind != "mbox":
                return whole
            begin = mbox.next_message(content, start) if start else 0
    except SourceError:
        return whole  # the task that reads the file reports it
    stop = min(part.stop, file.size)
    return [Range(file, _NONE, stop) if begin is None else _counted(Range(file, Position(offset=begin), stop))]


def _counted(part: Range) -> Range:
    """Return *part*, of an mbox, with its end."""
    with opened(part.file, part.begin.offset) as file:
        return part._replace(end=mbox.MboxReader(file, part.begin).position_from(part.stop))


def numbered(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield rows with the ranges in *batches*, those of an mbox with the true numbers of their messages and lines."""
    file, end = None, BEGINNING
    for part in unpacked(batches):
        ready = part
        if part.stop:
            if part.file != file:
                file, end = part.file, BEGINNING
            if end.offset >= part.stop:
                continue  # the last message before is longer than the range
            guessed = part.begin.offset == end.offset
            counted = part if guessed else _counted(part._replace(begin=Position(offset=end.offset)))
            ready = part._replace(begin=end)
            number, offset, line = counted.end
            end = Position(end.number + number - 1, offset, end.line + line - 1)
        yield pa.record_batch({"range": [pickle.dumps(ready)]})


def unpacked(batches: Iterable[Any]) -> Iterator[Range]:
    """Yield the ranges in *batches*."""
    for batch in batches:
        for packed in batch.column("range").to_pylist():
            yield pickle.loads(packed)  # noqa: S301 -- packed here


def rows_of(parts: Iterable[Range], job: Job) -> Iterator[Any]:
    """Yield batches with the rows of *parts*, as `urlmend.arrow.batches_of` does."""
    rows = ((0, part.file.name, _texts(part, job)) for part in parts)
    return batches_of(rows, job, pa.record_batch([], names=[]))


def _texts(part: Range, job: Job) -> Iterator[Text]:
    """Yield the texts in *part*."""
    prefilter = job.prefilter
    source = job.query.source_name
    if part.file.is_inbox:
        with Inbox(part.file.path, part.messages and [part.messages]) as inbox:
            inbox.name = part.file.name
            yield from iter_texts(inbox, source, prefilter=prefilter)
        return
    with opened(part.file, part.begin.offset) as file:
        if part.stop:
            reader = mbox.MboxReader(file, part.begin)
            yield from chain.from_iterable(mbox.messages(reader, file.name, part.stop, prefilter))
        elif part.entries is None:
            yield from iter_texts(file, source, prefilter=prefilter)
        else:
            faults = Faults()
            # The other ranges may be read elsewhere: each has bounds of its own.
            packed = sum(entry.packed for entry in part.entries)
            expansion = Expansion(lambda: packed)
            unpacked_files = MemberReader(source, faults.warn, expansion, as_text=False)
            files = unpacked_files.files_in(file.name, zip_members(file, part.entries, expansion.out))
            yield from texts_in(files, source, faults, prefilter)
