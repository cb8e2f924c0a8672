"""Dividing files into splits, and reading a split in any process.

A text is divided at the start of a line, where the end of the last URL before it is known; an mbox at the start of a
message; a public-inbox between two messages. So no split depends on another, and everything is read once.
"""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, BinaryIO, NamedTuple

from urlmend.match import Rejected, URLMatch
from urlmend.query import Query
from urlmend.reading import FileReader, Job, reason
from urlmend.scan.triggers import TRIGGER_REACH
from urlmend.selection import Key
from urlmend.sources import Origin, SourceError, mbox, text
from urlmend.sources.compression import CHUNK_SIZE, PeekableFile, Stamp, compression_of
from urlmend.sources.containers import Skipped, batches, remark
from urlmend.sources.directories import opened_path, size_of
from urlmend.sources.mbox import BEGINNING, MboxReader, MessageRange, Position, messages
from urlmend.sources.places import LineCounter
from urlmend.sources.public_inbox import Heads, InboxRange, News, ranges
from urlmend.sources.recognise import kind_of
from urlmend.stream import StreamPart, StreamScanner
from urlmend.text.limits import LOOKAHEAD, LOOKBACK, MAX_WRAPPER_SPAN

SPLIT_SIZE = 1 << 21
"""The size of a split in bytes, about: reading one takes 20 to 50 ms, and handing it over far less."""

MESSAGES = 1000
"""How many messages of a public-inbox are one split: about 2 MB, which take far longer than git takes to start."""

MOST_MATCHES = 4096
"""How many matches of an undivided file make a piece."""

PIECE_SIZE = 1 << 21
"""How many bytes of such a file, or of an mbox for a database, make a piece, even with fewer matches: for progress."""

MOST_UNDIVIDED = 1 << 24
"""If a text cannot be divided in this many bytes, its rest is one split: it has no lines, or all are very long."""

_WINDOW = 1 << 13
"""How many bytes are searched at once for a line end at which to divide a text, and are looked at beyond it."""

_CONTEXT = LOOKBACK + TRIGGER_REACH
"""How many bytes before a split the scanner looks back at."""

_SPAN = MAX_WRAPPER_SPAN + LOOKAHEAD
"""How many bytes a candidate may take up, with the text it is judged by. The scanner begins that far before a cut, to
see what reaches it. Nothing that began earlier does, unless a run without a blank is longer than a wrapper.
"""

_BLANK = re.compile(rb"\s")

_LINE_END = 8
"""More bytes than a line end has, in any charset."""

CHANGED = "changed while it was read"
"""What is reported of a file that has done more than grow. It is not broken: it can be read again."""


Part = StreamPart | MessageRange | InboxRange | None
"""A part of a file; `None` is all of it."""


class Split(NamedTuple):
    """A *part* of the *number*th file, which is at *path*. It has *size* bytes.

    What only the main process can read has no path. *divided* is the status of the file that was divided. *error* ends
    a file that cannot be divided further.
    """

    number: int
    path: str | None
    size: int = 0
    part: Part = None
    divided: os.stat_result | None = None
    error: OSError | None = None


Task = list[Split]
"""What a process reads in one go: a split of a file, or small files together."""


@dataclass
class Piece:
    """Results of a split of the *number*th file, up to now: *matches*, or what the job makes of them.

    *undated* has the keys of messages that were left out because they have no readable date. *bytes_read* is how much
    was read for it. *name* is that of the file, or of the *member*th member of a container; `member` is 1 for the file
    itself, and 0 before any of it is read; a member has a *stamp*. *skipped* are the files skipped before it. *unsure*
    is how many matches were left out for their confidence. *error* ends the file with this name.

    In an mbox, *position* is that of the last message that was begun, if any was, or of one before whose end may move.
    If it *begins* at a position in an mbox, or at heads of a public-inbox, the messages before that are complete, and
    those of this piece follow.
    """

    number: int
    name: str | None = None
    member: int = 0
    stamp: Stamp | None = None
    matches: Any = field(default_factory=list)
    undated: list[Key] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    bytes_read: int = 0
    unsure: int = 0
    position: Position | None = None
    begins: Position | Heads | None = None
    error: OSError | None = None


# Dividing


def grouped(found: Iterable[Split]) -> Iterator[Task]:
    """Yield the splits *found* in tasks: small files together."""
    for is_alone, some in groupby(found, key=lambda split: split.part is not None or split.path is None):
        if is_alone:
            yield from ([split] for split in some)
        else:
            yield from batches(some, SPLIT_SIZE, attrgetter("size"))


def splits(number: int, path: str, query: Query, *, numbered: bool, news: News | None = None) -> Iterator[Split]:
    """Yield the splits of the file at *path*. A small file, or one that cannot be divided, is one split.

    If matches are to be *numbered*, the lines before each split are counted. Of a public-inbox with *news*, there are
    splits of these only.
    """
    split = Split(number, path, size_of(path) or 0)
    if split.size < 2 * SPLIT_SIZE and not news:
        yield split
        return
    try:
        if os.path.isdir(path):
            yield from (split._replace(part=part) for part in ranges(path, MESSAGES, news))
            return
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            for part, size in parts(file, status.st_size, query, SPLIT_SIZE, numbered=numbered):
                yield split._replace(part=part, size=size, divided=status)
    except OSError as error:
        yield split._replace(error=error)


def parts(
    file: BinaryIO, size: int, query: Query, part_size: int, *, numbered: bool = True
) -> Iterator[tuple[Part, int]]:
    """Yield the parts of *file*, of about *part_size* bytes, and their sizes. Only an mbox or a text has several.

    The lines before a part of text are counted only if matches are to be *numbered*.
    """
    opened = PeekableFile(file)
    kind = compression_of(opened.head) or kind_of(opened, query.source_name)
    first = next(text.texts(opened), None) if kind == "text" else None
    file.seek(0)
    if kind == "mbox":
        for part in mbox.ranges(PeekableFile(file), size, part_size, counts_lines=numbered):
            yield part, min(part.stop, size) - part.begin.offset
    elif first and first.places is None:
        yield from _parts_of_text(file, first.offset, size, query, part_size, numbered=numbered)
    else:
        yield None, size


def _parts_of_text(  # noqa: PLR0913 -- those of `parts`, and where the text begins
    file: BinaryIO, begin: int, size: int, query: Query, part_size: int, *, numbered: bool
) -> Iterator[tuple[StreamPart, int]]:
    part = StreamPart(begin, 1, begin)
    target = begin + part_size
    while target < min(size, part.start + part_size + MOST_UNDIVIDED):
        offset = max(begin, target - _SPAN)
        file.seek(offset)
        data = file.read(target - offset + _WINDOW)
        is_settled = offset == begin or _BLANK.search(data, 0, MAX_WRAPPER_SPAN)
        cut = data.find(b"\n", target - offset) + 1
        scanner = StreamScanner(query, Origin(), part=StreamPart(offset, stop=offset + cut), binary=True)
        scanner.feed(data)
        if not cut or not is_settled or scanner.position < offset + cut:
            target += _WINDOW // 2
            continue
        yield part._replace(stop=offset + cut), offset + cut - part.start
        context = offset + data.rfind(b"\n", 0, max(0, cut - _CONTEXT)) + 1
        line = part.line
        if numbered:
            file.seek(part.offset)
            # What follows shows whether a CR is the first half of a line end.
            counter = LineCounter(part.offset, line, file.read(context - part.offset + _LINE_END))
            counter.count_to(context)
            line = counter.line
        part = StreamPart(context, line, scanner.position, taken=scanner.last_end)
        target = offset + cut + part_size
    yield part, size - part.start


# Reading


def offset_of(part: Part) -> int:
    """Return the offset from which a file is read for *part*."""
    if isinstance(part, MessageRange):
        return part.begin.offset
    return part.offset if isinstance(part, StreamPart) else 0


def _has_changed(file: BinaryIO, before: os.stat_result) -> bool:
    """Return whether *file* is another one than it was *before*, or shorter. A file that is written to is neither."""
    status = os.fstat(file.fileno())
    return not os.path.samestat(status, before) or status.st_size < before.st_size


def found_in(part: Part, file: PeekableFile, reading: FileReader) -> Iterator[list[URLMatch]]:
    """Yield the matches in *part* of *file*, which is at the beginning of the part."""
    if isinstance(part, MessageRange):
        found = messages(MboxReader(file, part), reading.job.prefilter)
        yield from reading.matched(chain.from_iterable(found))
        return
    if not isinstance(part, StreamPart):
        yield from reading.found_in(file)
        return
    scanner = StreamScanner(reading.query, Origin(file.name), reading.rejected, part, binary=True)
    # After the part, no more is read than its last candidates look ahead.
    left = part.stop - part.offset + _SPAN + LOOKBACK
    while data := file.read(min(CHUNK_SIZE, left)):
        left -= len(data)
        yield scanner.feed(data)
    yield scanner.close()


class SplitReader:
    """Reads a split. It is the policy of its reading: what is skipped and what fails goes into the next piece.

    *is_wanted* returns whether to read a member of a container, by its name and stamp.
    """

    def __init__(self, split: Split, job: Job, is_wanted: Callable[[str, Stamp], bool] | None = None) -> None:
        self._split = split
        self._job = job
        self._is_wanted = is_wanted
        self._next = Piece(split.number)
        self._rows = job.row_maker and job.row_maker(split.path, job.query)
        self._file: PeekableFile | None = None
        self._reported = 0  # how many of the bytes read
        self._position: Position | None = None  # in an mbox
        self._reading = FileReader(job, self, self._reject if job.rejects else None, self._leave_out)

    def _reject(self, rejected: Rejected) -> None:
        if self._rows is None:
            self._next.rejected.append(rejected)
        else:
            self._rows.reject(rejected)

    def _leave_out(self, undated: Sequence[Key]) -> None:
        self._next.undated += undated

    def skip(self, skipped: Skipped) -> None:
        """Put *skipped* into the next piece."""
        self._next.skipped.append(skipped)

    def fail(self, name: str | None, error: Exception, *, is_member: bool) -> None:  # noqa: ARG002 -- by its name
        """Put *error* into the next piece. One that is not an `OSError` may be unfit for pickling."""
        if name != self._next.name:
            self._begin(name)  # it ends the container, not its last member
        if not isinstance(error, OSError):
            error = SourceError(errno.EIO, reason(error), name)
        self._next.error = error

    def _begin(self, name: str | None, stamp: Stamp | None = None) -> None:
        self._next.name, self._next.stamp = name, stamp
        self._next.member += 1

    def end(self) -> None:
        """Do nothing: the main process knows where a file ends."""

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces of the split."""
        try:
            yield from self._found()
        except Exception as error:  # noqa: BLE001 -- MemoryError above all: the other splits can still be read
            self.fail(self._split.path, error, is_member=False)
        yield self._piece()

    def _found(self) -> Iterator[Piece]:
        path, part = str(self._split.path), self._split.part
        if self._split.error is not None:
            raise self._split.error
        if size_of(path) is None:  # it has become a pipe, which may wait for ever
            raise SourceError("is not a regular file")
        if isinstance(part, InboxRange):
            self._next.begins = part.reached
        with opened_path(path, part if isinstance(part, InboxRange) else None) as opened:
            if self._split.divided and _has_changed(opened, self._split.divided):
                raise SourceError(errno.EIO, CHANGED, path)
            if offset := offset_of(part):
                opened.seek(offset)
            file = self._file = PeekableFile(opened, path)
            file.report = partial(remark, self.skip, path)
            if isinstance(part, MessageRange) and self._rows is not None:
                yield from self._mbox(file, part)
            elif isinstance(part, StreamPart | MessageRange):
                if isinstance(part, StreamPart) and part.start == part.offset:
                    kind_of(file, self._job.query.source_name)  # the first part: it may have something to report
                yield from self._pieces(file, found_in(part, file, self._reading))
            else:
                yield from self._members(file)

    def _members(self, file: PeekableFile) -> Iterator[Piece]:
        """Yield the pieces of *file*, or of its members if it is a container."""
        reading, job = self._reading, self._job
        for member in reading.files(file):
            if member is file and file.recognised == "mbox" and job.row_maker:
                yield from self._mbox(file, mbox.ALL_MESSAGES)
                continue
            if member.stamp is not None and job.row_maker:
                if self._is_wanted and not self._is_wanted(str(member.name), member.stamp):
                    continue
                self._rows = job.row_maker(member.name, job.query)
            yield from self._pieces(member, reading.matched(reading.texts(member)))

    def _mbox(self, file: PeekableFile, part: MessageRange) -> Iterator[Piece]:
        """Yield the pieces of the messages in *part* of an mbox, in batches that a harvest can go on after."""
        # A later range without URLs does not change the position.
        self._position = BEGINNING if part.begin == BEGINNING else None
        reader = MboxReader(file, part)

        def batch_of(_: object) -> int:
            if reader.settled:
                self._position = reader.position
            return reader.start // PIECE_SIZE

        for _, some in groupby(messages(reader, self._job.prefilter), batch_of):
            self._next.begins = self._position
            yield from self._pieces(file, self._reading.matched(chain.from_iterable(some)))

    def _pieces(self, file: PeekableFile, found: Iterable[list[URLMatch]]) -> Iterator[Piece]:
        self._begin(file.name, file.stamp)
        held = 0
        for some in self._reading.guarded(file, found):
            held += len(some)
            if self._rows is None:
                self._next.matches += some
            else:
                self._rows.add(self._reading.result(some))
            if held > MOST_MATCHES or self._bytes_read - self._reported > PIECE_SIZE:
                yield self._piece()
                held = 0
        if self._rows is not None:
            self._rows.end_message()
        yield self._piece()

    @property
    def _bytes_read(self) -> int:
        read = self._file.bytes_read if self._file else 0
        # A range is read a little beyond its end.
        return min(read, self._split.size) if self._split.part else read

    def _piece(self) -> Piece:
        """Return the results since the last piece, and begin the next one."""
        reading = self._reading
        result = reading.result(self._next.matches) if self._rows is None else self._rows.take()
        piece = self._next
        self._next = Piece(piece.number, piece.name, piece.member, piece.stamp)
        piece.matches, piece.bytes_read = result, self._bytes_read - self._reported
        self._reported += piece.bytes_read
        piece.position = self._position
        piece.unsure, reading.unsure = reading.unsure, 0
        return piece
