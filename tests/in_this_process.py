"""The work of several processes, done in the test's own: faster, and open to what a test has patched."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pytest

from urlmend import parallel
from urlmend.parallel import pool, splits
from urlmend.parallel.pool import Pool
from urlmend.parallel.splits import Piece, Split, SplitReader, Task


class InThisProcess(Pool):
    """A pool without processes. What they would exchange is pickled, so that it has to allow that."""

    read = 0
    """How many splits the last pool has read."""

    def __init__(self, count: int, reader: Callable[[Split], SplitReader]) -> None:
        super().__init__(count, reader)
        self.reader = pickle.loads(pickle.dumps(reader))  # noqa: S301 -- as between processes

    def results(self, tasks: Iterable[Task]) -> Iterator[Piece]:
        for InThisProcess.read, split in enumerate(chain.from_iterable(tasks), 1):
            there = pickle.loads(pickle.dumps(split))  # noqa: S301 -- as above
            for piece in self.reader(there).pieces() if split.path else [Piece(split.number)]:
                yield pickle.loads(pickle.dumps(piece))  # noqa: S301 -- as above

    def close(self) -> None:
        pass


def in_this_process(monkeypatch: pytest.MonkeyPatch, split_size: int) -> None:
    """Have files of any size read in splits of *split_size* bytes, in this process."""
    monkeypatch.setattr(pool, "Pool", InThisProcess)
    monkeypatch.setattr(parallel, "LEAST_SIZE", -1)
    monkeypatch.setattr(splits, "SPLIT_SIZE", split_size)
    monkeypatch.setattr(splits, "MESSAGES", 2)
