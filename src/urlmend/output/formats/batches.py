"""Record batches of what was found in the rows of another batch: matches and rejects (the extra `arrow`)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from urlmend.match import URLMatch
from urlmend.output.formats import columns

_NULLABLE = ("url", "scheme", "confidence", "quoted")

SCHEMA: Any = pa.schema(
    [
        *(field.with_nullable(field.nullable or field.name in _NULLABLE) for field in columns.SCHEMA),
        pa.field("target_uri", pa.string()),
        pa.field("record", pa.string()),
        pa.field("rejected", pa.string()),
        pa.field("rule", pa.string()),
        pa.field("pos", pa.int64()),
    ]
)
"""The columns that come out behind the kept ones: the fields of the JSONL record, and of a web archive the address that
was asked for (`target_uri`) and the record's id (`record`). In the row of a reject, `url`, `scheme`, `host`,
`confidence` and `quoted` are null; `rejected` is the candidate as it was read, `rule` the rule that failed, and `pos`
the place, an index into `rejected`. In all other rows those three are null.
"""

_WEB_ARCHIVE = ("target_uri", "record")
_ORIGIN = (*columns.ORIGIN, *_WEB_ARCHIVE)
_LISTS = ("readings", "breaks", "departures", "warnings")

_FIXED = 250
"""About how many bytes a row has besides its texts and the kept columns."""
_TIMES = 4
"""About how many times as long as the URL the texts of its row are together."""


class Limits(NamedTuple):
    """How many rows a batch has at most, and how many bytes, about."""

    max_rows: int
    max_bytes: int


class Kept(NamedTuple):
    """The columns of the batch that comes in which are copied, and the schema of the batches that come out."""

    columns: list[Any]
    schema: Any


class Gathering:
    """Gathers matches, or rejects, until they make a batch, which it adds to *ready*."""

    def __init__(
        self, columns_of: Callable[[list[Any]], dict[str, Any]], kept: Kept, ready: list[Any], limits: Limits
    ) -> None:
        self._columns_of = columns_of
        self._schema = kept.schema
        self._kept = [_takeable(column) for column in kept.columns]
        self._varying = [column for column in self._kept if not pa.types.is_primitive(column.type)]
        self._ready = ready
        self._limits = limits
        self._rows: list[int] = []
        self._found: list[Any] = []
        self._size = 0
        self._row = -1  # the last one, and the size of what is kept of it
        self._row_size = 0

    def extend(self, row: int, found: list[Any]) -> None:
        """Take what is *found* next, in *row* of the batch that came in."""
        if not found:
            return
        max_rows, max_bytes = self._limits
        each = sum([len(one.raw) for one in found]) * _TIMES // len(found) + _FIXED
        if row != self._row:
            self._row, self._row_size = row, sum(_size(column.slice(row, 1)) for column in self._varying)
        each += self._row_size
        while found:
            room = min(max_rows - len(self._rows), max(1, (max_bytes - self._size) // each))
            taken, found = found[:room], found[room:]
            self._rows += [row] * len(taken)
            self._found += taken
            self._size += each * len(taken)
            if len(self._rows) >= max_rows or self._size >= max_bytes:
                self.finish()

    def finish(self) -> None:
        """Make a batch of what is gathered, if anything is."""
        if not self._rows:
            return
        rows = pa.array(self._rows, pa.int64())
        made = self._columns_of(self._found)
        kept = (_as(column.take(rows), field.type) for column, field in zip(self._kept, self._schema, strict=False))
        arrays = [*kept, *(made[name] for name in SCHEMA.names)]
        self._ready.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._rows, self._found, self._size = [], [], 0


def _takeable(column: Any) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return *column* in a type that Arrow can take rows of."""
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    return column.cast(pa.large_binary()) if pa.types.is_binary_view(column.type) else column


def _as(column: Any, type: Any) -> Any:  # noqa: A002, ANN401 -- Arrow's type
    return column if column.type == type else column.cast(type)


def _size(column: Any) -> int:  # noqa: ANN401 -- Arrow has no types
    size: int = (column.indices if pa.types.is_dictionary(column.type) else column).nbytes
    return size


def match_columns(matches: list[URLMatch], *, unwrap: bool = False) -> dict[str, Any]:
    """Return *matches* as arrays under the names of SCHEMA; with *unwrap*, the targets too."""
    return _filled({**columns.columns(matches, unwrap=unwrap), **columns.origins(matches, _WEB_ARCHIVE)}, len(matches))


def reject_columns(rejects: list[Any]) -> dict[str, Any]:
    """Return *rejects* as arrays under the names of SCHEMA."""
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
