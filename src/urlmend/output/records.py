"""Records as rows: the values of chosen fields, in the form of a format. Every format takes its rows from here."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any

from urlmend.facts import LONGEST_KEPT, facts_of
from urlmend.grammar.profiles import Profile
from urlmend.match import URLMatch
from urlmend.record import MATCH, ORIGIN, PLACE, TEXT, Field

MOST_KNOWN = 4096
"""Of how many URLs the values are kept: in archives three of four URLs are repeats."""

_HOLDERS = (ORIGIN, TEXT, MATCH, PLACE)
"""What fields belong to, in the order in which their values are made."""


def row_of(fields: Sequence[Field], write: Callable[[Any], Any] | None = None) -> Callable[[URLMatch], tuple[Any, ...]]:
    """Return a function that returns the values of *fields* of a match, each as *write* returns it.

    What belongs to a message, or to a URL as it is written, is written once for neighbours and for repeats. Places are
    integers, which every format takes as they are.
    """
    made_in_turn = sorted(fields, key=lambda field: _HOLDERS.index(field.of))
    in_order = itemgetter(*map(made_in_turn.index, fields)) if len(fields) > 1 else tuple
    of_origin, of_text, of_match, of_place = (
        _attributes([each.attribute or each.name for each in fields if each.of == holder]) for holder in _HOLDERS
    )
    neighbour: tuple[object, tuple[Any, ...]] = None, ()

    def written(*values: object) -> tuple[Any, ...]:
        return (*map(write, values),) if write else values

    def url_values(url: str, profile: Profile, *of_match: object) -> tuple[Any, ...]:
        return written(*of_text(facts_of(url, profile)), *of_match)

    kept_values = lru_cache(MOST_KNOWN)(url_values)

    def row(match: URLMatch) -> tuple[Any, ...]:
        nonlocal neighbour
        origin, first = neighbour
        if match.origin is not origin:
            first = written(*of_origin(match.origin))
            neighbour = match.origin, first
        values = kept_values if len(match.raw) + len(match.trimmed) <= LONGEST_KEPT else url_values
        of_url = values(match.url, match.profile, *of_match(match))
        return in_order((*first, *of_url, *of_place(match)))

    return row


def _attributes(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the attributes *names* of a value."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda holder: (*[getattr(holder, name) for name in names],)
