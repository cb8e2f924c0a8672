"""Fast ways against slow ones: what they find is the same."""

import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from corpora.generate import generate

from cases import CASES
from invariants import LONG_WAY
from neighbours import LEFTS, NEXTS, TAILS, URLS, in_lines, rows, texts
from sample import some
from urlmend import WEB, Rejected, find_urls
from urlmend.text import engine

CORPORA = Path(os.environ.get("URLMEND_SHARED", "/nonexistent"), "corpora")
KINDS = ("mail", "news", "docs")
SIZES = [4_000, pytest.param(60_000, marks=pytest.mark.slow)]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]


@cache
def generated(kind: str, size: int) -> bytes:
    return b"".join(block for block, _ in generate(kind, size, 7, bare_breaks=True))


# URLs that are recognised by their shape


def check(data: str | bytes) -> int:
    """Compare *data* with what is found if no URL is recognised by its shape; return how many URLs there are."""
    results: list[Any] = []
    for profile in (WEB, LONG_WAY):
        rejected: list[Rejected] = []
        found = find_urls(data, rejected=rejected.append, profile=profile)
        asked = [(match, match.parts, match.quoted, match.departures) for match in found]
        results.append((asked, rejected))
    assert results[0] == results[1], data
    return len(results[0][0])


def check_all(text: str) -> int:
    """Check *text* as text, as its octets, and as octets that are not UTF-8, with much text after them."""
    return check(text) + check(text.encode()) + check(text.encode("latin-1", "replace") + b" " * 5000)


@pytest.mark.slow
def test_cases() -> None:
    for case in CASES.values():
        check(f"x {case.text}\n")
        for variant in case.variants()[::2]:
            check(variant.text.encode())


@pytest.mark.parametrize("left", some(LEFTS))
@pytest.mark.parametrize("each", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_neighbours(left: str, each: int) -> None:
    """Each left side comes before every URL, with tails and next lines drawn at random."""
    random = Random(left)
    found = sum(
        check(in_lines(random, f"{left}{url}{random.choice(TAILS)}{random.choice(NEXTS)}"))
        for url in URLS
        for _ in range(each)
    )
    assert found > len(URLS) * each // 2


@pytest.mark.parametrize("seed", SEEDS)
def test_changed_neighbours(seed: int) -> None:
    many = 1000 if seed else 150
    assert sum(check_all(text) for text in islice(texts(Random(seed)), many)) > many


@pytest.mark.parametrize("seed", SEEDS)
def test_rows(seed: int) -> None:
    assert sum(check_all(text) for text in islice(rows(Random(seed)), 50 if seed else 8)) > 150


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason="URLMEND_SHARED is not set: the folder with corpora/")
def test_real_corpora() -> None:
    paths = sorted(path for path in CORPORA.rglob("*") if path.is_file())
    assert sum(check(path.read_bytes()) for path in paths[::3]) > 10_000


# PCRE2 and `re`: with URLMEND_ENGINE=pcre2 the tests of scanning use it for every text, which .ci/run does too

with_pcre2 = pytest.mark.skipif(
    find_spec("pcre2") is None or os.environ.get("URLMEND_ENGINE") == "re", reason="urlmend[fast] is not installed"
)


def octets(size: int) -> Iterator[bytes]:
    rng = Random(1738)
    yield from (case.text.encode() for case in CASES.values())
    yield from (generated(kind, size) for kind in KINDS)
    for _ in range(size // 100):
        pieces = (rng.choice(part) for _ in range(rng.randint(1, 9)) for part in (LEFTS, URLS, TAILS, NEXTS))
        yield "".join(pieces).encode("utf-8" if rng.random() < 0.9 else "latin-1", "replace")
    for _ in range(size // 1000):
        yield rng.randbytes(2000) + b"://" + rng.randbytes(50)


@with_pcre2
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("options", [{}, {"schemeless": True, "addresses": True}], ids=["", "on request"])
def test_pcre2_finds_what_re_finds(options: dict[str, Any], size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (*octets(size), b"x http://a.example/%s x" % (b"%20" * 100_000)):  # that is too long for its stack
        results: list[Any] = []
        for least in (0, len(data) + 1):
            monkeypatch.setattr(engine, "LEAST_FOR_PCRE2", least)
            rejected: list[Rejected] = []
            results.append((find_urls(data, rejected=rejected.append, **options), rejected))
        assert results[0] == results[1], data
