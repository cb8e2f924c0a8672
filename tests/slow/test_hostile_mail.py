"""Memory does not grow with hostile mail; `python -m benchmarks.hostile` measures more kinds, and their time."""

import base64
import os
import pickle
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

HEAD = b"From: jane@a.example\n"
FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"

SIZE = 40_000_000
MOST = 65_000_000
"""The interpreter and the package take 31 MB; to hold SIZE bytes of text would be more than MOST."""

FIELD = FROM + HEAD + b"X-A: "
BODY = FROM + HEAD + b"\n"
HTML = FROM + HEAD + b"Content-Type: text/html\n\n"
WORDS = b"filling words\n" * 100
URL = b"http://a.example/b"

KINDS: dict[str, tuple[bytes, bytes, int, bool]] = {
    # how the file begins, what comes again and again, the size of the file, and whether URLs are found in it
    "short messages": (b"", BODY + b"See " + URL + b", or not.\n\n", SIZE // 4, True),
    "one message": (BODY, WORDS + URL + b"\n", SIZE, True),
    "one line": (BODY, WORDS.replace(b"\n", b" ") + URL + b" ", SIZE, True),
    "multiparts": (
        b"",
        FROM
        + HEAD
        + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nhttp://a.example/b\n--x\n"
        + b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
        + (b"A" * 76 + b"\n") * 100
        + b"--x--\n\n",
        SIZE,
        True,
    ),
    "HTML": (HTML, b"<p>filling <b>words</b>\n" * 100 + b"<a href=http://a.example/b>b</a>\n", SIZE // 4, True),
    "base64": (
        FROM + HEAD + b"Content-Transfer-Encoding: base64\n\n",
        base64.encodebytes(WORDS + URL + b"\n" + b"x" * 24),
        SIZE,
        True,
    ),
    "one field": (FIELD, b"words of a field " * 100, SIZE, False),
    "folded lines": (FIELD, b"words\n " * 100, SIZE, False),
    "a comment that does not end": (HTML + b"<!-- ", b"<p>http://a.example/b " * 100, SIZE, False),
    "one tag": (HTML + b"<a ", b" a=b" * 100, SIZE, False),
    "long unknown charsets": (
        b"",
        FROM + HEAD + b"Content-Type: text/plain; charset=" + b"x" * 100_000 + b"\n\n\xe9 " + URL + b"\n",
        SIZE,
        True,
    ),
    "lengths": (b"", FROM + HEAD + b"Content-Length: 4194303\n\n" + URL + b"\n" + WORDS * 2, SIZE, True),
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


@pytest.mark.parametrize("name", KINDS)
def test_memory_is_bounded(name: str) -> None:
    before, again, size, has_urls = KINDS[name]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(  # noqa: S603
        [sys.executable, "-c", CHILD],
        input=pickle.dumps((before, again, size)),
        env=environment,
        capture_output=True,
        check=True,
        timeout=300,
    )
    found, held = map(int, child.stdout.split())
    assert found >= (size // len(again) if has_urls else 0)
    assert held < MOST
