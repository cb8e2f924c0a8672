"""The torn URL in brackets whose readings are all known to be URLs by its shape, as `plain` knows whole ones.

`http://`, `https://` or `ftp://` and an ordinary host in one piece, and behind that nothing but what may stand in any
order: what is left is a URL whatever hyphens are taken out. A test compares these with what `parser` says.
"""

import re
from functools import cache
from typing import NamedTuple

from urlmend.scan.delimiters import MOST_LEFT
from urlmend.scan.ordinary import HOST, LONGEST
from urlmend.text.leaders import UNSEEN, Mark, leader
from urlmend.text.line_ends import EOL

_CHARACTERS = r"[A-Za-z0-9$\-_.+~/:@?&=,;]*+"
_ANY = f"{_CHARACTERS}(?:%[0-9A-Fa-f][0-9A-Fa-f]{_CHARACTERS})*+"
_MAY_BE_FOOTER = re.compile(r"\[page", re.IGNORECASE)
# Where no line starts like this, no leader is taken off.
_MARKED_LINE = re.compile(r"[\r\n][ \t\v\f]*(?:[>|}:#/*;%.\-0-9]|[A-Za-z]{1,4}>|dnl[ \t])")
_BLANKS = r"[^\S\r\n]*+(?:[\u00ad\u200b\ufeff][^\S\r\n]*+)*+"
_ASCII_BLANKS = r"[\t\v\f\x1c-\x1f ]*+"
_DEEPEST = 3
# What a comment's mark goes on with in the next line, by how it starts.
_COMMENTS = {
    "#": r"\#+",
    ";": ";+",
    "%": "%+",
    "*": r"\*+(?!/)",
    "-": r"--(?=[ \t])",
    "d": r"dnl(?=[ \t])",
    ".": r'\.\\"',
    "//": r"/(?:/+|\*+(?!/))",
    "/*": r"(?:/?\*+(?!/)|//+)",
}


class LeaderPattern(NamedTuple):
    """What finds the way through lines that carry one `leader`, of which the next line may have a part.

    `to_bracket` matches up to the next bracket that is not in a leader, `margin` what stands before the first text,
    `line_gap` what stands between the texts of two lines, `gap` what stands between two words. `even` matches all of a
    span in ASCII whose lines are a word each; they are its group.
    """

    to_bracket: re.Pattern[str]
    margin: re.Pattern[str]
    line_gap: re.Pattern[str]
    gap: re.Pattern[str]
    even: re.Pattern[str]
    leader: str
    depth: int

    def joined(self, words: str) -> str:
        """Return *words*, what `even` has as its group, without the line gaps."""
        if not self.depth:
            return "".join(words.split())
        gap = self.line_gap.search(words)
        # Nothing of a longer mark, nor another one, is left behind a gap that ends in a blank.
        if gap and gap[0].endswith(" ") and not gap[0].isspace() and self.depth == 1:
            rest = words.replace(gap[0], "")
            if rest.isprintable():
                return rest.replace(" ", "")
        return self.line_gap.sub("", words)


def _through(marks: tuple[Mark, ...]) -> LeaderPattern | None:
    """Return the way through lines with the leader *marks*: none, a few quote marks of a kind, or a comment mark.

    It is `None` for other leaders. Through those lines one goes one by one, at thirty times the cost.
    """
    if not marks:
        return _plain()
    kind, text = marks[0]
    if kind == "quote" and len(marks) <= _DEEPEST and marks.count(marks[0]) == len(marks):
        return _way(re.escape(text), len(marks))
    if kind == "comment" and len(marks) == 1:
        return _way(_COMMENTS[text[:2] if text[0] == "/" else text[0]], 1)
    return None


def _through_span(span: str, marks: tuple[Mark, ...]) -> LeaderPattern | None:
    """Return the way through *span*, the lines of which but the first carry the leader *marks*.

    It is `None` too where page furniture may be in the way.
    """
    if "[" in span and _MAY_BE_FOOTER.search(span):
        return None
    return _through(marks) or (None if _MARKED_LINE.search(span) else _plain())


@cache
def _plain() -> LeaderPattern:
    """Return the way through lines without a leader."""
    return _way("", 0)


@cache
def _way(mark: str, depth: int) -> LeaderPattern:
    leader = r"[ \t\v\f]*+"
    for _ in range(depth):
        leader = rf"[ \t\v\f]*+(?:{mark}{leader})?+"
    # It begins with the first of the blanks: else each of thousands would be asked whether a line ends behind it.
    line_gap = rf"(?:(?<![^\S\r\n]|[\u00ad\u200b\ufeff]){_BLANKS})?+{EOL}{leader}{_BLANKS}"
    line_gap_in_ascii = rf"{_ASCII_BLANKS}{EOL}{leader}{_ASCII_BLANKS}"
    # At most line ends there is nothing else.
    words = r"[!-~]++(?:\n[!-~]++)*+" if not depth else "[!-~]++"
    return LeaderPattern(
        re.compile(rf"[^<>\r\n]*+(?:{EOL}{leader}[^<>\r\n]*+)*+" if depth else "[^<>]*"),
        re.compile(f"{_BLANKS}(?:{line_gap})*+"),
        re.compile(f"({line_gap})"),
        re.compile(f"({line_gap}|[{UNSEEN}]+)"),
        re.compile(
            rf"{_ASCII_BLANKS}(?:{line_gap_in_ascii})*+({words}(?:{line_gap_in_ascii}{words})*+)"
            rf"{_ASCII_BLANKS}(?:{line_gap_in_ascii})*+\Z"
        ),
        leader,
        depth,
    )


_MOST_LEFT = MOST_LEFT - len("<URL:")


@cache
def stable() -> re.Pattern[str]:
    """Return what matches a URL that stays one whatever hyphens are taken out behind its host; its group ends there."""
    return re.compile(rf"((?:https?|ftp(?!.*;))://{HOST}/){_ANY}(?:#{_ANY})?", re.DOTALL)


@cache
def _torn(leader: str) -> re.Pattern[str]:
    gap = rf"[ \t]*+(?:\r\n?|\n){leader}(?=[!-~])"
    any_torn = f"{_ANY}(?:{gap}{_ANY})*+"
    found = rf"(?:https?|ftp)://{HOST}/{any_torn}(?:#{any_torn})?+(?<=[!-~])"
    return re.compile(f"<([Uu][Rr][Ll]:)?({found})[ \\t]*+>")


def torn_at(view: str, colon: int) -> tuple[str, int, str, str, int] | None:
    """Return the torn URL in brackets whose scheme, or whose `URL:`, ends at *colon*.

    That is the URL with all hyphens kept, where it starts, its form, how it stands there, and the bracket's end.
    """
    bracket = view.rfind("<", colon - 6 if colon > 6 else 0, colon)  # noqa: PLR2004 -- "<https"
    if bracket < 0:
        return None
    start = bracket - _MOST_LEFT if bracket > _MOST_LEFT else 0
    line = view.rfind("\n", start, bracket) + 1
    through = _plain()
    if line < bracket:
        line = max(line, view.rfind("\r", start, bracket) + 1)
        stop = view.find(">", bracket, bracket + LONGEST) + 1
        led = _through_span(view[bracket:stop], leader(view[line : bracket + 1])) if line >= start else None
        if led is None:
            return None
        through = led
    shape = _torn(through.leader).match(view, bracket, bracket + LONGEST)
    if shape is None:
        return None
    mark, raw = shape.groups()
    url = through.joined(raw) if through.depth else "".join(raw.split())
    if len(url) == len(raw) or "=3D" in url or (url[0] == "f" and ";" in url):
        return None
    return url, shape.start(2), "wrapper" if mark else "angle", raw, shape.end()
