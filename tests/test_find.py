"""Finding URLs: the cases of data/find.toml at many cuts and every line end, and what the public functions promise."""

import bz2
import gzip
import io
import os
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from corpora.generate import generate

from cases import CASES, TABLES, Case
from files import Pipe, tarred
from invariants import Result, check_cuts, check_matches, check_offsets, check_rejected, scan
from sample import some
from urlmend import (
    RFC1738,
    Origin,
    Rejected,
    Scanner,
    Text,
    URLMatch,
    build,
    find_urls,
    iter_urls,
    linkify,
    normal_form,
    parse,
)
from urlmend.query import Query
from urlmend.stream import StreamScanner
from urlmend.text.limits import LOOKAHEAD, MAX_URL_LENGTH, MAX_WRAPPER_SPAN, MOST_BESIDE

LONG = "http://a.example/a/path/that/is/long/and/fills/the/line"


def urls(data: str | bytes, **options: Any) -> list[str]:
    return [match.url for match in find_urls(data, **options)]


def rejects(data: str | bytes, **options: Any) -> list[Rejected]:
    return scan([data], **options)[1]


# The cases


def files(case: Case) -> Iterator[tuple[Case, Any]]:
    """Yield *case* as text, and under each line end as bytes."""
    yield case, case.text
    for variant in case.variants():
        yield variant, variant.text.encode()


def check_case(case: Case) -> None:
    found: list[list[URLMatch]] = []
    for variant, data in files(case):
        at = (lambda n: n) if data is variant.text else (lambda n, text=variant.text: len(text[:n].encode()))
        result = matches, rejected = scan([data], **case.options)
        assert [(match.form, match.start, match.end, match.readings) for match in matches] == [
            (one.form, at(one.start), at(one.end), one.readings) for one in variant.found
        ]
        assert [(one.start, one.end, (one.text,)) for one in rejected] == [
            (at(one.start), at(one.end), one.readings) for one in variant.refused
        ]
        check_offsets(data, result)
        check_matches(matches)
        check_rejected(rejected)
        found.append(matches)
    rng = random.Random(case.text)
    _, data = rng.choice([*files(case)])
    check_cuts(data, [rng.randrange(len(data) + 1)], **case.options)
    # Matches do not depend on whether rejected candidates are wanted.
    assert find_urls(case.text, **case.options) == found[0]
    check_joined_less(case)


def check_joined_less(case: Case) -> None:
    for match in find_urls(case.text, join="none", **case.options):
        assert match.breaks == ()
        assert len(match.readings) == 1
    in_brackets = [one.readings for one in case.found if one.form in ("wrapper", "angle")]
    found = find_urls(case.text, join="wrapped", **case.options)
    assert [match.readings for match in found if match.form in ("wrapper", "angle")] == in_brackets
    assert all(match.url == match.raw for match in found if match.form in ("bare", "prefix"))


def check_case_at_many_cuts(case: Case) -> None:
    for variant, data in files(case):
        if data is not variant.text:
            rejected: list[Rejected] = []
            found = list(iter_urls(Pipe(data, 1), rejected=rejected.append, source="text", **case.options))
            assert (found, rejected) == scan([data], **case.options)
        # The cuts of characters, and of a CR alone, are among those of bytes and of CRLF.
        if data is not variant.text and {*"\r\n"} & {*variant.text} != {"\r"}:
            check_cuts(data, range(1 + len(data) % 13, len(data), 13), **case.options)


@pytest.mark.parametrize("check", [check_case, pytest.param(check_case_at_many_cuts, marks=pytest.mark.slow)])
@pytest.mark.parametrize("table", TABLES)
def test_cases(table: str, check: Callable[[Case], None], subtests: pytest.Subtests) -> None:
    for name, case in TABLES[table].items():
        with subtests.test(name):
            check(case)


def test_five_hyphens_have_sixteen_readings() -> None:
    """Only four are in doubt; the readings that drop the fewest hyphens, and of these the last ones, come first."""
    (match,) = find_urls("<URL:http://a.example/a-\nb-\nc-\nd-\ne-\nf>")
    choices = sorted(range(16), key=lambda bits: (bits.bit_count(), f"{bits:04b}"[::-1]))
    expected = ["".join(letter + "-" * (not bits >> n & 1) for n, letter in enumerate("abcd")) for bits in choices]
    assert match.readings == tuple(f"http://a.example/{start}e-f" for start in expected)
    assert match.more_readings


TRIMMED: tuple[tuple[str, str, str], ...] = (
    # a text, the URL, what was cut from its end
    ("(http://a.example/b...)", "http://a.example/b", "..."),
    ("<http://a.example/d.>", "http://a.example/d.", ""),
    ("http://a.example{p}Next", "http://a.example", "{p}"),
    ("http://a.example=20", "http://a.example", "=20"),
    ("ftp://a.example/b.{p}c", "ftp://a.example/b", ".{p}c"),
    ("news:1@a.example[17 c", "news:1@a.example", "[17"),
    ("gopher://a.example/1é{b}", "gopher://a.example/1é", "{b}"),
    ("telnet://a.example/'s", "telnet://a.example/", "'s"),
    ("news:1@a.example{p}.", "news:1@a.example", "{p}."),
    ("mailto:jane@a.example=20", "mailto:jane@a.example", ""),
    ('<URL:http://a.example/b">', "http://a.example/b", '"'),
)


@pytest.mark.parametrize(("text", "url", "trimmed"), TRIMMED)
def test_punctuation_trimmed_from_the_end(text: str, url: str, trimmed: str) -> None:
    for data in (text, text.encode(), f"see {text}\nand"):
        (match,) = find_urls(data)
        assert (match.url, match.raw, match.trimmed) == (url, url, trimmed)


# Chunks (SPEC 4.1)

CHUNKINGS = int(os.environ.get("URLMEND_CHUNKINGS", "8"))
"""How many random chunkings of a long text are tried by the slow tests; before a release, 10,000."""

WORDS = b"a letter of the old library has 12:30 std::map Note: that < is > Subject:x (or) -- >".split()


@cache
def long_text(size: int) -> tuple[bytes, Result]:
    """Return all cases and generated texts, scattered over prose, and what is in them."""
    rng = random.Random(1738)
    blocks = [case.text.encode() for case in CASES.values()]
    for kind in ("mail", "news", "docs"):
        blocks += [block for block, _ in generate(kind, size // 14, 1738, bare_breaks=True)]
    while sum(map(len, blocks)) < size:
        words = rng.choices(WORDS, k=rng.randrange(50, 4000))
        blocks.append(b"".join(word + rng.choice((b" ", b" ", b" ", b" ", b"\n")) for word in words))
    rng.shuffle(blocks)
    text = b"\n\n".join(blocks)
    return text, scan([text])


def check_chunkings(size: int, numbers: Sequence[int]) -> None:
    text, expected = long_text(size)
    assert len(expected[0]) > 800
    for number in numbers:
        rng = random.Random(number)
        longest = int(2 ** rng.uniform(12, 18)) if number % 10 else 500
        places = [0]
        while places[-1] < len(text):
            places.append(places[-1] + rng.randint(1, longest))
        assert scan([text[start:end] for start, end in pairwise(places)]) == expected, f"chunking {number}"


def test_random_chunkings() -> None:
    check_chunkings(100_000, range(1))


@pytest.mark.slow
def test_random_chunkings_of_a_long_text() -> None:
    check_chunkings(200_000, range(CHUNKINGS))
    text, expected = long_text(200_000)
    assert scan([text[n : n + 1] for n in range(len(text))]) == expected


TORN = f"http://a.example/{'b/' * 50}\n{'c/' * (LOOKAHEAD // 2)}"
ARCHIVED = "http://web.archive.example/web/20030101000000/\nhttp://b.example/cdefg/h.html"


@pytest.mark.parametrize(("text", "size"), [(f"{TORN} d", 117), (f"{TORN[:-2]} d", len(TORN) - 3), (ARCHIVED, 75)])
def test_what_decides_about_a_url_may_come_later(text: str, size: int) -> None:
    assert len(urls(text)[0]) == size
    check_cuts(text, range(0, len(text), 1 + len(text) // 50))


# Lazy and bounded (SPEC 4.1)


MESSAGE = b"From j@a.example Sat Feb  1 12:34:56 2003\nSubject: x\n\nhttp://a.example/b\n\n"
WORDS_AFTER = b"word " * (1 << 20)
# a file, how much of it may be read before the first match
LAZY = (
    (b"<URL:http://a.example/b>\n" + WORDS_AFTER, 1 << 20),
    (b"see http://a.example/b now\n" + WORDS_AFTER, 1 << 20),
    (b"http://a.example/b\n" + WORDS_AFTER, 1 << 20),
    (b"<URL:http://a.example/b-\nc>\n" + WORDS_AFTER, 1 << 20),
    (b"<URL:http://a.example/b never closed\n" + WORDS_AFTER, 1 << 20),
    (MESSAGE * 1000, 3000),
    (tarred({str(number): b"http://a.example/b " + b"x" * 3000 for number in range(200)}), 100_000),
)


@pytest.mark.parametrize(("data", "most"), LAZY, ids=range(len(LAZY)))
def test_the_first_match_comes_before_the_end_is_read(data: bytes, most: int) -> None:
    file = Pipe(data, 1500)
    matches = iter_urls(file)
    assert file.file.tell() == 0
    assert next(matches).url.startswith("http://a.example/b")
    assert file.file.tell() < most


LONG_LINES = {
    "words": b"word ",
    "no blank": b"a",
    "colons": b"a:b:",
    "brackets": b"((((",
    "angles": b"<<<<",
    "open wrappers": b"<URL:",
    "open wrappers with a scheme": b"<URL:http://a.example/",
    "schemes and a break": b"http:\n",
    "schemes": b"http://",
    "one URL": b"x/",
    "hosts": b"com.com.",
    "hyphens": b"-",
    "blank lines": b"\n",
    "quote marks": b"> ",
    "URLs": b"http://a.example/b ",
    "URLs at line ends": b"http://a.example/b/\n",
}


@pytest.mark.parametrize("name", some(LONG_LINES))
@pytest.mark.parametrize("start", some([b"", b"http://a.example/", b"<URL:a", b"mailto:"], 4))
def test_held_back_text_is_bounded(name: str, start: bytes) -> None:
    """`StreamScanner` is not public: only it knows how much text is undecided, and held back."""
    scanner = StreamScanner(Query(), Origin(), binary=True)
    filling = LONG_LINES[name] * ((1 << 16) // len(LONG_LINES[name]))
    assert not scanner.feed(start)
    for fed in range(1, 4):
        scanner.feed(filling)
        assert len(start) + fed * len(filling) - scanner.position < 150_000


# Places (SPEC 4.2)


def test_a_match_has_its_place() -> None:
    (match,) = find_urls("\n\n  é <URL:http://a.example/b-\n  c>.")
    assert match.url == str(match) == str(match.parts) == "http://a.example/b-c"
    assert (match.start, match.end, match.line, match.column) == (11, 34, 3, 10)
    assert (match.raw, match.form, match.trimmed) == ("http://a.example/b-\n  c", "wrapper", "")
    assert match.readings == ("http://a.example/b-c", "http://a.example/bc")
    assert match.ambiguous
    assert [tuple(item) for item in match.breaks] == [(19, "\n  ", True, "")]
    assert (match.origin, match.exact, match.parts.host) == (Origin(), True, "a.example")


def test_a_refused_candidate_has_its_place() -> None:
    (one,) = rejects("x\n <URL:http://a.example/%z\nz>")
    assert (one.text, one.raw) == ("http://a.example/%zz", "http://a.example/%z\nz")
    assert (one.start, one.end, one.line, one.column, one.form) == (8, 29, 2, 7, "wrapper")
    assert (one.rule, one.pos, one.origin) == ("escape", 18, Origin())


QUOTED: tuple[tuple[str, bool], ...] = (
    # a text, whether the line that its last URL starts in is quoted
    (">> > see http://a.example/b", True),
    ("|> |> b\n|> |> see http://a.example/b", True),
    ("| b | http://a.example/b\n| http://a.example/b |", False),
    ("Élodie> see\n > J.D.> b\n > J.D.> | <http://a.example/b> |\n", True),
    (": http://a.example/b", False),
    (": b\n: http://a.example/b\nc", True),
    (": b :\n: http://a.example/b :", False),
    ("\u203a see http://a.example/b", True),
    ("p->b\np->c = http://a.example/b", False),
    ("mysql> b\nmysql> http://a.example/b", False),
    ("# > http://a.example/b", False),
    ("> a\nhttp://a.example/b", False),
    ("a\r: > http://a.example/b", True),
    ("<http://a.example/\n> b>", False),
    ("> <URL:http://a.example/\n> b>", True),
    (f"> {'a' * 900} http://a.example/b", True),
    (f"> {'a' * 2000} http://a.example/b", False),  # the line starts farther left than a candidate sees
)


@pytest.mark.parametrize(("text", "quoted"), QUOTED)
def test_quoted_lines(text: str, quoted: bool) -> None:
    for data in (text, text.encode(), "x " * 3000 + "\n" + text):
        match = find_urls(data)[-1]
        assert match.quoted is quoted
        assert len(match.left) <= MOST_BESIDE


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (
            f"{LONG}/b/\n\n".encode() + b"J\xf6rg   Memo   [Page 7]\n\x0c\nMemo 12   1996\n\nc.html\n",
            f"{LONG}/b/c.html",
        ),
        (f"{LONG}/b/\nc.html".encode() + b"\xb4 d", f"{LONG}/b/c.html"),
        (f"{LONG}/b/\nc.html".encode() + b"\xad\nd ", f"{LONG}/b/c.html"),
        (b"http://a.example/b/\ntoo\xa0\xa0&nbspbad&it's;too;late\n", "http://a.example/b/"),
        (b"http://a.example/b\xffc", "http://a.example/b"),
        (b"http://a.example/\xc3\xa9\xe9", "http://a.example/é"),
    ],
)
def test_places_are_true_beside_bytes_that_are_not_utf_8(data: bytes, found: str) -> None:
    data += b" http://a.example/"
    first, second = find_urls(data)
    assert first.url == found
    assert data[first.start : first.end].decode(errors="replace") == first.raw
    assert data[second.start : second.end] == b"http://a.example/"


# Origins (SPEC 5)


PIECES = (
    ("<URL:http://a.example/b", "c>"),
    ("<http://a.example/b\n", "c>"),
    ("http://a.example/b", "c"),
    ("http://a.example/b/\n", "c.html"),
)


@pytest.mark.parametrize("pieces", PIECES)
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


def test_lines_are_counted_in_each_origin() -> None:
    def two(_: Any) -> Iterator[Text]:
        yield Text("\nhttp://a.example/b", Origin(part="1"))
        yield Text(b"\n\n http://a.example/c", Origin(part="2"))

    assert [(m.url, m.start, m.line, m.column, m.origin.part) for m in iter_urls(io.BytesIO(), source=two)] == [
        ("http://a.example/b", 1, 2, 1, "1"),
        ("http://a.example/c", 3, 3, 2, "2"),
    ]


# Errors (SPEC 4.4)


def test_a_scanner_is_closed_once() -> None:
    scanner = Scanner()
    scanner.feed("http://a.example/")
    assert len(scanner.close()) == 1
    assert scanner.close() == []
    with pytest.raises(ValueError, match="make another one"):
        scanner.feed("http://b.example/")


def feed(*chunks: Any) -> None:
    scanner = Scanner()
    for chunk in chunks:
        scanner.feed(chunk)


def read(*pieces: Any) -> None:
    """Read a file that returns these *pieces*."""
    list(iter_urls(SimpleNamespace(read=Mock(side_effect=pieces))))


WRONG: tuple[tuple[Any, tuple[Any, ...], dict[str, Any], type[Exception], str], ...] = (
    *((feed, (chunk,), {}, TypeError, f"not {type(chunk).__name__}") for chunk in (None, 7, [""], bytearray(b"x"))),
    (feed, (b"x", "x"), {}, TypeError, "bytes or str"),
    (feed, ("x", b"x"), {}, TypeError, "bytes or str"),
    *((iter_urls, (file,), {}, TypeError, "a file object or a pathlib.Path, not ") for file in ("f", b"f", None, 7)),
    (iter_urls, ("f",), {}, TypeError, "open the file or give its Path; find_urls takes a text"),
    *(
        (read, pieces, {}, TypeError, "bytes each time, or str each time, not ")
        for pieces in ((memoryview(b"x"),), (b"x", bytearray(b"x")), (b"x", "x"), ("x", b"x"), ("x", b""))
    ),
    (iter_urls, (io.BytesIO(),), {"source": "fax"}, ValueError, "source must be one of .*text.*, not 'fax'"),
    (find_urls, ("",), {"join": "all"}, ValueError, "join must be one of wrapped, evident, none, not 'all'"),
    (Scanner, (), {"join": "all"}, ValueError, "join"),
    (iter_urls, (Path("f"),), {"jobs": -1}, ValueError, "jobs must be a number, 0 or more, not -1"),
    *(
        (function, (given,), {"profile": "html"}, ValueError, "profile must be one of web, rfc1738, not 'html'")
        for function, given in ((find_urls, ""), (iter_urls, io.BytesIO()), (parse, "x:"), (normal_form, parse("x:a")))
    ),
    *(
        (linkify, ("ü http://a.example/", matches), {}, ValueError, "those of this text, in order: 'http://a.example/'")
        for matches in (find_urls("ü http://a.example/".encode()), 2 * find_urls("ü http://a.example/"))
    ),
    (parse, (b"http://a/",), {}, TypeError, "not bytes: decode it first"),
    (parse, (bytearray(b"http://a/"),), {}, TypeError, "not bytearray: decode it first"),
    (parse, (None,), {}, TypeError, "takes a str, not NoneType"),
    (parse, (parse("http://a/"),), {}, TypeError, "takes a str, not HttpURL"),
    (parse, ("http://a/", 1), {}, TypeError, "profile must be a Profile, such as urlmend.WEB, or its name, not 1"),
    (normal_form, ("http://a.example/b",), {}, TypeError, "parse it first"),
    (build, (b"http",), {"host": "a"}, TypeError, "scheme is a str"),
    (build, ("http",), {"host": "a", "port": 80}, TypeError, "port is given as str, not int"),
    (build, ("http",), {"host": b"a"}, TypeError, "host is given as str, not bytes"),
    (build, ("http",), {"host": "a", "hpath": ("b", b"c")}, TypeError, "hpath is given as str, not bytes"),
    (build, ("http",), {"host": "a", "hpath": {"b": "c"}}, TypeError, "hpath is given as str, not dict"),
    (build, ("http",), {"host": ("a", "b")}, TypeError, "host is given as str, not tuple"),
    (build, ("ftp",), {"host": "h", "password": "p"}, TypeError, "no part password, or only together with another"),
    (build, ("news",), {"wpath": "x"}, TypeError, "no part wpath"),
    *(
        (find_urls, ("",), {"min_confidence": least}, ValueError, f"from 0 to 1, not {least}")
        for least in (-0.1, 1.1, float("nan"), float("inf"))
    ),
)


@pytest.mark.parametrize(("function", "arguments", "options", "error", "message"), WRONG)
def test_wrong_calls(
    function: Any, arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        function(*arguments, **options)


@pytest.mark.parametrize("packed", [bytes, bz2.compress, gzip.compress])
def test_errors_of_the_file_come_after_the_matches_before(packed: Callable[[bytes], bytes]) -> None:
    class Failing(io.BytesIO):
        def read(self, n: int | None = -1) -> bytes:
            if data := super().read(n and 100):
                return data
            raise OSError(5, "Input/output error")

    found: list[URLMatch] = []
    with pytest.raises(OSError, match="Input/output error") as error:
        found.extend(iter_urls(Failing(packed(b"http://a.example/b c\n" + b"word " * 2000)[:-5])))
    assert type(error.value) is OSError
    assert [match.url for match in found] == ["http://a.example/b"]


# Limits (SPEC 4.5)

LONGEST = "http://a.example/".ljust(MAX_URL_LENGTH, "b")


@pytest.mark.parametrize("after", ["", " c", "\nc", ">", '"', "."])
def test_the_longest_url_is_found(after: str) -> None:
    assert urls(LONGEST + after) == [LONGEST]
    assert urls("http://a.example/b" + ".--" * 5000 + after) == ["http://a.example/b"]
    assert rejects(LONGEST + after) == []


@pytest.mark.parametrize("more", ["b", "b c", "b\nc", "b/" * MAX_URL_LENGTH])
def test_a_longer_url_is_refused_and_not_cut(more: str) -> None:
    assert urls(f"{LONGEST}{more} http://a.example/c") == ["http://a.example/c"]
    assert [one.rule for one in rejects(LONGEST + more)] == ["length"]


def test_a_url_of_more_lines_than_are_joined_is_doubtful() -> None:
    rows = [f"see http://a.example/{'part' * 12}/", *(f"a{number}{'kept-' * 11}/" for number in range(10, 50))]
    found = [match for lines in (40, 41) for match in find_urls("\n".join(rows[:lines]))]
    assert [(len(match.breaks), round(match.confidence, 1), len(match.readings)) for match in found] == [
        (39, 1, 2),
        (39, 0, 3),
    ]


def test_urls_inside_a_wrapper_that_is_too_long_are_found() -> None:
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
            rejected = scan([text[at : at + size] for at in range(0, len(text), size)])[1]
            assert [one.rule for one in rejected] == rules
            assert all(one.start == len("<URL:") and one.end == one.start + MAX_WRAPPER_SPAN for one in rejected)


# Options: join, profile, forms

PROFILES: tuple[tuple[str, list[str], list[str]], ...] = (
    # text, URLs under WEB, URLs under RFC1738
    ("http://a.example/~b", ["http://a.example/~b"], []),
    ("<URL:http://a.example/b#c>", ["http://a.example/b#c"], []),
    ("http://a.example/b", ["http://a.example/b"], ["http://a.example/b"]),
    ("http://a.example/bé", ["http://a.example/bé"], ["http://a.example/b"]),
)


@pytest.mark.parametrize(("text", "web", "rfc1738"), PROFILES)
def test_profiles(text: str, web: list[str], rfc1738: list[str]) -> None:
    for data in (text, text.encode()):
        assert urls(data) == web
        assert urls(data, profile=RFC1738) == rfc1738
        assert (urls(data, profile="web"), urls(data, profile="rfc1738")) == (web, rfc1738)


# Confidence (SPEC 2.1): what holds for any model


def test_each_hyphen_at_a_line_end_makes_a_bracketed_url_less_sure() -> None:
    torn = ["<URL:http://a.example/b" + "-\nc" * hyphens + ">" for hyphens in range(4)]
    found = [match.confidence for text in torn for match in find_urls(text)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 4
    (settled, _) = find_urls(f"{torn[1]} and http://a.example/b-c is it")
    assert settled.confidence == 1
    assert not settled.ambiguous


@cache
def doubtful() -> list[tuple[URLMatch, bool]]:
    """Return the URLs of generated texts whose confidence is below one, and whether each is right."""
    found: list[tuple[URLMatch, bool]] = []
    for kind in ("mail", "news", "docs"):
        blocks = list(generate(kind, 150_000, 3, bare_breaks=True))
        truths = {truth.start: truth.url for _, block in blocks for truth in block}
        matches = find_urls(b"".join(block for block, _ in blocks))
        found += [(match, truths.get(match.start) == match.url) for match in matches if not match.ambiguous]
    return [(match, right) for match, right in found if match.confidence < 1]


def test_confidence_is_how_often_a_url_is_right() -> None:
    for least, most, tolerance in ((0, 1, 0.05), (0, 0.9, 0.25), (0.9, 1, 0.05)):
        some = [(match.confidence, right) for match, right in doubtful() if least <= match.confidence < most]
        mean, right = (sum(column) / len(some) for column in zip(*some, strict=True))
        assert abs(mean - right) < tolerance, (least, len(some), mean, right)


def test_joined_urls_are_more_likely_than_not() -> None:
    """A URL that goes on has the probability of each of its joins; one that does not, that it ends."""
    for match, _ in doubtful():
        assert 0 < match.confidence < 1
        if len(match.breaks) == 1:
            assert match.confidence > 0.5
            assert match.url != match.raw.partition("\n")[0] == match.readings[-1]


def test_min_confidence_removes_less_certain_urls_only() -> None:
    text = "".join(f"{match.left}{match.raw}{match.right or ' so'}\n\n" for match, _ in doubtful()[:120])
    matches = find_urls(text)
    levels = sorted({match.confidence for match in matches})
    assert len(levels) > 5
    for least in (0, levels[0], levels[3], (levels[-2] + levels[-1]) / 2, 1):
        left = [match for match in matches if match.confidence >= least]
        assert find_urls(text, min_confidence=least) == left
        assert scan(list(text), min_confidence=least)[0] == left
        assert list(iter_urls(io.StringIO(text), min_confidence=least)) == left


def test_filtered_urls_still_count() -> None:
    """It settles the hyphens of others, and URLs inside it are not found."""
    first, _ = find_urls(text := "<http://www.a-\nb.example/> <http://www.ab.example/c-\nd>")
    assert first.url == "http://www.ab.example/"
    assert urls(text, min_confidence=1) == ["http://www.ab.example/"]
    assert urls("<URL:http://a.example/b-\nc?http://b.example/>", min_confidence=1) == []
