"""Running git on a repository that nobody vouches for: nothing of it is run, nothing written, no network used."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread
from typing import IO, Self

from urlmend.sources.origin import SourceError

_MOST_SAID = 1 << 12
"""How many bytes of what git says of errors are kept."""

_LEAVING_TIME = 1.0
"""How many seconds a process has to end once it is killed."""

# Hooks and programs that a repository's own config may name are for commands that are never run here; these may be
# asked for by any. The sizes bound git's memory, and cost it a twentieth of its time: its own are 96 MB of bases, all
# of a pack, and blobs of 512 MB that are read in one go.
_CONFIG = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.alternateRefsCommand=:",
    "protocol.allow=never",
    "safe.directory=*",
    "core.packedGitWindowSize=1m",
    "core.packedGitLimit=8m",
    "core.deltaBaseCacheLimit=8m",
    "core.bigFileThreshold=16m",
)

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "HOME": os.devnull,  # git before 2.32 knows no GIT_CONFIG_GLOBAL
    "XDG_CONFIG_HOME": os.devnull,
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A larger blob that is not streamed ends git, not the machine.
    "GIT_ALLOC_LIMIT": "256m",
    "LC_ALL": "C",
}


def _program() -> str:
    """Return the name of git. Windows would look in the current directory first, which may be a stranger's archive."""
    if sys.platform == "win32":
        found = (os.path.join(place, "git.exe") for place in os.get_exec_path() if os.path.isabs(place))  # noqa: PTH117, PTH118 -- names
        return next(filter(os.path.isfile, found), "no git")
    return "git"


class GitError(SourceError):
    """A git repository cannot be read, or not to its end; what could be read of it was."""


class Git:
    """Processes of git on the repository whose directory is *directory*. Leaving the context ends them."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._running: list[Popen[bytes]] = []
        self.threads: list[Thread] = []
        """Those that work on these processes, and end with them."""
        self._said = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def start(self, *arguments: str, stdin: int | IO[bytes] | None = DEVNULL) -> "Popen[bytes]":
        """Start git with *arguments*; raise `GitError` where there is no git."""
        config = (word for setting in _CONFIG for word in ("-c", setting))
        command = [_program(), *config, f"--git-dir={self._directory}", "--literal-pathspecs", "--no-pager", *arguments]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            # In a session of its own it is spared the terminal's Ctrl-C, which is for us to act on.
            process = Popen(  # noqa: S603 -- no shell; the repository is named by --git-dir alone
                command, stdin=stdin, stdout=PIPE, stderr=PIPE, env=environment | _ENVIRONMENT, start_new_session=True
            )
        except FileNotFoundError:
            message = "git is not installed, which reads public-inbox repositories"
            raise GitError(message) from None
        self._running.append(process)
        assert process.stderr is not None  # noqa: S101 -- a pipe was asked for
        listener = Thread(target=self._listen, args=(process.stderr,), daemon=True)
        listener.start()
        self.threads.append(listener)
        return process

    def lines(self, *arguments: str) -> Iterator[bytes]:
        """Yield the lines that git with *arguments* prints; raise `GitError` where it fails."""
        process = self.start(*arguments)
        assert process.stdout is not None  # noqa: S101 -- a pipe was asked for
        yield from process.stdout
        self.check(process)

    def check(self, *processes: "Popen[bytes]") -> None:
        """Wait for *processes*, and raise `GitError` with what git said if one failed."""
        status = [process.wait() for process in processes]
        if any(status):
            for thread in self.threads:
                thread.join(_LEAVING_TIME)
            said = bytes(self._said).decode("utf-8", "replace").strip().split("\n")
            fatal = next((line for line in said if line.startswith("fatal:")), said[0])
            ended = next(f"ended with status {code}" for code in status if code)
            message = f"git {fatal.removeprefix('fatal: ') or ended}"
            raise GitError(message)

    def close(self) -> None:
        """End all processes at once."""
        for process in self._running:
            with suppress(ProcessLookupError):
                process.kill()
        for process in self._running:
            process.wait(_LEAVING_TIME)
        for thread in self.threads:
            thread.join(_LEAVING_TIME)
        for process in self._running:
            for pipe in (process.stdin, process.stdout, process.stderr):
                # What was still to be written to it is of no use any more.
                with suppress(OSError, ValueError):
                    if pipe:
                        pipe.close()
        self._running.clear()
        self.threads.clear()

    def _listen(self, said: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            for line in said:
                if len(self._said) < _MOST_SAID:
                    self._said += line
