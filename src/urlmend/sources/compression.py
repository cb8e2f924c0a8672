"""Compressed files, recognised by content and read as what they hold."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from urlmend.sources import Source, Text
from urlmend.sources.window import CHUNK_SIZE

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
MAGIC_SIZE = 6
"""How many bytes tell whether a file is compressed."""


class CompressionError(OSError):
    """A compressed file that ends early or is corrupt; what could be read of it was."""


def kind(head: bytes) -> str | None:
    """Return what the file that begins with *head* is compressed with; `None` for nothing known."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


class Peeked:
    """A file whose beginning can be looked at before it is read: `head` is what is in hand."""

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


class Decompressed:
    """What the compressed *file* holds, of *kind*. A fault ends it; then `error` says so."""

    def __init__(self, file: Peeked, kind: str) -> None:
        self.name = file.name
        self._kind = kind
        self._held = 0
        self.error: CompressionError | None = None
        self._file = _OPENERS[kind](file)

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes; none at the end, or where the file is broken."""
        if self.error is not None:
            return b""
        try:
            data: bytes = self._file.read1(size)
        except (EOFError, zlib.error, lzma.LZMAError, _zstd_error(), gzip.BadGzipFile) as error:
            fault = "ends early" if isinstance(error, EOFError) else f"is corrupt ({error})"
            self.error = CompressionError(f"{self._kind} data {fault}; read were the {self._held} bytes that it held")
            return b""
        except OSError as error:
            # bz2 says so of corrupt data; errors of the file itself have a number.
            if error.errno is not None:
                raise
            self.error = CompressionError(f"{self._kind} data is corrupt; read were the {self._held} bytes it held")
            return b""
        self._held += len(data)
        return data


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


def decompressing(texts: Source, fileobj: Peeked) -> Iterator[Text]:
    """Yield what *texts* finds in *fileobj*, decompressed if it is compressed, and then raise what went wrong."""
    while len(fileobj.head) < MAGIC_SIZE and fileobj.more():
        pass
    name = kind(fileobj.head)
    if name is None:
        yield from texts(fileobj)
        return
    file = Decompressed(fileobj, name)
    yield from texts(Peeked(file))
    if file.error is not None:
        raise file.error
