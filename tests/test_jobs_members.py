"""Members of archives and messages of a public-inbox: several processes give the same as one, messages and all."""

import gzip
import io
import shutil
import tarfile
import zipfile
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from containers import FILES, MBOX, ROADS, TEXT, tarred, zipped
from in_this_process import InThisProcess
from inboxes import added, commits, deleted, git, made
from test_containers import BROKEN, HOSTILE, bomb
from urlmend import iter_urls
from urlmend.cli import main
from urlmend.cli.progress import Bar
from urlmend.parallel import run, splits, tasks, worker
from urlmend.sources import containers
from urlmend.sources.tar import TarRange

Printed = tuple[int, bytes, bytes]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Have all read in this process, of files of any size; each member and each two messages are a task."""
    monkeypatch.setattr(run, "Workers", InThisProcess)
    for name in ("LEAST_SIZE", "SPLIT_SIZE"):
        monkeypatch.setattr(tasks, name, 0)
    monkeypatch.setattr(tasks, "splits", partial(splits.splits, size=4))
    monkeypatch.setattr(splits, "RANGE_SIZE", 2)
    for name in ("MOST_MATCHES", "PIECE_SIZE"):
        monkeypatch.setattr(worker, name, 1)
    return monkeypatch


def printed(path: Path, *options: str) -> Printed:
    """Return the status of the command for what is at *path*, and what it prints and says."""
    result = CliRunner().invoke(main, [*options, str(path)])
    return result.exit_code, result.stdout_bytes, result.stderr_bytes


def found(path: Path, jobs: int) -> tuple[list[object], str]:
    """Return what the library finds at *path*, and the error that ends it."""
    matches: list[object] = []
    try:
        # Not `origin.defects`: of a file's first matches they are complete only once it is read.
        matches.extend(match.as_dict() for match in iter_urls(path, jobs=jobs))
    except OSError as error:
        return matches, f"{type(error).__name__}: {error}"
    return matches, ""


def check(path: Path, *more: tuple[str, ...]) -> Printed:
    """Compare the command and the library with one process and with two; return what is printed."""
    for options in ((), ("-c",), ("--format", "jsonl"), ("-nbH", "--rejects", "-"), *more):
        assert printed(path, "-j2", *options) == printed(path, "-j1", *options), options
    assert found(path, 2) == found(path, 1)
    return printed(path, "-j2")


def many_faults(count: int) -> bytes:
    return zipped({str(number): b"\x1f\x8b nothing" if number % 3 else TEXT for number in range(count)})


def linked() -> bytes:
    """Return a tar with links in it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
            link = tarfile.TarInfo(f"{name}.link")
            link.type, link.linkname = tarfile.SYMTYPE, name
            packed.addfile(link)
    return out.getvalue()


MORE = {
    **FILES,
    "x.pdf": b"%PDF-1.4\nhttp://pdf.example/\n",
    "bad.jsonl": b'{"a": "http://a.example/"}\n{"b": 1}\nno http://json.example/\n{"c": "http://c.example/"}\n',
    "empty": b"",
    "hyphens": b"<http://www.foo-\nbar.example/> and http://b.example/\n" + MBOX,
    "whole": b"http://www.foobar.example/",
}
ARCHIVES: dict[str, bytes] = {
    **{road: pack(MORE) for road, pack in ROADS.items()},
    **{f"broken: {name}": data for name, (data, _, _) in BROKEN.items()},
    **{f"hostile: {name}": HOSTILE[name][0]() for name in ("overlapping members", "a long name")},
    "many faults": many_faults(100),
    "faults in faults": zipped({"a": many_faults(50), "b": TEXT, "c": many_faults(50), "d": b"\x1f\x8b nothing"}),
    "links": linked(),
    "an Office file": zipped({"[Content_Types].xml": b"x", "word.xml": TEXT}),
    "two of one name": zipped({"a": TEXT, "b": TEXT}, zipfile.ZIP_STORED).replace(b"b", b"a"),
    "no archive": TEXT,
    "a PDF": b"%PDF-1.4\nhttp://pdf.example/\n",
    "bad JSON lines": MORE["bad.jsonl"],
}


SOME = {"zip", "tgz", "zip in tar", "broken: checksum", "faults in faults", "links", "a PDF", "bad JSON lines"}


@pytest.mark.parametrize(
    "name", [name if name in SOME else pytest.param(name, marks=pytest.mark.slow) for name in ARCHIVES]
)
def test_members_are_those_of_one_process(here: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    path = tmp_path / "archive"
    path.write_bytes(ARCHIVES[name])
    here.setattr("urlmend.sources.zip.MAX_LISTED", 2000)
    check(path, ("-a",), ("-u",), ("--source", "text"))
    # What stands behind a file's first URL is told only where it is read.
    assert printed(path, "-j2", "-l")[:2] == printed(path, "-j1", "-l")[:2]


def test_a_zip_is_several_tasks(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(MORE))
    parts = list(splits.splits(str(path), "a.zip", "auto", 4))
    names = [[entry.name for entry in part.entries or ()] for part in parts]
    assert names == [[name] for name in MORE]
    assert list(splits.splits(str(path), "a.zip", "auto")) == [splits.Split(str(path), "a.zip", "auto")]


def test_a_tar_is_several_tasks(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(linked())
    parts = [part.tar for part in splits.splits(str(path), "a.tar", "auto", 3000)]
    assert [(part.number, part.others) for part in parts if part] == [(0, 0), (4, 2), (8, 4)]
    assert all(one.stop == other.start for one, other in pairwise(parts) if one and other)
    (whole,) = splits.splits(str(path), "a.tar", "auto")
    assert whole.tar == TarRange()


def test_a_bomb_in_a_tar_is_given_up_where_one_process_does(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here.setattr(containers, "FREE", 1 << 20)
    here.setattr(containers, "MAX_RATIO", 20)
    bombs = {
        f"{number}.gz": gzip.compress(b"http://a.example/%d\n" % number + b"\0" * (1 << 18)) for number in range(12)
    }
    (tmp_path / "a.tar").write_bytes(tarred(bombs))
    _, out, said = check(tmp_path / "a.tar")
    assert b"expands to more than 20 times" in said
    assert 2 < out.count(b"http") < 12


@pytest.mark.parametrize("declared", [True, False])
def test_a_bomb_is_given_up_where_one_process_does(here: pytest.MonkeyPatch, tmp_path: Path, declared: bool) -> None:
    here.setattr(containers, "FREE", 1 << 20)
    path = tmp_path / "a.zip"
    # In a zip of its own, nothing outside tells how large a member becomes.
    bombs = {"1": b"http://a.example/ ", "2": b"x" * (1 << 19), "3": b"\0" * (1 << 20), "4": TEXT, "5": bomb()}
    path.write_bytes(bomb() if declared else zipped({name: zipped({"in": data}) for name, data in bombs.items()}))
    assert b"expands to more than 250 times" in check(path)[2]


@pytest.mark.parametrize("size", [0, 8])
def test_a_directory_of_archives(here: pytest.MonkeyPatch, tmp_path: Path, size: int) -> None:
    here.setattr(tasks, "SPLIT_SIZE", size << 20)
    for name in ("zip", "tgz", "broken: checksum", "a PDF", "many faults", "bad JSON lines", "no archive"):
        (tmp_path / name).write_bytes(ARCHIVES[name])
    for options in (("-H",), ("-c",), ("--format", "csv")):
        assert printed(tmp_path, "-r", "-j2", *options) == printed(tmp_path, "-r", "-j1", *options)


def test_what_is_no_json_is_told_by_every_road(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(ARCHIVES["bad JSON lines"])
    told = f"urlmend: {path}: line 3 is read as text: not JSON, or longer than 4194304 bytes\n".encode()
    assert [printed(path, *options)[2] for options in ((), ("-C1",), ("-j2",))] == [told] * 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_how_far_reading_is_shows(here: pytest.MonkeyPatch, tmp_path: Path, jobs: int) -> None:
    sizes: list[int] = []
    here.setattr(Bar, "advance", lambda _, size: sizes.append(size))
    for name in ("zip", "zip stored", "zip in tar", "tar", "tgz"):
        sizes.clear()
        path = tmp_path / name
        path.write_bytes(ARCHIVES[name])
        printed(path, f"-j{jobs}")
        size = path.stat().st_size
        # The directory of a zip does not count, but for what is looked at of its beginning.
        assert size * 0.25 < sum(sizes) <= size, name


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_large_tar_is_read_to_its_end(tmp_path: Path, jobs: str) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tarred({str(number): b"http://a.example/ " + b"x " * number * 20 for number in range(150)}))
    assert path.stat().st_size > 1 << 18
    assert printed(path, jobs) == (0, b"http://a.example/\n" * 150, b"")


# Messages


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


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    made(tmp_path / "list" / "git" / "0.git", [*map(added, MAILS[:4])])
    made(tmp_path / "list" / "git" / "1.git", [*map(added, MAILS[4:]), deleted(MAILS[3])])
    return tmp_path / "list"


def test_messages_are_those_of_one_process(here: pytest.MonkeyPatch, repository: Path) -> None:
    here.setattr(tasks, "packed_size", lambda _: 1)
    status, out, said = check(repository, ("-H",))
    assert (status, out.count(b"http://a.example/5"), out.count(b"/4"), said) == (0, 40, 0, b"")
    parts = splits.inbox_splits(str(repository), "list", "auto")
    assert [len(part.messages.asked) for part in parts if part.messages] == [2, 1, 2]


@pytest.mark.parametrize("lost", ["message", "commit"])
def test_what_git_does_not_have_is_told_at_the_end(here: pytest.MonkeyPatch, tmp_path: Path, lost: str) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    here.setattr(tasks, "packed_size", lambda _: 1)
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
    status, out, said = check(path)
    assert status == 2
    assert said.count(b"\n") == 1
    assert (b"/6" in out) == (lost == "message")
