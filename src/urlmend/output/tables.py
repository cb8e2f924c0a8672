"""Tables as text: JSON Lines, CSV and TSV. Their columns are the fields of the record, or those of counts."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from json.encoder import encode_basestring
from operator import attrgetter, call, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

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
    Field,
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

_AS_IT_IS = re.compile(r"(?![=+@-])[ !#-+\--\[\]-~]*")
"""Most cells of TSV and CSV, which nothing is done about: ASCII without quotes, commas, backslashes and formulas."""

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

_WITHOUT_TARGET = BY_NAME | {"target": BY_NAME["target"]._replace(attribute="no_target")}


class RecordFormat:
    """A format for records and other rows, which have the columns *names*.

    Only with *unwrap* a record has the target of its URL. With *visible*, control characters are written as escapes,
    for people at a terminal.
    """

    head = ""
    _separator = ","

    def __init__(self, names: Sequence[str] = NAMES, *, unwrap: bool = False, visible: bool = False) -> None:
        self._names = names
        self._unwrap = unwrap
        self._visible = visible

    def __getstate__(self) -> Mapping[str, object]:  # other processes make their own columns
        return {name: value for name, value in vars(self).items() if name != "_columns"}

    def lines(self, matches: "Sequence[URLMatch]") -> str:
        """Return the records of *matches*. What belongs to a message, or to a URL as it is written, is made once."""
        columns = self._columns
        template, in_order = columns.template, columns.in_order
        origin: Origin | None = None
        first: tuple[str, ...] = ()
        lines = []
        for match in matches:
            if match.origin is not origin:
                origin = match.origin
                first = columns.of_origin(origin)
            of_url = columns.kept_of_url if len(match.raw) <= LONGEST_KEPT else columns.of_url
            lines.append(template % in_order((*first, *of_url(*columns.values_of(match)), *columns.place_of(match))))
        return self._text(lines)

    def row(self, values: Mapping[str, object]) -> str:
        """Return *values* as a line."""
        return self._text([self._template(values) % (*map(self._written, values.values()),)])

    @cached_property
    def _columns(self) -> "_Columns":
        fields = [(BY_NAME if self._unwrap else _WITHOUT_TARGET)[name] for name in self._names]
        in_turn = sorted(fields, key=lambda field: _HOLDERS.index(field.of))
        of_origin, of_text, of_match, of_place = ([each for each in fields if each.of == holder] for holder in _HOLDERS)
        origin_cells, text_cells = self._cells(of_origin), self._cells(of_text)
        match_writers = [self._writer_of(field) for field in of_match]

        def url_cells(url: str, profile: "Profile", *values: object) -> tuple[str, ...]:
            return (*text_cells(facts_of(url, profile)), *map(call, match_writers, values))

        return _Columns(
            self._template(self._names),
            itemgetter(*map(in_turn.index, fields)) if len(fields) > 1 else tuple,
            origin_cells,
            attrgetter("url", "profile", *(field.name for field in of_match)),
            url_cells,
            lru_cache(MOST_KNOWN)(url_cells),
            _values(of_place),
        )

    def _cells(self, fields: Sequence[Field]) -> "Callable[[Any], tuple[str, ...]]":
        """Return what makes the cells of *fields*, all of the same holder: no Python code runs between the cells."""
        writers = [self._writer_of(field) for field in fields]
        values = _values(fields)
        return lambda holder: (*map(call, writers, values(holder)),)

    def _writer_of(self, field: Field) -> Callable[[Any], str]:
        absent, write = self._written(None), self._writer(field.type)
        return (lambda value: absent if value is None else write(value)) if field.absent else write

    def _writer(self, kind: str) -> Callable[[Any], str]:  # noqa: ARG002 -- for formats that are quicker so
        """Return a function that does what `_written` does for values of the type *kind* (`Field`)."""
        return lambda value: self._written(plain(value))

    def _written(self, value: object) -> str:
        """Return *value*, a plain value of any type, as it is written."""
        raise NotImplementedError

    def _template(self, names: Iterable[str]) -> str:
        """Return the columns *names* of a line with `%s` for each cell."""
        return self._separator.join("%s" for _ in names)

    def _text(self, lines: Iterable[str]) -> str:
        """Return *lines*, each with its end."""
        raise NotImplementedError


_HOLDERS = (ORIGIN, TEXT, MATCH, PLACE)
"""What fields belong to, in the order in which their cells are made."""


class _Columns(NamedTuple):
    """What makes the line of a match: its *template*, *in_order* of the columns, and what makes the cells in turn.

    These are the cells of the origin, of the URL, made of `values_of` the match, which are kept for the last URLs, and
    of the place.
    """

    template: str
    in_order: Callable[[tuple[object, ...]], tuple[object, ...]]
    of_origin: "Callable[[Origin], tuple[str, ...]]"
    values_of: "Callable[[URLMatch], tuple[Any, ...]]"
    of_url: Callable[..., tuple[str, ...]]
    kept_of_url: Callable[..., tuple[str, ...]]
    place_of: "Callable[[URLMatch], tuple[int, ...]]"


def _values(fields: Sequence[Field]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what returns the values of *fields*, all of the same holder."""
    names = [field.attribute or field.name for field in fields]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda holder: (*[getattr(holder, name) for name in names],)


class JsonlFormat(RecordFormat):
    """JSON Lines: each row is an object."""

    _separator = ", "

    def _writer(self, kind: str) -> Callable[[Any], str]:
        return _JSON[kind]

    def _written(self, value: object) -> str:
        return as_json(value)

    def _template(self, names: Iterable[str]) -> str:
        return self._separator.join(f'"{name}": %s' for name in names)

    def _text(self, lines: Iterable[str]) -> str:
        if self._visible:
            # `ensure_ascii` would escape every character outside ASCII as well.
            lines = [CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", line) for line in lines]
        # JSON has half surrogate pairs as escapes, and readers give back the same half.
        return escaped("".join([f"{{{line}}}\n" for line in lines]))


class TsvFormat(RecordFormat):
    r"""TSV: a line with the names of the columns, then each row as a line of fields with tabs between them.

    Absent values are empty; booleans and lists are JSON. Tabs, line feeds, carriage returns and backslashes are `\t`,
    `\n`, `\r` and `\\`, so that each line is one record, which `cut` and `awk` can read.
    """

    _separator = "\t"

    @property
    def head(self) -> str:  # type: ignore[override]
        """The line with the names of the columns."""
        return self._text([self._separator.join(self._names)])

    def _writer(self, kind: str) -> Callable[[Any], str]:
        if kind in ("integer", "boolean", "number"):
            return _JSON[kind]
        if kind == "string":
            return self._cell
        return lambda value: self._cell(_JSON[kind](value) if kind != "time" else shown_time(value))

    def _written(self, value: object) -> str:
        return "" if value is None else self._cell(value if isinstance(value, str) else as_json(value))

    def _cell(self, text: str) -> str:
        if _AS_IT_IS.fullmatch(text):
            return text
        cell = self._escaped(escaped(text))
        return self._quoted(on_one_line(cell) if self._visible else cell)

    def _escaped(self, cell: str) -> str:
        return cell.translate(_TAB_ESCAPES)

    def _quoted(self, cell: str) -> str:
        return cell

    def _text(self, lines: Iterable[str]) -> str:
        return "".join([f"{line}\n" for line in lines])


_EMPTY = '""'


class CsvFormat(TsvFormat):
    """CSV (RFC 4180): as TSV, but with commas between the fields, and quotes where needed.

    Lines end with CR LF, which may also appear inside quotes. A cell that a spreadsheet would take for a formula
    (FORMULA) gets a leading `'`, unless *raw*.
    """

    _separator = ","

    def __init__(
        self, names: Sequence[str] = NAMES, *, unwrap: bool = False, visible: bool = False, raw: bool = False
    ) -> None:
        super().__init__(names, unwrap=unwrap, visible=visible)
        self._raw = raw

    def _escaped(self, cell: str) -> str:
        return f"'{cell}" if cell.startswith(FORMULA) and not self._raw else cell

    def _quoted(self, cell: str) -> str:
        return '"{}"'.format(cell.replace('"', '""')) if _QUOTED.search(cell) else cell

    def _text(self, lines: Iterable[str]) -> str:
        # Quotes tell an empty cell alone from no row.
        return "".join([f"{line or _EMPTY}\r\n" for line in lines])


def reject_record(rejected: "Rejected") -> dict[str, Any]:
    """Return a rejected candidate as plain values.

    `rule` is the rule of the grammar that failed, and `pos` the place where it failed, an index into `text`. `text` is
    the candidate with its breaks mended, `raw` the candidate as it is in the file.
    """
    error = rejected.error
    return {
        "source": rejected.origin.source,
        **{name: getattr(rejected, name) for name in ("start", "end", "line", "column", "form")},
        "text": rejected.text,
        "raw": rejected.raw,
        "rule": error.rule,
        "pos": error.pos,
    }
