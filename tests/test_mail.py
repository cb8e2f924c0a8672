"""Mail and news: each case of data/mail.txt as it is, in other files and in small reads; origins, places and limits."""

import io
import quopri
import re
from base64 import encodebytes
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from email.utils import parsedate_to_datetime
from itertools import groupby, product
from typing import Any

import pytest

from files import Pipe
from messages import CASES, DATA, Case, Found
from sample import some
from urlmend import Rejected, URLMatch, iter_texts, iter_urls
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import Origin, compression
from urlmend.sources.header import MAX_FIELDS_WITH_URLS
from urlmend.sources.mail import MAX_PART_DEPTH, MAX_PARTS
from urlmend.sources.mbox import MboxReader
from urlmend.sources.reader import BLOCK_SIZE

LINE_END = re.compile(r"\r\n|\r|\n")
HEAD = b"From: jane@a.example\n"
FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"
HTML = b"Content-Type: text/html\n\n"
URL = b"http://a.example/"


def found(data: bytes, source: str = "auto") -> list[URLMatch]:
    return list(iter_urls(io.BytesIO(data), source=source))


def summary(match: URLMatch, data: bytes) -> Found:
    origin = match.origin
    flags = {"quoted": match.quoted, "signature": origin.signature, "attributes": origin.attributes}
    return Found(
        origin.message,
        origin.part,
        match.url,
        frozenset(name for name, is_set in flags.items() if is_set),
        None if match.exact else (match.line, match.line + data.count(b"\n", match.start, match.end)),
    )


def check_place(data: bytes, match: URLMatch) -> None:
    place = data[match.start : match.end]
    if match.exact:
        encoding = next(name for name in ("utf-8", "utf-16-le", "utf-16-be") if match.raw.encode(name) == place)
    else:
        encoding = "utf-8"
        assert match.start == 0 or data[match.start - 1 : match.start] == b"\n"
        assert match.end == len(data) or data[match.end : match.end + 1] == b"\n"
    before = data[: match.start].removeprefix(BOM_UTF8)
    ends = list(LINE_END.finditer(before.decode(encoding, "replace")))
    assert match.line == len(ends) + 1
    if encoding == "utf-8":
        assert match.column == len(before) - max(before.rfind(b"\n"), before.rfind(b"\r"))


def check(data: bytes, expected: Iterable[Found]) -> list[URLMatch]:
    matches = found(data)
    assert [summary(match, data) for match in matches] == list(expected)
    for match in matches:
        check_place(data, match)
    return matches


def in_mbox(data: bytes) -> bytes:
    quoted = re.sub(rb"(?m)^(>*From )", rb">\1", data)
    return b"From jane@a.example Sat Feb 17 10:00:00 1996\n" + quoted + b"\n\n"


def in_batch(data: bytes) -> bytes:
    return b"#! rnews %d\n" % len(data) + data


def in_folder(data: bytes) -> bytes:
    return b"\1\1\1\1\n" + data + b"\n\1\1\1\1\n"


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: Case) -> None:
    matches = check(case.data, case.found)
    assert {defect for match in matches for defect in match.origin.defects} == case.defects
    assert found(case.data, case.source) == matches
    if not case.alone:
        check(case.data.replace(b"\n", b"\r\n"), case.found)


BEFORE = {
    "message": b"X-A: " + b"a" * 600 + b"\n",
    "mbox": FROM + b"\n" + b"words\n" * 100 + b"\n",
    **dict.fromkeys(["feed", "icalendar", "xml"], b"\n" * 600),
}
"""Bytes that show what the file is: what comes then is read as it comes."""


@pytest.mark.parametrize("step", [40, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.source in BEFORE])
def test_each_case_at_many_cuts(monkeypatch: pytest.MonkeyPatch, name: str, step: int) -> None:
    monkeypatch.setattr(compression, "_LEAST", 1)
    case = CASES[name]
    before = BEFORE[case.source]
    data = before + case.data
    expected = found(data, case.source)
    for cut in range(1 + len(data) % step, len(case.data), step):
        assert list(iter_urls(Pipe(data, len(before), cut, len(data)), source=case.source)) == expected


MESSAGES = {name: case for name, case in CASES.items() if case.source == "message" and not case.alone}


@pytest.mark.parametrize("case", MESSAGES.values(), ids=MESSAGES)
@pytest.mark.parametrize("file", [in_mbox, in_batch, in_folder], ids=["mbox", "rnews", "folder"])
def test_message_in_a_file_of_several(case: Case, file: Callable[[bytes], bytes]) -> None:
    data = file(case.data)
    twice = []
    for number in (1, 2):
        above = (number - 1) * data.count(b"\n") + 1
        for one in case.found:
            lines = one.lines and (one.lines[0] + above, one.lines[1] + above)
            twice.append(one._replace(message=number, lines=lines))
    check(2 * data, twice)


@pytest.mark.parametrize("depth", [MAX_PART_DEPTH, MAX_PART_DEPTH + 2])
def test_nested_multiparts(depth: int) -> None:
    opening = b"".join(b"Content-Type: multipart/mixed; boundary=b%dx\n\n--b%dx\n" % (n, n) for n in range(depth))
    closing = b"".join(b"--b%dx--\n" % n for n in reversed(range(depth)))
    (match,) = found(opening + b"\nhttp://a.example/b\n" + closing)
    assert (match.url, match.origin.part) == ("http://a.example/b", ".".join(["1"] * MAX_PART_DEPTH))
    assert bool(match.origin.defects) == (depth > MAX_PART_DEPTH)


# Origins

ORIGIN = b"""\
From jane@a.example Sat Feb 17 10:00:00 1996
Message-ID: <first@a.example>

http://a.example/first

From joe@a.example Sat Feb 17 11:00:00 1996
From: =?utf-8?Q?J=C3=BCrgen?= <j@a.example>
Date: Sat, 17 Feb 1996 11:00:00 +0100
Subject: a
 folded subject
Message-ID: <second@a.example>
Newsgroups: comp.infosystems.www, alt.hypertext
Content-Type: multipart/mixed; boundary=xx

--xx
Content-Type: text/plain; charset=ISO-8859-1
Content-Transfer-Encoding: 8bit

http://a.example/second
--xx
Content-Type: message/rfc822

Message-ID: <inner@a.example>
Date: none
X-URL: http://a.example/header

http://a.example/inner
--xx--
"""


def test_origin() -> None:
    file = io.BytesIO(ORIGIN)
    file.name = "list.mbox"
    first, second, header, inner = (match.origin for match in iter_urls(file))
    at = ORIGIN.index
    mail = at(b"From joe")
    assert {origin.source for origin in (first, second, header, inner)} == {"list.mbox"}
    assert (first.message, first.message_id, first.offset, first.date) == (1, "first@a.example", 0, None)
    assert first.part_offset == at(b"http://a.example/first")
    assert (second.message, second.message_id, second.offset) == (2, "second@a.example", mail)
    assert second.date == "1996-02-17T11:00:00+01:00"
    assert second.author == "Jürgen <j@a.example>"
    assert second.subject == "a folded subject"
    assert second.newsgroups == ("comp.infosystems.www", "alt.hypertext")
    assert (second.part, second.part_offset) == ("1", at(b"http://a.example/second"))
    assert (second.content_type, second.charset, second.encoding) == ("text/plain", "iso-8859-1", "8bit")
    # Those of a message in the message are in its own header.
    assert (header.part, header.message_id, header.part_offset) == ("2.header:X-URL", "inner@a.example", at(b"X-URL"))
    assert (inner.part, inner.message_id, inner.message, inner.offset) == ("2.1", "inner@a.example", 2, mail)
    assert (inner.date, inner.subject, inner.newsgroups) == (None, None, ())
    assert inner.defects == ()


@pytest.mark.parametrize(
    ("field", "date"),
    [
        ("Sat, 17 Feb 1996 11:00:00 +0100", "1996-02-17T11:00:00+01:00"),
        ("17 Feb 96 10:00 GMT", "1996-02-17T10:00:00+00:00"),
        ("Sat, 17 Feb 1996 11:00:00 -0000", "1996-02-17T11:00:00-00:00"),
        ("2001-07-30T12:04:59-05:00", "2001-07-30T12:04:59-05:00"),
        ("1999-10-15T00:00:00", "1999-10-15T00:00:00-00:00"),
        ("1996/01/02", "1996-01-02T00:00:00-00:00"),
        ("Mon, 03 Jan 100 10:11:12 GMT+1", "2000-01-03T10:11:12+01:00"),
        ("Mon, 23 Sep 0102 02:41:39 -09:30 (x)", "2002-09-23T02:41:39-09:30"),
        ("Sat, 37 Feb 1996 11:00:00 +0100", None),
        ("1999-10-32T00:00:00", None),
        ("Tue, 29 Feb 400 11:00:00 +0000", None),
        ("", None),
    ],
)
def test_dates(field: str, date: str | None) -> None:
    (match,) = iter_urls(io.BytesIO(f"Date: {field}\n\nhttp://a.example/\n".encode()), source="message")
    assert match.origin.date == date


def test_common_dates_are_read_as_by_the_standard_library() -> None:
    days, months, years = ("Mon, 7", "07", "Xyz, 31"), ("Jul", "Feb", "jul"), ("2003", "1803", "03")
    times = ("10:06:12", "10:06:60", "10:06")
    zones = ("-0300", "-0000", "+2400", "+24:00", "GMT", "EDT", "+0100 (x)", "+0100\n 2003")
    dates = [" ".join(parts) for parts in product(days, months, years, times, zones)]
    mailbox = "".join(f"From a Mon Jul  7 10:06:12 2003\nDate: {date}\n\nhttp://a.example/\n\n" for date in dates)
    origins = [match.origin for match in iter_urls(io.BytesIO(mailbox.encode()), source="mbox")]
    found = [origin.date for origin in origins]
    assert len(found) == len(dates) > len(set(found)) > 20
    for date, ours in zip(dates, found, strict=True):
        try:
            theirs = parsedate_to_datetime(date.replace(":60", ":59"))
        except ValueError:
            assert ours is None, date
        else:
            assert ours == theirs.isoformat() + "-00:00" * (theirs.tzinfo is None), date


@pytest.mark.parametrize(
    ("header", "sent"),
    [
        ("From a@a.example Sat Feb 17 11:00:00 1996\nDate: Sat, 17 Feb 1996 12:00:00 +0100 (MEZ)", "1996-02-17T11"),
        ("From jane at a.example  Sat Feb  7 11:00:00 1996\nDate: some day", "1996-02-07T11"),
        ("From Fri Repos Sat Feb 17 11:00:00 PST 1996", "1996-02-17T19"),
        ("From a Sat Feb 17 11:00 1996 remote from b\n>From c Thu Feb  1 11:00:00 1996", "1996-02-17T11"),
        ("From a Sat, 17 Feb 96 11:00:00 +0900\nX: " + "x" * 9000, "1996-02-17T02"),
        ("From a Sat Feb 17 11:00:00 MET DST 1996", "1996-02-17T11"),
        ("From a 1996-02-17 11:00:00\nSubject: x", "1996-02-17T11"),
        ("Date: Fri, 31 Dec 9999 23:00:00 -0100", "9999-12-31T23"),
        ("date: 17 Feb 1996 11:00:00 +0000\nDate: 18 Feb 1997 12:00:00 +0000", "1996-02-17T11"),
        ("From a -1996", None),
        ("From: a", None),
    ],
)
def test_when_a_message_was_sent(header: str, sent: str | None) -> None:
    (match,) = iter_urls(io.BytesIO(f"{header}\n\nhttp://a.example/\n".encode()), source="mbox")
    assert (match.origin.sent and f"{match.origin.sent:%Y-%m-%dT%H %Z}") == (sent and f"{sent} UTC")


A, TORN = "http://a.example/a", "<a href=x>http://a.ex<b>ample/a</b></a>"


@pytest.mark.parametrize(
    ("before", "written", "exact"),
    [
        (f"<title>{A}</title>\n", A, True),
        (f"<script>'{A}' < \"</b>\"</script>\n", A, True),
        (f"<style>a {{b: url({A})}}</style>\n", A, True),
        (f"<!-- > {A} -->\n", A, True),
        (f"<!{A}>\n<? {A}>\n", A, True),
        ("<img alt=' x'\nsrc=' ", f"{A}'>", True),
        (f"<img alt='{A}'> <p title='> {A}'>\n", A, True),
        (f"<br>{A}..:b@\n\n", A, True),  # a longer candidate that is rejected
        ("x<sup>y</sup>\n", TORN, False),
        (f"<title>{A}</title>\n", TORN, False),
        (f"<p title='{A}'>\n", "http&#58;//a.example/a", False),
        (f"<p title='{A}'>\n<pre>  &amp;\r\n\r\n", A, True),
    ],
)
def test_a_url_in_html_has_the_place_it_was_read_from(before: str, written: str, exact: bool) -> None:
    data = f"{before}{written} z".encode()
    match = list(iter_urls(io.BytesIO(data), source="html"))[-1]
    assert (match.url, match.exact) == (A, exact)
    start = data.rindex(written.encode()) if exact else data.rindex(b"\n") + 1
    assert (match.start, match.line) == (start, data.count(b"\n", 0, start) + 1)


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        (f"<a href={A}/b/c.html>http://a.example/a ... c.html</a>", []),
        (f"<a class='x' href='{A}/b?c=d&amp;e'>{A}/b?c&hellip;&amp;e</a>", []),
        (f"<a href=/r/1 title='{A}/b'>\n{A}\u2026</a>", []),
        (f"<a href={A}/b...c>{A}/b...c</a>", [f"{A}/b...c"]),
        (f"<a href={A}/b...c>\n{A}/b...c </a>", [f"{A}/b...c"]),
        (f"<a href={A}/b>{A}/c...</a>", [f"{A}/c"]),
        (f"<a href={A}/b><b>{A}</b></a>...", [A]),
    ],
)
def test_a_shortened_url_that_a_link_shows_is_none(link: str, shown: list[str]) -> None:
    matches = iter_urls(io.BytesIO(f"<p>see {link} or more".encode()), source="html")
    assert [match.url for match in matches if not match.origin.attributes] == shown


@pytest.mark.parametrize(
    ("mark", "end"),
    [("<!--beginarticle--><pre>", ""), ("<!--X-Body-of-Message--><pre>", ""), ('<!-- body="start" -->', "<br />")],
)
def test_a_list_archive_makes_links_of_what_is_read_in_the_text(mark: str, end: str) -> None:
    link = f'<a rel="nofollow" href="{A}/of/">{A}/of/</a>{end}'
    other = f"<a href={A}/c>here</a> <a href='{A}/e'>{A}/f</a><img src={A}/g alt=\"\"> <a name=\"h\" href='{A}/h'>h</a>"
    data = f"<html>{mark}\nsee &lt;{link}\nb.html&gt; or {other}".encode()
    links = [f"{A}/{name}" for name in "cegh"]
    shown = [f"{A}/of/b.html", f"{A}/f"]
    assert [match.url for match in iter_urls(io.BytesIO(data), source="html")] == [*links, *shown]
    # In mail, a link may lead elsewhere than it says.
    mail = iter_urls(io.BytesIO(HTML + data), source="message")
    torn = [f"{A}/of/" if end else f"{A}/of/b.html", f"{A}/f"]
    assert [match.url for match in mail] == [f"{A}/of/", *links, *torn]


def test_a_picture_in_an_attribute_does_not_hide_what_follows() -> None:
    picture = b'<img src="data:image/png;base64,' + b"A" * 300_000 + b'">'
    data = HTML + (picture + b"<a href=http://a.example/b>http://a.example/c</a>\n") * 3
    matches = found(data)
    assert sorted(match.url[-1] for match in matches) == ["b"] * 3 + ["c"] * 3
    assert [data[match.start : match.end].decode() for match in matches] == [match.url for match in matches]
    assert sorted(match.line for match in matches) == [3, 3, 4, 4, 5, 5]


# The end of a read

MORE = [pytest.param(shift, marks=pytest.mark.slow) for shift in (*range(-50, -5), -4, -3, -2, 2, 3, 40, 60, 80)]


@pytest.mark.parametrize("shift", [-45, -5, -1, 0, 1, *MORE])
def test_from_line_split_between_reads(shift: int) -> None:
    message = b"From jane@a.example Sat Feb 17 10:00:00 1996\nFrom: jane@a.example\n\nhttp://a.example/%d\n%s\n"
    first = message % (1, b"")
    filling = b"x" * 60 + b"\n"
    size = BLOCK_SIZE + shift - len(first)
    data = first[:-1] + size // 61 * filling + b"y" * (size % 61) + b"\n"
    assert len(data) == BLOCK_SIZE + shift
    data += message % (2, b"") + message % (3, b"")
    matches = found(data)
    assert [(match.origin.message, match.url[-1]) for match in matches] == [(1, "1"), (2, "2"), (3, "3")]
    for match in matches:
        check_place(data, match)


LONG_LINES: dict[str, tuple[bytes, bytes]] = {
    "ASCII": (HEAD + b"\n", b"filling words "),
    "UTF-8": (b"Content-Type: text/plain; charset=utf-8\n\n", "Füllwörter ".encode()),
    "UTF-8 without blanks": (b"Content-Type: text/plain; charset=utf-8\n\n", "日本語".encode()),
    "HTML": (b"Content-Type: text/html; charset=utf-8\n\n", "<i>Füllwörter</i> ".encode()),
    "quoted-printable": (HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n", b"F=C3=BCllw=C3=B6rter"),
}


@pytest.mark.parametrize("name", LONG_LINES)
@pytest.mark.parametrize("read", some([1 << 16, 100_003]))
@pytest.mark.parametrize("size", [500_000, pytest.param(3_000_000, marks=pytest.mark.slow)])
def test_one_long_line(name: str, read: int, size: int) -> None:
    header, filling = LONG_LINES[name]
    url = "http://a.example/für?a=b" if name not in ("ASCII", "quoted-printable") else "http://a.example/?a=b"
    written = url.replace("=", "=3D") if name == "quoted-printable" else url
    many = filling * (size // 10 // len(filling))
    data = header + b"".join(many + f" {written} ".encode() for _ in range(10)) + b"\n"
    matches = list(iter_urls(Pipe(data, read)))
    assert [match.url for match in matches] == [url] * 10
    assert {match.origin.defects for match in matches} <= {(), matches[-1].origin.defects}
    for match in matches:
        assert match.line == header.count(b"\n") + 1
        if match.exact:
            check_place(data, match)
        else:
            assert match.start == len(header)


# A character in quoted-printable with soft line breaks in it, and the character
TORN_CHARACTERS = (
    ("=C3=\n=A9", "é"),
    ("=E2=82=\r\n=AC", "€"),
    ("=E2= \n=82=\n=AC", "€"),
    ("=F0=9F=\n=98=\n=80", "😀"),
    ("=C3=A9=\n", "é"),
)


@pytest.mark.parametrize(("torn", "character"), TORN_CHARACTERS)
def test_no_character_is_split_between_reads(torn: str, character: str) -> None:
    """A piece ends with a line. Here each line, and so each piece, ends with a soft line break."""
    header = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    times = BLOCK_SIZE // 50
    data = header + f"filling of fifty characters, {torn}and http://a.example/b ".encode() * times + b"\n"
    texts = "".join(str(text.data) for text in iter_texts(io.BytesIO(data), "message"))
    assert texts.strip() == (f"filling of fifty characters, {character}and http://a.example/b " * times).strip()
    matches = list(iter_urls(io.BytesIO(data), source="message"))
    assert len(matches) == times
    for match in matches:
        assert b"http://a.example/b" in data[match.start : match.end]
        assert match.line == data.count(b"\n", 0, match.start) + 1


@pytest.mark.parametrize("charset", ["ascii", "utf-16-le"])
def test_no_line_and_no_mark_is_split_between_pieces(charset: str) -> None:
    text = DATA.with_name("across.txt").read_text("ascii")
    header = f"Content-Type: text/plain; charset={charset}; format=flowed\nContent-Transfer-Encoding: ".encode()
    for encoding, shift in product([b"quoted-printable", b"base64"][charset != "ascii" :], range(-330, 40, 17)):
        size = (BLOCK_SIZE if charset == "ascii" else BLOCK_SIZE // 2) * (
            3 if encoding == b"base64" else 4
        ) // 4 + shift
        body = (size // 72 * f"{'x' * 71}\n" + f"{'y' * (size % 72)}\n{text}").encode(charset)
        matches = found(header + encoding + b"\n\n" + (encodebytes(body) if encoding == b"base64" else body), "message")
        zones = [(match.url, match.quoted, match.origin.signature) for match in matches]
        assert zones == [(url, "quoted" in url, "listinfo" in url) for url in re.findall("http[^ \n]+", text)]


FIELDS = [
    "Subject: x",
    "Content-Type: text/plain",
    "Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 7bit",
    "Content-Type: text/plain; charset=utf-8",
    'Content-type: text/plain; charset="ISO-8859-15"\nContent-Transfer-Encoding: 8bit',
    'Content-type: text/plain; charset="ISO-8859-1"',
    "Content-Type: text/plain; charset=windows-1252",
    "Content-Type: text/plain; charset=us-ascii",
    "Content-Type: text/plain; charset=iso-8859-12",
    "Content-Type: text/plain; charset=utf-16",
    "Content-Type: text",
    "CONTENT-TYPE: text/html",
    "Content-Transfer-Encoding: 8bit",
    "Content-Transfer-Encoding: quoted-printable",
    "content-transfer-encoding: base64",
    "Content-Type: text/plain;\n format=flowed",
    "Content-Type: text/plain; format=flowed; delsp=yes",
    "Subject: =?utf-8?q?http=3A//a.example/s?=",
    "Subject: =?utf-8?q?caf=C3=A9?=",
    "Subject: =?utf-8?q?caf=C3=A9?= =?iso-8859-1?Q?caf=E9?=\n http://a.example/s",
    "Subject: =?utf-8?b?aHR0cDovL2EuZXhhbXBsZS9z?=",
    "Subject: =?utf-8?q?http?=://a.example/s",
    "Subject: http:=?utf-8?q?//a.example/s?=",
    "Subject: http:\n =?utf-8?q?//a.example/s?=",
    "From: =?utf-8?q?Jane?= <URL: =?utf-8?q?gopher?= >",
    "Subject: caf\u00e9",
    "X-URL: http://a.example/x",
    "List-Owner: <mailto:jane@a.example>",
    "Subject: x\nno field at all http://a.example/n",
]
BODIES = [
    "http://a.example/1",
    "> http://a.example/1\n-- \nhttp://a.example/2\n-----\nhttp://a.example/3",
    ">From http://a.example/1",
    "begin 644 x\n#86)C\n`\nend\nhttp://a.example/1",
    "-----BEGIN PGP SIGNED MESSAGE-----\n\n- -- \nhttp://a.example/1\n- - http://a.example/2",
    "caf\u00e9 http://a.example/1",
    "caf\u00e9 http://a.example/1\n-- \ncaf\u00e9 http://a.example/2.",
    "http://a.example/caf\u00e9 <http://a.example/1> <URL:http://a.example/2\n/3>",
    "caf\u00e9",
    "URL:http://a.example/1 <URL:http://a.example/2> <URL:HTTPS://a.example/3> url:news:a.example",
    "caf\u00e9 URL:http://a.example/1 <URL:http://a.example/2> URL:https://a.example/3",
    "<URL:ftp://a.example/1;a=b> <URL:ftp://a.example/2;type=d>",
    "<\n\nhttp://a.example/1\n-- \n<URL:\n",
    "URL: http://a.example/1 and (http://a.example/2).\nhttp:\n//a.example/3 mailto:jane@a.example",
    "x http://a.example/1-\n2\n-- \nhttp://a.example/1-2 http://a.example/3",
    "<p>http://a.example/1 =3D http://a.example/2=\n3",
    "no sign of one before it is decoded: http=3A//a.example/1",
    "aHR0cDovL2EuZXhhbXBsZS8x",
    "mail \nto:jane@a.example",
    "-- \nhttp://a.example/1",
    "caf\u00e9 http://a.example/1\n>From http://a.example/2\n-- \nhttp://a.example/3\nbegin http://a.example/4",
    "",
]


def test_a_plain_part_that_is_binary_may_be_in_utf_16() -> None:
    part = b"Content-Transfer-Encoding: binary\n\n" + "see http://a.example/b c".encode("utf-16")
    data = b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + part + b"\n--b--\n"
    assert [match.url for match in found(data)] == ["http://a.example/b"]


def urls_only(file: Any) -> list[str]:
    texts = iter_texts(file, prefilter=ordinary.prefilter(Query(), places=False))
    return [match.url for matches in match_batches(texts, Query(), places=False) for match in matches]


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
def test_without_places_the_urls_are_the_same(encoding: str) -> None:
    body = b"caf\xc3\xa9 <p>http://a.example/b-\n c</p> <URL:http://a.example/\n d-\n e> http://a.example/d-e\n" * 3
    encoded = encodebytes(body) if encoding == "base64" else quopri.encodestring(body)
    for kind in ("plain", "html"):
        head = f"Content-Type: text/{kind}; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n".encode()
        asked = [match.url for match in iter_urls(io.BytesIO(head + encoded), source="auto")]
        assert asked
        assert urls_only(io.BytesIO(head + encoded)) == asked


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("encoding", "size"), some([("utf-8", 1 << 20), ("latin-1", 1500), ("CRLF", 5000)], 2))
def test_the_short_branch_of_plain_bodies(monkeypatch: pytest.MonkeyPatch, encoding: str, size: int, step: int) -> None:
    """The whole walk over a message is the slow twin of the branch for plain bodies and of skipping messages."""
    text = "".join(
        f"From j@a.example Sat Feb  1 12:34:56 2003\nMessage-ID: <{number}@a.example>\n{fields}\n\n{body}\n\n"
        for number, (fields, body) in enumerate(list(product(FIELDS, BODIES))[::step])
    )
    data = text.replace("\n", "\r\n").encode() if encoding == "CRLF" else text.encode(encoding)

    def records() -> list[tuple[object, ...]]:
        rejected: list[Rejected] = []
        matches = list(iter_urls(Pipe(data, size), source="mbox", rejected=rejected.append))
        assert urls_only(Pipe(data, size)) == [match.url for match in matches]
        fields = [(m.url, m.readings, m.start, m.end, m.line, m.column, m.form, m.left, m.origin) for m in matches]
        return [*fields, *((r.text, r.start, r.line, r.origin) for r in rejected)]

    def texts() -> list[tuple[str, Origin]]:
        read = groupby(iter_texts(Pipe(data, size), "mbox"), lambda text: text.origin)
        return [("".join(str(text.data) for text in pieces), origin) for origin, pieces in read]

    short = records(), texts()
    monkeypatch.setattr(MboxReader, "plain_messages", lambda *_: ())
    monkeypatch.setattr(MboxReader, "plain_header", lambda _: 0)
    assert short == (records(), texts())


# Limits

# The message, the number of URLs, and a word of the defect
LIMITS: dict[str, tuple[bytes, int, str]] = {
    "a charset with a long name": (
        b"Content-Type: text/plain; charset=%b\n\n\xe9 " % (b"x" * 100_000) + URL,
        1,
        "field",
    ),
    "fields with URLs": (
        (b"X-A: " + URL + b"\n") * (MAX_FIELDS_WITH_URLS + 1) + b"\n" + URL,
        MAX_FIELDS_WITH_URLS + 1,
        "header fields",
    ),
    "parts": (
        b"Content-Type: multipart/mixed; boundary=x\n\n" + (b"--x\n\n" + URL + b"\n") * (MAX_PARTS + 9) + b"--x--\n",
        MAX_PARTS + 9,
        "parts",
    ),
    "tags": (HTML + (b"<b><a href=" + URL + b">") * 20_000, 20_000, "in pieces"),
    "a table over pieces": (
        HTML + b"<table>" + (b"<tr><td background=" + URL + b"><table><tr><td>x</table></tr>") * 4000,
        4000,
        "in pieces",
    ),
    "an attribute over pieces": (
        HTML + b"<img src='data:,<" + b"http://a.example/b " * 40_000 + b"'><a href=" + URL + b">",
        1,
        "in pieces",
    ),
    "an attribute of many URLs over pieces": (
        HTML
        + b"<a href=http://a.example/b><img srcset='%b' src=http://a.example/c>"
        % b"".join(b"http://a.example/%d%b 1x, " % (number, b"/path" * 40) for number in range(3_000)),
        3_002,
        "in pieces",
    ),
    "a URL over pieces": (
        HTML + b"<img src=http://a.example/b longdesc='http://a.example/" + b"x" * 700_000 + b"'><a href=" + URL + b">",
        2,
        "too long",
    ),
    "a comment without an end": (
        HTML + b"<a href=" + URL + b"><!-- " + b"<p>http://a.example/b " * 40_000,
        1,
        "in pieces",
    ),
}


@pytest.mark.parametrize("name", some(LIMITS))
def test_limits_are_recorded_as_defects(name: str) -> None:
    data, urls, defect = LIMITS[name]
    matches = found(HEAD + data, "message")
    assert len(matches) == urls
    assert any(defect in noted for match in matches for noted in match.origin.defects)


# Undeclared charsets: the result does not depend on how the file is cut

E_IN_BOTH = b"http://a.example/\xe9\n", b"http://a.example/\xc3\xa9\n"
CUTS: dict[str, bytes] = {
    "UTF-8, then Latin-1": (b"filling words\n" * 40_000).join(reversed(E_IN_BOTH)),
    "Latin-1, then UTF-8": (b"filling words\n" * 40_000).join(E_IN_BOTH),
    "both in one line": b"http://a.example/\xe9 \xc3\xa9 http://a.example/\xc3\xa9\n",
}


@pytest.mark.parametrize("name", some(CUTS))
@pytest.mark.parametrize("header", [b"", b"Content-Type: text/plain; charset=utf-8\n", b"Content-Type: text/html\n"])
def test_charsets_do_not_depend_on_the_cut(name: str, header: bytes) -> None:
    for size in (1 << 20, 1 << 16, 777):
        file = Pipe(FROM + HEAD + header + b"\n" + CUTS[name], size)
        assert [match.url for match in iter_urls(file)] == ["http://a.example/é"] * 2


def test_fields_about_the_content_are_kept_of_a_long_header() -> None:
    fields = b"X: %b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=a.txt\n"
    (match,) = found(fields % (b"x" * 10_000) + b"\nhttp://a.example/b\n", "message")
    assert match.url == "http://a.example/b"
