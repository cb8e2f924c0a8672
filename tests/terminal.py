"""A terminal for programs under test: what they write to it is read until it holds what is waited for."""
# ruff: noqa: S603 -- what is run is the command under test

import os
import pty
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fcntl import ioctl
from struct import pack
from termios import TIOCSWINSZ

ROWS, COLUMNS = 24, 80


def open_terminal(columns: int = COLUMNS) -> tuple[int, int]:
    """Return the two ends of a terminal of *columns*: ours and the program's."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, pack("HHHH", ROWS, columns, 0, 0))
    return ours, theirs


def read_until(descriptor: int, enough: Callable[[bytes], bool] = lambda _: False) -> bytes:
    """Return what is written to the terminal until it is *enough*, or no process has it open."""
    written = b""
    # Linux says EIO when the last program has closed it.
    with suppress(OSError):
        while not enough(written) and (more := os.read(descriptor, 1 << 16)):
            written += more
    return written


def on_a_terminal(command: Sequence[str], env: Mapping[str, str]) -> bytes:
    """Return what *command* writes to a terminal that is its standard output and standard error."""
    ours, theirs = open_terminal()
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs):
        os.close(theirs)
        written = read_until(ours)
    os.close(ours)
    return written


def heed_signals() -> None:
    """Undo what a shell does to the commands that it runs in the background, and nohup: they ignore some signals."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
