"""Cases of the table with their line ends written otherwise: every rule about lines holds under LF, CRLF and CR."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from cases import Case

LINE_ENDS: Mapping[str, str] = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
_ANY = re.compile(r"\r\n|\r|\n")


def with_line_end(case: Case, line_end: str) -> Case:
    """Return *case* with each of its line ends written as *line_end*."""
    ends = [match.end() for match in _ANY.finditer(case.text)]
    grown = [len(line_end) - len(match[0]) for match in _ANY.finditer(case.text)]

    def moved(place: int) -> int:
        return place + sum(size for end, size in zip(ends, grown, strict=True) if end <= place)

    return replace(
        case,
        text=_ANY.sub(line_end, case.text),
        expected=tuple(replace(one, start=moved(one.start), end=moved(one.end)) for one in case.expected),
        rejects=tuple(_ANY.sub(line_end, text) for text in case.rejects),
    )


def variants(case: Case) -> Iterator[Case]:
    """Yield *case* under each line end, but for the one that it is written with; nothing where it has one line."""
    for line_end in LINE_ENDS.values():
        other = with_line_end(case, line_end)
        if other.text != case.text:
            yield other
