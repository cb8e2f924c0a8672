"""Annotated text for a terminal."""

from typing import TYPE_CHECKING, TextIO

from urlmend.output.annotation.heading import Counts, Message, fields, heading, message_of
from urlmend.output.annotation.marked import SURE, clean, marked, percent
from urlmend.output.files import STANDARD_INPUT
from urlmend.output.terminal import PLAIN, Colours, on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlmend.match import Rejected, URLMatch
    from urlmend.output.annotation.weighed import WeighedEnd
    from urlmend.sources import Origin


class TerminalPage:
    """Writes text to *out* with its URLs in *colours*; without those, in brackets.

    A mark stands where a URL was joined, and behind it what was removed; behind a doubtful URL stands its confidence in
    per cent and a question mark, and with *unwrap*, behind an arrow, the address that a URL wraps. A rejected candidate
    is struck out.
    """

    def __init__(self, out: TextIO, *, colours: Colours = PLAIN, several: bool = False, unwrap: bool = False) -> None:
        self._out = out
        self._unwrap = unwrap
        self._several = several
        self._in_line = False
        self._colours = colours
        self._counts = Counts()
        self._message: Message | None = None
        brackets = ("\u27e6", "\u27e6\u2717", "\u27e7") if colours is PLAIN else ("", "", "")
        self._begin_url, self._begin_rejected, self._close = brackets

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name*."""
        if self._several:
            self._heading("\u2550\u2550", name or STANDARD_INPUT)

    def begin_text(self, origin: "Origin") -> None:
        """Begin the text of *origin*, with a heading where it is one of several; that of a message has its head."""
        parts = heading(origin)
        if parts:
            self._heading("\u2500\u2500", parts)
        begun, self._message = self._message, message_of(origin)
        if self._message != begun:
            colours = self._colours
            self._out.writelines(
                f"{colours.heading}   {name}: {on_one_line(value)}{colours.end}\n" for name, value in fields(origin)
            )

    def _heading(self, rule: str, text: str) -> None:
        colours = self._colours
        line = "\n" * self._in_line
        self._out.write(f"{line}{colours.heading}{rule} {on_one_line(text)} {rule}{colours.end}\n")
        self._in_line = False

    def text(self, text: str) -> None:
        """Write *text*."""
        if text:
            self._out.write(clean(text))
            self._in_line = not text.endswith(("\n", "\r"))

    def url(self, match: "URLMatch", ends: "Sequence[WeighedEnd]" = ()) -> None:  # noqa: ARG002 -- no room for them
        """Write the URL *match* as it stands."""
        self._counts.url(match)
        colours = self._colours
        shown = "".join(
            f"{colours.joint}{mark}{clean(text)}{colours.end}" if mark else f"{colours.url}{clean(text)}{colours.end}"
            for text, mark in marked(match)
        )
        doubt = f"{colours.joint}?{percent(match.confidence)}{colours.end}" if match.confidence < SURE else ""
        target = match.target if self._unwrap else None
        wraps = f" {colours.joint}\u2192{colours.end} {colours.url}{clean(target)}{colours.end}" if target else ""
        self._out.write(f"{self._begin_url}{shown}{doubt}{wraps}{self._close}")
        self._in_line = True

    def rejected(self, rejected: "Rejected", text: str) -> None:  # noqa: ARG002 -- a page of HTML says why
        """Write *text*, which is no URL."""
        self._counts.rejected()
        self._out.write(f"{self._begin_rejected}{self._colours.rejected}{clean(text)}{self._colours.end}{self._close}")
        self._in_line = True

    def close(self) -> None:
        """Write how many URLs there were."""
        self._heading("\u2550\u2550", str(self._counts))
        self._out.flush()
