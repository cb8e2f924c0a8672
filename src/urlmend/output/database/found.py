"""What `find` finds, in a new database with the tables of a harvest."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from urlmend.output.database.file import DatabaseError, explained
from urlmend.output.database.sqlite import Database, State
from urlmend.output.database.surroundings import Surroundings
from urlmend.output.formats.text import STANDARD_INPUT
from urlmend.resolver import Settings
from urlmend.scanner import match_batches
from urlmend.sources import iter_texts

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch

BATCH = 10_000
"""How many rows are committed at a time."""


class FoundWriter:
    """Writes each match into a new database at *path*, where nothing is yet, made with these *options*.

    Texts are read by way of `urls`: what is rejected, and what stands around what was torn, is written with it.
    """

    def __init__(self, path: str, **options: str) -> None:
        self._path = path
        with self._telling():
            self._database = Database(path, "find", **options)
        self._file: tuple[str | None, int] | None = None  # the name and the id of what is read
        self._around: tuple[str, str] | None = None
        self._rows = 0

    def urls(
        self,
        file: Any,  # noqa: ANN401 -- any object with read(n)
        *,
        source: str,
        rejected: "Callable[[Rejected], object] | None",
        **asked: Any,  # noqa: ANN401 -- as in Settings
    ) -> "Iterator[URLMatch]":
        """Yield the URLs of *file*, as `iter_urls` does; each is written, or is not wanted, before the next."""

        def tell(candidate: "Rejected") -> None:
            with self._telling():
                self._database.reject(self._begin(file.name), candidate)
            if rejected is not None:
                rejected(candidate)

        history = Surroundings()
        settings = Settings(rejected=tell, **asked)
        for match in chain.from_iterable(match_batches(history.texts(iter_texts(file, source)), settings, history)):
            self._around = history.around(match)
            yield match

    def write(self, match: "URLMatch") -> None:
        """Add *match*, the last of `urls`."""
        with self._telling():
            source = self._begin(match.origin.source)
            self._database.add(source, match, self._around)
            self._rows += 1
            if self._rows % BATCH == 0:
                self._database.save(source, _state(match.origin.source, complete=False))
                self._database.go_on()

    def end_file(self, source: str | None) -> None:
        """Note that the file called *source* is read."""
        with self._telling():
            self._database.save(self._begin(source), _state(source))
            self._database.end()
            self._file = None

    def close(self) -> None:
        """Commit what is left."""
        with self._telling():
            self._database.commit()
            self._database.close()

    def abandon(self) -> None:
        """Close the database, if it is not: what is not committed is undone."""
        self._database.close()

    def _begin(self, name: str | None) -> int:
        """Return the id of the file called *name*, which is read from now on."""
        if self._file is not None and self._file[0] != name:
            self.end_file(self._file[0])  # it could not be read to its end
        if self._file is None:
            self._database.begin()
            shown = name or STANDARD_INPUT
            known = self._database.known(shown)
            self._file = (name, self._database.new(shown) if known is None else known[0])
        return self._file[1]

    @contextmanager
    def _telling(self) -> Iterator[None]:
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
