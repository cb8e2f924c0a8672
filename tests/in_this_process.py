"""What several processes do, done in one: quicker, and open to what a test has changed."""

import pickle
from typing import TYPE_CHECKING

from urlmend.parallel.pool import Results, Task
from urlmend.parallel.worker import Asked, read

if TYPE_CHECKING:
    from urlmend.parallel.splits import Split


class InThisProcess:
    """What `Workers` do, done at once and here."""

    def __init__(self, count: int, asked: Asked) -> None:
        self.count = count
        self._asked = asked
        self.parts: list[Split] = []

    def submit(self, task: Task) -> Results:
        self.parts += task
        asked = pickle.loads(pickle.dumps(self._asked))  # noqa: S301 -- as between processes
        found = [pickle.dumps(one) for split in task for one in read(split, asked)]
        return map(pickle.loads, found)

    def close(self) -> None:
        pass
