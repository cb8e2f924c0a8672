"""Reading splits in any process: each yields pieces with matches or with finished lines of output."""

import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from urlmend.match import Rejected, URLMatch, confident
from urlmend.parallel import Job, Matches
from urlmend.parallel.splits import Range, Split
from urlmend.scan.candidates import Stretch
from urlmend.scanner import StreamScanner, match_batches
from urlmend.selection import Key, PatternError
from urlmend.sources import Origin, iter_texts
from urlmend.sources.compression import Peeked
from urlmend.sources.containers import Expansion, Skipped, Walk
from urlmend.sources.directories import opened_path
from urlmend.sources.places import count_line_ends
from urlmend.sources.reader import CHUNK_SIZE, MAX_LINE
from urlmend.text.limits import LOOKAHEAD

if TYPE_CHECKING:
    from urlmend.sources.public_inbox import InboxRange

MOST_MATCHES = 4096
"""How many matches of a whole file or member make a piece."""

PIECE_SIZE = 1 << 21
"""How many bytes of such a file make a piece, even with fewer matches: each piece moves the progress bar."""


class Piece(NamedTuple):
    """Results of a split.

    *undated* has the keys of messages that were left out because they have no readable date. *bytes_read* is how much
    was read for it, *error* why the file ends here, and *failed* why the process could not go on. If a file starts with
    the piece, *begins* is its name; *skipped* lists the files skipped before it.

    Of a range, the next match can only start at *reach*, which is in the message with the number *message* or before
    it, and after *last_end*, the end of the last match. The first match starts at *first*.

    *out* is how many bytes came out of a container so far; *is_too_much* says whether that is more than allowed.
    """

    matches: Matches = []  # noqa: RUF012 -- never changed
    undated: Sequence[Key] = ()
    rejected: Sequence[Rejected] = ()
    bytes_read: int = 0
    error: OSError | None = None
    failed: str = ""
    begins: str | None = None
    skipped: tuple[Skipped, ...] = ()
    reach: int = 0
    message: int = 1
    last_end: int = 0
    first: int = sys.maxsize
    out: int = 0
    is_too_much: bool = False


def work() -> None:
    """Read a job and then tasks from standard input and write pieces to standard output, until either is closed.

    `None` follows the pieces of each split.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError), open(0, "rb") as tasks, open(1, "wb") as pieces:
        job = pickle.load(tasks)  # noqa: S301 -- written by the process that started this one
        while True:
            for split in pickle.load(tasks):  # noqa: S301 -- as above
                for piece in chain(read(split, job), [None]):
                    pickle.dump(piece, pieces, pickle.HIGHEST_PROTOCOL)
                    pieces.flush()
    os._exit(0)  # the main process has gone: nothing has to be flushed


def read(split: Split, job: Job) -> Iterator[Piece]:
    """Yield the pieces of *split*: only one of a range."""
    part = split.part
    reader = _RangeReader(split, part, job) if isinstance(part, Range) else _FileReader(split, job)
    try:
        yield from [Piece(error=split.error)] if split.error else reader.pieces()
    except PatternError as error:
        yield Piece(begins=split.path, error=error)
    except Exception as error:  # noqa: BLE001 -- MemoryError above all: the other splits can still be read
        yield Piece(begins=split.path, failed=repr(error))


class _RangeReader:
    """Reads a range of a text or mbox."""

    def __init__(self, split: Split, part: Range, job: Job) -> None:
        self._split = split
        self._part = part
        self._job = job
        # Matches of little confidence, too, show where the range should have started.
        self._query = replace(job.query, min_confidence=0)
        self._matches: list[URLMatch] = []
        self._rejected: list[Rejected] = []
        self._reject = self._rejected.append if job.rejects else None

    def pieces(self) -> Iterator[Piece]:
        """Yield the piece of the range."""
        part, job, rejected = self._part, self._job, self._rejected
        try:
            with Path(self._split.path).open("rb") as file:
                piece = self._text(file) if self._split.source == "text" else self._mbox(file)
        except OSError as error:
            piece = Piece(error=error)
        starts = [*(match.start for match in self._matches[:1]), *(candidate.start for candidate in rejected)]
        matches, undated = job.result(confident(self._matches, job.query.min_confidence))
        yield piece._replace(
            matches=matches,
            undated=undated,
            rejected=rejected,
            first=min(starts, default=sys.maxsize),
            bytes_read=min(part.stop, self._split.size) - part.at,
        )

    def _mbox(self, file: BinaryIO) -> Piece:
        from urlmend.sources.mbox import MboxReader, Position, messages  # noqa: PLC0415 -- texts need nothing of mail

        path, part, job = self._split.path, self._part, self._job
        file.seek(part.at)
        start = Position(part.message - part.hidden, part.at, part.line)
        reader = MboxReader(_CountedFile(path, file, part.stop - part.at), start)
        texts = chain.from_iterable(messages(reader, path, part.stop, job.prefilter))
        for found in match_batches(texts, self._query, self._reject, places=job.places):
            self._matches += found
        return Piece(reach=reader.offset, message=reader.number + 1)

    def _text(self, file: BinaryIO) -> Piece:
        part, matches = self._part, self._matches
        file.seek(part.context)
        before = file.read(part.at - part.context)
        stretch = Stretch(part.context, part.line - count_line_ends(before, 0, len(before)), part.at, part.stop)
        scanner = StreamScanner(self._query, Origin(self._split.path), self._reject, stretch, binary=True)
        scanner.last_end = part.last_end
        matches += scanner.feed(before)
        candidates = scanner.candidates
        left = part.stop - part.at
        while candidates.position < part.stop:
            # After the range, no more is read than its last candidates look ahead.
            data = file.read(min(CHUNK_SIZE, max(left, 2 * LOOKAHEAD)))
            left -= len(data)
            matches += scanner.feed(data) if data else scanner.close()
            if not data:
                break
        return Piece(reach=max(part.stop, candidates.position), last_end=scanner.last_end)


@dataclass
class _CountedFile:
    """A file under another name that counts the bytes read. After the next `left` bytes, it reads in small steps."""

    name: str
    file: Any = None
    left: int = sys.maxsize
    bytes_read: int = 0

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes."""
        data: bytes = self.file.read(min(size, max(self.left, MAX_LINE)))
        self.left -= len(data)
        self.bytes_read += len(data)
        return data

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return int(self.file.fileno())

    def add_bytes_read(self, size: int) -> None:
        """Add *size* to the number of bytes read: they were read with the descriptor."""
        self.bytes_read += size


class _FileReader:
    """Reads the file of a split, or its members."""

    def __init__(self, split: Split, job: Job) -> None:
        self._split = split
        self._job = job
        self._skipped: list[Skipped] = []
        self._reported = 0  # how many of the bytes read were reported
        file = self._file = _CountedFile(split.path)
        size = split.size if isinstance(split.part, list) else 0
        self._expansion = Expansion(lambda: size or file.bytes_read, split.before)

    def pieces(self) -> Iterator[Piece]:
        """Yield their pieces."""
        path = self._split.path
        try:
            with opened_path(path, cast("InboxRange | None", self._split.part)) as self._file.file:
                for member in self._members():
                    yield from map(self._completed, self._of_member(member))
        except OSError as error:
            yield self._completed(Piece(begins=path, error=error))
        if self._skipped or self._reported < self._file.bytes_read:
            yield self._completed(Piece())

    def _members(self) -> Iterator[Peeked]:
        part, file, expansion = self._split.part, self._file, self._expansion
        walk = Walk(self._split.source, self._skipped.append, expansion, as_text=self._job.as_text)
        if isinstance(part, list):
            from urlmend.sources.archives import zip_members  # noqa: PLC0415 -- few files are one

            return walk.files_in(file.name, zip_members(file.file, part, expansion.out, file.add_bytes_read))
        return walk.files(Peeked(file), 0)

    def _of_member(self, member: Peeked) -> Iterator[Piece]:
        job, file = self._job, self._file
        begins = member.name
        matches: list[URLMatch] = []
        rejected: list[Rejected] = []
        reject = rejected.append if job.rejects else None
        start = file.bytes_read
        last = Piece()
        try:
            texts = iter_texts(member, self._split.source, prefilter=job.prefilter)
            for found in match_batches(texts, job.query, reject, places=job.places):
                matches += found
                if len(matches) > MOST_MATCHES or file.bytes_read - start > PIECE_SIZE:
                    yield Piece(*job.result(matches), tuple(rejected), begins=begins)
                    matches = []
                    rejected.clear()
                    start, begins = file.bytes_read, None
        except OSError as error:
            last = Piece(error=error)
        except Exception as error:  # noqa: BLE001 -- as above
            last = Piece(failed=repr(error))
        chosen, undated = job.result(matches)
        yield last._replace(matches=chosen, undated=undated, rejected=rejected, begins=begins)

    def _completed(self, piece: Piece) -> Piece:
        skipped, before = tuple(self._skipped), self._reported
        self._skipped.clear()
        self._reported = self._file.bytes_read
        return piece._replace(
            skipped=skipped,
            bytes_read=self._reported - before,
            out=self._expansion.total - self._split.before,
            is_too_much=self._expansion.passed,
        )
