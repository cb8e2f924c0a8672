"""What the parts of a URL mean: the readings of section 3, scheme by scheme."""

import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields

import pytest

from urlmend.grammar.parser import parse
from urlmend.grammar.profiles import RFC1738, WEB
from urlmend.grammar.urls import (
    CLASSES,
    URL,
    FileURL,
    FtpURL,
    GopherURL,
    HttpURL,
    IpURL,
    MailtoURL,
    NewsURL,
    NntpURL,
    OtherURL,
    ProsperoURL,
    TelnetURL,
    WaisURL,
)

ONE_OF_EACH: tuple[tuple[type[URL], str], ...] = (
    (HttpURL, "http://u:p@a.example:8080/b/c?d#e"),
    (FtpURL, "ftp://u:p@a.example:2121/b/c;type=i#e"),
    (FileURL, "file://a.example/b#c"),
    (GopherURL, "gopher://a.example:71/00/b%09c%09d"),
    (MailtoURL, "mailto:jane@a.example?subject=b#c"),
    (NewsURL, "news:b@a.example"),
    (NntpURL, "nntp://a.example:120/b.c/12"),
    (TelnetURL, "telnet://u:p@a.example:24/"),
    (WaisURL, "wais://a.example:211/b/c/d"),
    (ProsperoURL, "prospero://a.example:1526/b;c=d"),
    (OtherURL, "x-y://u:p@a.example:1/b#c"),
)

# Section 3.2.2: one CWD a segment, escapes decoded after the path is split.
FTP_COMMANDS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("ftp://h", ()),
    ("ftp://h/", ()),
    ("ftp://h/a", (("RETR", "a"),)),
    ("ftp://h/a/", (("CWD", "a"),)),
    ("ftp://h/a/b/c", (("CWD", "a"), ("CWD", "b"), ("RETR", "c"))),
    ("ftp://h//a", (("CWD", ""), ("RETR", "a"))),
    ("ftp://h/a//b", (("CWD", "a"), ("CWD", ""), ("RETR", "b"))),
    ("ftp://myname@host.dom/%2Fetc/motd", (("CWD", "/etc"), ("RETR", "motd"))),
    ("ftp://myname@host.dom//etc/motd", (("CWD", ""), ("CWD", "etc"), ("RETR", "motd"))),
    ("ftp://myname@host.dom/etc/motd", (("CWD", "etc"), ("RETR", "motd"))),
    ("ftp://myname@host.dom/%2Fetc%2Fmotd", (("RETR", "/etc/motd"),)),
    ("ftp://h/a;type=a", (("TYPE", "a"), ("RETR", "a"))),
    ("ftp://h/a;type=I", (("TYPE", "I"), ("RETR", "a"))),
    ("ftp://h/a/b;type=d", (("CWD", "a"), ("NLST", "b"))),
    ("ftp://h/a/;type=D", (("CWD", "a"), ("NLST", ""))),
    ("ftp://h/;type=d", (("NLST", ""),)),
    ("ftp://h/;type=i", ()),
    ("ftp://info.cern.ch/pub/www/doc;type=d", (("CWD", "pub"), ("CWD", "www"), ("NLST", "doc"))),
    ("ftp://h/a%3Btype=i", (("RETR", "a;type=i"),)),
    ("ftp://h/%E2%82%AC", (("RETR", "\N{EURO SIGN}"),)),
)

# Section 3.4: text, gtype, selector, search, Gopher+ string.
GOPHER = (
    ("gopher://h", "1", "", None, None),
    ("gopher://h/", "1", "", None, None),
    ("gopher://h/0", "0", "", None, None),
    ("gopher://h/00/about", "0", "0/about", None, None),
    ("gopher://h/0/about", "0", "/about", None, None),
    ("gopher://h/7/db%09two%20words", "7", "/db", "two%20words", None),
    ("gopher://h/7/db%09", "7", "/db", "", None),
    ("gopher://h/00/x%09search%09+", "0", "0/x", "search", "+"),
    ("gopher://h/0/x%09%09+", "0", "/x", "", "+"),
    ("gopher://h/0/x%09%09", "0", "/x", "", ""),
    ("gopher://h/0/x%09%09%24", "0", "/x", "", "%24"),
    ("gopher://h/0/x%09a%09b%09c", "0", "/x", "a", "b%09c"),
    ("gopher://h/%30/x", "%30", "/x", None, None),
    ("gopher://h//x", "/", "x", None, None),
    ("gopher://h/0?a;b:c@d&e=f", "0", "?a;b:c@d&e=f", None, None),
)

# Section 3.5: text, address, whether it is an addr-spec of RFC 822, and header fields (RFC 6068).
MAILTO: tuple[tuple[str, str, bool, tuple[tuple[str, str], ...]], ...] = (
    ("mailto:jane@a.example", "jane@a.example", True, ()),
    ("mailto:gorby%25kremvax@howland.reston.ans.net", "gorby%kremvax@howland.reston.ans.net", True, ()),
    ("mailto:jane%2Bx@a.example", "jane+x@a.example", True, ()),
    ("mailto:a.b.c@d.e.f", "a.b.c@d.e.f", True, ()),
    ("mailto:a@b,c@d", "a@b,c@d", False, ()),
    ("mailto:a%40b@c", "a@b@c", False, ()),
    ("mailto:a%40b.example", "a@b.example", True, ()),
    ("mailto:a%20b@c", "a b@c", False, ()),
    ("mailto:%22a%20b%22@c", '"a b"@c', True, ()),
    ("mailto:j%C3%A9@c", "j\xe9@c", False, ()),
    ("mailto:?to=a@b", "", False, (("to", "a@b"),)),
    ("mailto:a@b?subject=c%20d", "a@b", True, (("subject", "c d"),)),
    ("mailto:a@b?subject=c&body=d%0D%0Ae", "a@b", True, (("subject", "c"), ("body", "d\r\ne"))),
    ("mailto:a@b?cc=c%26d&&x&y=", "a@b", True, (("cc", "c&d"), ("x", ""), ("y", ""))),
    ("mailto:a@b?s=c=d", "a@b", True, (("s", "c=d"),)),
    ("mailto:a@b?s=c+d", "a@b", True, (("s", "c+d"),)),
)

# RFC 1738 alone: what is no addr-spec is a mailto URL all the same.
LITERAL_MAILTO = (
    ("mailto:jane", "jane", False),
    ("mailto:a@b?c", "a@b?c", True),
    ("mailto:a@b(c)", "a@b(c)", False),
    ("mailto:a@%5B1.2.3.4%5D", "a@[1.2.3.4]", True),
    ("mailto:.a@b", ".a@b", False),
    ("mailto:a..b@c", "a..b@c", False),
    ("mailto:%22%5C%22%22@b", '"\\""@b', True),
)

# Section 3.6: text, group, article, everything, Message-ID, whether RFC 1036 takes it for one.
NEWS = (
    ("news:*", None, None, "*", None, False),
    ("news:comp.lang.c", "comp.lang.c", None, None, None, False),
    ("news:comp.lang.c++", "comp.lang.c++", None, None, None, False),
    ("news:a@b.example", None, "a@b.example", None, "<a@b.example>", True),
    ("news:9406121337.AA1@b.example", None, "9406121337.AA1@b.example", None, "<9406121337.AA1@b.example>", True),
    ("news:a%2Fb@c", None, "a%2Fb@c", None, "<a/b@c>", True),
    ("news:a%40b@c", None, "a%40b@c", None, "<a@b@c>", False),
    ("news:a%20b@c", None, "a%20b@c", None, "<a b@c>", False),
    ("news:a%3Eb@c", None, "a%3Eb@c", None, "<a>b@c>", False),
    ("news:*@b", None, "*@b", None, "<*@b>", True),
)

# Section 3.7: text, group, article number, port.
NNTP = (
    ("nntp://h/a.b", "a.b", None, 119),
    ("nntp://h/a.b/12", "a.b", "12", 119),
    ("nntp://h:1119/a/0012", "a", "0012", 1119),
)

# Section 3.9: text, database, search, wtype, wpath.
WAIS = (
    ("wais://h/d", "d", None, None, None),
    ("wais://h/", "", None, None, None),
    ("wais://h/d?s", "d", "s", None, None),
    ("wais://h/d?", "d", "", None, None),
    ("wais://h/d/t/p", "d", None, "t", "p"),
    ("wais://h/d//", "d", None, "", ""),
    ("wais://h/d%3F/TEXT/1%3D2%3B", "d%3F", None, "TEXT", "1%3D2%3B"),
)

# Section 3.11: text, host-specific object name, fields.
PROSPERO: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("prospero://host.dom//pros/name", "/pros/name", ()),
    ("prospero://host.dom:1525//pros/name;key=value", "/pros/name", (("key", "value"),)),
    ("prospero://h//pros/name;v=1", "/pros/name", (("v", "1"),)),
    ("prospero://h/a%2Fb;c%3D=%3Bd;e=", "a/b", (("c=", ";d"), ("e", ""))),
    ("prospero://h/", "", ()),
    ("prospero://h/;=", "", (("", ""),)),
    ("prospero://h/a;b=c;b=d", "a", (("b", "c"), ("b", "d"))),
)

# Section 3.10: text, host, path, whether the file is on this machine.
FILE = (
    ("file:///etc/motd", None, "etc/motd", True),
    ("file:/etc/motd", None, "etc/motd", True),
    ("file://localhost/etc/motd", "localhost", "etc/motd", True),
    ("file://LocalHost/etc/motd", "LocalHost", "etc/motd", True),
    ("file://localhost.example/etc/motd", "localhost.example", "etc/motd", False),
    ("file://vms.host.edu/disk$user/my/notes/note12345.txt", "vms.host.edu", "disk$user/my/notes/note12345.txt", False),
    ("file:///", None, "", True),
)

# Text, and the port it names or implies.
PORTS = (
    ("http://h", 80),
    ("HTTP://h:/", 80),
    ("http://h:8080", 8080),
    ("http://h:0080", 80),
    ("http://h:0/", 0),
    ("https://h", 443),
    ("HTTPS://h:/", 443),
    ("https://h:80", 80),
    ("ftp://h", 21),
    ("gopher://h", 70),
    ("news:a.b", 119),
    ("news://h/a.b", 119),
    ("nntp://h/a", 119),
    ("telnet://h", 23),
    ("wais://h/d", 210),
    ("prospero://h/p", 1525),
    ("x://h", None),
    ("x://h:5", 5),
    ("x:y", None),
    pytest.param(f"http://h:{'0' * 5000}80/", 80, id="more digits than int() takes at once"),
)

# Text, part, decoded, octets.
DECODED = (
    ("http://h/a%20b", "hpath", "a b", b"a b"),
    ("http://h/%E2%82%AC", "hpath", "\N{EURO SIGN}", b"\xe2\x82\xac"),
    ("http://h/%e2%82%ac", "hpath", "\N{EURO SIGN}", b"\xe2\x82\xac"),
    ("http://h/%FF", "hpath", "\ufffd", b"\xff"),
    ("http://h/%00%0a", "hpath", "\x00\n", b"\x00\n"),
    ("http://h/%2541", "hpath", "%41", b"%41"),
    ("http://h/a+b", "hpath", "a+b", b"a+b"),
    ("http://h/", "hpath", "", b""),
    ("http://h", "hpath", None, None),
    ("http://h/\xe9", "hpath", "\xe9", b"\xc3\xa9"),
    ("http://%61.example", "host", "a.example", b"a.example"),
    ("ftp://a%40b:c%3Ad@h/", "user", "a@b", b"a@b"),
    ("ftp://a%40b:c%3Ad@h/", "password", "c:d", b"c:d"),
    ("ftp://h/", "user", None, None),
    ("gopher://h/0x%09a%20b", "search", "a b", b"a b"),
    ("x:%41%E9", "schemepart", "A\ufffd", b"A\xe9"),
    ("http://h/#%7E", "fragment", "~", b"~"),
)

# Text, scheme, what follows the colon.
OTHER = (
    ("urn:isbn:0395363411", "urn", "isbn:0395363411"),
    ("X-Y.Z+1:a#b", "x-y.z+1", "a"),
    ("x://u@h:1/p#f", "x", "//u@h:1/p"),
    ("x:a%23b", "x", "a%23b"),
)


def each() -> Iterator[URL]:
    assert ONE_OF_EACH
    return (parse(text) for _, text in ONE_OF_EACH)


@pytest.mark.parametrize(("text", "commands"), FTP_COMMANDS)
def test_ftp_commands(text: str, commands: tuple[tuple[str, str], ...]) -> None:
    url = parse(text, RFC1738)
    assert isinstance(url, FtpURL)
    assert url.commands() == commands


@pytest.mark.parametrize(("text", "gtype", "selector", "search", "gopher_plus"), GOPHER)
def test_gopher(text: str, gtype: str, selector: str, search: str | None, gopher_plus: str | None) -> None:
    url = parse(text, RFC1738)
    assert isinstance(url, GopherURL)
    assert (url.gtype, url.selector, url.search, url.gopher_plus) == (gtype, selector, search, gopher_plus)


@pytest.mark.parametrize(("text", "address", "is_addr_spec", "header_fields"), MAILTO)
def test_mailto(text: str, address: str, *, is_addr_spec: bool, header_fields: tuple[tuple[str, str], ...]) -> None:
    url = parse(text)
    assert isinstance(url, MailtoURL)
    assert (url.addr_spec, url.is_addr_spec, url.header_fields) == (address, is_addr_spec, header_fields)


@pytest.mark.parametrize(("text", "address", "is_addr_spec"), LITERAL_MAILTO)
def test_literal_mailto(text: str, address: str, *, is_addr_spec: bool) -> None:
    url = parse(text, RFC1738)
    assert isinstance(url, MailtoURL)
    assert (url.addr_spec, url.is_addr_spec, url.header_fields) == (address, is_addr_spec, ())


@pytest.mark.parametrize("row", NEWS, ids=[row[0] for row in NEWS])
def test_news(row: tuple[str, str | None, str | None, str | None, str | None, bool]) -> None:
    text, *parts, message_id, is_message_id = row
    url = parse(text, RFC1738)
    assert isinstance(url, NewsURL)
    assert [url.group, url.article, url.everything] == parts
    assert (url.message_id, url.is_message_id) == (message_id, is_message_id)


@pytest.mark.parametrize(("text", "group", "number", "port"), NNTP)
def test_nntp(text: str, group: str, number: str | None, port: int) -> None:
    url = parse(text, RFC1738)
    assert isinstance(url, NntpURL)
    assert (url.group, url.article_number, url.port_number) == (group, number, port)


@pytest.mark.parametrize(("text", "database", "search", "wtype", "wpath"), WAIS)
def test_wais(text: str, database: str, search: str | None, wtype: str | None, wpath: str | None) -> None:
    url = parse(text, RFC1738)
    assert isinstance(url, WaisURL)
    assert (url.database, url.search, url.wtype, url.wpath) == (database, search, wtype, wpath)


@pytest.mark.parametrize(("text", "hsoname", "expected"), PROSPERO)
def test_prospero(text: str, hsoname: str, expected: tuple[tuple[str, str], ...]) -> None:
    url = parse(text, RFC1738)
    assert isinstance(url, ProsperoURL)
    assert (url.hsoname, url.fields) == (hsoname, expected)


@pytest.mark.parametrize(("text", "host", "fpath", "is_local"), FILE)
def test_file(text: str, host: str | None, fpath: str, *, is_local: bool) -> None:
    url = parse(text)
    assert isinstance(url, FileURL)
    assert (url.host, url.fpath, url.is_local) == (host, fpath, is_local)


@pytest.mark.parametrize(("text", "port"), PORTS)
def test_ports(text: str, port: int | None) -> None:
    url = parse(text)
    assert isinstance(url, IpURL)
    assert url.port_number == port


def test_asking_for_a_port_of_any_length_raises_nothing() -> None:
    """RFC 1738 sets no bound on the digits, and a run of hours must not end on them (SPEC 8)."""
    url = parse(f"http://h:{'9' * 5000}/", RFC1738)
    assert isinstance(url, IpURL)
    assert url.port_number is None or url.port_number > 65535


@pytest.mark.parametrize(("text", "part", "decoded", "octets"), DECODED)
def test_decoded(text: str, part: str, decoded: str | None, octets: bytes | None) -> None:
    url = parse(text)
    assert (url.decoded(part), url.decoded_octets(part)) == (decoded, octets)
    assert str(url) == text


def test_decoded_in_another_encoding() -> None:
    url = parse("http://h/%E9")
    assert url.decoded("hpath", "latin-1") == "\xe9"
    with pytest.raises(LookupError):
        url.decoded("hpath", "no-such-encoding")


@pytest.mark.parametrize(("text", "scheme", "schemepart"), OTHER)
def test_other(text: str, scheme: str, schemepart: str) -> None:
    url = parse(text)
    assert isinstance(url, OtherURL)
    assert (url.scheme, url.schemepart) == (scheme, schemepart)


# Values


def test_there_is_one_of_each() -> None:
    assert {type(url) for url in each()} == {url_class for url_class, _ in ONE_OF_EACH} == set(CLASSES.values())


def test_values_are_frozen() -> None:
    for url in each():
        for field in fields(url):
            with pytest.raises(FrozenInstanceError):
                setattr(url, field.name, "x")
        # Slots: there is no room for anything else either.
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            setattr(url, "nothing", "x")  # noqa: B010 -- no such field


def test_values_are_equal_and_hash_by_their_parts() -> None:
    first, second = list(each()), list(each())
    assert first == second
    assert len({*first, *second}) == len(ONE_OF_EACH)
    assert parse("http://h/") != parse("http://H/")
    assert parse("http://h") != parse("http://h/")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_values_pickle(protocol: int) -> None:
    for url in each():
        again = pickle.loads(pickle.dumps(url, protocol))  # noqa: S301 -- its own
        assert (type(again), again, str(again)) == (type(url), url, str(url))


def test_a_value_does_not_tell_its_profile() -> None:
    for text in ("http://h:1/a?b", "ftp://u:p@h/a;type=a", "news:*", "wais://h/a/b/c", "x://h/"):
        assert parse(text, RFC1738) == parse(text, WEB)
