"""Zip files (PKWARE's APPNOTE) and tar files (POSIX ustar and pax, GNU, Unix version 7).

`zipfile` decodes the entries of a zip's directory. It and `tarfile` trust the numbers in a file, remember all members,
and stop silently at some faults. So the code here finds the members, sets the bounds, and checks that nothing is left
at the end. Members with wrong numbers are not read; the others are.
"""

import io
import os
import re
import stat
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from urlmend.sources.compression import CHUNK_SIZE, METHODS, PeekableFile, Stamp, unpacked
from urlmend.sources.origin import SourceError
from urlmend.sources.recognise import TAR_BLOCK, is_tar_header

MAX_LISTED = 1 << 17
"""How many members a zip may list: its whole directory is in memory, up to 1 kB for each."""

MAX_ENTRY = 512
"""How many bytes the directory has for each member at most, on average: names are shorter than 256."""

MAX_MEMBERS = 10_000_000
"""How many members of a tar are read. None is remembered, but each takes 20 µs, even an empty one."""

MAX_TAR_HEADERS = 1 << 20
"""How many bytes the headers of one member of a tar may have: a long name or a pax record is in memory."""

IN_MEMORY = 1 << 20
"""How many bytes of a zip from a pipe or another file stay in memory before they go to a temporary file."""


class Member(NamedTuple):
    """A file in an archive: its *name* there, and its *stamp*. *pieces* raises `SourceError` if it cannot be read."""

    name: str
    stamp: Stamp
    pieces: Iterator[bytes]


# Zip

# APPNOTE 4.3.7, the header of a member: the sizes of its name and extra field follow.
_HEADER = struct.Struct("<4s22x2H")
_HEADER_MAGIC = b"PK\3\4"
_ENTRY_MAGIC = b"PK\1\2"
_ENDS = (b"PK\5\6", b"PK\6\6")  # a zip without members begins with its end

_EMPTY = 2
"""The size of an empty DEFLATE stream, in bytes."""

_DEFLATE = 8
_SMALL = 1 << 14
"""Up to how many bytes are inflated at once, to 16 MB at most. In steps, small members take half as long again."""

_ENCRYPTED = 1
_UNIX = 3

# Names that show that a zip is something else than an archive.
_DOCUMENTS = {"[Content_Types].xml": "Office file", "mimetype": "EPUB or OpenDocument file"}
_JAR = "META-INF/"
_BROKEN = "the zip data is broken or ends early: {}; `zip -FF` may repair it"


@contextmanager
def opened_zip(file: PeekableFile, *, in_place: bool) -> Iterator["Zip"]:
    """Open the zip *file*. Only its head has been read so far.

    A regular file is used as it is, if it may be read *in place*. Anything else is copied to a temporary file, the only
    one that urlmend makes.
    """
    if in_place and (disk := _on_disk(file)) is not None:
        yield Zip(disk, file.add_bytes_read)
        return
    with SpooledTemporaryFile(IN_MEMORY) as copy:
        while data := file.read(CHUNK_SIZE):
            copy.write(data)
        yield Zip(copy)


def _on_disk(file: PeekableFile) -> IO[bytes] | None:
    """Return *file* unbuffered if it is a regular file that begins with the zip, else `None`."""
    with suppress(OSError, ValueError, AttributeError):
        disk = io.FileIO(file.fileno(), closefd=False)
        position = disk.tell()
        # The zip may not be the file from its start: it may be in the middle, or be what a gzip file holds.
        begins_with_it = disk.seek(0) == 0 and disk.read(len(file.head)) == file.head
        disk.seek(position)
        return disk if begins_with_it else None
    return None


class Zip:
    """The zip *file*. *add_bytes_read* counts what is read of its members.

    `size` is the zip's own. `kind` is the type of one that is not an archive: an Office file, an EPUB, a jar. Raises
    `SourceError` if it has no directory, or one that is too large.
    """

    def __init__(self, file: IO[bytes], add_bytes_read: Callable[[int], object] = id) -> None:
        self._file = file
        self._add_bytes_read = add_bytes_read
        self.size = file.seek(0, os.SEEK_END)
        directory = _Directory(file)
        self._entries = _entries(directory)
        begins_with_member = self._is_member(0)
        first = min((info.header_offset for info in self._entries), default=0)
        if begins_with_member and not self._is_member(first):
            for info in self._entries:  # the directory is not where its end says, as after 4 GB without zip64
                info.header_offset -= first
        self._fault = ""  # of the directory
        is_empty = not self._entries and self._read_at(0, 4) not in _ENDS
        if (begins_with_member or is_empty) and all(info.header_offset for info in self._entries):
            self._fault = "its directory omits its first member"  # some programs read the first of two joined zips
        elif directory.listed > len(self._entries):
            self._fault = "an entry of its directory is inside another one"
        names = [info.filename for info in self._entries]
        kinds = (_DOCUMENTS.get(name) or ("jar" if name.startswith(_JAR) else None) for name in names)
        self.kind = next(filter(None, kinds), None)

    def _read_at(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)

    def _is_member(self, offset: int) -> bool:
        return offset >= 0 and self._read_at(offset, len(_HEADER_MAGIC)) == _HEADER_MAGIC

    def members(self) -> Iterator[Member]:
        """Yield the files that are not empty. Raises `SourceError` at the end if the directory is broken."""
        overlapping = set()
        stop = self.size
        for info in sorted(self._entries, key=lambda info: info.header_offset, reverse=True):
            if not 0 <= info.header_offset <= stop - _HEADER.size - info.compress_size:
                overlapping.add(info)
            stop = min(stop, info.header_offset)
        for info in self._entries:
            is_link = info.create_system == _UNIX and stat.S_ISLNK(info.external_attr >> 16)
            if is_link or (info.filename.endswith("/") and not info.file_size):
                continue
            fault = ""
            if info.flag_bits & _ENCRYPTED:
                fault = "is encrypted"
            elif info.compress_type not in METHODS:
                fault = f"is compressed by an unknown method, {info.compress_type}"
            elif info in overlapping:
                fault = "is corrupt: it overlaps with what follows, or is outside of the zip"
            if fault or info.file_size or info.compress_size > _EMPTY:
                yield Member(info.filename, (info.file_size, info.CRC), self._content(info, fault))
        if self._fault:
            raise SourceError(_BROKEN.format(self._fault))

    def _content(self, info: ZipInfo, fault: str) -> Iterator[bytes]:
        if fault:
            raise SourceError(fault)
        size = checksum = 0
        for piece in self._unpacked(info):
            size += len(piece)
            checksum = zlib.crc32(piece, checksum)
            yield piece
        if (size, checksum) != (info.file_size, info.CRC):
            raise SourceError(
                f"is corrupt: its checksum is {checksum:08x}, not {info.CRC:08x}"
                if size == info.file_size
                else f"is corrupt: it has {size} bytes, not {info.file_size}"
            )

    def _unpacked(self, info: ZipInfo) -> Iterable[bytes]:
        if info.compress_type == _DEFLATE and info.compress_size <= _SMALL:
            with suppress(zlib.error):
                return [zlib.decompress(b"".join(self._packed(info)), -zlib.MAX_WBITS)]
        # ZipExtFile has no bound on what bzip2 and LZMA give at once, nor on the memory that LZMA asks for.
        return unpacked(self._packed(info), info.compress_type)

    def _packed(self, info: ZipInfo) -> Iterator[bytes]:
        """Yield the bytes of a member as they are stored."""
        magic, *sizes = _HEADER.unpack(self._read_at(info.header_offset, _HEADER.size).ljust(_HEADER.size))
        if magic != _HEADER_MAGIC:
            raise SourceError(f"is corrupt: the zip has no member at byte {info.header_offset}")
        at = info.header_offset + _HEADER.size + sum(sizes)
        end = at + info.compress_size
        while at < end and (data := self._read_at(at, min(CHUNK_SIZE, end - at))):
            self._add_bytes_read(len(data))
            at += len(data)
            yield data


def _entries(directory: "_Directory") -> list[ZipInfo]:
    """Return the entries of the *directory* of a zip."""
    try:
        return ZipFile(cast("IO[bytes]", directory)).infolist()
    except (BadZipFile, NotImplementedError, ValueError, LookupError, struct.error) as error:
        raise SourceError(_BROKEN.format("its directory cannot be read")) from error


class _Directory:
    """The zip *file* as `ZipFile` reads it, which has no bound on the size of the directory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell
        self.listed = 0
        """How many entries begin in what was read last, which is the directory."""

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(min(size, MAX_LISTED * MAX_ENTRY + 1))
        self.listed = data.count(_ENTRY_MAGIC)
        if len(data) > MAX_LISTED * MAX_ENTRY or self.listed > MAX_LISTED:
            message = f"lists more than {MAX_LISTED} members, or in more than {MAX_ENTRY} bytes each: it is not read"
            raise SourceError(message)
        return data


# Tar

_MAX_SIZE = 1 << 62
"""A size that no file has; offsets after such a file still fit in 64 bits."""

_LONG_NAME, _SPARSE, _FOLDER = b"L", b"S", b"5"
_PAX = frozenset([b"x", b"X"])
_MORE = frozenset([_LONG_NAME, b"K", b"g", *_PAX])
"""The types of headers that say more about the next one; also a long link, and what pax says of all members."""

_WITHOUT_DATA = frozenset([b"1", b"2", b"3", b"4", _FOLDER, b"6"])
"""The types of links, devices, folders and FIFOs. A type that is not known is a file (POSIX)."""

_SPARSE_GOES_ON, _MAP_GOES_ON = 482, 504
"""The bytes of a sparse file's header, and of a block of its map, that say whether another block follows."""

_RECORD = re.compile(rb"(\d{1,7}) ([^=\n]+)=")
_DIGITS = re.compile(rb"\d{1,18}")
_BINARY = 0x80
_WRONG = "is broken: its header has a wrong number"


class _HeaderError(Exception):
    """There is no header where one should be, or it is too long."""


class _Header(NamedTuple):
    """A header, and the *fault* that makes its member unreadable."""

    name: bytes
    size: int
    type: bytes
    fault: str


def tar_members(tar: PeekableFile) -> Iterator[Member]:
    """Yield the files in *tar* that are not empty, each to be read before the next.

    Raises `SourceError` where the tar is broken, after the members before.
    """
    number = 0
    try:
        while (header := _header(tar)) is not None:
            number += 1
            if number > MAX_MEMBERS:
                raise SourceError(f"has more than {MAX_MEMBERS} members: the rest is not read")
            is_file = header.type not in _WITHOUT_DATA
            following = tar.position + (_padded(header.size) if is_file else 0)
            if header.fault or (is_file and header.size):
                name = header.name.decode("utf-8", "surrogateescape")
                yield Member(name, (header.size, None), _tar_data(tar, header))
            while tar.position < following and tar.take(min(CHUNK_SIZE, following - tar.position)):
                pass
    except _HeaderError as error:
        place = f"after member {number}, at byte {tar.position}"
        raise SourceError(f"the tar data is broken {place}: {error}; what follows is not read") from error
    while rest := tar.take(CHUNK_SIZE):
        if rest != bytes(len(rest)):
            message = f"the tar ends after member {number}, and the rest, up to byte {tar.position}, is not read"
            raise SourceError(f"{message}: `tar -i` reads it if it is another tar")


def _header(tar: PeekableFile) -> _Header | None:
    """Return the next member's header, with what the headers before it say of it; `None` at the end of the tar."""
    start = tar.position
    more: dict[bytes, bytes] = {}
    fault = ""
    while True:
        block = tar.take(TAR_BLOCK)
        if tar.position == start + TAR_BLOCK and not any(block):
            return None
        header = _decoded(block)
        fault = fault or header.fault
        if header.type not in _MORE:
            break
        _check_headers(tar.position + header.size - start)
        text = tar.take(_padded(header.size))[: header.size]
        if header.type == _LONG_NAME and text:
            more.setdefault(b"path", text.partition(b"\0")[0])
        elif header.type in _PAX and not _add_records(text, more):
            fault = _WRONG
    goes_on = header.type == _SPARSE and block[_SPARSE_GOES_ON]
    while goes_on:
        _check_headers(tar.position - start)
        goes_on = tar.take(TAR_BLOCK).ljust(TAR_BLOCK, b"\0")[_MAP_GOES_ON]
    size = more.get(b"size", b"%d" % header.size)
    if not _DIGITS.fullmatch(size):
        size, fault = b"%d" % header.size, _WRONG  # with the header's own size, the next one is found
    if header.type == _SPARSE or any(key.startswith(b"GNU.sparse.") for key in more):
        fault = fault or "is a file with holes in it, which is not read"
    name = more.get(b"GNU.sparse.name", more.get(b"path", header.name))
    return header._replace(name=name, size=int(size), fault=fault)


def _check_headers(size: int) -> None:
    if size > MAX_TAR_HEADERS:
        raise _HeaderError(f"its headers have more than {MAX_TAR_HEADERS} bytes")


def _decoded(block: bytes) -> _Header:
    """Decode a header. Its size is 0 if it is wrong; other wrong numbers do not matter."""
    if len(block) < TAR_BLOCK:
        raise _HeaderError("it ends early" if block else "it has no end mark")
    if not is_tar_header(block):
        raise _HeaderError("it has no header there")
    name, prefix, kind = block[:100].partition(b"\0")[0], block[345:500].partition(b"\0")[0], block[156:157]
    size = _number(block[124:136])
    if kind == b"\0" and name.endswith(b"/"):
        kind = _FOLDER  # in Unix version 7
    if prefix and kind != _SPARSE:
        name = b"%b/%b" % (prefix, name)
    return _Header(name, max(0, size), kind, _WRONG if size < 0 else "")


def _number(field: bytes) -> int:
    """Return a number, written in octal digits or, if it is large, in binary; -1 if it is wrong."""
    try:
        digits = field.partition(b"\0")[0].strip() or b"0"
        number = int.from_bytes(field[1:], "big") if field[0] == _BINARY else int(digits, 8)
    except ValueError:
        return -1
    return number if 0 <= number <= _MAX_SIZE else -1


def _padded(size: int) -> int:
    return -(-size // TAR_BLOCK) * TAR_BLOCK


def _add_records(text: bytes, records: dict[bytes, bytes]) -> bool:
    """Add the pax records in *text* whose keys are new, and return whether all in it are well-formed."""
    at = 0
    while at < len(text) and text[at]:
        found = _RECORD.match(text, at)
        stop = at + int(found[1]) if found else 0
        if found is None or not found.end() < stop <= len(text):
            return False
        records.setdefault(found[2], text[found.end() : stop - 1])
        at = stop
    return True


def _tar_data(tar: PeekableFile, header: _Header) -> Iterator[bytes]:
    """Yield the data of the member that *header* describes; *tar* is where they begin."""
    if header.fault:
        raise SourceError(header.fault)
    left = header.size
    while left:
        data = tar.take(min(CHUNK_SIZE, left))
        if not data:
            raise SourceError(f"the tar data ends early: {left} bytes are missing")
        left -= len(data)
        yield data
