"""What mending costs: one URL, whole and torn in every manner, and a torn mail under each way to join.

usage: python -m pytest benchmarks/test_mend.py; mend.py beside has the same over real list mail, in pairs
"""

from io import BytesIO
from typing import NamedTuple

import pytest
from benchmarks.haystacks import SIZE, note
from corpora.generate import generate
from pytest_benchmark.fixture import BenchmarkFixture

from urlmend import URLMatch, find_urls, iter_urls
from urlmend.match import MAX_READINGS
from urlmend.query import Join

URL = "http://www.shelf.example/catalogue/tapes/of/the/winter/reel-7.html"
LINES = 10


class Fragments(NamedTuple):
    """A text with URL in it, and the number of readings that it must have."""

    text: str
    readings: int = 1


def _lines(between: str) -> str:
    size = -(-len(URL) // LINES)
    return between.join(URL[at : at + size] for at in range(0, len(URL), size))


TEXTS = {
    "whole": Fragments(f"see {URL} and <b>\n"),
    "wrapped, whole": Fragments(f"see <URL:{URL}> and\n"),
    "wrapped, torn once": Fragments(f"see <URL:{URL[:40]}\n{URL[40:]}> and\n"),
    "wrapped, quoted": Fragments(f"> see <URL:{URL[:40]}\n> {URL[40:]}> and\n"),
    "wrapped, torn in many lines": Fragments(f"<URL:{_lines(chr(10))}>\n"),
    "wrapped, hyphen at the line end": Fragments(f"<URL:{URL.replace('reel-', 'reel-' + chr(10))}>\n", 2),
    "wrapped, more hyphens than readings": Fragments(
        f"<URL:{URL.replace('of/the/winter', '-'.join('abcdefg').replace('-', '-' + chr(10)))}>\n", MAX_READINGS
    ),
    "bare, torn": Fragments(f"see {URL[:41]}\n{URL[41:]} and\n", 2),
    "bare, followed by a word": Fragments(f"see {URL}\nand more\n"),
}


@pytest.mark.benchmark(group="mend one")
@pytest.mark.parametrize("name", TEXTS)
def test_one(benchmark: BenchmarkFixture, name: str) -> None:
    """The URL comes out whole, with as many readings as its breaks allow."""
    text, readings = TEXTS[name]
    (match,) = benchmark(find_urls, text)
    assert len(match.readings) == readings
    assert match.url == URL or readings == MAX_READINGS
    note(benchmark, len(text), 1)


def _matches(data: bytes, join: Join) -> list[URLMatch]:
    return list(iter_urls(BytesIO(data), source="text", join=join))


@pytest.mark.benchmark(group="mend all")
@pytest.mark.parametrize("join", ["none", "wrapped", "evident"])
def test_all(benchmark: BenchmarkFixture, join: Join) -> None:
    """Every URL that is not torn is found as it is, and of the torn ones as many as are joined that way."""
    blocks = list(generate("mail", SIZE, 2, bare_breaks=True))
    data = b"".join(block for block, _ in blocks)
    truths = {truth.start: truth for _, truths in blocks for truth in truths}
    found = {match.start: match for match in benchmark(_matches, data, join)}
    wrapped = ("wrapper", "angle")
    wrong = 0
    for start, truth in truths.items():
        if join == "evident":
            wrong += start not in found or found[start].url not in truth.readings
        elif not truth.broken or (join == "wrapped" and truth.form in wrapped):
            assert found[start].url in truth.readings
    # Without brackets there is evidence only, and it can mislead.
    assert wrong <= len(truths) // 500
    note(benchmark, len(data), len(found))
