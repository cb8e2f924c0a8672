"""Text for people at a terminal: colours, and visible control characters."""

import os
import re
from typing import NamedTuple, TextIO

from urlmend.text.patterns import lazy_regex

MODES = ("auto", "always", "never")


_COLOURS = {
    "file": "35",
    "number": "32",
    "separator": "36",
    "url": "1;31",
    "joint": "1;33",
    "rejected": "9;34",
    "heading": "36",
}
"""The kinds of text and their colours, which are those of grep, as parameters of SGR (ECMA-48)."""


_WITH_LINKS = {
    "TERM": "alacritty|contour|foot|ghostty|kitty|wezterm",
    "TERM_PROGRAM": "ghostty|iTerm|vscode|WezTerm",
    "VTE_VERSION": "^(5[1-9]..|[6-9]...|.....)$",
    "WT_SESSION": ".",
}
"""Variables that terminals with hyperlinks set, and patterns for their values."""


class Colours(NamedTuple):
    """Whether output has colours, and whether its URLs are hyperlinks."""

    on: bool
    links: bool = False

    def paint(self, kind: str, text: str) -> str:
        """Return *text* in the colour of its *kind*."""
        return f"\33[{_COLOURS[kind]}m{text}\33[0m" if self.on else text


PLAIN = Colours(on=False)


def colours(mode: str, out: TextIO) -> Colours:
    """Return the colours for *out*: by *mode*, one of MODES, and for `auto` by the environment and the terminal.

    NO_COLOR (https://no-color.org) wins over FORCE_COLOR (https://force-color.org).
    """
    if mode == "auto":
        if os.environ.get("NO_COLOR"):
            mode = "never"
        elif os.environ.get("FORCE_COLOR") or (out.isatty() and os.environ.get("TERM") != "dumb"):
            mode = "always"
    return Colours(on=True, links=_has_links(out)) if mode == "always" else PLAIN


def _has_links(out: TextIO) -> bool:
    """Return whether *out* shows hyperlinks: FORCE_HYPERLINK decides, else whether the terminal is known to."""
    if forced := os.environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    return out.isatty() and any(re.search(known, os.environ.get(name, "")) for name, known in _WITH_LINKS.items())


# C0, DEL and C1; the line ends of Unicode; marks, embeddings, overrides and isolates of the bidirectional algorithm
# (UAX #9).
_LATER = "\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
CONTROLS = lazy_regex(f"[\0-\x1f{_LATER}]")
_WITHOUT_PICTURE = lazy_regex(f"[{_LATER}]")
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in b"\t\n"} | {0x7F: 0x2421}


def on_one_line(text: str) -> str:
    r"""Return *text* with its control characters, line ends among them, as escapes: for names and URLs.

    >>> print(on_one_line("a\nb\33[2J \u202ec"))
    a\nb\x1b[2J \u202ec
    """
    return CONTROLS.sub(_escape, text)


def harmless(text: str) -> str:
    r"""Return *text* with its control characters made visible; line feeds and tabs stay.

    >>> print(harmless("a\33[2J\n\u202ec"))
    a␛[2J
    \u202ec
    """
    return _WITHOUT_PICTURE.sub(_escape, text.translate(_PICTURES))


def _escape(control: re.Match[str]) -> str:
    return control[0].encode("unicode_escape").decode()
