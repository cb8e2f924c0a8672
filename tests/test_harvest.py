"""The harvest: run again, it reads what changed; killed at any moment, it goes on; the database is a fresh run's."""
# ruff: noqa: S603 -- what is run is the command itself

import gzip
import io
import itertools
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from files import ADDRESS, warc
from urlmend import iter_urls
from urlmend.cli import main, progress
from urlmend.cli.progress import Bar
from urlmend.output.database import database as tables
from urlmend.output.database import harvest
from urlmend.output.database.harvest import Listener
from urlmend.output.database.schema import SCHEMA, DatabaseError
from urlmend.output.record import FIELDS
from urlmend.sources.mbox import BEGINNING, messages, opened

SHARED = os.environ.get("URLMEND_SHARED")
ALL_KILLS = os.environ.get("URLMEND_KILLS", "")
KILLS = 20
BATCH = 6_000
"""A size of batches, in bytes, that makes many of them."""


def message(number: int, *lines: str, year: int = 2003) -> str:
    """Return a message of an mbox."""
    head = (
        f"From a@a.example Mon Jul  7 10:06:{number % 60:02} {year}",
        "From: A <a@a.example>",
        f"Date: Mon, 07 Jul {year} 10:06:12 -0300",
        f"Message-ID: <{number}@a.example>",
        f"Subject: Number {number}",
    )
    return "\n".join([*head, "", f"See http://host{number % 7}.example/{number}", *lines, "", ""])


def mbox(*numbers: int) -> str:
    torn = ("filling " * 40, "is <URL:http://torn.exam")
    return "".join(message(n, *torn, f"ple/{n}>, and http://no_{n}..example/ none") for n in numbers)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Make an archive with every way in which a file may be read."""
    root = tmp_path / "archive"
    (root / "spool" / "alt").mkdir(parents=True)
    for number in range(1, 13):
        article = message(number, f"hyphen <http://host-\nbroken{number}.example/>").partition("\n")[2]
        (root / "spool" / "alt" / str(number)).write_text(article)
    (root / "list.mbox").write_text(mbox(*range(1, 60)))
    (root / "old.mbox.gz").write_bytes(gzip.compress(mbox(*range(100, 130)).encode(), mtime=0))
    (root / "text").write_text("http://text.example/ü " * 2500)
    (root / "empty").write_text("")
    return root


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(main, ["harvest", *map(str, args)])


def harvested(database: Path, *paths: Path | str) -> str:
    """Harvest *paths*, or with options among them; return what it says of the files."""
    result = run(*paths, "-o", database)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.endswith(f", in {database}\n")
    return result.stderr.removeprefix("urlmend: files: ").partition(";")[0]


def rows(database: Path) -> dict[str, list[Any]]:
    """Return all that is in *database*, ids aside, and in each source in the order of reading."""
    queries = {
        "source": "SELECT name, size, mtime, complete, next_message, next_offset, next_line, mark, fault FROM source",
        "url": "SELECT url, scheme, host, departures, target, warnings FROM url",
        "message": 'SELECT name, number, "offset", message_id, date, author, subject, newsgroups,'
        " target_uri, record FROM message m JOIN source s ON s.id = m.source",
        "occurrence": "SELECT s.name, row_number() OVER (PARTITION BY s.id ORDER BY o.id), u.url, m.number,"
        ' m.message_id, part, start, "end", line, "column", exact, form, raw, readings, ambiguous, breaks, trimmed,'
        " quoted, signature, text_before, text_after FROM occurrence o JOIN source s ON s.id = o.source"
        " JOIN url u ON u.id = o.url LEFT JOIN message m ON m.id = o.message",
        "reject": "SELECT s.name, row_number() OVER (PARTITION BY s.id ORDER BY r.id), m.number, m.message_id, part,"
        ' start, "end", line, "column", exact, form, raw, text, rule, pos FROM reject r'
        " JOIN source s ON s.id = r.source LEFT JOIN message m ON m.id = r.message",
    }
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        return {table: sorted(db.execute(sql).fetchall(), key=repr) for table, sql in queries.items()}


def fresh(tmp_path: Path, *paths: Path) -> dict[str, list[Any]]:
    """Return what a first, undisturbed run finds."""
    database = tmp_path / "fresh.db"
    database.unlink(missing_ok=True)
    run(*paths, "-o", database)
    return rows(database)


def ask(database: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as db:
        return db.execute(sql).fetchall()


# What is in it


def test_records_are_those_of_find(archive: Path, tmp_path: Path) -> None:
    database = tmp_path / "links.db"
    assert harvested(database, archive) == "16 new, 0 grown, 0 unchanged"
    expected: list[dict[str, Any]] = []
    for match in iter_urls(archive):
        told = match.as_dict()
        expected.append({**told, "host": str(told["host"]).lower()})
    columns = ", ".join(f'"{name}"' for name in expected[0])
    found = []
    for row in ask(database, f"SELECT {columns} FROM record"):  # noqa: S608 -- the record's keys
        values: dict[str, Any] = dict(zip(expected[0], row, strict=True))
        lists = [field.name for field in FIELDS if field.type in ("strings", "breaks")]
        flags = [field.name for field in FIELDS if field.type == "boolean"]
        decoded = {name: json.loads(values[name]) for name in lists}
        found.append({**values, **decoded, **{name: bool(values[name]) for name in flags}})
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    assert len(found) > 2600


def test_what_a_message_says_of_itself(tmp_path: Path) -> None:
    article = (
        b"Path: x\nFrom: =?utf-8?q?J=C3=BCrgen?= <j@a.example>\n"
        b"Newsgroups: alt.a, alt.b\nSubject: S\nMessage-ID: <1@a>\n"
        b"Date: Mon, 07 Jul 2003 10:06:12 -0300\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n"
        b"Subject: inner\n\n> http://a.example/\n-- \nhttp://HOST.example/sig\n"
    )
    path = tmp_path / "1"
    path.write_bytes(article.replace(b"\nSubject: S", b"\nX-URL: http://a.example/\nSubject: S"))
    harvested(tmp_path / "db", path)
    assert ask(tmp_path / "db", 'SELECT number, "offset", message_id, author, subject, newsgroups FROM message') == [
        (1, 0, "1@a", "Jürgen <j@a.example>", "S", "alt.a,alt.b"),
        (1, 0, None, None, "inner", None),
    ]
    assert ask(tmp_path / "db", "SELECT url, host, part, quoted, signature FROM record ORDER BY start") == [
        ("http://a.example/", "a.example", "header:X-URL", 0, 0),
        ("http://a.example/", "a.example", "1.1", 1, 0),
        ("http://HOST.example/sig", "host.example", "1.1", 0, 1),
    ]


def test_views_answer(archive: Path, tmp_path: Path) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive)
    assert ask(database, "SELECT * FROM by_host LIMIT 2") == [
        ("text.example", 2500, 1, 0),
        ("torn.example", 89, 89, 89),
    ]
    assert ask(database, "SELECT * FROM by_month") == [("2003-07", 202, 190, 101, 101)]
    year = "SELECT host, occurrences FROM by_host_and_month WHERE year = '2003' LIMIT 1"
    assert ask(database, year) == [("torn.example", 89)]
    assert ask(database, "SELECT * FROM first_and_last_seen WHERE url = 'http://host1.example/1'") == [
        ("http://host1.example/1", "2003-07-07 13:06:12", "2003-07-07 13:06:12", 2)
    ]
    assert ask(database, "SELECT * FROM most_shared LIMIT 1") == [("http://host0.example/7", 2, 1, 2)]
    assert ask(database, "SELECT count(*), count(DISTINCT raw) FROM mended") == [(101, 101)]
    assert ask(database, "SELECT json_extract(readings, '$[1]') FROM ambiguous LIMIT 1") == [
        ("http://hostbroken1.example/",)
    ]
    assert ask(
        database, "SELECT text_before, raw, text_after FROM mended WHERE message = 7 AND source LIKE '%mbox'"
    ) == [("is <URL:", "http://torn.exam\nple/7", ">, and http://no_7..example/ none")]
    assert ask(database, "SELECT * FROM by_rule") == [("httpurl", 89)]
    rejected = (
        "SELECT message, message_id, raw, text, rule, pos FROM rejected WHERE message = 7 AND source LIKE '%mbox'"
    )
    assert ask(database, rejected) == [
        (7, "7@a.example", "http://no_7..example/", "http://no_7..example/", "httpurl", 20)
    ]
    assert ask(database, "PRAGMA journal_mode") == [("wal",)]
    assert ask(database, "PRAGMA user_version") == [(SCHEMA,)]


def test_a_record_of_a_web_archive_is_a_message(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc")
    path = tmp_path / "a.warc"
    path.write_bytes(warc("conversion", "text/plain", b"http://a.example/ http://b.example/") * 2)
    harvested(tmp_path / "db", path)
    told = ("2024-01-02T03:04:05Z", ADDRESS, "urn:uuid:1", None)
    assert ask(tmp_path / "db", "SELECT url, message, date, target_uri, record, message_id FROM record") == [
        (f"http://{host}.example/", number, *told) for number in (1, 2) for host in "ab"
    ]


def test_names_and_texts_that_are_no_utf_8(tmp_path: Path) -> None:
    directory = tmp_path / "in"
    directory.mkdir()
    path = os.path.join(os.fsencode(directory), b"caf\xe9")  # noqa: PTH118 -- a name that is no text
    with open(path, "wb") as file:  # noqa: PTH123 -- as above
        file.write(
            b"Subject: a\nFrom: \xff\nTo: b\nContent-Type: text/html\n\n<a href='http://a.example/'>&#xD800;</a>\n"
        )
    harvested(tmp_path / "db", directory)
    assert ask(tmp_path / "db", "SELECT name FROM source") == [(path,)]
    assert ask(tmp_path / "db", "SELECT url FROM record") == [("http://a.example/",)]
    assert harvested(tmp_path / "db", directory) == "0 new, 0 grown, 1 unchanged"


# Run again


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the bytes that are read of the archive."""
    counted: list[int] = []

    class Counting(harvest.File):
        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size) or b""
            counted.append(len(data))
            return data

    monkeypatch.setattr(harvest, "File", Counting)
    return counted


def test_what_is_unchanged_is_not_read(archive: Path, tmp_path: Path, read: list[int]) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive)
    assert sum(read) > 90_000
    before = rows(database)
    read.clear()
    assert harvested(database, archive) == "0 new, 0 grown, 16 unchanged"
    assert sum(read) == 0
    assert rows(database) == before


def test_of_a_grown_mbox_the_new_messages_are_read(tmp_path: Path, read: list[int]) -> None:
    path, database = tmp_path / "list.mbox", tmp_path / "links.db"
    path.write_text(mbox(*range(1, 500)))
    harvested(database, path)
    with path.open("a") as file:
        file.write(mbox(500))
    read.clear()
    assert harvested(database, path) == "0 new, 1 grown, 0 unchanged"
    # The message that was last may have grown too; and what tells that the file is the same.
    assert sum(read) <= len(mbox(499, 500)) + 4 * harvest.MARKED
    assert path.stat().st_size > 10 * sum(read)
    assert rows(database) == fresh(tmp_path, path)


def test_a_message_that_was_cut_short_is_read_again(tmp_path: Path) -> None:
    path, database = tmp_path / "list.mbox", tmp_path / "links.db"
    whole = mbox(1, 2, 3).encode()
    for size in range(len(whole) - 200, len(whole) + 1, 20):
        path.write_bytes(whole[:size])
        harvested(database, path)
    path.write_bytes(whole)
    harvested(database, path)
    assert rows(database) == fresh(tmp_path, path)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("list.mbox", mbox(*range(1, 20)), "shrunk"),
        ("list.mbox", mbox(*range(2, 90)), "a message taken out at the head"),
        ("list.mbox", mbox(*range(1, 30), *range(31, 90)), "a message taken out in the middle"),
        ("list.mbox", "http://other.example/ " * 4000, "no mbox any more"),
        ("list.mbox", "", "emptied"),
        ("text", "http://text.example/ü " * 2501, "grown, and no mbox"),
        ("spool/alt/3", mbox(1, 2), "a message become an mbox"),
    ],
)
def test_a_changed_file_is_read_again(archive: Path, tmp_path: Path, name: str, content: str, what: str) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive)
    (archive / name).write_text(content)
    assert harvested(database, archive) == "0 new, 0 grown, 15 unchanged, 1 changed", what
    assert rows(database) == fresh(tmp_path, archive)


def test_a_file_of_the_same_size_and_another_time_is_read_again(archive: Path, tmp_path: Path) -> None:
    database, path = tmp_path / "links.db", archive / "list.mbox"
    harvested(database, archive)
    status = path.stat()
    path.write_text(path.read_text().replace("torn.exam", "torn.exom"))
    os.utime(path, ns=(0, status.st_mtime_ns + 1))
    assert harvested(database, archive) == "0 new, 0 grown, 15 unchanged, 1 changed"
    assert rows(database) == fresh(tmp_path, archive)


def test_a_file_that_is_gone_is_taken_out(archive: Path, tmp_path: Path) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive)
    (archive / "list.mbox").unlink()
    (archive / "spool" / "alt" / "3").rename(archive / "spool" / "alt" / "30")
    result = run("-v", archive, "-o", database)
    assert f"urlmend: {archive}/list.mbox: gone\n" in result.stderr
    assert "urlmend: files: 1 new, 0 grown, 14 unchanged, 2 gone; " in result.stderr
    assert rows(database) == fresh(tmp_path, archive)


def test_what_may_only_be_out_of_reach_is_kept(archive: Path, tmp_path: Path) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive)
    before = rows(database)
    away = archive.rename(tmp_path / "away")
    result = run(archive, "-o", database)
    assert (result.exit_code, rows(database)) == (2, before)
    assert f"urlmend: {archive}: No such file or directory\n" in result.stderr
    archive.mkdir()
    result = run(archive, "-o", database)
    assert (result.exit_code, rows(database)) == (2, before)
    assert f"urlmend: {archive}: holds no files; what was found in it before is kept\n" in result.stderr
    (archive / "other").write_text("")
    assert harvested(database, away) == "16 new, 0 grown, 0 unchanged"  # another archive takes nothing out
    assert len(rows(database)["source"]) == 32


def test_a_file_below_two_paths_is_read_once(archive: Path, tmp_path: Path) -> None:
    assert harvested(tmp_path / "db", archive, archive / "text", archive / "spool") == "16 new, 0 grown, 0 unchanged"


def test_the_database_itself_is_not_read(archive: Path) -> None:
    for what in ("16 new, 0 grown, 0 unchanged", "0 new, 0 grown, 16 unchanged"):
        assert harvested(archive / "links.db", archive) == what


def test_a_broken_file_is_told_and_the_rest_is_done(archive: Path, tmp_path: Path) -> None:
    path, database = archive / "old.mbox.gz", tmp_path / "links.db"
    path.write_bytes(path.read_bytes()[:-20])
    result = run(archive, archive / "missing", "-o", database)
    assert result.exit_code == 2
    assert f"urlmend: {path}: the gzip data ends early" in result.stderr
    assert f"urlmend: {archive}/missing: No such file or directory\n" in result.stderr
    assert "16 new, 0 grown, 0 unchanged, 2 failed" in result.stderr
    assert ask(database, f"SELECT count(*) > 10 FROM record WHERE source = '{path}'") == [(1,)]  # noqa: S608 -- as above
    assert ask(database, "SELECT count(*) FROM source WHERE fault LIKE 'the gzip data ends early%'") == [(1,)]


def test_a_read_that_fails_leaves_what_was_there(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive)
    before = rows(database)
    for path in (archive / "list.mbox", archive / "text"):
        path.write_text("http://new.example/ " * 50_000)

    class Failing(harvest.File):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > 300_000:
                raise OSError(5, "Input/output error")
            return super().read(size) or b""

    monkeypatch.setattr(harvest, "File", Failing)
    result = run(archive, "-o", database)
    assert result.exit_code == 2
    for name in ("list.mbox", "text"):
        assert f"urlmend: {archive}/{name}: Input/output error\n" in result.stderr
    assert rows(database) == before


# Options


def test_options_are_those_of_the_first_run(tmp_path: Path) -> None:
    path, database = tmp_path / "list.mbox", tmp_path / "links.db"
    path.write_text(mbox(1) + message(2, "http://a.example/~b http://a.example/c", "d http://e.example"))
    first = ("--source", "text", "--profile", "rfc1738", "--join", "none")
    assert run(path, "-o", database, *first).exit_code == 0
    found = "SELECT url, message, departures FROM record"
    whole = ("http://host1.example/1", "http://host2.example/2", "http://a.example/c", "http://e.example")
    assert ask(database, found) == [(url, None, "[]") for url in whole]
    path.write_text(path.read_text() + "http://f.example/~g http://f.example")
    for given in ((), first[:2], first):  # what is not said is as it was
        path.write_text(path.read_text() + " http://f.example")
        assert "1 changed" in run(path, "-o", database, *given).stderr
    assert ask(database, found) == [(url, None, "[]") for url in (*whole, *["http://f.example"] * 4)]
    before = rows(database)
    for option, value, was in (("source", "auto", "text"), ("profile", "web", "rfc1738"), ("join", "evident", "none")):
        result = run(path, "-o", database, f"--{option}", value)
        assert (result.exit_code, result.stderr) == (
            2,
            f"urlmend: {database}: was made with --{option} {was}: take that, or harvest into a new file\n",
        )
    assert rows(database) == before


def test_a_source_that_is_said_is_read_as_such(tmp_path: Path) -> None:
    """A mailbox that its beginning does not show is one, and grows as one; the empty line counts as a message."""
    path, database = tmp_path / "list", tmp_path / "links.db"
    path.write_text("\n" + mbox(1, 2))
    assert harvested(database, path, "--source", "mbox") == "1 new, 0 grown, 0 unchanged"
    path.write_text(path.read_text() + mbox(3))
    assert harvested(database, path) == "0 new, 1 grown, 0 unchanged"
    assert ask(database, "SELECT number, message_id FROM message") == [(n + 1, f"{n}@a.example") for n in (1, 2, 3)]


def test_a_bar_shows_how_far_it_is(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count(100)
    monkeypatch.setattr(progress, "monotonic", lambda: next(seconds))
    monkeypatch.setattr("tqdm.std.time", lambda: next(seconds))
    monkeypatch.setattr(progress, "Thread", lambda target, **_: SimpleNamespace(start=target))
    size = sum(path.stat().st_size for path in archive.rglob("*") if path.is_file())

    def shown() -> list[str]:
        terminal = io.StringIO()
        bar = Bar(terminal, lambda: [size])
        listener = Listener(advance=bar.advance, pass_over=bar.pass_over, note_urls=bar.note_urls)
        harvest.harvest([str(archive)], str(tmp_path / "db"), listener)
        return terminal.getvalue().split("\r")

    assert re.fullmatch("100%.#{20}. 93.7kB of 93.7kB, .*B/s, [0-9]+ URLs, 00:00 left", shown()[-1])
    assert re.fullmatch("100%.#{20}. 93.7kB of 93.7kB, .*B/s, 0 URLs, .* left", shown()[-1])


def test_interrupted_it_says_so_and_goes_on(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(harvest.File):
        def read(self, size: int | None = -1, /) -> bytes:
            if str(self.name).endswith("list.mbox") and self.tell():
                raise KeyboardInterrupt
            return super().read(size)

    database = tmp_path / "links.db"
    with monkeypatch.context() as patch:
        patch.setattr(harvest, "File", Interrupted)
        patch.setattr(harvest, "BATCH_BYTES", BATCH)
        result = run(archive, "-o", database)
    assert result.exit_code == 130
    assert result.stderr == f"urlmend: interrupted; the next run into {database} goes on\n"
    assert "resumed" in harvested(database, archive)
    assert rows(database) == fresh(tmp_path, archive)


# Killed

CHILD = """
import os, signal, sqlite3, sys
from urlmend.output.database import harvest
from urlmend.cli import main
from urlmend.output.database import database
from urlmend.output.database.schema import SCHEMA, DatabaseError
harvest.BATCH_BYTES, moment = int(sys.argv[1]), int(sys.argv[2])
count = 0
def tick(*_):
    global count
    count += 1
    if count == moment:
        os.kill(os.getpid(), signal.SIGKILL)
connect = sqlite3.connect
def connected(*args, **options):
    db = connect(*args, **options)
    db.set_trace_callback(tick)  # before each statement,
    db.set_progress_handler(tick, 500)  # and inside of the long ones
    return db
database.sqlite3.connect = connected
try:
    main(["harvest", *sys.argv[3:]])
finally:
    print(count)
"""


def child(moment: int, database: Path, *paths: Path, batch: int = BATCH) -> subprocess.CompletedProcess[str]:
    """Harvest in a process that kills itself at its *moment*th step; 0 is never, and then the steps are printed."""
    arguments = [sys.executable, "-c", CHILD, str(batch), str(moment), *map(str, paths), "-o", str(database)]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on(archive: Path, tmp_path: Path) -> None:
    steps = int(child(0, tmp_path / "whole.db", archive).stdout)
    expected = rows(tmp_path / "whole.db")
    assert expected == fresh(tmp_path, archive)
    rng = random.Random(20)
    partial = resumed = 0
    for number, moment in enumerate(sorted(rng.sample(range(1, steps), KILLS))):
        database = tmp_path / f"{number}.db"
        assert child(moment, database, archive).returncode == -signal.SIGKILL
        if number % 3 == 0:  # and once more
            assert child(rng.randrange(1, 40), database, archive).returncode == -signal.SIGKILL
        if database.exists() and database.stat().st_size and ask(database, "SELECT 1 FROM sqlite_master"):
            found = rows(database)
            partial += 0 < len(found["occurrence"]) < len(expected["occurrence"])
            # Nothing but what a whole run finds, each once; and of each source that is there, its state.
            for table in ("message", "occurrence", "reject", "url"):
                assert set(map(repr, found[table])) <= set(map(repr, expected[table]))
                assert len(set(map(repr, found[table]))) == len(found[table])
        resumed += "resumed" in harvested(database, archive)
        assert rows(database) == expected
    assert partial > KILLS // 2
    assert resumed > 2


@pytest.mark.parametrize("every", [250, pytest.param(60, marks=pytest.mark.slow)])
def test_killed_while_it_reads_a_grown_or_a_changed_file(archive: Path, tmp_path: Path, every: int) -> None:
    path = archive / "list.mbox"
    original = path.read_text()
    for content in (original + mbox(*range(60, 120)), mbox(*range(20, 150))):
        path.write_text(original)
        database = tmp_path / "links.db"
        database.unlink(missing_ok=True)
        harvested(database, archive)
        path.write_text(content)
        expected = fresh(tmp_path, archive)
        for moment in range(20, 600, every):
            assert child(moment, database, archive).returncode in {-signal.SIGKILL, 0}
            occurrences = len(rows(database)["occurrence"])
            assert occurrences > 2600
        harvested(database, archive)
        assert rows(database) == expected


@pytest.mark.slow
@pytest.mark.skipif(SHARED is None, reason="needs URLMEND_SHARED")
def test_killed_over_real_archives_it_goes_on(tmp_path: Path) -> None:
    paths = [Path(str(SHARED)) / "corpora" / name for name in ("mail/mbox", "news/mbox")]
    steps = int(child(0, tmp_path / "whole.db", *paths, batch=1 << 20).stdout)
    expected = rows(tmp_path / "whole.db")
    assert len(expected["occurrence"]) > 10_000
    for number, moment in enumerate(random.Random(4).sample(range(steps // 10, steps), 4)):
        database = tmp_path / f"{number}.db"
        assert child(moment, database, *paths, batch=1 << 20).returncode == -signal.SIGKILL
        harvested(database, *paths)
        assert rows(database) == expected


@pytest.mark.slow
@pytest.mark.skipif(SHARED is None or not ALL_KILLS, reason="needs URLMEND_SHARED, and URLMEND_KILLS=20")
def test_killed_at_random_moments_over_all_of_the_corpora(tmp_path: Path) -> None:
    """By the clock, from outside; a second of a run that is killed once more is a batch or two."""
    corpora = f"{SHARED}/corpora"

    def command(database: Path) -> list[str]:
        return [sys.executable, "-m", "urlmend", "harvest", corpora, "-o", str(database)]

    start = time.monotonic()
    subprocess.run(command(tmp_path / "whole.db"), check=True)
    length = time.monotonic() - start
    expected = rows(tmp_path / "whole.db")
    rng = random.Random(20)
    for number in range(int(ALL_KILLS)):
        database = tmp_path / f"{number}.db"
        killed = 0
        for _ in range(rng.choice((1, 1, 3))):
            with subprocess.Popen(command(database), stderr=subprocess.DEVNULL) as process:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(rng.uniform(0, 0.9 * length))
                process.kill()
            killed += process.returncode == -signal.SIGKILL
        there = database.exists() and ask(database, "SELECT count(*) FROM sqlite_master") != [(0,)]
        left = ask(database, "SELECT count(*) FROM occurrence")[0][0] if there else 0
        print(f"killed {killed} times: {left} of {len(expected['occurrence'])} occurrences were there")
        subprocess.run(command(database), check=True)
        assert rows(database) == expected
        database.unlink()


def test_going_on_at_any_message_is_the_same(archive: Path) -> None:
    data = (archive / "list.mbox").read_bytes()
    told = [(position, list(texts)) for position, texts in messages(opened(io.BytesIO(data)), None)]
    assert told[0][0] == BEGINNING
    for index in (1, 7, len(told) - 1):
        start = told[index][0]
        assert data[start.offset :].startswith(b"From ")
        assert data.count(b"\n", 0, start.offset) == start.line - 1
        rest = [
            (position, list(texts))
            for position, texts in messages(opened(io.BytesIO(data[start.offset :]), start), None)
        ]
        assert [(p, [(t.data, t.offset, t.line) for t in texts]) for p, texts in rest] == [
            (p, [(t.data, t.offset, t.line) for t in texts]) for p, texts in told[index:]
        ]


# What cannot be written


def test_a_full_disk_is_told_and_loses_nothing(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive / "spool")
    before = rows(database)
    connect = sqlite3.connect

    def small(*args: Any, **options: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*args, **options)
        db.execute("PRAGMA max_page_count = 40")
        return db

    with monkeypatch.context() as patch:
        patch.setattr(tables.sqlite3, "connect", small)  # type: ignore[attr-defined]
        patch.setattr(harvest, "BATCH_BYTES", BATCH)
        result = run(archive, "-o", database)
    assert result.exit_code == 2
    assert result.stderr == f"urlmend: {database}: the disk is full; what was written before is kept\n"
    assert set(map(repr, before["occurrence"])) < set(map(repr, rows(database)["occurrence"]))
    harvested(database, archive)
    assert rows(database) == fresh(tmp_path, archive)


AS_NOBODY = """
import importlib.resources, os, sys, tempfile
from urlmend.cli import main
with tempfile.TemporaryDirectory() as warm:  # what is imported late may be out of nobody's reach
    main(["harvest", "-q", sys.argv[1], "-o", f"{warm}/db"], standalone_mode=False)
if os.getuid() == 0:
    os.setuid(65534)
main(["harvest", sys.argv[1], "-o", sys.argv[2]])
"""


def test_a_directory_that_cannot_be_written(archive: Path) -> None:
    with TemporaryDirectory() as name:
        directory = Path(name)
        database = directory / "links.db"
        (directory / "text").write_text("http://a.example/")
        harvested(database, archive)
        before = rows(database)
        directory.chmod(0o555)
        database.chmod(0o444)
        for output in (database, directory / "new.db"):
            command = [sys.executable, "-c", AS_NOBODY, str(directory / "text"), str(output)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 2
            assert done.stderr in {
                f"urlmend: {output}: {why}\n"
                for why in ("cannot be written", "cannot be opened, or not be made in its directory")
            }
        directory.chmod(0o755)
        database.chmod(0o644)
        assert rows(database) == before
        assert not (directory / "new.db").exists()


def test_no_directory(archive: Path, tmp_path: Path) -> None:
    result = run(archive, "-o", tmp_path / "none" / "links.db")
    assert result.exit_code == 2
    assert result.stderr.endswith("links.db: cannot be opened, or not be made in its directory\n")


VERSION_4 = """
CREATE TABLE left_out (id INTEGER PRIMARY KEY, source INTEGER, message INTEGER, url TEXT NOT NULL, host TEXT);
PRAGMA user_version = 4;
"""
VERSION_3 = """
DROP VIEW record; DROP VIEW counted; DROP VIEW by_host; DROP VIEW by_host_and_month; DROP VIEW by_month;
DROP VIEW first_and_last_seen; DROP VIEW most_shared; DROP VIEW by_rule; DROP VIEW rejected;
DROP VIEW mended; DROP VIEW ambiguous;
DROP INDEX message_member;
ALTER TABLE message RENAME COLUMN target_uri TO target; ALTER TABLE message DROP COLUMN member;
ALTER TABLE url DROP COLUMN target; ALTER TABLE url DROP COLUMN target_host; ALTER TABLE url DROP COLUMN warnings;
DELETE FROM setting WHERE name NOT IN ('command', 'source', 'profile', 'join', 'min_confidence');
PRAGMA user_version = 3;
"""
VERSION_2 = (
    VERSION_3.replace("PRAGMA user_version = 3;", "")
    + """
ALTER TABLE occurrence DROP COLUMN confidence;
DELETE FROM setting WHERE name = 'min_confidence';
PRAGMA user_version = 2;
"""
)
# What makes a database like those of 0.1.0 (2), of 0.2.0 (4), and of the time between; what a run then says
OLDER = (
    (VERSION_2, "0 new, 0 grown, 0 unchanged, 17 changed"),
    (VERSION_3, "0 new, 0 grown, 17 unchanged"),
    (VERSION_4, "0 new, 0 grown, 17 unchanged"),
)


def make_older(database: Path, script: str) -> None:
    with closing(sqlite3.connect(database)) as db:
        db.executescript(script)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize(("script", "said"), OLDER)
def test_an_older_database_is_brought_up_to_date(archive: Path, tmp_path: Path, script: str, said: str) -> None:
    database, new, text = tmp_path / "links.db", tmp_path / "new.db", archive / "more"
    text.write_text("http://jane:secret@a.example/ http://a.example/%0d")
    harvested(database, archive)
    harvested(new, archive)
    make_older(database, script)
    result = CliRunner().invoke(main, ["report", str(database), "-o", str(tmp_path / "page.html")])
    assert result.stderr == (
        f"urlmend: {database}: was made by an older urlmend: run urlmend harvest on it, which brings it up to date\n"
    )
    assert harvested(database, archive) == said
    assert rows(database) == rows(new)
    for query in (
        "SELECT type, name FROM sqlite_master ORDER BY 2",
        "SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY 1",
        "SELECT name, value FROM setting ORDER BY 1",
        "PRAGMA user_version",
    ):
        assert ask(database, query) == ask(new, query)
    told = "SELECT url, warnings FROM record WHERE warnings <> '[]' ORDER BY 1"
    assert ask(database, told) == [
        ("http://a.example/%0d", '["encoded-delimiter"]'),
        ("http://jane:secret@a.example/", '["password"]'),
    ]


@pytest.mark.parametrize("script", [VERSION_2, VERSION_4])
def test_a_half_finished_older_database_is_finished(archive: Path, tmp_path: Path, script: str) -> None:
    database = tmp_path / "links.db"
    assert child(1500, database, archive).returncode == -signal.SIGKILL
    assert ask(database, "SELECT count(*) FROM source WHERE NOT complete") == [(1,)]
    make_older(database, script)
    # Killed before, in and after the transaction that upgrades it.
    for moment in range(3, 33, 10):
        assert child(moment, database, archive).returncode == -signal.SIGKILL
        assert ask(database, "PRAGMA user_version")[0][0] in {int(script.rsplit(maxsplit=1)[-1].rstrip(";")), SCHEMA}
    harvested(database, archive)
    assert rows(database) == fresh(tmp_path, archive)


def test_what_is_no_database_of_urlmend_is_left_as_it_is(archive: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE url (x)")
    older, newer = tmp_path / "older.db", tmp_path / "newer.db"
    for database, version in ((older, 1), (newer, 99)):
        harvested(database, archive / "text")
        with closing(sqlite3.connect(database)) as db:
            db.execute(f"PRAGMA user_version = {version}")
    text = tmp_path / "text"
    text.write_text("some text\n" * 100)
    for path, why in (
        (other, "is an SQLite database, but not of urlmend; it is left as it is"),
        (text, "is not an SQLite database; it is left as it is"),
        (older, "was made by an older urlmend: harvest into a new file"),
        (newer, "was made by a newer urlmend: harvest into a new file"),
        (tmp_path, "Is a directory"),
    ):
        before = path.read_bytes() if path.is_file() else None
        listing = sorted(os.listdir(tmp_path))  # noqa: PTH208 -- names
        result = run(archive, "-o", path)
        assert (result.stderr, result.exit_code) == (f"urlmend: {path}: {why}\n", 2)
        assert before is None or path.read_bytes() == before
        assert sorted(os.listdir(tmp_path)) == listing  # noqa: PTH208 -- as above


def test_a_database_in_use_is_told(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "links.db"
    harvested(database, archive / "text")
    monkeypatch.setattr(tables, "BUSY", 0)
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        result = run(archive, "-o", database)
    assert (result.stderr, result.exit_code) == (f"urlmend: {database}: is in use by another process\n", 2)


def test_quiet_and_verbose(archive: Path, tmp_path: Path) -> None:
    assert run("-q", archive, "-o", tmp_path / "db").stderr == ""
    (archive / "text").write_text("")
    result = run("-v", archive, "-o", tmp_path / "db")
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"urlmend: {archive}/text: changed",
        f"urlmend: files: 0 new, 0 grown, 15 unchanged, 1 changed; 0 URLs read, in {tmp_path}/db",
    ]


def test_what_another_process_writes_in_the_middle_of_a_source_is_noticed(tmp_path: Path) -> None:
    path = str(tmp_path / "links.db")
    with closing(tables.Database(path, "harvest", {})) as ours, closing(tables.Database(path, "harvest", {})) as theirs:
        ours.begin()
        ours.save(ours.new("a"), tables.State(0, 0, complete=False))
        ours.go_on()
        ours.end()
        ours.commit()
        theirs.begin()
        theirs.new("b")
        theirs.end()
        theirs.commit()
        ours.begin()  # between two sources that does no harm
        ours.end()
        ours.commit()
        ours.begin()
        commit = ours.commit

        def commit_and_let_them() -> None:
            commit()
            theirs.begin()
            theirs.new("c")
            theirs.end()
            theirs.commit()

        ours.commit = commit_and_let_them  # type: ignore[method-assign]
        with pytest.raises(DatabaseError, match="another process"):
            ours.go_on()
