"""Decompressors, of which each step takes little memory whatever it is given."""

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

MAX_WINDOW_LOG = 27
"""The largest window that a decompressor may ask for is 2 to this power: 128 MiB.

`xz -9` takes 64 MiB, `zstd --ultra -22` and `zstd --long` take 128 MiB. More would let a small file take all memory.
"""

_MAX_XZ_MEMORY = (1 << MAX_WINDOW_LOG) + (1 << 20)  # xz needs a little beside its window


@cache
def _zlib() -> Any:  # noqa: ANN401 -- a module
    """Return zlib-ng where the extra `fast` has installed it, which does what zlib does in two thirds of the time."""
    try:
        return import_module("zlib_ng.zlib_ng")
    except ImportError:
        return zlib


class _Inflate:
    """A decompressor of one gzip member, or of raw data, used as those of the other formats are."""

    def __init__(self, wbits: int = 31) -> None:
        self._inflate: zlib._Decompress = _zlib().decompressobj(wbits=wbits)
        self._full = False  # the last result was as long as it might be: there may be more without more input

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._full and not self._inflate.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        result = self._inflate.decompress(data or self._inflate.unconsumed_tail, max_length)
        self._full = len(result) == max_length
        return result


class _ZipLZMA:
    """A decompressor of LZMA data in a zip file, behind its own header (APPNOTE 5.8.8)."""

    def __init__(self) -> None:
        self._header = b""
        self._lzma: lzma.LZMADecompressor | None = None

    @property
    def eof(self) -> bool:
        return self._lzma is not None and self._lzma.eof

    @property
    def unused_data(self) -> bytes:
        return self._lzma.unused_data if self._lzma else b""

    @property
    def needs_input(self) -> bool:
        return self._lzma is None or self._lzma.needs_input

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if self._lzma is None:
            self._header += data
            if len(self._header) < _ZIP_LZMA_HEADER:
                return b""
            properties, window = self._header[4], int.from_bytes(self._header[5:_ZIP_LZMA_HEADER], "little")
            if window > 1 << MAX_WINDOW_LOG:
                raise MemoryError
            rest, lc = divmod(properties, 9)
            pb, lp = divmod(rest, 5)
            filters = [{"id": lzma.FILTER_LZMA1, "dict_size": window, "lc": lc, "lp": lp, "pb": pb}]
            self._lzma = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)
            data = self._header[_ZIP_LZMA_HEADER:]
        return self._lzma.decompress(data, max_length)


_ZIP_LZMA_HEADER = 9


def _zstd() -> Any:  # noqa: ANN401 -- a module of the standard library from 3.14 on, and its backport before
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 -- only where it is needed
    else:
        from backports import zstd  # noqa: PLC0415 -- only where it is needed
    return zstd


def errors() -> tuple[type[Exception], ...]:
    """Return what the decompressors raise for data that is no good; bz2 raises an `OSError` without a number."""
    return (EOFError, ValueError, MemoryError, _zlib().error, lzma.LZMAError, _zstd().ZstdError)


def _new_zstd() -> Any:  # noqa: ANN401 -- as above
    zstd = _zstd()
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG})


DECOMPRESSORS: Mapping[str, Callable[[], Any]] = {
    "gzip": _Inflate,
    "deflate": lambda: _Inflate(-15),
    "lzma": _ZipLZMA,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=_MAX_XZ_MEMORY),
    "zstd": _new_zstd,
}
"""Of each kind of compression, what makes a decompressor of one member, to be used as those of `bz2` are."""
