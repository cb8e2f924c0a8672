"""Tables as text: JSON Lines, CSV and TSV. Their columns are the fields of the record, or those of counts."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from json.encoder import encode_basestring
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from urlmend.facts import LONGEST_KEPT, facts_of
from urlmend.output.terminal import CONTROLS, on_one_line
from urlmend.record import (
    BY_NAME,
    DECIMALS,
    MATCH,
    NAMES,
    ORIGIN,
    PLACE,
    TEXT,
    escaped,
    plain,
    shown_time,
)

if TYPE_CHECKING:
    from urlmend.grammar.profiles import Profile
    from urlmend.match import Rejected, URLMatch
    from urlmend.sources import Origin

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of cells that a spreadsheet computes (https://owasp.org/www-community/attacks/CSV_Injection)."""

MOST_KNOWN = 4096
"""Of how many URLs the cells are kept: in archives three of four URLs are repeats."""

_TAB_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})

as_json = json.JSONEncoder(ensure_ascii=False).encode
"""Return a value as JSON, as in records."""

_QUOTED = re.compile('[,"\r\n]')
"""What a cell of CSV has quotes for (RFC 4180 section 2)."""

_JSON: Mapping[str, Callable[[Any], str]] = {
    "string": encode_basestring,
    "integer": str,
    "number": lambda number: "1.0" if number == 1 else repr(round(number, DECIMALS)),
    "boolean": {False: "false", True: "true"}.__getitem__,
    "strings": lambda strings: f"[{', '.join(map(encode_basestring, strings))}]",
    "breaks": lambda breaks: as_json(plain(breaks)) if breaks else "[]",
    "time": lambda moment: encode_basestring(shown_time(moment)),
}
"""How values of each type are written in JSON: the same as `as_json`, but quicker for those of one type."""

_Column = tuple[str, Callable[[Any], Any], Callable[[Any], str]]
"""The beginning of each cell of a column, the value of a cell, and how it is written."""


class RecordFormat:
    """A format for records and other rows, which have the columns *names*.

    Only with *unwrap* a record has the target of its URL. With *visible*, control characters are written as escapes,
    for people at a terminal.
    """

    head = ""

    def __init__(self, names: Sequence[str] = NAMES, *, unwrap: bool = False, visible: bool = False) -> None:
        self._names = names
        self._unwrap = unwrap
        self._visible = visible

    def __getstate__(self) -> Mapping[str, object]:  # other processes make their own columns
        return {name: value for name, value in vars(self).items() if name not in ("_columns", "_in_order", "_known")}

    def lines(self, matches: "Sequence[URLMatch]") -> str:
        """Return the records of *matches*. What belongs to a message, or to a URL's text, is written once for all."""
        of_origin, of_text, of_match = self._columns
        known, in_order = self._known, self._in_order
        origin: Origin | None = None
        first: list[str] = []
        rows = []
        for match in matches:
            if match.origin is not origin:
                origin = match.origin
                first = _cells(of_origin, origin)
            key = match.url, match.profile
            second = known.get(key)
            if second is None:
                second = _cells(of_text, facts_of(*key)) if of_text else []
                if len(known) >= MOST_KNOWN:
                    known.clear()
                if len(match.url) <= LONGEST_KEPT:
                    known[key] = second
            rows.append(in_order(first + second + _cells(of_match, match)))
        return self._text(rows)

    def row(self, values: Mapping[str, object]) -> str:
        """Return *values* as a line."""
        return self._text([[self._begin(name) + self._written(value) for name, value in values.items()]])

    @cached_property
    def _known(self) -> dict[tuple[str, "Profile"], list[str]]:
        """The cells that belong to the text of a URL."""
        return {}

    @cached_property
    def _columns(self) -> tuple[list[_Column], ...]:
        """The columns that belong to the origin, to the text of the URL, and to the match."""
        columns: dict[str, list[_Column]] = {ORIGIN: [], TEXT: [], MATCH: []}
        for each in map(BY_NAME.__getitem__, self._names):
            is_wanted = self._unwrap or each.name != "target"
            get: Callable[[Any], Any] = attrgetter(each.attribute or each.name) if is_wanted else _nothing
            write = self._writer(each.type)
            columns[each.of].append((self._begin(each.name), get, self._or_absent(write) if each.absent else write))
        return tuple(columns.values())

    @cached_property
    def _in_order(self) -> Callable[[Sequence[str]], Sequence[str]]:
        """A function that puts the cells of `_columns` in the order of the columns."""
        kinds = [(ORIGIN, TEXT, MATCH).index(BY_NAME[name].of) for name in self._names]
        order = sorted(range(len(kinds)), key=kinds.__getitem__)
        return itemgetter(*map(order.index, range(len(order)))) if len(order) > 1 else list

    def _or_absent(self, write: Callable[[Any], str]) -> Callable[[Any], str]:
        absent = self._written(None)
        return lambda value: absent if value is None else write(value)

    def _begin(self, name: str) -> str:  # noqa: ARG002 -- for formats that name each value
        """Return the beginning of each cell of the column *name*."""
        return ""

    def _writer(self, kind: str) -> Callable[[Any], str]:  # noqa: ARG002 -- for formats that are quicker so
        """Return a function that does what `_written` does for values of the type *kind* (`Field`)."""
        return lambda value: self._written(plain(value))

    def _written(self, value: object) -> str:
        """Return *value*, a plain value of any type, as it is written."""
        raise NotImplementedError

    def _text(self, rows: Iterable[Sequence[str]]) -> str:
        """Return the lines for *rows* of cells."""
        raise NotImplementedError


def _nothing(_: object) -> None:
    return None


def _cells(columns: Iterable[_Column], holder: object) -> list[str]:
    return [begin + write(get(holder)) for begin, get, write in columns]


class JsonlFormat(RecordFormat):
    """JSON Lines: each row is an object."""

    def _begin(self, name: str) -> str:
        return f'"{name}": '

    def _writer(self, kind: str) -> Callable[[Any], str]:
        return _JSON[kind]

    def _written(self, value: object) -> str:
        return as_json(value)

    def _text(self, rows: Iterable[Sequence[str]]) -> str:
        lines = [f"{{{', '.join(row)}}}" for row in rows]
        if self._visible:
            # `ensure_ascii` would escape every character outside ASCII as well.
            lines = [CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", line) for line in lines]
        # JSON has half surrogate pairs as escapes, and readers give back the same half.
        return escaped("".join([f"{line}\n" for line in lines]))


class TsvFormat(RecordFormat):
    r"""TSV: a line with the names of the columns, then each row as a line of fields with tabs between them.

    Absent values are empty; booleans and lists are JSON. Tabs, line feeds, carriage returns and backslashes are `\t`,
    `\n`, `\r` and `\\`, so that each line is one record, which `cut` and `awk` can read.
    """

    @property
    def head(self) -> str:  # type: ignore[override]
        """The line with the names of the columns."""
        return self._text([self._names])

    def _writer(self, kind: str) -> Callable[[Any], str]:
        if kind in ("integer", "boolean", "number"):
            return _JSON[kind]
        if kind == "string":
            return self._cell
        return lambda value: self._cell(_JSON[kind](value) if kind != "time" else shown_time(value))

    def _written(self, value: object) -> str:
        return "" if value is None else self._cell(value if isinstance(value, str) else as_json(value))

    def _cell(self, text: str) -> str:
        cell = self._escaped(escaped(text))
        return on_one_line(cell) if self._visible else cell

    def _escaped(self, cell: str) -> str:
        return cell.translate(_TAB_ESCAPES)

    def _text(self, rows: Iterable[Sequence[str]]) -> str:
        return "".join(["\t".join(row) + "\n" for row in rows])


class CsvFormat(TsvFormat):
    """CSV (RFC 4180): as TSV, but with commas between the fields, and quotes where needed.

    Lines end with CR LF, which may also appear inside quotes. A cell that a spreadsheet would take for a formula
    (FORMULA) gets a leading `'`, unless *raw*.
    """

    def __init__(
        self, names: Sequence[str] = NAMES, *, unwrap: bool = False, visible: bool = False, raw: bool = False
    ) -> None:
        super().__init__(names, unwrap=unwrap, visible=visible)
        self._raw = raw

    def _cell(self, text: str) -> str:
        cell = super()._cell(text)
        return '"{}"'.format(cell.replace('"', '""')) if _QUOTED.search(cell) else cell

    def _escaped(self, cell: str) -> str:
        return f"'{cell}" if cell.startswith(FORMULA) and not self._raw else cell

    def _text(self, rows: Iterable[Sequence[str]]) -> str:
        # Quotes tell an empty cell alone from no row.
        return "".join([(",".join(row) or '""') + "\r\n" for row in rows])


def reject_record(rejected: "Rejected") -> dict[str, Any]:
    """Return a rejected candidate as plain values.

    `rule` is the rule of the grammar that failed, and `pos` the place where it failed, an index into `text`. `text` is
    the candidate with its breaks mended, `raw` the candidate as it is in the file.
    """
    error = rejected.error
    return {
        "source": rejected.origin.source,
        **{name: getattr(rejected, name) for name in PLACE},
        "text": rejected.text,
        "raw": rejected.raw,
        "rule": error.rule,
        "pos": error.pos,
    }
