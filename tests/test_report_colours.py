"""The colours of a report's schemes: everyone can tell them apart, and from the paper.

Colour-blind sight is simulated with the matrices of Machado, Oliveira and Fernandes (2009), severity 1. Distances are
those of Oklab (Ottosson 2020) times 100: about 2 can just be seen. Contrast is that of WCAG 2.2, which asks for 3:1.
"""

import itertools
import math
import re
from importlib import resources

import pytest

Colour = tuple[float, float, float]

SIGHT = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def times(matrix: tuple[tuple[float, ...], ...], colour: Colour) -> Colour:
    first, second, third = (sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix)
    return first, second, third


def linear(written: str) -> Colour:
    shares = [int(written[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return red, green, blue


def distance(one: str, other: str, sight: str) -> float:
    seen = []
    for written in (one, other):
        red, green, blue = (min(1.0, max(0.0, part)) for part in times(SIGHT[sight], linear(written)))
        long, medium, short = (part ** (1 / 3) for part in times(LMS, (red, green, blue)))
        seen.append(times(OKLAB, (long, medium, short)))
    return 100 * math.dist(*seen)


def contrast(one: str, other: str) -> float:
    dark, light = sorted(times(((0.2126, 0.7152, 0.0722),) * 3, linear(written))[0] for written in (one, other))
    return (light + 0.05) / (dark + 0.05)


def palettes() -> list[tuple[str, list[str]]]:
    """Return the paper and the colours of the light page, and those of the dark one."""
    style = resources.files("urlmend.report").joinpath("page.css").read_text("utf-8")
    papers = re.findall(r"--paper: (#\w{6})", style)
    colours = re.findall(r"--series-\d: (#\w{6})", style)
    assert (len(papers), len(colours)) == (2, 12)
    return [(papers[0], colours[:6]), (papers[1], colours[6:])]


@pytest.mark.parametrize(("paper", "colours"), palettes(), ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_colours_can_be_told_apart(paper: str, colours: list[str], sight: str) -> None:
    near = [(a, b) for a, b in itertools.combinations([paper, *colours], 2) if distance(a, b, sight) < 8]
    assert near == []


@pytest.mark.parametrize(("paper", "colours"), palettes(), ids=["light", "dark"])
def test_colours_stand_out_from_the_paper(paper: str, colours: list[str]) -> None:
    assert [colour for colour in colours if contrast(colour, paper) < 3] == []


def test_the_measures() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert distance("#ffffff", "#000000", "normal") == pytest.approx(100, abs=0.1)
    assert distance("#ff0000", "#807000", "normal") > 3 * distance("#ff0000", "#807000", "protanopia") > 0
