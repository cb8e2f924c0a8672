"""Matches as Apache Arrow columns (the extra `arrow`): the fields of the JSONL record in Arrow's types."""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from urlmend.grammar.parser import scheme_host_departures
from urlmend.match import DECIMALS, URLMatch, warning_names
from urlmend.output.formats.jsonl import escaped
from urlmend.output.record import FIELDS

if TYPE_CHECKING:
    from urlmend.sources import Origin

_BREAK = pa.struct([("at", pa.int32()), ("removed", pa.string()), ("hyphen", pa.bool_()), ("inserted", pa.string())])

_TYPES = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "strings": pa.list_(pa.string()),
    "breaks": pa.list_(_BREAK),
}

SCHEMA: Any = pa.schema([pa.field(each.name, _TYPES[each.type], nullable=each.absent) for each in FIELDS])
"""The fields of records in Arrow's types, for all tables and batches of them."""

PLACE = ("start", "end", "line", "column", "form", "raw", "exact")
"""The fields that a rejected candidate has as well."""

ORIGIN = ("source", "message", "part", "message_id", "date", "signature", "author", "subject")
"""The fields that are attributes of an origin."""

_FIELDS = ("url", "profile", "readings", "ambiguous", "breaks", "trimmed", "confidence", "quoted")


def columns(matches: Sequence[URLMatch], *, unwrap: bool = False) -> dict[str, Any]:
    """Return *matches* as arrays under the names of SCHEMA, in its order; with *unwrap*, the targets too."""
    values = zip(*map(attrgetter(*_FIELDS), matches), strict=True)
    urls, profiles, readings, ambiguous, breaks, trimmed, confidences, quoted = values
    keys = list(zip(urls, profiles, strict=True))
    # Of the URLs in mail, two in three stand there more than once.
    told = {key: (*scheme_host_departures(*key), warning_names(*key)) for key in dict.fromkeys(keys)}
    schemes, hosts, departures, warnings = zip(*map(told.__getitem__, keys), strict=True)
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
        "quoted": pa.array(quoted, pa.bool_()),
        "target": strings([match.target for match in matches]) if unwrap else pa.nulls(len(matches), pa.string()),
        "warnings": _lists(warnings, strings),
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
    types = {name: SCHEMA.field(name).type if name in SCHEMA.names else pa.string() for name in names}
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
