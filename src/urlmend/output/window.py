"""The text around a URL: the end of a text or file, kept while the rest is read."""

import sys
from dataclasses import dataclass
from typing import Any

from urlmend.sources.compression import PeekableFile
from urlmend.sources.git import FRAME
from urlmend.sources.reader import CHUNK_SIZE

REMEMBERED = 1 << 21
"""How many bytes of a file are remembered. Fewer are read between a match and its output."""


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

    def text(self, start: int, end: int) -> str:
        """Return what is `between` the places as a string: bytes that are not UTF-8 are surrogates (PEP 383)."""
        data = self.between(start, end)
        return data if isinstance(data, str) else data.decode(errors="surrogateescape")

    def forget(self, end: int) -> None:
        """Drop the text before *end*."""
        if end > self.start:
            self.data = self.data[end - self.start :]
            self.start = end


class Remembering(PeekableFile):
    """A *file*, which is not compressed, that remembers the last bytes read of it (`window`), and can look ahead."""

    def __init__(self, file: PeekableFile) -> None:
        self.window = Window(b"")
        super().__init__(file)
        self.compression, self.recognised = file.compression, file.recognised
        self.report, self.expansion = file.report, file.expansion

    def _more(self, size: int = CHUNK_SIZE) -> bytes:
        data: bytes = super()._more(size)
        self.window.data += data
        self.window.forget(self.window.end - REMEMBERED)
        return data

    def fileno(self) -> int:
        """Raise `AttributeError`: what is read by the descriptor would not be remembered."""
        raise AttributeError

    def around(self, start: int, end: int) -> Window:
        """Return the bytes from *start* to *end*, as far as they are remembered, reading on where necessary."""
        self.beginning(end - self.position)
        return Window(self.window.between(start, end), max(start, self.window.start))

    def member(self, source: str | None) -> tuple[int, int]:
        """Return where the file called *source* begins in this one, and where it ends.

        They are the same file, except in a public-inbox, where each message is a file (`public_inbox.messages`).
        """
        name = (source or "").removeprefix((self.name or "").rstrip("/"))
        line = f"{FRAME}{name} ".encode()
        found = self.window.data.rfind(line) if name and name != source else -1
        if found < 0:
            return 0, sys.maxsize
        end = self.window.data.find(b"\n", found)
        start = self.window.start + end + 1
        return start, start + int(self.window.data[found + len(line) : end])
