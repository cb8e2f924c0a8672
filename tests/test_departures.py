"""WEB is RFC 1738 with named departures: each does what its example says, and a URL tells which of them it needs."""

import re
from collections.abc import Iterator
from random import Random

import pytest

from urlmend.grammar import rfc1738
from urlmend.grammar.departures import DEPARTURES, Departure, Edit
from urlmend.grammar.parser import (
    LONGEST_KEPT,
    URLSyntaxError,
    departures,
    parse,
    parse_or_none,
    scheme_host_departures,
)
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.urls import URL

WIDER = tuple(departure for departure in DEPARTURES if not departure.narrower)
NARROWER = tuple(departure for departure in DEPARTURES if departure.narrower)

# Text, and all the departures it needs, in the order of the list.
NAMED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("http://a.example/b?c", ()),
    ("ftp://u@a.example/b;type=i", ()),
    ("x-y://a.example/", ()),
    ("news:a.b", ()),
    ("mailto:jane@a.example", ()),
    ("file:///a", ()),
    ("file://localhost/a", ()),
    ("HTTPS://a.example", ("https",)),
    ("https://a.example/~j#x", ("https", "fragment", "tilde")),
    ("http://a.example/a@b", ()),
    ("http://u:p@a.example:/", ("userinfo", "empty-port")),
    ("http://a.example?q=a/b", ("query-delimiters", "query-without-path")),
    ("http://a.example?q=j@b.example", ("query-without-path",)),
    ("http://a.example/a?b?c", ("query-delimiters",)),
    ("http://a.example/#a/b?c", ("fragment",)),
    ("http://a.example/#[~]", ("fragment", "tilde", "unsafe")),
    ("wais://a.example/d?a/b", ("query-delimiters",)),
    ("wais://a.example/d?{a}", ("unsafe",)),
    ("https://[::1]:/", ("https", "empty-port", "ipv6")),
    ("http://3232235521/", ("number-host",)),
    ("https://j@0xc0.0250.1:80/", ("https", "userinfo", "number-host")),
    ("http://010.8.8.8/", ()),
    ("http://[fe80::1%25a~b]/", ("ipv6",)),
    ("ftp://a_b.c.:/", ("empty-port", "underscore-host", "root-dot")),
    ("telnet://%61_b", ("underscore-host", "escaped-host")),
    ("nntp://a.b./c", ("root-dot",)),
    ("gopher://b\xfccher.example/0~", ("tilde", "iri")),
    ("gopher://a.example/0\xe9", ("iri",)),
    ("x:\xe9", ("iri",)),
    ("x:a~b#c", ("fragment", "tilde")),
    ("x://a_b.example/", ("underscore-host",)),
    ("x://%61.example/", ("escaped-host",)),
    ("x://a.example:/", ("empty-port",)),
    ("x://[::1]/", ("ipv6",)),
    ("news:a@b_c", ("underscore-host",)),
    ("news:a@%62", ("escaped-host",)),
    ("news:a@b.", ("root-dot",)),
    ("news:a~b@c", ("tilde",)),
    ("news:%n@c", ("message-id",)),
    ("news:a#b@c#d", ("fragment", "message-id")),
    ("news://a.example:119/b.c", ("news-server",)),
    ("news://a_b.example/*", ("underscore-host", "news-server")),
    ("news://a.example", ("news-server",)),
    ("news://a.example/#b", ("fragment", "news-server")),
    ("news://a.example:/b.c", ("empty-port", "news-server")),
    ("file:/~j", ("tilde", "file-without-host")),
    ("file:/a#b", ("fragment", "file-without-host")),
    ("mailto:a@b?c", ("mailto-headers",)),
    ("mailto:a%40b?c", ("mailto-headers",)),
    ("mailto:a%40b", ()),
    ("mailto:?to=a@b", ("mailto-headers",)),
    ("mailto:a@b?subject=~#x", ("mailto-headers", "fragment", "tilde")),
    ("mailto:a@b,c@d", ()),
    ("mailto:a@b,c@d?e", ("mailto-headers",)),
    ("mailto:a@b_c", ()),
    ("mailto:j\xe9@b", ("iri",)),
    ("mailto:a{b@c", ("unsafe",)),
    ("mailto:a~b@c.example", ("tilde",)),
    ("prospero://a.example/~p;a=b~", ("tilde",)),
)

# WEB: what may stand in each place of a scheme's URLs. Every choice of one from each list is a URL.
HOSTS = ("a.example", "a_b.example", "a.example.", "%61.example", "[2001:db8::1]", "b\xfccher.example", "1.2.3.4")
PORTS = ("", ":", ":80")
LOGINS = ("", "u@", "@", "u:p@", "u~:p@", "\xfc@")
FRAGMENTS = ("", "#", "#a", "#a/b?c", "#~[a]\xe9")
PATHS = ("", "/", "/a", "/~j", "/\xe9/%20", "/a@b:c")
PIECES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("http://", "HTTPS://"), LOGINS, (*HOSTS, "0x7f.1"), PORTS, (*PATHS, "/a[1]|", "/a;b"),
     ("", "?", "?q=1", "?a/b?c", "?{a}~\xe9", "?a@b"), FRAGMENTS),
    (("ftp://",), LOGINS, HOSTS, PORTS, PATHS, FRAGMENTS),
    (("ftp://",), LOGINS, HOSTS, PORTS, PATHS[1:], (";type=a",), FRAGMENTS),
    (("file://", "FILE://localhost", "file:"), ("/a", "/~j", "/\xe9", "/a@b"), FRAGMENTS),
    (("file://",), HOSTS, PATHS[1:], FRAGMENTS),
    (("gopher://",), HOSTS, PORTS, PATHS, FRAGMENTS),
    (("mailto:",), ("a", "a.b", "~", "a{b}", "\xe9", "a+b", "%20", "a/b"), ("@",), HOSTS,
     ("", ",c@d", ",c~@d_e.", ",j@\xfc"), ("", "?a", "?a=b&c=~\xe9", "?a/b?c"), FRAGMENTS),
    (("mailto:?",), ("to=a@b", "~", "a?b", "\xe9"), FRAGMENTS),
    (("news:",), ("*", "a.b"), FRAGMENTS),
    (("news:",), ("a", "a$b", "~", "%n", "a#b", "//a", "\xe9", "*"), ("@",), HOSTS, FRAGMENTS),
    (("news://",), HOSTS, PORTS, ("", "/", "/a.b", "/*"), FRAGMENTS),
    (("nntp://",), HOSTS, PORTS, ("/a.b", "/a.b/12"), FRAGMENTS),
    (("telnet://",), LOGINS, HOSTS, PORTS, ("", "/"), FRAGMENTS),
    (("wais://",), HOSTS, PORTS, ("/", "/d", "/~", "/\xe9"), ("", "?", "?a", "?a/b?[c]", "/t/p", "/~/\xe9"), FRAGMENTS),
    (("prospero://",), HOSTS, PORTS, PATHS[1:], ("", ";a=b", ";~=\xe9;c="), FRAGMENTS),
    (("x-y://",), LOGINS, HOSTS, PORTS, PATHS, FRAGMENTS),
    (("x-y:",), ("a", "~", "\xe9", "//a:b", "//-/a", "/a~?b"), FRAGMENTS),
)  # fmt: skip
EACH = 30
SLOW_EACH = 300
SEED = 3986


# The patterns of a profile less one departure take long to compile where they have letters beyond ASCII, so the default
# run works out the departures of texts in ASCII only.


def by_name(departure: Departure) -> str:
    return departure.name


def combined(each: int = EACH) -> Iterator[str]:
    random = Random(SEED)
    for pieces in PIECES:
        for _ in range(each):
            yield "".join(random.choice(piece) for piece in pieces)


def slowly(url: URL) -> tuple[str, ...]:
    """What `departures` returns, worked out without signs."""
    if parse_or_none(url.text, RFC1738) == url:
        return ()
    return tuple(d.name for d in WIDER if parse_or_none(url.text, WEB.without(d.name)) != url)


# The list


def test_both_kinds_are_there() -> None:
    assert len(WIDER) >= 15
    assert len(NARROWER) >= 4
    assert WEB.departures == DEPARTURES
    assert RFC1738.departures == ()


def test_names_and_examples_are_unique() -> None:
    assert len({departure.name for departure in DEPARTURES}) == len(DEPARTURES)
    assert len({departure.example for departure in DEPARTURES}) == len(DEPARTURES)


@pytest.mark.parametrize("departure", DEPARTURES, ids=by_name)
def test_each_says_what_it_must(departure: Departure) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", departure.name)
    assert re.search(r"\((?:\d(?:\.\d+)*)(?:, \d(?:\.\d+)*)*\)$", departure.rfc1738), "names no section of RFC 1738"
    assert departure.web
    assert departure.edits
    assert bool(departure.sign) is not departure.narrower


# The examples


@pytest.mark.parametrize("departure", WIDER, ids=by_name)
def test_its_example_needs_it_and_nothing_else(departure: Departure) -> None:
    url = parse(departure.example)
    assert parse_or_none(departure.example, RFC1738) != url
    assert parse_or_none(departure.example, WEB.without(departure.name)) != url
    assert departures(url) == slowly(url) == (departure.name,)
    assert re.search(departure.sign, departure.example)


@pytest.mark.parametrize("departure", NARROWER, ids=by_name)
def test_a_narrower_one_alone_refuses_its_example(departure: Departure) -> None:
    assert parse_or_none(departure.example) is None
    url = parse(departure.example, RFC1738)
    assert parse(departure.example, WEB.without(departure.name)) == url
    assert departures(url) == ()


@pytest.mark.parametrize("departure", DEPARTURES, ids=by_name)
def test_the_profile_without_it_reads_every_other_example(departure: Departure) -> None:
    without = WEB.without(departure.name)
    for other in WIDER:
        if other is not departure:
            assert parse_or_none(other.example, without) == parse(other.example), other.name


# Telling


@pytest.mark.parametrize(("text", "names"), NAMED, ids=[ascii(text) for text, _ in NAMED])
def test_departures_of(text: str, names: tuple[str, ...]) -> None:
    assert departures(parse(text)) == names


def test_every_departure_is_named_beside_another() -> None:
    together = {name for _, names in NAMED if len(names) > 1 for name in names}
    assert together == {departure.name for departure in WIDER}


def test_every_combination_is_a_url() -> None:
    assert [text for text in combined() if parse_or_none(text) is None] == []


@pytest.mark.parametrize("ascii_only", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_signs_lose_no_departure(*, ascii_only: bool) -> None:
    texts = [text for text in combined(EACH if ascii_only else SLOW_EACH) if text.isascii() or not ascii_only]
    urls = [url for text in texts if (url := parse_or_none(text)) is not None]
    assert len(urls) > EACH * len(PIECES) // 4
    assert [(str(url), told, true) for url in urls if (told := departures(url)) != (true := slowly(url))] == []


@pytest.mark.parametrize("profile", [WEB, RFC1738], ids=lambda profile: profile.name)
def test_scheme_host_and_departures_are_those_of_the_parsed_url(profile: Profile) -> None:
    texts = [text for text in combined() if text.isascii()]
    texts += [*(departure.example for departure in DEPARTURES), f"https://a.example/{'~' * LONGEST_KEPT}"]
    urls = [url for text in texts if (url := parse_or_none(text, profile)) is not None]
    assert urls
    for url in urls:
        assert scheme_host_departures(url.text, profile) == (url.scheme, url.host, departures(url, profile))


@pytest.mark.parametrize("text", ["", "http://a b/", f"x:{' ' * LONGEST_KEPT}"])
def test_what_is_no_url_has_no_scheme_to_tell(text: str) -> None:
    with pytest.raises(URLSyntaxError):
        scheme_host_departures(text)


def test_a_url_of_another_profile_has_no_departures_to_tell() -> None:
    assert departures(parse("http://300.1.1.1/", RFC1738)) == ()


def test_a_url_has_no_departures_where_rfc_1738_reads_the_same_in_it_and_some_elsewhere() -> None:
    urls = [url for text in combined() if text.isascii() and (url := parse_or_none(text)) is not None]
    conforming = [url for url in urls if parse_or_none(str(url), RFC1738) == url]
    assert len(conforming) > EACH // 3
    assert len(urls) - len(conforming) > EACH
    assert [str(url) for url in urls if (departures(url) == ()) != (parse_or_none(str(url), RFC1738) == url)] == []


def test_the_combinations_need_every_departure() -> None:
    found = {name for text in combined() if text.isascii() for name in departures(parse(text))}
    assert found == {departure.name for departure in WIDER} - {"iri"}


def test_under_rfc_1738_nothing_departs() -> None:
    assert departures(parse("http://a.example/", RFC1738), RFC1738) == ()


# Profiles


def test_a_profile_without_departures_is_the_rfc() -> None:
    assert WEB.without(*(departure.name for departure in DEPARTURES)).rules == rfc1738.RULES == RFC1738.rules
    assert RFC1738.productions == rfc1738.PRODUCTIONS


def test_a_profile_cannot_be_without_what_it_has_not() -> None:
    with pytest.raises(ValueError, match="no departure http, nothing"):
        WEB.without("nothing", "tilde", "http")


def test_an_edit_must_fit() -> None:
    with pytest.raises(ValueError, match="does not fit rule login"):
        Profile("x", (Departure("x", "", "", "", (Edit("login", "nowhere", "y"),)),))


def test_an_edit_changes_every_place_in_its_rule() -> None:
    assert Profile("x", (Departure("x", "", "", "", (Edit("hostnumber", "<digits>", "x"),)),)).rules["hostnumber"] == (
        r"x\.x\.x\.x"
    )


def test_an_edit_of_a_rule_that_is_not_there_does_nothing() -> None:
    assert Profile("x", (Departure("x", "", "", "", (Edit("fragment", "a", "b"),)),)).rules == RFC1738.rules
