"""Zip files (PKWARE's APPNOTE) and tar files (POSIX ustar and pax, GNU, Unix version 7).

`zipfile` decodes the entries of a zip's directory, and `tarfile` the headers of a tar. Both trust the numbers there,
and end in silence at some faults. So the code here finds the entries and headers, sets the bounds, and checks that
nothing is left at the end. A member with wrong numbers is not read; the others are.
"""

import io
import os
import re
import stat
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from tarfile import SUPPORTED_TYPES, HeaderError, TarInfo
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

from urlmend.sources.compression import METHODS, Member, PeekableFile, unpacked
from urlmend.sources.origin import Readable, SourceError
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.sources.recognise import TAR_BLOCK, is_tar_header

MAX_LISTED = 1 << 17
"""How many members a zip may list: its whole directory is in memory, up to 1 kB for each."""

MAX_ENTRY = 512
"""How many bytes the directory has for each member at most, on average: names are shorter than 256."""

MAX_MEMBERS = 10_000_000
"""How many members of a tar are read. None is remembered, but each takes 20 µs, an empty one too."""

MAX_HEADER = 1 << 20
"""How many bytes the headers of one member of a tar may have: a long name or a pax record is in memory."""

IN_MEMORY = 1 << 20
"""How many bytes of a zip from a pipe or another file stay in memory before they go to a temporary file."""


# Zip

# APPNOTE 4.3.16 and 4.3.14, the end of the directory: the number of members, and size and offset of the directory.
_END = struct.Struct("<10xH2L2x")
_END64 = struct.Struct("<32x3Q")
_END64_AND_LOCATOR = _END64.size + 20
_MAX_END = _END64_AND_LOCATOR + _END.size + (1 << 16)
# APPNOTE 4.3.7, the header of a member: the sizes of its name and extra field follow.
_HEADER = struct.Struct("<4s22x2H")
_HEADER_MAGIC = b"PK\3\4"
_ENTRY_MAGIC = b"PK\1\2"
_ENTRY_SIZE = 46
_SIZES = struct.Struct("<3H")  # of an entry's name, extra field and comment

_EMPTY = 2
"""How many bytes nothing takes when it is deflated."""

_DEFLATE = 8
_SMALL = 1 << 14
"""Up to how many bytes a member is read and unpacked at once."""

_ENCRYPTED = 1
_UNIX = 3

# Names that show that a zip is something else than an archive.
_DOCUMENTS = {"[Content_Types].xml": "Office file", "mimetype": "EPUB or OpenDocument file"}
_JAR = "META-INF/"
_REPAIR = "; `zip -FF` may mend it"


class Directory(NamedTuple):
    """The members of a zip that are non-empty files, or broken, each with the reason why it cannot be read, or `""`.

    `kind` is the type of a zip that is not an archive: an Office file, an EPUB, a jar. `fault` is the fault of the
    directory itself.
    """

    kind: str | None = None
    entries: Sequence[tuple[ZipInfo, str]] = ()
    fault: str = ""


@contextmanager
def opened_zip(
    file: PeekableFile, out: Callable[[int], object], *, in_place: bool
) -> Iterator[tuple[IO[bytes], Callable[[int], object]]]:
    """Open the zip *file*, of which only the head has been read, for reading at any position.

    A regular file is used as it is, if it may be read *in place*. Anything else is copied to a temporary file, the only
    one that urlmend makes; *out* is called with the size of each piece. The second value is the `add_bytes_read` of
    `zip_members`: a copy has been read already.
    """
    if in_place and (disk := _on_disk(file)) is not None:
        yield disk, file.add_bytes_read
        return
    with SpooledTemporaryFile(IN_MEMORY) as copy:
        while data := file.read(CHUNK_SIZE):
            out(len(data))
            copy.write(data)
        yield copy, id


def _on_disk(file: PeekableFile) -> IO[bytes] | None:
    """Return *file* unbuffered if it is a regular file that begins with the zip, else `None`."""
    with suppress(OSError, ValueError, AttributeError):
        disk = io.FileIO(file.fileno(), closefd=False)
        position = disk.tell()
        # What is read next may be anything: a file in the middle, or what a gzip file holds.
        begins_with_it = _read_at(disk, 0, len(file.head)) == file.head
        disk.seek(position)
        return disk if begins_with_it else None
    return None


def _read_at(file: IO[bytes], offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def _is_at(file: IO[bytes], offset: int, magic: bytes) -> bool:
    return offset >= 0 and _read_at(file, offset, len(magic)) == magic


def directory(file: IO[bytes]) -> Directory:
    """Return the directory of the zip *file*; raise `SourceError` if it has none, or one that is too large."""
    size = file.seek(0, os.SEEK_END)
    tail = _read_at(file, max(0, size - _MAX_END), _MAX_END)
    at = tail.rfind(b"PK\5\6", 0, max(0, len(tail) - _END.size + 4))
    if at < 0:
        raise SourceError(f"the zip data ends early, or is corrupt: it has no directory{_REPAIR}")
    count, length, offset = _END.unpack_from(tail, at)
    if at >= _END64_AND_LOCATOR and tail.startswith(b"PK\6\6", at - _END64_AND_LOCATOR):
        at -= _END64_AND_LOCATOR
        count, length, offset = _END64.unpack_from(tail, at)
    stop = size - len(tail) + at
    # The end record may be wrong about the length or the offset.
    starts = (max(0, stop - length), offset)
    start = next((start for start in starts if _is_at(file, start, _ENTRY_MAGIC)), starts[0])
    data = _read_at(file, start, min(max(0, stop - start), MAX_LISTED * MAX_ENTRY + 1))
    if data.count(_ENTRY_MAGIC) > MAX_LISTED or len(data) > MAX_LISTED * MAX_ENTRY:
        message = f"lists more than {MAX_LISTED} members, or in more than {MAX_ENTRY} bytes each: it is not read"
        raise SourceError(message)
    listed = _listed(data)
    names = [info.filename for info in listed]
    kinds = (_DOCUMENTS.get(name) or ("jar" if name.startswith(_JAR) else None) for name in names)
    fault = ""
    if count not in {len(listed), len(listed) & 0xFFFF}:
        fault = (
            f"the zip data is broken: its directory should have {count} entries, and {len(listed)} can be read{_REPAIR}"
        )
    elif start and not listed:
        fault = f"the zip data is broken: its directory is empty, and {start} bytes are before it{_REPAIR}"
    return Directory(next(filter(None, kinds), None), _entries(file, listed, start - offset), fault)


def _listed(data: bytes) -> list[ZipInfo]:
    """Return the entries in the *data* of a directory. Those that zipfile refuses are left out."""
    end = struct.pack("<4s8x2L2x", b"PK\5\6", len(data), 0)
    try:
        return ZipFile(io.BytesIO(data + end)).infolist()
    except (BadZipFile, NotImplementedError, ValueError, IndexError):
        # One refused entry makes it refuse all.
        pieces = re.split(b"(?=%b)" % _ENTRY_MAGIC, data)[1:]
        entries = (piece[: _ENTRY_SIZE + sum(_SIZES.unpack_from(piece.ljust(_ENTRY_SIZE), 28))] for piece in pieces)
        return [info for entry in entries if entry != data for info in _listed(entry)]


def _entries(file: IO[bytes], listed: list[ZipInfo], shift: int) -> list[tuple[ZipInfo, str]]:
    """Return the entries of non-empty files. *shift*, the number of bytes before the zip, is added to their offsets."""
    if listed and not _is_at(file, listed[0].header_offset + shift, _HEADER_MAGIC):
        shift = 0  # only the offset in the end record is wrong
    overlapping = set()
    stop = file.seek(0, os.SEEK_END)
    for info in sorted(listed, key=lambda info: info.header_offset, reverse=True):
        info.header_offset += shift
        if not 0 <= info.header_offset <= stop - _HEADER.size - info.compress_size:
            overlapping.add(info)
        stop = min(stop, info.header_offset)
    entries = []
    for info in listed:
        is_link = info.create_system == _UNIX and stat.S_ISLNK(info.external_attr >> 16)
        if info.filename.endswith("/") or is_link:
            continue
        fault = ""
        if info.flag_bits & _ENCRYPTED:
            fault = "is encrypted"
        elif info.compress_type and info.compress_type not in METHODS:
            fault = f"is compressed by a method that is not known ({info.compress_type})"
        elif info in overlapping:
            fault = "is corrupt: it overlaps with what follows, or is outside of the zip"
        if fault or info.file_size or info.compress_size > _EMPTY:
            entries.append((info, fault))
    return entries


def zip_members(
    file: IO[bytes],
    entries: Iterable[tuple[ZipInfo, str]],
    out: Callable[[int], object],
    add_bytes_read: Callable[[int], object] = id,
) -> Iterator[Member]:
    """Yield the members of the zip *file* that have these *entries*.

    *add_bytes_read* is called with the size of each piece that is read, *out* with its size when unpacked.
    """
    for info, fault in entries:
        data = _unpacked(file, info, fault, out, add_bytes_read)
        yield Member(info.filename, (info.file_size, info.CRC), data)


class _Packed:
    """The bytes of a member as the zip *file* stores them."""

    def __init__(self, file: IO[bytes], info: ZipInfo, add_bytes_read: Callable[[int], object]) -> None:
        magic, *sizes = _HEADER.unpack(_read_at(file, info.header_offset, _HEADER.size).ljust(_HEADER.size))
        if magic != _HEADER_MAGIC:
            raise SourceError(f"is corrupt: the zip has no member at byte {info.header_offset}")
        self._file = file
        self._at = info.header_offset + _HEADER.size + sum(sizes)
        self._end = self._at + info.compress_size
        self._add_bytes_read = add_bytes_read

    def read(self, size: int, /) -> bytes:
        """Return up to *size* bytes; `b""` at the end."""
        data = _read_at(self._file, self._at, min(size, self._end - self._at)) if self._at < self._end else b""
        self._at += len(data)
        self._add_bytes_read(len(data))
        return data


def _small(file: IO[bytes], info: ZipInfo) -> bytes | None:
    """Return a small member, read and unpacked at once; `None` if it is not small, or not as it should be."""
    if info.compress_type != _DEFLATE or max(info.compress_size, info.file_size) > _SMALL:
        return None
    data = _read_at(file, info.header_offset, _HEADER.size + MAX_ENTRY + info.compress_size)
    magic, name, extra = _HEADER.unpack_from(data.ljust(_HEADER.size))
    start = _HEADER.size + name + extra
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = inflate.decompress(data[start : start + info.compress_size], info.file_size + 1)
    except zlib.error:
        return None
    is_right = magic == _HEADER_MAGIC and inflate.eof and len(content) == info.file_size
    return content if is_right and zlib.crc32(content) == info.CRC else None


def _unpacked(
    file: IO[bytes], info: ZipInfo, fault: str, out: Callable[[int], object], add_bytes_read: Callable[[int], object]
) -> Iterator[bytes]:
    if fault:
        raise SourceError(fault)
    if (small := _small(file, info)) is not None:
        add_bytes_read(info.compress_size)
        out(len(small))
        yield small
        return
    # ZipExtFile has no bound on what bzip2 and LZMA give at once, nor on the memory that LZMA asks for.
    packed = _Packed(file, info, add_bytes_read)
    data = unpacked(packed, info.compress_type) if info.compress_type else packed
    size = checksum = 0
    while piece := data.read(CHUNK_SIZE):
        size += len(piece)
        checksum = zlib.crc32(piece, checksum)
        out(len(piece))
        yield piece
    if (size, checksum) != (info.file_size, info.CRC):
        has = f"it has {size} bytes with checksum {checksum:08x}"
        raise SourceError(f"is corrupt: {has}, not {info.file_size} bytes with checksum {info.CRC:08x}")


# Tar

_MAX_SIZE = 1 << 62
"""A size that no file has; offsets after such a file still fit in 64 bits."""

# The numbers of a header: permissions and owner, size, time; device; and those besides the size.
_NUMBERS = (slice(100, 148), slice(329, 345))
_OTHER_NUMBERS = (slice(100, 124), slice(136, 148), slice(329, 345))
_CHECKSUM = slice(148, 156)

_LONG_NAME = b"L"
_PAX = frozenset([b"x", b"X"])
_MORE = frozenset([_LONG_NAME, b"K", b"g", *_PAX])
"""The types of headers that say more about the next one; also a long link, and what pax says of all members."""

_SPARSE = b"S"
_SPARSE_GOES_ON, _MAP_GOES_ON = 482, 504
"""The bytes of a sparse file's header, and of a block of its map, that say whether another block follows."""

_RECORD = re.compile(rb"(\d{1,7}) ([^=\n]+)=")
_SIZE = re.compile(rb"\d{1,18}")
_WRONG = "is broken: its header has a wrong number"


class _Forward:
    """A file that is read forward. `at` is the position in it; *out* is called with the size of each piece."""

    def __init__(self, file: Readable, out: Callable[[int], object]) -> None:
        self._file: Any = file
        self._out = out
        self.at = 0

    def read(self, size: int) -> bytes:
        """Return *size* bytes, fewer at the end."""
        pieces = []
        while size and (piece := self._file.read(size)):
            self._out(len(piece))
            pieces.append(piece)
            size -= len(piece)
            self.at += len(piece)
        return b"".join(pieces)

    def go_to(self, place: int) -> None:
        """Go forward to *place*, or to the end."""
        while self.at < place and self.read(min(CHUNK_SIZE, place - self.at)):
            pass


def tar_members(file: Readable, out: Callable[[int], object]) -> Iterator[Member]:
    """Yield the files in the tar *file* that are not empty, each to be read before the next.

    The stamp of each is its size and time. *out* is called with the size of each piece read. Links and devices are left
    out. Raises `SourceError` if the tar is broken, once the members before are read.
    """
    tar = _Forward(file, out)
    number = 0
    try:
        while (info := _header(tar)) is not None:
            number += 1
            if number > MAX_MEMBERS:
                raise SourceError(f"has more than {MAX_MEMBERS} members: the rest is not read")
            is_file = info.isreg() or info.type not in SUPPORTED_TYPES  # a type that is not known is a file (POSIX)
            following = tar.at + (_padded(info.size) if is_file else 0)
            if info.fault or (is_file and info.size):
                yield Member(info.name, (info.size, int(info.mtime) & _MAX_SIZE - 1), _tar_data(tar, info))
            tar.go_to(following)
    except HeaderError as error:
        place = f"after member {number}, at byte {tar.at}"
        raise SourceError(f"the tar data is broken {place}: {error}; what follows is not read") from error
    while rest := tar.read(CHUNK_SIZE):
        if any(rest):
            message = f"the tar ends after member {number}, and what follows before byte {tar.at} is not read"
            raise SourceError(f"{message}: `tar -i` reads it if it is another tar")


class _Header(TarInfo):
    """A header of a member. If it has a `fault`, the member cannot be read."""

    fault = ""


def _header(tar: _Forward) -> _Header | None:
    """Return the next member's header; `None` at the end of the tar."""
    start = tar.at
    block = tar.read(TAR_BLOCK)
    if len(block) == TAR_BLOCK and not any(block):
        return None
    info = _decoded(block)
    fault = info.fault
    more: dict[bytes, bytes] = {}
    while info.type in _MORE:
        _check_headers(tar.at + info.size - start)
        text = tar.read(_padded(info.size))[: info.size]
        if info.type == _LONG_NAME and text:
            more.setdefault(b"path", text.partition(b"\0")[0])
        elif info.type in _PAX and not _add_records(text, more):
            fault = _WRONG
        block = tar.read(TAR_BLOCK)
        info = _decoded(block)
        fault = fault or info.fault
    goes_on = info.type == _SPARSE and block[_SPARSE_GOES_ON]
    while goes_on:
        _check_headers(tar.at - start)
        goes_on = tar.read(TAR_BLOCK).ljust(TAR_BLOCK, b"\0")[_MAP_GOES_ON]
    if b"path" in more:
        info.name = more[b"path"].decode("utf-8", "surrogateescape")
    if b"size" in more and _SIZE.fullmatch(more[b"size"]):
        info.size = int(more[b"size"])
    elif b"size" in more:
        fault = _WRONG  # the size before is kept, so that the next header is found
    if info.type == _SPARSE or any(key.startswith(b"GNU.sparse.") for key in more):
        fault = fault or "is a file with holes in it, which is not read"
    info.fault = fault
    return info


def _check_headers(size: int) -> None:
    if size > MAX_HEADER:
        raise HeaderError(f"its headers have more than {MAX_HEADER} bytes")


def _decoded(block: bytes) -> _Header:
    """Return a header. Its size is 0 if it is wrong; other wrong numbers do not matter."""
    if len(block) < TAR_BLOCK:
        raise HeaderError("it ends early" if block else "it has no end mark")
    for wrong in ((), _OTHER_NUMBERS, _NUMBERS):
        with suppress(HeaderError):
            info = _Header.frombuf(_without(wrong, block), "utf-8", "surrogateescape")
            if 0 <= info.size <= _MAX_SIZE:
                info.fault = _WRONG if wrong == _NUMBERS else ""
                return info
        if not is_tar_header(block):
            break
    raise HeaderError("it has no header there")


def _without(numbers: Sequence[slice], block: bytes) -> bytes:
    """Return a header in which these *numbers* are 0."""
    if not numbers:
        return block
    data = bytearray(block)
    for number in (*numbers, _CHECKSUM):
        data[number] = b" " * (number.stop - number.start)
    data[_CHECKSUM] = b"%06o\0 " % sum(data)
    return bytes(data)


def _padded(size: int) -> int:
    return -(-size // TAR_BLOCK) * TAR_BLOCK


def _add_records(text: bytes, records: dict[bytes, bytes]) -> bool:
    """Add the pax records in *text*, and return whether all are well-formed. What an earlier header said stays."""
    at = 0
    while at < len(text) and text[at]:
        found = _RECORD.match(text, at)
        stop = at + int(found[1]) if found else 0
        if found is None or not found.end() < stop <= len(text):
            return False
        records.setdefault(found[2], text[found.end() : stop - 1])
        at = stop
    return True


def _tar_data(tar: _Forward, info: _Header) -> Iterator[bytes]:
    """Yield the data of the member that *info* describes; *tar* is where they begin."""
    if info.fault:
        raise SourceError(info.fault)
    left = info.size
    while left:
        data = tar.read(min(CHUNK_SIZE, left))
        if not data:
            raise SourceError(f"the tar data ends early, {left} bytes before its end")
        left -= len(data)
        yield data
