"""Text: one URL a line, with the prefixes of grep; file names and counts as text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from urlmend.match import URLMatch
from urlmend.output.files import STANDARD_INPUT
from urlmend.output.terminal import PLAIN, Colours, on_one_line

ABSENT = "-"
"""Is printed in place of an absent host, date and so on."""


def url_of(match: URLMatch, *, unwrap: bool) -> str:
    """Return the URL of *match*; with *unwrap* the address inside it, if it wraps one."""
    return (match.target if unwrap else None) or match.url


class TextFormat(NamedTuple):
    r"""Lines of text, each with one URL: `file:line:offset:url`.

    `file_name`, `line` and `offset` say which prefixes a line has. The offset is the match's `start`: in a binary file,
    bytes from 0. With `readings`, each further reading of a URL follows on a line of its own. Lines end with `end`:
    `"\n"`, or `"\0"` for programs such as `xargs -0`. With `escaped`, control characters in names and URLs are written
    as escapes, for people at a terminal; programs get them unchanged. With `unwrap`, the address inside a URL is
    written instead of the URL. `names_count` says whether the count of a file has its name before it. `head` is the
    text before the first line.
    """

    file_name: bool = False
    line: bool = False
    offset: bool = False
    readings: bool = False
    end: str = "\n"
    colours: Colours = PLAIN
    escaped: bool = False
    unwrap: bool = False
    names_count: Callable[[str | None], bool] | None = None
    head: str = ""

    def lines(self, matches: Sequence[URLMatch]) -> str:
        """Return the lines of *matches* and of their further readings."""
        return "".join(map(self._lines, matches))

    def _lines(self, match: URLMatch) -> str:
        lines = self.url(url_of(match, unwrap=self.unwrap)) + self.end
        if self.file_name or self.line or self.offset:
            lines = self.prefix(match.origin.source, match.line, match.start, ":") + lines
        if self.readings:
            lines += "".join(f"\t{self.shown(reading)}{self.end}" for reading in match.readings[1:])
        return lines

    def row(self, values: Mapping[str, object]) -> str:
        """Return a row as a line: a count and values, with tabs; or the name of a file, its count, or both."""
        if "source" not in values:
            *counted, count = values.values()
            shown = [ABSENT if value is None else on_one_line(str(value)) for value in counted]
            return "\t".join([str(count), *shown]) + self.end
        source: Any = values["source"]
        name, count = self.name(source), values.get("count")
        if count is None:
            return f"{name}{self.end}"
        named = self.names_count is not None and self.names_count(source)
        prefix = name + self.colours.paint("separator", ":") if named else ""
        return f"{prefix}{count}{self.end}"

    def prefix(self, source: str | None, line: int, offset: int, sign: str) -> str:
        """Return the prefixes of a line of the file *source*, with *sign* after each."""
        paint = self.colours.paint
        prefixes = (
            self.file_name and self.name(source),
            self.line and paint("number", str(line)),
            self.offset and paint("number", str(offset)),
        )
        separator = paint("separator", sign)
        return "".join(f"{prefix}{separator}" for prefix in prefixes if prefix)

    def name(self, source: str | None) -> str:
        """Return the name of the file *source* in its colour."""
        return self.colours.paint("file", self.shown(source or STANDARD_INPUT))

    def url(self, url: str) -> str:
        """Return *url* in its colour."""
        return self.colours.paint("url", self.shown(url))

    def shown(self, text: str) -> str:
        """Return *text*, a name or a URL, as it is written."""
        return on_one_line(text) if self.escaped else text
