"""Compressed files, recognised by content and read as what they hold."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable
from typing import Any

from urlmend.sources import SourceError
from urlmend.sources.reader import CHUNK_SIZE

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
MAGIC_SIZE = 6
"""How many bytes tell whether a file is compressed."""


class CompressionError(SourceError):
    """A compressed file ends early or is corrupt; what could be read of it was."""


def kind(head: bytes) -> str | None:
    """Return what the file that begins with *head* is compressed with; `None` for nothing known."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


class Peeked:
    """A file whose beginning can be looked at before it is read: `head` is what is in hand.

    `compression` is what the file is compressed with that this is read from; `unpacked` tells that it was looked at.
    """

    compression: str | None = None
    unpacked = False

    def __init__(self, fileobj: Any) -> None:  # noqa: ANN401 -- any object with read(n)
        self._file = fileobj
        self.name = getattr(fileobj, "name", None)
        self.head: Any = fileobj.read(CHUNK_SIZE)
        self.ended = not self.head
        self.is_text = isinstance(self.head, str)

    def more(self) -> bool:
        """Read more of the beginning; `False` where there is no more."""
        data = self._file.read(CHUNK_SIZE)
        self.ended = not data
        self.head += data
        return not self.ended

    def read(self, size: int, /) -> Any:  # noqa: ANN401 -- what the file gives
        """Read at most *size* bytes or characters."""
        if self.head:
            data, self.head = self.head[:size], self.head[size:]
            return data
        return self._file.read(size)


class _Decompressed:
    """What the compressed *file* holds, of *kind*."""

    def __init__(self, file: Peeked, kind: str) -> None:
        self.name = file.name
        self._kind = kind
        self._size = 0
        self._broken: OSError | None = None
        self._file = _OPENERS[kind](file)

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes; `CompressionError` where the file is broken, once all before it is given out.

        Members of a file are read together: a web archive has one for each of its small records.
        """
        held: list[bytes] = []
        while size and self._broken is None and (data := self._some(size)):
            held.append(data)
            size -= len(data)
        if not held and self._broken is not None:
            raise self._broken
        return b"".join(held)

    def _some(self, size: int) -> bytes:
        """Return what comes next, of at most *size* bytes; nothing at the end and where the file is broken."""
        data = b""
        try:
            data = self._file.read1(size)
        except EOFError as error:
            self._break(error, "ends early")
        except (zlib.error, lzma.LZMAError, gzip.BadGzipFile, _zstd_error()) as error:
            self._break(error, "is corrupt")
        except OSError as error:
            # Errors of the file itself have a number; bz2's of its data have none.
            if error.errno is not None:
                self._broken = error
            else:
                self._break(error, "is corrupt")
        self._size += len(data)
        return data

    def _break(self, error: Exception, fault: str) -> None:
        self._broken = CompressionError(f"the {self._kind} data {fault}, after {self._size} bytes of what it holds")
        self._broken.__cause__ = error


def _zstd() -> Any:  # noqa: ANN401 -- a module of the standard library from 3.14 on, and its backport before
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 -- only where it is needed
    else:
        from backports import zstd  # noqa: PLC0415 -- only where it is needed
    return zstd


def _zstd_error() -> type[Exception]:
    error: type[Exception] = _zstd().ZstdError
    return error


_OPENERS: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda file: gzip.GzipFile(fileobj=file, mode="rb"),
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zstd": lambda file: _zstd().ZstdFile(file),
}


def decompressed(fileobj: Any) -> Peeked:  # noqa: ANN401 -- any object with read(n)
    """Return what *fileobj* holds if it is compressed, else itself, as a file that can be looked at."""
    file = fileobj if type(fileobj) is Peeked else Peeked(fileobj)
    if file.unpacked:
        return file
    file.unpacked = True
    while not file.is_text and len(file.head) < MAGIC_SIZE and file.more():
        pass
    name = None if file.is_text else kind(file.head)
    if name is None:
        return file
    opened = Peeked(_Decompressed(file, name))
    opened.compression = name
    opened.unpacked = True
    return opened
