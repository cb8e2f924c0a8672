"""Counts: how many URLs of each host, scheme, ... there are."""

from typing import TYPE_CHECKING, TextIO

from urlmend.output.counted import AS_IT_IS, Counted
from urlmend.output.layout import BARE, Layout
from urlmend.output.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from urlmend.grammar.urls import URL
    from urlmend.match import URLMatch
    from urlmend.output import RowWriter

NONE = "-"
"""What stands for the host of a URL without one, and for the departure of a URL that has none."""


def host_of(url: "URL") -> str:
    """Return the host of *url* as hosts are compared: in lower case, without the root's dot; empty without one."""
    return (url.host or "").lower().rstrip(".")


KEYS: "Mapping[str, Callable[[URLMatch, Counted], Sequence[str]]]" = {
    "url": lambda match, counted: (counted.key(match),),
    "host": lambda match, counted: (host_of(counted.url(match)) or NONE,),
    "scheme": lambda match, counted: (counted.url(match).scheme,),
    "departure": lambda match, _: match.departures or (NONE,),
    "form": lambda match, _: (match.form,),
}
"""What URLs can be counted by, and what each counts for. A URL with several departures counts for each."""


class CountByWriter:
    """Writes a count, a tab, and what was counted to *out*, once all is read: the most frequent first.

    *by* is a key of KEYS (`ValueError` for another). *counted* says which URLs count as one: the first is written.
    With *rows*, each is a row of a table, of *by* and `count`.
    """

    def __init__(
        self,
        out: TextIO,
        by: str,
        layout: Layout = BARE,
        counted: Counted = AS_IT_IS,
        rows: "RowWriter | None" = None,
    ) -> None:
        if by not in KEYS:
            message = f"URLs are counted by one of {', '.join(KEYS)}, not by {by!r}"
            raise ValueError(message)
        self._out = out
        self._keys = KEYS[by]
        self._counted = counted
        self._shown = counted.text if by == "url" and counted.normalize else None
        self._by = by
        self._layout = layout
        self._rows = rows
        self._tally = Tally()

    def write(self, match: "URLMatch") -> None:
        """Count *match*."""
        shown = self._shown and self._shown(match)
        for key in self._keys(match, self._counted):
            self._tally.add(key, shown)

    def end_file(self, source: str | None) -> None:
        """Do nothing: all files are counted together."""

    def close(self) -> None:
        """Write the counts."""
        layout = self._layout
        if self._rows:
            for text, count in self._tally.counts():
                self._rows.write_row({self._by: None if text == NONE else text, "count": count})
            self._rows.close()
        else:
            self._out.writelines(f"{count}\t{layout.shown(text)}{layout.end}" for text, count in self._tally.counts())
            self._out.flush()
        self._tally.close()
