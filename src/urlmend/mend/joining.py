"""Joining a bare URL with the lines after its own, for as long as it goes on."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from urlmend.mend import continuation, soft_breaks
from urlmend.mend.line_break import LineBreak, Surroundings
from urlmend.mend.readings import Fragments
from urlmend.text import leaders
from urlmend.text.hyphens import SOFT_HYPHEN
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


def bare(run: str, before: str, after: str, leader: Sequence[leaders.Mark], implied: str = "") -> Joining:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as it goes on.

    *before* is the text on its left, *leader* that of its line. One without a scheme has the *implied* one before it in
    the fragments.
    """
    around = Surroundings(before, run, after, tuple(leader), implied)
    if soft_breaks.may_end(run) and (torn := _soft_breaks(run, around)):
        return Joining(*torn, 1.0)
    parts: list[str] = [implied + run]
    gaps: list[str] = []
    reach = 0
    confidence = 1.0
    doubtful = None
    for line_break, verdict in weighed(around):
        confidence *= verdict.p if verdict.goes_on else 1 - verdict.p
        if verdict.p < DOUBTFUL:
            break
        visible = parts[-1].removesuffix(SOFT_HYPHEN)
        gap = parts[-1][len(visible) :] + after[reach : line_break.text_start]
        longer = (*parts[:-1], visible, line_break.token), (*gaps, gap)
        if not verdict.goes_on:
            doubtful = Fragments(*longer), line_break.token_end
            break
        parts, gaps = map(list, longer)
        reach = line_break.token_end
    return Joining(Fragments(tuple(parts), tuple(gaps)), reach, confidence, doubtful)


_AT_LINE_END = re.compile(rf"[ \t]*+{EOL}")


def weighed(around: Surroundings) -> Iterator[tuple[LineBreak, continuation.Verdict]]:
    """Yield the line ends that a bare URL comes to, each weighed; it goes on behind all but the last."""
    url, reach, width = around.implied + around.run, 0, len(around.prefix) + len(around.run)
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
        url = url.removesuffix(SOFT_HYPHEN) + line_break.token
        reach = line_break.token_end
        width = reach - line_break.start


def _soft_breaks(run: str, around: Surroundings) -> tuple[Fragments, int] | None:
    """Join *run*, which ends in `=`, over soft line breaks; `None` if the text around it is not quoted-printable."""
    if not soft_breaks.are_soft(around.before, run, around.after):
        return None
    parts, gaps = [around.implied + run], []
    reach = 0
    while soft_breaks.may_end(parts[-1]) and _AT_LINE_END.match(around.after, reach):
        line_break = LineBreak(around, run, reach, 0)
        if not line_break.token:
            break
        if len(parts) > MAX_SOFT_BREAKS:
            return Fragments((run,), ()), 0
        parts[-1] = parts[-1][:-1]
        gaps.append("=" + around.after[reach : line_break.text_start])
        parts.append(line_break.token)
        reach = line_break.token_end
    return Fragments(tuple(parts), tuple(gaps)), reach
