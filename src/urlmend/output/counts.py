"""Counts of URLs by file, host, scheme and so on, and names of files. Each writer writes rows to a `LineWriter`."""

import heapq
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import parsed
from urlmend.grammar.profiles import WEB
from urlmend.output import LineWriter, Writer
from urlmend.output.text import NONE, url_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from urlmend.grammar.urls import URL
    from urlmend.match import URLMatch


class FileCounts(Writer):
    """Writes a row for each file to *rows*: its `source`, and the `count` of its URLs, which may be 0."""

    def __init__(self, rows: LineWriter) -> None:
        self._rows = rows
        self._count = 0

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Count *matches*."""
        self.add(len(matches))

    def add(self, count: int) -> None:
        """Add *count* to the number of URLs."""
        self._count += count

    def end_file(self, name: str | None) -> None:
        """Write the row of the file called *name*."""
        self._rows.write_row({"source": name, "count": self._count})
        self._count = 0

    def close(self) -> None:
        """Close *rows*."""
        self._rows.close()


class FileNames(Writer):
    """Writes a row for each file that has URLs to *rows*, at its first URL: its `source`."""

    def __init__(self, rows: LineWriter) -> None:
        self._rows = rows
        self._written = False

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Write the row of the file of *matches*, once."""
        if not self._written:
            self._rows.write_row({"source": matches[0].origin.source})
        self._written = True

    def end_file(self, name: str | None) -> None:  # noqa: ARG002 -- the matches have the name
        """End the file: the next match is of another one."""
        self._written = False

    def close(self) -> None:
        """Close *rows*."""
        self._rows.close()


class Counted(NamedTuple):
    """Which URLs count as one: with `unwrap` by the address inside, with `normalize` by their normal form."""

    unwrap: bool = False
    normalize: bool = False

    def url(self, match: "URLMatch") -> "URL":
        """Return the URL that *match* counts for."""
        text = url_of(match, unwrap=self.unwrap)
        profile = match.profile if text == match.url else WEB
        url = parsed(text, profile)
        return normal_form(url, profile) if self.normalize else url

    def key(self, match: "URLMatch") -> str:
        """Return a text that is the same for all matches that count as one."""
        return self.url(match).text if self.normalize else url_of(match, unwrap=self.unwrap)


def host_of(url: "URL") -> str:
    """Return the host of *url* for comparisons: in lower case, without a final dot; empty if there is none."""
    return (url.host or "").lower().rstrip(".")


KEYS: "Mapping[str, Callable[[URLMatch, Counted], Sequence[str]]]" = {
    "url": lambda match, counted: (counted.key(match),),
    "host": lambda match, counted: (host_of(counted.url(match)) or NONE,),
    "scheme": lambda match, counted: (counted.url(match).scheme,),
    "departure": lambda match, _: match.departures or (NONE,),
    "form": lambda match, _: (match.form,),
}
"""The keys to count by, and the values of a match under each. A URL with several departures counts for each."""


class CountBy(Writer):
    """Writes rows to *rows* when it is closed: a value of the key *by* and its `count`, the highest count first.

    *by* is one of KEYS; `ValueError` for another one. Of the URLs that are *counted* as one, the first is written.
    """

    def __init__(self, rows: LineWriter, by: str, counted: Counted) -> None:
        if by not in KEYS:
            message = f"URLs are counted by one of {', '.join(KEYS)}, not by {by!r}"
            raise ValueError(message)
        self._rows = rows
        self._by = by
        self._counted = counted
        self._tally = Tally()

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Count *matches*."""
        keys, counted = KEYS[self._by], self._counted
        by_normal_form = self._by == "url" and counted.normalize
        for match in matches:
            shown = url_of(match, unwrap=counted.unwrap) if by_normal_form else None
            for key in keys(match, counted):
                self._tally.add(key, shown)

    def close(self) -> None:
        """Write the rows, and close *rows*."""
        for text, count in self._tally.counts():
            self._rows.write_row({self._by: None if text == NONE else text, "count": count})
        self._rows.close()
        self._tally.close()


MAX_IN_MEMORY = 64 << 20
"""About how many bytes of texts are kept in memory. The others go to a temporary file."""

_OVERHEAD = 150
"""About how many bytes a text takes in memory besides its characters: the object, its entry, its count."""


class Tally:
    """Counts texts. The first ones stay in memory, up to MAX_IN_MEMORY; the others go to a temporary database."""

    def __init__(self) -> None:
        self._size = 0
        self._counts: dict[str, int] = {}
        self._shown: dict[str, str] = {}  # only those that differ from what is counted
        self._database: sqlite3.Connection | None = None

    def add(self, text: str, shown: str | None = None) -> bool:
        """Count *text* and return whether it is new. `OSError` if the temporary file cannot be written.

        `counts` shows *shown* instead of *text* if it was given when the text was new.
        """
        count = self._counts.get(text)
        if count is not None:
            self._counts[text] = count + 1
            return False
        if self._size >= MAX_IN_MEMORY:
            return self._add_on_disk(text, text if shown is None else shown)
        self._size += len(text) + _OVERHEAD
        self._counts[text] = 1
        if shown is not None and shown != text:
            self._size += len(shown) + _OVERHEAD
            self._shown[text] = shown
        return True

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield the texts and their counts: the highest count first, then by their characters."""
        in_memory = ((-count, self._shown.get(text, text)) for text, count in self._counts.items())
        for count, text in heapq.merge(sorted(in_memory), self._on_disk()):
            yield text, -count

    def _add_on_disk(self, text: str, shown: str) -> bool:
        # SQLite takes no text with half a surrogate pair. Bytes sort as their characters do.
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

    # With an empty name SQLite opens a temporary file, and removes it when it is closed.
    database = sqlite3.connect("", isolation_level=None)
    database.execute("PRAGMA journal_mode=OFF")
    database.execute("CREATE TABLE tally (text BLOB PRIMARY KEY, count INTEGER, shown BLOB) WITHOUT ROWID")
    database.execute("BEGIN")
    return database


@contextmanager
def _temporary_file() -> Iterator[None]:
    """Raise errors of SQLite as `OSError`, as for any file that cannot be written."""
    import sqlite3  # noqa: PLC0415 -- few need it

    try:
        yield
    except sqlite3.Error as error:
        message = f"temporary file: {error}"
        raise OSError(message) from error
