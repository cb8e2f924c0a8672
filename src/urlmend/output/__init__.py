"""Writers: what becomes of the matches, one module a format.

A writer is made with its destination and its options, gets every match in order, and hears where each file ends.
"""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlmend.match import URLMatch


class Writer(Protocol):
    """Writes matches in one format."""

    def write(self, match: "URLMatch") -> None:
        """Write *match*; the one before it in its file was written before it."""

    def end_file(self, source: str | None) -> None:
        """Note that the file called *source* (`None`: standard input) has been read to its end."""

    def close(self) -> None:
        """Finish: nothing more will be written. The destination stays open: its owner closes it."""


@runtime_checkable
class ReadingWriter(Writer, Protocol):
    """A writer that writes of the text around the matches too: it reads the files itself."""

    def urls(self, file: Any, **asked: Any) -> "Iterator[URLMatch]":  # noqa: ANN401 -- any object with read(n)
        """Yield the URLs of *file*, which has a `name`; what is asked is as in `iter_urls`."""
