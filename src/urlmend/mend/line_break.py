"""A line end with a bare URL on its left, and what the lines around it show.

`Surroundings` holds what is the same at each line end of one URL, `LineBreak` what belongs to one of them. What few
guards need is worked out once, when it is first asked for.
"""

import re
from functools import cached_property

from urlmend.mend.evidence.looks import CLOSERS, WORDS, other_look, shape
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


class Surroundings:
    """The text around a bare URL that ends its line.

    `before` is the text on its left, `run` the URL as far as its first line goes, `after` the text from the line end
    on. `leader` is what the URL's own line starts with. `implied` is the scheme of one that stands without. `prefix` is
    what stands before the URL in its line.
    """

    def __init__(
        self, before: str, run: str, after: str, leader: tuple[leaders.Mark, ...] | None = None, implied: str = ""
    ) -> None:
        self.implied = implied
        self.before = before
        self.run = run
        self.after = after
        self.prefix = prefix = last_line(before)
        self.leader = leaders.leader(prefix[-200:] + run[:1]) if leader is None else leader

    @cached_property
    def indent(self) -> int:
        """Where the text of the URL's line starts."""
        return leaders.leader_end(self.prefix + self.run[:1], self.leader)

    @cached_property
    def depth(self) -> int:
        """How many quote marks the URL's line starts with."""
        return quote_depth(self.prefix)

    @property
    def starts_line(self) -> bool:
        """Whether the URL starts its line."""
        return len(self.prefix) <= self.indent

    @cached_property
    def lengths(self) -> list[int]:
        """The lengths of the lines nearby, the URL's own with them."""
        before, after = self.before, self.after
        line_end, _ = end_of_line(after, 0)
        # The first line and the last may be cut.
        others = lines_of(before[-NEARBY : len(before) - len(self.prefix)] + after[line_end:NEARBY])[1:-1]
        return [len(self.prefix) + len(self.run), *map(len, others)]

    @cached_property
    def previous(self) -> str:
        """The line above the URL's, within NEAR characters."""
        before, start = self.before, len(self.before) - len(self.prefix)
        end = start - (2 if before.endswith("\r\n", 0, start) else 1)
        return last_line(before[max(0, len(before) - NEAR) : max(0, end)])


class LineBreak:
    """A line end with a URL on its left.

    `url` is the URL so far, without the breaks before. In `around.after`, which begins where the URL's first line ends,
    `reach` is where this line ends, `start` where the next line starts, `text_start` where its text starts, behind its
    leader, `end` where it ends, and `following` where the line after it starts. `token` is the first word of the next
    line, `word` is that without the sentence's punctuation after it, but with a bracket that it opens itself, and
    `rest` what follows it in its line. `width` is the length of the line that ends, in characters. `next_line` is the
    next line, and `next_indent` where its text starts in it.
    """

    def __init__(self, around: Surroundings, url: str, reach: int, width: int) -> None:
        self.around = around
        self.url = url
        self.reach = reach
        self.width = width
        self.joined = reach > 0
        after = around.after
        _, start = end_of_line(after, reach)
        end, self.following = end_of_line(after, start)
        line = after[start:end]
        # A page break begins with blank lines, or with its footer.
        if ("[" in line or not line.strip(" \t")) and (page := PAGE_BREAK.match(after, start)):
            start = page.end()
            end, self.following = end_of_line(after, start)
            line = after[start:end]
        self.start, self.end = start, end
        self.next_line = line
        self.next_indent = leaders.leader_end(line, around.leader)
        self.text_start = self.token_end = text_start = start + self.next_indent
        self.token = self.word = token = ""
        if match := TOKEN.match(after, text_start, end):
            self.token, self.token_end = token, _ = match[0], match.end()
            self.word = without_closers(token)
        self.rest = after[self.token_end : end].strip()

    @cached_property
    def indent(self) -> int:
        """Where the text of the line that ends starts."""
        return leaders.leader_end(self.last_line, self.around.leader) if self.joined else self.around.indent

    @cached_property
    def depth(self) -> int:
        """How many quote marks the line that ends starts with."""
        return quote_depth(self.last_line) if self.joined else self.around.depth

    @cached_property
    def path(self) -> str:
        """The path of the URL so far with all that follows it, empty where the host is all there is."""
        slashes = self.url.find("://")
        start = self.url.find("/", slashes + 3) if slashes > 0 else -1
        return self.url[start:] if start > 0 else ""

    @cached_property
    def segment(self) -> str:
        """What stands behind the last `/`, `?`, `=` or `&` of the path."""
        path = self.path
        return path[max(path.rfind("/"), path.rfind("?"), path.rfind("="), path.rfind("&")) + 1 :]

    @cached_property
    def room(self) -> int:
        """How many characters the line has left up to the length of the longest nearby."""
        return max(0, max(self.around.lengths) - self.width)

    @cached_property
    def second(self) -> int:
        """The length of the second longest line nearby."""
        longest = sorted(self.around.lengths)
        return longest[-2] if len(longest) > 1 else 0

    @property
    def piece(self) -> int:
        """How many characters the first piece of the token has, up to a mark behind which a URL may be broken."""
        match = _PIECE.match(self.token)
        return match.end() if match else 0

    @cached_property
    def last_line(self) -> str:
        """The line that ends here, up to its end."""
        if not self.joined:
            return self.around.prefix + self.url
        return last_line(self.around.after[: self.reach])

    @cached_property
    def line_below(self) -> str:
        """The line after the next one."""
        after = self.around.after
        return after[self.following : end_of_line(after, self.following)[0]]

    @cached_property
    def below(self) -> str:
        """The text of the line after the next one."""
        line = self.line_below
        start = leaders.leader_end(line[:NEARBY], self.around.leader)
        return line[start : start + 60].rstrip()

    @cached_property
    def ends_block(self) -> bool:
        """Whether a blank line or the end follows the next line."""
        return TOKEN.match(self.below) is None

    @cached_property
    def shape(self) -> str:
        """What kind of word or number the token is; empty where it is none."""
        return shape(self.word)

    @cached_property
    def look(self) -> str:
        """What kind of thing the token looks like, by its characters."""
        shape = self.shape
        return "word" if shape in WORDS else shape or other_look(self.word)

    @property
    def longest_beside(self) -> int:
        """The length of the longest of the line above and the two below that are quoted as deeply, 0 where none is."""
        lines = [self.next_line, self.line_below]
        if not self.joined:
            lines.append(self.around.previous)
        depth = self.depth
        return max([len(line.rstrip()) for line in lines if quote_depth(line) == depth], default=0)


def without_closers(token: str) -> str:
    """Return *token* without the sentence's punctuation after it, but with a bracket that it opens itself."""
    word = token.rstrip(CLOSERS)
    closes = len(word) < len(token) and token[len(word)] == ")" and word.count("(") > word.count(")")
    return word + ")" if closes else word


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
