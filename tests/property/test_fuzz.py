"""The fuzzers, briefly: over their seeds, over what they found, and on mutated mail; to fuzz, see fuzz/README.md."""

from pathlib import Path

import pytest

from fuzz.fuzz import HARNESSES
from fuzz.mutations import findings, originals
from sample import some

FUZZ = Path(__file__).parents[1] / "fuzz"


def inputs(folder: str) -> list[str]:
    return sorted(f"{kind}/{path.name}" for kind in HARNESSES for path in (FUZZ / folder / kind).iterdir())


def run(folder: str, name: str) -> None:
    kind, _, file = name.partition("/")
    HARNESSES[kind]((FUZZ / folder / kind / file).read_bytes())


@pytest.mark.parametrize("name", inputs("seeds"))
def test_seed(name: str) -> None:
    run("seeds", name)


@pytest.mark.parametrize("name", inputs("found"))
def test_found(name: str) -> None:
    run("found", name)


@pytest.mark.parametrize(("seed", "count"), some([("default", 10), *((f"slow {n}", 150) for n in range(2))], 5))
def test_mutated_mail(seed: str, count: int) -> None:
    assert list(findings(originals(), seed, range(count))) == []
