"""Zip files (PKWARE's APPNOTE), read from their directory.

Every number in a zip may be wrong. A member with wrong numbers is not read; the others are.
"""

import os
import stat
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

from urlmend.sources.compression import METHODS, Member, Peeked, Pieces, unpacked
from urlmend.sources.origin import SourceError
from urlmend.sources.reader import CHUNK_SIZE

MAX_LISTED = 1 << 17
"""How many members a zip may list: its whole directory is in hand, up to 1 kB for each."""

MAX_ENTRY = 512
"""How many bytes the directory has for each member at most, on average: names are shorter than 256."""

IN_MEMORY = 1 << 20
"""How many bytes of a zip from a pipe or another file stay in memory before they go to a temporary file."""

# APPNOTE 4.3.16, 4.3.15, 4.3.14, 4.3.12 and 4.3.7: the end of the directory, in its two forms, an entry, a member.
_END = struct.Struct("<4s8x2L2x")
_END_MAGIC = b"PK\5\6"
_LOCATOR_SIZE = 20
_LOCATOR_MAGIC = b"PK\6\7"
_END64 = struct.Struct("<4s36xQQ")
_END64_MAGIC = b"PK\6\6"
_ENTRY = struct.Struct("<4sxB2x2H4x3L3H4x2L")
_ENTRY_MAGIC = b"PK\1\2"
_MEMBER = struct.Struct("<4s22x2H")
_MEMBER_MAGIC = b"PK\3\4"
_MAX_COMMENT = (1 << 16) - 1

# APPNOTE 4.4.4, 4.5.3 and 4.4.2
_ENCRYPTED, _UTF_8 = 1, 1 << 11
_WIDE_NUMBERS = 1
_IN_EXTRA_FIELD = (1 << 32) - 1
_UNIX = 3
_EXTRA = struct.Struct("<2H")

# Names that show that a zip is something else than an archive.
_DOCUMENTS = {"[Content_Types].xml": "Office file", "mimetype": "EPUB or OpenDocument file"}
_JAR = "META-INF/"


# Reading at any place


class ZipFile(NamedTuple):
    """A zip of *size* bytes; *at* returns some bytes from an offset on.

    *add_bytes_read* is called with the size of each piece of a member that is read.
    """

    at: Callable[[int, int], bytes]
    size: int
    add_bytes_read: Callable[[int], object] = id


def on_disk(number: int, add_bytes_read: Callable[[int], object] = id) -> ZipFile:
    """Return the zip that is the regular file with the descriptor *number*."""
    return ZipFile(lambda offset, length: os.pread(number, length, offset), os.fstat(number).st_size, add_bytes_read)


@contextmanager
def opened(file: Peeked, out: Callable[[int], object], *, in_place: bool) -> Iterator[ZipFile]:
    """Open the zip *file* for reading at any position; only its head has been read.

    A regular file is used as it is, if it may be read *in place*. Anything else is copied to a temporary file, the only
    one that urlmend makes; *out* is called with the size of each piece.
    """
    regular = _regular(file) if in_place else None
    if regular is not None:
        yield regular
        return
    with SpooledTemporaryFile(IN_MEMORY) as copy:
        while data := file.read(CHUNK_SIZE):
            out(len(data))
            copy.write(data)
        size = copy.tell()

        def at(offset: int, length: int) -> bytes:
            copy.seek(offset)
            return copy.read(length)

        yield ZipFile(at, size)


def _regular(file: Peeked) -> ZipFile | None:
    """Return *file* for reading at any position if it is a regular file that begins with the zip, else `None`."""
    if file.compression or not hasattr(os, "pread"):
        return None
    with suppress(OSError, ValueError, AttributeError):
        number = file.fileno()
        # What is read next may be anything: a file in the middle, or what a gzip file holds.
        if stat.S_ISREG(os.fstat(number).st_mode) and os.pread(number, len(file.head), 0) == file.head:
            return on_disk(number, file.add_bytes_read)
    return None


# The directory


class Entry(NamedTuple):
    """A member as the directory describes it: `packed` bytes from `offset` on, and `size` bytes when unpacked.

    If it has a `fault`, it cannot be read.
    """

    name: str
    offset: int
    packed: int
    size: int
    checksum: int
    method: int
    fault: str = ""

    @property
    def held(self) -> int:
        """About how many bytes of the zip the member takes."""
        return self.packed + _ENTRY.size

    @property
    def stamp(self) -> tuple[int, int]:
        """Its size and checksum."""
        return self.size, self.checksum


class Directory(NamedTuple):
    """The members of a zip that are non-empty files, or broken.

    `kind` is the type of a zip that is not an archive: an Office file, an EPUB, a jar. `fault` is the fault of the
    directory itself.
    """

    kind: str | None
    entries: list[Entry]
    fault: str


def directory(file: ZipFile) -> Directory:
    """Return the directory of *file*; raise `SourceError` if it has none, or one that is too large."""
    first, stop, shift = _place(file)
    entries: list[Entry] = []
    not_files: set[int] = set()
    kind = None
    at = first
    while at + _ENTRY.size <= stop:
        magic, system, flags, method, checksum, *numbers, offset = _unpacked(_ENTRY, file, at)
        if magic != _ENTRY_MAGIC:
            break
        if len(entries) == MAX_LISTED or at - first > MAX_LISTED * MAX_ENTRY:
            message = f"lists more than {MAX_LISTED} members, or in more than {MAX_ENTRY} bytes each: it is not read"
            raise SourceError(message)
        packed, size, name_size, extra_size, comment_size, attributes = numbers
        at += _ENTRY.size
        text = file.at(at, name_size + extra_size)
        at += name_size + extra_size + comment_size
        name = text[:name_size].decode("utf-8" if flags & _UTF_8 else "cp437", "replace").partition("\0")[0]
        size, packed, offset = _wide_numbers(text[name_size:], size, packed, offset)
        if name.endswith("/") or (system == _UNIX and stat.S_ISLNK(attributes >> 16)):
            not_files.add(len(entries))
        kind = kind or _DOCUMENTS.get(name) or ("jar" if name.startswith(_JAR) else None)
        entries.append(Entry(name, offset, packed, size, checksum, method, _fault(name, flags, method)))
    if entries and not _is_at(file, entries[0].offset + shift, file.size, _MEMBER_MAGIC):
        shift = 0
    _place_members(entries, shift, file.size)
    fault = f"the zip data is broken: its directory ends early, after {len(entries)} members" if at != stop else ""
    wanted = (entry for number, entry in enumerate(entries) if number not in not_files)
    return Directory(kind, [entry for entry in wanted if entry.size or entry.method or entry.fault], fault)


def _place(file: ZipFile) -> tuple[int, int, int]:
    """Return where the directory starts and stops, and how many bytes were added before the zip later."""
    tail_start = max(0, file.size - _MAX_COMMENT - _END.size)
    tail = file.at(tail_start, file.size - tail_start)
    end = tail.rfind(_END_MAGIC, 0, len(tail) - _END.size + len(_END_MAGIC))
    if end < 0:
        raise SourceError("the zip data ends early, or is corrupt: it has no directory")
    _, size, offset = _END.unpack_from(tail, end)
    stop = tail_start + end
    locator = stop - _LOCATOR_SIZE
    if locator >= _END64.size and file.at(locator, len(_LOCATOR_MAGIC)) == _LOCATOR_MAGIC:
        magic, *wide = _unpacked(_END64, file, locator - _END64.size)
        if magic == _END64_MAGIC:
            (size, offset), stop = wide, locator - _END64.size
    # The end may be wrong about the one or the other.
    for start, shift in ((stop - size, stop - size - offset), (offset, 0)):
        if _is_at(file, start, stop, _ENTRY_MAGIC):
            return start, stop, shift
    if size:
        message = f"the zip data is broken: it has no directory at byte {offset}, and none of {size} bytes at its end"
        raise SourceError(message)
    return stop, stop, 0


def _is_at(file: ZipFile, at: int, stop: int, magic: bytes) -> bool:
    return 0 <= at < stop and file.at(at, len(magic)) == magic


def _unpacked(form: struct.Struct, file: ZipFile, at: int) -> tuple[Any, ...]:
    return form.unpack(file.at(at, form.size).ljust(form.size, b"\0"))


def _wide_numbers(extra: bytes, *numbers: int) -> Iterator[int]:
    """Yield *numbers*, taking those that need 64 bits from the *extra* field (APPNOTE 4.5.3)."""
    wide: Iterator[tuple[int]] = iter(())
    at = 0
    while at + _EXTRA.size <= len(extra):
        field, size = _EXTRA.unpack_from(extra, at)
        at += _EXTRA.size
        if field == _WIDE_NUMBERS:
            wide = struct.iter_unpack("<Q", extra[at : at + size // 8 * 8])
        at += size
    return (next(wide, (number,))[0] if number == _IN_EXTRA_FIELD else number for number in numbers)


def _fault(name: str, flags: int, method: int) -> str:
    if not name:
        return "has no name"
    if flags & _ENCRYPTED:
        return "is encrypted"
    if method and method not in METHODS:
        return f"is compressed by a method that is not known ({method})"
    return ""


def _place_members(entries: list[Entry], shift: int, stop: int) -> None:
    """Move *entries* by *shift*, and mark those whose data overlap with others or lie outside the zip."""
    for number in sorted(range(len(entries)), key=lambda number: entries[number].offset, reverse=True):
        entry = entries[number]
        offset = entry.offset + shift
        if not 0 <= offset <= stop - _MEMBER.size - entry.packed:
            fault = "is corrupt: it overlaps with what follows, or is outside of the zip"
            entry = entry._replace(fault=fault)
        entries[number] = entry._replace(offset=offset)
        stop = min(stop, offset)


# Members


def _data(file: ZipFile, entry: Entry, out: Callable[[int], object]) -> Iterator[bytes]:
    """Yield the data of the member that *entry* describes. *out* is called with the size of each piece."""
    if entry.fault:
        raise SourceError(entry.fault)
    packed = Pieces(_packed(file, entry))
    data = unpacked(packed, entry.method) if entry.method else packed
    size = checksum = 0
    while piece := data.read(CHUNK_SIZE):
        size += len(piece)
        checksum = zlib.crc32(piece, checksum)
        out(len(piece))
        yield piece
    if (size, checksum) != entry.stamp:
        has, should_have = (f"{size} bytes with checksum {sum_:08x}" for size, sum_ in ((size, checksum), entry.stamp))
        raise SourceError(f"is corrupt: it has {has}, not {should_have}")


def _packed(file: ZipFile, entry: Entry) -> Iterator[bytes]:
    """Yield the bytes of a member as the zip stores them."""
    magic, *sizes = _unpacked(_MEMBER, file, entry.offset)
    if magic != _MEMBER_MAGIC:
        raise SourceError(f"is corrupt: the zip has no member at byte {entry.offset}")
    at = entry.offset + _MEMBER.size + sum(sizes)
    end = at + entry.packed
    while data := file.at(at, min(CHUNK_SIZE, end - at)):
        at += len(data)
        file.add_bytes_read(len(data))
        yield data


def members(file: ZipFile, entries: Iterable[Entry], out: Callable[[int], object]) -> Iterator[Member]:
    """Yield the members of *file* that have these *entries*; *out* is called with the size of each piece read."""
    return (Member(entry.name, entry.stamp, _data(file, entry, out)) for entry in entries)
