"""The files that the documents for contributors name exist."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
NAMED = re.compile(r"(?<![\w./])((?:src|tests|docs|benchmarks|\.ci)/[\w./-]*\w)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_are_named_are_there(document: Path) -> None:
    named = NAMED.findall(document.read_text("utf-8"))
    assert len(named) > 3
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_they_have_no_addresses() -> None:
    for document in DOCUMENTS:
        assert not re.search(r"https?://|[\w.]+@[\w.]+", document.read_text("utf-8"))


def test_extras_that_are_named_are_there() -> None:
    there = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    files = [ROOT / "CONTRIBUTING.md", ROOT / "Dockerfile", *(ROOT / ".github/workflows").iterdir()]
    named = {
        extra
        for file in files
        for extras in re.findall(r"\[([a-z,]+)\][\"']", file.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert named >= {"dev", "docs", "report", "test"}
    assert named <= there.keys()
