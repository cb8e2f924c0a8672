"""A line end with a bare URL before it, and what the lines around it show.

`Surroundings` has what is the same at every line end of one URL, `LineBreak` what belongs to one of them.
"""

import re
from bisect import bisect_right

from urlmend.mend.quick_verdict import quick_verdict
from urlmend.mend.words import CLOSERS, look
from urlmend.text import leaders
from urlmend.text.line_ends import EOL, HYPHENS, end_of_line, first_of, last_line, last_of, lines_of, with_lf
from urlmend.text.page_breaks import PAGE_BREAK
from urlmend.text.patterns import lazy_regex
from urlmend.text.schemes import COMMON_SCHEMES, OPAQUE_NAMES, either

NEARBY = 800
"""How far on each side, in characters, lines are measured."""

THRONG = 36
"""If more than this many lines nearby end in a URL, and the lines after them begin with none, no URL is joined. Near a
URL that ends in a hyphen, an asterisk or a backslash, other lines that end in one count too; near more of these, a URL
in brackets keeps its hyphens. With half as many, a URL is joined over at most two line ends, and so on. This bounds the
work in a text of tiny URLs. Near real URLs that go on, there are at most 30."""

SHORTEST = 16
"""A URL without brackets, unless only its scheme is there, is joined only if it and the next line have so many
characters together. Of 7,832 known URLs that go on, the shortest has 17 with the first word of that line. This bounds
the work in a text of a few characters."""

MAX_SOFT_BREAKS = 64
"""The largest number of soft line breaks in a bare URL: with lines of 76 characters, fewer fill LOOKAHEAD."""

_TOO_MANY_SOFT_BREAKS = lazy_regex(rf"[ \t]*+{EOL}(?:[^\r\n]*+(?<=[^=]=){EOL}){{{MAX_SOFT_BREAKS}}}")
_MARKS = (*HYPHENS, "\\", "*")
AT_HYPHEN = lazy_regex(rf"[{''.join(HYPHENS)}][ \t]*(?:[\r\n]|\Z)")
"""A hyphen at a line end."""
_ENDS_IN_MARK = lazy_regex(rf"[{re.escape(''.join(_MARKS))}][ \t]*[\r\n]")
_SCHEME_AT_LINE_END = lazy_regex(rf"{either(COMMON_SCHEMES)}:[ \t]*[\r\n]", re.IGNORECASE)
_AT_LINE_END = {
    mark: lazy_regex(rf"""{mark}[^\s<>"`]*+[ \t]*+{EOL}(?![ \t>|]*+[A-Za-z]++{mark})""") for mark in ("://", ":")
}
# With the blanks beyond ASCII instead of `\s`, `re` looks characters up in a table, which takes two thirds of the time.
_WORD_CHARACTER = r"""[^\x00-\x20\x7f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000<>"`\ud800-\udfff\]]"""
TOKEN = lazy_regex(rf"(?:{_WORD_CHARACTER}++|\](?!\())++")
"""A word of a line; surrogates are bytes that are not UTF-8. In Markdown, `](` ends the text of a link."""

# Chinese or Japanese, a dash or a mark of direction, but not the apostrophe of a word.
_OTHER_SCRIPT = lazy_regex(r"(?<=[!-~])(?!\u2019\w)[\u200b\u200e-\u200f\u2012-\U0010ffff].*")

WIDEST = 84
"""The width of the widest usual line, in characters."""

_NEXT_LINE = lazy_regex(rf"[ \t]*+{EOL}([^\r\n]*+)")
_URL_AT_LINE_END = lazy_regex(rf"""{either((*COMMON_SCHEMES, *OPAQUE_NAMES))}:[^\s<>"`]*(?=[ \t]*[\r\n])""")


class Surroundings:
    """The text around a bare URL that ends its line.

    `before` is the text before it, with LF for CRLF, so that both show as much. `run` is its part in the first line,
    `after` the text from the end of that line on. `leader` is what its line starts with, and `prefix` all that precedes
    it in the line. `implied` is the scheme of a URL written without one. `text` has that, the run and what is after it;
    the first `size` characters are the URL's.
    """

    def __init__(
        self, before: str, run: str, after: str, leader: leaders.Leader | None = None, implied: str = ""
    ) -> None:
        self.before = before = with_lf(before)
        self.run = run
        self.after = after
        self.implied = implied
        self.text = text = implied + run + after
        self.size = len(implied + run)
        self.prefix = last_line(before)
        self.leader = leaders.leader_at(before + text, len(before), of_others=False) if leader is None else leader
        self._lengths: list[int] | None = None

    @property
    def lengths(self) -> list[int]:
        """The lengths of the lines nearby, the URL's own among them, in ascending order."""
        if self._lengths is None:
            before, after, prefix = self.before, self.after, self.prefix
            line_end, _ = end_of_line(after, 0)
            # The first of these lines and the last may be cut.
            others = lines_of(before[-NEARBY : len(before) - len(prefix)] + first_of(after, NEARBY)[line_end:])[1:-1]
            self._lengths = sorted([len(prefix) + len(self.run), *map(len, others)])
        return self._lengths


def _count(pattern: re.Pattern[str], before: str, after: str) -> int:
    return len(pattern.findall(last_of(before, NEARBY))) + len(pattern.findall(first_of(after, NEARBY)))


def urls_at_line_ends(url: str, before: str, after: str) -> int:
    """Return how many URLs, or names if *url* has no slashes, end a line near it and have no other in the next.

    The count is exact only where it may be near the limit, from THRONG to twice as many. Elsewhere URLs within lines
    count too, which is faster.
    """
    mark = "://" if "://" in url else ":"
    near = before[-NEARBY:].count(mark) + after[:NEARBY].count(mark)
    if near <= 2 * THRONG and ("\r" in before or "\r" in after):
        near = last_of(before, NEARBY).count(mark) + first_of(after, NEARBY).count(mark)
    return _count(_AT_LINE_END[mark], before, after) if THRONG < near <= 2 * THRONG else near


def is_thronged(url: str, before: str, after: str) -> bool:
    """Return whether too many URLs or breaks are near, *before* and *after* it, for *url* to go on."""
    if url[-1] == "=" and _TOO_MANY_SOFT_BREAKS.match(after):
        return True
    if url.find(":") == len(url) - 1:  # a scheme alone
        return _count(_SCHEME_AT_LINE_END, before, after) > THRONG
    near = urls_at_line_ends(url, before, after)
    if near <= THRONG and url.endswith(_MARKS):
        near += _count(_ENDS_IN_MARK, before, after)
    return near > THRONG


def never_goes_on(url: str, before: str, after: str, implied: str = "") -> bool:
    """Return whether *url*, written without the scheme *implied*, ends with its line whatever the next one is.

    It is too short, or too many URLs or breaks are near, *before* and *after* it.
    """
    return _is_short(implied + url, after) or is_thronged(url, before, after)


def _is_short(url: str, after: str) -> bool:
    """Return whether *url* and the next line, in the text *after* it, are too short for a URL that goes on."""
    start = end_of_line(after, 0)[1]
    line = after[start : end_of_line(after, start)[0]]
    is_begun = not url.endswith((":", "//"))  # a scheme alone is no URL
    return is_begun and len(url) + len(line) < SHORTEST and (line.strip() != "" or after.isspace())


def is_crowded(text: str, start: int, stop: int) -> bool:
    """Return whether so many URLs are near the one from *start* to *stop* in *text* that `is_thronged` holds for it.

    NEARBY bytes hold no more than NEARBY characters, so the text need not be decoded.
    """
    near = text.count("://", max(0, start - NEARBY), start) + text.count("://", stop, stop + NEARBY)
    return near > 2 * THRONG and text[stop - 1] != ":"


def hyphens_throng(before: str, after: str) -> bool:
    """Return whether so many lines *before* and *after* a URL in brackets end in a hyphen that it keeps its own."""
    near = f"{last_of(before, NEARBY)}|{first_of(after, NEARBY)}"
    # `re` takes thirty times as long to count these as to count characters.
    return sum(map(near.count, _MARKS)) > THRONG and (
        near.count("-\n") > THRONG or len(_ENDS_IN_MARK.findall(near)) > THRONG
    )


def next_line(after: str, reach: int, leader: leaders.Leader) -> tuple[int, str, int, str]:
    """Return (start in *after*, line, indent, first word) of the line that follows *reach*.

    After a page break it is the next line of running text. Without a line end at *reach*, the line is empty.
    """
    found = _NEXT_LINE.match(after, reach)
    start, line = (found.start(1), found[1]) if found else (len(after), "")
    # A page break begins with blank lines, or with its footer.
    if ("[" in line or not line.strip(" \t")) and (page := PAGE_BREAK.match(after, start)):
        start = page.end()
        line = after[start : end_of_line(after, start)[0]]
    indent = leaders.text_start(line, leader)
    token = TOKEN.match(line, indent)
    return start, line, indent, token[0] if token else ""


class LineBreak:
    """A line end with a URL before it.

    `url` is the URL so far, without its earlier breaks, `path` its path with all that follows, and `segment` what
    follows the last `/`, `?`, `=` or `&` of that. In `around.after` this line ends at `reach`, and the text of the next
    one starts, after its leader, at `text_start`. `joined` is true if the URL was joined over an earlier
    line end. `own_text` is the text before the URL in its line, without quote marks; none if it was joined. `width` is
    the length of the line that ends, in characters. `sure` is what `quick_verdict` says.

    `next_line` is the next line, and `next_indent` where its text starts. `token` is its first word, which ends at
    `token_end`; `word` is the token without the punctuation after it, but with a bracket that it opens itself, `kind`
    what that looks like, and `rest` what follows in the line. Another script, which needs no blank before it,
    ends the word.
    """

    def __init__(self, around: Surroundings, url: str, reach: int, width: int) -> None:
        self.around = around
        self.url = url
        self.reach = reach
        self.width = width
        self.joined = reach > 0
        self.own_text = "" if self.joined else without_quotes(around.prefix, around.leader)
        slashes = url.find("://")
        slash = url.find("/", slashes + 3) if slashes > 0 else -1
        self.path = url[slash:] if slash > 0 else ""
        after = around.after
        tail = url[-15:]
        self.sure = quick_verdict(tail + after[reach:], len(tail), len(after) + len(tail), width)
        start, self.next_line, self.next_indent, self.token = next_line(after, reach, around.leader)
        self.text_start = start + self.next_indent
        self.token_end = self.text_start + len(self.token)
        word = self.token if self.token.isascii() else _OTHER_SCRIPT.sub("", self.token.replace(HYPHENS[1], "-"))
        self.word = without_closers(word)
        self.kind = look(self.word)
        self.rest = self.next_line[self.next_indent + len(word) :].strip()

    @property
    def segment(self) -> str:
        """The text after the last `/`, `?`, `=` or `&` of the path."""
        return self.path.rpartition("/")[2].rpartition("?")[2].rpartition("=")[2].rpartition("&")[2]

    @property
    def indent(self) -> int:
        """Where the text of the line that ends here starts."""
        line = last_line(self.around.after[: self.reach]) if self.joined else self.around.prefix + self.url
        return leaders.leader_end(line, self.around.leader)

    @property
    def margin(self) -> int:
        """The length of the longest line nearby that is not wider than both this one and WIDEST."""
        lengths = self.around.lengths
        fitting = bisect_right(lengths, max(WIDEST, self.width))
        return lengths[fitting - 1] if fitting else 0


def without_quotes(line: str, leader: leaders.Leader) -> str:
    """Return *line* without the blanks and the quote marks of *leader* at its start."""
    return line[leaders.text_start(line, tuple(mark for mark in leader if mark.kind == "quote")) :]


def without_closers(token: str) -> str:
    """Return *token* without the punctuation after it, but with a bracket that it opens itself."""
    word = token.rstrip(CLOSERS)
    closes = len(word) < len(token) and token[len(word)] == ")" and word.count("(") > word.count(")")
    return word + ")" if closes else word


def first_line_break(text: str) -> LineBreak:
    r"""Return the first line end in *text* that follows a URL. The excerpts of clues and guards use it.

    >>> first_line_break("see http://a.example/b\nfor more").token
    'for'
    """
    match = _URL_AT_LINE_END.search(text)
    if match is None:
        raise ValueError(f"no URL ends a line of {text!r}")
    around = Surroundings(text[: match.start()], match[0], text[match.end() :])
    return LineBreak(around, match[0], 0, len(around.prefix) + len(match[0]))
