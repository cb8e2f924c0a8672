"""What a task gives back, piece by piece."""

from collections import deque
from collections.abc import Iterator
from threading import Condition

MOST_WAITING = 1 << 23
"""How many bytes of one task's results may wait: memory is bounded, whoever is slow."""


class WorkerDiedError(Exception):
    """The process that read a task's splits has ended."""


class Room:
    """What all results have in common: whoever waits for one, or for room for more. Once *boundless*, there is room."""

    def __init__(self) -> None:
        self.changed = Condition()
        self.boundless = False

    def lift(self) -> None:
        """Let nobody wait for room any more."""
        with self.changed:
            self.boundless = True
            self.changed.notify_all()


class Results:
    """The results of one task in turn; at the end `WorkerDiedError`, where their reader died of it."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._waiting: deque[bytes] = deque()
        self._ended = False
        self._error: WorkerDiedError | None = None
        self.size = 0
        """How many bytes are waiting."""

    def put(self, result: bytes) -> None:
        """Take the next result, once there is room for it."""
        with self._room.changed:
            while self.size > MOST_WAITING and not self._room.boundless:
                self._room.changed.wait()
            self._waiting.append(result)
            self.size += len(result)
            self._room.changed.notify_all()

    def end(self, error: WorkerDiedError | None = None) -> None:
        """Take it that there are no more, or why not."""
        with self._room.changed:
            self._ended, self._error = True, error
            self._room.changed.notify_all()

    def __iter__(self) -> Iterator[bytes]:
        while (result := self._next()) is not None:
            yield result

    def _next(self) -> bytes | None:
        with self._room.changed:
            while not (self._waiting or self._ended):
                self._room.changed.wait()
            if self._waiting:
                result = self._waiting.popleft()
                self.size -= len(result)
                self._room.changed.notify_all()
                return result
            if self._error is not None:
                raise self._error
            return None
