"""Checks that hold for every text, on texts put together from difficult pieces.

The examples are the same in every run: a fault that chance finds is for tests/fuzz. `URLMEND_EXAMPLES` is how many there
are for each property, 10 if it is not set.
"""

# ruff: noqa: E501, RUF001 -- fragments of a kind are in one line; the look-alike characters are what is tested

import os
from html import escape
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings, strategies as st

from invariants import (
    ask_everything,
    check_cuts,
    check_found_again,
    check_line_ends,
    check_matches,
    check_offsets,
    check_parse,
    check_rejected,
    check_same_in_bytes,
    scan,
)
from urlmend import find_urls
from urlmend.query import JOINS, Join
from urlmend.text.line_ends import lines_of

SAMPLES = sorted(
    path for path in Path(__file__).parents[2].glob("corpora/samples/*") if path.suffix in (".mbox", ".news", ".txt")
)

few = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=int(os.environ.get("URLMEND_EXAMPLES", "10")),
    suppress_health_check=list(HealthCheck),
)

# fmt: off
SCHEMES = (
    *("http://", "https://", "ftp://", "HTTP://", "gopher://", "telnet://", "wais://", "file:///", "nntp://", "svn+ssh://"),
    *("mailto:", "news:", "urn:ietf:", "doi:10.1000/", "tel:+49", "magnet:?xt=", "x-editor:", "http:", "https:/", "//", ":"),
)
HOSTS = ("a.example", "www.a-b.example:80", "jane@a.example", "[2001:db8::1]", "192.0.2.1", "bücher.example", "a_b", "%41")
PATHS = ("/b", "/~c/d.html", "/e_(f)", "?q=1&n=2", "#top", "/", ";type=i", "/%7Ex", "/%zz", "/é", "/=3D", "&amp;", "comp.lang.c")
WRAPPERS = ("<URL:", "<url: ", "<", ">", "URL:", "&lt;", "&gt;", "(", ")", "[", "]", "{", "'", '"', "*", "_", "（", "）")
BREAKS = ("\n", "\r\n", "\r", "-\n", "-\r\n", "/\n", "=\n", "=20\n", " \n", "\n\n", "\u2010\n", "\f\n", "\n\n M  [Page 7]\n\f\nN  1996\n\n")
LEADERS = ("> ", ">> ", "| ", ": ", "JD> ", "# ", "// ", " * ", ";; ", "  12  ", "  13  ", "dnl ", "   ")
MARKS = (".", ",", ";", "!", "?", "...", "'s", "-", "--", "@", "%", "&", "|", "^", "\\", "`", "\x00", "\t", "\u3000", "\u00a0", "\u00ad", "\u200b", "。", "”", "•", "…", "\ud800")
WORDS = ("see ", "hxxp://", " and ", " or ", "page-7", "12:30 ", "std::map", "Note: ", "kept.html", "c=3", "ü", "à", "í", " ", "a" * 66 + " ")
# fmt: on

fragments = st.sampled_from((*SCHEMES, *HOSTS, *PATHS, *WRAPPERS, *BREAKS, *LEADERS, *MARKS, *WORDS))
urls = st.builds("".join, st.tuples(st.sampled_from(SCHEMES), st.sampled_from(HOSTS), *[st.sampled_from(PATHS)] * 2))
torn = st.builds(
    lambda url, places, between: between.join(
        url[start:end] for start, end in zip((0, *sorted(places)), (*sorted(places), len(url)), strict=True)
    ),
    urls,
    st.lists(st.integers(1, 30), max_size=3),
    st.builds(str.__add__, st.sampled_from(BREAKS), st.sampled_from(("", *LEADERS))),
)
wrapped = st.builds(lambda url: f"<URL:{url}>", torn)
texts = st.builds("".join, st.lists(st.one_of(fragments, urls, torn, wrapped), max_size=14))
parts = st.builds("".join, st.lists(fragments, max_size=8))


def both(text: str) -> tuple[str, bytes]:
    """Return *text*, and its bytes; a lone surrogate becomes bytes that are not UTF-8."""
    return text, text.encode("utf-8", "surrogatepass")


@few
@given(texts, st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_random_cuts_give_the_same(text: str, cuts: list[float]) -> None:
    for data in both(text):
        check_cuts(data, [round(cut * len(data)) for cut in cuts])


@few
@given(texts)
def test_places_are_true_and_content_never_raises(text: str) -> None:
    for data in both(text):
        for join in JOINS:
            result = scan([data], join)
            assert find_urls(data, join=join) == result[0]  # to ask for rejects changes nothing
            check_offsets(data, result)
            check_matches(result[0])
            check_rejected(result[1])


@few
@given(texts, st.sampled_from(JOINS))
@example("<mailto:\ufeff@a.example>", "none")  # a blank in brackets, and a letter of RFC 3987
@example("mailto:a[.]example/b/bhxxp:-\n//a[.]example/b/b", "evident")  # two readings, both defanged
def test_every_attribute_has_a_value(text: str, join: Join) -> None:
    ask_everything(scan([text], join, schemeless=True, addresses=True, refang=True))


B = "http://a.example/a/long/path/to/the/b"
AROUND = {
    "text": "{}",
    "message": "From: jane@a.example\nSubject: b\n\n{}",
    "mbox": "From jane@a.example Mon Jul  7 10:06:12 2003\nSubject: b\n\n{}\n\n",
    "html": "<html><body><pre>\n{}</pre></body></html>",
}
"""How each source contains a text."""


@few
@given(texts, st.sampled_from(tuple(AROUND)))
@example(f"see {B}_\nc_2 of it\n" + "short line\n" * 65 + f"and {B}_c too\n", "text")
@example("<http://a.example/\nb>", "html")
@example(
    "y" * 90
    + "\n"
    + "z" * 90
    + "\n"
    + "a short line\n" * 60
    + "see http://a.example/a/long/path/to/the/b/\nc_2 of it\n",
    "text",
)
def test_line_ends_change_nothing_but_offsets(text: str, source: str) -> None:
    text = "\n".join(lines_of(escape(text) if source == "html" else text))  # they end with LF
    check_line_ends(AROUND[source].replace("{}", text).encode("utf-8", "surrogatepass"), source)


def test_line_ends_change_nothing_in_a_sample() -> None:
    for path in SAMPLES:
        check_line_ends(path.read_bytes())


@few
@given(st.binary(max_size=60), texts)
def test_any_bytes_are_accepted(noise: bytes, text: str) -> None:
    data = noise + text.encode("utf-8", "surrogatepass") + noise[::-1]
    check_cuts(data, range(0, len(data), 40))


@few
@given(texts)
def test_a_found_url_alone_is_found_again(text: str) -> None:
    check_found_again(find_urls(text))


@few
@given(texts)
def test_bytes_and_characters_give_the_same_urls(text: str) -> None:
    check_same_in_bytes(text)


@few
@given(st.one_of(urls, parts))
def test_parsing_keeps_the_text(text: str) -> None:
    check_parse(text)


@few
@given(urls.filter(lambda url: "\n" not in url), st.sampled_from(BREAKS[:3]), st.sampled_from(LEADERS), st.data())
def test_a_url_torn_in_a_wrapper_is_mended(url: str, line_end: str, leader: str, data: st.DataObject) -> None:
    if not [match for match in find_urls(f"<URL:{url}>") if match.url == url]:
        return
    cut = data.draw(st.integers(1, len(url) - 1))
    lines = f"{leader}<URL:{url[:cut]}", f"{_next(leader)}{url[cut:]}>"
    matches = find_urls(line_end.join(lines))
    assert any(url in match.readings for match in matches), (lines, matches)


def _next(leader: str) -> str:
    """Return the leader of the line that follows one with *leader*: line numbers count up."""
    return leader.replace("13", "14").replace("12", "13")
