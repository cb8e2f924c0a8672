"""By every road the same is found: files, archives of them, git, one process and several."""

import os
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import roads

from in_this_process import InThisProcess
from urlmend import iter_urls
from urlmend.parallel import run, splits, tasks
from urlmend.sources.directories import files

SAMPLES = Path(__file__).parents[1] / "corpora" / "samples"
SHARED = os.environ.get("URLMEND_SHARED")


@pytest.mark.parametrize(
    ("folder", "every"),
    [
        (SAMPLES, 1),
        pytest.param(
            Path(SHARED or "", "corpora"),
            50,
            marks=[pytest.mark.slow, pytest.mark.skipif(not SHARED, reason="URLMEND_SHARED is not set")],
        ),
    ],
    ids=["samples", "corpora"],
)
def test_all_roads_find_the_same(folder: Path, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two of the samples are long.
    paths = [path for path in files(str(folder)) if Path(path).stat().st_size < 20_000 or folder != SAMPLES][::every]
    expected = {path: list(roads.by_library(partial(iter_urls, Path(path)))) for path in paths}
    assert sum(map(len, expected.values())) > 50
    for its_records in expected.values():
        for record in its_records:
            del record["source"]
    archives = list(roads.pack(paths, tmp_path))
    if (messages := [path for path in paths if roads.is_message(path)]) and shutil.which("git"):
        archives.append(roads.pack_messages(messages, tmp_path))
    monkeypatch.setattr(run, "Workers", InThisProcess)
    for name in ("LEAST_SIZE", "SPLIT_SIZE"):
        monkeypatch.setattr(tasks, name, 0)
    monkeypatch.setattr(tasks, "splits", partial(splits.splits, size=10_000))
    monkeypatch.setattr(splits, "RANGE_SIZE", 3)
    for packed in archives:
        wanted = [(path, expected[path]) for path in packed.names.values()]
        for jobs in (1, 2):
            found = roads.by_library(partial(iter_urls, packed.path, jobs=jobs))
            assert list(roads.compared(found, packed, wanted, "all")) == [], (packed.path.name, jobs)
