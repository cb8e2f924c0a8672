"""The recipes for other engines in docs/: each gives the rows of `extract_batches`.

Each runs as a script, because an engine has threads and warnings of its own.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cases import CASES
from documents import DOCS

pa: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")

from urlmend.arrow import extract_batches, schema_for  # noqa: E402 -- skipped without pyarrow

RECIPES: dict[str, str] = dict(
    re.findall(
        r"<!-- engine: (\w+) -->\n```python\n(.*?)\n```",
        (DOCS / "how-to" / "engines.md").read_text("utf-8"),
        re.DOTALL,
    )
)
COMMON = RECIPES.pop("common")

QUIET = dict.fromkeys(("RAY_USAGE_STATS_ENABLED", "DAFT_ANALYTICS_ENABLED", "DAFT_PROGRESS_BAR"), "0")
"""Nothing uses the network."""

pytestmark = pytest.mark.slow


def test_there_are_recipes() -> None:
    assert set(RECIPES) == {"ray", "daft", "polars", "duckdb"}


# Ray starts a cluster, which took 107 s on two busy processors.
@pytest.mark.timeout(330)
@pytest.mark.parametrize("engine", RECIPES)
def test_recipe(engine: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed: pip install 'urlmend[engines]'")
    texts = [None, *(case.text for case in CASES.values()), "", "nothing: here"]
    table = pa.table({"id": range(len(texts)), "text": texts})
    parquet.write_table(table, tmp_path / "texts.parquet", row_group_size=100)
    script = tmp_path / "recipe.py"
    script.write_text(f"{COMMON}\n\n{RECIPES[engine]}\n", "utf-8")
    env = {**os.environ, **QUIET, "RAY_AUTH_MODE": "disabled", "HOME": str(tmp_path)}
    done = subprocess.run(  # noqa: S603 -- the page's own
        [sys.executable, script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    expected = pa.Table.from_batches(extract_batches(table.to_batches()), schema_for(table.schema))
    found = parquet.read_table(tmp_path / "urls.parquet")
    assert found.column_names == expected.column_names
    assert found.sort_by([("id", "ascending"), ("start", "ascending")]).to_pylist() == expected.to_pylist()
