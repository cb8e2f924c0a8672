"""A file gives the same records, in every field, in one read, byte by byte and cut anywhere."""

import bz2
import gzip
import lzma
import zlib
from base64 import encodebytes
from binascii import b2a_uu
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from files import Pipe, arc, http, tarred, warc, zipped
from urlmend import Rejected, iter_urls
from urlmend.query import JOINS
from urlmend.sources import SOURCES, SourceError

LONGEST = 3000
"""The longest file that is read byte by byte: each read takes time."""


def records(file: Pipe, source: str, options: Mapping[str, Any]) -> list[object]:
    """What is reported of *file*, each field of it, and the error at its end."""
    rejected: list[Rejected] = []
    found: list[object] = []
    error = ""
    try:
        found += [
            (match, match.as_dict(unwrap=True), match.origin, match.left, match.right, match.undecided)
            for match in iter_urls(file, source=source, rejected=rejected.append, **options)
        ]
    except SourceError as broken:
        error = str(broken)
    return [*found, *((candidate, candidate.rule, candidate.pos) for candidate in rejected), error]


# Bodies: URLs, and whatever may be cut where a read ends

URL = b"http://a.example/b"

uuencoded = st.builds(
    lambda data, end: b"begin 644 a\n" + b"".join(b2a_uu(data[i : i + 45]) for i in range(0, len(data), 45)) + end,
    st.binary(min_size=1, max_size=100),
    st.sampled_from([b"`\nend\n", b"`\nend", b"", b" \nend\n", b"end\n", b"\nend\n", b"`\n"]),
)
fragments = uuencoded | st.sampled_from(
    [
        *(URL + b"\n", b"see " + URL + b"-\nc.\n", b"<URL:" + URL + b"\n c>\n", b"mailto:j@a.example", b"://", b":"),
        *(b"www.a.example ", b"jane@a.example\n", b"hxxp://a[.]example/x\n", b"http://a.example/%zz ", b"text\n"),
        *(b"\n", b"\r\n", b"\r", b" ", b"-- \n", b"> ", b">From x\n", b"\0", b"\xef\xbb\xbf", b"\xc3\xa9", b"\xff"),
        *(b"=\n", b"=3D", b"=E2=\n=82=AC", b"= \n", b"=", b"==\n", b"aHR0cDovL2EuZXhhbXBsZS8=\n"),
        *(b"+AGE-", b"+AG", b"+", b"-", b'\x1b$B$"', b"\x1b(B", b"~{<:~}", b"begin 644 a\n", b"begin 644 a\nM"),
        *(b"-----BEGIN PGP SIGNED MESSAGE-----\n", b"- -- \n", b"- " + URL + b"\n", b"\n--b\n", b"\n--b--\n"),
        *(b'<a href="http://a.example/&amp;x">', b"http&#58;//a.example/q ", b"<br>", b"<pre>\r\n", b"<!--"),
        *(b"<a href=c.html>\n", b"<base href='http://d.example/e/'>"),
        *(b"<![CDATA[", b"]]>", b"<description>", b"</description>", b"<item><link>", b"&lt;", b"&amp;amp;", b"<?xml "),
        *(b"\n ", b"\\", b"\\n", b"\r"),
        *(b'{"a": "http://a.example/j"}\n', b"[1,\n", b"]\n", b"{", b'"http:\\/\\/a.example\\/k"', b'"', b","),
        *(b"From x@y Sat Feb 17 10:00:00 1996\n", b"From x\n", b"Subject: =?utf-8?q?http:=2F=2Fa.example?=\n"),
    ]
)
# What a file is, is decided by its beginning: what is in a longer one is read later.
bodies = st.builds(
    lambda start, rest: start + b"".join(rest),
    st.sampled_from([b"", b"", b"", b"words\r\n" * 180, b"<p>\r\n" * 210]),
    st.lists(fragments, max_size=12),
)

CHARSETS = ("", "us-ascii", "utf-8", "utf-7", "utf-16", "iso-2022-jp", "hz", "big5", "nothing")


def message(body: bytes, kind: str, charset: str, encoding: str, rest: bytes) -> bytes:
    if encoding == "base64":
        body = encodebytes(body) + rest
    elif charset == "utf-16":
        body = body.decode("latin-1").encode("utf-16")
    header = f"From: j@a.example\nContent-Type: {kind}; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    return header.encode() + body


messages = st.builds(
    message,
    bodies,
    st.sampled_from(["text/plain", "text/plain; format=flowed", "text/plain; format=flowed; delsp=yes", "text/html"]),
    st.sampled_from(CHARSETS),
    st.sampled_from(["8bit", "8bit", "base64", "quoted-printable"]),
    bodies,
)
multiparts = st.lists(messages, min_size=1, max_size=3).map(
    lambda parts: b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + b"\n--b\n".join(parts)
)
any_message = messages | multiparts

CODINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "Content-Encoding: identity": bytes,
    "Content-Encoding: gzip": gzip.compress,
    "Content-Encoding: deflate, gzip": lambda body: gzip.compress(zlib.compress(body)),
    "Transfer-Encoding: chunked": lambda body: b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body),
}


def encoded(body: bytes, coding: str, cut: int) -> bytes:
    """Return a web archive with the body, encoded; its last bytes are cut off."""
    octets = CODINGS[coding](body)
    return warc("response", "application/http", http("text/html", octets[: len(octets) - cut], coding))


FILES: dict[str, st.SearchStrategy[bytes]] = {
    "text": bodies.flatmap(
        lambda body: st.sampled_from([body, body.decode("latin-1").encode("utf-16"), b"N\bN\n" + body])
    ),
    "html": bodies,
    "feed": bodies.map(lambda body: b"<rss version='2.0'><description>" + body),
    "xml": bodies.map(lambda body: b"<?xml version='1.0'?><a b='" + body),
    "icalendar": bodies.map(lambda body: b"BEGIN:VCALENDAR\r\n" + body),
    "json": bodies.map(lambda body: b'{"a": "' + body),
    "jsonl": bodies,
    "message": any_message,
    "emlx": st.builds(
        lambda message, wrong, end: b"%d\n" % max(0, len(message) + wrong) + message + end,
        any_message,
        st.sampled_from([0, 0, 0, -7, 3, 999]),
        st.sampled_from([b"", b"<?x", b"<?xml version='1.0'?>\n<plist>http://a.example/plist</plist>\n"]),
    ),
    "mbox": st.lists(any_message, max_size=3).map(
        lambda found: b"".join(b"From x@y Sat Feb 17 10:00:00 1996\n" + one + b"\n" for one in found)
    ),
    "folder": st.builds(
        bytes.join,
        st.sampled_from([b"\1\1\1\1\n", b"\nArticle 5 of a.b:\n", b"\n\x1f\f\n0,,\n*** EOOH ***\n"]),
        st.lists(any_message, max_size=3).map(lambda found: [b"", *found]),
    ),
    "rnews": st.lists(any_message, max_size=3).map(
        lambda found: b"".join(b"#! rnews %d\n" % len(one) + one for one in found)
    ),
    "arc": bodies.map(lambda body: arc(http("text/html", body))),
    "warc": st.builds(encoded, bodies, st.sampled_from(list(CODINGS)), st.integers(0, 30)),
}

CONTAINERS: Sequence[Callable[[bytes], bytes]] = (
    *(bytes, bytes, bytes, gzip.compress, bz2.compress, lzma.compress),
    *(lambda data: zipped({"a": data, "b": URL}), lambda data: tarred({"a": data, "b": URL})),
    *(lambda data: gzip.compress(tarred({"a": data})), lambda data: tarred({"a.zip": zipped({"b": data})})),
    *(lambda data: gzip.compress(data)[:-9], lambda data: tarred({"a": data})[:-1030]),
)


class Case(NamedTuple):
    """A file, what it is packed in, how it is read, and how many bytes each read returns."""

    file: tuple[str, bytes]
    pack: Callable[[bytes], bytes]
    is_named: bool
    options: Mapping[str, Any]
    cuts: list[int]

    def check(self) -> None:
        source, data = self.file
        source = source if self.is_named else "auto"
        packed = self.pack(data)
        whole = records(Pipe(packed), source, self.options)
        for sizes in (self.cuts, [1]) if len(packed) <= LONGEST else (self.cuts,):
            assert records(Pipe(packed, *sizes), source, self.options) == whole


cases = st.builds(
    Case,
    st.sampled_from(list(FILES)).flatmap(lambda source: st.tuples(st.just(source), FILES[source])),
    st.sampled_from(CONTAINERS),
    st.booleans(),
    st.fixed_dictionaries(
        {name: st.booleans() for name in ("schemeless", "addresses", "refang", "resolve")}
        | {"join": st.sampled_from(JOINS)}
    ),
    st.lists(st.integers(1, 200), min_size=1, max_size=20),
)


@settings(deadline=None, derandomize=True, max_examples=20, suppress_health_check=list(HealthCheck))
@given(cases)
def test_any_file(case: Case) -> None:
    case.check()


@pytest.mark.slow
@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(cases)
def test_more_files(case: Case) -> None:
    case.check()


def test_every_source_is_read() -> None:
    assert {*FILES, "auto", "public-inbox"} == {*SOURCES}
