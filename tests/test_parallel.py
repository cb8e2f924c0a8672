"""Several processes find and write the same as one, wherever files are divided, and leave nothing behind."""
# ruff: noqa: S603 -- the processes are the command itself

import gzip
import io
import os
import pkgutil
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest
from benchmarks import roads
from corpora import generate

import cases
import messages
from commands import children, is_running, run, wait_until
from deadly import DEADLY, Deadly, DeadlyReader
from files import FILES, MBOX, ROADS, TEXT, added, commits, deleted, git, made, tarred, zipped
from harvests import fresh, harvest, harvested, make_archive, mbox as mailbox, rows
from in_this_process import InThisProcess, in_this_process
from sample import some
from terminal import heed_signals
from test_sources import BROKEN, HOSTILE, bomb
from urlmend import RFC1738, WEB, Profile, Rejected, SourceError, URLMatch, find_urls, iter_urls, parallel
from urlmend.cli import find
from urlmend.cli.progress import Bar
from urlmend.output.database import harvest as storing
from urlmend.parallel import splits
from urlmend.parallel.pool import files_by
from urlmend.query import Query
from urlmend.reading import Job
from urlmend.sources import compression
from urlmend.sources.containers import Faults
from urlmend.sources.directories import files
from urlmend.sources.mbox import ranges
from urlmend.sources.reader import MAX_LINE

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
FROM = b"From jane@a.example Thu Mar  7 10:06:12 1996\n"
Result = tuple[list[URLMatch], list[Rejected]]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    in_this_process(monkeypatch, 4000)
    return monkeypatch


def found(path: Path, jobs: int = 1, **options: Any) -> Result:
    rejected: list[Rejected] = []
    return list(iter_urls(path, jobs=jobs, rejected=rejected.append, **options)), rejected


def check(path: Path, expected: Result, **options: Any) -> None:
    """Compare all fields of matches and rejected candidates; of each two origins only once, as that reads a header."""
    compared = set()
    results: zip[tuple[Any, Any]] = zip(found(path, 2, **options), expected, strict=True)
    for several, one in results:
        assert len(several) == len(one)
        for match, other in zip(several, one, strict=True):
            names = [name for name in type(other).__slots__ if name != "origin"]
            assert [getattr(match, name) for name in names] == [getattr(other, name) for name in names]
            if (pair := (id(match.origin), id(other.origin))) not in compared:
                compared.add(pair)
                assert match.origin == other.origin


def generated(kind: str, size: int, seed: int = 1) -> bytes:
    return b"".join(block for block, _ in generate.generate(kind, size, seed, bare_breaks=True))


# Where texts are divided


@pytest.mark.parametrize(
    ("size", "profile"),
    [(12_000, WEB), pytest.param(2_000, RFC1738, marks=pytest.mark.slow)],
)
def test_a_text_of_all_cases_is_divided(here: pytest.MonkeyPatch, tmp_path: Path, size: int, profile: Profile) -> None:
    path = tmp_path / "text"
    texts = [case.text for case in cases.CASES.values() if len(case.text) < 20_000]
    random.Random(size).shuffle(texts)
    path.write_bytes("\n".join(texts).encode())
    here.setattr(splits, "SPLIT_SIZE", size)
    check(path, found(path, source="text", profile=profile), source="text", profile=profile)
    assert InThisProcess.read > path.stat().st_size // size // 2


def divided(path: Path) -> list[splits.Split]:
    return list(splits.splits(0, str(path), Query(), numbered=True))


@pytest.mark.parametrize("kind", ["mail", "news", "docs"])
@pytest.mark.parametrize("source", ["auto", pytest.param("text", marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", some([7_000, 2_000]))
def test_generated_files(here: pytest.MonkeyPatch, tmp_path: Path, kind: str, source: str, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(generated(kind, 50_000))
    here.setattr(splits, "SPLIT_SIZE", size)
    check(path, found(path, source=source), source=source)


DIFFICULT = {
    "one long URL": b"x\n\nhttp://a.example/" + b"b" * 40_000 + b"\n\nhttp://b.example/\n",
    "CR only": b"http://a.example/b-\rc http://d.example/\r" * 200,
    "a byte order mark": b"\xef\xbb\xbfhttp://a.example/ " + b"x\n\nhttp://b.example/ " * 350,
    "UTF-16": ("http://a.example/b\n\n" * 200).encode("utf-16"),
    "not ASCII": "ü http://bücher.example/é\n\n".encode() * 300,
    "hyphens": b"".join(b"<http://a%d.example/b-\n c> http://a%d.example/bc\n\n" % (n, n - 90) for n in range(150)),
}


@pytest.mark.parametrize("name", DIFFICULT)
def test_difficult_texts(here: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(DIFFICULT[name])
    here.setattr(splits, "SPLIT_SIZE", 1_100)
    check(path, found(path, source="text"), source="text")
    assert (InThisProcess.read > 2) == (name in {"a byte order mark", "not ASCII", "hyphens"})


LONG = "http://a.example/a/path/that/is/long/and/fills/the/line/"
END = "of/http://b.example/c.html"  # the URL in it would be found if the line began a split
PAGE = "\n\n\nJane Doe  Informational  [Page 3]\n\f\nRFC 1738  Locators with words  1994\n\n\n"
ON_REQUEST: dict[str, Any] = {"schemeless": True, "addresses": True, "refang": True}
# a text with a URL that crosses its lines, and the options
CROSSED: dict[str, tuple[str, dict[str, Any]]] = {
    "a page break": (f"{LONG}{PAGE}{END}\n", {}),
    "a page break that is quoted": (f"> <URL:{LONG}{PAGE}> {END}>\n", {}),
    "the last of some words": (f"there are words {LONG}\n{END}\n", {}),
    "a comment": (f"dnl {LONG}\ndnl more/and/more/path/that/is/long/and/fills/it/\ndnl {END}\n", {}),
    "without a scheme": (f"there are words www.{LONG.removeprefix('http://')}\n{END}\n", ON_REQUEST),
    "a wrapper": (f"<URL:http://a.example/b\nsome running words\n{END}>\n", {}),
    "a wrapper of entities": (f"&lt;URL:http://a.example/b\nsome running words\n{END}&gt;\n", {}),
    "a defanged wrapper": (f"<URL:\n\n hxxp://a[.]example/b\n{END}>\n", ON_REQUEST),
    "a wrapper in a quote": (
        f"JD> <URL:http://a.example/b\nJD> some running words\nJD> and more\nJD> {END}>\n",
        {},
    ),
}


@pytest.mark.parametrize("name", CROSSED)
def test_a_url_may_cross_the_line_where_a_text_is_divided(here: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    text, options = CROSSED[name]
    path, (match,) = tmp_path / "text", find_urls(text, **options)
    assert len(match.raw.splitlines()) > 1
    here.setattr(splits, "SPLIT_SIZE", 1_000)
    for line in text.splitlines(keepends=True):
        path.write_text("x\n" * ((1_000 - text.index(line)) // 2) + text + "x\n" * 5_000)
        check(path, found(path, source="text", **options), source="text", **options)
        assert InThisProcess.read > 1


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, ON_REQUEST], ids=["", "on request"])
def test_random_texts_are_divided(here: pytest.MonkeyPatch, tmp_path: Path, options: Any) -> None:
    rng, path = random.Random(1738), tmp_path / "text"
    parts = [
        PAGE,
        PAGE.replace("\f", ""),
        LONG,
        "some running words\n",
        "and more of them\n",
        "http:",
        "jane at a.example ",
    ]
    parts += [*"<> |-&", "\n", "\n\n", "\r\n", "> ", "JD> ", "12: ", "<URL:", "&lt;", "&gt;", "=3D", "=\n", "of.html\n"]
    for _ in range(20):
        path.write_text("".join(rng.choices(parts, [rng.random() ** 3 for _ in parts], k=1000)), newline="")
        here.setattr(splits, "SPLIT_SIZE", rng.choice((300, 900, 2_500)))
        check(path, found(path, source="text", **options), source="text", **options)


def test_undivided_files_come_in_pieces(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "gz").write_bytes(gzip.compress((generated("docs", 5_000) + b"words\n" * 10_000) * 5))
    for name in ("MOST_MATCHES", "PIECE_SIZE"):
        with here.context() as patched:
            patched.setattr(splits, name, 1)
            (split,) = divided(tmp_path / "gz")
            assert len(list(splits.SplitReader(split, Job(Query())).pieces())) > 2


@pytest.mark.usefixtures("small_splits")
@pytest.mark.parametrize("lines", [10, 3_000])
def test_a_divided_file_that_gets_shorter_is_reported(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "text"
    path.write_text("http://a.example/b\n" * 2_000)
    *_, last = divided(path)
    path.write_text("http://a.example/b\n" * lines)
    errors = [str(piece.error) for piece in splits.SplitReader(last, Job(Query())).pieces() if piece.error]
    assert ["changed while it was read" in error for error in errors] == [True] * (lines < 2_000)


# Where mboxes are divided


def mbox() -> bytes:
    """Return every message of the table, and one with a Content-Length that has the start of another in it."""
    data = [case.data.replace(b"\n.\n", b"\n") for case in messages.CASES.values() if case.source == "message"]
    data.insert(5, counted(b"http://a.example/1\n\n" + FROM + b"Subject: x\n\nhttp://a.example/2\n"))
    return b"".join(FROM + message + b"\n\n" for message in data)


def counted(body: bytes) -> bytes:
    return b"Subject: counted\nContent-Length: %d\n\n" % len(body) + body


@pytest.mark.parametrize(("size", "in_cr"), [(1, 0), (3_000, 0), (20_000, 0), (20_000, MAX_LINE)])
def test_mboxes_are_divided_at_messages(here: pytest.MonkeyPatch, tmp_path: Path, size: int, in_cr: int) -> None:
    path = tmp_path / "mbox"
    path.write_bytes(mbox()[:in_cr].replace(b"\n", b"\r") + mbox()[in_cr:])
    here.setattr(splits, "SPLIT_SIZE", size)
    expected = found(path)
    assert max(match.origin.message or 0 for match in expected[0]) > 20
    check(path, expected)
    # It may become shorter meanwhile.
    shorter = compression.PeekableFile(io.BytesIO(mbox()[:-700]))
    begins = [part.begin for part in islice(ranges(shorter, len(mbox()), size), len(mbox()))]
    assert len(set(begins)) == len(begins)


def test_messages_hidden_in_others_are_not_counted(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here.setattr(splits, "PIECE_SIZE", 1000)
    plain = b"Subject: plain\n\nhttp://b.example/\n" + b"words\n" * 300
    hiding = counted(b"http://a.example/\n\n" + FROM + b"Subject: x\n\nhttp://a.example/\n" + b"words\n" * 600)
    path = tmp_path / "mbox"
    path.write_bytes(b"".join(FROM + (plain if number % 7 else hiding) + b"\n\n" for number in range(60)))
    expected = found(path)
    assert expected[0][-1].origin.message == 60
    check(path, expected)
    assert len(divided(path)) > 20
    check_all(path)


# What is written


def printed(*arguments: str) -> tuple[int, bytes, bytes]:
    """Return the exit status of the command, its output and its messages."""
    result = run(*arguments, stdin="http://stdin.example/\n")
    return result.exit_code, result.stdout_bytes, result.stderr_bytes


OPTIONS = (
    (),
    ("-nbH",),
    ("--format", "jsonl"),
    ("--format", "tsv", "--host", "*.example"),
    ("--until", "1996-03", "--author", "/./"),
    ("-n", "--until", "1996-03"),
    ("-c",),
    ("-nH", "--rejects", "-"),
    ("-u",),
    ("--limit", "7", "-n"),
    ("-l",),
    ("--format", "csv", "--min-confidence", ".9"),
    ("-H", "-0", "--color=always"),
    ("--count-by", "host,month,author", "--no-quoted"),
    ("--readings", "all"),
)


@pytest.mark.parametrize("options", some(((each,) for each in OPTIONS), 9), ids=" ".join)
def test_several_processes_write_the_same(here: pytest.MonkeyPatch, tmp_path: Path, options: tuple[str, ...]) -> None:
    whole = [b"http://a%d.example/bc\n\n" % n + b"x\n\n" * n for n in range(20)]
    broken = [b"<http://a%d.example/b-\n c>\n\n" % n + b"x\n\n" * n + b"http://b.example/ " * 3 for n in range(30)]
    crlf = b"<http://a.example/b-\r\nc> http://d.example/\r\n\r\n"
    text = generated("docs", 7_000)
    other_mail = b"x\nContent-Transfer-Encoding: base64\n\n" + text
    for number, data in enumerate(
        (mbox(), text, other_mail, crlf * 90, b"".join(whole + broken + whole), gzip.compress(text))
    ):
        (tmp_path / str(number)).write_bytes(data)
    (tmp_path / "zip").write_bytes(zipped({"a": MBOX, "b": text}))
    here.setattr(splits, "SPLIT_SIZE", 2000)
    assert printed("-rj2", *options, str(tmp_path)) == printed("-rj1", *options, str(tmp_path))


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress(here: pytest.MonkeyPatch, tmp_path: Path, jobs: int) -> None:
    advanced: list[int] = []
    here.setattr(Bar, "advance", lambda _, size: advanced.append(size))
    text = b"\xef\xbb\xbf" + b"http://a.example/ x\n\n" * 1500
    files = {"text": text, "mbox": mbox(), "gz": gzip.compress(mbox()), "empty": b"", "tar": tarred(MORE)}
    for name, data in {**files, "zip": zipped(MORE), "zip in tar": ROADS["zip in tar"](MORE)}.items():
        advanced.clear()
        (tmp_path / name).write_bytes(data)
        printed(f"-j{jobs}", str(tmp_path / name))
        # A byte order mark and the directory of a zip do not count, but for what is looked at of its beginning.
        assert len(data) * 0.25 <= sum(advanced) <= len(data), name
        assert "zip" in name or name == "tar" or len(data) - sum(advanced) <= 3, name


# Members of archives


def many_faults(count: int) -> bytes:
    return zipped({str(number): b"\x1f\x8b nothing" if number % 3 else TEXT for number in range(count)})


MORE = {
    **FILES,
    "x.pdf": b"%PDF-1.4\nhttp://pdf.example/\n",
    "bad.jsonl": b'{"a": "http://a.example/"}\n{"b": 1}\nno http://json.example/\n{"c": "http://c.example/"}\n',
    "empty": b"",
    "hyphens": b"<http://www.foo-\nbar.example/> and http://b.example/\n" + MBOX,
    "whole": b"http://www.foobar.example/",
}
ARCHIVES: dict[str, Callable[[], bytes]] = {
    **{road: partial(pack, MORE) for road, pack in ROADS.items()},
    **{f"broken: {name}": partial(bytes, data) for name, (data, _, _) in BROKEN.items()},
    **{f"hostile: {name}": HOSTILE[name][0] for name in ("overlapping members", "a long name")},
    "many faults": lambda: many_faults(100),
    "faults in faults": lambda: zipped({"a": many_faults(50), "b": TEXT, "c": many_faults(50), "d": b"\x1f\x8b not"}),
    "an Office file": lambda: zipped({"[Content_Types].xml": b"x", "word.xml": TEXT}),
    "two of one name": lambda: zipped({"a": TEXT, "b": TEXT}, zipfile.ZIP_STORED).replace(b"b", b"a"),
    "a PDF": lambda: MORE["x.pdf"],
    "bad JSON lines": lambda: MORE["bad.jsonl"],
}
SOME = {"zip in tar", "broken: checksum", "bad JSON lines"}


@pytest.fixture
def by_member(here: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Make each two messages of a public-inbox a split, and each match a piece."""
    for name, value in {"SPLIT_SIZE": 4, "MOST_MATCHES": 1, "PIECE_SIZE": 1}.items():
        here.setattr(splits, name, value)
    return here


def records(path: Path, jobs: int) -> tuple[list[object], str]:
    """Return what the library finds at *path*, and the error that ends it."""
    matches: list[object] = []
    try:
        matches.extend(match.as_dict() for match in iter_urls(path, jobs=jobs))
    except OSError as error:
        return matches, f"{type(error).__name__}: {error}"
    return matches, ""


def check_all(path: Path, *more: tuple[str, ...]) -> tuple[int, bytes, bytes]:
    """Compare the command and the library in one process and in two; return what is printed."""
    for options in ((), ("-c",), ("--format", "jsonl"), ("-nbH", "--rejects", "-"), *more):
        assert printed("-j2", *options, str(path)) == printed("-j1", *options, str(path)), options
    assert records(path, 2) == records(path, 1)
    return printed("-j2", str(path))


@pytest.mark.usefixtures("by_member")
@pytest.mark.parametrize(
    "name", [name if name in SOME else pytest.param(name, marks=pytest.mark.slow) for name in ARCHIVES]
)
def test_members_of_archives(tmp_path: Path, name: str) -> None:
    path = tmp_path / "archive"
    path.write_bytes(ARCHIVES[name]())
    check_all(path, ("-a",), ("-u",), ("--source", "text"))
    # Messages about what comes after a file's first URL are printed only if that is read.
    assert printed("-j2", "-l", str(path))[:2] == printed("-j1", "-l", str(path))[:2]


def undeclared() -> bytes:
    """Return a zip of zips: nothing outside the innermost members says how large they become."""
    inside = {"1": b"http://a.example/ ", "2": b"x" * (1 << 19), "3": b"\0" * (1 << 20), "4": TEXT, "5": bomb()}
    return zipped({name: zipped({"in": data}) for name, data in inside.items()})


def bombs_in_a_tar() -> bytes:
    return tarred({f"{n}.gz": gzip.compress(b"http://a.example/%d\n" % n + bytes(1 << 18)) for n in range(12)})


@pytest.mark.parametrize(("make", "most"), [(bomb, 250), (undeclared, 250), (bombs_in_a_tar, 20)])
def test_a_bomb_is_abandoned_at_the_same_place_as_by_one_process(
    by_member: pytest.MonkeyPatch, tmp_path: Path, make: Callable[[], bytes], most: int
) -> None:
    by_member.setattr(compression, "FREE", 1 << 20)
    by_member.setattr(compression, "MAX_RATIO", most)
    (tmp_path / "archive").write_bytes(make())
    assert b"expands to more than %d times" % most in check_all(tmp_path / "archive")[2]


# Messages of a public-inbox


def message(number: int, text: str) -> bytes:
    return f"From: jane@a.example\nSubject: {number}\nMessage-ID: <{number}@a.example>\n\n{text}\n".encode()


MAILS = [
    message(1, "http://a.example/1 and <http://www.foo-\nbar.example/>"),
    message(2, "http://www.foobar.example/"),
    message(3, "nothing"),
    message(4, "<http://www.foo-\nbar.example/> http://a.example/4"),
    message(5, "http://a.example/5\n" * 40),
    message(6, "http://a.example/6"),
]
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.mark.slow
@needs_git
@pytest.mark.usefixtures("by_member")
def test_messages_of_an_inbox(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here.setattr("urlmend.sources.directories.packed_size", lambda _: 1 << 20)
    inbox = tmp_path / "list"
    made(inbox / "git" / "0.git", [*map(added, MAILS[:4])])
    made(inbox / "git" / "1.git", [*map(added, MAILS[4:]), deleted(MAILS[3])])
    status, out, said = check_all(inbox, ("-H",))
    assert (status, out.count(b"http://a.example/5"), out.count(b"/4"), said) == (0, 40, 0, b"")
    assert len(divided(inbox)) == 3


@pytest.mark.slow
@needs_git
@pytest.mark.usefixtures("by_member")
@pytest.mark.parametrize("lost", ["message", "commit"])
def test_objects_missing_in_git_are_reported_at_the_end(here: pytest.MonkeyPatch, tmp_path: Path, lost: str) -> None:
    here.setattr("urlmend.sources.directories.packed_size", lambda _: 1 << 20)
    path = made(tmp_path / "list.git", [*map(added, MAILS)])
    for pack in (path / "objects" / "pack").glob("*.pack"):
        data = pack.read_bytes()
        pack.rename(tmp_path / "pack")
        for index in (path / "objects" / "pack").iterdir():
            index.unlink()
        git(path, "unpack-objects", "-q", given=data)
    name = commits(path)[2]
    blob = git(path, "rev-parse", f"{name}:m" if lost == "message" else name).decode().strip()
    (path / "objects" / blob[:2] / blob[2:]).unlink()
    status, out, said = check_all(path)
    assert (status, said.count(b"\n"), b"/6" in out) == (2, 1, lost == "message")


# Harvests


def dumped(database: Path) -> str:
    with closing(sqlite3.connect(database)) as db:
        return "\n".join(db.iterdump())


def many_kinds(root: Path) -> Path:
    """Make an archive with files of every kind: several processes read all of them, but not a mbox that has grown."""
    make_archive(root)
    (root / "broken.gz").write_bytes(gzip.compress(MBOX)[:-9])
    (root / "members.zip").write_bytes(zipped({"a": MBOX, "b": TEXT}))
    (root / "list.tar.gz").write_bytes(gzip.compress(tarred({"a": MBOX, "b": TEXT})))
    (root / "large.text").write_bytes(generated("docs", 12_000))
    (root / "same.mbox").write_bytes((root / "list.mbox").read_bytes())
    quiet = mailbox(*range(400, 440)).replace("http:", "").replace("www.", "")
    (root / "ends-quiet.mbox").write_text(mailbox(350) + quiet)
    (root / "quiet.mbox").write_text(quiet)
    (root / "x.pdf").write_bytes(b"%PDF-1.4\nhttp://pdf.example/\n")
    (root / "table.jsonl").write_bytes(MORE["bad.jsonl"])
    if shutil.which("git"):
        made(root / "inbox" / "git" / "0.git", [*map(added, MAILS)])
    return root


@pytest.mark.parametrize("batch", [300, pytest.param(1 << 23, marks=pytest.mark.slow)])
def test_a_harvest_stores_the_same(here: pytest.MonkeyPatch, tmp_path: Path, batch: int) -> None:
    here.setattr("urlmend.parallel.pool.Pool", InThisProcess)
    here.setattr("urlmend.output.database.database.BATCH_BYTES", batch)
    here.setattr(splits, "PIECE_SIZE", batch)
    here.setattr(splits, "SPLIT_SIZE", 2_000)
    root = many_kinds(tmp_path / "archive")
    options = ("-v", "--min-confidence", ".9", root)
    said = [harvest(jobs, *options, "-o", tmp_path / jobs).stderr.replace(jobs, "") for jobs in ("-j1", "-j2")]
    assert dumped(tmp_path / "-j2") == dumped(tmp_path / "-j1")
    assert sorted(said[0].splitlines()) == sorted(said[1].splitlines())
    assert "6 new" not in said[0]
    # What has changed, or was added, moved and deleted.
    with (root / "list.mbox").open("a") as file:
        file.write(mailbox(50, 51))
    (root / "text").write_bytes(b"http://changed.example/")
    (root / "old.mbox.gz").rename(root / "renamed.gz")
    (root / "spool" / "alt" / "1").unlink()
    (root / "new.mbox").write_text(mailbox(*range(300, 320)))
    if shutil.which("git"):
        shutil.rmtree(root / "inbox")
        made(root / "inbox" / "git" / "0.git", [*map(added, MAILS), deleted(MAILS[0]), added(MAILS[0] + b"more\n")])
    for jobs in ("-j1", "-j2"):
        harvest("-v", jobs, root, "-o", tmp_path / jobs)
    assert dumped(tmp_path / "-j2") == dumped(tmp_path / "-j1")
    assert rows(tmp_path / "-j2") == rows(tmp_path / "-j1")


@pytest.mark.parametrize("first", ["read", "divided"])
@pytest.mark.parametrize("after", [range(1, 30), range(5, 40), range(1, 9), range(4, 9)])
def test_files_that_change_meanwhile(here: pytest.MonkeyPatch, tmp_path: Path, first: str, after: range) -> None:
    path, database = tmp_path / "a.mbox", tmp_path / "links.db"
    replaced = tmp_path / "new" if after.start == 5 else path

    class ReadsAhead(InThisProcess):
        def results(self, tasks: Iterable[splits.Task]) -> Iterator[splits.Piece]:
            found = super().results([*tasks])
            known = [*found] if first == "read" else []
            replaced.write_text(mailbox(*after))
            replaced.rename(path)
            return chain(known, found)

    here.setattr("urlmend.parallel.pool.Pool", ReadsAhead)
    path.write_text(mailbox(*range(1, 20)))
    result = harvest("-j2", path, "-o", database)
    has_grown = after == range(1, 30)
    expected = (0, "") if has_grown else (2, f"urlmend: {path}: changed while it was read\n")
    assert (result.exit_code, result.stderr.partition("urlmend: files")[0]) == expected
    harvest("-j1", path, "-o", database)
    assert rows(database) == fresh(tmp_path, path)


@pytest.mark.slow
@needs_proc
def test_a_harvest_reads_on_after_a_process_has_died(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LEAST_SIZE", -1)
    monkeypatch.setattr(splits, "SPLIT_SIZE", 1_000)
    monkeypatch.setattr(storing, "SplitReader", DeadlyReader)
    monkeypatch.setenv("READS_ON", str(os.getpid()))
    root = make_archive(tmp_path / "archive")
    result = harvest("-j2", root, "-o", tmp_path / "links.db")
    assert result.exit_code == 2
    assert "list.mbox: the process reading it died (SIGKILL)" in result.stderr
    assert "7 new, 0 grown, 0 unchanged, 1 failed" in result.stderr
    harvested(tmp_path / "links.db", root)
    assert rows(tmp_path / "links.db") == fresh(tmp_path, root)


# How many processes read


def test_small_files_and_file_objects_start_no_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"http://a.example/")
    monkeypatch.delattr("urlmend.parallel.pool.files_by")
    check(tmp_path / "file", found(tmp_path / "file"))
    monkeypatch.setattr(parallel, "LEAST_SIZE", 0)
    with (tmp_path / "file").open("rb") as file:
        assert next(iter_urls(file, jobs=2)).url == "http://a.example/"


def test_only_large_files_are_divided(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = b"http://a.example/ x\n\n" * 4000
    files = {
        "gz": gzip.compress(text),
        "message": b"From: a\nSubject: b\nDate: c\n\n" + text,
        "small": text[:7000],
        "text": text,
        "tar": tarred({"a": text, "b": text}),
        "zip": zipped({"a": text, "b": text}, zipfile.ZIP_STORED),
    }
    here.setattr(splits, "SPLIT_SIZE", 8000)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    parts = {name: len(divided(tmp_path / name)) for name in files}
    assert parts == {"gz": 1, "message": 1, "small": 1, "text": 10, "tar": 1, "zip": 1}
    together = [str(tmp_path / name) for name in ("small", "gz", "missing", "text", "small")]
    found = chain.from_iterable(splits.splits(0, path, Query(), numbered=False) for path in together)
    assert [len(task) for task in splits.grouped(found)] == [3, *[1] * 10, 1]


# Processes


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a directory of files: of several splits, small ones, broken ones."""
    directory = tmp_path_factory.mktemp("archive")
    mail = generated("mail", 25_000)
    (directory / "0.text").write_bytes(generated("docs", 40_000))
    (directory / "1.mbox").write_bytes(mail)
    (directory / "2.gz").write_bytes(gzip.compress(mail)[:-2000])
    for number in range(10, 20):
        (directory / f"{number}.small").write_bytes(generated("mail", 3_000, number))
    (directory / "5").symlink_to("nowhere")
    return directory


@pytest.fixture
def small_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files of any size read by other processes, in small splits."""
    monkeypatch.setattr(parallel, "LEAST_SIZE", -1)
    monkeypatch.setattr(splits, "SPLIT_SIZE", 10_000)


@pytest.mark.usefixtures("small_splits")
@pytest.mark.parametrize(
    ("options", "jobs"),
    [
        (("-nbH", "--host", "*"), "-j2"),
        *(pytest.param(each, "-j7", marks=pytest.mark.slow) for each in OPTIONS[1::3]),
    ],
)
def test_the_command_prints_the_same(archive: Path, options: tuple[str, ...], jobs: str) -> None:
    paths = ("missing", str(archive), str(archive / "10.small"))
    one = printed("-rj1", *options, *paths)
    assert printed("-r", jobs, *options, *paths) == one
    assert one[0] == 2 or "--limit" in options
    assert b"2.gz: the gzip data ends early" in one[2] or {"--limit", "-l"} & {*options}


@pytest.mark.usefixtures("small_splits")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_read_by_the_main_process(archive: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    Thread(target=pipe.write_text, args=["http://pipe.example/\n"], daemon=True).start()
    _, out, _ = printed("-j2", str(archive / "10.small"), str(pipe), "-")
    assert out.splitlines()[-2:] == [b"http://pipe.example/", b"http://stdin.example/"]


IN_SMALL_SPLITS = """
from urlmend import parallel
from urlmend.__main__ import run
from urlmend.parallel import splits
parallel.LEAST_SIZE, splits.SPLIT_SIZE = 0, 10_000
run()
"""


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("how", ["interrupt", "closed pipe", "killed"])
def test_no_process_is_left_behind(archive: Path, how: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", IN_SMALL_SPLITS, "--format", "jsonl", "-j", "2", "0.text"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=archive,
        preexec_fn=heed_signals,  # noqa: PLW1509 -- this process has no threads
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().endswith(b"\n")
        # There is more to print than a pipe takes: it has not ended.
        started = children(process.pid)
        assert started
        if how == "interrupt":
            process.send_signal(signal.SIGINT)
        elif how == "killed":
            process.kill()
        if how == "closed pipe":
            process.stdout.close()
        else:
            process.stdout.read()
        status = process.wait(60)
        error = process.stderr.read()
    assert (error, status) == (b"", {"interrupt": 130, "closed pipe": 141, "killed": -signal.SIGKILL}[how])
    wait_until(lambda: not any(map(is_running, started)))


@pytest.mark.slow
@needs_proc
@pytest.mark.usefixtures("small_splits")
def test_closing_the_iterator_ends_the_processes(archive: Path) -> None:
    matches = iter_urls(archive, jobs=2)
    next(matches)
    assert children(os.getpid())
    matches.close()  # type: ignore[attr-defined]  # it is a generator
    assert not children(os.getpid())


LEFT_OPEN = """
import pathlib, sys
from urlmend import iter_urls, parallel
import urlmend.parallel.splits
parallel.LEAST_SIZE = parallel.splits.SPLIT_SIZE = 1000
next(matches := iter_urls(pathlib.Path(sys.argv[1]), jobs=2))
"""


@pytest.mark.slow
def test_an_iterator_may_be_left_open(archive: Path) -> None:
    subprocess.run([sys.executable, "-c", LEFT_OPEN, archive], check=True, timeout=60)


# A process that dies


@pytest.mark.slow
@needs_proc
@pytest.mark.usefixtures("small_splits")
@pytest.mark.parametrize("deadly", ["mbox", "small"])
def test_a_killed_reader_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deadly: str) -> None:
    urls = {name: [f"http://{name}{n}.example/" for n in range(2000)] for name in "abc"}
    urls["b"].insert(1500, DEADLY)
    if deadly == "small":
        urls["b"] = [DEADLY]
    for name, its_urls in urls.items():
        (tmp_path / name).write_text("\n\n".join(its_urls))
    monkeypatch.setattr(find, "Chooser", lambda _options: Deadly())
    status, out, said = printed("-rj3", str(tmp_path))
    assert (status, said) == (2, f"urlmend: {tmp_path}/b: the process reading it died (SIGKILL)\n".encode())
    assert out.decode().split()[:2000] == urls["a"]
    assert "http://c" not in out.decode()
    assert b"out.part is incomplete" in printed("-rj3", str(tmp_path), "-o", str(tmp_path / "out"))[2]
    job = Job(Query(), choose=Deadly())
    read = files_by(2, [str(tmp_path / name) for name in "abc"], job, Faults())
    with closing(read), pytest.raises(SourceError, match=r"died \(SIGKILL\): '.*/b'"):
        all(list(matches) for _, matches in read)


@pytest.mark.usefixtures("small_splits")
@pytest.mark.parametrize("most", [0, 1])
@pytest.mark.parametrize(("name", "error"), [("subprocess.Popen", OSError), ("Thread", RuntimeError)])
def test_as_many_processes_read_as_can_be_started(
    archive: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[Exception], most: int
) -> None:
    name = f"urlmend.parallel.pool.{name}"
    limited = Mock(wraps=pkgutil.resolve_name(name), side_effect=chain([DEFAULT] * most, repeat(error)))
    monkeypatch.setattr(name, limited)
    check(archive / "1.mbox", found(archive / "1.mbox"))


def test_the_file_at_which_a_reader_fails_is_reported(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    for name in "ab":
        (tmp_path / name).write_bytes(b"http://a.example/")
    here.setattr("urlmend.sources.text.texts", fail)
    with pytest.raises(SourceError, match=r"there is not enough memory: '.*/a'"):
        list(iter_urls(tmp_path, jobs=2))
    assert printed("-rj2", str(tmp_path))[2].count(b"there is not enough memory") == 2


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("packed", [b"%b", (FROM + b"%b") * 9])
def test_an_expression_that_takes_too_long_ends_the_run(
    here: pytest.MonkeyPatch, tmp_path: Path, jobs: int, packed: bytes
) -> None:
    message = b"Subject: %b\nDate: 1 Jan 2001 10:00 +0000\n\nhttp://a.example/\n\n" % (b"a" * 60 + b"!")
    for name in "ab":
        (tmp_path / name).write_bytes(packed.replace(b"%b", message))
    here.setattr("urlmend.selection.MOST_SECONDS", 0.01)
    here.setattr(splits, "SPLIT_SIZE", 300)
    status, _, said = printed("-r", f"-j{jobs}", "--subject", "/(a|aa)+$/", str(tmp_path))
    assert (status, said.count(b"\n")) == (2, 1)
    assert said.startswith(b"urlmend: --subject: the regular expression takes too long: /(a|aa)+$/ ")


def compare_roads(paths: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare what is found in each of *paths* alone and in archives of them made in *folder*."""
    expected = {path: list(roads.by_library(partial(iter_urls, Path(path)))) for path in paths}
    assert sum(map(len, expected.values())) > 50
    for its_records in expected.values():
        for record in its_records:
            del record["source"]
    archives = list(roads.pack(paths, folder))
    if (single := [path for path in paths if roads.is_message(path)]) and shutil.which("git"):
        archives.append(roads.pack_messages(single, folder))
    in_this_process(monkeypatch, 10_000)
    for packed in archives:
        wanted = [(path, expected[path]) for path in packed.names.values()]
        for jobs in (1, 2):
            by_library = roads.by_library(partial(iter_urls, packed.path, jobs=jobs))
            assert list(roads.compared(by_library, packed, wanted, "all")) == [], (packed.path.name, jobs)


def test_all_ways_of_reading_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two of the samples are long.
    samples = files(str(Path(__file__).parents[1] / "corpora" / "samples"))
    compare_roads([path for path in samples if Path(path).stat().st_size < 20_000], tmp_path, monkeypatch)
