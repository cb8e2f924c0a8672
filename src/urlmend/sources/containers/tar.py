"""Tar files, read forward: POSIX ustar and pax, GNU, and the seventh edition's."""

import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, Any, BinaryIO, NamedTuple, cast

from urlmend.sources.compression import Peeked
from urlmend.sources.containers import member_name
from urlmend.sources.containers.bounds import MAX_READ, Expansion
from urlmend.sources.origin import SourceError
from urlmend.sources.reader import CHUNK_SIZE

MAX_HEADER = 1 << 20
"""How many bytes the headers of one member have: tarfile takes long names, pax records and maps of holes into memory,
however long they say they are.
"""

_BLOCK = tarfile.BLOCKSIZE


class Member:
    """A file in a tar, open until the next is asked for. `stamp` is its size and time."""

    def __init__(self, name: str, file: "_Forward", info: tarfile.TarInfo) -> None:
        self.name = name
        self.stamp = (info.size, int(info.mtime) & (1 << 62) - 1)
        self._file = file
        self._at = info.offset_data
        self._left = info.size

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes; `SourceError` where the tar ends before the member does."""
        size = min(size, self._left)
        if not size:
            return b""
        self._file.seek(self._at)
        data = self._file.some(size)
        if not data:
            message = f"the tar data ends early, {self._left} bytes before its end"
            raise SourceError(message)
        self._at += len(data)
        self._left -= len(data)
        return data


class TarRange(NamedTuple):
    """The members whose headers begin from the offset *start* on, before *stop*.

    Behind so many members (*number*) they come, of which *others* are links, devices or files with holes in them.
    """

    start: int = 0
    stop: int = sys.maxsize
    number: int = 0
    others: int = 0


WHOLE = TarRange()


def members(
    file: Peeked, expansion: Expansion, tell: Callable[[str], object], part: TarRange = WHOLE
) -> Iterator[Member]:
    """Yield the files in the tar *file*, or in that *part* of it, that are not empty; *file* stands at its start.

    How many links and devices it has is told at its end. `SourceError` where it is broken, once the members before are
    read.
    """
    forward = _Forward(file, expansion, part.start)
    number, others = part.number, part.others
    ended = False
    try:
        for info in _infos(forward):
            if info.offset >= part.stop:
                forward.give_back(part.stop)
                ended = True
                return
            number += 1
            if number > MAX_READ:
                message = f"has more than {MAX_READ} members: the rest is not read"
                raise SourceError(message)
            if _is_other(info):
                others += not info.isdir()
            elif info.size:
                yield Member(member_name(file.name, info.name), forward, info)
            forward.left = MAX_HEADER
    except _BROKEN as error:
        message = f"the tar data is broken behind member {number}, at byte {forward.tell()}: {error}"
        raise SourceError(message) from error
    finally:
        if others and not ended:
            tell(f"{others} links, devices or files with holes in it are passed over")
    if not forward.ended_well:
        message = f"the tar data is broken behind member {number}, at byte {forward.tell()}: the rest is not read"
        raise SourceError(message)


def ranges(file: IO[bytes], size: int) -> Iterator[TarRange]:
    """Yield the ranges, of at least *size* bytes, of the tar on disk that *file* is. Only headers are read.

    Where it is broken the last one is as long as all that follows: who reads it says what is wrong.
    """
    forward = _Skipping(file)
    part, number, others = WHOLE, 0, 0
    with suppress(*_BROKEN):
        for info in _infos(forward):
            if info.offset - part.start >= size:
                yield part._replace(stop=info.offset)
                part = TarRange(info.offset, number=number, others=others)
            number += 1
            if number > MAX_READ:
                break
            others += _is_other(info) and not info.isdir()
            forward.left = MAX_HEADER
    yield part


_BROKEN = (tarfile.TarError, ValueError, LookupError, RecursionError)
"""What tarfile raises of broken headers."""


def _infos(forward: "_Forward") -> Iterator[tarfile.TarInfo]:
    """Yield what the headers tell."""
    # Nothing is ever opened or made under the names that stand there.
    tar = tarfile.open(  # noqa: SIM115 -- it holds nothing to be closed
        fileobj=cast("BinaryIO", forward), mode="r:", encoding="utf-8", errors="surrogateescape"
    )
    while (info := tar.next()) is not None:
        # It remembers them all.
        tar.members = []  # type: ignore[attr-defined]
        tar.pax_headers = {}
        yield info


def _is_other(info: tarfile.TarInfo) -> bool:
    return not info.isreg() or info.issparse()


class _Forward:
    """A file of which only `read(n)` is asked, for tarfile, which goes back by no more than one byte."""

    def __init__(self, file: Any, expansion: Expansion | None, start: int = 0) -> None:  # noqa: ANN401 -- any object with read(n)
        self._file = file
        self._expansion = expansion
        self._held = b""  # what was read last; nothing is read ahead
        self._start = start  # its offset
        self._at = start
        self.left = MAX_HEADER  # how much tarfile may read

    @property
    def ended_well(self) -> bool:
        """Whether what was read last is an empty block, or nothing."""
        return not self._held.strip(b"\0")

    def tell(self) -> int:
        """Return the offset of what is read next."""
        return self._at

    def seek(self, place: int) -> None:
        """Go forward to *place*, from 0, or back to what is still held."""
        if place < self._start:
            message = f"a header there leads back to byte {place}"
            raise tarfile.ReadError(message)
        while place > self._start + len(self._held):
            self._more(min(CHUNK_SIZE, place - self._start - len(self._held)))
            if not self._held:
                break
        self._at = place

    def read(self, size: int, /) -> bytes:
        """Return *size* bytes of a header, fewer at the end."""
        self.left -= size
        if self.left < 0:
            message = f"its headers have more than {MAX_HEADER} bytes"
            raise tarfile.ReadError(message)
        data = self.some(size)
        while len(data) < size and (more := self.some(size - len(data))):
            data += more
        if len(data) > len(self._held):
            self._held, self._start = data[-_BLOCK:], self._at - len(data[-_BLOCK:])
        return data

    def some(self, size: int) -> bytes:
        """Return at most *size* bytes, none at the end."""
        into = self._at - self._start
        if into >= len(self._held):
            self._more(size)
            into = 0
        data = self._held[into : into + size]
        self._at += len(data)
        return data

    def _more(self, size: int) -> None:
        self._start += len(self._held)
        self._held = self._file.read(size)
        if self._expansion is not None:
            self._expansion.out(len(self._held))

    def give_back(self, place: int) -> None:
        """Take it that nothing was read from *place* on."""
        if self._expansion is not None:
            self._expansion.total -= max(0, self._start + len(self._held) - place)


class _Skipping(_Forward):
    """The same of a file on disk, of which only headers are read."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, None)
        file.seek(0)

    def seek(self, place: int) -> None:
        """Go to *place*, from 0."""
        if place > self._start + len(self._held):
            self._file.seek(place)
            self._held, self._start = b"", place
        super().seek(place)
