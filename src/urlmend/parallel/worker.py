"""What a process does that reads splits: it finds what they hold, and hands it back in pieces."""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from urlmend.match import Rejected, URLMatch
from urlmend.parallel.splits import Split
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scan.candidates import Stretch
from urlmend.scanner import StreamScanner, match_batches
from urlmend.sources import Origin, Prefilter, iter_texts
from urlmend.sources.compression import Peeked
from urlmend.sources.containers import Expansion, Skipped, Walk
from urlmend.sources.directories import opened_path
from urlmend.sources.octets.offsets import line_ends
from urlmend.sources.reader import CHUNK_SIZE, MAX_LINE
from urlmend.text.limits import LOOKAHEAD

MOST_MATCHES = 4096
"""How many matches of a file that is read as a whole are handed back together."""

PIECE_SIZE = 1 << 21
"""How many bytes of such a file are read before what was found in them is handed back, however little it is."""


class Asked(NamedTuple):
    """What is asked of every split; *rejects* tells whether rejected candidates are.

    With *urls_only*, nobody asks where a URL stands. With *as_text*, files are read that are no text.
    """

    query: Query
    rejects: bool = False
    urls_only: bool = False
    as_text: bool = False

    @property
    def places(self) -> bool:
        """Whether anybody asks where something stands."""
        return self.rejects or not self.urls_only

    @property
    def prefilter(self) -> Prefilter:
        """What leaves out texts without URLs."""
        return ordinary.prefilter(self.query, places=self.places)

    def into(self, rejected: list[Rejected]) -> Callable[[Rejected], object] | None:
        """Return what a scanner calls with each rejected candidate, to be put into *rejected*."""
        return rejected.append if self.rejects else None


class Found(NamedTuple):
    """What a split holds, or a piece of what a file holds that is read as a whole.

    Of a split, lines count from that of `Split.at`, from 1, and messages from 1. Candidates are read up to *reach*,
    *lines* lines and *messages* messages behind its start; the last match ends at *last_end*, the first candidate
    starts at *first*. *error* is what ended the file; *failed* tells what is not the file's fault.

    Of a whole file there may be *more*; *taken* bytes were read for this piece. Where a file *begins* with it, itself
    or a member of a container, that is its name; *told* is what was passed over before, *out* how much came out of the
    container so far, and *passed* whether that is too much (`Expansion`).
    """

    matches: Sequence[URLMatch] = ()
    rejected: Sequence[Rejected] = ()
    reach: int = 0
    last_end: int = 0
    first: int = sys.maxsize
    lines: int = 0
    messages: int = 0
    error: OSError | None = None
    failed: str = ""
    more: bool = False
    taken: int = 0
    begins: str | None = None
    told: tuple[Skipped, ...] = ()
    out: int = 0
    passed: bool = False


def work() -> None:
    """Read tasks from standard input and write results to standard output, until either of them ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks, results = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError, OSError):
        asked = pickle.load(tasks)  # noqa: S301 -- what started this process wrote it
        while True:
            for split in pickle.load(tasks):  # noqa: S301 -- as above
                for found in read(split, asked):
                    results.write(_packed(found))
                    results.flush()
    os._exit(0)  # who asked is gone: nothing is to be flushed


def _packed(found: Found) -> bytes:
    try:
        return pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    except MemoryError as error:
        return pickle.dumps(Found(failed=repr(error), more=found.more))


def read(split: Split, asked: Asked) -> Iterator[Found]:
    """Yield what *split* holds: in pieces, where it is a whole file."""
    rejected: list[Rejected] = []
    matches: list[URLMatch] = []
    if not split.is_split:
        yield from _marked(_Files(split, asked).pieces())
        return
    try:
        with Path(split.path).open("rb") as file:
            read_in = _lines if split.source == "text" else _messages
            yield read_in(file, split, asked, rejected, matches)
    except OSError as error:
        yield Found(matches, rejected, error=error)
    except Exception as error:  # noqa: BLE001 -- MemoryError above all: the others go on
        yield Found(failed=repr(error))


def _marked(pieces: Iterable[Found]) -> Iterator[Found]:
    """Yield *pieces*, each but the last one marked: there is more."""
    last = None
    for found in pieces:
        if last is not None:
            yield last._replace(more=True)
        last = found
    yield Found() if last is None else last


def _messages(file: BinaryIO, split: Split, asked: Asked, rejected: list[Rejected], matches: list[URLMatch]) -> Found:
    from urlmend.sources.mbox import messages, opened  # noqa: PLC0415 -- plain text needs nothing of mail
    from urlmend.sources.mbox.reader import Position  # noqa: PLC0415 -- as above

    file.seek(split.at)
    reader = opened(Named(file, split.name, split.stop - split.at), Position(1, split.at, 1))
    texts = chain.from_iterable(texts for _, texts in messages(reader, split.name, split.stop, asked.prefilter))
    for found in match_batches(texts, asked.query, asked.into(rejected), places=asked.places):
        matches += found
    return Found(matches, rejected, reach=reader.offset, lines=reader.line - 1, messages=reader.number)


def _lines(file: BinaryIO, split: Split, asked: Asked, rejected: list[Rejected], matches: list[URLMatch]) -> Found:
    file.seek(split.context)
    before = file.read(split.at - split.context)
    stretch = Stretch(split.context, 1 - line_ends(before, 0, len(before)), split.at, split.stop)
    scanner = StreamScanner(asked.query, Origin(split.name), asked.into(rejected), stretch, binary=True)
    scanner.last_end = split.last_end
    matches += scanner.feed(before)
    candidates = scanner.candidates
    left = split.stop - split.at
    while candidates.position < split.stop:
        # Behind the split's end only as much is read as its last candidates look ahead.
        data = file.read(min(CHUNK_SIZE, max(left, 2 * LOOKAHEAD)))
        left -= len(data)
        matches += scanner.feed(data) if data else scanner.close()
        if not data:
            break
    # Nothing asks how far the last split of a file reached.
    reach = split.at if split.stop == sys.maxsize else max(split.stop, candidates.position)
    return Found(
        matches,
        rejected,
        reach=reach,
        last_end=scanner.last_end,
        first=min([*(match.start for match in matches[:1]), *(one.start for one in rejected)], default=sys.maxsize),
        lines=_line_at(file, reach, candidates.lines.counted, candidates.lines.line) - 1,
    )


def _line_at(file: BinaryIO, place: int, counted: int, line: int) -> int:
    """Return the line of the offset *place*; that of the offset *counted*, which is near, is *line*."""
    start, stop = sorted((place, counted))
    file.seek(start)
    # One more, to see what a CR at the end is followed by.
    ends = line_ends(file.read(stop - start + 1), 0, stop - start)
    return line + ends if counted < place else line - ends


class Named:
    """A file under the name that was asked for; behind the next *left* bytes little is read at a time."""

    def __init__(self, file: Any, name: str, left: int = sys.maxsize) -> None:  # noqa: ANN401 -- any object with read(n)
        self._file = file
        self.name = name
        self._left = left
        self.bytes_read = 0

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes."""
        data: bytes = self._file.read(min(size, max(self._left, MAX_LINE)))
        self._left -= len(data)
        self.bytes_read += len(data)
        return data

    def go_to(self, place: int) -> int:
        """Read on at *place*, and take it that all before is taken; return it."""
        self._file.seek(place)
        self.bytes_read = place
        return place

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        number: int = self._file.fileno()
        return number

    def add_bytes_read(self, size: int) -> None:
        """Take note that *size* more bytes were read by the descriptor."""
        self.bytes_read += size


class _Files:
    """The files in what *split* names: itself, or members of it."""

    def __init__(self, split: Split, asked: Asked) -> None:
        self._split = split
        self._asked = asked
        self._told: list[Skipped] = []
        self._file: Named | None = None
        self._expansion: Expansion | None = None
        self._taken = 0  # what was taken of the file is told so far

    def pieces(self) -> Iterator[Found]:
        """Yield what they hold, in pieces."""
        name = self._split.name
        try:
            with _opened(self._split) as binary:
                self._file = Named(binary, name)
                for member in self._members(self._file):
                    yield from map(self._noted, self._of_member(member))
        except OSError as error:
            yield self._noted(Found(begins=name, error=error))
        except Exception as error:  # noqa: BLE001 -- as above
            yield self._noted(Found(begins=name, failed=repr(error)))
        if self._told or self._taken < self._file_taken():
            yield self._noted(Found())

    def _members(self, named: Named) -> Iterator[Peeked]:
        split, as_text = self._split, self._asked.as_text
        if split.tar is not None:
            self._taken = named.go_to(split.tar.start)
            # Who reads it from its beginning has looked at so much of it first.
            looked_at = min(CHUNK_SIZE, os.fstat(named.fileno()).st_size)
            self._expansion = Expansion(named, looked_at, split.before)
            return Walk(split.source, self._told.append, self._expansion, as_text=as_text).tar(named, split.tar)
        if split.entries is None:
            file = Peeked(named)
            self._expansion = Expansion(file)
            return Walk(split.source, self._told.append, self._expansion, as_text=as_text).files(file, 0)
        from urlmend.sources.zip import on_disk  # noqa: PLC0415 -- few files are one

        packed = on_disk(named.fileno(), named.add_bytes_read)
        self._expansion = Expansion(None, packed.size, split.before)
        walk = Walk(split.source, self._told.append, self._expansion, as_text=as_text)
        return walk.entries(named.name, packed, split.entries)

    def _of_member(self, member: Peeked) -> Iterator[Found]:
        asked = self._asked
        begins = member.name
        rejected: list[Rejected] = []
        matches: list[URLMatch] = []
        begun = self._file_taken()
        ended = Found()
        try:
            texts = iter_texts(member, self._split.source, prefilter=asked.prefilter)
            for found in match_batches(texts, asked.query, asked.into(rejected), places=asked.places):
                matches += found
                if len(matches) > MOST_MATCHES or self._file_taken() - begun > PIECE_SIZE:
                    yield Found(tuple(matches), tuple(rejected), begins=begins)
                    matches.clear()
                    rejected.clear()
                    begun, begins = self._file_taken(), None
        except OSError as error:
            ended = Found(error=error)
        except Exception as error:  # noqa: BLE001 -- as above
            ended = Found(failed=repr(error))
        yield ended._replace(matches=matches, rejected=rejected, begins=begins)

    def _file_taken(self) -> int:
        return 0 if self._file is None else self._file.bytes_read

    def _noted(self, found: Found) -> Found:
        told, taken = tuple(self._told), self._file_taken()
        noted = found._replace(told=told, taken=taken - self._taken)
        if self._expansion is not None:
            out = self._expansion.total - self._split.before
            noted = noted._replace(out=out, passed=self._expansion.passed)
        self._told.clear()
        self._taken = taken
        return noted


def _opened(split: Split) -> AbstractContextManager[Any]:
    if split.messages is None:
        return opened_path(split.path)
    from urlmend.sources.public_inbox import Inbox  # noqa: PLC0415 -- few files are one

    return Inbox(split.path, only=split.messages)
