"""Ordinary says what the long way says: what is known by its shape alone comes out as it does without that."""

import os
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from corpora.generate import generate

from cases import CASES, Case
from line_ends import variants
from neighbours import LEFTS, NEXTS, TAILS, URLS, in_lines, rows, texts
from urlmend import WEB, Profile, Rejected, Scanner, URLMatch
from urlmend.query import JOINS, Join

CORPORA = Path(os.environ.get("URLMEND_SHARED", "/nonexistent"), "corpora")
MANY = 1000
Result = tuple[list[URLMatch], list[Rejected]]

_LONG = Profile("WEB", WEB.departures)


def long_way(join: Join, rejected: list[Rejected]) -> Scanner:
    """Return a scanner that knows no URL by its shape."""
    return Scanner(join=join, rejected=rejected.append, profile=_LONG)


def short_way(join: Join, rejected: list[Rejected]) -> Scanner:
    return Scanner(join=join, rejected=rejected.append)


def check(data: str | bytes, join: Join = "evident") -> int:
    """Compare the two ways, and return how many URLs were found."""
    results = []
    for way in (short_way, long_way):
        rejected: list[Rejected] = []
        scanner = way(join, rejected)
        results.append((scanner.feed(data) + scanner.close(), rejected))
    (found, refused), expected = results
    assert (found, refused) == expected, data
    for one, other in zip(found, expected[0], strict=True):
        asked = ((match.parts, match.quoted, match.departures, match.mended) for match in (one, other))
        assert next(asked) == next(asked), data
    return len(found)


def check_all(text: str) -> int:
    """Check *text* as text, as its octets, and as octets that are no UTF-8, with much text behind them."""
    return check(text) + check(text.encode()) + check(text.encode("latin-1", "replace") + b" " * 5000)


@cache
def generated(kind: str) -> bytes:
    return b"".join(block for block, _ in generate(kind, 150_000, 7, bare_breaks=True))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_cases(case: Case) -> None:
    for one in (case, *variants(case)):
        check_all(one.text)
        check(f"x {one.text}\n")
    for join in JOINS:
        check(case.text, join)


@pytest.mark.parametrize("left", LEFTS)
def test_neighbours(left: str) -> None:
    """Each left side, tail and next line stands beside every URL, the others drawn at random."""
    random = Random(left)
    found = 0
    for url in URLS:
        for table in (TAILS, NEXTS):
            for one in random.sample(table, 3):
                tail, rest = (one, random.choice(NEXTS)) if table is TAILS else (random.choice(TAILS), one)
                found += check(in_lines(random, f"{left}{url}{tail}{rest}"))
    assert found > len(URLS)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 60))])
def test_changed_neighbours(seed: int) -> None:
    assert sum(check_all(text) for text in islice(texts(Random(seed)), MANY)) > MANY


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 30))])
def test_rows(seed: int) -> None:
    assert sum(check_all(text) for text in islice(rows(Random(seed)), MANY // 20)) > MANY


@pytest.mark.parametrize("kind", ["mail", "news", "docs"])
def test_generated_corpora(kind: str) -> None:
    data = generated(kind)
    assert check(data) > 150
    for join in JOINS:
        check(data.replace(b"\n", b"\r\n"), join)


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason="URLMEND_SHARED is not set: the folder with corpora/")
def test_real_corpora() -> None:
    found = 0
    for path in sorted(path for path in CORPORA.rglob("*") if path.is_file()):
        data = path.read_bytes()
        found += check(data) + check(data.decode("latin-1"))
    assert found > 50_000
