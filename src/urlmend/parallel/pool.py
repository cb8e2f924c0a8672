"""Processes that read splits, with one thread of the main process for each.

`ProcessPoolExecutor` returns a task's result as a whole, however large, and does not say which task killed a process;
`multiprocessing` runs the caller's main module again to start a new interpreter.
"""

import errno
import gc
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from queue import Full, Queue, SimpleQueue
from threading import Thread
from typing import Any

from urlmend.parallel.splits import Piece, Split, SplitReader, Task
from urlmend.reading import Job
from urlmend.sources import SourceError

AHEAD = 8
"""How many tasks for each process may be started before they are needed: the splits after a large file among them."""

MOST_WAITING = 4
"""How many pieces of a task may wait to be taken, so that memory is bounded if the main process is slow."""

# The new interpreter finds modules where this one does.
_START = "import sys; sys.path[:] = sys.argv[1:]; from urlmend.parallel.pool import work; work()"

_Waiting = Queue[Piece | str | None]
"""Pieces, `None` after those of each split, and a text that says how the process has died."""


def can_copy() -> bool:
    """Return whether a copy of this process can read splits: on Linux, if there is one thread.

    Locks of other threads would stay locked in a copy, and some libraries of macOS fail in one.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _read_splits() -> None:
    """Read splits in a copy of the main process. It never returns, and so never becomes a new interpreter."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # The reader of our output waits until every process has closed it, and a copy until nobody can write tasks.
        os.closerange(3, 1 + max(map(int, os.listdir("/proc/self/fd"))))
        gc.freeze()  # memory stays shared if nothing looks at it
        gc.enable()  # `subprocess` has disabled it
        work()
    finally:
        os._exit(1)


def work() -> None:
    """Read a job and then tasks from standard input and write pieces to standard output, until either is closed.

    `None` follows the pieces of each split.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError), open(0, "rb") as tasks, open(1, "wb") as pieces:
        job = pickle.load(tasks)  # noqa: S301 -- written by the process that started this one
        reader = job.reader or SplitReader
        while True:
            for split in pickle.load(tasks):  # noqa: S301 -- as above
                for piece in chain(reader(split, job).pieces(), [None]):
                    pickle.dump(piece, pieces, pickle.HIGHEST_PROTOCOL)
                    pieces.flush()
    os._exit(0)  # the main process has gone: nothing has to be flushed


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

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Split, Piece]]:
        """Yield the splits of *tasks*, in order, each with every one of its pieces: an empty one if it has no path.

        Nothing follows a split whose process has died: its last piece says so.
        """
        tasks = iter(tasks)
        started: deque[tuple[Task, _Waiting]] = deque()
        while True:
            for task in islice(tasks, AHEAD * self._count - len(started)):
                started.append((task, self._submitted(task)))
            if not started:
                return
            task, waiting = started.popleft()
            for split in task:
                while (piece := waiting.get()) is not None:
                    if isinstance(piece, str):
                        died = SourceError(errno.EIO, f"the process reading it died ({piece})", split.path)
                        yield split, Piece(name=split.path, member=1, error=died)
                        return
                    yield split, piece

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

    def _submitted(self, task: Task) -> _Waiting:
        waiting: _Waiting = Queue(MOST_WAITING)
        if task[0].path is None:
            waiting.put(Piece())
            waiting.put(None)
            return waiting
        if not self._threads:
            self._start()
        self._tasks.put((task, waiting))
        return waiting

    def _start(self) -> None:
        """Start the processes, and then a thread for each: while there is one thread, this process can be copied."""
        instead = _read_splits if can_copy() else None
        for _ in range(self._count):
            process = subprocess.Popen(  # noqa: S603 -- the interpreter that runs this
                [sys.executable, "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in a terminal is for the main process
                preexec_fn=instead,  # noqa: PLW1509 -- `can_copy` has counted the threads
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
            )
            self._processes.append(process)
        self._threads = [Thread(target=self._serve, args=[process], daemon=True) for process in self._processes]
        for thread in self._threads:
            thread.start()

    def _serve(self, process: "subprocess.Popen[bytes]") -> None:
        """Have *process* read one task after the other."""
        tasks: Any = process.stdin
        pieces: Any = process.stdout
        tasks_written = self._job
        while (next_one := self._tasks.get()) is not None and not self._closed:
            task, waiting = next_one
            try:
                tasks.write(tasks_written + pickle.dumps(task))
                tasks.flush()
                tasks_written = b""
                left = len(task)
                while left:
                    piece: Piece | None = pickle.load(pieces)  # noqa: S301 -- our own process wrote it
                    left -= piece is None
                    self._put(waiting, piece)
            except Exception:  # noqa: BLE001 -- whatever it is, the main process waits to hear of it
                self._put(waiting, _reason(process))

    def _put(self, waiting: _Waiting, one: Piece | str | None) -> None:
        while not self._closed:
            with suppress(Full):
                waiting.put(one, timeout=0.1)
                return


def _reason(process: "subprocess.Popen[bytes]") -> str:
    """Kill *process* if it is still running, and return how it ended."""
    process.kill()
    status = process.wait()
    return signal.Signals(-status).name if -status in set(signal.Signals) else f"exit status {status}"
