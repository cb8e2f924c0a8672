"""The forms found on request: everywhere the same, and told apart from the others."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from urlmend import Scanner, find_urls, iter_urls
from urlmend.arrow import extract_batches
from urlmend.cli import main

TEXT = "see www.a.example/b and http://c.example, or write to jane@a.example\n"
FOUND = [
    ("schemeless", "http://www.a.example/b", "www.a.example/b"),
    ("bare", "http://c.example", "http://c.example"),
    ("address", "mailto:jane@a.example", "jane@a.example"),
]
OPTIONS = ("--schemeless", "--addresses")


@pytest.mark.parametrize(("schemeless", "addresses"), [(False, False), (True, False), (False, True), (True, True)])
def test_each_is_found_where_it_is_asked_for(schemeless: bool, addresses: bool) -> None:
    wanted = {"bare", *["schemeless"] * schemeless, *["address"] * addresses}
    expected = [one for one in FOUND if one[0] in wanted]
    scanner = Scanner(schemeless=schemeless, addresses=addresses)
    for matches in (
        find_urls(TEXT, schemeless=schemeless, addresses=addresses),
        find_urls(TEXT.encode(), schemeless=schemeless, addresses=addresses),
        list(iter_urls(io.StringIO(TEXT), schemeless=schemeless, addresses=addresses)),
        scanner.feed(TEXT) + scanner.close(),
    ):
        assert [(match.form, match.url, match.raw) for match in matches] == expected
        assert [TEXT[match.start : match.end] for match in matches] == [raw for _, _, raw in expected]


@pytest.mark.parametrize("kind", ["text", pytest.param("mbox", marks=pytest.mark.slow)])
def test_several_processes_find_the_same(tmp_path: Path, kind: str) -> None:
    message = f"From jane@a.example Mon Jan  1 00:00:00 2001\nSubject: b\n\n{TEXT}{'Some prose. ' * 600}\n\n"
    path = tmp_path / "file"
    path.write_text(message * 1500 if kind == "mbox" else (TEXT + "Some prose.\n" * 600) * 1500)
    expected = list(iter_urls(path, source=kind, schemeless=True, addresses=True))
    assert len({match.form for match in expected}) == 3
    assert list(iter_urls(path, source=kind, schemeless=True, addresses=True, jobs=2)) == expected


def test_every_format_tells_the_form(tmp_path: Path) -> None:
    forms = [form for form, _, _ in FOUND]
    path = tmp_path / "text"
    path.write_text(TEXT)
    jsonl = CliRunner().invoke(main, [*OPTIONS, "--format", "jsonl", str(path)]).stdout
    assert [json.loads(line)["form"] for line in jsonl.splitlines()] == forms
    rows = CliRunner().invoke(main, [*OPTIONS, "--format", "csv", str(path)]).stdout
    assert [row["form"] for row in csv.DictReader(io.StringIO(rows))] == forms
    batch = pa.record_batch({"id": [1], "text": [TEXT]})
    (found,) = extract_batches([batch], schemeless=True, addresses=True)
    assert found.column("form").to_pylist() == forms


def test_a_harvest_keeps_to_its_forms(tmp_path: Path) -> None:
    path, database = tmp_path / "text", tmp_path / "links.db"
    path.write_text(TEXT)
    assert CliRunner().invoke(main, ["harvest", str(path), "-o", str(database)]).exit_code == 0
    result = CliRunner().invoke(main, ["harvest", str(path), "-o", str(database), "--addresses"])
    assert result.exit_code == 2
    assert "was made without --addresses: take that, or harvest into a new file" in result.stderr


def test_explain_says_what_an_option_would_find() -> None:
    for text, hint in (
        ("www.a.example", "Put http:// before it; --schemeless finds it in text."),
        ("jane@a.example", "Put mailto: before it; --addresses finds it in text."),
        ("see jane@a.example", "With --addresses there is a URL in it: mailto:jane@a.example"),
    ):
        assert CliRunner().invoke(main, ["explain", text]).stdout.endswith(f"\n{hint}\n")
    result = CliRunner().invoke(main, ["explain", "--schemeless", "www.a.example"])
    assert (result.exit_code, result.stdout.split("\n")[0]) == (0, "http://www.a.example")
