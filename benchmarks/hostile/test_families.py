"""Every family of hostile texts and mail in small: the right number of URLs, and the same however they are cut."""

from io import BytesIO

import pytest
from benchmarks.hostile import documents, headers, mail_families
from benchmarks.hostile.compositions import Composition
from benchmarks.hostile.cost import FORMS, Cost, Limits, scan
from benchmarks.hostile.families import FAMILIES, ON_REQUEST, PIECE, Stream

from urlmend import Scanner, iter_urls

SIZES = (1, PIECE + 1)


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name: str) -> None:
    """Fed in pieces of an odd size, it has as many URLs as there are; `python -m benchmarks.hostile` reads it whole."""
    family = FAMILIES[name]
    for size in SIZES:
        pieces = list(family.pieces(size))
        data = b"".join(piece.data for piece in pieces)
        wanted = scan(BytesIO(data), "text") if family.any_number else sum(piece.urls for piece in pieces)
        scanner = Scanner()
        fed = sum(len(scanner.feed(data[at : at + 9973])) for at in range(0, len(data), 9973))
        assert fed + len(scanner.close()) == wanted


@pytest.mark.parametrize("name", ON_REQUEST)
def test_on_request(name: str) -> None:
    """The same of what is found on request."""
    data = b"".join(piece.data for piece in ON_REQUEST[name].pieces(9000))
    found = scan(BytesIO(data), f"text{FORMS}")
    assert ON_REQUEST[name].any_number or found == sum(piece.urls for piece in ON_REQUEST[name].pieces(9000))
    scanner = Scanner(schemeless=True, addresses=True)
    fed = sum(len(scanner.feed(data[at : at + 997])) for at in range(0, len(data), 997))
    assert fed + len(scanner.close()) == found


@pytest.mark.parametrize("name", FAMILIES)
def test_stream(name: str) -> None:
    """A family read as it is made is the same text."""
    pieces = FAMILIES[name].pieces(2 * PIECE)
    stream = Stream(FAMILIES[name].pieces(2 * PIECE))
    assert b"".join(iter(lambda: stream.read(7001), b"")) == b"".join(piece.data for piece in pieces)


@pytest.mark.parametrize("name", FAMILIES)
def test_sizes(name: str) -> None:
    """A family's text has the given length, to within a unit."""
    sizes = [sum(len(piece.data) for piece in FAMILIES[name].pieces(size)) for size in (1, 1_000_000, 2_000_000)]
    assert sizes[2] - sizes[0] > 1.3 * (sizes[1] - sizes[0])


class Short(BytesIO):
    """A file that gives at most 4096 bytes a read."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most *size* bytes, and few."""
        return super().read(min(size or 0, 4096))


@pytest.mark.parametrize("name", mail_families.FAMILIES)
def test_mail_family(name: str) -> None:
    """Short reads give the same result, and a family's file has about the given length."""
    data = mail_families.FAMILIES[name](20_000)
    assert 7_000 < len(data) < 50_000
    assert [str(one) for one in iter_urls(Short(data))] == [str(one) for one in iter_urls(BytesIO(data))]


@pytest.mark.parametrize("name", documents.FAMILIES)
def test_documents(name: str) -> None:
    """Short reads give the same result, and no small document is a fault."""
    data = documents.FAMILIES[name](40)
    assert [str(one) for one in iter_urls(Short(data))] == [str(one) for one in iter_urls(BytesIO(data))]


def test_compositions() -> None:
    """A composition is made of its seed and number alone, and the same is found in short reads."""
    compositions = [Composition.of("a", number) for number in range(40)]
    assert compositions == [Composition.of("a", number) for number in range(40)]
    assert {composition.kind for composition in compositions} == {"text", "fields", "MIME", "HTML"}
    for composition in compositions:
        data = composition.text(2000)
        assert [str(one) for one in iter_urls(Short(data))] == [str(one) for one in iter_urls(BytesIO(data))]


SLOPES: tuple[tuple[tuple[int, ...], tuple[float, ...], float, list[str]], ...] = (
    # sizes, seconds, the slope, and what is a fault of it where ordinary text takes 1 second for 4 MB
    ((1000, 2000, 4000), (1.0, 2.0, 4.0), 1.0, ["SLOW"]),
    ((1000, 2000, 4000), (1.0, 4.0, 16.0), 2.0, ["STEEP", "SLOW"]),
    ((10**6, 2 * 10**6, 4 * 10**6), (0.1, 0.2, 0.4), 1.0, []),
    ((10**6, 2 * 10**6, 4 * 10**6), (1e-4, 4e-4, 16e-4), 2.0, []),
)


@pytest.mark.parametrize(("sizes", "spent", "slope", "faults"), SLOPES)
def test_slope(sizes: tuple[int, ...], spent: tuple[float, ...], slope: float, faults: list[str]) -> None:
    """The slope is the power of growth; a text that takes no time worth measuring is not steep."""
    measured = Cost(sizes, spent, 0, ordinary=1 / 4e6)
    assert measured.slope == pytest.approx(slope)
    assert Limits(steepest=1.25, most=12, enough=0.1, rounds=0).faults(measured) == faults


def test_wrong_numbers_in_headers() -> None:
    """Nothing but `SourceError` is raised."""
    assert list(headers.findings("test", range(300))) == []
