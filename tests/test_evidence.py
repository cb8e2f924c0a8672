"""Bounds and readings of bare URLs that continue in the next line; tables 2.1 of data/find.toml have the cases."""

import sys
from collections import Counter
from itertools import product

import pytest

from urlmend import Scanner, find_urls
from urlmend.mend.line_break import MAX_SOFT_BREAKS

LONG = "http://a.example/a/path/that/is/long/and/fills/the/line"


def test_a_line_end_that_was_converted_twice_is_one() -> None:
    text = f"see {LONG}/b-\r\r\nc.html and <{LONG}/d/\r\r\ne.html>"
    assert [match.url for match in find_urls(text)] == [f"{LONG}/b-c.html", f"{LONG}/d/e.html"]


@pytest.mark.parametrize(("lines", "joined"), [(MAX_SOFT_BREAKS - 1, True), (MAX_SOFT_BREAKS + 1, False)])
def test_the_number_of_soft_breaks_is_bounded(lines: int, joined: bool) -> None:
    match = find_urls("=3D=3D http://a.example/b" + "=\nc" * lines + "\nand")[0]
    assert match.url == "http://a.example/b" + ("c" * lines if joined else "=")


@pytest.mark.parametrize("unit", ["=a@", "=", "a:", "a.", "x", "(a", "/a"])
@pytest.mark.parametrize("end", ["", "[", "!"])
def test_a_token_of_any_length_takes_linear_time(unit: str, end: str) -> None:
    """`=a@` doubled the time with each: a test that does not end shows it."""
    token = unit * (4000 // len(unit)) + end
    found = find_urls(f"http://a.example/b/\n{token} c")
    assert found[0].url in {"http://a.example/b/", f"http://a.example/b/{token.rstrip('.!:[@')}"}


def calls(text: str) -> int:
    """Return how many functions are called, in Python and in C, while URLs are looked for in *text*."""
    counted: Counter[str] = Counter()
    find_urls(text)  # what is made once is not counted
    sys.setprofile(lambda _, event, __: counted.update([event]))
    try:
        find_urls(text)
    finally:
        sys.setprofile(None)
    return counted["call"] + counted["c_call"]


DENSE = (
    "\r\nhxxp://#'",
    "%2<https://URL:-\n",
    "#,hxxp://\xad",
    "\xe9 http://a.example/b\n",
    "hxxp://a/;type=\n> ",
    "x://a%\n",
    "http://a.example/b-\nword aaaaaaaaaa aaaaaaaaaa ",
    f"http://a.example/b-\nc-\nd-\ne-\nand {150 * 'x'}\n",
)


@pytest.mark.parametrize("unit", DENSE)
def test_the_work_at_a_line_end_is_bounded_however_many_urls_are_around(unit: str) -> None:
    """With all that is around each of them, the second took 1,300 calls, the fourth 910, the sixth 1,560."""
    count = 250
    assert calls(unit * count) < 400 * count


def test_among_more_urls_than_real_text_has_what_is_near_decides() -> None:
    for urls, torn, end in product((40, 400), ("-\nc/d.html", "?id=\n57"), ("\n", "\r\n", "\r")):
        lines = "".join(f"http://a.example/archive/of/{number}\n" for number in range(urls))
        text = f"{lines}see http://a.example/b{torn} for more\n{lines}".replace("\n", end)
        found = [match.url for match in find_urls(text)]
        assert "http://a.example/b" + torn.replace("\n", "") in found
        assert found == [match.url for match in find_urls(text.encode())]
        scanner = Scanner()
        fed = [match for at in range(0, len(text), 97) for match in scanner.feed(text[at : at + 97])]
        assert [match.url for match in (*fed, *scanner.close())] == found


def test_in_a_throng_every_url_ends_with_its_line() -> None:
    lines = ("http://a.example/b-", "http://a.example/c?d=", "http://e-", "http://f.", "see http://g")
    found = [(match.url, match.trimmed) for match in find_urls("\n".join(lines * 60))]
    throng = {*((url, "") for url in lines[:2]), ("http://e", "-"), ("http://f", "."), ("http://g", "")}
    assert set(found[100:200]) == throng  # there are fewer around those before and after
