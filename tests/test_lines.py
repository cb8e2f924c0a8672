"""What is around the text of a line: leaders, blank lines, page breaks (SPEC 2.2, 2.3)."""

import re
import sys
from random import Random

import pytest

from urlmend.mend.readings import VISIBLE, wrapped
from urlmend.text import leaders, page_breaks

LEADERS = (
    # a line, the kinds of its marks, what they say
    ("text", "", ""),
    ("", "", ""),
    ("    text", "", ""),
    ("> text", "quote", ">"),
    (">text", "quote", ">"),
    (">> text", "quote quote", "> >"),
    ("> > text", "quote quote", "> >"),
    ("| text", "quote", "|"),
    (": text", "colon", ":"),
    (":text", "", ""),
    ("JD> text", "initials", "JD>"),
    ("JD>> text", "initials quote", "JD> >"),
    ("Longer> text", "", ""),
    ("# text", "comment", "#"),
    ("## text", "comment", "##"),
    ("// text", "comment", "//"),
    (" * text", "comment", "*"),
    ("/* text", "comment", "/*"),
    ("*/", "", ""),
    (";; text", "comment", ";;"),
    ("-- text", "comment", "--"),
    ("--text", "", ""),
    ("% text", "comment", "%"),
    ("dnl text", "comment", "dnl"),
    ("dnltext", "", ""),
    ("  1222.  text", "number", "1222."),
    ("12: text", "number", "12:"),
    ("12th text", "", ""),
    ("> # text", "quote comment", "> #"),
    ("> 12. text", "quote number", "> 12."),
    ("# > text", "comment", "#"),
    ("[1] text", "", ""),
)


@pytest.mark.parametrize(("line", "kinds", "texts"), LEADERS)
def test_leader(line: str, kinds: str, texts: str) -> None:
    marks = leaders.leader(line)
    assert [mark.kind for mark in marks] == kinds.split()
    assert [mark.text for mark in marks] == texts.split()


TEXTS = (
    # the line that has the leader, a line after it, that line's text
    ("> a", "> b", "b"),
    ("> a", ">b", "b"),
    ("> a", "  >  b", "b"),
    ("> a", "b", "b"),
    (">> a", "> b", "b"),
    ("> a", ">> b", "> b"),
    ("a", "> b", "> b"),
    ("a", "   b", "b"),
    ("# a", "# b", "b"),
    ("# a", "#b", "b"),
    ("a", "#b", "#b"),
    ("# a", "// b", "// b"),
    (";; a", ";;; b", "b"),
    ("/* a", " * b", "b"),
    ("1. a", "2. b", "b"),
    ("2. a", "1. b", "1. b"),
    ("9. a", "10. b", "b"),
    ("1. a", "2000. b", "2000. b"),
    ("JD> a", "JD> b", "b"),
    ("JD> a", "AB> b", "AB> b"),
)


@pytest.mark.parametrize(("first", "second", "text"), TEXTS)
def test_a_continuation_line_loses_the_leader_of_the_first(first: str, second: str, text: str) -> None:
    assert second[leaders.leader_end(second, leaders.leader(first)) :] == text


_BREAK = "\n\nMaas          [Page 7]\n\f\nMemo 12      March 1996\n\n"
PIECES: tuple[tuple[str, str, list[str] | None], ...] = (
    # the start of the line, the span, the text of its lines
    ("", "a", ["a"]),
    ("", " a \t", ["a"]),
    ("", "a\nb\r\nc\rd", ["a", "b", "c", "d"]),
    ("", "\n\n a\n\n", ["a"]),
    ("", "a\n\nb", None),
    ("", "a\n  \nb", None),
    ("> ", "a\n> b", ["a", "b"]),
    ("> ", "a\n>\n> b", None),
    ("", f"a{_BREAK}b", ["a", "b"]),
    ("> ", f"a{_BREAK}b".replace("\n", "\n> "), ["a", "b"]),
    ("", "a\n\nMaas       [Page 7]\n\f\n b", ["a", "b"]),
    ("", "a\n\nMaas       [Page iv]\n\n b", ["a", "b"]),
    ("", "a\n\nMaas       [Pages]\n\nb", None),
    ("", "", []),
    ("", "\n \n", []),
)


@pytest.mark.parametrize(("before", "span", "expected"), PIECES)
def test_pieces(before: str, span: str, expected: list[str] | None) -> None:
    found = leaders.pieces(span, leaders.leader(before))
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert [piece.text for piece in found] == expected
        assert [span[piece.start : piece.end] for piece in found] == expected


BITS = [
    "http://a.example/b",
    "b",
    "b c",
    *"\xad\u200b \t\f\x85\n\r",
    "\r\n",
    "\n\n",
    "\n \n",
    "-\n> b",
    "Maas [Page 7]\n",
]
BITS += [
    f"\n{mark} " for mark in (">", ">>", "> >", "|", "#", "//", "/*", " *", ";;", "%", "--", "dnl", "JD>", "12.", ":")
]
BITS += ["\n**/ b", "\n--b", "\n>>>>> b", "\nMemo 12  March 1996\n", ">", "#"]


def naive_lines(span: str, before: str) -> list[str]:
    """Return the visible text of each line of *span*, line by line and slowly."""
    first, *others = re.split(r"\r\n|\r|\n", span)
    marks = leaders.leader(before)
    texts = [first, *(line[leaders.leader_end(line, marks) :] for line in others)]
    return [re.sub(rf"^[{leaders.UNSEEN}]+|[{leaders.UNSEEN}]+$", "", text) for text in texts]


@pytest.mark.parametrize("before", ["", "> ", ">> ", "> | ", "# ", "/* ", "JD> ", "12. ", ": ", "> # "])
def test_pieces_are_the_text_of_the_lines_between_the_leaders(before: str) -> None:
    marks = leaders.leader(before)
    random = Random(before)
    for _ in range(500):
        span = "".join(random.choices(BITS, k=random.randrange(12)))
        texts = naive_lines(span, before)
        kept = [texts[number] for number in page_breaks.without_furniture(texts)]
        expected = "\n".join(kept).strip("\n").split("\n")
        found = leaders.pieces(span, marks)
        assert (found is None) == ("" in expected != [""]), span
        if found:
            assert [piece.text for piece in found] == expected, span
            assert [span[piece.start : piece.end] for piece in found] == expected, span


FURNITURE = (
    # the lines, the numbers of those that are text
    ("a|b", [0, 1]),
    ("a||b", [0, 1, 2]),
    ("a|Maas [Page 7]|b", [0, 2]),
    ("a||Maas [Page 7]||b", [0, 4]),
    ("a||Maas [Page 7]||Memo 12||b", [0, 6]),
    ("a||Maas [PAGE iv-2]||Memo 12||b", [0, 6]),
    ("a||Maas [Page 7]|Memo 12|b", [0, 3, 4]),
    ("a||Maas [Pages]||Memo 12||b", [0, 1, 2, 3, 4, 5, 6]),
    ("a||[Page 7] is it|b", [0, 1, 2, 3]),
    ("a||Maas [Page 7]|||Memo||b||Maas [Page 8]||Memo||c", [0, 7, 13]),
    ("a||Maas [Page 7]||Maas [Page 8]||b", [0, 6]),
)


@pytest.mark.parametrize(("lines", "kept"), FURNITURE)
def test_page_furniture_is_left_out(lines: str, kept: list[int]) -> None:
    assert page_breaks.without_furniture(lines.split("|")) == kept


PAGE_BREAKS = (
    # the text after a line end, whether all of it is a page break
    ("\n\nMaas          [Page 7]\n\f\nMemo 12      March 1996\n\n", True),
    ("Maas [Page 7]\n\fMemo 12\n\n\n", True),
    ("Maas [page x]\n\n\n  Memo 12\n \n", True),
    ("\nMaas [Page 7]\n\f\nMemo 12\n", False),
    ("\nMaas [Page 7]\n\f\n", False),
    ("\nMaas\n\f\nMemo 12\n\n", False),
    ("\nb\nMaas [Page 7]\n\f\nMemo 12\n\n", False),
)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("text", "matches"), PAGE_BREAKS)
def test_a_page_break_in_running_text_has_a_header(text: str, matches: bool, line_end: str) -> None:
    assert (page_breaks.PAGE_BREAK.fullmatch(text.replace("\n", line_end)) is not None) == matches


def test_white_space_is_what_python_calls_so() -> None:
    spaces = "".join(filter(str.isspace, map(chr, range(sys.maxunicode))))
    for space in spaces:
        assert [piece.text for piece in leaders.pieces(f"{space}a{space}", ()) or ()] == ["a"]


# The inside of brackets without leaders.
INSIDES = (
    "http://a.example/b",
    "http://a.example/\nb",
    "http://a.exa\r\n   mple/b\r\n\tc",
    "http:\r//a.example/ b",
    "http://a.example/\u00a0\n\u200bb\u00ad\n c",
    "http://a.example/\n> b",
    "jane at\n a.example",
    "\n\nhttp://a.example/b\n",
)


@pytest.mark.parametrize("inside", INSIDES)
def test_lines_without_a_leader_are_joined_as_one(inside: str) -> None:
    lines = leaders.pieces(inside, ())
    assert lines is not None
    parts = tuple(part for line in lines for part in VISIBLE.findall(line.text))
    assert wrapped(inside, ()).parts == parts
    assert "".join(parts) == "".join(character for character in inside if VISIBLE.match(character))
