"""Zip files (PKWARE's APPNOTE), read from their directory. Its names are only shown: nothing is made under them."""

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import Any

from urlmend.sources.compression import Peeked, unpacked
from urlmend.sources.containers import member_name
from urlmend.sources.containers.bounds import Expansion
from urlmend.sources.containers.zip_directory import LOCAL, Entry, ZipFile, fault, on_disk
from urlmend.sources.origin import SourceError
from urlmend.sources.reader import CHUNK_SIZE

IN_MEMORY = 1 << 20
"""How many bytes of a zip that cannot be read at any place (a pipe, a member) are kept before a file is made of it."""

_LOCAL_MAGIC = b"PK\3\4"


@contextmanager
def seekable(file: Peeked, expansion: Expansion, *, outermost: bool) -> Iterator[ZipFile]:
    """Give the zip *file*, of which nothing was read but its head, as one that can be read at any place.

    A regular file is read where it is. Anything else goes through a temporary file, the only one that is ever made.
    """
    regular = _regular(file) if outermost else None
    if regular is not None:
        expansion.size = regular.size
        yield regular
        return
    with SpooledTemporaryFile(IN_MEMORY) as copy:
        while data := file.read(CHUNK_SIZE):
            expansion.out(len(data))
            copy.write(data)
        size = copy.tell()

        def at(offset: int, length: int) -> bytes:
            copy.seek(offset)
            return copy.read(length)

        yield ZipFile(at, size)


def _regular(file: Peeked) -> ZipFile | None:
    """Return *file* to be read at any place, if it is a regular file from its start on; else `None`."""
    if file.compression or not hasattr(os, "pread"):
        return None
    try:
        number = file.fileno()
        status = os.fstat(number)
        # What is read next may be anything: a file in the middle, or what a gzip file holds.
        if stat.S_ISREG(status.st_mode) and os.pread(number, len(file.head), 0) == file.head:
            return on_disk(number, file.note)
    except (OSError, ValueError, AttributeError):
        pass
    return None


class Member:
    """A file in a zip. `stamp` is its size and checksum."""

    def __init__(self, name: str, file: ZipFile, info: zipfile.ZipInfo, expansion: Expansion) -> None:
        self.name = name
        self.stamp = (info.file_size, info.CRC)
        self._crc = self._size = 0
        raw = _Raw(file, info)
        self._file: Any = unpacked(raw, info.compress_type) if info.compress_type else raw
        self._expansion = expansion

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes; `SourceError` where the member is broken, once all before it is given out."""
        data: bytes = self._file.read(size)
        self._crc = zlib.crc32(data, self._crc)
        self._size += len(data)
        self._expansion.out(len(data))
        if size and not data and (self._size, self._crc) != self.stamp:
            told, found = (
                f"{size} bytes with checksum {crc:08x}" for size, crc in (self.stamp, (self._size, self._crc))
            )
            message = f"is corrupt: it has {found}, not {told}"
            raise SourceError(message)
        return data


class _Raw:
    """The bytes of a member as they are in the zip."""

    name = None

    def __init__(self, file: ZipFile, info: zipfile.ZipInfo) -> None:
        header = file.at(info.header_offset, LOCAL.size)
        magic, *lengths = LOCAL.unpack(header) if len(header) == LOCAL.size else (b"", 0)
        if magic != _LOCAL_MAGIC:
            message = f"is corrupt: the zip has no member at byte {info.header_offset}"
            raise SourceError(message)
        self._zip = file
        self._at = info.header_offset + LOCAL.size + sum(lengths)
        self._left = info.compress_size

    def read(self, size: int, /) -> bytes:
        data = self._zip.at(self._at, min(size, self._left)) if self._left else b""
        self._at += len(data)
        self._left -= len(data)
        self._zip.note(len(data))
        return data


def members(
    name: str | None,
    file: ZipFile,
    found: list[Entry],
    expansion: Expansion,
    failed: Callable[[str, str], object],
) -> Iterator[Member]:
    """Yield the files that *file*, called *name*, has as *found*. Those that cannot be read are told to *failed*."""
    for entry in found:
        called = member_name(name, entry.info.filename)
        if reason := fault(entry):
            failed(called, reason)
            continue
        try:
            member = Member(called, file, entry.info, expansion)
        except SourceError as error:
            failed(called, str(error))
        else:
            yield member
