"""How lines of text are made up: what stands before a URL, and how names and URLs are shown."""

from typing import NamedTuple

from urlmend.output.colours import PLAIN, Colours
from urlmend.output.counted import AS_IT_IS, Counted
from urlmend.output.display import on_one_line

STANDARD_INPUT = "(standard input)"
"""What standard input is called where a file name is printed, as in grep."""


class Layout(NamedTuple):
    r"""What a line consists of.

    Before a URL stand the prefixes that are asked for: `file_name`, `line`, `offset`. With `readings`, each further
    reading of a URL follows on a line of its own. A line ends with `end`: `"\n"`, or `"\0"` for programs such as
    `xargs -0`. `colours` tell the parts of a line apart. Where `escaped`, names and URLs are written with escapes for
    their control characters: a person reads them on a terminal. Programs get them as they are.
    `counted` says which URL is written for a match.
    """

    file_name: bool = False
    line: bool = False
    offset: bool = False
    readings: bool = False
    end: str = "\n"
    colours: Colours = PLAIN
    escaped: bool = False
    counted: Counted = AS_IT_IS

    @property
    def is_bare(self) -> bool:
        """Whether a line is the URL as it is, and its end."""
        return self._replace(end="\n") == BARE

    def name(self, source: str | None) -> str:
        """Return the name of the file *source*, in its colour."""
        return f"{self.colours.file}{self.shown(source or STANDARD_INPUT)}{self.colours.end}"

    def number(self, number: int) -> str:
        """Return a line's number or an offset, in its colour."""
        return f"{self.colours.number}{number}{self.colours.end}"

    def url(self, url: str) -> str:
        """Return *url*, in its colour."""
        return f"{self.colours.url}{self.shown(url)}{self.colours.end}"

    @property
    def colon(self) -> str:
        """What stands between two prefixes."""
        return f"{self.colours.separator}:{self.colours.end}"

    def shown(self, text: str) -> str:
        """Return *text*, a name or a URL, as it is written."""
        return on_one_line(text) if self.escaped else text


BARE = Layout()
"""One URL a line and nothing else."""
