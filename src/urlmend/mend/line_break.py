"""A line end with a bare URL on its left, and what the lines around it show.

`Surroundings` holds what is the same at each line end of one URL, `LineBreak` what belongs to one of them. Both work
out an attribute once, when it is first asked for: most line ends need few of them.
"""

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from urlmend.mend.evidence.looks import CLOSERS, token_look
from urlmend.text import leaders
from urlmend.text.line_ends import end_of_line, last_line, lines_of
from urlmend.text.page_breaks import PAGE_BREAK

NEARBY = 800
"""Within so many characters on each side lines are measured."""

NEAR = 300
"""Within so many characters on each side the text itself is looked at."""

TOKEN = re.compile(r"""[^\s\x00-\x20\x7f<>"`\ud800-\udfff]++""")
"""A word of a line; surrogates are octets that are no UTF-8."""

_QUOTES = re.compile(r"(?:[ \t]{0,3}[>|])+")
_PIECE = re.compile(r"[/\-_.=&?#%,]?[^/\-_.=&?#%,]*[/\-_.=&?#%,]*")

_URL_AT_LINE_END = re.compile(r"""(?:https?|ftp|mailto|doi):[^\s<>"`]*(?=[ \t]*[\r\n])""")

_T = TypeVar("_T")


class _Lazy(Generic[_T]):
    """An attribute worked out when first asked for; `functools.cached_property` takes a lock under Python 3.11."""

    def __init__(self, function: Callable[[Any], _T]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, owner: object, _: type | None = None) -> _T:
        value = owner.__dict__[self._name] = self._function(owner)
        return value


class Surroundings:
    """The text around a bare URL that ends its line.

    `before` is the text on its left, `run` the URL as far as its first line goes, `after` the text from the line end
    on. `leader` is what the URL's own line starts with. `implied` is the scheme of one that stands without.
    """

    def __init__(
        self, before: str, run: str, after: str, leader: tuple[leaders.Mark, ...] | None = None, implied: str = ""
    ) -> None:
        self.implied = implied
        self.before = before
        self.run = run
        self.after = after
        self.leader = leaders.leader(self.prefix[-200:] + run[:1]) if leader is None else leader

    @_Lazy
    def prefix(self) -> str:
        """What stands before the URL in its line."""
        return last_line(self.before)

    @_Lazy
    def longest(self) -> tuple[int, int]:
        """The lengths of the longest line nearby and of the second longest."""
        lengths = [len(self.prefix) + len(self.run)]
        lengths += map(len, lines_of(self.before[-NEARBY:])[1:-1])
        lengths += map(len, lines_of(self.after[:NEARBY])[1:-1])
        longest = max(lengths)
        lengths.remove(longest)
        return longest, max(lengths, default=0)

    @_Lazy
    def near(self) -> str:
        """The text close to the URL on its left."""
        return self.before[-NEAR:]

    @_Lazy
    def lines_above(self) -> list[str]:
        """The lines above the URL's, within `near`; the first may be cut."""
        return lines_of(self.near)[:-1]

    @_Lazy
    def indent(self) -> int:
        """Where the text of the URL's line starts."""
        return leaders.leader_end(self.prefix + self.run[:1], self.leader)

    @_Lazy
    def starts_line(self) -> bool:
        """Whether the URL starts its line."""
        return len(self.prefix) <= self.indent

    @_Lazy
    def depth(self) -> int:
        """How many quote marks the URL's line starts with."""
        return quote_depth(self.prefix)

    @_Lazy
    def previous(self) -> str:
        """The line above the URL's."""
        above = self.lines_above
        return above[-1] if above else ""


class LineBreak:
    """A line end with a URL on its left.

    `url` is the URL so far, without the breaks before. In `around.after`, which begins where the URL's first line ends,
    `reach` is where this line ends, `start` where the next line starts, `text_start` where its text starts, behind its
    leader, `end` where it ends, and `following` where the line after it starts. `token` is the first word of the next
    line, `width` the length of the line that ends, in characters. `next_line` is the next line, and `next_indent` where
    its text starts in it.
    """

    def __init__(self, around: Surroundings, url: str, reach: int, width: int) -> None:
        self.around = around
        self.url = url
        self.reach = reach
        self.width = width
        self.joined = reach > 0
        after = around.after
        _, start = end_of_line(after, reach)
        end, following = end_of_line(after, start)
        line = after[start:end]
        # A page break begins with blank lines, or with its footer.
        if ("[" in line or not line.strip(" \t")) and (page := PAGE_BREAK.match(after, start)):
            start = page.end()
            end, following = end_of_line(after, start)
            line = after[start:end]
        self.start, self.end, self.following = start, end, following
        self.next_line = line
        self.next_indent = leaders.leader_end(line, around.leader)
        self.text_start = text_start = start + self.next_indent
        token = TOKEN.match(after, text_start, end)
        self.token, self.token_end = (token[0], token.end()) if token else ("", text_start)

    @_Lazy
    def rest(self) -> str:
        """What follows the token in its line."""
        return self.around.after[self.token_end : self.end].strip()

    @_Lazy
    def token_and_rest(self) -> str:
        """The text of the next line."""
        return self.around.after[self.text_start : self.end].strip()

    @_Lazy
    def word(self) -> str:
        """The token without the sentence's punctuation after it; a bracket that it opens itself it keeps."""
        word = self.token.rstrip(CLOSERS)
        return word + ")" if word.count("(") > word.count(")") and self.token[len(word) :].startswith(")") else word

    @_Lazy
    def path(self) -> str:
        """The path of the URL so far with all that follows it, empty where the host is all there is."""
        slashes = self.url.find("://")
        start = self.url.find("/", slashes + 3) if slashes > 0 else -1
        return self.url[start:] if start > 0 else ""

    @_Lazy
    def segment(self) -> str:
        """What stands behind the last `/`, `?`, `=` or `&` of the path."""
        path = self.path
        return path[max(path.rfind("/"), path.rfind("?"), path.rfind("="), path.rfind("&")) + 1 :]

    @_Lazy
    def margin(self) -> int:
        """The length of the longest line nearby."""
        return max(self.around.longest[0], self.width)

    @_Lazy
    def second(self) -> int:
        """The length of the second longest line nearby."""
        return self.around.longest[1]

    @_Lazy
    def room(self) -> int:
        """How many characters the line has left up to the margin."""
        return self.margin - self.width

    @_Lazy
    def piece(self) -> int:
        """How many characters the first piece of the token has, up to a mark behind which a URL may be broken."""
        match = _PIECE.match(self.token)
        return match.end() if match else 0

    @_Lazy
    def indent(self) -> int:
        """Where the text of the line that ends starts."""
        if not self.joined:
            return self.around.indent
        return leaders.leader_end(self.last_line, self.around.leader)

    @_Lazy
    def last_line(self) -> str:
        """The line that ends here, up to its end."""
        if not self.joined:
            return self.around.prefix + self.url
        return last_line(self.around.after[: self.reach])

    @_Lazy
    def _below(self) -> tuple[int, int, int]:
        """Where the line after the next starts, where its text starts, and where it ends."""
        after = self.around.after
        start = self.following
        end, _ = end_of_line(after, start)
        return start, start + leaders.leader_end(after[start : min(end, start + NEARBY)], self.around.leader), end

    @_Lazy
    def line_below(self) -> str:
        """The line after the next one."""
        start, _, end = self._below
        return self.around.after[start:end]

    @_Lazy
    def below(self) -> str:
        """The text of the line after the next one."""
        _, start, end = self._below
        return self.around.after[start : min(end, start + 60)].rstrip()

    @_Lazy
    def ends_block(self) -> bool:
        """Whether a blank line or the end follows the next line."""
        return TOKEN.match(self.below) is None

    @_Lazy
    def look(self) -> str:
        """What kind of thing the token looks like, by its characters."""
        return token_look(self.token, self.word)

    @_Lazy
    def longest_beside(self) -> int:
        """The length of the longest of the line above and the two below that are quoted as deeply, 0 where none is."""
        lines = [self.next_line, self.line_below]
        if not self.joined:
            lines.append(self.around.previous)
        depth = self.depth
        return max([len(line.rstrip()) for line in lines if quote_depth(line) == depth], default=0)

    @_Lazy
    def depth(self) -> int:
        """How many quote marks the line that ends starts with."""
        return quote_depth(self.last_line) if self.joined else self.around.depth


def quote_depth(line: str) -> int:
    """Return how many quote marks *line* starts with."""
    match = _QUOTES.match(line) if ">" in line or "|" in line else None
    return match[0].count(">") + match[0].count("|") if match else 0


def first_line_break(text: str) -> LineBreak:
    r"""Return the first line end in *text* that a URL ends, for excerpts.

    >>> first_line_break("see http://a.example/b\nfor more").token
    'for'
    """
    match = _URL_AT_LINE_END.search(text)
    if match is None:
        message = f"no URL ends a line of {text!r}"
        raise ValueError(message)
    around = Surroundings(text[: match.start()], match[0], text[match.end() :])
    return LineBreak(around, match[0], 0, len(around.prefix) + len(match[0]))
