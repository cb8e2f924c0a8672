"""Web archives: what is read of their records, and where it stands."""

import gzip
import io
import sys

import pytest

from urlmend import SourceError, URLMatch, iter_texts, iter_urls
from urlmend.query import Query
from urlmend.scanner import match_batches

ADDRESS = "http://www.example.org/page"


def warc(kind: str, content_type: str, content: bytes, number: int = 1) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {ADDRESS}\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: {content_type}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


def http(content_type: str, content: bytes, *more: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Type: {content_type}", *more, "", ""]).encode() + content


def arc(content: bytes, content_type: str = "text/html") -> bytes:
    version = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
    head = b"filedesc://x.arc 0.0.0.0 20060102030405 text/plain %d\n" % len(version) + version + b"\n"
    address = f"{ADDRESS} 192.0.2.1 20060102030405 {content_type} {len(content)}\n".encode()
    return head + address + content + b"\n"


PAGE = "<p>Grüße von <a href='http://a.example/?x=1&amp;y=2'>hier</a>, siehe http://b.example/"
INFORMATION = warc("warcinfo", "application/warc-fields", b"software: see http://no.example/\r\n")
LINES = b"See http://a.example/1\nand <URL:http://a.example/\n  2>.\n"

CASES = {
    "wet": (INFORMATION + warc("conversion", "text/plain", LINES), ["http://a.example/1", "http://a.example/2"]),
    "response": (
        INFORMATION + warc("response", "application/http; msgtype=response", http("text/html", PAGE.encode())),
        ["http://a.example/?x=1&y=2", "http://b.example/"],
    ),
    "charset of the header": (
        warc(
            "response", "application/http", http("text/html; charset=iso-8859-1", "http://ü.example/".encode("latin-1"))
        ),
        ["http://ü.example/"],
    ),
    "charset of the page": (
        warc("response", "application/http", http("text/html", b"<meta charset='koi8-r'>http://a.example/\xc1")),
        ["http://a.example/а"],  # noqa: RUF001 -- a Cyrillic letter
    ),
    "resource": (warc("resource", "text/plain", LINES), ["http://a.example/1", "http://a.example/2"]),
    "no text": (warc("response", "application/http", http("image/png", b"http://no.example/")), []),
    "compressed by the server": (
        warc("response", "application/http", http("text/html", b"http://no.example/", "Content-Encoding: gzip")),
        [],
    ),
    "request": (warc("request", "application/http", b"GET / HTTP/1.1\r\nReferer: http://no.example/\r\n\r\n"), []),
    "nothing in it": (warc("conversion", "text/plain", b""), []),
    "arc": (arc(http("text/html", PAGE.encode())), ["http://a.example/?x=1&y=2", "http://b.example/"]),
    "arc, text": (arc(http("text/plain", LINES), "text/plain"), ["http://a.example/1", "http://a.example/2"]),
    "arc, no text": (arc(http("image/gif", b"http://no.example/"), "image/gif"), []),
}


class InPieces:
    def __init__(self, data: bytes, size: int) -> None:
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, self._size))


@pytest.mark.parametrize("size", [1 << 20, 100, 7])
@pytest.mark.parametrize("name", CASES)
def test_records(name: str, size: int) -> None:
    data, urls = CASES[name]
    matches = list(iter_urls(InPieces(data, size)))
    assert [match.url for match in matches] == urls
    for match in matches:
        assert match.origin.target_uri == ADDRESS
        assert match.origin.date in {"2024-01-02T03:04:05Z", "2006-01-02T03:04:05Z"}
        record = data[match.origin.offset :]
        assert record.startswith((b"WARC/1.0", ADDRESS.encode()))
        assert record.index(ADDRESS.encode()) < 100
        assert match.line == data.count(b"\n", 0, match.start) + 1
        if match.exact:
            assert data[match.start : match.end].decode(match.origin.charset or "utf-8", "replace") == match.raw


def test_exact_places_in_plain_text() -> None:
    data, _ = CASES["wet"]
    assert [(match.exact, match.origin.record) for match in iter_urls(io.BytesIO(data))] == [(True, "urn:uuid:1")] * 2


def test_record_for_record_compressed() -> None:
    records = [warc("conversion", "text/plain", b"http://a.example/%d\n" % number, number) for number in range(3)]
    data = b"".join(map(gzip.compress, [INFORMATION, *records]))
    matches = list(iter_urls(io.BytesIO(data)))
    assert [match.url for match in matches] == [f"http://a.example/{number}" for number in range(3)]
    assert [match.origin.message for match in matches] == [2, 3, 4]


CONTENTS = [
    "no sign of one",
    "http://a.example/1",
    "http://a.example/1-\n2 and\n  <URL:http://a.example/\n  3>\n-- \nhttp://a.example/1-2\n-----\nhttp://a.example/4",
    "a\rb\n-- \nhttp://a.example/1",
    "begin 644 x\n#86)C\n`\nend\nhttp://a.example/1",
    "http://a.example/1\nbegin 644 x\n#86)C\n`\nend\nhttp://a.example/2",
    "-----BEGIN PGP SIGNED MESSAGE-----\n\n- -- \nhttp://a.example/1\n- - http://a.example/2",
    "caf\u00e9 http://a.example/1\n-- \ncaf\u00e9 http://a.example/caf\u00e9.",
    "http=3A//a.example/1 +AGg-ttp://a.example/2",
    "\ufeffhttp://a.example/1",
    "",
]
TYPES = ["text/plain", "text/plain; charset=latin-1", "text/plain; charset=utf-7", "text/plain; charset=utf-16-le"]


@pytest.mark.parametrize("content_type", TYPES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_what_is_left_out_holds_nothing(content_type: str, line_end: str) -> None:
    """The texts that nobody has looked through for URLs are the slow twin."""
    records = [
        content.replace("\n", line_end).encode(charset)
        for content in CONTENTS
        for charset in ("utf-8", "latin-1", "utf-16-le")
        if charset != "latin-1" or "\ufeff" not in content
    ]
    articles = [f"Content-Type: {content_type}\n\n".encode() + record for record in records]
    files = {
        "warc": b"".join(warc("conversion", content_type, record) for record in records),
        "arc": b"".join(arc(http(content_type, record), "text/plain") for record in records),
        "rnews": b"".join(b"#! rnews %d\n%b" % (len(article), article) for article in articles),
    }
    for source, data in files.items():
        found = list(iter_urls(io.BytesIO(data), source=source))
        twins = [match for some in match_batches(iter_texts(io.BytesIO(data), source), Query()) for match in some]
        assert found
        for match, twin in zip(found, twins, strict=True):
            assert (match.as_dict(), match.left, match.origin) == (twin.as_dict(), twin.left, twin.origin)


def test_what_stands_before_a_broken_record_is_given_out() -> None:
    data, urls = CASES["wet"]
    found: list[URLMatch] = []
    with pytest.raises(SourceError, match="broken after record 2, at byte"):
        found.extend(iter_urls(io.BytesIO(data + b"no record at all\r\n" + data)))
    assert [match.url for match in found] == urls


@pytest.mark.parametrize("end", [b"WARC/1.0\r\nbroken", b"WARC/1.0\r\nContent-Length: x\r\n\r\n", CASES["wet"][0][:40]])
def test_a_record_that_is_cut_off(end: bytes) -> None:
    data, urls = CASES["wet"]
    assert [match.url for match in iter_urls(io.BytesIO(data + end))] == urls


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastwarc", None)
    with pytest.raises(SourceError, match=r"urlmend\[warc\]"):
        list(iter_urls(io.BytesIO(CASES["wet"][0])))
