"""Text: one URL a line, with grep's prefixes; or one count a file, or its name, or nothing."""

from typing import TYPE_CHECKING, TextIO

from urlmend.output.layout import BARE, Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlmend.match import URLMatch
    from urlmend.output import RowWriter


class TextWriter:
    """Writes each URL to *out* on a line of its own: `file:line:offset:url`, as *layout* says.

    The offset is the match's `start`: for a binary file in bytes, from 0.
    """

    def __init__(self, out: TextIO, layout: Layout = BARE) -> None:
        self._out = out
        self._layout = layout
        self._bare = layout.is_bare

    def write(self, match: "URLMatch") -> None:
        """Write the line of *match*, and those of its further readings."""
        self._out.write(self._lines(match))

    def write_all(self, matches: "Sequence[URLMatch]") -> None:
        """Write *matches* as `write` does, at once."""
        if self._bare:
            end = self._layout.end
            self._out.write("".join([f"{match.url}{end}" for match in matches]))
        else:
            self._out.write("".join(map(self._lines, matches)))

    def _lines(self, match: "URLMatch") -> str:
        layout = self._layout
        prefixes = (
            layout.name(match.origin.source) if layout.file_name else "",
            layout.number(match.line) if layout.line else "",
            layout.number(match.start) if layout.offset else "",
        )
        prefix = "".join(f"{prefix}{layout.colon}" for prefix in prefixes if prefix)
        others = match.readings[1:] if layout.readings else ()
        further = "".join(f"\t{layout.shown(reading)}{layout.end}" for reading in others)
        return f"{prefix}{layout.url(layout.counted.text(match))}{layout.end}{further}"

    def end_file(self, source: str | None) -> None:
        """Do nothing: files follow each other without a mark."""

    def close(self) -> None:
        """Flush."""
        self._out.flush()


class CountWriter:
    """Writes the number of URLs of each file to *out*: `count`, or `file:count`, as *layout* says.

    Files that are *named* have their names in any case. With *rows*, each is a row of a table, `source` and `count`.
    """

    def __init__(
        self,
        out: TextIO,
        layout: Layout = BARE,
        rows: "RowWriter | None" = None,
        named: "Callable[[str | None], bool]" = lambda _: False,
    ) -> None:
        self._out = out
        self._named = named
        self._layout = layout
        self._rows = rows
        self._count = 0

    def write(self, match: "URLMatch") -> None:  # noqa: ARG002 -- every match counts
        """Count one URL."""
        self._count += 1

    def end_file(self, source: str | None) -> None:
        """Write the count of the file that ends here, also when it is 0."""
        layout = self._layout
        if self._rows:
            self._rows.write_row({"source": source, "count": self._count})
        else:
            prefix = f"{layout.name(source)}{layout.colon}" if layout.file_name or self._named(source) else ""
            self._out.write(f"{prefix}{self._count}{layout.end}")
        self._count = 0

    def close(self) -> None:
        """Flush."""
        (self._rows.close if self._rows else self._out.flush)()


class NameWriter:
    """Writes the name of each file that has URLs to *out*, at its first URL."""

    def __init__(self, out: TextIO, layout: Layout = BARE) -> None:
        self._out = out
        self._layout = layout
        self._written = False

    def write(self, match: "URLMatch") -> None:
        """Write the name of the file of *match*, once."""
        if not self._written:
            self._out.write(f"{self._layout.name(match.origin.source)}{self._layout.end}")
        self._written = True

    def end_file(self, source: str | None) -> None:  # noqa: ARG002 -- the matches have the name
        """Note that the next match is of another file."""
        self._written = False

    def close(self) -> None:
        """Flush."""
        self._out.flush()


class QuietWriter:
    """Writes nothing: the exit status is the answer."""

    def write(self, match: "URLMatch") -> None:
        """Do nothing."""

    def end_file(self, source: str | None) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
