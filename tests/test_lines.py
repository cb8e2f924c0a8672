"""What stands around the text of a line: leaders, blank lines, page furniture (SPEC 2.2, 2.3)."""

from random import Random

import pytest

from urlmend.text import leaders

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
    # the line's beginning, the span, the text of its lines
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


WAYS = ("", "> ", ">> ", "> > > ", "| ", "} ", "# ", "## ", "// ", "/* ", " * ", ";; ", "% ", "-- ", "dnl ", '.\\" ')
OTHER_WAYS = (">>>> ", "> | ", "JD> ", "12. ", ": ", "> # ")
BITS = (
    *(
        "http://a.example/b",
        "b",
        "b c",
        "\u00ad",
        "\u200b",
        " ",
        "\t",
        "\f",
        "\x85",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "\n \n",
    ),
    *(f"\n{way}" for way in (*WAYS, *OTHER_WAYS)),
    *("\n///* b", "\n/** b", "\n**/ b", "\n# # b", "\n--b", "\n> > b", "\n>>>>> b", "-\n> b", "[Page 7]\n", ">", "#"),
)


@pytest.mark.parametrize("before", [*WAYS, *OTHER_WAYS])
def test_the_quick_way_through_lines_finds_what_the_slow_one_does(before: str) -> None:
    marks = leaders.leader(f"{before}<")
    assert (leaders.way(marks) is not None) == (before in WAYS)
    random = Random(before)
    for _ in range(500):
        span = "".join(random.choices(BITS, k=random.randrange(12)))
        inside, found = leaders.inside(span, marks), leaders.pieces(span, marks)
        assert (inside is None) == (found is None), span
        if inside is not None and found is not None:
            assert inside.text == "".join(piece.text for piece in found), span
            ends = (found[0].start, found[-1].end) if found else (len(span), len(span))
            assert (inside.start, inside.end) == ends, span
            assert not inside.even or (span.isascii() and not any(" " in piece.text for piece in found)), span
