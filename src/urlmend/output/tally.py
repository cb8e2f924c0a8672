"""A count of texts in bounded memory: which were there before, and how often each."""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

MAX_IN_MEMORY = 64 << 20
"""How many bytes of texts are kept in memory, about. Later ones go to a temporary file."""

_OVERHEAD = 150
"""How many bytes a text takes in memory besides its characters: the object, its entry, its count."""


class Tally:
    """Counts texts. The first ones stay in memory, up to *limit* bytes; the others go to a temporary database."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = MAX_IN_MEMORY if limit is None else limit
        self._size = 0
        self._counts: dict[str, int] = {}
        self._shown: dict[str, str] = {}  # what stands for a text, where it is another one
        self._database: sqlite3.Connection | None = None

    def add(self, text: str, shown: str | None = None) -> bool:
        """Count *text*; return whether it is new. `OSError` where the temporary file cannot be written.

        What is *shown* when it is new stands for it in `counts`.
        """
        count = self._counts.get(text)
        if count is not None:
            self._counts[text] = count + 1
            return False
        if self._size < self._limit:
            self._size += len(text) + _OVERHEAD
            self._counts[text] = 1
            if shown is not None and shown != text:
                self._size += len(shown) + _OVERHEAD
                self._shown[text] = shown
            return True
        return self._add_on_disk(text, text if shown is None else shown)

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield the texts and their counts: the highest first, then in the order of their characters."""
        in_memory = ((-count, self._shown.get(text, text)) for text, count in self._counts.items())
        for count, text in heapq.merge(sorted(in_memory), self._on_disk()):
            yield text, -count

    def _add_on_disk(self, text: str, shown: str) -> bool:
        # As bytes, for half a surrogate pair is no text for SQLite. Bytes sort as characters do.
        key, value = (one.encode("utf-8", "surrogatepass") for one in (text, shown))
        with _temporary_file():
            database = self._database = self._database or _new_database()
            if database.execute("INSERT OR IGNORE INTO tally VALUES (?, 1, ?)", (key, value)).rowcount:
                return True
            database.execute("UPDATE tally SET count = count + 1 WHERE text = ?", (key,))
        return False

    def _on_disk(self) -> Iterator[tuple[int, str]]:
        if self._database is not None:
            with _temporary_file():
                for count, text in self._database.execute("SELECT -count, shown FROM tally ORDER BY 1, 2"):
                    yield count, text.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Remove the temporary file."""
        if self._database is not None:
            self._database.close()


def _new_database() -> "sqlite3.Connection":
    import sqlite3  # noqa: PLC0415 -- few need it

    # The empty name makes SQLite open a temporary file, which is gone when it is closed.
    database = sqlite3.connect("", isolation_level=None)
    database.execute("PRAGMA journal_mode=OFF")
    database.execute("CREATE TABLE tally (text BLOB PRIMARY KEY, count INTEGER, shown BLOB) WITHOUT ROWID")
    database.execute("BEGIN")
    return database


@contextmanager
def _temporary_file() -> Iterator[None]:
    """Raise SQLite's errors as `OSError`, like those of any file that cannot be written."""
    import sqlite3  # noqa: PLC0415 -- few need it

    try:
        yield
    except sqlite3.Error as error:
        message = f"temporary file: {error}"
        raise OSError(message) from error
