"""The harvest: what of an archive is new or has changed, and has to be read."""

import os
import sqlite3
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from io import FileIO
from itertools import chain, islice
from typing import cast

from urlmend.cli.inputs import reason
from urlmend.cli.progress import Bar
from urlmend.grammar.profiles import PROFILES
from urlmend.output.database.file import DatabaseError, explained, own_files
from urlmend.output.database.sqlite import Database, State
from urlmend.output.database.surroundings import Surroundings
from urlmend.resolver import Join, Settings
from urlmend.scanner import match_batches
from urlmend.sources import SourceError, Text, iter_texts, source_name
from urlmend.sources.compression import Peeked, kind
from urlmend.sources.directories import files
from urlmend.sources.mbox import messages, opened
from urlmend.sources.mbox_reader import BEGINNING, Position
from urlmend.sources.recognise import source_of

BATCH_ROWS = 10_000
"""How many occurrences are committed at a time: those of whole files, or of messages of a long mbox."""

BATCH_BYTES = 1 << 23
"""How many bytes are read between two commits, or one file or message more; what a kill costs at most."""

LOOKED_UP = 1000
"""How many files are looked up in the database at a time."""

MARKED = 4096
"""How many bytes of a file's head, and before the place to go on from, tell that it has only grown."""

SHOWN = ("new", "grown", "unchanged")
TALLY = (*SHOWN, "resumed", "changed", "gone", "failed")
"""What a file may be: `resumed` is one in which a run was killed, `changed` one that has not just grown."""

Told = Callable[[str, str], object]


class File(FileIO):
    """A file of the archive, not buffered. *advance* hears how much is read."""

    def __init__(self, name: str, advance: Callable[[int], object]) -> None:
        super().__init__(name)
        self._advance = advance

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most *size* bytes."""
        data = super().read(size) or b""
        self._advance(len(data))
        return data

    def at(self, offset: int, length: int) -> bytes:
        """Return *length* bytes from *offset* on; the place where the file is read next stays."""
        return os.pread(self.fileno(), length, offset)

    def mark(self, size: int, position: Position) -> bytes:
        """Return a checksum of the head of a file that was of *size*, and of what stands before *position*."""
        before = max(0, position.offset - MARKED)
        octets = self.at(0, min(MARKED, size)) + self.at(before, position.offset - before)
        return blake2b(octets, digest_size=16).digest()


def harvest(  # noqa: PLR0913 -- each is asked for by name
    paths: Sequence[str],
    output: str,
    failed: Told,
    told: Told,
    bar: Bar,
    *,
    source: str | None = None,
    profile: str | None = None,
    join: str | None = None,
) -> Counter[str]:
    """Bring the database *output* up to date with the files at and below *paths*, and return how many files were what.

    *failed* hears of a file by its name what is wrong with it, *told* what it is (`TALLY`) before it is read; *bar*
    shows how far reading is. The others are options' values; `None` stands for what the database is made with. Under
    `URLs` the returned counter has the number of URLs read. Errors of the database are `DatabaseError`.
    """
    try:
        with closing(Database(output, "harvest", source=source, profile=profile, join=join)) as database:
            run = _Run(database, failed, told, bar)
            run.read(paths, own_files(output))
    except sqlite3.Error as error:
        raise DatabaseError(explained(error)) from error
    return run.tally


def summary(tally: Counter[str]) -> str:
    """Return *tally* as a line for people."""
    parts = [f"{tally[what]} {what}" for what in TALLY if what in SHOWN or tally[what]]
    return f"files: {', '.join(parts)}; {tally['URLs']} URLs read"


class _Run:
    """One run over the archive."""

    def __init__(self, database: Database, failed: Told, told: Told, bar: Bar) -> None:
        self.tally: Counter[str] = Counter()
        self._bar = bar
        self._database = database
        self._source = database.made_with["source"]
        self._profile = PROFILES[database.made_with["profile"]]
        self._join = cast("Join", database.made_with["join"])
        self._failed = failed
        self._told = told
        self._met: set[int] = set()  # the sources that are there
        self._rows = self._bytes = 0  # since the last commit

    def read(self, paths: Sequence[str], excluded: set[str]) -> None:
        """Read what is new or changed, and forget what is gone."""
        directories = []
        for path in paths:
            root = os.path.abspath(path)  # noqa: PTH100 -- links stay
            empty = True
            there = (name for name in files(root, self._fail_directory) if name not in excluded)
            while names := list(islice(there, LOOKED_UP)):
                empty = False
                known = self._database.complete(names)
                for name in names:
                    self._read_if_changed(name, known.get(name))
            if os.path.isdir(root):  # noqa: PTH112 -- names stay strings
                directories.append((root, empty))
        for root, empty in directories:
            self._forget_gone(root, empty=empty)
        self._database.commit()

    def _fail(self, name: str, why: str) -> None:
        self.tally["failed"] += 1
        self._failed(name, why)

    def _fail_directory(self, error: OSError) -> None:
        self._fail(error.filename, reason(error))

    def _read_if_changed(self, name: str, known: tuple[int, int, int] | None) -> None:
        """Read the file called *name* if it is not *known*, by the id of its source, its size and its time."""
        try:
            status = os.stat(name)  # noqa: PTH116 -- names stay strings
            if known is not None and known[1:] == (status.st_size, status.st_mtime_ns):
                if known[0] not in self._met:
                    self._met.add(known[0])
                    self.tally["unchanged"] += 1
                    self._bar.pass_over(status.st_size)
                return
            source = self._database.known(name)
            if source is not None:
                if source[0] in self._met:  # it stands below two of the paths
                    return
                self._met.add(source[0])
            if not stat.S_ISREG(status.st_mode):
                self._fail(name, "is no regular file")
            else:
                with File(name, self._bar.advance) as file:
                    self._read(file)
        except DatabaseError:
            raise
        except OSError as error:
            self._database.undo()
            self._fail(name, reason(error))

    def _read(self, file: File) -> None:
        """Read *file*, as far as it is not read already. What an error leaves behind is undone by the caller."""
        name = str(file.name)
        # From before it is read: a file that is written to meanwhile has another size or time the next time.
        status = os.fstat(file.fileno())
        self._database.begin()
        known = self._database.known(name)
        if known is None:
            what, start, source = "new", BEGINNING, self._database.new(name)
        else:
            source = known[0]
            what, start = _change(file, status, known[1])
            self._database.drop(source, 0 if start == BEGINNING else start.number)
        self._met.add(source)
        self._told(name, what)
        state = State(status.st_size, status.st_mtime_ns)
        file.seek(start.offset)
        self._bar.pass_over(start.offset)
        stream = Peeked(file)
        # What stands in the database of a file that has changed is replaced at once.
        if start != BEGINNING or self._is_mbox(stream):
            self._read_mbox(stream, file, source, state, start, in_batches=what != "changed")
        else:
            self._read_whole(stream, source, state)
        self._database.end()
        self.tally[what] += 1
        if self._rows >= BATCH_ROWS or self._bytes >= BATCH_BYTES:
            self._database.commit()
            self._rows = self._bytes = 0

    def _is_mbox(self, stream: Peeked) -> bool:
        source = source_of(stream) if self._source == "auto" else self._source
        return kind(stream.head) is None and source == "mbox"

    def _add(self, source: int, texts: Iterable[Text], history: Surroundings) -> None:
        found = 0
        try:
            settings = Settings(self._profile, self._join, partial(self._database.reject, source))
            for match in chain.from_iterable(match_batches(history.texts(texts), settings, history)):
                self._database.add(source, match, history.around(match))
                self._bar.note_urls(1)
                found += 1
        finally:
            self._rows += found
            self.tally["URLs"] += found

    def _read_whole(self, stream: Peeked, source: int, state: State) -> None:
        try:
            self._add(source, iter_texts(stream, self._source), Surroundings())
        except SourceError as error:
            # It is read as far as that goes, and not again before it has changed.
            state = state._replace(fault=str(error))
            self._fail(str(stream.name), str(error))
        self._database.save(source, state)
        self._bytes += state.size

    def _read_mbox(  # noqa: PLR0913 -- what to read, and where it goes
        self, stream: Peeked, file: File, source: int, state: State, start: Position, *, in_batches: bool
    ) -> None:
        history = self._database.history(source)
        position = counted = start
        for position, texts in messages(opened(stream, start), source_name(stream)):
            self._bytes += position.offset - counted.offset
            counted = position
            if in_batches and (self._rows >= BATCH_ROWS or self._bytes >= BATCH_BYTES):
                mark = file.mark(state.size, position)
                self._database.save(source, state._replace(complete=False, position=position, mark=mark))
                self._database.go_on()
                self._rows = self._bytes = 0
            self._add(source, texts, history)
        self._bytes += max(0, state.size - counted.offset)
        self._database.save(source, state._replace(position=position, mark=file.mark(state.size, position)))

    def _forget_gone(self, root: str, *, empty: bool) -> None:
        """Take out the sources below the directory *root* that are no more. If it is *empty*, it may not be mounted."""
        if len(self._met) == self._database.count():
            return
        below = os.path.join(root, "")  # noqa: PTH118 -- names stay strings
        for source, name in self._database.sources():
            if source in self._met or not name.startswith(below) or not _is_gone(name):
                continue
            if empty:
                self._fail(root, "holds no files; what was found in it before is kept")
                return
            self._told(name, "gone")
            self.tally["gone"] += 1
            self._database.begin()
            self._database.forget(source)
            self._database.end()
            self._met.add(source)


def _is_same(status: os.stat_result, state: State) -> bool:
    return (status.st_size, status.st_mtime_ns) == (state.size, state.mtime)


def _change(file: File, status: os.stat_result, state: State) -> tuple[str, Position]:
    """Return what has become of *file* since *state*, and where to go on reading."""
    grown = status.st_size > state.size
    if state.position and (grown or _is_same(status, state)) and file.mark(state.size, state.position) == state.mark:
        return ("grown" if state.complete else "resumed"), state.position
    return "changed", BEGINNING


def _is_gone(name: str) -> bool:
    try:
        os.stat(name)  # noqa: PTH116 -- names stay strings
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
