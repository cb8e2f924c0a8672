"""The samples of corpora/, and which cases of a table run by default."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

SAMPLES = sorted(path for path in (Path(__file__).parents[1] / "corpora" / "samples").rglob("*") if path.is_file())
SMALL = [path for path in SAMPLES if path.stat().st_size < 50_000]


def some(cases: Iterable[Any], each: int = 4) -> list[Any]:
    """Return the *cases*, rows or single values: every fourth, or so, runs by default, and the rest is marked slow."""
    rows = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*row, marks=pytest.mark.slow if n % each else ()) for n, row in enumerate(rows)]
