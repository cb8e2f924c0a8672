"""Files wherever they are: what pyarrow has a file system for, or fsspec."""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import fs

from urlmend.sources.directories import files
from urlmend.sources.public_inbox.inbox import Inbox, InboxRange
from urlmend.sources.public_inbox.places import packed_size
from urlmend.sources.zip import ZipFile

BUFFER = 1 << 22
"""How many bytes are read at a time: far away, each reading costs a round trip."""


class File(NamedTuple):
    """A file of *size* bytes, which its rows call *name*, and the workers *path*: a public-inbox, too, is one."""

    name: str
    path: str
    size: int
    is_inbox: bool = False


def below(paths: str | Iterable[str], source: str = "auto") -> Iterator[File]:
    """Yield the files at *paths*, and those in the directories there; of those on this machine as `iter_urls` does.

    *source* is what they are.

    Raises `FileNotFoundError` for what is not there.
    """
    for path in [paths] if isinstance(paths, str) else paths:
        if "://" not in path:
            for name in files(path, source=source):
                yield _local(name, Path(name).absolute())
            continue
        system, place = _located(path)
        info = system.get_file_info(place)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        if info.type != fs.FileType.Directory:
            yield File(path, path, info.size)
            continue
        entries = system.get_file_info(fs.FileSelector(place, recursive=True))
        for entry in sorted(entries, key=lambda entry: str(entry.path)):
            if entry.is_file:
                name = f"{path.rstrip('/')}/{entry.path.removeprefix(place).lstrip('/')}"
                yield File(name, name, entry.size)


def _local(name: str, path: Path) -> File:
    if not path.is_dir():
        return File(name, str(path), path.stat().st_size)
    return File(name, str(path), packed_size(str(path)), is_inbox=True)


def _located(path: str) -> tuple[Any, str]:
    """Return the file system of *path*, and the path there."""
    if "://" not in path:
        return fs.LocalFileSystem(), path
    try:
        system, place = fs.FileSystem.from_uri(path)
    except pa.ArrowInvalid as error:
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 -- for those who have it
        except ImportError:
            raise error from None
        system, place = url_to_fs(path)
        system = fs.PyFileSystem(fs.FSSpecHandler(system))
    return system, place


class Opened:
    """A file open for reading, of which `read(n)` is asked; *path* is its name in what is raised."""

    def __init__(self, file: Any, path: str, name: str) -> None:  # noqa: ANN401 -- Arrow has no types
        self._raw = file
        self._file = pa.BufferedInputStream(file, BUFFER)
        self._path = path
        self.name = name

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, none at the end."""
        with _numbered(self._path):
            data: bytes = self._file.read(size)
        return data


class _Blocks:
    """What is read at any place of a file, block by block: what stands behind is mostly asked for next."""

    def __init__(self, file: Any, path: str) -> None:  # noqa: ANN401 -- Arrow has no types
        self._file = file
        self._path = path
        self._held = b""
        self._start = 0

    def at(self, offset: int, length: int) -> bytes:
        """Return *length* bytes from *offset* on, fewer at the end."""
        into = offset - self._start
        if into < 0 or into + length > len(self._held):
            with _numbered(self._path):
                self._held = self._file.read_at(max(length, BUFFER), offset)
            self._start, into = offset, 0
        return self._held[into : into + length]


@contextmanager
def _numbered(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # With a number it is none of the file's content, which is not to be tried again.
        raise OSError(error.errno or errno.EIO, str(error), path) from error


@contextmanager
def opened_zip(file: File) -> Iterator[ZipFile]:
    """Open *file*, a zip, to be read at any place."""
    with seekable(file) as raw:
        yield ZipFile(_Blocks(raw, file.path).at, raw.size())


@contextmanager
def opened(file: File, at: int = 0, messages: InboxRange | None = None) -> Iterator[Opened | Inbox]:
    """Open *file* to read what stands at the offset *at* and behind; of a public-inbox all, or those *messages*."""
    if file.is_inbox:
        with Inbox(file.path, only=messages) as inbox:
            inbox.name = file.name
            yield inbox
        return
    with seekable(file) as raw:
        raw.seek(at)
        yield Opened(raw, file.path, file.name)


def seekable(file: File) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return *file*, opened by Arrow."""
    system, place = _located(file.path)
    return system.open_input_file(place)
