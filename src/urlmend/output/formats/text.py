"""Text: one URL a line, with grep's prefixes; or one count a file, or its name, or nothing."""

from typing import TYPE_CHECKING, TextIO

from urlmend.output.colours import PLAIN, Colours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlmend.match import URLMatch

STANDARD_INPUT = "(standard input)"
"""What standard input is called where a file name is printed, as in grep."""


class TextWriter:
    r"""Writes each URL to *out* on a line of its own: `file:line:offset:url`, with the prefixes asked for.

    The offset is the match's `start`: in bytes from 0 for a binary file. With *readings*, each further reading of a URL
    follows on a line of its own: a tab, then the reading, without prefixes. Every line ends with *end*: `"\n"`, or
    `"\0"` for programs such as `xargs -0`. *colours* tell the parts of a line apart.
    """

    def __init__(  # noqa: PLR0913 -- one argument an option
        self,
        out: TextIO,
        *,
        file_name: bool = False,
        line: bool = False,
        offset: bool = False,
        readings: bool = False,
        end: str = "\n",
        colours: Colours = PLAIN,
    ) -> None:
        self._out = out
        self._file_name = file_name
        self._line = line
        self._offset = offset
        self._readings = readings
        self._end = end
        self._colours = colours

    def write(self, match: "URLMatch") -> None:
        """Write the line of *match*, and those of its further readings."""
        self._out.write(self._lines(match))

    def write_all(self, matches: "Sequence[URLMatch]") -> None:
        """Write *matches* as `write` does, at once."""
        if self._file_name or self._line or self._offset or self._readings or self._colours is not PLAIN:
            self._out.write("".join(map(self._lines, matches)))
        else:
            self._out.write("".join([f"{match.url}{self._end}" for match in matches]))

    def _lines(self, match: "URLMatch") -> str:
        colours = self._colours
        colon = f"{colours.separator}:{colours.end}"
        prefix = ""
        if self._file_name:
            prefix = f"{colours.file}{match.origin.source or STANDARD_INPUT}{colours.end}{colon}"
        if self._line:
            prefix += f"{colours.number}{match.line}{colours.end}{colon}"
        if self._offset:
            prefix += f"{colours.number}{match.start}{colours.end}{colon}"
        others = match.readings[1:] if self._readings else ()
        further = "".join(f"\t{reading}{self._end}" for reading in others)
        return f"{prefix}{colours.url}{match.url}{colours.end}{self._end}{further}"

    def end_file(self, source: str | None) -> None:
        """Do nothing: files follow each other without a mark."""

    def close(self) -> None:
        """Flush."""
        self._out.flush()


class CountWriter:
    """Writes the number of URLs of each file to *out*: `count`, or `file:count` with *file_name*; ended by *end*."""

    def __init__(self, out: TextIO, *, file_name: bool = False, end: str = "\n", colours: Colours = PLAIN) -> None:
        self._out = out
        self._file_name = file_name
        self._end = end
        self._colours = colours
        self._count = 0

    def write(self, match: "URLMatch") -> None:  # noqa: ARG002 -- a match is counted, whatever it is
        """Count one URL."""
        self._count += 1

    def end_file(self, source: str | None) -> None:
        """Write the count of the file that ends here, also when it is 0."""
        colours = self._colours
        prefix = ""
        if self._file_name:
            name = source or STANDARD_INPUT
            prefix = f"{colours.file}{name}{colours.end}{colours.separator}:{colours.end}"
        self._out.write(f"{prefix}{self._count}{self._end}")
        self._count = 0

    def close(self) -> None:
        """Flush."""
        self._out.flush()


class NameWriter:
    """Writes the name of each file that has URLs to *out*, as soon as it is known; ended by *end*."""

    def __init__(self, out: TextIO, *, end: str = "\n", colours: Colours = PLAIN) -> None:
        self._out = out
        self._end = end
        self._colours = colours
        self._written = False

    def write(self, match: "URLMatch") -> None:
        """Write the name of the file of *match*, once."""
        if not self._written:
            name = match.origin.source or STANDARD_INPUT
            self._out.write(f"{self._colours.file}{name}{self._colours.end}{self._end}")
        self._written = True

    def end_file(self, source: str | None) -> None:  # noqa: ARG002 -- the matches know it
        """Note that the next match is of another file."""
        self._written = False

    def close(self) -> None:
        """Flush."""
        self._out.flush()


class QuietWriter:
    """Writes nothing: the exit status tells."""

    def write(self, match: "URLMatch") -> None:
        """Do nothing."""

    def end_file(self, source: str | None) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
