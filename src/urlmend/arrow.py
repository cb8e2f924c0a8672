"""The URLs of Arrow record batches (the extra `arrow`), for other engines, and Parquet files."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO, StringIO
from itertools import chain
from typing import Any, BinaryIO, Unpack

import pyarrow as pa

from urlmend.grammar.diagnosis import URLSyntaxError
from urlmend.grammar.profiles import Profile
from urlmend.match import Rejected, URLMatch
from urlmend.output import Writer
from urlmend.output.records import row_of
from urlmend.output.tables import reject_record
from urlmend.query import FileOptions, Query, query_of
from urlmend.reading import FileReader, Job, OnReject
from urlmend.record import BY_NAME, FIELDS, NAMES, ORIGIN, Field, encodable, fields_called
from urlmend.selection import Selection
from urlmend.sources import Origin, Prefilter, SourceError, Text, iter_texts
from urlmend.sources.compression import CHUNK_SIZE, compression_of
from urlmend.sources.containers import Faults
from urlmend.stream import SCANNED_AT_ONCE

__all__ = ["MAX_BYTES", "MAX_ROWS", "SCHEMA", "Options", "extract_batches", "schema_for"]

_BREAK = pa.struct([("at", pa.int32()), ("removed", pa.string()), ("hyphen", pa.bool_()), ("inserted", pa.string())])

_TYPES = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "strings": pa.list_(pa.string()),
    "breaks": pa.list_(_BREAK),
    "time": pa.timestamp("us", "UTC"),
}


def schema_of(fields: Iterable[Field]) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return *fields* in Arrow's types."""
    return pa.schema([pa.field(each.name, _TYPES[each.type], nullable=each.absent) for each in fields])


RECORD = schema_of(FIELDS)
"""The fields of the record in Arrow's types: the columns of a Parquet file."""

_NULLABLE = ("url", "scheme", "confidence", "quoted")
_OF_WEB = [BY_NAME[name]._replace(name=BY_NAME[name].attribute) for name in ("page", "record_id")]

SCHEMA: Any = pa.schema(
    [
        *(field.with_nullable(field.nullable or field.name in _NULLABLE) for field in RECORD),
        *schema_of([*_OF_WEB, BY_NAME["sent"]]),
        pa.field("rejected", pa.string()),
        pa.field("rule", pa.string()),
        pa.field("pos", pa.int64()),
    ]
)
"""The columns that a record batch has after the kept ones: the fields of the record, and for web archives the requested
address (`target_uri`) and the id of the archive's record (`record`). `sent` is when the message was sent.

In the row of a rejected candidate, `url`, `scheme`, `host`, `confidence` and `quoted` are null; `rejected` is the
candidate as it was read, `rule` the rule that failed, and `pos` the place where it failed, an index into `rejected`. In
all other rows those three are null.
"""

MAX_ROWS = 10_000
"""The most rows of an output batch."""

MAX_BYTES = 1 << 24
"""The approximate size of the largest output batch, in bytes. A batch has at least one row."""

_FIXED = 250
"""About how many bytes a row takes besides its texts and the kept columns."""

_TIMES = 4
"""The texts of a row have about this many times the length of its URL."""

_STRINGS = ("string", "large_string", "string_view")
_BINARIES = ("binary", "large_binary", "binary_view", "fixed_size_binary", "null")
_OF_STRINGS = ("text", "auto")

# Not UTF-16, without a byte order mark, and not overstruck.
_PLAIN = re.compile(rb"(?!\xef\xbb|\xff\xfe|\xfe\xff|.?\0|[^\b]{0,1023}\x08)", re.DOTALL)

NOWHERE = Origin()
"""The origin of all rows: nothing is known about where they come from."""


class Options(FileOptions, total=False):
    """The options of every function that writes this schema, by keyword.

    `source` says how to read a text: a key of `urlmend.sources.SOURCES`, or a function, as in `iter_urls`. `profile`,
    `join`, `min_confidence`, `schemeless`, `addresses`, `refang`, `resolve`, `base` and `header_fields` are those of
    `iter_urls`. With `rejects`, rejected candidates have rows too, in batches of their own. If a text cannot be read to
    its end (broken compression, a broken web archive), the reason is one of these rows, with the rule `source`. With
    `unwrap`, the column `target` has the address that a URL wraps; otherwise it is null. `selection` chooses messages,
    for columns that hold mail.
    """

    unwrap: bool
    rejects: bool
    selection: Selection | None


def job_of(options: Options, source: str = "text") -> Job:
    """Return what *options* ask for; *source* is the default. Raises what `query_of` raises."""
    values: dict[str, Any] = {**options}
    rejects, selection = values.pop("rejects", False), values.pop("selection", None)
    return Job(query_of(values, Options, source=source), selection or Selection(), rejects=rejects)


def schema_for(schema: Any, keep: Sequence[str] = ("id",)) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return the schema of the output of `extract_batches` for batches with *schema*: the columns *keep*, then SCHEMA.

    Raises `ValueError` for a column that is missing, or has the name of one of SCHEMA.
    """
    for name in _names(keep):
        if name in SCHEMA.names:
            message = f"the column {name!r} cannot be kept: the URLs have a column of that name; rename it first"
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

    The text of a row is one file: the URLs in it do not depend on other rows. A column of strings is read as a text
    file, and `start` and `end` count characters, from 0. A column of bytes is read as the option *source* says
    (default `text`; `message` for one message a row, `mbox` for archives or pieces of them), and they count bytes.
    Either may be dictionary-encoded. Nulls and empty texts have no URLs. The columns *keep* are copied from the row.
    The other options are those of `Options`. No content raises, except `PatternError` where a regular expression of the
    selection takes too long.

    Each batch gives zero or more batches, in order, of at most *max_rows* rows and about *max_bytes* bytes. Memory
    holds one batch of matches and one of rejects, a row's text and the matches in 256 KB of it. Raises `ValueError` for
    a missing column and an invalid value of an option, and `TypeError` for a column that does not hold text, for
    anything but record batches, and for an unknown option.
    """
    job = job_of(options)
    if isinstance(batches, (str, bytes, pa.RecordBatch, pa.Table)):
        raise TypeError(f"batches must be an iterable of record batches, not one {type(batches).__name__}")
    if not isinstance(text, str):
        raise TypeError(f"text must be the name of a column, not {text!r}")
    for name, value in (("max_rows", max_rows), ("max_bytes", max_bytes)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    keep = list(_names(keep))
    search = job.prefilter

    def found_in(batch: Any) -> Iterator[Any]:  # noqa: ANN401 -- Arrow has no types
        if not isinstance(batch, pa.RecordBatch):
            raise TypeError(f"batches must be pyarrow.RecordBatch objects, not {type(batch).__name__}")
        schema_for(batch.schema, keep)
        column = batch.column(_index(batch.schema, text))
        _check_type(column.type, text, job.query)
        rows = (
            (row, None, partial(FileReader.matched, texts=texts))
            for row, value in enumerate(column)
            if (data := value.as_py()) and (texts := _texts(data, job.query, search))
        )
        return batches_of(rows, job, batch.select(keep), max_rows, max_bytes)

    return (made for batch in iter(batches) for made in found_in(batch))


def _check_type(type: Any, name: str, query: Query) -> None:  # noqa: A002, ANN401 -- Arrow's type
    """Raise `TypeError` if the column *name* of that *type* cannot be read as *query* says."""
    kind = str(type.value_type if pa.types.is_dictionary(type) else type).partition("[")[0]
    if kind not in {*_STRINGS, *_BINARIES}:
        raise TypeError(f"the column {name!r} holds {type}, not strings or bytes")
    if kind in _STRINGS and query.source not in _OF_STRINGS and not callable(query.source):
        raise TypeError(f"the column {name!r} holds {type}, but {query.source!r} is read from bytes")


def batches_of(
    rows: Iterable[tuple[int, object, Callable[[FileReader], Iterable[list[URLMatch]]]]],
    job: Job,
    kept: Any,  # noqa: ANN401 -- Arrow has no types
    max_rows: int = MAX_ROWS,
    max_bytes: int = MAX_BYTES,
) -> Iterator[Any]:
    """Yield batches with a row for each URL in *rows*: the number of a row of *kept*, a file, and its reader.

    If the *job* asks for rejected candidates, there are batches of these too.
    """
    matches = _Gathering(match_columns(unwrap=job.query.unwrap), kept, max_rows, max_bytes)
    refused = _Gathering(reject_columns, kept, max_rows, max_bytes)
    rejects: list[Rejected] = []  # of the text that is read, since its last matches
    rejected = rejects.append if job.rejects else None
    reading = FileReader(job, _LoggedFaults(rejected, job.query.profile), rejected)
    for row, file, read in rows:
        for found in chain(reading.results(file, read(reading)), [[]]):
            yield from refused.batches(row, rejects)
            rejects.clear()
            yield from matches.batches(row, found)
    yield from matches.rest()
    yield from refused.rest()


class _LoggedFaults(Faults):
    """Logs a file that is broken, and passes it to *rejected*; raises other errors."""

    def __init__(self, rejected: OnReject, profile: Profile) -> None:
        super().__init__()
        self._rejected = rejected
        self._profile = profile

    def fail(self, name: str | None, error: Exception, *, is_member: bool) -> None:
        if not isinstance(error, SourceError):
            super().fail(name, error, is_member=is_member)
        if name is not None:
            logging.getLogger(__name__).warning("%s: %s", name, error)
        if self._rejected:
            self._rejected(_Unreadable(str(error), "", 0, 0, 1, 1, "", self._profile, Origin(name), exact=False))


class _Unreadable(Rejected):
    """The reason why a text could not be read to its end, as a reject."""

    @property
    def error(self) -> URLSyntaxError:
        return URLSyntaxError("source", self.text, 0)


@dataclass
class _Gathering:
    """Gathers matches, or rejects, until they fill a batch."""

    _columns_of: Callable[[list[Any]], list[Any]]
    _batch: Any  # the incoming one
    _max_rows: int
    _max_bytes: int
    _rows: list[int] = field(default_factory=list)
    _found: list[Any] = field(default_factory=list)
    _size: int = 0

    def __post_init__(self) -> None:
        self._schema = pa.schema([*self._batch.schema, *SCHEMA])

    def batches(self, row: int, found: Any) -> Iterator[Any]:  # noqa: ANN401 -- a list
        """Add the matches or rejects *found* next, in *row* of the incoming batch; yield the batches that are full."""
        if not found:
            return
        size = _FIXED + sum(_size(column.slice(row, 1)) for column in self._batch.columns)
        for one in found:
            self._rows.append(row)
            self._found.append(one)
            self._size += size + _TIMES * len(one.raw)
            if len(self._rows) >= self._max_rows or self._size >= self._max_bytes:
                yield from self.rest()

    def rest(self) -> Iterator[Any]:
        """Yield a batch of the gathered rows, if there are any."""
        if self._rows:
            rows = pa.array(self._rows, pa.int64())
            arrays = [*(_taken(column, rows) for column in self._batch.columns), *self._columns_of(self._found)]
            self._rows, self._found, self._size = [], [], 0
            yield pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def _taken(column: Any, rows: Any) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return these *rows* of *column*."""
    try:
        return column.take(rows)
    except pa.ArrowNotImplementedError:  # views and runs
        return pa.array([column[row].as_py() for row in rows.to_pylist()], column.type)


def _size(column: Any) -> int:  # noqa: ANN401 -- Arrow has no types
    """Return how many bytes the one row of *column* takes."""
    if pa.types.is_string_view(column.type) or pa.types.is_binary_view(column.type):
        column = pa.array(column.to_pylist(), column.type)  # a slice has the data of all rows
    size: int = (column.indices if pa.types.is_dictionary(column.type) else column).nbytes
    return size


def _texts(data: str | bytes, query: Query, search: Prefilter) -> Iterable[Text]:
    """Return the texts in a row with *data*; an empty tuple if nothing can be found in it."""
    if isinstance(data, str):
        is_text, has_colon = query.source in _OF_STRINGS, ":" in data
    else:
        is_plain = compression_of(data) is None and _PLAIN.match(data) is not None
        is_text, has_colon = query.source == "text" and is_plain, b":" in data
    if not is_text:
        file = StringIO(data) if isinstance(data, str) else BytesIO(data)
        return iter_texts(file, query.source, prefilter=search)
    if not (has_colon or query.on_request):
        return ()
    is_ascii = data.isascii()
    if len(data) > SCANNED_AT_ONCE or (isinstance(data, bytes) and not is_ascii):
        return (Text(data[start : start + CHUNK_SIZE], NOWHERE) for start in range(0, len(data), CHUNK_SIZE))
    text = data if isinstance(data, str) else data.decode("ascii")
    spans = list(search.search(text.encode()) if is_ascii else search.search_text(text, 0))
    return (Text(text, NOWHERE, whole=True, spans=spans),) if spans else ()


def _names(keep: Sequence[str]) -> Sequence[str]:
    if isinstance(keep, str):
        raise TypeError(f"keep must be a list of names of columns, not the string {keep!r}")
    return keep


def _index(schema: Any, name: str) -> int:  # noqa: ANN401 -- Arrow has no types
    index: int = schema.get_field_index(name)
    if index < 0:
        raise ValueError(f"no column or more than one is called {name!r}; the columns are {', '.join(schema.names)}")
    return index


def columns_of(fields: Sequence[Field]) -> Callable[[Sequence[URLMatch]], list[Any]]:
    """Return a function that makes the columns *fields* of one match or more."""
    row = row_of(fields)
    types = [_TYPES[each.type] for each in fields]
    return lambda matches: [*map(_array, zip(*map(row, matches), strict=True), types)]


def match_columns(*, unwrap: bool) -> Callable[[Sequence[URLMatch]], list[Any]]:
    """Return a function that returns the columns of SCHEMA for matches; with *unwrap*, their targets too."""
    columns = columns_of([*fields_called(NAMES, unwrap=unwrap), *_OF_WEB, BY_NAME["sent"]])
    of_rejects = SCHEMA.types[-3:]
    return lambda matches: columns(matches) + [pa.nulls(len(matches), each) for each in of_rejects]


_EMPTY = {"string": "", "boolean": False, "strings": (), "breaks": ()}
_NOTHING = {each.name: _EMPTY.get(each.type) for each in FIELDS if not (each.absent or each.name in _NULLABLE)}


def reject_columns(rejects: Iterable[Rejected]) -> list[Any]:
    """Return the columns of SCHEMA for *rejects*."""
    of_origins = [each for each in (*FIELDS, *_OF_WEB, BY_NAME["sent"]) if each.of == ORIGIN]
    rows = [
        {
            **_NOTHING,
            **{each.name: getattr(reject.origin, each.attribute or each.name) for each in of_origins},
            **reject_record(reject),
            "exact": reject.exact,
            "rejected": reject.text,
        }
        for reject in rejects
    ]
    return [_array([row.get(field.name) for row in rows], field.type) for field in SCHEMA]


def _array(values: Sequence[Any], type: Any) -> Any:  # noqa: A002, ANN401 -- Arrow's type, and an array of it
    try:
        return pa.array(values, type)
    except UnicodeEncodeError:
        return pa.array(_encodable(values), type)


def _encodable(value: Any) -> Any:  # noqa: ANN401 -- texts, in lists or not, and numbers
    """Return *value* with all texts in it as `encodable` returns them."""
    if isinstance(value, str):
        return encodable(value)
    return tuple(map(_encodable, value)) if isinstance(value, list | tuple) else value


ROW_GROUP = 10_000
"""The number of rows in a row group of a Parquet file. They are held in memory."""


class ParquetWriter(Writer):
    """Writes each match to *out* as a row of the fields *names*.

    *out* cannot be read before the writer is closed or abandoned.
    """

    def __init__(self, out: BinaryIO, names: Iterable[str] = NAMES, *, unwrap: bool = False) -> None:
        fields = fields_called(tuple(names), unwrap=unwrap)
        self._schema = schema_of(fields)
        self._columns = columns_of(fields)
        self._out = out
        self._parquet: Any = None  # made with the first rows: until then nothing is written
        self._matches: list[URLMatch] = []

    def write(self, matches: Sequence[URLMatch]) -> None:
        """Add the rows of *matches*."""
        self._matches += matches
        if len(self._matches) >= ROW_GROUP:
            self._write()

    def close(self) -> None:
        """Write the rows that are left, and the footer."""
        self._write()
        self._parquet.close()

    def abandon(self) -> None:
        """Write the footer, so that the rows written so far can be read."""
        if self._parquet is not None:
            # If writing has failed, this fails too.
            with suppress(OSError, ValueError, pa.ArrowException):
                self._parquet.close()

    def _write(self) -> None:
        if self._parquet is None:
            from pyarrow import parquet  # noqa: PLC0415 -- Spark has no use for it

            self._parquet = parquet.ParquetWriter(self._out, self._schema, compression="zstd")
        if self._matches:
            columns = self._columns(self._matches)
            self._parquet.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._schema))
            self._matches.clear()
