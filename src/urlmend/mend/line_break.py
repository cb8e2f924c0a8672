"""A line end with a bare URL on its left, and what the lines around it show."""

import re
from functools import cached_property
from typing import NamedTuple

from urlmend.text import leaders
from urlmend.text.line_ends import EOL, LINE_END, lines_of
from urlmend.text.page_breaks import PAGE_BREAK

LEAST_MARGIN = 60
"""A block whose longest line is shorter has no right margin that would tell anything."""

NEARBY = 800
"""How far on either side, in characters, the lines are nearby."""

TOKEN = re.compile(r"""[^\s\x00-\x20\x7f<>"`\ud800-\udfff]++""")
"""A word that may be a piece of a URL. The surrogates are octets that are no UTF-8."""

_BLANKS_AND_LINE_END = re.compile(rf"[ \t]*+{EOL}")
_CLOSERS = ".,;:!?)]}'\"*\u2019\u201d\u00bb\u2026"
# What starts the lines of a comment may start the items of a list.
_LIST_MARKS = frozenset("*0123456789")


class Surroundings:
    """What stands around a bare URL: the text `before` and `after` it, the `leader` and the `width` of its line.

    The width counts in characters, up to the URL's end.
    """

    def __init__(self, run: str, before: str, after: str, leader: tuple[leaders.Mark, ...]) -> None:
        self.before = before
        self.after = after
        self.leader = leader
        self.width = len(before) - max(before.rfind("\n"), before.rfind("\r")) - 1 + len(run)

    @cached_property
    def margin(self) -> int:
        """The length of the longest line nearby; 0 where that is too short to be a margin."""
        longest = max(self.width, _longest_line(self.before[-NEARBY:]), _longest_line(self.after[:NEARBY]))
        return longest if longest >= LEAST_MARGIN else 0

    def next_line(self, pos: int) -> "Line | None":
        """Return the line after the line end at *pos*, or after the page break there; `None` where no line ends."""
        line_end = _BLANKS_AND_LINE_END.match(self.after, pos)
        if line_end is None:
            return None
        start = (PAGE_BREAK.match(self.after, line_end.end()) or line_end).end()
        found = LINE_END.search(self.after, start)
        end = found.start() if found else len(self.after)
        return Line(start, start + leaders.leader_end(self.after[start:end], self.leader), end)


class Line(NamedTuple):
    """A line of the text after a URL: `start`, `text_start` behind its leader, and `end` without the line end."""

    start: int
    text_start: int
    end: int


class LineBreak:
    """A line end with a URL on its left.

    `text` is the URL so far, `width` the length of its line in characters, `token` the first word of the next `line`.
    `joined` tells whether the URL was joined over a line end before.
    """

    def __init__(self, around: Surroundings, text: str, width: int, line: Line, token: str, *, joined: bool) -> None:  # noqa: PLR0913 -- what stands on both sides
        self._around = around
        self._line = line
        self.text = text
        self.width = width
        self.token = token
        self.joined = joined

    @property
    def rest(self) -> str:
        """What follows the token in its line."""
        return self._around.after[self._line.text_start + len(self.token) : self._line.end].strip()

    @property
    def at_margin(self) -> bool:
        """Whether the line is as long as lines get here: a program that breaks words breaks there."""
        return 0 < self._around.margin <= self.width + 1

    @property
    def full(self) -> bool:
        """Whether the token would not have fitted into the line: else nothing forced a break."""
        return 0 < self._around.margin <= self.width + len(self.token)

    @property
    def word(self) -> str:
        """The token without the sentence's punctuation after it; a bracket that it opens itself it keeps."""
        word = self.token.rstrip(_CLOSERS)
        return word + ")" if word.count("(") > word.count(")") and self.token[len(word) :].startswith(")") else word

    @property
    def ends_block(self) -> bool:
        """Whether a blank line or the end follows the next line."""
        after = self._around.after
        line_end = LINE_END.match(after, self._line.end)
        start = line_end.end() if line_end else self._line.end
        text = start + leaders.leader_end(after[start : start + NEARBY], self._around.leader)
        return TOKEN.match(after, text) is None

    @property
    def listed(self) -> bool:
        """Whether both lines start with a mark that may be a list's."""
        marks = {mark.text[:1] for mark in self._around.leader}
        leader = self._around.after[self._line.start : self._line.text_start]
        return not _LIST_MARKS.isdisjoint(marks) and leader.strip() != ""


def _longest_line(text: str) -> int:
    """Return the length of the longest whole line in *text*."""
    return max(map(len, lines_of(text)[1:-1]), default=0)
