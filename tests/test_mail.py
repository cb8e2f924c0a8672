"""Mail and news: each case of `messages` as it is, with other line ends, in other files, and in small reads."""

import io
import quopri
import re
from base64 import b64decode, encodebytes
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from email.header import decode_header, make_header
from html import unescape
from itertools import groupby, product
from typing import Any

import pytest

from messages import CASES, Case, Expected
from urlmend import Rejected, URLMatch, iter_texts, iter_urls
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import SOURCES, Origin
from urlmend.sources.header import MAX_FIELDS_WITH_URLS
from urlmend.sources.html import MAX_TAGS
from urlmend.sources.mail import MAX_PARTS, Walk
from urlmend.sources.reader import BLOCK_SIZE

READS = {"1 byte": (1,), "1 to 7 bytes": (3, 1, 7, 2, 5, 4, 6)}


class InPieces:
    """A file whose reads return at most the *sizes* in turn; it has no other method."""

    def __init__(self, data: bytes, sizes: tuple[int, ...]) -> None:
        self._file = io.BytesIO(data)
        self._sizes = sizes
        self._reads = 0

    def read(self, n: int) -> bytes:
        assert n > 0
        self._reads += 1
        return self._file.read(min(n, self._sizes[self._reads % len(self._sizes)]))


def result(match: URLMatch, source: str) -> Expected:
    origin = match.origin
    message, part = (None, None) if source == "text" else (origin.message, origin.part)
    return Expected(message, part, match.url, match.quoted, origin.signature, origin.attributes, match.exact)


def found(data: bytes, source: str = "auto") -> list[URLMatch]:
    return list(iter_urls(io.BytesIO(data), source=source))


# What holds for the matches of any file


def decoded(data: bytes, *charsets: str | None) -> Iterator[str]:
    for charset in (*charsets, "utf-8", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "cp932", "latin-1"):
        try:
            yield data.decode(charset or "ascii")
        except (LookupError, UnicodeError):
            continue


def readings(match: URLMatch, lines: bytes) -> Iterator[str]:
    """Yield the texts that encoded *lines* of a file may stand for, as the standard library decodes them."""
    encoded = [lines, quopri.decodestring(re.sub(rb"=[ \t]+(?=\r?$)", b"=", lines, flags=re.MULTILINE) + b"\n")]
    alphabet = re.sub(rb"[^A-Za-z0-9+/]", b"", lines)
    # A line may begin and end within a group of four.
    groups = [b"A" * begun + alphabet for begun in range(4)]
    encoded += [b64decode(group + b"A" * (-len(group) % 4)) for group in groups]
    encoded += [octets[1:] for octets in encoded]
    for octets in encoded:
        for text in (*decoded(octets, match.origin.charset), octets.decode(errors="replace")):
            yield from (text, unescape(text), re.sub("<[^<>]*>", "", text))
            # Signs of what may be taken out: of a quoted `From `, of a dash-escape, of a flowed line.
            yield re.sub(r"(?m)^>(?=>*From )|^- ", "", text)
            yield re.sub(r" \r?\n(?:[> ]*)", "", text)
    if b"=?" in lines:
        yield str(make_header(decode_header(lines.decode())))


def bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def line_ends_of(data: bytes) -> tuple[bytes, ...]:
    for mark, charset in (
        (b"F\0", "utf-16-le"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\0F", "utf-16-be"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if data.startswith(mark):
            return ("\n".encode(charset),)
    return (b"\r\n", b"\n", b"\r")


def line_at(data: bytes, place: int) -> int:
    """Count the lines up to *place*, one by one."""
    ends = line_ends_of(data)
    line, pos = 1, 0
    while pos < place:
        end = next((end for end in ends if data.startswith(end, pos)), b"")
        pos += len(end) or 1
        line += bool(end) and pos <= place
    return line


def check_place(data: bytes, match: URLMatch) -> None:
    stretch = data[match.start : match.end]
    assert match.line == line_at(data, match.start), match
    if match.exact:
        assert match.raw in set(decoded(stretch, match.origin.charset)), stretch
        if len(line_ends_of(data)) > 1:
            before = max(data.rfind(end, 0, match.start) for end in (b"\n", b"\r"))
            if before < 0 and data.startswith(BOM_UTF8):
                before = len(BOM_UTF8) - 1
            assert match.column == match.start - before
        return
    assert match.start == 0 or data[match.start - 1 : match.start] == b"\n", stretch
    assert match.end == len(data) or data[match.end : match.end + 1] == b"\n", stretch
    assert match.column == 1
    assert any(bare(match.raw) in bare(text) for text in readings(match, stretch)), stretch


def check(data: bytes, source: str, expected: list[Expected]) -> None:
    matches = found(data)
    assert [result(match, source) for match in matches] == expected
    for match in matches:
        check_place(data, match)


# The cases, as they are and in other files


def with_crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def in_mbox(data: bytes) -> bytes:
    """Return an mbox (mboxrd) with the message twice."""
    quoted = re.sub(rb"(?m)^(>*From )", rb">\1", data)
    return 2 * (b"From jane@a.example Sat Feb 17 10:00:00 1996\n" + quoted + b"\n\n")


def in_batch(data: bytes) -> bytes:
    return 2 * (b"#! rnews %d\n" % len(data) + data)


FILES: dict[str, Callable[[bytes], bytes]] = {"mbox": in_mbox, "rnews": in_batch}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: Case) -> None:
    check(case.data, case.source, list(case.expected))
    assert found(case.data, case.source) == found(case.data)
    defects = {defect for match in found(case.data) for defect in match.origin.defects}
    assert [word for word in case.defects if not any(word in defect for defect in defects)] == []


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("reads", READS.values(), ids=READS)
def test_case_in_small_reads(case: Case, reads: tuple[int, ...]) -> None:
    assert list(iter_urls(InPieces(case.data, reads))) == found(case.data)


@pytest.mark.parametrize("case", [one for one in CASES.values() if not one.alone], ids=lambda one: one.name)
def test_case_with_crlf(case: Case) -> None:
    check(with_crlf(case.data), case.source, list(case.expected))


MESSAGES = {name: case for name, case in CASES.items() if case.source == "message" and not case.alone}


@pytest.mark.parametrize("case", MESSAGES.values(), ids=MESSAGES)
@pytest.mark.parametrize("file", FILES)
def test_message_in_a_file_of_several(case: Case, file: str) -> None:
    twice = [
        Expected(number, one.part, one.url, one.quoted, one.signature, one.attributes, one.exact)
        for number in (1, 2)
        for one in case.expected
    ]
    check(FILES[file](case.data), file, twice)


SOUND = [
    one for name, one in CASES.items() if name.startswith(("flowed", "qp: a soft", "header: folded", "html: attr"))
]


@pytest.mark.parametrize("case", SOUND, ids=lambda one: one.name)
def test_sound_messages_have_no_defects(case: Case) -> None:
    assert {defect for match in found(case.data) for defect in match.origin.defects} == set()


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
        ("Sat, 37 Feb 1996 11:00:00 +0100", None),
        ("1999-10-32T00:00:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates(field: str, date: str | None) -> None:
    (match,) = iter_urls(io.BytesIO(f"Date: {field}\n\nhttp://a.example/\n".encode()), source="message")
    assert match.origin.date == date


def test_places_in_html_are_in_order() -> None:
    link = '<p><a href="http://a.example/{0}" alt=">">http://a.example/{0}</a> or http://a.example/?a={0}&amp;b\n'
    data = _HTML_HEADER + "".join(link.format(number % 3) for number in range(9)).encode()
    matches = found(data)
    assert len(matches) == 27
    for attributes in (True, False):
        places = [match.start for match in matches if match.exact and match.origin.attributes == attributes]
        assert places == sorted(set(places))
        assert len(places) == 9
    # The text's, not that of the attribute before it.
    before = [data[match.start - 2 : match.start] for match in matches if match.exact]
    assert before == [b'="'] * 9 + [b'">'] * 9


_HTML_HEADER = b"From: jane@a.example\nContent-Type: text/html\n\n"


def test_a_picture_in_an_attribute_does_not_hide_what_follows() -> None:
    picture = b'<img src="data:image/png;base64,' + b"A" * 300_000 + b'">'
    data = _HTML_HEADER + (picture + b"<a href=http://a.example/b>http://a.example/c</a>\n") * 3
    matches = found(data)
    assert sorted(match.url[-1] for match in matches) == ["b"] * 3 + ["c"] * 3
    assert [data[match.start : match.end].decode() for match in matches] == [match.url for match in matches]
    assert sorted(match.line for match in matches) == [4, 4, 5, 5, 6, 6]


# The end of a read

AT_THE_END = (-45, -5, -1, 0, 1)


@pytest.mark.parametrize(
    "shift",
    [
        *AT_THE_END,
        *(
            pytest.param(shift, marks=pytest.mark.slow)
            for shift in (*range(-50, 4), 40, 60, 80)
            if shift not in AT_THE_END
        ),
    ],
)
def test_from_line_where_a_read_ends(shift: int) -> None:
    message = b"From jane@a.example Sat Feb 17 10:00:00 1996\nFrom: jane@a.example\n\nhttp://a.example/%d\n%s\n"
    first = message % (1, b"")
    filling = b"x" * 60 + b"\n"
    size = BLOCK_SIZE + shift - len(first)
    data = first[:-1] + size // 61 * filling + b"y" * (size % 61) + b"\n"
    assert len(data) == BLOCK_SIZE + shift
    data += message % (2, b"") + message % (3, b"")
    assert [(match.origin.message, match.url[-1], match.line) for match in found(data)] == [
        (number, str(number), line_at(data, data.index(b"http://a.example/%d" % number))) for number in (1, 2, 3)
    ]


LONG_LINES: dict[str, tuple[bytes, bytes]] = {
    "ASCII": (b"From: jane@a.example\n\n", b"filling words "),
    "UTF-8": (b"From: jane@a.example\nContent-Type: text/plain; charset=utf-8\n\n", "Füllwörter ".encode()),
    "UTF-8 without blanks": (b"From: jane@a.example\nContent-Type: text/plain; charset=utf-8\n\n", "日本語".encode()),
    "HTML": (b"From: jane@a.example\nContent-Type: text/html; charset=utf-8\n\n", "<i>Füllwörter</i> ".encode()),
    "quoted-printable": (
        b"From: jane@a.example\nContent-Transfer-Encoding: quoted-printable\n\n",
        b"F=C3=BCllw=C3=B6rter",
    ),
}


@pytest.mark.parametrize("name", LONG_LINES)
@pytest.mark.parametrize("reads", [(1 << 16,), (100_003,), (1 << 20,)])
@pytest.mark.parametrize("size", [500_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_one_long_line(name: str, reads: tuple[int, ...], size: int) -> None:
    header, filling = LONG_LINES[name]
    url = "http://a.example/für?a=b" if name not in ("ASCII", "quoted-printable") else "http://a.example/?a=b"
    written = url.replace("=", "=3D") if name == "quoted-printable" else url
    many = filling * (size // 10 // len(filling))
    data = header + b"".join(many + f" {written} ".encode() for _ in range(10)) + b"\n"
    matches = list(iter_urls(InPieces(data, reads)))
    assert [match.url for match in matches] == [url] * 10
    assert {match.origin.defects for match in matches} <= {(), matches[-1].origin.defects}
    for match in matches:
        assert match.line == header.count(b"\n") + 1
        if match.exact:
            assert data[match.start : match.end].decode() == match.raw
            assert match.column == match.start - len(header) + 1
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
def test_no_character_is_torn_where_a_read_ends(torn: str, character: str) -> None:
    """A piece ends with a line. Here each line, and so each piece, ends with a soft line break."""
    header = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    times = BLOCK_SIZE // 50
    data = header + f"filling of fifty characters, {torn}and http://a.example/b ".encode() * times + b"\n"
    texts = "".join(str(text.data) for text in iter_texts(io.BytesIO(data), "message"))
    assert texts.strip() == (f"filling of fifty characters, {character}and http://a.example/b " * times).strip()
    matches = list(iter_urls(io.BytesIO(data), source="message"))
    assert len(matches) == times
    for match in matches:
        # Where a line is decoded, places are those of the line.
        assert b"http://a.example/b" in data[match.start : match.end]
        assert match.line == data.count(b"\n", 0, match.start) + 1


# Wrong arguments


@pytest.mark.parametrize("source", sorted(set(SOURCES) - {"auto", "text", "warc"}))
def test_mail_is_not_read_from_a_text_file(source: str) -> None:
    with pytest.raises(TypeError, match="binary"):
        list(iter_urls(io.StringIO("From: jane@a.example\n\nhttp://a.example/b\n"), source=source))


def test_a_text_file_is_text() -> None:
    text = "From: jane@a.example\n\nhttp://a.example/ü http://a.example/b\n"
    matches = list(iter_urls(io.StringIO(text)))
    assert [(match.origin.part, text[match.start : match.end]) for match in matches] == [
        (None, "http://a.example/ü"),
        (None, "http://a.example/b"),
    ]


@pytest.mark.parametrize("source", ["", "mail", "Mbox", "auto "])
def test_unknown_source(source: str) -> None:
    with pytest.raises(ValueError, match=r"source must be one of auto, text, message, mbox, rnews, warc, arc, "):
        iter_urls(io.BytesIO(b""), source=source)


def test_a_source_of_ones_own() -> None:
    def two(fileobj: Any) -> Iterator[Any]:
        from urlmend.sources import Origin, Text  # noqa: PLC0415 -- as its user would

        yield Text(fileobj.read(12), Origin(part="a"), 100, 7)
        yield Text(fileobj.read(99), Origin(part="b"))

    matches = list(iter_urls(io.BytesIO(b"urn:isbn:c  http://a.example/"), source=two))
    assert [(match.url, match.origin.part, match.start, match.line) for match in matches] == [
        ("urn:isbn:c", "a", 100, 7),
        ("http://a.example/", "b", 0, 1),
    ]


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


def urls_only(file: io.BytesIO) -> list[str]:
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


class LittleAtATime(io.BytesIO):
    """A file that returns at most 1500 bytes a read."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, 1500))


@pytest.mark.parametrize("file", [io.BytesIO, LittleAtATime])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "CRLF"])
def test_the_short_branch_of_plain_bodies(
    monkeypatch: pytest.MonkeyPatch, file: type[io.BytesIO], encoding: str
) -> None:
    """The whole walk over a message is the slow twin of the branch for plain bodies and of skipping messages."""
    text = "".join(
        f"From j@a.example Sat Feb  1 12:34:56 2003\nMessage-ID: <{number}@a.example>\n{fields}\n\n{body}\n\n"
        for number, (fields, body) in enumerate(product(FIELDS, BODIES))
    )
    data = text.replace("\n", "\r\n").encode() if encoding == "CRLF" else text.encode(encoding)

    def records() -> list[tuple[object, ...]]:
        rejected: list[Rejected] = []
        matches = list(iter_urls(file(data), source="mbox", rejected=rejected.append))
        assert urls_only(file(data)) == [match.url for match in matches]
        fields = [(m.url, m.readings, m.start, m.end, m.line, m.column, m.form, m.left, m.origin) for m in matches]
        return [*fields, *((r.text, r.start, r.line, r.origin) for r in rejected)]

    def texts() -> list[tuple[str, Origin]]:
        read = groupby(iter_texts(file(data), "mbox"), lambda text: text.origin)
        return [("".join(str(text.data) for text in pieces), origin) for origin, pieces in read]

    short = records(), texts()
    monkeypatch.setattr(Walk, "skip", lambda _: False)
    assert short == (records(), texts())


def test_matches_come_before_more_is_read() -> None:
    message = b"From j@a.example Sat Feb  1 12:34:56 2003\nSubject: x\n\nhttp://a.example/1\n\n"
    file = LittleAtATime(message * 1000)
    next(iter_urls(file))
    assert file.tell() < 2 * 1500


# Limits

HEAD = b"From: jane@a.example\n"
FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"
# What would make a library raise or take long: the message, the number of URLs, and a word of the defect

MOST_FIELDS = b"X-A: http://a.example/a\n" * (MAX_FIELDS_WITH_URLS + 1)
LIMITS: dict[str, tuple[bytes, int, str]] = {
    "a charset beyond ASCII in a word": ("Subject: =?é?q?x?=\n\nhttp://a.example/".encode(), 1, ""),
    "a codec that is no charset": (b"Content-Type: text/plain; charset=zlib\n\n\xe9 http://a.example/", 1, "'zlib'"),
    "an unknown charset of 100 kB": (
        b"Content-Type: text/plain; charset=" + b"x" * 100_000 + b"\n\n\xe9 http://a.example/",
        1,
        "Content field",
    ),
    "an unknown charset": (b"Content-Type: text/plain; charset=x\n\n\xe9 http://a.example/", 1, "unknown charset 'x'"),
    "a charset of RFC 2231": (b"Content-Type: text/plain; charset*=zlib''a\n\n\xe9 http://a.example/", 1, "'a'"),
    "more fields than are looked at": (MOST_FIELDS + b"\nhttp://a.example/", MAX_FIELDS_WITH_URLS + 1, "header fields"),
    "more parts than are read": (
        b"Content-Type: multipart/mixed; boundary=x\n\n"
        + (b"--x\n\nhttp://a.example/\n" * (MAX_PARTS + 9))
        + b"--x--\n",
        MAX_PARTS + 9,
        "parts",
    ),
    "more tags than are parsed at once": (
        b"Content-Type: text/html\n\n" + b"<b><a href=http://a.example/>" * MAX_TAGS,
        MAX_TAGS,
        "read in pieces",
    ),
    "a table over pieces": (
        b"Content-Type: text/html\n\n<table>"
        + b"<tr><td background=http://a.example/b><table><tr><td>x</table></tr>" * MAX_TAGS,
        MAX_TAGS,
        "read in pieces",
    ),
    "a picture in an attribute over pieces": (
        b"Content-Type: text/html\n\n<img src='data:,<"
        + b"http://a.example/b " * 40_000
        + b"'><a href=http://a.example/>",
        1,
        "read in pieces",
    ),
    "a comment that does not end": (
        b"Content-Type: text/html\n\n<a href=http://a.example/><!-- " + b"<p>http://a.example/b " * 40_000,
        1,
        "read in pieces",
    ),
    "formatting elements in each block": (
        b"Content-Type: text/html\n\n<p>" + b"<b id=x>" * 2000 + b"<p>x</p>" * 2000 + b"http://a.example/",
        1,
        "read in pieces",
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_noted(name: str) -> None:
    data, urls, defect = LIMITS[name]
    matches = list(iter_urls(io.BytesIO(HEAD + data), source="message"))
    assert len(matches) == urls
    assert any(defect in noted for match in matches for noted in (*match.origin.defects, *([""] * (not defect))))


# Undeclared charsets: the result does not depend on how the file is cut

CUTS: dict[str, tuple[bytes, list[str]]] = {
    # the body, and the URLs in it
    "UTF-8, then Latin-1": (
        "http://a.example/é\n".encode() + b"filling words\n" * 40_000 + b"http://a.example/\xe9\n",
        ["http://a.example/é", "http://a.example/é"],
    ),
    "both in one line": (b"http://a.example/\xe9 \xc3\xa9 http://a.example/\xc3\xa9\n", ["http://a.example/é"] * 2),
    "Latin-1, then UTF-8": (
        b"http://a.example/\xe9\n" + b"filling words\n" * 40_000 + "http://a.example/é\n".encode(),
        ["http://a.example/é", "http://a.example/é"],
    ),
}


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("header", [b"", b"Content-Type: text/plain; charset=utf-8\n", b"Content-Type: text/html\n"])
def test_charsets_do_not_depend_on_the_cut(name: str, header: bytes) -> None:
    body, urls = CUTS[name]
    for size in (1 << 20, 1 << 16, 5000, 77):
        file = InPieces(FROM + HEAD + header + b"\n" + body, (size,))
        assert [match.url for match in iter_urls(file)] == urls
