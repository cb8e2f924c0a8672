"""Joining a bare URL with the lines after its own, for as long as it goes on."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from urlmend.mend import continuation
from urlmend.mend.line_break import NEARBY, TOKEN, LineBreak, Surroundings
from urlmend.mend.readings import Fragments
from urlmend.text import leaders
from urlmend.text.line_ends import EOL

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is mended over."""

DOUBTFUL = 0.3
"""From this probability on, the joined URL is a reading, though not the first."""

MAX_SOFT_BREAKS = 64
"""The most soft line breaks in a bare URL: lines of quoted-printable have 76 characters, and fewer fill LOOKAHEAD."""


class Joining(NamedTuple):
    """A bare URL joined with the lines after its own.

    `fragments` reach over `reach` characters of the text behind its first line, 0 where it ends with that. `confidence`
    is the probability that it is joined, or left alone, as it should be. `doubtful` are the fragments and the reach of
    the URL with one more line, where that is nearly as likely.
    """

    fragments: Fragments
    reach: int
    confidence: float
    doubtful: tuple[Fragments, int] | None = None


def bare(run: str, before: str, after: str, leader: Sequence[leaders.Mark]) -> Joining:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as it goes on.

    *before* is the text on its left, *leader* that of its line.
    """
    around = Surroundings(before, run, after, tuple(leader))
    if run.endswith("=") and (torn := _soft_breaks(run, around)):
        return Joining(*torn, 1.0)
    parts: list[str] = [run]
    gaps: list[str] = []
    reach = 0
    confidence = 1.0
    doubtful = None
    for line_break, verdict in weighed(around):
        confidence *= verdict.p if verdict.goes_on else 1 - verdict.p
        if verdict.p < DOUBTFUL:
            break
        visible = parts[-1].removesuffix(continuation.SOFT_HYPHEN)
        gap = parts[-1][len(visible) :] + after[reach : line_break.text_start]
        longer = (*parts[:-1], visible, line_break.token), (*gaps, gap)
        if not verdict.goes_on:
            doubtful = Fragments(*longer), line_break.token_end
            break
        parts, gaps = map(list, longer)
        reach = line_break.token_end
    return Joining(Fragments(tuple(parts), tuple(gaps)), reach, confidence, doubtful)


def weighed(around: Surroundings) -> Iterator[tuple[LineBreak, continuation.Verdict]]:
    """Yield the line ends that a bare URL comes to, each weighed; it goes on behind all but the last."""
    url, reach, width = around.run, 0, len(around.prefix) + len(around.run)
    for _ in range(MAX_JOINED_LINES - 1):
        if not _AT_LINE_END.match(around.after, reach):
            return
        line_break = LineBreak(around, url, reach, width)
        if not line_break.token:
            return
        verdict = continuation.continues(line_break)
        yield line_break, verdict
        if not verdict.goes_on:
            return
        url = url.removesuffix(continuation.SOFT_HYPHEN) + line_break.token
        reach = line_break.token_end
        width = reach - line_break.start


_BLANKS_AND_LINE_END = rf"[ \t]*+{EOL}"
_AT_LINE_END = re.compile(_BLANKS_AND_LINE_END)
# What quoted-printable leaves in text that was not decoded (RFC 2045 section 6.7): "=3D", and "=" at line ends.
_QUOTED_PRINTABLE = re.compile(r"=3D|=(?:20)?(?=[\r\n]|\Z)")
_LEAST_SIGNS = 2
_SOFT_BREAK = re.compile(f"({_BLANKS_AND_LINE_END})({TOKEN.pattern})")
_TOO_MANY_SOFT_BREAKS = re.compile(f"(?:{_BLANKS_AND_LINE_END}{TOKEN.pattern}(?<==)){{{MAX_SOFT_BREAKS}}}")
_SOFT_BREAKS = re.compile(f"(?:{_BLANKS_AND_LINE_END}{TOKEN.pattern}(?<==))*+(?:{_SOFT_BREAK.pattern})?+")


def _soft_breaks(run: str, around: Surroundings) -> tuple[Fragments, int] | None:
    """Join *run*, which ends in `=`, over soft line breaks; `None` if the text around it is not quoted-printable."""
    nearby = f"{around.before[-NEARBY:]}{run[:-1]}\n{around.after[:NEARBY]}"
    if len(list(islice(_QUOTED_PRINTABLE.finditer(nearby), _LEAST_SIGNS))) < _LEAST_SIGNS:
        return None
    if _TOO_MANY_SOFT_BREAKS.match(around.after):
        return Fragments((run,), ()), 0
    found = _SOFT_BREAKS.match(around.after)
    reach = found.end() if found else 0
    lines = _SOFT_BREAK.findall(around.after, 0, reach)
    parts = [run, *(token for _, token in lines)]
    broken = tuple(part[:-1] for part in parts[:-1])
    return Fragments((*broken, parts[-1]), tuple(f"={line_end}" for line_end, _ in lines)), reach
