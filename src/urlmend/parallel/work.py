"""What a process does that reads splits of files; it starts sooner without what starts it."""

import os
import pickle
import signal
import sys
from collections.abc import Sequence

from urlmend.parallel.recorder import Asked, Found
from urlmend.parallel.splits import Split
from urlmend.parallel.worker import read


def work() -> None:
    """Read the tasks that come on standard input, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks, results = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            task, asked = pickle.load(tasks)  # noqa: S301 -- what started this process wrote it
        except EOFError:
            return
        result = _result(task, asked)
        try:
            results.write(result)
            results.flush()
        except OSError:
            # Who asked is gone; leaving quietly means without the flush at exit.
            os._exit(1)


def _result(task: Sequence[Split], asked: Asked) -> bytes:
    try:
        return pickle.dumps([read(split, asked) for split in task], pickle.HIGHEST_PROTOCOL)
    except MemoryError as error:
        failed = Found([], [], [], [], failed=repr(error))
        return pickle.dumps([failed for _ in task], pickle.HIGHEST_PROTOCOL)
