"""What stands around the text of a line: leaders and blank lines.

A leader is what a line starts with before its text: quote marks, comment marks, a line number, blanks. It is looked at
only around a URL that reaches over a line end, never stripped from whole texts.
"""

import re
from functools import partial
from typing import NamedTuple

from urlmend.text import page_breaks
from urlmend.text.line_ends import EOL

INVISIBLE = "\u00ad\u200b\ufeff"
"""What is not seen though it is no white space: the soft hyphen, blanks of no width."""

UNSEEN = f"\\s{INVISIBLE}"
"""The class of what is no part of a URL inside brackets."""

_SPACES = "".join(map(chr, range(0x2000, 0x200B)))
_WHITE_SPACE = f"\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680{_SPACES}\u2028\u2029\u202f\u205f\u3000"
_UNSEEN_CHARACTERS = _WHITE_SPACE + INVISIBLE
_BLANK_CHARACTERS = " \t\v\f"
_BLANKS = rf"[{_BLANK_CHARACTERS}]*+"
_BLANK_RUN = re.compile(_BLANKS)
_MARK = re.compile(
    rf"{_BLANKS}(?:"
    r"(?P<quote>[>|}])"
    r"|(?P<initials>[A-Za-z]{1,4}>)"
    r"|(?P<colon>:)(?=[ \t>|])"
    r"|(?P<comment>\#+|//+|/?\*+(?!/)|;+|%+|--(?=[ \t])|dnl(?=[ \t])|\.\\\")"
    r"|(?P<number>[0-9]{1,7}(?:[.:](?=[ \t]|$)|(?=[ \t]+[^ \t])))"
    ")"
)
# A wrapper may reach over a page break of this many numbered lines.
_PAGE_GAP = 64


class Mark(NamedTuple):
    """One mark of a leader: its kind and what it says."""

    kind: str
    text: str


def leader(line: str) -> tuple[Mark, ...]:
    """Return the marks that *line* starts with."""
    marks = []
    pos = 0
    while match := _MARK.match(line, pos):
        kind = str(match.lastgroup)
        marks.append(Mark(kind, match[kind]))
        pos = match.end()
        if kind in ("comment", "number"):
            break
    return tuple(marks)


def leader_end(line: str, marks: tuple[Mark, ...]) -> int:
    """Return where the text of *line* starts when it carries the leader *marks*, in characters from 0.

    Blanks between marks are free. Line numbers must count up. Quote marks may be fewer than in *marks*, as where a
    mailer broke a quoted line anew; a line that carries none of the marks has blanks only before its text.
    """
    if not marks:
        return len(line) - len(line.lstrip(_BLANK_CHARACTERS))
    pos = 0
    for mark in marks:
        match = _MARK.match(line, pos)
        if match is None or match.lastgroup != mark.kind or not _continues(mark, match[mark.kind]):
            break
        pos = match.end()
    blanks = _BLANK_RUN.match(line, pos)
    return blanks.end() if blanks else pos


def _continues(mark: Mark, text: str) -> bool:
    if mark.kind == "number":
        return 0 < int(text.rstrip(".:")) - int(mark.text.rstrip(".:")) <= _PAGE_GAP
    if mark.kind == "comment":
        # "/*" and "/**" go on with "*"; ";;" and ";;;" are the same comment.
        return mark.text.lstrip("/")[:1] == text[:1] or mark.text[0] == text[0]
    return mark.text == text


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
    found = _lines(span, marks)
    if page_breaks.MAY_HOLD.search(span):
        kept = page_breaks.without_furniture([piece.text for piece in found])
        found = [found[number] for number in kept]
    while found and not found[0].text:
        del found[0]
    while found and not found[-1].text:
        del found[-1]
    return found if all(piece.text for piece in found) else None


_LINE_ENDS = re.compile(f"({EOL})")
# A span may have thousands of lines: this is the cheapest way to make one piece of a tuple.
_piece = partial(tuple.__new__, Piece)


def _lines(span: str, marks: tuple[Mark, ...]) -> list[Piece]:
    found = []
    start = 0
    expected: tuple[Mark, ...] = ()
    bits = _LINE_ENDS.split(span)
    for line, line_end in zip(bits[::2], (*bits[1::2], ""), strict=True):
        first = leader_end(line, expected) if expected else 0
        text = line[first:].strip(_UNSEEN_CHARACTERS)
        first = start + line.find(text, first)
        found.append(_piece((first, first + len(text), text)))
        start += len(line) + len(line_end)
        expected = marks
    return found


class Inside(NamedTuple):
    """What of a span is text: `start` and `end` count from the span's start, `text` is that of its lines."""

    start: int
    end: int
    text: str


def inside(span: str, marks: tuple[Mark, ...]) -> Inside | None:
    """Return what of *span* is text; lines, leader and `None` are those of `pieces`."""
    found = pieces(span, marks)
    if not found:
        return None if found is None else Inside(len(span), len(span), "")
    return Inside(found[0].start, found[-1].end, "".join(piece.text for piece in found))
