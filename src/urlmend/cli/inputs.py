"""The files that the command reads, and what it says of those that it cannot read."""

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar, cast

from urlmend.cli.command import complain
from urlmend.cli.outputs import Outputs
from urlmend.cli.progress import Bar, bar_for
from urlmend.output.files import STANDARD_INPUT, one_case
from urlmend.output.terminal import fault, reason
from urlmend.sources.directories import files, is_one_file, opened_path
from urlmend.sources.git import packed_size

if TYPE_CHECKING:
    from urlmend.sources.compression import Peeked
    from urlmend.sources.containers import Skipped

Found = TypeVar("Found")


class UnreadableError(OSError):
    """Reading an input failed, for this reason. Errors of writing are other ones."""


def unreadable(error: OSError) -> UnreadableError:
    """Return *error*, of an input, as an `UnreadableError`."""
    return UnreadableError(reason(error))


class Input:
    """A file as `iter_urls` takes it. `name` is `None` for standard input; `taken` is how many bytes have been read.

    *advance* is called with the size of each piece that is read, and *before* before each, for reading may have to
    wait.
    """

    def __init__(
        self,
        file: io.BufferedReader,
        name: str | None,
        advance: Callable[[int], object],
        before: Callable[[], object],
    ) -> None:
        self._file = file
        self.name = name
        self.taken = 0
        self._ended = False
        self._advance = advance
        self._before = before

    def read(self, size: int, /) -> bytes:
        """Return what is there, at most *size* bytes, without waiting for more; none at the end."""
        # A terminal would have to be told of its end again.
        if self._ended:
            return b""
        self._before()
        try:
            data = self._file.read1(size)
        except OSError as error:
            raise unreadable(error) from error
        self._ended = not data and size > 0
        self.taken += len(data)
        self._advance(len(data))
        return data

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._file.fileno()

    def add_bytes_read(self, size: int) -> None:
        """Take note that *size* more bytes were read by the descriptor."""
        self.taken += size
        self._advance(size)


def named(include: Collection[str], exclude: Collection[str], own: Collection[str] = ()) -> Callable[[str], bool]:
    """Return the test for a path whose last name fits a glob of *include*, if there are any, and none of *exclude*.

    Files of the command's *own* (names as of `one_case`) do not pass it.
    """

    def fits(path: str) -> bool:
        name = Path(path).name
        included = not include or any(fnmatchcase(name, glob) for glob in include)
        if not included or any(fnmatchcase(name, glob) for glob in exclude):
            return False
        return not own or one_case(path) not in own

    return fits


class Inputs:
    """The files to read. One that cannot be read is named on standard error and sets `failed`; the others are read.

    None of *outputs* is read. *source* is what the files are. With *recursive*, directories are read
    (`urlmend.sources.directories`): of the files below them, those that are *wanted*. `bar` shows how far reading is,
    once `show_progress` is called.
    """

    def __init__(
        self,
        outputs: Outputs,
        *,
        recursive: bool,
        source: str = "auto",
        wanted: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.failed = False
        self.bar = Bar(None, list)
        self._recursive = recursive
        self._source = source
        self._wanted = wanted
        self._outputs = outputs
        self._current: Input | None = None

    def fail(self, name: str | None, reason: str) -> None:
        """Say that the file called *name* cannot be read."""
        self.failed = True
        self.bar.hide()
        complain(f"{STANDARD_INPUT if name is None else name}: {reason}")

    def files(self, paths: tuple[str, ...]) -> Iterator[Input]:
        """Yield the files at *paths* in order, each open until the next is asked for; `-` is standard input."""
        for name in self.names(paths):
            try:
                with self.opened(name) as file:
                    yield file
            except OSError as error:
                self.fail(name, reason(error))

    @contextmanager
    def opened(self, name: str | None) -> Iterator[Input]:
        """Open the file called *name*, standard input for `None`; `UnreadableError` where that fails."""
        try:
            file = nullcontext(_standard_input()) if name is None else opened_path(name)
        except OSError as error:
            raise unreadable(error) from error
        with file as binary:
            self._current = Input(binary, name, self.bar.advance, self.flush)
            yield self._current

    def guarded(self, name: str | None, found: Iterable[Found]) -> Iterator[Found]:
        """Yield what is *found* in the file called *name*. An exception that nobody foresaw ends this file only.

        It is raised as an `UnreadableError` that tells how far the file was read. An `OSError` passes through: it says
        itself whether it is one of reading.
        """
        try:
            yield from found
        except OSError:
            raise
        except Exception as error:
            there = self._current
            place = f"in its first {there.taken} bytes: " if there is not None and there.name == name else ""
            message = f"{place}{fault(error)}; the rest of the file is not read"
            raise UnreadableError(message) from error

    def members(self, file: Input, source: str, *, as_text: bool) -> Iterator["Peeked"]:
        """Yield the files in *file*: itself, or the members of a container. What is passed over is told."""
        from urlmend.sources.containers import members  # noqa: PLC0415 -- loads the formats

        try:
            yield from self.guarded(file.name, members(file, source, self.pass_over, as_text=as_text))
        except OSError as error:
            self.fail(file.name, reason(error))

    def pass_over(self, passed: "Skipped") -> None:
        """Say what is passed over, and why."""
        if passed.is_fault:
            self.fail(passed.name, passed.reason)
        else:
            self.bar.hide()
            complain(f"{passed.name or STANDARD_INPUT}: {passed.reason}")

    def flush(self) -> None:
        """Let everyone see what has been written so far."""
        self._outputs.flush()

    def names(self, paths: tuple[str, ...]) -> Iterator[str | None]:
        """Yield the names of the files at *paths* in order, `None` for standard input."""
        for name in self._names(paths):
            objection = self._outputs.objection(name)
            if objection is None:
                yield name
            elif objection:
                self.fail(name, objection)

    def _names(self, paths: tuple[str, ...]) -> Iterator[str | None]:
        for path in paths:
            if path == "-":
                yield None
            elif self._recursive or is_one_file(path, self._source):
                below = files(path, self._fail_directory, source=self._source)
                yield from (name for name in below if name == path or self._wanted(name))
            else:
                self.fail(path, "is a directory (use -r)")

    def show_progress(self, paths: tuple[str, ...], out: TextIO | None) -> None:
        """Show on a terminal how far the files at *paths* are read, for a command that writes to *out*, if it does."""
        self.bar = bar_for(out, lambda: self.sizes(paths))

    def sizes(self, paths: tuple[str, ...], *, packed: bool = False) -> Iterator[int | None]:
        """Yield the size in bytes of each file at *paths*; `None` for one that has none.

        A public-inbox has one where that of what is *packed* is asked for: its messages are larger.
        """
        for path in paths:
            names = files(path, lambda _: None, source=self._source) if self._recursive else (path,)
            for name in names:
                if path in {"-", name} or self._wanted(name):
                    yield _packed_size(name) if packed else _size(name)

    def say_what(self, file: "Peeked") -> None:
        """Say what *file* is read as."""
        packed = f" in {file.compression}" if file.compression else ""
        self.bar.hide()
        complain(f"{file.name or STANDARD_INPUT}: read as {file.recognised}{packed}")

    def _fail_directory(self, error: OSError) -> None:
        self.fail(error.filename, reason(error))


def _standard_input() -> io.BufferedReader:
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return cast("io.BufferedReader", sys.stdin.buffer)


def _packed_size(path: str) -> int | None:
    size = _size(path)
    if size is None and os.path.isdir(path):  # noqa: PTH112 -- paths stay as they were given
        with suppress(OSError):
            return packed_size(path)
    return size


def _size(path: str) -> int | None:
    """Return the size of the file at *path*; `None` where it has none, as a pipe."""
    try:
        status = os.fstat(0) if path == "-" else os.stat(path)  # noqa: PTH116 -- paths stay as they were given
    except OSError:
        return 0  # whoever opens it says why
    return status.st_size if stat.S_ISREG(status.st_mode) else None
