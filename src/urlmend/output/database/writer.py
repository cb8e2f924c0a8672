"""What `find` finds, in a new database with the tables of a harvest."""

import os
import sqlite3
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from urlmend.output import Writer
from urlmend.output.database.database import Database, State
from urlmend.output.database.schema import SIDE_FILES, DatabaseError, explained_errors, settings_of
from urlmend.output.files import STANDARD_INPUT, Identity, identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlmend.match import Rejected, URLMatch
    from urlmend.query import Query

BATCH = 10_000
"""How many rows are committed at a time."""


class DatabaseWriter(Writer):
    """Writes each match to a new database at *path*, and rejected candidates too. It was made with the options *query*.

    Raises `OSError` if the database cannot be made, or if there is a file that is not empty.
    """

    def __init__(self, path: str, query: "Query") -> None:
        self._path = path
        self.place = os.path.realpath(path)
        """The absolute name of the database, links followed."""
        self._existed = Path(path).exists()  # empty, as mktemp makes it
        if not self._existed:
            os.close(os.open(self.place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        try:
            with self._explained():
                self._database = Database(path, "find", settings_of(query))
        except BaseException:
            self._remove()
            raise
        if not self._database.is_new:
            self._database.close()
            message = f"{path}: another run has made it meanwhile; find makes a new database"
            raise DatabaseError(message)
        self._name: str | None = None  # of the file that is read
        self._source: int | None = None  # its id, once there is something in it
        self._rows = 0
        self._closed = False

    @property
    def identity(self) -> Identity | None:
        """The identity of the file."""
        return identity(Path(self._path).stat())

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name*. The one before may not have been read to its end."""
        self._end()
        self._name = name

    def reject(self, rejected: "Rejected") -> None:
        """Add *rejected*, a candidate in the present file."""
        with self._explained():
            self._database.reject(self._begun(), rejected)

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Add *matches*."""
        with self._explained():
            for match in matches:
                source = self._begun()
                self._database.add(source, match)
                self._rows += 1
                if self._rows % BATCH == 0:
                    self._database.save(source, self._state(complete=False))
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
        """Close the database with the files that were read to their ends; remove it if there are none.

        Return a message about the database if it stays.
        """
        if self._closed:
            return None
        with suppress(sqlite3.Error, DatabaseError):
            self._database.undo()
            self._database.commit()
        sources = 0
        with suppress(sqlite3.Error):
            sources = self._database.count()
        with suppress(sqlite3.Error):
            self._database.close()
        if sources:
            return f"{self._path}: is incomplete, for the run did not end"
        self._remove()
        return None

    def _remove(self) -> None:
        if self._existed:
            os.truncate(self.place, 0)
            return
        for end in ("", *SIDE_FILES):
            Path(self.place + end).unlink(missing_ok=True)

    def _explained(self) -> AbstractContextManager[None]:
        return explained_errors(f"{self._path}: ")

    def _begun(self) -> int:
        """Return the id of the present file, which begins with the first thing that is found in it."""
        if self._source is None:
            self._database.begin()
            self._database.reading = self._name
            name = self._name or STANDARD_INPUT
            known = self._database.known(name)
            self._source = self._database.new(name) if known is None else known[0]
        return self._source

    def _end(self) -> None:
        """End the present file if there is anything in it."""
        if self._source is not None:
            with self._explained():
                self._database.save(self._source, self._state())
                self._database.end()
            self._source = None

    def _state(self, *, complete: bool = True) -> State:
        try:
            status = os.stat(self._name or 0)  # noqa: PTH116 -- or a number
        except OSError:  # standard input, or it is gone
            return State(0, 0, complete=complete)
        return State(status.st_size, status.st_mtime_ns, complete=complete)
