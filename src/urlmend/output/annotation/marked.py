"""What is marked in annotated text: where a URL was joined, and how sure that is."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from urlmend.output.marks import stretches
from urlmend.output.terminal import harmless
from urlmend.text.line_ends import LINE_END

if TYPE_CHECKING:
    from urlmend.match import URLMatch

LINE_JOINT, JOINT = "\u23ce", "\u2423"
"""The marks of a place where a URL was joined: over a line end, and over blanks."""

SURE = 0.9
"""A URL of less confidence is marked as doubtful: of those at and above it, at least 97 in 100 are right."""


def clean(text: str) -> str:
    """Return *text* with line feeds for its line ends, and control characters made visible."""
    return harmless(LINE_END.sub("\n", text))


def marked(match: "URLMatch") -> Iterator[tuple[str, str]]:
    """Yield the stretches of *match*, each with the mark of what was removed; the URL's own stretches have none."""
    for text, removed in stretches(match):
        yield text, (LINE_JOINT if LINE_END.search(text) else JOINT) if removed else ""


def percent(confidence: float) -> str:
    """Return *confidence* in per cent, rounded down: what is not certain is not called so.

    >>> percent(0.996), percent(0.07), percent(1.0)
    ('99%', '7%', '100%')
    """
    return f"{math.floor(confidence * 100 + 1e-9)}%"
