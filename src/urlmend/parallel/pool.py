"""Processes that read splits of files, each under a thread that waits for it.

`ProcessPoolExecutor` is not used: where one of its processes dies, all that are at work are lost with it and nothing
tells which one it was, and to spawn them `multiprocessing` runs the caller's main module once more.
"""

import pickle
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock, local
from typing import BinaryIO

from urlmend.parallel.processes import Forked, Process, Spawned, can_fork
from urlmend.parallel.recorder import SIZE, Asked, Found
from urlmend.parallel.results import Results, Room, WorkerDiedError
from urlmend.parallel.splits import Split

Task = tuple[Split, ...]


class Workers:
    """*count* processes, started when there is work for them."""

    def __init__(self, count: int, asked: Asked) -> None:
        self.count = count
        self._asked = pickle.dumps(asked)
        self._threads: ThreadPoolExecutor | None = None
        self._of_thread = local()
        self._lock = Lock()
        self._room = Room()
        self._processes: set[Process] = set()
        self._copies: list[Forked] = []  # those that no thread has taken
        self._closed = False

    def close(self) -> None:
        """End the processes at once."""
        with self._lock:
            self._closed = True
            for process in self._processes:
                process.kill()
        self._room.lift()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for process in list(self._processes):
            self._end(process)

    def start(self) -> None:
        """Make the processes now, where they can be copies: only while nobody has started a thread."""
        if can_fork() and not self._copies:
            self._copies = Forked.several(self.count)
            self._processes.update(self._copies)

    def submit(self, task: Task) -> Results:
        """Have the splits of *task* read; the results raise `WorkerDiedError` where their reader dies of them."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.count, "urlmend")
        results = Results(self._room)
        self._threads.submit(self._read, task, results)
        return results

    def _read(self, task: Task, results: Results) -> None:
        process: Process | None = getattr(self._of_thread, "process", None)
        try:
            if process is None:
                process = self._of_thread.process = self._start()
                process.tasks.write(self._asked)
            pickle.dump(task, process.tasks)
            process.tasks.flush()
            while size := int.from_bytes(_exactly(process.results, SIZE), "little"):
                results.put(_exactly(process.results, size))
        except (OSError, EOFError):
            results.end(self._died())
        except WorkerDiedError as error:
            results.end(error)
        else:
            results.end()

    def _start(self) -> Process:
        with self._lock:
            if self._closed:
                raise WorkerDiedError
            if self._copies:
                return self._copies.pop()
            process = Spawned()
            self._processes.add(process)
        return process

    def _died(self) -> WorkerDiedError:
        process, self._of_thread.process = self._of_thread.process, None
        # Small files are read again now, behind tasks that would wait for ever for what waits for those files.
        self._room.lift()
        return WorkerDiedError(_how(self._end(process)))

    def _end(self, process: Process) -> int:
        process.kill()
        status = process.wait()
        for pipe in (process.tasks, process.results):
            with suppress(OSError):  # of what was still to be written to it
                pipe.close()
        with self._lock:
            self._processes.discard(process)
        return status


def found(result: bytes) -> list[Found]:
    """Return what a *result* tells of its task's splits."""
    read: list[Found] = pickle.loads(result)  # noqa: S301 -- our own process wrote it
    return read


def _exactly(pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _how(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
