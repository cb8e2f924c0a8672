"""The bar: when there is one, what it says, and that nothing else on the terminal suffers from it."""
# ruff: noqa: S603 -- what is run is the command itself

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import IO, TYPE_CHECKING

import pytest

from terminal import open_terminal, read_until
from urlmend.cli import progress
from urlmend.cli.inputs import Inputs, named
from urlmend.cli.outputs import Outputs
from urlmend.cli.progress import Bar, Progress, bar_for, state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

COMMAND = (sys.executable, "-m", "urlmend")
ENV = {**os.environ, "TERM": "xterm", "PYTHONUNBUFFERED": ""}
URL = b"http://a.example/some/path"
OTHER = re.compile(
    rb"(?:[0-9]+\t|> |\(standard input\):[0-9]+: )?%b|--|urlmend: \(standard input\): read as text" % URL
)
"""What stands on the terminal beside the bar, whole lines of it."""

# done, total, urls, seconds, what is shown
STATES = (
    (0, None, 0, 0, "0 B  0 B/s  0 URLs  0:00"),
    (999, None, 1, 1, "999 B  999 B/s  1 URL  0:01"),
    (1500, None, 1234567, 3700, "1.5 kB  0 B/s  1 234 567 URLs  1:01:40"),
    (999_999, None, 2, 1, "1.0 MB  1.0 MB/s  2 URLs  0:01"),
    (500, 1000, 2, 2, "[==========          ]  50%  500 B of 1.0 kB  250 B/s  2 URLs  0:02 left"),
    (2000, 1000, 2, 2, "[====================] 100%  2.0 kB of 1.0 kB  1.0 kB/s  2 URLs  0:00 left"),
    (0, 10**12, 2, 2, "[                    ]   0%  0 B of 1000.0 GB  0 B/s  2 URLs"),
)


@pytest.mark.parametrize(("done", "total", "urls", "seconds", "shown"), STATES)
def test_state(done: int, total: int | None, urls: int, seconds: float, shown: str) -> None:
    assert state(Progress(done, total, urls, seconds)) == shown


# columns, what is shown of 750 MB of a GB
WIDTHS = (
    (79, f"[{'=' * 15}     ]  75%  750 MB of 1.0 GB  25 MB/s  12 345 URLs  0:10 left"),
    (77, f"[{'=' * 14}     ]  75%  750 MB of 1.0 GB  25 MB/s  12 345 URLs  0:10 left"),
    (63, "[===  ]  75%  750 MB of 1.0 GB  25 MB/s  12 345 URLs  0:10 left"),
    (62, "75%  750 MB of 1.0 GB  25 MB/s  12 345 URLs  0:10 left"),
    (53, "[=========    ]  75%  25 MB/s  12 345 URLs  0:10 left"),
    (37, "75%  25 MB/s  12 345 URLs  0:10 left"),
    (35, "75%  12 345 URLs  0:10 left"),
    (26, "[======  ]  75%  0:10 left"),
    (20, "75%  0:10 left"),
)


@pytest.mark.parametrize(("width", "shown"), WIDTHS)
def test_what_matters_least_is_left_out_first(width: int, shown: str) -> None:
    assert state(Progress(750_000_000, 1_000_000_000, 12345, 30), width) == shown


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
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
    assert terminal.take() == "\r\33[K1.0 kB  500 B/s  1 URL  0:02"
    bar.advance(500)
    assert not terminal.take()  # too soon
    bar.note_urls(1)
    assert terminal.take() == "\r\33[K"
    bar.advance(0)
    assert "2 URLs" in terminal.take()
    bar.hide()
    bar.hide()
    assert terminal.take() == "\r\33[K"
    bar.advance(500)
    assert "2 URLs" in terminal.take()


def test_a_bar_on_a_terminal_of_its_own_stays(clock: list[float]) -> None:
    terminal = Terminal()
    bar = Bar(terminal, lambda: [None])
    clock[0] += 2
    bar.advance(500)
    assert terminal.take()
    bar.note_urls(1)
    assert not terminal.take()
    bar.hide()
    assert terminal.take() == "\r\33[K"


def _feed(process: subprocess.Popen[bytes], enough: Event) -> None:
    """Give *process* more to read until there is *enough*."""
    stdin: IO[bytes] | None = process.stdin
    assert stdin is not None
    while not enough.is_set():
        stdin.write((URL + b"\n") * 40 + b"words without any\n" * 5000)
        stdin.flush()
    stdin.close()


@pytest.mark.parametrize(
    "args",
    [
        ("-v", "--warn", "--rejects", "-"),
        *(pytest.param(args, marks=pytest.mark.slow) for args in ((), ("--count-by", "url"), ("-C0",))),
    ],
)
def test_nothing_else_on_the_terminal_suffers(args: tuple[str, ...]) -> None:
    ours, theirs = open_terminal()
    with subprocess.Popen(
        [*COMMAND, "--color", "never", *args], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env=ENV
    ) as process:
        os.close(theirs)
        enough = Event()
        feeder = Thread(target=_feed, args=(process, enough))
        feeder.start()
        written = read_until(ours, lambda written: b"/s  " in written.rpartition(b"\33[K")[2])
        enough.set()
        written += read_until(ours)
        feeder.join()
    os.close(ours)
    assert process.returncode == 0
    assert written.rpartition(b"\n")[2].rpartition(b"\33[K")[2] == b""
    lines = [line.rpartition(b"\33[K")[2] for line in written.split(b"\r\n")[:-1]]
    assert [line for line in lines if not OTHER.fullmatch(line)] == []
    assert any(URL in line for line in lines)


def test_the_total_is_that_of_all_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.txt").write_bytes(b"x" * 1000)
    (tmp_path / "t" / "b.txt").write_bytes(b"x" * 500)
    (tmp_path / "t" / "c.html").write_bytes(b"x" * 100)
    asked: list[Callable[[], Iterable[int | None]]] = []
    monkeypatch.setattr("urlmend.cli.inputs.bar_for", lambda _, sizes: asked.append(sizes))
    paths = (f"{tmp_path}/t", f"{tmp_path}/gone", f"{tmp_path}/t/c.html", "/dev/null")
    inputs = Inputs(paths, Outputs(), recursive=True, wanted=named(["*.txt"], []))
    inputs.show_progress(sys.stdout)
    assert list(asked[0]()) == [1000, 500, 0, 100, None]


# standard error is a terminal, TERM, standard output, there is a bar
WHERE = (
    (True, "xterm", "terminal", True),
    (True, "xterm", "file", True),
    (True, "xterm", "pipe", False),
    (True, "dumb", "file", False),
    (False, "xterm", "file", False),
)


@pytest.mark.parametrize(("terminal", "term", "out", "there"), WHERE)
def test_where_there_is_a_bar(  # noqa: PLR0913, PLR0917 -- the columns of a table
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    clock: list[float],
    terminal: bool,
    term: str,
    out: str,
    there: bool,
) -> None:
    monkeypatch.setenv("TERM", term)
    ours, theirs = open_terminal()
    reader, pipe = os.pipe()
    descriptors = {"terminal": os.dup(theirs), "pipe": pipe, "file": os.open(tmp_path / "o", os.O_CREAT | os.O_RDWR)}
    with os.fdopen(theirs, "w") as error, os.fdopen(descriptors[out], "w") as output:
        monkeypatch.setattr("sys.stderr", error if terminal else io.StringIO())
        bar = bar_for(output, lambda: [None])
        clock[0] += 2
        bar.advance(1)
        os.write(error.fileno(), b"end")
        assert (b"URLs" in read_until(ours, lambda written: written.endswith(b"end"))) == there
    for descriptor in {ours, reader, *descriptors.values()} - {descriptors[out]}:
        os.close(descriptor)
