"""Processes that read splits of files: new interpreters, each under a thread that waits for it.

`ProcessPoolExecutor` is not used: where one of its processes dies, all that are at work are lost with it, and to start
them `multiprocessing` runs the caller's main module once more.
"""

import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from queue import Full, Queue, SimpleQueue
from threading import Thread

from urlmend.parallel.splits import Split
from urlmend.parallel.worker import Asked, Found

MOST_WAITING = 4
"""How many pieces of one task's results may wait: memory is bounded, whoever is slow."""

Task = tuple[Split, ...]
Results = Iterator[Found]

# The modules are found where they were found here.
_START = "import sys; sys.path[:] = sys.argv[1:]; from urlmend.parallel.worker import work; work()"


class WorkerDiedError(Exception):
    """The process that read a task's splits has ended."""


class Workers:
    """*count* processes, each started when there is work for it. Close them, to end them at once."""

    def __init__(self, count: int, asked: Asked) -> None:
        self.count = count
        self._asked = asked
        self._tasks: SimpleQueue[tuple[Task, Queue[Found | Exception]]] = SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads = 0
        self._closed = False

    def submit(self, task: Task) -> Results:
        """Have the splits of *task* read; the results raise `WorkerDiedError` where their reader dies of them."""
        results: Queue[Found | Exception] = Queue(MOST_WAITING)
        self._tasks.put((task, results))
        if self._threads < self.count:
            self._threads += 1
            Thread(target=self._serve, daemon=True).start()
        return _results(results, len(task))

    def close(self) -> None:
        """End the processes at once."""
        self._closed = True
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def _serve(self) -> None:
        process = self._started()
        while not self._closed:
            task, results = self._tasks.get()
            try:
                pickle.dump(task, process.stdin)  # type: ignore[arg-type]
                process.stdin.flush()  # type: ignore[union-attr]
                left = len(task)
                while left:
                    found: Found = pickle.load(process.stdout)  # type: ignore[arg-type]  # noqa: S301 -- our own wrote it
                    left -= not found.more
                    self._put(results, found)
            except (OSError, EOFError, pickle.UnpicklingError):
                process.kill()
                self._put(results, WorkerDiedError(_how(process.wait())))
                process = self._started()

    def _started(self) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(  # noqa: S603 -- the interpreter that runs this
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # it is spared the terminal's Ctrl-C, which is for us to act on
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # what Windows has instead
        )
        self._processes.append(process)
        if self._closed:
            process.kill()
        with suppress(OSError):
            pickle.dump(self._asked, process.stdin)  # type: ignore[arg-type]
        return process

    def _put(self, results: "Queue[Found | Exception]", one: Found | Exception) -> None:
        while not self._closed:
            with suppress(Full):
                results.put(one, timeout=0.1)
                return


def _results(waiting: "Queue[Found | Exception]", count: int) -> Results:
    while count:
        one = waiting.get()
        if isinstance(one, Exception):
            raise one
        count -= not one.more
        yield one


def _how(status: int) -> str:
    with suppress(ValueError):
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return f"signal {-status}"
