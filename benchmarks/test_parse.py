"""How fast single URLs are parsed, and refused.

usage: python -m pytest benchmarks/test_parse.py
"""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from urlmend import (
    RFC1738,
    URL,
    WEB,
    FileURL,
    FtpURL,
    GopherURL,
    HttpURL,
    MailtoURL,
    NewsURL,
    NntpURL,
    OtherURL,
    Profile,
    ProsperoURL,
    TelnetURL,
    URLSyntaxError,
    WaisURL,
    parse,
)
from urlmend.grammar.parser import parse_or_none

PROFILES = pytest.mark.parametrize("profile", [RFC1738, WEB], ids=lambda profile: profile.name)

GOOD: tuple[tuple[type[URL], str], ...] = (
    (FtpURL, "ftp://ana:secret@ftp.shelf.example/pub/tapes/reel-7.tar.gz;type=i"),
    (HttpURL, "http://www.shelf.example:8000/catalogue/tapes/reel-7.html?q=first&n=2"),
    (GopherURL, "gopher://gopher.shelf.example:70/7/catalogue/tapes%09reel"),
    (MailtoURL, "mailto:ana.brook@mail.shelf.example"),
    (NewsURL, "news:alt.example.tapes"),
    (NewsURL, "news:19961103.7@news.shelf.example"),
    (NntpURL, "nntp://news.shelf.example:119/alt.example.tapes/1234"),
    (TelnetURL, "telnet://guest@desk.shelf.example:2323/"),
    (WaisURL, "wais://wais.shelf.example:210/catalogue/TEXT/reel-7"),
    (FileURL, "file://localhost/pub/tapes/reel-7.txt"),
    (ProsperoURL, "prospero://pros.shelf.example:1525//tapes/reel-7;kind=text"),
    (OtherURL, "svn+ssh://anon@svn.shelf.example/pub/tapes"),
)

# Refused at the first character, in the host, at the end of a long path, and for what is not there.
BAD: tuple[tuple[str, str, int], ...] = (
    ("scheme", "_http://www.shelf.example/", 0),
    ("host", "http://www.shelf example/catalogue", 16),
    ("path", "http://www.shelf.example/" + "catalogue/" * 30 + "%zz", 326),
    ("nothing", "http://", 7),
)


@pytest.mark.benchmark(group="parse")
@PROFILES
@pytest.mark.parametrize(("url_class", "text"), GOOD, ids=[text.partition(":")[0] for _, text in GOOD])
def test_parse(benchmark: BenchmarkFixture, url_class: type[URL], text: str, profile: Profile) -> None:
    """A URL of each scheme becomes one of its class, and keeps its text."""
    url = benchmark(parse, text, profile)
    assert type(url) is url_class
    assert str(url) == text


@pytest.mark.benchmark(group="refuse without diagnosis")
@PROFILES
@pytest.mark.parametrize("text", [text for _, text, _ in BAD], ids=[name for name, _, _ in BAD])
def test_refuse(benchmark: BenchmarkFixture, text: str, profile: Profile) -> None:
    """A text that is no URL is refused."""
    assert benchmark(parse_or_none, text, profile) is None


def diagnosed(text: str, profile: Profile) -> int:
    """Return where *text*, which is no URL, goes wrong."""
    try:
        parse(text, profile)
    except URLSyntaxError as error:
        return error.pos
    return -1


@pytest.mark.benchmark(group="refuse with diagnosis")
@PROFILES
@pytest.mark.parametrize(("text", "pos"), [(text, pos) for _, text, pos in BAD], ids=[name for name, _, _ in BAD])
def test_diagnose(benchmark: BenchmarkFixture, text: str, pos: int, profile: Profile) -> None:
    """A text that is no URL is refused with the place of its first fault."""
    assert benchmark(diagnosed, text, profile) == pos
