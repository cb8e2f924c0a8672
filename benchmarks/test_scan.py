"""How fast text is scanned, all defaults: by how many URLs it has, and by what it is read from.

usage: python -m pytest benchmarks/test_scan.py

A run's `extra_info` has the number of URLs, MB/s and µs per URL, from the median.
"""

import gzip
from collections.abc import Callable, Mapping
from io import BytesIO, StringIO
from typing import NamedTuple

import pytest
from benchmarks.haystacks import HAYSTACKS, Haystack, encoded_mail, mail, note, real
from pytest_benchmark.fixture import BenchmarkFixture

from urlmend import find_urls, iter_urls
from urlmend.sources import Readable


class LeaderPattern(NamedTuple):
    """A kind of input: `opener` takes a text and returns a function that opens it, `source` is its source."""

    opener: Callable[[bytes], Callable[[], Readable]]
    source: str = "text"
    haystack: Callable[[], Haystack] = mail


def _binary(data: bytes) -> Callable[[], Readable]:
    return lambda: BytesIO(data)


def _text(data: bytes) -> Callable[[], Readable]:
    text = data.decode("ascii")
    return lambda: StringIO(text, newline="")


def _gzip(data: bytes) -> Callable[[], Readable]:
    compressed = gzip.compress(data, 6, mtime=0)
    return lambda: BytesIO(compressed)


WAYS: Mapping[str, LeaderPattern] = {
    "text, binary": LeaderPattern(_binary),
    "text, str": LeaderPattern(_text),
    "text, gzip": LeaderPattern(_gzip),
    "mbox, plain": LeaderPattern(_binary, "mbox"),
    "mbox, encoded": LeaderPattern(_binary, "mbox", encoded_mail),
    "mbox, gzip": LeaderPattern(_gzip, "auto"),
}
"""One row for each source; `haystack` gives the positions of its URLs in the file."""


def scanned(opened: Callable[[], Readable], source: str = "text") -> list[int]:
    """Return where the URLs start in the file that *opened* returns."""
    return [match.start for match in iter_urls(opened(), source=source)]


@pytest.mark.benchmark(group="scan by density")
@pytest.mark.parametrize("name", HAYSTACKS)
def test_scan(benchmark: BenchmarkFixture, name: str) -> None:
    """Every URL is found where it was put, and nothing else."""
    data, starts = HAYSTACKS[name]()
    assert benchmark(scanned, _binary(data)) == starts
    note(benchmark, len(data), len(starts))


@pytest.mark.benchmark(group="scan by source")
@pytest.mark.parametrize("name", WAYS)
def test_source(benchmark: BenchmarkFixture, name: str) -> None:
    """The same mail gives the same, whatever it is read from."""
    way = WAYS[name]
    data, starts = way.haystack()
    assert benchmark(scanned, way.opener(data), way.source) == starts
    note(benchmark, len(data), len(starts))


@pytest.mark.benchmark(group="scan real")
@pytest.mark.parametrize("folder", ["mail", "news", "docs"])
def test_scan_real(benchmark: BenchmarkFixture, folder: str) -> None:
    """The URLs are those that are found in the text in one piece; how many are right is for benchmarks/accuracy.py."""
    data = real(folder)
    if data is None:
        pytest.skip("URLMEND_SHARED is not set: it names the folder with the real corpora")
    starts = [match.start for match in find_urls(data)]
    assert starts
    assert benchmark(scanned, _binary(data)) == starts
    note(benchmark, len(data), len(starts))
