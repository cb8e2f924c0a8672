"""Mending: the readings of a candidate that line breaks tore apart.

Pure functions on one candidate's text. RFC 1738's appendix: white space inside a wrapper is ignored; a hyphen right
before a line break may or may not be part of the URL.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import accumulate, compress, islice, pairwise, product, repeat
from typing import NamedTuple

from urlmend.match import MAX_READINGS, Break, Reading
from urlmend.mend import soft_breaks
from urlmend.text import hidden_at, leaders
from urlmend.text.hyphens import HYPHENS, SOFT_HYPHEN
from urlmend.text.line_ends import LINE_END
from urlmend.text.page_breaks import MAY_HOLD


class Fragments(NamedTuple):
    """A URL in parts: `gaps[i]` is the text that stands between `parts[i]` and `parts[i + 1]`."""

    parts: tuple[str, ...]
    gaps: tuple[str, ...]


class Hyphens(NamedTuple):
    """The doubtful hyphens of a torn URL: the numbers of the gaps after them, and its parts with all of them kept."""

    gaps: Sequence[int]
    kept: Sequence[str]


VISIBLE = re.compile(f"[^{leaders.UNSEEN}]+")
_SOFT_HYPHENS = re.compile(f"({SOFT_HYPHEN}+)")


def wrapped(raw: str, leader: Sequence[leaders.Mark]) -> Fragments:
    """Take the white space out of *raw*, the inside of a wrapper or angle whose first line carries *leader*.

    Line breaks go with the leader of the next line and the page furniture between (appendix, "The whitespace should be
    ignored when extracting the URL").
    """
    if leader or MAY_HOLD.search(raw):
        lines = [(piece.start, piece.end) for piece in leaders.pieces(raw, tuple(leader)) or ()]
    else:
        lines = [(0, len(raw))]
    spans = [match.span() for start, end in lines for match in VISIBLE.finditer(raw, start, end)]
    parts = tuple(raw[start:end] for start, end in spans)
    gaps = tuple(raw[end:start] for (_, end), (start, _) in pairwise(spans))
    return _with_at(Fragments(parts, gaps)) if "at" in parts[1:-1] else Fragments(parts, gaps)


def _with_at(torn: Fragments) -> Fragments:
    """Take the ` at ` that hides an `@` out of *torn*: the fragment behind it begins with the `@`."""
    index = torn.parts.index("at", 1)
    around = torn.gaps[index - 1 : index + 1]
    left, right = "".join(torn.parts[:index]), "".join(torn.parts[index + 1 :])
    if any(LINE_END.search(gap) for gap in around) or not hidden_at.is_hidden(f"{left} at {right}"):
        return torn
    parts = (*torn.parts[:index], "@" + torn.parts[index + 1], *torn.parts[index + 2 :])
    gaps = (*torn.gaps[: index - 1], "at".join(around), *torn.gaps[index + 1 :])
    return Fragments(parts, gaps)


def _told(found: Break) -> Break:
    """Return *found*, with what was inserted where it hid an `@`."""
    return found._replace(inserted="@") if _hides_at(found.removed) else found


def _hides_at(gap: str) -> bool:
    return gap.strip(" \t") == "at"


def without_soft_breaks(torn: Fragments, before: str, after: str) -> Fragments:
    """Take the soft line breaks of quoted-printable out of *torn*, which stands between *before* and *after*."""
    broken = [
        index
        for index, (part, gap) in enumerate(zip(torn.parts, torn.gaps, strict=False))
        if soft_breaks.may_end(part) and LINE_END.search(gap)
    ]
    if not broken or not soft_breaks.are_soft(before, _joined(torn), after):
        return torn
    parts, gaps = list(torn.parts), list(torn.gaps)
    for index in broken:
        parts[index] = parts[index][:-1]
        gaps[index] = "=" + gaps[index]
    return without_soft_hyphens(Fragments(tuple(parts), tuple(gaps)))


def _joined(torn: Fragments) -> str:
    """Return *torn* as it stands in the text."""
    return "".join(piece for pair in zip(torn.parts, (*torn.gaps, ""), strict=True) for piece in pair)


def without_soft_hyphens(torn: Fragments) -> Fragments:
    """Take the soft hyphens out of the parts of *torn*, a bare URL: they are seen only where a line breaks."""
    if all(torn.parts) and SOFT_HYPHEN not in "".join(torn.parts):
        return torn
    parts: list[str] = []
    gaps: list[str] = []
    gap = ""
    for part, following in zip(torn.parts, (*torn.gaps, ""), strict=True):
        for piece in _SOFT_HYPHENS.split(part):
            if not piece or piece[0] == SOFT_HYPHEN:
                gap += piece
                continue
            if parts:
                gaps.append(gap)
            parts.append(piece)
            gap = ""
        gap += following
    return Fragments(tuple(parts), tuple(gaps))


def readings(torn: Fragments) -> Iterator[Reading]:
    """Return the readings of *torn*, the likelier first: every hyphen at a line end kept, then dropped one by one."""
    hyphens = _hyphens(torn)
    hidden = any(map(_hides_at, torn.gaps))
    doubtful = [False] * len(torn.gaps)
    if not hyphens.gaps:
        breaks = _breaks(0, torn.parts, torn.gaps, doubtful)
        yield Reading("".join(torn.parts), tuple(map(_told, breaks)) if hidden else breaks)
        return
    for index in hyphens.gaps:
        doubtful[index] = True
    free = hyphens.gaps[: MAX_READINGS.bit_length() - 1]
    size = free[-1] + 1
    rest = hyphens.kept[size:]
    text = "".join(rest)
    # Behind the last free hyphen the readings differ only in how far the breaks are shifted.
    shifted: dict[int, tuple[Break, ...]] = {}
    for choice in _choices(len(free)):
        parts, gaps = list(hyphens.kept[:size]), list(torn.gaps[:size])
        for index in compress(free, choice):
            parts[index] = parts[index][:-1]
            gaps[index] = torn.parts[index][-1] + gaps[index]
        start = "".join(parts)
        if len(start) not in shifted:
            shifted[len(start)] = _breaks(len(start), rest, torn.gaps[size:], doubtful[size:])
        breaks = _breaks(0, parts, gaps, doubtful) + shifted[len(start)]
        yield Reading(start + text, tuple(map(_told, breaks)) if hidden else breaks)


def _hyphens(torn: Fragments) -> Hyphens:
    ends = "\n".join(torn.parts)
    if not any(f"{hyphen}\n" in ends for hyphen in HYPHENS):
        return Hyphens((), torn.parts)
    gaps = [
        index
        for index, (part, gap) in enumerate(zip(torn.parts, torn.gaps, strict=False))
        if part.endswith(HYPHENS) and ("\n" in gap or "\r" in gap) and gap[0] != "="
    ]
    kept = list(torn.parts)
    for index in gaps:
        if kept[index][-1] != "-":
            kept[index] = kept[index][:-1] + "-"
    return Hyphens(gaps, kept)


@cache
def _choices(number: int) -> tuple[tuple[bool, ...], ...]:
    """Return which of so many hyphens are dropped in each reading."""
    return tuple(islice(sorted(product((False, True), repeat=number), key=sum), MAX_READINGS))


# A URL may have thousands: this is the cheapest way to make one of a tuple.
_break = partial(tuple.__new__, Break)


def _breaks(at: int, parts: Sequence[str], gaps: Sequence[str], doubtful: Sequence[bool]) -> tuple[Break, ...]:
    """Return the break behind each of *parts* that has a gap; the first part starts *at*."""
    ends = islice(accumulate(map(len, parts), initial=at), 1, None)
    return tuple(map(_break, zip(ends, gaps, doubtful, repeat(""), strict=False)))
