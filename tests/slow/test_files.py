"""Output files under runs that are killed, run at once, or on a full file system."""
# ruff: noqa: S603 -- what is run is the command itself

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import COMMAND, run

pytestmark = pytest.mark.slow

BEFORE = "what was there\n"

CHILD = """
import os, signal, sys
from urlmend import find_urls
from urlmend.cli import main
from urlmend.cli.inputs import Input
from urlmend.output import files
moment, count = int(sys.argv[1]), 0
def tick(function):
    def ticking(*args, **options):
        global count
        count += 1
        if count == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)
    return ticking
for name in ("open", "write", "fsync", "close", "fchmod", "replace", "stat", "fstat"):
    setattr(os, name, tick(getattr(os, name)))
try:
    main(sys.argv[2:])
finally:
    print(count)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("many").write_text("".join(f"http://a.example/{number}\n" for number in range(10_000)))
    Path("out").write_text(BEFORE)
    return tmp_path


def test_killed_at_any_system_call_the_output_is_whole_or_as_it_was(folder: Path) -> None:
    whole = Path("many").read_text()

    def child(moment: int) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", CHILD, str(moment), "-o", "out", "many"]
        return subprocess.run(command, capture_output=True, check=False, timeout=60)

    steps = int(child(0).stdout)
    assert steps > 5
    seen = set()
    for moment in range(1, steps + 1):
        Path("out").write_text(BEFORE)
        assert child(moment).returncode == -signal.SIGKILL
        seen.add(Path("out").read_text())
        assert seen <= {BEFORE, whole}
        for part in folder.glob("*.part*"):
            assert whole.startswith(part.read_text())
            part.unlink()
    assert BEFORE in seen


def test_two_runs_at_once_leave_the_output_of_one(folder: Path) -> None:
    for name in "ab":
        Path(name).write_text("".join(f"http://{name}.example/{number}\n" for number in range(20_000)))
    for _ in range(3):
        both = [subprocess.Popen([*COMMAND, "-o", "out", name]) for name in "ab"]
        assert [one.wait(100) for one in both] == [0, 0]
        assert Path("out").read_text() in {Path(name).read_text() for name in "ab"}
        assert not list(folder.glob("*.part*"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root mounts")
@pytest.mark.usefixtures("folder")
def test_a_full_file_system_leaves_everything() -> None:
    Path("small").mkdir()
    mount = subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", "size=64k", "none", "small"], check=False)
    if mount.returncode:
        pytest.skip("no tmpfs may be mounted")
    try:
        Path("small/out").write_text(BEFORE)
        for kind in ("text", "csv", "jsonl", "sqlite"):
            output = "small/links.db" if kind == "sqlite" else "small/out"
            result = run("--format", kind, "-o", output, "many")
            assert result.exit_code == 2
            assert "urlmend: write error: " in result.stderr or kind == "sqlite"
            assert Path("small/out").read_text() == BEFORE
            if kind != "sqlite":
                assert "urlmend: small/out.part is incomplete" in result.stderr
                Path("small/out.part").unlink()
            assert [path.name for path in Path("small").iterdir()] == ["out"]
    finally:
        subprocess.run(["/bin/umount", "small"], check=True)
