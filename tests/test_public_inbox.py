"""A public-inbox gives the messages that its commits bring, and no others: as files of their own would be read."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from time import monotonic, sleep

import pytest
from click.testing import CliRunner

from files import Change, added, commits, deleted, git, made
from messages import CASES
from urlmend import URLMatch, iter_urls
from urlmend.cli import main
from urlmend.output.database import harvest as storing
from urlmend.output.database.harvest import TALLY, Listener, harvest
from urlmend.sources import SourceError, containers, public_inbox
from urlmend.sources.directories import files

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def letter(number: int, body: str = "") -> bytes:
    text = body or f"See http://a.example/{number}."
    return f"From: jane@a.example\nMessage-ID: <{number}@a.example>\nSubject: {number}\n\n{text}\n".encode()


def place(number: int) -> str:
    """A path of version 1, as that of a hash."""
    return f"{number:02x}/{number:038x}"


A, B, C, D = (letter(number) for number in range(4))
HTTP = "http://a.example/"

HISTORIES: dict[str, tuple[list[list[Change]], str]] = {
    "v2": ([added(A), added(B), added(C)], "0 1 2"),
    "v2, one deleted": ([added(A), added(B), deleted(A), added(C)], "1 2"),
    "v2, the last deleted": ([added(A), added(B), deleted(B)], "0"),
    "v2, deleted and sent again": ([added(A), deleted(A), added(B), added(A)], "1 0"),
    "v2, sent twice, deleted once": ([added(A), added(B), added(A), deleted(A)], "1"),
    "v2, deleted and nothing else": ([deleted(A)], ""),
    "v2, purged": ([added(A), [("m", None)], added(B)], "0 1"),
    "v2, an empty one": ([added(b""), added(A)], "0"),
    "v1": ([[(place(1), A)], [(place(2), B)], [(place(3), C)]], "0 1 2"),
    "v1, one removed": ([[(place(1), A)], [(place(2), B)], [(place(1), None)]], "1"),
    "v1, one replaced": ([[(place(1), A)], [(place(2), B)], [(place(1), C)]], "1 2"),
    "v1, a hash for two": (
        [[(place(1), A)], [(place(1), None), (f"{place(1)}/{1:040x}", A), (f"{place(1)}/{2:040x}", B)]],
        "0 1",
    ),
    "v1, several in a commit": ([[(place(1), A), (place(2), B)], [(place(3), C)]], "0 1 2"),
    "what is no message": ([[("README", b"http://b.example/"), ("m", A)], [("m/m", B), ("m", None)]], "0"),
}


def numbers(matches: Iterable[URLMatch]) -> str:
    return " ".join(match.url.removeprefix(HTTP) for match in matches)


@pytest.mark.parametrize("name", HISTORIES)
def test_messages_of_an_inbox(name: str, tmp_path: Path) -> None:
    history, expected = HISTORIES[name]
    inbox = made(tmp_path / "list.git", history)
    assert numbers(iter_urls(inbox, source="public-inbox")) == expected
    known = set(commits(inbox))
    for match in iter_urls(inbox, source="public-inbox"):
        repository, _, commit = (match.origin.source or "").rpartition("!")
        assert (repository, match.origin.message) == (str(inbox), 1)
        assert commit in known
        blobs = [line.split()[3] for line in git(inbox, "diff-tree", "-r", "--root", commit).decode().splitlines()[1:]]
        kept = [git(inbox, "cat-file", "blob", blob) for blob in blobs if set(blob) != {"0"}]
        assert any(blob[match.start : match.end].decode() == match.url for blob in kept)


def epochs(folder: Path) -> Path:
    made(folder / "0.git", [added(A), added(B)])
    made(folder / "1.git", [added(C), deleted(A)])
    made(folder / "10.git", [added(D), deleted(C)])
    return folder


def test_epochs_are_read_in_order_and_delete_in_earlier_ones(tmp_path: Path) -> None:
    inbox = epochs(tmp_path / "list" / "git").parent
    subprocess.run(["git", "init", "-q", "--bare", inbox / "all.git"], check=True)  # noqa: S603, S607
    (inbox / "msgmap.sqlite3").write_text("http://b.example/")
    for path in (inbox, inbox / "git"):
        found = list(iter_urls(path))
        assert numbers(found) == "1 3"
        below = "git/" if path == inbox else ""
        assert [(match.origin.source or "").split("!")[0] for match in found] == [
            f"{path}/{below}0.git",
            f"{path}/{below}10.git",
        ]
    # By itself an epoch knows of no later one.
    assert numbers(iter_urls(inbox / "git" / "0.git")) == "0 1"


def test_repositories_are_recognised(tmp_path: Path) -> None:
    made(tmp_path / "v1.git", [[(place(1), A)]])
    made(tmp_path / "v2.git", [added(A)])
    epochs(tmp_path / "v2" / "git")
    made(tmp_path / "code.git", [[("README", A), ("m", B)]])
    for name, source in (("clone", "v2.git"), ("clone1", "v1.git"), ("checkout", "code.git")):
        subprocess.run(["git", "clone", "-q", tmp_path / source, tmp_path / name], check=True)  # noqa: S603, S607
    (tmp_path / "plain" / "git").mkdir(parents=True)
    (tmp_path / "plain" / "git" / "HEAD").touch()
    found = {str(Path(path).relative_to(tmp_path)) for path in files(str(tmp_path))}
    assert {path for path in found if (tmp_path / path).is_dir()} == {"v1.git", "v2.git", "v2", "clone", "clone1"}
    assert {"plain/git/HEAD", "checkout/README", "code.git/HEAD"} <= found
    assert numbers(iter_urls(tmp_path / "clone")) == "0"
    assert numbers(iter_urls(tmp_path / "clone1")) == "0"
    # As what else it is read, it is a directory.
    assert str(tmp_path / "v2.git" / "HEAD") in set(files(str(tmp_path / "v2.git"), source="text"))


def test_each_message_is_read_as_its_file(tmp_path: Path) -> None:
    torn = letter(7, "http://www.foobar.example/"), letter(8, "See <http://www.foo-\nbar.example/>")
    known = [case.data for case in CASES.values() if case.source == "message" and case.data]
    cases = list(dict.fromkeys([*known, *torn]))
    inbox = made(tmp_path / "list.git", [added(data) for data in cases])
    found: dict[str, list[URLMatch]] = {}
    for match in iter_urls(inbox):
        found.setdefault((match.origin.source or "").rpartition("!")[2], []).append(match)
    for commit, data in zip(commits(inbox), cases, strict=True):
        file = BytesIO(data)
        file.name = f"{inbox}!{commit}"
        expected = list(iter_urls(file, source="message"))
        got = found.get(commit, [])
        assert got == expected
        assert [(m.line, m.column, m.origin.part, m.origin.message_id) for m in got] == [
            (m.line, m.column, m.origin.part, m.origin.message_id) for m in expected
        ]


def test_a_message_larger_than_what_is_read_at_once(tmp_path: Path) -> None:
    long = letter(1, "words and words\n" * 40_000 + "http://a.example/end")
    inbox = made(tmp_path / "list.git", [added(long), added(A)])
    assert numbers(iter_urls(inbox)) == "end 0"
    (first, _) = iter_urls(inbox)
    assert long[first.start : first.end] == b"http://a.example/end"


CONFIG = """
[core]
    repositoryformatversion = 1
    fsmonitor = touch {0}
    sshCommand = touch {0}
    hooksPath = {0}
    pager = touch {0}
    alternateRefsCommand = touch {0}
[extensions]
    partialClone = origin
[remote "origin"]
    url = .
    promisor = true
    uploadpack = touch {0}; git-upload-pack
[gpg]
    program = touch {0}
[log]
    showSignature = true
[diff]
    external = touch {0}
"""
"""What makes git run programs; with a message that is missing, `git cat-file` runs that of `uploadpack`."""


def test_nothing_of_the_repository_is_run_and_nothing_written(tmp_path: Path) -> None:
    inbox, ran = made(tmp_path / "list.git", [added(A), added(B)]), tmp_path / "ran"
    with (inbox / "config").open("a") as config:
        config.write(CONFIG.format(ran))
    broken(inbox, "a message is missing", "HEAD:m")
    before = {path: path.stat().st_mtime_ns for path in inbox.rglob("*")}
    with pytest.raises(SourceError, match="git has no object"):
        list(iter_urls(inbox))
    assert {path: path.stat().st_mtime_ns for path in inbox.rglob("*")} == before
    assert not ran.exists()
    (inbox / "config").write_text("[core\n")
    with pytest.raises(SourceError, match="git has no object"):
        list(iter_urls(inbox))
    with (inbox / "config").open("w") as config:
        config.write(CONFIG.format(ran))
    # It would have been.
    subprocess.run(["git", f"--git-dir={inbox}", "cat-file", "-e", "HEAD:m"], check=False, capture_output=True)  # noqa: S603, S607
    assert ran.exists()


def test_alternates_in_a_circle(tmp_path: Path) -> None:
    inboxes = [made(tmp_path / f"{number}.git", [added(A)]) for number in range(2)]
    for inbox, other in zip(inboxes, reversed(inboxes), strict=True):
        (inbox / "objects" / "info" / "alternates").write_text(f"{other}/objects\n{inbox}/objects\n../objects\n")
    assert numbers(iter_urls(inboxes[0])) == "0"


def test_context_is_that_of_the_message(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A), added(letter(1, "before\nhttp://a.example/1\nbehind"))])
    done = CliRunner().invoke(main, ["-n", "-h", "-C", "1", str(inbox)])
    assert done.stdout == ("4-\n5:See http://a.example/0.\n--\n5-before\n6:http://a.example/1\n7-behind\n")


def test_what_is_no_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / "list.mbox").write_text("http://a.example/")
    done = CliRunner().invoke(main, ["--source", "public-inbox", str(tmp_path / "list.mbox")])
    assert (done.stderr, done.exit_code) == (f"urlmend: {tmp_path}/list.mbox: is no public-inbox repository\n", 2)


def test_git_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    (tmp_path / "more").write_text("http://a.example/more")
    monkeypatch.setenv("PATH", "/nonexistent")
    done = CliRunner().invoke(main, ["-r", str(tmp_path)])
    assert (done.stdout, done.exit_code) == ("http://a.example/more\n", 2)
    assert done.stderr == f"urlmend: {inbox}: git is not installed, which reads public-inbox repositories\n"


def children() -> str:
    return "".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of children in files")
def test_git_ends_with_the_reader(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(letter(number, "http://a.example/ " * 9000)) for number in range(20)])
    urls = iter_urls(inbox)
    next(urls)
    assert children()
    urls.close()  # type: ignore[attr-defined]
    assert not children()


@pytest.mark.slow
def test_a_closed_pipe_ends_git(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(letter(number, "http://a.example/ " * 9000)) for number in range(20)])
    command = [sys.executable, "-m", "urlmend", str(inbox)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:  # noqa: S603
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(10) in {0, 141, -13}


def empty_trees(inbox: Path) -> None:
    """Add a commit whose tree has 256 entries on each of six levels, and no file: git lists nothing for hours."""
    tree = git(inbox, "mktree", given=b"").decode().strip()
    for _ in range(6):
        entries = "".join(f"040000 tree {tree}\t{number:02x}\n" for number in range(256))
        tree = git(inbox, "mktree", given=entries.encode()).decode().strip()
    commit_on(inbox, tree)


def is_running(process: str) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of children in files")
@pytest.mark.parametrize("hostile", [False, True])
def test_git_ends_when_its_parent_is_killed(hostile: bool, tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(letter(number, "http://a.example/ " * 9000)) for number in range(20)])
    if hostile:
        empty_trees(inbox)
    code = "import sys; from pathlib import Path; from urlmend import iter_urls; found = iter_urls(Path(sys.argv[1]));"
    command = [sys.executable, "-c", f"{code} print(next(found), flush=True); sys.stdin.read()", str(inbox)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:  # noqa: S603
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        limit = monotonic() + 30
        if not hostile:
            assert running.stdout is not None
            assert running.stdout.readline()
        while not (left := children.read_text().split()) and monotonic() < limit:
            sleep(0.05)
        running.kill()
    assert left
    while any(map(is_running, left)) and monotonic() < limit:
        sleep(0.05)
    assert not any(map(is_running, left))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the time of another process")
def test_trees_without_files_end(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    empty_trees(inbox)
    found: list[URLMatch] = []
    with pytest.raises(SourceError, match="takes too long"):
        found.extend(iter_urls(inbox))
    assert numbers(found) == "0"


def test_other_formats_of_repositories(tmp_path: Path) -> None:
    source = made(tmp_path / "list.git", [added(A), added(B)])
    with_sha256 = tmp_path / "256.git"
    git(tmp_path, "init", "--bare", "-q", "--object-format=sha256", str(with_sha256))
    git(with_sha256, "fast-import", "--quiet", given=git(source, "fast-export", "HEAD"))
    assert numbers(list(iter_urls(with_sha256))) == "0 1"
    with_reftable = tmp_path / "reftable.git"
    shutil.copytree(source, with_reftable)
    (with_reftable / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (with_reftable / "reftable").mkdir()
    (with_reftable / "reftable" / "tables.list").write_text("missing.ref\n")
    with pytest.raises(SourceError, match=r"git .*ref"):
        list(iter_urls(with_reftable))


def broken(inbox: Path, what: str, message: str = "HEAD~1:m") -> None:
    if what == "no objects":
        shutil.rmtree(inbox / "objects")
        (inbox / "objects").mkdir()
    elif what == "a reference to nothing":
        (inbox / "refs" / "heads" / "master").write_text("1" * 40 + "\n")
    elif what == "a message is missing":
        blob = git(inbox, "rev-parse", message).decode().strip()
        (inbox / "objects" / blob[:2] / blob[2:]).unlink()
    elif what == "a commit is missing":
        commit = git(inbox, "rev-parse", "HEAD~1").decode().strip()
        (inbox / "objects" / commit[:2] / commit[2:]).unlink()
    elif what == "a message is corrupt":
        blob = git(inbox, "rev-parse", "HEAD~1:m").decode().strip()
        path = inbox / "objects" / blob[:2] / blob[2:]
        path.chmod(0o644)
        path.write_bytes(b"no zlib")


@pytest.mark.parametrize(
    ("what", "read"),
    [
        ("no objects", ""),
        ("a reference to nothing", ""),
        ("a message is missing", "0 2"),
        ("a commit is missing", ""),
        ("a message is corrupt", None),
    ],
)
def test_a_broken_repository_is_told(what: str, read: str | None, tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A), added(B), added(C)])
    broken(inbox, what)
    found: list[URLMatch] = []
    with pytest.raises(SourceError) as told:
        found.extend(iter_urls(inbox))
    assert "git" in str(told.value)
    assert "\n" not in str(told.value)
    if read is not None:
        assert numbers(found) == read


# What is hostile


def bomb(inbox: Path, levels: int) -> None:
    """Add a commit whose tree has 256 entries on each of *levels*, all of them the same."""
    entry = f"100644 blob {git(inbox, 'hash-object', '-w', '--stdin', given=A).decode().strip()}"
    for _ in range(levels):
        tree = git(inbox, "mktree", given="".join(f"{entry}\t{n:02x}\n" for n in range(256)).encode()).decode().strip()
        entry = f"040000 tree {tree}"
    commit_on(inbox, tree)


def commit_on(inbox: Path, tree: str) -> None:
    author = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    command = ["git", f"--git-dir={inbox}", "commit-tree", "-m", "x", "-p", "HEAD", tree]
    done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **author})  # noqa: S603
    git(inbox, "update-ref", "HEAD", done.stdout.decode().strip())


MEASURED = """
import re, resource, sys
from urlmend.sources import SourceError
from urlmend import iter_urls
from pathlib import Path
try:
    for match in iter_urls(Path(sys.argv[1]), source="public-inbox"):
        print(match.url)
except SourceError as error:
    print(error)
# The kernel counts what the parent of a new process had as the memory of that process: VmHWM leaves it out.
own = re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1]
print(max(int(own), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of another process")
def test_a_tree_bomb_costs_little(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    bomb(inbox, 5)
    command = [sys.executable, "-c", MEASURED, str(inbox)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)  # noqa: S603
    url, told, peak = done.stdout.splitlines()
    assert (url, told) == (f"{HTTP}0", "git needs more than 128 MiB of memory for a tree: the rest is not read")
    assert int(peak) < 200_000


def test_a_long_path_is_not_read(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A), [("n" * 5000, A)]])
    with pytest.raises(SourceError, match="path of more than 4096 bytes"):
        list(iter_urls(inbox, source="public-inbox"))


def test_trees_that_are_used_again_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_inbox, "FREE_CHANGES", 20)
    monkeypatch.setattr(public_inbox, "SIZE_OF_CHANGE", 1 << 20)
    inbox = made(tmp_path / "list.git", [added(letter(number)) for number in range(20)])
    found: list[URLMatch] = []
    with pytest.raises(SourceError, match="more changes than a repository of its size"):
        found.extend(iter_urls(inbox, source="public-inbox"))
    assert numbers(found) == " ".join(map(str, range(len(found))))
    monkeypatch.setattr(public_inbox, "FREE_CHANGES", 1000)
    monkeypatch.setattr(containers, "FREE", 1000)
    with pytest.raises(SourceError, match="expands to more than 250 times its size"):
        list(iter_urls(made(tmp_path / "large.git", [added(letter(n % 2, "word " * 20_000)) for n in range(10)])))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
@pytest.mark.parametrize(
    "name", ["HEAD", "config", "packed-refs", "refs/heads/x", "objects/info/alternates", "objects/00/0"]
)
def test_what_is_no_regular_file_is_not_opened(name: str, tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    (inbox / name).unlink(missing_ok=True)
    (inbox / name).parent.mkdir(exist_ok=True)
    os.mkfifo(inbox / name)
    with pytest.raises(SourceError, match="is no regular file"):
        list(iter_urls(inbox, source="public-inbox"))


# -- Harvest


def harvested(inbox: Path, database: Path) -> tuple[str, list[tuple[object, ...]]]:
    """Harvest *inbox* into *database*; return what it was, and the rows of all that is there."""
    tally = harvest([str(inbox)], str(database), Listener())
    (what,) = (name for name in TALLY if tally[name])
    with closing(sqlite3.connect(database)) as db:
        rows = db.execute("SELECT source, url, message, start, message_id, part FROM record")
        return what, rows.fetchall()


STEPS: dict[str, tuple[list[list[Change]], list[list[Change]], str, str]] = {
    "nothing": ([added(A)], [], "unchanged", "0"),
    "new ones": ([added(A)], [added(B), added(C)], "grown", "0 1 2"),
    "a deleted one": ([added(A), added(B)], [deleted(A), added(C)], "grown", "1 2"),
    "only a deletion": ([added(A), added(B)], [deleted(A)], "grown", "1"),
    "deleted and sent again": ([added(A), added(B)], [deleted(A), added(A)], "grown", "1 0"),
    "v1, removed": ([[(place(1), A)], [(place(2), B)]], [[(place(1), None)]], "grown", "1"),
    "v1, one of two of a commit": ([[(place(1), A), (place(2), B)]], [[(place(1), None)]], "changed", "1"),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_harvest_reads_what_is_new(name: str, tmp_path: Path) -> None:
    before, behind, expected, left = STEPS[name]
    inbox = made(tmp_path / "list.git", before)
    assert harvested(inbox, tmp_path / "links.db")[0] == "new"
    if behind:
        made(inbox, behind)
    what, rows = harvested(inbox, tmp_path / "links.db")
    assert what == expected
    assert " ".join(str(row[1]).removeprefix(HTTP) for row in rows) == left
    assert rows == harvested(inbox, tmp_path / "again.db")[1]
    assert {str(row[0]).partition("!")[0] for row in rows} <= {str(inbox)}


def test_a_harvest_of_what_was_rewritten(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A), added(B), added(C)])
    harvested(inbox, tmp_path / "links.db")
    git(inbox, "update-ref", "refs/heads/master", "HEAD~1")
    made(inbox, [added(D)])
    what, rows = harvested(inbox, tmp_path / "links.db")
    assert (what, [row[1] for row in rows]) == ("changed", [f"{HTTP}{number}" for number in (0, 1, 3)])


def test_a_harvest_of_epochs(tmp_path: Path) -> None:
    inbox = tmp_path / "list"
    (inbox / "git").mkdir(parents=True)
    made(inbox / "git" / "0.git", [added(A), added(B)])
    assert harvested(inbox, tmp_path / "links.db")[0] == "new"
    made(inbox / "git" / "1.git", [added(C), deleted(A)])
    what, rows = harvested(inbox, tmp_path / "links.db")
    assert what == "grown"
    assert rows == harvested(inbox, tmp_path / "again.db")[1]
    assert [row[1] for row in rows] == [f"{HTTP}1", f"{HTTP}2"]
    assert [str(row[0]).rpartition("!")[0] for row in rows] == [f"{inbox}/git/{number}.git" for number in (0, 1)]


def test_a_harvest_that_is_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "BATCH_ROWS", 2)
    inbox = made(tmp_path / "list.git", [added(letter(number)) for number in range(9)])

    class Interrupting(Listener):
        urls = 0

        def note_urls(self, count: int, /) -> None:
            self.urls += count
            if self.urls == 6:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harvest([str(inbox)], str(tmp_path / "links.db"), Interrupting())
    what, rows = harvested(inbox, tmp_path / "links.db")
    assert what == "resumed"
    assert rows == harvested(inbox, tmp_path / "again.db")[1]


def test_find_writes_the_same_database(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A), added(B), added(letter(7, "http://a.example:8o/"))])
    done = CliRunner().invoke(main, ["-o", str(tmp_path / "found.db"), "--format", "sqlite", str(inbox)])
    assert done.exit_code == 0, done.output
    with closing(sqlite3.connect(tmp_path / "found.db")) as db:
        rows = db.execute("SELECT source, url, message, start, message_id, part FROM record").fetchall()
        rejects = db.execute("SELECT source FROM rejected").fetchall()
        assert db.execute("SELECT count(*) FROM source").fetchone() == (1,)
    assert rows == harvested(inbox, tmp_path / "links.db")[1]
    assert rejects == [(f"{inbox}!{commits(inbox)[2]}",)]
