"""Harvests that are killed at many moments, or run at once: nothing is lost and nothing is stored twice."""
# ruff: noqa: S603 -- what is run is the command itself

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from commands import COMMAND, ask
from harvests import fresh, harvested, killed, make_archive, mbox, rows

pytestmark = pytest.mark.slow

SHARED = os.environ.get("URLMEND_SHARED")
KILLS = 8


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    root = make_archive(tmp_path / "archive")
    (root / "backup.mbox").write_text(mbox(*range(5, 25)))  # with copies of messages in list.mbox
    return root


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_harvest_killed_at_any_moment_resumes(archive: Path, tmp_path: Path, jobs: str) -> None:
    steps = int(killed(0, tmp_path / "whole.db", archive, jobs).stdout)
    expected = rows(tmp_path / "whole.db")
    assert expected == fresh(tmp_path, archive)
    rng = random.Random(20)
    partial = resumed = 0
    for number, moment in enumerate(sorted(rng.sample(range(1, steps), KILLS))):
        database = tmp_path / f"{number}.db"
        assert killed(moment, database, archive, jobs).returncode == -signal.SIGKILL
        if number % 3 == 0:  # and once more
            assert killed(rng.randrange(1, 40), database, archive).returncode == -signal.SIGKILL
        if database.exists() and database.stat().st_size and ask(database, "SELECT 1 FROM sqlite_master"):
            found = rows(database)
            partial += 0 < len(found["occurrence"]) < len(expected["occurrence"])
            # Only what an undisturbed run finds, each once; and the state of each source.
            for table in ("message", "occurrence", "reject", "url"):
                assert set(map(repr, found[table])) <= set(map(repr, expected[table]))
                assert len(set(map(repr, found[table]))) == len(found[table])
        resumed += "resumed" in harvested(database, archive)
        assert rows(database) == expected
    assert partial > KILLS // 2
    assert resumed > 1


def test_killed_at_many_moments_of_a_second_run(archive: Path, tmp_path: Path) -> None:
    path, database = archive / "list.mbox", tmp_path / "links.db"
    harvested(database, archive)
    for content in (mbox(*range(1, 40)), mbox(*range(10, 50))):
        path.write_text(content)
        expected = fresh(tmp_path, archive)
        for moment in range(20, 200, 40):
            assert killed(moment, database, archive).returncode in {-signal.SIGKILL, 0}
            assert len(rows(database)["occurrence"]) >= 116
        harvested(database, archive)
        assert rows(database) == expected


@pytest.mark.skipif(SHARED is None, reason="needs URLMEND_SHARED")
def test_a_harvest_of_real_archives_killed_at_any_moment_resumes(tmp_path: Path) -> None:
    found = (path for name in ("mail", "news") for path in Path(str(SHARED), "corpora", name, "mbox").iterdir())
    paths = sorted(path for path in found if path.stat().st_size < 500_000)
    steps = int(killed(0, tmp_path / "whole.db", *paths, batch=1 << 20).stdout)
    expected = rows(tmp_path / "whole.db")
    assert len(expected["occurrence"]) > 1_000
    for number, moment in enumerate(random.Random(4).sample(range(steps // 10, steps), 2)):
        database = tmp_path / f"{number}.db"
        assert killed(moment, database, *paths, batch=1 << 20).returncode == -signal.SIGKILL
        harvested(database, *paths)
        assert rows(database) == expected


def test_two_first_harvests_at_once(tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for number in range(200):
        (tmp_path / "many" / str(number)).write_text(f"http://a.example/{number}\n")
    for attempt in range(5):
        database = tmp_path / f"{attempt}.db"
        asked = [*COMMAND, "harvest", "-q", str(tmp_path / "many"), "-o", str(database)]
        both = [subprocess.Popen(asked) for _ in range(2)]
        assert {one.wait(100) for one in both} <= {0, 2}
        harvested(database, tmp_path / "many")
        assert ask(database, "SELECT count(*), count(DISTINCT url) FROM record") == [(200, 200)]
