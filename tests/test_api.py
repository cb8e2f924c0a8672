"""The public functions: lazy, bounded, indifferent to content, strict about arguments (SPEC 4)."""

import io
import pickle
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from urlmend import RFC1738, WEB, Origin, Rejected, Scanner, Text, URLMatch, find_urls, iter_urls
from urlmend.query import Query
from urlmend.scan.candidates import CandidateScanner, Stretch
from urlmend.scanner import StreamScanner
from urlmend.text.limits import MAX_URL_LENGTH, MAX_WRAPPER_SPAN, MOST_LEFT

MEGABYTE = 1 << 20
HELD_AT_MOST = 300_000
"""What a scanner may hold back, in characters: the longest URL, and what goes before and after it."""


class Endless:
    """A file that says *text* first, then filling for ever; reading past *most* bytes is a mistake."""

    def __init__(self, text: bytes, filling: bytes = b"word " * 20 + b"\n", most: int = 4 * MEGABYTE) -> None:
        self.text, self.filling, self.most = text, filling, most
        self.given = 0

    def read(self, n: int) -> bytes:
        if self.given >= self.most:
            raise AssertionError(self.given)  # read too far
        data = self.text[self.given : self.given + n] or (self.filling * (n // len(self.filling) + 1))[:n]
        self.given += len(data)
        return data


class Failing:
    """A file whose disk fails after *text*."""

    def __init__(self, text: bytes) -> None:
        self.pieces = iter([text])

    def read(self, n: int) -> bytes:
        assert n > 0
        for piece in self.pieces:
            return piece
        raise OSError(5, "Input/output error")


def urls(data: str | bytes, **options: Any) -> list[str]:
    return [match.url for match in find_urls(data, **options)]


def rejects(data: str | bytes, **options: Any) -> list[Rejected]:
    found: list[Rejected] = []
    find_urls(data, rejected=found.append, **options)
    return found


# 4.1 Lazy and bounded


LONG = "http://a.example/a/path/that/is/long/and/fills/the/line"


@pytest.mark.parametrize(
    "text",
    [
        b"<URL:http://a.example/b>\n",
        b"see http://a.example/b now\n",
        b"http://a.example/b\n",
        b"<URL:http://a.example/b-\nc>\n",
        b"<URL:http://a.example/b never closed\n",
    ],
)
def test_the_first_match_comes_before_the_end_is_read(text: bytes) -> None:
    file = Endless(text)
    match = next(iter(iter_urls(file)))
    assert match.url.startswith("http://a.example/b")
    assert match.start in (0, 4, 5)
    assert file.given < file.most


def test_nothing_is_read_before_it_is_asked_for() -> None:
    file = Endless(b"")
    iter_urls(file)
    assert file.given == 0


def test_only_read_with_a_size_is_used() -> None:
    class Reader:
        sizes: list[int] = []  # noqa: RUF012 -- one instance

        def __init__(self) -> None:
            self._file = io.BytesIO(b"<URL:http://a.example/b>")

        def __getattribute__(self, name: str) -> Any:
            # A `name` is looked for, and need not be there.
            if name not in ("read", "name", "_file", "sizes"):
                raise AssertionError(name)
            return object.__getattribute__(self, name)

        def read(self, n: int, /) -> bytes:
            self.sizes.append(n)
            return self._file.read(n)

    assert [str(match) for match in iter_urls(Reader())] == ["http://a.example/b"]
    assert all(size > 0 for size in Reader.sizes)


LONG_LINES = {
    "words": b"word ",
    "no blank": b"a",
    "colons": b"a:b:",
    "brackets": b"((((",
    "angles": b"<<<<",
    "open wrappers": b"<URL:",
    "open wrappers with a scheme": b"<URL:http://a.example/",
    "schemes": b"http://",
    "schemes and a break": b"http:\n",
    "one URL": b"x/",
    "hosts": b"com.com.",
    "hyphens": b"-",
    "blank lines": b"\n",
    "quote marks": b"> ",
    "URLs": b"http://a.example/b ",
    "URLs at line ends": b"http://a.example/b/\n",
}


@pytest.mark.parametrize("name", LONG_LINES)
@pytest.mark.parametrize(
    "start",
    [b"", *(pytest.param(url, marks=pytest.mark.slow) for url in (b"http://a.example/", b"<URL:a", b"mailto:"))],
)
def test_what_is_held_back_is_bounded(name: str, start: bytes) -> None:
    scanner = CandidateScanner(Origin(), Query(), binary=True)
    filling = LONG_LINES[name]
    chunk = filling * ((1 << 16) // len(filling))
    assert not list(scanner.feed(start))
    for _ in range(6):
        list(scanner.feed(chunk))
        assert len(scanner._view.text) + scanner._fresh_size < HELD_AT_MOST  # noqa: SLF001 -- the memory is what is tested


def test_twenty_megabytes_in_one_line() -> None:
    scanner = CandidateScanner(Origin(), Query(), binary=True)
    found = 0
    chunk = b"x" * 65_000 + b" <URL:http://a.example/b>"
    size = 0
    while size < 20 * MEGABYTE:
        found += len(list(scanner.feed(chunk)))
        size += len(chunk)
        assert len(scanner._view.text) < HELD_AT_MOST  # noqa: SLF001 -- the memory is what is tested
    found += len(list(scanner.close()))
    assert found == size // len(chunk)


# 4.2 Places


def test_a_match_says_where_it_stands() -> None:
    (match,) = find_urls("\n\n  é <URL:http://a.example/b-\n  c>.")
    assert match.url == str(match) == str(match.parts) == "http://a.example/b-c"
    assert (match.start, match.end) == (11, 34)
    assert (match.line, match.column) == (3, 10)
    assert match.raw == "http://a.example/b-\n  c"
    assert match.form == "wrapper"
    assert match.readings == ("http://a.example/b-c", "http://a.example/bc")
    assert match.ambiguous
    assert [tuple(item) for item in match.breaks] == [(19, "\n  ", True, "")]
    assert match.trimmed == ""
    assert match.origin == Origin()
    assert match.parts.host == "a.example"
    assert repr(match) == "<URLMatch 'http://a.example/b-c' wrapper 3:10 confidence=0.991>"


def test_bytes_count_as_bytes_and_characters_as_characters() -> None:
    text = "é😀 http://a.example/é"
    assert [(m.start, m.end) for m in find_urls(text)] == [(3, 21)]
    assert [(m.start, m.end) for m in find_urls(text.encode())] == [(7, 26)]


def test_what_was_cut_from_the_tail_is_told() -> None:
    matches = find_urls("(http://a.example/b...) http://a.example/c, <http://a.example/d.>")
    assert [match.trimmed for match in matches] == ["...", ",", ""]


def test_the_file_s_name_is_the_origin() -> None:
    file = io.BytesIO(b"http://a.example/b")
    file.name = "links.txt"
    assert [match.origin.source for match in iter_urls(file)] == ["links.txt"]


QUOTES: tuple[tuple[str, bool], ...] = (
    # text, whether the line that the last URL starts in is quoted
    ("http://a.example/b", False),
    ("> http://a.example/b", True),
    (">> > see http://a.example/b", True),
    ("| http://a.example/b", True),
    ("JD> see <http://a.example/b>", True),
    (": http://a.example/b", False),
    (": > http://a.example/b", True),
    ("# > http://a.example/b", False),
    ("// http://a.example/b", False),
    ("> a\nhttp://a.example/b", False),
    ("a\r> http://a.example/b", True),
    ("a > http://a.example/b", False),
    ("<http://a.example/\n> b>", False),
    ("> <URL:http://a.example/\n> b>", True),
    (f"> {'a' * 200} http://a.example/b", True),
    (f"> {'a' * 900} http://a.example/b", True),
    (f"> {'a' * 2000} http://a.example/b", False),  # the line starts farther left than a candidate sees
)


@pytest.mark.parametrize(("text", "quoted"), QUOTES)
def test_a_match_tells_whether_its_line_is_quoted(text: str, quoted: bool) -> None:
    for data in (text, text.encode(), "x " * 3000 + "\n" + text):
        match = find_urls(data)[-1]
        assert match.quoted is quoted
        assert len(match.left) <= MOST_LEFT


def test_places_are_exact_unless_a_source_says_otherwise() -> None:
    (match,) = find_urls("http://a.example/b")
    assert match.exact
    assert not replace(match, exact=False).exact


MAIL = (
    b"From: jane@a.example\nMessage-ID: <1@a.example>\n\nhttp://a.example/c <http://a.example/c-\nd> http://a..example/"
)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_value_can_be_pickled(protocol: int) -> None:
    rejected: list[Rejected] = []
    matches = list(iter_urls(io.BytesIO(MAIL), source="message", rejected=rejected.append))
    assert matches[0].origin.message_id == "1@a.example"
    values = [*matches, *rejected, *(match.parts for match in matches), matches[0].origin, WEB, RFC1738, Query("mbox")]
    assert pickle.loads(pickle.dumps(values, protocol)) == values  # noqa: S301 -- our own
    (again,) = pickle.loads(pickle.dumps([WEB], protocol))  # noqa: S301 -- our own
    assert again is WEB


def test_a_text_may_begin_inside_a_file() -> None:
    text = "a\r\nb http://a.example/b <http://a.example/c\n/d>\nhttp://a.example/%zz"
    rejected: list[Rejected] = []
    inside: list[Rejected] = []
    matches = find_urls(text, rejected=rejected.append)
    for data in (text, text.encode()):
        inside.clear()
        stretch = Stretch(5000, 70, 5000)
        scanner = StreamScanner(Query(), Origin(), inside.append, stretch, binary=isinstance(data, bytes))
        found = [match for n in range(len(data)) for match in scanner.feed(data[n : n + 1])] + scanner.close()
        assert found == [replace(m, start=m.start + 5000, end=m.end + 5000, line=m.line + 69) for m in matches]
        assert inside == [replace(r, start=r.start + 5000, end=r.end + 5000, line=r.line + 69) for r in rejected]


def test_no_cap_on_the_number_of_results() -> None:
    assert len(find_urls("http://a.example/b " * 20_000)) == 20_000


# 4.3 Sans-IO


def test_a_closed_scanner_takes_no_more() -> None:
    scanner = Scanner()
    scanner.feed("http://a.example/")
    assert len(scanner.close()) == 1
    assert scanner.close() == []
    with pytest.raises(ValueError, match="make another one"):
        scanner.feed("http://b.example/")


@pytest.mark.parametrize("chunk", [None, 7, ["http://a.example/"], bytearray(b"http://a.example/")])
def test_a_scanner_takes_bytes_or_str(chunk: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(chunk).__name__}"):
        Scanner().feed(chunk)


@pytest.mark.parametrize("fileobj", ["list.mbox", b"list.mbox", None, 7])
def test_iter_urls_takes_a_file_or_a_path(fileobj: Any) -> None:
    with pytest.raises(TypeError, match=f"a file object or a pathlib.Path, not {type(fileobj).__name__}"):
        iter_urls(fileobj)


# 4.4 Errors


def test_an_unknown_source_or_join_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"source must be one of .*text.*, not 'fax'"):
        iter_urls(io.BytesIO(b""), source="fax")
    for call in (lambda: find_urls("", join="all"), lambda: Scanner(join="all")):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="join must be one of wrapped, evident, none, not 'all'"):
            call()
    with pytest.raises(ValueError, match="join"):
        list(iter_urls(io.BytesIO(b"x"), join="all"))  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "second"), [(b"x", "x"), ("x", b"x")])
def test_bytes_and_str_do_not_mix(first: Any, second: Any) -> None:
    scanner = Scanner()
    scanner.feed(first)
    with pytest.raises(TypeError, match="bytes or str"):
        scanner.feed(second)


def test_errors_of_the_file_pass_through_after_the_matches_before() -> None:
    found: list[URLMatch] = []
    matches = iter_urls(Failing(b"http://a.example/b c\n" + b"word " * 2000))
    with pytest.raises(OSError, match="Input/output error"):
        found.extend(matches)
    assert [match.url for match in found] == ["http://a.example/b"]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (
            f"{LONG}/b/\n\n".encode() + b"J\xf6rg Maas   Memo   [Page 7]\n\x0c\nMemo 12   1996\n\nc.html\n",
            "http://a.example/a/path/that/is/long/and/fills/the/line/b/c.html",
        ),
        (
            b"http://a.example/a/path/that/is/long/and/fills/the/line/b-\nc.html\xb4 d",
            "http://a.example/a/path/that/is/long/and/fills/the/line/b-c.html",
        ),
        (
            b"http://a.example/a/path/that/is/long/and/fills/the/line/b-\nc.html\xad\nd ",
            "http://a.example/a/path/that/is/long/and/fills/the/line/b-c.html",
        ),
        (b"http://a.example/b/\ntoo\xa0\xa0&nbspbad&it's;too;late\n", "http://a.example/b/"),
    ],
)
def test_places_are_true_where_what_was_joined_is_not_utf_8(data: bytes, found: str) -> None:
    first, second = find_urls(data + b" http://a.example/")
    assert first.url == found
    assert data[first.start : first.end].decode(errors="replace") == first.raw
    assert (data + b" http://a.example/")[second.start : second.end] == b"http://a.example/"


def test_undecodable_bytes_end_a_url() -> None:
    assert urls(b"http://a.example/b\xffc http://a.example/d") == ["http://a.example/b", "http://a.example/d"]
    assert urls(b"http://a.example/\xc3\xa9\xe9 <http://a.example/d>") == ["http://a.example/é", "http://a.example/d"]
    assert urls("http://a.example/é".encode("latin-1") + b" http://a.example/d") == [
        "http://a.example/",
        "http://a.example/d",
    ]


@pytest.mark.parametrize(
    "soup", [bytes(range(256)) * 8, b"\x00" * 500, b"\xf0\x9f" * 99, b":" * 5000, b"<URL:\xff>" * 50]
)
def test_no_content_raises(soup: bytes) -> None:
    assert urls(soup + b"\n\n http://a.example/b " + soup)[0] == "http://a.example/b"
    assert urls(soup.decode("latin-1") + "\n\n http://a.example/b " + "\ud800")[0] == "http://a.example/b"


# 2.1 join, 3.4 profile


JOINS: tuple[tuple[str, str, list[str]], ...] = (
    # text, join, URLs
    ("<URL:http://a.example/b\nc>", "evident", ["http://a.example/bc"]),
    ("<URL:http://a.example/b\nc>", "wrapped", ["http://a.example/bc"]),
    ("<URL:http://a.example/b\nc>", "none", []),
    ("<URL:http://a.example/b>", "none", ["http://a.example/b"]),
    (f"{LONG}/\nc.html d", "evident", [f"{LONG}/c.html"]),
    (f"{LONG}/\nc.html d", "wrapped", [f"{LONG}/"]),
    (f"{LONG}/\nc.html d", "none", [f"{LONG}/"]),
)


@pytest.mark.parametrize(("text", "join", "expected"), JOINS)
def test_join(text: str, join: Any, expected: list[str]) -> None:
    assert urls(text, join=join) == expected
    assert [str(match) for match in iter_urls(io.StringIO(text), join=join)] == expected


PROFILES: tuple[tuple[str, list[str], list[str]], ...] = (
    # text, URLs under WEB, URLs under RFC1738
    ("http://a.example/~b", ["http://a.example/~b"], []),
    ("<URL:http://a.example/b#c>", ["http://a.example/b#c"], []),
    ("http://a.example/b", ["http://a.example/b"], ["http://a.example/b"]),
    ("http://a.example/bé", ["http://a.example/bé"], ["http://a.example/b"]),
    ("ftp://a.example/b;type=i", ["ftp://a.example/b;type=i"], ["ftp://a.example/b;type=i"]),
)


@pytest.mark.parametrize(("text", "web", "rfc1738"), PROFILES)
def test_profile(text: str, web: list[str], rfc1738: list[str]) -> None:
    for data in (text, text.encode()):
        assert urls(data) == web
        assert urls(data, profile=RFC1738) == rfc1738


def test_a_match_tells_its_departures() -> None:
    matches = find_urls("http://a.example/b http://a.example/~b#c")
    assert [match.departures for match in matches] == [(), ("fragment", "tilde")]
    assert [match.departures for match in find_urls("http://a.example/b", profile=RFC1738)] == [()]


# 3.1 Rejected


def test_what_is_refused_is_told() -> None:
    (one,) = rejects("x\n <URL:http://a.example/%z\nz>")
    assert one.text == "http://a.example/%zz"
    assert one.raw == "http://a.example/%z\nz"
    assert (one.start, one.end, one.line, one.column, one.form) == (8, 29, 2, 7, "wrapper")
    assert one.rule == one.error.rule == "escape"
    assert one.pos == one.error.pos == 18
    assert one.origin == Origin()


def test_nothing_is_told_unless_asked_for() -> None:
    assert find_urls("http://a..example/") == []


# 4.5 Limits


LONGEST = "http://a.example/".ljust(MAX_URL_LENGTH, "b")


@pytest.mark.parametrize(
    "after",
    [
        *("", " c", "\nc", ">", '"', "."),
    ],
)
def test_the_longest_url_is_found(after: str) -> None:
    assert urls(LONGEST + after) == [LONGEST]
    assert rejects(LONGEST + after) == []


@pytest.mark.parametrize("more", ["b", "b c", "b\nc", "b/" * MAX_URL_LENGTH])
def test_a_longer_url_is_refused_and_not_cut(more: str) -> None:
    assert urls(f"{LONGEST}{more} http://a.example/c") == ["http://a.example/c"]
    assert len(rejects(LONGEST + more)) == 1


def test_a_longer_url_is_refused_for_its_length() -> None:
    (one,) = rejects(f"{LONGEST}b")
    assert one.rule == one.error.rule == "length"


def test_a_longer_span_is_no_wrapper_and_its_inside_is_read() -> None:
    url = "http://a.example/b"
    filling = "\n" + "  " * ((MAX_WRAPPER_SPAN - len(url)) // 2 - 20)
    assert [match.form for match in find_urls(f"<URL:{url}{filling}>")] == ["wrapper"]
    matches = find_urls(f"<URL:{url}{filling}{filling}> <URL:{url}>")
    assert [(match.form, match.url) for match in matches] == [("bare", url), ("wrapper", url)]


@pytest.mark.parametrize(
    ("inside", "rules"),
    [
        (f"http://a.example/b\n{'b' * MAX_WRAPPER_SPAN}>", ["length"]),
        (f"http://a.example/b\r\n{'b' * MAX_WRAPPER_SPAN}>", ["length"]),
        (f"http://a.example/é\n{'é ' * MAX_WRAPPER_SPAN}>", ["length"]),
        (f"http://a.example/b\n\n{'b' * MAX_WRAPPER_SPAN}>", []),
        (f"http://a.example/b\n{'b' * 100} <{'b' * MAX_WRAPPER_SPAN}>", []),
        (f"http://a.example/b\n{'b' * 100}>", []),
    ],
)
def test_a_longer_span_is_refused_for_its_length(inside: str, rules: list[str]) -> None:
    for text in (f"<URL:{inside}", f"<URL:{inside}".encode()):
        for size in (len(text), 1000):
            rejected: list[Rejected] = []
            scanner = Scanner(rejected=rejected.append)
            for at in range(0, len(text), size):
                scanner.feed(text[at : at + size])
            scanner.close()
            assert [one.rule for one in rejected] == rules
            assert all(one.start == len("<URL:") and one.end == one.start + MAX_WRAPPER_SPAN for one in rejected)


# 5 Origins

PARTS = (
    ("<URL:http://a.example/b", "c>"),
    ("<http://a.example/b\n", "c>"),
    ("http://a.example/b", "c"),
    ("http://a.example/b/\n", "c.html"),
)


@pytest.mark.parametrize("pieces", PARTS)
@pytest.mark.parametrize("binary", [False, True])
def test_no_url_spans_two_origins(pieces: tuple[str, str], binary: bool) -> None:
    origins = Origin(source="x", message=1), Origin(source="x", message=2)

    def two(_: Any) -> Iterator[Text]:
        for piece, origin in zip(pieces, origins, strict=True):
            for character in piece:
                yield Text(character.encode() if binary else character, origin)

    (match,) = iter_urls(io.BytesIO(), source=two)
    assert match.url in ("http://a.example/b", "http://a.example/b/")
    assert match.origin is origins[0]


def test_each_origin_counts_for_itself() -> None:
    def two(_: Any) -> Iterator[Text]:
        yield Text("\nhttp://a.example/b", Origin(part="1"))
        yield Text(b"\n\n http://a.example/c", Origin(part="2"))

    assert [(m.url, m.start, m.line, m.column, m.origin.part) for m in iter_urls(io.BytesIO(), source=two)] == [
        ("http://a.example/b", 1, 2, 1, "1"),
        ("http://a.example/c", 3, 3, 2, "2"),
    ]
