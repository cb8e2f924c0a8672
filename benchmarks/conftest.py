"""Lets the benchmarks import each other, the generator of corpora/ and the BNF of tests/."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
