"""The files that the command reads, and the messages about those that it cannot read."""

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
    """Reading an input failed. Errors of writing are other `OSError`s."""


def unreadable(error: OSError) -> UnreadableError:
    """Return *error*, of an input, as an `UnreadableError`."""
    return UnreadableError(reason(error))


class Input:
    """A file for `iter_urls`. `name` is `None` for standard input; `bytes_read` counts the bytes read so far.

    *before* is called before each read, which may have to wait, and *advance* with the number of bytes after it.
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
        self.bytes_read = 0
        self._ended = False
        self._advance = advance
        self._before = before

    def read(self, size: int, /) -> bytes:
        """Return the bytes that are available, at most *size*; none at the end."""
        # Reading on would ask the terminal for another Ctrl-D.
        if self._ended:
            return b""
        self._before()
        try:
            data = self._file.read1(size)
        except OSError as error:
            raise unreadable(error) from error
        self._ended = not data and size > 0
        self.bytes_read += len(data)
        self._advance(len(data))
        return data

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._file.fileno()

    def add_bytes_read(self, size: int) -> None:
        """Add *size* to the number of bytes read: they were read from the descriptor."""
        self.bytes_read += size
        self._advance(size)


def named(include: Collection[str], exclude: Collection[str], own: Collection[str] = ()) -> Callable[[str], bool]:
    """Return a test for paths: their last name must match a glob of *include*, if there are any, and none of *exclude*.

    The command's *own* files (by the names of `one_case`) do not pass.
    """

    def fits(path: str) -> bool:
        name = Path(path).name
        included = not include or any(fnmatchcase(name, glob) for glob in include)
        if not included or any(fnmatchcase(name, glob) for glob in exclude):
            return False
        return not own or one_case(path) not in own

    return fits


class Inputs:
    """The files to read. A file that cannot be read gets a message and sets `failed`; the others are read.

    None of *outputs* is read. *source* is the type of the files. With *recursive*, the *wanted* files in directories
    are read (`urlmend.sources.directories`). After `show_progress`, `bar` shows the progress.
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
        """Print the *reason* why the file called *name* cannot be read, and set `failed`."""
        self.failed = True
        self.say(f"{STANDARD_INPUT if name is None else name}: {reason}")

    def say(self, message: str) -> None:
        """Print *message* to standard error, without the bar."""
        self.bar.hide()
        complain(message)

    def files(self, paths: tuple[str, ...]) -> Iterator[Input]:
        """Yield the files at *paths* in order, each open until the next is requested; `-` is standard input."""
        for name in self.names(paths):
            try:
                with self.opened(name) as file:
                    yield file
            except OSError as error:
                self.fail(name, reason(error))

    @contextmanager
    def opened(self, name: str | None) -> Iterator[Input]:
        """Open the file called *name*, or standard input for `None`. Raise `UnreadableError` if that fails."""
        try:
            file = nullcontext(_standard_input()) if name is None else opened_path(name)
        except OSError as error:
            raise unreadable(error) from error
        with file as binary:
            self._current = Input(binary, name, self.bar.advance, self.flush)
            yield self._current

    def guarded(self, name: str | None, found: Iterable[Found]) -> Iterator[Found]:
        """Yield what is *found* in the file called *name*. An unforeseen exception ends this file only.

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
            message = f"{place}{fault(error)}; the rest of the file is not read"
            raise UnreadableError(message) from error

    def members(self, file: Input, source: str, *, as_text: bool) -> Iterator["Peeked"]:
        """Yield the files in *file*: itself, or the members of a container. Report skipped members."""
        from urlmend.sources.containers import members  # noqa: PLC0415 -- loads the formats

        try:
            yield from self.guarded(file.name, members(file, source, self.pass_over, as_text=as_text))
        except OSError as error:
            self.fail(file.name, reason(error))

    def pass_over(self, passed: "Skipped") -> None:
        """Print why a file is skipped."""
        if passed.is_fault:
            self.fail(passed.name, passed.reason)
        else:
            self.say(f"{passed.name or STANDARD_INPUT}: {passed.reason}")

    def flush(self) -> None:
        """Flush the outputs."""
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
        """Show the progress of reading *paths* on a terminal. *out* is the output of the command, if it has one."""
        self.bar = bar_for(out, lambda: self.sizes(paths))

    def sizes(self, paths: tuple[str, ...], *, packed: bool = False) -> Iterator[int | None]:
        """Yield the size in bytes of each file at *paths*; `None` if it has none.

        A public-inbox has a size if *packed*, that of its packed messages.
        """
        for path in paths:
            names = files(path, lambda _: None, source=self._source) if self._recursive else (path,)
            for name in names:
                if path in {"-", name} or self._wanted(name):
                    yield _packed_size(name) if packed else _size(name)

    def say_what(self, file: "Peeked") -> None:
        """Print how *file* is read."""
        packed = f" in {file.compression}" if file.compression else ""
        self.say(f"{file.name or STANDARD_INPUT}: read as {file.recognised}{packed}")

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
    """Return the size of the file at *path* in bytes; `None` if it has none, as a pipe."""
    try:
        status = os.fstat(0) if path == "-" else os.stat(path)  # noqa: PTH116 -- paths stay as they were given
    except OSError:
        return 0  # opening it reports the error
    return status.st_size if stat.S_ISREG(status.st_mode) else None
