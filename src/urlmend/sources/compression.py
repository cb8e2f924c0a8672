"""Compressed files, recognised by content and decompressed."""

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from errno import EAGAIN
from functools import cache, partial
from importlib import import_module
from itertools import chain
from typing import Any

from urlmend.sources.origin import Readable, SourceError, ignore, source_name

CHUNK_SIZE = 1 << 18
"""How many bytes are read at a time, except of mail and text."""

MAX_WINDOW_LOG = 27
"""The largest window that a decompressor may ask for is 2 to this power: 128 MiB.

`xz -9` takes 64 MiB, `zstd --ultra -22` and `zstd --long` take 128 MiB. More would let a small file take all memory.
"""

_MAX_LZMA_MEMORY = (1 << MAX_WINDOW_LOG) + (1 << 20)  # xz needs a little besides its window

_MAGIC = {
    b"\x1f\x8b": "gzip",
    **{b"BZh%d" % level: "bzip2" for level in range(1, 10)},
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    # The frames to skip of RFC 8878 section 3.1.2, with which pzstd begins.
    **{b"%c\x2a\x4d\x18" % octet: "zstd" for octet in range(0x50, 0x60)},
}
_MAGICS = tuple(_MAGIC)
MAGIC_SIZE = max(map(len, _MAGIC))
"""How many bytes show whether a file is compressed."""

METHODS = {0: "", 8: "deflate", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz"}
"""The compression of a zip's members, by the numbers of APPNOTE 4.4.5."""

_STEP = 1 << 10
"""How many bytes a decompressor gets at a time, however the file is read.

If a step is corrupt, all of what it holds is lost. At the end of a member, a decompressor copies what it did not use.
"""

_TRAILER = 8
"""How many bytes at the end of a file are a step of their own, so that data with a wrong checksum is read.

A gzip ends with a checksum and a size of four bytes each (RFC 1952 section 2.3). zlib and zstd end with a checksum, but
there may be data in these eight bytes, so they come one by one.
"""

_LEAST = 1 << 10
"""The fewest bytes that a read waits for. A pipe may bring one byte at a time, and its reader copies what it holds with
each read.
"""

_EARLY = "ends early"


class CompressionError(SourceError):
    """A compressed file ends early or is corrupt. Everything that could be read was returned before."""


def compression_of(head: bytes) -> str | None:
    """Return the compression of a file that begins with *head*; `None` if it has none, or an unknown one."""
    if not head.startswith(_MAGICS):
        return None
    return next(name for magic, name in _MAGIC.items() if head.startswith(magic))


# Decompressors: each step takes little memory, whatever is in it


@cache
def _zlib() -> Any:  # noqa: ANN401 -- a module
    """Return zlib-ng if it is installed (the extra `fast`), else zlib, which takes half as long again."""
    try:
        return import_module("zlib_ng.zlib_ng")
    except ImportError:
        return zlib


class _Inflate:
    """Decompresses one gzip member, or raw DEFLATE data."""

    def __init__(self, wbits: int = 31) -> None:
        self._inflate: zlib._Decompress = _zlib().decompressobj(wbits=wbits)
        self.eof = False
        self.needs_input = True
        self.unused_data = b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        inflate = self._inflate
        result = inflate.decompress(data or inflate.unconsumed_tail, max_length)
        self.eof, self.unused_data = inflate.eof, inflate.unused_data
        # After a result of the greatest length, there may be more without more input.
        self.needs_input = len(result) < max_length and not inflate.unconsumed_tail
        return result


class _Brotli:
    """Decompresses Brotli (RFC 7932) with the package brotli. A result may be twice as long as it should be."""

    unused_data = b""

    def __init__(self) -> None:
        brotli = import_module("brotli")
        self._brotli: Any = brotli.Decompressor()
        if not hasattr(self._brotli, "can_accept_more_data"):
            raise ImportError  # before 1.2, its results have no bound
        self._error: type[Exception] = brotli.error
        self.eof = False
        self.needs_input = True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        try:
            result: bytes = self._brotli.process(data, output_buffer_limit=max_length)
        except self._error as error:
            raise ValueError(str(error)) from error
        self.eof = self._brotli.is_finished()
        self.needs_input = len(result) < max_length and self._brotli.can_accept_more_data()
        return result


def _zstd() -> Any:  # noqa: ANN401 -- a module
    """Return the standard library's zstd module (3.14 and later), or its backport."""
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def _lzma() -> Any:  # noqa: ANN401 -- a module, which few runs need
    return import_module("lzma")


# Each has the methods of `bz2.BZ2Decompressor`.
_DECOMPRESSORS: Mapping[str, Callable[[], Any]] = {
    "gzip": _Inflate,
    "zlib": lambda: _Inflate(15),
    "deflate": lambda: _Inflate(-15),
    "br": _Brotli,
    "bzip2": lambda: import_module("bz2").BZ2Decompressor(),
    "lzma": lambda: _lzma().LZMADecompressor(_lzma().FORMAT_ALONE, memlimit=_MAX_LZMA_MEMORY),
    "xz": lambda: _lzma().LZMADecompressor(memlimit=_MAX_LZMA_MEMORY),
    "zstd": lambda: _zstd().ZstdDecompressor(options={_zstd().DecompressionParameter.window_log_max: MAX_WINDOW_LOG}),
}


def _errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that the decompressors raise for corrupt data."""
    return (OSError, EOFError, ValueError, MemoryError, _zlib().error, _lzma().LZMAError, _zstd().ZstdError)


# How much comes out of the outermost file

MAX_RATIO = 250
"""How many bytes may come out of each byte of the outermost container. Text is packed 3:1 to 10:1, the logs that pack
best 150:1, bombs from 1000:1 on.
"""

FREE = 1 << 28
"""How many bytes may come out of any container, or the bodies of a web archive, whatever the ratio: to decompress
them takes some seconds.
"""

FREE_SIZE, FREE_TAGS = 1 << 22, 1 << 16
"""How many characters and tags of HTML may come out of any file: they take about a second. Each byte of it may add
MAX_RATIO characters and one tag: of the pages measured, Node's manual has the most, .8 a byte when packed by xz.
`&` counts as a tag.
"""


class Expansion:
    """Bounds how much comes out of the outermost container, and of those in it, by how much of it was read.

    *packed* returns the number of bytes read: for each, MAX_RATIO bytes may come out, and in all `free` bytes more.
    """

    def __init__(self, packed: Callable[[], int]) -> None:
        self.packed = packed
        self.free = FREE
        self._total = 0
        self.characters = self.tags = 0  # of HTML

    def out(self, size: int) -> None:
        """Add *size* to the number of bytes that came out; raise `SourceError` if that is too much."""
        self._total += size
        if self.used > self.free:
            raise SourceError(f"expands to more than {MAX_RATIO} times its size: the rest is not read")

    @property
    def used(self) -> int:
        """How many of the free bytes came out."""
        return max(0, self._total - MAX_RATIO * self.packed())


# Files

Stamp = tuple[int, int | None]
"""The size of a member of a container, and its checksum if the container has one: a zip has, a tar has not."""


class PeekableFile:
    """A file whose beginning can be looked at before it is read: *fileobj*, or one that is made of pieces of bytes.

    `take` waits for all that it was asked for, and so does `read` if the file is made of pieces. If reading fails,
    what came before is returned first, and then the `error` is raised; `ended` is true once nothing more will come.
    `position` is how much of the file was read, in bytes or characters, and `defects` says what was skipped. A member
    of a container has a *name*, a *stamp*, and the *expansion* of the outermost container. *compression* is that of the
    file it comes from.
    """

    def __init__(
        self,
        fileobj: Readable | Iterator[bytes],
        name: str | None = None,
        stamp: Stamp | None = None,
        expansion: Expansion | None = None,
        compression: str | None = None,
    ) -> None:
        self.name = name or source_name(fileobj)
        self.stamp = stamp
        self.compression = compression
        self.expansion = expansion or Expansion(lambda: self.position)
        self.defects: dict[str, None] = {}
        self.report: Callable[..., object] = ignore
        """Is called with remarks of a source that are not errors, and with what it has not read (`Skipped`)."""
        self.recognised: str | None = None
        """The source that reads the file, once that is known: then it is not a container."""
        self._file: Any = fileobj
        self._arrives = hasattr(fileobj, "read")
        self.position = 0
        self.error: Exception | None = None
        self._at = 0  # in what is held: what is before has been read
        self._held: Any = None
        self._held = self._more()
        self.ended = not self._held
        self.is_text = isinstance(self._held, str)

    def _more(self, size: int = CHUNK_SIZE) -> Any:  # noqa: ANN401 -- what the file gives
        data = self._file.read(size) if self._arrives else next(filter(None, self._file), b"")
        if data is None:
            raise BlockingIOError(EAGAIN, "has no data yet, and is non-blocking")
        if not isinstance(data, (bytes, str)) or (self._held is not None and isinstance(data, str) != self.is_text):
            raise TypeError(f"read must return bytes each time, or str each time, not {type(data).__name__}")
        return data

    @property
    def head(self) -> Any:  # noqa: ANN401 -- what the file gives
        """What can be read without asking for more."""
        return self._held[self._at :]

    @property
    def bytes_read(self) -> int:
        """How many bytes or characters came from the file: those that were read, and those that are held."""
        return self.position + len(self._held) - self._at

    def beginning(self, size: int, at_once: int = CHUNK_SIZE) -> Any:  # noqa: ANN401 -- what the file gives
        """Return the next *size* bytes or characters of the file, or all of a shorter one, without consuming them.

        *at_once* is the most to ask the file for in one read.
        """
        missing = size - len(self._held) + self._at
        if missing > 0 and not self.ended:
            self._held, self._at = self.head, 0
            held = [self._held]
            while missing > 0 and not self.ended:
                try:
                    data = self._more(at_once)
                except Exception as error:  # noqa: BLE001 -- `take` raises it
                    self.error = error
                    data = held[0][:0]
                self.ended = not data
                held.append(data)
                missing -= len(data)
            self._held = held[0][:0].join(filter(None, held))  # one piece, as it mostly is, is not copied
        return self._held[self._at : self._at + size]

    def take(self, size: int) -> Any:  # noqa: ANN401 -- what the file gives
        """Read *size* bytes or characters, fewer at the end."""
        stop = self._at + size
        data = self._held[self._at : stop] if stop <= len(self._held) else self.beginning(size)
        if not data and size:
            self.raise_error()
        self._at += len(data)
        self.position += len(data)
        return data

    def raise_error(self) -> None:
        """Raise the error that ended the file, if one did."""
        if self.error is not None:
            raise self.error

    def read(self, size: int, /) -> Any:  # noqa: ANN401 -- what the file gives
        """Read at most *size* bytes or characters. Of a file that arrives, return what there is, from _LEAST on."""
        if self._arrives:
            self.beginning(min(size, _LEAST), size)
            size = min(size, len(self._held) - self._at) or size
        return self.take(size)

    read1 = read

    def unread(self, size: int) -> None:
        """Put back the last *size* bytes that were taken, if nothing was asked for since."""
        self._at -= size
        self.position -= size

    def fileno(self) -> int:
        """Return the descriptor of the file; raise `AttributeError` or `OSError` if it has none."""
        return int(self._file.fileno())

    def add_bytes_read(self, size: int) -> None:
        """Add *size* bytes, read through the descriptor, to the number read; those in `head` are already counted."""
        known = min(size, len(self._held) - self._at)
        self._at += known
        self.position += size
        if size > known and (add := getattr(self._file, "add_bytes_read", None)) is not None:
            add(size - known)

    def markup(self, pieces: Iterable[Any], name: str = "HTML") -> Iterator[Any]:
        """Yield the decoded *pieces* of HTML or of a feed that are not too many for the size of the container.

        The others are decoded, but not read; `report` is called with the size of what comes before them.
        """
        counts = self.expansion
        size: int | None = 0
        for piece in pieces:
            if size is None:
                continue
            # In a feed, tags are escaped.
            text, packed = piece.text, counts.packed()
            characters, tags = counts.characters + len(text), counts.tags + text.count("<") + text.count("&")
            if characters > FREE_SIZE + MAX_RATIO * packed or tags > FREE_TAGS + packed:
                self.report(f"{name} is too large when decompressed: only its first {size} characters are read")
                size = None
                continue
            counts.characters, counts.tags = characters, tags
            size += len(text)
            yield piece


def _content(file: PeekableFile, name: str, member: Any, out: Callable[[int], object] = ignore) -> Iterator[bytes]:  # noqa: ANN401
    """Yield the content of *file*, whose compression is *name*; *member* is the decompressor of its first member.

    *out* is called with the size of each piece. Raises `CompressionError` if the file is broken.
    """
    size, last = 0, _TRAILER if name == "gzip" else 1

    def broken(fault: str, then: str = "") -> CompressionError:
        return CompressionError(f"the {name} data {fault}, after {size} decompressed bytes{then}")

    while True:
        step = b""
        if member.needs_input:
            size_before = len(file.beginning(_STEP + _TRAILER)) - _TRAILER
            step = file.take(size_before if size_before > 0 else last)
            if not step:
                raise broken(_EARLY)
        try:
            data = member.decompress(step, CHUNK_SIZE)
        except _errors() as error:
            needs_memory = "memory" in str(error).lower()
            limit = f"needs a window of more than {1 << (MAX_WINDOW_LOG - 20)} MiB"
            raise broken(limit if needs_memory else "is corrupt") from error
        size += len(data)
        out(len(data))
        yield data
        if not member.eof:
            continue
        file.unread(len(member.unused_data))
        if not _begins_member(file, name):
            break
        member = _DECOMPRESSORS[name]()
    file.raise_error()
    if magic := file.beginning(MAGIC_SIZE):
        is_cut = any(known.startswith(magic) for known in _MAGIC if _MAGIC[known] == name)
        raise broken(_EARLY) if is_cut else broken("ends", "; something else follows, which is skipped")


def _begins_member(file: PeekableFile, name: str) -> bool:
    """Skip the zeros that fill a block, and return whether another member begins after them."""
    while (zeros := file.beginning(_STEP)).startswith(b"\0"):
        file.take(len(zeros) - len(zeros.lstrip(b"\0")))
    return compression_of(file.beginning(MAGIC_SIZE)) == name


def unpacked(pieces: Iterator[bytes], method: int) -> Iterator[bytes]:
    """Return the decompressed data of a zip's member, which is made of *pieces*; *method* is one of METHODS."""
    name = METHODS[method]
    if not name:
        return pieces
    file = PeekableFile(pieces)
    if name == "lzma":
        # APPNOTE 5.8.8 has four bytes before the header of an LZMA file, and leaves out the size that is its end.
        file = PeekableFile(chain([file.read(9)[4:] + b"\xff" * 8], iter(partial(file.read, CHUNK_SIZE), b"")))
    return _content(file, name, _DECOMPRESSORS[name]())


CODINGS = frozenset(["gzip", "x-gzip", "deflate", "br", "zstd"])
"""The codings in which HTTP sends compressed content (RFC 9110 section 8.4.1)."""


def _compression_in(head: bytes, coding: str) -> str | None:
    """Return the compression of a body in *coding* that begins with *head*; `None` if a crawler has decoded it."""
    name = "gzip" if coding == "x-gzip" else coding
    if name == "deflate" and head and head[0] & 15 == 8:  # noqa: PLR2004 -- RFC 1950; some leave it out
        name = "zlib"
    return None if name in _MAGIC.values() and compression_of(head) != name else name


def decoded(file: PeekableFile, coding: str, out: Callable[[int], object]) -> PeekableFile:
    """Return the decoded *file*, which is in one of CODINGS; *out* is called with the size of each piece.

    Raises `SourceError` for Brotli if it is not installed.
    """
    if (name := _compression_in(file.beginning(MAGIC_SIZE), coding)) is None:
        return file
    try:
        return PeekableFile(_content(file, name, _DECOMPRESSORS[name](), out))
    except ImportError:
        raise SourceError(f"has the Content-Encoding {coding}, which needs the extra urlmend[warc]") from None


def decoded_at_once(data: bytes, coding: str, most: int) -> bytes | None:
    """Return *data* decoded from one of CODINGS; `None` if it is no single member, or has more than *most* bytes."""
    if (name := _compression_in(data, coding)) is None:
        return data
    try:
        member = _DECOMPRESSORS[name]()
        result: bytes = member.decompress(data, most + 1)
    except Exception:  # noqa: BLE001 -- `decoded` reports it
        return None
    return result if member.eof and not member.unused_data and len(result) <= most else None


def decompressed(file: PeekableFile, out: Callable[[int], object] = ignore) -> PeekableFile:
    """Return *file*, decompressed if it is compressed; *out* is called with the size of each piece that comes out."""
    name = None if file.is_text or file.compression else compression_of(file.beginning(MAGIC_SIZE))
    if name is None:
        return file
    content = _content(file, name, _DECOMPRESSORS[name](), out)
    opened = PeekableFile(content, file.name, file.stamp, file.expansion, name)
    opened.defects = file.defects
    return opened
