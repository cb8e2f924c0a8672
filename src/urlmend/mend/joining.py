"""Joining a bare URL with the lines after its own, for as long as it goes on."""

from collections.abc import Sequence

from urlmend.mend import continuation, soft_breaks
from urlmend.mend.line_break import TOKEN, LineBreak, Surroundings
from urlmend.mend.readings import Fragments
from urlmend.text import leaders

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is mended over."""

MAX_SOFT_BREAKS = 64
"""The most soft line breaks in a bare URL: lines of quoted-printable have 76 characters, and fewer fill LOOKAHEAD."""


def bare(run: str, before: str, after: str, leader: Sequence[leaders.Mark]) -> tuple[Fragments, int]:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as it goes on.

    *before* is the text on its left, *leader* that of its line. Returns the fragments and how many characters of
    *after* they reach over, 0 where the URL ends with its line.
    """
    around = Surroundings(run, before, after, tuple(leader))
    if soft_breaks.may_end(run) and (torn := _soft_breaks(run, around)):
        return torn
    parts, gaps = [run], []
    reach = 0
    width = around.width
    while len(parts) < MAX_JOINED_LINES and (line := around.next_line(reach)):
        token = TOKEN.match(after, line.text_start)
        if token is None:
            break
        line_break = LineBreak(around, "".join(parts), width, line, token[0], joined=len(parts) > 1)
        if not continuation.continues(line_break):
            break
        visible = parts[-1].removesuffix(continuation.SOFT_HYPHEN)
        gaps.append(parts[-1][len(visible) :] + after[reach : line.text_start])
        parts[-1] = visible
        parts.append(token[0])
        reach = token.end()
        width = reach - line.start
    return Fragments(tuple(parts), tuple(gaps)), reach


def _soft_breaks(run: str, around: Surroundings) -> tuple[Fragments, int] | None:
    """Join *run*, which ends in `=`, over soft line breaks; `None` if the text around it is not quoted-printable."""
    if not soft_breaks.are_soft(around.before, run, around.after):
        return None
    parts, gaps = [run], []
    reach = 0
    while soft_breaks.may_end(parts[-1]) and (line := around.next_line(reach)):
        token = TOKEN.match(around.after, line.text_start)
        if token is None:
            break
        if len(parts) > MAX_SOFT_BREAKS:
            return Fragments((run,), ()), 0
        parts[-1] = parts[-1][:-1]
        gaps.append("=" + around.after[reach : line.text_start])
        parts.append(token[0])
        reach = token.end()
    return Fragments(tuple(parts), tuple(gaps)), reach
