"""Mending: the readings of a candidate that line breaks tore apart.

Pure functions on one candidate's text. RFC 1738's appendix: white space inside a wrapper is ignored; a hyphen right
before a line break may or may not be part of the URL.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import accumulate, compress, islice, pairwise, product
from typing import NamedTuple

from urlmend.mend import continuation
from urlmend.text import leaders
from urlmend.text.line_ends import EOL, LINE_END
from urlmend.text.page_breaks import PAGE_BREAK

MAX_READINGS = 16
"""The most readings of one candidate: four hyphens at line ends make as many, and further ones are kept."""

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is mended over."""


class Break(NamedTuple):
    """A place where something was taken out of a URL.

    `at` is the index in the URL from 0, `removed` the text taken out, `hyphen` whether it is (or follows) a hyphen
    right before a line end.
    """

    at: int
    removed: str
    hyphen: bool


class Fragments(NamedTuple):
    """A URL in parts: `gaps[i]` is the text that stands between `parts[i]` and `parts[i + 1]`."""

    parts: tuple[str, ...]
    gaps: tuple[str, ...]


class Hyphens(NamedTuple):
    """The doubtful hyphens of a torn URL: the numbers of the gaps after them, and its parts with all of them kept."""

    gaps: Sequence[int]
    kept: Sequence[str]


class Reading:
    """One way to join a candidate: the URL's `text`, and where it was broken.

    Of sixteen readings over a thousand lines few are asked for their `breaks`: they are worked out then.
    """

    __slots__ = ("_breaks", "_torn", "text")

    def __init__(self, text: str, breaks: tuple[Break, ...] = ()) -> None:
        self.text = text
        self._breaks = breaks
        self._torn: tuple[Fragments, Hyphens, frozenset[int]] | None = None

    @classmethod
    def of(cls, text: str, torn: Fragments, hyphens: Hyphens, dropped: frozenset[int] = frozenset()) -> "Reading":
        """Return the reading of *torn* without the hyphens before the gaps *dropped*, which is *text*."""
        reading = cls(text)
        reading._torn = torn, hyphens, dropped
        return reading

    @property
    def breaks(self) -> tuple[Break, ...]:
        """The places where something was taken out."""
        if self._torn:
            self._breaks, self._torn = _breaks(*self._torn), None
        return self._breaks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reading) and (self.text, self.breaks) == (other.text, other.breaks)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Reading({self.text!r}, {self.breaks!r})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return Reading, (self.text, self.breaks)


HYPHEN_AT_LINE_END = re.compile(r"-[ \t\v\f\x1c-\x1f]*[\r\n]")
"""In ASCII, a hyphen that may or may not be part of a torn URL."""

VISIBLE = re.compile(f"[^{leaders.UNSEEN}]+")
_SOFT_HYPHENS = re.compile(f"({continuation.SOFT_HYPHEN}+)")


def wrapped(raw: str, leader: Sequence[leaders.Mark]) -> Fragments:
    """Take the white space out of *raw*, the inside of a wrapper or angle whose first line carries *leader*.

    Line breaks go with the leader of the next line and the page furniture between (appendix, "The whitespace should be
    ignored when extracting the URL").
    """
    spans = [
        match.span()
        for piece in leaders.pieces(raw, tuple(leader)) or ()
        for match in VISIBLE.finditer(raw, piece.start, piece.end)
    ]
    parts = tuple(raw[start:end] for start, end in spans)
    gaps = tuple(raw[end:start] for (_, end), (start, _) in pairwise(spans))
    return Fragments(parts, gaps)


def without_soft_hyphens(torn: Fragments) -> Fragments:
    """Take the soft hyphens out of the parts of *torn*, a bare URL: they are seen only where a line breaks."""
    if all(torn.parts) and continuation.SOFT_HYPHEN not in "".join(torn.parts):
        return torn
    parts: list[str] = []
    gaps: list[str] = []
    gap = ""
    for part, following in zip(torn.parts, (*torn.gaps, ""), strict=True):
        for piece in _SOFT_HYPHENS.split(part):
            if not piece or piece[0] == continuation.SOFT_HYPHEN:
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
    if not hyphens.gaps:
        yield Reading.of("".join(torn.parts), torn, hyphens)
        return
    free = hyphens.gaps[: MAX_READINGS.bit_length() - 1]
    first, rest = hyphens.kept[: free[-1] + 1], "".join(hyphens.kept[free[-1] + 1 :])
    for choice in _choices(len(free)):
        parts = list(first)
        for index, drop in zip(free, choice, strict=True):
            if drop:
                parts[index] = parts[index][:-1]
        dropped = frozenset(compress(free, choice))
        yield Reading.of("".join(parts) + rest, torn, hyphens, dropped)


def _hyphens(torn: Fragments) -> Hyphens:
    ends = "\n".join(torn.parts)
    if not any(f"{hyphen}\n" in ends for hyphen in continuation.HYPHENS):
        return Hyphens((), torn.parts)
    gaps = [
        index
        for index, (part, gap) in enumerate(zip(torn.parts, torn.gaps, strict=False))
        if part.endswith(continuation.HYPHENS) and ("\n" in gap or "\r" in gap) and gap[0] != "="
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


def _breaks(torn: Fragments, hyphens: Hyphens, dropped: frozenset[int]) -> tuple[Break, ...]:
    parts, gaps = list(hyphens.kept), list(torn.gaps)
    doubtful = [False] * len(gaps)
    for index in hyphens.gaps:
        doubtful[index] = True
    for index in dropped:
        gaps[index] = torn.parts[index][-1] + gaps[index]
        parts[index] = parts[index][:-1]
    return tuple(map(_break, zip(accumulate(map(len, parts)), gaps, doubtful, strict=False)))


# The surrogates are octets that are no UTF-8.
_TOKEN = re.compile(r"""[^\s\x00-\x20\x7f<>"`\ud800-\udfff]+""")
_LINE_END = re.compile(rf"[ \t]*{EOL}")
_NEARBY = 800
# What starts the lines of a comment may start the items of a list.
_LIST_MARKS = frozenset("*0123456789")


def bare(run: str, before: str, after: str, leader: Sequence[leaders.Mark]) -> tuple[Fragments, int]:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as the evidence goes.

    *before* is the text on its left. Returns the parts and how many characters of *after* they reach over, 0 where the
    URL ends with its line.
    """
    if run.endswith("=") and (torn := _soft_breaks(run, before, after)):
        return torn
    parts, gaps = [run], []
    reach = 0
    width = len(before) - max(before.rfind("\n"), before.rfind("\r")) - 1 + len(run)
    margin = -1
    while len(parts) < MAX_JOINED_LINES and (line_end := _LINE_END.match(after, reach)):
        page_break = PAGE_BREAK.match(after, line_end.end())
        start = page_break.end() if page_break else line_end.end()
        found = LINE_END.search(after, start)
        end = found.start() if found else len(after)
        text_start = start + leaders.leader_end(after[start:end], tuple(leader))
        token = _TOKEN.match(after, text_start)
        if token is None or not continuation.may_be_piece("".join(parts), token[0]):
            break
        if margin < 0:
            margin = max(width, _longest_line(before[-_NEARBY:]), _longest_line(after[:_NEARBY]))
            margin = margin if margin >= continuation.LEAST_MARGIN else 0
        rest = after[token.end() : end].strip()
        ends_block = _TOKEN.match(after, _after_line_end(after, end, leader)) is None
        line_break = continuation.LineBreak(
            "".join(parts),
            token[0],
            rest,
            width,
            margin,
            ends_block,
            joined=len(parts) > 1,
            listed=bool(_LIST_MARKS.intersection(mark.text[:1] for mark in leader))
            and after[start:text_start].strip() != "",
        )
        if not continuation.continues(line_break):
            break
        visible = parts[-1].removesuffix(continuation.SOFT_HYPHEN)
        gaps.append(parts[-1][len(visible) :] + after[reach:text_start])
        parts[-1] = visible
        parts.append(token[0])
        reach = token.end()
        width = reach - start
    return Fragments(tuple(parts), tuple(gaps)), reach


# What quoted-printable leaves in text that was not decoded (RFC 2045 section 6.7): "=3D", and "=" at line ends.
_QUOTED_PRINTABLE = re.compile(r"=3D|=20$|=$", re.MULTILINE)
_LEAST_SIGNS = 2


def _soft_breaks(run: str, before: str, after: str) -> tuple[Fragments, int] | None:
    """Join *run*, which ends in `=`, over soft line breaks if the text around it is quoted-printable."""
    around = f"{before[-_NEARBY:]}{run[:-1]}\n{after[:_NEARBY]}".replace("\r\n", "\n")
    if len(_QUOTED_PRINTABLE.findall(around)) < _LEAST_SIGNS:
        return None
    parts, gaps = [run], []
    reach = 0
    while parts[-1].endswith("=") and (line_end := _LINE_END.match(after, reach)):
        token = _TOKEN.match(after, line_end.end())
        if token is None:
            break
        parts[-1] = parts[-1][:-1]
        gaps.append(f"={line_end[0]}")
        parts.append(token[0])
        reach = token.end()
    return Fragments(tuple(parts), tuple(gaps)), reach


def _after_line_end(text: str, pos: int, leader: Sequence[leaders.Mark]) -> int:
    """Return where the text of the line after the line end at *pos* starts."""
    line_end = LINE_END.match(text, pos)
    start = line_end.end() if line_end else pos
    return start + leaders.leader_end(text[start : start + _NEARBY], tuple(leader))


def _longest_line(text: str) -> int:
    """Return the length of the longest whole line in *text*."""
    # Not splitlines: what else it splits at ends no line here.
    return max(map(len, text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:-1]), default=0)
