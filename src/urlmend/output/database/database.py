"""The database of a harvest: its sources, and what was found in them; `find` writes a new one.

The schema is in `schema.sql`. Everything written between `begin` and `commit` is one transaction: a process killed at
any moment leaves the database as it was before or as it is after.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from urlmend.match import Rejected, URLMatch
from urlmend.output import Writer
from urlmend.output.database.rows import COLUMNS, OWN, RowMaker, Rows
from urlmend.output.database.schema import DatabaseError, check, create, explained_errors, made_with
from urlmend.output.files import SIDE_FILES, STANDARD_INPUT, identity
from urlmend.sources import Origin
from urlmend.sources.mbox import Position

BUSY = 5.0
"""How long to wait for another process that writes, in seconds."""

BUFFERED = 1000
"""How many occurrences and rejects are written at a time."""

BATCH, BATCH_BYTES = 10_000, 1 << 23
"""After so many occurrences, or bytes read by a harvest, a transaction is committed where a file or message ends.

A run that is killed loses no more than that, and one file or message.
"""


class State(NamedTuple):
    """How far a source has been read, and how a later change is noticed.

    `size` and `mtime` (in nanoseconds) are the file's, from before it was read; that of a member is a checksum. In an
    mbox, `position` is the message to continue with: the next one or, if the source is `complete`, the last one or
    the first one that may grow. `mark` is a checksum of the bytes before it. `fault` says why a source could not be
    read to its end. `content` is a checksum that recognises the source under another name.
    """

    size: int
    mtime: int
    complete: bool = True
    mark: bytes | None = None
    fault: str | None = None
    content: bytes | None = None
    position: Position | None = None


UNKNOWN = State(0, 0)
"""The state of a source whose size and time are not known."""


class Database:
    """The database at *path*. If there is none, *command* makes one with the *given* settings, and `is_new` is true.

    `query` and `selection` are the options that it was made with. Raises `DatabaseError`, and leaves the file as it
    is, if it is not a database of urlmend, or was made by another command or with other settings than those given.
    """

    def __init__(self, path: str, command: str, given: Mapping[str, str]) -> None:
        check(path)
        # The statements here begin and end transactions; the module `sqlite3` does not.
        self._db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, cached_statements=64)
        self._version = -1  # of the data: it changes when another process writes
        self._begun = False
        self._before = 0  # the id of the message before those that a `RowMaker` counts
        self._occurrences = self._bytes = 0  # since the last commit
        try:
            # Before the database is in WAL mode, in which its header is written late.
            self.is_new = create(self._db, {"command": command, **given})
            self._db.execute("PRAGMA journal_mode = WAL")
            # In WAL mode a loss of power may undo the last transactions, and harms nothing else.
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA temp_store = MEMORY")
            self._db.execute(_DROP_URL)
            self.query, self.selection = made_with(self._db, command, given)
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the database, and undo everything that is not committed."""
        self._db.close()

    # Sources

    def known(self, name: str, container: int | None = None) -> Iterator[tuple[int, State]]:
        """Yield the ids and states of the sources called *name*: the file, or at most 100 members of *container*."""
        for row in self._db.execute(_SELECT_SOURCE, (_name(name), container)).fetchall():
            position = None if row[-1] is None else Position(*row[-3:])
            yield row[0], State._make((*row[1:-3], position))

    def sources(self, container: int | None = None) -> Iterator[tuple[int, str]]:
        """Yield the ids and names of the files or, with the id of a *container*, of its members."""
        return self._named("SELECT id, name FROM source WHERE container IS ? ORDER BY id", [container])

    def faults(self) -> list[tuple[int, str, str]]:
        """Return (id, name, fault) of each source that a fault kept from being read to its end."""
        rows = self._db.execute("SELECT id, name, fault FROM source WHERE fault IS NOT NULL ORDER BY id").fetchall()
        return [(number, os.fsdecode(name), fault) for number, name, fault in rows]

    def with_content(self, content: bytes | None) -> Iterator[tuple[int, str]]:
        """Yield the ids and names of at most 100 sources with this *content*, read to their end without a fault."""
        return self._named(_SELECT_SAME, [content])

    def rename(self, source: int, before: str, name: str) -> None:
        """Rename *source* from *before* to *name*, and its members with it."""
        for number, member in [*self.sources(source), (source, before)]:
            values = (_name(name + member.removeprefix(before)), number)
            self._db.execute("UPDATE source SET name = ? WHERE id = ?", values)

    def _named(self, sql: str, values: Sequence[bytes | int | None]) -> Iterator[tuple[int, str]]:
        return ((number, os.fsdecode(name)) for number, name in self._db.execute(sql, values).fetchall())

    def new(self, name: str, container: int | None = None) -> int:
        """Return the id of a new source called *name*; its state is saved later in the same transaction."""
        return int(self._db.execute(_INSERT_SOURCE, (_name(name), container)).lastrowid or 0)

    def save(self, source: int, state: State) -> None:
        """Write the *state* of *source*."""
        *others, position = state
        self._db.execute(_UPDATE_SOURCE, (*others, *(position or (None, None, None)), source))

    def drop(self, source: int, message: int = 0) -> None:
        """Delete the rows of *source* from message number *message* on, and URLs that no other row has."""
        self._drop(source, "number >= :message" if message else "", message=message)

    def drop_members(self, source: int, members: Iterable[str]) -> None:
        """Delete the rows of the *members* of *source*, and URLs that no other row has."""
        for member in members:
            self._drop(source, "member = :member", member=member)

    def forget(self, source: int) -> None:
        """Delete *source* and everything that was found in it."""
        self.drop(source)
        self._db.execute("DELETE FROM source WHERE id = ?", (source,))

    def _drop(self, source: int, condition: str, **values: object) -> None:
        """Delete the rows of *source*, or of its messages that meet the *condition*."""
        found = messages = "source = :source"
        if condition:
            messages = f"{messages} AND {condition}"
            found = f"message IN (SELECT id FROM message WHERE {messages})"  # noqa: S608 -- ours
        values["source"] = source
        for statement in _DROP:
            self._db.execute(statement.format(found=found, messages=messages), values)

    # What was found

    def store(self, source: int, rows: Rows, size: int = 0) -> int:
        """Add the *rows* of *source*, read from *size* bytes, and return how many are occurrences."""
        self._bytes += size
        if not (rows.message or rows.occurrence or rows.reject):
            return 0
        if not rows.begun:
            (self._before,) = self._db.execute("SELECT coalesce(max(id), 0) FROM message").fetchone()
        before = self._before
        insert = self._db.executemany
        insert(_INSERT_URL, rows.url)
        messages = (
            (before + number, source, before + number if identity == OWN else identity, *others)
            for number, identity, *others in rows.message
        )
        insert(_INSERT_MESSAGE, messages)
        for statement, found in ((_INSERT_OCCURRENCE, rows.occurrence), (_INSERT_REJECT, rows.reject)):
            insert(statement, ((source, number and before + number, *others) for number, *others in found))
        self._occurrences += len(rows.occurrence)
        return len(rows.occurrence)

    # Transactions

    def begin(self) -> None:
        """Begin a step, a source or a part of one, which `undo` can undo; begin a transaction if there is none."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            (self._version,) = self._db.execute("PRAGMA data_version").fetchone()
        self._db.execute("SAVEPOINT source")
        self._begun = True

    def end(self) -> None:
        """End the step that `begin` began: it will be committed with the following ones."""
        self._begun = False
        self._db.execute("RELEASE source")

    def go_on(self) -> None:
        """Commit a part of a source and continue. Raises `DatabaseError` if another process writes meanwhile."""
        version = self._version
        self.end()
        self.commit()
        self.begin()
        if self._version != version:
            raise DatabaseError("another process wrote to it; everything committed so far is kept")

    def undo(self) -> None:
        """Undo the step that has not ended, if there is one."""
        if self._begun:
            self._db.execute("ROLLBACK TO source")
            self.end()

    @property
    def is_full(self) -> bool:
        """Whether the transaction is to be committed where that is possible."""
        return self._occurrences >= BATCH or self._bytes >= BATCH_BYTES

    def commit(self) -> None:
        """End the transaction, if there is one."""
        self._db.commit()
        self._occurrences = self._bytes = 0


class DatabaseWriter(Writer):
    """Writes matches and rejected candidates to a new database at *path*, made with these *settings*.

    Raises `OSError` if the database cannot be made, or if the file exists and is not empty. Methods other than `reject`
    raise the errors of SQLite.
    """

    row_maker = RowMaker

    def __init__(self, path: str, settings: Mapping[str, str]) -> None:
        self._path = path
        self.place = os.path.realpath(path)
        """The absolute name of the database, links followed."""
        check(path)
        self._existed = Path(path).exists()  # empty, as mktemp makes it
        if not self._existed:
            os.close(os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        self.identity = identity(path)
        """The identity of the file: its device and number."""
        try:
            with explained_errors():
                self._database = Database(path, "find", settings)
        except BaseException:
            self._remove()
            raise
        if not self._database.is_new:
            self._database.close()
            raise DatabaseError("another run has made it meanwhile; find makes a new database")
        self._name: str | None = None  # of the file that is read
        self._state = UNKNOWN  # from before it is read
        self._rows = RowMaker(None, self._database.query)  # of it
        self._source: int | None = None  # its id, once there is something in it
        self._closed = False

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name*. The one before may not have been read to its end."""
        self._end()
        self._name = name
        self._state = UNKNOWN
        with suppress(OSError):  # a member of a container, or it is gone
            status = os.stat(name or 0)
            self._state = State(status.st_size, status.st_mtime_ns)

    def reject(self, rejected: Rejected) -> None:
        """Add *rejected*, a candidate in the current file."""
        # It is called while the file is read: there, only an `OSError` may be one of writing.
        with explained_errors(f"{self._path}: "):
            self._make_room(rejected.origin)
            self._rows.reject(rejected)

    def write(self, matches: Sequence[URLMatch]) -> None:
        """Add *matches*."""
        self._make_room(matches[0].origin)
        self._rows.add(matches)

    def end_file(self, name: str | None, count: int) -> None:  # noqa: ARG002 -- it was begun
        """End the file."""
        self._begun()
        self._end()

    def close(self) -> None:
        """Commit what is left."""
        self._end()
        self._database.commit()
        self._database.close()
        self._closed = True

    def abandon(self) -> str | None:
        """Close the database, which keeps the files that were read to their ends. Remove it if there are none.

        Return a message if the database stays.
        """
        if self._closed:
            return None
        has_sources = False
        with suppress(sqlite3.Error), closing(self._database):
            with suppress(sqlite3.Error, DatabaseError):
                self._database.undo()
                self._database.commit()
            has_sources = any(self._database.sources())
        if has_sources:
            return f"{self._path} is incomplete: the run was stopped"
        self._remove()
        return None

    def _remove(self) -> None:
        if self._existed:
            os.truncate(self.place, 0)
            return
        for end in ("", *SIDE_FILES):
            Path(self.place + end).unlink(missing_ok=True)

    def _begun(self) -> int:
        """Return the id of the current file; a file gets its id when something is found in it."""
        if self._source is None:
            self._database.begin()
            self._rows = RowMaker(self._name, self._database.query)
            name = self._name or STANDARD_INPUT
            known = next(self._database.known(name), None)
            self._source = known[0] if known else self._database.new(name)
        return self._source

    def _end(self) -> None:
        """End the current file if anything was found in it."""
        if self._source is not None:
            self._save(self._source, complete=True)
            self._database.end()
            self._source = None

    def _make_room(self, origin: Origin) -> None:
        """Store the rows, if they are many, before one of *origin*; between messages, commit if many are stored."""
        source = self._begun()
        if len(self._rows) >= BUFFERED:
            self._database.store(source, self._rows.take())
        if self._database.is_full and not self._rows.is_in_message(origin):
            self._save(source, complete=False)
            self._database.go_on()

    def _save(self, source: int, *, complete: bool) -> None:
        self._rows.end_message()
        self._database.store(source, self._rows.take())
        self._database.save(source, self._state._replace(complete=complete))


def _name(name: str) -> str | bytes:
    """Return *name* as it is stored: bytes if it is not UTF-8."""
    octets = os.fsencode(name)
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets


def _insert(table: str, **of: str) -> str:
    """Return the statement that inserts a row; the value of a column that is a key *of* this is that expression."""
    names = ", ".join(f'"{name}"' for name in COLUMNS[table])
    values = ", ".join(of.get(name, "?") for name in COLUMNS[table])
    return f"INSERT INTO {table} ({names}) VALUES ({values})"  # noqa: S608 -- ours


_INSERT_SOURCE = "INSERT INTO source (name, container, size, mtime, complete) VALUES (?, ?, 0, 0, 0)"
_INSERT_URL = f"{_insert('url')} ON CONFLICT DO NOTHING"
_INSERT_MESSAGE = _insert("message")
# What the view `record` can add is not stored.
_INSERT_OCCURRENCE = _insert(
    "occurrence",
    url="(SELECT id FROM url WHERE url = ?)",
    raw="nullif(?, ?)",
    readings="nullif(?, json_array(?))",
    breaks="nullif(?, '[]')",
)
_INSERT_REJECT = _insert("reject", raw="nullif(?, ?)")

_STATE = (*State._fields[:-1], "next_message", "next_offset", "next_line")
_SELECT_SOURCE = f"SELECT id, {', '.join(_STATE)} FROM source WHERE name = ? AND container IS ? LIMIT 100"  # noqa: S608 -- ours
_SELECT_SAME = "SELECT id, name FROM source WHERE content = ? AND complete AND fault IS NULL LIMIT 100"
_UPDATE_SOURCE = f"UPDATE source SET {', '.join(f'{name} = ?' for name in _STATE)} WHERE id = ?"  # noqa: S608 -- ours
_DROP = (
    "DELETE FROM occurrence WHERE {found}",
    "DELETE FROM reject WHERE {found}",
    "DELETE FROM message WHERE {messages}",
)
_DROP_URL = """
CREATE TEMP TRIGGER url_without_occurrence AFTER DELETE ON main.occurrence
WHEN NOT EXISTS (SELECT 1 FROM occurrence WHERE url = old.url) BEGIN DELETE FROM url WHERE id = old.url; END
"""
