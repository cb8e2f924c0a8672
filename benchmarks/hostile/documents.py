"""Files of thousands of the smallest documents: each unit costs as much as what surrounds a text of a few bytes.

A family is a function from a number of units to a file.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping

FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"

Make = Callable[[int], bytes]


def again(before: bytes, unit: bytes, after: bytes = b"") -> Make:
    """Return a family: *unit* repeated between *before* and *after*."""
    return lambda count: before + unit * count + after


def parts(unit: bytes) -> Make:
    """Return a family: messages of 900 parts, each of them *unit*."""
    head = FROM + b"Content-Type: multipart/mixed; boundary=b\n\n"
    return lambda count: (head + unit * 900 + b"--b--\n\n") * max(1, count // 900)


def record(content: bytes, kind: bytes = b"conversion", media_type: bytes = b"text/plain") -> bytes:
    """Return a record of a web archive."""
    fields = b"WARC-Type: %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n" % (kind, media_type, len(content))
    return b"WARC/1.0\r\n" + fields + b"\r\n" + content + b"\r\n\r\n"


def zipped(content: bytes) -> Make:
    """Return a family: zips with *content* as each member."""

    def make(count: int) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            for number in range(count):
                file.writestr(str(number), content)
        return out.getvalue()

    return make


def tarred(content: bytes) -> Make:
    """Return a family: tars with *content* as each member."""

    def make(count: int) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as file:
            for number in range(count):
                info = tarfile.TarInfo(str(number))
                info.size = len(content)
                file.addfile(info, io.BytesIO(content))
        return out.getvalue()

    return make


RSS = b"<rss version='2.0'><channel>"
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"

FAMILIES: Mapping[str, Make] = {
    "feed: empty items": again(RSS, b"<item></item>"),
    "feed: titles": again(RSS, b"<item><title>a</title></item>"),
    "feed: descriptions": again(RSS, b"<item><description>a</description></item>"),
    "feed: links": again(RSS, b"<item><description>&lt;a href='http://a.example/'&gt;</description></item>"),
    "json: strings": again(b"[", b'"a",', b'"b"]'),
    "json: objects": again(b"[", b'{"a":"b"},', b'"b"]'),
    "json: escapes": again(b"[", b'"\\n",', b'"b"]'),
    "jsonl: empty objects": again(b"", b"{}\n"),
    "jsonl: strings": again(b"", b'{"a":"b"}\n'),
    "jsonl: lines that are not JSON": again(b"{}\n{}\n", b'{"a\n'),
    "mail: empty parts": parts(b"--b\n\n\n"),
    "mail: parts": parts(b"--b\n\na\n"),
    "mail: parts in HTML": parts(b"--b\nContent-Type: text/html\n\na\n"),
    "mail: attached messages": parts(b"--b\nContent-Type: message/rfc822\n\n\na\n"),
    "mail: parts in base64": parts(b"--b\nContent-Transfer-Encoding: base64\n\nYWE=\n"),
    "mail: attached files": parts(b"--b\nContent-Type: application/octet-stream; name=a.txt\n\na\n"),
    "mbox": again(b"", FROM + b"\n\n"),
    "mbox: From": again(b"", FROM + b"From: a@b\n\na\n\n"),
    "rnews": again(b"", b"#! rnews 2\n\na"),
    "icalendar": again(b"BEGIN:VCALENDAR\n", b"URL:a\n"),
    "icalendar: entries": again(b"BEGIN:VCALENDAR\r\n", b"BEGIN:VEVENT\r\n"),
    "warc: empty records": again(b"", record(b"")),
    "warc: records": again(b"", record(b"a")),
    "warc: pages": again(b"", record(PAGE + b"a", b"response", b"application/http")),
    "warc: links": again(b"", record(PAGE + b"<a href=http://a.example/>", b"response", b"application/http")),
    "warc: compressed records": again(b"", gzip.compress(record(b"a"))),
    "gzip: empty members": again(b"", gzip.compress(b"")),
    "bzip2: members": again(b"", bz2.compress(b"a")),
    "xz: members": again(b"", lzma.compress(b"a")),
    "zip: empty members": zipped(b""),
    "zip: members": zipped(b"a"),
    "zip: pages": zipped(b"<html>a"),
    "zip: zips": zipped(zipped(b"a")(1)),
    "tar: empty members": tarred(b""),
    "tar: members": tarred(b"a"),
    "tar: compressed members": tarred(gzip.compress(b"a")),
    "tar: mail": tarred(FROM + b"\n"),
}
