"""What several processes do, done in one: quicker, and open to what a test has changed."""

import pickle
from typing import TYPE_CHECKING

from urlmend.parallel import work
from urlmend.parallel.pool import Task
from urlmend.parallel.recorder import Asked
from urlmend.parallel.results import Results, Room

if TYPE_CHECKING:
    from urlmend.parallel.splits import Split


class InThisProcess:
    """What `Workers` do, done at once and here."""

    def __init__(self, count: int, asked: Asked) -> None:
        self.count = count
        self._asked = asked
        self._room = Room()
        self._room.lift()
        self.parts: list[Split] = []

    def start(self) -> None:
        pass

    def submit(self, task: Task) -> Results:
        done = Results(self._room)
        self.parts += task
        for result in work._results(task, pickle.loads(pickle.dumps(self._asked))):  # noqa: S301, SLF001 -- as between processes
            done.put(result)
        done.end()
        return done

    def close(self) -> None:
        pass
