"""Output: writers of matches in several formats, annotated text, and databases."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch
    from urlmend.output.tables import RecordFormat
    from urlmend.output.text import TextFormat
    from urlmend.query import Query
    from urlmend.sources.compression import PeekableFile


class Writer:
    """Writes matches in one format. This one writes nothing; each method does nothing unless a writer overrides it.

    The caller closes the destination.
    """

    lines: "Callable[[Sequence[URLMatch]], str] | None" = None
    """The function that formats matches, in any process; `None` if the writer has to have the matches."""

    reject: "Callable[[Rejected], object] | None" = None
    """The function that writes a rejected candidate; `None` if the writer has no place for them."""

    row_maker: "Callable[[str | None, Query], Any] | None" = None
    """What collects rows, if the writer makes a database; see `urlmend.reading.Job`."""

    def watched(self, file: "PeekableFile") -> "PeekableFile":
        """Return the file to read instead of *file*: itself, unless the writer has to see the text."""
        return file

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name* (`None`: standard input)."""

    def write(self, found: Any, /) -> None:  # noqa: ANN401 -- `Matches`
        """Write what was *found* next in the file.

        It is a list of matches or, if `self.lines` has formatted them, their lines.
        """

    def end_file(self, name: str | None, count: int) -> None:
        """End the file called *name*, in which *count* URLs were found."""

    def close(self) -> None:
        """Write whatever is left."""


Format: TypeAlias = "TextFormat | RecordFormat"
"""A format in which matches, and rows of other values, are lines of text.

It can be pickled, so that worker processes can format too.
"""


class LineWriter(Writer):
    """Writes matches and rows to *out* as lines in *line_format*. Nothing is written before the first line."""

    def __init__(self, out: TextIO, line_format: Format) -> None:
        self.lines = line_format.lines
        self._format = line_format
        self._out = out
        self._head = line_format.head

    def write(self, found: Any, /) -> None:  # noqa: ANN401 -- as above
        """Write the lines of what was *found*."""
        self._write(self._format.lines(found) if isinstance(found, list) else found.text)

    def write_row(self, values: Mapping[str, object]) -> None:
        """Write *values*, by the names of their columns."""
        self._write(self._format.row(values))

    def close(self) -> None:
        """Write the head if no line was written, and flush."""
        self._write("")
        self._out.flush()

    def _write(self, text: str) -> None:
        self._out.write(self._head + text)
        self._head = ""
