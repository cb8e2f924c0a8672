"""A file of an archive: reading it, and seeing whether it has changed since it was read."""

import os
from collections.abc import Callable
from hashlib import blake2b
from io import FileIO
from typing import TYPE_CHECKING

from urlmend.sources.mbox.reader import BEGINNING, Position

if TYPE_CHECKING:
    from urlmend.output.database.sqlite import State

MARKED = 4096
"""How many bytes at a file's head, and before the place to go on from, must be the same in a file that has grown."""


class File(FileIO):
    """A file of the archive, not buffered. *advance* is called with the size of each piece that is read."""

    def __init__(self, name: str, advance: Callable[[int], object]) -> None:
        super().__init__(name)
        self._advance = advance

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most *size* bytes."""
        data = super().read(size) or b""
        self._advance(len(data))
        return data

    def add_bytes_read(self, size: int) -> None:
        """Take note that *size* more bytes were read by the descriptor."""
        self._advance(size)

    def at(self, offset: int, length: int) -> bytes:
        """Return *length* bytes from *offset* on; the place where the file is read next stays."""
        return os.pread(self.fileno(), length, offset)

    def mark(self, size: int, position: Position) -> bytes:
        """Return a checksum of the head of a file that was of *size*, and of what stands before *position*."""
        before = max(0, position.offset - MARKED)
        octets = self.at(0, min(MARKED, size)) + self.at(before, position.offset - before)
        return blake2b(octets, digest_size=16).digest()


def change(file: File, status: os.stat_result, state: "State") -> tuple[str, Position]:
    """Return what has become of *file* since *state*, and where to go on reading."""
    grown = status.st_size > state.size
    same = (status.st_size, status.st_mtime_ns) == (state.size, state.mtime)
    if state.position and (grown or same) and file.mark(state.size, state.position) == state.mark:
        return ("grown" if state.complete else "resumed"), state.position
    return "changed", BEGINNING


def _is_member(name: str) -> bool:
    """Tell whether *name* is that of a member of a file that is there: whoever reads that knows its members."""
    while "!" in name:
        name = name.rpartition("!")[0]
        if os.path.isfile(name):  # noqa: PTH113 -- names stay strings
            return True
    return False


def is_gone(name: str) -> bool:
    """Tell whether there is no file called *name*. One that cannot be reached may be there."""
    try:
        os.stat(name)  # noqa: PTH116 -- names stay strings
    except (FileNotFoundError, NotADirectoryError):
        return not _is_member(name)
    except OSError:
        return False
    return False
