"""Parquet, by way of Apache Arrow (the extra `parquet`): one row an occurrence, with the fields of the JSONL record."""

from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
from pyarrow import parquet

from urlmend.writers.jsonl import escaped, record

if TYPE_CHECKING:
    from urlmend.matches import URLMatch

SCHEMA: Any = pa.schema(
    [
        pa.field("source", pa.string()),
        pa.field("message", pa.int64()),
        pa.field("part", pa.string()),
        pa.field("message_id", pa.string()),
        pa.field("date", pa.string()),  # as the message has it, with its offset from UTC: RFC 3339
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("column", pa.int64(), nullable=False),
        pa.field("form", pa.string(), nullable=False),
        pa.field("url", pa.string(), nullable=False),
        pa.field("scheme", pa.string(), nullable=False),
        pa.field("host", pa.string()),
        pa.field("raw", pa.string(), nullable=False),
        pa.field("readings", pa.list_(pa.string()), nullable=False),
        pa.field("ambiguous", pa.bool_(), nullable=False),
        pa.field(
            "breaks",
            pa.list_(pa.struct([("at", pa.int32()), ("removed", pa.string()), ("hyphen", pa.bool_())])),
            nullable=False,
        ),
        pa.field("trimmed", pa.string(), nullable=False),
        pa.field("departures", pa.list_(pa.string()), nullable=False),
    ]
)
"""The one schema of records in Arrow's types: whoever makes tables or batches of them takes it from here."""

BATCH = 10_000
"""How many rows make a row group: as many as are in memory."""


class ParquetWriter:
    """Writes each match to *out* as a row of SCHEMA. Before the writer is closed, *out* is no Parquet file."""

    def __init__(self, out: BinaryIO) -> None:
        self._parquet: Any = parquet.ParquetWriter(out, SCHEMA, compression="zstd")
        self._rows: list[dict[str, object]] = []

    def write(self, match: "URLMatch") -> None:
        """Add the row of *match*."""
        self._rows.append({name: _storable(value) for name, value in record(match).items()})
        if len(self._rows) >= BATCH:
            self._write()

    def end_file(self, source: str | None) -> None:
        """Do nothing: every row names its file."""

    def close(self) -> None:
        """Write what is left, and the file's footer."""
        if self._rows:
            self._write()
        self._parquet.close()

    def _write(self) -> None:
        self._parquet.write_batch(pa.RecordBatch.from_pylist(self._rows, schema=SCHEMA))
        self._rows.clear()


def _storable(value: object) -> object:
    """Return *value* with half surrogate pairs, which have no UTF-8, as escapes."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {name: _storable(part) for name, part in value.items()}
    return [_storable(part) for part in value] if isinstance(value, (list, tuple)) else value
