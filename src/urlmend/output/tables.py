"""Tables as text: JSON Lines, CSV and TSV. Their columns are the fields of the record, or those of counts."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from urlmend.output.record import NAMES, escaped
from urlmend.output.terminal import CONTROLS, on_one_line

if TYPE_CHECKING:
    from urlmend.match import URLMatch

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of cells that a spreadsheet computes (https://owasp.org/www-community/attacks/CSV_Injection)."""

_TAB_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})

as_json = json.JSONEncoder(ensure_ascii=False).encode
"""Return a value as JSON, as in records."""


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """A format for records and other rows. With `unwrap`, the record of a match has the target of its URL.

    With `visible`, control characters are written as escapes, for people at a terminal.
    """

    unwrap: bool = False
    visible: bool = False

    def lines(self, matches: "Sequence[URLMatch]") -> str:
        """Return the records of *matches*."""
        return "".join([self.row(match.as_dict(unwrap=self.unwrap)) for match in matches])

    def row(self, values: Mapping[str, object]) -> str:
        """Return *values* as a line."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class JsonlFormat(RecordFormat):
    """JSON Lines: each row is an object."""

    head = ""

    def row(self, values: Mapping[str, object]) -> str:
        """Return *values* as an object."""
        # JSON has half surrogate pairs as escapes, and readers give back the same half.
        line = escaped(as_json(values))
        if self.visible:
            # `ensure_ascii` would escape every character outside ASCII as well.
            line = CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", line)
        return f"{line}\n"


@dataclass(frozen=True, slots=True)
class TsvFormat(RecordFormat):
    r"""TSV: a line with the names of the columns, then each row as a line of fields with tabs between them.

    Absent values are empty; booleans and lists are JSON. Tabs, line feeds, carriage returns and backslashes are `\t`,
    `\n`, `\r` and `\\`, so that each line is one record, which `cut` and `awk` can read.
    """

    names: Sequence[str] = NAMES

    @property
    def head(self) -> str:
        """The line with the names of the columns."""
        return self._line(self.names)

    def row(self, values: Mapping[str, object]) -> str:
        """Return *values*, in the order of the columns, as a line."""
        return self._line([_cell(value) for value in values.values()])

    def _line(self, cells: Sequence[str]) -> str:
        return "\t".join(self._shown(cell.translate(_TAB_ESCAPES)) for cell in cells) + "\n"

    def _shown(self, cell: str) -> str:
        return on_one_line(cell) if self.visible else cell


@dataclass(frozen=True, slots=True)
class CsvFormat(TsvFormat):
    """CSV (RFC 4180): as TSV, but with commas between the fields, and quotes where needed.

    Lines end with CR LF, which may also appear inside quotes. A cell that a spreadsheet would take for a formula
    (FORMULA) gets a leading `'`, unless `raw`.
    """

    raw: bool = False

    def _line(self, cells: Sequence[str]) -> str:
        line = StringIO(newline="")
        safe = cells if self.raw else [f"'{cell}" if cell.startswith(FORMULA) else cell for cell in cells]
        csv.writer(line).writerow(map(self._shown, safe))
        return line.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    return escaped(value if isinstance(value, str) else as_json(value))
