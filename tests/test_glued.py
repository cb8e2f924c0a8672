"""What is glued behind a URL is told apart from it: text, URL and what was trimmed side by side."""

import pytest

from urlmend import Rejected, find_urls

GLUED = (
    # the text; the URL; what was trimmed
    ("http://a.example{end} b", "http://a.example", "{end}"),
    ("http://a.example{p}Next", "http://a.example", "{p}"),
    ("http://a.example...Click it", "http://a.example", "..."),
    ("http://a.example==", "http://a.example", "=="),
    ("http://a.example=20", "http://a.example", "=20"),
    ("http://a.example$", "http://a.example", "$"),
    ("ftp://a.example/b{p} c", "ftp://a.example/b", "{p}"),
    ("ftp://a.example/b.{p}c", "ftp://a.example/b", ".{p}c"),
    ("ftp://a.example/b[17 c", "ftp://a.example/b", "[17"),
    ("gopher://a.example/1é{b}", "gopher://a.example/1é", "{b}"),
    ("telnet://a.example/'s", "telnet://a.example/", "'s"),
    ("news:comp.lang.c{p}", "news:comp.lang.c", "{p}"),
    ("news:1@a.example{p}.", "news:1@a.example", "{p}."),
    ("mailto:jane@a.example=20", "mailto:jane@a.example", ""),
    ('<http://a.example/b">', "http://a.example/b", '"'),
    ('<URL:http://a.example/b">', "http://a.example/b", '"'),
)

REFUSED = (
    "ftp://a.example/b[1-3].gz",
    "http://a.example/%zz",
    "http://a.example/%zz{p}",
    "http://a.example:8o/{p}",
    "http://a..example/{p}",
    "<ftp://a.example/b{p}>",
    "gopher://a.example[:port]/2",
    "news:1$2@a-",
    f"ftp://a.example/{'b' * 3000}{{p}}",
)


@pytest.mark.parametrize(("text", "url", "trimmed"), GLUED)
@pytest.mark.parametrize("binary", [False, True], ids=["str", "bytes"])
def test_what_is_glued_is_trimmed(text: str, url: str, trimmed: str, binary: bool) -> None:
    for data in (text, f"see {text}\nand"):
        (match,) = find_urls(data.encode() if binary else data)
        assert (match.url, match.raw, match.trimmed) == (url, url, trimmed)


@pytest.mark.parametrize("text", REFUSED)
def test_what_fails_otherwise_is_refused(text: str) -> None:
    rejected: list[Rejected] = []
    assert find_urls(text, rejected=rejected.append) == []
    assert [one.raw for one in rejected] == [text.strip("<>")]
