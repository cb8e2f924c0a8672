"""The progress bar on a terminal: bytes of all inputs, rate, URLs so far, time left."""

import io
import math
import os
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Thread
from time import monotonic
from typing import NamedTuple, TextIO

DELAY = 1.0
"""The number of seconds before the bar is shown."""

INTERVAL = 0.1
"""The number of seconds between two states of the bar."""

_CLEAR = "\r\33[K"
_NARROWEST, _WIDEST = 5, 20


class Bar:
    """Shows the progress of reading on *terminal*, or nowhere if that is `None`.

    *sizes* returns the size in bytes of each input, `None` for an unknown size. It is called when the bar appears.
    Call `hide` before anything else is written to the terminal. If standard output is the same terminal (*shared*),
    call `note_urls` before anything is written there. The bar returns with the next bytes read.
    """

    def __init__(
        self, terminal: TextIO | None, sizes: Callable[[], Iterable[int | None]], *, shared: bool = False
    ) -> None:
        self._terminal = terminal or io.StringIO()
        self._sizes = sizes
        self._shared = shared
        self._start = monotonic()
        self._next = self._start + DELAY if terminal else math.inf
        self._total: int | None = None
        self._counting: Thread | None = None
        self._bytes = self._passed = self._urls = 0
        self._shown = False

    def advance(self, size: int) -> None:
        """Add *size* to the number of bytes read."""
        self._bytes += size
        if (now := monotonic()) >= self._next:
            if self._counting is None:
                # This takes long for a large tree. Until it is done, the bar shows no total.
                self._counting = Thread(target=self._count, daemon=True)
                self._counting.start()
            self._next = now + INTERVAL
            self._show(now - self._start)

    def pass_over(self, size: int) -> None:
        """Add *size* to the number of bytes that need not be read. They do not count for the rate."""
        self._passed += size
        self.advance(0)

    def note_urls(self, count: int) -> None:
        """Add *count* to the number of URLs found, which are written next."""
        self._urls += count
        if self._shared:
            self.hide()

    def hide(self) -> None:
        """Hide the bar, for other text on the terminal."""
        if self._shown:
            self._write(_CLEAR)
            self._shown = False
            self._next = 0  # it returns with the next bytes

    def _count(self) -> None:
        total = 0
        for size in self._sizes():
            if size is None:
                return
            total += size
        self._total = total

    def _show(self, seconds: float) -> None:
        try:
            columns = os.get_terminal_size(self._terminal.fileno()).columns
        except OSError:
            columns = 0
        # Some terminals report no columns. The last column wraps, and Ctrl-C prints two characters.
        width = (columns or 80) - 3
        self._write(_CLEAR + state(Progress(self._bytes, self._total, self._urls, seconds, self._passed), width))
        self._shown = True

    def _write(self, text: str) -> None:
        # Reading continues when the terminal is gone.
        with suppress(OSError):
            self._terminal.write(text)
            self._terminal.flush()


class Progress(NamedTuple):
    """The progress of reading: bytes `read`, of `total` if that is known, and URLs found, after some seconds.

    Of the total, `passed` bytes did not have to be read.
    """

    read: int
    total: int | None
    urls: int
    seconds: float
    passed: int = 0


def state(progress: Progress, width: int = 80) -> str:
    """Return the text of the bar for *progress*, without the least important parts if *width* is too small.

    >>> state(Progress(750_000_000, 1_000_000_000, 12345, 30))
    '[===============     ]  75%  750 MB of 1.0 GB  25 MB/s  12 345 URLs  0:10 left'
    >>> state(Progress(750_000_000, 1_000_000_000, 12345, 30), width=40)
    '75%  25 MB/s  12 345 URLs  0:10 left'
    >>> state(Progress(750_000_000, None, 1, 30))
    '750 MB  25 MB/s  1 URL  0:30'
    """
    read, total, urls, seconds, passed = progress
    rate = read / seconds if seconds else 0.0
    done = read + passed
    share = min(1.0, done / total) if total else None
    parts = [
        "" if share is None else f" {int(share * 100):3}%",
        f"  {_size(done)}" + (f" of {_size(total)}" if total else ""),
        f"  {_size(rate)}/s",
        f"  {urls:,} URL{'s' * (urls != 1)}".replace(",", " "),
        f"  {_time(seconds)}" if not total else f"  {_time(max(0, total - done) / rate)} left" if rate else "",
    ]
    for least in (1, 2, 3):
        if len("".join(parts).lstrip()) > width:
            parts[least] = ""
    shown = "".join(parts)
    room = min(_WIDEST, width - len(shown) - len("[]"))
    bar = "" if share is None or room < _NARROWEST else f"[{'=' * int(share * room):{room}}]"
    return (bar + shown).lstrip()


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 999.5:  # noqa: PLR2004 -- what is rounded to 1000
            return f"{count:.1f} {unit}" if count < 9.95 and unit != "B" else f"{count:.0f} {unit}"  # noqa: PLR2004 -- two digits
        count /= 1000
    return f"{count:.1f} GB"


def _time(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def bar_for(out: TextIO | None, sizes: Callable[[], Iterable[int | None]]) -> Bar:
    """Return the bar for a command with the output *out*, if it has one. It is shown if standard error is a terminal.

    If *out* is a pipe, it is not shown: the program that reads the pipe may use the terminal, as a pager does.
    """
    terminal = sys.stderr
    if terminal is None or not terminal.isatty() or os.environ.get("TERM") == "dumb" or _is_pipe(out):
        return Bar(None, sizes)
    return Bar(terminal, sizes, shared=out is not None and out.isatty())


def _is_pipe(file: TextIO | None) -> bool:
    try:
        return file is not None and stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
    except OSError:
        return False  # a test's
