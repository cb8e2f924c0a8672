"""The progress bar on a terminal: bytes of all inputs, rate, URLs so far, time left."""

import math
import os
import stat
import sys
from collections.abc import Callable, Iterable
from threading import RLock, Thread
from time import time
from typing import TYPE_CHECKING, Never, TextIO

from urlmend.output.files import status_of

if TYPE_CHECKING:
    from tqdm import tqdm

DELAY = 1.0
"""The number of seconds before the bar is shown."""


class Bar:
    """Shows the progress of reading on *terminal*, or nowhere if that is `None`.

    *sizes* returns the size in bytes of each input, `None` for an unknown size. It is called when the bar appears.
    Call `hide` before anything else is written to the terminal. If standard output is the same terminal (*shared*),
    call `note_urls` before anything is written there. The bar returns with the next bytes read.
    """

    def __init__(
        self, terminal: TextIO | None = None, sizes: Callable[[], Iterable[int | None]] = tuple, *, shared: bool = False
    ) -> None:
        self._terminal = terminal
        self._sizes = sizes
        self._shared = shared
        self._start = time() if terminal else math.inf
        self._bytes = self._passed = self._urls = 0
        self._bar: tqdm[Never] | None = None

    def advance(self, size: int) -> None:
        """Add *size* to the number of bytes read. tqdm redraws the bar a few times a second at most."""
        self._bytes += size
        if time() < self._start + DELAY:
            return
        if self._bar is None:
            self._bar = self._new_bar()
            # This takes long for a large tree. Until it is done, the bar shows no total.
            Thread(target=self._count, daemon=True).start()
        urls = f"{self._urls:,} URL{'s' * (self._urls != 1)}".replace(",", " ")
        self._bar.set_postfix_str(urls, refresh=False)
        self._bar.initial = self._passed
        self._bar.update(self._bytes + self._passed - self._bar.n)

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
        if self._bar is not None:
            self._bar.clear()

    def _new_bar(self) -> "tqdm[Never]":
        from tqdm import tqdm  # noqa: PLC0415 -- few runs take so long

        # The bar needs no thread that wakes it, and no lock between processes.
        tqdm.monitor_interval = 0
        tqdm.set_lock(RLock())
        bar = tqdm(
            dynamic_ncols=True,
            file=self._terminal,
            leave=False,
            miniters=1,
            position=0,
            smoothing=0,
            unit="B",
            unit_scale=True,
        )
        bar.start_t = bar.last_print_t = self._start
        return bar

    def _count(self) -> None:
        sizes = [*self._sizes()]
        if self._bar is not None and None not in sizes:
            self._bar.total = sum(filter(None, sizes))


def bar_for(out: TextIO | None, sizes: Callable[[], Iterable[int | None]]) -> Bar:
    """Return the bar for a command with the output *out*, if it has one. It is shown if standard error is a terminal.

    If *out* is a pipe, it is not shown: the program that reads the pipe may use the terminal, as a pager does.
    """
    terminal = sys.stderr
    status = status_of(out)
    is_piped = status is not None and stat.S_ISFIFO(status.st_mode)
    if terminal is None or not terminal.isatty() or os.environ.get("TERM") == "dumb" or is_piped:
        return Bar()
    return Bar(terminal, sizes, shared=out is not None and out.isatty())
