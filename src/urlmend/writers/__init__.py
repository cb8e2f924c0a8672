"""Writers: what becomes of the matches, one module a format.

A writer is made with its destination and its options, gets every match in order, and hears where each file ends.
"""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from urlmend.matches import URLMatch


class Writer(Protocol):
    """Writes matches in one format."""

    def write(self, match: "URLMatch") -> None:
        """Write *match*; the one before it in its file was written before it."""

    def end_file(self, source: str | None) -> None:
        """Note that the file called *source* (`None`: standard input) has been read to its end."""

    def close(self) -> None:
        """Finish: nothing more will be written. The destination stays open: its owner closes it."""
