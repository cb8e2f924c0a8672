"""The files that the command reads, and what it says of those that it cannot."""

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, TextIO, cast

import click

from urlmend.cli.progress import Bar, bar_for
from urlmend.output.formats.text import STANDARD_INPUT
from urlmend.sources.compression import Peeked, decompressed
from urlmend.sources.directories import files


def complain(message: str) -> None:
    """Say *message* on standard error."""
    click.echo(f"urlmend: {message}", err=True)


def reason(error: OSError) -> str:
    """Return what *error* says, without its number and file."""
    return error.strerror or str(error)


class UnreadableError(OSError):
    """Reading an input failed, for this reason; errors of writing are other ones."""


def unreadable(error: OSError) -> UnreadableError:
    """Return *error*, of an input, as what it is here."""
    return UnreadableError(reason(error))


def _nothing(*_: int) -> None:
    pass


class Input:
    """A file as `iter_urls` takes it. `name` is `None` for standard input.

    *advance* hears how much is read; *before* is called before reading, which may take as long as it wants.
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
        self._advance = advance
        self._before = before

    def read(self, size: int, /) -> bytes:
        """Return what there is, without waiting for more of it; at most *size* bytes, none at the end."""
        self._before()
        try:
            data = self._file.read1(size)
        except OSError as error:
            raise unreadable(error) from error
        self._advance(len(data))
        return data


def named(include: Collection[str], exclude: Collection[str], own: Collection[str] = ()) -> Callable[[str], bool]:
    """Return the test for a path whose last name fits a glob of *include*, if there are any, and none of *exclude*.

    Files of the command's *own* (absolute names) do not pass it.
    """

    def fits(path: str) -> bool:
        name = Path(path).name
        included = not include or any(fnmatchcase(name, glob) for glob in include)
        if not included or any(fnmatchcase(name, glob) for glob in exclude):
            return False
        return not own or os.path.abspath(path) not in own  # noqa: PTH100 -- names stay strings

    return fits


class Inputs:
    """The files to read. One that cannot be read is told on standard error and sets `failed`; the others are read.

    None of *outputs* is read. With *recursive*, directories are read (`urlmend.sources.directories`), of the files
    below them those that are *wanted*. How far they are read is shown by `bar`, once `show_progress` says so.
    """

    def __init__(
        self, *outputs: TextIO | None, recursive: bool, wanted: Callable[[str], bool] = lambda _: True
    ) -> None:
        self.failed = False
        self.bar = Bar(None, list)
        self._recursive = recursive
        self._wanted = wanted
        self._written = [file for file in outputs if file is not None]
        self._outputs = {_identity(file) for file in self._written} - {None}

    def fail(self, name: str | None, reason: str) -> None:
        """Tell that the file called *name* cannot be read."""
        self.failed = True
        self.bar.hide()
        complain(f"{STANDARD_INPUT if name is None else name}: {reason}")

    def files(self, paths: tuple[str, ...]) -> Iterator[Input]:
        """Yield the files at *paths* in order, each open until the next is asked for; `-` is standard input."""
        for name in self.names(paths):
            try:
                with opened(name, self.bar.advance, self.flush) as file:
                    yield file
            except OSError as error:
                self.fail(name, reason(error))

    def flush(self) -> None:
        """Let everyone see what is written so far."""
        for file in self._written:
            file.flush()

    def names(self, paths: tuple[str, ...]) -> Iterator[str | None]:
        """Yield the names of the files at *paths* in order, `None` for standard input."""
        for name in self._names(paths):
            if _identity(name) in self._outputs:
                self.fail(name, "is also an output file")
            else:
                yield name

    def _names(self, paths: tuple[str, ...]) -> Iterator[str | None]:
        for path in paths:
            if path == "-":
                yield None
            elif self._recursive or not Path(path).is_dir():
                yield from (
                    below for below in files(path, self._fail_directory) if below == path or self._wanted(below)
                )
            else:
                self.fail(path, "is a directory (use -r)")

    def show_progress(self, paths: tuple[str, ...], out: TextIO | None) -> None:
        """Show on a terminal how far the files at *paths* are read, for a command that writes to *out*, if it does."""
        self.bar = bar_for(out, lambda: self._sizes(paths))

    def _sizes(self, paths: tuple[str, ...]) -> Iterator[int | None]:
        for path in paths:
            names = files(path, lambda _: None) if self._recursive else (path,)
            for name in names:
                if path in {"-", name} or self._wanted(name):
                    yield _size(name)

    def recognised(self, file: Input, source: str) -> Peeked:
        """Tell on standard error what *file* is read as: *source*, or where that is `auto` what it shows; return it."""
        from urlmend.sources.recognise import source_of  # noqa: PLC0415 -- knows the formats; few ask

        opened = decompressed(file)
        kind = source_of(opened) if source == "auto" else source
        packed = f" in {opened.compression}" if opened.compression else ""
        self.bar.hide()
        complain(f"{file.name or STANDARD_INPUT}: read as {kind}{packed}")
        return opened

    def _fail_directory(self, error: OSError) -> None:
        self.fail(error.filename, reason(error))


@contextmanager
def opened(
    name: str | None, advance: Callable[[int], object] = _nothing, before: Callable[[], object] = _nothing
) -> Iterator[Input]:
    """Open the file called *name*, standard input for `None`; `UnreadableError` where that fails."""
    try:
        file = nullcontext(_standard_input()) if name is None else Path(name).open("rb")  # noqa: SIM115 -- below
    except OSError as error:
        raise unreadable(error) from error
    with file as binary:
        yield Input(binary, name, advance, before)


def _standard_input() -> io.BufferedReader:
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return cast("io.BufferedReader", sys.stdin.buffer)


def _size(path: str) -> int | None:
    """Return the size of the file at *path*; `None` where it has none, as a pipe."""
    try:
        status = os.fstat(0) if path == "-" else os.stat(path)  # noqa: PTH116 -- paths stay as they were given
    except OSError:
        return 0  # it is told when its turn comes
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _identity(file: IO[str] | str | None) -> tuple[int, int] | None:
    """Return what tells a regular file, or the one of that name, from all others; `None` for what is none."""
    file = sys.stdin if file is None else file
    try:
        status = os.stat(file) if isinstance(file, str) else os.fstat(file.fileno())  # noqa: PTH116 -- as it was given
    except (OSError, AttributeError):
        return None  # who opens it tells why; a missing standard input has no number
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
