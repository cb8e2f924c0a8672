"""Colours on a terminal, as grep has them."""

import os
from typing import NamedTuple, TextIO

MODES = ("auto", "always", "never")


class Colours(NamedTuple):
    """The escape sequences that begin each kind of text, and the one that ends it. They are empty without colours."""

    file: str = ""
    number: str = ""
    separator: str = ""
    url: str = ""
    joint: str = ""
    rejected: str = ""
    heading: str = ""
    end: str = ""


PLAIN = Colours()

COLOURED = Colours(
    file="\33[35m",
    number="\33[32m",
    separator="\33[36m",
    url="\33[1;31m",
    joint="\33[1;33m",
    rejected="\33[9;34m",
    heading="\33[36m",
    end="\33[0m",
)


def colours(mode: str, out: TextIO) -> Colours:
    """Return the colours for *out*: by *mode*, one of MODES, and for `auto` by the environment and the terminal.

    NO_COLOR (https://no-color.org) goes before FORCE_COLOR (https://force-color.org).
    """
    if mode == "auto":
        if os.environ.get("NO_COLOR"):
            mode = "never"
        elif os.environ.get("FORCE_COLOR") or (out.isatty() and os.environ.get("TERM") != "dumb"):
            mode = "always"
    return COLOURED if mode == "always" else PLAIN
