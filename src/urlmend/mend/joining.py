"""Joining a bare URL with the lines after its own, for as long as it goes on."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from urlmend.mend import continuation
from urlmend.mend.readings import Fragments
from urlmend.text import leaders
from urlmend.text.line_ends import EOL, LINE_END, lines_of
from urlmend.text.page_breaks import PAGE_BREAK

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is mended over."""

MAX_SOFT_BREAKS = 64
"""The most soft line breaks in a bare URL: lines of quoted-printable have 76 characters, and fewer fill LOOKAHEAD."""

# The surrogates are octets that are no UTF-8.
_TOKEN = re.compile(r"""[^\s\x00-\x20\x7f<>"`\ud800-\udfff]++""")
_LINE_BREAK = re.compile(rf"[ \t]*+{EOL}")
_NEARBY = 800
# What starts the lines of a comment may start the items of a list.
_LIST_MARKS = frozenset("*0123456789")


class Surroundings(NamedTuple):
    """What stands around a bare URL: the text `before` and `after` it, and the `leader` of its line."""

    before: str
    after: str
    leader: tuple[leaders.Mark, ...]


class _Line(NamedTuple):
    """A line of the text after a URL: `start`, `text_start` behind its leader, and `end` without the line end."""

    start: int
    text_start: int
    end: int


def bare(run: str, before: str, after: str, leader: Sequence[leaders.Mark]) -> tuple[Fragments, int]:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as it goes on.

    *before* is the text on its left, *leader* that of its line. Returns the fragments and how many characters of
    *after* they reach over, 0 where the URL ends with its line.
    """
    around = Surroundings(before, after, tuple(leader))
    if run.endswith("=") and (torn := _soft_breaks(run, around)):
        return torn
    parts, gaps = [run], []
    reach = 0
    width = len(before) - max(before.rfind("\n"), before.rfind("\r")) - 1 + len(run)
    margin = -1
    while len(parts) < MAX_JOINED_LINES and (line := _next_line(reach, around)):
        token = _TOKEN.match(after, line.text_start)
        if token is None:
            break
        margin = _margin(width, around) if margin < 0 else margin
        line_break = continuation.LineBreak(
            text="".join(parts),
            token=token[0],
            rest=after[token.end() : line.end].strip(),
            width=width,
            margin=margin,
            ends_block=_ends_block(line, around),
            joined=len(parts) > 1,
            listed=_is_listed(line, around),
        )
        if not continuation.continues(line_break):
            break
        visible = parts[-1].removesuffix(continuation.SOFT_HYPHEN)
        gaps.append(parts[-1][len(visible) :] + after[reach : line.text_start])
        parts[-1] = visible
        parts.append(token[0])
        reach = token.end()
        width = reach - line.start
    return Fragments(tuple(parts), tuple(gaps)), reach


def _next_line(pos: int, around: Surroundings) -> _Line | None:
    """Return the line after the line end at *pos*, or after the page break there; `None` where no line ends."""
    line_end = _LINE_BREAK.match(around.after, pos)
    if line_end is None:
        return None
    page_break = PAGE_BREAK.match(around.after, line_end.end())
    return _line_at((page_break or line_end).end(), around)


def _line_at(start: int, around: Surroundings) -> _Line:
    line_end = LINE_END.search(around.after, start)
    end = line_end.start() if line_end else len(around.after)
    return _Line(start, start + leaders.leader_end(around.after[start:end], around.leader), end)


def _ends_block(line: _Line, around: Surroundings) -> bool:
    """Tell whether a blank line or the end follows *line*."""
    line_end = LINE_END.match(around.after, line.end)
    start = line_end.end() if line_end else line.end
    text = start + leaders.leader_end(around.after[start : start + _NEARBY], around.leader)
    return _TOKEN.match(around.after, text) is None


def _is_listed(line: _Line, around: Surroundings) -> bool:
    """Tell whether the URL's line and *line* both start with a mark that may be a list's."""
    marks = {mark.text[:1] for mark in around.leader}
    return not _LIST_MARKS.isdisjoint(marks) and around.after[line.start : line.text_start].strip() != ""


def _margin(width: int, around: Surroundings) -> int:
    """Return the length of the longest line nearby, one of which is *width* long; 0 where that is no margin."""
    longest = max(width, _longest_line(around.before[-_NEARBY:]), _longest_line(around.after[:_NEARBY]))
    return longest if longest >= continuation.LEAST_MARGIN else 0


def _longest_line(text: str) -> int:
    """Return the length of the longest whole line in *text*."""
    return max(map(len, lines_of(text)[1:-1]), default=0)


# What quoted-printable leaves in text that was not decoded (RFC 2045 section 6.7): "=3D", and "=" at line ends.
_QUOTED_PRINTABLE = re.compile(r"=3D|=(?:20)?(?=[\r\n]|\Z)")
_LEAST_SIGNS = 2
_SOFT_BREAK = re.compile(f"({_LINE_BREAK.pattern})({_TOKEN.pattern})")
_TOO_MANY_SOFT_BREAKS = re.compile(f"(?:{_LINE_BREAK.pattern}{_TOKEN.pattern}(?<==)){{{MAX_SOFT_BREAKS}}}")
_SOFT_BREAKS = re.compile(f"(?:{_LINE_BREAK.pattern}{_TOKEN.pattern}(?<==))*+(?:{_SOFT_BREAK.pattern})?+")


def _soft_breaks(run: str, around: Surroundings) -> tuple[Fragments, int] | None:
    """Join *run*, which ends in `=`, over soft line breaks; `None` if the text around it is not quoted-printable."""
    nearby = f"{around.before[-_NEARBY:]}{run[:-1]}\n{around.after[:_NEARBY]}"
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
