"""Every family of hostile texts in small: the right number of URLs, and the same however the text is cut."""

from io import BytesIO

import pytest
from benchmarks.hostile.__main__ import count
from benchmarks.hostile.families import FAMILIES, PIECE, Stream

from urlmend import Scanner

SIZES = (1, 2 * PIECE + 1)


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name: str) -> None:
    """As many URLs are found as there are; fed in pieces of an odd size, as many again."""
    family = FAMILIES[name]
    for size in SIZES:
        pieces = list(family.pieces(size))
        data = b"".join(piece.data for piece in pieces)
        found = count(BytesIO(data))
        assert family.any_number or found == sum(piece.urls for piece in pieces)
        scanner = Scanner()
        fed = sum(len(scanner.feed(data[at : at + 9973])) for at in range(0, len(data), 9973))
        assert fed + len(scanner.close()) == found


@pytest.mark.parametrize("name", FAMILIES)
def test_stream(name: str) -> None:
    """A family read as it is made is the same text."""
    pieces = FAMILIES[name].pieces(2 * PIECE)
    stream = Stream(FAMILIES[name].pieces(2 * PIECE))
    assert b"".join(iter(lambda: stream.read(7001), b"")) == b"".join(piece.data for piece in pieces)


@pytest.mark.parametrize("name", FAMILIES)
def test_sizes(name: str) -> None:
    """A family's text is as long as it is asked to be, but for its unit."""
    sizes = [sum(len(piece.data) for piece in FAMILIES[name].pieces(size)) for size in (1, 1_000_000, 2_000_000)]
    assert sizes[2] - sizes[0] > 1.3 * (sizes[1] - sizes[0])
