"""The command: transcripts, what its records hold, and how its process behaves."""
# ruff: noqa: S603 -- what is run is the command itself

import gzip
import json
import os
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import urlmend
from terminal import on_a_terminal
from urlmend.cli import main
from urlmend.cli.command import command_called
from urlmend.grammar.departures import DEPARTURES, Departure
from urlmend.mend.continuation import THRESHOLD
from urlmend.output.counts import Tally

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
COMMAND = (sys.executable, "-m", "urlmend")
DATA = Path(__file__).parent / "data"


def run(*args: str, stdin: str | bytes = b"") -> Result:
    return CliRunner().invoke(main, args, input=stdin)


def start(
    *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **(env or {})}
    command = [*COMMAND, *args]
    return subprocess.run(command, input=stdin, capture_output=True, env=environment, cwd=cwd, check=False, timeout=60)


# Transcripts: `$ urlmend ...`, then lines of standard input after `<`, of standard error after `!`, and the exit status
# in brackets unless it is 0; all others are standard output. A text that does not end with a line end ends with `\c`.

ESCAPES = {"0": "\0", "a": "\a", "c": "", "e": "\33", "n": "\n", "r": "\r", "\\": "\\"}
FILES = {
    "t/a.txt": "http://a.example/1\nx http://a.example/2\n",
    "t/b.html": "http://a.example/1\nx http://b.example/2\n",
    "t/d.txt/c.TXT": "http://a.example/1\nx http://d.example/2\n",
    "t/d.txt/e.txt": "http://a.example/1\nx http://d.example/2\n",
    "t/d.txt/none.txt": "nothing",
    "urls.txt": """\
http://a.example/ http://A.example./x ftp://a.example/f
http://www.b.example/ mailto:jane@a.example
<URL:http://a.example/ > http://[2001:db8::1]/ http://a.example/~jane/
> http://quoted.example/
""",
}
TRANSCRIPTS = [
    block
    for path in sorted((DATA / "transcripts").glob("*.txt"))
    for block in re.split(r"(?<=\n)\n(?=\$ urlmend)", path.read_text("utf-8"))
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the files of the transcripts in the current directory."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def unescaped(text: str) -> str:
    return re.sub(r"\\(c\n|.)", lambda escape: ESCAPES[escape[1][0]], text)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.partition("\n")[0])
def test_transcript(transcript: str) -> None:
    command, *lines = transcript.splitlines(keepends=True)
    read = "".join(line[2:] or "\n" for line in lines if line.startswith("<"))
    said = "".join(line[2:] for line in lines if line.startswith("! "))
    status = next((int(line[1:-2]) for line in lines if re.fullmatch(r"\[[0-9]+\]\n", line)), 0)
    out = "".join(line for line in lines if not re.match(r"<|! |\[[0-9]+\]\n", line))
    result = run(*map(unescaped, shlex.split(command)[2:]), stdin=unescaped(read).encode())
    assert result.stdout_bytes.decode() == unescaped(out)
    assert result.stderr == unescaped(said)
    assert result.exit_code == status


def test_every_url_is_printed_on_one_line() -> None:
    result = run(stdin="<URL:http://a.\r\n > example/b\n\n  c> <http://b.example/\r d>\n")
    assert all(re.fullmatch(r"[!-~]+", line) for line in result.stdout.split("\n")[:-1])
    assert result.exit_code == 0


# Files


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


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that opens and cannot be read")
def test_a_read_that_fails_is_told_and_the_rest_is_done(tree: Path) -> None:
    result = run("-cH", "/proc/self/mem", f"{tree}/k.txt")
    assert result.stdout == f"{tree}/k.txt:1\n"
    assert re.fullmatch(r"urlmend: /proc/self/mem: .+\n", result.stderr)
    assert result.exit_code == 2


def test_the_output_is_not_read(tree: Path) -> None:
    with (tree / "urls").open("w") as out:
        done = subprocess.run(
            [*COMMAND, "-r", "."], stdout=out, stderr=subprocess.PIPE, cwd=tree, text=True, check=False, timeout=60
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
    done = subprocess.run(COMMAND, input=A.encode(), stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writer)
    assert (done.stderr, done.returncode) == (b"", 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("args", [(), ("explain", A)])
def test_a_full_device_is_told(args: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *args], input=A.encode(), stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
        )
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
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False, timeout=60)
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


def test_on_a_terminal_it_says_that_it_reads_standard_input() -> None:
    parent, child = os.openpty()
    command = [sys.executable, "-m", "urlmend"]
    with subprocess.Popen(command, stdin=child, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.close(child)
        os.write(parent, f"{A}\n\x04".encode())
        out, said = process.communicate(timeout=60)
    os.close(parent)
    assert out.decode() == f"{A}\n"
    assert said.decode().startswith("urlmend: reading standard input; Ctrl-D ends it")


# Counts


@pytest.mark.parametrize("limit", [0, 2000, 1 << 30])
def test_a_tally_is_the_same_in_memory_and_on_disk(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", limit)
    texts = [f"{random.Random(number).randrange(60)}\U0001f600é\udc80" for number in range(400)]
    tally = Tally()
    new = [text for text in texts if tally.add(text)]
    assert new == list(dict.fromkeys(texts))
    assert list(tally.counts()) == sorted(Counter(texts).items(), key=lambda item: (-item[1], item[0]))
    tally.close()


def test_what_does_not_fit_in_memory_is_still_printed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", 1000)
    urls = [f"http://a.example/{number}" for number in range(50)]
    text = "\n".join([*urls, *reversed(urls), *urls])
    assert run("-u", stdin=text).stdout.splitlines() == urls
    counts = run("--count-by", "url", stdin=text).stdout.splitlines()
    assert counts == [f"3\t{url}" for url in sorted(urls)]


@pytest.mark.parametrize("args", [("-u",), ("--count-by", "url")])
def test_a_temporary_file_that_cannot_be_written_is_told(
    args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_options: object) -> None:
        message = "database or disk is full"
        raise sqlite3.OperationalError(message)

    monkeypatch.setattr("urlmend.output.counts._new_database", full)
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", 0)
    result = run(*args, stdin=A)
    assert result.stderr == "urlmend: write error: temporary file: database or disk is full\n"
    assert result.exit_code == 2


def test_quiet_ends_at_the_first_url() -> None:
    # The input is still open, and more than is read at once: only the URL can have ended it.
    with subprocess.Popen([sys.executable, "-m", "urlmend", "-q"], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"http://a.example/ x\n" * 3000)
        process.stdin.flush()
        assert process.wait(60) == 0


def test_verbose_does_not_change_how_a_file_is_read(files: Path) -> None:
    (files / "twice.gz").write_bytes(gzip.compress(gzip.compress(b"http://a.example/\n")))
    assert run("-v", "twice.gz").stdout == run("twice.gz").stdout
    assert "read as text in gzip" in run("-v", "twice.gz").stderr


# Colours and completion


# --color, NO_COLOR, FORCE_COLOR, TERM, on a terminal, coloured
WHEN = (
    ("auto", "", "", "xterm", True, True),
    ("auto", "", "", "xterm", False, False),
    ("auto", "1", "", "xterm", True, False),
    ("auto", "", "1", "xterm", False, True),
    ("auto", "1", "1", "xterm", True, False),
    ("auto", "", "", "dumb", True, False),
    ("always", "1", "", "dumb", False, True),
    ("never", "", "1", "xterm", True, False),
)


@pytest.mark.parametrize(("mode", "no_color", "force_color", "term", "terminal", "coloured"), WHEN)
def test_when_there_are_colours(  # noqa: PLR0913, PLR0917 -- the columns of a table
    files: Path, mode: str, no_color: str, force_color: str, term: str, terminal: bool, coloured: bool
) -> None:
    env = {**os.environ, "NO_COLOR": no_color, "FORCE_COLOR": force_color, "TERM": term}
    command = [sys.executable, "-m", "urlmend", "--color", mode, "--limit", "1", str(files / "t" / "a.txt")]
    out = (
        on_a_terminal(command, env)
        if terminal
        else subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, timeout=60).stdout
    )
    assert (b"\33[1;31mhttp://a.example/1\33[0m" in out) == coloured
    assert b"http://a.example/1" in out


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str) -> None:
    assert "_URLMEND_COMPLETE" in _completed(shell, "")


def _completed(shell: str, words: str, instruction: str = "source") -> str:
    env = {**os.environ, "_URLMEND_COMPLETE": f"{shell}_{instruction}"}
    env |= {"COMP_WORDS": f"urlmend {words}", "COMP_CWORD": str(max(1, len(words.split())))}
    done = subprocess.run([sys.executable, "-m", "urlmend"], env=env, stdout=subprocess.PIPE, check=False, timeout=60)
    return done.stdout.decode()


# words, completions
COMPLETED = (
    ("--count-", ["plain,--count-by"]),
    ("--count-by de", ["plain,departure"]),
    ("", ["plain,explain", "plain,annotate", "plain,harvest", "plain,report", "file,"]),
    ("expl", ["plain,explain", "file,expl"]),
    ("-r some", ["file,some"]),
    ("explain --pro", ["plain,--profile"]),
)


@pytest.mark.parametrize(("words", "completions"), COMPLETED)
def test_completion(words: str, completions: list[str]) -> None:
    assert _completed("bash", words, "complete").split() == completions


# explain


REASONS = tomllib.loads((DATA / "reasons.toml").read_text("utf-8"))


def explained(*args: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(run("explain", "--json", *args).stdout)
    return record


@pytest.mark.parametrize("profile", ["web", "rfc1738"])
def test_the_reason_is_plain(profile: str) -> None:
    reasons = REASONS["reasons"][profile]
    found = {text: explained("--profile", profile, "--", text)["reason"] or "" for text in reasons}
    assert found == reasons
    undecoded = explained("--profile", profile, "http://a.example/\udcff")
    assert undecoded["reason"] == "a URL cannot contain a byte that is not UTF-8"


def test_what_would_make_it_a_url() -> None:
    assert {text: explained(text)["hints"] for text in REASONS["hints"]} == REASONS["hints"]


@pytest.mark.parametrize("departure", DEPARTURES, ids=lambda departure: departure.name)
def test_every_departure_is_explained(departure: Departure) -> None:
    answer = run("explain", departure.example).stdout
    if departure.narrower:
        assert answer.endswith("\nUnder RFC1738 it is a URL.\n")
    else:
        assert f"\n  {departure.name}\n    RFC 1738 {departure.rfc1738};\n    the web {departure.web}." in answer


HOSTILE = (
    *("\udc80", "http://\udcff/", "x" * 100_000, "http://xn--a/", f"http://{'9' * 9000}/", "http://" + "-a." * 9000),
    *("http://" + "a-" * 9000, "http://" + "1." * 9000, "http://[" + "[" * 9000, "http://a:" + "1" * 9000 + "x"),
)


@pytest.mark.parametrize("profile", ["web", "rfc1738"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_is_explained(text: str, profile: str) -> None:
    assert run("explain", "--profile", profile, text).exit_code in {0, 1}


def test_json_has_every_key() -> None:
    fault_url = "http://300.1.2.3/"
    result = run(
        "explain",
        "--json",
        "HTTP://jane:x@a.example/",
        fault_url,
        "<http://a.example/b-\nc>",
        "http://a.example/b/\nc.html so",
    )
    url, fault, angle, bare = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 1
    assert list(url) == list(fault) == list(angle) == list(bare)
    parts = {"scheme": "HTTP", "user": "jane", "password": "x", "host": "a.example", "port": None}
    assert url == dict.fromkeys(url) | {
        "url": "HTTP://jane:x@a.example/",
        "valid": True,
        "hints": [],
        "class": "HttpURL",
        "parts": {**parts, "hpath": "", "search": None, "fragment": None},
        "departures": ["userinfo"],
        "warnings": [{"name": "password", "text": "holds a password in clear text"}],
        "normal_form": "http://jane:x@a.example/",
    }
    told = {
        "valid": False,
        "rule": "domainlabel",
        "pos": 16,
        "reason": "300 is more than 255 (ipv4-range)",
        "hints": [],
    }
    assert fault == dict.fromkeys(url) | told | {"url": fault_url, "expected": fault["expected"]}
    assert (angle["url"], angle["raw"], angle["line_ends"]) == ("http://a.example/b-c", "http://a.example/b-\nc", [])
    (end,) = bare["line_ends"]
    assert list(end) == ["url", "token", "goes_on", "p", "guard", "clues"]
    assert (end["url"], end["token"], end["goes_on"]) == ("http://a.example/b/", "c.html", end["p"] >= THRESHOLD)
    assert {frozenset(clue) for clue in end["clues"]} == {frozenset({"clue", "value", "weight"})}
