"""Output: formats, counts, context, pages of annotated text, and files that take their place when they are whole."""
# ruff: noqa: S603 -- what is run is the command itself

import csv
import gzip
import io
import json
import os
import re
import resource
import signal
import stat
import subprocess
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import Result
from selectolax.lexbor import LexborHTMLParser

from commands import COMMAND, Started, as_nobody, run, spawn
from files import Endless, Pipe, memory_below
from sample import SAMPLES, SMALL, some
from terminal import heed_signals, on_a_terminal
from urlmend import Origin, find_urls, iter_texts, iter_urls, linkify
from urlmend.cli.annotate import annotate
from urlmend.cli.find import FORMATS
from urlmend.cli.inputs import Input
from urlmend.output import LineWriter
from urlmend.output.counts import Tally
from urlmend.output.pages import HtmlPage, TerminalPage
from urlmend.output.tables import CsvFormat, TsvFormat
from urlmend.query import Query
from urlmend.record import MORE_FIELDS, NAMES
from urlmend.selection import Selection
from urlmend.sources import SOURCES
from urlmend.sources.compression import CHUNK_SIZE

URL = "http://a.example/"
BEFORE = "what was there\n"


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty directory the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(here: Path) -> Path:
    """Make a mailbox with two more names, and a file `out`, in the current directory."""
    Path("t.mbox").write_text(f"From a@a.example Mon Jul  7 10:06:12 2003\nTo: x\n\n{URL}\n")
    Path("symbolic").symlink_to("t.mbox")
    Path("hard").hardlink_to("t.mbox")
    Path("out").write_text(BEFORE)
    return here


# Formats

TABLE = 'See <URL:http://a.example/b-\n\tc> and "http://ü.example/x,y\\z", or (news:a%b)\n'


def as_text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def test_records_are_the_same_in_every_format(here: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    from urlmend.arrow import RECORD  # noqa: PLC0415 -- an extra

    Path("table").write_text(TABLE)
    paths = [Path("table"), *SMALL]
    expected = [match.as_dict() for path in paths for match in iter_urls(path)]
    written = {}
    for kind in ("jsonl", "csv", "tsv", "parquet"):
        assert run("--format", kind, "-o", kind, *paths).exit_code == 0
        written[kind] = Path(kind)
    records = [json.loads(line) for line in written["jsonl"].read_text("utf-8").splitlines()]
    assert records == json.loads(json.dumps(expected))
    assert len(records) > 150
    assert tuple(records[0]) == NAMES
    table = parquet.read_table(here / "parquet")
    assert table.schema.equals(RECORD)
    assert table.to_pylist() == records

    cells = [list(NAMES), *([as_text(value) for value in record.values()] for record in records)]
    with written["csv"].open(encoding="utf-8", newline="") as file:
        assert [[cell.removeprefix("'") for cell in row] for row in csv.reader(file, strict=True)] == [
            [cell.removeprefix("'") for cell in row] for row in cells
        ]
    escapes = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
    lines = written["tsv"].read_bytes().decode().removesuffix("\n").split("\n")
    assert lines == ["\t".join(cell.translate(escapes) for cell in row) for row in cells]


MAIL = (
    b'From: "Doe, Jane" <jane@a.example>\nDate: Mon, 7 Jul 2003 22:06:12 -0300\nSubject: a\n\n'
    b"http://a.example/ https://www.google.com/url?q=https%3A%2F%2Fb.c.example%2Fb&sa=D\n"
)
CHOSEN = {
    "sent": "2003-07-08T01:06:12Z",
    "author_name": "Doe, Jane",
    "author_address": "jane@a.example",
    "page": None,
    "line": 5,
    "host": "www.google.com",
    "target_domain": "c.example",
    "target": "https://b.c.example/b",
}


@pytest.mark.usefixtures("here")
def test_chosen_columns() -> None:
    Path("a.eml").write_bytes(MAIL)
    given = ("--scheme", "https", "--fields", "sent,author_name", "--fields", ",".join([*CHOSEN][2:]), "a.eml")
    assert list(json.loads(run("--format", "jsonl", *given).stdout).items()) == list(CHOSEN.items())
    cells = [as_text(value) for value in CHOSEN.values()]
    assert list(csv.reader(io.StringIO(run("--format", "csv", *given).stdout))) == [[*CHOSEN], cells]
    assert run("--format", "tsv", *given).stdout == "".join("\t".join(row) + "\n" for row in ([*CHOSEN], cells))
    assert run("--format", "csv", "--fields", "page", "a.eml").stdout == 'page\n""\n""\n'
    assert run("--fields", "list").stdout.split() == [*NAMES, *(field.name for field in MORE_FIELDS)]
    pytest.importorskip("pyarrow")
    from pyarrow import parquet  # noqa: PLC0415 -- an extra

    run("--format", "parquet", "-o", "a.parquet", *given)
    (row,) = parquet.read_table("a.parquet").to_pylist()
    assert row == CHOSEN | {"sent": datetime(2003, 7, 8, 1, 6, 12, tzinfo=UTC)}


def test_half_a_surrogate_pair_is_an_escape(here: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = os.fsdecode(b"caf\xe9")
    with open(path, "wb") as file:
        file.write(URL.encode())
    for kind, escape in (("csv", "caf\\udce9"), ("jsonl", "caf\\udce9"), ("tsv", "caf\\\\udce9")):
        assert escape in run("--format", kind, path).stdout
    run("--format", "parquet", "-o", "out", path)
    assert parquet.read_table(here / "out").column("source").to_pylist() == ["caf\\udce9"]


# a cell; the same in CSV, where a spreadsheet would compute it
FORMULAS = (
    *((cell, f"'{cell}") for cell in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1")),
    *((cell, cell) for cell in ("http://a.example/=1", " =1", "'=1", "")),
)


@pytest.mark.parametrize(("cell", "expected"), FORMULAS)
def test_no_cell_is_a_formula(cell: str, expected: str) -> None:
    (match,) = find_urls(URL)
    in_tsv = cell.translate({9: "\\t", 13: "\\r"})
    for line_format, delimiter, written in (
        (CsvFormat(), ",", expected),
        (CsvFormat(raw=True), ",", cell),
        (TsvFormat(), "\t", in_tsv),
    ):
        out = io.StringIO(newline="")
        writer = LineWriter(out, line_format)
        writer.write([replace(match, origin=Origin(cell))])
        writer.close()
        _, row = csv.reader(io.StringIO(out.getvalue(), newline=""), strict=True, delimiter=delimiter)
        assert row[NAMES.index("source")] == written


@pytest.mark.usefixtures("here")
def test_parquet_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "urlmend.arrow", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("--format", "parquet", "-o", "out")
    assert (result.exit_code, Path("out").exists()) == (2, False)
    assert "pip install 'urlmend[parquet]'" in result.stderr


@pytest.mark.parametrize("command", [(), ("annotate",), ("harvest",)])
def test_the_sources_are_listed(command: tuple[str, ...]) -> None:
    result = run(*command, "--source", "list")
    assert (result.stdout.splitlines(), result.stderr, result.exit_code) == (list(SOURCES), "", 0)


# Which URLs count as one

WRAPPED = (Path(__file__).parent / "data" / "files" / "wrapped.txt").read_text()
SAFE = WRAPPED.partition(" ")[0]
INSIDE = "https://A.example/b"
TARGETS = [INSIDE, None, None, None, None, INSIDE, None]


@pytest.mark.parametrize("limit", [0, 2000, 1 << 30])
def test_a_tally_is_the_same_in_memory_and_on_disk(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", limit)
    texts = [f"{Random(number).randrange(60)}\U0001f600é\udc80" for number in range(400)]
    tally = Tally()
    assert [text for text in texts if tally.add(text)] == list(dict.fromkeys(texts))
    assert list(tally.counts()) == sorted(Counter(texts).items(), key=lambda item: (-item[1], item[0]))
    tally.close()


@pytest.mark.parametrize(("options", "expected"), [((), [None] * 7), (("--unwrap",), TARGETS)])
def test_records_have_the_target(options: tuple[str, ...], expected: list[str | None]) -> None:
    records = [json.loads(line) for line in run("--format", "jsonl", *options, stdin=WRAPPED).stdout.splitlines()]
    assert [record["target"] for record in records] == expected
    assert [bool(record["warnings"]) for record in records] == [False] * 4 + [True] + [False] * 2
    pa = pytest.importorskip("pyarrow")
    from urlmend.arrow import extract_batches  # noqa: PLC0415 -- an extra

    (batch,) = extract_batches([pa.record_batch({"id": [1], "text": [WRAPPED]})], unwrap=bool(options))
    assert batch.column("target").to_pylist() == expected


def test_targets_are_shown_by_annotate() -> None:
    """Those of `explain`, and in text, are in data/transcripts."""
    html = run("annotate", "--format", "html", "--unwrap", stdin=SAFE).stdout
    assert f'href="{INSIDE}"' in html
    assert f"wraps: {INSIDE}" in html
    assert f'href="{INSIDE}"' not in run("annotate", "--format", "html", stdin=SAFE).stdout


# Context

CONTEXT = "one\ntwo <URL:http://a.example/b-\n  c> three\nfour\nfive\n\nhttp://jane:x@a.example/ six"
FOUND = "two <URL:http://a.example/b-\n  c> three\n=> http://a.example/b-c or http://a.example/bc\n"
LAST = "http://jane:x@a.example/ six\n"
NUMBERED = """\
1-one
2:two <URL:http://a.example/b-
3:  c> three
2=> http://a.example/b-c or http://a.example/bc
4-four
--
6-
7:http://jane:x@a.example/ six
"""


def test_context_far_from_the_beginning() -> None:
    filling = "filling words\n" * 30_000
    shown = run("-C1", "-n", stdin=filling + CONTEXT + "\n" + filling).stdout.splitlines()
    moved = [re.sub(r"^\d", lambda line: str(int(line[0]) + 30_000), line) for line in NUMBERED.splitlines()]
    assert shown == [*moved, "30008-filling words"]


@pytest.mark.parametrize("size", range(CHUNK_SIZE - 60, CHUNK_SIZE + 60, 17))
def test_context_spans_several_reads(size: int) -> None:
    # What follows is much more than is remembered.
    filling = "filling words, many of them\n" * 100_000
    shown = run("-C1", stdin="x" * size + f"\n{CONTEXT}\n{filling}http://b.example/").stdout
    assert shown.startswith(f"one\n{FOUND}four\n--\n\n{LAST}filling words, many of them\n--\n")
    assert shown.endswith("\n--\nfilling words, many of them\nhttp://b.example/\n")


def test_context_writes_each_line_once() -> None:
    header, url = "From: a\nContent-Transfer-Encoding: base64\n\n", "http://a.example/b"
    assert run("-C0", stdin=f"{header}{(line := b64encode(url.encode()).decode())}\n").stdout == f"{line}\n=> {url}\n"
    text = "".join(f"line {i}\n" * (i % 7) + f"http://a.example/{i} and http://b.example/{i}\n" for i in range(300))
    assert run("-C3", stdin=text).stdout == text
    # A line too long to be held is written in pieces.
    text = "".join(f"{'x ' * 40 * (i % 9)}http://a.example/{i} " for i in range(500))
    pieces = run("-C2", stdin=text + "x " * 9000).stdout.splitlines()
    assert text.startswith("".join(pieces)[: len(text)].rstrip())
    assert max(map(len, pieces)) < 20_000


# Control characters

ENV = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
ESCAPES = "\33\x07\x7f\x9b\u202e\u2066"
NAME, NAME_SHOWN = f"a\n{ESCAPES}b", r"a\n\x1b\x07\x7f\x9b\u202e\u2066b"
DIRTY, DIRTY_SHOWN = "http://a.example/x\u202ey", r"http://a.example/x\u202ey"


@pytest.fixture
def dirty(here: Path) -> Path:
    """Make a file with control characters in its name and its text."""
    (here / NAME).write_text(f"{ESCAPES} <{DIRTY}> http://a..example/\u202e\n")
    return here


# arguments, what is on the terminal
ON_A_TERMINAL = (
    (("-H",), f"{NAME_SHOWN}:{DIRTY_SHOWN}"),
    (("-c", "-H"), f"{NAME_SHOWN}:1"),
    (("-C0", "-Hn"), f"{NAME_SHOWN}:1:"),
    (("annotate",), "\u2550\u2550"),
    (("-l",), NAME_SHOWN),
    (("-v",), f"urlmend: {NAME_SHOWN}: read as text"),
    (("--count-by", "url"), f"links\turl\r\n1\t{DIRTY_SHOWN}"),
    (("--format", "tsv"), DIRTY_SHOWN),
    (("--format", "csv"), DIRTY_SHOWN),
    (("--format", "jsonl"), rf'"url": "{DIRTY_SHOWN}"'),
    (("--rejects", "-"), '"rule": '),
    (("annotate", "--format", "html"), NAME_SHOWN),
    (("gone\33\n",), r"urlmend: gone\x1b\n: No such file or directory"),
    (("--rejects", "no\33/x"), r"urlmend: no\x1b/x: No such file or directory"),
)


@pytest.mark.usefixtures("dirty")
@pytest.mark.parametrize(("args", "shown"), some(ON_A_TERMINAL, 20))
def test_control_characters_are_escaped_on_a_terminal(args: tuple[str, ...], shown: str) -> None:
    written = on_a_terminal([*COMMAND, *args, NAME], ENV).decode()
    assert shown in written
    assert not set(written) & set(ESCAPES)


@pytest.mark.usefixtures("dirty")
def test_a_pipe_gets_names_unescaped() -> None:
    for options, out in (
        ("-H", f"{NAME}:{DIRTY}\n"),
        ("-H0", f"{NAME}:{DIRTY}\0"),
        ("-l", f"{NAME}\n"),
        ("-l0", f"{NAME}\0"),
        ("-cH", f"{NAME}:1\n"),
    ):
        assert run(options, NAME).stdout == out
    assert run("gone\n\33x").stderr == "urlmend: gone\\n\\x1bx: No such file or directory\n"


# Files: an input is not written to

# arguments, which input is an output
REFUSED = (
    (("-o", "t.mbox", "t.mbox"), "t.mbox"),
    (("-o", "symbolic", "t.mbox"), "t.mbox"),
    (("-o", "t.mbox", "symbolic"), "symbolic"),
    (("-o", "hard", "t.mbox"), "t.mbox"),
    (("-o", "t.mbox", "out", "hard"), "hard"),
    (("-r", "-o", "t.mbox", "t.mbox"), "t.mbox"),
    (("-r", "-o", "out", "."), "./out"),
    (("-r", "-o", "symbolic", "."), "./hard"),
    (("-r", "--rejects", "out", "."), "./out"),
    (("-j", "2", "-o", "t.mbox", "t.mbox"), "t.mbox"),
    (("--rejects", "t.mbox", "t.mbox"), "t.mbox"),
    (("--rejects", "symbolic", "-o", "new", "t.mbox"), "t.mbox"),
    (("--format", "sqlite", "-o", "empty", "t.mbox", "empty"), "empty"),
    *((("--format", kind, "-o", "t.mbox", "t.mbox"), "t.mbox") for kind in FORMATS if kind != "sqlite"),
)


@pytest.mark.parametrize(("args", "name"), REFUSED)
def test_an_input_is_not_an_output(folder: Path, args: tuple[str, ...], name: str) -> None:
    if "parquet" in args:
        pytest.importorskip("pyarrow")
    Path("empty").touch()
    before = listing(folder)
    result = run(*args)
    assert (result.stdout, result.exit_code) == ("", 2)
    assert result.stderr == f"urlmend: {name}: input file is also the output\n"
    assert listing(folder) == before


def test_standard_input_is_not_an_output(folder: Path) -> None:
    before = listing(folder)
    with Path("t.mbox").open("rb") as file:
        done = spawn("-o", "hard", stdin=file)
    assert (done.stderr, done.returncode) == (b"urlmend: (standard input): input file is also the output\n", 2)
    assert listing(folder) == before


@pytest.mark.parametrize("args", [("-o", "t.mbox"), ("annotate", "-o", "t.mbox"), ("--format", "csv", "-o", "hard")])
def test_what_grep_would_read_is_not_replaced(folder: Path, args: tuple[str, ...]) -> None:
    before = listing(folder)
    with Path(os.devnull).open("rb") as device:
        done = spawn(*args, stdin=device)
        assert listing(folder) == before
        assert spawn(*args, "-", stdin=device).returncode == 1
    says = f"urlmend: {folder / args[-1]}: exists: to replace it, give a PATH to read, or - for standard input\n"
    assert (done.stderr.decode(), done.returncode) == (says, 2)
    assert listing(folder) != before


@pytest.mark.parametrize("args", [("-o", "a.db"), ("--rejects", "a.db"), ("annotate", "-o", "a.db")])
def test_text_does_not_replace_a_database(folder: Path, args: tuple[str, ...]) -> None:
    run("harvest", "t.mbox", "-o", "a.db")
    before = listing(folder)
    result = run(*args, "t.mbox")
    assert (result.output, result.exit_code) == (
        "urlmend: a.db: is an SQLite database, which only harvest writes to\n",
        2,
    )
    assert listing(folder) == before


@pytest.mark.usefixtures("folder")
def test_an_excluded_input_may_be_the_output() -> None:
    result = run("-r", "--exclude", "out*", "-o", "out", ".")
    assert (result.stderr, result.exit_code, Path("out").read_text()) == ("", 0, f"{URL}\n" * 3)


def test_the_partial_output_is_not_read(folder: Path) -> None:
    """It exists from the first result on, and is in a directory that is read later."""
    Path("z").mkdir()
    for number in range(3):
        Path("z", str(number)).write_text("http://b.example/")
    result = run("-r", "-o", "z/9", ".")
    assert (result.stderr, result.exit_code) == ("", 0)
    assert Path("z/9").read_text() == f"{URL}\n" * 3 + "http://b.example/\n" * 3
    assert sorted(listing(folder / "z")) == ["0", "1", "2", "9"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("names", [("out", "out"), ("new", "new"), ("new", "./new"), ("hard", "hard")])
def test_two_outputs_are_two_files(names: tuple[str, str]) -> None:
    result = run("-o", names[0], "--rejects", names[1], stdin=URL)
    assert (result.stderr, result.exit_code) == (f"urlmend: {Path(names[0]).resolve()}: is named for two outputs\n", 2)
    result = run("--format", "sqlite", "-o", "new.db", "--rejects", "new.db", stdin=URL)
    assert (result.exit_code, Path("new.db").exists(), Path("new").exists()) == (2, False, False)


# Files: nothing is replaced before there is something to replace it with

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
@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "sqlite"])
def test_a_failure_before_the_first_result_changes_nothing(folder: Path, args: tuple[str, ...], kind: str) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    Path("broken.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0no deflated data")
    before = listing(folder)
    for name in ("out", "new"):
        assert run("--format", kind, "-o", name, *args).exit_code == 2
    assert listing(folder) == before


@pytest.mark.usefixtures("folder")
def test_the_output_file_after_a_run() -> None:
    result = run("-o", "new", "missing", "t.mbox")
    assert (result.stderr, result.exit_code) == ("urlmend: missing: No such file or directory\n", 2)
    assert Path("new").read_text() == f"{URL}\n"
    assert run("-q", "-o", "out", "t.mbox").exit_code == 0
    assert Path("out").read_text() == BEFORE
    for name in ("out", "new"):
        assert run("-o", name, stdin="nothing").exit_code == 1
        assert Path(name).read_text() == ""
    result = run("-o", "none/out", stdin=URL)
    assert (result.stderr, result.exit_code) == ("urlmend: none/out: No such file or directory\n", 2)


# Files: links, modes, devices


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o4755])
def test_links_modes_and_owners_stay(mode: int) -> None:
    owner = 65534 if os.getuid() == 0 else os.getuid()  # only root gives files away
    os.chown("out", owner, -1)
    Path("out").chmod(mode)
    Path("link").symlink_to("out")
    assert run("-o", "link", "t.mbox").exit_code == 0
    assert Path("link").is_symlink()
    assert Path("out").read_text() == f"{URL}\n"
    status = Path("out").stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (owner, mode & 0o777)


@pytest.mark.usefixtures("folder")
def test_a_new_file_at_the_end_of_a_link_has_the_usual_mode() -> None:
    Path("dir").mkdir()
    Path("link").symlink_to("dir/new")
    before = os.umask(0o027)
    try:
        assert run("-o", "link", "t.mbox").exit_code == 0
    finally:
        os.umask(before)
    assert Path("link").is_symlink()
    assert listing(Path("dir")) == {"new": f"{URL}\n".encode()}
    assert stat.S_IMODE(Path("dir/new").stat().st_mode) == 0o640


@pytest.mark.usefixtures("folder")
def test_a_pipe_is_written_directly() -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["/bin/cat", "pipe"], stdout=subprocess.PIPE) as reader:
        assert run("-o", "pipe", "t.mbox").exit_code == 0
        assert reader.communicate(timeout=60)[0].decode() == f"{URL}\n"
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    assert run("-o", os.devnull, "--rejects", os.devnull, "t.mbox").exit_code == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.slow
def test_a_closed_pipe_ends_the_run_quietly(folder: Path) -> None:
    Path("many").write_text(f"{URL}\n" * 200_000)
    os.mkfifo("pipe")
    with subprocess.Popen([*COMMAND, "-o", "pipe", "--rejects", "out", "many"], stderr=subprocess.PIPE) as writer:
        with Path("pipe").open("rb") as reader:
            assert reader.readline().decode() == f"{URL}\n"
        assert (writer.communicate(timeout=60)[1], writer.returncode) == (b"", 141)
    assert Path("out").read_text() == BEFORE
    assert sorted(path.name for path in folder.glob("out*")) == ["out"]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/proc/self/fd/1"])
def test_a_descriptor_is_written_directly(name: str) -> None:
    if name.startswith("/proc") and not Path(name).exists():
        pytest.skip("no such name")
    with Path("out").open("a") as out:
        subprocess.run([*COMMAND, "-o", name, "t.mbox"], stdout=out, stderr=out, check=True, timeout=60)
    assert Path("out").read_text() == f"{BEFORE}{URL}\n"
    assert not list(Path().glob("*.part*"))


# Files: where they cannot be written


@pytest.mark.slow
def test_protected_files_are_left_alone() -> None:
    """Another user writes into a directory of others, and over a file without write permission."""
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
            done = as_nobody(top / directory, top / "in", "--format", "csv", "-o", output, top / "in")
            if os.getuid() != 0 and directory == "closed":
                continue  # it is ours
            assert done.stderr == f"urlmend: {output}: Permission denied\n"
            assert done.returncode == 2
            assert listing(top / directory) == {"theirs": BEFORE.encode()}


def _small_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_file_and_a_partial_one(folder: Path) -> None:
    Path("many").write_text("".join(f"http://a.example/{number}\n" for number in range(10_000)))
    before = listing(folder)
    done = spawn("-o", "out", "many", preexec_fn=_small_files)
    assert done.stderr.decode().splitlines() == [
        "urlmend: out.part is incomplete: the run was stopped; out is as it was",
        "urlmend: write error: File too large",
    ]
    assert done.returncode == 2
    part = Path("out.part").read_text()
    assert len(part) == 100_000
    assert Path("many").read_text().startswith(part)
    Path("out.part").unlink()
    assert listing(folder) == before


# Files: interrupted runs


def _holds_something(name: str) -> Callable[[], bool]:
    return lambda: Path(name).exists() and Path(name).stat().st_size > 0


def interrupted(args: tuple[str, ...], number: int, given: bytes, ready: Callable[[], bool]) -> tuple[str, int]:
    """Give the command its input, send it the signal once it is *ready*, and return its messages and its status."""
    with Started(*args, stdout=None) as child:
        child.give(given + b"filling words\n" * 100)  # enough to recognise what it is
        line = child.stderr.readline()  # -v: what the input is; then the command is at work
        assert b"read as" in line
        while not ready():
            child.give(b"filling words\n" * 100)
        child.send_signal(number)
        _, said = child.communicate(timeout=60)
    return said.decode(), child.returncode


@pytest.mark.parametrize("name", some(["new", "out"]))
@pytest.mark.parametrize("number", some([signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL], 4))
def test_an_interrupt_after_the_first_result_leaves_a_partial_file(folder: Path, number: int, name: str) -> None:
    before = listing(folder)
    asked = ("-v", "--source", "text", "-o", name)
    said, returned = interrupted(asked, number, f"{URL}\n".encode(), _holds_something(f"{name}.part"))
    as_it_was = "; out is as it was" if name == "out" else ""
    expected = f"urlmend: {name}.part is incomplete: the run was stopped{as_it_was}\n"
    assert (said, returned) == (("", -number) if number == signal.SIGKILL else (expected, 128 + number))
    part = Path(f"{name}.part")
    assert f"{URL}\n".startswith(part.read_text())
    part.unlink()
    assert listing(folder) == before


@pytest.mark.parametrize(
    ("number", "status", "kind"),
    some([(signal.SIGINT, 130, "text"), (signal.SIGTERM, 143, "csv"), (signal.SIGHUP, 129, "sqlite")]),
)
def test_an_interrupt_before_the_first_result_leaves_no_file(folder: Path, number: int, status: int, kind: str) -> None:
    before = listing(folder)
    asked = ("-v", "--source", "text", "--format", kind, "-o", "new")
    assert interrupted(asked, number, b"no URL yet\n", lambda: True) == ("", status)
    assert listing(folder) == before


AT_IMPORT = """
import runpy, signal, sys
class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupter())
runpy.run_module("urlmend", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("args", some(["urlmend.match --format jsonl", "click", "urlmend.cli.find", "difflib harvets"]))
def test_an_interrupt_during_startup_is_quiet(args: str) -> None:
    command = [sys.executable, "-c", AT_IMPORT, *args.split()]
    done = subprocess.run(command, input=b"", capture_output=True, check=False, timeout=60, preexec_fn=heed_signals)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert done.returncode in {130, -signal.SIGINT}


def test_a_partial_parquet_file_can_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("urlmend.arrow.ROW_GROUP", 1000)

    blocks = iter([b"http://a.example/\n" * 5000])

    def read(_self: Input, _size: int, /) -> bytes:
        for block in blocks:
            return block
        raise SystemExit(130)

    monkeypatch.setattr(Input, "read", read)
    result = run("--format", "parquet", "-o", "out", "--source", "text", "t.mbox")
    assert result.stderr == "urlmend: out.part is incomplete: the run was stopped; out is as it was\n"
    assert result.exit_code == 130
    assert parquet.read_table("out.part").num_rows >= 1000
    assert (folder / "out").read_text() == BEFORE


# Annotated text


def annotated(*args: str, stdin: str | bytes = b"") -> Result:
    return run("annotate", *args, stdin=stdin)


def html_of(stdin: str | bytes) -> LexborHTMLParser:
    return LexborHTMLParser(annotated("--format", "html", stdin=stdin).stdout)


def first(page: LexborHTMLParser, selector: str) -> Any:
    node = page.css_first(selector)
    assert node is not None
    return node


def test_annotate_shows_resolved_links_and_leaves_out_no_line() -> None:
    mail = b"From: a\nContent-Type: text/html\nContent-Location: http://a.example/p/\n\n<a href=b.html>x</a>"
    heading = "\u2500\u2500 message 1, part 1, text/html, relative links, resolved \u2500\u2500"
    assert f"{heading}\n\n\u27e6http://a.example/p/b.html\u27e7" in annotated("--resolve", stdin=mail).stdout
    text = b"Subject: x\n\nno URL\n-- \nhttp://a.example/\n\n-----\nnone\n"
    for data in (text, b"From a@b Sat Feb 17 10:00:00 1996\n" + text + b"\n", b'{"a": "b", "c": ["", "d"]}'):
        assert annotated("--resolve", stdin=data).stdout == annotated(stdin=data).stdout


class _Sieve(TerminalPage):
    """Keeps what was written without its marks."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.texts: list[str] = []

    def begin_text(self, origin: object) -> None:  # noqa: ARG002 -- as in a page
        self.texts.append("")

    def text(self, text: str) -> None:
        self.texts[-1] += text

    def url(self, match: object, ends: object = ()) -> None:  # noqa: ARG002 -- as above
        self.texts[-1] += match.raw  # type: ignore[attr-defined]

    def rejected(self, rejected: object, text: str) -> None:  # noqa: ARG002 -- as above
        self.texts[-1] += text


@pytest.mark.parametrize("path", some(reversed(SAMPLES)), ids=lambda path: path.name)
def test_no_text_and_no_url_is_lost(path: Path) -> None:
    data = path.read_bytes()
    slow = path in SMALL
    page = _Sieve()
    found = annotate(Pipe(data, 7) if slow else io.BytesIO(data), page, Query(), Selection())
    assert [match.url for match in found] == [match.url for match in iter_urls(io.BytesIO(data))]
    texts: list[str] = []
    origin = None
    for text in iter_texts(io.BytesIO(data)):
        if text.origin is not origin:
            texts.append("")
        origin = text.origin
        texts[-1] += text.data if isinstance(text.data, str) else text.data.decode(errors="replace")
    assert page.texts == texts


@pytest.mark.parametrize("shift", [0, 1, 2, 3])
def test_no_character_is_cut_in_a_long_line(shift: int) -> None:
    text = "x" * shift + "\U0001f600" * 200_000
    assert annotated(stdin=text).stdout == f"{text}\n══ no URLs ══\n"


class Discarding(io.StringIO):
    def write(self, text: str, /) -> int:
        return len(text)


@pytest.mark.slow
def test_memory_is_bounded() -> None:
    line = b"only words of an ordinary text\n" * 200
    line += b"words \xc3\xbc http://a..example/ and <http://www.a-\nb.example/> http://a.example/x\n"
    peaks = []
    for size in (1 << 19, 5 << 18):
        with memory_below(1 << 40) as peak:
            pages = annotate(Endless(b"", line, size), TerminalPage(Discarding()), Query("text"), Selection())
            assert sum(1 for _ in pages) > size // len(line)
        peaks += peak
    assert peaks[1] < peaks[0] * 1.5


BODY = "Café <http://a.example/b-\nc>\n<script>alert(1)</script>\n-- \nhttp://sig.example/\n"


def _message() -> bytes:
    message = EmailMessage()
    message["Subject"] = "see http://subject.example/<script>"
    message["From"] = "a@a.example"
    message.set_content(BODY, cte="base64")
    message.add_alternative("<a href=http://h.example/>http://shown.example/<blockquote type=cite>news:a.b", "html")
    return message.as_bytes()


def test_mail_is_shown_decoded_under_headings() -> None:
    out = annotated(stdin=_message()).stdout
    assert re.findall("^── (.*) ──$", out, re.MULTILINE) == [
        "message 1, header:Subject",
        "message 1, part 1, text/plain",
        "message 1, part 2, text/html, URLs of its attributes",
        "message 1, part 2, text/html",
    ]
    assert "Café <⟦http://a.example/b-⏎\nc⟧>\n" in out


def test_html_is_a_page_with_links() -> None:
    text = first(html_of(_message()), "main")
    assert [link.attributes["href"] for link in text.css("a")] == [
        "http://subject.example/",
        "http://a.example/b-c",
        "http://sig.example/",
        "http://h.example/",
        "http://shown.example/",
        "news:a.b",
    ]
    (mended,) = text.css("a.ambiguous")
    assert mended.text() == "http://a.example/b-\nc"
    assert mended.attributes["title"] == (
        "http://a.example/b-c\nform: angle\nconfidence: 0.991\nremoved: line end only\nor: http://a.example/bc\n"
        "nothing decides between these"
    )
    assert [joint.text() for joint in mended.css("i.line")] == ["\n"]
    assert "<script>alert(1)</script>" in text.text()
    rejected = first(html_of("http://a..example/"), "main del")
    assert rejected.attributes["title"].startswith("not a URL: httpurl: unexpected '/' at 17")


HOSTILE = (
    '<script>alert(1)</script> http://a.example/"onclick="x javascript://a.example/%0aalert(1) data:text/html,x'
    " http://a.example/'x <URL:http://a.example/<b>> http://a..example/&quot; </pre></main>\n"
)


# a text, and its HTML with links
LINKS = (
    ("a < b & \"c\" 'd'", "a &lt; b &amp; &quot;c&quot; &#x27;d&#x27;"),
    ("http://ü.example/?b&é.", '<a href="http://ü.example/?b&amp;é">http://ü.example/?b&amp;é</a>.'),
    ("<http://a.example/?|{b}>", '&lt;<a href="http://a.example/?%7C%7Bb%7D">http://a.example/?|{b}</a>&gt;'),
    ("> <http:\r\n> //b>", '&gt; &lt;<a href="http://b">http:</a>\r\n&gt; <a href="http://b">//b</a>&gt;'),
    ("<mailto:b at c.d>", '&lt;<a href="mailto:b@c.d">mailto:b</a> at <a href="mailto:b@c.d">c.d</a>&gt;'),
    ("<javascript:b> <data:,c> file:///d", "&lt;javascript:b&gt; &lt;data:,c&gt; file:///d"),
)


@pytest.mark.parametrize(("text", "html"), LINKS)
def test_text_with_links(text: str, html: str) -> None:
    assert linkify(text) == html


def test_only_the_matches_and_schemes_given_are_links() -> None:
    text = "www.a.com/b <JavaScript:b> <data:,c> FILE:///d http://c.example/"
    assert linkify(text, find_urls(text, schemeless=True)[:1]).count("<a") == 1
    (link,) = LexborHTMLParser(linkify(text, schemes=("javascript", "data", "file"))).css("a")
    assert (link.attributes, link.text()) == ({"href": "FILE:///d"}, "FILE:///d")
    with pytest.raises(TypeError, match="linkify takes a string, not bytes"):
        linkify(text.encode())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"schemes must be a list such as \['https'\], not a string"):
        linkify(text, schemes="https")


def test_nothing_of_the_text_is_markup() -> None:
    page = html_of(HOSTILE)
    assert not page.css("main script, [onclick], img, link, iframe")
    assert {str(link.attributes["href"]).partition(":")[0] for link in page.css("a[href]")} == {"http"}
    assert page.css("b")
    assert [pre.text() for pre in page.css("pre")] == [HOSTILE]
    linked = LexborHTMLParser(f"<pre>\n{linkify(HOSTILE)}</pre>")
    assert {tag.tag for tag in linked.css("pre *")} == {"a"}
    assert {str(link.attributes["href"]).partition(":")[0] for link in linked.css("a")} == {"http"}
    assert [pre.text() for pre in linked.css("pre")] == [HOSTILE]
    assert "default-src 'none'" in str(page.html)
    out = io.StringIO()
    HtmlPage(out, "</title>").close()
    assert first(LexborHTMLParser(out.getvalue()), "title").text() == "</title>"


@pytest.mark.usefixtures("here")
def test_several_files_have_headings() -> None:
    Path("a<b>").write_text(URL)
    Path("b").write_text("nothing")
    html = LexborHTMLParser(annotated("--format", "html", "a<b>", "b").stdout)
    assert [node.text() for node in html.css("h1, h2")] == ["a<b> and 1 more", "a<b>", "b"]


@pytest.mark.usefixtures("folder")
def test_where_a_page_is_written() -> None:
    Path("broken").write_bytes(gzip.compress(b"none")[:-4])
    for args in ("gone -o page", "out -o out", "broken -o out"):
        assert annotated(*args.split()).exit_code == 2
    assert (Path("page").exists(), Path("out").read_text()) == (False, BEFORE)
    assert annotated("-o", "page", "t.mbox").stdout == ""
    assert Path("page").read_text("utf-8") == annotated("t.mbox").stdout
    assert not Path("page.part").exists()


def test_a_file_that_ends_early_is_shown_as_far_as_it_goes() -> None:
    result = annotated(stdin=gzip.compress(b"http://a.example/ x\n" * 1000)[:-10])
    assert "⟦http://a.example/⟧" in result.stdout
    assert "ends early" in result.stderr
    assert result.exit_code == 2


def test_each_message_begins_with_its_head() -> None:
    """In text it is in data/transcripts."""
    page = html_of((Path(__file__).parent / "data" / "files" / "heads.mbox").read_text())
    heads = [[node.text() for node in head.css("dd")] for head in page.css("dl")]
    assert heads == [["Jane <jane@a.example>", "1996-02-17T11:00:00+01:00", "the <b>page</b>"], ["k@a.example"]]
    # A button shows the readings of a mended URL on a touch screen.
    (button,) = page.css("main button")
    assert "http://a.example/bc" in first(page, f"#{button.attributes['popovertarget']}").text()
    assert first(page, "footer").text() == "3 URLs, 1 mended, 1 doubtful"
