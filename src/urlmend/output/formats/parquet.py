"""Parquet, by way of Apache Arrow (the extra `arrow`): one row an occurrence, with the fields of the JSONL record."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
from pyarrow import parquet

from urlmend.output.formats.columns import SCHEMA, columns

if TYPE_CHECKING:
    from urlmend.match import URLMatch

BATCH = 10_000
"""How many rows make a row group: as many as are in memory."""


class ParquetWriter:
    """Writes each match to *out* as a row of SCHEMA. Until the writer is closed or abandoned, *out* cannot be read."""

    def __init__(self, out: BinaryIO, *, unwrap: bool = False) -> None:
        self._out = out
        self._unwrap = unwrap
        self._parquet: Any = None  # made with the first rows: until then the destination is untouched
        self._matches: list[URLMatch] = []

    def write(self, match: "URLMatch") -> None:
        """Add the row of *match*."""
        self._matches.append(match)
        if len(self._matches) >= BATCH:
            self._write()

    def end_file(self, source: str | None) -> None:
        """Do nothing: every row names its file."""

    def close(self) -> None:
        """Write what is left, and the file's footer."""
        self._write()
        self._parquet.close()

    def abandon(self) -> None:
        """Write the footer for the rows that are written: then they can be read, though there are more."""
        if self._parquet is not None:
            # Where writing has failed, this fails too.
            with suppress(OSError, ValueError, pa.ArrowException):
                self._parquet.close()

    def _write(self) -> None:
        if self._parquet is None:
            self._parquet = parquet.ParquetWriter(self._out, SCHEMA, compression="zstd")
        if self._matches:
            made = columns(self._matches, unwrap=self._unwrap)
            self._parquet.write_batch(pa.RecordBatch.from_arrays(list(made.values()), schema=SCHEMA))
            self._matches.clear()
