"""A public-inbox as one file: which messages its commits bring, and which they take away.

In version 2 (https://public-inbox.org/public-inbox-v2-format.html) the tree of a commit holds one message as the file
`m`; the commit that deletes it, in the same repository (an epoch) or a later one, holds it as `d`. In version 1
(public-inbox-v1-format) each message is a file named by the hash of its Message-ID, which commits add and remove.
"""

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from io import BytesIO
from subprocess import PIPE, Popen
from threading import Thread
from typing import IO, Any, NamedTuple, Self

from urlmend.sources.public_inbox.frame import FRAME
from urlmend.sources.public_inbox.git import Git, GitError
from urlmend.sources.public_inbox.places import Epoch, epochs

MAX_TAKEN = 1 << 18
"""How many deleted messages are known at a time: some 40 MB. Those that are deleted after so many others are read."""

_HEADS = ("HEAD", "refs/heads/master")
"""What names the last commit: HEAD, or what public-inbox writes to, where HEAD names a branch that is not there."""

TAKING = ("d", *(f"{number:02x}" for number in range(256)))
"""The paths at which messages are taken away."""

# git-diff-tree(1), the raw format. A message is a regular file, and at a path of version 1 it is replaced, too.
_CHANGE = re.compile(
    rb":(?P<from>\d{6}) (?P<to>\d{6}) (?P<old>[0-9a-f]{40,64}) (?P<new>[0-9a-f]{40,64}) [A-Z]\d*\t"
    rb"(?P<path>m|d|[0-9a-f]{2}/[0-9a-f]+(?:/[0-9a-f]+)?)\n"
)
_REGULAR = b"100"


class Change(NamedTuple):
    """What *commit* does with *blob*: it brings it as a message, or takes that away."""

    commit: str
    blob: bytes
    added: bool


Heads = Mapping[str, str]
"""The last commit of each epoch that has one, by the epoch's name."""


class InboxRange(NamedTuple):
    """Some messages of an epoch, whose git directory is *directory*: a line for `git cat-file` asks for each."""

    directory: str
    asked: list[bytes]


class Inbox:
    """The public-inbox at *path* as a file: its messages in commit order, each behind a line (FRAME).

    Those that a later commit takes away are passed over. *heads* are read up to, those of now by default; with *since*,
    the messages are given that are new since the epochs had those. Close it, to end git at once.

    With *only*, it is those messages.
    """

    def __init__(
        self, path: str, heads: Heads | None = None, since: Heads | None = None, only: InboxRange | None = None
    ) -> None:
        self.name = path.rstrip("/") or path
        self.given = 0  # how many bytes
        self._files = _opened(_asked(self.name, heads, since or {}) if only is None else _asked_in(only))
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes of git."""
        self._files.close()

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes; raise `GitError` where git fails, once all before it is given out."""
        while (file := self._file or next(self._files, None)) is not None:
            if data := file.read(size):
                self._file = file
                self.given += len(data)
                return data
            self._file = None
        return b""

    read1 = read


def ranges(path: str, size: int) -> Iterator[InboxRange]:
    """Yield the messages of the public-inbox at *path*, as `Inbox` gives them, *size* at a time.

    Where git fails, those that it told of before are given out first.
    """
    for directory, asked in _asked(path.rstrip("/") or path, None, {}):
        some: list[bytes] = []
        error = None
        try:
            for line in asked:
                some.append(line)
                if len(some) == size:
                    yield InboxRange(directory, some)
                    some = []
        except GitError as failed:
            error = failed
        if some:
            yield InboxRange(directory, some)
        if error is not None:
            raise error


_Asked = tuple[str, Iterator[bytes]]
"""The directory of an epoch, and the lines that ask for its messages: they are taken before the next epoch's."""


def _asked_in(only: InboxRange) -> Generator[_Asked]:
    yield only.directory, iter(only.asked)


def _asked(path: str, heads: Heads | None, since: Heads) -> Generator[_Asked]:
    """Yield what is asked of each epoch of the inbox at *path*."""
    found = epochs(path)
    heads = heads_of(found) if heads is None else heads
    found = [epoch for epoch in found if epoch.name in heads]
    taken: Counter[bytes] = Counter()
    for epoch in found:
        with Git(epoch.directory) as git:
            for change in changes(git, epoch, heads, since, TAKING):
                if not change.added and (change.blob in taken or len(taken) < MAX_TAKEN):
                    taken[change.blob] += 1
    for epoch in found:
        with Git(epoch.directory) as git:
            yield epoch.directory, _wanted(epoch, changes(git, epoch, heads, since), taken)


def _wanted(epoch: Epoch, new: Iterator[Change], taken: Counter[bytes]) -> Iterator[bytes]:
    """Yield for each message of the changes *new*, but those *taken* away later, which blob it is and its name."""
    for commit, blob, added in new:
        if taken[blob] <= 0 and added:
            yield b"%b %b\n" % (blob, epoch.member(commit).encode())
        elif not added:
            taken[blob] -= 1


def _opened(epochs_asked: Generator[_Asked]) -> Generator[IO[bytes]]:
    """Yield what `git cat-file` prints of each epoch; it is read to its end before the next is asked for.

    A line before it tells what the file is, whatever git says first.
    """
    yield BytesIO(f"{FRAME}messages\n".encode())
    with closing(epochs_asked):
        for directory, asked in epochs_asked:
            yield from _contents(directory, asked)


def _contents(directory: str, asked: Iterator[bytes]) -> Iterator[IO[bytes]]:
    """Yield the file of the messages *asked* for."""
    with Git(directory) as git:
        cat = git.start("cat-file", "--buffer", f"--batch={FRAME}%(rest) %(objecttype) %(objectsize)", stdin=PIPE)
        failed: list[OSError] = []
        feeder = Thread(target=_ask, args=(cat.stdin, asked, failed), daemon=True)
        git.threads.append(feeder)
        feeder.start()
        yield _output(cat)
        git.check(cat)
        feeder.join()
        if failed:
            raise failed[0]


def _ask(requests: IO[bytes], asked: Iterator[bytes], failed: list[OSError]) -> None:
    """Write to `git cat-file` which blobs it is to print, and what its line is to call them."""
    try:
        with requests:
            requests.writelines(asked)
    except BrokenPipeError:
        pass  # it has ended, and says why
    except OSError as error:
        failed.append(error)
    except ValueError:
        pass  # the inbox was closed meanwhile


def heads_of(found: Iterable[Epoch]) -> dict[str, str]:
    """Return the last commit of each epoch of *found* that has one; raise `GitError` if there is nothing to look at."""
    heads = {}
    for name, directory in found:
        with Git(directory) as git:
            if head := next(filter(None, (_commit(git, reference) for reference in _HEADS)), None):
                heads[name] = head
            elif any(list(git.lines("for-each-ref", "--count=1"))):
                list(git.lines("rev-parse", "--verify", "HEAD^{commit}"))  # it says what is wrong
    if not found:
        message = "is no public-inbox repository"
        raise GitError(message)
    return heads


def _commit(git: Git, reference: str) -> str | None:
    with suppress(GitError):
        return next(git.lines("rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")).decode().strip()
    return None


def changes(git: Git, epoch: Epoch, heads: Heads, since: Heads, paths: Iterable[str] = ()) -> Iterator[Change]:
    """Yield what the commits of *epoch* do, in their order, at *paths* or anywhere; a merge is a change to its line."""
    known = since.get(epoch.name)
    line = (
        "rev-list",
        "--reverse",
        "--first-parent",
        "--parents",
        heads[epoch.name],
        *([f"^{known}"] if known else []),
    )
    commits = git.start(*line)
    # With --always it writes for every commit, and so ends soon where nobody reads any more.
    told_of = ("-r", "--root", "--no-renames", "--always")
    trees = git.start("diff-tree", "--stdin", *told_of, "--", *paths, stdin=commits.stdout)
    _output(commits).close()  # it is for the other process
    commit = ""
    for told in _output(trees):
        if not told.startswith(b":"):
            commit = told.decode().strip()
        elif change := _CHANGE.fullmatch(told):
            path = change["path"]
            if path == b"d":
                if change["to"].startswith(_REGULAR):
                    yield Change(commit, change["new"], added=False)
                continue
            if path != b"m" and change["from"].startswith(_REGULAR):
                yield Change(commit, change["old"], added=False)
            if change["to"].startswith(_REGULAR):
                yield Change(commit, change["new"], added=True)
    git.check(commits, trees)


def _output(process: "Popen[bytes]") -> Any:  # noqa: ANN401 -- a file, for a pipe was asked for
    return process.stdout
