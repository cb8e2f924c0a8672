"""CSV (RFC 4180) and TSV: a line of names, then one line a match, with the fields of the JSONL record."""

import csv
import json
from typing import TYPE_CHECKING, TextIO

from urlmend.output.display import on_one_line
from urlmend.output.formats.jsonl import escaped
from urlmend.output.record import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from urlmend.match import URLMatch

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet computes (https://owasp.org/www-community/attacks/CSV_Injection)."""

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_TAB_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class TsvWriter:
    r"""Writes each match to *out* as a line of fields with tabs between them.

    What is absent is empty; truth values and lists are JSON text. Fields stand as they are, but for tab, line feed,
    carriage return and backslash: `\t`, `\n`, `\r`, `\\`. Thus a line is a record, and `cut` and `awk` read it.
    """

    def __init__(self, out: TextIO, names: "Sequence[str]" = NAMES, *, unwrap: bool = False) -> None:
        self._out = out
        self._names = names
        self._unwrap = unwrap
        self._begun = False
        self._shown = on_one_line if out.isatty() else str

    def write(self, match: "URLMatch") -> None:
        """Write the line of *match*."""
        self.write_row(match.as_dict(unwrap=self._unwrap))

    def write_row(self, values: "Mapping[str, object]") -> None:
        """Write a line of *values*, which have the names of the first line."""
        self._begin()
        self._write([escaped(_text(value)) for value in values.values()])

    def end_file(self, source: str | None) -> None:
        """Do nothing: every line names its file."""

    def close(self) -> None:
        """Write the line of names if nothing else was written, and flush."""
        self._begin()
        self._out.flush()

    def _begin(self) -> None:
        """Write the line of names before the first match: until then the destination is untouched."""
        if not self._begun:
            self._begun = True
            self._write(list(self._names))

    def _write(self, fields: list[str]) -> None:
        self._out.write("\t".join(self._shown(field.translate(_TAB_ESCAPES)) for field in fields) + "\n")


class CsvWriter(TsvWriter):
    """Writes each match to *out* as a line of fields, with commas between them and quotes where needed.

    What is absent is empty; truth values and lists are JSON text. Lines end with CR LF, which may stand inside quotes
    too. A cell that a spreadsheet would take for a formula (FORMULA) gets a leading `'`, unless *raw*.
    """

    def __init__(self, out: TextIO, names: "Sequence[str]" = NAMES, *, raw: bool = False, unwrap: bool = False) -> None:
        super().__init__(out, names, unwrap=unwrap)
        self._csv = csv.writer(out)
        self._raw = raw

    def _write(self, fields: list[str]) -> None:
        cells = fields if self._raw else [f"'{field}" if field.startswith(FORMULA) else field for field in fields]
        self._csv.writerow(map(self._shown, cells))


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else _ENCODE(value)
