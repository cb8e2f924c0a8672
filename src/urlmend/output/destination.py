"""A file that is written beside its place and moved there when it is whole.

Until then, whatever stands in that place stays as it is. The part is made with the first bytes that are written to it,
exclusively: two runs never write into the same one, and the one that ends last has its output in the place.
"""

import errno
import io
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from urlmend.output.streams import Identity, identity, utf8

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MOST_PARTS = 1000
"""How many parts of one file there may be. Runs that did not end leave them."""


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Destination:
    """The file called *name*, in UTF-8 text or bytes. Write to `stream`, then call `finish` or `abandon`.

    A regular file, or none so far, is written as `NAME.part` (where that exists, `NAME.part2` and so on) in the same
    directory. `finish` moves it: the place is never without a file. An existing file's mode and, where allowed, its
    owner are kept. Of a symbolic link, the file that it points to is replaced. Hard links to a replaced file keep what
    it held. Pipes, devices and the descriptors of this process (`/dev/stdout`) are written as it comes. Raises
    `OSError` if the file cannot be written.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._part: _Part | None = None
        self._status: os.stat_result | None
        raw: io.RawIOBase
        descriptor = _own_descriptor(name)
        if descriptor is not None:
            raw = io.FileIO(os.dup(descriptor), "w")
            self._status = os.fstat(descriptor)
        else:
            self._status = _status(name)
            if self._status is None or stat.S_ISREG(self._status.st_mode):
                raw = self._part = _Part(_target(name), self._status)
            else:
                raw = io.FileIO(os.open(name, os.O_WRONLY), "w")
        self.stream = utf8(io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8"))

    @property
    def place(self) -> str | None:
        """The absolute name of the file that is replaced or made; `None` where it is written as it comes."""
        return None if self._part is None else os.path.realpath(self.name)

    @property
    def identity(self) -> Identity | None:
        """The identity of the file that is replaced, or written as it comes; `None` where there was none."""
        return identity(self._status)

    @property
    def part(self) -> Identity | None:
        """The identity of the part, once it is made."""
        return None if self._part is None else identity(self._part.status)

    def finish(self, *, empty: bool = True) -> None:
        """Write what is left and move the part to its place; unless *empty*, only if it holds anything."""
        self.stream.flush()
        part = self._part
        moved = part is not None and (empty or part.status is not None)
        if part is not None and moved:
            part.make()
            part.sync()
        self.stream.close()
        if part is not None and moved:
            part.move()

    def abandon(self) -> str | None:
        """Close the file without moving the part. Return what to say of the part, if it holds anything."""
        with suppress(OSError, ValueError):
            self.stream.close()
        left = None if self._part is None else self._part.abandon()
        if left is None:
            return None
        return f"{left}: is incomplete, for the run did not end" + (
            f"; {self.name} is as it was" if self._status else ""
        )


class _Part(io.RawIOBase):
    """The file beside *target*, which replaces a file with the status *replaced* if there is one."""

    # `close` is called, too, where the constructor raises.
    _descriptor = -1

    def __init__(self, target: str, replaced: os.stat_result | None) -> None:
        super().__init__()
        _check_place(target, replaced)
        self._target = target
        self._replaced = replaced
        self._path = ""
        self.status: os.stat_result | None = None

    def make(self) -> None:
        """Make the file if it is not made yet."""
        if self._descriptor >= 0:
            return
        replaced = self._replaced
        mode = 0o666 if replaced is None else stat.S_IMODE(replaced.st_mode)
        for number in range(1, MOST_PARTS + 1):
            self._path = f"{self._target}.part{number if number > 1 else ''}"
            with suppress(FileExistsError):
                self._descriptor = os.open(self._path, _NEW, mode & 0o777)
                break
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self._path)
        self.status = os.fstat(self._descriptor)
        if replaced is None or not hasattr(os, "fchown"):
            return
        if (self.status.st_uid, self.status.st_gid) != (replaced.st_uid, replaced.st_gid):
            try:
                os.fchown(self._descriptor, replaced.st_uid, replaced.st_gid)
            except PermissionError:
                mode &= 0o777  # what runs as its owner would run as another one
        os.fchmod(self._descriptor, mode)

    def sync(self) -> None:
        """Wait until the file is on the disk. A loss of power then leaves the old file or the new one in the place.

        Some systems tell only here that there was no room.
        """
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # the file system cannot do it
                raise

    def move(self) -> None:
        """Move the file to its place."""
        Path(self._path).replace(self._target)
        self.status = None

    def abandon(self) -> str | None:
        """Return the name of the file if it holds anything; else remove it."""
        if self.status is None:
            return None
        with suppress(OSError):
            if not Path(self._path).stat().st_size:
                Path(self._path).unlink()
                return None
        return self._path

    # The interface of a file.

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        self.make()
        return os.write(self._descriptor, data)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return os.lseek(self._descriptor, offset, whence) if self._descriptor >= 0 else 0

    def close(self) -> None:
        if not self.closed and self._descriptor >= 0:
            os.close(self._descriptor)
        super().close()


def check_place(name: str) -> None:
    """Raise `OSError` if a file called *name* could not be made, or written if there is one."""
    _check_place(_target(name), _status(name))


def _check_place(target: str, replaced: os.stat_result | None) -> None:
    directory = str(Path(target).parent)
    wrong = 0
    if not Path(directory).exists():
        wrong = errno.ENOENT
    elif not Path(directory).is_dir():
        wrong = errno.ENOTDIR
    # A file that is protected from writing is not replaced either.
    elif not os.access(directory, os.W_OK | os.X_OK) or (replaced is not None and not os.access(target, os.W_OK)):
        wrong = errno.EACCES
    if wrong:
        raise OSError(wrong, os.strerror(wrong), target)


def _status(name: str) -> os.stat_result | None:
    """Return the status of the file called *name*, links followed; `None` where there is none."""
    try:
        status = Path(name).stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    return status


def _target(name: str) -> str:
    """Return the name of the file that *name* points to if it is a link; else *name*."""
    return os.path.realpath(name) if Path(name).is_symlink() else name


def _own_descriptor(name: str) -> int | None:
    """Return the descriptor of this process that is called *name*, as 1 is `/dev/stdout`; `None` for other names."""
    own = {os.path.realpath("/dev/fd"), f"/proc/{os.getpid()}/fd"}
    path = Path(name)
    for _ in range(8):  # links to links
        if path.name.isdecimal() and os.path.realpath(path.parent) in own:
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
    return None
