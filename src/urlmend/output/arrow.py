"""Apache Arrow (the extra `arrow`): matches as columns in Arrow's types, record batches of them, and Parquet files."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import pyarrow as pa

from urlmend.match import Rejected, URLMatch
from urlmend.output import Writer
from urlmend.output.records import row_of
from urlmend.output.tables import reject_record
from urlmend.record import BY_NAME, DECIMALS, FIELDS, NAMES, ORIGIN, Field, escaped, fields_called

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
In the row of a rejected candidate, `url`,
`scheme`, `host`, `confidence` and `quoted` are null; `rejected` is the candidate as it was read, `rule` the rule that
failed, and `pos` the place where it failed, an index into `rejected`. In all other rows those three are null.
"""

Columns = list[Any]
"""Arrays of Arrow, one for each column."""


def columns_of(fields: Sequence[Field]) -> Callable[[Sequence[URLMatch]], Columns]:
    """Return a function that makes the columns *fields* of one match or more."""
    row = row_of(fields)
    types = [_TYPES[each.type] for each in fields]
    return lambda matches: [*map(_array, zip(*map(row, matches), strict=True), types)]


def match_columns(*, unwrap: bool) -> Callable[[Sequence[URLMatch]], Columns]:
    """Return a function that returns the columns of SCHEMA for matches; with *unwrap*, their targets too."""
    columns = columns_of([*fields_called(NAMES, unwrap=unwrap), *_OF_WEB, BY_NAME["sent"]])
    of_rejects = SCHEMA.types[-3:]
    return lambda matches: columns(matches) + [pa.nulls(len(matches), each) for each in of_rejects]


_NOTHING = {"ambiguous": False, "trimmed": "", **dict.fromkeys(("readings", "breaks", "departures", "warnings"), ())}


def reject_columns(rejects: Iterable[Rejected]) -> Columns:
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
    if type == _TYPES["number"]:
        values = [value if value is None else round(value, DECIMALS) for value in values]
    try:
        return pa.array(values, type)
    except UnicodeEncodeError:
        return pa.array(_escaped(values), type)


def _escaped(value: Any) -> Any:  # noqa: ANN401 -- texts, in lists or not, and numbers
    """Return *value* with all texts in it as `escaped` returns them."""
    if isinstance(value, str):
        return escaped(value)
    return tuple(map(_escaped, value)) if isinstance(value, list | tuple) else value


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
