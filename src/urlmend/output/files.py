"""Where output goes: files that are moved to their place when they are whole, and the standard streams."""

import codecs
import errno
import io
import os
import stat
import sys
from contextlib import suppress
from typing import Any, TextIO

from urlmend.sources.directories import own_descriptor

STANDARD_INPUT = "(standard input)"
"""The name of standard input where a file name is printed, as in grep."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

Identity = tuple[int, int]
"""The device and the number of a file, which all its names share, links among them."""


def identity(file: TextIO | str | int | None) -> Identity | None:
    """Return the identity of *file*, open or named; `None` if it does not exist or is not a regular file."""
    status = status_of(file)
    return (status.st_dev, status.st_ino) if status and stat.S_ISREG(status.st_mode) else None


def status_of(file: TextIO | str | int | None) -> os.stat_result | None:
    """Return the status of *file*, open or named; `None` if there is none, as for the streams of tests."""
    with suppress(OSError, ValueError):  # opening it reports the error
        return None if file is None else os.stat(file if isinstance(file, str | int) else file.fileno())
    return None


SQLITE = b"SQLite format 3\0"
"""The beginning of a database."""

_HEADER_SIZE = 100
"""How many bytes the header of a database has (https://www.sqlite.org/fileformat.html, 1.3)."""

SIDE_FILES = ("-wal", "-shm", "-journal")
"""The endings of the names of the files that SQLite keeps beside a database."""


def is_of_database(path: str, database: str) -> bool:
    """Return whether *path* is the *database*, a name without links, or a file that SQLite keeps beside it."""
    for end in ("", *filter(path.endswith, SIDE_FILES)):
        with suppress(OSError):
            if os.path.samefile(path, database + end):
                return True
    return False


class Destination:
    """The file called *name*, for UTF-8 text or bytes. Write to `stream`, then call `finish` or `abandon`.

    A regular file, or one that does not exist yet, is written as `NAME.part` (if that exists, `NAME.part2` and so on)
    in the same directory. `finish` moves it, so that the place is never without a file. The mode and, where allowed,
    the owner of an existing file are kept. If *name* is a symbolic link, the file that it points to is replaced. Hard
    links to a replaced file keep the old content. Pipes, devices and the descriptors of this process (`/dev/stdout`)
    are written directly. Two runs never write to the same part; the output of the one that ends last stays.
    Raises `OSError` if the file cannot be written.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._part = ""
        others: list[str] = []
        own = own_descriptor(name)
        if own is not None:
            descriptor = os.dup(own)
            replaced: os.stat_result | None = os.fstat(descriptor)
        else:
            replaced = None
            with suppress(FileNotFoundError):
                replaced = os.stat(name)
            self._target = os.path.realpath(name) if os.path.islink(name) else name
            if replaced is None or stat.S_ISREG(replaced.st_mode):
                self._part, descriptor, others = _new_part(self._target, replaced)
            else:
                descriptor = os.open(name, os.O_WRONLY)
        self.place = os.path.realpath(name) if self._part else None
        """The absolute name of the file that is replaced or made; `None` if it is written directly."""
        self.identity = identity(name if own is None else own)
        """The identity of the file that is replaced or written directly; `None` if there was none."""
        self.part = identity(descriptor) if self._part else None
        """The identity of the part."""
        self.other_parts = others
        """The paths of the parts that other runs have not finished."""
        self.stream = utf8(io.TextIOWrapper(io.BufferedWriter(io.FileIO(descriptor, "w")), encoding="utf-8"))

    def finish(self, *, empty: bool = True) -> None:
        """Write the rest and move the part to its place; unless *empty*, only if it is not empty."""
        self.stream.flush()
        if not self._part:
            self.stream.close()
            return
        if not empty and not self._size():
            self.abandon()
            return
        _sync(self.stream.fileno())
        self.stream.close()
        os.replace(self._part, self._target)
        self._part = ""

    def abandon(self) -> str | None:
        """Close the file, unless it is finished, without moving the part; return a message if the part is not empty."""
        with suppress(OSError, ValueError):
            self.stream.close()
        if not self._part:
            return None
        if not self._size():
            with suppress(FileNotFoundError):
                os.unlink(self._part)
            self._part = ""
            return None
        kept = f"; {self.name} is as it was" if self.identity else ""
        return f"{self._part} is incomplete: the run was stopped{kept}"

    def _size(self) -> int:
        with suppress(OSError):
            return os.path.getsize(self._part)
        return 0


def _new_part(target: str, replaced: os.stat_result | None) -> tuple[str, int, list[str]]:
    """Make a file beside *target*, which will replace the file with the status *replaced*.

    Return its path and descriptor, and the paths of the parts that are there already.
    """
    if replaced is not None and os.access(target, os.R_OK) and (head_of(target) or b"").startswith(SQLITE):
        raise FileExistsError(errno.EEXIST, "is an SQLite database, which only harvest writes to", target)
    if replaced is not None and not os.access(target, os.W_OK):
        # A file that is protected from writing is not replaced either.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    # Output is no program: set-user-ID is left out.
    mode = 0o666 if replaced is None else replaced.st_mode & 0o777
    others: list[str] = []
    while True:
        path = f"{target}.part{len(others) + 1 if others else ''}"
        with suppress(FileExistsError):
            descriptor = os.open(path, _NEW, mode)
            break
        others.append(path)
    if replaced is not None and hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
        os.fchmod(descriptor, mode)
    return path, descriptor, others


def head_of(path: str) -> bytes | None:
    """Return the beginning of the file at *path*, with the header of a database; `None` if there is no such file."""
    try:
        with open(path, "rb") as file:
            return file.read(_HEADER_SIZE)
    except FileNotFoundError:
        return None


def _sync(descriptor: int) -> None:
    """Wait until the file is on the disk, so that a loss of power leaves the old file or the new one in the place.

    Some systems report a full disk only here.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # the file system cannot do it
            raise


# Standard streams


def standard_stream(stream: TextIO | None, name: str | None = None) -> TextIO:
    """Return the standard *stream*. Raises `OSError`, with its *name*, if it was closed when the program started."""
    if stream is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), name)
    return stream


def utf8(stream: TextIO | None) -> TextIO:
    """Return the standard *stream*, set to write any text as UTF-8, and on a terminal to flush after each line."""
    stream = standard_stream(stream)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors=_HANDLER, newline="\n", line_buffering=stream.isatty())
    return stream


def abandon_standard_output() -> None:
    """Discard the buffered output, so that the flush at exit does not fail after writing has failed."""
    if sys.stdout is not None:
        # The standard output of a test has no descriptor, and does not need this.
        with suppress(io.UnsupportedOperation):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_closed_pipe(error: OSError) -> bool:
    """Return whether *error*, of writing, means that the reader of a pipe has gone. Windows has no error for it."""
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    )


def with_escapes() -> None:
    """Make the console of Windows understand escape sequences, as all other terminals do."""
    if sys.platform == "win32":
        with suppress(ImportError):  # click installs it there
            from colorama import just_fix_windows_console  # noqa: PLC0415 -- there only

            just_fix_windows_console()


_HANDLER = "urlmend.byte-or-escape"


def _byte_or_escape(error: Any) -> tuple[str | bytes, int]:  # noqa: ANN401 -- a `UnicodeEncodeError`
    """Encode a surrogate: one for an undecodable byte of a file name as that byte, any other as an escape."""
    error.end = error.start + 1
    with suppress(UnicodeEncodeError):
        return codecs.lookup_error("surrogateescape")(error)
    return codecs.backslashreplace_errors(error)


codecs.register_error(_HANDLER, _byte_or_escape)
