"""Mail made to hurt: it is read to its end, limits are told, nothing is raised, and memory does not grow with it.

What it costs is measured by `python -m benchmarks.hostile`.
"""

import base64
import io
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from urlmend import iter_urls
from urlmend.sources.header import MAX_FIELDS_WITH_URLS
from urlmend.sources.html import MAX_TAGS
from urlmend.sources.mail import MAX_PARTS

HEAD = b"From: jane@a.example\n"
FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"
URL = b"http://a.example/b"
BOUNDARY = b"-" * 70


def nested_parts(count: int) -> bytes:
    opening = b"".join(b"Content-Type: multipart/mixed; boundary=b%dx\n\n--b%dx\n" % (n, n) for n in range(count))
    return HEAD + opening + b"\n" + URL + b"\n" + b"".join(b"--b%dx--\n" % n for n in reversed(range(count)))


def html(body: bytes) -> bytes:
    return HEAD + b"Content-Type: text/html\n\n" + body + b"\n<p>" + URL


CASES: dict[str, tuple[Callable[[int], bytes], int, int]] = {
    # what is made of a number, the number, how many URLs it holds
    "header fields": (lambda n: HEAD + b"X-A: b\n" * n + b"\n" + URL, 100_000, 1),
    "header fields with URLs": (lambda n: HEAD + b"X-A: http://a.example/\n" * n + b"\n" + URL, 20_000, 1001),
    "a header of 2 MB": (lambda n: HEAD + b"X-A: " + b"\n b" * n + b"\n\n" + URL, 700_000, 1),
    "content fields": (lambda n: HEAD + b"Content-Type: text/plain\n" * n + b"\n" + URL, 20_000, 1),
    "a content field of 1 MB": (lambda n: HEAD + b"Content-Type: text/plain" + b"; a=b" * n + b"\n\n" + URL, 20_000, 1),
    "encoded words": (lambda n: HEAD + b"Subject: " + b"=?utf-8?Q?a?=\n " * n + b"\n\n" + URL, 20_000, 1),
    "parts": (
        lambda n: HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n" + (b"--x\n\n" + URL + b"\n") * n + b"--x--\n",
        20_000,
        20_000,
    ),
    "parts without a line end": (
        lambda n: HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\n" * n + b"\n" + URL + b"\n--x--\n",
        100_000,
        1,
    ),
    "nested multiparts": (nested_parts, 10_000, 1),
    "nested messages": (lambda n: HEAD + b"Content-Type: message/rfc822\n\n" * n + b"\n" + URL, 10_000, 1),
    "one boundary, nested": (
        lambda n: HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" * n + b"\n" + URL + b"\n--x--\n" * n,
        10_000,
        1,
    ),
    "From lines": (lambda n: FROM + HEAD + b"\n" + b"From what\n" * n + URL, 100_000, 1),
    "messages": (lambda n: (FROM + HEAD + b"\n" + URL + b"\n\n") * n, 10_000, 10_000),
    "From lines, one after the other": (lambda n: FROM * n + HEAD + b"\n" + URL, 100_000, 1),
    "quoted From lines": (lambda n: FROM + HEAD + b"\n" + b">From what\n" * n + URL, 100_000, 1),
    "wrong lengths": (
        lambda n: (FROM + HEAD + b"Content-Length: 9999999\n\n" + URL + b"\n\n") * n,
        2_000,
        2_000,
    ),
    "a boundary of hyphens": (
        lambda n: (
            HEAD
            + b'Content-Type: multipart/mixed; boundary="%s"\n\n--%s\n\n%s\n' % (BOUNDARY, BOUNDARY, URL)
            + b"-" * n * 70
            + b"\n"
            + (b"-" * 73 + b"\n") * n
            + b"--%s--\n" % BOUNDARY
        ),
        20_000,
        1,
    ),
    "nested HTML": (lambda n: html(b"<div>" * n), 100_000, 1),
    "nested inline HTML": (lambda n: html(b"<b>" * n), 20_000, 1),
    "HTML attributes": (lambda n: html(b"<a " + b" ".join(b"a%d=b" % i for i in range(n)) + b">"), 100_000, 1),
    "the same attribute": (lambda n: html(b"<a " + b"href=/b " * n + b">"), 100_000, 1),
    "HTML links": (lambda n: html(b"<a href=http://a.example/>" * n), 5_000, 5_001),
    "links whose place is not found": (lambda n: html(b"<a href=http://a.example/&#98;>x</a>" * n), 5_000, 5_001),
    "open tags": (lambda n: html(b"<a href=" * n), 100_000, 1),
    "srcset": (lambda n: html(b"<img srcset='" + b"http://a.example/ 1x, " * n + b"'>"), 5_000, 5_001),
    "entities": (lambda n: html(b"&lt;" * n), 100_000, 1),
    "base64 in one line": (
        lambda n: HEAD + b"Content-Transfer-Encoding: base64\n\n" + base64.b64encode(b"words " * n + URL) + b"\n",
        1_250_000,
        1,
    ),
    "base64 of nothing": (lambda n: HEAD + b"Content-Transfer-Encoding: base64\n\n" + b"\n" * n, 100_000, 0),
    "soft breaks": (
        lambda n: HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=\n" * n + URL + b"\n",
        100_000,
        1,
    ),
    "blanks behind =": (
        lambda n: HEAD + b"Content-Transfer-Encoding: quoted-printable\n\n=" + b" " * n + b"x\n" + URL + b"\n",
        1_000_000,
        1,
    ),
    "soft lines": (lambda n: HEAD + b"Content-Type: text/plain; format=flowed\n\n" + b"a \n" * n + URL, 50_000, 1),
    "quote marks": (
        lambda n: HEAD + b"Content-Type: text/plain; format=flowed\n\n" + b">" * n + b" \n" + URL,
        1_000_000,
        1,
    ),
    "uuencode's first lines": (lambda n: HEAD + b"\n" + b"begin 644 a\n" * n + URL, 50_000, 1),
    "uuencoded blocks": (lambda n: HEAD + b"\n" + b"begin 644 a\n#86)C\n`\nend\n" * n + URL, 10_000, 1),
    "signatures": (lambda n: HEAD + b"\n" + b"-- \n-----\n" * n + URL, 10_000, 1),
    "PGP": (lambda n: HEAD + b"\n" + b"-----BEGIN PGP SIGNED MESSAGE-----\n- -a\n" * n + URL, 20_000, 1),
    "articles of nothing": (lambda n: b"#! rnews 0\n" * n + b"#! rnews 40\n" + HEAD + b"\n" + URL, 50_000, 1),
    "no articles": (lambda n: b"#! rnews 0\n" + b"x\n" * n + b"#! rnews 40\n" + HEAD + b"\n" + URL, 100_000, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_large_is_read(name: str) -> None:
    make, size, urls = CASES[name]
    assert sum(1 for _ in iter_urls(io.BytesIO(make(size)))) == urls


# What a library would raise, or take long or much for: the body, what is found, and a word of the defect that tells

MOST_FIELDS = b"X-A: http://a.example/a\n" * (MAX_FIELDS_WITH_URLS + 1)
TOLD: dict[str, tuple[bytes, int, str]] = {
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


@pytest.mark.parametrize("name", TOLD)
def test_what_is_over_a_limit_is_told(name: str) -> None:
    data, urls, defect = TOLD[name]
    matches = list(iter_urls(io.BytesIO(HEAD + data), source="message"))
    assert len(matches) == urls
    assert any(defect in told for match in matches for told in (*match.origin.defects, *([""] * (not defect))))


# Charsets that nobody declares: what is read does not depend on how the file comes

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
READS = (1 << 20, 1 << 16, 5000, 77)


class Short(io.BytesIO):
    """A file that gives at most *most* bytes a read."""

    most = 1

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, self.most))


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("header", [b"", b"Content-Type: text/plain; charset=utf-8\n", b"Content-Type: text/html\n"])
def test_charsets_do_not_depend_on_the_cut(name: str, header: bytes) -> None:
    body, urls = CUTS[name]
    for most in READS:
        file = Short(FROM + HEAD + header + b"\n" + body)
        file.most = most
        assert [match.url for match in iter_urls(file)] == urls


# Memory

SIZE = 200_000_000
LESS = 40_000_000
MOST = 65_000_000
"""The interpreter and the package take 31 MB; to hold LESS bytes of text would be more than MOST."""

MANY: dict[str, bytes] = {
    "short messages": FROM + HEAD + b"\nSee http://a.example/b, or not.\n" + b"filling words\n" * 100 + b"\n",
    "one message": b"filling words\n" * 100 + b"http://a.example/b\n",
    "one line": b"filling words " * 100 + b"http://a.example/b ",
    "multiparts": FROM
    + HEAD
    + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nhttp://a.example/b\n--x\n"
    + b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
    + (b"A" * 76 + b"\n") * 100
    + b"--x--\n\n",
    "HTML": b"<p>filling <b>words</b>\n" * 100 + b"<a href=http://a.example/b>b</a>\n",
    "base64": base64.encodebytes(b"filling words\n" * 100 + b"http://a.example/b\n" + b"x" * 24),
    "one field": b"words of a field " * 100,
    "folded lines": b"words\n " * 100,
    "a comment that does not end": b"<p>http://a.example/b " * 100,
    "one tag": b" a=b" * 100,
    "long unknown charsets": FROM
    + HEAD
    + b"Content-Type: text/plain; charset=%s\n\n\xe9 http://a.example/b\n" % (b"x" * 100_000),
    "lengths": FROM + HEAD + b"Content-Length: 4194303\n\nhttp://a.example/b\n" + b"filling words\n" * 200,
}
SILENT = frozenset(["one field", "folded lines", "a comment that does not end", "one tag"])
"""Those without a URL that is to be found."""
BEFORE: dict[str, bytes] = {
    "one field": FROM + HEAD + b"X-A: ",
    "folded lines": FROM + HEAD + b"X-A: ",
    "a comment that does not end": FROM + HEAD + b"Content-Type: text/html\n\n<!-- ",
    "one tag": FROM + HEAD + b"Content-Type: text/html\n\n<a ",
    "one message": FROM + HEAD + b"\n",
    "one line": FROM + HEAD + b"\n",
    "HTML": FROM + HEAD + b"Content-Type: text/html; charset=utf-8\n\n",
    "base64": FROM + HEAD + b"Content-Transfer-Encoding: base64\n\n",
}

CHILD = r"""
import re, resource, sys
from pathlib import Path
from test_hostile_mail import BEFORE, MANY
from urlmend import iter_urls

class Endless:
    def __init__(self, before, block, size):
        self.left = before
        self.block, self.size = block, size

    def read(self, n):
        while len(self.left) < n and self.size > 0:
            many = self.block * (n // len(self.block) + 1)
            self.left += many
            self.size -= len(many)
        data, self.left = self.left[:n], self.left[n:]
        return data

name, size = sys.argv[1], int(sys.argv[2])
found = sum(1 for _ in iter_urls(Endless(BEFORE.get(name, b""), MANY[name], size), source="mbox"))
# Where it can be had, the peak of this process alone: ru_maxrss has that of its parent, too.
status = Path("/proc/self/status")
peak = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
print(found, 1024 * int(peak[1] if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
"""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in {"one line", "HTML"} else [pytest.mark.slow]) for name in MANY]
)
def test_memory_is_bounded(name: str) -> None:
    size = {"short messages": SIZE, "HTML": LESS // 4}.get(name, LESS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(  # noqa: S603
        [sys.executable, "-c", CHILD, name, str(size)], env=environment, capture_output=True, text=True, check=True
    )
    found, held = map(int, child.stdout.split())
    assert found >= (size // len(MANY[name]) if name not in SILENT else 0)
    assert held < MOST
