"""What scanning never does by itself: building, normal forms, security notes."""

import io

import pytest

from urlmend import URLSyntaxError, build, find_urls, iter_urls, normal_form, parse
from urlmend.grammar.security import warnings

Parts = dict[str, str | tuple[str, ...] | dict[str, str] | None]

BUILT: list[tuple[str, Parts, str]] = [
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
]  # fmt: skip


@pytest.mark.parametrize(("scheme", "parts", "url"), BUILT)
def test_build(scheme: str, parts: Parts, url: str) -> None:
    built = build(scheme, **parts)
    assert str(built) == url
    assert built == parse(url)


@pytest.mark.parametrize(
    ("scheme", "parts", "error"),
    [
        ("http", {"host": "a b"}, URLSyntaxError),
        ("ftp", {"host": "h", "ftptype": "Z"}, URLSyntaxError),
        ("http", {}, URLSyntaxError),
        ("ftp", {"host": "h", "password": "p"}, TypeError),
        ("news", {"wpath": "x"}, TypeError),
    ],
)
def test_build_refuses(scheme: str, parts: Parts, error: type[Exception]) -> None:
    with pytest.raises(error):
        build(scheme, **parts)


NORMAL = [
    ("HTTP://A.Example:80/%7ejane/./b/../c", "http://a.example/~jane/c"),
    ("https://a.example:443", "https://a.example/"),
    ("http://a.example:443/", "http://a.example:443/"),
    ("http://a.example:/x/..", "http://a.example/"),
    ("http://a.example/a/../../b", "http://a.example/b"),
    ("http://a.example/?q=%2f%7e", "http://a.example/?q=%2F~"),
    ("http://[2001:DB8::A]:80/#%7e", "http://[2001:db8::a]/#~"),
    ("ftp://U:P@H.example:21/%2fa/./b", "ftp://U:P@h.example/%2Fa/b"),
    ("gopher://H.example:70/0/a/../b", "gopher://h.example/0/a/../b"),
    ("URN:ISBN:%41", "urn:ISBN:A"),
    ("mailto:Joe@A.example", "mailto:Joe@A.example"),
    ("ftp://jane?@A.example:21/", "ftp://jane?@a.example/"),
    ("ftp://J?%7e:s?t@A.example:21/b", "ftp://J?~:s?t@a.example/b"),
    ("x-foo://ue?@a:", "x-foo://ue?@a"),
    ("http://%7e/%7e", "http://%7E/~"),
    ("http://A.%65xample/", "http://a.example/"),
    ("http://a%2e%2eexample/%7e", "http://a%2E%2Eexample/~"),
    ("http://%d0%90.example/", "http://%D0%90.example/"),
    ("news:%7e@%7e", "news:%7E@%7E"),
]


@pytest.mark.parametrize(("url", "normal"), NORMAL)
def test_normal_form(url: str, normal: str) -> None:
    assert str(normal_form(parse(url))) == normal
    assert str(normal_form(parse(normal))) == normal


WARNED = [
    ("http://a.example/", []),
    ("http://a.example:8080/", []),
    ("https://a.example:443/", []),
    ("http://a.example:25/", ["reserved-port"]),
    ("gopher://a.example:25/0%0d%0aHELO", ["reserved-port", "encoded-delimiter", "encoded-delimiter"]),
    ("ftp://jane:secret@a.example/", ["password"]),
    ("ftp://jane:@a.example/", []),
    ("http://www.bank.example@evil.example/", ["host-in-login"]),
    ("http://3232235521/", ["number-host"]),
    ("http://010.8.8.8/", ["number-host"]),
    ("http://127.0.0.1/", []),
    ("http://www%2ebank.example@evil.example/", ["host-in-login"]),
    ("http://\u0430pple.example/", ["confusable-host"]),
    ("http://xn--pple-43d.example/", ["confusable-host"]),
    ("mailto:x@\u0430pple.example", ["confusable-host"]),
    ("http://\u65e5\u672cab.example/", []),
    ("http://\u044f\u043d\u0434\u0435\u043a\u0441.example/", []),
    ("http://a.example/%E2%80%AEfdp.exe", ["bidi"]),
]


@pytest.mark.parametrize(("url", "names"), WARNED)
def test_warnings(url: str, names: list[str]) -> None:
    assert [warning.name for warning in warnings(parse(url))] == names


def test_a_match_has_warnings_and_scanning_changes_nothing() -> None:
    (match,) = find_urls("HTTP://A.example:25/%7ejane/./")
    assert match.url == "HTTP://A.example:25/%7ejane/./"
    assert [str(warning) for warning in match.warnings] == [
        "reserved-port: port 25 is reserved and not the default of http"
    ]
    assert list(iter_urls(io.StringIO("HTTP://A.example:25/%7ejane/./"))) == [match]
