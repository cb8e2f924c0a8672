"""Parsing, diagnosis, departures, normal forms, building and unwrapping: the tables of data/urls.toml, and values.

Random texts and other judges are in property/test_bnf.py and property/test_faults.py.
"""

import copy
import pickle
import tomllib
from dataclasses import FrozenInstanceError, fields
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from urlmend import RFC1738, WEB, Profile, URLSyntaxError, build, find_urls, normal_form, parse, unwrap
from urlmend.facts import URLFacts, facts_of
from urlmend.grammar.departures import DEPARTURES, Departure, Edit
from urlmend.grammar.parser import departures, parse_or_none
from urlmend.grammar.rfc1738 import PRODUCTIONS, RULES
from urlmend.grammar.security import as_browsers_read, warnings
from urlmend.grammar.unwrap import MAX_NESTED, WRAPPINGS
from urlmend.grammar.urls import CLASSES, URL

TABLES = tomllib.loads((Path(__file__).parent / "data" / "urls.toml").read_text("utf-8"))
PROFILES = {"web": WEB, "rfc1738": RFC1738}


def rows(table: str) -> list[Any]:
    """The rows of *table* for all profiles: profile, text and what is expected."""
    found = [
        (profile, text, said)
        for name, profile in PROFILES.items()
        for text, said in TABLES[table].get(name, {}).items()
    ]
    return [pytest.param(*row, id=f"{row[0].name} {row[1]!a}") for row in found]


def parts(url: URL) -> dict[str, str]:
    """The parts of *url* that are not absent."""
    names = {field.name for field in fields(url)} - {"text"}
    return {name: value for name in names if (value := getattr(url, name)) is not None}


# Parts


@pytest.mark.parametrize(("profile", "text", "expected"), rows("parts"))
def test_parts(profile: Profile, text: str, expected: dict[str, str]) -> None:
    url = parse(text, profile)
    assert {"class": type(url).__name__, **parts(url)} == expected
    assert str(url) == url.text == text


def test_every_class_has_its_parts_in_the_table() -> None:
    assert {row["class"] for row in TABLES["parts"]["web"].values()} == {each.__name__ for each in CLASSES.values()}


# What a URL is put together from, and the parts that come out. The keys are the text.
Pieces = dict[str, dict[str, str]]
HOSTS = ("a", "foo.example", "FOO.Com", "a-b.c9", "1a.b--c", "1.2.3.4", "99.0.0.0001")
HOST: Pieces = {host: {"host": host} for host in HOSTS}
PORT: Pieces = {"": {}} | {f":{port}": {"port": port} for port in ("80", "0", "65535", "00009999")}
LOGIN: Pieces = {"": {}, "@": {"user": ""}, "joe@": {"user": "joe"}, ":@": {"user": "", "password": ""}}
LOGIN |= {
    "a%40b:%3A%2F@": {"user": "a%40b", "password": "%3A%2F"},
    "$-_.+!*'():pw@": {"user": "$-_.+!*'()", "password": "pw"},
}
TYPE: Pieces = {"": {}} | {f";type={letter}": {"ftptype": letter} for letter in "AIDaid"}


def named(name: str, *values: str, before: str = "") -> Pieces:
    return {before + value: {name: value} for value in values}


FORMS: dict[str, tuple[Pieces, ...]] = {
    "ftp://": (LOGIN, HOST, PORT, named("fpath", "", "a", "%2Fetc/motd", "a//b/", "?:@&=/", before="/"), TYPE),
    "file://": (HOST | {"": {}}, named("fpath", "", "etc/motd", "a//b/", "c:/x", "?:@&=", before="/")),
    "http://": (
        HOST,
        PORT,
        named("hpath", "", "a", "a/b", "a//b/", ";:@&=", "%7Ejoe", "$-_.+!*'(),", before="/"),
        {"": {}} | named("search", "", "q=1", "a;b:c@d&e=f", "%3F%2f", "$-_.+!*'(),", before="?"),
    ),
    "gopher://": (HOST, PORT, {"": {}} | named("gopher_path", "", "0", "7%09a%09+", "%30x", ";/?:@&=", before="/")),
    "nntp://": (HOST, PORT, named("group", "a", "A1-b.+_", before="/"), {"": {}, "/12": {"article_number": "12"}}),
    "telnet://": (LOGIN, HOST, PORT, {"": {}, "/": {}}),
    "wais://": (
        HOST,
        PORT,
        named("database", "", "A.b+c", "%20%2F", before="/"),
        {"": {}, "?": {"search": ""}, "?a;b:c": {"search": "a;b:c"}, "/T/1%3D": {"wtype": "T", "wpath": "1%3D"}},
    ),
    "prospero://": (
        HOST,
        PORT,
        named("ppath", "", "a", "/pros/name", "a//", "?:@&=", before="/"),
        named("fieldspecs", "", ";v=1", ";=", ";a=b;c=d", ";%3D=%3B"),
    ),
    "x-y.z+1://": (LOGIN, HOST, PORT, {"": {}} | named("urlpath", "", "a", "/a//b", ";/?:@&=", "%7Ea", before="/")),
}


@pytest.mark.parametrize("start", FORMS)
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_url_has_the_parts_that_it_was_put_together_from(start: str, profile: Profile) -> None:
    combinations = list(product(*(pieces.items() for pieces in FORMS[start])))
    for combination in Random(1738).sample(combinations, min(400, len(combinations))):
        text = start + "".join(piece for piece, _ in combination)
        expected = {name: part for _, each in combination for name, part in each.items()}
        assert parts(parse(text, profile)) == expected, text
        assert URLFacts(text, profile).host == expected.get("host"), text


SURROGATES = ("http://a.example/\ud800", "x:\ud800", "\ud800:x")


@pytest.mark.parametrize("text", [*TABLES["refused"]["texts"], *SURROGATES], ids=ascii)
def test_refused(text: str) -> None:
    assert parse_or_none(text) is None
    with pytest.raises(URLSyntaxError):
        parse(text)


LETTERS = "\xa0\xe9\u4e2d\ud7ff\uffef\U0001f600\U000e1000"
NO_LETTERS = "\x80\ud800\ue000\ufff0\ufffe\U0001ffff\U000e0fff"


@pytest.mark.parametrize("form", ["http://a/b{}?c{}#{}", "ftp://{}@a/{}", "mailto:a{}@b", "x:{}", "gopher://a/0{}"])
def test_all_letters_beyond_ascii_are_read_alike(form: str) -> None:
    for letter in LETTERS:
        assert parts(parse(form.replace("{}", letter))) == {
            name: part.replace("\xe9", letter) for name, part in parts(parse(form.replace("{}", "\xe9"))).items()
        }
    assert [letter for letter in NO_LETTERS if parse_or_none(form.replace("{}", letter))] == []
    assert [letter for letter in LETTERS if parse_or_none(form.replace("{}", letter), RFC1738)] == []


# Properties

PROPERTIES = {
    "FtpURL": ("commands",),
    "GopherURL": ("gtype", "selector", "search", "gopher_plus"),
    "MailtoURL": ("addr_spec", "is_addr_spec", "header_fields"),
    "NewsURL": ("group", "article", "everything", "message_id", "is_message_id"),
    "NntpURL": ("group", "article_number", "port_number"),
    "WaisURL": ("database", "search", "wtype", "wpath"),
    "ProsperoURL": ("hsoname", "fields"),
    "FileURL": ("host", "fpath", "is_local"),
    "OtherURL": ("scheme", "schemepart"),
}


def plain(value: object) -> object:
    return [plain(each) for each in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize(("profile", "text", "expected"), rows("properties"))
def test_properties(profile: Profile, text: str, expected: dict[str, object]) -> None:
    url = parse(text, profile)
    values = {name: getattr(url, name) for name in PROPERTIES[type(url).__name__]}
    called = {name: plain(value() if callable(value) else value) for name, value in values.items()}
    assert {name: value for name, value in called.items() if value not in (None, False, [])} == expected


@pytest.mark.parametrize(("text", "port"), TABLES["ports"].items())
def test_ports(text: str, port: int | str) -> None:
    assert getattr(parse(text), "port_number", None) == (None if port == "none" else port)


def test_a_port_of_any_length_is_read_or_none() -> None:
    assert parse(f"http://h:{'0' * 5000}80/").port_number == 80  # type: ignore[attr-defined]
    assert parse(f"http://h:{'9' * 5000}/", RFC1738).port_number is None  # type: ignore[attr-defined]


DECODED = (
    ("http://h/a%20b", "hpath", "a b", b"a b"),
    ("http://h/%E2%82%AC", "hpath", "\N{EURO SIGN}", b"\xe2\x82\xac"),
    ("http://h/%FF", "hpath", "\ufffd", b"\xff"),
    ("http://h/%00%0a", "hpath", "\x00\n", b"\x00\n"),
    ("http://h/%2541", "hpath", "%41", b"%41"),
    ("http://h/a+b", "hpath", "a+b", b"a+b"),
    ("http://h/", "hpath", "", b""),
    ("http://h", "hpath", None, None),
    ("http://h/\xe9", "hpath", "\xe9", b"\xc3\xa9"),
    ("http://%61.example", "host", "a.example", b"a.example"),
    ("ftp://a%40b:c%3Ad@h/", "user", "a@b", b"a@b"),
    ("gopher://h/0x%09a%20b", "search", "a b", b"a b"),
    ("x:%41%E9", "schemepart", "A\ufffd", b"A\xe9"),
    ("http://h/#%7E", "fragment", "~", b"~"),
)


@pytest.mark.parametrize(("text", "part", "decoded", "octets"), DECODED)
def test_decoded(text: str, part: str, decoded: str | None, octets: bytes | None) -> None:
    url = parse(text)
    assert (url.decoded(part), url.decoded_octets(part)) == (decoded, octets)


def test_decoded_in_another_encoding() -> None:
    url = parse("http://h/%E9")
    assert url.decoded("hpath", "latin-1") == "\xe9"
    with pytest.raises(LookupError):
        url.decoded("hpath", "no-such-encoding")


# Values

ONE_OF_EACH = [parse(departure.example) for departure in DEPARTURES if not departure.narrower]
ONE_OF_EACH += [parse(text) for text in TABLES["parts"]["web"]]


def test_urls_are_frozen_values_that_pickle() -> None:
    for url in ONE_OF_EACH:
        for name in (*(field.name for field in fields(url)), "nothing"):
            with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
                setattr(url, name, "x")
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(url, protocol))  # noqa: S301 -- its own
            assert (type(again), again, str(again)) == (type(url), url, str(url))
        assert url == parse(str(url))
        assert hash(url) == hash(parse(str(url)))
    assert parse("http://h/") != parse("http://H/")
    assert parse("http://h/a?b", RFC1738) == parse("http://h/a?b")


# Faults


@pytest.mark.parametrize(("profile", "text", "fault"), rows("faults"))
def test_faults(profile: Profile, text: str, fault: list[object]) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        parse(text, profile)
    assert [caught.value.rule, caught.value.pos] == fault
    assert caught.value.rule in profile.rules
    assert caught.value.text == text


@pytest.mark.parametrize("text", ["http://foo-.com", "x:\ud800", ""])
def test_errors_pickle(text: str) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        parse(text)
    error = caught.value
    pickled = [pickle.dumps(error, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for again in (*map(pickle.loads, pickled), copy.copy(error)):
        assert (type(again), vars(again), str(again)) == (URLSyntaxError, vars(error), str(error))


# Departures

WIDER = tuple(departure for departure in DEPARTURES if not departure.narrower)
NARROWER = tuple(departure for departure in DEPARTURES if departure.narrower)


def by_name(departure: Departure) -> str:
    return departure.name


@pytest.mark.parametrize(("text", "names"), TABLES["departures"].items())
def test_departures(text: str, names: list[str]) -> None:
    url = parse(text)
    assert departures(text) == tuple(names)
    facts = facts_of(text)
    assert (facts.scheme, facts.host, facts.departures) == (url.scheme, url.host, tuple(names))


@pytest.mark.parametrize("departure", WIDER, ids=by_name)
def test_an_example_needs_its_departure_and_nothing_else(departure: Departure) -> None:
    url = parse(departure.example)
    assert parse_or_none(departure.example, RFC1738) != url
    assert departures(departure.example) == (departure.name,)
    without = WEB.without(departure.name)
    assert parse_or_none(departure.example, without) != url
    for other in WIDER:
        assert other is departure or parse_or_none(other.example, without) == parse(other.example), other.name


@pytest.mark.parametrize("departure", NARROWER, ids=by_name)
def test_a_narrower_departure_alone_refuses_its_example(departure: Departure) -> None:
    assert parse_or_none(departure.example) is None
    url = parse(departure.example, RFC1738)
    assert parse(departure.example, WEB.without(departure.name)) == url
    assert departures(departure.example, RFC1738) == ()


def test_every_departure_has_a_name_and_an_example_of_its_own_and_occurs_beside_others() -> None:
    assert len({departure.name for departure in DEPARTURES}) == len(DEPARTURES)
    assert len({departure.example for departure in DEPARTURES}) == len(DEPARTURES)
    together = {name for names in TABLES["departures"].values() if len(names) > 1 for name in names}
    assert together == {departure.name for departure in WIDER}


def test_profiles_are_the_rfc_with_edits() -> None:
    assert WEB.without(*(departure.name for departure in DEPARTURES)).rules == RULES == RFC1738.rules
    assert RFC1738.productions == PRODUCTIONS
    assert RFC1738.departures == ()
    edited = Profile("x", (Departure("x", "", "", "", (Edit("hostnumber", "<digits>", "x"), Edit("none", "a", "b"))),))
    assert edited.rules == {**RULES, "hostnumber": r"x\.x\.x\.x"}
    with pytest.raises(ValueError, match="does not fit rule login"):
        Profile("x", (Departure("x", "", "", "", (Edit("login", "nowhere", "y"),)),))
    with pytest.raises(ValueError, match="no departure http, nothing"):
        WEB.without("nothing", "tilde", "http")


# On request: normal forms, building, security notes


@pytest.mark.parametrize(("text", "normal"), TABLES["normal-forms"].items())
def test_normal_form(text: str, normal: str) -> None:
    assert str(normal_form(parse(text))) == normal
    assert str(normal_form(parse(normal))) == normal


BUILT: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("http", {"host": "a.example"}, "http://a.example"),
    ("http", {"host": "a.example", "hpath": "~j/a b", "search": "q=ü&x"}, "http://a.example/%7Ej/a%20b?q=%C3%BC&x"),
    ("https", {"host": "a.example", "hpath": "", "fragment": "a b"}, "https://a.example/#a%20b"),
    ("http", {"host": "a.example", "port": "", "search": None}, "http://a.example:"),
    ("ftp", {"host": "h", "user": "a@b", "password": "p:q/"}, "ftp://a%40b:p%3Aq%2F@h"),
    ("ftp", {"host": "h", "user": "", "fpath": ("", "etc", "mo/td"), "ftptype": "i"}, "ftp://@h//etc/mo%2Ftd;type=i"),
    ("gopher", {"host": "h", "gopher_path": "7/a b\tq"}, "gopher://h/7/a%20b%09q"),
    ("mailto", {"encoded822addr": "a b@c.example", "headers": {"subject": "hi & ho"}},
     "mailto:a%20b@c.example?subject=hi%20%26%20ho"),
    ("news", {"group": "comp.lang.c"}, "news:comp.lang.c"),
    ("news", {"article": "a%b/c@h.example"}, "news:a%25b/c@h.example"),
    ("nntp", {"host": "h", "group": "comp.lang.c", "article_number": "5"}, "nntp://h/comp.lang.c/5"),
    ("telnet", {"host": "h", "user": "j"}, "telnet://j@h/"),
    ("wais", {"host": "h", "database": "d", "wtype": "t/", "wpath": "p"}, "wais://h/d/t%2F/p"),
    ("wais", {"host": "h", "database": "d", "search": "?"}, "wais://h/d?%3F"),
    ("file", {"fpath": "etc/motd"}, "file:///etc/motd"),
    ("prospero", {"host": "h", "ppath": "/pros/name", "fieldspecs": {"v=": "1;"}}, "prospero://h//pros/name;v%3D=1%3B"),
    ("x-new", {"host": "h", "urlpath": "a#b"}, "x-new://h/a%23b"),
)  # fmt: skip


@pytest.mark.parametrize(("scheme", "given", "url"), BUILT)
def test_build(scheme: str, given: dict[str, Any], url: str) -> None:
    built = build(scheme, **given)
    assert str(built) == url
    assert built == parse(url)


@pytest.mark.parametrize(
    ("scheme", "given"),
    [
        ("http", {"host": "a b"}),
        ("ftp", {"host": "h", "ftptype": "Z"}),
        ("http", {}),
        *(("http", {"host": "a", part: "b\ud800c"}) for part in ("hpath", "search", "fragment", "user", "host")),
    ],
)
def test_build_refuses(scheme: str, given: dict[str, str]) -> None:
    with pytest.raises(URLSyntaxError):
        build(scheme, **given)


@pytest.mark.parametrize(("text", "names"), TABLES["warnings"].items())
def test_warnings(text: str, names: list[str]) -> None:
    assert [warning.name for warning in warnings(parse(text))] == names
    (match,) = find_urls(f"<{text}>")
    assert [warning.name for warning in match.warnings] == names
    assert match.as_dict()["warnings"] == list(dict.fromkeys(names))


@pytest.mark.parametrize(("text", "domain"), TABLES["domains"].items())
def test_domain(text: str, domain: str) -> None:
    (match,) = find_urls(f"<{text}>")
    assert (match.domain, match.as_dict()["domain"]) == (domain or None, domain or None)


def test_scanning_neither_warns_nor_normalizes() -> None:
    (match,) = find_urls("HTTP://A.example:25/%7ejane/./")
    assert match.url == "HTTP://A.example:25/%7ejane/./"
    assert list(map(str, match.warnings)) == ["reserved-port: port 25 is reserved and not the default of http"]


@pytest.mark.parametrize(("host", "address"), TABLES["numbers"].items())
def test_browsers_read_a_number_as_a_host(host: str, address: str) -> None:
    assert as_browsers_read(host) == address
    for url in (f"http://{host}", f"https://jane@{host}:80/b?c#d"):
        assert parse(url).host == host


@pytest.mark.parametrize("host", TABLES["not-numbers"]["hosts"])
def test_a_number_out_of_range_is_not_a_host(host: str) -> None:
    assert as_browsers_read(host) is None
    assert parse_or_none(f"http://{host}/") is None


@pytest.mark.parametrize("text", ["mailto:jane@127.1", "news:1@127.1", "gopher://3232235521/", "ftp://127.1/"])
def test_only_http_has_hosts_of_numbers(text: str) -> None:
    assert parse_or_none(text) is None


# Unwrapping

WRAPPED = [(rule, outer, inner) for rule, table in TABLES["wrapped"].items() for outer, inner in table.items()]


@pytest.mark.parametrize(("rule", "outer", "inner"), WRAPPED)
def test_unwrap(rule: str, outer: str, inner: str) -> None:
    assert rule in {wrapping.name for wrapping in WRAPPINGS}
    assert unwrap(outer) == unwrap(parse(outer)) == inner
    (match,) = find_urls(f"<{outer}>")
    assert match.target == inner
    assert match.as_dict()["target"] is None
    assert match.as_dict(unwrap=True)["target"] == inner
    assert "lost-target" not in match.warning_names


def test_every_rule_has_an_example() -> None:
    assert {wrapping.name for wrapping in WRAPPINGS} == set(TABLES["wrapped"])


@pytest.mark.parametrize("text", TABLES["lost"]["texts"])
def test_a_wrapping_address_that_has_lost_a_part_says_so(text: str) -> None:
    (match,) = find_urls(f"<{text}>")
    assert match.target is None
    assert "lost-target" in match.as_dict(unwrap=True)["warnings"]
    assert any(note.name == "lost-target" and "incomplete" in note.text for note in match.warnings)


@pytest.mark.parametrize("text", TABLES["not-wrapping"]["texts"])
def test_not_wrapping(text: str) -> None:
    assert unwrap(text) is None
    assert not any(match.target or "lost-target" in match.warning_names for match in find_urls(text))


SAFE = "https://eur01.safelinks.protection.outlook.com/?url="


def test_nested_addresses_are_unwrapped_to_a_bound() -> None:
    url = "https://a.example/b"
    for depth in range(1, MAX_NESTED + 3):
        url = f"{SAFE}{quote(url, safe='')}&data=1"
        assert unwrap(url) == ("https://a.example/b" if depth <= MAX_NESTED else None)


def test_a_torn_wrapping_address_is_mended_first() -> None:
    _, outer, inner = WRAPPED[0]
    (match,) = find_urls("<" + "\n".join(outer[at : at + 70] for at in range(0, len(outer), 70)) + ">")
    assert match.target == inner


def test_a_truncated_wrapping_address_gives_the_whole_inner_one_or_none() -> None:
    sure = {wrapping.name for wrapping in WRAPPINGS if wrapping.following}
    sure |= {"Proofpoint URL Defense 3", "Mandrill", "Amazon SES"}
    for rule, outer, inner in WRAPPED:
        if rule in sure:
            assert {unwrap(outer[:end]) for end in range(len(outer))} <= {None, inner}, outer
