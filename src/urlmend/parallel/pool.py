"""Processes that read splits of files, each under a thread that waits for it.

`ProcessPoolExecutor` is not used: where one of its processes dies, all that are at work are lost with it and nothing
tells which one it was, and to spawn them `multiprocessing` runs the caller's main module once more.
"""

import pickle
import signal
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from subprocess import PIPE, Popen
from threading import Lock, local

from urlmend.parallel.recorder import Asked, Found
from urlmend.parallel.splits import Split

Task = tuple[Split, ...]

# The modules are found where they were found here.
_START = "import sys; sys.path[:] = sys.argv[1:]; from urlmend.parallel.work import work; work()"


class WorkerDiedError(Exception):
    """The process that read a task's splits has ended."""


class Workers:
    """*count* processes, started when there is work for them."""

    def __init__(self, count: int, asked: Asked) -> None:
        self.count = count
        self._asked = asked
        self._threads = ThreadPoolExecutor(count, "urlmend")
        self._of_thread = local()
        self._lock = Lock()
        self._processes: set[Popen[bytes]] = set()
        self._closed = False

    def close(self) -> None:
        """End the processes at once."""
        with self._lock:
            self._closed = True
            for process in self._processes:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in list(self._processes):
            self._end(process)

    def submit(self, task: Task) -> "Future[list[Found]]":
        """Have the splits of *task* read; the future raises `WorkerDiedError` where their reader dies of them."""
        return self._threads.submit(self._read, task)

    def _read(self, task: Task) -> list[Found]:
        process: Popen[bytes] | None = getattr(self._of_thread, "process", None)
        if process is None or process.poll() is not None:
            process = self._of_thread.process = self._start()
        tasks, results = process.stdin, process.stdout
        assert tasks is not None  # noqa: S101 -- a pipe was asked for
        assert results is not None  # noqa: S101 -- as above
        try:
            pickle.dump((task, self._asked), tasks)
            tasks.flush()
            found: list[Found] = pickle.load(results)  # noqa: S301 -- our own process wrote it
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._of_thread.process = None
            raise WorkerDiedError(_how(self._end(process))) from error
        return found

    def _start(self) -> "Popen[bytes]":
        with self._lock:
            if self._closed:
                raise WorkerDiedError
            # In a session of its own it is spared the terminal's Ctrl-C, which is for us to act on.
            process = Popen(  # noqa: S603 -- the interpreter that runs this
                [sys.executable, "-c", _START, *sys.path], stdin=PIPE, stdout=PIPE, start_new_session=True
            )
            self._processes.add(process)
        return process

    def _end(self, process: "Popen[bytes]") -> int:
        process.kill()
        status = process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe:
                    pipe.close()
            except OSError:
                pass  # what was still to be written to it
        with self._lock:
            self._processes.discard(process)
        return status


def _how(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
