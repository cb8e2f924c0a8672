"""The harvest: reading what of an archive is new or has changed."""

import json
import os
import sqlite3
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import NamedTuple

from urlmend.output.database.archive import File, change, is_gone
from urlmend.output.database.file import DatabaseError, explained, own_files
from urlmend.output.database.sqlite import Database, State
from urlmend.output.database.storing import Storing
from urlmend.output.files import Identity, identity
from urlmend.output.listener import Listener
from urlmend.output.terminal import fault, reason
from urlmend.sources import SourceError, source_name
from urlmend.sources.compression import Peeked, kind
from urlmend.sources.directories import files
from urlmend.sources.mbox import messages, opened
from urlmend.sources.mbox.reader import BEGINNING, Position
from urlmend.sources.public_inbox import Inbox, new_messages, news_of
from urlmend.sources.recognise import container, source_of

LOOKED_UP = 1000
"""How many files are looked up in the database at a time."""


def harvest(paths: Sequence[str], output: str, listener: Listener, **options: str) -> Counter[str]:
    """Bring the database *output* up to date with the files at and below *paths*, and return how many files were what.

    *options*, as `settings_of` writes them, must be those that the database was made with. Under `URLs` the returned
    counter has the number of URLs read. A file that cannot be read to its end is counted as `failed`. If it is broken,
    what it held before the break is kept. After an error of reading, or an exception that nobody foresaw, the database
    has of it what an earlier run, or the last commit inside an mbox, has stored, and the next run reads it again.
    Errors of the database are `DatabaseError`.
    """
    try:
        with closing(Database(output, "harvest", **options)) as database:
            run = _Run(database, listener)
            run.read(paths, own_files(output), identity(os.stat(output)))  # noqa: PTH116 -- names stay strings
    except sqlite3.Error as error:
        raise DatabaseError(explained(error)) from error
    return run.tally


class _Reading(NamedTuple):
    """A file that is read: its content, the id of its source, how far it will be read, and where that begins."""

    file: File
    stream: Peeked
    source: int
    state: State
    start: Position


class _Run(Storing):
    """One run over the archive."""

    def read(self, paths: Sequence[str], own_names: set[str], own: Identity | None) -> None:
        """Read what is new or changed, and forget what is gone. The database is *own*, by names and identity."""
        directories = []
        for path in paths:
            root = os.path.abspath(path)  # noqa: PTH100 -- links stay
            empty = True
            names_below = files(root, self._fail_directory, source=self._source)
            there = (name for name in names_below if os.path.normcase(name) not in own_names)
            while names := list(islice(there, LOOKED_UP)):
                empty = False
                known = self._database.complete(names)
                for name in names:
                    self._read_if_changed(name, known.get(name), own)
            if os.path.isdir(root):  # noqa: PTH112 -- names stay strings
                directories.append((root, empty))
        for root, empty in directories:
            self._forget_gone(root, empty=empty)
        self._database.commit()

    def _fail_directory(self, error: OSError) -> None:
        self._fail(error.filename, reason(error))

    def _read_if_changed(self, name: str, known: tuple[int, int, int] | None, own: Identity | None) -> None:
        """Read the file called *name* if it is not *known*, by the id of its source, its size and its time."""
        try:
            status = os.stat(name)  # noqa: PTH116 -- names stay strings
            if known is not None and known[1:] == (status.st_size, status.st_mtime_ns):
                if known[0] not in self._met:
                    self._met.add(known[0])
                    self.tally["unchanged"] += 1
                    self._listener.pass_over(status.st_size)
                return
            if own is not None and identity(status) == own:
                return  # a link to the database
            source = self._database.known(name)
            if source is not None:
                if source[0] in self._met:  # it stands below two of the paths
                    return
                self._met.add(source[0])
            self._read_there(name, status.st_mode)
        except (DatabaseError, sqlite3.Error):
            raise
        except OSError as error:
            self._undo(name, reason(error))
        except Exception as error:  # noqa: BLE001 -- whatever one file does to the code that reads it, others go on
            self._undo(name, f"{fault(error)}; nothing more of the file is stored")

    def _read_there(self, name: str, mode: int) -> None:
        if stat.S_ISDIR(mode):
            self._read_inbox(name)
        elif stat.S_ISREG(mode):
            with File(name, self._listener.advance) as file:
                self._read(file)
        else:
            self._fail(name, "is no regular file")

    def _undo(self, name: str, why: str) -> None:
        """Take back what was read of the file called *name* and is not committed."""
        self._database.undo()
        self._fail(name, why)

    def _read(self, file: File) -> None:
        """Read *file*, as far as it is not read already. After an error, the caller takes back what was stored."""
        name = str(file.name)
        # From before it is read: a file that is written to meanwhile has another size or time the next time.
        status = os.fstat(file.fileno())
        self._database.begin()
        self._database.read_from(name)
        known = self._database.known(name)
        if known is None:
            what, start, source = "new", BEGINNING, self._database.new(name)
        else:
            source = known[0]
            what, start = change(file, status, known[1])
            self._database.drop(source, 0 if start == BEGINNING else start.number)
        self._met.add(source)
        self._listener.found(name, what)
        file.seek(start.offset)
        self._listener.pass_over(start.offset)
        reading = _Reading(file, Peeked(file), source, State(status.st_size, status.st_mtime_ns), start)
        # What stands in the database of a file that has changed is replaced at once.
        if start != BEGINNING or self._is_mbox(reading.stream):
            self._read_mbox(reading, in_batches=what != "changed")
            if what == "changed":
                self._forget_members(name)  # it may have been a container
        else:
            self._read_files(reading.stream, source, reading.state, known=known is not None)
        self._end(what)

    def _read_inbox(self, name: str) -> None:
        """Read what is new in the public-inbox at *name*, and delete what was found in messages deleted since."""
        known = self._database.known(name)
        since: dict[str, str] = json.loads(known[1].mark or "{}") if known else {}
        news = news_of(name, since)
        if known and known[1].complete and news.heads == since:
            self._met.add(known[0])
            self.tally["unchanged"] += 1
            return
        self._database.begin()
        self._database.read_from(name)
        source = known[0] if known else self._database.new(name)
        what = "new"
        if known:
            what = "changed" if not news.since else "grown" if known[1].complete else "resumed"
        if what == "changed":
            self._database.drop(source)
        self._database.drop_members(source, news.deleted)
        self._met.add(source)
        self._listener.found(name, what)
        state = State(0, 0)
        try:
            with Inbox(name, news.heads, news.since) as inbox:
                before = 0
                for heads, texts in new_messages(inbox, news, self._prefilter):
                    self._bytes += inbox.bytes_read - before
                    before = inbox.bytes_read
                    if heads and what != "changed" and self._is_batch():
                        self._go_on(source, state._replace(complete=False, mark=json.dumps(heads).encode()))
                    self._add(source, texts)
        except SourceError as error:
            state = state._replace(fault=str(error))
            self._fail(name, str(error))
        self._database.save(source, state._replace(mark=json.dumps(news.heads).encode()))
        self._end(what)

    def _is_mbox(self, stream: Peeked) -> bool:
        if kind(stream.head) or container(stream.head, whole=True):
            return False
        return (source_of(stream) if self._source == "auto" else self._source) == "mbox"

    def _read_mbox(self, reading: _Reading, *, in_batches: bool) -> None:
        file, stream, source, state, start = reading
        position = counted = start
        there = messages(opened(stream, start), source_name(stream), prefilter=self._prefilter)
        for position, texts in there:
            self._bytes += position.offset - counted.offset
            counted = position
            if in_batches and self._is_batch():
                mark = file.mark(state.size, position)
                self._go_on(source, state._replace(complete=False, position=position, mark=mark))
            self._add(source, texts)
        self._bytes += max(0, state.size - counted.offset)
        self._database.save(source, state._replace(position=position, mark=file.mark(state.size, position)))

    def _forget_gone(self, root: str, *, empty: bool) -> None:
        """Take out the sources below the directory *root* that are no more. If it is *empty*, it may not be mounted."""
        if len(self._met) == self._database.count():
            return
        below = os.path.join(root, "")  # noqa: PTH118 -- names stay strings
        for source, name in self._database.sources():
            if source in self._met or not name.startswith(below) or not is_gone(name):
                continue
            if empty:
                self._fail(root, "holds no files; what was found in it before is kept")
                return
            self._listener.found(name, "gone")
            self.tally["gone"] += 1
            self._database.begin()
            self._database.forget(source)
            self._database.end()
            self._met.add(source)
