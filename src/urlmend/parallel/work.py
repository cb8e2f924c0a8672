"""What a process does that reads parts of files; it starts sooner without what starts it."""

import os
import pickle
import signal
import sys
from collections.abc import Sequence

from urlmend.parallel.splits import Part
from urlmend.parallel.worker import Found, Settings, read


def work() -> None:
    """Read the tasks that come on standard input, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks, results = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            task, settings = pickle.load(tasks)  # noqa: S301 -- what started this process wrote it
        except EOFError:
            return
        result = _result(task, settings)
        try:
            results.write(result)
            results.flush()
        except OSError:
            # Who asked is gone; leaving quietly means without the flush at exit.
            os._exit(1)


def _result(task: Sequence[Part], settings: Settings) -> bytes:
    try:
        return pickle.dumps([read(part, settings) for part in task], pickle.HIGHEST_PROTOCOL)
    except MemoryError as error:
        failed = Found([], [], [], [], failed=repr(error))
        return pickle.dumps([failed for _ in task], pickle.HIGHEST_PROTOCOL)
