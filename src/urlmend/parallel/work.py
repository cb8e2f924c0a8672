"""What a process does that reads splits of files; it starts sooner without what starts it."""

import os
import pickle
import signal
import sys
from collections.abc import Sequence
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

from urlmend.parallel.recorder import SIZE, Asked, Found
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
        result = _result(waiting.get(), asked)
        try:
            results.write(len(result).to_bytes(SIZE, "little"))
            results.write(result)
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


def _result(task: Sequence[Split], asked: Asked) -> bytes:
    try:
        return pickle.dumps([read(split, asked) for split in task], pickle.HIGHEST_PROTOCOL)
    except MemoryError as error:
        failed = Found([], [], [], [], failed=repr(error))
        return pickle.dumps([failed for _ in task], pickle.HIGHEST_PROTOCOL)
