"""Zip files (PKWARE's APPNOTE), read from their directory. Its names are only shown: nothing is made under them."""

import errno
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple, cast

from urlmend.sources.compression import METHODS, Peeked, unpacked
from urlmend.sources.containers import member_name
from urlmend.sources.containers.bounds import MAX_LISTED, Expansion
from urlmend.sources.origin import SourceError
from urlmend.sources.reader import CHUNK_SIZE

IN_MEMORY = 1 << 20
"""How many bytes of a zip that cannot be read at any place (a pipe, a member) are kept before a file is made of it."""

MAX_ENTRY = 512
"""How many bytes the directory has for each member, at most and on the whole: names are shorter than 256."""

# APPNOTE 4.3.16, 4.3.15, 4.3.14, 4.3.12 and 4.3.7: the end of the directory, in its two forms, an entry, a member.
_END = struct.Struct("<4s4H2LH")
_END_MAGIC = b"PK\5\6"
_LOCATOR = struct.Struct("<4s16x")
_LOCATOR_MAGIC = b"PK\6\7"
_END64 = struct.Struct("<4sQ2H2L4Q")
_END64_MAGIC = b"PK\6\6"
_ENTRY = struct.Struct("<4s24x3H12x")
_ENTRY_MAGIC = b"PK\1\2"
_LOCAL = struct.Struct("<4s22x2H")
_LOCAL_MAGIC = b"PK\3\4"
_MAX_COMMENT = (1 << 16) - 1
_ENCRYPTED = 1

# What a zip is that has these names in it; the others are archives.
_DOCUMENTS = {"[Content_Types].xml": "Office file", "mimetype": "EPUB or OpenDocument file"}
_JAR = "META-INF/"


class ZipFile(NamedTuple):
    """A zip that can be read at any place: *at* returns some bytes from an offset on. It has *size* bytes."""

    at: Callable[[int, int], bytes]
    size: int


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
            return ZipFile(lambda offset, length: os.pread(number, length, offset), status.st_size)
    except (OSError, ValueError, AttributeError):
        pass
    return None


class _Directory:
    """What zipfile reads of a zip: the end of it, the directory. *file* is read at the place where it stands."""

    def __init__(self, file: ZipFile) -> None:
        self._zip = file
        self._at = 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, place: int, whence: int = 0) -> int:
        place += (0, self._at, self._zip.size)[whence]
        if place < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._at = place
        return place

    def read(self, size: int = -1, /) -> bytes:
        data = self._zip.at(self._at, self._zip.size - self._at if size < 0 else size)
        self._at += len(data)
        return data


def listed(file: ZipFile) -> list[zipfile.ZipInfo]:
    """Return the members of *file*, by its directory; `SourceError` where it has none, or one that is too large."""
    _check(file)
    try:
        with zipfile.ZipFile(cast("IO[bytes]", _Directory(file))) as directory:
            return directory.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, LookupError, struct.error, OverflowError) as error:
        message = f"the zip data is broken: {error}"
        raise SourceError(message) from error


def _check(file: ZipFile) -> None:
    """Raise `SourceError` where the directory of *file* is too large to be read."""
    count, start, stop = _directory(file)
    size = stop - start
    if start < 0:
        message = f"the zip data is broken: its directory has {size} bytes, and {stop} stand before its end"
        raise SourceError(message)
    if count > MAX_LISTED or size > MAX_LISTED * MAX_ENTRY or _count(file, start, stop) > MAX_LISTED:
        message = f"lists more than {MAX_LISTED} members, or in more than {MAX_ENTRY} bytes each: it is not read"
        raise SourceError(message)


def _directory(file: ZipFile) -> tuple[int, int, int]:
    """Return how many members the end of *file* says that it has, and where its directory starts and stops."""
    tail_start = max(0, file.size - _MAX_COMMENT - _END.size)
    tail = file.at(tail_start, file.size - tail_start)
    end = tail.rfind(_END_MAGIC, 0, len(tail) - _END.size + len(_END_MAGIC))
    if end < 0:
        message = "the zip data ends early, or is corrupt: it has no directory"
        raise SourceError(message)
    *_, count, size, _, _ = _END.unpack_from(tail, end)
    stop = tail_start + end
    locator = stop - _LOCATOR.size
    if locator >= 0 and file.at(locator, _LOCATOR.size).startswith(_LOCATOR_MAGIC):
        # zipfile looks for the other form there and nowhere else.
        record = file.at(max(0, locator - _END64.size), _END64.size)
        if len(record) == _END64.size and record.startswith(_END64_MAGIC):
            *_, count, size, _ = _END64.unpack(record)
            stop = locator - _END64.size
    return count, stop - size, stop


def _count(file: ZipFile, start: int, stop: int) -> int:
    """Return how many entries the directory has, MAX_LISTED and one at most: its end may lie. None of them is kept."""
    found = 0
    held, base = b"", start
    while start < stop and found <= MAX_LISTED:
        if start + _ENTRY.size > base + len(held):
            held, base = file.at(start, min(CHUNK_SIZE, stop - start)), start
        if len(held) < start - base + _ENTRY.size:
            break
        magic, *lengths = _ENTRY.unpack_from(held, start - base)
        if magic != _ENTRY_MAGIC:
            break  # zipfile says what is wrong
        found += 1
        start += _ENTRY.size + sum(lengths)
    return found


def kind_of(infos: list[zipfile.ZipInfo]) -> str | None:
    """Return what else than an archive a zip is that lists *infos*: an Office file, an EPUB, a jar; else `None`."""
    for info in infos:
        if info.filename in _DOCUMENTS:
            return _DOCUMENTS[info.filename]
        if info.filename.startswith(_JAR):
            return "jar"
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
        header = file.at(info.header_offset, _LOCAL.size)
        magic, *lengths = _LOCAL.unpack(header) if len(header) == _LOCAL.size else (b"", 0)
        if magic != _LOCAL_MAGIC:
            message = f"is corrupt: the zip has no member at byte {info.header_offset}"
            raise SourceError(message)
        self._zip = file
        self._at = info.header_offset + _LOCAL.size + sum(lengths)
        self._left = info.compress_size

    def read(self, size: int, /) -> bytes:
        data = self._zip.at(self._at, min(size, self._left)) if self._left else b""
        self._at += len(data)
        self._left -= len(data)
        return data


def members(
    name: str | None,
    file: ZipFile,
    infos: list[zipfile.ZipInfo],
    expansion: Expansion,
    failed: Callable[[str, str], object],
) -> Iterator[Member]:
    """Yield the files that *file*, called *name*, lists as *infos*. Those that cannot be read are told to *failed*."""
    overlapping = _overlapping(file, infos)
    for info in infos:
        if info.is_dir() or (info.create_system == _UNIX and stat.S_ISLNK(info.external_attr >> 16)):
            continue
        called = member_name(name, info.filename)
        fault = "is corrupt: it overlaps with what stands behind it" if id(info) in overlapping else _fault(info)
        if fault:
            failed(called, fault)
        elif info.file_size or info.compress_size:
            try:
                member = Member(called, file, info, expansion)
            except SourceError as error:
                failed(called, str(error))
            else:
                yield member


def _overlapping(file: ZipFile, infos: list[zipfile.ZipInfo]) -> set[int]:
    """Return by its number in memory each of *infos* whose data are those of others too, as in bombs."""
    overlapping = set()
    behind = file.size
    for info in sorted(infos, key=lambda info: info.header_offset, reverse=True):
        if info.header_offset + _LOCAL.size + info.compress_size > behind:
            overlapping.add(id(info))
        behind = min(behind, info.header_offset)
    return overlapping


def _fault(info: zipfile.ZipInfo) -> str | None:
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type and info.compress_type not in METHODS:
        return f"is compressed by a method that is not known ({info.compress_type})"
    return None


_UNIX = 3
