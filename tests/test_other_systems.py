"""What differs on Windows and macOS, as far as it can be tried here: the system is made to look like another."""

import errno
import ntpath
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from urlmend.cli import main
from urlmend.output import files
from urlmend.output.database.schema import own_files
from urlmend.sources import git

TORN = "see http://a.example/\n"


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")


# where, what a write raises, whether the reader has gone
CLOSED = (
    ("linux", BrokenPipeError(errno.EPIPE, ""), True),
    ("linux", OSError(errno.EINVAL, ""), False),
    ("win32", OSError(errno.EINVAL, ""), True),
    ("win32", OSError(errno.EINVAL, "", "name"), False),
    ("win32", OSError(errno.ENOSPC, ""), False),
)


@pytest.mark.parametrize(("system", "error", "closed"), CLOSED)
def test_the_reader_of_a_pipe_has_gone(
    monkeypatch: pytest.MonkeyPatch, system: str, error: OSError, closed: bool
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert files.is_closed_pipe(error) is closed


def test_the_console_is_asked_for_escapes_on_windows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    console = SimpleNamespace(just_fix_windows_console=Mock())
    monkeypatch.setitem(sys.modules, "colorama", console)
    assert CliRunner().invoke(main, ["-"], input=TORN).exit_code == 0
    assert console.just_fix_windows_console.call_count == 0
    monkeypatch.setattr(sys, "platform", "win32")
    assert CliRunner().invoke(main, ["-"], input=TORN).exit_code == 0
    assert console.just_fix_windows_console.call_count == 1


@pytest.mark.usefixtures("windows")
def test_an_old_click_has_no_colorama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "colorama", None)
    assert CliRunner().invoke(main, ["-"], input=TORN).exit_code == 0


LESS = """
import os, signal, subprocess, sys, tempfile
for name in ("SIGHUP", "SIGPIPE", "SIGKILL", "pthread_sigmask"):
    delattr(signal, name)
for name in ("fork", "setsid", "fchmod", "fchown", "sched_getaffinity"):
    delattr(os, name)
sys.platform = "other"
sys.modules |= dict.fromkeys(("fcntl", "resource", "termios", "pwd", "grp"))
from urlmend.cli import main
main()
"""


def test_the_command_runs_without_what_other_systems_lack(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}").write_text(TORN)
    found = tmp_path / "found"
    found.write_text("old")
    command = [sys.executable, "-c", LESS, "-j", "2", "-o", str(found), str(tmp_path / "0"), str(tmp_path / "1")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert found.read_text() == "http://a.example/\n" * 2


@pytest.mark.parametrize("missing", ["fcntl", "resource", "termios", "pwd", "grp", "pty", "tty"])
def test_nothing_asks_for_modules_of_unix(missing: str) -> None:
    sources = Path(files.__file__).parents[1].rglob("*.py")
    assert [path.name for path in sources if f"import {missing}\n" in path.read_text("utf-8")] == []


def test_names_in_another_case_are_the_same_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "normcase", ntpath.normcase)
    assert files.one_case("LINKS.db") in own_files("links.DB")
    assert files.one_case("LINKS.db-WAL") in own_files("links.DB")


def test_names_in_another_case_are_others_elsewhere() -> None:
    assert files.one_case("LINKS.db") not in own_files("links.DB")


@pytest.mark.usefixtures("windows")
def test_on_windows_git_is_not_taken_from_the_current_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "git.exe").touch()
    monkeypatch.setenv("PATH", f".{os.pathsep}{tmp_path / 'none'}")
    with git.Git(str(tmp_path)) as opened, pytest.raises(git.GitError, match="git is not installed"):
        opened.start("version")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "git.exe"
    program.symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f".{os.pathsep}{tmp_path / 'bin'}")
    with git.Git(str(tmp_path)) as opened:
        assert opened.start("version").args[0] == str(program)  # type: ignore[index]  # typeshed's union
