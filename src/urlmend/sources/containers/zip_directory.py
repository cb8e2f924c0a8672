"""The directory of a zip file (PKWARE's APPNOTE): which members it has, and where."""

import errno
import os
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, NamedTuple, cast

from urlmend.sources.compression import METHODS
from urlmend.sources.containers.bounds import MAX_LISTED, most_out
from urlmend.sources.origin import SourceError
from urlmend.sources.reader import CHUNK_SIZE

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
LOCAL = struct.Struct("<4s22x2H")
_MAX_COMMENT = (1 << 16) - 1
_ENCRYPTED = 1

# What a zip is that has these names in it; the others are archives.
_DOCUMENTS = {"[Content_Types].xml": "Office file", "mimetype": "EPUB or OpenDocument file"}
_JAR = "META-INF/"


class ZipFile(NamedTuple):
    """A zip that can be read at any place: *at* returns some bytes from an offset on. It has *size* bytes.

    *note* is called with the size of each piece of a member that is read.
    """

    at: Callable[[int, int], bytes]
    size: int
    note: Callable[[int], object] = id


def on_disk(number: int, note: Callable[[int], object] = id) -> ZipFile:
    """Return the zip that the regular file with the descriptor *number* is; *note* is as in `ZipFile`."""
    return ZipFile(lambda offset, length: os.pread(number, length, offset), os.fstat(number).st_size, note)


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


class Entry(NamedTuple):
    """What the directory says of a member; where it *overlaps* with what stands behind it, it is not read."""

    info: zipfile.ZipInfo
    overlaps: bool


def entries(file: ZipFile, infos: list[zipfile.ZipInfo]) -> list[Entry]:
    """Return those of *infos*, the directory of *file*, that are files with something in them or wrong with them."""
    overlapping = _overlapping(file, infos)
    found = (Entry(info, id(info) in overlapping) for info in infos if not _is_directory_or_link(info))
    return [one for one in found if one.info.file_size or one.info.compress_size or fault(one)]


def ranges(packed: ZipFile, size: int) -> Iterator[list[Entry]]:
    """Yield the members of *packed*, an outermost zip, in ranges of at least *size* bytes of it.

    There are none of what is no archive, or may expand to more than is read. `SourceError` as in `listed`.
    """
    infos = listed(packed)
    if kind_of(infos) or sum(info.file_size for info in infos) > most_out(packed.size):
        return
    found = entries(packed, infos)
    begin = held = 0
    for stop, (info, _) in enumerate(found, 1):
        held += info.compress_size + _ENTRY.size
        if held >= size:
            yield found[begin:stop]
            begin, held = stop, 0
    if begin < len(found):
        yield found[begin:]


def _is_directory_or_link(info: zipfile.ZipInfo) -> bool:
    return info.is_dir() or (info.create_system == _UNIX and stat.S_ISLNK(info.external_attr >> 16))


def _overlapping(file: ZipFile, infos: list[zipfile.ZipInfo]) -> set[int]:
    """Return by its number in memory each of *infos* whose data are those of others too, as in bombs."""
    overlapping = set()
    behind = file.size
    for info in sorted(infos, key=lambda info: info.header_offset, reverse=True):
        if info.header_offset + LOCAL.size + info.compress_size > behind:
            overlapping.add(id(info))
        behind = min(behind, info.header_offset)
    return overlapping


def fault(entry: Entry) -> str | None:
    """Return why the member of *entry* cannot be read, if so."""
    info, overlaps = entry
    if overlaps:
        return "is corrupt: it overlaps with what stands behind it"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type and info.compress_type not in METHODS:
        return f"is compressed by a method that is not known ({info.compress_type})"
    return None


_UNIX = 3
