"""The URLs of Apache Arrow record batches (the extra `arrow`), for Spark, Ray, Daft, Polars and DuckDB."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO, StringIO
from typing import Any, NamedTuple, TypedDict, Unpack

import pyarrow as pa

from urlmend.extract import Readable
from urlmend.grammar.profiles import Profile
from urlmend.match import URLMatch
from urlmend.output.arrow import SCHEMA, Gathering, Kept, Limits, match_columns, reject_columns
from urlmend.query import Join, Query
from urlmend.scan.candidates import BLOCK_SIZE
from urlmend.scan.ordinary import prefilter
from urlmend.scanner import StreamScanner, match_batches
from urlmend.sources import Origin, SourceError, Text, iter_texts
from urlmend.sources.reader import CHUNK_SIZE

__all__ = ["MAX_BYTES", "MAX_ROWS", "SCHEMA", "Options", "extract_batches", "schema_for"]

MAX_ROWS = 10_000
"""How many rows a batch that comes out has at most."""

MAX_BYTES = 1 << 24
"""How many bytes a batch that comes out has, about. It has one row at least."""

_STRINGS = ("string", "large_string", "string_view")
_BINARIES = ("binary", "large_binary", "binary_view", "fixed_size_binary", "null")
_OF_STRINGS = ("text", "auto")

# Bytes that are text as they stand: neither compressed nor UTF-16, and without a byte order mark.
_PLAIN = re.compile(rb"(?!\x1f\x8b|BZh|\xfd7z|\x28\xb5\x2f|\xef\xbb|\xff\xfe|\xfe\xff|.?\0)", re.DOTALL)

NOWHERE = Origin()
"""The origin of the texts of rows: none is known."""


class Options(TypedDict, total=False):
    """What is asked of every text, by keyword. Whoever reads texts or files under this schema takes these.

    `source` says what they are: a key of `urlmend.sources.SOURCES`, or a function, as in `iter_urls`. `profile`,
    `join`, `min_confidence`, `schemeless`, `addresses` and `refang` are as there. With `rejects`, what is no URL under
    the profile has its rows too, in batches of their own. Where a text cannot be read to its end (broken
    compression, a broken web archive), the reason is one of these, under the rule `source`. With `unwrap`, `target` is
    the address that a URL wraps; else it is null.
    """

    source: str | Callable[[Readable], Iterable[Text]]
    profile: Profile
    join: Join
    rejects: bool
    min_confidence: float
    schemeless: bool
    addresses: bool
    refang: bool
    unwrap: bool


def query_of(options: Options, *, source: str = "text") -> Query:
    """Return the query that *options* make; *source* is the default.

    Raises `TypeError` for an unknown option or a wrong profile, and `ValueError` for a wrong value.
    """
    known = Options.__annotations__
    if unknown := options.keys() - known.keys():
        message = f"there is no option {', '.join(sorted(unknown))}; there are {', '.join(known)}"
        raise TypeError(message)
    values = {name: value for name, value in options.items() if name != "rejects"}
    return Query(**{"source": source, **values})  # type: ignore[arg-type]


def schema_for(schema: Any, keep: Sequence[str] = ("id",)) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return the schema of what `extract_batches` makes of batches with *schema*: the columns *keep*, then SCHEMA.

    Raises `ValueError` for a column that is not there, or is called as one of SCHEMA.
    """
    for name in _names(keep):
        if name in SCHEMA.names:
            message = f"the column {name!r} cannot be kept: the URLs have a column of that name; rename it before"
            raise ValueError(message)
    return pa.schema([*(schema.field(_index(schema, name)) for name in keep), *SCHEMA])


def extract_batches(
    batches: Iterable[Any],
    text: str = "text",
    keep: Sequence[str] = ("id",),
    *,
    max_rows: int = MAX_ROWS,
    max_bytes: int = MAX_BYTES,
    **options: Unpack[Options],
) -> Iterator[Any]:
    """Yield record batches with a row for each URL in the column *text* of *batches*; `schema_for` gives their schema.

    The text of a row is one file: what is found in it does not depend on other rows. A column of strings is read as a
    text file is, and `start` and `end` count characters, from 0. A column of bytes is read as the option *source* says
    (default `text`; `message` for one message a row, `mbox` for archives or pieces of them), and they count bytes.
    Either may be dictionary-encoded. Nulls and empty texts hold nothing. The columns *keep* are copied from the row.
    The other options are those of `Options`. No content raises.

    Each batch gives none or more, in its order, of at most *max_rows* rows and about *max_bytes* bytes. In memory are
    one of each kind, a row's text and the matches in 256 KB of it. Raises `ValueError` for a column that is not there
    or an option's value that is none, and `TypeError` for a column that holds no text, for batches that are none and
    for an option that is none.
    """
    query = query_of(options)
    if isinstance(batches, (str, bytes, pa.RecordBatch, pa.Table)):
        message = f"batches must be an iterable of record batches, not one {type(batches).__name__}"
        raise TypeError(message)
    if not isinstance(text, str):
        message = f"text must be the name of a column, not {text!r}"
        raise TypeError(message)
    for name, value in (("max_rows", max_rows), ("max_bytes", max_bytes)):
        if value < 1:
            message = f"{name} must be at least 1, not {value}"
            raise ValueError(message)
    extraction = _Extraction(
        text, tuple(_names(keep)), query, Limits(max_rows, max_bytes), rejects=options.get("rejects", False)
    )
    return (made for batch in iter(batches) for made in extraction.of(batch))


class Unreadable(NamedTuple):
    """The reason why a row was not read to its end, in the form of a reject."""

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
    exact: bool = False

    @property
    def error(self) -> "Unreadable":
        """This value: it has the rule and the place."""
        return self


class _Extraction(NamedTuple):
    """What `extract_batches` was asked for."""

    text: str
    keep: tuple[str, ...]
    query: Query
    limits: Limits
    rejects: bool

    def of(self, batch: Any) -> Iterator[Any]:  # noqa: ANN401 -- Arrow has no types
        """Yield the URLs in *batch*, in batches."""
        if not isinstance(batch, (pa.RecordBatch, pa.Table)):
            message = f"batches must be pyarrow.RecordBatch objects, not {type(batch).__name__}"
            raise TypeError(message)
        schema = schema_for(batch.schema, self.keep)
        texts = batch.column(_index(batch.schema, self.text))
        self._check(texts.type)
        kept = Kept([batch.column(_index(batch.schema, name)) for name in self.keep], schema)
        ready: list[Any] = []
        matches = Gathering(partial(match_columns, unwrap=self.query.unwrap), kept, ready, self.limits)
        rejects = Gathering(reject_columns, kept, ready, self.limits)
        row = 0
        urls = _Rows(self.query, (lambda reject: rejects.extend(row, [reject])) if self.rejects else None).urls
        for row, data in enumerate(_values(texts)):
            if data:
                for found in urls(data):
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
        if name in _STRINGS and self.query.source not in _OF_STRINGS and not callable(self.query.source):
            message = f"the column {self.text!r} holds {type}, but {self.query.source!r} is read from bytes"
            raise TypeError(message)


class _Rows:
    """Finds the URLs in the texts of rows, each a stream of its own; *rejected* is told of what is none."""

    def __init__(self, query: Query, rejected: Callable[[Any], None] | None) -> None:
        self._query = query
        self._source = query.source
        self._rejected = rejected
        self._prefilter = prefilter(query)
        self._scanner = StreamScanner(query, NOWHERE, rejected, binary=False)

    def urls(self, data: str | bytes) -> Iterable[list[URLMatch]]:
        """Return the URLs in *data*, the text of a row, in lists."""
        if isinstance(data, bytes):
            is_text, colon = self._source == "text" and _PLAIN.match(data) is not None, data.find(b":")
        else:
            is_text, colon = self._source in _OF_STRINGS, data.find(":")
        if not is_text:
            return self._in_file(data)
        if colon < 0 and not self._query.on_request:
            return ()
        if len(data) > BLOCK_SIZE:
            return self._in_pieces(data)
        if isinstance(data, bytes):
            spans = list(self._prefilter.search(data))
        elif data.isascii():
            spans = list(self._prefilter.search(data.encode()))
        else:
            spans = list(self._prefilter.search_text(data, 0))
        if not spans:
            return ()
        if isinstance(data, bytes):
            if not data.isascii():
                return self._in_pieces(data)
            data = data.decode("ascii")
        return (self._scanner.whole(Text(data, NOWHERE, spans=spans)),)

    def _in_pieces(self, data: str | bytes) -> Iterator[list[URLMatch]]:
        scanner = StreamScanner(self._query, NOWHERE, self._rejected, binary=isinstance(data, bytes))
        for start in range(0, len(data), CHUNK_SIZE):
            yield scanner.feed(data[start : start + CHUNK_SIZE])
        yield scanner.close()

    def _in_file(self, data: str | bytes) -> Iterator[list[URLMatch]]:
        file = StringIO(data) if isinstance(data, str) else BytesIO(data)
        texts = iter_texts(file, self._source, prefilter=self._prefilter)
        try:
            yield from match_batches(texts, self._query, self._rejected)
        except SourceError as error:
            if self._rejected:
                self._rejected(Unreadable(str(error)))


def _values(column: Any) -> Iterator[str | bytes | None]:  # noqa: ANN401 -- Arrow has no types
    """Yield the values of *column*; about CHUNK_SIZE bytes of them are in hand."""
    step = 1 + CHUNK_SIZE * len(column) // max(1, column.nbytes)
    for start in range(0, len(column), step):
        yield from column.slice(start, step).to_pylist()


def _names(keep: Sequence[str]) -> Sequence[str]:
    if isinstance(keep, str):
        message = f"keep must be a list of names of columns, not the string {keep!r}"
        raise TypeError(message)
    return keep


def _index(schema: Any, name: str) -> int:  # noqa: ANN401 -- Arrow has no types
    index: int = schema.get_field_index(name)
    if index < 0:
        message = f"there is no one column {name!r} among {', '.join(schema.names)}"
        raise ValueError(message)
    return index
