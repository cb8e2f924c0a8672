"""What is a URL and what its parts are: lists of good and of bad parts, the RFC's own BNF, and tables for the web."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import islice, product
from random import Random
from typing import Any

import pytest

import bnf
from urlmend.grammar.build import build
from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import (
    LONGEST_KEPT,
    URLSyntaxError,
    parse,
    parse_or_none,
    parsed,
    production_template,
)
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.rfc1738 import expand
from urlmend.grammar.urls import (
    CLASSES,
    URL,
    FileURL,
    FtpURL,
    GopherURL,
    HttpURL,
    MailtoURL,
    NewsURL,
    NntpURL,
    OtherURL,
    ProsperoURL,
    TelnetURL,
    WaisURL,
)

# RFC 1738: for each part values that may stand there, and values that may not. None is an absent part, "" an empty one.

Part = tuple[tuple[str | None, ...], tuple[str, ...]]

NEVER: tuple[str, ...]
NEVER = (" ", "a b", "%", "%4", "%G0", "a%", "~", "a{", "a|b", "a\\", "a^", "[a]", "`", "<a", ">", '"', "a#b", "\xfc")
NEVER += ("a\n", "\ta", "\x00", "\x7f", "\u0661", "\u212a", "\ud800")

HOST: Part = (
    ("a", "foo.example", "FOO.Com", "a-b.c9", "1a.b--c", "1.2.3.4", "999.0.0.0001"),
    ("-", "a-", "a-.b", "-a.b", "a..b", ".a", "a.", "1", "a.1", "a.1b", "1.2.3", "1.2.3.4.5", "1.2.3.4.", "a_b.c",
     "%61.b", "b\xfccher.example", "[::1]", "a b", "a~", "a,b"),
)  # fmt: skip
PORT: Part = ((None, "80", "0", "65536", "00099999"), ("", "8o", "-1", "+1", " 80", "80 ", "80:80", "%38", "\u0661"))
USER: Part = ((None, "", "joe", "a%40b", "a;b?c&d=e", "$-_.+!*'(),"), NEVER)
PASSWORD: Part = ((None, "", "pw", "%3A%2F", "a;b?c&d=e"), (*NEVER, "a:b", "a@b"))
GROUP: Part = (("a", "comp.lang.c", "A1-b.+_", "z..z"), ("", "1a", ".a", "a%41", "a b", "a*", "a/b", "a,b", "\xfc"))
SEARCH: Part = ((None, "", "q=1", "a;b:c@d&e=f", "%3F%2f", "$-_.+!*'(),"), (*NEVER, "/", "a/b", "?", "a?b"))
UCHARS: Part = (("", "a", "A.b+c", "%20%2F", "$-_.+!*'(),"), (*NEVER, ";", "a:b", "a=b", "a@b", "a&b"))
URLPATH: Part = ((None, "", "a", "/a//b", ";/?:@&=", "%7Ea"), NEVER)

# The URLs of a scheme: brackets go when what they hold is absent.
FORMS: dict[str, tuple[str, type[URL], dict[str, Part]]] = {
    "ftp": (
        "ftp://[{user}[:{password}]@]{host}[:{port}][/{fpath}[;type={ftptype}]]",
        FtpURL,
        {
            "user": USER,
            "password": PASSWORD,
            "host": HOST,
            "port": PORT,
            "fpath": (
                (None, "", "a", "pub/www/doc", "%2Fetc/motd", "a//b/", "?:@&=/"),
                (*NEVER, ";", "a;b", "a;type="),
            ),
            "ftptype": ((None, *"AIDaid"), ("", "Z", "b", "AA", "A/", "A;type=A", "%41", "\uff21")),
        },
    ),
    "file": (
        "file://[{host}]/{fpath}",
        FileURL,
        {
            "host": ((None, "localhost", *HOST[0]), (*HOST[1], "h:80", "u@h")),
            "fpath": (("", "etc/motd", "a//b/", "c:/x", "?:@&=", "%20"), (*NEVER, ";", "a;b")),
        },
    ),
    "http": (
        "http://{host}[:{port}][/{hpath}[?{search}]]",
        HttpURL,
        {
            "host": (HOST[0], (*HOST[1], "u@h", "u:p@h", "")),
            "port": PORT,
            "hpath": ((None, "", "a", "a/b", "a//b/", ";:@&=", "%7Ejoe", "$-_.+!*'(),"), (*NEVER, "a?b?c", "?a?")),
            "search": SEARCH,
        },
    ),
    "gopher": (
        "gopher://{host}[:{port}][/{gopher_path}]",
        GopherURL,
        {
            "host": (HOST[0], (*HOST[1], "u@h", "")),
            "port": PORT,
            "gopher_path": (
                (None, "", "0", "1/a/b", "00/a%09search", "7%09a%09+", "%30x", ";/?:@&=", "%09%09", "9a%09b%09c%09d"),
                NEVER,
            ),
        },
    ),
    "mailto": (
        "mailto:{encoded822addr}",
        MailtoURL,
        {"encoded822addr": (("a@b.example", "a", "%22a%20b%22@c", "a%25b@c", "/?;:@&=", "A,b"), (*NEVER, "", "<a@b>"))},
    ),
    "news:everything": ("news:{everything}", NewsURL, {"everything": (("*",), ("**", "*a", "a*", "%2A", "*."))}),
    "news:group": ("news:{group}", NewsURL, {"group": GROUP}),
    "news:article": (
        "news:{article}",
        NewsURL,
        {
            "article": (
                ("a@b", "9406121337.AA1@h.example", "a%40b@1.2.3.4", ";/?:&=@b", "//h/a@b", "*@b", "$@a-b.c"),
                ("@b", "a@", "a@b@c", "a@b:80", "a@b/", "a@-b", "a@b.1", "~@b", "a b@c", "a@\xfc", "a%4@b", "<a@b>"),
            )
        },
    ),
    "nntp": (
        "nntp://{host}[:{port}]/{group}[/{article_number}]",
        NntpURL,
        {
            "host": (HOST[0], (*HOST[1], "u@h", "")),
            "port": PORT,
            "group": GROUP,
            "article_number": (
                (None, "0", "12345678901234567890"),
                ("", "a", "-1", "1/", "1a", "%31", "\u0661", "1@b"),
            ),
        },
    ),
    "telnet": (
        "telnet://[{user}[:{password}]@]{host}[:{port}]",
        TelnetURL,
        {
            "user": USER,
            "password": PASSWORD,
            "host": HOST,
            "port": (PORT[0], (*PORT[1], "23//", "23/a", "23;a", "23?")),
        },
    ),
    "telnet/": (
        "telnet://[{user}[:{password}]@]{host}[:{port}]/",
        TelnetURL,
        {"user": USER, "password": PASSWORD, "host": HOST, "port": PORT},
    ),
    "waisdatabase": (
        "wais://{host}[:{port}]/{database}",
        WaisURL,
        {"host": (HOST[0], (*HOST[1], "u@h", "")), "port": PORT, "database": (UCHARS[0], (*UCHARS[1], "a/b", "/"))},
    ),
    "waisindex": (
        "wais://{host}[:{port}]/{database}?{search}",
        WaisURL,
        {
            "host": (HOST[0], (*HOST[1], "u@h", "")),
            "port": PORT,
            "database": (UCHARS[0], (*UCHARS[1], "a/b", "a?")),
            "search": (SEARCH[0][1:], SEARCH[1]),
        },
    ),
    "waisdoc": (
        "wais://{host}[:{port}]/{database}/{wtype}/{wpath}",
        WaisURL,
        {
            "host": (HOST[0], (*HOST[1], "u@h", "")),
            "port": PORT,
            "database": (UCHARS[0], (*UCHARS[1], "a/b", "a?")),
            "wtype": (UCHARS[0], (*UCHARS[1], "a/b", "a?")),
            "wpath": (UCHARS[0], (*UCHARS[1], "a/b", "a?b")),
        },
    ),
    "prospero": (
        "prospero://{host}[:{port}]/{ppath}{fieldspecs}",
        ProsperoURL,
        {
            "host": (HOST[0], (*HOST[1], "u@h", "")),
            "port": PORT,
            "ppath": (("", "a", "/pros/name", "a//", "?:@&=", "%3B"), (*NEVER, ";", "a;b", "a;=b=")),
            "fieldspecs": (
                ("", ";v=1", ";=", ";a=b;c=d", ";?:@&=?:@&", ";%3D=%3B"),
                (";", ";a", ";a=b=c", ";a=b;", ";a/b=c", ";a=b/c", ";a=~", ";a =b"),
            ),
        },
    ),
    "other://": (
        "x-y.z+1://[{user}[:{password}]@]{host}[:{port}][/{urlpath}]",
        OtherURL,
        # What is no login is still *xchar: only characters outside xchar are bad.
        {
            "user": USER,
            "password": (PASSWORD[0], NEVER),
            "host": (HOST[0], NEVER),
            "port": (PORT[0], NEVER),
            "urlpath": URLPATH,
        },
    ),
    "other:": (
        "1:{schemepart}",
        OtherURL,
        {"schemepart": (("", "/", "//", "a", "///a", "//-", "//h:x", "a@b:c//d", ";/?:@&=", "%00"), NEVER)},
    ),
}
GOODS_AT_MOST = 3000
BADS_AT_MOST = 3000

SEED = 1738
SENTENCES_EACH = 10_000
# The default run tries a tenth of them.
SIZES = [SENTENCES_EACH // 10, pytest.param(SENTENCES_EACH, marks=pytest.mark.slow)]

# RFC 1738: text, and the parts that are not None beside the host. Empty is not absent (section 3.1).
EMPTY_OR_ABSENT: tuple[tuple[str, dict[str, str]], ...] = (
    ("ftp://h/", {"fpath": ""}),
    ("ftp://h", {}),
    ("ftp://@h/", {"user": "", "fpath": ""}),
    ("ftp://foo:@h/", {"user": "foo", "password": "", "fpath": ""}),
    ("ftp://foo@h", {"user": "foo"}),
    ("ftp://:@h", {"user": "", "password": ""}),
    ("ftp://:pw@h/;type=a", {"user": "", "password": "pw", "fpath": "", "ftptype": "a"}),
    ("http://h", {}),
    ("http://h/", {"hpath": ""}),
    ("http://h/?", {"hpath": "", "search": ""}),
    ("http://h:1/a?", {"port": "1", "hpath": "a", "search": ""}),
    ("gopher://h", {}),
    ("gopher://h/", {"gopher_path": ""}),
    ("telnet://@h/", {"user": ""}),
    ("wais://h/", {"database": ""}),
    ("wais://h/?", {"database": "", "search": ""}),
    ("wais://h///", {"database": "", "wtype": "", "wpath": ""}),
    ("prospero://h/", {"ppath": "", "fieldspecs": ""}),
    ("prospero://h/;=", {"ppath": "", "fieldspecs": ";="}),
    ("x://h", {}),
    ("x://@h/", {"user": "", "urlpath": ""}),
)

# WEB: text, class, the parts that are not None.
DEPLOYED: tuple[tuple[str, type[URL], dict[str, str]], ...] = (
    ("http://a.example", HttpURL, {"host": "a.example"}),
    ("HTTP://A.Example/", HttpURL, {"host": "A.Example", "hpath": ""}),
    ("http://a.example/~j/", HttpURL, {"host": "a.example", "hpath": "~j/"}),
    ("http://a.example?q=/?#f", HttpURL, {"host": "a.example", "search": "q=/?", "fragment": "f"}),
    ("http://a.example/a?b?c/d", HttpURL, {"host": "a.example", "hpath": "a", "search": "b?c/d"}),
    ("http://a.example/#", HttpURL, {"host": "a.example", "hpath": "", "fragment": ""}),
    ("http://a.example#a/b?c", HttpURL, {"host": "a.example", "fragment": "a/b?c"}),
    ("http://a.example/wiki/A_(b)", HttpURL, {"host": "a.example", "hpath": "wiki/A_(b)"}),
    ("http://a.example/l[1]?{a}|^#[]", HttpURL,
     {"host": "a.example", "hpath": "l[1]", "search": "{a}|^", "fragment": "[]"}),
    ("https://u:p@a.example:8443/x", HttpURL,
     {"user": "u", "password": "p", "host": "a.example", "port": "8443", "hpath": "x"}),
    ("https://@a.example", HttpURL, {"user": "", "host": "a.example"}),
    ("http://a.example/x@y:z", HttpURL, {"host": "a.example", "hpath": "x@y:z"}),
    ("http://a.example/?e=j@b.example", HttpURL, {"host": "a.example", "hpath": "", "search": "e=j@b.example"}),
    ("http://a.example?e=j@b.example", HttpURL, {"host": "a.example", "search": "e=j@b.example"}),
    ("http://a.example#j@b.example", HttpURL, {"host": "a.example", "fragment": "j@b.example"}),
    ("http://a.example:/", HttpURL, {"host": "a.example", "port": "", "hpath": ""}),
    ("http://a.example:65535", HttpURL, {"host": "a.example", "port": "65535"}),
    ("http://a.example:0000080", HttpURL, {"host": "a.example", "port": "0000080"}),
    ("http://255.255.255.255/", HttpURL, {"host": "255.255.255.255", "hpath": ""}),
    ("http://a_b.example/", HttpURL, {"host": "a_b.example", "hpath": ""}),
    ("http://a.example./", HttpURL, {"host": "a.example.", "hpath": ""}),
    ("http://%77ww.a.example/", HttpURL, {"host": "%77ww.a.example", "hpath": ""}),
    ("http://[::1]/", HttpURL, {"host": "[::1]", "hpath": ""}),
    ("https://[2001:db8::1]:443/", HttpURL, {"host": "[2001:db8::1]", "port": "443", "hpath": ""}),
    ("http://[::ffff:1.2.3.4]", HttpURL, {"host": "[::ffff:1.2.3.4]"}),
    ("http://[1:2:3:4:5:6:7:8]", HttpURL, {"host": "[1:2:3:4:5:6:7:8]"}),
    ("http://[1:2:3:4:5:6:7::]", HttpURL, {"host": "[1:2:3:4:5:6:7::]"}),
    ("http://[fe80::1%25en0]/", HttpURL, {"host": "[fe80::1%25en0]", "hpath": ""}),
    ("http://b\xfccher.example/\u4e2d\u6587?\xe9#\xdf", HttpURL,
     {"host": "b\xfccher.example", "hpath": "\u4e2d\u6587", "search": "\xe9", "fragment": "\xdf"}),
    ("http://\u4f8b\u3048.\u30c6\u30b9\u30c8", HttpURL, {"host": "\u4f8b\u3048.\u30c6\u30b9\u30c8"}),
    ("http://a.example/\U0001f600", HttpURL, {"host": "a.example", "hpath": "\U0001f600"}),
    ("ftp://u@a.example/~j/x#y", FtpURL, {"user": "u", "host": "a.example", "fpath": "~j/x", "fragment": "y"}),
    ("ftp://[::1]/a;type=i", FtpURL, {"host": "[::1]", "fpath": "a", "ftptype": "i"}),
    ("file:///etc/motd", FileURL, {"fpath": "etc/motd"}),
    ("file:/etc/motd", FileURL, {"fpath": "etc/motd"}),
    ("file://localhost/c:/a", FileURL, {"host": "localhost", "fpath": "c:/a"}),
    ("file:////server/share", FileURL, {"fpath": "/server/share"}),
    ("gopher://a.example:70/00/~j%09s", GopherURL, {"host": "a.example", "port": "70", "gopher_path": "00/~j%09s"}),
    ("mailto:j@a.example", MailtoURL, {"encoded822addr": "j@a.example"}),
    ("mailto:j@a.example,k@b.example?subject=a%20b&cc=l@c", MailtoURL,
     {"encoded822addr": "j@a.example,k@b.example", "headers": "subject=a%20b&cc=l@c"}),
    ("mailto:j.k%40a.example", MailtoURL, {"encoded822addr": "j.k%40a.example"}),
    ("mailto:j%2Bk%40a.example,l@b?subject=m", MailtoURL,
     {"encoded822addr": "j%2Bk%40a.example,l@b", "headers": "subject=m"}),
    ("mailto:?to=j@a.example", MailtoURL, {"headers": "to=j@a.example"}),
    ("mailto:j\xe9@b\xfccher.example", MailtoURL, {"encoded822addr": "j\xe9@b\xfccher.example"}),
    ("news:*", NewsURL, {"everything": "*"}),
    ("news:comp.lang.c", NewsURL, {"group": "comp.lang.c"}),
    ("news:a$1@b.example", NewsURL, {"article": "a$1@b.example"}),
    ("news://n.a.example:119/comp.lang.c", NewsURL, {"host": "n.a.example", "port": "119", "group": "comp.lang.c"}),
    ("news://n.a.example", NewsURL, {"host": "n.a.example"}),
    ("news://n.a.example:119/", NewsURL, {"host": "n.a.example", "port": "119"}),
    ("nntp://[::1]/a.b/1", NntpURL, {"host": "[::1]", "group": "a.b", "article_number": "1"}),
    ("telnet://u:p@a_b.example/", TelnetURL, {"user": "u", "password": "p", "host": "a_b.example"}),
    ("wais://a.example/d?a/b", WaisURL, {"host": "a.example", "database": "d", "search": "a/b"}),
    ("wais://a.example/d/t/p~", WaisURL, {"host": "a.example", "database": "d", "wtype": "t", "wpath": "p~"}),
    ("prospero://a.example/~p;v=1#f", ProsperoURL,
     {"host": "a.example", "ppath": "~p", "fieldspecs": ";v=1", "fragment": "f"}),
    ("svn+ssh://u@a.example:22/x", OtherURL, {"user": "u", "host": "a.example", "port": "22", "urlpath": "x"}),
    ("urn:isbn:0-395-36341-1", OtherURL, {}),
    ("x-y:a~b#c", OtherURL, {"fragment": "c"}),
    ("irc://[::1]:6667/~a", OtherURL, {"host": "[::1]", "port": "6667", "urlpath": "~a"}),
    ("x://b\xfccher.example", OtherURL, {"host": "b\xfccher.example"}),
    ("x://a:b", OtherURL, {}),
    ("httpss://a.example", OtherURL, {"host": "a.example"}),
)  # fmt: skip

# WEB refuses these.
REFUSED = (
    "", ":", "a", "http", "http:", "http:/", "http://", "http:a", "http:///a", "http://?", "http://#", "http://:80",
    "http://@", "http://a b", " http://a", "http://a ", "http://a\n", "http://a/\n", "http://a/\x00", "http://a/%",
    "http://a/%zz", "http://a/<", 'http://a/"', "http://a/`", "http://a/\\", "http://a/#b#c", "http://-a", "http://a-",
    "http://foo-.com", "http://a..b", "http://.a", "http://a.b..", "http://08", "http://1.2.65536", "http://256.1.1.1",
    "http://1.2.3.4.5", "http://a:65536", "http://a:-1", "http://a:x", "http://u:p:q@a", "http://u@v@a", "http://[",
    "http://[]", "http://[::1", "http://::1/", "http://[:::1]", "http://[1::2::3]", "http://[12345::]", "http://[g::]",
    "http://[1:2:3:4:5:6:7]", "http://[1:2:3:4:5:6:7:8:9]", "http://[::256.1.1.1]", "http://[::1]a", "http://[::1%en0]",
    "http://[::1%25]", "http://[v1.a]", "http://a\xad-.example", "http://xn--a.\xfc",
    "http://a.example/\ud800", "http://a.example/\ue000", "http://a.example/\ufffe",
    "https:a", "ftp://a/b;type=Z", "ftp://a/b;c", "ftp://", "file:a", "file:", "gopher:a", "gopher:///", "mailto:",
    "mailto:j", "mailto:j@", "mailto:@a", "mailto:j@a,", "mailto:j@a?", "mailto:a@b@c", "mailto:j j@a", "mailto:.j@a",
    "news:", "news:1", "news:a@", "news:@a", "news://", "news://h/1", "news://h:x", "nntp://h", "nntp://h/", "nntp://h/a/b",
    "nntp:a", "telnet://h/a", "telnet:h", "wais://h", "wais://h/d/t", "prospero://h", "prospero://h/p;v", "12:30",
    "mailto:j%40", "mailto:%40a", "mailto:j%40-a", "mailto:j%41a.example", "mailto:j%40a@", "mailto:j%40,k@a",
    "+a:b", "-:x", "a_b:c", "\xfc:x", "\u212a:x", "x:", "x:/", "x://", "x:///", "x:a b", "x:%", "x:#f", "x: a",
)  # fmt: skip

# WEB: a file URL without a host has one slash or three; what looks like a host must be one.
REFUSED_FILES = ("file://a.example", "file://", "file://-/x", "file://a b/x", "file://c:/x", "file://[::1/x")


def parts(url: URL) -> dict[str, str]:
    """The parts of *url* that are not absent."""
    names = {field.name for field in fields(url)} - {"text"}
    return {name: value for name in names if (value := getattr(url, name)) is not None}


def written(form: str, values: Mapping[str, str | None]) -> str | None:
    """Fill *values* into *form*, less the brackets whose first part is absent; `None` where that would lose a part."""
    # For each bracket that is open: its text, whether its first part is there, whether any part is.
    text, first, any_part = "", True, True
    outer: list[tuple[str, bool, bool]] = []
    start = False
    for token in re.findall(r"\{\w+\}|.", form):
        if token == "[":
            outer.append((text, first, any_part))
            text, first, any_part, start = "", False, False, True
        elif token == "]":
            if any_part and not first:
                return None
            inner, kept = text, first
            text, first, any_part = outer.pop()
            text, any_part = text + (inner if kept else ""), any_part or kept
        elif token[0] == "{":
            value = values[token[1:-1]]
            first, any_part, start = (value is not None if start else first), any_part or value is not None, False
            text += value or ""
        else:
            text += token
    return text


def good_rows(scheme: str, random: Random) -> list[dict[str, str | None]]:
    form, _, lists = FORMS[scheme]
    rows = [dict(zip(lists, row, strict=True)) for row in product(*(good for good, _ in lists.values()))]
    rows = [row for row in rows if written(form, row) is not None]
    return rows if len(rows) <= GOODS_AT_MOST else random.sample(rows, GOODS_AT_MOST)


def bad_rows(scheme: str, random: Random) -> Iterator[tuple[str, dict[str, str | None]]]:
    """Rows with one bad part, each bad part among as many good ones, and that part's name."""
    form, _, lists = FORMS[scheme]
    goods = good_rows(scheme, random)
    faults = [(name, bad) for name, (_, bads) in lists.items() for bad in bads]
    for name, bad in faults:
        random.shuffle(goods)
        fitting = (row for good in goods if written(form, row := good | {name: bad}) is not None)
        for row in islice(fitting, BADS_AT_MOST // len(faults)):
            yield name, row


@pytest.mark.parametrize("scheme", FORMS)
def test_good_parts_make_a_url_of_exactly_those_parts(scheme: str) -> None:
    form, url_class, _ = FORMS[scheme]
    rows = good_rows(scheme, Random(SEED))
    assert rows
    for row in rows:
        text = written(form, row)
        assert text is not None
        url = parse(text, RFC1738)
        assert type(url) is url_class, text
        assert {name: getattr(url, name) for name in row} == row, text
        assert set(parts(url)) <= set(row), text
        assert str(url) == text


@pytest.mark.parametrize("scheme", FORMS)
def test_one_bad_part_among_good_ones_makes_no_url(scheme: str) -> None:
    form, _, lists = FORMS[scheme]
    tried = set()
    for name, row in bad_rows(scheme, Random(SEED)):
        text = written(form, row)
        assert text is not None
        assert parse_or_none(text, RFC1738) is None, (text, name)
        tried.add((name, row[name]))
    assert tried == {(name, bad) for name, (_, bads) in lists.items() for bad in bads}


@pytest.mark.parametrize("form", ["a[{x}]b", "[{x}[{y}]@]", "[/{x}[;{y}]]"])
def test_brackets_go_with_their_first_part(form: str) -> None:
    """The notation of FORMS itself, against `re`: an absent part takes its bracket away."""
    filled = written(form, {"x": "1", "y": None})
    assert filled == re.sub(r"\[|\]", "", re.sub(r"\[[^][]*\{y\}\]", "", form)).replace("{x}", "1")
    assert written(form, {"x": None, "y": None}) == form.partition("[")[0] + form.rpartition("]")[2]
    assert ("{y}" not in form) == (written(form, {"x": None, "y": "2"}) is not None)


@pytest.mark.parametrize(("text", "expected"), EMPTY_OR_ABSENT, ids=[text for text, _ in EMPTY_OR_ABSENT])
@pytest.mark.parametrize("profile", [RFC1738, WEB], ids=["RFC1738", "WEB"])
def test_empty_is_not_absent(text: str, expected: dict[str, str], profile: Profile) -> None:
    assert parts(parse(text, profile)) == {"host": "h", **expected}


# What is kept


@pytest.mark.parametrize("profile", [RFC1738, WEB], ids=["RFC1738", "WEB"])
def test_parsed_is_what_parse_returns(profile: Profile) -> None:
    for text in ("http://a.example/b?c", "mailto:a@b", f"x:{'a' * LONGEST_KEPT}"):
        assert parsed(text, profile) == parsed(text, profile) == parse(text, profile)
    assert parsed("mailto:a@b?c", profile) == parse("mailto:a@b?c", profile)
    with pytest.raises(URLSyntaxError):
        parsed("http://a b/", profile)


def test_long_results_are_not_kept_and_others_not_for_ever() -> None:
    short, long = "x:" + "a" * (LONGEST_KEPT - 2), "x:" + "a" * (LONGEST_KEPT - 1)
    kept = parsed(short)
    assert parsed(short) is kept
    assert parsed(long) is not parsed(long)
    for number in range(20_000):
        parsed(f"x:{number}")
    assert parsed(short) is not kept


# Wrong calls


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"http://a/", r"not bytes: decode it first"),
        (bytearray(b"http://a/"), r"not bytearray: decode it first"),
        (None, r"takes a str, not NoneType"),
        (["http://a/"], r"takes a str, not list"),
        (parse("http://a/"), r"not HttpURL: this URL is parsed already"),
    ],
)
def test_what_is_no_str_is_a_type_error(text: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        parse(text)


def test_a_profile_is_no_name() -> None:
    name: Any = "web"
    with pytest.raises(TypeError, match="not str"):
        parse("http://a/", name)


@pytest.mark.parametrize("text", ["http://a.example/b", b"http://a.example/b", None], ids=repr)
def test_a_normal_form_is_a_url_s(text: Any) -> None:
    with pytest.raises(TypeError, match="parse it first"):
        normal_form(text)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"host": "a", "port": 80}, "port is given as str, not int"),
        ({"host": b"a"}, "host is given as str, not bytes: decode it first"),
        ({"host": "a", "hpath": ("b", b"c")}, "hpath is given as str, not bytes"),
        ({"host": "a", "hpath": {"b": "c"}}, "hpath is given as str, not dict"),
        ({"host": ("a", "b")}, "host is given as str, not tuple"),
    ],
)
def test_what_is_no_text_builds_nothing(parts: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        build("http", **parts)


def test_a_scheme_is_a_str() -> None:
    scheme: Any = b"http"
    with pytest.raises(TypeError, match="scheme is a str"):
        build(scheme, host="a")


@pytest.mark.parametrize("part", ["hpath", "search", "fragment", "user", "host"])
def test_a_lone_surrogate_builds_no_url(part: str) -> None:
    with pytest.raises(URLSyntaxError):
        build("http", **{"host": "a", part: "b\ud800c"})


# The RFC's BNF


SENTENCE_RULES = (*bnf.SCHEMES, "otherurl")


def sentences(each: int, seed: int) -> Iterator[str]:
    random = Random(seed)
    for rule in SENTENCE_RULES:
        for _ in range(each):
            yield bnf.generate(rule, random)


@pytest.mark.parametrize("each", SIZES)
def test_the_parser_agrees_with_the_bnf(each: int, capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(SEED)
    generated = mutated = invalid = 0
    disagreements = []
    for text in sentences(each, SEED):
        generated += 1
        if not bnf.accepts("url", text) or parse_or_none(text, RFC1738) is None:
            disagreements.append(text)
        fault = bnf.mutated(text, random)
        mutated += 1
        accepted = bnf.accepts("url", fault)
        invalid += not accepted
        if accepted != (parse_or_none(fault, RFC1738) is not None):
            disagreements.append(fault)
    with capsys.disabled():
        print(f"\n{generated} generated, {mutated} mutated ({invalid} invalid), {len(disagreements)} disagreements")
    assert disagreements == []
    assert generated == mutated == each * len(SENTENCE_RULES)
    assert generated // 4 < invalid < mutated


def test_the_scheme_says_which_rule_reads_the_url() -> None:
    for text in sentences(200, SEED + 1):
        scheme = parse(text, RFC1738).scheme
        assert bnf.accepts(scheme if scheme in bnf.SCHEMES else "otherurl", text), text
        assert text.lower().startswith(f"{scheme}:")


# Round trip


@pytest.mark.parametrize("profile", [RFC1738, WEB], ids=["RFC1738", "WEB"])
def test_a_url_is_written_as_it_was_read(profile: Profile) -> None:
    random = Random(SEED)
    texts = [row[0] for row in DEPLOYED]
    texts += [bnf.mutated(text, random) for text in texts * 20]
    texts += sentences(1000, SEED + 2)
    read = [(text, url) for text in texts if (url := parse_or_none(text, profile)) is not None]
    assert len(read) > 5000
    for text, url in read:
        assert str(url) == url.text == text
        assert all(value in text for value in parts(url).values())


# WEB


@pytest.mark.parametrize(("text", "url_class", "expected"), DEPLOYED, ids=[ascii(row[0]) for row in DEPLOYED])
def test_deployed_urls(text: str, url_class: type[URL], expected: dict[str, str]) -> None:
    url = parse(text)
    assert (type(url), parts(url)) == (url_class, expected)


def test_every_class_has_a_deployed_url() -> None:
    assert {row[1] for row in DEPLOYED} == {row[1] for row in FORMS.values()}


@pytest.mark.parametrize("text", [*REFUSED, *REFUSED_FILES], ids=ascii)
def test_refused_urls(text: str) -> None:
    assert parse_or_none(text) is None
    with pytest.raises(URLSyntaxError):
        parse(text)


def test_no_two_rows_are_the_same() -> None:
    texts = [*(row[0] for row in DEPLOYED), *REFUSED, *REFUSED_FILES]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("scheme", ["http", "mailto", ""])
def test_letters_beyond_ascii_are_those_of_the_rule(scheme: str) -> None:
    # The parser has one character stand for all of them. Here the patterns have the class.
    urls = [*(row[0] for row in DEPLOYED), *REFUSED]
    letters = "a\xa0\xe4\u4e2d\ud7ff\ud800\uffef\ufff0\U0001f600\U000e0fff"
    texts = [text for letter in letters for url in urls if not (text := url.replace("a", letter)).isascii()]
    texts += [text for letter in letters for url in urls if not (text := url.replace("j", letter)).isascii()]
    texts = [text for text in texts if dispatched(text) == scheme]
    patterns = [
        re.compile(
            expand(production_template(rule, WEB), WEB.rules, CLASSES[rule].__dataclass_fields__), re.ASCII | re.DOTALL
        )
        for rule in WEB.productions.get(scheme, ("otherurl",))
    ]
    read = 0
    for text in texts:
        expected = [match.groupdict() for pattern in patterns if (match := pattern.fullmatch(text))]
        if url := parse_or_none(text):
            read += 1
            assert parts(url) in [{name: part for name, part in each.items() if part is not None} for each in expected]
        else:
            # What the patterns take is still none where its host is no IDNA name.
            assert all(not (each.get("host") or "").isascii() for each in expected)
    assert 5 < read < len(texts)


def dispatched(text: str) -> str:
    """The scheme of *text*, if it has productions of its own, else `""`."""
    scheme = text.partition(":")[0].lower()
    return scheme if scheme in WEB.productions else ""
