"""The files that the command reads, and what it says of those that it cannot."""

import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TextIO, cast

import click

from urlmend.sources.directories import files
from urlmend.writers.text import STANDARD_INPUT


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


class Input:
    """A file as `iter_urls` takes it. `name` is `None` for standard input."""

    def __init__(self, file: io.BufferedReader, name: str | None) -> None:
        self._file = file
        self.name = name

    def read(self, size: int, /) -> bytes:
        """Return what there is, without waiting for more of it; at most *size* bytes, none at the end."""
        try:
            return self._file.read1(size)
        except OSError as error:
            raise unreadable(error) from error


class Inputs:
    """The files to read. One that cannot be read is told on standard error and sets `failed`; the others are read.

    None of *outputs* is read. With *recursive*, directories are read (`urlmend.sources.directories`).
    """

    def __init__(self, *outputs: TextIO | None, recursive: bool) -> None:
        self.failed = False
        self._recursive = recursive
        self._outputs = {_identity(file) for file in outputs if file is not None} - {None}

    def fail(self, name: str | None, reason: str) -> None:
        """Tell that the file called *name* cannot be read."""
        self.failed = True
        complain(f"{STANDARD_INPUT if name is None else name}: {reason}")

    def files(self, paths: tuple[str, ...]) -> Iterator[Input]:
        """Yield the files at *paths* in order, each open until the next is asked for; `-` is standard input."""
        for name in self.names(paths):
            try:
                with opened(name) as file:
                    yield file
            except OSError as error:
                self.fail(name, reason(error))

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
                yield from files(path, self._fail_directory)
            else:
                self.fail(path, "is a directory (use -r)")

    def _fail_directory(self, error: OSError) -> None:
        self.fail(error.filename, reason(error))


@contextmanager
def opened(name: str | None) -> Iterator[Input]:
    """Open the file called *name*, standard input for `None`; `UnreadableError` where that fails."""
    try:
        file = nullcontext(_standard_input()) if name is None else Path(name).open("rb")  # noqa: SIM115 -- below
    except OSError as error:
        raise unreadable(error) from error
    with file as binary:
        yield Input(binary, name)


def _standard_input() -> io.BufferedReader:
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return cast("io.BufferedReader", sys.stdin.buffer)


def _identity(file: IO[str] | str | None) -> tuple[int, int] | None:
    """Return what tells a regular file, or the one of that name, from all others; `None` for what is none."""
    file = sys.stdin if file is None else file
    try:
        status = os.stat(file) if isinstance(file, str) else os.fstat(file.fileno())  # noqa: PTH116 -- as it was given
    except (OSError, AttributeError):
        return None  # who opens it tells why; a missing standard input has no number
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
