"""Apache Arrow (the extra `arrow`): matches as columns in Arrow's types, record batches of them, and Parquet files."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa

from urlmend.grammar.parser import scheme_host_departures
from urlmend.match import DECIMALS, URLMatch, warning_names
from urlmend.output import Writer
from urlmend.output.record import FIELDS, escaped

if TYPE_CHECKING:
    from urlmend.sources import Origin

_BREAK = pa.struct([("at", pa.int32()), ("removed", pa.string()), ("hyphen", pa.bool_()), ("inserted", pa.string())])

_TYPES = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "strings": pa.list_(pa.string()),
    "breaks": pa.list_(_BREAK),
}

RECORD: Any = pa.schema([pa.field(each.name, _TYPES[each.type], nullable=each.absent) for each in FIELDS])
"""The fields of the record in Arrow's types: the columns of a Parquet file."""

_NULLABLE = ("url", "scheme", "confidence", "quoted")

SCHEMA: Any = pa.schema(
    [
        *(field.with_nullable(field.nullable or field.name in _NULLABLE) for field in RECORD),
        pa.field("target_uri", pa.string()),
        pa.field("record", pa.string()),
        pa.field("rejected", pa.string()),
        pa.field("rule", pa.string()),
        pa.field("pos", pa.int64()),
    ]
)
"""The columns that a record batch has after the kept ones: the fields of the record, and for web archives the requested
address (`target_uri`) and the id of the archive's record (`record`). In the row of a rejected candidate, `url`,
`scheme`, `host`, `confidence` and `quoted` are null; `rejected` is the candidate as it was read, `rule` the rule that
failed, and `pos` the place where it failed, an index into `rejected`. In all other rows those three are null.
"""

_PLACE = ("start", "end", "line", "column", "form", "raw", "exact")
_ORIGIN = ("source", "message", "part", "message_id", "date", "signature", "author", "subject")
_WEB_ARCHIVE = ("target_uri", "record")
_MATCH = ("url", "profile", "readings", "ambiguous", "breaks", "trimmed", "confidence", "quoted")
_LISTS = ("readings", "breaks", "departures", "warnings")

Columns = dict[str, Any]
"""Arrow arrays of the same length by the names of their columns."""


def record_columns(matches: Sequence[URLMatch], *, unwrap: bool = False) -> Columns:
    """Return the fields of the records of *matches*; with *unwrap*, their targets too."""
    values = zip(*map(attrgetter(*_MATCH), matches), strict=True)
    urls, profiles, readings, ambiguous, breaks, trimmed, confidences, quoted = values
    keys = list(zip(urls, profiles, strict=True))
    # Of the URLs in mail, two in three appear more than once.
    known = {key: (*scheme_host_departures(*key), warning_names(*key)) for key in dict.fromkeys(keys)}
    schemes, hosts, departures, warnings = zip(*map(known.__getitem__, keys), strict=True)
    return {
        **_origins(matches, _ORIGIN),
        **_places(matches),
        "url": _strings(urls),
        "scheme": _strings(schemes),
        "host": _strings(hosts),
        "readings": _lists(readings, _strings),
        "ambiguous": pa.array(ambiguous, pa.bool_()),
        "breaks": _lists(breaks, _breaks),
        "trimmed": _strings(trimmed),
        "departures": _lists(departures, _strings),
        "confidence": pa.array([round(confidence, DECIMALS) for confidence in confidences], pa.float64()),
        "quoted": pa.array(quoted, pa.bool_()),
        "target": _strings([match.target for match in matches]) if unwrap else pa.nulls(len(matches), pa.string()),
        "warnings": _lists(warnings, _strings),
    }


def match_columns(matches: list[URLMatch], *, unwrap: bool = False) -> Columns:
    """Return the columns of SCHEMA for *matches*; with *unwrap*, their targets too."""
    return _filled({**record_columns(matches, unwrap=unwrap), **_origins(matches, _WEB_ARCHIVE)}, len(matches))


def reject_columns(rejects: list[Any]) -> Columns:
    """Return the columns of SCHEMA for *rejects*."""
    errors = [reject.error for reject in rejects]
    columns = {
        **_origins(rejects, (*_ORIGIN, *_WEB_ARCHIVE)),
        **_places(rejects),
        "rejected": _strings([reject.text for reject in rejects]),
        "rule": _strings([error.rule for error in errors]),
        "pos": pa.array([error.pos for error in errors], pa.int64()),
        "ambiguous": pa.array([False] * len(rejects)),
        "trimmed": pa.array([""] * len(rejects)),
    }
    empty = {name: pa.array([[]] * len(rejects), SCHEMA.field(name).type) for name in _LISTS}
    return _filled({**columns, **empty}, len(rejects))


def _filled(columns: Columns, size: int) -> Columns:
    """Return *columns* in the order of SCHEMA, with nulls for those that are missing."""
    return {
        field.name: columns[field.name] if field.name in columns else pa.nulls(size, field.type) for field in SCHEMA
    }


def _places(found: Sequence[Any]) -> Columns:
    values = zip(*map(attrgetter(*_PLACE), found), strict=True)
    return {name: _array(column, SCHEMA.field(name).type) for name, column in zip(_PLACE, values, strict=True)}


def _origins(found: Sequence[Any], names: tuple[str, ...]) -> Columns:
    """Return the attributes *names* of the origins of *found*, of which neighbours share one."""
    origins: list[Origin] = []
    numbers = []
    for one in found:
        if not origins or one.origin is not origins[-1]:
            origins.append(one.origin)
        numbers.append(len(origins) - 1)
    rows = pa.array(numbers, pa.int32())
    return {
        name: _array([getattr(origin, name) for origin in origins], SCHEMA.field(name).type).take(rows)
        for name in names
    }


def _array(values: Sequence[Any], type: Any) -> Any:  # noqa: A002, ANN401 -- Arrow's type, and an array of it
    return _strings(values) if pa.types.is_string(type) else pa.array(values, type)


def _strings(values: Sequence[str | None]) -> Any:  # noqa: ANN401 -- an array
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array([value and escaped(value) for value in values], pa.string())


def _lists(values: Sequence[tuple[Any, ...]], array_of: Callable[[list[Any]], Any]) -> Any:  # noqa: ANN401 -- an array
    """Return *values* as an array of lists; *array_of* makes the array of all their items."""
    offsets = pa.array(list(accumulate(map(len, values), initial=0)), pa.int32())
    return pa.ListArray.from_arrays(offsets, array_of(list(chain.from_iterable(values))))


def _breaks(breaks: Iterable[Any]) -> Any:  # noqa: ANN401 -- an array
    return pa.StructArray.from_arrays(
        [_array([getattr(one, field.name) for one in breaks], field.type) for field in _BREAK], fields=list(_BREAK)
    )


ROW_GROUP = 10_000
"""How many rows of a Parquet file make a row group; so many are kept in memory."""


class ParquetWriter(Writer):
    """Writes each match to *out* as a row of RECORD. *out* cannot be read before the writer is closed or abandoned."""

    def __init__(self, out: BinaryIO, *, unwrap: bool = False) -> None:
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
        """Write the footer for the rows that are written, so that they can be read."""
        if self._parquet is not None:
            # If writing has failed, this fails too.
            with suppress(OSError, ValueError, pa.ArrowException):
                self._parquet.close()

    def _write(self) -> None:
        if self._parquet is None:
            from pyarrow import parquet  # noqa: PLC0415 -- Spark has no use for it

            self._parquet = parquet.ParquetWriter(self._out, RECORD, compression="zstd")
        if self._matches:
            columns = record_columns(self._matches, unwrap=self._unwrap)
            self._parquet.write_batch(
                pa.RecordBatch.from_arrays([columns[name] for name in RECORD.names], schema=RECORD)
            )
            self._matches.clear()
