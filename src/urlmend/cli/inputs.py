"""The files that a command reads, the matches in them, and the messages about those that it cannot read."""

import errno
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain
from select import select
from typing import Any, TextIO

from urlmend.cli.command import complain
from urlmend.cli.outputs import Outputs
from urlmend.cli.progress import Bar, bar_for
from urlmend.output.files import STANDARD_INPUT, is_of_database, standard_stream
from urlmend.parallel import jobs_for
from urlmend.reading import FileMatches, FileReader, Job, Matches, OnReject, reason
from urlmend.sources import SourceError
from urlmend.sources.compression import PeekableFile
from urlmend.sources.containers import Skipped
from urlmend.sources.directories import files, opened_path, size_of
from urlmend.sources.origin import ignore


class UnreadableError(OSError):
    """Reading an input failed. Errors of writing are other `OSError`s."""


@dataclass
class Input:
    """A file for `iter_urls`. `name` is `None` for standard input.

    Before each read, which may have to wait, the `outputs` are flushed; after it, `add_bytes_read` gets its size.
    """

    file: io.BufferedReader
    name: str | None
    add_bytes_read: Callable[[int], object]
    outputs: Outputs

    def read(self, size: int, /) -> bytes:
        """Return the bytes that are available, at most *size*; none at the end."""
        self.outputs.flush()
        with suppress(AttributeError, OSError, ValueError):  # not all systems and files support it
            if not os.get_blocking(self.fileno()):
                select([self.fileno()], [], [])  # otherwise a pipe without data would seem to be at its end
        try:
            data = self.file.read1(size)
        except OSError as error:
            raise UnreadableError(reason(error)) from error
        self.add_bytes_read(len(data))
        return data

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self.file.fileno()


def named(include: Collection[str], exclude: Collection[str], database: str | None = None) -> Callable[[str], bool]:
    """Return a test for paths: their last name must match a glob of *include*, if there are any, and none of *exclude*.

    The files of the *database* that the command writes, if it does, do not pass.
    """
    own = database and os.path.realpath(database)

    def fits(path: str) -> bool:
        name = os.path.basename(path)
        is_named = any(fnmatchcase(name, glob) for glob in include or ["*"])
        is_excluded = any(fnmatchcase(name, glob) for glob in exclude)
        return is_named and not is_excluded and not (own and is_of_database(path, own))

    return fits


@dataclass
class Inputs:
    """The files at `paths`. One that cannot be read gets a message and sets `failed`; the others are read.

    `-` is standard input, whose name is `None`. None of `outputs` is read. `source` is the type of the files. With
    `recursive`, the `wanted` files in directories are read (`urlmend.sources.directories`). Without `messages`, nothing
    is said of files that are skipped or cannot be read. In a run over a directory, files that are not text are counted
    by reason (`skipped`), and named only if `verbose`. So are records of web archives that are not read (`unread`);
    records and parts of mail that never have text for readers are only counted (`passed`). After `show_progress`, `bar`
    shows the progress. Call `close` at the end.
    """

    paths: tuple[str, ...]
    outputs: Outputs
    source: str = "auto"
    recursive: bool = False
    messages: bool = True
    verbose: bool = False
    wanted: Callable[[str], bool] = lambda _: True
    failed: bool = False
    skipped: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    bar: Bar = field(default_factory=Bar)
    is_broken: bool = False
    _writes_between: bool = True  # this process writes while it reads, so that an error may be one of writing

    def report(self, name: str | None, reason: str) -> None:
        """Print the *reason* why the file called *name* cannot be read, and set `failed`."""
        self.failed = True
        if self.messages:
            is_url = name is not None and name.startswith(("http://", "https://", "ftp://"))
            self.say(name, reason + "; for a URL: urlmend explain URL, or curl URL | urlmend" * is_url)

    def say(self, name: str | None, message: str) -> None:
        """Print *message*, about the file called *name*, to standard error, without the bar."""
        self.bar.hide()
        complain(f"{STANDARD_INPUT if name is None else name}: {message}")

    def close(self) -> None:
        """Hide the bar, and print how many files were skipped without a message of their own."""
        self.bar.hide()
        if not self.messages:
            return
        for why, count in self.skipped.items():
            complain(f"{count} file{'s' * (count != 1)} {why}")
        passed = self.passed if self.verbose else Counter()
        for what, kinds in ("records not read", self.unread), ("parts or records passed over", passed):
            if kinds:
                complain(f"{what}: " + ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds)))

    def names(self) -> Iterator[str | None]:
        """Yield the names of the files that can be read, in order; report the others."""
        for name in self.all_names(lambda error: self.report(error.filename, reason(error))):
            objection = self.outputs.objection(name)
            if objection is None:
                yield name
            elif objection:
                self.report(name, objection)

    def all_names(self, failed: Callable[[OSError], object] = ignore) -> Iterator[str | None]:
        """Yield the names of all files, in order; call *failed* with the error of a directory that cannot be read."""
        for path in self.paths:
            if path == "-":
                yield None
                continue
            below = files(path, failed if self.recursive else ignore, source=self.source)
            first = next(below, None)
            if first == path:
                yield path
            elif self.recursive:
                yield from filter(self.wanted, chain([first] if first else [], below))
            else:
                failed(IsADirectoryError(errno.EISDIR, "is a directory (use -r)", path))

    def sizes(self, *, packed: bool = False) -> Iterator[int | None]:
        """Yield the size of each file in bytes; `None` for one without a size, such as a pipe.

        A public-inbox has a size if *packed*, that of its packed messages.
        """
        for name in self.all_names():
            is_known = packed or name is None or not os.path.isdir(name)
            yield size_of(0 if name is None else name) if is_known else None

    def jobs(self, given: int | None) -> int:
        """Return how many processes are to read the files: at most the number *given*, by default one for each CPU.

        Standard input and other pipes are for this process, which then reads all.
        """
        return jobs_for(self.paths, self.sizes(packed=True), given)

    def show_progress(self, out: TextIO | None) -> None:
        """Show the progress of reading on a terminal. *out* is the output of the command, if it has one."""
        self.bar = bar_for(out, self.sizes)

    # The policy of reading (`urlmend.reading.Policy`): errors are reported, and the next file is read.

    def skip(self, skipped: Skipped) -> None:
        """Print why a file is skipped, or count it."""
        if skipped.is_fault:
            self.report(skipped.name, skipped.reason)
        elif skipped.unread or skipped.passed:
            (self.unread if skipped.unread else self.passed)[skipped.unread or skipped.passed] += 1
            if self.verbose and skipped.unread:
                self.say(skipped.name, skipped.reason)
        elif skipped.is_binary and not self.verbose and self.recursive and any(map(os.path.isdir, self.paths)):
            # Mail that another program can convert gets a line of its own.
            self.skipped[skipped.reason if "Outlook" in skipped.reason else "skipped: not text"] += 1
        elif self.messages:
            self.say(skipped.name, skipped.reason)

    def fail(self, name: str | None, error: Exception, *, is_member: bool = False) -> None:  # noqa: ARG002 -- all alike
        """Report the *error* that ended the file called *name*; raise it if it is one of writing."""
        is_of_reading = isinstance(error, (UnreadableError, SourceError)) or not isinstance(error, OSError)
        if self._writes_between and not is_of_reading:
            raise error
        self.report(name, reason(error))
        self.is_broken = True

    def end(self) -> None:
        """Do nothing."""

    def members(self, reading: FileReader) -> Iterator[PeekableFile]:
        """Yield the files: each itself, or the members of a container."""
        for name in self.names():
            try:
                opened = _opened(name)
            except OSError as error:
                self.report(name, reason(error))
                continue
            with opened as binary:
                for member in reading.files(Input(binary, name, self.bar.advance, self.outputs)):
                    if self.verbose:
                        packed = f" in {member.compression}" if member.compression else ""
                        self.say(member.name, f"read as {member.recognised}{packed}")
                    yield member

    def found_by(self, jobs: int, job: Job, rejected: OnReject, stack: ExitStack) -> Iterator[FileMatches]:
        """Yield the files with what is found in them, read by *jobs* processes, which end when *stack* is closed."""
        from urlmend.parallel.pool import files_by  # noqa: PLC0415 -- one process needs none of it

        paths = filter(None, self.names())
        self._writes_between = False
        read = files_by(jobs, paths, job, self, rejected=rejected, advance=self.bar.advance)
        return ((name, self._flushed(batches)) for name, batches in stack.enter_context(closing(read)))

    def _flushed(self, batches: Iterator[Matches]) -> Iterator[Matches]:
        """Yield *batches*, and flush the outputs after each."""
        for batch in batches:
            yield batch
            self.outputs.flush()


def _opened(name: str | None) -> AbstractContextManager[Any]:
    return nullcontext(standard_stream(sys.stdin).buffer) if name is None else opened_path(name)
