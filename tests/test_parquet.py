"""Parquet: the JSONL record's fields under one schema."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from urlmend.cli import main
from urlmend.output.record import NAMES

parquet: Any = pytest.importorskip("pyarrow.parquet")
SAMPLES = Path(__file__).parents[1] / "corpora" / "samples"


def run(*args: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, args, input=stdin)


def test_rows_are_the_records(tmp_path: Path) -> None:
    from urlmend.output.arrow import RECORD  # noqa: PLC0415 -- skipped without pyarrow

    path = tmp_path / "links.parquet"
    result = run("-r", "--format", "parquet", "-o", str(path), str(SAMPLES))
    assert (result.stdout, result.stderr, result.exit_code) == ("", "", 0)
    table = parquet.read_table(path)
    assert table.schema.equals(RECORD)
    assert tuple(table.schema.names) == NAMES
    records = [json.loads(line) for line in run("-r", "--format", "jsonl", str(SAMPLES)).stdout.splitlines()]
    assert table.to_pylist() == records
    assert len(records) > 1200


def test_rows_are_written_in_groups(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    assert run("--format", "parquet", "-o", str(path), stdin="http://a.example/\n" * 25_000).exit_code == 0
    file = parquet.ParquetFile(path)
    assert (file.num_row_groups, file.metadata.num_rows) == (3, 25_000)


def test_of_nothing_there_is_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "links.parquet"
    assert run("--format", "parquet", "-o", str(path), stdin="nothing").exit_code == 1
    assert parquet.read_table(path).num_rows == 0


def test_half_a_surrogate_pair_is_an_escape(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9")  # noqa: PTH118 -- a name that is no text
    with open(path, "wb") as file:  # noqa: PTH123 -- as above
        file.write(b"http://a.example/")
    out = tmp_path / "out"
    run("--format", "parquet", "-o", str(out), os.fsdecode(path))
    assert parquet.read_table(out).column("source").to_pylist() == [f"{tmp_path}/caf\\udce9"]


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = run("--format", "parquet")
    assert (result.stdout, result.exit_code) == ("", 2)
    assert "-o FILE" in result.stderr
    monkeypatch.delitem(sys.modules, "urlmend.output.arrow", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("--format", "parquet", "-o", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert "pip install 'urlmend[parquet]'" in result.stderr
    assert not (tmp_path / "out").exists()
