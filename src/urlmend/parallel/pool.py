"""Processes that read splits, each served by a thread of the main process; the results are in order of the files.

`ProcessPoolExecutor` returns a task's result as a whole, however large, and does not say which task killed a process;
`multiprocessing` runs the caller's main module again to start a new interpreter.
"""

import atexit
import errno
import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from itertools import chain, groupby, islice
from operator import attrgetter
from queue import Full, Queue, SimpleQueue
from threading import Thread
from typing import Any

from urlmend.parallel.splits import Piece, Split, SplitReader, Task, grouped, splits
from urlmend.reading import FileMatches, Job, Matches, OnReject, Policy
from urlmend.selection import PatternError
from urlmend.sources import SourceError
from urlmend.sources.git import MissingError
from urlmend.sources.origin import ignore

AHEAD = 8
"""How many tasks per process may be started ahead, so that others go on while one reads a large file."""

MOST_WAITING = 4
"""How many pieces of a task may wait to be taken, so that memory is bounded if the main process is slow."""

# The new interpreter finds modules where this one does.
_START = "import sys; sys.path[:] = sys.argv[1:]; from urlmend.parallel.pool import work; work()"

_Waiting = Queue[Piece | None]
"""The pieces of a task, and `None` after the last."""


class DiedError(SourceError):
    """A process has died while it read a file."""


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
    """Read tasks from standard input and write pieces to standard output, until either is closed.

    A reader and the directory for temporary files precede the tasks. `None` follows the pieces of each split.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError), open(0, "rb") as tasks, open(1, "wb") as pieces:
        reader, tempfile.tempdir = pickle.load(tasks)  # noqa: S301 -- written by the process that started this one
        while True:
            for split in pickle.load(tasks):  # noqa: S301 -- as above
                for piece in chain(reader(split).pieces(), [None]):
                    pickle.dump(piece, pieces, pickle.HIGHEST_PROTOCOL)
                    pieces.flush()
    os._exit(0)  # the main process has gone: nothing has to be flushed


class Pool:
    """This process and up to *count* others that read splits; *reader* makes a `SplitReader` of one, and is pickled.

    They are copies of this process where that is safe: a copy starts in 10 ms, a new interpreter in 200. This process
    begins to read before it is copied, so that its copies share what it has loaded and compiled.
    """

    def __init__(self, count: int, reader: Callable[[Split], SplitReader]) -> None:
        self._count = count
        self._reader = reader
        self._tasks: SimpleQueue[tuple[Task, _Waiting] | None] = SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[Thread] = []
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._begun = 0  # how many tasks
        self._closed = False

    def results(self, tasks: Iterable[Task]) -> Iterator[Piece]:
        """Yield the pieces of *tasks*, in order; for a split without a path, an empty one.

        Nothing follows the piece that has a `DiedError`: the process that read the split has died.
        """
        tasks = iter(tasks)
        begun: deque[Iterator[Piece]] = deque()
        while True:
            begun.extend(map(self._pieces, islice(tasks, AHEAD * self._count - len(begun))))
            if not begun:
                return
            for piece in begun.popleft():
                yield piece
                if isinstance(piece.error, DiedError):
                    return

    def close(self) -> None:
        """End the processes at once."""
        self._closed = True
        atexit.unregister(self.close)
        for process in self._processes:
            process.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            with suppress(BrokenPipeError), process:  # closes its pipes and waits for it
                pass
        if self._temporary:
            self._temporary.cleanup()

    def _pieces(self, task: Task) -> Iterator[Piece]:
        """Begin to read *task*, and return its pieces."""
        if task[0].path is None:
            return iter([Piece(task[0].number)])
        pieces = chain.from_iterable(self._reader(split).pieces() for split in task)
        self._begun += 1
        if self._begun == 1:
            return chain([next(pieces)], pieces)
        if self._begun == 2:  # noqa: PLR2004 -- the first one for another process
            self._start()
        if not self._threads:
            return pieces
        waiting: _Waiting = Queue(MOST_WAITING)
        self._tasks.put((task, waiting))
        return iter(waiting.get, None)

    def _start(self) -> None:
        """Start the processes, and then a thread for each: while there is one thread, this process can be copied.

        Where the system allows no more of either, there are fewer; without any, this process reads all tasks.
        """
        # At the end of Python, a thread that still holds the lock of a pipe would make it abort.
        atexit.register(self.close)
        instead = _read_splits if can_copy() else None
        with suppress(OSError):
            # Killed, a process leaves its temporary directories: they are in this one.
            self._temporary = tempfile.TemporaryDirectory(prefix="urlmend-", ignore_cleanup_errors=True)
        with suppress(OSError):
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
                tasks: Any = process.stdin
                pickle.dump((self._reader, self._temporary and self._temporary.name), tasks)
        with suppress(RuntimeError):
            for process in self._processes:
                thread = Thread(target=self._serve, args=[process], daemon=True)
                thread.start()
                self._threads.append(thread)

    def _serve(self, process: "subprocess.Popen[bytes]") -> None:
        """Have *process* read one task after the other."""
        tasks: Any = process.stdin
        pieces: Any = process.stdout
        while (next_one := self._tasks.get()) is not None and not self._closed:
            task, waiting = next_one
            split = task[0]
            try:
                pickle.dump(task, tasks)
                tasks.flush()
                for split in task:  # noqa: B007 -- the one that ends the process is named below
                    while (piece := pickle.load(pieces)) is not None:  # noqa: S301 -- our own process wrote it
                        self._put(waiting, piece)
            except Exception:  # noqa: BLE001 -- whatever it is, the main process waits to hear of it
                died = DiedError(errno.EIO, f"the process reading it died ({_reason(process)})", split.path)
                self._put(waiting, Piece(split.number, split.path, member=1, error=died))
            self._put(waiting, None)

    def _put(self, waiting: _Waiting, one: Piece | None) -> None:
        while not self._closed:
            with suppress(Full):
                waiting.put(one, timeout=0.1)
                return


def _reason(process: "subprocess.Popen[bytes]") -> str:
    """Kill *process* if it is still running, and return how it ended."""
    process.kill()
    status = process.wait()
    return signal.Signals(-status).name if -status in set(signal.Signals) else f"exit status {status}"


# Files


def files_by(  # noqa: PLR0913 -- two of them are callbacks
    count: int,
    paths: Iterable[str],
    job: Job,
    policy: Policy,
    *,
    rejected: OnReject = None,
    advance: Callable[[int], object] = ignore,
) -> Generator[FileMatches]:
    """Yield the files at *paths*, or the members of containers there, read by *count* processes.

    *policy* decides about errors. *rejected* is called with rejected candidates, *advance* with numbers of bytes read.
    The selection of *job* counts the messages without a date. To end the processes before all is read, close the
    iterator.
    """
    job = job._replace(rejects=rejected is not None)
    numbered = enumerate(paths)
    found = (split for number, path in numbered for split in splits(number, path, job.query, numbered=job.places))
    with closing(Pool(count, partial(SplitReader, job=job))) as pool:
        for _, results in groupby(pool.results(grouped(found)), key=attrgetter("number")):
            pieces = _pieces(results, policy, advance)
            for (_, name), some in groupby(pieces, key=attrgetter("member", "name")):
                yield name, _matches(some, job, policy, rejected)
            policy.end()


def _pieces(results: Iterator[Piece], policy: Policy, advance: Callable[[int], object]) -> Iterator[Piece]:
    """Yield the pieces of a file, up to the one that ends it."""
    for piece in results:
        for skipped in piece.skipped:
            policy.skip(skipped)
        advance(piece.bytes_read)
        if piece.member:
            yield piece
        if piece.error and not (piece.stamp or isinstance(piece.error, MissingError)):
            return


def _matches(pieces: Iterator[Piece], job: Job, policy: Policy, rejected: OnReject) -> Iterator[Matches]:
    """Yield the matches of a file; then its error goes to *policy*."""
    missing: MissingError | None = None
    for piece in pieces:
        if rejected:
            for candidate in piece.rejected:
                rejected(candidate)
        job.selection.count(piece.undated)
        if piece.matches:
            yield piece.matches
        if isinstance(piece.error, PatternError | DiedError):  # it ends the run
            raise piece.error
        if isinstance(piece.error, MissingError):
            missing = missing or piece.error  # the ranges that follow can be read
        elif piece.error:
            policy.fail(piece.name, piece.error, is_member=piece.stamp is not None)
    if missing:
        policy.fail(piece.name, missing, is_member=False)
