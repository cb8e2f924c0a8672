"""Public-inbox repositories, made by git itself."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

GIT = ("git", "-c", "core.fsync=none", "-c", "init.defaultBranch=master")


def git(repository: Path | str, *arguments: str, given: bytes | None = None) -> bytes:
    """Run git on *repository*, apart from the machine's own settings; return what it prints."""
    apart = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    command = [*GIT, f"--git-dir={repository}", *arguments]
    done = subprocess.run(command, input=given, check=True, capture_output=True, env=os.environ | apart)  # noqa: S603
    return done.stdout


Change = tuple[str, bytes | None]
"""A path and what stands there from now on; `None` for nothing."""


def made(path: Path, commits: Iterable[Iterable[Change]], *, branch: str = "master") -> Path:
    """Make a repository at *path*, if there is none, and add *commits* to it."""
    if not path.exists():
        subprocess.run([*GIT, "init", "-q", "--bare", f"--initial-branch={branch}", path], check=True)  # noqa: S603
    stream = bytearray(b"feature done\n")
    known = subprocess.run([*GIT, f"--git-dir={path}", "rev-parse", "-q", "--verify", branch], capture_output=True)  # noqa: PLW1510, S603
    first = b"from refs/heads/%b^0\n" % branch.encode() if known.returncode == 0 else b""
    for number, changes in enumerate(commits):
        stream += b"commit refs/heads/%b\ncommitter a <a@a> %d +0000\ndata 0\n" % (branch.encode(), 10**9 + number)
        stream += first
        first = b""
        for name, data in changes:
            if data is None:
                stream += b"D %b\n" % name.encode()
            else:
                stream += b"M 100644 inline %b\ndata %d\n%b\n" % (name.encode(), len(data), data)
    stream += b"done\n"
    git(path, "fast-import", "--quiet", "--force", given=bytes(stream))
    return path


def added(message: bytes) -> list[Change]:
    """Return what a commit of version 2 does that brings *message*."""
    return [("d", None), ("m", message)]


def deleted(message: bytes) -> list[Change]:
    """Return what a commit of version 2 does that deletes *message*."""
    return [("m", None), ("d", message)]


def commits(path: Path) -> list[str]:
    """Return the names of the commits of the repository at *path*, the oldest first."""
    return git(path, "rev-list", "--reverse", "HEAD").decode().split()
