"""Processes that read splits, with one thread of the main process for each.

`ProcessPoolExecutor` loses all running tasks when one of its processes dies, and `multiprocessing` runs the caller's
main module again to start a new interpreter.
"""

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Full, Queue, SimpleQueue
from threading import Thread

from urlmend.parallel import Job
from urlmend.parallel.splits import Task
from urlmend.parallel.worker import Piece, work

AHEAD = 8
"""How many tasks for each process may be started before they are needed: the splits after a large file among them."""

MOST_WAITING = 4
"""How many pieces of a task may wait to be taken, so that memory is bounded if the main process is slow."""

# The new interpreter finds modules where this one does.
_START = "import sys; sys.path[:] = sys.argv[1:]; from urlmend.parallel.worker import work; work()"

_Waiting = Queue[Piece | Exception | None]


class WorkerDiedError(Exception):
    """The process that was reading a task has ended."""


def can_copy() -> bool:
    """Return whether a copy of this process can read splits: on Linux, if there is one thread.

    Locks of other threads would stay locked in a copy, and some libraries of macOS fail in one.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 -- names
    except OSError:
        return False


def _read_splits() -> None:
    """Read splits in a copy of the main process. It never returns, and so never becomes a new interpreter."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # The reader of our output waits until every process has closed it, and a copy until nobody can write tasks.
        os.closerange(3, 1 + max(map(int, os.listdir("/proc/self/fd"))))  # noqa: PTH208 -- names
        gc.freeze()  # memory stays shared if nothing looks at it
        gc.enable()  # `subprocess` has disabled it
        work()
    finally:
        os._exit(1)


class Pool:
    """Up to *count* processes that do *job* with splits.

    They are copies of this process where that is safe: a copy starts in 10 ms, a new interpreter in 200.
    """

    def __init__(self, count: int, job: Job) -> None:
        self._count = count
        self._job = pickle.dumps(job)
        self._tasks: SimpleQueue[tuple[Task, _Waiting] | None] = SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[Thread] = []
        self._closed = False

    def map(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Iterator[Piece | None]]]:
        """Yield each of *tasks*, in order, with the pieces of its splits, and `None` after those of each split.

        A split that only this process can read has one empty piece. Iterating over the pieces raises `WorkerDiedError`
        if their process dies.
        """
        tasks = iter(tasks)
        started: deque[tuple[Task, Iterator[Piece | None]]] = deque()
        while True:
            while len(started) < AHEAD * self._count and (task := next(tasks, None)) is not None:
                started.append((task, self._submitted(task)))
            if not started:
                return
            yield started.popleft()

    def close(self) -> None:
        """End the processes at once."""
        self._closed = True
        for process in self._processes:
            process.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            with suppress(BrokenPipeError), process:  # closes its pipes and waits for it
                pass

    def _submitted(self, task: Task) -> Iterator[Piece | None]:
        if not task[0].shared:
            return iter([Piece(), None])
        waiting: _Waiting = Queue(MOST_WAITING)
        self._tasks.put((task, waiting))
        if not self._threads:
            self._start()
        return _pieces(waiting, len(task))

    def _start(self) -> None:
        """Start the processes, and then a thread for each: while there is one thread, this process can be copied."""
        instead = _read_splits if can_copy() else None
        processes: list[subprocess.Popen[bytes] | None] = [None] * self._count
        # An error is reported with the task that no process can be started for.
        with suppress(OSError):
            for number in range(self._count):
                processes[number] = self._new_process(instead)
        self._threads = [Thread(target=self._serve, args=[process], daemon=True) for process in processes]
        for thread in self._threads:
            thread.start()

    def _serve(self, process: "subprocess.Popen[bytes] | None") -> None:
        while (next_one := self._tasks.get()) is not None and not self._closed:
            task, waiting = next_one
            try:
                process = process or self._new_process()
                pickle.dump(task, process.stdin)  # type: ignore[arg-type]
                process.stdin.flush()  # type: ignore[union-attr]
                left = len(task)
                while left:
                    piece: Piece | None = pickle.load(process.stdout)  # type: ignore[arg-type]  # noqa: S301 -- our own wrote it
                    left -= piece is None
                    self._put(waiting, piece)
            except Exception as error:  # noqa: BLE001 -- whatever it is, the main process waits to hear of it
                self._put(waiting, WorkerDiedError(_reason(process) if process else str(error)))
                process = None

    def _new_process(self, instead: Callable[[], None] | None = None) -> "subprocess.Popen[bytes]":
        """Return a new interpreter, or a copy of this process that does something *instead*."""
        process = subprocess.Popen(  # noqa: S603 -- the interpreter that runs this
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal is for the main process
            preexec_fn=instead,  # noqa: PLW1509 -- `can_copy` has counted the threads
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        self._processes.append(process)
        if self._closed:
            process.kill()
        process.stdin.write(self._job)  # type: ignore[union-attr]
        return process

    def _put(self, waiting: _Waiting, one: Piece | Exception | None) -> None:
        while not self._closed:
            with suppress(Full):
                waiting.put(one, timeout=0.1)
                return


def _pieces(waiting: _Waiting, splits: int) -> Iterator[Piece | None]:
    while splits:
        piece = waiting.get()
        if isinstance(piece, Exception):
            raise piece
        splits -= piece is None
        yield piece


def _reason(process: "subprocess.Popen[bytes]") -> str:
    """Kill *process* if it is still running, and return how it ended."""
    process.kill()
    status = process.wait()
    with suppress(ValueError):
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return f"signal {-status}"
