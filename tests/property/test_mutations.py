"""Mutations of mail, through every source and in short reads; `python tests/fuzz/mutations.py` runs more."""

import pytest

from fuzz.mutations import findings, originals


def test_a_few_mutations() -> None:
    assert list(findings(originals(), "default", range(60))) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_more_mutations(seed: int) -> None:
    assert list(findings(originals(), f"slow {seed}", range(500))) == []
