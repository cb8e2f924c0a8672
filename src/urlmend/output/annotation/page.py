"""The page that is asked for: text for a terminal, or HTML."""

from typing import TextIO

from urlmend.output.annotation.html import HtmlPage
from urlmend.output.annotation.terminal import TerminalPage
from urlmend.output.colours import Colours
from urlmend.output.layout import STANDARD_INPUT


def page_for(
    out: TextIO, kind: str, paths: tuple[str, ...], colours: Colours, *, unwrap: bool = False
) -> TerminalPage | HtmlPage:
    """Return the page of *kind*, `text` or `html`, for the files at *paths*; with *unwrap*, it tells the targets."""
    several = len(paths) > 1
    if kind == "html":
        first = STANDARD_INPUT if paths[0] == "-" else paths[0]
        title = f"{first} and {len(paths) - 1} more" if several else first
        return HtmlPage(out, title, several=several, unwrap=unwrap)
    return TerminalPage(out, colours=colours, several=several, unwrap=unwrap)
