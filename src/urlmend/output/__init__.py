"""Writers: what becomes of the matches, one module a format.

A writer is made with its destination and its options. It gets every match in order and is told where each file ends.
"""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlmend.match import Rejected, URLMatch
    from urlmend.query import Query


class Writer(Protocol):
    """Writes matches in one format."""

    def write(self, match: "URLMatch") -> None:
        """Write *match*; the matches before it in its file have been written."""

    def end_file(self, source: str | None) -> None:
        """Note that the file called *source* (`None`: standard input) has been read to its end."""

    def close(self) -> None:
        """Finish: nothing more will be written. The destination stays open: its owner closes it."""


class RowWriter(Protocol):
    """Writes rows of a table, of values under the same names."""

    def write_row(self, values: dict[str, object]) -> None:
        """Write *values* as a row."""

    def close(self) -> None:
        """Finish: nothing more will be written. The destination stays open: its owner closes it."""


@runtime_checkable
class ReadingWriter(Writer, Protocol):
    """A writer that also writes text from around the matches: it reads the files itself."""

    def urls(
        self,
        file: Any,  # noqa: ANN401 -- any object with read(n)
        query: "Query",
        rejected: "Callable[[Rejected], object] | None",
    ) -> "Iterator[URLMatch]":
        """Yield the URLs of *file*, which has a `name`."""
