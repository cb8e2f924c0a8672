"""Git repositories of mailing lists: where they are, and running git on one that cannot be trusted."""

import os
import re
import signal
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from importlib import import_module
from itertools import chain
from typing import IO, TYPE_CHECKING, NamedTuple, Self, cast

from urlmend.sources.origin import SourceError
from urlmend.text.patterns import lazy_regex

if TYPE_CHECKING:
    from subprocess import Popen

FRAME = "#! public-inbox "
"""The beginning of the line before a message in the file that a public-inbox is read as.

`!` and the commit follow, after the name of an epoch, and then the length of the message.
"""

_GIT_DIRECTORY = frozenset(["HEAD", "objects", "refs"])
"""What every git directory has (gitrepository-layout(5))."""

_EPOCH = lazy_regex(r"\d{1,9}\.git")
_EPOCHS = lazy_regex(r"(?:\d{1,9}|all)\.git")
_MAIL = lazy_regex(r"[md]|[0-9a-f]{2}")
"""The names at the top of a tree of mails: `m` or `d` (version 2), or the first byte of a hash (version 1)."""

_MOST_ENTRIES = 1000
"""How many entries of a tree are looked at: version 1 has 256 at most."""

MAX_REFERENCES = 1 << 14
"""How many files of references a repository may have: public-inbox has a handful."""

MAX_REFERENCE = 1 << 22
"""How many bytes each of them may have."""

MAX_PATH_LINE = 1 << 12
"""The longest line of git's output that is read, in bytes: a path in a tree may have any length."""

MAX_MEMORY = 1 << 27
"""How many bytes of memory git may take to list a tree, where the system can limit it."""

MAX_SECONDS = 3
"""How many seconds of CPU time git may take, and one more for each MiB of objects: it reads some 30 MiB a second."""

_MOST_SAID = 1 << 12
"""How many bytes of git's messages about errors are read."""


# Where repositories are


class Epoch(NamedTuple):
    """A repository of an inbox: its git *directory*, and its *name* below the inbox, empty for the inbox itself."""

    name: str
    directory: str

    def member(self, commit: str) -> str:
        """Return the name of the message that *commit* added, without the name of the inbox."""
        return f"/{self.name}!{commit}" if self.name else f"!{commit}"


def epochs(path: str) -> list[Epoch]:
    """Return the git repositories of the public-inbox at *path*, if it is one, the oldest first."""
    entries = _entries(path)
    if entries >= _GIT_DIRECTORY:
        return [Epoch("", path)]
    if ".git" in entries and _entries(f"{path}/.git") >= _GIT_DIRECTORY:
        return [Epoch("", f"{path}/.git")]
    below, names = ("git/", _entries(f"{path}/git")) if "git" in entries else ("", entries)
    by_number = sorted(filter(_EPOCH.fullmatch, names), key=lambda name: int(name.removesuffix(".git")))
    found = [Epoch(below + name, f"{path}/{below}{name}") for name in by_number]
    return [epoch for epoch in found if _entries(epoch.directory) >= _GIT_DIRECTORY]


def packed_size(path: str) -> int:
    """Return how many bytes the objects of the public-inbox at *path* take: about half of its messages' size."""
    return sum(_size(epoch.directory) for epoch in epochs(path))


def _size(directory: str) -> int:
    return sum(map(os.path.getsize, _files(directory, ["objects"])))


def is_inbox(path: str, names: Collection[str], *, any_repository: bool = False) -> bool:
    """Return whether the directory at *path*, which has *names* in it, is a public-inbox, by what git finds there.

    One that cannot be read counts as one, unless its *names* say otherwise: opening it reports why. With
    *any_repository*, every repository is one.
    """
    if ".git" in names:
        # In the worktree of something else, other files are meant.
        likely = any_repository or all(map(_MAIL.fullmatch, set(names) - {".git"}))
    else:
        likely = _GIT_DIRECTORY.issubset(names) or "git" in names or all(map(_EPOCHS.fullmatch, names))
    return likely and any(any_repository or _holds_mail(epoch.directory) for epoch in epochs(path))


def _holds_mail(directory: str) -> bool:
    with suppress(GitError), Git(directory) as git:
        for number, line in enumerate(git.lines("ls-tree", "--name-only", "HEAD")):
            name = line.decode("ascii", "replace").rstrip("\n")
            if number == _MOST_ENTRIES or not _MAIL.fullmatch(name):
                return False
    return True


def _entries(path: str) -> set[str]:
    with suppress(OSError):
        return set(os.listdir(path))
    return set()


# Running git


class GitError(SourceError):
    """A git repository cannot be read to its end. Everything that could be read was returned before."""


class MissingError(SourceError):
    """Git does not have some of the messages. All others were returned before."""


# A repository's configuration, hooks and attributes can make git do anything, so git gets a directory of its own with a
# copy of the references, and only the objects of the repository. The sizes bound git's memory and cost a twentieth of
# its time. Its defaults are 96 MB of bases, all of a pack, and blobs of 512 MB that are read in one go.
_CONFIG = """
[core]
    repositoryFormatVersion = 1
    bare = true
    packedGitWindowSize = 1m
    packedGitLimit = 8m
    deltaBaseCacheLimit = 8m
    bigFileThreshold = 16m
[extensions]
"""
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0)
_READING_TREES = frozenset(["diff-tree", "ls-tree"])
_SHA_256 = re.compile(rb"objectformat\s*=\s*sha256", re.IGNORECASE)
_REFERENCES = ("HEAD", "packed-refs", "shallow", "refs", "reftable")

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "HOME": os.devnull,  # git before 2.32 knows no GIT_CONFIG_GLOBAL
    "XDG_CONFIG_HOME": os.devnull,
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # A larger blob that is not streamed ends git, not the machine.
    "GIT_ALLOC_LIMIT": "256m",
    "LC_ALL": "C",
}


def _program() -> str:
    """Return the name of git. Windows would look in the current directory first, which may be a stranger's archive."""
    if sys.platform == "win32":
        found = (os.path.join(place, "git.exe") for place in os.get_exec_path() if os.path.isabs(place))
        return next(filter(os.path.isfile, found), "no git")
    return "git"


class Git:
    """Runs git on the objects and references in the repository *directory*; leaving the context ends its processes."""

    def __init__(self, directory: str) -> None:
        from tempfile import TemporaryDirectory  # noqa: PLC0415 -- few read a repository

        self.directory = directory
        with ExitStack() as opened:
            own = TemporaryDirectory(prefix="urlmend-git-")
            self._own = opened.enter_context(own)
            opened.callback(own.cleanup)  # twice: a signal may interrupt it
            self._said = opened.enter_context(open(f"{self._own}/said", "a+b"))
            self.size = _size(directory)
            self._fill()
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._opened.close()

    def _fill(self) -> None:
        """Fill the directory that git gets in place of the repository's."""
        from pathlib import Path  # noqa: PLC0415 -- as below

        own, config = self._own, _CONFIG
        if any(_SHA_256.search(_content(path)) for path in _files(self.directory, ["config"])):
            config += "    objectFormat = sha256\n"
        if "reftable" in _entries(self.directory):
            config += "    refStorage = reftable\n"
        Path(own, "config").write_text(config, "ascii")
        Path(own, "refs").mkdir()
        for number, path in enumerate(_files(self.directory, _REFERENCES)):
            if number == MAX_REFERENCES:
                raise GitError(f"has more than {MAX_REFERENCES} git references")
            copy = Path(own + path[len(self.directory) :])
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(_content(path))

    def start(self, *arguments: str, stdin: "IO[bytes] | None" = None) -> "tuple[Popen[bytes], IO[bytes]]":
        """Return the process of git with *arguments*, and what it writes; raise `GitError` if there is no git."""
        from subprocess import DEVNULL, PIPE, Popen  # noqa: PLC0415 -- few read a repository

        command = [_program(), f"--git-dir={self._own}", "--literal-pathspecs", "--no-pager", *arguments]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= _ENVIRONMENT | {"GIT_OBJECT_DIRECTORY": os.path.abspath(f"{self.directory}/objects")}
        try:
            # In a session of its own it is spared the terminal's Ctrl-C, which is for us to act on.
            process = Popen(  # noqa: S603 -- no shell
                command,
                stdin=DEVNULL if stdin is None else stdin,
                stdout=PIPE,
                stderr=self._said,
                env=environment,
                start_new_session=True,
            )
        except FileNotFoundError:
            raise GitError("reading a public-inbox needs git, which is not installed") from None
        self._opened.callback(_end, process)
        _limit(process, "RLIMIT_CORE", 0)
        _limit(process, "RLIMIT_CPU", MAX_SECONDS + (self.size >> 20))
        if arguments[0] in _READING_TREES:
            _limit(process, "RLIMIT_DATA", MAX_MEMORY)  # mapped files do not count: packs may be larger
        return process, cast("IO[bytes]", process.stdout)

    def lines(self, *arguments: str) -> Iterator[bytes]:
        """Yield the lines that git with *arguments* prints; raise `GitError` if it fails."""
        process, output = self.start(*arguments)
        yield from lines_of(output)
        self.check(process)

    def check(self, *processes: "Popen[bytes]") -> None:
        """Wait for *processes*, and raise `GitError` with what git said if one failed."""
        status = [process.wait() for process in processes]
        if any(status):
            self._said.seek(0)
            reason = " ".join(self._said.read(_MOST_SAID).decode("utf-8", "replace").split())
            if "out of memory" in reason.lower():
                reason = f"needs more than {MAX_MEMORY >> 20} MiB of memory for a tree: the rest is not read"
            elif _OUT_OF_TIME in status:
                reason = "takes too long: the rest of the repository is not read"
            raise GitError(f"git {reason.removeprefix('fatal: ') or f'ended with status {max(status, key=abs)}'}")


def _end(process: "Popen[bytes]") -> None:
    with process:  # closes its pipe and waits for it
        process.kill()


def _limit(process: "Popen[bytes]", name: str, most: int) -> None:
    """Limit the resource called *name* that *process* may take, where the system can."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        resource = import_module("resource")
        number = getattr(resource, name)
        _, greatest = resource.prlimit(process.pid, number)
        resource.prlimit(process.pid, number, (most, greatest))


def lines_of(output: "IO[bytes]") -> Iterator[bytes]:
    """Yield the lines of git's *output*; raise `GitError` if one is too long."""
    while line := output.readline(MAX_PATH_LINE):
        if len(line) == MAX_PATH_LINE:
            raise GitError(f"has a path of more than {MAX_PATH_LINE} bytes in git")
        yield line


def _files(directory: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the files *names* in *directory*, or below them.

    Raises `GitError` at anything but a file or directory: opening it might never end.
    """
    for top in (f"{directory}/{name}" for name in names):
        below = (f"{folder}/{file}" for folder, _, files in os.walk(top) for file in files)
        for path in chain([top], below):
            if os.path.isfile(path):
                yield path
            elif os.path.lexists(path) and not os.path.isdir(path):
                raise GitError(f"has {os.path.basename(path)!r} in git, which is not a regular file")


def _content(path: str) -> bytes:
    """Return what the file at *path* holds, up to MAX_REFERENCE bytes; nothing if it cannot be read."""
    with suppress(OSError), open(path, "rb") as file:
        return file.read(MAX_REFERENCE)
    return b""
