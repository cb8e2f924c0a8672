"""The database of a harvest: its sources, and what was found in them; `find` writes a new one.

The schema is in `schema.sql`. Everything written between `begin` and `commit` is one transaction: a process killed at
any moment leaves the database as it was before or as it is after.
"""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from urlmend.output import Writer
from urlmend.output.database.rows import COLUMNS, OWN, Entry, Row, Rows, url_row
from urlmend.output.database.schema import (
    SIDE_FILES,
    DatabaseError,
    check,
    create,
    explained_errors,
    made_with,
)
from urlmend.output.files import STANDARD_INPUT, identity
from urlmend.record import escaped
from urlmend.sources.containers import member_name
from urlmend.sources.mbox import Position

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch

BUSY = 5.0
"""How long to wait for another process that writes, in seconds."""

BUFFERED = 1000
"""How many occurrences, or rejects, are written at a time."""

BATCH = 10_000
"""After how many occurrences a transaction is committed, at the end of a file or of a message."""

CACHED = 1 << 16
"""About the most ids of URLs that are remembered."""

_NO_ROWS: Mapping[str, Row] = {}

COPIES, REPEATED = "copies", "repeated"
"""The keys of the number of messages of which an earlier one is a copy, and of the URLs in them."""


class State(NamedTuple):
    """How far a source has been read, and how a later change is noticed.

    `size` and `mtime` (in nanoseconds) are the file's, from before it was read. In an mbox, `position` is the message
    to continue with: the next one or, if the source is `complete`, the last one, which may have grown. `mark` is a
    checksum of the bytes before it. `fault` says why a source could not be read to its end. `content` is a
    checksum that recognises the source under another name.
    """

    size: int
    mtime: int
    complete: bool = True
    mark: bytes | None = None
    fault: str | None = None
    content: bytes | None = None
    position: Position | None = None


class Database:
    """The database at *path*. If there is none, *command* makes one with the *given* settings, and `is_new` is true.

    `query` and `selection` are the options that it was made with. Raises `DatabaseError`, and leaves the file as it
    is, if it is not a database of urlmend, or was made by another command or with other settings than those given.
    """

    def __init__(self, path: str, command: str, given: Mapping[str, str]) -> None:
        check(path)
        # Statements begin and end transactions here, not the module.
        self._db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, cached_statements=64)
        self._version = -1  # of the data: it changes when another process writes
        self._begun = False
        self._rows: dict[str, list[Row]] = {table: [] for table in COLUMNS}  # to be inserted
        self._unwritten: set[int] = set()  # the identities of messages among them
        self._ids: dict[int | None, int] = {}  # of the message that is being stored, and of those attached to it
        self._in_message = 0  # how many occurrences of it were stored
        self._next: dict[str, Iterator[int]] = {}  # free ids by table: nobody else takes them in this transaction
        self._url_ids: dict[str, int] = {}
        self.uncommitted = 0
        """How many occurrences were added since the last commit."""
        self.tally: Counter[str] = Counter()
        """The counts of a harvest. The database counts the COPIES of messages and the REPEATED URLs in them."""
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

    def _value(self, sql: str, *values: object) -> int:
        return int(self._db.execute(sql, values).fetchone()[0])

    # Sources

    def known(self, name: str) -> tuple[int, State] | None:
        """Return the id and the state of the source called *name*; `None` if there is none."""
        row = self._db.execute(_SELECT_SOURCE, (_name(name),)).fetchone()
        if row is None:
            return None
        position = None if row[-1] is None else Position(*row[-3:])
        return row[0], State._make((*row[1:-3], position))

    def sources(self) -> Iterator[tuple[int, str]]:
        """Yield the id and the name of each source."""
        return self._named("SELECT id, name FROM source ORDER BY id")

    def faults(self) -> list[tuple[int, str, str]]:
        """Return (id, name, fault) of each source that a fault kept from being read to its end."""
        rows = self._db.execute("SELECT id, name, fault FROM source WHERE fault IS NOT NULL ORDER BY id").fetchall()
        return [(number, os.fsdecode(name), fault) for number, name, fault in rows]

    def members(self, container: str) -> Iterator[tuple[int, str]]:
        """Yield the id and the name of each source that is a member of *container*."""
        first = member_name(container, "")
        bounds = (first, first[:-1] + chr(ord(first[-1]) + 1))
        # Some names may be bytes, which all come after all texts.
        values = (*map(_name, bounds), *map(os.fsencode, bounds))
        return self._named(_SELECT_MEMBERS, values)

    def with_content(self, content: bytes | None) -> Iterator[tuple[int, str]]:
        """Yield the ids and names of sources, at most 100, that were read to their end and have this *content*."""
        return self._named(_SELECT_SAME, [content])

    def rename(self, source: int, before: str, name: str) -> None:
        """Rename *source* from *before* to *name*, and its members with it."""
        for number, member in [*self.members(before), (source, before)]:
            values = (_name(name + member.removeprefix(before)), number)
            self._db.execute("UPDATE source SET name = ? WHERE id = ?", values)

    def _named(self, sql: str, values: Sequence[str | bytes | None] = ()) -> Iterator[tuple[int, str]]:
        return ((number, os.fsdecode(name)) for number, name in self._db.execute(sql, values).fetchall())

    def new(self, name: str) -> int:
        """Return the id of a new source called *name*; its state is saved later in the same transaction."""
        cursor = self._db.execute(
            "INSERT INTO source (name, size, mtime, complete) VALUES (?, 0, 0, 0)", (_name(name),)
        )
        return int(cursor.lastrowid or 0)

    def save(self, source: int, state: State) -> None:
        """Write everything that was added, and with it the *state* of its *source*."""
        self._write()
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
        self._write()
        self._forget_ids()
        found = messages = "source = :source"
        if condition:
            messages = f"{messages} AND {condition}"
            found = f"message IN (SELECT id FROM message WHERE {messages})"  # noqa: S608 -- ours
        values["source"] = source
        for statement in _DROP:
            self._db.execute(statement.format(found=found, messages=messages), values)

    # What was found

    def store(self, source: int, entries: Iterable[Entry], urls: Mapping[str, Row] = _NO_ROWS) -> int:
        """Add *entries* of *source*, in order, and return how many are occurrences.

        *urls* are rows of their URLs, as far as these are worked out.
        """
        before = self.uncommitted
        for table, number, row in entries:
            message = number and self._message_id(number)
            if table == "message":
                self._add_message(source, message, row)
                del self._ids[number]
            elif table == "occurrence":
                url, *others = row
                self._rows["occurrence"].append((source, message, self._url_id(url, urls), *others))
                self._in_message += message is not None
                self.uncommitted += 1
            else:
                self._rows["reject"].append((source, message, *row))
        if any(len(rows) >= BUFFERED for rows in self._rows.values()):
            self._write()
        return self.uncommitted - before

    def _url_id(self, url: str, urls: Mapping[str, Row]) -> int:
        text = escaped(url)
        number = self._url_ids.get(text)
        if number is None:
            known = self._db.execute("SELECT id FROM url WHERE url = ?", (text,)).fetchone()
            number = self._url_ids[text] = int(known[0]) if known else next(self._next["url"])
            if known is None:
                query = self.query
                row = urls[url] if url in urls else url_row(url, query.profile, unwrap=query.unwrap)
                self._rows["url"].append((number, text, *row))
        return number

    def _message_id(self, number: int) -> int:
        if number not in self._ids:
            self._ids[number] = next(self._next["message"])
        return self._ids[number]

    def _add_message(self, source: int, key: int | None, row: Row) -> None:
        """Add the *row* of the message with the id *key*, all of whose occurrences were stored."""
        identity, digest, *others = row
        if digest is not None:
            if identity in self._unwritten or self._value(_HAS_IDENTITY, identity):
                self.tally[COPIES] += 1
                self.tally[REPEATED] += self._in_message
            self._unwritten.add(identity)
        self._in_message = 0
        self._rows["message"].append((key, source, key if identity == OWN else identity, digest, *others))

    def _write(self) -> None:
        for table, rows in self._rows.items():
            if rows:
                self._db.executemany(_INSERT[table], rows)
                rows.clear()
        self._unwritten.clear()
        if len(self._url_ids) > CACHED:
            self._url_ids.clear()

    def _forget_ids(self) -> None:
        """Forget the ids of rows: rows were deleted, or another process has written."""
        self._url_ids.clear()
        self._unwritten.clear()
        self._ids.clear()
        self._in_message = 0

    # Transactions

    def begin(self) -> None:
        """Begin a transaction if there is none, and a step in it, a source or a part of one, which `undo` can undo."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            version = self._value("PRAGMA data_version")
            if version != self._version:  # another process has written
                self._forget_ids()
            self._version = version
        self._db.execute("SAVEPOINT source")
        self._begun = True
        for table in ("url", "message"):
            self._next[table] = count(self._value(f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))  # noqa: S608 -- ours

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
            raise DatabaseError("another process has written to it meanwhile; what was written before is kept")

    def undo(self) -> None:
        """Undo the step that has not ended, if there is one."""
        self._forget_ids()
        for rows in self._rows.values():
            rows.clear()
        if self._begun:
            self._db.execute("ROLLBACK TO source")
            self.end()

    def commit(self) -> None:
        """End the transaction, if there is one."""
        self._db.commit()
        self.uncommitted = 0


class DatabaseWriter(Writer):
    """Writes matches and rejected candidates to a new database at *path*, made with these *settings*.

    Raises `OSError` if the database cannot be made, or if there is a file that is not empty.
    """

    def __init__(self, path: str, settings: Mapping[str, str]) -> None:
        self._path = path
        self._explained = partial(explained_errors, f"{path}: ")
        self.place = os.path.realpath(path)
        """The absolute name of the database, links followed."""
        check(path)
        self._existed = Path(path).exists()  # empty, as mktemp makes it
        if not self._existed:
            os.close(os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        self.identity = identity(Path(path).stat())
        """The identity of the file."""
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
        self._rows = Rows(None)  # of it
        self._source: int | None = None  # its id, once there is something in it
        self._closed = False

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name*. The one before may not have been read to its end."""
        self._end()
        self._name = name

    def reject(self, rejected: "Rejected") -> None:
        """Add *rejected*, a candidate in the current file."""
        with self._explained():
            self._begun()
            self._rows.reject(rejected)

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Add *matches*."""
        with self._explained():
            for match in matches:
                source = self._begun()
                self._rows.add(match)
                self._database.store(source, self._rows.take())
                if self._database.uncommitted >= BATCH:
                    self._save(source, complete=False)
                    self._database.go_on()

    def end_file(self, name: str | None) -> None:  # noqa: ARG002 -- it was begun
        """End the file."""
        with self._explained():
            self._begun()
        self._end()

    def close(self) -> None:
        """Commit what is left."""
        self._end()
        with self._explained():
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
            return f"{self._path}: is incomplete, for the run did not end"
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
            self._rows = Rows(self._name)
            name = self._name or STANDARD_INPUT
            known = self._database.known(name)
            self._source = self._database.new(name) if known is None else known[0]
        return self._source

    def _end(self) -> None:
        """End the current file if anything was found in it."""
        if self._source is not None:
            with self._explained():
                self._save(self._source, complete=True)
                self._database.end()
            self._source = None

    def _save(self, source: int, *, complete: bool) -> None:
        self._rows.end_message()
        self._database.store(source, self._rows.take())
        state = State(0, 0, complete)
        with suppress(OSError):  # standard input, or it is gone
            status = os.stat(self._name or 0)
            state = State(status.st_size, status.st_mtime_ns, complete)
        self._database.save(source, state)


def _quoted(name: str) -> str:
    return f'"{name}"'


def _name(name: str) -> str | bytes:
    """Return *name* as it is stored: bytes if it is not UTF-8."""
    octets = os.fsencode(name)
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets


_INSERT = {
    table: f"INSERT INTO {table} ({', '.join(map(_quoted, names))}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608 -- ours
    for table, names in COLUMNS.items()
}

_SELECT_SOURCE = """
SELECT id, size, mtime, complete, mark, fault, content, next_message, next_offset, next_line FROM source WHERE name = ?
"""
_SELECT_SAME = "SELECT id, name FROM source WHERE content = ? AND complete LIMIT 100"
_SELECT_MEMBERS = "SELECT id, name FROM source WHERE name >= ? AND name < ? OR name >= ? AND name < ? ORDER BY name"
_UPDATE_SOURCE = """
UPDATE source SET size = ?, mtime = ?, complete = ?, mark = ?, fault = ?, content = ?, next_message = ?,
    next_offset = ?, next_line = ?
WHERE id = ?
"""
# Only outermost messages have a digest.
_HAS_IDENTITY = "SELECT EXISTS (SELECT 1 FROM message WHERE identity = ? AND digest IS NOT NULL)"
_DROP = (
    "DELETE FROM occurrence WHERE {found}",
    "DELETE FROM reject WHERE {found}",
    "DELETE FROM message WHERE {messages}",
)
_DROP_URL = """
CREATE TEMP TRIGGER url_without_occurrence AFTER DELETE ON main.occurrence
WHEN NOT EXISTS (SELECT 1 FROM occurrence WHERE url = old.url) BEGIN DELETE FROM url WHERE id = old.url; END
"""
