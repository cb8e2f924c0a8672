"""Leaders: what lines start with before their text.

A leader has quote marks, a comment mark, a line number and blanks. Leaders are read only around a URL that crosses a
line end, and never removed from whole texts.
"""

import re
from typing import NamedTuple

from urlmend.text import page_breaks
from urlmend.text.limits import LOOKBACK
from urlmend.text.line_ends import LINE_END, last_of, lines_of, start_of_line
from urlmend.text.patterns import lazy_regex

INVISIBLE = "\u00ad\u200b\ufeff"
"""Invisible characters that are not white space: the soft hyphen, and blanks without width."""

UNSEEN: str = rf"\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000{INVISIBLE}"
"""The inside of a class: characters that are not part of a URL inside brackets, with the blanks of `\\s` one by one, as
`re` then looks characters up in a table."""

_TEXT = lazy_regex(rf"[^{UNSEEN}](?:[^\r\n]*[^{UNSEEN}])?")
_BLANK = " \t\v\f\xa0"
_BLANKS = f"[{_BLANK}]*+"
# Of the author, in bytes of UTF-8 too: "Jane> ", "JD> ", "jd> ". "p->" is C; "C:\>" and "mysql>" are prompts.
_NAME = r"(?:[^\x00-@\[-\x7f][^\x00- \"/:<=>\\]*+(?<!-)|[a-z][A-Za-z]{0,3})>(?=[ \t>|])"
_MARK = lazy_regex(
    # Most lines begin with a letter: `re` sees at once that none of the others is there.
    rf"{_BLANKS}(?=[>|}}:+\-#/*;%.0-9\u203a]|\xe2\x80\xba|{_NAME}|dnl)(?:"
    # U+203A is three characters where UTF-8 is read as Latin-1
    rf"(?P<quote>[>|}}\u203a]|\xe2\x80\xba|{_NAME})"
    r"|(?P<colon>:)(?=[ \t>|])"
    # a "-" after blanks or a "+" is a bullet
    r"|(?P<changed>\+(?!\+)|(?:(?<![ \t+])|(?<=[>|] ))-(?!-))"
    r"|(?P<comment>\#+'?|//+!?|/?\*+(?!/)|;+|%+|--(?=[ \t])|dnl(?=[ \t])|\.\\\")"
    # a blank that does not break is two characters where UTF-8 is read as Latin-1
    r"|(?P<number>[0-9]{1,7}(?:[.:](?=[ \t]|$)|(?=[ \t]+[^ \t]|\xc2?\xa0)))"
    ")"
)
# A wrapper may cross a page break of this many numbered lines.
_PAGE_GAP = 64


class Mark(NamedTuple):
    """One mark of a leader: its kind (a group of _MARK) and its text."""

    kind: str
    text: str


_REMOVED = Mark("changed", "-")

Leader = tuple[Mark, ...]
"""The marks that a line starts with."""


def leader(line: str) -> Leader:
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


_QUOTE = lazy_regex(r"[ \t]*>(?!>> )")
_IN_FIRST_WORD = lazy_regex(rf"{_BLANKS}[^ \t]*+(?:(?<=:){_BLANKS})?")

# A bar at the start of such a line is not a quote mark, and "//a.example/b" is the rest of a URL.
_NO_MARK = lazy_regex(r"[ \t]*+(?:\|[ \t|]*+[^ \t|>\r\n][^|\r\n]*+\||//[\w\-]+\.[\w\-.]+/)")


def leader_at(text: str, pos: int, *, of_others: bool = True) -> Leader:
    """Return the leader of the line of *pos* in *text*; that of a line longer than LOOKBACK is not known.

    A program that breaks a quoted line leaves no quote marks before its rest. So, with *of_others*, a line that has
    *pos* in its first word has those of the two lines above it, which may be nothing but marks; `>>>` may be a prompt
    of Python.
    """
    first = max(0, pos - LOOKBACK)
    start = start_of_line(text, first, pos)
    if pos - start >= LOOKBACK:
        return ()
    marks: Leader = ()
    if _MARK.match(text, start, pos + 1):
        if _NO_MARK.match(text, start, pos + LOOKBACK):
            return ()
        marks = leader(text[start : pos + 1])
        if _REMOVED in marks and "@@ -" not in last_of(text[first:start], LOOKBACK // 2):
            marks = marks[: marks.index(_REMOVED)]
    if marks or not of_others or not _IN_FIRST_WORD.fullmatch(text, start, pos):
        return marks
    above = ["", *lines_of(text[first:start])][-3:-1]
    if not _QUOTE.match(above[-1]):
        return ()
    quotes = [tuple(mark for mark in leader(line) if mark.text == ">") for line in above]
    return max(quotes, key=len)


_NEARBY = 240  # characters: three lines


def is_quoted(text: str, pos: int) -> bool:
    """Return whether *pos* in *text* follows a quote mark.

    A colon is one if the line above or below has it, too, and it is not the left side of a box.
    """
    marks = dict(leader_at(text, pos, of_others=False))
    if "quote" in marks or "colon" not in marks:
        return "quote" in marks
    above, below = lines_of(text[max(0, pos - _NEARBY) : pos])[-2:-1], lines_of(text[pos : pos + _NEARBY])
    is_box = below[0].rstrip().endswith(":")
    return not is_box and any("colon" in dict(leader(line)) for line in (*above, *below[1:2]))


def leader_end(line: str, marks: Leader) -> int:
    """Return where the text of *line* starts after the leader *marks*, in characters from 0.

    Blanks between marks do not matter. Line numbers must increase. There may be fewer quote marks than in *marks*, as
    after a mailer that rewraps quoted lines. If *line* has none of the marks, only blanks are skipped.
    """
    pos = 0
    for mark in marks:
        match = _MARK.match(line, pos)
        if match is None or match.lastgroup != mark.kind or not _continues(mark, match[mark.kind]):
            break
        pos = match.end()
    return len(line) - len(line[pos:].lstrip(_BLANK))


_MAY_BE_QUOTED_MORE = ("quote", "comment")
_MORE_QUOTES = lazy_regex(rf"(?:{_BLANKS}>)++{_BLANKS}")


def text_start(line: str, marks: Leader) -> int:
    """Return where the text of *line* starts as `leader_end` does, but after any further quote marks.

    A reply that quotes a torn line may be quoted more deeply from there on. This does not apply inside brackets, where
    a `>` may close them.
    """
    end = leader_end(line, marks)
    if ">" not in line or all(mark.kind not in _MAY_BE_QUOTED_MORE for mark in marks):
        return end
    more = _MORE_QUOTES.match(line, end)
    return more.end() if more else end


def _continues(mark: Mark, text: str) -> bool:
    if mark.kind == "number":
        return 0 < int(text.rstrip(".:")) - int(mark.text.rstrip(".:")) <= _PAGE_GAP
    if mark.kind == "comment":
        # A comment of "/*" or "/**" continues with "*"; ";;" and ";;;" are the same comment.
        return mark.text.lstrip("/")[:1] == text[:1] or mark.text[0] == text[0]
    return mark.text == text


_DIVIDER = lazy_regex(r"--|([-_=*])\1{7,}+")
"""The line above a signature, or a rule."""


def pieces(span: str, marks: Leader) -> list[tuple[int, int]] | None:
    """Return where in *span* the text of each line starts and ends.

    All lines but the first start with the leader *marks*. White space around each text, blank lines at either end and
    page breaks are left out. Returns `None` if *span* has a blank line elsewhere, or a divider: a URL crosses neither.
    """
    lines = []
    start = 0
    for end, next_start in (*map(re.Match.span, LINE_END.finditer(span)), (len(span), len(span))):
        first = start + leader_end(span[start:end], marks) if marks and start else start
        text = _TEXT.search(span, first, end)
        lines.append(text.span() if text else (first, first))
        start = next_start
    if page_breaks.MAY_HOLD.search(span):
        kept = page_breaks.without_furniture([span[first:last] for first, last in lines])
        lines = [lines[number] for number in kept]
    found = [(first, last) for first, last in lines if first < last]
    has_blank_lines = found and lines.index(found[-1]) - lines.index(found[0]) >= len(found)
    return None if has_blank_lines or any(_DIVIDER.fullmatch(span, *line) for line in found) else found
