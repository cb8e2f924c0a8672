"""The command: transcripts, what its records hold, and how its process behaves."""
# ruff: noqa: S603, S607 -- what is run is the command itself, and programs of the system

import errno
import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tomllib
from pathlib import Path
from threading import Event, Thread
from time import sleep
from types import SimpleNamespace
from typing import IO, Any

import click
import pytest
from click.testing import CliRunner

import urlmend
from commands import COMMAND, Started, run
from sample import some
from terminal import open_terminal, read_until
from urlmend import resolver
from urlmend.cli import main, progress
from urlmend.cli.command import COMMANDS, command_called
from urlmend.cli.manual import manual
from urlmend.cli.progress import Bar, bar_for
from urlmend.grammar.departures import DEPARTURES, Departure
from urlmend.mend.continuation import THRESHOLD
from urlmend.output.files import is_closed_pipe
from urlmend.sources import git

A, B = "http://a.example/", "http://b.example/"
DATA = Path(__file__).parent / "data"


# Transcripts: `$ urlmend ...`, then lines of standard input after `<`, of standard error after `!`, and the exit status
# in brackets unless it is 0; all others are standard output. A text that does not end with a line end ends with `\c`;
# `…` in a message stands for any words.

LINE_ENDS = ("\n", "\r\n", "\r")
ESCAPES = {"?": "\x7f", "0": "\0", "a": "\a", "c": "", "e": "\33", "n": "\n", "r": "\r", "t": "\t", "\\": "\\"}
TRANSCRIPTS = [
    pytest.param(block, LINE_ENDS if path.stem == "context" else ("\n",), id=block.partition("\n")[0])
    for path in sorted((DATA / "transcripts").glob("*.txt"))
    for block in re.split(r"(?<=\n)\n(?=\$ urlmend)", path.read_text("utf-8"))
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the files of the transcripts in the current directory."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DATA / "files", tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the files of the transcripts once: their commands leave them as they are."""
    return Path(shutil.copytree(DATA / "files", tmp_path_factory.mktemp("files"), dirs_exist_ok=True))


def unescaped(text: str) -> str:
    return re.sub(r"\\(c\n|.)", lambda escape: ESCAPES[escape[1][0]], text)


@pytest.mark.parametrize(("transcript", "line_ends"), TRANSCRIPTS)
def test_transcript(kept: Path, monkeypatch: pytest.MonkeyPatch, transcript: str, line_ends: tuple[str, ...]) -> None:
    monkeypatch.chdir(kept)
    command, *lines = transcript.splitlines(keepends=True)
    read = "".join(line[2:] or "\n" for line in lines if line.startswith("<"))
    said = "".join(line[2:] for line in lines if line.startswith("! "))
    status = next((int(line[1:-2]) for line in lines if re.fullmatch(r"\[[0-9]+\]\n", line)), 0)
    out = "".join(line for line in lines if not re.match(r"<|! |\[[0-9]+\]\n", line))
    for line_end in line_ends:
        stdin = unescaped(read).replace("\n", line_end).encode()
        result = run(*map(unescaped, shlex.split(command)[2:]), stdin=stdin)
        assert result.stdout_bytes.decode() == unescaped(out)
        assert re.fullmatch(re.escape(unescaped(said)).replace("…", ".*"), result.stderr)
        assert result.exit_code == status
        Path("new.db").unlink(missing_ok=True)
        assert {*os.listdir()} == {*os.listdir(DATA / "files")}


# Files


@pytest.mark.usefixtures("files")
def test_a_directory_is_walked_in_order_of_name() -> None:
    Path("t/d.txt/up").symlink_to("../../t", target_is_directory=True)
    Path("t/d.txt/gone").symlink_to("nowhere")
    os.mkfifo("t/d.txt/pipe")
    Path("t/d.txt/o").symlink_to("../a.txt")
    Path("named").symlink_to("t/d.txt", target_is_directory=True)
    result = run("-rc", "t")
    below = ("c.TXT:2", "e.txt:2", "none.txt:0", "o:2")
    assert result.stdout.splitlines() == ["t/a.txt:2", "t/b.html:2", *(f"t/d.txt/{line}" for line in below)]
    assert run("-rc", "named").stdout.splitlines() == [f"named/{line}" for line in below]
    assert (result.stderr, result.exit_code) == ("", 0)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that opens and cannot be read")
@pytest.mark.usefixtures("files")
def test_a_read_that_fails_is_told_and_the_rest_is_done() -> None:
    result = run("-cH", "/proc/self/mem", "t/a.txt")
    assert re.fullmatch(r"urlmend: /proc/self/mem: .+\n", result.stderr)
    assert (result.stdout, result.exit_code) == ("t/a.txt:2\n", 2)


# The process: pipes, signals, locales


def test_a_closed_pipe_ends_it_at_once_and_quietly(tmp_path: Path) -> None:
    (tmp_path / "many").write_text(f"{A}\n" * 200_000)
    with Started("many", cwd=tmp_path) as process:
        assert process.stdout.readline() == f"{A}\n".encode()
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_a_pipe_closed_before_the_last_flush_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(COMMAND, input=A.encode(), stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writer)
    assert (done.stderr, done.returncode) == (b"", 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("args", some([((),), (("explain", A),)]))
def test_a_full_device_is_told(args: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *args], input=A.encode(), stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert (done.stderr, done.returncode) == (b"urlmend: write error: No space left on device\n", 2)


def test_an_interrupt_is_quiet_and_keeps_what_was_found() -> None:
    with Started() as process:
        process.give(f"{A} {B}\nx\n".encode() * 1000)
        # More URLs than output waits for: the first of them come only once the command is at work.
        first = os.read(process.stdout.fileno(), 1 << 16)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert (error, process.returncode) == (b"", 130)
    # What was found is printed whole, however far it came.
    assert first
    assert (first + out).endswith(b"\n")
    assert (f"{A}\n{B}\n".encode() * 1000).startswith(first + out)


@pytest.mark.slow
@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False, timeout=60).returncode != 0,
    reason="no name spaces of mounts",
)
def test_names_of_descriptors_are_known_where_dev_lacks_them() -> None:
    script = 'mount -t tmpfs none /dev && exec "$0" -m urlmend -o /dev/stdout --rejects /dev/fd/2'
    command = ["unshare", "-rm", "sh", "-c", script, sys.executable]
    done = subprocess.run(command, input=f"{A} http://a..b/".encode(), capture_output=True, check=False, timeout=60)
    assert (done.stdout.decode(), done.returncode) == (f"{A}\n", 0)
    assert json.loads(done.stderr)["text"] == "http://a..b/"


@pytest.mark.slow
def test_what_is_found_is_printed_without_waiting_for_more() -> None:
    with Started("-j", "2") as process:
        for number in range(3):
            process.give(f"{A}/{number} x\n".encode() + b"word " * 2000 + b"\n")
            assert process.stdout.readline().decode() == f"{A}/{number}\n"
        process.stdin.close()


@pytest.mark.parametrize("descriptor", some([0, 1]))
def test_a_missing_stream_is_an_error(descriptor: int) -> None:
    sign = "<&-" if descriptor == 0 else ">&-"
    name = ("(standard input)", "write error")[descriptor]
    for verb in ("find", "explain"):
        command = ["/bin/sh", "-c", f'"$0" -m urlmend {verb} </dev/null {sign}', sys.executable]
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False, timeout=60)
        assert (done.stderr.decode(), done.returncode) == (f"urlmend: {name}: Bad file descriptor\n", 2)


def test_a_closed_output_that_is_not_needed_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(f"{A}\n")
    for options, status in (["-o", "out"], 0), (["-q"], 0), (["-o", "/dev/stdout"], 2), (["-o", "-"], 2):
        command = ["/bin/sh", "-c", '"$0" "$@" >&-', *COMMAND, *options, "file"]
        assert subprocess.run(command, cwd=tmp_path, check=False, timeout=60).returncode == status, options
    assert (tmp_path / "out").read_text() == f"{A}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are always blocking")
def test_a_pipe_without_data_yet_is_not_at_its_end() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with subprocess.Popen(COMMAND, stdin=reader, stdout=subprocess.PIPE) as process:
        os.close(reader)
        sleep(0.5)
        os.write(writer, A.encode())
        os.close(writer)
        assert process.communicate(timeout=60)[0].decode() == f"{A}\n"


ASCII = {"PYTHONIOENCODING": "ascii"}
C = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize(
    ("args", "env"), some([((), C), (("--rejects", "-"), ASCII), (("explain", "http://bücher.example/"), C)])
)
def test_output_is_utf_8_in_every_locale(args: tuple[str, ...], env: dict[str, str]) -> None:
    text = "http://bücher.example/ http://ü..example/".encode()
    done = subprocess.run(
        [*COMMAND, *args], input=text, capture_output=True, env={**os.environ, **env}, check=True, timeout=60
    )
    assert "bücher.example".encode() in done.stdout
    if "--rejects" in args:
        assert json.loads(done.stderr)["text"] == "http://ü..example/"


def test_a_file_name_that_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = b"caf\xe9"
    Path(os.fsdecode(name)).write_text(A)
    assert run("-rH", ".").stdout_bytes == b"./" + name + f":{A}\n".encode()
    record = json.loads(run("-r", "--format", "jsonl", ".").stdout)
    assert os.fsencode(record["source"]) == b"./" + name


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
def test_the_help_fits_and_its_first_screen_shows_how_it_is_used(args: tuple[str, ...]) -> None:
    lines = run(*args).stdout.splitlines()
    assert lines[0] == "Usage: urlmend [find] [OPTIONS] [PATH]..."
    assert all(shown in "\n".join(lines[:24]) for shown in ("  urlmend harvest archive/ -o", "\nMost used:\n"))
    assert len(lines) <= 80 >= max(map(len, lines))


def test_version() -> None:
    result = run("--version")
    build = "pure Python" if resolver.__file__.endswith(".py") else "compiled"
    assert (result.stdout, result.exit_code) == (f"urlmend {urlmend.__version__} ({build})\n", 0)


@pytest.mark.slow
def test_on_a_terminal_it_says_that_it_reads_standard_input() -> None:
    parent, child = os.openpty()
    with Started(stdin=child) as process:
        os.close(child)
        os.write(parent, f"{A}\n\x04".encode())
        out, said = process.communicate(timeout=60)
    os.close(parent)
    assert out.decode() == f"{A}\n"
    assert said.decode().startswith("urlmend: reading standard input; Ctrl-D ends it")


# Counts


@pytest.mark.parametrize("args", [("-u",), ("--count-by", "url")])
def test_a_temporary_file_that_cannot_be_written_is_told(
    args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_options: object) -> None:
        message = "database or disk is full"
        raise sqlite3.OperationalError(message)

    monkeypatch.setattr(sqlite3, "connect", full)
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", 0)
    result = run(*args, stdin=A)
    assert result.stderr == "urlmend: write error: temporary file: database or disk is full\n"
    assert result.exit_code == 2


@pytest.mark.slow
def test_quiet_ends_at_the_first_url() -> None:
    # The input is still open, and more than is read at once: only the URL can have ended it.
    with Started("-q") as process:
        process.give(b"http://a.example/ x\n" * 3000)
        assert process.wait(60) == 0


def test_verbose_does_not_change_how_a_file_is_read(files: Path) -> None:
    (files / "twice.gz").write_bytes(gzip.compress(gzip.compress(b"http://a.example/\n")))
    assert run("-v", "twice.gz").stdout == run("twice.gz").stdout
    assert "file compressed twice" in run("-v", "twice.gz").stderr


# Completion


def completed(shell: str, words: str, instruction: str) -> str:
    env = {"_URLMEND_COMPLETE": f"{shell}_{instruction}", "COMP_WORDS": f"urlmend {words}"}
    env["COMP_CWORD"] = str(max(1, len(words.split())))
    return CliRunner().invoke(main, env=env, prog_name="urlmend").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str) -> None:
    script = completed(shell, "", "source")
    assert f"_URLMEND_COMPLETE={shell}_complete" in script
    assert script.startswith("#compdef urlmend\n") == (shell == "zsh")


# words, completions
COMPLETED = (
    ("--count-", ["plain,--count-by"]),
    ("--count-by de", ["plain,departure"]),
    ("--count-by year,sc", ["plain,year,scheme"]),
    ("", ["plain,explain", "plain,annotate", "plain,harvest", "plain,report", "file,"]),
    ("expl", ["plain,explain", "file,expl"]),
    ("-r some", ["file,some"]),
    ("explain --pro", ["plain,--profile"]),
)


@pytest.mark.parametrize(("words", "completions"), COMPLETED)
def test_completion(words: str, completions: list[str]) -> None:
    assert completed("bash", words, "complete").split() == completions


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(tmp_path: Path) -> None:
    (tmp_path / "urlmend").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urlmend "$@"\n')
    (tmp_path / "urlmend").chmod(0o755)
    asked = "COMP_WORDS=(urlmend --no-quo) COMP_CWORD=1\n_urlmend_completion urlmend\necho $COMPREPLY"
    script = f"PATH={tmp_path}:$PATH\n{completed('bash', '', 'source')}\n{asked}\n"
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("--no-quoted", "")


# The manual page

PAGE = manual()


@pytest.mark.slow
def test_the_module_writes_the_page() -> None:
    done = subprocess.run([sys.executable, "-m", "urlmend.cli.manual"], capture_output=True, check=True, timeout=60)
    assert (done.stdout.decode(), done.stderr) == (PAGE, b"")


def test_lines_of_the_page_are_text_or_known_requests() -> None:
    requests = {line.split()[0] for line in PAGE.splitlines() if line[:1] in {".", "'", ""}}
    assert requests <= {*".TH .SH .SS .PP .TP .B .br .nf .fi".split()}
    # A hyphen that is not escaped is typeset as one, and cannot be typed or found.
    assert not re.search(r"(?<!\\)-", PAGE)
    assert PAGE.count(".nf\n") == PAGE.count(".fi\n") == 1
    sections = re.findall(r"^\.SH (.*)$", PAGE, re.MULTILINE)
    assert sections[:5] == ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "OPTIONS"]
    assert sections[5:] == [f"URLMEND {name.upper()}" for name in COMMANDS[1:]]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_the_help_and_the_page(name: str) -> None:
    shown = run(name, "--help").stdout
    page = PAGE.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "")
    for option in command_called(name).params:
        if isinstance(option, click.Option):
            for spelling in option.opts + option.secondary_opts:
                assert re.search(rf"^\.B .*{spelling}\b", page, re.MULTILINE), spelling
                assert re.search(rf"(?<![\w-]){spelling}\b", shown), spelling
            for text in str(option.help).split(" / "):
                assert f"\n{text}\n" in page


@pytest.mark.parametrize(
    ("command", "shown"), [("groff -ww -man -Tutf8", b"--count-by KEY"), ("man -l -", b"URLMEND(1)")]
)
def test_programs_show_the_page(command: str, shown: bytes) -> None:
    if shutil.which(command.split(maxsplit=1)[0]) is None:
        pytest.skip("not installed")
    done = subprocess.run(command.split(), input=PAGE.encode(), capture_output=True, check=True, timeout=60)
    assert done.stderr == b""
    assert shown in re.sub(rb".\x08|\x1b\[[0-9;]*m", b"", done.stdout)


# Progress

PATH = b"http://a.example/some/path"
BESIDE_THE_BAR = re.compile(
    rb"(?:[0-9]+\t|> |\(standard input\):[0-9]+: )?%b|--|links\turl|urlmend: \(standard input\): read as text" % PATH
)
"""The complete lines on the terminal other than the bar."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress, "time", lambda: now[0])
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    monkeypatch.setattr(progress, "Thread", lambda target, **_: SimpleNamespace(start=target))
    return now


class Terminal(io.StringIO):
    def fileno(self) -> int:
        raise OSError

    def take(self) -> str:
        written = self.getvalue()
        self.seek(0)
        self.truncate()
        return written


def test_a_bar_comes_after_its_delay_and_goes_when_asked(clock: list[float]) -> None:
    terminal = Terminal()
    bar = Bar(terminal, lambda: [None], shared=True)
    bar.advance(500)
    bar.note_urls(1)
    assert not terminal.take()
    clock[0] += 2
    bar.advance(500)
    assert terminal.take().endswith("\r1.00kB [00:02, 500B/s, 1 URL]")
    bar.advance(500)
    assert not terminal.take()  # too soon
    bar.note_urls(1)
    assert terminal.take().split("\r")[-1] == ""
    clock[0] += 2
    bar.advance(500)
    assert "2 URLs" in terminal.take()
    bar.hide()
    assert terminal.take().split("\r")[-1] == ""


def test_a_bar_on_a_terminal_of_its_own_stays(clock: list[float]) -> None:
    terminal = Terminal()
    bar = Bar(terminal, lambda: [1000])
    clock[0] += 2
    bar.advance(500)
    assert terminal.take()
    bar.note_urls(1)
    assert not terminal.take()
    clock[0] += 2
    bar.pass_over(250)
    assert terminal.take().rstrip() == "\r 75%|#######5  | 750/1.00k [00:04<00:02, 125B/s, 1 URL]"


def _feed(process: subprocess.Popen[bytes], enough: Event) -> None:
    """Give *process* more to read until there is *enough*."""
    stdin: IO[bytes] | None = process.stdin
    assert stdin is not None
    while not enough.is_set():
        stdin.write((PATH + b"\n") * 40 + b"words without any\n" * 5000)
        stdin.flush()
        enough.wait(0.05)
    stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize("args", [("-v", "--warn", "--rejects", "-"), (), ("--count-by", "url"), ("-C0",)])
def test_nothing_else_on_the_terminal_suffers(args: tuple[str, ...]) -> None:
    env = {**os.environ, "TERM": "xterm", "PYTHONUNBUFFERED": ""}
    ours, theirs = open_terminal()
    command = [*COMMAND, "--color", "never", *args]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        enough = Event()
        feeder = Thread(target=_feed, args=(process, enough))
        feeder.start()
        written = read_until(ours, lambda written: b"B/s, " in written.rpartition(b"\r")[2])
        enough.set()
        written += read_until(ours)
        feeder.join()
    os.close(ours)
    assert process.returncode == 0
    assert written.rpartition(b"\n")[2].rpartition(b"\r")[2] == b""
    lines = [line.rpartition(b"\r")[2] for line in written.split(b"\r\n")[:-1]]
    assert [line for line in lines if not BESIDE_THE_BAR.fullmatch(line)] == []
    assert any(PATH in line for line in lines)


# standard error is a terminal, TERM, standard output, there is a bar
WHERE = (
    (True, "xterm", "terminal", True),
    (True, "xterm", "file", True),
    (True, "xterm", "pipe", False),
    (True, "dumb", "file", False),
    (False, "xterm", "file", False),
)


def test_where_there_is_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    ours, theirs = open_terminal()
    reader, pipe = os.pipe()
    with os.fdopen(theirs, "w") as terminal, os.fdopen(pipe, "w") as to_a_pipe, (tmp_path / "o").open("w") as file:
        outputs = {"terminal": terminal, "pipe": to_a_pipe, "file": file}
        for is_terminal, term, out, there in WHERE:
            monkeypatch.setenv("TERM", term)
            monkeypatch.setattr("sys.stderr", terminal if is_terminal else io.StringIO())
            bar = bar_for(outputs[out], lambda: [None])
            clock[0] += 2
            bar.advance(1)
            os.write(theirs, b"end")
            assert (b"URLs" in read_until(ours, lambda written: written.endswith(b"end"))) == there
            bar.hide()
    for descriptor in (ours, reader):
        os.close(descriptor)


# Other systems, as far as they can be tried here: the system is made to look like another.

# where, what a write raises, whether the reader has gone
CLOSED_PIPES = (
    ("linux", BrokenPipeError(errno.EPIPE, ""), True),
    ("linux", OSError(errno.EINVAL, ""), False),
    ("win32", OSError(errno.EINVAL, ""), True),
    ("win32", OSError(errno.EINVAL, "", "name"), False),
    ("win32", OSError(errno.ENOSPC, ""), False),
)


@pytest.mark.parametrize(("system", "error", "closed"), CLOSED_PIPES)
def test_the_reader_of_a_pipe_has_gone(
    monkeypatch: pytest.MonkeyPatch, system: str, error: OSError, closed: bool
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert is_closed_pipe(error) is closed


LESS = """
import os, signal, subprocess, sys, tempfile
for name in ("SIGHUP", "SIGPIPE", "SIGKILL", "pthread_sigmask"):
    delattr(signal, name)
for name in ("fork", "setsid", "fchmod", "fchown", "sched_getaffinity"):
    delattr(os, name)
sys.platform = "other"
sys.modules |= dict.fromkeys(("fcntl", "resource", "termios", "pwd", "grp"))
from urlmend.cli import main
main()
"""


@pytest.mark.slow
def test_the_command_runs_without_what_other_systems_lack(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}").write_text(A)
    found = tmp_path / "found"
    found.write_text("old")
    command = [sys.executable, "-c", LESS, "-j", "2", "-o", str(found), str(tmp_path / "0"), str(tmp_path / "1")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert found.read_text() == f"{A}\n" * 2


def test_on_windows_git_is_not_taken_from_the_current_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "git.exe").touch()
    monkeypatch.setenv("PATH", f".{os.pathsep}{tmp_path / 'none'}")
    with git.Git(str(tmp_path)) as opened, pytest.raises(git.GitError, match="git, which is not installed"):
        opened.start("version")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "git.exe"
    program.symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f".{os.pathsep}{tmp_path / 'bin'}")
    with git.Git(str(tmp_path)) as opened:
        assert str(program) in str(opened.start("version")[0].args)


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
    assert "unexpected byte 0xFF at 17" in run("explain", "http://a.example/\udcff").stdout


def test_what_would_make_it_a_url() -> None:
    assert {text: explained(text)["hints"] for text in REASONS["hints"]} == REASONS["hints"]


@pytest.mark.parametrize("departure", some(zip(DEPARTURES)), ids=lambda departure: departure.name)
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


def test_the_line_ends_of_a_url_are_in_its_record() -> None:
    angle = explained("<http://a.example/b-\nc>")
    assert (angle["url"], angle["raw"], angle["line_ends"]) == ("http://a.example/b-c", "http://a.example/b-\nc", [])
    (end,) = explained("http://a.example/b/\nc.html so")["line_ends"]
    assert list(end) == ["url", "token", "goes_on", "p", "guard", "clues"]
    assert (end["url"], end["token"], end["goes_on"]) == ("http://a.example/b/", "c.html", end["p"] >= THRESHOLD)
    assert {frozenset(clue) for clue in end["clues"]} == {frozenset({"clue", "value", "weight"})}


def test_arguments_may_be_very_long() -> None:
    nested = f"/{'(' * 5000}{')' * 5000}/"
    for args, said in ((["x" * 5000], "File name too long"), (["--author", nested], "--author is not a valid regular")):
        result = run(*args, stdin=A)
        assert (result.exit_code, result.stdout, said in result.stderr) == (2, "", True)
