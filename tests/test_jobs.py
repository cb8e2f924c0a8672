"""With several jobs the same comes out as with one, wherever files are parted; and nothing is left behind."""
# ruff: noqa: S603 -- what is run is the command itself

import gzip
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial, partialmethod
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner
from corpora import generate

import cases
import messages
from in_this_process import InThisProcess
from urlmend import RFC1738, WEB, Profile, Rejected, URLMatch, iter_urls
from urlmend.cli import find, main, pipeline
from urlmend.cli.pipeline import Files, Pipeline
from urlmend.parallel import count_jobs, merge, run, tasks, worker
from urlmend.parallel import splits as places
from urlmend.parallel.pool import Results, Task, WorkerDiedError, Workers
from urlmend.parallel.run import Reading, SplitError
from urlmend.parallel.splits import Split
from urlmend.parallel.worker import Asked, Found, read
from urlmend.query import Query

COMMAND = (sys.executable, "-m", "urlmend")
FROM = b"From jane@a.example Thu Mar  7 10:06:12 1996\n"
Result = tuple[list[URLMatch], list[Rejected]]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Have the parts read in this process, of files of any size."""
    monkeypatch.setattr(run, "Workers", InThisProcess)
    monkeypatch.setattr(tasks, "LEAST_SIZE", 0)
    monkeypatch.setattr(tasks, "SPLIT_SIZE", 0)
    return monkeypatch


def scanned(path: Path, jobs: int = 1, **options: Any) -> Result:
    rejected: list[Rejected] = []
    return list(iter_urls(path, jobs=jobs, rejected=rejected.append, **options)), rejected


def split_at(*places: int, kind: str) -> Callable[..., Iterator[Split]]:
    """Return what parts a file at exactly these *places*; of a text all that stands before is there to be history."""

    def parts(path: str, name: str, _source: str) -> Iterator[Split]:
        stops = (0, *places, sys.maxsize)
        for number, (at, stop) in enumerate(pairwise(stops)):
            context = 0 if kind == "text" or not number else at
            yield Split(path, name, kind, is_split=True, at=at, stop=stop, context=context)

    return parts


def check(path: Path, expected: Result, **options: Any) -> None:
    matches, rejected = scanned(path, 2, **options)
    same(matches, expected[0])
    same(rejected, expected[1])


def same(found: Sequence[URLMatch | Rejected], expected: Sequence[URLMatch | Rejected]) -> None:
    """Compare all fields; of each two origins only once, as every look at one reads its header."""
    assert len(found) == len(expected)
    compared = set()
    for one, other in zip(found, expected, strict=True):
        values = [name for name in type(other).__slots__ if name not in {"origin", "_parts"}]
        assert [getattr(one, name) for name in values] == [getattr(other, name) for name in values]
        if (pair := (id(one.origin), id(other.origin))) not in compared:
            compared.add(pair)
            assert one.origin == other.origin


# Where texts are split


def _cuts(data: bytes) -> list[int]:
    """Return every place in *data* but those inside a CRLF."""
    return [at for at in range(1, len(data)) if data[at - 1 : at + 1] != b"\r\n"]


@pytest.mark.parametrize("most", [4, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", cases.CASES)
def test_a_text_of_the_table_is_split_anywhere(here: pytest.MonkeyPatch, tmp_path: Path, name: str, most: int) -> None:
    data = cases.CASES[name].text.encode()
    path = tmp_path / "text"
    path.write_bytes(data)
    expected = scanned(path, source="text")
    cuts = _cuts(data)
    # The long ones are of one kind from one end to the other.
    for cut in cuts if len(cuts) < most else random.Random(name).sample(cuts, min(most, 60)):
        here.setattr(tasks, "splits", split_at(cut, kind="text"))
        check(path, expected, source="text")


@pytest.mark.parametrize("profile", [WEB, RFC1738])
def test_a_text_of_all_cases_is_split_in_many_parts(here: pytest.MonkeyPatch, tmp_path: Path, profile: Profile) -> None:
    data = "\n".join(case.text for case in cases.CASES.values() if len(case.text) < 20_000).encode()
    path = tmp_path / "text"
    path.write_bytes(data)
    expected = scanned(path, source="text", profile=profile)
    cuts = _cuts(data)
    for seed in range(5):
        chosen = sorted(random.Random(seed).sample(cuts, 4 << seed))
        here.setattr(tasks, "splits", split_at(*chosen, kind="text"))
        check(path, expected, source="text", profile=profile)


def generated(kind: str, size: int, seed: int = 1) -> bytes:
    return b"".join(block for block, _ in generate.generate(kind, size, seed, bare_breaks=True))


@pytest.mark.parametrize("kind", ["mail", "news", "docs"])
@pytest.mark.parametrize("source", ["auto", "text"])
@pytest.mark.parametrize(
    "size", [7_000, pytest.param(500, marks=pytest.mark.slow), pytest.param(70_000, marks=pytest.mark.slow)]
)
def test_generated_files_are_split_by_size(
    here: pytest.MonkeyPatch, tmp_path: Path, kind: str, source: str, size: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(generated(kind, 300_000))
    here.setattr(tasks, "splits", partial(places.splits, size=size))
    check(path, scanned(path, source=source), source=source)


HOSTILE = {
    "wrappers never closed": b"<URL:http://a.example/b\n\n" * 3000,
    "wrappers over blank lines": b"<URL:http://a.example/\n> b\n\n\nJane  x  [Page 3]\n\f\nRFC  y  z\n\n> c>\n\n" * 800,
    "one long URL": b"x\n\nhttp://a.example/" + b"b" * 150_000 + b"\n\nhttp://b.example/\n",
    "no blanks": b"http://a.example/b,(http://c.example/d)" * 2000,
    "CR only": b"http://a.example/b-\rc http://d.example/\r" * 2000,
    "CRLF": b"<http://a.example/b-\r\nc> http://d.example/\r\n\r\n" * 2000,
    "long lines": (b"x " * 3000 + b"http://a.example/b\n\n") * 12,
    "a byte order mark": b"\xef\xbb\xbfhttp://a.example/ " + b"x\n\nhttp://b.example/ " * 3000,
    "UTF-16": ("http://a.example/b\n\n" * 3000).encode("utf-16"),
    "not ASCII": "ü http://bücher.example/é\n\n".encode() * 3000,
    "hyphens": b"".join(b"<http://a%d.example/b-\n c> http://a%d.example/bc\n\n" % (n, n - 90) for n in range(3000)),
    "hyphens decided late": b"".join(
        b"<http://a%d.example/b-\n c> " % n + b"x\n\n" * n + b"http://a%d.example/bc\n\n" % n for n in range(150)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [5_000, pytest.param(100, marks=pytest.mark.slow)])
def test_hostile_texts(here: pytest.MonkeyPatch, tmp_path: Path, name: str, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(HOSTILE[name])
    here.setattr(tasks, "splits", partial(places.splits, size=size))
    check(path, scanned(path, source="text"), source="text")


def test_blank_lines_are_preferred(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes((b"x" * 60 + b"\n") * 100 + b"\n" + (b"x" * 60 + b"\n") * 100)
    first, second, *_ = places.splits(str(path), "file", "text", 3000)
    assert (first.stop, second.at) == (6101, 6101)
    assert second.context <= 6101 - 1024
    assert str(first) == "byte 0 to byte 6101"


# Where mboxes are split


def mbox() -> bytes:
    """Return every message of the table, and one that is counted and has in it what begins others."""
    one = [case.data.replace(b"\n.\n", b"\n") for case in messages.CASES.values() if case.source == "message"]
    inside = b"http://a.example/1\n\n" + FROM + b"Subject: x\n\nhttp://a.example/2\n"
    one.insert(5, b"Subject: counted\nContent-Length: %d\n\n" % len(inside) + inside)
    return b"".join(FROM + data + b"\n\n" for data in one)


@pytest.mark.parametrize("size", [1, 3_000, 20_000])
def test_mboxes_are_split_at_messages(here: pytest.MonkeyPatch, tmp_path: Path, size: int) -> None:
    path = tmp_path / "mbox"
    path.write_bytes(mbox())
    here.setattr(tasks, "splits", partial(places.splits, size=size))
    expected = scanned(path)
    assert max(match.origin.message or 0 for match in expected[0]) > 20
    check(path, expected)


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 20), marks=pytest.mark.slow)], ids=["some", "more"])
def test_an_mbox_split_in_the_wrong_place_is_read_right(here: pytest.MonkeyPatch, tmp_path: Path, seeds: range) -> None:
    path = tmp_path / "mbox"
    data = mbox()
    path.write_bytes(data)
    expected = scanned(path)
    lines = [at for at in range(1, len(data)) if data[at - 1 : at] == b"\n"]
    for seed in seeds:
        chosen = sorted(random.Random(seed).sample(lines, 12))
        here.setattr(tasks, "splits", split_at(*chosen, kind="mbox"))
        check(path, expected)


# What the processes write


def printed(path: Path, *options: str) -> bytes:
    """Return what the command prints of the file at *path*."""
    result = CliRunner().invoke(main, [*options, str(path)])
    assert result.exit_code in {0, 1}, result.output
    return result.stdout_bytes


@pytest.mark.parametrize(
    "options",
    [
        ("-n", "-b", "-H"),
        ("--format", "jsonl"),
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in (
                (),
                ("-H", "-0", "--color=always"),
                ("--format", "csv"),
                ("--format", "tsv", "--host", "*.example", "--min-confidence", ".9"),
                ("-u",),
                ("--limit", "7", "-n"),
                ("-c",),
                ("--readings", "all"),
            )
        ),
    ],
    ids=" ".join,
)
def test_several_processes_write_the_same(here: pytest.MonkeyPatch, tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "file"
    whole = [b"http://a%d.example/bc\n\n" % n + b"x\n\n" * n for n in range(40)]
    broken = [b"<http://a%d.example/b-\n c>\n\n" % n + b"x\n\n" * n + b"http://b.example/ " * 9 for n in range(60)]
    crlf = b"<http://a.example/b-\r\nc> http://d.example/\r\n\r\n"
    for data in (mbox(), generated("docs", 20_000), crlf * 200, b"".join(whole + broken + whole)):
        path.write_bytes(data)
        expected = printed(path, "-j1", *options)
        here.setattr(tasks, "splits", partial(places.splits, size=3000))
        assert printed(path, "-j2", *options) == expected


def test_few_bytes_are_read_by_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("http://a.example/ http://b.example/\n")
    (tmp_path / "other").write_text("http://c.example/\n")
    asked: list[int] = []

    def with_jobs(pipeline: Pipeline, jobs: int, *_: object) -> Files:
        asked.append(jobs)
        return pipeline.in_turn(None, verbose=False)

    monkeypatch.setattr(Pipeline, "with_jobs", with_jobs)
    monkeypatch.setattr(find, "count_jobs", lambda jobs: jobs or 3)
    run_it = partial(CliRunner().invoke, main)
    for large, options, jobs in (
        (54, ("-u",), []),
        (53, ("-u",), [3]),
        (53, ("-u", "-j", "auto"), [3]),
        (53, ("-u", "-j", "1"), []),
        (54, ("-u", "-j", "2"), [2]),
        # These end early.
        (0, ("-q",), []),
        (0, ("-l",), []),
        (0, ("--limit", "1"), []),
    ):
        monkeypatch.setattr(pipeline, "LARGE", large)
        assert run_it([*options, "-r", str(tmp_path)]).exit_code == 0
        assert asked == jobs
        asked.clear()


def test_how_far_reading_is_shows(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbf" + b"http://a.example/ x\n\n" * 4000)
    (tmp_path / "mbox").write_bytes(mbox())
    (tmp_path / "gz").write_bytes(gzip.compress(mbox()))
    (tmp_path / "empty").write_bytes(b"")
    here.setattr(tasks, "splits", partial(places.splits, size=5_000))
    names = sorted(str(path) for path in tmp_path.iterdir())
    sizes: list[int] = []
    with run.Run(names, Reading(run._open, Query(), advance=sizes.append), 2) as it:  # noqa: SLF001 -- as `urls_below` has it
        for name, lists in it.files():
            assert sum(len(matches) for matches in lists) or str(name).endswith("empty")
    assert len(sizes) > 20
    assert 0 <= sum(Path(name).stat().st_size for name in names) - sum(sizes) <= 3  # a byte order mark is no text


# What is not split


def test_other_files_are_one_part_each(tmp_path: Path) -> None:
    text = b"http://a.example/ x\n\n" * 4000
    (tmp_path / "gz").write_bytes(gzip.compress(text))
    (tmp_path / "message").write_bytes(b"From: a\nSubject: b\nDate: c\n\n" + text)
    (tmp_path / "empty").write_bytes(b"")
    for name in ("gz", "message", "empty", "missing"):
        assert list(places.splits(str(tmp_path / name), name, "auto", 1000)) == [
            Split(str(tmp_path / name), name, "auto")
        ]


@pytest.mark.parametrize("size", [1, 5_000])
def test_what_is_not_split_comes_in_pieces(here: pytest.MonkeyPatch, tmp_path: Path, size: int) -> None:
    here.setattr(worker, "MOST_MATCHES", 1)
    here.setattr(worker, "PIECE_SIZE", size)
    pieces: list[Found] = []
    here.setattr(merge.Merge, "matches", partialmethod(_noted, merge.Merge.matches, pieces))
    path = tmp_path / "file"
    for data in (mbox(), generated("docs", 60_000), HOSTILE["hyphens decided late"], HOSTILE["UTF-16"]):
        path.write_bytes(gzip.compress(data))
        check(path, scanned(path))
        assert printed(path, "-j2", "-n", "-b") == printed(path, "-j1", "-n", "-b")
    assert len(pieces) > 16


def _noted(this: Any, decided: Callable[..., Any], pieces: list[Found], split: Split, found: Found) -> Any:
    pieces.append(found)
    return decided(this, split, found)


def test_a_file_object_is_read_by_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(run, "Run")
    (tmp_path / "file").write_bytes(b"http://a.example/")
    with (tmp_path / "file").open("rb") as file:
        assert [match.url for match in iter_urls(file, jobs=2)] == ["http://a.example/"]


def test_the_number_of_jobs() -> None:
    assert count_jobs(3) == 3
    assert count_jobs(0) >= 1
    with pytest.raises(ValueError, match="0 or more"):
        count_jobs(-1)


SHARED = Path(os.environ.get("URLMEND_SHARED", "/nonexistent"), "corpora")
REAL = sorted(path for path in SHARED.glob("*/*/*") if path.is_file() and path.stat().st_size > 300_000)


@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="URLMEND_SHARED is not set")
def test_real_files(here: pytest.MonkeyPatch) -> None:
    here.setattr(tasks, "splits", partial(places.splits, size=30_000))
    for path in REAL:
        check(path, scanned(path))


# Processes


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a directory that is worth several processes: files of several parts, small ones, broken ones."""
    directory = tmp_path_factory.mktemp("archive")
    mail = generated("mail", 200_000)
    filler = b"plain words, and nothing else\n" * 40_000
    (directory / "0.text").write_bytes((generated("docs", 200_000) + filler) * 4)
    (directory / "1.mbox").write_bytes((mail + filler + b"\n") * 4)
    (directory / "2.gz").write_bytes(gzip.compress(mail)[:-9000])
    for number in range(10, 20):
        (directory / f"{number}.small").write_bytes(generated("mail", 20_000, number))
    (directory / "5").symlink_to("nowhere")
    return directory


def command(*args: str, cwd: Path) -> tuple[bytes, bytes, int]:
    done = subprocess.run([*COMMAND, *args], capture_output=True, cwd=cwd, check=False)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("name", ["1.mbox", pytest.param("0.text", marks=pytest.mark.slow)])
def test_processes_find_the_same(archive: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "LEAST_SIZE", 0)
    path = archive / name
    assert path.stat().st_size > 2 * places.SPLIT_SIZE
    check(path, scanned(path))


def test_a_directory_is_one_stream(archive: Path, tmp_path: Path) -> None:
    for path in archive.iterdir():
        if path.name not in {"2.gz", "5"}:
            (tmp_path / path.name).symlink_to(path)
    check(tmp_path, scanned(tmp_path))


@pytest.mark.slow
def test_what_was_found_before_an_error_is_given_out(archive: Path) -> None:
    matches: dict[int, list[URLMatch]] = {1: [], 2: []}
    errors = []
    for jobs, found in matches.items():
        with pytest.raises(OSError, match="ends early") as raised:
            found.extend(iter_urls(archive, jobs=jobs))
        errors.append((type(raised.value), str(raised.value)))
    same(matches[2], matches[1])
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    "options",
    [
        ("-nbH",),
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in (
                (),
                ("-Hu",),
                ("-c",),
                ("--count-by", "host"),
                ("--format", "jsonl", "--rejects", "/dev/stdout"),
                ("--no-quoted", "--readings", "all", "-0"),
            )
        ),
    ],
)
def test_the_command_prints_the_same(archive: Path, options: tuple[str, ...]) -> None:
    paths = ("missing", "1.mbox", ".", "0.text")
    single = command("-r", *options, *paths, cwd=archive)
    several = command("-r", "-j", "2", *options, *paths, cwd=archive)
    if "--rejects" in options:
        # Two files: only their own order is one.
        single, several = (
            (b"\n".join(sorted(out.split(b"\n"))), error, status) for out, error, status in (single, several)
        )
    assert several == single
    assert single[2] == 2
    assert b"2.gz: the gzip data ends early" in single[1]


def test_small_inputs_start_no_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workers, "submit", None)
    (tmp_path / "file").write_bytes(b"http://a.example/")
    check(tmp_path, scanned(tmp_path))


@pytest.mark.slow
def test_standard_input_and_pipes_have_their_turn(archive: Path) -> None:
    paths = ("0.text", "-", "10.small")
    for jobs in ("1", "2"):
        done = subprocess.run(
            [*COMMAND, "-c", "-j", jobs, *paths],
            input=b"http://a.example/\n",
            stdout=subprocess.PIPE,
            cwd=archive,
            check=True,
        )
        assert done.stdout.splitlines()[1] == b"(standard input):1"


@pytest.mark.parametrize("jobs", ["-1", "x", "1.5"])
def test_a_wrong_number_of_jobs(jobs: str, tmp_path: Path) -> None:
    out, error, status = command("-j", jobs, cwd=tmp_path)
    assert (out, status) == (b"", 2)
    assert b"neither a number of processes nor auto" in error


def children(process: int) -> list[int]:
    """Return the processes that *process* has started."""
    return [
        int(pid) for task in Path(f"/proc/{process}/task").iterdir() for pid in (task / "children").read_text().split()
    ]


def _heed_interrupts() -> None:
    """Undo what a shell does to the commands that it runs in the background: they ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


ANYHOW = "from urlmend.cli import main; main()"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
@pytest.mark.parametrize("how", ["interrupt", "closed pipe", "killed"])
def test_it_ends_at_once_and_leaves_no_process(archive: Path, how: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ANYHOW, "-n", "-j", "2", "0.text", "1.mbox"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=archive,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 -- this process has no threads
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().endswith(b"\n")
        # There is more to print than a pipe takes: it is still at it.
        started = children(process.pid)
        assert started
        if how == "interrupt":
            process.send_signal(signal.SIGINT)
            assert process.stdout.read()[-1:] in {b"", b"\n"}
        elif how == "killed":
            process.kill()
        else:
            process.stdout.close()
        error = process.stderr.read()  # to its end: all who have it open have ended
        status = process.wait(60)
    assert (error, status) == (b"", {"interrupt": 130, "closed pipe": 141, "killed": -signal.SIGKILL}[how])
    # Those of a killed process are init's to bury.
    assert how == "killed" or [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


# A process that dies


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make three files; the third part of the second one is a pipe, which the test can wait at for its reader."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    for name in "abc":
        (tmp_path / name).write_bytes(b"".join(b"http://%s%d.example/\n\n" % (name.encode(), n) for n in range(2000)))

    def parts(path: str, name: str, source: str) -> Iterator[Split]:
        for number, part in enumerate(places.splits(path, name, source, 10_000)):
            yield part._replace(path=pipe, is_split=False) if name.endswith("b") and number == 2 else part

    monkeypatch.setattr(tasks, "LEAST_SIZE", 0)
    monkeypatch.setattr(tasks, "SPLIT_SIZE", 0)
    monkeypatch.setattr(tasks, "splits", parts)
    return tmp_path


def kill_the_reader(directory: Path) -> None:
    """Kill the process that opens the pipe in *directory*: once this one could open it, there is one."""
    pipe = directory / "pipe"
    with pipe.open("wb"):
        while not (readers := [pid for pid in children(os.getpid()) if pipe in opened_by(pid)]):
            pass
        os.kill(readers[0], signal.SIGKILL)


def opened_by(process: int) -> list[Path]:
    with suppress(OSError):
        return [link.readlink() for link in Path(f"/proc/{process}/fd").iterdir()]
    return []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
def test_a_killed_reader_ends_its_file_and_no_other(deadly: Path) -> None:
    names = [str(deadly / name) for name in "abc"]
    expected = [[match.url for match in iter_urls(Path(name))] for name in names]
    reading = Reading(run._open, Query())  # noqa: SLF001 -- as `urls_below` has it
    killer = Thread(target=kill_the_reader, args=(deadly,), daemon=True)
    killer.start()
    found: list[list[str]] = []
    with run.Run(names, reading, 2) as it:
        for name, lists in it.files():
            found.append([])
            if name != names[1]:
                found[-1] += (match.url for matches in lists for match in matches)
                continue
            with pytest.raises(SplitError, match=rf"{name}: byte 2\d+ to byte 3\d+: the process .* died \(SIGKILL\)"):
                found[-1].extend(match.url for matches in lists for match in matches)
    killer.join()
    assert (found[0], found[2]) == (expected[0], expected[2])
    assert 500 < len(found[1]) < 1500
    assert found[1] == expected[1][: len(found[1])]


def test_small_files_that_were_read_with_a_deadly_one_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "LEAST_SIZE", 0)
    monkeypatch.setattr(run, "Workers", Mortal)
    for name in "abc":
        (tmp_path / name).write_bytes(f"http://{name}.example/".encode())
    found: list[str] = []
    with pytest.raises(SplitError, match=rf"{tmp_path}/b: byte 0 to the end: the process reading it died"):
        found.extend(match.url for match in iter_urls(tmp_path, jobs=2))
    assert found == ["http://a.example/"]


class Mortal(InThisProcess):
    """Dies of files called `b`."""

    def submit(self, task: Task) -> Results:
        for part in task:
            if part.name.endswith("b"):
                message = "SIGKILL"
                raise WorkerDiedError(message)
            yield from super().submit((part,))


def test_what_a_reader_fails_at_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(worker, "iter_texts", fail)
    (tmp_path / "file").write_bytes(b"http://a.example/")
    (found,) = read(Split(str(tmp_path / "file"), "file", "auto"), Asked(Query()))
    assert found.failed == "MemoryError()"


def test_no_more_is_read_ahead_than_is_asked_for(here: pytest.MonkeyPatch, tmp_path: Path) -> None:
    submitted = []

    class Counted(InThisProcess):
        def submit(self, task: Task) -> Results:
            submitted.append(task)
            return super().submit(task)

    here.setattr(run, "Workers", Counted)
    here.setattr(tasks, "splits", partial(places.splits, size=1000))
    (tmp_path / "file").write_bytes(b"http://a.example/b x\n\n" * 5000)
    matches = iter_urls(tmp_path / "file", jobs=2)
    next(matches)
    assert len(submitted) <= 2 * run.AHEAD + 1
