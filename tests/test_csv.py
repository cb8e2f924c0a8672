"""CSV and TSV: the JSONL record's fields, in files that other programs read."""

import csv
import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from urlmend import Origin, find_urls
from urlmend.cli import main
from urlmend.output import LineWriter
from urlmend.output.record import NAMES
from urlmend.output.tables import CsvFormat, TsvFormat

TEXT = 'See <URL:http://a.example/b-\n\tc> and "http://ü.example/x,y\\z", or (news:a%b)\n'


def run(*args: str, stdin: str = TEXT) -> Result:
    return CliRunner().invoke(main, args, input=stdin)


def records() -> list[dict[str, object]]:
    return [json.loads(line) for line in run("--format", "jsonl").stdout.splitlines()]


def test_csv_has_the_fields_of_the_record() -> None:
    result = run("--format", "csv")
    assert result.exit_code == 0
    header, *lines = csv.reader(io.StringIO(result.stdout_bytes.decode(), newline=""), strict=True)
    assert tuple(header) == NAMES == tuple(records()[0])
    assert len(lines) == len(records()) > 1
    for line, values in zip(lines, records(), strict=True):
        for text, value in zip(line, values.values(), strict=True):
            if isinstance(value, str):
                assert text == value
            else:
                assert text == ("" if value is None else json.dumps(value, ensure_ascii=False))


def test_a_line_of_tsv_is_a_record() -> None:
    header, *lines = run("--format", "tsv").stdout_bytes.decode().removesuffix("\n").split("\n")
    assert header.split("\t") == list(NAMES)
    assert len(lines) == len(records())
    column = NAMES.index("raw")
    assert [line.count("\t") for line in lines] == [len(NAMES) - 1] * len(lines)
    assert lines[0].split("\t")[column] == "http://a.example/b-\\n\\tc"
    breaks = lines[0].split("\t")[NAMES.index("breaks")]
    assert json.loads(breaks.replace("\\\\", "\\")) == records()[0]["breaks"]


def test_half_a_surrogate_pair_is_an_escape(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9")  # noqa: PTH118 -- a name that is no text
    with open(path, "wb") as file:  # noqa: PTH123 -- as above
        file.write(b"http://a.example/")
    result = run("-r", "--format", "csv", str(tmp_path))
    assert "caf\\udce9" in result.stdout


@pytest.mark.parametrize("kind", ["text", "jsonl", "csv", "tsv"])
def test_output_goes_to_a_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "out"
    expected = run("--format", kind).stdout_bytes
    result = run("--format", kind, "-o", str(path))
    assert (result.stdout, result.stderr, result.exit_code) == ("", "", 0)
    assert path.read_bytes() == expected


def test_the_output_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("http://a.example/")
    result = run("-r", "-o", f"{tmp_path}/out", str(tmp_path))
    assert (result.stderr, result.exit_code) == ("", 0)
    assert (tmp_path / "out").read_text() == "http://a.example/\n"


def test_an_output_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    result = run("-o", f"{tmp_path}/none/out")
    assert (result.stderr, result.exit_code) == (f"urlmend: {tmp_path}/none/out: No such file or directory\n", 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("kind", ["text", "csv"])
def test_a_full_disk_is_told(kind: str) -> None:
    result = run("--format", kind, "-o", "/dev/full")
    assert (result.stderr, result.exit_code) == ("urlmend: write error: No space left on device\n", 2)


@pytest.mark.parametrize("option", ["-n", "-l", "-0"])
def test_the_options_of_text_are_refused(option: str) -> None:
    assert run("--format", "csv", option).exit_code == 2


# the cell, in CSV
FORMULAS = (
    ("=1+1", "'=1+1"),
    ("+1", "'+1"),
    ("-1", "'-1"),
    ("@SUM(A1)", "'@SUM(A1)"),
    ("\t=1", "'\t=1"),
    ("\r=1", "'\r=1"),
    ("http://a.example/=1", "http://a.example/=1"),
    (" =1", " =1"),
    ("'=1", "'=1"),
    ("", ""),
)


@pytest.mark.parametrize(("cell", "expected"), FORMULAS)
def test_no_cell_is_a_formula(cell: str, expected: str) -> None:
    (match,) = find_urls("http://a.example/")
    named = replace(match, origin=Origin(cell))
    for raw, written in ((False, expected), (True, cell)):
        out = io.StringIO(newline="")
        writer = LineWriter(out, CsvFormat(raw=raw))
        writer.write([named])
        writer.close()
        _, line = csv.reader(io.StringIO(out.getvalue(), newline=""), strict=True)
        assert line[NAMES.index("source")] == written
    out = io.StringIO()
    tabs = LineWriter(out, TsvFormat())
    tabs.write([named])
    tabs.close()
    assert out.getvalue().split("\n")[1].startswith(cell.replace("\t", "\\t").replace("\r", "\\r") + "\t")


def test_csv_raw_is_about_csv() -> None:
    assert "--csv-raw is about the cells of --format csv." in run("--format", "tsv", "--csv-raw").stderr
    assert run("--format", "csv", "--csv-raw").exit_code == 0
