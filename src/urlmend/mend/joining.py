"""Joining a bare URL with the lines after its own, for as long as it goes on."""

import re
from collections.abc import Sequence
from itertools import islice

from urlmend.mend import continuation
from urlmend.mend.line_break import NEARBY, TOKEN, LineBreak, Surroundings
from urlmend.mend.readings import Fragments
from urlmend.text import leaders
from urlmend.text.line_ends import EOL

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


_BLANKS_AND_LINE_END = rf"[ \t]*+{EOL}"
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
