"""The harvest, which reads the files of an archive that are new or have changed."""

import errno
import json
import os
import sqlite3
import stat
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, NamedTuple

from urlmend.output.database.database import UNKNOWN, Database, State
from urlmend.output.database.rows import RowMaker, Rows
from urlmend.output.database.schema import DatabaseError, explained_errors
from urlmend.output.files import is_of_database
from urlmend.parallel.splits import CHANGED, Piece, Split, SplitReader, grouped, splits
from urlmend.reading import Job, reason
from urlmend.selection import PatternError
from urlmend.sources import SourceError
from urlmend.sources.compression import Stamp
from urlmend.sources.containers import Skipped
from urlmend.sources.directories import files
from urlmend.sources.git import is_inbox
from urlmend.sources.mbox import BEGINNING, MessageRange, Position
from urlmend.sources.origin import ignore
from urlmend.sources.public_inbox import Heads, News, news_of
from urlmend.sources.reader import MAX_LINE, line_end

MARKED = 4096
"""How many bytes are compared at the start of a file, and at its end or before the position to continue from."""

SHOWN = ("new", "grown", "unchanged")
TALLY = (*SHOWN, "resumed", "changed", "moved", "gone", "forgotten", "failed")
"""What a file is counted as. `resumed`: a run was killed while it read it. `changed`: the file did more than grow."""

UNSURE = "unsure"
"""The key of the number of URLs that were left out for their confidence."""

UNDATED = "undated"
"""The key of the number of messages that were left out because they have no readable date."""


def summary(tally: Counter[str]) -> str:
    """Return the counts of a harvest as one line of text."""
    parts = [f"{tally[what]} {what}" for what in TALLY if what in SHOWN or tally[what]]
    return f"files: {', '.join(parts)}; {tally['URLs']} URL{'s' * (tally['URLs'] != 1)} read"


class Listener(NamedTuple):
    """What is called during a harvest. By default, nothing is.

    `failed` is called with the name of a file or directory that could not be read, and why; `passed_over` with a file
    that is skipped; `found` with the name of a file before it is read, and what it is (one of TALLY). `advance` gets a
    number of bytes read, `pass_over` of bytes that need not be read, and `note_urls` of URLs.
    """

    failed: Callable[[str, str], object] = ignore
    passed_over: Callable[[Skipped], object] = ignore
    found: Callable[[str, str], object] = ignore
    advance: Callable[[int], object] = ignore
    pass_over: Callable[[int], object] = ignore
    note_urls: Callable[[int], object] = ignore


def harvest(  # noqa: PLR0913 -- each is an option of the command
    paths: Sequence[str],
    output: str,
    listener: Listener,
    settings: Mapping[str, str] | None = None,
    *,
    forget: Collection[str] = (),
    jobs: int = 1,
) -> Counter[str]:
    """Bring the database *output* up to date with the files at and below *paths*, and return the counts.

    First it deletes what was found in the files at and below the paths to *forget*. *jobs* is the number of processes
    that read; this one alone writes, and the database is the same.

    The *settings* (`schema.settings_of`) must be those that the database was made with. A new database is made with
    them. Under `URLs` the returned counter has the number of URLs read. A file that cannot be read to its end is
    counted as `failed`. If it is broken, what it holds before the break is stored, and each run reports the fault until
    the file reads well or is forgotten. After an error of reading, or an unforeseen exception, the database keeps what
    an earlier run, or the last commit inside an mbox, has stored, and the next run reads the file again. Errors of the
    database are `DatabaseError`. Raises `FileNotFoundError`, and makes no new database, if none of *paths* exists.
    """
    if not any(map(os.path.exists, (output, *paths))):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), [*paths, output][0])
    with explained_errors(), closing(Database(output, "harvest", settings or {})) as database:
        run = _Harvest(database, listener)
        for path in forget:
            run.forget(path)
        run.read(paths, os.path.realpath(output), jobs)
    return run.tally + Counter({UNDATED: database.selection.undated})


@dataclass
class _Source:
    """A source to be read; its *state* is from before it is read, and is saved afterwards.

    *what* is one of TALLY, or empty if nothing is to be read. *known* is its id in the database, and its state there;
    `number` is that id, or a new one. An mbox is read from the position of *state* on, of a public-inbox the *news*.
    *wrong* says why it cannot be read; it is reported when its turn comes.
    """

    name: str
    state: State = UNKNOWN
    what: str = ""
    known: tuple[int, State] | None = None
    news: News | None = None
    wrong: str = ""
    number: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def whole_state(self) -> State:
        """The state with the faults of the source."""
        more = f"; and {len(self.faults) - 1} more" if self.faults[1:] else ""
        return self.state._replace(fault=self.faults[0] + more if self.faults else None)


class _Harvest:
    """One run over the archive."""

    def __init__(self, database: Database, listener: Listener) -> None:
        self.tally: Counter[str] = Counter()
        self._database = database
        self._listener = listener
        job = Job(database.query, database.selection, rejects=True, row_maker=RowMaker)
        self._reader = partial(SplitReader, job=job)
        self._splits = partial(splits, query=database.query, numbered=True)
        self._met: set[int] = set()  # the sources that are there
        self._read_now: set[int] = set()  # those among them that this run has read

    def read(self, paths: Sequence[str], own: str, jobs: int) -> None:
        """Read what is new or changed; drop what is gone. *own* is the name of the database, without links."""

        def unlisted(error: OSError) -> None:
            self._fail(error.filename, reason(error))

        roots = [*map(os.path.abspath, paths)]
        names = chain.from_iterable(self._files(root, own, unlisted) for root in roots)
        with closing(self._found(map(self._source, names), jobs)) as found:
            for source, pieces in found:
                self._read_if_changed(source, pieces)
        for root in filter(os.path.isdir, roots):
            self._forget_gone(root, own)
        self._database.commit()
        for number, name, why in self._database.faults():
            if number not in self._read_now:
                self._fail(name, why)

    def _files(self, root: str, own: str, failed: Callable[[OSError], object]) -> Iterator[str]:
        """Yield the names of the files at and below *root*; *failed* gets the error of a directory."""
        names = files(root, failed, source=self._database.query.source_name)
        return (name for name in names if not is_of_database(name, own))

    def _source(self, name: str) -> _Source:
        """Look at the source called *name*. Other processes read ahead: it may be read and stored long after that."""
        try:
            status = os.stat(name)
            known = next(self._database.known(name), None)
            if stat.S_ISDIR(status.st_mode):
                return _inbox(name, known)
            is_regular = stat.S_ISREG(status.st_mode)
            return _file(name, known, status) if is_regular else _Source(name, wrong="is not a regular file")
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever is wrong with one file, the others are read
            return _Source(name, wrong=reason(error))

    def _found(self, sources: Iterator[_Source], jobs: int) -> Generator[tuple[_Source, Iterator[Piece]]]:
        """Yield *sources*, in order, each with the pieces of it; a changed one is read once they are asked for.

        With several *jobs*, as many other processes read ahead what is new. This process reads everything else.
        """
        begun: deque[tuple[_Source, bool]] = deque()  # and whether others read it

        def splits_ahead() -> Iterator[Split]:
            for number, source in enumerate(sources):
                is_new = source.what == "new" or source.news
                parts = self._splits(number, source.name, news=source.news) if is_new else ()
                first = next(iter(parts), None)
                begun.append((source, first is not None))
                yield from chain([first or Split(number, None)], parts)

        if jobs > 1:
            from urlmend.parallel.pool import Pool  # noqa: PLC0415 -- one process needs none of it

            with closing(Pool(jobs, self._reader)) as pool:
                for _, pieces in groupby(pool.results(grouped(splits_ahead())), key=attrgetter("number")):
                    source, by_others = begun.popleft()
                    yield source, pieces if by_others else self._here(source)
        # If one of them has died, this one reads the rest.
        yield from ((source, self._here(source)) for source in chain((each for each, _ in begun), sources))

    # What is found in a source

    def _here(self, source: _Source) -> Iterator[Piece]:
        """Yield what this process finds in *source*."""
        name, begin = source.name, source.state.position or BEGINNING
        rest = MessageRange(begin, line_end=_line_end(name)) if begin.offset else None
        whole = Split(0, name, source.state.size - begin.offset, rest)
        news = source.news and self._splits(0, name, news=source.news)
        for split in news or [whole]:
            yield from self._reader(split, is_wanted=partial(self._is_wanted, source)).pieces()

    def _store(self, source: _Source, pieces: Iterator[Piece]) -> None:
        """Store *pieces* of *source* and of its members, and bring its state up to date."""
        position = source.state.position
        for (_, name, stamp), some in groupby(pieces, key=attrgetter("member", "name", "stamp")):
            into = source if stamp is None else self._member(source, name, stamp)
            for piece in some:
                found: Any = piece.matches
                if piece.error and not isinstance(found, Rows):  # the process has died
                    raise piece.error
                # What is stored of a source that has changed is replaced at once, not in batches.
                if piece.begins and source.what != "changed":
                    self._go_on(source, piece.begins)
                self._listener.advance(piece.bytes_read)
                self._note_skipped(source, into, piece.skipped)
                self._store_rows(into, piece, found)
                position = piece.position or position
            if into is not source:
                # The container has the faults of its members, too: they are read again only if it is.
                source.faults += [f"{name}: {fault}" for fault in into.faults]
                self._database.save(into.number, into.whole_state)
                self._go_on(source)
        if position:
            mark = _mark(source.name, source.state.size, position)
            source.state = source.state._replace(position=position, mark=mark)

    def _store_rows(self, source: _Source, piece: Piece, found: Rows) -> None:
        """Store what was *found* in *source*, and note the error of *piece* if *source* is broken; else raise it."""
        self._database.selection.count(piece.undated)
        count = self._database.store(source.number, found, piece.bytes_read)
        self._listener.note_urls(count)
        self.tally["URLs"] += count
        self.tally[UNSURE] += piece.unsure
        error = piece.error
        # An error with a number is not a fault of the source.
        if error and (not isinstance(error, SourceError) or error.errno is not None):
            raise error
        # Each range of a public-inbox reports that objects are missing.
        if error and str(error) not in source.faults:
            source.faults.append(str(error))
            self._fail(source.name, str(error))

    def _note_skipped(self, source: _Source, into: _Source, found: Iterable[Skipped]) -> None:
        """Report the files *found* to be skipped in *source*, and note the faults of it and of *into*, its member."""
        for skipped in found:
            if skipped.is_fault:
                is_named = skipped.name in {source.name, into.name}
                fault = skipped.reason if is_named else f"{skipped.name}: {skipped.reason}"
                (into if skipped.name == into.name else source).faults.append(fault)
                self._fail(skipped.name or source.name, skipped.reason)
            else:
                self._listener.passed_over(skipped)

    def _fail(self, name: str, why: str) -> None:
        self.tally["failed"] += 1
        self._listener.failed(name, why)

    def _read_if_changed(self, source: _Source, pieces: Iterator[Piece]) -> None:
        """Read *source* unless it is unchanged; *pieces* are what is found in it."""
        known = next(self._database.known(source.name), None)
        if known and known[0] in self._met:  # it is below two of the paths
            return
        if known:
            self._met.add(known[0])
        try:
            if source.wrong:
                self._fail(source.name, source.wrong)
            elif source.what == "unchanged":
                self.tally["unchanged"] += 1
                self._listener.pass_over(source.state.size)
            elif source.what:
                self._read(source, pieces)
        except (DatabaseError, PatternError, sqlite3.Error):
            raise
        except Exception as error:  # noqa: BLE001 -- whatever is wrong with one file, the others are read
            self._database.undo()
            self._fail(source.name, reason(error))

    def _read(self, source: _Source, pieces: Iterator[Piece]) -> None:
        """Read *source*, or what is new in it. After an error, the caller undoes what was stored."""
        name, state, what = source.name, source.state, source.what
        self._database.begin()
        if not source.known and self._is_moved(name, state.content):
            self._listener.pass_over(state.size)
            return
        self._begin(source)
        start = state.position or BEGINNING
        if source.news:
            self._database.drop_members(source.number, source.news.deleted)
        if source.known and (what == "changed" or not source.news):
            self._database.drop(source.number, start.number if start.offset else 0)
        self._listener.pass_over(start.offset)
        self._store(source, pieces)
        if not (source.news or _is_gone(name)):
            _check_unchanged(name, state)
        if source.known:
            members = self._database.sources(source.number)
            self._forget([member for member in members if member[0] not in self._met], "gone")
        self._database.save(source.number, source.whole_state)
        self._end_step(what)

    def _is_moved(self, name: str, content: bytes | None) -> bool:
        """Return whether the new file called *name*, with this *content*, is a known one. If so, rename it there."""
        for source, before in self._database.with_content(content):
            if _is_gone(before):
                self._database.rename(source, before, name)
                self._met.add(source)
                self._listener.found(name, "moved")
                self._end_step("moved")
                return True
        return False

    def _begin(self, source: _Source, container: int | None = None) -> None:
        """Report that *source* is read next. It has a new id unless it is known."""
        source.number = source.known[0] if source.known else self._database.new(source.name, container)
        self._met.add(source.number)
        self._read_now.add(source.number)
        self._listener.found(source.name, source.what)

    def _end_step(self, what: str) -> None:
        self._database.end()
        self.tally[what] += 1
        if self._database.is_full:
            self._database.commit()

    def _go_on(self, source: _Source, begins: Position | Heads | None = None) -> None:
        """Commit what was read of *source*, if it is enough, and continue. A later run would continue at *begins*."""
        if not self._database.is_full:
            return
        state = source.state._replace(complete=False)
        if isinstance(begins, Position):
            state = state._replace(position=begins, mark=_mark(source.name, state.size, begins))
            _check_unchanged(source.name, state)
        elif begins:
            state = state._replace(mark=json.dumps(begins).encode())
        self._database.save(source.number, state)
        self._database.go_on()

    # The members of containers are sources of their own

    @explained_errors()
    def _is_wanted(self, container: _Source, name: str, stamp: Stamp) -> bool:
        """Return whether to read the member of *container* called *name*: not if it is unchanged and has no fault."""
        for number, state in self._left(container, name):
            if state.complete and state[:2] == _member_state(container, stamp)[:2] and not state.fault:
                self._met.add(number)
                self.tally["unchanged"] += 1
                return False
        return True

    def _left(self, container: _Source, name: str) -> Iterator[tuple[int, State]]:
        """Yield what is known of members of *container* called *name*, but not of those that this run has met."""
        return (known for known in self._database.known(name, container.number) if known[0] not in self._met)

    def _member(self, container: _Source, name: str, stamp: Stamp) -> _Source:
        """Begin to store a member of *container* called *name*."""
        known = next(self._left(container, name), None)
        member = _Source(name, _member_state(container, stamp), "changed" if known else "new", known)
        self._begin(member, container.number)
        if known:
            self._database.drop(known[0])
        self.tally[member.what] += 1
        return member

    # What is gone

    def forget(self, path: str) -> None:
        """Delete what was found in the files at and below *path*, and in their members."""
        root = os.path.abspath(path)
        below = os.path.join(root, "")
        found = [(source, name) for source, name in self._database.sources() if f"{name}/".startswith(below)]
        if not found:
            self._fail(path, "is not in the database")
            return
        self._database.begin()
        self._forget(found, "forgotten")
        self._database.end()
        self._database.commit()

    def _forget_gone(self, root: str, own: str) -> None:
        """Delete the sources below the directory *root* that are gone. If it has no files, it may not be mounted."""
        below = os.path.join(root, "")
        missing = [(source, name) for source, name in self._database.sources() if source not in self._met]
        gone = [(source, name) for source, name in missing if name.startswith(below) and _is_gone(name)]
        if gone and not any(self._files(root, own, ignore)):
            self._fail(root, "has no files; what was found in it before is kept")
        elif gone:
            self._database.begin()
            self._forget(gone, "gone")
            self._database.end()

    def _forget(self, found: Iterable[tuple[int, str]], what: str) -> None:
        """Delete the sources *found*, each after its members."""
        for source, name in found:
            for number, called in [*self._database.sources(source), (source, name)]:
                self._listener.found(called, what)
                self.tally[what] += 1
                self._database.forget(number)
                self._met.add(number)


def _inbox(name: str, known: tuple[int, State] | None) -> _Source:
    # With a fault it is read again: what was missing may be there now.
    since: dict[str, str] = json.loads(known[1].mark or "{}") if known and not known[1].fault else {}
    news = news_of(name, since)
    mark = json.dumps(news.heads).encode()
    what = "new"
    if known and known[1].complete and news.heads == since:
        what = "unchanged"
    elif known:
        what = _goes_on(known[1]) if news.since else "changed"
    return _Source(name, State(0, 0, mark=mark, content=_checksum(mark)), what, known, news)


def _file(name: str, known: tuple[int, State] | None, status: os.stat_result) -> _Source:
    state = State(status.st_size, status.st_mtime_ns)
    before = known[1] if known else state
    is_same = before[:2] == state[:2]
    # With a fault it is read again: what was missing, such as a package, may have been installed since.
    if known and before.complete and is_same and not before.fault:
        return _Source(name, state, "unchanged", known)
    state = state._replace(content=_content(name, state))
    position, may_go_on = before.position, state.size > before.size or is_same
    if known and position and may_go_on and _mark(name, before.size, position) == before.mark:
        return _Source(name, state._replace(position=position if position.offset else None), _goes_on(before), known)
    return _Source(name, state, "changed" if known else "new", known)


def _member_state(container: _Source, stamp: Stamp) -> State:
    """Return the state of a member of *container*. A tar has no checksums, so that of the container has to do."""
    size, checksum = stamp
    return State(size, int.from_bytes((container.state.content or b"")[:7]) if checksum is None else checksum)


def _goes_on(before: State) -> str:
    """Return what a source is that has only grown since it had the state *before*."""
    return "grown" if before.complete else "resumed"


def _check_unchanged(name: str, state: State) -> None:
    """Raise `SourceError` if the file called *name* has done more than grow since it had this *state*."""
    status = os.stat(name)
    if (status.st_size, status.st_mtime_ns) != state[:2] and _content(name, state) != state.content:
        raise SourceError(errno.EIO, CHANGED, name)


def _content(name: str, state: State) -> bytes:
    """Return a checksum of the file called *name*, as long as it was in this *state*; its name does not count."""
    return _checksum(f"{state.size} {state.mtime}".encode() + _mark(name, state.size, Position(offset=state.size)))


def _mark(name: str, size: int, position: Position) -> bytes:
    """Return a checksum of the head of a file that had *size* bytes, its line end, and the bytes before *position*."""
    start = max(0, position.offset - MARKED)
    with open(name, "rb", buffering=0) as file:
        octets = file.read(min(MARKED, size)) or b""
        file.seek(start)
        return _checksum(octets + _line_end(name) + (file.read(position.offset - start) or b""))


def _line_end(name: str) -> bytes:
    """Return the line end of the file called *name*: while its first 64 kB are not complete, it may change."""
    with open(name, "rb") as file:
        return line_end(file.read(MAX_LINE), whole=True) or b""


def _checksum(octets: bytes) -> bytes:
    return blake2b(octets, digest_size=16).digest()


def _is_gone(name: str) -> bool:
    """Return whether there is no file or repository called *name*. One that cannot be reached may be there."""
    try:
        is_directory = stat.S_ISDIR(os.stat(name).st_mode)
        return is_directory and not is_inbox(name, os.listdir(name), any_repository=True)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
