"""The database: what `find --format sqlite` and `harvest` write; run again, a harvest reads what has changed."""
# ruff: noqa: S603, S608 -- what is run is the command itself; the queries are ours

import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import date
from functools import partial
from importlib.util import find_spec
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from commands import Started, as_nobody, ask, run
from files import ADDRESS, added, http, made, tarred, warc, zipped
from harvests import BATCH, PROSE, fresh, harvest, harvested, make_archive, mbox, message, rows
from sample import SMALL, some
from test_output import TARGETS, WRAPPED
from urlmend import find_urls, iter_urls
from urlmend.output.counts import Counting
from urlmend.output.database import database as tables, harvest as storing
from urlmend.output.database.database import DatabaseWriter
from urlmend.output.database.schema import SCHEMA_VERSION, DatabaseError
from urlmend.record import FIELDS
from urlmend.sources.directories import opened_path

TEXT = "see <http://a-\nb.example/> and http://no_a..example/\nhttp://a.example/ or http://b.example/"
UNCHANGED = "0 new, 0 grown, 8 unchanged"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make_archive(tmp_path / "archive")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "links.db"


find = partial(run, "find", "--format", "sqlite")


def records(database: Path) -> list[dict[str, Any]]:
    """Return the records in *database* as `as_dict` makes them, with hosts in lower case."""
    names = [field.name for field in FIELDS]
    columns = ", ".join(f'"{name}"' for name in names)
    found = []
    for row in ask(database, f"SELECT {columns} FROM record"):
        record = dict(zip(names, row, strict=True))
        for field in FIELDS:
            if field.type in {"strings", "breaks"}:
                record[field.name] = json.loads(record[field.name])
            elif field.type == "boolean":
                record[field.name] = bool(record[field.name])
        found.append(record)
    return found


def expected_records(*paths: Path) -> list[dict[str, Any]]:
    made = [match.as_dict() for path in paths for match in iter_urls(path)]
    lowered = [{**record, "host": record["host"] and record["host"].lower()} for record in made]
    return list(json.loads(json.dumps(lowered)))


# What is in it


@pytest.mark.parametrize("batch", some([7, 10_000]))
def test_find_writes_the_records(database: Path, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(tables, "BATCH", batch)
    assert find(*SMALL, "-o", database).exit_code == 0
    assert records(database) == expected_records(*SMALL)
    assert len(rows(database)["occurrence"]) > 20


def test_harvest_writes_the_records(archive: Path, database: Path) -> None:
    assert harvested(database, archive) == "8 new, 0 grown, 0 unchanged"
    assert sorted(map(repr, records(database))) == sorted(map(repr, expected_records(archive)))
    # The spool has four messages of the mailbox with another body.
    assert ask(database, "SELECT copies, bodies FROM copied") == [(2, 2)] * 4
    assert len(rows(database)["occurrence"]) == 116


def test_headers_of_a_message_are_stored(tmp_path: Path, database: Path) -> None:
    article = (
        b"Path: x\nFrom: =?utf-8?q?J=C3=BCrgen?= <j@a.example>\nNewsgroups: alt.a, alt.b\n"
        b"X-URL: http://a.example/\nSubject: S\nMessage-ID: <1@a>\n"
        b"Date: Mon, 07 Jul 2003 10:06:12 -0300\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n"
        b"Subject: inner\n\n> http://a.example/\n-- \nhttp://HOST.example/sig\n"
    )
    (tmp_path / "1").write_bytes(article)
    harvested(database, tmp_path / "1")
    assert ask(database, 'SELECT number, "offset", message_id, author, subject, newsgroups FROM message') == [
        (1, 0, "1@a", "Jürgen <j@a.example>", "S", "alt.a,alt.b"),
        (1, 0, None, None, "inner", None),
    ]
    assert ask(database, "SELECT url, host, part, quoted, signature FROM record ORDER BY start") == [
        ("http://a.example/", "a.example", "header:X-URL", 0, 0),
        ("http://a.example/", "a.example", "1.1", 1, 0),
        ("http://HOST.example/sig", "host.example", "1.1", 0, 1),
    ]


# a query of a view, its first rows
VIEWS: tuple[tuple[str, list[tuple[Any, ...]]], ...] = (
    ("SELECT * FROM by_host LIMIT 2", [("text.example", 50, 1, 0, 50), ("torn.example", 29, 29, 29, 29)]),
    ("SELECT * FROM by_month", [("2003-07", 66, 62, 29, 33, 62)]),
    ("SELECT host, occurrences FROM by_host_and_month WHERE year = '2003' LIMIT 1", [("torn.example", 29)]),
    (
        "SELECT * FROM first_and_last_seen WHERE url = 'http://host1.example/1'",
        [("http://host1.example/1", "2003-07-07 13:06:12", "2003-07-07 13:06:12", 2, 1)],
    ),
    ("SELECT * FROM most_shared LIMIT 1", [("http://host-broken1.example/", 1, 1, 1, 1)]),
    ("SELECT count(*), count(DISTINCT raw) FROM mended", [(33, 33)]),
    ("SELECT json_extract(readings, '$[1]') FROM ambiguous LIMIT 1", [("http://hostbroken1.example/",)]),
    (
        "SELECT text_before, raw, text_after FROM mended WHERE message = 7 AND source LIKE '%mbox'",
        [("is <URL:", "http://torn.exam\nple/7", ">, and http://no_7..example/ none")],
    ),
    ("SELECT * FROM by_rule", [("httpurl", 29)]),
    (
        "SELECT message, message_id, raw, text, rule, pos FROM rejected WHERE message = 7 AND source LIKE '%mbox'",
        [(7, "7@a.example", "http://no_7..example/", "http://no_7..example/", "httpurl", 20)],
    ),
    ("PRAGMA journal_mode", [("wal",)]),
    ("PRAGMA user_version", [(SCHEMA_VERSION,)]),
)


def test_views_answer(archive: Path, database: Path) -> None:
    harvested(database, archive)
    assert [(sql, ask(database, sql)) for sql, _ in VIEWS] == list(VIEWS)


def test_names_and_texts_that_are_not_utf_8(tmp_path: Path, database: Path) -> None:
    directory = tmp_path / "in"
    directory.mkdir()
    path = os.path.join(os.fsencode(directory), b"caf\xe9")
    head = b"Subject: a\nFrom: \xff\nTo: b\nContent-Type: text/html\n\n"
    with open(path, "wb") as file:
        file.write(head + b"<a href='http://a.example/'>&#xD800;</a>\n")
    harvested(database, directory)
    assert ask(database, "SELECT name FROM source") == [(path,)]
    assert ask(database, "SELECT url FROM record") == [("http://a.example/",)]
    assert harvested(database, directory) == "0 new, 0 grown, 1 unchanged"


def test_rejected_candidates_and_settings(tmp_path: Path, database: Path) -> None:
    rejects = tmp_path / "rejects"
    assert find("-", "-o", database, "--host", "a*", "--rejects", rejects, stdin=TEXT).exit_code == 0
    assert ask(database, "SELECT source, url, text_before, text_after FROM record") == [
        ("(standard input)", "http://a-b.example/", "see <", "> and http://no_a..example/"),
        ("(standard input)", "http://a.example/", "", " or http://b.example/"),
    ]
    assert ask(database, "SELECT source, text FROM rejected") == [("(standard input)", "http://no_a..example/")]
    assert json.loads(rejects.read_text())["text"] == "http://no_a..example/"
    settings = {"command": "find", "source": "auto", "profile": "web", "join": "evident", "min_confidence": "0"}
    flags = dict.fromkeys(("schemeless", "addresses", "refang", "unwrap", "resolve"), "no")
    flags |= dict.fromkeys(("base", "since", "until", "author", "subject", "newsgroup"), "")
    flags["header_fields"] = "yes"
    assert dict(ask(database, "SELECT * FROM setting")).items() >= (settings | flags).items()


HOSTS = "SELECT host, occurrences, urls FROM by_host"


def test_targets(tmp_path: Path) -> None:
    text, plain, unwrapped, new = (tmp_path / name for name in ("text", "plain.db", "unwrapped.db", "new.db"))
    text.write_text(WRAPPED)
    harvested(plain, text)
    harvested(unwrapped, "--unwrap", text)
    assert find("--unwrap", "-o", new, stdin=WRAPPED).exit_code == 0
    assert [target for (target,) in ask(unwrapped, "SELECT target FROM record ORDER BY start")] == TARGETS
    assert [target for (target,) in ask(plain, "SELECT target FROM record")] == [None] * 7
    outlook = "eur01.safelinks.protection.outlook.com"
    assert ask(plain, HOSTS) == [("c.example", 3, 2), (outlook, 3, 2), ("a.example", 1, 1)]
    assert ask(unwrapped, HOSTS) == ask(new, HOSTS) == [("a.example", 3, 2), ("c.example", 3, 2), (outlook, 1, 1)]
    again = harvest("--unwrap", text, "-o", plain)
    assert again.stderr == f"urlmend: {plain}: was made without --unwrap: leave it out, or harvest into a new file\n"
    assert harvested(unwrapped, text) == "0 new, 0 grown, 1 unchanged"


# A new database


def test_find_makes_a_new_database(tmp_path: Path, database: Path) -> None:
    path = tmp_path / "text"
    path.write_text(TEXT)
    database.write_bytes(b"")  # as mktemp makes it
    assert find("-r", tmp_path, "-o", database).exit_code == 0
    # Its own files are not read.
    assert ask(database, "SELECT name, size, complete FROM source") == [(str(path), len(TEXT), 1)]
    before = database.read_bytes()
    result = find(path, "-o", database)
    assert result.exit_code == 2
    assert f"{database} exists, and find makes a new database; urlmend harvest updates one." in result.stderr
    result = harvest(path, "-o", database)
    assert (result.exit_code, result.stderr) == (2, f"urlmend: {database}: was made by find: choose a new file\n")
    assert database.read_bytes() == before
    result = find(path, "-o", tmp_path / "none" / "links.db")
    assert (result.exit_code, result.stderr) == (2, f"urlmend: {tmp_path}/none/links.db: No such file or directory\n")
    result = harvest(path, "-o", tmp_path / "none" / "links.db")
    assert result.exit_code == 2
    assert result.stderr.endswith("links.db: cannot be opened or created\n")


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("exists", [False, True])
def test_a_new_database_replaces_no_file_beside_it(tmp_path: Path, database: Path, end: str, exists: bool) -> None:
    text, beside = tmp_path / "text", Path(f"{database}{end}")
    text.write_text(TEXT)
    beside.write_text("what was there\n")
    if exists:
        database.touch()
    for result in (find(text, "-o", database), harvest(text, "-o", database)):
        why = f"a new database would replace {beside}: move that file, or choose another name"
        assert (result.stderr, result.exit_code) == (f"urlmend: {database}: {why}\n", 2)
        assert beside.read_text() == "what was there\n"
        assert (database.read_bytes() if database.exists() else None) == (b"" if exists else None)


@pytest.mark.parametrize("journal", [b"", bytes(512), bytes.fromhex("d9d505f920a163d7") + bytes(504)])
def test_a_run_that_was_killed_while_it_made_the_database_leaves_a_journal(
    archive: Path, database: Path, journal: bytes
) -> None:
    database.touch()
    Path(f"{database}-journal").write_bytes(journal)
    assert harvested(database, archive / "text") == "1 new, 0 grown, 0 unchanged"


def test_a_database_needs_a_regular_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    os.mkfifo(tmp_path / "pipe")
    for name in ("/dev/stdout", "/dev/fd/1", str(tmp_path / "pipe")):
        for result in (harvest(tmp_path / "text", "-o", name), find(tmp_path / "text", "-o", name)):
            why = f"urlmend: {name}: a database needs a regular file\n"
            assert (result.stdout, result.stderr, result.exit_code) == ("", why, 2)


def test_a_path_that_does_not_exist_makes_no_database(tmp_path: Path, database: Path) -> None:
    result = harvest(tmp_path / "mistyped", "-o", database)
    assert (result.stderr, result.exit_code) == (f"urlmend: {tmp_path}/mistyped: No such file or directory\n", 2)
    assert list(tmp_path.iterdir()) == []


def test_find_stores_what_it_can_read(tmp_path: Path, database: Path) -> None:
    good, broken = tmp_path / "text", tmp_path / "broken.gz"
    good.write_text(TEXT)
    broken.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0no deflated data")
    result = find(tmp_path / "none", broken, good, good, "-o", database)
    assert (result.exit_code, result.stderr.splitlines()) == (
        2,
        [
            f"urlmend: {tmp_path}/none: No such file or directory",
            f"urlmend: {broken}: the gzip data is corrupt, after 0 decompressed bytes",
        ],
    )
    # As in any other format, a file that is named twice is read twice.
    assert ask(database, "SELECT source, count(*) FROM record GROUP BY source") == [(str(good), 6)]


def test_two_runs_of_find_do_not_share_a_database(database: Path) -> None:
    first = DatabaseWriter(str(database), {})
    with pytest.raises(DatabaseError, match="another run has made it meanwhile"):
        DatabaseWriter(str(database), {})
    first.begin_file(None)
    first.write(find_urls("http://a.example/"))
    first.end_file(None, 1)
    first.close()
    assert ask(database, "SELECT url FROM record") == [("http://a.example/",)]


@pytest.mark.slow
def test_an_interrupted_find_keeps_the_files_it_has_read(tmp_path: Path, database: Path) -> None:
    (tmp_path / "text").write_text("http://a.example/")
    with Started("-v", "--format", "sqlite", "-o", database, tmp_path / "text", "-", stdout=None) as process:
        process.give(b"http://b.example/\n" * 5000)
        while (line := process.stderr.readline()) and b"standard input" not in line:
            pass
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    expected = f"urlmend: {database} is incomplete: the run was stopped\n"
    assert (said.decode(), process.returncode) == (expected, 143)
    assert ask(database, "SELECT name, complete FROM source") == [(str(tmp_path / "text"), 1)]
    assert ask(database, "SELECT url FROM record") == [("http://a.example/",)]
    assert not Path(f"{database}-wal").exists()


# Run again


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the bytes that are read of the archive."""
    counted: list[int] = []

    class Counting(FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size) or b""
            counted.append(len(data))
            return data

    def opened(path: str, only: Any) -> Any:
        return Counting(path) if Path(path).is_file() else opened_path(path, only)

    monkeypatch.setattr("urlmend.parallel.splits.opened_path", opened)
    return counted


def test_unchanged_files_are_not_read(archive: Path, read: list[int]) -> None:
    # Nor is the database itself, nor a link to it.
    database = archive / "links.db"
    assert harvested(database, archive, archive / "text", archive / "spool") == "8 new, 0 grown, 0 unchanged"
    assert sum(read) > 20_000
    before = rows(database)
    read.clear()
    (archive / "symbolic").symlink_to("links.db")
    (archive / "hard").hardlink_to(database)
    assert harvested(database, archive) == UNCHANGED
    assert sum(read) == 0
    assert rows(database) == before


def test_a_database_below_a_link_to_its_directory_is_not_read(archive: Path) -> None:
    linked = archive.with_name("linked")
    linked.symlink_to(archive)
    for counts in ("8 new, 0 grown, 0 unchanged", UNCHANGED):
        assert harvested(archive / "links.db", linked) == counts


def test_only_the_new_messages_of_a_grown_mbox_are_read(tmp_path: Path, database: Path, read: list[int]) -> None:
    path = tmp_path / "list.mbox"
    path.write_text(mbox(*range(1, 250)).replace("\n", "\r"))
    harvested(database, path)
    with path.open("a") as file:
        file.write(mbox(250))
    read.clear()
    assert harvested(database, path) == "0 new, 1 grown, 0 unchanged"
    # The last message may have grown too; and the beginning shows that the file is the same.
    assert sum(read) <= len(mbox(249, 250)) + 4 * storing.MARKED
    assert path.stat().st_size > 10 * sum(read)
    assert rows(database) == fresh(tmp_path, path)


def test_a_message_that_was_cut_short_is_read_again(tmp_path: Path, database: Path) -> None:
    path = tmp_path / "list.mbox"
    whole = mbox(1, 2, 3).encode()
    for size in (*range(len(whole) - 200, len(whole), 40), len(whole)):
        path.write_bytes(whole[:size])
        harvested(database, path)
    assert rows(database) == fresh(tmp_path, path)


ONE = "0 new, 0 grown, 7 unchanged, 1 changed"
NO_ZIP = "0 new, 0 grown, 8 unchanged, 1 changed, 2 gone"
TWO_MEMBERS = {"a.zip": zipped({"a": b"http://a.example/", "ä": PROSE.encode()})}
BODY = mbox(1, 2, 3).partition("\n\n")[2]
COUNTED = mbox(1).partition("\n\n")[0] + f"\nContent-Length: {len(BODY)}\n\n{BODY}"
# How an archive has changed: what was added to it before, what is new then (None where it is gone), what is said
AGAIN: dict[str, tuple[Mapping[str, bytes], Mapping[str, str | bytes | None], str]] = {
    "shrunk": ({}, {"list.mbox": mbox(*range(1, 9))}, ONE),
    "a message removed at the head": ({}, {"list.mbox": mbox(*range(2, 30))}, ONE),
    "a message removed in the middle": ({}, {"list.mbox": mbox(*range(1, 10), *range(11, 30))}, ONE),
    "as long as before": ({}, {"list.mbox": mbox(*range(1, 20)).replace("torn.exam", "torn.exom")}, ONE),
    "not an mbox any more": ({}, {"list.mbox": "http://other.example/ " * 1000}, ONE),
    "emptied": ({}, {"list.mbox": ""}, ONE),
    "grown, and not an mbox": ({}, {"text": PROSE * 51}, ONE),
    "a message that became an mbox": ({}, {"spool/alt/3": mbox(1, 2)}, ONE),
    "a member changed, and a new one": (
        TWO_MEMBERS,
        {"a.zip": zipped({"a": b"http://a.example/2", "ä": PROSE.encode(), "c": b"http://c.example/"})},
        "1 new, 0 grown, 9 unchanged, 2 changed",
    ),
    "a member gone": (
        TWO_MEMBERS,
        {"a.zip": zipped({"ä": PROSE.encode()})},
        "0 new, 0 grown, 9 unchanged, 1 changed, 1 gone",
    ),
    "a zip gone": (TWO_MEMBERS, {"a.zip": None}, "0 new, 0 grown, 8 unchanged, 3 gone"),
    "a zip that became an mbox": (TWO_MEMBERS, {"a.zip": mbox(1)}, NO_ZIP),
    "a zip that was emptied": (TWO_MEMBERS, {"a.zip": b""}, NO_ZIP),
    "a zip that became a tar": (
        {**TWO_MEMBERS, "a.zipx": TWO_MEMBERS["a.zip"], "a.zip ": TWO_MEMBERS["a.zip"]},
        {"a.zip": tarred({"b": b"http://b.example/"})},
        "1 new, 0 grown, 10 unchanged, 1 changed, 2 gone",
    ),
    "files that are named as members are": (
        {**TWO_MEMBERS, "a.zip!a": TWO_MEMBERS["a.zip"], "a.zip!b": TWO_MEMBERS["a.zip"]},
        {"a.zip": zipped({"ä": PROSE.encode()}), "a.zip!b": None},
        "0 new, 0 grown, 10 unchanged, 1 changed, 4 gone",
    ),
    "a member with the size and time it had, and another one with its name": (
        {"a.tar": tarred({"a": b"http://a.example/"})},
        {"a.tar": tarred({"a": b"http://b.example/"})[:1024] + tarred({"a": b"http://c.example/"})},
        "1 new, 0 grown, 8 unchanged, 2 changed",
    ),
    "a counted body that was half written": (
        {"list.mbox": COUNTED[:-99].encode()},
        {"list.mbox": COUNTED + mbox(4)},
        "0 new, 1 grown, 7 unchanged",
    ),
    "a zip with a name that is not UTF-8": ({"\udcff": TWO_MEMBERS["a.zip"]}, {"\udcff": b""}, NO_ZIP),
}


@pytest.mark.parametrize("name", some(AGAIN))
def test_a_changed_archive_gives_what_a_first_run_finds(archive: Path, database: Path, name: str) -> None:
    before, after, said = AGAIN[name]
    for file, content in before.items():
        (archive / file).write_bytes(content)
    harvested(database, archive)
    for file, new in after.items():
        path = archive / file
        changed = path.stat().st_mtime_ns + 1
        if new is None:
            path.unlink()
        else:
            path.write_bytes(new.encode() if isinstance(new, str) else new)
            os.utime(path, ns=(0, changed))
    assert harvested(database, archive) == said
    assert rows(database) == fresh(archive.parent, archive)


def test_a_file_that_is_gone_is_removed(archive: Path, database: Path) -> None:
    (archive / "list.mbox!old").write_text(mbox(9))
    harvested(database, archive)
    (archive / "list.mbox!old").unlink()
    (archive / "spool" / "alt" / "3").rename(archive / "spool" / "alt" / "30")
    result = harvest("-v", archive, "-o", database)
    assert f"urlmend: {archive}/list.mbox!old: gone\n" in result.stderr
    assert "urlmend: files: 0 new, 0 grown, 7 unchanged, 1 moved, 1 gone; " in result.stderr
    assert rows(database) == fresh(archive.parent, archive)
    (archive / "text").unlink()
    (archive / "text").mkdir()
    assert harvested(database, archive) == "0 new, 0 grown, 7 unchanged, 1 gone"
    assert rows(database) == fresh(archive.parent, archive)


def test_records_of_unreachable_files_are_kept(archive: Path, database: Path) -> None:
    harvested(database, archive)
    before = rows(database)
    away = archive.rename(archive.parent / "away")
    result = harvest(archive, "-o", database)
    assert (result.exit_code, rows(database)) == (2, before)
    assert f"urlmend: {archive}: No such file or directory\n" in result.stderr
    archive.mkdir()
    result = harvest(archive, "-o", database)
    assert (result.exit_code, rows(database)) == (2, before)
    assert f"urlmend: {archive}: has no files; what was found in it before is kept\n" in result.stderr
    (archive / "other").write_text("other")
    assert harvested(database, archive / "other") == "1 new, 0 grown, 0 unchanged"  # another archive removes nothing
    assert len(rows(database)["source"]) == 9
    assert harvested(database, away) == "0 new, 0 grown, 0 unchanged, 8 moved"


def test_a_broken_file_is_stored_up_to_its_fault(archive: Path, database: Path) -> None:
    path = archive / "old.mbox.gz"
    path.write_bytes(path.read_bytes()[:-20])
    result = harvest(archive, archive / "missing", "-o", database)
    assert result.exit_code == 2
    assert f"urlmend: {path}: the gzip data ends early" in result.stderr
    assert f"urlmend: {archive}/missing: No such file or directory\n" in result.stderr
    assert "8 new, 0 grown, 0 unchanged, 2 failed" in result.stderr
    assert ask(database, f"SELECT count(*) > 5 FROM record WHERE source = '{path}'") == [(1,)]
    assert ask(database, "SELECT count(*) FROM source WHERE fault LIKE 'the gzip data ends early%'") == [(1,)]
    # The fault stays until the file is whole again, or is forgotten.
    before = rows(database)
    for paths in ((archive,), (archive / "text",)):
        result = harvest(*paths, "-o", database)
        assert (result.exit_code, f"urlmend: {path}: the gzip data ends early" in result.stderr) == (2, True)
    assert rows(database) == before
    path.write_bytes(gzip.compress(mbox(1).encode()))
    assert harvest(archive, "-o", database).exit_code == 0
    path.write_bytes(tarred({"a": b"http://a.example/"})[:1024])
    assert harvest(archive, "-o", database).exit_code == 2
    path = path.rename(archive / "moved")
    assert "2 new, 0 grown, 7 unchanged, 2 gone, 1 failed" in harvest(archive, "-o", database).stderr
    assert f"urlmend: {path}: the tar data is broken" in harvest(archive / "text", "-o", database).stderr
    assert harvest("--forget", path, "-o", database).exit_code == 0


def test_a_fault_of_a_repository_or_a_member_is_reported_until_it_reads_well(tmp_path: Path, database: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(LETTER.encode()), added(LETTER.encode() * 2)])
    name = subprocess.run(["git", f"--git-dir={inbox}", "rev-parse", "HEAD:m"], check=True, capture_output=True).stdout  # noqa: S607
    blob = inbox / "objects" / name[:2].decode() / name[2:].decode().strip()
    blob.rename(tmp_path / "blob")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr("b.gz", gzip.compress(LETTER.encode())[:-9])
        zipped.writestr("c.rnews", f"#! rnews 900\n{LETTER}")
    for _ in range(3):
        result = harvest(inbox, tmp_path / "a.zip", "-o", database)
        assert result.exit_code == 2
        faults = (f"{tmp_path}/a.zip!b.gz: the gzip data ends early", f"{tmp_path}/a.zip!c.rnews: ends before its last")
        for fault in (f"{inbox}: git has no object", *faults):
            assert result.stderr.count(fault) == 1, result.stderr
        assert ", 3 failed; " in result.stderr
    (tmp_path / "blob").rename(blob)
    assert f"{inbox}" not in harvest(inbox, tmp_path / "a.zip", "-o", database).stderr
    assert ask(database, "SELECT count(*) FROM message") == [(4,)]
    assert harvest("--forget", tmp_path / "a.zip", inbox, "-o", database).exit_code == 0


def failing(after: int, error: BaseException) -> Callable[[str, object], FileIO]:
    """Return a class of files whose reads fail after *after* bytes."""

    class Failing(FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > after:
                raise error
            return super().read(size) or b""

    return lambda path, _: Failing(path)


def test_a_read_that_fails_changes_nothing(archive: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harvested(database, archive)
    before = rows(database)
    for path in (archive / "list.mbox", archive / "text"):
        path.write_text(f"http://new.example/ {'word ' * 100}" * 800)
    monkeypatch.setattr("urlmend.parallel.splits.opened_path", failing(300_000, OSError(5, "Input/output error")))
    result = harvest(archive, "-o", database)
    assert result.exit_code == 2
    for name in ("list.mbox", "text"):
        assert f"urlmend: {archive}/{name}: Input/output error\n" in result.stderr
    assert rows(database) == before


def test_a_moved_file_is_recognised(tmp_path: Path, database: Path, read: list[int]) -> None:
    archive = tmp_path / "archive"
    put_copies(archive)
    large = f"http://large.example/ {'word ' * 200_000}"
    (archive / "i.txt").write_text(large + large)
    harvested(database, archive)
    before = ask(database, "SELECT url, line FROM record ORDER BY 1, 2")
    read.clear()
    (tmp_path / "new").mkdir()
    moved = archive.rename(tmp_path / "new" / "there")
    assert harvested(database, tmp_path / "new") == "0 new, 0 grown, 0 unchanged, 9 moved"
    assert harvested(database, tmp_path / "new") == "0 new, 0 grown, 9 unchanged"
    assert sum(read) == 0
    assert ask(database, "SELECT url, line FROM record ORDER BY 1, 2") == before
    assert ask(database, f"SELECT count(*) FROM source WHERE name NOT LIKE '{moved}/%'") == [(0,)]
    # A file with another time may differ where it was not compared.
    (moved / "i.txt").rename(moved / "j.txt")
    (moved / "j.txt").write_text(large.replace(".", "-") + large)
    assert harvested(database, tmp_path / "new").endswith("1 new, 0 grown, 8 unchanged, 1 gone")


def test_forget(archive: Path, database: Path) -> None:
    harvested(database, archive)
    assert harvested(database, "--forget", archive / "spool", "--forget", archive / "text").endswith(" 5 forgotten")
    assert ask(database, "SELECT count(*) FROM source") == [(3,)]
    result = harvest("--forget", archive / "tex", "-o", database)
    assert (result.exit_code, f"urlmend: {archive}/tex: is not in the database\n" in result.stderr) == (2, True)
    assert harvested(database, archive, "--forget", archive / "list.mbox") == "6 new, 0 grown, 2 unchanged, 1 forgotten"
    assert rows(database) == fresh(archive.parent, archive)


# Copies of messages

LETTER = (
    "From: A <a@a.example>\nDate: Mon, 07 Jul 2003 10:06:12 -0300\nMessage-ID: <1@a.example>\nSubject: S\n\n"
    "See <URL:http://torn.exam\nple/1>, twice: http://a.example/ http://a.example/\nFrom here on http://no_1..example/\n"
)
FROM_LINE = "From a@a.example Mon Jul  7 10:06:12 2003\n"


def in_mbox(*letters: str) -> bytes:
    return "".join(f"{FROM_LINE}{letter.replace('From here', '>From here')}\n" for letter in letters).encode()


def put_copies(root: Path) -> list[Path]:
    """Put LETTER where messages may be, after other messages where there is room for them."""
    (root / "g").mkdir(parents=True)
    (root / "a.mbox").write_bytes(in_mbox(LETTER, LETTER))
    (root / "b.eml").write_text(LETTER)
    (root / "c.eml").write_bytes(f"Received: by a.example\n{LETTER}".replace("\n", "\r\n").encode())
    (root / "d.mbox.gz").write_bytes(gzip.compress(mbox(7, 8).encode() + in_mbox(LETTER)))
    with zipfile.ZipFile(root / "e.zip", "w") as zipped:
        zipped.write(root / "b.eml", "m.eml")
    with tarfile.open(root / "f.tar", "w") as tar:
        tar.add(root / "b.eml", "m.eml")
    made(root / "g" / "0.git", [added(LETTER.encode())])
    (root / "h.mbox").write_bytes(mbox(9).encode() + in_mbox(LETTER))
    return sorted(root.iterdir())


def test_every_copy_of_a_message_is_stored(tmp_path: Path, database: Path) -> None:
    paths = put_copies(tmp_path / "archive")
    harvest(tmp_path / "archive", "-o", database)
    for left, path in enumerate(paths):
        copies = len(paths) - left + (left == 0)
        assert ask(database, "SELECT copies, bodies FROM copied") == [(copies, 1)] * (copies > 1), path
        found = ask(database, """SELECT source, url, raw, start, "end", line FROM record WHERE message_id LIKE '1@%'""")
        urls = ["http://a.example/"] * 2 * copies + ["http://torn.example/1"] * copies
        assert sorted(one[1] for one in found) == urls
        assert ask(database, "SELECT count(*) FROM rejected WHERE text LIKE '%no_1..%'") == [(copies,)]
        assert ask(database, "SELECT sum(messages), sum(links) FROM by_host WHERE urls = 1 AND host LIKE 'a.%'") == [
            (1, 1)
        ]
        if path.suffix in {".mbox", ".eml"}:
            data = path.read_bytes()
            for source, _, raw, start, end, line in found:
                if source == str(path):
                    assert data[start:end].decode().replace("\r", "") == raw or path.name == "c.eml"
                    assert data.count(b"\n", 0, start) == line - 1
        if path.suffix == ".mbox":
            harvested(database, "--forget", path)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        (tmp_path / "archive" / "empty").touch()
        harvested(database, tmp_path / "archive")
    assert [rows(database)[name] for name in ("url", "message", "occurrence", "reject")] == [[]] * 4


INNER = "Content-Type: message/rfc822\n\nMessage-ID: <2@a.example>\n\nhttp://inner.example/"
NAMELESS = "Content-Type: message/rfc822\n\nSubject: x\n\nhttp://inner.example/"
HEAD = "Message-ID: <1@a.example>\n"
# what follows the Message-ID of messages; the links without and with --copies, and the places; copies and bodies
COPIES: tuple[tuple[list[str], tuple[int, int, int], list[tuple[int, int]]], ...] = (
    (["\nhttp://a.example/"] * 3, (1, 3, 3), [(3, 1)]),
    (["\n> http://a.example/  \n\n\n", "Received: x\n\nhttp://a.example/"], (1, 2, 2), [(2, 1)]),
    (["\nhttp://a.example/", "\nhttp://a.example/ http://b.example/"], (2, 3, 3), [(2, 2)]),
    (["\nhttp://a.example/", "\nhttp://b.example/ http://b.example/"] * 2, (2, 4, 6), [(4, 2)]),
    (["X-URL: http://a.example/\n\nhttp://b.example/", "\nhttp://b.example/"], (1, 2, 2), [(2, 1)]),
    (["Subject: http://a.example/\n\nhttp://b.example/", "\nhttp://b.example/"], (2, 3, 3), [(2, 1)]),
    ([INNER, INNER, f"{INNER} http://a.example/"], (2, 4, 4), [(3, 2)]),
    ([INNER, "Message-ID: <2@a.example>\n\nhttp://inner.example/ http://a.example/"], (2, 3, 3), []),
    ([NAMELESS, NAMELESS, "\nhttp://inner.example/"], (2, 3, 3), [(3, 2)]),
    ([f"Message-ID:\n{INNER}"] * 2, (1, 2, 2), []),
    (["Date: Mon, 07 Jul 2003 10:06:12 -0300\n\nhttp://a.example/", "\nhttp://a.example/"], (2, 2, 2), []),
    (["Date: Mon, 07 Jul 2003 10:06:12 -0300\n\nhttp://a.example/",
      "Date: Mon, 07 Jul 2003 13:06:12 GMT\n\nhttp://a.example/"], (1, 2, 2), [(2, 1)]),
)  # fmt: skip


@pytest.mark.parametrize(("letters", "numbers", "copied"), COPIES)
def test_copies_count_once(
    tmp_path: Path, database: Path, letters: list[str], numbers: tuple[int, int, int], copied: list[tuple[int, int]]
) -> None:
    paths = [tmp_path / "archive" / f"{number}.eml" for number in range(len(letters))]
    paths[0].parent.mkdir()
    for path, letter in zip(paths, letters, strict=True):
        path.write_text(f"From: a@a.example\n{'' if letter.startswith('Message-ID') else HEAD}{letter}\n")
    harvested(database, *paths)
    find(*paths, "-o", (other := tmp_path / "found.db"))
    assert [ask(made, "SELECT copies, bodies FROM copied") for made in (database, other)] == [copied] * 2
    assert ask(database, "SELECT sum(links), sum(occurrences) FROM by_host") == [(numbers[0], numbers[2])]
    for counting, number in zip((Counting(), Counting(copies=True), Counting(occurrences=True)), numbers, strict=True):
        options = [f"--{name}" for name, is_set in counting._asdict().items() if is_set]
        assert run("--count-by", "scheme", *options, *paths).stdout == f"{number}\thttp\n"
        if find_spec("vl_convert"):  # the report is an extra
            from urlmend.report.facts import gather  # noqa: PLC0415

            with closing(sqlite3.connect(database)) as db:
                assert gather(db, date(2020, 1, 1), counting).totals["links"] == number


def test_a_copy_takes_nothing_from_another_one(tmp_path: Path, database: Path) -> None:
    """Where author, subject and newsgroup differ, a link counts once for each value, whichever copy comes first."""
    path = tmp_path / "list.mbox"
    copies = [
        f"From: {name}\nDate: Mon, 07 Jul 2003 10:06:12 -0300\nSubject: [{name}] S\nNewsgroups: {name}.misc\n{HEAD}\n"
        f"{text} http://a.example/\n"
        for name, text in (("mallory", "Beware of"), ("alice", "See"), ("alice", "See"))
    ]
    for ordered in (copies, copies[::-1]):
        path.write_bytes(in_mbox(*ordered))
        harvested(database, path)
        for key, shown in (("author", "{}"), ("newsgroup", "{}.misc")):
            expected = "".join(f"1\t{shown.format(name)}\n" for name in ("alice", "mallory"))
            assert run("--count-by", key, path).stdout == expected
            for name in ("alice", "mallory"):
                found = run("--count-by", key, f"--{key}", name, "--subject", f"[{name}]", path)
                assert found.stdout == f"1\t{shown.format(name)}\n"
        assert run("--count-by", "url,month", path).stdout == "1\thttp://a.example/\t2003-07\n"
        assert ask(database, "SELECT messages, authors, occurrences, links FROM most_shared") == [(1, 2, 3, 1)]
        ((authors, subjects),) = ask(database, "SELECT author, subject FROM copied")
        assert sorted(authors.split(",")) == ["alice", "mallory"]
        assert sorted(subjects.split(",")) == ["[alice] S", "[mallory] S"]


def test_messages_without_a_message_id_are_different_ones(tmp_path: Path, database: Path) -> None:
    path = tmp_path / "list.mbox"
    same = "Subject: a\n\nhttp://a.example/\n"
    path.write_bytes(in_mbox(same, same, f"Message-ID: <>\n{same}", f"Message-ID: <>\n{same}"))
    harvested(database, path)
    assert ask(database, "SELECT links, messages FROM by_host") == [(4, 4)]
    assert run("--count-by", "scheme", path, path).stdout == "8\thttp\n"


PAGE, EVENT = f"<a href='{ADDRESS}'>x</a>".encode(), f"BEGIN:VEVENT\r\nURL:{ADDRESS}\r\nDESCRIPTION:{ADDRESS}\r\n"
# a file's name and content; the links, and the places
UNITS = (
    ("a.html", f"<!DOCTYPE html><a href='{ADDRESS}'>{ADDRESS}</a> and {ADDRESS}", 1, 3),
    ("feed", f"<rss><item><link>{ADDRESS}</link></item><item>{ADDRESS} {ADDRESS}</item></rss>", 2, 3),
    ("a.ics", f"BEGIN:VCALENDAR\r\nURL:{ADDRESS}\r\n{EVENT}{EVENT}", 3, 5),
    ("a.json", json.dumps({"a": ADDRESS, "b": [ADDRESS, "header:"]}), 2, 2),
    ("a.jsonl", f'{{"header:x": "{ADDRESS} {ADDRESS}"}}\n{{"a": "{ADDRESS}"}}\n', 3, 3),
    ("a.log", f"{ADDRESS}\n{ADDRESS}\n", 2, 2),
    ("a.warc", warc("conversion", "text/plain", f"{ADDRESS} {ADDRESS}".encode()) * 2, 2, 4),
    ("b.warc", warc("response", "application/http", http("text/html", PAGE, f"Link: <{ADDRESS}>; rel=next")), 1, 2),
)


@pytest.mark.parametrize(("name", "content", "links", "places"), UNITS)
def test_records_pages_and_items_count_as_messages(  # noqa: PLR0913, PLR0917 -- a row of the table
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str | bytes, links: int, places: int
) -> None:
    path, database, found = tmp_path / name, tmp_path / "links.db", tmp_path / "found.db"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    harvested(database, path)

    commit = tables.Database.commit

    def checked(of: tables.Database) -> None:
        commit(of)  # the process may be killed now
        assert ask(found, "PRAGMA foreign_key_check") == []

    monkeypatch.setattr(tables.Database, "commit", checked)
    monkeypatch.setattr(tables, "BUFFERED", 1)
    monkeypatch.setattr(tables, "BATCH", 1)
    run("--format", "sqlite", "-o", found, path)
    assert run("--count-by", "scheme", path).stdout == f"{links}\thttp\n"
    for each in (database, found):
        assert ask(each, "SELECT links, occurrences FROM by_host") == [(links, places)]


# Options


def test_options_are_those_of_the_first_run(tmp_path: Path, database: Path) -> None:
    path = tmp_path / "list.mbox"
    path.write_text(mbox(1) + message(2, "http://a.example/~b http://a.example/c", "d http://e.example"))
    first = ("--source", "text", "--profile", "rfc1738", "--join", "none", "--min-confidence", "0.70000001")
    assert harvest(path, "-o", database, *first).exit_code == 0
    found = "SELECT url, message, departures FROM record"
    whole = ("http://host1.example/1", "http://host2.example/2", "http://a.example/c", "http://e.example")
    assert ask(database, found) == [(url, None, "[]") for url in whole]
    path.write_text(path.read_text() + "http://f.example/~g http://f.example")
    for given in ((), first[:2], first):  # what is not given is as it was
        path.write_text(path.read_text() + " http://f.example")
        assert "1 changed" in harvest(path, "-o", database, *given).stderr
    assert ask(database, found) == [(url, None, "[]") for url in (*whole, *["http://f.example"] * 4)]
    before = rows(database)
    was_given = ("source", "auto", "text"), ("profile", "web", "rfc1738"), ("join", "evident", "none")
    assert harvest(path, "-o", database, "--min-confidence", ".70000001").exit_code == 0
    for option, value, was in (*was_given, ("min-confidence", ".8", "0.70000001")):
        result = harvest(path, "-o", database, f"--{option}", value)
        why = f"was made with --{option} {was}: use that, or harvest into a new file"
        assert (result.exit_code, result.stderr) == (2, f"urlmend: {database}: {why}\n")
    assert rows(database) == before


def test_a_source_that_is_given_is_used(tmp_path: Path, database: Path) -> None:
    """A mailbox whose beginning does not look like one grows as one; the empty line is no message."""
    path = tmp_path / "list"
    path.write_text("\n" + mbox(1, 2))
    assert harvested(database, path, "--source", "mbox") == "1 new, 0 grown, 0 unchanged"
    path.write_text(path.read_text() + mbox(3))
    assert harvested(database, path) == "0 new, 1 grown, 0 unchanged"
    assert ask(database, "SELECT number, message_id FROM message") == [(n, f"{n}@a.example") for n in (1, 2, 3)]


# Interrupted, or killed; many more moments are in slow/test_database.py


def test_an_interrupted_harvest_says_so_and_resumes(
    archive: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("urlmend.parallel.splits.opened_path", failing(0, SystemExit(130)))
        patch.setattr(tables, "BATCH_BYTES", BATCH)
        patch.setattr("urlmend.parallel.splits.PIECE_SIZE", BATCH)
        result = harvest(archive, "-o", database)
    assert result.exit_code == 130
    assert result.stderr == f"urlmend: interrupted; run it again to continue with {database}\n"
    assert "resumed" in harvested(database, archive)
    assert rows(database) == fresh(archive.parent, archive)


# What cannot be written


def small_disk(monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """Give each database so few pages."""
    connect = sqlite3.connect

    def small(*args: Any, **options: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*args, **options)
        db.execute(f"PRAGMA max_page_count = {pages}")
        return db

    monkeypatch.setattr(tables.sqlite3, "connect", small)  # type: ignore[attr-defined]


FULL = "the disk is full; what was written before is kept"


def test_a_full_disk_loses_nothing(archive: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harvested(database, archive / "spool")
    before = rows(database)
    with monkeypatch.context() as patch:
        small_disk(patch, 30)
        patch.setattr(tables, "BATCH_BYTES", BATCH)
        patch.setattr("urlmend.parallel.splits.PIECE_SIZE", BATCH)
        result = harvest(archive, "-o", database)
    assert (result.exit_code, result.stderr) == (2, f"urlmend: {database}: {FULL}\n")
    assert set(map(repr, before["occurrence"])) < set(map(repr, rows(database)["occurrence"]))
    harvested(database, archive)
    assert rows(database) == fresh(archive.parent, archive)


@pytest.mark.slow
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
            done = as_nobody(directory, archive / "text", "harvest", directory / "text", "-o", output)
            assert done.returncode == 2
            assert done.stderr in {
                f"urlmend: {output}: {why}\n" for why in ("cannot be written", "cannot be opened or created")
            }
        directory.chmod(0o755)
        database.chmod(0o644)
        assert rows(database) == before
        assert not (directory / "new.db").exists()


def test_a_file_that_is_not_a_database_of_urlmend_is_left_as_it_is(archive: Path, tmp_path: Path) -> None:
    other, older, newer, damaged, text = (tmp_path / f"{name}.db" for name in "other older newer damaged text".split())
    with closing(sqlite3.connect(other)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE url (x)")
    for database, version in ((older, 1), (newer, 99), (damaged, SCHEMA_VERSION)):
        harvested(database, archive / "text")
        ask(database, f"PRAGMA user_version = {version}")
    with damaged.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 40960)
    text.write_text("some text\n" * 100)
    for path, why in (
        (other, "is an SQLite database, but not urlmend's; nothing was changed"),
        (text, "is not an SQLite database; nothing was changed"),
        (older, "was made by another version of urlmend: harvest again, into a new file"),
        (newer, "was made by another version of urlmend: harvest again, into a new file"),
        (damaged, "database disk image is malformed"),
        (tmp_path, "Is a directory"),
    ):
        before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
        commands = [harvest(archive, "-o", path)]
        if find_spec("vl_convert"):  # the report is an extra
            commands.append(run("report", path, "-o", tmp_path / "report.html"))
        for result in commands:
            assert (result.stderr, result.exit_code) == (f"urlmend: {path}: {why}\n", 2)
        assert {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before


def test_a_database_in_use(archive: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harvested(database, archive / "text")
    monkeypatch.setattr(tables, "BUSY", 0)
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        result = harvest(archive, "-o", database)
    assert (result.stderr, result.exit_code) == (f"urlmend: {database}: is in use by another process\n", 2)


def test_writes_of_another_process_during_a_source_are_noticed(database: Path) -> None:
    def write(into: tables.Database, name: str) -> None:
        into.begin()
        into.new(name)
        into.end()
        into.commit()

    with (
        closing(tables.Database(str(database), "harvest", {})) as ours,
        closing(tables.Database(str(database), "harvest", {})) as theirs,
    ):
        write(ours, "a")
        write(theirs, "b")  # between two sources that does no harm
        ours.begin()
        ours.go_on()
        # They write between our commit and our next transaction.
        run = ours._db.set_trace_callback  # noqa: SLF001 -- no public name tells of this moment
        run(lambda sql: write(theirs, "c") if sql == "BEGIN IMMEDIATE" else None)
        with pytest.raises(DatabaseError, match="another process"):
            ours.go_on()
