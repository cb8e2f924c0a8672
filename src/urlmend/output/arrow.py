"""Apache Arrow (the extra `arrow`): matches as columns in Arrow's types, record batches of them, and Parquet files."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import pyarrow as pa

from urlmend.facts import facts_of
from urlmend.match import URLMatch
from urlmend.output import Writer
from urlmend.record import BY_NAME, DECIMALS, NAMES, ORIGIN, TEXT, escaped
from urlmend.sources import Origin

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


def schema_of(names: Iterable[str]) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return the fields called *names*, which are in BY_NAME, in Arrow's types."""
    chosen = map(BY_NAME.__getitem__, names)
    return pa.schema([pa.field(each.name, _TYPES[each.type], nullable=each.absent) for each in chosen])


RECORD = schema_of(NAMES)
"""The fields of the record in Arrow's types: the columns of a Parquet file."""

_NULLABLE = ("url", "scheme", "confidence", "quoted")

SCHEMA: Any = pa.schema(
    [
        *(field.with_nullable(field.nullable or field.name in _NULLABLE) for field in RECORD),
        pa.field("target_uri", pa.string()),
        pa.field("record", pa.string()),
        *schema_of(["sent"]),
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


def match_columns(matches: Sequence[URLMatch], schema: Any = SCHEMA, *, unwrap: bool = False) -> list[Any]:  # noqa: ANN401 -- Arrow has no types
    """Return the columns of *schema*, SCHEMA or one of `schema_of`, for *matches*; with *unwrap*, their targets too."""
    facts = [facts_of(match.url, match.profile) for match in matches]
    of_text = [name for name in schema.names if name in BY_NAME and BY_NAME[name].of == TEXT]
    values: dict[str, Sequence[Any]] = {
        **{name: [getattr(one, name) for one in facts] for name in of_text if unwrap or name != "target"},
        "confidence": [round(match.confidence, DECIMALS) for match in matches],
    }
    if not unwrap:
        values["target"] = [None] * len(matches)
    return [_column(matches, field, values) for field in schema]


def reject_columns(rejects: Sequence[Any]) -> list[Any]:
    """Return the columns of SCHEMA for *rejects*."""
    errors = [reject.error for reject in rejects]
    values: dict[str, Sequence[Any]] = {
        "ambiguous": [False] * len(rejects),
        "trimmed": [""] * len(rejects),
        "rejected": [reject.text for reject in rejects],
        "rule": [error.rule for error in errors],
        "pos": [error.pos for error in errors],
    }
    return [_column(rejects, field, values) for field in SCHEMA]


def _column(found: Sequence[Any], field: Any, values: Mapping[str, Sequence[Any]]) -> Any:  # noqa: ANN401 -- an array
    """Return the column *field* of *found*: the *values* of that name, or an attribute of each or of its origin."""
    if field.name in values:
        return _array(values[field.name], field.type)
    known = BY_NAME.get(field.name)
    name = (known and known.attribute) or field.name
    if (known and known.of != ORIGIN) or not hasattr(Origin(), name):
        absent = () if pa.types.is_list(field.type) else None
        return _array([getattr(one, field.name, absent) for one in found], field.type)
    # Neighbouring matches share an origin.
    origins: list[Origin] = []
    numbers = []
    for one in found:
        if not origins or one.origin is not origins[-1]:
            origins.append(one.origin)
        numbers.append(len(origins) - 1)
    values_of_origins = _array([getattr(origin, name) for origin in origins], field.type)
    return values_of_origins.take(pa.array(numbers, pa.int32()))


def _array(values: Sequence[Any], type: Any) -> Any:  # noqa: A002, ANN401 -- Arrow's type, and an array of it
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
        self._schema = schema_of(names)
        self._out = out
        self._unwrap = unwrap
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
            columns = match_columns(self._matches, self._schema, unwrap=self._unwrap)
            self._parquet.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._schema))
            self._matches.clear()
