"""Matches as Apache Arrow columns (the extra `arrow`): the fields of the JSONL record in Arrow's types."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from urlmend.matches import URLMatch, outline
from urlmend.writers.jsonl import escaped

if TYPE_CHECKING:
    from urlmend.sources import Origin

_BREAK = pa.struct([("at", pa.int32()), ("removed", pa.string()), ("hyphen", pa.bool_())])

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
        pa.field("breaks", pa.list_(_BREAK), nullable=False),
        pa.field("trimmed", pa.string(), nullable=False),
        pa.field("departures", pa.list_(pa.string()), nullable=False),
    ]
)
"""The one schema of records in Arrow's types: whoever makes tables or batches of them takes it from here."""

PLACE = ("start", "end", "line", "column", "form", "raw")
"""The fields that a rejected candidate has as well."""

ORIGIN = ("source", "message", "part", "message_id", "date")


def columns(matches: Sequence["URLMatch"]) -> dict[str, Any]:
    """Return *matches* as arrays under the names of SCHEMA, in its order."""
    schemes, hosts, departures = map(list, zip(*map(outline, matches), strict=True))
    made = {
        **origins(matches, ORIGIN),
        **places(matches),
        "url": strings([match.url for match in matches]),
        "scheme": strings(schemes),
        "host": strings(hosts),
        "readings": _lists([match.readings for match in matches], strings),
        "ambiguous": pa.array([match.ambiguous for match in matches], pa.bool_()),
        "breaks": _lists([match.breaks for match in matches], _breaks),
        "trimmed": strings([match.trimmed for match in matches]),
        "departures": _lists(departures, strings),
    }
    return {name: made[name] for name in SCHEMA.names}


def places(found: Sequence[Any]) -> dict[str, Any]:
    """Return the fields PLACE of *found*, matches or rejected candidates, as arrays."""
    return {name: array([getattr(one, name) for one in found], SCHEMA.field(name).type) for name in PLACE}


def origins(found: Sequence[Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the attributes *names* of the origins of *found* as arrays; each origin in a row is asked once."""
    values = attrgetter(*names)
    rows: list[tuple[Any, ...]] = []
    last: Origin | None = None
    for one in found:
        rows.append(rows[-1] if one.origin is last else values(one.origin))
        last = one.origin
    return {
        name: array(list(column), pa.int64() if name == "message" else pa.string())
        for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


def array(values: list[Any], type: Any) -> Any:  # noqa: A002, ANN401 -- Arrow's type, and an array of it
    """Return *values* as an array of *type*."""
    return strings(values) if pa.types.is_string(type) else pa.array(values, type)


def strings(values: list[str | None]) -> Any:  # noqa: ANN401 -- an array
    """Return *values* as an array, with half surrogate pairs, which have no UTF-8, as escapes."""
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array([value and escaped(value) for value in values], pa.string())


def _lists(values: list[tuple[Any, ...]], made: Callable[[list[Any]], Any]) -> Any:  # noqa: ANN401 -- an array
    """Return *values* as an array of lists, of whose items *made* makes the array."""
    offsets = pa.array(list(accumulate(map(len, values), initial=0)), pa.int32())
    return pa.ListArray.from_arrays(offsets, made(list(chain.from_iterable(values))))


def _breaks(breaks: Iterable[Any]) -> Any:  # noqa: ANN401 -- an array
    return pa.StructArray.from_arrays(
        [array([getattr(one, field.name) for one in breaks], field.type) for field in _BREAK], fields=list(_BREAK)
    )
