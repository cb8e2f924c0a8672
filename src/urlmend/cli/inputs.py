"""The files that a command reads, the matches in them, and the messages about those that it cannot read."""

import errno
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeVar

from urlmend.cli.command import complain
from urlmend.cli.outputs import Outputs
from urlmend.cli.progress import Bar, bar_for
from urlmend.output.files import STANDARD_INPUT, one_case
from urlmend.output.terminal import fault, reason
from urlmend.parallel import Job
from urlmend.scanner import match_batches
from urlmend.selection import PatternError
from urlmend.sources import SourceError, iter_texts
from urlmend.sources.directories import files, is_one_file, opened_path, size_of

if TYPE_CHECKING:
    from urlmend.match import Rejected
    from urlmend.sources.compression import Peeked
    from urlmend.sources.containers import Skipped

Found = TypeVar("Found")

Batches = Iterator[Any]
"""The matches of a file in lists, or their finished lines (`urlmend.parallel.Lines`).

Reading raises `UnreadableError` or `SourceError` where it ends early.
"""

Files = Iterator[tuple[str | None, Batches]]
"""The name of each file, and its matches, which have to be read before the next file."""


class UnreadableError(OSError):
    """Reading an input failed. Errors of writing are other `OSError`s."""


@dataclass
class Input:
    """A file for `iter_urls`. `name` is `None` for standard input; `bytes_read` counts the bytes read so far.

    `before` is called before each read, which may have to wait, and `advance` with the number of bytes after it.
    """

    file: io.BufferedReader
    name: str | None
    advance: Callable[[int], object]
    before: Callable[[], object]
    bytes_read: int = 0
    ended: bool = False

    def read(self, size: int, /) -> bytes:
        """Return the bytes that are available, at most *size*; none at the end."""
        # Reading on would ask the terminal for another Ctrl-D.
        if self.ended:
            return b""
        self.before()
        try:
            data = self.file.read1(size)
        except OSError as error:
            raise UnreadableError(reason(error)) from error
        self.ended = not data and size > 0
        self.add_bytes_read(len(data))
        return data

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self.file.fileno()

    def add_bytes_read(self, size: int) -> None:
        """Add *size* to the number of bytes read."""
        self.bytes_read += size
        self.advance(size)


def named(include: Collection[str], exclude: Collection[str], own: Collection[str] = ()) -> Callable[[str], bool]:
    """Return a test for paths: their last name must match a glob of *include*, if there are any, and none of *exclude*.

    The command's *own* files (by the names of `one_case`) do not pass.
    """

    def fits(path: str) -> bool:
        name = Path(path).name
        return (
            (not include or any(fnmatchcase(name, glob) for glob in include))
            and not any(fnmatchcase(name, glob) for glob in exclude)
            and one_case(path) not in own
        )

    return fits


@dataclass
class Inputs:
    """The files at `paths`. One that cannot be read gets a message and sets `failed`; the others are read.

    `-` is standard input, whose name is `None`. None of `outputs` is read. `source` is the type of the files. With
    `recursive`, the `wanted` files in directories are read (`urlmend.sources.directories`). With `as_text`, files that
    are not text are read as well. Without `messages`, files that are skipped or cannot be read get none. In a run over
    a directory, files that are not text are counted by reason (`skipped`), and only named if `verbose`. After
    `show_progress`, `bar` shows the progress. Call `close` at the end.
    """

    paths: tuple[str, ...]
    outputs: Outputs
    source: str = "auto"
    recursive: bool = False
    as_text: bool = False
    messages: bool = True
    verbose: bool = False
    wanted: Callable[[str], bool] = lambda _: True
    failed: bool = False
    skipped: Counter[str] = field(default_factory=Counter)
    bar: Bar = field(default_factory=lambda: Bar(None, list))
    _current: Input | None = None

    def fail(self, name: str | None, reason: str) -> None:
        """Print the *reason* why the file called *name* cannot be read, and set `failed`."""
        self.failed = True
        if self.messages:
            self.say(name, reason)

    def say(self, name: str | None, message: str) -> None:
        """Print *message*, about the file called *name*, to standard error, without the bar."""
        self.bar.hide()
        complain(f"{STANDARD_INPUT if name is None else name}: {message}")

    def pass_over(self, passed: "Skipped") -> None:
        """Print why a file is skipped, or count it."""
        if passed.is_fault:
            self.fail(passed.name, passed.reason)
        elif passed.is_binary and not self.verbose and self.recursive and any(map(os.path.isdir, self.paths)):
            # Mail that another program can convert gets a line of its own.
            self.skipped[passed.reason if "Outlook" in passed.reason else "skipped: not text"] += 1
        elif self.messages:
            self.say(passed.name, passed.reason)

    def close(self) -> None:
        """Hide the bar, and print how many files were skipped without a message of their own."""
        self.bar.hide()
        for why, count in self.skipped.items() if self.messages else ():
            complain(f"{count} file{'s' * (count != 1)} {why}")

    def names(self) -> Iterator[str | None]:
        """Yield the names of the files that can be read, in order; report the others."""
        for name in self._names(lambda error: self.fail(error.filename, reason(error))):
            objection = self.outputs.objection(name)
            if objection is None:
                yield name
            elif objection:
                self.fail(name, objection)

    def all_names(self) -> Iterator[str | None]:
        """Yield the names of all files, in order."""
        return self._names(lambda _: None)

    def sizes(self, *, packed: bool = False) -> Iterator[int | None]:
        """Yield the size of each file in bytes; `None` for one without a size, such as a pipe.

        A public-inbox has a size if *packed*, that of its packed messages.
        """
        for name in self.all_names():
            is_known = packed or name is None or not os.path.isdir(name)  # noqa: PTH112 -- paths stay as they were given
            yield size_of(0 if name is None else name) if is_known else None

    def _names(self, failed: Callable[[OSError], object]) -> Iterator[str | None]:
        for path in self.paths:
            if path == "-":
                yield None
            elif self.recursive or is_one_file(path, self.source):
                below = files(path, failed, source=self.source)
                yield from (name for name in below if name == path or self.wanted(name))
            else:
                failed(IsADirectoryError(errno.EISDIR, "is a directory (use -r)", path))

    def show_progress(self, out: TextIO | None) -> None:
        """Show the progress of reading on a terminal. *out* is the output of the command, if it has one."""
        self.bar = bar_for(out, self.sizes)

    def members(self, name: str | None) -> Iterator["Peeked"]:
        """Yield the files in the file called *name*: itself, or the members of a container. Report skipped members."""
        from urlmend.sources.containers import members  # noqa: PLC0415 -- loads the formats

        try:
            with _opened(name) as binary:
                file = self._current = Input(binary, name, self.bar.advance, self.outputs.flush)
                inside = members(file, self.source, self.pass_over, as_text=self.as_text)
                yield from self.guarded(name, inside)
        except OSError as error:
            self.fail(name, reason(error))

    def guarded(self, name: str | None, found: Iterable[Found]) -> Iterator[Found]:
        """Yield from *found*, the results for the file called *name*. An unforeseen exception ends only this file.

        It becomes an `UnreadableError` that says how far the file was read. An `OSError` passes unchanged: its class
        says whether it is one of reading.
        """
        try:
            yield from found
        except OSError:
            raise
        except Exception as error:
            there = self._current
            place = f"in its first {there.bytes_read} bytes: " if there is not None and there.name == name else ""
            raise UnreadableError(f"{place}{fault(error)}; the rest of the file is not read") from error


class Search(NamedTuple):
    """A search of *inputs* as *job* says. *rejected* is called with rejected candidates."""

    inputs: Inputs
    job: Job
    rejected: "Callable[[Rejected], object] | None"

    def in_turn(self, watched: "Callable[[Peeked], Peeked] | None") -> Files:
        """Yield the files, read by this process; if *watched* is given, through the file that it returns."""
        for name in self.inputs.names():
            for member in self.inputs.members(name):
                if self.inputs.verbose:
                    packed = f" in {member.compression}" if member.compression else ""
                    self.inputs.say(member.name, f"read as {member.recognised}{packed}")
                yield member.name, self._results(watched(member) if watched else member)

    def with_jobs(self, jobs: int, stack: ExitStack) -> Files:
        """Yield the files, read by *jobs* processes, which end when *stack* is closed."""
        from urlmend.parallel.run import Run  # noqa: PLC0415 -- one process needs none of it

        inputs = self.inputs
        warn, advance = inputs.pass_over, inputs.bar.advance
        run = Run(inputs.names(), self.job, jobs, rejected=self.rejected, warn=warn, advance=advance)
        for path, files_there in stack.enter_context(run).files():
            if files_there is None:
                for member in inputs.members(path):
                    yield member.name, self._results(member)
            else:
                for name, batches in files_there:
                    yield name, inputs.guarded(name, self._flushed(_readable(batches)))

    def _results(self, file: "Peeked") -> Batches:
        job = self.job
        # Guarded here too: what was found before the exception is then given out.
        texts = self.inputs.guarded(file.name, iter_texts(file, job.query.source, prefilter=job.prefilter))
        found = match_batches(texts, job.query, self.rejected, places=job.places, with_lines=job.with_lines)
        for matches in self.inputs.guarded(file.name, found):
            result, undated = job.result(matches)
            job.selection.count(undated)
            if result:
                yield result

    def _flushed(self, batches: Batches) -> Batches:
        """Yield *batches*, and flush the outputs after each."""
        for batch in batches:
            yield batch
            self.inputs.outputs.flush()


def _readable(batches: Batches) -> Batches:
    """Yield the *batches* of other processes; all their errors are errors of reading."""
    try:
        yield from batches
    except (SourceError, PatternError):
        raise
    except OSError as error:
        raise UnreadableError(reason(error)) from error


def _opened(name: str | None) -> AbstractContextManager[Any]:
    if name is not None:
        return opened_path(name)
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return nullcontext(sys.stdin.buffer)
