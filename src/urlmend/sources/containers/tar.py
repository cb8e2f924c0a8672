"""Tar files, read forward: POSIX ustar and pax, GNU, and the seventh edition's."""

import tarfile
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

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


def members(file: Peeked, expansion: Expansion, tell: Callable[[str], object]) -> Iterator[Member]:
    """Yield the files in the tar *file* that are not empty. How many links and devices it has is told.

    `SourceError` where the tar is broken, once the members before are read.
    """
    forward = _Forward(file, expansion)
    others = number = 0
    try:
        # Nothing is ever opened or made under the names that stand there.
        tar = tarfile.open(  # noqa: SIM115 -- it holds nothing to be closed
            fileobj=cast("BinaryIO", forward), mode="r:", encoding="utf-8", errors="surrogateescape"
        )
        while (info := tar.next()) is not None:
            # It remembers them all.
            tar.members = []  # type: ignore[attr-defined]
            tar.pax_headers = {}
            number += 1
            if number > MAX_READ:
                message = f"has more than {MAX_READ} members: the rest is not read"
                raise SourceError(message)
            if not info.isreg() or info.issparse():
                others += not info.isdir()
            elif info.size:
                yield Member(member_name(file.name, info.name), forward, info)
            forward.left = MAX_HEADER
    except (tarfile.TarError, ValueError, LookupError, RecursionError) as error:
        message = f"the tar data is broken behind member {number}, at byte {forward.tell()}: {error}"
        raise SourceError(message) from error
    finally:
        if others:
            tell(f"{others} links, devices or files with holes in it are passed over")
    if not forward.ended_well:
        message = f"the tar data is broken behind member {number}, at byte {forward.tell()}: the rest is not read"
        raise SourceError(message)


class _Forward:
    """A file of which only `read(n)` is asked, for tarfile, which goes back by no more than one byte."""

    def __init__(self, file: Peeked, expansion: Expansion) -> None:
        self._file = file
        self._expansion = expansion
        self._held = b""  # what was read last; nothing is read ahead
        self._start = 0  # its offset
        self._at = 0
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
        self._expansion.out(len(self._held))
