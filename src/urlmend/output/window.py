"""A part of a text: what is kept of it while the rest is read."""

from dataclasses import dataclass
from typing import Any


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
