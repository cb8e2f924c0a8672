"""Ranges of files: each is read by one task, and gives what reading the whole file gives there.

One task finds the ranges of a large file: the messages of a public-inbox or an mbox, and parts of a text. It counts
messages and lines, without decoding them, so that every range knows its numbers. Any other file is one range.
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from urlmend.arrow import batches_of
from urlmend.match import URLMatch
from urlmend.parallel.splits import Part, found_in, offset_of, parts
from urlmend.query import Query
from urlmend.reading import FileReader, Job
from urlmend.sources import SourceError
from urlmend.sources.directories import opened_path
from urlmend.sources.public_inbox import InboxRange, ranges as inbox_ranges
from urlmend.spark.files import InputFile, opened

WEB_ARCHIVES = frozenset(["warc", "arc"])
"""The sources whose files are one task each: they are many, and need not be opened before they are read."""

MAIL_SIZE = 1 << 12
"""The approximate size of a message in a public-inbox, in bytes: its ranges are numbers of messages."""


class Range(NamedTuple):
    """All of *file*, or a *part* of it."""

    file: InputFile
    part: Part = None


def ranges_of(numbers: Iterable[Any], tasks: Sequence[list[InputFile]], size: int, query: Query) -> Iterator[Any]:
    """Yield rows with the ranges, of about *size* bytes each, of the files in the *tasks* with these *numbers*."""
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            for part in chain.from_iterable(_ranges(file, size, query) for file in tasks[number]):
                yield pa.record_batch({"range": [pickle.dumps(part)]})


def _ranges(file: InputFile, size: int, query: Query) -> Iterator[Range]:
    try:
        if file.size <= 2 * size or query.source in WEB_ARCHIVES:
            yield Range(file)
        elif file.is_inbox:
            yield from [Range(file, part) for part in inbox_ranges(file.path, size // MAIL_SIZE or 1)]
        else:
            with opened(file) as content:
                yield from (Range(file, part) for part, _ in parts(content, file.size, query, size))
    except SourceError:
        yield Range(file)  # the task that reads the file reports it


def unpacked(batches: Iterable[Any]) -> Iterator[Range]:
    """Yield the ranges in *batches*."""
    for batch in batches:
        for packed in batch.column("range").to_pylist():
            yield pickle.loads(packed)  # noqa: S301 -- packed here


def rows_of(ranges: Iterable[Range], job: Job) -> Iterator[Any]:
    """Yield batches with the rows of *ranges*, as `urlmend.arrow.batches_of` does."""
    rows = ((0, each.file, partial(_found, each)) for each in ranges)
    return batches_of(rows, job, pa.record_batch([], names=[]))


def _found(of: Range, reading: FileReader) -> Iterator[list[URLMatch]]:
    """Yield the matches in a range."""
    file, part = of
    inside = part if isinstance(part, InboxRange) else None
    with opened_path(file.path, inside) if file.is_inbox else opened(file, offset_of(part)) as content:
        content.name = file.name
        yield from found_in(part, content, reading)
