"""The extents of what is found on request: which of them a trigger asks for, and where its candidate ends."""

import re
from typing import TYPE_CHECKING

from urlmend.query import Query
from urlmend.scan import termination
from urlmend.scan.delimiters import Delimiters, Extent, Hold
from urlmend.scan.forms import addresses, defanged, hosts
from urlmend.scan.forms.hosts import Host

if TYPE_CHECKING:
    from urlmend.scan.forms.addresses import Address

# UTS #58 pairs brackets within one part of a URL: a segment, a query's name or value, a fragment's directive.
_BRACKET_OR_PART = re.compile(r"[()\[\]/?#=&]|:~:")
_CLOSING = {"(": ")", "[": "]"}


def extent(delimiters: Delimiters, trigger: int, query: Query) -> Extent | Hold | None:
    """Return the extent of the candidate at *trigger*, a match of `forms.triggers`; `None` for no candidate."""
    view, binary = delimiters.view, delimiters.binary
    found: Host | Address | None
    match view[trigger]:
        case ".":
            found = hosts.find(view, trigger, binary=binary)
        case "@":
            found = addresses.find(view, trigger, binary=binary)
        case "a":
            found = addresses.find_hidden(view, trigger)
        case _:
            found = defanged.find(view, trigger)
    if isinstance(found, Host):
        return delimiters.finished("schemeless", found.start, _extent(delimiters, found)) if query.schemeless else None
    return Extent("address", found.start, found.end, found.end) if found and query.addresses else None


def _extent(delimiters: Delimiters, host: Host) -> termination.Extent:
    view = delimiters.view
    if host.alone:
        tail = termination.SOFT_RUN.match(view, host.end)
        return termination.Extent(host.end, tail.end() if tail else host.end)
    extent = delimiters.extent_of_bare(host.start, host.start - 1, host.end)
    crossing = _crossing(view, host.end, extent.end)
    if crossing < 0:
        return extent
    kept = view[host.end : crossing].rstrip(termination.NEVER_LAST)
    return termination.Extent(host.end + len(kept), crossing)


def _crossing(text: str, start: int, end: int) -> int:
    """Return where a bracket closes one of another part of the URL from *start* to *end*; -1 for nowhere."""
    open_ones: list[str] = []
    for mark in _BRACKET_OR_PART.finditer(text, start, end):
        if mark[0] in _CLOSING:
            open_ones.append(_CLOSING[mark[0]])
        elif mark[0] not in ")]":
            open_ones.clear()
        elif not open_ones or open_ones.pop() != mark[0]:
            return mark.start()
    return -1
