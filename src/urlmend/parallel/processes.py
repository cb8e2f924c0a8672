"""Processes that read splits: copies of this one where that is safe, else new interpreters."""

import gc
import os
import signal
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol, Self

# The modules are found where they were found here.
_START = "import sys; sys.path[:] = sys.argv[1:]; from urlmend.parallel.work import work; work()"


class Process(Protocol):
    """A process: `tasks` are written to it, `results` are read from it."""

    tasks: BinaryIO
    results: BinaryIO

    def kill(self) -> None:
        """End it at once."""

    def wait(self) -> int:
        """Return its exit status once it has ended, or the number of the signal that ended it, negative."""


def can_fork() -> bool:
    """Tell whether a copy of this process works: on Linux, while it has one thread.

    A copy has its modules already: it starts in 10 ms where a new interpreter takes 150. Other threads' locks stay
    locked in a copy for ever. Some libraries of macOS fail in one.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 -- names are enough
    except OSError:
        return False


class Spawned:
    """A new interpreter. In a session of its own it is spared the terminal's Ctrl-C, which is for us to act on."""

    def __init__(self) -> None:
        import subprocess  # noqa: PLC0415 -- a copy needs none of it

        self._process = subprocess.Popen(  # noqa: S603 -- the interpreter that runs this
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # what Windows has instead
        )
        assert self._process.stdin is not None  # noqa: S101 -- a pipe was asked for
        assert self._process.stdout is not None  # noqa: S101 -- as above
        self.tasks: BinaryIO = self._process.stdin  # type: ignore[assignment]  # typeshed's IO[bytes]
        self.results: BinaryIO = self._process.stdout  # type: ignore[assignment]  # as above

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self) -> int:
        """Return its exit status once it has ended, or the number of the signal that ended it, negative."""
        return self._process.wait()


class Forked:
    """A copy of this process. The copy closes the pipes of *others*, of which it would keep the ends open."""

    def __init__(self, others: "Collection[Process]" = ()) -> None:
        tasks, self_tasks = os.pipe()
        self_results, results = os.pipe()
        # An interrupt in the copy, before it ignores them, would end it with a traceback.
        signals = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            self._pid = os.fork()
            if not self._pid:
                kept = [pipe.fileno() for other in others for pipe in (other.tasks, other.results)]
                _be_a_copy(tasks, results, [self_tasks, self_results, *kept], signals)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        os.close(tasks)
        os.close(results)
        self.tasks: BinaryIO = open(self_tasks, "wb")  # noqa: SIM115, PTH123 -- a descriptor; who ends it closes it
        self.results: BinaryIO = open(self_results, "rb")  # noqa: SIM115, PTH123 -- as above
        self._status: int | None = None

    @classmethod
    def several(cls, count: int) -> list[Self]:
        """Return *count* copies."""
        made: list[Self] = []
        while len(made) < count:
            made.append(cls(made))
        return made

    def kill(self) -> None:
        """End it at once."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Return its exit status once it has ended, or the number of the signal that ended it, negative."""
        if self._status is None:
            try:
                self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            except ChildProcessError:
                self._status = 0  # the program that uses us ignores SIGCHLD, and so nobody knows
        return self._status


def _be_a_copy(tasks: int, results: int, others: Collection[int], signals: Collection[int]) -> None:
    """Read splits in this process, a new copy, which never returns from here to what its original is doing."""
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        for other in others:
            os.close(other)
        with Path(os.devnull).open("r+b") as nothing:
            # Whoever reads our original's output waits for all who have it open.
            os.dup2(nothing.fileno(), 0)
            os.dup2(nothing.fileno(), 1)
        gc.freeze()  # what was there before is looked at no more: its pages stay shared
        from urlmend.parallel.work import serve  # noqa: PLC0415 -- it imports what only a reader needs

        serve(open(tasks, "rb"), open(results, "wb"))  # noqa: SIM115 -- the end of the process closes them
        status = 0
    finally:
        os._exit(status)
