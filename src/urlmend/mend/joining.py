"""Joining a bare URL with the lines after its own, for as long as it goes on."""

import re
from collections.abc import Sequence

from urlmend.mend import continuation
from urlmend.mend.line_break import NEARBY, TOKEN, LineBreak, Surroundings
from urlmend.mend.readings import Fragments
from urlmend.text import leaders
from urlmend.text.line_ends import EOL

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is mended over."""


def bare(run: str, before: str, after: str, leader: Sequence[leaders.Mark]) -> tuple[Fragments, int]:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as it goes on.

    *before* is the text on its left, *leader* that of its line. Returns the fragments and how many characters of
    *after* they reach over, 0 where the URL ends with its line.
    """
    around = Surroundings(run, before, after, tuple(leader))
    if run.endswith("=") and (torn := _soft_breaks(run, around)):
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


_BLANKS_AND_LINE_END = re.compile(rf"[ \t]*{EOL}")
# What quoted-printable leaves in text that was not decoded (RFC 2045 section 6.7): "=3D", and "=" at line ends.
_QUOTED_PRINTABLE = re.compile(r"=3D|=(?:20)?(?=[\r\n]|\Z)")
_LEAST_SIGNS = 2


def _soft_breaks(run: str, around: Surroundings) -> tuple[Fragments, int] | None:
    """Join *run*, which ends in `=`, over soft line breaks if the text around it is quoted-printable."""
    nearby = f"{around.before[-NEARBY:]}{run[:-1]}\n{around.after[:NEARBY]}"
    if len(_QUOTED_PRINTABLE.findall(nearby)) < _LEAST_SIGNS:
        return None
    parts, gaps = [run], []
    reach = 0
    while parts[-1].endswith("=") and (line_end := _BLANKS_AND_LINE_END.match(around.after, reach)):
        token = TOKEN.match(around.after, line_end.end())
        if token is None:
            break
        parts[-1] = parts[-1][:-1]
        gaps.append(f"={line_end[0]}")
        parts.append(token[0])
        reach = token.end()
    return Fragments(tuple(parts), tuple(gaps)), reach
