"""The URLs of Apache Arrow record batches (the extra `arrow`), for Spark, Ray, Daft, Polars and DuckDB."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO, StringIO
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from urlmend.extract import Readable, iter_urls
from urlmend.grammar.profiles import WEB, Profile
from urlmend.match import URLMatch
from urlmend.output.formats.batches import SCHEMA, Gathering, match_columns, reject_columns
from urlmend.resolver import Join, check_join
from urlmend.scan.triggers import may_hold_urls
from urlmend.scanner import Scanner
from urlmend.sources import Origin, SourceError, Text, open_source
from urlmend.sources.reader import CHUNK_SIZE

__all__ = ["MAX_BYTES", "MAX_ROWS", "SCHEMA", "extract_batches", "schema_for"]

MAX_ROWS = 10_000
"""How many rows a batch that comes out has at most."""

MAX_BYTES = 1 << 24
"""How large a batch that comes out becomes, about, in bytes: one row at least."""

_STRINGS = ("string", "large_string", "string_view")
_BINARIES = ("binary", "large_binary", "binary_view", "fixed_size_binary", "null")
_OF_STRINGS = ("text", "auto")

# Bytes that are text as they stand: neither compressed nor UTF-16, and without a byte order mark.
_PLAIN = re.compile(rb"(?!\x1f\x8b|BZh|\xfd7z|\x28\xb5\x2f|\xef\xbb|\xff\xfe|\xfe\xff|.?\0)", re.DOTALL)

_AT_ONCE = 1000
"""How many matches of a file are taken on together."""

NOWHERE = Origin()
"""Where the texts of rows come from."""


def schema_for(schema: Any, keep: Sequence[str] = ("id",)) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return the schema of what `extract_batches` makes of batches with *schema*: the columns *keep*, then SCHEMA.

    Raises `ValueError` for a column that is not there, or is called as one of SCHEMA.
    """
    for name in keep:
        if name in SCHEMA.names:
            message = f"the column {name!r} cannot be kept: what is found has one of that name; rename it before"
            raise ValueError(message)
    return pa.schema([*(schema.field(_index(schema, name)) for name in keep), *SCHEMA])


def extract_batches(  # noqa: PLR0913 -- each is asked for by name
    batches: Iterable[Any],
    text: str = "text",
    keep: Sequence[str] = ("id",),
    *,
    source: str | Callable[[Readable], Iterable[Text]] = "text",
    profile: Profile = WEB,
    join: Join = "evident",
    rejects: bool = False,
    max_rows: int = MAX_ROWS,
    max_bytes: int = MAX_BYTES,
) -> Iterator[Any]:
    """Yield record batches with a row for each URL in the column *text* of *batches*; `schema_for` tells their schema.

    The text of a row is one file: what is found in it does not depend on other rows. Of a column of strings it is read
    as a text file is, and `start` and `end` count characters, from 0; of a column of bytes as *source* says (as in
    `iter_urls`: `message` for one message a row, `mbox` for archives or pieces of them), and they count bytes. Either
    may be dictionary-encoded. Nulls and empty texts hold nothing. The columns *keep* are copied from the row.

    With *rejects*, what is no URL under *profile* has its rows too, in batches of their own; where a row cannot be read
    to its end (broken compression, a broken web archive), what ended it is one of them, with the rule `source`. Content
    never raises.

    Of each batch come none or more, in its order, of at most *max_rows* rows and about *max_bytes* bytes. Besides one
    of each kind, a row's text and the matches in 256 KB of it are held. Raises `ValueError` for a column that is not
    there or a *source* or *join* that is none, and `TypeError` for a column that holds no text.
    """
    check_join(join)
    open_source(source)
    if max_rows < 1:
        message = f"max_rows must be at least 1, not {max_rows}"
        raise ValueError(message)
    extraction = _Extraction(text, tuple(keep), source, profile, join, rejects, max_rows, max_bytes)
    return (made for batch in batches for made in extraction.of(batch))


class Unreadable(NamedTuple):
    """What ended the reading of a row, as a reject."""

    text: str
    origin: Origin = NOWHERE
    rule: str = "source"
    pos: int = 0
    raw: str = ""
    start: int = 0
    end: int = 0
    line: int = 1
    column: int = 1
    form: str = ""

    @property
    def error(self) -> "Unreadable":
        """What has the rule and the place."""
        return self


class _Extraction(NamedTuple):
    """What `extract_batches` was asked for."""

    text: str
    keep: tuple[str, ...]
    source: str | Callable[[Readable], Iterable[Text]]
    profile: Profile
    join: Join
    rejects: bool
    max_rows: int
    max_bytes: int

    def of(self, batch: Any) -> Iterator[Any]:  # noqa: ANN401 -- Arrow has no types
        """Yield what is found in *batch*, in batches."""
        schema = schema_for(batch.schema, self.keep)
        texts = batch.column(_index(batch.schema, self.text))
        self._check(texts.type)
        kept = [batch.column(_index(batch.schema, name)) for name in self.keep]
        ready: list[Any] = []
        limits = self.max_rows, self.max_bytes
        matches = Gathering(match_columns, schema, kept, ready, *limits)
        rejects = Gathering(reject_columns, schema, kept, ready, *limits)
        for row, data in enumerate(_values(texts)):
            if data:
                for found in self._urls(data, partial(_add, rejects, row) if self.rejects else None):
                    matches.extend(row, found)
                    yield from ready
                    ready.clear()
        matches.finish()
        rejects.finish()
        yield from ready

    def _check(self, type: Any) -> None:  # noqa: A002, ANN401 -- Arrow's type
        value = type.value_type if pa.types.is_dictionary(type) else type
        name = str(value).partition("[")[0]
        if name not in {*_STRINGS, *_BINARIES}:
            message = f"the column {self.text!r} holds {type}, and not strings or bytes"
            raise TypeError(message)
        if name in _STRINGS and self.source not in _OF_STRINGS and not callable(self.source):
            message = f"the column {self.text!r} holds {type}, but {self.source!r} is read from bytes"
            raise TypeError(message)

    def _urls(self, data: str | bytes, rejected: Callable[[Any], None] | None) -> Iterable[list[URLMatch]]:
        """Return the URLs in *data*, the text of a row, in lists."""
        plain = self.source in _OF_STRINGS if isinstance(data, str) else self.source == "text" and _PLAIN.match(data)
        if not plain:
            return self._in_file(data, rejected)
        whole = len(data) <= CHUNK_SIZE
        if whole and not may_hold_urls(data):
            return ()
        scanner = Scanner(profile=self.profile, join=self.join, rejected=rejected, origin=NOWHERE)
        if whole:
            return (scanner.feed(data) + scanner.close(),)
        pieces = (data[start : start + CHUNK_SIZE] for start in range(0, len(data), CHUNK_SIZE))
        return chain(map(scanner.feed, pieces), (scanner.close() for _ in (None,)))

    def _in_file(self, data: str | bytes, rejected: Callable[[Any], None] | None) -> Iterator[list[URLMatch]]:
        file = StringIO(data) if isinstance(data, str) else BytesIO(data)
        found: list[URLMatch] = []
        try:
            for match in iter_urls(file, source=self.source, profile=self.profile, join=self.join, rejected=rejected):
                found.append(match)
                if len(found) == _AT_ONCE:
                    yield found
                    found = []
        except SourceError as error:
            if rejected:
                rejected(Unreadable(str(error)))
        yield found


def _values(column: Any) -> Iterator[str | bytes | None]:  # noqa: ANN401 -- Arrow has no types
    """Yield the values of *column*; about CHUNK_SIZE bytes of them are in hand."""
    step = 1 + CHUNK_SIZE * len(column) // max(1, column.nbytes)
    for start in range(0, len(column), step):
        yield from column.slice(start, step).to_pylist()


def _add(rejects: Gathering, row: int, reject: Any) -> None:  # noqa: ANN401 -- a reject
    rejects.extend(row, [reject])


def _index(schema: Any, name: str) -> int:  # noqa: ANN401 -- Arrow has no types
    index: int = schema.get_field_index(name)
    if index < 0:
        message = f"there is no one column {name!r} among {', '.join(schema.names)}"
        raise ValueError(message)
    return index
