"""Files on any file system that pyarrow or fsspec knows, and their ranges: each is read by one task.

A range gives what reading the whole file gives there. One task finds the ranges of a large file: the messages of a
public-inbox or an mbox, and parts of a text. It counts messages and lines, without decoding them, so that every range
knows its numbers. Any other file is one range.
"""

import errno
import io
import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import fs

from urlmend.arrow import batches_of
from urlmend.match import URLMatch
from urlmend.parallel.splits import Part, found_in, offset_of, parts
from urlmend.query import Query
from urlmend.reading import FileReader, Job
from urlmend.sources import SourceError
from urlmend.sources.compression import PeekableFile
from urlmend.sources.directories import files, opened_path, size_of
from urlmend.sources.public_inbox import InboxRange, ranges as inbox_ranges

READ_SIZE = 1 << 22
"""The number of bytes read at a time: on a remote file system, each read costs a round trip."""


class InputFile(NamedTuple):
    """A file of *size* bytes, or a public-inbox. Its matches have *name* as their source; the workers open *path*."""

    name: str
    path: str
    size: int


def below(paths: str | Iterable[str], source: str = "auto") -> Iterator[InputFile]:
    """Yield the files at *paths* and in the directories there; on this machine, those that `iter_urls` reads.

    *source* is the name of their source. Raises `FileNotFoundError` for a path where there is nothing.
    """
    for path in [paths] if isinstance(paths, str) else paths:
        if "://" not in path:
            for name in files(path, source=source):
                local = Path(name).absolute()
                size = size_of(name) or 0 if local.is_dir() else local.stat().st_size
                yield InputFile(name, str(local), size)
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
    """Return the file system that *path* is on, and its path there."""
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
    """A *file* opened by Arrow from *path*, which is read in blocks."""

    def __init__(self, file: Any, path: str) -> None:  # noqa: ANN401 -- Arrow has no types
        super().__init__(file, READ_SIZE)
        self._path = path

    def read(self, size: int | None = -1, /) -> bytes:
        """Return *size* bytes, or fewer at the end."""
        try:
            return super().read(size)
        except OSError as error:
            # With an errno it is not taken for a fault in the file's content, and Spark tries again.
            raise OSError(error.errno or errno.EIO, str(error), self._path) from error


def opened(file: InputFile, offset: int = 0) -> Opened:
    """Open *file* to read it from *offset* on."""
    if "://" in file.path:
        system, place = _located(file.path)
        content = Opened(system.open_input_file(place), file.path)
    else:  # Arrow cannot open a file whose name is not UTF-8
        content = Opened(io.FileIO(file.path), file.path)
    content.seek(offset)
    return content


# Ranges

WEB_ARCHIVES = frozenset(["warc", "arc"])
"""The sources whose files are one task each: they are many, and need not be opened before they are read."""

MAIL_SIZE = 1 << 12
"""The approximate size of a message in a public-inbox, in bytes: its ranges are numbers of messages."""


class Range(NamedTuple):
    """All of *file*, or a *part* of it."""

    file: InputFile
    part: Part = None


def ranges_of(numbers: Iterable[Any], tasks: Sequence[list[InputFile]], size: int, query: Query) -> Iterator[Any]:
    """Yield rows with the ranges, of about *size* bytes each, of the files in the *tasks* with these *numbers*."""
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            for part in chain.from_iterable(_ranges(file, size, query) for file in tasks[number]):
                yield pa.record_batch({"range": [pickle.dumps(part)]})


def _ranges(file: InputFile, size: int, query: Query) -> Iterator[Range]:
    try:
        if file.size <= 2 * size or query.source in WEB_ARCHIVES:
            yield Range(file)
        elif os.path.isdir(file.path):
            yield from [Range(file, part) for part in inbox_ranges(file.path, size // MAIL_SIZE or 1)]
        else:
            with opened(file) as content:
                yield from (Range(file, part) for part, _ in parts(content, file.size, query, size))
    except SourceError:
        yield Range(file)  # the task that reads the file reports it


def unpacked(batches: Iterable[Any]) -> Iterator[Range]:
    """Yield the ranges in *batches*."""
    for batch in batches:
        for packed in batch.column("range").to_pylist():
            yield pickle.loads(packed)  # noqa: S301 -- packed here


def rows_of(ranges: Iterable[Range], job: Job) -> Iterator[Any]:
    """Yield batches with the rows of *ranges*, as `urlmend.arrow.batches_of` does."""
    rows = ((0, each.file, partial(_found, each)) for each in ranges)
    return batches_of(rows, job, pa.record_batch([], names=[]))


def _found(of: Range, reading: FileReader) -> Iterator[list[URLMatch]]:
    """Yield the matches in a range."""
    file, part = of
    inside = part if isinstance(part, InboxRange) else None
    with opened_path(file.path, inside) if os.path.isdir(file.path) else opened(file, offset_of(part)) as content:
        yield from found_in(part, PeekableFile(content, file.name), reading)
