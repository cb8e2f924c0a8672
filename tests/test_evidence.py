"""The evidence that a bare URL goes on in the next line: excerpts for each kind, joined and left alone."""

import pytest

from urlmend import find_urls
from urlmend.mend import joining
from urlmend.text.limits import LOOKAHEAD

# A line as long as lines get in the text, so that it has a right margin of 72 characters.
LONG = "http://a.example/a/path/that/is/long/and/fills/the/line"
"""A URL as long as those that lines break: a short one at its line's end seldom goes on."""

FILLED = "This line of prose is here to show how wide the lines of the text are ."

# name, text, the intended URL. Each URL is the first in its text.
GOES_ON = [
    ("scheme", "https:\n//a.example/b is it", "https://a.example/b"),
    ("scheme and slashes", "https://\na.example/b is it", "https://a.example/b"),
    ("hyphen", "http://a.example/info-\nwar.html\n", "http://a.example/info-war.html"),
    (
        "hyphen, then a number",
        f"{LONG}/draft-yang-\n04.\n\n[2] Next",
        f"{LONG}/draft-yang-04",
    ),
    ("slash, then a file", "http://a.example/docs/\npka-intro.pdf) when", "http://a.example/docs/pka-intro.pdf"),
    ("slash, then a path", f"{LONG}/\nmuttmua/mutt/issues\n", f"{LONG}/muttmua/mutt/issues"),
    (
        "slash, then a compound that did not fit",
        f"http://a.example/assignments/a-long-enough-path/to/fill/lines/\nyang-parameters.  The\n{FILLED}\n",
        "http://a.example/assignments/a-long-enough-path/to/fill/lines/yang-parameters",
    ),
    (
        "slash, then the last word",
        f"http://a.example/publications/detail/fips/that/fills/the/line/180/4/\nfinal.\n\n{FILLED}\n{FILLED}\n",
        "http://a.example/publications/detail/fips/that/fills/the/line/180/4/final",
    ),
    ("slash begins the line", f"{LONG}/wash\n/news.shtml\n", f"{LONG}/wash/news.shtml"),
    ("query begins the line", f"{LONG}/find\n?q=1&r=2 and", f"{LONG}/find?q=1&r=2"),
    (
        "hyphen begins the line",
        f"{LONG}/networking\n-faq.part1.html\n",
        f"{LONG}/networking-faq.part1.html",
    ),
    ("suffix begins the line", f"{LONG}/V000-idx\n.html\n", f"{LONG}/V000-idx.html"),
    (
        "ampersand",
        f"http://a.example/groups?q=group:comp.sys.a.long.enough.name&hl=en&lr=&\nsafe=off&rnum=1\n\n{FILLED}\n",
        "http://a.example/groups?q=group:comp.sys.a.long.enough.name&hl=en&lr=&safe=off&rnum=1",
    ),
    ("unfinished host", "see http://www.\na.example/b", "http://www.a.example/b"),
    ("ftp type", "ftp://a.example/pub/doc;\ntype=d but", "ftp://a.example/pub/doc;type=d"),
    (
        "cut at the margin in mid-word",
        f"{FILLED}\nhttp://a.example/airforcelink/pa/factsheets/fill/the/line/Air_Intelli\ngence_Agency.html\n\nMore\n",
        "http://a.example/airforcelink/pa/factsheets/fill/the/line/Air_Intelligence_Agency.html",
    ),
    ("quoted", "> http://a.example/vfs-\n> backends/_decorator.py\n", "http://a.example/vfs-backends/_decorator.py"),
    (
        "quoted anew: the rest has no leader",
        "> http://a.example/docs/\nintro.pdf\n> and",
        "http://a.example/docs/intro.pdf",
    ),
    (
        "three lines",
        f"      {LONG}/ASIN/\n      0226320618/o/qid=908/002-288/that/fills/the/line/\n      002-288-830\n\nCoL",
        f"{LONG}/ASIN/0226320618/o/qid=908/002-288/that/fills/the/line/002-288-830",
    ),
    (
        "quoted-printable's soft break",
        '<a=20\nhref=3D"http://a.example/com=\nics/b.gif" width=3D"1">\n',
        "http://a.example/comics/b.gif",
    ),
    (
        "page break",
        "http://a.example/docs/\n\n\nHoeg    Memo   [Page 3]\n\x0c\nMemo 4   Links   March 1996\n\n\nintro.pdf\n",
        "http://a.example/docs/intro.pdf",
    ),
]

ENDS = [
    ("a sentence", "http://a.example/\nIt is there.\n", "http://a.example/"),
    ("a lower-case word", "http://a.example/amiga/\nwas moved\n", "http://a.example/amiga/"),
    ("capitalised pair", "http://a.example/doc/man-pages/\nLinux/UNIX is\n", "http://a.example/doc/man-pages/"),
    ("a title", "http://a.example/\nEditor-in-Chief\n", "http://a.example/"),
    ("a header", "X-Url: http://a.example/\nMIME-Version: 1.0\n", "http://a.example/"),
    ("a list number", "http://a.example/downloads/\n2. The rules:\n", "http://a.example/downloads/"),
    ("a footnote", "http://a.example/\n[2] and more\n", "http://a.example/"),
    ("a host name", "// http://hoster.example/\nof.example\n", "http://hoster.example/"),
    ("a time of day", "http://a.example/amiga/\n11.02.55 # <Bill> hm\n", "http://a.example/amiga/"),
    ("a mail address", "http://a.example/\n   info@a.example\n", "http://a.example/"),
    ("ASCII art", "//\\  http://a.example/users/\nV_/_  AIM: Z\n", "http://a.example/users/"),
    ("a rule line", "http://a.example/t/\n=======================\n", "http://a.example/t/"),
    ("dashes", "http://a.example/-----\n----\n", "http://a.example/-----"),
    ("a bullet", "* http://a.example/b/\n* c.html is next\n", "http://a.example/b/"),
    ("another URL", "http://a.example/b/\nhttp://c.example/\n", "http://a.example/b/"),
    ("a protocol", "http://a.example/orders/\nHTTP/1.1\n", "http://a.example/orders/"),
    ("a blank line", "http://a.example/docs/\n\nintro.pdf\n", "http://a.example/docs/"),
    ("a file name after a whole URL", f"{FILLED}\nhttp://a.example/b.html\nREADME.txt\n", "http://a.example/b.html"),
    ("a date", "2011-05-23: first    http://a.example/\n2011-05-25: second   http://b.example/\n", "http://a.example/"),
    ("a label", "http://a.example/m-1@b.example/\nv6: add a test\n", "http://a.example/m-1@b.example/"),
    ("not quoted-printable", "http://a.example/find?q=\nThe next\n", "http://a.example/find?q="),
]


LINE_ENDS = pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])


@LINE_ENDS
@pytest.mark.parametrize(("text", "url"), [case[1:] for case in GOES_ON], ids=[case[0] for case in GOES_ON])
def test_goes_on(text: str, url: str, line_end: str) -> None:
    text = text.replace("\n", line_end)
    match = find_urls(text)[0]
    assert match.url == url
    assert match.breaks
    assert text[match.start : match.end] == match.raw
    assert [found.url for found in find_urls(text, join="none")][:1] != [url]


@LINE_ENDS
@pytest.mark.parametrize(("text", "url"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_ends(text: str, url: str, line_end: str) -> None:
    match = find_urls(text.replace("\n", line_end))[0]
    assert match.url == url
    assert match.breaks == ()


def test_a_line_end_that_was_converted_twice_is_one() -> None:
    text = f"see {LONG}/b-\r\r\nc.html and <{LONG}/d/\r\r\ne.html>"
    assert [match.url for match in find_urls(text)] == [f"{LONG}/b-c.html", f"{LONG}/d/e.html"]


def test_the_unjoined_form_stays_among_the_readings() -> None:
    match = find_urls("http://a.example/docs/\nintro.pdf")[0]
    assert match.readings == ("http://a.example/docs/intro.pdf", "http://a.example/docs/")
    assert not match.ambiguous


@pytest.mark.parametrize(
    ("lines", "joined"), [(joining.MAX_SOFT_BREAKS - 1, True), (joining.MAX_SOFT_BREAKS + 1, False)]
)
def test_soft_breaks_are_taken_out_up_to_a_number(lines: int, joined: bool) -> None:
    match = find_urls("=3D=3D http://a.example/b" + "=\nc" * lines + "\nand")[0]
    assert match.url == "http://a.example/b" + ("c" * lines if joined else "=")


@pytest.mark.parametrize("unit", ["=a@", "=", "a:", "a.", "x", "(a", "/a"])
@pytest.mark.parametrize("end", ["", "[", "!"])
def test_a_token_of_any_length_is_looked_at_once(unit: str, end: str) -> None:
    """`=a@` doubled the time with each: a test that does not end shows it."""
    token = unit * (4000 // len(unit)) + end
    found = find_urls(f"http://a.example/b/\n{token} c")
    assert found[0].url in {"http://a.example/b/", f"http://a.example/b/{token.rstrip('.!:[@')}"}


def test_what_is_longer_than_can_be_seen_is_not_cut_short() -> None:
    token = "a/" * (LOOKAHEAD // 2)
    assert [match.url for match in find_urls(f"http://a.example/b/\n{token} c")] == ["http://a.example/b/"]
    assert [len(match.url) for match in find_urls(f"http://a.example/b/\n{token[2:]} c")] == [19 + LOOKAHEAD - 2]
