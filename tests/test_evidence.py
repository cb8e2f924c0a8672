"""Bounds and readings of bare URLs that continue in the next line; tables 2.1 of data/find.toml have the cases."""

import pytest

from urlmend import find_urls
from urlmend.mend import joining
from urlmend.text.limits import LOOKAHEAD

LONG = "http://a.example/a/path/that/is/long/and/fills/the/line"


def test_a_line_end_that_was_converted_twice_is_one() -> None:
    text = f"see {LONG}/b-\r\r\nc.html and <{LONG}/d/\r\r\ne.html>"
    assert [match.url for match in find_urls(text)] == [f"{LONG}/b-c.html", f"{LONG}/d/e.html"]


def test_the_unjoined_url_is_the_second_reading() -> None:
    match = find_urls("http://a.example/docs/\nintro.pdf")[0]
    assert match.readings == ("http://a.example/docs/intro.pdf", "http://a.example/docs/")
    assert not match.ambiguous


@pytest.mark.parametrize(
    ("lines", "joined"), [(joining.MAX_SOFT_BREAKS - 1, True), (joining.MAX_SOFT_BREAKS + 1, False)]
)
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


def test_a_token_longer_than_the_lookahead_is_not_joined() -> None:
    token = "a/" * (LOOKAHEAD // 2)
    assert [match.url for match in find_urls(f"http://a.example/b/\n{token} c")] == ["http://a.example/b/"]
    assert [len(match.url) for match in find_urls(f"http://a.example/b/\n{token[2:]} c")] == [19 + LOOKAHEAD - 2]
