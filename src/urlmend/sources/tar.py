"""Tar files, read forward: POSIX ustar and pax, GNU, and that of Unix version 7.

Every number in a header may be wrong. A member with wrong numbers is not read; the next one is.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, Any, NamedTuple

from urlmend.sources.compression import Member
from urlmend.sources.origin import Readable, SourceError
from urlmend.sources.reader import CHUNK_SIZE

MAX_MEMBERS = 10_000_000
"""How many members of a tar are read. None is remembered, but each takes 20 µs, an empty one too."""

MAX_HEADER = 1 << 20
"""How many bytes the headers of one member may have: a long name or a pax record is in hand."""

_MAX_SIZE = 1 << 62
"""A size that no file has; offsets after such a file still fit in 64 bits."""

BLOCK = 512
"""How many bytes a header has; data are padded to a multiple of it."""

# POSIX.1-2017 pax, "ustar interchange format"; only what counts here.
_NAME = slice(0, 100)
_SIZE = slice(124, 136)
_TIME = slice(136, 148)
_CHECKSUM = slice(148, 156)
_TYPE = slice(156, 157)
_PREFIX = slice(345, 500)
_BASE_256 = (0x80, 0xFF)  # GNU: the first byte of a number that is not in octal

# Links, devices, directories and FIFOs have no data, whatever size they say; files, and types that are not known, do.
_FILES = frozenset([b"0", b"\0", b"7"])
_DIRECTORY = b"5"
_WITHOUT_DATA = frozenset([b"1", b"2", b"3", b"4", _DIRECTORY, b"6"])
# Headers that say more about the next one.
_LONG_NAME = b"L"
_PAX = frozenset([b"x", b"X"])
_MORE = frozenset([_LONG_NAME, b"K", b"g", *_PAX])  # also a long link, and what pax says of all members
# A file with holes in it, and the bytes that say whether another block of its map follows.
_SPARSE = b"S"
_SPARSE_GOES_ON, _MAP_GOES_ON = 482, 504

_RECORD = re.compile(rb"(\d{1,7}) ([^=\n]+)=")
_SPARSE_RECORDS = b"GNU.sparse."
_WRONG_NUMBER = b""
_RECORDS = (b"path", b"size", _SPARSE_RECORDS)


class TarRange(NamedTuple):
    """The members whose headers begin from the offset *start* on, before *stop*; *number* members come before them."""

    start: int = 0
    stop: int = sys.maxsize
    number: int = 0


WHOLE = TarRange()


def is_header(block: bytes) -> bool:
    """Return whether *block* is a header, by its checksum."""
    checksum = _number(block[_CHECKSUM])
    octets = block[: _CHECKSUM.start] + b" " * 8 + block[_CHECKSUM.stop :]
    # Some old programs took bytes for signed numbers.
    return bool(checksum) and checksum in {sum(octets), sum(memoryview(octets).cast("b"))}


class _Header(NamedTuple):
    """A member as its headers describe it; the first of them begins at `offset`."""

    offset: int
    name: str
    type: bytes
    size: int
    time: int
    fault: str


class _BrokenError(Exception):
    """The tar is broken: no further header can be found."""


class _Forward:
    """Reads a file that has only `read(n)`. *at* is its position; *out* is called with the size of each piece."""

    def __init__(self, file: Readable, out: Callable[[int], object] = id, at: int = 0) -> None:
        self._file: Any = file
        self._out = out
        self.at = at

    def read(self, size: int) -> bytes:
        """Return at most *size* bytes, none at the end."""
        data: bytes = self._file.read(size)
        self.at += len(data)
        self._out(len(data))
        return data

    def exactly(self, size: int) -> bytes:
        """Return *size* bytes, fewer at the end."""
        data = self.read(size)
        while len(data) < size and (more := self.read(size - len(data))):
            data += more
        return data

    def go_to(self, place: int) -> None:
        """Go forward to *place*, or to the end."""
        while self.at < place and self.read(min(CHUNK_SIZE, place - self.at)):
            pass


class _OnDisk(_Forward):
    """A file on disk, of which only headers are read."""

    def go_to(self, place: int) -> None:
        """Go to *place*."""
        self.at = self._file.seek(place)


def _headers(file: _Forward, stop: int = sys.maxsize) -> Iterator[_Header]:
    """Yield the headers before *stop*; raise `_BrokenError` at anything else. The data need not be read."""
    while file.at < stop and (header := _header(file)) is not None:
        size = 0 if header.type in _WITHOUT_DATA else header.size
        following = file.at + _padded(size)
        yield header
        file.go_to(following)


def _header(file: _Forward) -> _Header | None:
    """Return the next member's header; `None` at the end of the tar."""
    offset = file.at
    block = file.exactly(BLOCK)
    if not block.strip(b"\0"):
        return None
    records: dict[bytes, bytes] = {}
    while _type(block) in _MORE:
        _read_more(file, block, offset, records)
        block = file.exactly(BLOCK)
    kind = _type(block)
    goes_on = kind == _SPARSE and block[_SPARSE_GOES_ON]
    while goes_on:
        _check_size(file.at - offset)
        goes_on = file.exactly(BLOCK).ljust(BLOCK, b"\0")[_MAP_GOES_ON]
    name = _text(block[_NAME])
    if kind == b"\0" and name.endswith("/"):
        kind = _DIRECTORY  # in version 7
    if kind != _SPARSE and (prefix := _text(block[_PREFIX])):
        name = f"{prefix}/{name}"
    if b"path" in records:
        name = records[b"path"].decode("utf-8", "surrogateescape")
    size, time = _size(block, records), _number(block[_TIME]) or 0
    fault = "is a file with holes in it, which is not read" if kind == _SPARSE or _SPARSE_RECORDS in records else ""
    if _WRONG_NUMBER in records:
        fault = "is broken: its header has a wrong number"
    return _Header(offset, name, kind, size, time, fault)


def _type(block: bytes) -> bytes:
    if len(block) < BLOCK or not is_header(block):
        raise _BrokenError("the rest is not read")
    return block[_TYPE]


def _read_more(file: _Forward, block: bytes, offset: int, records: dict[bytes, bytes]) -> None:
    """Add what the header *block* says of the next header to *records*; the member's first header is at *offset*."""
    kind, size = block[_TYPE], _number(block[_SIZE])
    if size is None or size < 0:
        records[_WRONG_NUMBER] = b""
        return
    _check_size(file.at + size - offset)
    text = file.exactly(_padded(size))[:size]
    if kind == _LONG_NAME:
        records.setdefault(b"path", text.partition(b"\0")[0])
    elif kind in _PAX:
        _add_records(text, records)


def _check_size(size: int) -> None:
    if size > MAX_HEADER:
        raise _BrokenError(f"its headers have more than {MAX_HEADER} bytes")


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _number(field: bytes) -> int | None:
    """Return the number in *field*, in octal or in base 256 (GNU); `None` if it has none."""
    if field[0] in _BASE_256:
        return int.from_bytes(field[1:], "big") - (field[0] & 1) * (1 << 8 * (len(field) - 1))
    try:
        return int(field.partition(b"\0")[0].strip() or b"0", 8)
    except ValueError:
        return None


def _size(block: bytes, records: dict[bytes, bytes]) -> int:
    """Return the size of the data. A wrong size in a record is ignored, so that the next header is found."""
    size = _number(block[_SIZE])
    record = records.get(b"size")
    if record is not None and record.isdigit() and len(record) <= len(str(_MAX_SIZE)):
        size = int(record)
    elif record is not None:
        records[_WRONG_NUMBER] = b""
    if size is None or not 0 <= size <= _MAX_SIZE:
        records[_WRONG_NUMBER] = b""
        return 0
    return size


def _add_records(text: bytes, records: dict[bytes, bytes]) -> None:
    """Add the relevant pax records in *text*; what an earlier header said stays."""
    at = 0
    while at < len(text) and text[at]:
        found = _RECORD.match(text, at)
        stop = at + int(found[1]) if found else 0
        if found is None or not found.end() < stop <= len(text):
            records[_WRONG_NUMBER] = b""
            return
        key = _SPARSE_RECORDS if found[2].startswith(_SPARSE_RECORDS) else found[2]
        if key in _RECORDS:
            records.setdefault(key, text[found.end() : stop - 1])
        at = stop


def _data(file: _Forward, header: _Header) -> Iterator[bytes]:
    """Yield the data of the member that *header* describes; *file* is where they begin."""
    if header.fault:
        raise SourceError(header.fault)
    left = header.size
    while left:
        data = file.read(min(CHUNK_SIZE, left))
        if not data:
            raise SourceError(f"the tar data ends early, {left} bytes before its end")
        left -= len(data)
        yield data


def members(file: Readable, out: Callable[[int], object], part: TarRange = WHOLE) -> Iterator[Member]:
    """Yield the files in the tar *file*, or in that *part* of it, that are not empty; *file* is at its start.

    Each is to be read before the next. Its stamp is its size and time. *out* is called with the size of each piece
    read. Links and devices are left out. Raises `SourceError` if the tar is broken, once the members before are read.
    """
    forward = _Forward(file, out, part.start)
    number = part.number
    try:
        for header in _headers(forward, part.stop):
            number += 1
            if number > MAX_MEMBERS:
                raise SourceError(f"has more than {MAX_MEMBERS} members: the rest is not read")
            if header.fault or (header.type in _FILES and header.size):
                stamp = (header.size, header.time & _MAX_SIZE - 1)
                yield Member(header.name, stamp, _data(forward, header))
    except _BrokenError as error:
        raise SourceError(f"the tar data is broken after member {number}, at byte {forward.at}: {error}") from error


def ranges(file: IO[bytes], size: int) -> Iterator[TarRange]:
    """Divide *file*, a tar on disk, into ranges of at least *size* bytes, reading only its headers.

    If it is broken, the last range covers the rest, and its reader reports the fault.
    """
    file.seek(0)
    part, number = WHOLE, 0
    with suppress(_BrokenError):
        for header in _headers(_OnDisk(file)):
            if header.offset - part.start >= size:
                yield part._replace(stop=header.offset)
                part = TarRange(header.offset, number=number)
            number += 1
            if number > MAX_MEMBERS:
                break
    yield part
