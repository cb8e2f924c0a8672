"""The harvest, which reads the files of an archive that are new or have changed."""

import errno
import json
import os
import sqlite3
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from io import FileIO
from typing import NamedTuple

from urlmend.output.database.database import BATCH, COPIES, REPEATED, Database, State
from urlmend.output.database.schema import DatabaseError, explained_errors, own_files
from urlmend.output.files import Identity, identity
from urlmend.output.terminal import fault, reason
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.selection import PatternError
from urlmend.sources import SourceError, Text, iter_texts, source_name
from urlmend.sources.compression import Peeked, kind
from urlmend.sources.containers import Skipped, members
from urlmend.sources.directories import files
from urlmend.sources.mbox import BEGINNING, MboxReader, Position, messages
from urlmend.sources.public_inbox import Inbox, new_messages, news_of, ranges
from urlmend.sources.recognise import kind_of

BATCH_BYTES = 1 << 23
"""How many bytes are read between two commits. One file or message more may be read; a kill loses no more than that."""

WHOLE = 1 << 20
"""Up to this size, in bytes, a file is recognised under another name by all of its content."""

MARKED = 4096
"""How many bytes at the start of a grown file, and before the position to continue from, are compared."""

SHOWN = ("new", "grown", "unchanged")
TALLY = (*SHOWN, "resumed", "changed", "moved", "gone", "forgotten", "failed")
"""What files are counted as. `resumed`: a run was killed in it. `changed`: it has not only grown."""

UNSURE = "unsure"
"""The key of the number of URLs that were left out for their confidence."""

UNDATED = "undated"
"""The key of the number of messages that were left out because they have no readable date."""


def summary(tally: Counter[str]) -> str:
    """Return the counts of a harvest as one line of text."""
    parts = [f"{tally[what]} {what}" for what in TALLY if what in SHOWN or tally[what]]
    copies = f", {tally[REPEATED]} of them in {tally[COPIES]} copies of messages" if tally[COPIES] else ""
    return f"files: {', '.join(parts)}; {tally['URLs']} URLs read{copies}"


def _nothing(*_: object) -> None:
    pass


class Listener(NamedTuple):
    """What is called during a harvest. By default, nothing is.

    `failed` is called with the name of a file or directory that could not be read, and why; `passed_over` with a file
    that is skipped; `found` with the name of a file before it is read, and what it is (one of TALLY). `advance` gets a
    number of bytes read, `pass_over` of bytes that need not be read, and `note_urls` of URLs.
    """

    failed: Callable[[str, str], object] = _nothing
    passed_over: Callable[[Skipped], object] = _nothing
    found: Callable[[str, str], object] = _nothing
    advance: Callable[[int], object] = _nothing
    pass_over: Callable[[int], object] = _nothing
    note_urls: Callable[[int], object] = _nothing


def harvest(
    paths: Sequence[str],
    output: str,
    listener: Listener,
    settings: Mapping[str, str] | None = None,
    *,
    forget: Collection[str] = (),
) -> Counter[str]:
    """Bring the database *output* up to date with the files at and below *paths*, and return the counts.

    First it deletes what was found in the files at and below the paths to *forget*.

    The *settings* (`schema.settings_of`) must be those that the database was made with. A new database is made with
    them. Under `URLs` the returned counter has the number of URLs read, under COPIES that of copies of
    messages, and under REPEATED that of the URLs in them. A file that cannot be read to its end is
    counted as `failed`. If it is broken, what it holds before the break is stored, and the fault is reported by each
    run until the file reads well or is forgotten. After an error of reading, or an
    unforeseen exception, the database keeps what an earlier run, or the last commit inside an mbox, has stored, and the
    next run reads the file again. Errors of the database are `DatabaseError`. Raises `FileNotFoundError`, and makes no
    new database, if none of *paths* exists.
    """
    if not any(map(os.path.exists, (output, *paths))):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), [*paths, output][0])
    with explained_errors(), closing(Database(output, "harvest", settings or {})) as database:
        run = _Harvest(database, listener)
        for path in forget:
            run.forget(path)
        run.read(paths, own_files(output), identity(os.stat(output)))  # noqa: PTH116 -- names stay strings
    return run.tally + Counter({UNDATED: database.selection.undated})


class File(FileIO):
    """A file of the archive, not buffered. *advance* is called with the size of each piece that is read."""

    def __init__(self, name: str, advance: Callable[[int], object]) -> None:
        super().__init__(name)
        self.add_bytes_read = advance

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most *size* bytes."""
        data = super().read(size) or b""
        self.add_bytes_read(len(data))
        return data

    def mark(self, size: int, position: Position) -> bytes:
        """Return a checksum of the head of a file that had *size* bytes, and of the bytes before *position*."""
        start = max(0, position.offset - MARKED)
        octets = os.pread(self.fileno(), min(MARKED, size), 0) + os.pread(self.fileno(), position.offset - start, start)
        return blake2b(octets, digest_size=16).digest()

    def content(self, status: os.stat_result) -> bytes:
        """Return a checksum of the file, or, if it is larger than WHOLE, of its size, time, beginning and end."""
        octets = os.pread(self.fileno(), WHOLE, 0)
        if status.st_size > WHOLE:
            octets += os.pread(self.fileno(), MARKED, status.st_size - MARKED)
            octets += f"{status.st_size} {status.st_mtime_ns}".encode()
        return blake2b(octets, digest_size=16).digest()


class _Harvest:
    """One run over the archive."""

    def __init__(self, database: Database, listener: Listener) -> None:
        self.tally = database.tally
        self._database = database
        self._listener = listener
        self._source = database.query.source_name
        # Matches below the least confidence are counted, so the scanner must return them.
        self._query = replace(database.query, min_confidence=0.0)
        self._selection = database.selection
        self._prefilter = ordinary.prefilter(self._query)._replace(new_hash=partial(blake2b, digest_size=16))
        self._met: set[int] = set()  # the sources that are there
        self._read_now: set[int] = set()  # those among them that this run has read
        self._bytes = 0  # read since the last commit

    def read(self, paths: Sequence[str], own_names: set[str], own: Identity | None) -> None:
        """Read what is new or changed; drop what is gone. The database is *own*, by names and identity."""
        directories = []
        for path in paths:
            root = os.path.abspath(path)  # noqa: PTH100 -- links stay
            empty = True
            for name in files(root, lambda error: self._fail(error.filename, reason(error)), source=self._source):
                if os.path.normcase(name) not in own_names:
                    empty = False
                    self._read_if_changed(name, own)
            if os.path.isdir(root):  # noqa: PTH112 -- names stay strings
                directories.append((root, empty))
        for root, empty in directories:
            self._forget_gone(root, empty=empty)
        self._database.commit()
        for source, name, why in self._database.faults():
            if source not in self._read_now:
                self._fail(name, why)

    def _fail(self, name: str, why: str) -> None:
        self.tally["failed"] += 1
        self._listener.failed(name, why)

    def _read_if_changed(self, name: str, own: Identity | None) -> None:
        try:
            status = os.stat(name)  # noqa: PTH116 -- names stay strings
            known = self._database.known(name)
            if known is not None:
                source, state = known
                if source in self._met:  # it is below two of the paths
                    return
                self._met.add(source)
                if state.complete and (state.size, state.mtime) == (status.st_size, status.st_mtime_ns):
                    self.tally["unchanged"] += 1
                    self._listener.pass_over(status.st_size)
                    return
            if own is not None and identity(status) == own:
                return  # a link to the database
            if stat.S_ISDIR(status.st_mode):
                self._read_inbox(name)
            elif stat.S_ISREG(status.st_mode):
                with File(name, self._listener.advance) as file:
                    self._read(file)
            else:
                self._fail(name, "is not a regular file")
        except (DatabaseError, PatternError, sqlite3.Error):
            raise
        except OSError as error:
            self._undo(name, reason(error))
        except Exception as error:  # noqa: BLE001 -- whatever is wrong with one file, the others are read
            self._undo(name, f"{fault(error)}; nothing more of the file is stored")

    def _undo(self, name: str, why: str) -> None:
        """Undo what was read of the file called *name* and is not committed."""
        self._database.undo()
        self._fail(name, why)

    # What is read of a file

    def _read(self, file: File) -> None:
        """Read the new part of *file*. After an error, the caller undoes what was stored."""
        name = str(file.name)
        # From before it is read: a file that is written to meanwhile has another size or time in the next run.
        status = os.fstat(file.fileno())
        self._database.begin()
        content = file.content(status)
        known = self._database.known(name)
        if not known and self._is_moved(name, content, status.st_mtime_ns):
            self._listener.pass_over(status.st_size)
            return
        what, start = _change(file, status, known[1]) if known else ("new", BEGINNING)
        source = self._found(name, known, what)
        if known:
            self._database.drop(source, 0 if start == BEGINNING else start.number)
        file.seek(start.offset)
        self._listener.pass_over(start.offset)
        stream = Peeked(file)
        state = State(status.st_size, status.st_mtime_ns, content=content)
        if start == BEGINNING and not self._is_mbox(stream):
            self._read_files(stream, source, state, known=known is not None)
        else:
            # What is stored of a file that has changed is replaced at once, not in batches.
            self._read_mbox(file, stream, source, state._replace(position=start), in_batches=what != "changed")
            if what == "changed":
                self._forget_members(name)  # it may have been a container
        self._end(what)

    def _is_moved(self, name: str, content: bytes, mtime: int) -> bool:
        """Return whether the new file called *name* is a known one that was moved. If so, rename it, and end the step.

        It has the same *content*, and now the time *mtime*.
        """
        for source, before in self._database.with_content(content):
            if _is_gone(before):
                self._database.rename(source, before, name, mtime)
                self._met.add(source)
                self._listener.found(name, "moved")
                self._end("moved")
                return True
        return False

    def _found(self, name: str, known: tuple[int, State] | None, what: str) -> int:
        """Report that the source *name*, which is *what*, is read next. Return its id, new unless it is *known*."""
        source = known[0] if known else self._database.new(name)
        self._database.reading = name
        self._met.add(source)
        self._read_now.add(source)
        self._listener.found(name, what)
        return source

    def _end(self, what: str) -> None:
        """End the source that is being read, and count it as *what*."""
        self._database.end()
        self.tally[what] += 1
        if self._is_batch():
            self._database.commit()
            self._bytes = 0

    def _is_batch(self) -> bool:
        """Return whether enough was read to be committed."""
        return self._database.uncommitted >= BATCH or self._bytes >= BATCH_BYTES

    def _go_on(self, source: int, state: State) -> None:
        """Commit what was read of *source*, and continue."""
        self._database.save(source, state._replace(complete=False))
        self._database.go_on()
        self._bytes = 0

    def _add(self, source: int, texts: Iterable[Text]) -> None:
        """Store what is found in *texts*."""
        reject = self._selection.rejects(partial(self._database.reject, source))
        for matches in match_batches(texts, self._query, reject, with_lines=True):
            for match in self._selection.chosen(matches):
                if match.confidence < self._database.query.min_confidence:
                    self.tally[UNSURE] += 1
                    continue
                self._database.add(source, match)
                self._listener.note_urls(1)
                self.tally["URLs"] += 1

    def _add_file(self, source: int, file: Peeked) -> None:
        self._add(source, iter_texts(file, self._source, prefilter=self._prefilter))

    def _is_mbox(self, stream: Peeked) -> bool:
        return not kind(stream.head) and stream.decide(partial(kind_of, source=self._source)) == "mbox"

    def _read_mbox(self, file: File, stream: Peeked, source: int, state: State, *, in_batches: bool) -> None:
        """Store what is in an mbox from the position of *state* on."""
        position = counted = state.position or BEGINNING
        reader = MboxReader(stream, position)
        for texts in messages(reader, source_name(stream), wanted=self._prefilter):
            position = reader.position
            self._bytes += position.offset - counted.offset
            counted = position
            if in_batches and self._is_batch():
                self._go_on(source, state._replace(position=position, mark=file.mark(state.size, position)))
            self._add(source, texts)
        self._bytes += max(0, state.size - counted.offset)
        self._database.save(source, state._replace(position=position, mark=file.mark(state.size, position)))

    def _read_files(self, stream: Peeked, source: int, state: State, *, known: bool) -> None:
        """Store what is in *stream*, and save its *state*; the members of a container are sources of their own.

        If a container is *known*, members that have not changed are not read again, and those that are gone are
        forgotten, unless the container is broken.
        """
        name = str(stream.name)
        faults: list[str] = []

        def warn(skipped: Skipped) -> None:
            if skipped.is_fault:
                faults.append(f"{skipped.name}: {skipped.reason}")
                self._fail(skipped.name or name, skipped.reason)
            else:
                self._listener.passed_over(skipped)

        try:
            for member in members(stream, self._source, warn):
                if member.stamp is None:
                    self._add_file(source, member)
                else:
                    self._read_member(member, State(*member.stamp))
                    if self._is_batch():
                        self._go_on(source, state)
        except SourceError as error:
            # What it holds before the break is kept. It is not read again before it has changed.
            faults.append(str(error))
            self._fail(name, str(error))
        if known and not faults:
            self._forget_members(name)
        more = f"; {len(faults) - 1} more faults" if faults[1:] else ""
        self._database.save(source, state._replace(fault=faults[0] + more if faults else None))
        self._bytes += state.size

    def _read_member(self, member: Peeked, state: State) -> None:
        name = str(member.name)
        known = self._database.known(name)
        if known and known[0] in self._met:
            reason = "is in its container twice: the first one is stored"
            self._listener.passed_over(Skipped(name, reason, is_fault=False))
            return
        if known and known[1].complete and known[1][:2] == state[:2]:
            self._met.add(known[0])
            self.tally["unchanged"] += 1
            return
        what = "changed" if known else "new"
        source = self._found(name, known, what)
        if known:
            self._database.drop(source)
        try:
            self._add_file(source, member)
        except SourceError as error:
            state = state._replace(fault=str(error))
            self._fail(name, str(error))
        self._database.save(source, state)
        self._bytes += state.size
        self.tally[what] += 1

    def _read_inbox(self, name: str) -> None:
        """Read what is new in the public-inbox at *name*, and delete what was found in messages deleted since."""
        known = self._database.known(name)
        # With a fault it is read again: what was missing may have come.
        since: dict[str, str] = json.loads(known[1].mark or "{}") if known and not known[1].fault else {}
        news = news_of(name, since)
        if known and known[1].complete and news.heads == since:
            self.tally["unchanged"] += 1
            return
        self._database.begin()
        heads_read = json.dumps(news.heads).encode()
        content = blake2b(heads_read, digest_size=16).digest()
        known = self._database.known(name)
        if not known and self._is_moved(name, content, 0):
            return
        what = "new"
        if known:
            what = "changed" if not news.since else "grown" if known[1].complete else "resumed"
        source = self._found(name, known, what)
        if what == "changed":
            self._database.drop(source)
        self._database.drop_members(source, news.deleted)
        state = State(0, 0, content=content)
        try:
            with Inbox(name, ranges(name, news=news)) as inbox:
                before = 0
                for heads, texts in new_messages(inbox, news, self._prefilter):
                    self._bytes += inbox.bytes_read - before
                    before = inbox.bytes_read
                    if heads and what != "changed" and self._is_batch():
                        self._go_on(source, state._replace(mark=json.dumps(heads).encode()))
                    self._add(source, texts)
        except SourceError as error:
            state = state._replace(fault=str(error))
            self._fail(name, str(error))
        self._database.save(source, state._replace(mark=heads_read))
        self._end(what)

    # What is gone

    def forget(self, path: str) -> None:
        """Delete what was found in the files at and below *path*, and in their members."""
        root = os.path.abspath(path)  # noqa: PTH100 -- links stay
        below = (f"{root}!", os.path.join(root, ""))  # noqa: PTH118 -- names stay strings
        found = [(source, name) for source, name in self._database.sources() if f"{name}!".startswith(below)]
        if not found:
            self._fail(path, "is not in the database")
            return
        self._database.begin()
        for source, name in found:
            self._forget(source, name, "forgotten")
        self._database.end()
        self._database.commit()

    def _forget_gone(self, root: str, *, empty: bool) -> None:
        """Delete the sources below the directory *root* that are gone. If it is *empty*, it may not be mounted."""
        below = os.path.join(root, "")  # noqa: PTH118 -- names stay strings
        for source, name in self._database.sources():
            if source in self._met or not name.startswith(below) or not _is_gone(name):
                continue
            if empty:
                self._fail(root, "holds no files; what was found in it before is kept")
                return
            self._database.begin()
            self._forget(source, name)
            self._database.end()

    def _forget_members(self, container: str) -> None:
        """Delete the members of *container* that were not met, now that it is read."""
        for source, name in self._database.members(container):
            if source not in self._met:
                self._forget(source, name)

    def _forget(self, source: int, name: str, what: str = "gone") -> None:
        self._listener.found(name, what)
        self.tally[what] += 1
        self._database.forget(source)
        self._met.add(source)


def _change(file: File, status: os.stat_result, state: State) -> tuple[str, Position]:
    """Return how *file* has changed since *state*, and where to continue reading."""
    grown = status.st_size > state.size
    same = (status.st_size, status.st_mtime_ns) == (state.size, state.mtime)
    if state.position and (grown or same) and file.mark(state.size, state.position) == state.mark:
        return ("grown" if state.complete else "resumed"), state.position
    return "changed", BEGINNING


def _is_gone(name: str) -> bool:
    """Return whether there is no file called *name*. One that cannot be reached may be there."""
    try:
        os.stat(name)  # noqa: PTH116 -- names stay strings
    except (FileNotFoundError, NotADirectoryError):
        return not _is_member(name)
    except OSError:
        return False
    return False


def _is_member(name: str) -> bool:
    """Return whether *name* is that of a member of an existing file: reading it will show whether it has the member."""
    while "!" in name:
        name = name.rpartition("!")[0]
        if os.path.isfile(name):  # noqa: PTH113 -- names stay strings
            return True
    return False
