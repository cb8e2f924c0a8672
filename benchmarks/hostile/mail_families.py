"""Mail and web archives that are meant to hurt: README.md says what each family defeats.

A family is a function from a size, in bytes, to a file of about that size.
"""

import base64
import gzip
from collections.abc import Callable, Mapping
from itertools import count, takewhile

from backports import zstd

FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"
HEAD = b"From: jane@a.example\nTo: joe@a.example\nDate: Sat, 17 Feb 1996 10:00:00 +0000\nMessage-ID: <1@a.example>\n"
URL = b"http://a.example/b"

Make = Callable[[int], bytes]


def again(before: bytes, unit: bytes, after: bytes = b"\n\n" + URL + b"\n") -> Make:
    """Return a family: *unit* repeated between *before* and *after*."""
    return lambda size: before + unit * max(1, size // len(unit)) + after


def numbered(before: bytes, unit: str, after: bytes = b"\n\n" + URL + b"\n") -> Make:
    """Return a family: *unit*, with another number each time."""

    def make(size: int) -> bytes:
        length = len(unit.format(10_000))
        return before + b"".join(unit.format(number).encode() for number in range(max(1, size // length))) + after

    return make


def squared(before: bytes, first: str, second: bytes) -> Make:
    """Return a family: half of it *first*, with a number each, half of it *second*: one may be done for each other."""

    def make(size: int) -> bytes:
        firsts = b"".join(first.format(number).encode() for number in range(max(1, size // 2 // len(first))))
        return before + firsts + second * (size // 2 // len(second)) + b"<p>" + URL

    return make


def part(kind: bytes, encoding: bytes = b"8bit") -> bytes:
    """Return the header of a message of one part."""
    return HEAD + b"Content-Type: " + kind + b"\nContent-Transfer-Encoding: " + encoding + b"\n\n"


def in_base64(kind: bytes, unit: bytes) -> Make:
    """Return a family: *unit* repeated, in base64."""
    return lambda size: part(kind, b"base64") + base64.encodebytes(unit * max(1, size * 3 // 4 // len(unit)))


def html(unit: bytes, before: bytes = b"") -> Make:
    """Return a family: a message with *unit* repeated in HTML."""
    return again(part(b"text/html") + b"<p>" + URL + b"/first " + before, unit, b"<p>" + URL)


def html_numbered(before: bytes, unit: str) -> Make:
    """Return a family: the same, with another number each time."""
    return numbered(part(b"text/html") + before, unit, b"><p>" + URL)


def nested(size: int) -> bytes:
    """Make multiparts in each other, each with a boundary of its own."""
    opening = (b"Content-Type: multipart/mixed; boundary=b%dx\n\n--b%dx\n" % (number, number) for number in count())
    total = iter(range(size // 60))
    return HEAD + b"".join(line for line, _ in zip(opening, total, strict=False)) + b"\n" + URL


def web_records(size: int) -> bytes:
    """Make small records of a web archive."""
    body = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>http://a.example/b\n"
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(body), body)
    )
    return record * max(1, size // len(record))


def web_head(size: int) -> bytes:
    """Make a record of a web archive with a long HTTP header."""
    body = b"HTTP/1.0 200 OK\r\n" + b"X: a\r\n" * (size // 6) + b"\r\n<p>http://a.example/b\n"
    return (
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(body), body)
    )


def members(compress: Callable[[bytes], bytes]) -> Make:
    """Return a family: compressed members, a URL in each."""
    member = compress(URL + b"\n")
    return lambda size: member * max(1, size // len(member))


def zeros_behind(size: int) -> bytes:
    """Make a member of gzip, zeros, and another."""
    return gzip.compress(URL + b"\n") + bytes(size) + gzip.compress(URL + b"\n")


def long_name(size: int) -> bytes:
    """Make a member of gzip with a long file name."""
    member = gzip.compress(URL + b"\n")
    return member[:3] + b"\x08" + member[4:10] + b"a" * size + b"\0" + member[10:]


def counted(size: int) -> bytes:
    """Make small messages that say that they are long."""
    message = FROM + HEAD + b"Content-Length: 4194303\n\n" + URL + b"\n\n"
    return message * max(1, size // len(message))


def unknown_charsets(size: int) -> bytes:
    """Make messages, each in an unknown charset."""
    one = FROM.decode() + "Content-Type: text/plain; charset=x{}\n\nhttp://a.example/b \u00e9\n\n"
    messages = (one.format(number).encode("latin-1") for number in count())
    return b"".join(message for message, _ in zip(messages, range(max(1, size // len(one))), strict=False))


def doubling(unit: bytes) -> Make:
    """Return a family: lines of text that are each twice as long as the last, with *unit* at their ends."""
    return lambda size: (
        HEAD
        + b"\n"
        + b"".join(
            b"w" * length + unit
            for length in takewhile(lambda length: length < size, (1 << power for power in count()))
        )
    )


_FLOWED = b"text/plain; format=flowed; delsp=yes"
HYPHENS = b"-" * 70
_MULTI = HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n"

FAMILIES: Mapping[str, Make] = {
    # Headers
    "fields with URLs": again(HEAD, b"X-A: http://a.example/\n"),
    "fields": again(HEAD, b"X-A: b\n"),
    "folded lines": again(HEAD + b"X-A: b", b"\n b"),
    "folded lines with colons": again(HEAD + b"X-A: b", b"\n ://"),
    "folded lines first": again(FROM, b" ://\n"),
    "folded lines of a part": again(_MULTI + b"--x\n", b" ://\n", b"\n" + URL + b"\n--x--\n"),
    "URLs where none are looked for": again(HEAD + b"Received: x", b"\n http://a.example/"),
    "words that do not end": again(HEAD + b"X-A: ", b"=?a?q?x"),
    "words": again(HEAD + b"X-A: ", b"=?utf-8?q?a?= "),
    "words in base64": again(HEAD + b"X-A: ", b"=?utf-8?b?aHR0cDovL2EuZXhhbXBsZS8=?= "),
    "words with nothing between": again(HEAD + b"X-A: ", b"=?utf-8?q?a?="),
    "semicolons in quotes": again(HEAD + b'Content-Type: text/plain; a="', b";"),
    "semicolons": again(HEAD + b"Content-Type: text/plain; ", b";"),
    "quotes of a parameter": again(HEAD + b"Content-Type: text/plain; a=", b'"'),
    "parameters in parts": numbered(HEAD + b"Content-Type: text/plain", "; a*{}=b"),
    "a date": again(HEAD[:43] + b"Date: ", b"1 "),
    "fields before many URLs": lambda size: HEAD + b"X-A: b b\n" * (size // 18) + b"\n" + (URL + b"\n") * (size // 38),
    # Parts
    "parts": again(_MULTI, b"--x\n\n" + URL + b"\n", b"--x--\n"),
    "parts of HTML": again(_MULTI, b"--x\nContent-Type: text/html\n\n<p>http://a.example/b\n", b"--x--\n"),
    "digest": again(_MULTI.replace(b"mixed", b"digest"), b"--x\n\nSubject: a\n\n" + URL + b"\n", b"--x--\n"),
    "parts that do not end a line": again(_MULTI, b"--x\n", b"\n" + URL + b"\n--x--\n"),
    "a boundary of hyphens": again(
        HEAD + b'Content-Type: multipart/mixed; boundary="%b"\n\n--%b\n\n' % (HYPHENS, HYPHENS),
        HYPHENS + b"---\n",
        URL + b"\n--%b--\n" % HYPHENS,
    ),
    "false delimiters": again(_MULTI + b"--x\n\n", b"--xy\n", URL + b"\n--x--\n"),
    "multiparts in multiparts": nested,
    "messages in messages": again(HEAD, b"Content-Type: message/rfc822\n\n"),
    # Bodies
    "quoted-printable, a line each": again(part(b"text/plain", b"quoted-printable"), b"=41 http://a.example/b\n"),
    "quoted-printable, one line": again(part(b"text/plain", b"quoted-printable"), b"=41 http://a.example/b "),
    "blanks after =": again(part(b"text/plain", b"quoted-printable") + b"=", b" "),
    "soft breaks": again(part(b"text/plain", b"quoted-printable"), b"=\n"),
    "base64": in_base64(b"text/plain", b"http://a.example/b\n"),
    "base64 in UTF-8": in_base64(b"text/plain; charset=utf-8", "\u00e9 http://a.example/b\n".encode()),
    "base64 in UTF-16": in_base64(b"text/plain; charset=utf-16", "\u00e9 http://a.example/b\n".encode("utf-16-le")),
    "base64 in UTF-7": in_base64(b"text/plain; charset=utf-7", b"+AGE"),
    "base64 in HZ": in_base64(b"text/plain; charset=hz", b"~{<:"),
    "base64 and text in turn": again(part(b"text/plain", b"base64"), b"aHR0cDo=\nhttp://a.example/\n"),
    "Latin-1": again(part(b"text/plain; charset=iso-8859-1"), b"\xe9 http://a.example/b\n"),
    "no charset, Latin-1": again(part(b"text/plain"), b"\xe9 http://a.example/b\n"),
    "no charset, either": again(part(b"text/plain"), b"\xe9 \xc3\xa9 http://a.example/b\n"),
    "UTF-7": again(part(b"text/plain; charset=utf-7"), b"+AOk- http://a.example/b\n"),
    "UTF-7, one line": again(part(b"text/plain; charset=utf-7"), b"+AOk- http://a.example/b "),
    "ISO-2022-JP": again(part(b"text/plain; charset=iso-2022-jp"), b'\x1b$B$"\x1b(B http://a.example/b\n'),
    "GB 18030": again(part(b"text/plain; charset=gb18030"), b"\xb0\xa1 http://a.example/b\n"),
    "GB 18030, and what is not": again(part(b"text/plain; charset=gb18030"), b"\xb0\xa1\n\xff http://a.example/b\n"),
    "GB 18030, one line": again(part(b"text/plain; charset=gb18030"), b"\xb0\xa1\xff http://a.example/b "),
    "flowed": again(part(_FLOWED), b"> a http://a.example/b \n"),
    "flowed, depths in turn": again(part(_FLOWED), b"> a \n>> http://a.example/b \n"),
    "quote marks, flowed": again(part(_FLOWED), b">"),
    "PGP's escapes": again(HEAD + b"\n-----BEGIN PGP SIGNED MESSAGE-----\n", b"- -http://a.example/b\n"),
    "signatures": again(HEAD + b"\n", b"-- \nhttp://a.example/\n-----\n"),
    "hyphens in tiny wrappers": again(HEAD + b"\n", b"<URL:http://a.b/b-\nc-\nd-\ne-\nf>\n"),
    "hyphens before brackets": again(HEAD + b"\n", b"http://a.example/b-\nc-\nd-\ne-\n" + b"o:(" * 100 + b" "),
    "starred soft hyphens": again(HEAD + b"\n", b"http://a.example/b/[" + b"*\xc2\xad" * 20 + b"\n"),
    "torn addresses of a mail filter": again(HEAD + b"\n", b"https://urldefense.com/v3/x\n" * 4 + b"a$\n" * 40),
    "uuencoded": again(HEAD + b"\n", b"begin 644 a\n#86)C\n`\nend\nhttp://a.example/b\n"),
    "uuencode's first lines": again(HEAD + b"\n", b"begin 644 a\n"),
    "lines twice as long": doubling(b" http://a.example/b\n"),
    "long types": numbered(b"", f"{FROM.decode()}Content-Type: a{{}}{'a' * 3950}/b\n\n\n", FROM + HEAD + b"\n" + URL),
    # Messages
    "messages": again(b"", FROM + HEAD + b"\n" + URL + b"\n\n", b""),
    "messages that say they are long": counted,
    "messages in unknown charsets": unknown_charsets,
    "From lines that are none": again(FROM + HEAD + b"\n", b"From a 19\n", URL),
    "From lines, one after the other": again(b"", FROM, FROM + HEAD + b"\n" + URL),
    "times in a From line": again(FROM + HEAD + b"\nFrom ", b" 1:11", b"\n.\n" + URL),
    "quoted From lines": again(FROM + HEAD + b"\n", b">From what\n", URL),
    "articles": again(b"", b"#! rnews 35\nSubject: x\n\nhttp://a.example/news\n\n", b""),
    "names of files with blanks": again(
        part(b"multipart/mixed; boundary=a"),
        b"--a\nContent-Type: application/octet-stream\nContent-Disposition: attachment; name=.txt"
        + b" " * 4000
        + b"x\n\na\n",
    ),
    # HTML
    "<p<p": html(b"<p"),
    "<a<a": html(b"<a"),
    "beginnings of tags": html(b"<"),
    "beginnings of end tags": html(b"</"),
    "beginnings of declarations": html(b"<!"),
    "scripts that do not end": html(b"<script"),
    "a quote that does not end": html(b"</", b"<a b='"),
    "white space to keep": html(b"<pre> "),
    "attributes": html_numbered(b"<a ", "a{} "),
    "attributes of =": html_numbered(b"<a ", "=a{} "),
    "attributes with nothing between": html_numbered(b"<a ", 'a{}=""'),
    "attributes behind quotes that hide them": html_numbered(b'<script>"<a b="</script><a c="\'', 'a{}=" "'),
    "classes in each other": html(b"<div cite " + b"id=" * 300 + b">"),
    "blanks after rules": html(b"<p>" + b"_" * 20 + b" " * 777 + b"x"),
    "999 attributes": html(b"<p" + b" <p" * 998 + b">"),
    "the same attribute": html(b" href=/b", b"<a"),
    "ends of what is not open": html(b"<div></x>"),
    "ends behind what is open": squared(part(b"text/html"), "<div>", b"</x>"),
    "ends behind dd": html(b"<dd><dl></x></x>"),
    "lists in lists": html(b"<li><ul>"),
    "options": html(b"<option>x", b"<select>"),
    "formatting elements in blocks": squared(part(b"text/html") + b"<p>", "<b id={}>", b"<p>x</p>"),
    "formatting elements in tables": html(b"<table><b>"),
    "links in links": html_numbered(b"", "<a id={}><div>"),
    "blocks": html(b"<div>"),
    "paragraphs": html(b"<p><div>"),
    "templates": html(b"<template></x>"),
    "pictures": html(b"<p></svg>", b"<svg>"),
    "comments": html(b"<!--"),
    "a comment that does not end": html(b"<p>http://a.example/b\n", b"<!--"),
    "titles": html(b"<title>"),
    "commas in srcset": html(b",", b"<img srcset='http://a.example/x 1x"),
    "blanks in a refresh": html(b" ", b"<meta http-equiv=refresh content='0;url=http://a.example/"),
    "entities in URLs": html(b"<p>http://a.example/&#98; "),
    "entities in links": html(b"<a href=http://a.example/&#98;>x</a>"),
    "entities that are none": html(b"&aaaaaaaaaa"),
    "links": html(b"<a href=http://a.example/>"),
    "tags in URLs": html(b"<p>http://a.<b>example</b>/b "),
    # Feeds and calendars
    "CDATA that does not end": again(b"<rss version='2'><description><![CDATA[", b"<a href='x'>&amp;</a> http "),
    "elements in elements": again(b"<rss version='2'>", b"<link><a:b>"),
    "entities in a description": again(b"<rss version='2'><description>", b"&lt;"),
    "types of a text": again(b"<rss version='2'><content ", b'type="html" '),
    "folds": again(b"BEGIN:VCALENDAR\n", b"\\\n "),
    "escapes": again(b"BEGIN:VCALENDAR\n", b"\\"),
    # Archives and compressed files
    "web records": web_records,
    "a long HTTP header": web_head,
    "gzip members": members(gzip.compress),
    "zstd members": members(zstd.compress),
    "zeros behind gzip": zeros_behind,
    "a long name in gzip": long_name,
}
"""The families by name."""
