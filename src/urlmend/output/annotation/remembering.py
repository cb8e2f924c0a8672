"""A file that remembers what was read of it last, for those who show the text around a URL."""

import sys
from typing import Protocol

from urlmend.sources.public_inbox.frame import FRAME
from urlmend.sources.reader import CHUNK_SIZE

REMEMBERED = 1 << 21
"""How many of the bytes read last are remembered. A match is given out before more than these are read behind it."""


class Readable(Protocol):
    """A binary file with a name."""

    name: str | None

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes."""


class Remembering:
    """A binary file that remembers what was read of it last, and can look ahead."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.name = file.name
        self._recent = b""
        self._start = 0  # the offset of what is remembered
        self._ahead = 0  # how many bytes at its end `read` has not given out
        self._ended = False
        self._error: OSError | None = None

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes."""
        if not self._ahead:
            if self._error is not None:
                raise self._error
            self._more(size)
        start = len(self._recent) - self._ahead
        chunk = self._recent[start : start + size]
        self._ahead -= len(chunk)
        return chunk

    def look_ahead(self, end: int) -> None:
        """Remember the bytes up to the offset *end*, if there are so many. `read` gives them out, and an error."""
        try:
            while not self._ended and self._start + len(self._recent) < end:
                self._more(CHUNK_SIZE)
        except OSError as error:
            self._error = error
            self._ended = True

    def _more(self, size: int) -> None:
        chunk = self._file.read(size)
        self._ended = not chunk
        self._ahead += len(chunk)
        recent = self._recent + chunk
        self._recent = recent[-REMEMBERED:]
        self._start += len(recent) - len(self._recent)

    def member(self, source: str | None) -> tuple[int, int]:
        """Return where the file that is called *source* begins in this one, and where it ends.

        They are the same file, but for a public-inbox, of which each message is one (`public_inbox.messages`).
        """
        name = (source or "").removeprefix((self.name or "").rstrip("/"))
        line = f"{FRAME}{name} blob ".encode()
        found = self._recent.rfind(line) if name and name != source else -1
        if found < 0:
            return 0, sys.maxsize
        end = self._recent.find(b"\n", found)
        start = self._start + end + 1
        return start, start + int(self._recent[found + len(line) : end])

    def remembered(self, start: int, end: int) -> tuple[int, bytes]:
        """Return the bytes from *start* to *end*, as far as they are remembered, and where they start."""
        start = max(start, self._start)
        return start, self._recent[start - self._start : max(0, end - self._start)]
