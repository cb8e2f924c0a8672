"""Output: writers of matches in several formats, annotated text, and the database of a harvest."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from urlmend.match import URLMatch


class Writer:
    """Writes matches in one format. This one writes nothing; each method does nothing unless a writer overrides it.

    The caller closes the destination.
    """

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name* (`None`: standard input)."""

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Write *matches*, which follow those written before in the same file."""

    def end_file(self, name: str | None) -> None:
        """End the file called *name*."""

    def close(self) -> None:
        """Write whatever is left."""


class LineFormat(Protocol):
    """A format in which matches are lines of text. It can be pickled, so that worker processes can format too."""

    @property
    def head(self) -> str:
        """The text before the first line."""

    def lines(self, matches: "Sequence[URLMatch]") -> str:
        """Return the lines of *matches*."""


class RowFormat(Protocol):
    """A format in which rows of values are lines of text."""

    @property
    def head(self) -> str:
        """The text before the first line."""

    def row(self, values: Mapping[str, object]) -> str:
        """Return *values*, by the names of their columns, as a line."""


class _Lines:
    """Writes *head* and then lines to *out*. Nothing is written before the first line, or before `close`."""

    def __init__(self, out: TextIO, head: str) -> None:
        self._out = out
        self._head = head

    def write_text(self, lines: str) -> None:
        """Write *lines*, which are formatted already."""
        if self._head:
            self._out.write(self._head)
            self._head = ""
        self._out.write(lines)

    def close(self) -> None:
        """Write the head if no line was written, and flush."""
        self.write_text("")
        self._out.flush()


class LineWriter(_Lines, Writer):
    """Writes matches to *out* as lines in *line_format*."""

    def __init__(self, out: TextIO, line_format: LineFormat) -> None:
        super().__init__(out, line_format.head)
        self.format = line_format

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Write the lines of *matches*."""
        self.write_text(self.format.lines(matches))


class RowWriter(_Lines):
    """Writes rows of values to *out* as lines in *row_format*."""

    def __init__(self, out: TextIO, row_format: RowFormat) -> None:
        super().__init__(out, row_format.head)
        self._row = row_format.row

    def write_row(self, values: Mapping[str, object]) -> None:
        """Write *values*, by the names of their columns."""
        self.write_text(self._row(values))
