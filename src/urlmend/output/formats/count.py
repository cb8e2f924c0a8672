"""Counts: how many URLs of each host, scheme, ... there are."""

from typing import TYPE_CHECKING, TextIO

from urlmend.output.layout import BARE, Layout
from urlmend.output.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from urlmend.match import URLMatch

NONE = "-"
"""What stands for the host of a URL without one, and for the departure of a URL that has none."""


def host_of(match: "URLMatch") -> str:
    """Return the host of *match* as hosts are compared: in lower case, without the root's dot; empty without one."""
    return (match.parts.host or "").lower().rstrip(".")


KEYS: "Mapping[str, Callable[[URLMatch], Sequence[str]]]" = {
    "url": lambda match: (match.url,),
    "host": lambda match: (host_of(match) or NONE,),
    "scheme": lambda match: (match.parts.scheme.lower(),),
    "departure": lambda match: match.departures or (NONE,),
    "form": lambda match: (match.form,),
}
"""What URLs can be counted by, and what each counts for. A URL with several departures counts for each."""


class CountByWriter:
    """Writes a count, a tab, and what was counted to *out*, once all is read: the most frequent first.

    *by* is a key of KEYS (`ValueError` for another).
    """

    def __init__(self, out: TextIO, by: str, layout: Layout = BARE) -> None:
        if by not in KEYS:
            message = f"URLs are counted by one of {', '.join(KEYS)}, not by {by!r}"
            raise ValueError(message)
        self._out = out
        self._keys = KEYS[by]
        self._layout = layout
        self._tally = Tally()

    def write(self, match: "URLMatch") -> None:
        """Count *match*."""
        for key in self._keys(match):
            self._tally.add(key)

    def end_file(self, source: str | None) -> None:
        """Do nothing: all files are counted together."""

    def close(self) -> None:
        """Write the counts."""
        layout = self._layout
        self._out.writelines(f"{count}\t{layout.shown(text)}{layout.end}" for text, count in self._tally.counts())
        self._out.flush()
        self._tally.close()
