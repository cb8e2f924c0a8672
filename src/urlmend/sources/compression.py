"""Compressed files, recognised by content and read as what they hold."""

from collections.abc import Callable
from typing import Any

from urlmend.sources.decompressors import DECOMPRESSORS, MAX_WINDOW_LOG, errors
from urlmend.sources.origin import SourceError
from urlmend.sources.reader import CHUNK_SIZE

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
MAGIC_SIZE = 6
"""How many bytes tell whether a file is compressed."""

_STEP = 1 << 10
"""How many bytes a decompressor is given at a time, however the file is read. What they hold is lost if one is corrupt,
and at each member's end it copies what it did not use.
"""


class CompressionError(SourceError):
    """A compressed file ends early or is corrupt; what could be read of it was."""


def kind(head: bytes) -> str | None:
    """Return what the file that begins with *head* is compressed with; `None` for nothing known."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


class Peeked:
    """A file whose beginning can be looked at before it is read: `head` is what is in hand.

    `compression` is what the file is compressed with that this is read from; `unpacked` tells that it was looked at.
    `defects` tell what was passed over in the compressed file.
    """

    compression: str | None = None
    unpacked = False
    taken = 0
    """How many bytes or characters were read of the file."""
    recognised: str | None = None
    """The source that reads the file, once that is known: then it is no container."""
    tell_of: Callable[[str], object] | None = None
    """Takes what a reader has to tell that is no fault, where somebody asks."""
    stamp: tuple[int, int] | None = None
    """Of a container's member, two numbers that tell whether it has changed."""

    def __init__(self, fileobj: Any) -> None:  # noqa: ANN401 -- any object with read(n)
        self._file = fileobj
        self._error: OSError | None = None
        self.name = getattr(fileobj, "name", None)
        self.defects: dict[str, None] = fileobj.defects if type(fileobj) is _Decompressed else {}
        self.head: Any = fileobj.read(CHUNK_SIZE)
        self.taken = len(self.head)
        self.ended = not self.head
        self.is_text = isinstance(self.head, str)

    def more(self) -> bool:
        """Read more of the beginning; `False` where there is no more.

        An error is raised by `read`, once the beginning is given out.
        """
        try:
            data = self._file.read(CHUNK_SIZE)
        except OSError as error:
            self._error = error
            data = self.head[:0]
        self.ended = not data
        self.taken += len(data)
        self.head += data
        return not self.ended

    def fileno(self) -> int:
        """Return the descriptor of the file; `AttributeError` or `OSError` where it has none."""
        number: int = self._file.fileno()
        return number

    def note(self, size: int) -> None:
        """Take note that *size* bytes more were read by the descriptor; those in `head` are known already."""
        known = len(self.head[:size])
        self.head = self.head[known:]
        if size > known and (note := getattr(self._file, "note", None)) is not None:
            note(size - known)

    def read(self, size: int, /) -> Any:  # noqa: ANN401 -- what the file gives
        """Read at most *size* bytes or characters."""
        if self.head:
            data, self.head = self.head[:size], self.head[size:]
            return data
        if self._error is not None:
            raise self._error
        data = self._file.read(size)
        self.taken += len(data)
        return data


class _Decompressed:
    """What the compressed *file* holds, of *kind*; *out* is called with the size of each piece."""

    def __init__(self, file: Peeked, kind: str, out: Callable[[int], object] = id) -> None:
        self.name = file.name
        self._out = out
        self.defects: dict[str, None] = {}
        self._file = file
        self._kind = kind
        self._size = 0
        self._broken: OSError | None = None
        self._encoded = b""  # what was read of the file
        self._at = 0  # in it: what stands before was given to a decompressor
        self._ended = False
        self._member: Any = DECOMPRESSORS[kind]()

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes; `CompressionError` where the file is broken, once all before it is given out.

        Members of a file are read together: a web archive has one for each of its small records.
        """
        held: list[bytes] = []
        while size and self._broken is None and not self._ended:
            data = self._some(size)
            held.append(data)
            size -= len(data)
            self._size += len(data)
        data = b"".join(held)
        if not data and self._broken is not None:
            raise self._broken
        self._out(len(data))
        return data

    def _some(self, size: int) -> bytes:
        """Return what comes next, of at most *size* bytes; it may be nothing before the end."""
        try:
            if self._member is None:
                self._begin_member()
                return b""
            step = b""
            if self._member.needs_input:
                step = self._look(_STEP)
                if not step:
                    self._break(None, "ends early")
                    return b""
                self._at += len(step)
            data: bytes = self._member.decompress(step, size)
            if self._member.eof:
                self._at -= len(self._member.unused_data)
                self._member = None
        except OSError as error:
            # Errors of the file itself have a number; bz2's of its data have none.
            if error.errno is None:
                self._break(error, "is corrupt")
            else:
                self._broken = error
        except errors() as error:
            needs_memory = "memory" in str(error).lower()
            limit = f"needs a window of more than {1 << (MAX_WINDOW_LOG - 20)} MiB"
            self._break(error, limit if needs_memory else "is corrupt")
        else:
            return data
        return b""

    def _look(self, size: int) -> bytes:
        """Return the next *size* bytes of the file, or what is left of it; they are not passed over."""
        while len(self._encoded) - self._at < size and (more := self._file.read(CHUNK_SIZE)):
            self._encoded = self._encoded[self._at :] + more
            self._at = 0
        return self._encoded[self._at : self._at + size]

    def _begin_member(self) -> None:
        """Begin the next member, behind zeros that fill a block. What is no member is passed over, as `zcat` does."""
        while self._look(1) == b"\0":
            zeros = self._look(_STEP)
            self._at += len(zeros) - len(zeros.lstrip(b"\0"))
        magic = self._look(MAGIC_SIZE)
        if kind(magic) == self._kind:
            self._member = DECOMPRESSORS[self._kind]()
            return
        if magic and any(known.startswith(magic) for known in _MAGIC):
            self._break(None, "ends early")
            return
        self._ended = True
        if magic:
            self.defects[f"what stands behind the {self._kind} data is not of it and was passed over"] = None

    def _break(self, error: Exception | None, fault: str) -> None:
        self._broken = CompressionError(f"the {self._kind} data {fault}, after {self._size} bytes of what it holds")
        self._broken.__cause__ = error


METHODS = {8: "deflate", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz"}
"""What a zip's members are compressed with, by the numbers of APPNOTE 4.4.5; 0 is nothing."""


def unpacked(file: Any, method: int) -> _Decompressed:  # noqa: ANN401 -- any object with read(n)
    """Return what *file*, the data of a zip's member, holds; *method* is one of METHODS."""
    return _Decompressed(Peeked(file), METHODS[method])


def decompressed(fileobj: Any, out: Callable[[int], object] = id) -> Peeked:  # noqa: ANN401 -- any object with read(n)
    """Return what *fileobj* holds if it is compressed, else itself, as a file that can be looked at.

    *out* is called with the size of each piece that comes out of a compressed one.
    """
    file = fileobj if type(fileobj) is Peeked else Peeked(fileobj)
    if file.unpacked:
        return file
    file.unpacked = True
    while not file.is_text and len(file.head) < MAGIC_SIZE and file.more():
        pass
    name = None if file.is_text else kind(file.head)
    if name is None:
        return file
    opened = Peeked(_Decompressed(file, name, out))
    opened.compression = name
    opened.unpacked = True
    return opened
