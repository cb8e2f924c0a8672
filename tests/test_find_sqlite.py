"""`find --format sqlite`: what find finds, in the tables of a harvest."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from urlmend import iter_urls
from urlmend.cli import main
from urlmend.output.database import database as writer

SAMPLES = sorted((Path(__file__).parent.parent / "corpora" / "samples").rglob("*.*"))
TEXT = "see <http://a-\nb.example/> and http://no_a..example/\nhttp://a.example/ or http://b.example/"


def find(*args: str | Path, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["find", "--format", "sqlite", *map(str, args)], input=text)


def ask(database: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        return db.execute(sql).fetchall()


@pytest.mark.parametrize("batch", [1, 7, 10_000])
def test_records_are_those_of_jsonl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(writer, "BATCH", batch)
    assert find(*SAMPLES, "-o", tmp_path / "links.db").exit_code == 0
    expected = [match.as_dict() for path in SAMPLES for match in iter_urls(path)]
    names = ", ".join(f'"{name}"' for name in expected[0])
    rows = ask(tmp_path / "links.db", f"SELECT {names} FROM record")  # noqa: S608 -- the record's keys
    assert len(rows) == len(expected) > 20
    for row, told in zip(rows, expected, strict=True):
        values = dict(zip(told, row, strict=True))
        lists = {name: json.loads(values[name]) for name in ("readings", "breaks", "departures", "warnings")}
        told |= {"host": told["host"] and str(told["host"]).lower()}
        assert {**values, **lists} == json.loads(json.dumps(told))


def test_with_it_stands_what_was_rejected_and_the_text_around(tmp_path: Path) -> None:
    rejects = tmp_path / "rejects"
    assert find("-", "-o", tmp_path / "db", "--host", "a*", "--rejects", rejects, text=TEXT).exit_code == 0
    assert ask(tmp_path / "db", "SELECT source, url, text_before, text_after FROM record") == [
        ("(standard input)", "http://a-b.example/", "see <", "> and http://no_a..example/"),
        ("(standard input)", "http://a.example/", None, None),
    ]
    assert ask(tmp_path / "db", "SELECT source, text FROM rejected") == [("(standard input)", "http://no_a..example/")]
    assert json.loads(rejects.read_text())["text"] == "http://no_a..example/"
    assert dict(ask(tmp_path / "db", "SELECT * FROM setting")) == {
        "command": "find",
        "source": "auto",
        "profile": "web",
        "join": "evident",
        "min_confidence": "0",
        "schemeless": "no",
        "addresses": "no",
        "refang": "no",
        "unwrap": "no",
    }


def test_it_is_a_new_database(tmp_path: Path) -> None:
    database, path = tmp_path / "links.db", tmp_path / "text"
    path.write_text(TEXT)
    database.write_bytes(b"")  # as mktemp makes it
    assert find(path, "-o", database).exit_code == 0
    before = database.read_bytes()
    result = find(path, "-o", database)
    assert result.exit_code == 2
    assert f"{database} exists, and find makes a new database; urlmend harvest updates one." in result.stderr
    result = CliRunner().invoke(main, ["harvest", str(path), "-o", str(database)])
    assert (result.exit_code, result.stderr) == (2, f"urlmend: {database}: was made by find: harvest into a new file\n")
    assert database.read_bytes() == before
    assert "give -o FILE" in find(path).stderr
    result = find(path, "-o", tmp_path / "none" / "links.db")
    assert (result.exit_code, result.stderr) == (2, f"urlmend: {tmp_path}/none/links.db: No such file or directory\n")


def test_its_own_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    result = find("-r", tmp_path, "-o", tmp_path / "links.db")
    assert (result.exit_code, result.stderr) == (0, "")
    assert ask(tmp_path / "links.db", "SELECT name, size, complete FROM source") == [
        (str(tmp_path / "text"), len(TEXT), 1)
    ]


def test_what_cannot_be_read_is_told_and_the_rest_is_there(tmp_path: Path) -> None:
    good, broken = tmp_path / "text", tmp_path / "broken.gz"
    good.write_text(TEXT)
    broken.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0no deflated data")
    result = find(tmp_path / "none", broken, good, good, "-o", tmp_path / "links.db")
    assert result.exit_code == 2
    assert [line.partition(": ")[2] for line in result.stderr.splitlines()] == [
        f"{tmp_path}/none: No such file or directory",
        f"{broken}: the gzip data is corrupt, after 0 bytes of what it holds",
    ]
    # As in any other format, a file that is named twice is read twice.
    assert ask(tmp_path / "links.db", "SELECT source, count(*) FROM record GROUP BY source") == [(str(good), 6)]


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text"
    path.write_text("".join(f"http://host{number}.example/\n" for number in range(20_000)))
    connect = sqlite3.connect

    def small(*args: Any, **options: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*args, **options)
        db.execute("PRAGMA max_page_count = 300")
        return db

    monkeypatch.setattr(writer, "BATCH", 1000)
    monkeypatch.setattr("urlmend.output.database.database.sqlite3.connect", small)
    result = find(path, "-o", tmp_path / "links.db")
    monkeypatch.undo()
    database = tmp_path / "links.db"
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"urlmend: {database}: is incomplete, for the run did not end",
        f"urlmend: write error: {database}: the disk is full; what was written before is kept",
    ]
    ((count,),) = ask(database, "SELECT count(*) FROM record")
    assert count >= 1000
    assert count % 1000 == 0
