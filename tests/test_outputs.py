"""What is there is not lost: outputs take their place when they are whole, and no input is written to."""
# ruff: noqa: S603 -- what is run is the command itself

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result

from urlmend import find_urls
from urlmend.cli import main
from urlmend.cli.inputs import Input
from urlmend.output.database.database import DatabaseWriter
from urlmend.output.database.schema import DatabaseError
from urlmend.output.files import Destination
from urlmend.query import Query

URL = "http://a.example/"
BEFORE = "what was there\n"
COMMAND = (sys.executable, "-m", "urlmend")


def run(*args: str | Path, stdin: str | bytes = b"") -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.mbox").write_text(f"From a@a.example Mon Jul  7 10:06:12 2003\nTo: x\n\n{URL}\n")
    Path("symbolic").symlink_to("t.mbox")
    Path("hard").hardlink_to("t.mbox")
    Path("out").write_text(BEFORE)
    return tmp_path


# An input is not written to

# arguments, which input is an output
REFUSED = (
    (("-o", "t.mbox", "t.mbox"), "t.mbox"),
    (("-o", "symbolic", "t.mbox"), "t.mbox"),
    (("-o", "t.mbox", "symbolic"), "symbolic"),
    (("-o", "hard", "t.mbox"), "t.mbox"),
    (("-o", "t.mbox", "out", "hard"), "hard"),
    (("-r", "-o", "t.mbox", "t.mbox"), "t.mbox"),
    (("-j", "2", "-o", "t.mbox", "t.mbox"), "t.mbox"),
    (("--rejects", "t.mbox", "t.mbox"), "t.mbox"),
    (("--rejects", "symbolic", "-o", "new", "t.mbox"), "t.mbox"),
    *((("--format", kind, "-o", "t.mbox", "t.mbox"), "t.mbox") for kind in ("jsonl", "csv", "tsv", "parquet")),
)


@pytest.mark.parametrize(("args", "name"), REFUSED)
def test_an_input_is_no_output(folder: Path, args: tuple[str, ...], name: str) -> None:
    if "parquet" in args:
        pytest.importorskip("pyarrow")
    before = listing(folder)
    result = run(*args)
    assert (result.stdout, result.exit_code) == ("", 2)
    assert result.stderr == f"urlmend: {name}: input file is also the output\n"
    assert listing(folder) == before


def test_standard_input_is_no_output(folder: Path) -> None:
    before = listing(folder)
    with Path("t.mbox").open("rb") as file:
        done = subprocess.run([*COMMAND, "-o", "hard"], stdin=file, capture_output=True, check=False)
    assert (done.stderr, done.returncode) == (b"urlmend: (standard input): input file is also the output\n", 2)
    assert listing(folder) == before


@pytest.mark.parametrize("given", ["t.mbox", "symbolic", "hard"])
def test_an_output_among_the_inputs_is_passed_over(folder: Path, given: str) -> None:
    Path("other").write_text("http://b.example/")
    result = run("-r", "--exclude", "out*", "-o", given, ".")
    assert sorted(result.stderr.splitlines()) == [
        f"urlmend: ./{name}: input file is also the output" for name in ("hard", "symbolic", "t.mbox")
    ]
    assert result.exit_code == 2
    assert Path(given).read_text() == "http://b.example/\n"
    assert sorted(os.listdir(folder)) == ["hard", "other", "out", "symbolic", "t.mbox"]  # noqa: PTH208 -- names


def test_the_part_is_not_read(folder: Path) -> None:
    """It is there from the first result on, and in a directory that is read later."""
    Path("z").mkdir()
    for number in range(3):
        Path("z", str(number)).write_text("http://b.example/")
    result = run("-r", "-o", "z/9", ".")
    assert (result.stderr, result.exit_code) == ("", 0)
    assert Path("z/9").read_text() == f"{URL}\n" * 3 + "http://b.example/\n" * 3
    assert sorted(os.listdir(folder / "z")) == ["0", "1", "2", "9"]  # noqa: PTH208 -- names


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("names", [("out", "out"), ("new", "new"), ("new", "./new"), ("hard", "hard")])
def test_two_outputs_are_two_files(names: tuple[str, str]) -> None:
    result = run("-o", names[0], "--rejects", names[1], stdin=URL)
    assert (result.stderr, result.exit_code) == (
        f"urlmend: {Path(names[0]).resolve()}: is given for two outputs\n",
        2,
    )
    assert not Path("new").exists()
    result = run("--format", "sqlite", "-o", "new.db", "--rejects", "new.db", stdin=URL)
    assert (result.exit_code, Path("new.db").exists()) == (2, False)


@pytest.mark.usefixtures("folder")
def test_an_empty_input_is_no_database() -> None:
    Path("empty").touch()
    result = run("--format", "sqlite", "-o", "empty", "t.mbox", "empty")
    assert (result.stderr, result.exit_code) == ("urlmend: empty: input file is also the output\n", 2)
    assert Path("empty").read_bytes() == b""


# Nothing is replaced before there is something to replace it with

FAILING = (
    ("missing",),
    ("missing", "also-missing"),
    ("-r", "missing"),
    ("broken.gz",),
    (".",),
    ("--rejects", "none/rejects", "t.mbox"),
    ("--no-such-option", "t.mbox"),
)


@pytest.mark.parametrize("args", FAILING)
@pytest.mark.parametrize("kind", ["text", "csv", "tsv", "jsonl", "parquet"])
def test_a_run_that_fails_before_its_first_result_leaves_everything(
    folder: Path, args: tuple[str, ...], kind: str
) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    Path("broken.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0no deflated data")
    before = listing(folder)
    for name in ("out", "new"):
        assert run("--format", kind, "-o", name, *args).exit_code == 2
    assert listing(folder) == before


@pytest.mark.usefixtures("folder")
def test_what_can_be_read_is_written() -> None:
    result = run("-o", "out", "missing", "t.mbox")
    assert (result.stderr, result.exit_code) == ("urlmend: missing: No such file or directory\n", 2)
    assert Path("out").read_text() == f"{URL}\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["out", "new"])
def test_of_no_urls_there_is_an_empty_file(name: str) -> None:
    assert run("-o", name, stdin="nothing").exit_code == 1
    assert Path(name).read_text() == ""


@pytest.mark.usefixtures("folder")
def test_quiet_writes_nothing() -> None:
    assert run("-q", "-o", "out", "t.mbox").exit_code == 0
    assert Path("out").read_text() == BEFORE


# What stands in the place: links, modes, devices


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_links_and_modes_stay(mode: int) -> None:
    Path("out").chmod(mode)
    Path("link").symlink_to("out")
    assert run("-o", "link", "t.mbox").exit_code == 0
    assert Path("link").is_symlink()
    assert Path("out").read_text() == f"{URL}\n"
    assert stat.S_IMODE(Path("out").stat().st_mode) == mode


@pytest.mark.usefixtures("folder")
def test_a_link_to_nothing_is_a_link_to_the_output() -> None:
    Path("dir").mkdir()
    Path("link").symlink_to("dir/new")
    assert run("-o", "link", "t.mbox").exit_code == 0
    assert Path("link").is_symlink()
    assert Path("dir/new").read_text() == f"{URL}\n"
    assert [path.name for path in Path("dir").iterdir()] == ["new"]


@pytest.mark.usefixtures("folder")
def test_a_new_file_has_the_mode_that_the_user_wants() -> None:
    before = os.umask(0o027)
    try:
        assert run("-o", "new", "t.mbox").exit_code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("new").stat().st_mode) == 0o640


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
@pytest.mark.usefixtures("folder")
def test_the_owner_stays() -> None:
    os.chown("out", 65534, 65534)
    Path("out").chmod(0o4755)
    assert run("-o", "out", "t.mbox").exit_code == 0
    status = Path("out").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (65534, 65534, 0o4755)


@pytest.mark.usefixtures("folder")
def test_a_pipe_is_written_as_it_comes() -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["/bin/cat", "pipe"], stdout=subprocess.PIPE) as reader:
        assert run("-o", "pipe", "t.mbox").exit_code == 0
        assert reader.stdout is not None
        assert reader.stdout.read().decode() == f"{URL}\n"
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.usefixtures("folder")
def test_a_descriptor_is_written_as_it_comes(name: str) -> None:
    if not Path(name).exists():
        pytest.skip("no such name")
    with Path("out").open("a") as out:
        assert subprocess.run([*COMMAND, "-o", name, "t.mbox"], stdout=out, check=False).returncode == 0
    assert Path("out").read_text() == f"{BEFORE}{URL}\n"
    assert not list(Path().glob("*.part*"))


@pytest.mark.usefixtures("folder")
def test_a_device_is_written_as_it_comes() -> None:
    assert run("-o", "/dev/null", "--rejects", "/dev/null", "t.mbox").exit_code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


# Where it cannot be written

AS_NOBODY = """
import os, sys
from urlmend import find_urls
from urlmend.cli import main
from urlmend.cli.inputs import Input
main(["--format", sys.argv[1], "-o", os.devnull, "--rejects", os.devnull, "-v", sys.argv[2]], standalone_mode=False)
if os.getuid() == 0:
    os.setuid(65534)
os.chdir(sys.argv[3])
main(["--format", sys.argv[1], "-o", sys.argv[4], sys.argv[2]])
"""


def test_what_is_protected_stays() -> None:
    """Another user writes into a directory that is not theirs, and over a file that nobody may write."""
    with TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        (top / "in").write_text(URL)
        for directory, mode in (("closed", 0o755), ("open", 0o777)):
            (top / directory).mkdir()
            (top / directory).chmod(mode)
            (top / directory / "theirs").write_text(BEFORE)
            (top / directory / "theirs").chmod(0o444)
        for directory, output in (("closed", "new"), ("closed", "theirs"), ("open", "theirs")):
            command = [sys.executable, "-c", AS_NOBODY, "csv", str(top / "in"), str(top / directory), output]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if os.getuid() != 0 and directory == "closed":
                continue  # it is ours
            assert done.stderr.splitlines()[1:] == [f"urlmend: {output}: Permission denied"]
            assert done.returncode == 2
            assert listing(top / directory) == {"theirs": BEFORE.encode()}


def _small_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def test_a_full_disk_leaves_the_file_and_tells_of_the_part(folder: Path) -> None:
    Path("many").write_text("".join(f"http://a.example/{number}\n" for number in range(10_000)))
    before = listing(folder)
    done = subprocess.run(
        [*COMMAND, "-o", "out", "many"],
        stderr=subprocess.PIPE,
        preexec_fn=_small_files,
        check=False,
    )
    assert done.stderr.decode().splitlines() == [
        "urlmend: out.part: is incomplete, for the run did not end; out is as it was",
        "urlmend: write error: File too large",
    ]
    assert done.returncode == 2
    part = Path("out.part").read_text()
    assert len(part) == 100_000
    assert Path("many").read_text().startswith(part)
    Path("out.part").unlink()
    assert listing(folder) == before


def test_a_part_that_lies_there_is_kept(folder: Path) -> None:
    Path("out.part").write_text("of an earlier run")
    assert run("-o", "out", "t.mbox").exit_code == 0
    assert Path("out").read_text() == f"{URL}\n"
    assert Path("out.part").read_text() == "of an earlier run"
    assert not (folder / "out.part2").exists()


def test_two_writers_do_not_mix(folder: Path) -> None:
    first, second = Destination("out"), Destination("out")
    for number in range(3):
        first.stream.write(f"first {number}\n")
        first.stream.flush()
        second.stream.write(f"second {number}\n")
        second.stream.flush()
    first.finish()
    assert Path("out").read_text() == "first 0\nfirst 1\nfirst 2\n"
    second.finish()
    assert Path("out").read_text() == "second 0\nsecond 1\nsecond 2\n"
    assert not list(folder.glob("*.part*"))


# Interrupted

# signal, status, output or format
BEHIND_RESULTS = ((signal.SIGINT, 130, "out"), (signal.SIGTERM, 143, "out"), (signal.SIGHUP, 129, "new"))
BEFORE_RESULTS = ((signal.SIGINT, 130, "text"), (signal.SIGTERM, 143, "csv"), (signal.SIGHUP, 129, "sqlite"))


def _holds_something(name: str) -> Callable[[], bool]:
    return lambda: Path(name).exists() and Path(name).stat().st_size > 0


def _heed_interrupts() -> None:
    """Undo what a shell does to the commands that it runs in the background, and nohup: they ignore some signals."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def interrupted(args: tuple[str, ...], number: int, given: bytes, ready: Callable[[], bool]) -> tuple[str, int]:
    """Give the command its input, send it the signal once it is *ready*, and return what it says and its status."""
    with subprocess.Popen(
        [*COMMAND, *args],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 -- this process has no threads
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(given)
        process.stdin.flush()
        line = process.stderr.readline()  # -v: what the input is; then the command is at work
        assert b"read as" in line
        while not ready():
            process.stdin.write(b"filling words\n" * 100)
            process.stdin.flush()
        process.send_signal(number)
        _, told = process.communicate()
    return told.decode(), process.returncode


@pytest.mark.parametrize(("number", "status", "name"), BEHIND_RESULTS)
def test_an_interrupt_behind_the_first_result_leaves_the_part(
    folder: Path, number: int, status: int, name: str
) -> None:
    before = listing(folder)
    told, returned = interrupted(
        ("-v", "--source", "text", "-o", name), number, f"{URL}\n".encode(), _holds_something(f"{name}.part")
    )
    as_it_was = "; out is as it was" if name == "out" else ""
    assert told == f"urlmend: {name}.part: is incomplete, for the run did not end{as_it_was}\n"
    assert returned == status
    assert Path(f"{name}.part").read_text() == f"{URL}\n"
    Path(f"{name}.part").unlink()
    assert listing(folder) == before


def test_a_part_of_parquet_can_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("urlmend.output.arrow.ROW_GROUP", 1000)

    def read(self: Input, _size: int, /) -> bytes:
        if self.bytes_read:
            raise KeyboardInterrupt
        self.bytes_read = 1
        return b"http://a.example/\n" * 5000

    monkeypatch.setattr(Input, "read", read)
    result = run("--format", "parquet", "-o", "out", "--source", "text", "t.mbox")
    assert result.stderr == "urlmend: out.part: is incomplete, for the run did not end; out is as it was\n"
    assert result.exit_code == 130
    assert parquet.read_table("out.part").num_rows >= 1000
    assert (folder / "out").read_text() == BEFORE


@pytest.mark.parametrize(("number", "status", "kind"), BEFORE_RESULTS)
def test_an_interrupt_before_the_first_result_leaves_nothing(folder: Path, number: int, status: int, kind: str) -> None:
    before = listing(folder)
    asked = ("-v", "--source", "text", "--format", kind, "-o", "new")
    told, returned = interrupted(asked, number, b"no URL yet\n", lambda: True)
    assert (told, returned) == ("", status)
    assert listing(folder) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out", "new"])
def test_a_kill_leaves_the_file_and_the_part(folder: Path, name: str) -> None:
    before = listing(folder)
    told, returned = interrupted(
        ("-v", "--source", "text", "-o", name), signal.SIGKILL, f"{URL}\n".encode(), _holds_something(f"{name}.part")
    )
    assert (told, returned) == ("", -signal.SIGKILL)
    Path(f"{name}.part").unlink()
    assert listing(folder) == before


CHILD = """
import os, signal, sys
from urlmend import find_urls
from urlmend.cli import main
from urlmend.cli.inputs import Input
from urlmend.output import files
moment, count = int(sys.argv[1]), 0
def tick(function):
    def ticking(*args, **options):
        global count
        count += 1
        if count == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)
    return ticking
for name in ("open", "write", "fsync", "close", "fchmod", "replace", "stat", "fstat"):
    setattr(os, name, tick(getattr(os, name)))
try:
    main(sys.argv[2:])
finally:
    print(count)
"""


@pytest.mark.slow
def test_killed_at_any_system_call_the_output_is_whole_or_as_it_was(folder: Path) -> None:
    Path("many").write_text("".join(f"http://a.example/{number}\n" for number in range(3000)))
    whole = Path("many").read_text()

    def child(moment: int) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-c", CHILD, str(moment), "-o", "out", "many"], capture_output=True, check=False
        )

    steps = int(child(0).stdout)
    assert steps > 5
    seen = set()
    for moment in range(1, steps + 1):
        Path("out").write_text(BEFORE)
        assert child(moment).returncode == -signal.SIGKILL
        seen.add(Path("out").read_text())
        assert seen <= {BEFORE, whole}
        for part in folder.glob("*.part*"):
            assert whole.startswith(part.read_text())
            part.unlink()
    assert BEFORE in seen


# Databases


def test_a_database_of_a_run_that_did_not_end_has_whole_files(folder: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "-v", "--format", "sqlite", "-o", "links.db", "t.mbox", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"http://b.example/\n" * 5000)
        process.stdin.flush()
        while b"standard input" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate()
    assert (told, process.returncode) == (b"urlmend: links.db: is incomplete, for the run did not end\n", 143)
    with closing(sqlite3.connect("links.db")) as db:
        assert db.execute("SELECT name, complete FROM source").fetchall() == [("t.mbox", 1)]
        assert db.execute("SELECT url FROM record").fetchall() == [(URL,)]
    assert not (folder / "links.db-wal").exists()


@pytest.mark.usefixtures("folder")
def test_two_runs_make_no_database_together() -> None:
    first = DatabaseWriter("links.db", Query())
    with pytest.raises(DatabaseError, match="another run has made it meanwhile"):
        DatabaseWriter("links.db", Query())
    first.begin_file(None)
    first.write(find_urls(URL))
    first.end_file(None)
    first.close()
    with closing(sqlite3.connect("links.db")) as db:
        assert db.execute("SELECT url FROM record").fetchall() == [(URL,)]


@pytest.mark.slow
def test_two_first_harvests_at_once(folder: Path) -> None:
    (folder / "many").mkdir()
    for number in range(200):
        (folder / "many" / str(number)).write_text(f"http://a.example/{number}\n")
    for attempt in range(5):
        database = f"{attempt}.db"
        both = [subprocess.Popen([*COMMAND, "harvest", "-q", "many", "-o", database]) for _ in range(2)]
        assert {run.wait() for run in both} <= {0, 2}
        assert run("harvest", "-q", "many", "-o", database).exit_code == 0
        with closing(sqlite3.connect(database)) as db:
            assert db.execute("SELECT count(*), count(DISTINCT url) FROM record").fetchall() == [(200, 200)]


@pytest.mark.slow
def test_two_runs_at_once_leave_the_output_of_one(folder: Path) -> None:
    for name in "ab":
        Path(name).write_text("".join(f"http://{name}.example/{number}\n" for number in range(20_000)))
    for _ in range(5):
        both = [subprocess.Popen([*COMMAND, "-o", "out", name]) for name in "ab"]
        assert [run.wait() for run in both] == [0, 0]
        assert Path("out").read_text() in {Path(name).read_text() for name in "ab"}
        assert not list(folder.glob("*.part*"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root mounts")
@pytest.mark.slow
def test_a_full_file_system_leaves_everything(folder: Path) -> None:
    (folder / "small").mkdir()
    mount = subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", "size=64k", "none", "small"], check=False)
    if mount.returncode:
        pytest.skip("no tmpfs may be mounted")
    try:
        Path("small/out").write_text(BEFORE)
        Path("many").write_text("".join(f"http://a.example/{number}\n" for number in range(10_000)))
        for kind in ("text", "csv", "jsonl", "sqlite"):
            output = "small/links.db" if kind == "sqlite" else "small/out"
            result = run("--format", kind, "-o", output, "many")
            assert result.exit_code == 2
            assert "urlmend: write error: " in result.stderr
            assert Path("small/out").read_text() == BEFORE
            if kind != "sqlite":
                assert "urlmend: small/out.part: is incomplete" in result.stderr
                Path("small/out.part").unlink()
            assert os.listdir("small") == ["out"]  # noqa: PTH208 -- names
    finally:
        subprocess.run(["/bin/umount", "small"], check=True)


def test_a_pipe_that_is_closed_ends_it_quietly(folder: Path) -> None:
    Path("many").write_text(f"{URL}\n" * 200_000)
    os.mkfifo("pipe")
    before = Path("out").read_text()
    with subprocess.Popen([*COMMAND, "-o", "pipe", "--rejects", "out", "many"], stderr=subprocess.PIPE) as process:
        with Path("pipe").open("rb") as reader:
            assert reader.readline().decode() == f"{URL}\n"
        assert process.stderr is not None
        assert (process.stderr.read(), process.wait()) == (b"", 141)
    assert Path("out").read_text() == before
    assert sorted(path.name for path in folder.glob("out*")) == ["out"]


@pytest.mark.usefixtures("folder")
def test_an_empty_file_that_was_to_be_a_database_stays() -> None:
    Path("empty").touch()
    Path("link").symlink_to("empty")
    told, status = interrupted(
        ("-v", "--source", "text", "--format", "sqlite", "-o", "link"), signal.SIGINT, b"no URL yet\n", lambda: True
    )
    assert (told, status) == ("", 130)
    assert run("--format", "sqlite", "-o", "link", "missing").exit_code == 2
    assert Path("link").is_symlink()
    assert Path("empty").read_bytes() == b""


def test_a_report_does_not_replace_its_database(folder: Path) -> None:
    pytest.importorskip("vl_convert")
    pytest.importorskip("jinja2")
    assert run("harvest", "-q", "t.mbox", "-o", "links.db").exit_code == 0
    Path("symbolic-db").symlink_to("links.db")
    Path("hard-db").hardlink_to("links.db")
    before = listing(folder)
    for name in ("links.db", "symbolic-db", "hard-db"):
        result = run("report", "links.db", "-o", name)
        assert (result.stderr, result.exit_code) == ("urlmend: links.db: input file is also the output\n", 2)
    assert run("report", "missing.db", "-o", "out").exit_code == 2
    assert run("report", "t.mbox", "-o", "out").exit_code == 2
    assert listing(folder) == before
    assert run("report", "links.db", "-o", "out").exit_code == 0
    assert Path("out").read_text().startswith("<!DOCTYPE html>")


def test_a_harvest_reads_no_link_to_its_database(folder: Path) -> None:
    (folder / "a").mkdir()
    Path("a/in").write_text(URL)
    assert run("harvest", "-q", "a", "-o", "a/links.db").exit_code == 0
    Path("a/link").symlink_to("links.db")
    Path("a/hard").hardlink_to("a/links.db")
    result = run("harvest", "a", "-o", "a/links.db")
    assert result.stderr == "urlmend: files: 0 new, 0 grown, 1 unchanged; 0 URLs read, in a/links.db\n"
