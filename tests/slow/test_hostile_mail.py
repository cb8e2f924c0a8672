"""Memory does not grow with hostile mail; `python -m benchmarks.hostile` measures more kinds, and their time."""

import base64
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from files import Endless, memory_below, warc
from urlmend import iter_urls

pytestmark = pytest.mark.slow

HEAD = b"From: jane@a.example\n"
FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"

SIZE = 40_000_000
MOST = 34
"""How many MB are taken at most, beside the interpreter and the package: to hold SIZE bytes would be more."""

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
    "one tag": (HTML + b"<a ", b" a=b" * 100, SIZE // 2, False),
    "long unknown charsets": (
        b"",
        FROM + HEAD + b"Content-Type: text/plain; charset=" + b"x" * 100_000 + b"\n\n\xe9 " + URL + b"\n",
        SIZE,
        True,
    ),
    "lengths": (b"", FROM + HEAD + b"Content-Length: 4194303\n\n" + URL + b"\n" + WORDS * 2, SIZE, True),
}

RECORDS: dict[str, bytes] = {
    "warc": warc("conversion", "text/plain", b"some words\n" * 500),
    "mbox": FROM + b"Subject: a\n\n" + b"some words\n" * 500 + b"\n",
    "jsonl": b'{"a": "' + b"some words " * 500 + b'"}\n',
}


CHILD = """
import pickle, sys
from benchmarks.environment import peak_memory
from files import Endless
from urlmend import iter_urls, sources
before = peak_memory()
found = sum(1 for _ in iter_urls(Endless(*pickle.load(sys.stdin.buffer)), source="mbox"))
print(found, peak_memory() - before)
"""


@pytest.mark.parametrize("name", KINDS)
def test_memory_is_bounded(name: str) -> None:
    before, again, size, has_urls = KINDS[name]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*sys.path, Path(__file__).parents[2])))}
    given, command = pickle.dumps((before, again, size)), [sys.executable, "-c", CHILD]
    child = subprocess.run(command, input=given, env=environment, capture_output=True, check=True, timeout=300)  # noqa: S603
    found, held = map(float, child.stdout.split())
    assert found >= (size // len(again) if has_urls else 0)
    assert held < MOST


@pytest.mark.parametrize("source", RECORDS)
def test_memory_does_not_grow_with_the_number_of_records(source: str) -> None:
    list(iter_urls(Endless(b"", RECORDS[source], 1), source=source))  # loads the modules
    with memory_below(1_500_000):
        assert list(iter_urls(Endless(b"", RECORDS[source], 5_000_000), source=source)) == []
