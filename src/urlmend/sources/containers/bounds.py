"""How much of a container is read: a small file may hold any number of members, and expand to any size."""

from typing import Protocol

from urlmend.sources.origin import SourceError

MAX_DEPTH = 2
"""How deep containers are read in each other: `spool.tar` in `backup.zip`. Archives nest no deeper; bombs do."""

MAX_LISTED = 1 << 17
"""How many members a zip may list: its whole directory is in hand, up to 1 kB for each."""

MAX_READ = 10_000_000
"""How many members of a tar are read. None is remembered, but each takes 40 µs, an empty one too."""

MAX_RATIO = 250
"""How many bytes may come out of each byte of the outermost container. Text is packed 3:1 to 10:1, the logs that pack
best 150:1, bombs from 1000:1 on.
"""

FREE = 1 << 28
"""How many bytes may come out of any container, whatever the ratio: they take some seconds."""


class ExpansionError(SourceError):
    """A container holds more than MAX_RATIO times its size."""


class Reading(Protocol):
    """A file that is read forward."""

    @property
    def taken(self) -> int:
        """How many bytes were read of it."""


class Expansion:
    """Counts what comes out of the outermost container *file*, and of those in it, against what is read of it.

    Of a file that is not read forward *size* counts instead; *before* bytes came out of what stands before the part of
    it that is read.
    """

    def __init__(self, file: Reading | None, size: int = 0, before: int = 0) -> None:
        self._file = file
        self.size = size
        self.total = before
        """How many bytes came out."""

    def out(self, size: int) -> None:
        """Take note that *size* more bytes came out; `ExpansionError` where that is too much."""
        self.total += size
        if self.passed:
            message = f"expands to more than {MAX_RATIO} times its size: the rest is not read"
            raise ExpansionError(message)

    @property
    def passed(self) -> bool:
        """Whether too much came out."""
        return self.total > most_out(max(self.size, 0 if self._file is None else self._file.taken))


def most_out(size: int) -> int:
    """Return how many bytes may come out of *size* bytes of a container."""
    return FREE + MAX_RATIO * size
