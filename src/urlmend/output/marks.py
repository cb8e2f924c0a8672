"""The marks in annotated text: where a URL was joined, and how sure that is."""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from urlmend.output.terminal import harmless
from urlmend.text.line_ends import LINE_END

if TYPE_CHECKING:
    from urlmend.match import Break, URLMatch

LINE_JOINT, JOINT = "\u23ce", "\u2423"
"""The marks of a place where a URL was joined: over a line end, and over blanks."""

SURE = 0.9
"""URLs of less confidence are marked as doubtful. Of the others, at least 97 in 100 are right."""


def stretches(url: str, raw: str, breaks: Iterable["Break"]) -> Iterator[tuple[str, bool]]:
    r"""Yield the stretches of *raw* in order, each with whether it was removed from *url* at one of the *breaks*.

    >>> from urlmend import find_urls
    >>> match = find_urls("<http://a.example/b\n  c>")[0]
    >>> list(stretches(match.url, match.raw, match.breaks))
    [('http://a.example/b', False), ('\n  ', True), ('c', False)]
    """
    pos = 0  # in the URL
    found: list[tuple[str, bool]] = []
    for at, removed, _, inserted in breaks:
        found += [(url[pos:at], False), (removed, True)]
        pos = at + len(inserted)
    found.append((url[pos:], False))
    # The *raw* of a decoded text may be encoded lines, whose stretches are not known.
    if "".join(text for text, _ in found) != raw:
        found = [(raw, False)]
    yield from (stretch for stretch in found if stretch[0])


def marked(match: "URLMatch") -> Iterator[tuple[str, str]]:
    """Yield the stretches of *match*, each with the mark of what was removed; those of the URL itself have none."""
    for text, removed in stretches(match.url, match.raw, match.breaks):
        yield text, (LINE_JOINT if LINE_END.search(text) else JOINT) if removed else ""


def clean(text: str) -> str:
    """Return *text* with line feeds as line ends, and with control characters made visible."""
    return harmless(LINE_END.sub("\n", text))


def percent(confidence: float) -> str:
    """Return *confidence* in per cent, rounded down: only certainty is 100%.

    >>> percent(0.996), percent(0.07), percent(1.0)
    ('99%', '7%', '100%')
    """
    return f"{math.floor(confidence * 100 + 1e-9)}%"
