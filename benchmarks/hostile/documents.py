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

from backports import zstd

from urlmend.sources.git import FRAME

FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"

Make = Callable[[int], bytes]


def again(before: bytes, unit: bytes, after: bytes = b"") -> Make:
    """Return a family: *unit* repeated between *before* and *after*."""
    return lambda count: before + unit * count + after


def parts(unit: bytes, kind: bytes = b"mixed") -> Make:
    """Return a family: messages of 900 parts, each of them *unit*."""
    head = FROM + b"Content-Type: multipart/%b; boundary=b\n\n" % kind
    return lambda count: (head + unit * 900 + b"--b--\n\n") * max(1, count // 900)


def record(content: bytes, kind: bytes = b"conversion", media_type: bytes = b"text/plain") -> bytes:
    """Return a record of a web archive."""
    fields = b"WARC-Type: %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n" % (kind, media_type, len(content))
    return b"WARC/1.0\r\n" + fields + b"\r\n" + content + b"\r\n\r\n"


def zipped(content: bytes, name: str = "") -> Make:
    """Return a family: zips with *content* as each member; their names begin with *name*."""

    def make(count: int) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            for number in range(count):
                file.writestr(f"{name}{number}", content)
        return out.getvalue()

    return make


def tarred(content: bytes, name: str = "") -> Make:
    """Return a family: tars with *content* as each member; their names begin with *name*."""

    def make(count: int) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as file:
            for number in range(count):
                info = tarfile.TarInfo(f"{name}{number}")
                info.size = len(content)
                file.addfile(info, io.BytesIO(content))
        return out.getvalue()

    return make


RSS = b"<rss version='2.0'><channel>"
CODED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
ARC = (
    b"http://a.example/ 1.1.1.1 20240102030405 text/html 48\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\na\r\n\n"
)
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"

FAMILIES: Mapping[str, Make] = {
    "feed: empty items": again(RSS, b"<item></item>"),
    "feed: titles": again(RSS, b"<item><title>a</title></item>"),
    "feed: descriptions": again(RSS, b"<item><description>a</description></item>"),
    "feed: links": again(RSS, b"<item><description>&lt;a href='http://a.example/'&gt;</description></item>"),
    "feed: entries": again(b"<feed xmlns='http://www.w3.org/2005/Atom'>", b"<entry><link href='/b'/></entry>"),
    "feed: sections of text": again(RSS, b"<item><description><![CDATA[<b>]]></description></item>"),
    "feed: items in items": again(RSS, b"<item>"),
    "feed: items that close themselves": again(RSS, b"<item a=b/>"),
    "feed: NULs": again(RSS, b"<hr>\0data:"),
    "feed: a long description": again(RSS + b"<item><description>", b"&lt;b&gt;a"),
    "text: overstruck": again(b"", b"h\bht\btt\btp\bp:\b:/\b//\b/h\bh "),
    "xml: entities": again(b"<?xml version='1.0'?>", b"&amp;"),
    "xml: entities that do not end": again(b"<?xml version='1.0'?>", b"&amp"),
    "xml: namespaces": again(b"<?xml version='1.0'?>", b" xmlns:a="),
    "xml: a long type": again(b"<?xml version='1.0'?><!DOCTYPE ", b"<!DOCTYPE a "),
    "html: paragraphs": again(b"<html><a href=http://a.example/>", b"<p>"),
    "html: relative links": again(b"<html><base href='http://a.example/'>", b"<a href=b>"),
    "html: a long attribute": again(b"<html><a href='http://a.example/", b"b"),
    "html: handlers": again(b"<html>", b"<a onclick=http://a.example/>"),
    "html: comments for Outlook": again(b"<html>", b"<!--[if]>http://a.example/&amp;--><p>"),
    "html: odd slashes": again(b"<html>", b"<a href=http:/\\a.example/%>"),
    "html: odd hosts": again(b"<html>", b"<a href=http:u@@-a!.b/>"),
    "html: a long login": again(b"<html><a href=http://", b"@", b"a.b>"),
    "html: styles in SVG": again(b"<html><svg>", b"<style>&amp;http://a.b</style>"),
    "html: blanks in a shortened link": again(
        b"<html><a href=http://a.example/>a", b" ", b"...b http://a.example/</a>"
    ),
    "html: attributes of one": again(b"<html><a", b" a=hx", b">h...x</a>http://a.example/"),
    "html: shortened links": again(b"<html>", b"<a href=http://a.example/b>http://a...</a>"),
    "html: in UTF-16": lambda count: ("\ufeff<html>" + "<a href=http://a.example/>" * count).encode("utf-16-le"),
    "json: strings": again(b"[", b'"a",', b'"b"]'),
    "json: schemes alone": again(b"[", b'"w+://",', b'"b"]'),
    "json: URLs": again(b"[", b'"http://a.b",', b'"b"]'),
    "json: objects": again(b"[", b'{"a":"b"},', b'"b"]'),
    "json: HTML": again(b"[", b'"<p>http://a.b</p>",', b'"b"]'),
    "json: links of HTML": again(b"[", b'"<a href=http://a.b>",', b'"b"]'),
    "json: HTML without links": again(b"[", b'"\\n<p>",', b'"b"]'),
    "json: escapes": again(b"[", b'"\\n",', b'"b"]'),
    "json: arrays in arrays": lambda count: b"[" * (count % 900) + b"[]," * count + b"[]" + b"]" * (count % 900),
    "json: strings deep inside": lambda count: b'{"a":' * 400 + b"[" + b'"a",' * count + b'"b"]' + b"}" * 400,
    "json: never closed": again(b"", b'["a",['),
    "json: a long string": again(b'["', b"\\n", b'"]'),
    "jsonl: empty objects": again(b"", b"{}\n"),
    "jsonl: strings": again(b"", b'{"a":"b"}\n'),
    "jsonl: lines that are not JSON": again(b"{}\n{}\n", b'{"a\n'),
    "jsonl: arrays": again(b"", b"[" * 50 + b"]" * 50 + b"\n"),
    "mail: empty parts": parts(b"--b\n\n\n"),
    "mail: parts": parts(b"--b\n\na\n"),
    "mail: parts without a header": parts(b"--b\n)\n"),
    "mail: parts in HTML": parts(b"--b\nContent-Type: text/html\n\na\n"),
    "mail: attached messages": parts(b"--b\nContent-Type: message/rfc822\n\n\na\n"),
    "mail: parts in base64": parts(b"--b\nContent-Transfer-Encoding: base64\n\nYWE=\n"),
    "mail: messages in base64": parts(
        b"--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nCmEK\n"
    ),
    "mail: attached files": parts(b"--b\nContent-Type: application/octet-stream; name=a.txt\n\na\n"),
    "mail: a digest": parts(b"--b\n\n\n\na\n", b"digest"),
    "mail: multiparts in each other": again(b"Subject: a\n", b"Content-Type: multipart/mixed; boundary=b\n\n--b\n"),
    "mail: JSON": parts(b"--b\nContent-Type: application/json\n\n[]\n"),
    "mail: UTF-16": parts(
        b"--b\nContent-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n//5hAA==\n"
    ),
    "mail: fields": again(b"Subject: a\n", b"X-A: http://a.example/b\n"),
    "emlx": again(b"99\nSubject: a\n\n", b"http://a.example/b\n"),
    "public-inbox": again(b"", FRAME.encode() + b"a!%b 14\nSubject: a\n\na\n" % (b"0" * 40)),
    "mbox": again(b"", FROM + b"\n\n"),
    "mbox: From": again(b"", FROM + b"From: a@b\n\na\n\n"),
    "folder": again(b"", b"\1\1\1\1\nFrom: a@b\n\na\n"),
    "folder: no separators": again(b"\1\1\1\1\n", b"Article 1 of a:\n"),
    "rnews": again(b"", b"#! rnews 2\n\na"),
    "icalendar": again(b"BEGIN:VCALENDAR\n", b"URL:a\n"),
    "icalendar: entries": again(b"BEGIN:VCALENDAR\r\n", b"BEGIN:VEVENT\r\n"),
    "icalendar: escapes": again(b"BEGIN:VCALENDAR\r\nDESCRIPTION:", b"\\n\\,http://a.b"),
    "warc: empty records": again(b"", record(b"")),
    "warc: records": again(b"", record(b"a")),
    "warc: pages": again(b"", record(PAGE + b"a", b"response", b"application/http")),
    "warc: pages with references": again(b"", record(PAGE + b"&", b"response", b"application/http")),
    "warc: pages with backslashes": again(b"", record(PAGE + b"\\", b"response", b"application/http")),
    "warc: pages in Latin-1": again(
        b"", record(PAGE.replace(b"html", b"html; charset=latin-1") + b"a", b"response", b"application/http")
    ),
    "warc: XML with references": again(b"", record(b"<rss>&", b"resource", b"text/xml")),
    "warc: links": again(b"", record(PAGE + b"<a href=http://a.example/>", b"response", b"application/http")),
    "warc: metadata": again(
        b"", record(b"outlink: http://a.example/ L a/@href\r\n", b"metadata", b"application/warc-fields")
    ),
    "warc: JSON": again(
        b"", record(PAGE.replace(b"text/html", b"application/json") + b'["a"]', b"response", b"application/http")
    ),
    "warc: a feed": again(b"", record(RSS + b"<item><title>a", b"resource", b"application/rss+xml")),
    "warc: coded pages": again(
        b"", record(CODED + gzip.compress(b"<a href=http://a.example/>"), b"response", b"application/http")
    ),
    "arc": again(b"filedesc://a 0 20240102030405 a 2\n1\n", ARC),
    "warc: compressed records": again(b"", gzip.compress(record(b"a"))),
    "gzip: empty members": again(b"", gzip.compress(b"")),
    "bzip2: members": again(b"", bz2.compress(b"a")),
    "bzip2: empty members": again(b"", bz2.compress(b"")),
    "zstd: members": again(b"", zstd.compress(b"a")),
    "zstd: frames to skip": again(zstd.compress(b"a"), b"\x50\x2a\x4d\x18\0\0\0\0"),
    "xz: members": again(b"", lzma.compress(b"a")),
    "zip: empty members": zipped(b""),
    "zip: members": zipped(b"a"),
    "zip: pages": zipped(b"<html>a"),
    "zip: zips": zipped(zipped(b"a")(1)),
    "tar: empty members": tarred(b""),
    "tar: members": tarred(b"a"),
    "tar: compressed members": tarred(gzip.compress(b"a")),
    "tar: mail": tarred(FROM + b"\n"),
    "tar: tars": tarred(tarred(b"a")(1)),
    "tar: long names": tarred(b"a", "é" * 200),
    "zip: mail": zipped(FROM + b"\n"),
    "zip: long names": zipped(b"a", "é" * 100),
    "zip: links": zipped(b"http://a.example/b"),
}
