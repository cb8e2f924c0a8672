"""The URLs of Apache Arrow record batches (the extra `arrow`), for Spark, Ray, Daft, Polars and DuckDB."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO, StringIO
from typing import Any, NamedTuple

import pyarrow as pa

from urlmend.extract import Join, Readable, check_join, iter_urls, urls_of
from urlmend.matches import URLMatch
from urlmend.profiles import WEB, Profile
from urlmend.sources import Origin, SourceError, Text, open_source
from urlmend.sources.window import CHUNK_SIZE
from urlmend.writers import columns

MAX_ROWS = 10_000
"""How many rows a batch that comes out has at most."""

MAX_BYTES = 1 << 24
"""How large a batch that comes out becomes, about, in bytes: one row at least."""

_NULLABLE = ("url", "scheme")

SCHEMA: Any = pa.schema(
    [
        *(field.with_nullable(field.nullable or field.name in _NULLABLE) for field in columns.SCHEMA),
        pa.field("target", pa.string()),
        pa.field("record", pa.string()),
        pa.field("rejected", pa.string()),
        pa.field("rule", pa.string()),
        pa.field("pos", pa.int64()),
    ]
)
"""The columns that come out behind the kept ones: the fields of the JSONL record, and of a web archive the address that
was asked for (`target`) and the record's id (`record`). In the row of a rejected candidate `url`, `scheme` and `host`
are null; `rejected` is the candidate as it was read, `rule` the rule that failed and `pos` the place, an index into
`rejected`. In all other rows those three are null.
"""

_WEB_ARCHIVE = ("target", "record")
_ORIGIN = (*columns.ORIGIN, *_WEB_ARCHIVE)
_LISTS = ("readings", "breaks", "departures")

_STRINGS = ("string", "large_string", "string_view")
_BINARIES = ("binary", "large_binary", "binary_view", "fixed_size_binary", "null")
_OF_STRINGS = ("text", "auto")

# Bytes that are text as they stand: neither compressed nor UTF-16, and without a byte order mark.
_PLAIN = re.compile(rb"(?!\x1f\x8b|BZh|\xfd7z|\x28\xb5\x2f|\xef\xbb|\xff\xfe|\xfe\xff|.?\0)", re.DOTALL)

_FIXED = 250
"""About how many bytes a row has besides its texts and the kept columns."""
_TIMES = 4
"""How often the URL stands in its row, with its host and departures, about."""

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
    extraction = _Extraction(text, tuple(keep), source, profile, join, rejects, max_rows, max_bytes)
    return (made for batch in batches for made in extraction.of(batch))


class _Unreadable(NamedTuple):
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
    def error(self) -> "_Unreadable":
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
        kept = [_takeable(batch.column(_index(batch.schema, name))) for name in self.keep]
        ready: list[Any] = []
        limits = self.max_rows, self.max_bytes
        matches = _Gathering(_match_columns, schema, kept, ready, *limits)
        rejects = _Gathering(_reject_columns, schema, kept, ready, *limits)
        for row, data in enumerate(_values(texts)):
            if data:
                rejected = partial(rejects.add, row) if self.rejects else None
                try:
                    for match in self._urls(data, rejected):
                        matches.add(row, match)
                        yield from ready
                        ready.clear()
                except SourceError as error:
                    if rejected:
                        rejected(_Unreadable(str(error)))
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

    def _urls(self, data: str | bytes, rejected: Callable[[Any], None] | None) -> Iterator[URLMatch]:
        """Return the URLs in *data*, the text of a row."""
        plain = self.source in _OF_STRINGS if isinstance(data, str) else self.source == "text" and _PLAIN.match(data)
        if plain:
            return urls_of(_pieces(data), profile=self.profile, join=self.join, rejected=rejected)
        file = StringIO(data) if isinstance(data, str) else BytesIO(data)
        return iter_urls(file, source=self.source, profile=self.profile, join=self.join, rejected=rejected)


def _values(column: Any) -> Iterator[str | bytes | None]:  # noqa: ANN401 -- Arrow has no types
    """Yield the values of *column*; about CHUNK_SIZE bytes of them are in hand."""
    step = 1 + CHUNK_SIZE * len(column) // max(1, column.nbytes)
    for start in range(0, len(column), step):
        yield from column.slice(start, step).to_pylist()


def _pieces(data: str | bytes) -> Iterator[Text]:
    whole = len(data) <= CHUNK_SIZE
    return (Text(data[at : at + CHUNK_SIZE], NOWHERE, whole=whole) for at in range(0, len(data), CHUNK_SIZE))


class _Gathering:
    """Gathers matches, or rejects, until they make a batch, which it adds to *ready*."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what a batch is made of
        self,
        columns_of: Callable[[list[Any]], dict[str, Any]],
        schema: Any,  # noqa: ANN401 -- Arrow has no types
        kept: list[Any],
        ready: list[Any],
        max_rows: int,
        max_bytes: int,
    ) -> None:
        self._columns_of = columns_of
        self._schema = schema
        self._kept = kept
        self._varying = [column for column in kept if not pa.types.is_primitive(column.type)]
        self._ready = ready
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._rows: list[int] = []
        self._found: list[Any] = []
        self._size = 0
        self._width = 0  # of the last row: the bytes that each of its URLs repeats

    def add(self, row: int, one: Any) -> None:  # noqa: ANN401 -- a match or a reject
        """Take what is found next, in *row* of the batch that came in."""
        if not self._rows or self._rows[-1] != row:
            self._width = _FIXED + sum(_size(column.slice(row, 1)) for column in self._varying)
        self._size += self._width + _TIMES * len(one.raw)
        self._rows.append(row)
        self._found.append(one)
        if len(self._rows) >= self._max_rows or self._size >= self._max_bytes:
            self.finish()

    def finish(self) -> None:
        """Make a batch of what is gathered, if anything is."""
        if not self._rows:
            return
        rows = pa.array(self._rows, pa.int64())
        made = self._columns_of(self._found)
        kept = (column.take(rows).cast(field.type) for column, field in zip(self._kept, self._schema, strict=False))
        arrays = [*kept, *(made[name] for name in SCHEMA.names)]
        self._ready.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._rows, self._found, self._size = [], [], 0


def _takeable(column: Any) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return *column* in a type that Arrow can take rows of."""
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    return column.cast(pa.large_binary()) if pa.types.is_binary_view(column.type) else column


def _size(column: Any) -> int:  # noqa: ANN401 -- Arrow has no types
    size: int = (column.indices if pa.types.is_dictionary(column.type) else column).nbytes
    return size


def _match_columns(matches: list[URLMatch]) -> dict[str, Any]:
    return _filled({**columns.columns(matches), **columns.origins(matches, _WEB_ARCHIVE)}, len(matches))


def _reject_columns(rejects: list[Any]) -> dict[str, Any]:
    errors = [reject.error for reject in rejects]
    made = {
        **columns.origins(rejects, _ORIGIN),
        **columns.places(rejects),
        "rejected": columns.strings([reject.text for reject in rejects]),
        "rule": columns.strings([error.rule for error in errors]),
        "pos": pa.array([error.pos for error in errors], pa.int64()),
        "ambiguous": pa.array([False] * len(rejects)),
        "trimmed": pa.array([""] * len(rejects)),
    }
    empty = {name: pa.array([[]] * len(rejects), SCHEMA.field(name).type) for name in _LISTS}
    return _filled({**made, **empty}, len(rejects))


def _filled(made: dict[str, Any], size: int) -> dict[str, Any]:
    """Return *made* with nulls for the columns that are not in it."""
    return {field.name: made[field.name] if field.name in made else pa.nulls(size, field.type) for field in SCHEMA}


def _index(schema: Any, name: str) -> int:  # noqa: ANN401 -- Arrow has no types
    index: int = schema.get_field_index(name)
    if index < 0:
        message = f"there is no one column {name!r} among {', '.join(schema.names)}"
        raise ValueError(message)
    return index
