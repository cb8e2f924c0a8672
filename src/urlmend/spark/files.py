"""Files on any file system that pyarrow or fsspec knows."""

import errno
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import fs

from urlmend.sources.directories import files
from urlmend.sources.git import packed_size

READ_SIZE = 1 << 22
"""The number of bytes read at a time: on a remote file system, each read costs a round trip."""


class InputFile(NamedTuple):
    """A file of *size* bytes, or a public-inbox. Its matches have *name* as their source; the workers open *path*."""

    name: str
    path: str
    size: int
    is_inbox: bool = False


def below(paths: str | Iterable[str], source: str = "auto") -> Iterator[InputFile]:
    """Yield the files at *paths* and in the directories there; on this machine, those that `iter_urls` reads.

    *source* is the name of their source. Raises `FileNotFoundError` for a path where there is nothing.
    """
    for path in [paths] if isinstance(paths, str) else paths:
        if "://" not in path:
            for name in files(path, source=source):
                local = Path(name).absolute()
                is_inbox = local.is_dir()
                yield InputFile(name, str(local), packed_size(name) if is_inbox else local.stat().st_size, is_inbox)
            continue
        system, place = _located(path)
        info = system.get_file_info(place)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        if info.type != fs.FileType.Directory:
            yield InputFile(path, path, info.size)
            continue
        entries = system.get_file_info(fs.FileSelector(place, recursive=True))
        for entry in sorted(entries, key=lambda entry: str(entry.path)):
            if entry.is_file:
                name = f"{path.rstrip('/')}/{entry.path.removeprefix(place).lstrip('/')}"
                yield InputFile(name, name, entry.size)


def _located(path: str) -> tuple[Any, str]:
    """Return the file system of *path*, and the path there."""
    try:
        system, place = fs.FileSystem.from_uri(path)
    except pa.ArrowInvalid as error:
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 -- an option
        except ImportError:
            raise error from None
        system, place = url_to_fs(path)
        system = fs.PyFileSystem(fs.FSSpecHandler(system))
    return system, place


class Opened(io.BufferedReader):
    """A *file* called *name*, opened by Arrow from *path*, which is read in blocks."""

    name = ""

    def __init__(self, file: Any, path: str, name: str) -> None:  # noqa: ANN401 -- Arrow has no types
        super().__init__(file, READ_SIZE)
        self._path = path
        self.name = name

    def read(self, size: int | None = -1, /) -> bytes:
        """Return *size* bytes, or fewer at the end."""
        try:
            return super().read(size)
        except OSError as error:
            # With an errno it is not taken for a fault in the file's content, and Spark tries again.
            raise OSError(error.errno or errno.EIO, str(error), self._path) from error


def opened(file: InputFile, offset: int = 0) -> Opened:
    """Open *file* to read it from *offset* on."""
    system, place = _located(file.path)
    content = Opened(system.open_input_file(place), file.path, file.name)
    content.seek(offset)
    return content
