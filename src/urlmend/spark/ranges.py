"""Ranges of an mbox: each message is in one range, and is read as it would be in the whole file.

The beginning of a range is a guess, as in `urlmend.parallel`, and nothing is known there of what stands before. So each
range is measured. Then the ranges are visited in order, and one that does not begin where the one before it ended is
measured again. Ranges of a zip and of a public-inbox need none of that: members and messages are files of their own.
"""

import logging
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

import pyarrow as pa

from urlmend.arrow import MAX_BYTES, MAX_ROWS, Unreadable
from urlmend.match import URLMatch
from urlmend.output.arrow import SCHEMA, Gathering, Kept, Limits, match_columns, reject_columns
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import Origin, SourceError, Text, compression, iter_texts, mbox, recognise, texts_in
from urlmend.sources.containers import Expansion, Faults, Walk, zip_ranges
from urlmend.sources.mbox.reader import BEGINNING, MboxReader, Position
from urlmend.sources.public_inbox.inbox import InboxRange
from urlmend.sources.public_inbox.inbox import ranges as inbox_ranges
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.sources.recognise import container
from urlmend.sources.zip import Entry
from urlmend.spark.files import File, opened, opened_zip, seekable

_AT_ONCE = 1000
"""How many matches are handed on together."""


class Measure(NamedTuple):
    """What later ranges have to know of a range: it has so many *messages* and *lines*, from *start* to *reach*."""

    start: int
    reach: int
    messages: int
    lines: int


class Range(NamedTuple):
    """The messages of *file*, the *number*th, that begin from the offset *at* on and before *stop*; else all of it.

    The first of them is at *position*. Of a zip it is the members
    with these *entries*, of a public-inbox those *messages*, or the *fault* behind which git tells of none. *size* is
    how large ranges are to be.
    """

    file: File
    number: int
    at: int = 0
    stop: int = 0
    position: Position = BEGINNING
    measure: Measure | None = None
    entries: list[Entry] | None = None
    messages: InboxRange | None = None
    fault: str = ""
    size: int = 0

    @staticmethod
    def unpacked(batch: Any) -> "list[Range]":  # noqa: ANN401 -- Arrow has no types
        """Return the ranges in the column `range` of *batch*."""
        return [pickle.loads(packed) for packed in batch.column("range").to_pylist()]  # noqa: S301 -- our own


MAY_BE_MBOX = frozenset(["auto", "mbox"])
"""The sources of which a file may be read in ranges of bytes."""

WEB_ARCHIVES = frozenset(["warc", "arc"])
"""The sources of which files are one task each: there are many, and none has to be looked at before it is read."""


MAIL_SIZE = 1 << 12
"""How many bytes a message of a public-inbox takes, about; its ranges have so many messages that they are of a size."""


def _kind(source: str, file: File) -> str:
    """Return what *file* is that is read in ranges, if it is a *source*: `mbox`, `zip`; else `""`."""
    with opened(file) as reading:
        head = reading.read(CHUNK_SIZE)
    if container(head, whole=True) == "zip":
        return "zip"
    if compression.kind(head) or source not in MAY_BE_MBOX:
        return ""
    return "mbox" if source == "mbox" or recognise.recognise(head, whole=False) == "mbox" else ""


def measured(part: Range, source: str) -> Iterator[Any]:
    """Yield the row of *part* with its measure, as far as it can be known.

    What is no mbox has no measure: it has a row for its first part, or one for each range of a zip or a public-inbox,
    and none for the others.
    """
    kind = "inbox" if part.file.is_inbox else _kind(source, part.file)
    if kind == "mbox":
        yield _row(part._replace(measure=_measure(part)), part.at)
    elif not part.at:
        for at, one in enumerate(_of_zip(part) if kind == "zip" else _of_inbox(part) if kind else [part]):
            yield _row(one._replace(stop=0), at)


def _row(part: Range, at: int) -> Any:  # noqa: ANN401 -- Arrow has no types
    return pa.record_batch({"file": [part.number], "at": [at], "range": [pickle.dumps(part)]})


def _of_zip(part: Range) -> list[Range]:
    try:
        with opened_zip(part.file) as packed:
            found = [part._replace(entries=entries) for entries in zip_ranges(packed, part.size)]
    except SourceError:
        found = []  # the one that reads it will meet the same
    return found if len(found) > 1 else [part]


def _of_inbox(part: Range) -> Iterator[Range]:
    try:
        for messages in inbox_ranges(part.file.path, max(1, part.size // MAIL_SIZE)):
            yield part._replace(messages=messages)
    except SourceError as error:
        yield part._replace(fault=str(error))


def following(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield rows of the ranges in *batches*, each with what it has to know of those before it in its file."""
    number = -1
    position = BEGINNING
    for part in chain.from_iterable(map(Range.unpacked, batches)):
        if part.number != number:
            number, position = part.number, BEGINNING
        if not part.stop:
            yield pa.record_batch({"range": [pickle.dumps(part)]})
            continue
        if position.offset >= part.stop:
            continue  # a message that began before reaches so far
        found = part.measure
        if found is None or found.start != position.offset:
            found = _measure(part, position.offset)
        ready = part._replace(position=position, measure=None)
        yield pa.record_batch({"range": [pickle.dumps(ready)]})
        position = Position(position.number + found.messages, found.reach, position.line + found.lines)


def rows_of(parts: Iterable[Range], query: Query, *, rejects: bool = False) -> Iterator[Any]:
    """Yield batches with the rows of *parts*; with *rejects*, rows of rejected candidates too."""
    ready: list[Any] = []
    kept, limits = Kept([], SCHEMA), Limits(MAX_ROWS, MAX_BYTES)
    matches = Gathering(partial(match_columns, unwrap=query.unwrap), kept, ready, limits)
    refused = Gathering(reject_columns, kept, ready, limits)
    rejected = (lambda reject: refused.extend(0, [reject])) if rejects else None
    for part in parts:
        urls = _urls(part, query, rejected)
        while found := list(islice(urls, _AT_ONCE)):
            matches.extend(0, found)
            yield from ready
            ready.clear()
    matches.finish()
    refused.finish()
    yield from ready


def _measure(part: Range, start: int | None = None) -> Measure:
    """Return the measure of *part*. Its first message begins at *start*; if that is `None`, it is looked for."""
    if start is None and part.at:
        with seekable(part.file) as file:
            start = mbox.next_message(file, part.at)
        if start is None:
            return Measure(sys.maxsize, sys.maxsize, 0, 0)
    start = start or 0
    with opened(part.file, start) as file:
        window = mbox.opened(file, Position(1, start, 1))
        for _, texts in mbox.messages(window, part.file.name, part.stop):
            for _ in texts:
                pass
        return Measure(start, window.offset, window.number, window.line - 1)


def _texts(window: MboxReader, part: Range, query: Query) -> Iterator[Text]:
    prefilter = ordinary.prefilter(query)
    return chain.from_iterable(texts for _, texts in mbox.messages(window, part.file.name, part.stop, prefilter))


def _urls(part: Range, query: Query, rejected: Callable[[Any], None] | None) -> Iterator[URLMatch]:
    """Yield the URLs in *part*. The fault of a broken file goes to *rejected* and to the log."""
    with _opened_texts(part, query) as texts:
        try:
            yield from chain.from_iterable(match_batches(texts, query, rejected))
        except SourceError as error:
            logging.getLogger(__name__).warning("%s: %s", part.file.name, error)
            if rejected:
                rejected(Unreadable(str(error), Origin(part.file.name)))


@contextmanager
def _opened_texts(part: Range, query: Query) -> Iterator[Iterator[Text]]:
    prefilter = ordinary.prefilter(query)
    source = query.source_name
    if part.fault:
        yield _raising(part.fault)
        return
    if part.entries is not None:
        faults = Faults()
        with opened_zip(part.file) as packed:
            # Nobody knows what comes out of the other ranges: each may expand by itself.
            expansion = Expansion(None, sum(entry.packed for entry in part.entries))
            walk = Walk(source, faults.warn, expansion, as_text=False)
            files = walk.entries(part.file.name, packed, part.entries)
            yield texts_in(files, source, faults, prefilter)
        return
    with opened(part.file, part.position.offset, part.messages) as file:
        if part.stop:
            yield _texts(mbox.opened(file, part.position), part, query)
        else:
            yield iter_texts(file, source, prefilter=prefilter)


def _raising(fault: str) -> Iterator[Text]:
    raise SourceError(fault)
    yield
