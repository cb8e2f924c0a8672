"""What stands around the text of a line: leaders, blank lines and page furniture.

A leader is what a line starts with before its text: quote marks, comment marks, a line number, blanks. It is looked at
only around a URL that reaches over a line end, never stripped from whole texts.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

EOL = r"(?>\r\n|\r|\n)"
"""The pattern of a line end. It is atomic: a CRLF is one, and its `\\n` never a blank line behind a `\\r`."""

LINE_END = re.compile(EOL)
UNSEEN = "\\s\u00ad\u200b\ufeff"
"""The class of what is no part of a URL inside brackets: white space, and what is not seen: the soft hyphen,
zero-width blanks."""

_TEXT = re.compile(f"[^{UNSEEN}](?:.*[^{UNSEEN}])?", re.DOTALL)
_BLANK_RUN = re.compile(r"[ \t\v\f]*")
_MARK = re.compile(
    r"(?P<quote>[>|}])"
    r"|(?P<initials>[A-Za-z]{1,4}>)"
    r"|(?P<colon>:)(?=[ \t>|])"
    r"|(?P<comment>\#+|//+|/?\*+(?!/)|;+|%+|--(?=[ \t])|dnl(?=[ \t])|\.\\\")"
    r"|(?P<number>[0-9]{1,7}(?:[.:](?=[ \t]|$)|(?=[ \t]+[^ \t])))"
)
# RFC and Internet-Draft furniture: "Author  Informational  [Page 22]", a form feed, "RFC 1738  Title  December 1994".
PAGE_BREAK = re.compile(
    rf"(?:[ \t]*{EOL})*[^\r\n]*\[Page\s+[0-9ivxlc]+(?:-[0-9]+)?\][ \t]*{EOL}"
    rf"(?:[ \t\f]*{EOL})*\f?[^\r\n]+{EOL}(?:[ \t]*{EOL})+",
    re.IGNORECASE,
)
"""A page break between two lines of text, with its footer, header and blank lines."""

_MAY_BE_FOOTER = re.compile(r"\[page", re.IGNORECASE)
# Where no line starts like this, no leader is taken off.
_MARKED_LINE = re.compile(r"[\r\n][ \t\v\f]*(?:[>|}:#/*;%.\-0-9]|[A-Za-z]{1,4}>|dnl[ \t])")
_FOOTER = re.compile(r"\[Page\s+[0-9ivxlc]+(?:-[0-9]+)?\]\s*$", re.IGNORECASE)


class Mark(NamedTuple):
    """One mark of a leader: its kind and what it says."""

    kind: str
    text: str


def leader(line: str) -> tuple[Mark, ...]:
    """Return the marks that *line* starts with."""
    marks = []
    pos = 0
    while match := _MARK.match(line, _after_blanks(line, pos)):
        marks.append(Mark(str(match.lastgroup), match[0]))
        pos = match.end()
        if match.lastgroup in ("comment", "number"):
            break
    return tuple(marks)


def leader_end(line: str, marks: tuple[Mark, ...]) -> int:
    """Return where the text of *line* starts when it carries the leader *marks*, in characters from 0.

    Blanks between marks are free. Line numbers must count up. Quote marks may be fewer than in *marks*, as where a
    mailer broke a quoted line anew; a line that carries none of the marks has blanks only before its text.
    """
    pos = 0
    for mark in marks:
        match = _MARK.match(line, _after_blanks(line, pos))
        if match is None or match.lastgroup != mark.kind or not _continues(mark, match[0]):
            break
        pos = match.end()
    return _after_blanks(line, pos)


def _continues(mark: Mark, text: str) -> bool:
    if mark.kind == "number":
        return 0 < int(text.rstrip(".:")) - int(mark.text.rstrip(".:")) <= _PAGE_GAP
    if mark.kind == "comment":
        # "/*" and "/**" go on with "*"; ";;" and ";;;" are the same comment.
        return mark.text.lstrip("/")[:1] == text[:1] or mark.text[0] == text[0]
    return mark.text == text


# A wrapper may reach over a page break of this many numbered lines.
_PAGE_GAP = 64


def _after_blanks(line: str, pos: int) -> int:
    match = _BLANK_RUN.match(line, pos)
    return match.end() if match else pos


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


def way(marks: tuple[Mark, ...]) -> LeaderPattern | None:
    """Return the way through lines with the leader *marks*: none, a few quote marks of a kind, or a comment mark.

    It is `None` for other leaders. Through those lines one goes one by one, at thirty times the cost.
    """
    if not marks:
        return plain_way()
    kind, text = marks[0]
    if kind == "quote" and len(marks) <= _DEEPEST and marks.count(marks[0]) == len(marks):
        return _way(re.escape(text), len(marks))
    if kind == "comment" and len(marks) == 1:
        return _way(_COMMENTS[text[:2] if text[0] == "/" else text[0]], 1)
    return None


def way_through(span: str, marks: tuple[Mark, ...]) -> LeaderPattern | None:
    """Return the way through *span*, the lines of which but the first carry the leader *marks*.

    It is `None` too where page furniture may be in the way.
    """
    if "[" in span and _MAY_BE_FOOTER.search(span):
        return None
    return way(marks) or (None if _MARKED_LINE.search(span) else plain_way())


@cache
def plain_way() -> LeaderPattern:
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


class Inside(NamedTuple):
    """What of a span is text: `start` and `end` count from the span's start, `text` is that of its lines.

    It is `even` if it was easy to tell, is in ASCII, and each line is a word.
    """

    start: int
    end: int
    text: str
    even: bool = False


def inside(span: str, marks: tuple[Mark, ...]) -> Inside | None:
    """Return what of *span* is text; lines, leader and `None` are those of `pieces`."""
    through = way_through(span, marks)
    if through is None:
        found = pieces(span, marks)
        if not found:
            return None if found is None else Inside(len(span), len(span), "")
        return Inside(found[0].start, found[-1].end, "".join(piece.text for piece in found))
    if even := through.even.match(span):
        return Inside(even.start(1), even.end(1), through.joined(even[1]), even=True)
    margin = through.margin.match(span)
    start, end = margin.end() if margin else 0, len(span)
    if start == end:
        return Inside(end, end, "")
    bits = through.line_gap.split(span[start:])
    texts = bits[::2]
    while not (last := _TEXT.match(texts[-1])):
        texts.pop()
        end -= len(bits[2 * len(texts) - 1])
    end -= len(texts[-1]) - last.end()
    texts[-1] = last[0]
    return Inside(start, end, "".join(texts)) if all(texts) else None


class Piece(NamedTuple):
    """The text of one line inside a span: `start` and `end` count from the span's start."""

    start: int
    end: int
    text: str


def pieces(span: str, marks: tuple[Mark, ...]) -> list[Piece] | None:
    """Return the text of each line of *span*, whose lines but the first carry the leader *marks*.

    White space around each text, blank lines at either end and page furniture are left out. Returns `None` where *span*
    holds a blank line that is no furniture: a URL does not reach over one.
    """
    found = list(_lines(span, marks))
    if _MAY_BE_FOOTER.search(span):
        found = _without_furniture(found)
    while found and not found[0].text:
        del found[0]
    while found and not found[-1].text:
        del found[-1]
    return None if any(not piece.text for piece in found) else found


def _lines(span: str, marks: tuple[Mark, ...]) -> Iterator[Piece]:
    start = 0
    for number, match in enumerate((*LINE_END.finditer(span), None)):
        line = span[start : match.start()] if match else span[start:]
        text_start = leader_end(line, marks) if number else _after_blanks(line, 0)
        text = _TEXT.search(line, text_start)
        first, last = text.span() if text else (text_start, text_start)
        yield Piece(start + first, start + last, line[first:last])
        start = match.end() if match else start


def _without_furniture(lines: list[Piece]) -> list[Piece]:
    """Drop every footer with the blank lines around it and the header line after it, if blank lines follow that."""
    kept: list[Piece] = []
    pos = 0
    while pos < len(lines):
        if not _FOOTER.search(lines[pos].text):
            kept.append(lines[pos])
            pos += 1
            continue
        while kept and not kept[-1].text:
            kept.pop()
        pos = _after_blank_lines(lines, pos + 1)
        if _after_blank_lines(lines, pos + 1) > pos + 1:
            pos = _after_blank_lines(lines, pos + 1)
    return kept


def _after_blank_lines(lines: list[Piece], pos: int) -> int:
    while pos < len(lines) and not lines[pos].text:
        pos += 1
    return pos
