"""Counts: how many URLs of each host, scheme, ... there are."""

from typing import TYPE_CHECKING, TextIO

from urlmend.cli.selection import host_of
from urlmend.cli.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from urlmend.match import URLMatch

NONE = "-"
"""What stands for the host of a URL without one, and for the departure of a URL that has none."""

KEYS: "Mapping[str, Callable[[URLMatch], Sequence[str]]]" = {
    "url": lambda match: (match.url,),
    "host": lambda match: (host_of(match) or NONE,),
    "scheme": lambda match: (match.parts.scheme.lower(),),
    "departure": lambda match: match.departures or (NONE,),
    "form": lambda match: (match.form,),
}
"""What URLs can be counted by, and what each counts for; one with several departures counts for each."""


class CountByWriter:
    """Writes `count`, a tab, and what was counted to *out*, once all is read: the most frequent first."""

    def __init__(self, out: TextIO, by: str, *, end: str = "\n") -> None:
        self._out = out
        self._keys = KEYS[by]
        self._end = end
        self._tally = Tally()

    def write(self, match: "URLMatch") -> None:
        """Count *match*."""
        for key in self._keys(match):
            self._tally.add(key)

    def end_file(self, source: str | None) -> None:
        """Do nothing: all files are counted together."""

    def close(self) -> None:
        """Write the counts."""
        self._out.writelines(f"{count}\t{text}{self._end}" for text, count in self._tally.counts())
        self._out.flush()
        self._tally.close()
