"""The command's standard streams: UTF-8 whatever the locale says, and no traceback when a reader goes away."""

import codecs
import errno
import io
import os
import stat
import sys
from contextlib import suppress
from typing import TextIO


def standard_output() -> TextIO:
    """Return standard output as `utf8` makes it; raise `OSError` when the process has none."""
    return utf8(sys.stdout)


def standard_error() -> TextIO:
    """Return standard error as `utf8` makes it; raise `OSError` when the process has none."""
    return utf8(sys.stderr)


def utf8(stream: TextIO | None) -> TextIO:
    """Make *stream* write UTF-8, whatever the text is, and on a terminal flush after each line. Return it."""
    if stream is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors=_HANDLER, newline="\n", line_buffering=stream.isatty())
    return stream


def abandon_standard_output() -> None:
    """Discard what is still buffered, so that the flush at exit does not fail where writing has failed."""
    if sys.stdout is not None:
        # A test's standard output has no descriptor, and needs none of this.
        with suppress(io.UnsupportedOperation):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_closed_pipe(error: OSError) -> bool:
    """Tell whether *error*, of writing, says that the reader of a pipe has gone. Windows has no error for it."""
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    )


def with_escapes() -> None:
    """Have the console of Windows understand escape sequences, as all other terminals do."""
    if sys.platform == "win32":
        with suppress(ImportError):  # click has it there
            from colorama import just_fix_windows_console  # noqa: PLC0415 -- there only

            just_fix_windows_console()


Identity = tuple[int, int]
"""The device and the number of a file: what its names have in common, links among them."""


def identity(status: os.stat_result | None) -> Identity | None:
    """Return the identity of the regular file with that *status*; `None` for anything else."""
    return (status.st_dev, status.st_ino) if status is not None and stat.S_ISREG(status.st_mode) else None


def one_case(path: str) -> str:
    """Return the absolute name of *path*; on Windows, where case does not tell names apart, in small letters."""
    return os.path.normcase(os.path.abspath(path))  # noqa: PTH100 -- names stay strings


_HANDLER = "urlmend.byte-or-escape"


def _byte_or_escape(error: UnicodeError) -> tuple[bytes, int]:
    """Encode surrogates: those for undecodable bytes of a file name as these bytes, others as an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    codes = (ord(half) for half in error.object[error.start : error.end])
    # PEP 383: U+DC80 to U+DCFF stand for the bytes 80 to FF.
    encoded = (bytes([code - 0xDC00]) if 0xDC80 <= code <= 0xDCFF else b"\\u%04x" % code for code in codes)  # noqa: PLR2004 -- said above
    return b"".join(encoded), error.end


codecs.register_error(_HANDLER, _byte_or_escape)
