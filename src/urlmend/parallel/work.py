"""What a process does that reads splits of files; it starts sooner without what starts it."""

import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

from urlmend.parallel.recorder import PIECE_OF_FILE, PIECE_SIZE, SIZE, Asked, Found
from urlmend.parallel.splits import Split
from urlmend.parallel.worker import read


def work() -> None:
    """Read the tasks that come on standard input, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(tasks: BinaryIO, results: BinaryIO) -> None:
    """Read the *tasks* that follow what is asked of all, and write the *results*. The end of *tasks* is ours."""
    waiting: SimpleQueue[Sequence[Split]] = SimpleQueue()
    try:
        asked = pickle.load(tasks)  # noqa: S301 -- what started this process wrote it
    except EOFError:
        return
    Thread(target=_listen, args=(tasks, waiting), daemon=True).start()
    while True:
        try:
            for result in _results(waiting.get(), asked):
                results.write(len(result).to_bytes(SIZE, "little"))
                results.write(result)
                results.flush()
            results.write(bytes(SIZE))  # the end of this task
            results.flush()
        except OSError:
            _leave()


def _listen(tasks: BinaryIO, waiting: "SimpleQueue[Sequence[Split]]") -> None:
    """Put the *tasks* where they wait; who asks may be killed while a large file is read."""
    try:
        while True:
            waiting.put(pickle.load(tasks))  # noqa: S301 -- what started this process wrote it
    finally:
        _leave()


def _leave() -> None:
    # Who asked is gone; leaving quietly means without the flush at exit.
    os._exit(1)


def _results(task: Sequence[Split], asked: Asked) -> Iterator[bytes]:
    """Yield what the splits of *task* hold, in lists: one of all, unless there is more of one."""
    held: list[Found] = []
    size = taken = 0
    for split in task:
        for found in read(split, asked):
            held.append(found)
            size += sum(map(len, found.rows))
            taken += found.taken
            # Small files come all or none: where this process dies, the others are read again.
            if found.more and len(task) == 1 and (size >= PIECE_SIZE or taken >= PIECE_OF_FILE):
                yield _packed(held)
                held = []
                size = taken = 0
    yield _packed(held)


def _packed(held: list[Found]) -> bytes:
    try:
        return pickle.dumps(held, pickle.HIGHEST_PROTOCOL)
    except MemoryError as error:
        failed = Found([], [], [], [], failed=repr(error))
        return pickle.dumps([failed for found in held if not found.more], pickle.HIGHEST_PROTOCOL)
