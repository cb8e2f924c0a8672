"""Counts of URLs by file, host, scheme, year and so on, and names of files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from urlmend.grammar.profiles import WEB
from urlmend.match import URLMatch
from urlmend.output import Format, LineWriter, Writer
from urlmend.output.text import url_of
from urlmend.sources import Origin

if TYPE_CHECKING:
    import sqlite3

    from urlmend.facts import URLFacts


def _no_lines(_: Sequence[URLMatch]) -> str:
    return ""


class FileCounts(LineWriter):
    """Writes a row for each file: its `source`, and the `count` of its URLs, which may be 0."""

    def __init__(self, out: TextIO, line_format: Format) -> None:
        super().__init__(out, line_format)
        self.lines = _no_lines

    def write(self, found: Any, /) -> None:  # noqa: ANN401 -- `Matches`
        """Write nothing before the end of the file."""

    def end_file(self, name: str | None, count: int) -> None:
        """Write the row of the file called *name*."""
        self.write_row({"source": name, "count": count})


class FileNames(FileCounts):
    """Writes a row for each file that has URLs: its `source`. The caller stops reading a file at its first URL."""

    def end_file(self, name: str | None, count: int) -> None:
        """Write the row of the file called *name*, if it has a URL."""
        if count:
            self.write_row({"source": name})


class Counting(NamedTuple):
    """What is counted: links, or every place of a URL (`occurrences`). Without `copies`, those of a message are one."""

    occurrences: bool = False
    header_fields: bool = False
    no_signature: bool = False
    no_quoted: bool = False
    copies: bool = False

    def columns(self, by: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the columns of counts by the keys *by*."""
        return (*by, "occurrences" if self.occurrences else "links")


FactsOf = Callable[[URLMatch], "URLFacts"]
"""Returns the facts of the URL that a match counts as."""


def counted_as(*, unwrap: bool, normalize: bool) -> FactsOf:
    """Return a function that returns the facts of the URL that a match counts as.

    With *unwrap* that is the address inside, with *normalize* its normal form.
    """
    from urlmend.facts import facts_of  # noqa: PLC0415 -- printing URLs needs none

    if not unwrap and not normalize:
        return lambda match: facts_of(match.url, match.profile)
    from urlmend.grammar.normalize import normal_form  # noqa: PLC0415 -- likewise

    def facts(match: URLMatch) -> "URLFacts":
        text = url_of(match, unwrap=unwrap)
        profile = match.profile if text == match.url else WEB
        if normalize:
            text = normal_form(facts_of(text, profile).parts, profile).text
        return facts_of(text, profile)

    return facts


def _month(origin: Origin) -> str:
    """Return the year and the month in which the message was sent; empty if that is not known."""
    sent = origin.sent
    return sent.isoformat()[: len("2003-07")] if sent else ""


KEYS: Mapping[str, Callable[[URLMatch, "URLFacts"], Sequence[str | None]]] = {
    "url": lambda _, facts: (facts.url,),
    "host": lambda _, facts: (facts.host_name,),
    "domain": lambda _, facts: (facts.domain,),
    "scheme": lambda _, facts: (facts.scheme,),
    "departure": lambda match, _: match.departures,
    "form": lambda match, _: (match.form,),
    "year": lambda match, _: (_month(match.origin)[: len("2003")],),
    "month": lambda match, _: (_month(match.origin),),
    "author": lambda match, _: (match.origin.author,),
    "newsgroup": lambda match, _: match.origin.newsgroups,
    "part": lambda match, _: (match.origin.part,),
    "page": lambda match, _: (match.origin.target_uri,),
}
"""The keys to count by, and what gives the values of a match and the URL that it counts as. Each value counts."""


def _text_of(values: Sequence[str | None]) -> str:
    """Return one text for *values*, which may have any characters; an empty one is none."""
    if len(values) == 1:
        return values[0] or ""
    import json  # noqa: PLC0415 -- most commands count no URLs

    return json.dumps([value or "" for value in values], ensure_ascii=False)


def _values_of(text: str, number: int) -> Sequence[str]:
    """Return the *number* of values that `_text_of` has made *text* of."""
    if number == 1:
        return [text]
    import json  # noqa: PLC0415 -- likewise

    values: list[str] = json.loads(text)
    return values


class Counts(Writer):
    """Counts matches by the keys *by*, names in KEYS. Those with the same URL by *facts* (`counted_as`) are one.

    What counts is a link: a pair of message and URL. It counts once for each value of a key that differs between its
    places, or between copies of the message. If *counting* has `copies`, each copy is a message of its own; if it has
    `occurrences`, each place of a URL counts. URLs in header fields other than Subject count only if it has
    `header_fields`. The caller leaves out what is in signatures or quotes. `close` writes the rows to *out*. Methods
    raise `OSError` if a temporary file cannot be written.
    """

    def __init__(self, by: Sequence[str], facts: FactsOf, counting: Counting, out: LineWriter | None = None) -> None:
        from hashlib import blake2b  # noqa: PLC0415 -- slow to import, and most commands count no links

        self._hash = partial(blake2b, digest_size=16)
        self._columns = counting.columns(by)
        self._out = out
        self._values = [KEYS[name] for name in by]
        self._facts = facts
        self._counting = counting
        self._files = 0
        # What is worked out once for each text: its origin, whether it counts, and its message, unless places count.
        self._origin: Origin | None = None
        self._is_counted = True
        self._message: str | None = None
        self._last: object = None  # the message of the text before, if its file has no name
        self._links = Tally()
        self._tally = Tally()

    def begin_file(self, name: str | None) -> None:  # noqa: ARG002 -- the matches have the name
        """Begin a file. Its messages are new ones, even if it has the name of the file before."""
        self._files += 1
        self._origin = None

    def write(self, matches: Iterable[URLMatch]) -> None:
        """Count *matches*."""
        for match in matches:
            if match.origin is not self._origin:
                self._origin = origin = match.origin
                self._is_counted = self._counting.header_fields or not origin.in_header
                by_place = self._counting.occurrences or not origin.in_message
                self._message = None if by_place else self._message_of(origin)
            if not self._is_counted:
                continue
            facts = self._facts(match)
            for key in product(*[values(match, facts) or ("",) for values in self._values]):
                text = _text_of(key)
                if self._message is not None:
                    link = self._hash(_octets(f"{self._message}\n{facts.url}\n{text}")).hexdigest()
                    if not self._links.add(link):
                        continue
                self._tally.add(text)

    def rows(self) -> Iterator[tuple[list[str | None], int]]:
        """Yield the values of the keys and how many links have them, the highest number first."""
        for text, number in self._tally.counts():
            yield [value or None for value in _values_of(text, len(self._values))], number

    def close(self) -> None:
        """Write the rows, and remove the temporary files."""
        if self._out is not None:
            for values, number in self.rows():
                self._out.write_row(dict(zip(self._columns, (*values, number), strict=True)))
            self._out.close()
        self._links.close()
        self._tally.close()

    def _message_of(self, origin: Origin) -> str:
        """Return the identity of the message of a text; without *copies*, all copies of a message have the same."""
        header = origin.header
        identity = header.identity if header and not self._counting.copies else None
        if identity:
            return identity
        if origin.source is None and origin.message_object is not self._last:
            # It may be in another file, which has no name either.
            self._files += 1
            self._last = origin.message_object
        part = header.within[1] if header and header.within else ""
        return f"{self._files} {origin.source}\n{origin.message}\n{part}"


def count(  # noqa: PLR0913 -- each is asked for by name
    matches: Iterable[URLMatch],
    by: str | Sequence[str] = "url",
    *,
    occurrences: bool = False,
    header_fields: bool = False,
    copies: bool = False,
    unwrap: bool = False,
    normalize: bool = False,
) -> dict[Any, int]:
    r"""Return the number of links for each value of a key, the highest first, as `urlmend --count-by` counts them.

    *by* is a key of `urlmend --count-by list`, or several, as a list or with commas, for which the values are tuples;
    `None` is a URL without a host, a message without a date and so on. A link is a pair of a message and a URL, and
    copies of a message, which have the same Message-ID and date, are one, except with *copies*. In files without
    messages each match counts; with *occurrences*, in all files. URLs in header fields other than Subject count only
    with *header_fields*. With *unwrap*, the address inside a URL counts; with *normalize*, equivalent URLs are one.

    Raises `ValueError` for an unknown key, and `OSError` if a temporary file cannot be written.

    >>> import io
    >>> from urlmend import count, iter_urls
    >>> mail = b"From: jane@a.example\n\nhttp://a.example/b\n> http://a.example/b and http://a.example/c\n"
    >>> count(iter_urls(io.BytesIO(mail)), "host"), count(iter_urls(io.BytesIO(mail)), "scheme,host")
    ({'a.example': 2}, {('http', 'a.example'): 2})
    >>> count(iter_urls(io.BytesIO(mail)), occurrences=True)
    {'http://a.example/b': 2, 'http://a.example/c': 1}
    """
    if isinstance(by, str) and "," in by:
        by = by.split(",")
    names = (by,) if isinstance(by, str) else tuple(by)
    for name in names:
        if name not in KEYS:
            raise ValueError(f"by must be one of {', '.join(KEYS)}, not {name!r}")
    counting = Counting(occurrences, header_fields, copies=copies)
    with closing(Counts(names, counted_as(unwrap=unwrap, normalize=normalize), counting)) as counts:
        counts.write(matches)
        return {values[0] if isinstance(by, str) else tuple(values): number for values, number in counts.rows()}


MAX_IN_MEMORY = 64 << 20
"""About how many bytes of texts are kept in memory. The others go to a temporary file."""

_OVERHEAD = 220
"""About how many bytes a text takes in memory besides its characters: the object, its entry, its count."""


class Tally:
    """Counts texts in memory. Whenever they take up MAX_IN_MEMORY, they are moved to a temporary database."""

    def __init__(self) -> None:
        self._size = 0
        self._counts: dict[str, int] = {}  # of the texts in memory
        self._database: sqlite3.Connection | None = None

    def add(self, text: str) -> bool:
        """Count *text*, and return whether it is new. Raises `OSError` if the temporary file cannot be written."""
        if text in self._counts:
            self._counts[text] += 1
            return False
        if self._size >= MAX_IN_MEMORY:
            self._move_to_disk()
        self._size += len(text) + _OVERHEAD
        self._counts[text] = 1
        if self._database is None:
            return True
        with _temporary_file():
            return self._database.execute("SELECT 1 FROM tally WHERE text = ?", (_octets(text),)).fetchone() is None

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield the texts and their counts: the highest count first, then by their characters."""
        if self._database is None:
            yield from sorted(self._counts.items(), key=lambda row: (-row[1], row[0]))
            return
        self._move_to_disk()
        with _temporary_file():
            for text, count in self._database.execute("SELECT text, count FROM tally ORDER BY count DESC, text"):
                yield text.decode("utf-8", "surrogatepass"), count

    def _move_to_disk(self) -> None:
        import sqlite3  # noqa: PLC0415 -- few need it

        with _temporary_file():
            if self._database is None:
                # With an empty name SQLite opens a temporary file, and removes it when it is closed.
                self._database = sqlite3.connect("", isolation_level=None)
                self._database.executescript(_TABLE)
            self._database.executemany(_ADD, ((_octets(text), count) for text, count in self._counts.items()))
        self._counts.clear()
        self._size = 0

    def close(self) -> None:
        """Remove the temporary file."""
        if self._database is not None:
            self._database.close()


_TABLE = """
PRAGMA journal_mode = OFF;
CREATE TABLE tally (text BLOB PRIMARY KEY, count INTEGER) WITHOUT ROWID;
BEGIN
"""
_ADD = "INSERT INTO tally VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"


def _octets(text: str) -> bytes:
    """Return *text* as bytes, which sort like its characters. SQLite cannot store half a surrogate pair as text."""
    return text.encode("utf-8", "surrogatepass")


def _temporary_file() -> AbstractContextManager[None]:
    """Raise errors of SQLite as `OSError`, as for any file that cannot be written."""
    from urlmend.output.database.schema import explained_errors  # noqa: PLC0415 -- few need it

    return explained_errors("temporary file: ")
