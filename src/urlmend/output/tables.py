"""Tables as text: JSON Lines, CSV and TSV. Their columns are the fields of the record, or those of counts."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from functools import lru_cache
from json.encoder import encode_basestring
from types import NoneType
from typing import Any

from urlmend.match import Break, Rejected, URLMatch
from urlmend.output.records import row_of
from urlmend.output.terminal import CONTROLS, on_one_line
from urlmend.record import NAMES, encodable, fields_called, shown_time

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of cells that a spreadsheet computes (https://owasp.org/www-community/attacks/CSV_Injection)."""

_TAB_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})

_any_as_json = json.JSONEncoder(ensure_ascii=False).encode

_AS_JSON: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: str,
    bool: {False: "false", True: "true"}.__getitem__,
    NoneType: lambda _: "null",
    float: repr,
    datetime: lambda moment: encode_basestring(shown_time(moment)),
    tuple: lambda values: f"[{', '.join(map(as_json, values))}]" if values else "[]",
    Break: lambda removed: _any_as_json(removed._asdict()),
}


def as_json(value: object) -> str:
    """Return *value* as JSON, as in records."""
    return _AS_JSON.get(type(value), _any_as_json)(value)


_QUOTED = re.compile('[,"\r\n]')
"""The characters for which a cell of CSV needs quotes (RFC 4180 section 2)."""

_AS_IT_IS = re.compile(r"(?![=+@-])[ !#-+\--\[\]-~]*")
"""Most cells of TSV and CSV, which are written as they are: ASCII without quotes, commas, backslashes and formulas."""


@dataclass(eq=False)
class RecordFormat:
    """A format for records and other rows, which have the columns `names`.

    A record has the target of its URL only with `unwrap`. With `visible`, control characters are written as escapes,
    for people at a terminal. `raw` is about the cells of CSV.
    """

    names: Sequence[str] = NAMES
    _: KW_ONLY
    unwrap: bool = False
    visible: bool = False
    raw: bool = False

    @property
    def head(self) -> str:
        """The text before the first row."""
        return ""

    def lines(self, matches: Sequence[URLMatch]) -> str:
        """Return the records of *matches*."""
        return self._text(map(_line_of(self), matches))

    def row(self, values: Mapping[str, object]) -> str:
        """Return *values* as a line."""
        return self._text([self.template(values) % (*map(self.written, values.values()),)])

    def written(self, value: object) -> str:
        """Return *value*, of a field or of a count, as it is written."""
        raise NotImplementedError

    def template(self, names: Iterable[str]) -> str:
        """Return the columns *names* of a line with `%s` for each cell."""
        raise NotImplementedError

    def _text(self, lines: Iterable[str]) -> str:
        """Return *lines*, each with its end."""
        return "".join([f"{line}\n" for line in lines])


@lru_cache
def _line_of(record_format: RecordFormat) -> Callable[[URLMatch], str]:
    """Return the function that writes a match in *record_format*. Other processes make their own."""
    row = row_of(fields_called(tuple(record_format.names), unwrap=record_format.unwrap), record_format.written)
    template = record_format.template(record_format.names)
    return lambda match: template % row(match)


class JsonlFormat(RecordFormat):
    """JSON Lines: each row is an object."""

    def written(self, value: object) -> str:
        """Return *value* as JSON."""
        return as_json(value)

    def template(self, names: Iterable[str]) -> str:
        """Return the members *names* of an object with `%s` for each value."""
        return ", ".join(f'"{name}": %s' for name in names)

    def _text(self, lines: Iterable[str]) -> str:
        if self.visible:
            # `ensure_ascii` would escape every character outside ASCII as well.
            lines = [CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", line) for line in lines]
        # JSON has half surrogate pairs as escapes, and readers give back the same half.
        return encodable("".join([f"{{{line}}}\n" for line in lines]))


class TsvFormat(RecordFormat):
    r"""TSV: a line with the names of the columns, then each row as a line of fields with tabs between them.

    Absent values are empty; booleans and lists are JSON. Tabs, line feeds, carriage returns and backslashes are `\t`,
    `\n`, `\r` and `\\`, so that each line is one record, which `cut` and `awk` can read.
    """

    @property
    def head(self) -> str:
        """The line with the names of the columns."""
        return self._text([self.template(self.names) % (*self.names,)])

    def template(self, names: Iterable[str]) -> str:
        """Return the columns *names* of a line with `%s` for each cell."""
        return "\t".join("%s" for _ in names)

    def written(self, value: object) -> str:
        """Return *value* as a cell."""
        if value is None:
            return ""
        if not isinstance(value, str):
            value = shown_time(value) if isinstance(value, datetime) else as_json(value)
        if _AS_IT_IS.fullmatch(value):
            return value
        cell = self._escaped(encodable(value))
        return self._quoted(on_one_line(cell) if self.visible else cell)

    def _escaped(self, cell: str) -> str:
        return cell.translate(_TAB_ESCAPES)

    def _quoted(self, cell: str) -> str:
        return cell


_EMPTY = '""'


class CsvFormat(TsvFormat):
    """CSV (RFC 4180): as TSV, but with commas between the fields, and quotes where needed.

    Lines end with CR LF, which may also appear inside quotes. A cell that a spreadsheet would take for a formula
    (FORMULA) gets a leading `'`, unless *raw*.
    """

    def template(self, names: Iterable[str]) -> str:
        """Return the columns *names* of a line with `%s` for each cell."""
        return ",".join("%s" for _ in names)

    def _escaped(self, cell: str) -> str:
        return f"'{cell}" if cell.startswith(FORMULA) and not self.raw else cell

    def _quoted(self, cell: str) -> str:
        return '"{}"'.format(cell.replace('"', '""')) if _QUOTED.search(cell) else cell

    def _text(self, lines: Iterable[str]) -> str:
        # Quotes tell an empty cell alone from no row.
        return "".join([f"{line or _EMPTY}\r\n" for line in lines])


def reject_record(rejected: Rejected) -> dict[str, Any]:
    """Return a rejected candidate as plain values.

    `rule` is the rule of the grammar that failed, and `pos` the place where it failed, an index into `text`. `text` is
    the candidate with its breaks mended, `raw` the candidate as it is in the file.
    """
    error = rejected.error
    return {
        "source": rejected.origin.source,
        **{name: getattr(rejected, name) for name in ("start", "end", "line", "column", "form", "text", "raw")},
        "rule": error.rule,
        "pos": error.pos,
    }
