"""A report of a large harvest is one file of moderate size."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from commands import run

HOSTS, URLS, MESSAGES, OCCURRENCES = 2_000, 20_000, 50_000, 300_000
MOST_BYTES = 4_000_000

MAIL = """\
From a@a.example Mon Jul  7 10:06:12 2003
Date: Mon, 07 Jul 2003 10:06:12 +0000
Subject: What the list thinks of tools that find links in old mail, and of the links

see <http://www.some-
host.example/a/path/of/usual/length/page.html> and http://whole.example/ and http://www.{a,b}
"""

# Each row of a table once more for every number, but for these columns; `i` is the number, and n how many there are.
GROWN = {
    "message": {
        "id": "100 + i",
        "identity": "100 + i",
        "number": "2 + i",
        "date": "printf('%d-%02d-07T10:06:12+00:00', 1994 + i % 30, 1 + i / 30 % 12)",
        "subject": "subject || ' ' || i",
    },
    "url": {
        "id": "100 + i",
        "url": f"printf('http://www.host%d.example/a/path/of/usual/length/that/leads/to/page%d.html', i % {HOSTS}, i)",
        "host": f"printf('www.host%d.example', i % {HOSTS})",
    },
    "occurrence": {"id": "100 + i", "url": f"100 + i % {URLS}", "message": f"100 + i % {MESSAGES}"},
}


def _grow(db: sqlite3.Connection, table: str, where: str, first: int, number: int) -> None:
    columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(GROWN[table].get(name, f'"{name}"') for name in columns)
    numbers = "WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
    row = f"(SELECT * FROM {table} WHERE {where} ORDER BY id LIMIT 1)"  # noqa: S608 -- all of it is ours
    copied = f"{numbers} INSERT INTO {table} SELECT {values} FROM n, {row}"  # noqa: S608 -- all of it is ours
    db.execute(copied, (first, first + number - 1))


@pytest.mark.slow
def test_two_thousand_hosts_and_many_occurrences(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    pytest.importorskip("jinja2")
    database, page = tmp_path / "links.db", tmp_path / "report.html"
    (tmp_path / "list.mbox").write_text(MAIL)
    assert run("harvest", "-q", tmp_path / "list.mbox", "-o", database).exit_code == 0
    with closing(sqlite3.connect(database)) as db:
        indexes = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql > ''").fetchall()
        for name, _ in indexes:
            db.execute(f"DROP INDEX {name}")
        _grow(db, "message", "1", 0, MESSAGES)
        _grow(db, "url", "1", 0, URLS)
        _grow(db, "occurrence", "breaks IS NULL", 0, OCCURRENCES - 50_000)
        _grow(db, "occurrence", "breaks IS NOT NULL", OCCURRENCES - 50_000, 50_000)
        for _, sql in indexes:
            db.execute(sql)
        db.commit()
    result = run("report", database, "-o", page)
    assert (result.exit_code, result.output) == (0, "")
    text = page.read_text("utf-8")
    assert "300,002" in text
    assert "of 2,002 hosts" in text
    assert 1_000_000 < len(text.encode()) < MOST_BYTES
