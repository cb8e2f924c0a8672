"""The end of a text or file, kept while the rest is read, to show the text around a URL."""

import sys
from dataclasses import dataclass
from typing import Any

from urlmend.sources import Readable
from urlmend.sources.git import FRAME
from urlmend.sources.reader import CHUNK_SIZE

REMEMBERED = 1 << 21
"""How many bytes are remembered. Fewer are read between a match and its output."""


@dataclass
class Window:
    """The part of a text that is kept: `data`, bytes or characters, which begins at `start` of the text."""

    data: Any
    start: int = 0

    @property
    def end(self) -> int:
        """Where the kept part ends in the text."""
        return self.start + len(self.data)

    def between(self, start: int, end: int) -> Any:  # noqa: ANN401 -- bytes or characters
        """Return the text from *start* to *end*, as far as it is kept."""
        return self.data[max(0, start - self.start) : max(0, end - self.start)]

    def forget(self, end: int) -> None:
        """Drop the text before *end*."""
        if end > self.start:
            self.data = self.data[end - self.start :]
            self.start = end


class Remembering:
    """A binary file that remembers the end of what was read, and can look ahead."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.name: str | None = getattr(file, "name", None)
        self._window = Window(b"")
        self._given = 0  # the offset of what `read` returns next
        self._ended = False
        self._error: OSError | None = None

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes."""
        if self._given == self._window.end:
            if self._error is not None:
                raise self._error
            self._read_on(size)
        chunk: bytes = self._window.between(self._given, self._given + size)
        self._given += len(chunk)
        return chunk

    def look_ahead(self, end: int) -> None:
        """Read up to the offset *end*, or to the end. `read` returns these bytes, and raises any error, later."""
        try:
            while not self._ended and self._window.end < end:
                self._read_on(CHUNK_SIZE)
        except OSError as error:
            self._error = error
            self._ended = True

    def _read_on(self, size: int) -> None:
        chunk = self._file.read(size)
        self._ended = not chunk
        self._window.data += chunk
        self._window.forget(self._window.end - REMEMBERED)

    def member(self, source: str | None) -> tuple[int, int]:
        """Return where the file called *source* begins in this one, and where it ends.

        They are the same file, except in a public-inbox, where each message is a file (`public_inbox.messages`).
        """
        name = (source or "").removeprefix((self.name or "").rstrip("/"))
        line = f"{FRAME}{name} blob ".encode()
        found = self._window.data.rfind(line) if name and name != source else -1
        if found < 0:
            return 0, sys.maxsize
        end = self._window.data.find(b"\n", found)
        start = self._window.start + end + 1
        return start, start + int(self._window.data[found + len(line) : end])

    def remembered(self, start: int, end: int) -> tuple[int, bytes]:
        """Return the remembered bytes from *start* to *end*, after the offset of the first of them."""
        start = max(start, self._window.start)
        return start, self._window.between(start, end)
