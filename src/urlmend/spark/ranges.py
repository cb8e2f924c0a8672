"""Ranges of large files: each is read by one task, and gives what reading the whole file gives there.

One task finds the ranges of a file: the members of a zip, the messages of a public-inbox or an mbox. It counts the
messages and lines of the mbox, without decoding them, so that every range knows its numbers.
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
from urlmend.sources.mbox import MessageRange
from urlmend.sources.public_inbox import Inbox, InboxRange
from urlmend.sources.public_inbox import ranges as inbox_ranges
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.spark.files import File, opened

WEB_ARCHIVES = frozenset(["warc", "arc"])
"""The sources whose files are one task each: they are many, and need not be opened before they are read."""

MAIL_SIZE = 1 << 12
"""The approximate size of a message in a public-inbox, in bytes: its ranges are numbers of messages."""


class Range(NamedTuple):
    """All of *file*, or a part: these *letters* of an mbox, *entries* of a zip or *messages* of a public-inbox."""

    file: File
    letters: MessageRange | None = None
    entries: list[Entry] | None = None
    messages: InboxRange | None = None


def ranges_of(file: File, size: int, source: str) -> Iterator[Any]:
    """Yield rows with the ranges of *file*, of about *size* bytes each."""
    for part in _ranges(file, size, source):
        yield pa.record_batch({"range": [pickle.dumps(part)]})


def _ranges(file: File, size: int, source: str) -> Iterator[Range]:
    try:
        if file.is_inbox:
            yield from [Range(file, messages=part) for part in inbox_ranges(file.path, size // MAIL_SIZE or 1)]
            return
        with opened(file) as content:
            head = content.read(CHUNK_SIZE)
            kind = compression.kind(head) or recognise.kind_of(head, whole=False, source=source)
            content.seek(0)
            if kind == "zip":
                members = list(zip_ranges(content, size))
                yield from [Range(file, entries=some) for some in members] if members[1:] else [Range(file)]
            elif kind == "mbox":
                yield from (Range(file, letters) for letters in mbox.ranges(content, file.size, size))
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


def _texts(part: Range, job: Job) -> Iterator[Text]:
    """Yield the texts in *part*."""
    prefilter = job.prefilter
    source = job.query.source_name
    if part.file.is_inbox:
        with Inbox(part.file.path, part.messages and [part.messages]) as inbox:
            inbox.name = part.file.name
            yield from iter_texts(inbox, source, prefilter=prefilter)
        return
    with opened(part.file, part.letters.begin.offset if part.letters else 0) as file:
        if part.letters:
            reader = mbox.MboxReader(file, part.letters.begin)
            yield from chain.from_iterable(mbox.messages(reader, file.name, part.letters.stop, prefilter))
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
