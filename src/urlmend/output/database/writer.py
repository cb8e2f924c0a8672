"""What `find` finds, in a new database with the tables of a harvest."""

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from urlmend.output import Writer
from urlmend.output.database.file import SIDE_FILES, DatabaseError, explained
from urlmend.output.database.sqlite import Database, State
from urlmend.output.files import STANDARD_INPUT, Identity, identity

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch

BATCH = 10_000
"""How many rows are committed at a time."""


_TAKEN = "{}: another run has made it meanwhile; find makes a new database"


class DatabaseWriter(Writer):
    """Writes each match into a new database at *path*, made with these *options* at the first match or reject.

    Where a file that is not empty is there, or the place cannot be written, that is an `OSError`. Rejected
    candidates are added by `reject`.
    """

    def __init__(self, path: str, **options: str) -> None:
        place = Path(os.path.realpath(path)).parent
        if not place.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self._path = path
        self._existed = Path(path).exists()  # empty, as mktemp makes it
        self._created = False
        self._options = options
        self._made: Database | None = None
        self._file: tuple[str | None, int] | None = None  # the name and the id of what is read
        self._name: str | None = None  # of the file that is read
        self._rows = 0
        self._committed = False
        self._closed = False

    @property
    def place(self) -> str:
        """The absolute name of the database, links followed."""
        return os.path.realpath(self._path)

    @property
    def identity(self) -> Identity | None:
        """The identity of the file, if it is there."""
        with suppress(OSError):
            return identity(Path(self._path).stat())
        return None

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name*."""
        self._name = name

    def reject(self, rejected: "Rejected") -> None:
        """Add *rejected*, a candidate in the present file."""
        with self._explaining():
            self._database.reject(self._begin(self._name), rejected)

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Add *matches*."""
        with self._explaining():
            for match in matches:
                source = self._begin(self._name)
                self._database.add(source, match)
                self._rows += 1
                if self._rows % BATCH == 0:
                    self._database.save(source, _state(self._name, complete=False))
                    self._database.go_on()
                    self._committed = True

    def end_file(self, name: str | None) -> None:
        """End the file called *name*."""
        with self._explaining():
            self._database.save(self._begin(name), _state(name))
            self._database.end()
            self._file = None

    def close(self) -> None:
        """Commit what is left."""
        with self._explaining():
            self._database.commit()
            self._database.close()
        self._closed = True

    def abandon(self) -> str | None:
        """Close the database with the files that were read to their ends; remove it if it has none.

        Return what is to be said of it, if it stays.
        """
        if self._closed:
            return None
        if self._made is not None:
            with suppress(sqlite3.Error, DatabaseError):
                self._made.undo()
                self._made.commit()
                self._committed = self._made.count() > 0
            with suppress(sqlite3.Error):
                self._made.close()
        if self._committed:
            return f"{self._path}: is incomplete, for the run did not end"
        if self._created:
            for end in ("", *SIDE_FILES):
                Path(self.place + end).unlink(missing_ok=True)
        elif self._made is not None:
            os.truncate(self.place, 0)
        return None

    @property
    def _database(self) -> Database:
        if self._made is None:
            self._create()
            database = Database(self._path, "find", **self._options)
            if not database.is_new:
                database.close()
                raise DatabaseError(_TAKEN.format(self._path))
            self._made = database
        return self._made

    def _create(self) -> None:
        """Create the file, which no other run does then; unless it was there, and empty."""
        if not self._existed and not self._created:
            try:
                os.close(os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            except FileExistsError:
                raise DatabaseError(_TAKEN.format(self._path)) from None
            self._created = True

    def _begin(self, name: str | None) -> int:
        """Return the id of the file called *name*, which is read from now on."""
        if self._file is not None and self._file[0] != name:
            self.end_file(self._file[0])  # it could not be read to its end
        if self._file is None:
            self._database.begin()
            self._database.read_from(name)
            shown = name or STANDARD_INPUT
            known = self._database.known(shown)
            self._file = (name, self._database.new(shown) if known is None else known[0])
        return self._file[1]

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise what SQLite raises as a `DatabaseError` with the name of the file."""
        try:
            yield
        except sqlite3.Error as error:
            message = f"{self._path}: {explained(error)}"
            raise DatabaseError(message) from error


def _state(name: str | None, *, complete: bool = True) -> State:
    try:
        status = os.stat(name or 0)  # noqa: PTH116 -- or a number
    except OSError:  # standard input, or it is gone
        return State(0, 0, complete=complete)
    return State(status.st_size, status.st_mtime_ns, complete=complete)
