"""The stretches of a match: those of the URL, and those that were taken out where it was joined."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urlmend.match import Break, URLMatch


def stretches(match: "URLMatch") -> Iterator[tuple[str, bool]]:
    r"""Yield the stretches of `match.raw` in order, each with whether it was taken out.

    >>> from urlmend import find_urls
    >>> list(stretches(find_urls("<http://a.example/b\n  c>")[0]))
    [('http://a.example/b', False), ('\n  ', True), ('c', False)]
    """
    yield from parted(match.url, match.raw, match.breaks)


def parted(url: str, raw: str, breaks: Iterable["Break"]) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of a match with this *url*, *raw* and *breaks*, as `stretches` does."""
    pos = 0  # in the URL
    found: list[tuple[str, bool]] = []
    for at, removed, _, inserted in breaks:
        found += [(url[pos:at], False), (removed, True)]
        pos = at + len(inserted)
    found.append((url[pos:], False))
    # In a decoded text, *raw* may be encoded lines. Their stretches are not known.
    if "".join(text for text, _ in found) != raw:
        found = [(raw, False)]
    yield from (stretch for stretch in found if stretch[0])
