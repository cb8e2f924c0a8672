"""The files of a directory: a Maildir, an MH folder, a news spool, a public-inbox, or any tree."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from urlmend.sources.git import is_inbox, packed_size
from urlmend.sources.recognise import PASSED_OVER

if TYPE_CHECKING:
    from urlmend.sources.public_inbox import InboxRange

_INBOX = "public-inbox"
_OF_INBOXES = ("auto", _INBOX)


def opened_path(path: str, only: "InboxRange | None" = None) -> AbstractContextManager[Any]:
    """Open a path that `files` yields: a file, or a public-inbox as one file of its messages, or *only* of some."""
    if os.path.isdir(path):
        from urlmend.sources.public_inbox import opened_inbox  # noqa: PLC0415 -- runs git; few are one

        return opened_inbox(path, only and [only])
    return open(path, "rb")


def size_of(path: str | int) -> int | None:
    """Return the size in bytes of the file at *path*, or of an open file; `None` for a pipe or a device.

    Of a public-inbox, it is the size of its packed messages; of a file that cannot be looked at, 0.
    """
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            return packed_size(str(path))
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else None


_DESCRIPTORS = {"-": 1, "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def own_descriptor(name: str) -> int | None:
    """Return the file descriptor that *name* means, such as 1 for `-` and `/dev/stdout`; `None` for other names."""
    # The names mean the descriptors even where `/dev` lacks them.
    if name in _DESCRIPTORS:
        return _DESCRIPTORS[name]
    folder, last = os.path.split(name)
    own = last.isdecimal() and os.path.realpath(folder) in {os.path.realpath("/dev/fd"), f"/proc/{os.getpid()}/fd"}
    return int(last) if own else None


def is_for_all(path: str) -> bool:
    """Return whether other processes can read *path* too: not if it is a pipe, or a name like `/dev/stdin`."""
    return own_descriptor(path) is None and size_of(path) is not None


def files(
    path: str,
    failed: Callable[[OSError], object] | None = None,
    *,
    source: object = "auto",
) -> Iterator[str]:
    """Yield *path*, or the files below it if it is a directory: by name, numbers by value, in depth.

    What is PASSED_OVER is left out. Links to directories are not followed, and devices and pipes are not read. *failed*
    is called with the `OSError` of a directory that cannot be read; without it, the error is raised. A public-inbox is
    one file, if *source* may be one: `opened_path` opens it.
    """
    if not os.path.isdir(path):
        yield path
        return
    waiting = [(path, True)]
    while waiting:
        path, is_directory = waiting.pop()
        if not is_directory:
            # It may have become a pipe since its folder was read.
            if size_of(path) is not None:
                yield path
            continue
        try:
            with os.scandir(path) as scan:
                entries = sorted(scan, key=lambda entry: _order(entry.name), reverse=True)
            below = [(e, d) for e in entries if (d := e.is_dir(follow_symlinks=False)) or _may_be_file(e)]
        except OSError as error:
            if failed is None:
                raise
            failed(error)
            continue
        names = [entry.name for entry in entries]
        if source in _OF_INBOXES and is_inbox(path, names, any_repository=source == _INBOX):
            yield path
            continue
        waiting += [(entry.path, d) for entry, d in below if d or not PASSED_OVER.fullmatch(entry.path)]


def _may_be_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError:  # such as a link to itself: opening it reports why
        return True


def _order(name: str) -> tuple[int, int, str]:
    """Return what *name* is sorted by. Messages of MH folders and news spools are numbered, as are epochs (`9.git`)."""
    name = name.removesuffix(".git")
    number = name.isascii() and name.isdigit()
    return (0, int(name), name) if number and len(name) < 20 else (1, 0, name)  # noqa: PLR2004 -- digits of a number
