"""Texts of about 1 MB with known positions of their URLs: generated from a seed, or the real corpora.

Every haystack but the real ones is made so that its URLs are known without urlmend.
"""

import gzip
import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from corpora.generate import DECOYS, SCHEMES, WIDTH, WORDS, Talk, generate

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

SIZE = int(os.environ.get("URLMEND_HAYSTACK", "1_000_000"))
"""How many bytes of each are made; `.ci/run`, which does not measure, asks for less."""


class Haystack(NamedTuple):
    """A text and the bytes, from 0, at which its URLs start."""

    data: bytes
    starts: list[int]


class _Page:
    """A text in the making: `put` adds to it and notes a URL's place."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.size = 0

    def put(self, text: str, url_at: int | None = None) -> None:
        if url_at is not None:
            self.starts.append(self.size + url_at)
        self.parts.append(text)
        self.size += len(text)

    def haystack(self) -> Haystack:
        return Haystack("".join(self.parts).encode("ascii"), self.starts)


def _urls(random: Random) -> Iterator[str]:
    talk = Talk(random, density=1, bare_breaks=False)
    while True:
        scheme = random.choice(SCHEMES)
        yield f"{scheme}:{talk.expand(scheme)}"


def _prose(page: _Page, random: Random, size: int) -> None:
    """Put lines of words, with a colon here and there that is no URL's, until there are *size* characters more."""
    end = page.size + size
    while page.size < end:
        words: list[str] = []
        while sum(map(len, words)) + len(words) < WIDTH - 8:
            words.append(random.choice(DECOYS if random.random() < 0.005 else WORDS))
        page.put(" ".join(words) + "\n")


def never() -> Haystack:
    """Return prose without URLs, but with colons."""
    page = _Page()
    _prose(page, Random("never"), SIZE)
    return page.haystack()


def rare() -> Haystack:
    """Return prose with ten URLs."""
    random, page = Random("rare"), _Page()
    for url in islice(_urls(random), 10):
        _prose(page, random, SIZE // 10)
        page.put(f"See {url} \n", 4)
    return page.haystack()


def ordinary() -> Haystack:
    """Return prose in which one line in six has an ordinary URL: inside the line, at its end, or alone."""
    random, page = Random("ordinary"), _Page()
    while page.size < SIZE:
        for _ in range(5):
            page.put(" ".join(random.choices(WORDS, k=11)) + "\n")
        before, after = random.choice([("It is at ", " since then"), ("see ", ""), ("(See ", ".)"), ("", "")])
        host = random.choice(["a.example", "www.b.example", "lists.c.example.org"])
        path = "/".join(random.choices(WORDS, k=random.randint(1, 5)))
        end = random.choice(["", "/", ".html", "?id=4711", "#top"])
        page.put(f"{before}{random.choice(['http', 'https'])}://{host}/{path}{end}{after}\n", len(before))
    return page.haystack()


def mail() -> Haystack:
    """Return an mbox as corpora/generate.py writes it, torn URLs and all."""
    return _generated("mail", 0.3)


def dense() -> Haystack:
    """Return a document that has a URL in every sentence."""
    return _generated("docs", 1.0)


def only_urls() -> Haystack:
    """Return bare URLs, one a line."""
    page = _Page()
    for url in _urls(Random("only")):
        if page.size >= SIZE:
            break
        page.put(f"{url}\n", 0)
    return page.haystack()


def torn() -> Haystack:
    """Return wrapped URLs, each torn in one place."""
    random, page = Random("torn"), _Page()
    for url in _urls(random):
        if page.size >= SIZE:
            break
        at = random.choice([at for at in range(1, len(url)) if url[at - 1] != "-"])
        page.put(f"<URL:{url[:at]}\n{url[at:]}>\n", 5)
    return page.haystack()


def _generated(kind: str, density: float) -> Haystack:
    blocks = list(generate(kind, SIZE, 1, density=density))
    return Haystack(b"".join(block for block, _ in blocks), [truth.start for _, truths in blocks for truth in truths])


def encoded_mail() -> Haystack:
    """Return an mbox of messages in quoted-printable, base64 and HTML, a third each."""
    random, page = Random("encoded"), _Page()
    urls = _urls(random)
    while page.size < SIZE:
        page.put(
            "From ana@brook.example Sun Jan  1 01:37:00 1995\nFrom: Ana Brook <ana@brook.example>\nMIME-Version: 1.0\n"
        )
        kind = random.choice(["quoted-printable", "base64", "7bit"])
        page.put(f"Content-Type: text/{'html' if kind == '7bit' else 'plain'}; charset=utf-8\n")
        page.put(f"Content-Transfer-Encoding: {kind}\n\n")
        for _ in range(20):
            words = " ".join(random.choices(WORDS, k=9))
            url = next(url for url in urls if url.startswith("http") and url.isascii())[:60].rstrip("-.%0123456789(_")
            if kind == "quoted-printable":
                page.put(f"{words} =C3=BC\n{url} =E2=82=AC=\n\n", len(words) + 8)
            elif kind == "base64":
                page.put(b64encode(f"{words} {url} \u20ac\n".encode().ljust(171, b"\n")).decode() + "\n", 0)
            else:
                shown = f"<p>{words} <br><a href='"
                page.put(f"{shown}{url}'>here</a></p>\n", len(shown))
        page.put("\n")
    return page.haystack()


def wet(texts: Iterable[bytes]) -> bytes:
    """Return *texts* as a WET file: each record compressed for itself, as Common Crawl's are."""
    members = []
    for number, text in enumerate(texts):
        head = (
            "WARC/1.0\r\nWARC-Type: conversion\r\n"
            f"WARC-Target-URI: http://a.example/{number}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
            f"Content-Type: text/plain\r\nContent-Length: {len(text)}\r\n\r\n"
        )
        members.append(gzip.compress(head.encode() + text + b"\r\n\r\n", 6))
    return b"".join(members)


HAYSTACKS: dict[str, Callable[[], Haystack]] = {
    "never": never,
    "rare": rare,
    "ordinary": ordinary,
    "mail": mail,
    "dense": dense,
    "only-urls": only_urls,
    "torn": torn,
}
"""The generated haystacks by name."""


def real(folder: str) -> bytes | None:
    """Return the first files of the real corpora's *folder*, 1 MB or more but at most 10; `None` without them."""
    shared = os.environ.get("URLMEND_SHARED")
    if not shared:
        return None
    data = bytearray()
    for path in sorted(path for path in Path(shared, "corpora", folder).rglob("*") if path.is_file()):
        data += path.read_bytes()
        if len(data) >= SIZE:
            break
    return bytes(data[: 10 * SIZE])


def note(benchmark: "BenchmarkFixture", size: int, urls: int) -> None:
    """Write what was measured into the benchmark's record; nothing was where benchmarks are disabled."""
    benchmark.extra_info["urls"] = urls
    if benchmark.stats is not None:
        seconds = benchmark.stats.stats.median
        benchmark.extra_info["MB/s"] = round(size / seconds / 1e6, 1)
        if urls:
            benchmark.extra_info["µs per URL"] = round(seconds / urls * 1e6, 2)
