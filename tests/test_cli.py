"""The command, as a user of grep would try it."""
# ruff: noqa: S603 -- what is run is the command itself

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import urlmend
from urlmend.cli import main
from urlmend.cli.command import command_called

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
TORN = "See <URL:http://a.example/b-\n  c> and <http://d.example/>.\n"
COMMAND = (sys.executable, "-m", "urlmend")


def run(*args: str, stdin: str | bytes = b"") -> Result:
    return CliRunner().invoke(main, args, input=stdin)


def start(
    *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **(env or {})}
    return subprocess.run([*COMMAND, *args], input=stdin, capture_output=True, env=environment, cwd=cwd, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make files in two depths; by name the order is c, d/a, d/e/z, d/n, k.txt."""
    for name, text in {
        "k.txt": f"{A}\n",
        "c": f"x\n {B}, {C}.\n",
        "d/n": "nothing\n",
        "d/a": f"{A}a\n",
        "d/e/z": f"{A}z\n",
    }.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


# arguments, text, standard output, status
TEXT_CASES = (
    ((), f"{A} {B}\n", f"{A}\n{B}\n", 0),
    (("find",), f"{A}\n", f"{A}\n", 0),
    (("-",), f"{A}\n", f"{A}\n", 0),
    (("find", "-"), f"{A}\n", f"{A}\n", 0),
    ((), "", "", 1),
    ((), "nothing here\n", "", 1),
    ((), "http://a..example/ <URL:>\n", "", 1),
    (("-n",), f"x\ny {A}\n", f"2:{A}\n", 0),
    (("-b",), f"x\ny {A}\n", f"4:{A}\n", 0),
    (("-b",), f"ü {A}\n", f"3:{A}\n", 0),
    (("-H",), A, f"(standard input):{A}\n", 0),
    (("-bnH",), f"x\ny {A}\n", f"(standard input):2:4:{A}\n", 0),
    (("-0",), f"{A} {B}", f"{A}\0{B}\0", 0),
    (("-c",), f"{A} {B}", "2\n", 0),
    (("-c",), "nothing", "0\n", 1),
    (("-c0",), A, "1\0", 0),
    (("-cH",), A, "(standard input):1\n", 0),
    ((), TORN, "http://a.example/b-c\nhttp://d.example/\n", 0),
    (("--readings", "all"), TORN, "http://a.example/b-c\n\thttp://a.example/bc\nhttp://d.example/\n", 0),
    (("--readings", "all", "-n0"), TORN, "1:http://a.example/b-c\0\thttp://a.example/bc\x002:http://d.example/\0", 0),
    (("--readings", "first"), TORN, "http://a.example/b-c\nhttp://d.example/\n", 0),
    (("--join", "none"), TORN, "http://d.example/\n", 0),
    (("--join", "wrapped"), "<http://a.example/\n b>", "http://a.example/b\n", 0),
    (("--profile", "rfc1738"), "http://a.example/b http://a.example/~c", "http://a.example/b\n", 0),
    (("--profile", "web"), "http://a.example/~c", "http://a.example/~c\n", 0),
    ((), "http://bücher.example/é\n", "http://bücher.example/é\n", 0),
)


@pytest.mark.parametrize(("args", "text", "out", "status"), TEXT_CASES)
def test_text(args: tuple[str, ...], text: str, out: str, status: int) -> None:
    result = run(*args, stdin=text)
    assert (result.stdout, result.stderr, result.exit_code) == (out, "", status)


@pytest.mark.parametrize(
    ("hyphens", "readings", "told"),
    [
        (4, 16, ""),
        (5, 16, "(standard input):1: http://a.example/b-b-b-b-b-c: these are not all readings, but the first 16"),
    ],
)
def test_it_is_told_where_there_are_more_readings(hyphens: int, readings: int, told: str) -> None:
    text = "<URL:http://a.example/" + "b-\n" * hyphens + "c>"
    result = run("--readings", "all", stdin=text)
    assert (len(result.stdout.splitlines()), result.stderr) == (readings, told and f"urlmend: {told}\n")
    assert run(stdin=text).stderr == ""


def test_every_url_is_printed_on_one_line() -> None:
    result = run(stdin="<URL:http://a.\r\n > example/b\n\n  c> <http://b.example/\r d>\n")
    assert all(re.fullmatch(r"[!-~]+", line) for line in result.stdout.split("\n")[:-1])
    assert result.exit_code == 0


# Files


def test_files_are_read_in_the_order_given(tree: Path) -> None:
    result = run("-H", f"{tree}/k.txt", "-", f"{tree}/c", stdin="http://in.example/")
    assert result.stdout.splitlines() == [
        f"{tree}/k.txt:{A}",
        "(standard input):http://in.example/",
        f"{tree}/c:{B}",
        f"{tree}/c:{C}",
    ]


def test_no_file_name_without_being_asked(tree: Path) -> None:
    assert run(f"{tree}/k.txt", f"{tree}/c").stdout == f"{A}\n{B}\n{C}\n"


def test_counts_carry_names_when_there_are_several_files(tree: Path) -> None:
    assert run("-c", f"{tree}/c").stdout == "2\n"
    assert run("-c", f"{tree}/c", f"{tree}/d/n").stdout == f"{tree}/c:2\n{tree}/d/n:0\n"
    assert run("-cr", f"{tree}/c").stdout == f"{tree}/c:2\n"


def test_a_directory_is_walked_in_order_of_name(tree: Path) -> None:
    (tree / "d" / "e" / "up").symlink_to(tree, target_is_directory=True)
    (tree / "d" / "e" / "gone").symlink_to(tree / "nowhere")
    os.mkfifo(tree / "d" / "pipe")
    result = run("-rc", str(tree))
    assert result.stdout.splitlines() == [f"{tree}/{line}" for line in ("c:2", "d/a:1", "d/e/z:1", "d/n:0", "k.txt:1")]
    assert (result.stderr, result.exit_code) == ("", 0)


def test_a_link_to_a_file_is_read(tree: Path) -> None:
    (tree / "d" / "link").symlink_to(tree / "k.txt")
    assert run("-rH", f"{tree}/d").stdout.splitlines()[2] == f"{tree}/d/link:{A}"


def test_a_link_to_a_directory_is_followed_when_named(tree: Path) -> None:
    (tree / "link").symlink_to(tree / "d", target_is_directory=True)
    assert run("-rc", f"{tree}/link").stdout.splitlines()[0] == f"{tree}/link/a:1"


def test_what_cannot_be_read_is_told_and_the_rest_is_done(tree: Path) -> None:
    result = run(f"{tree}/missing", str(tree), f"{tree}/k.txt")
    assert result.stdout == f"{A}\n"
    assert result.stderr.splitlines() == [
        f"urlmend: {tree}/missing: No such file or directory",
        f"urlmend: {tree}: is a directory (use -r)",
    ]
    assert result.exit_code == 2


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that opens and cannot be read")
def test_a_read_that_fails_is_told_and_the_rest_is_done(tree: Path) -> None:
    result = run("-cH", "/proc/self/mem", f"{tree}/k.txt")
    assert result.stdout == f"{tree}/k.txt:1\n"
    assert re.fullmatch(r"urlmend: /proc/self/mem: .+\n", result.stderr)
    assert result.exit_code == 2


def test_the_output_is_not_read(tree: Path) -> None:
    with (tree / "urls").open("w") as out:
        done = subprocess.run(
            [*COMMAND, "-r", "."], stdout=out, stderr=subprocess.PIPE, cwd=tree, text=True, check=False
        )
    assert (done.stderr, done.returncode) == ("urlmend: ./urls: input file is also the output\n", 2)
    assert (tree / "urls").read_text().splitlines() == [B, C, f"{A}a", f"{A}z", A]


def test_the_rejects_are_not_read(tree: Path) -> None:
    result = run("-r", "--rejects", f"{tree}/no", str(tree))
    assert (result.stderr, result.exit_code) == ("", 0)
    result = run("-r", "--rejects", f"{tree}/no", str(tree))
    assert (result.stderr, result.exit_code) == (f"urlmend: {tree}/no: input file is also the output\n", 2)


# JSON Lines

KEYS = (
    "source message part message_id date start end line column form url scheme host raw readings ambiguous breaks"
    " trimmed departures confidence quoted signature author subject exact target warnings"
).split()
MESSAGE = """From me\n\n> Grüße: <URL: http://A.example/b-\n>   c?d=%41#e >, see https://ü.example/x_(y)!\nor\tURL:news:a%b\n"""


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_jsonl_record(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "message"
    data = MESSAGE.encode(encoding)
    path.write_bytes(data)
    result = run("--format", "jsonl", str(path))
    first, *rest = (json.loads(line) for line in result.stdout.splitlines())
    assert first == {
        "source": str(path),
        "message": None,
        "part": None,
        "message_id": None,
        "date": None,
        "start": data.index(b"http"),
        "end": data.index(b" >,"),
        "line": 3,
        "column": 16 if encoding == "latin-1" else 18,
        "form": "wrapper",
        "url": "http://A.example/b-c?d=%41#e",
        "scheme": "http",
        "host": "A.example",
        "raw": "http://A.example/b-\n>   c?d=%41#e",
        "readings": ["http://A.example/b-c?d=%41#e", "http://A.example/bc?d=%41#e"],
        "ambiguous": True,
        "breaks": [{"at": 19, "removed": "\n>   ", "hyphen": True, "inserted": ""}],
        "trimmed": "",
        "departures": ["fragment"],
        "confidence": 0.991,
        "quoted": True,
        "signature": False,
        "author": None,
        "subject": None,
        "exact": True,
        "target": None,
        "warnings": [],
    }
    for record in (first, *rest):
        assert list(record) == KEYS
        assert data[record["start"] : record["end"]].decode(encoding) == record["raw"]
    if encoding == "utf-8":
        assert [record["url"] for record in rest] == ["https://ü.example/x_(y)"]
        assert rest[0]["trimmed"] == "!"


def test_jsonl_of_standard_input_has_no_source() -> None:
    assert json.loads(run("--format", "jsonl", stdin=A).stdout)["source"] is None


def test_jsonl_writes_letters_as_they_are() -> None:
    assert '"url": "http://bücher.example/"' in run("--format", "jsonl", stdin="http://bücher.example/").stdout


@pytest.mark.parametrize("option", ["-n", "-b", "-H", "-l", "-0"])
def test_the_options_of_text_are_refused_for_jsonl(option: str) -> None:
    result = run("--format", "jsonl", option, stdin=A)
    assert (result.stdout, result.exit_code) == ("", 2)
    assert "-0" in result.stderr


# Rejects

REJECT = {
    "source": None,
    "start": 3,
    "end": 21,
    "line": 2,
    "column": 2,
    "form": "bare",
    "text": "http://a..example/",
    "raw": "http://a..example/",
    "rule": "httpurl",
    "pos": 17,  # `a..example` could be a user's name
}


def test_rejects_go_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rejects"
    result = run("--rejects", str(path), stdin=f"x\n http://a..example/ ü {A} http://ü..example/\n")
    assert (result.stdout, result.stderr, result.exit_code) == (f"{A}\n", "", 0)
    lines = path.read_bytes().splitlines()
    rejects = [json.loads(line) for line in lines]
    assert list(rejects[0]) == list(REJECT)
    assert rejects[0] == REJECT
    assert "http://ü..example/".encode() in lines[1]


def test_rejects_go_to_standard_error() -> None:
    result = run("--rejects", "-", stdin="x\n http://a..example/")
    assert (result.stdout, result.exit_code) == ("", 1)
    assert json.loads(result.stderr) == REJECT


def test_rejects_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    result = run("--rejects", f"{tmp_path}/none/x", stdin=A)
    assert (result.stdout, result.exit_code) == ("", 2)
    assert result.stderr == f"urlmend: {tmp_path}/none/x: No such file or directory\n"


# The process: pipes, signals, locales


def test_a_closed_pipe_ends_it_at_once_and_quietly(tmp_path: Path) -> None:
    (tmp_path / "many").write_text(f"{A}\n" * 200_000)
    command = [*COMMAND, "many"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == f"{A}\n".encode()
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


def test_a_pipe_closed_before_the_last_flush_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(COMMAND, input=A.encode(), stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.stderr, done.returncode) == (b"", 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("args", [(), ("explain", A)])
def test_a_full_device_is_told(args: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *args], input=A.encode(), stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.stderr, done.returncode) == (b"urlmend: write error: No space left on device\n", 2)


def _heed_interrupts() -> None:
    """Undo what a shell does to the commands that it runs in the background: they ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_is_quiet_and_keeps_what_was_found() -> None:
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 -- this process has no threads
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{A} {B}\nx\n".encode() * 1000)
        process.stdin.flush()
        # More URLs than output waits for: the first of them come only once the command is at work.
        first = os.read(process.stdout.fileno(), 1 << 16)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert (error, process.returncode) == (b"", 130)
    # What was found is printed whole, however far it came.
    assert first
    assert (first + out).endswith(b"\n")
    assert (f"{A}\n{B}\n".encode() * 1000).startswith(first + out)


def test_what_is_there_is_read_without_waiting_for_more() -> None:
    with subprocess.Popen(
        [*COMMAND, "--rejects", "/dev/stdout"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"http://a..example/ x\n" * 2000)
        process.stdin.flush()
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["start"] == 0
        process.stdin.close()
        process.stdout.read()


@pytest.mark.parametrize("args", [(), ("-j", "2")])
def test_what_is_found_is_printed_without_waiting_for_more(args: tuple[str, ...]) -> None:
    with subprocess.Popen([*COMMAND, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(f"{A} x\n".encode() + b"word " * 2000)
        process.stdin.flush()
        assert process.stdout is not None
        assert process.stdout.readline().decode() == f"{A}\n"
        process.stdin.close()


@pytest.mark.parametrize("descriptor", [0, 1])
def test_a_missing_stream_is_an_error(descriptor: int) -> None:
    sign = "<&-" if descriptor == 0 else ">&-"
    command = ["/bin/sh", "-c", f'"$0" -m urlmend {sign}', sys.executable]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    name = ("(standard input)", "write error")[descriptor]
    assert (done.stderr.decode(), done.returncode) == (f"urlmend: {name}: Bad file descriptor\n", 2)


@pytest.mark.parametrize(
    "env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}]
)
@pytest.mark.parametrize("args", [(), ("--format", "jsonl"), ("--rejects", "-"), ("explain", "http://bücher.example/")])
def test_output_is_utf_8_in_every_locale(args: tuple[str, ...], env: dict[str, str]) -> None:
    done = start(*args, stdin="http://bücher.example/ http://ü..example/".encode(), env=env)
    assert "bücher.example".encode() in done.stdout
    assert done.returncode == 0
    if "--rejects" in args:
        assert json.loads(done.stderr)["text"] == "http://ü..example/"


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    name = b"caf\xe9"
    (tmp_path / os.fsdecode(name)).write_text(A)
    assert start("-rH", ".", cwd=tmp_path).stdout == b"./" + name + f":{A}\n".encode()
    record = json.loads(start("-r", "--format", "jsonl", ".", cwd=tmp_path).stdout)
    assert os.fsencode(record["source"]) == b"./" + name


def test_there_is_no_cap() -> None:
    assert run("-c", stdin=f"{A}\n" * 30_000).stdout == "30000\n"


# Commands, help


def test_a_file_called_like_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("explain").write_text(A)
    Path("find").write_text(B)
    assert run("find", "explain").stdout == f"{A}\n"
    assert run("./explain").stdout == f"{A}\n"
    assert run("-n", "explain").stdout == f"1:{A}\n"
    assert run("find", "find").stdout == f"{B}\n"
    assert run("explain", stdin=B).stdout == run("explain", B).stdout


@pytest.mark.parametrize("args", [("--help",), ("find", "--help"), ("-n", "--help")])
def test_the_first_screen_of_the_help_shows_how_it_is_used(args: tuple[str, ...]) -> None:
    result = run(*args)
    lines = result.stdout.splitlines()
    assert lines[:2] == [
        "Usage: urlmend [find] [OPTIONS] [PATH]...",
        "       urlmend explain [OPTIONS] [URL]...",
    ]
    assert "  urlmend harvest archive/ -o links.db" in "\n".join(lines[:24])
    assert "Reading:" in lines[:24]
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    assert (result.stderr, result.exit_code) == ("", 0)


def test_every_option_is_in_the_help() -> None:
    text = run("--help").stdout
    params = command_called("find").params
    shown = [option for option in params if not getattr(option, "hidden", False)]
    options = {name for option in shown for name in option.opts + option.secondary_opts if name.startswith("-")}
    assert len(options) > 15
    assert {name for name in options if not re.search(rf"(?<![\w-]){name}\b", text)} == set()


def test_version() -> None:
    result = run("--version")
    assert (result.stdout, result.exit_code) == (f"urlmend {urlmend.__version__}\n", 0)


# what is asked for, what is said of it
MISUSES = (
    (("--format", "json"), "--format: there is no json; did you mean jsonl? (see urlmend find --help)"),
    (("--profile", "x"), "--profile: there is no x; there are web, rfc1738 (see urlmend find --help)"),
    (("--join", "all"), "--join: there is no all; there are evident, wrapped, none (see urlmend find --help)"),
    (("--min-confidence", "7"), "min_confidence must be from 0 to 1, not 7.0"),
    (("report",), "Missing argument 'DATABASE' (see urlmend report --help)"),
    (("-c", "-l"), "-C, -c, --count-by and -l print different things: give one of them."),
)


@pytest.mark.parametrize(("args", "said"), MISUSES)
def test_a_wrong_use_is_said_in_one_line(args: tuple[str, ...], said: str) -> None:
    result = run(*args, stdin=A)
    assert (result.stdout, result.stderr, result.exit_code) == ("", f"urlmend: {said}\n", 2)


# arguments, what is written
COUNTS = (
    (("-c", "--format", "csv"), "source,count\r\n,3\r\n"),
    (("-c", "--format", "jsonl"), '{"source": null, "count": 3}\n'),
    (("--count-by", "host", "--format", "tsv"), "host\tcount\na.example\t2\n\t1\n"),
    (("--count-by", "host", "--format", "jsonl"), '{"host": "a.example", "count": 2}\n{"host": null, "count": 1}\n'),
    (("-c", "--scheme", "http,mailto"), "3\n"),
    (("-c", "--scheme", "https,mailto"), "1\n"),
    (("-c", "--host", "b.example,a.*"), "2\n"),
)


@pytest.mark.parametrize(("args", "written"), COUNTS)
def test_counts_are_tables_too(args: tuple[str, ...], written: str) -> None:
    assert run(*args, stdin="http://a.example/ http://a.example/b mailto:j@a.example").stdout_bytes == written.encode()


def test_on_a_terminal_it_says_that_it_reads_standard_input() -> None:
    parent, child = os.openpty()
    command = [sys.executable, "-m", "urlmend"]
    with subprocess.Popen(command, stdin=child, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.close(child)
        os.write(parent, f"{A}\n\x04".encode())
        out, said = process.communicate()
    os.close(parent)
    assert out.decode() == f"{A}\n"
    assert said.decode().startswith("urlmend: reading standard input; Ctrl-D ends it")
