"""Where public-inbox repositories are: how a directory shows that it is one, or holds the epochs of one."""

import os
import re
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

_GIT_DIRECTORY = frozenset(["HEAD", "objects", "refs"])
"""What every directory of git's holds (gitrepository-layout(5))."""

_EPOCH = re.compile(r"\d{1,9}\.git")
_EPOCHS = re.compile(r"(?:\d{1,9}|all)\.git")
_MAIL = re.compile(r"[md]|[0-9a-f]{2}")
"""What stands at the top of a tree of mails: `m` or `d` (version 2), or the first byte of a hash (version 1)."""

_MOST_ENTRIES = 1000
"""How many entries of a tree are looked at: version 1 has 256 at most."""


class Epoch(NamedTuple):
    """A repository of an inbox: its git *directory*, and its *name* below the inbox, empty for the inbox itself."""

    name: str
    directory: str

    def member(self, commit: str) -> str:
        """Return what is put behind the name of the inbox to name the message that *commit* brought."""
        return f"/{self.name}!{commit}" if self.name else f"!{commit}"


def epochs(path: str) -> list[Epoch]:
    """Return the git repositories of the public-inbox at *path*, if it is one, the oldest first."""
    entries = _entries(path)
    if entries >= _GIT_DIRECTORY:
        return [Epoch("", path)]
    if ".git" in entries:
        return [Epoch("", f"{path}/.git")] if _entries(f"{path}/.git") >= _GIT_DIRECTORY else []
    below = "git/" if "git" in entries else ""
    found = [Epoch(below + name, f"{path}/{below}{name}") for name in _entries(f"{path}/{below}")]
    found = [epoch for epoch in found if _is_epoch(epoch)]
    return sorted(found, key=lambda epoch: int(epoch.name.removeprefix(below).removesuffix(".git")))


def _is_epoch(epoch: Epoch) -> bool:
    name = epoch.directory.rpartition("/")[2]
    return _EPOCH.fullmatch(name) is not None and _entries(epoch.directory) >= _GIT_DIRECTORY


def packed_size(path: str) -> int:
    """Return how many bytes git has in the public-inbox at *path*, packed: about half of its messages'."""
    size = 0
    for epoch in epochs(path):
        packs = f"{epoch.directory}/objects/pack"
        size += sum(os.path.getsize(f"{packs}/{name}") for name in _entries(packs))  # noqa: PTH202 -- names
    return size


def is_inbox(path: str, names: Collection[str], *, asked: bool = False) -> bool:
    """Tell whether the directory at *path*, which holds *names*, is a public-inbox; git is asked what is in it.

    Where that is *asked* for, every repository is one. One that cannot be read is taken to be one, where nothing beside
    it says otherwise: who opens it says why.
    """
    if ".git" in names:
        # In the worktree of something else, other files are meant.
        likely = asked or all(map(_MAIL.fullmatch, set(names) - {".git"}))
    else:
        likely = _GIT_DIRECTORY.issubset(names) or "git" in names or all(map(_EPOCHS.fullmatch, names))
    return likely and any(asked or _holds_mail(epoch.directory) for epoch in epochs(path))


def _holds_mail(directory: str) -> bool:
    from urlmend.sources.public_inbox.git import Git, GitError  # noqa: PLC0415 -- few directories are repositories

    with Git(directory) as git:
        try:
            for number, line in enumerate(git.lines("ls-tree", "--name-only", "HEAD")):
                name = line.decode("ascii", "replace").rstrip("\n")
                if number == _MOST_ENTRIES or not _MAIL.fullmatch(name):
                    return False
        except GitError:
            return True
    return True


def _entries(path: str) -> set[str]:
    with suppress(OSError):
        return set(os.listdir(path))  # noqa: PTH208 -- names, not paths
    return set()
