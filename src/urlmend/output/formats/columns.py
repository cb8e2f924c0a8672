"""Matches as Apache Arrow columns (the extra `arrow`): the fields of the JSONL record in Arrow's types."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from urlmend.grammar.parser import scheme_host_departures
from urlmend.match import URLMatch
from urlmend.output.formats.jsonl import DECIMALS, escaped

if TYPE_CHECKING:
    from urlmend.sources import Origin

_BREAK = pa.struct([("at", pa.int32()), ("removed", pa.string()), ("hyphen", pa.bool_()), ("inserted", pa.string())])

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
        pa.field("confidence", pa.float64(), nullable=False),
    ]
)
"""The schema of records in Arrow's types, for all tables and batches of them."""

PLACE = ("start", "end", "line", "column", "form", "raw")
"""The fields that a rejected candidate has as well."""

ORIGIN = ("source", "message", "part", "message_id", "date")


_FIELDS = ("url", "profile", "readings", "ambiguous", "breaks", "trimmed", "confidence")


def columns(matches: Sequence[URLMatch]) -> dict[str, Any]:
    """Return *matches* as arrays under the names of SCHEMA, in its order."""
    values = zip(*map(attrgetter(*_FIELDS), matches), strict=True)
    urls, profiles, readings, ambiguous, breaks, trimmed, confidences = values
    schemes, hosts, departures = zip(*map(scheme_host_departures, urls, profiles), strict=True)
    made = {
        **origins(matches, ORIGIN),
        **places(matches),
        "url": strings(urls),
        "scheme": strings(schemes),
        "host": strings(hosts),
        "readings": _lists(readings, strings),
        "ambiguous": pa.array(ambiguous, pa.bool_()),
        "breaks": _lists(breaks, _breaks),
        "trimmed": strings(trimmed),
        "departures": _lists(departures, strings),
        "confidence": pa.array([round(confidence, DECIMALS) for confidence in confidences], pa.float64()),
    }
    return {name: made[name] for name in SCHEMA.names}


def places(found: Sequence[Any]) -> dict[str, Any]:
    """Return the fields PLACE of *found*, matches or rejected candidates, as arrays."""
    values = zip(*map(attrgetter(*PLACE), found), strict=True)
    return {name: array(column, SCHEMA.field(name).type) for name, column in zip(PLACE, values, strict=True)}


def origins(found: Sequence[Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the attributes *names* of the origins of *found* as arrays; neighbours share an origin."""
    asked: list[Origin] = []
    numbers = []
    for one in found:
        if not asked or one.origin is not asked[-1]:
            asked.append(one.origin)
        numbers.append(len(asked) - 1)
    rows = pa.array(numbers, pa.int32())
    types = {name: pa.int64() if name == "message" else pa.string() for name in names}
    return {name: array([getattr(one, name) for one in asked], type).take(rows) for name, type in types.items()}  # noqa: A001 -- Arrow's


def array(values: Sequence[Any], type: Any) -> Any:  # noqa: A002, ANN401 -- Arrow's type, and an array of it
    """Return *values* as an array of *type*."""
    return strings(values) if pa.types.is_string(type) else pa.array(values, type)


def strings(values: Sequence[str | None]) -> Any:  # noqa: ANN401 -- an array
    """Return *values* as an array, with half surrogate pairs, which have no UTF-8, as escapes."""
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array([value and escaped(value) for value in values], pa.string())


def _lists(values: Sequence[tuple[Any, ...]], made: Callable[[list[Any]], Any]) -> Any:  # noqa: ANN401 -- an array
    """Return *values* as an array of lists, of whose items *made* makes the array."""
    offsets = pa.array(list(accumulate(map(len, values), initial=0)), pa.int32())
    return pa.ListArray.from_arrays(offsets, made(list(chain.from_iterable(values))))


def _breaks(breaks: Iterable[Any]) -> Any:  # noqa: ANN401 -- an array
    return pa.StructArray.from_arrays(
        [array([getattr(one, field.name) for one in breaks], field.type) for field in _BREAK], fields=list(_BREAK)
    )
