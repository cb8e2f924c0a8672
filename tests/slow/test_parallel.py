"""Real files, divided in many places and packed in many ways."""

import os
from pathlib import Path

import pytest

from in_this_process import in_this_process
from test_parallel import check, compare_roads, found
from urlmend.sources.directories import files

CORPORA = Path(os.environ.get("URLMEND_SHARED", "/nonexistent"), "corpora")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CORPORA.exists(), reason="URLMEND_SHARED is not set"),
]


def test_large_files(monkeypatch: pytest.MonkeyPatch) -> None:
    in_this_process(monkeypatch, 30_000)
    for path in CORPORA.glob("*/*/*"):
        if path.is_file() and path.stat().st_size > 300_000:
            check(path, found(path))


def test_all_ways_of_reading_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_roads([*files(str(CORPORA))][::50], tmp_path, monkeypatch)
