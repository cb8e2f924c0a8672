"""Hostile mail is read to its end, without an exception, and memory does not grow with it.

`python -m benchmarks.hostile` measures what it costs.
"""

import base64
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Callable

import pytest

from urlmend import iter_urls

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("name", CASES)
def test_large_messages_are_read(name: str) -> None:
    make, size, urls = CASES[name]
    assert sum(1 for _ in iter_urls(io.BytesIO(make(size)))) == urls


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
"""Those in which no URL is to be found."""
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
import pickle, re, resource, sys
from pathlib import Path
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

found = sum(1 for _ in iter_urls(Endless(*pickle.load(sys.stdin.buffer)), source="mbox"))
# The peak of this process alone, if the system knows it: ru_maxrss includes that of its parent.
status = Path("/proc/self/status")
peak = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
print(found, 1024 * int(peak[1] if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
"""


@pytest.mark.parametrize("name", MANY)
def test_memory_is_bounded(name: str) -> None:
    size = {"short messages": SIZE, "HTML": LESS // 4}.get(name, LESS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    file = pickle.dumps((BEFORE.get(name, b""), MANY[name], size))
    child = subprocess.run(  # noqa: S603
        [sys.executable, "-c", CHILD], input=file, env=environment, capture_output=True, check=True, timeout=300
    )
    found, held = map(int, child.stdout.split())
    assert found >= (size // len(MANY[name]) if name not in SILENT else 0)
    assert held < MOST
