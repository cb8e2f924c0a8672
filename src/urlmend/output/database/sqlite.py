"""SQLite: the database of a harvest, its tables and what is written into them.

The schema is in `schema.sql`. Whatever is written between `begin` and `commit` is one transaction: a process killed at
any moment leaves the database as it was before or as it is after.
"""

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from urlmend.output.database.file import APPLICATION, OLDEST, SCHEMA, DatabaseError, check
from urlmend.output.database.made_with import is_unwrapped, settled
from urlmend.output.database.rows import Rows
from urlmend.output.database.schema import schema_text
from urlmend.sources.containers import member_name
from urlmend.sources.mbox.reader import Position

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch

BUSY = 5.0
"""How long another process that writes is waited for, in seconds."""


class State(NamedTuple):
    """How far a source has been read, and how a later change is known.

    `size` and `mtime` (in nanoseconds) are the file's, from before it was read. Of an mbox, `position` is the message
    to go on with: the next one, or the last one where the source is `complete`, for that may have grown. `mark` is a
    checksum of what stands before it. `fault` says why a source could not be read to its end.
    """

    size: int
    mtime: int
    complete: bool = True
    position: Position | None = None
    mark: bytes | None = None
    fault: str | None = None


class Database:
    """The database at *path*: made if there is none, and left untouched if it is not of urlmend (`DatabaseError`).

    It belongs to *command* and is made with the *options* of that; `made_with` holds all of them. A database made by
    another command or with other options is a `DatabaseError` too; an option that is left out may be any. `is_new` says
    whether it was made here.
    """

    def __init__(self, path: str, command: str, **options: str) -> None:
        check(path, OLDEST)
        # Statements begin and end transactions here, not the module.
        self._db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, cached_statements=64)
        self._rows = Rows(self._db)
        self._version = -1  # of the data: it changes where another process writes
        self._begun = False
        self.is_new = False
        try:
            self._make()
            self.made_with = settled(self._db, {"command": command, **options})
            self._rows.unwrap = is_unwrapped(self.made_with)
        except BaseException:
            self._db.close()
            raise

    def _make(self) -> None:
        if self._value("PRAGMA user_version") == 0:
            # Before the database is in WAL mode, in which its header is written late, and in one transaction.
            schema = schema_text()
            pragmas = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA};"
            try:
                self._db.executescript(f"BEGIN IMMEDIATE; {pragmas} {schema} COMMIT;")
                self.is_new = True
            except sqlite3.OperationalError:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if self._value("PRAGMA user_version") == 0:
                    raise
                # Another process has made it meanwhile.
        if self._value("PRAGMA user_version") < SCHEMA:
            from urlmend.output.database.upgrade import upgrade  # noqa: PLC0415 -- once in a database's life

            upgrade(self._db)
        self._db.execute("PRAGMA journal_mode = WAL")
        # A loss of power may undo the last transactions in WAL mode, and harms nothing else.
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute("CREATE TEMP TABLE dropped (url INTEGER PRIMARY KEY)")

    def _value(self, sql: str, *values: object) -> Any:  # noqa: ANN401 -- of a column
        return self._db.execute(sql, values).fetchone()[0]

    def close(self) -> None:
        """Close the database; what is not committed is undone."""
        self._db.close()

    # Sources

    def known(self, name: str) -> tuple[int, State] | None:
        """Return the id and the state of the source called *name*."""
        row = self._db.execute(_SELECT_SOURCE, (_name(name),)).fetchone()
        if row is None:
            return None
        number, size, mtime, complete, message, offset, line, mark, fault = row
        position = None if message is None else Position(message, offset, line)
        return number, State(size, mtime, bool(complete), position, mark, fault)

    def complete(self, names: Collection[str]) -> dict[str, tuple[int, int, int]]:
        """Return the ids, sizes and times of those sources called *names* that are read to their ends."""
        # A name beyond ASCII may have another form in JSON than in the file system.
        asked = json.dumps([name for name in names if name.isascii()])
        states = {name: (number, size, mtime) for name, number, size, mtime in self._db.execute(_COMPLETE, (asked,))}
        for name in names:
            if not name.isascii() and (known := self.known(name)) and known[1].complete:
                states[name] = known[0], known[1].size, known[1].mtime
        return states

    def count(self) -> int:
        """Return how many sources there are."""
        return int(self._value("SELECT count(*) FROM source"))

    def sources(self) -> Iterator[tuple[int, str]]:
        """Yield the id and the name of each source."""
        return map(_numbered, self._db.execute("SELECT id, name FROM source ORDER BY id").fetchall())

    def members(self, container: str) -> Iterator[tuple[int, str]]:
        """Yield the id and the name of each source that is a member of *container*."""
        first = os.fsencode(member_name(container, ""))
        behind = first[:-1] + bytes([first[-1] + 1])
        # All texts stand before all bytes. What is no UTF-8 begins no text.
        rows = self._db.execute(_SELECT_BETWEEN, (first, behind)).fetchall()
        if isinstance(_name(container), str):
            rows = self._db.execute(_SELECT_BETWEEN, (first.decode(), behind.decode())).fetchall() + rows
        return map(_numbered, rows)

    def new(self, name: str) -> int:
        """Return the id of a new source called *name*; its state is saved later in the same transaction."""
        cursor = self._db.execute(
            "INSERT INTO source (name, size, mtime, complete) VALUES (?, 0, 0, 0)", (_name(name),)
        )
        return int(cursor.lastrowid or 0)

    def save(self, source: int, state: State) -> None:
        """Write what was added, and with it the *state* of its *source*."""
        self._rows.write()
        position: Sequence[int | None] = state.position or (None, None, None)
        values = (state.size, state.mtime, state.complete, *position, state.mark, state.fault, source)
        self._db.execute(_UPDATE_SOURCE, values)

    def read_from(self, name: str | None) -> None:
        """Take note that the source called *name* is read now."""
        self._rows.name = name

    def drop_members(self, source: int, members: Iterable[str]) -> None:
        """Delete what was found in the *members* of *source*, and URLs that are nowhere else."""
        self._rows.write()
        self._rows.forget()
        for member in members:
            for statement in _DROP:
                self._db.execute(statement.format(*_OF_MEMBER), {"source": source, "member": member})

    def drop(self, source: int, message: int = 0) -> None:
        """Delete what was found in *source* from the *message* of that number on, and URLs that are nowhere else."""
        self._rows.write()
        self._rows.forget()
        which = _OF_MESSAGES if message else _OF_SOURCE
        for statement in _DROP:
            self._db.execute(statement.format(*which), {"source": source, "message": message})

    def forget(self, source: int) -> None:
        """Delete *source* with all that was found in it."""
        self.drop(source)
        self._db.execute("DELETE FROM source WHERE id = ?", (source,))

    def add(self, source: int, match: "URLMatch") -> None:
        """Add *match*, found in *source*."""
        self._rows.add(source, match)

    def reject(self, source: int, rejected: "Rejected") -> None:
        """Add *rejected*, found in *source*."""
        self._rows.reject(source, rejected)

    # Transactions

    def begin(self) -> None:
        """Begin a transaction if there is none, and in it a step that `undo` takes back: a source, or part of it."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            version = self._value("PRAGMA data_version")
            if version != self._version:  # another process has written
                self._rows.forget()
            self._version = version
        self._db.execute("SAVEPOINT source")
        self._begun = True
        self._rows.number()

    def end(self) -> None:
        """End the step that `begin` began: it will be committed with the following ones."""
        self._begun = False
        self._db.execute("RELEASE source")

    def go_on(self) -> None:
        """Commit a part of a source and go on with it."""
        version = self._version
        self.end()
        self.commit()
        self.begin()
        if self._version != version:
            message = "another process has written to it meanwhile; what was written before is kept"
            raise DatabaseError(message)

    def undo(self) -> None:
        """Take back the step that has not ended, if there is one."""
        self._rows.discard()
        if self._begun:
            self._db.execute("ROLLBACK TO source")
            self.end()

    def commit(self) -> None:
        """End the transaction, if there is one."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")


def _numbered(row: tuple[int, str | bytes]) -> tuple[int, str]:
    number, name = row
    return number, os.fsdecode(name if isinstance(name, bytes) else name.encode())


def _name(name: str) -> str | bytes:
    """Return *name* as it is stored: bytes where it is no UTF-8."""
    octets = os.fsencode(name)
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets


_SELECT_SOURCE = """
SELECT id, size, mtime, complete, next_message, next_offset, next_line, mark, fault FROM source WHERE name = ?
"""
_SELECT_BETWEEN = "SELECT id, name FROM source WHERE name >= ? AND name < ?"
_COMPLETE = """
SELECT source.name, source.id, size, mtime FROM json_each(?) JOIN source ON source.name = json_each.value WHERE complete
"""
_UPDATE_SOURCE = """
UPDATE source SET size = ?, mtime = ?, complete = ?, next_message = ?, next_offset = ?, next_line = ?, mark = ?,
    fault = ?
WHERE id = ?
"""
# Which occurrences and the like, and which messages.
_OF_SOURCE = ("source = :source", "source = :source")
_OF_MESSAGES = (
    "message IN (SELECT id FROM message WHERE source = :source AND number >= :message)",
    "source = :source AND number >= :message",
)
_OF_MEMBER = (
    "message IN (SELECT id FROM message WHERE source = :source AND member = :member)",
    "source = :source AND member = :member",
)
_DROP = (
    "INSERT INTO dropped SELECT DISTINCT url FROM occurrence WHERE {0}",
    "DELETE FROM occurrence WHERE {0}",
    "DELETE FROM reject WHERE {0}",
    "DELETE FROM message WHERE {1}",
    """
    DELETE FROM url
    WHERE id IN (SELECT url FROM dropped) AND NOT EXISTS (SELECT 1 FROM occurrence WHERE occurrence.url = url.id)
    """,
    "DELETE FROM dropped",
)
