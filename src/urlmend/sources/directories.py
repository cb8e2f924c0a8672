"""The files of a directory: a Maildir, an MH folder, a news spool, or any tree."""

import os
from collections.abc import Callable, Iterator

_INDEX_FILES = frozenset([".mh_sequences", ".overview", ".mailbox", "dovecot-uidlist", "maildirfolder"])


def files(path: str, failed: Callable[[OSError], object] | None = None) -> Iterator[str]:
    """Yield *path*, or the files below it if it is a directory: by name, numbers by value, in depth.

    Of a Maildir's folders `new` and `cur` are read, `tmp` is not: what is in it is not delivered yet. Links to
    directories are not followed, and devices and pipes not read. A directory that cannot be read is told to *failed*;
    without it, its `OSError` is raised.
    """
    if not os.path.isdir(path):  # noqa: PTH112 -- paths stay as they were given
        yield path
        return
    waiting = [(path, True)]
    while waiting:
        path, is_directory = waiting.pop()
        if not is_directory:
            yield path
            continue
        try:
            with os.scandir(path) as scan:
                entries = sorted(scan, key=lambda entry: _order(entry.name), reverse=True)
            below = [(e, d) for e in entries if (d := e.is_dir(follow_symlinks=False)) or e.is_file()]
        except OSError as error:
            if failed is None:
                raise
            failed(error)
            continue
        is_maildir = {entry.name for entry, is_directory in below if is_directory} >= {"cur", "new", "tmp"}
        for entry, is_directory in below:
            if not (entry.name in _INDEX_FILES or (is_maildir and is_directory and entry.name == "tmp")):
                waiting.append((entry.path, is_directory))


def _order(name: str) -> tuple[int, int, str]:
    """Messages of MH folders and news spools are numbered: 9 stands before 10."""
    number = name.isascii() and name.isdigit()
    return (0, int(name), name) if number and len(name) < 20 else (1, 0, name)  # noqa: PLR2004 -- digits of a number
