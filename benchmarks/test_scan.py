"""How fast text is scanned, by how many URLs it has: a binary file object through `iter_urls`, all defaults.

usage: python -m pytest benchmarks/test_scan.py

A run's `extra_info` has the number of URLs, MB/s and µs per URL, from the median.
"""

from io import BytesIO

import pytest
from benchmarks.haystacks import HAYSTACKS, real
from pytest_benchmark.fixture import BenchmarkFixture

from urlmend import find_urls, iter_urls


def scanned(data: bytes) -> list[int]:
    """Return where the URLs in *data* start."""
    return [match.start for match in iter_urls(BytesIO(data))]


def note(benchmark: BenchmarkFixture, size: int, urls: int) -> None:
    """Write what was measured into the benchmark's record; nothing was where benchmarks are disabled."""
    benchmark.extra_info["urls"] = urls
    if benchmark.stats is not None:
        seconds = benchmark.stats.stats.median
        benchmark.extra_info["MB/s"] = round(size / seconds / 1e6, 1)
        if urls:
            benchmark.extra_info["µs per URL"] = round(seconds / urls * 1e6, 2)


@pytest.mark.benchmark(group="scan generated")
@pytest.mark.parametrize("name", HAYSTACKS)
def test_scan(benchmark: BenchmarkFixture, name: str) -> None:
    """Every URL is found where it was put, and nothing else."""
    data, starts = HAYSTACKS[name]()
    assert benchmark(scanned, data) == starts
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
    assert benchmark(scanned, data) == starts
    note(benchmark, len(data), len(starts))
