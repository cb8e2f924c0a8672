"""Ranges of files: each is read by one task, and gives what reading the whole file gives there.

One task finds the ranges of a large file: the messages of a public-inbox or an mbox. It counts the messages and lines
of the mbox, without decoding them, so that every range knows its numbers. Any other file is one range.
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from urlmend.arrow import batches_of
from urlmend.reading import Job
from urlmend.sources import SourceError, Text, compression, iter_texts, mbox, recognise
from urlmend.sources.mbox import MessageRange
from urlmend.sources.public_inbox import Inbox, InboxRange, ranges as inbox_ranges
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.spark.files import InputFile, opened

WEB_ARCHIVES = frozenset(["warc", "arc"])
"""The sources whose files are one task each: they are many, and need not be opened before they are read."""

MAIL_SIZE = 1 << 12
"""The approximate size of a message in a public-inbox, in bytes: its ranges are numbers of messages."""


class Range(NamedTuple):
    """All of *file*, or a *part*: some messages of an mbox or of a public-inbox."""

    file: InputFile
    part: MessageRange | InboxRange | None = None


def ranges_of(numbers: Iterable[Any], tasks: Sequence[list[InputFile]], size: int, source: str) -> Iterator[Any]:
    """Yield rows with the ranges, of about *size* bytes each, of the files in the *tasks* with these *numbers*."""
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            for part in chain.from_iterable(_ranges(file, size, source) for file in tasks[number]):
                yield pa.record_batch({"range": [pickle.dumps(part)]})


def _ranges(file: InputFile, size: int, source: str) -> Iterator[Range]:
    if file.size <= 2 * size or source in WEB_ARCHIVES:
        yield Range(file)
        return
    try:
        if file.is_inbox:
            yield from [Range(file, part) for part in inbox_ranges(file.path, size // MAIL_SIZE or 1)]
            return
        with opened(file) as content:
            head = content.read(CHUNK_SIZE)
            kind = compression.kind(head) or recognise.kind_of(head, whole=False, source=source)
            content.seek(0)
            if kind == "mbox":
                yield from (Range(file, part) for part in mbox.ranges(content, file.size, size))
            else:
                yield Range(file)
    except SourceError:
        yield Range(file)  # the task that reads the file reports it


def unpacked(batches: Iterable[Any]) -> Iterator[Range]:
    """Yield the ranges in *batches*."""
    for batch in batches:
        for packed in batch.column("range").to_pylist():
            yield pickle.loads(packed)  # noqa: S301 -- packed here


def rows_of(parts: Iterable[Range], job: Job) -> Iterator[Any]:
    """Yield batches with the rows of *parts*, as `urlmend.arrow.batches_of` does."""
    rows = ((0, part.file.name, _texts(part, job)) for part in parts)
    return batches_of(rows, job, pa.record_batch([], names=[]))


def _texts(of: Range, job: Job) -> Iterator[Text]:
    """Yield the texts of a range."""
    file, part = of
    if isinstance(part, MessageRange):
        with opened(file, part.begin.offset) as content:
            reader = mbox.MboxReader(content, part.begin)
            yield from chain.from_iterable(mbox.messages(reader, file.name, part.stop, job.prefilter))
        return
    with Inbox(file.path, part and [part]) if file.is_inbox else opened(file) as content:
        content.name = file.name
        yield from iter_texts(content, job.query.source_name, prefilter=job.prefilter)
