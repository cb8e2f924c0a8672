"""Public-inbox: mailing lists as git repositories (https://public-inbox.org).

In version 2 (https://public-inbox.org/public-inbox-v2-format.html) the tree of a commit holds one message as the file
`m`; the commit that deletes it, in the same repository (an epoch) or a later one, holds it as `d`. In version 1
(public-inbox-v1-format) each message is a file named by the hash of its Message-ID, which commits add and remove.

An inbox is read as one file (`opened_inbox`): its messages in commit order, each after a line that names its commit.
"""

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import groupby
from operator import attrgetter
from tempfile import TemporaryFile
from typing import NamedTuple

from urlmend.sources.compression import Expansion, PeekableFile
from urlmend.sources.containers import batches
from urlmend.sources.git import FRAME, Epoch, Git, GitError, MissingError, epochs, lines_of, packed_size
from urlmend.sources.mail import Walk
from urlmend.sources.origin import Prefilter, SourceError, Text
from urlmend.sources.reader import BLOCK_SIZE, InboxReader

MAX_DELETED = 1 << 18
"""How many deleted messages are remembered: some 40 MB. Messages deleted after that many others are read."""

FREE_CHANGES = 1 << 12
"""How many changes the commits of any repository may make. If trees are reused, a few bytes can make any number."""

SIZE_OF_CHANGE = 16
"""How many bytes of objects there are for each further change, at least: a message takes some hundred."""

RANGE = 1 << 12
"""How many messages one process of git prints: it starts in a fraction of the time that it takes for them."""

_HEADS = ("HEAD", "refs/heads/master")
"""The references to the last commit: HEAD or, if its branch does not exist, the one that public-inbox writes to."""

_DELETING = ("d", *(f"{number:02x}" for number in range(256)))
"""The paths at which messages are deleted."""

# git-diff-tree(1), the raw format. A message is a regular file, and at a path of version 1 it is replaced, too.
_CHANGE = re.compile(
    rb":(?P<from>\d{6}) (?P<to>\d{6}) (?P<old>[0-9a-f]{40,64}) (?P<new>[0-9a-f]{40,64}) [A-Z]\d*\t"
    rb"(?P<path>m|d|[0-9a-f]{2}/[0-9a-f]+(?:/[0-9a-f]+)?)\n"
)
_REGULAR = b"100"

# git-cat-file(1): what it prints of an object that is missing has no length.
_LINE = re.compile(
    rb"(?:%b(?P<member>[\w./]*![0-9a-f]{40,64}) (?P<length>\d{1,12})"
    rb"|(?P<missing>[0-9a-f]{40,64}) missing)\n" % FRAME.encode()
)

Heads = Mapping[str, str]
"""The last commit of each epoch that has one, by the epoch's name."""


# Commits


class Change(NamedTuple):
    """One change in *commit*: the message *blob* is added or deleted."""

    commit: str
    blob: bytes
    added: bool


def _heads(found: Iterable[Epoch]) -> dict[str, str]:
    """Return the last commit of each epoch of *found* that has one; raise `GitError` if there is no epoch."""
    heads = {}
    for name, directory in found:
        with Git(directory) as git:
            if head := next(filter(None, (_commit(git, reference) for reference in _HEADS)), None):
                heads[name] = head
            elif any(list(git.lines("for-each-ref", "--count=1"))):
                list(git.lines("rev-parse", "--verify", "HEAD^{commit}"))  # it says what is wrong
    if not found:
        raise GitError("is not a public-inbox repository")
    return heads


def _commit(git: Git, reference: str) -> str | None:
    with suppress(GitError):
        return next(git.lines("rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")).decode().strip()
    return None


def _changes(git: Git, head: str, since: str = "", paths: Iterable[str] = ()) -> Iterator[Change]:
    """Yield the changes of the commits after *since* up to *head*, in order, at *paths* or anywhere.

    A merge is compared with its first parent.
    """
    after = [f"^{since}"] if since else []
    # With --always it writes for every commit, and so ends soon after its reader.
    options = ("-r", "--root", "--no-renames", "--always")
    commits, listed = git.start("rev-list", "--reverse", "--first-parent", "--parents", head, *after)
    with listed:  # git's own copy is left open: `rev-list` ends when `diff-tree` does
        trees, changes = git.start("diff-tree", "--stdin", *options, "--", *paths, stdin=listed)
    commit = ""
    most = FREE_CHANGES + git.size // SIZE_OF_CHANGE
    for number, line in enumerate(lines_of(changes)):
        if number == most:
            raise GitError(f"has more changes than a repository of its size: not read from commit {commit} on")
        if not line.startswith(b":"):
            commit = line.decode().strip()
        elif change := _CHANGE.fullmatch(line):
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


# An inbox as a file


class News(NamedTuple):
    """What is new in an inbox after the heads *since* and up to *heads*; all of it, if `since` is empty.

    *deleted* are the older messages that have been deleted since.
    """

    heads: Heads
    since: Heads
    deleted: frozenset[str] = frozenset()


class InboxRange(NamedTuple):
    """Some messages of an epoch, whose git directory is *directory*: a line for `git cat-file` asks for each.

    *reached* are the heads before them; `None` if a commit has messages before and among them.
    """

    directory: str
    asked: list[bytes]
    reached: Heads | None = None


def ranges(path: str, size: int = RANGE, news: News | None = None) -> Iterator[InboxRange]:
    """Yield the messages of the public-inbox at *path* in commit order, *size* at a time; with *news*, only the new.

    Those that a later commit deletes are left out. Raises `GitError` if git fails, once those before are given out.
    """
    found = epochs(path)
    heads, since, _ = news or News(_heads(found), {})
    found = [epoch for epoch in found if epoch.name in heads]
    deleted: Counter[bytes] = Counter()
    for name, directory in found:
        # What git cannot read is found again below, after the messages before it.
        with Git(directory) as git, suppress(GitError):
            for change in _changes(git, heads[name], since.get(name, ""), _DELETING):
                if not change.added and (change.blob in deleted or len(deleted) < MAX_DELETED):
                    deleted[change.blob] += 1
    reached = dict(since)
    for epoch in found:
        with Git(epoch.directory) as git:
            new = _changes(git, heads[epoch.name], since.get(epoch.name, ""))
            for asked in batches(_remaining(epoch, new, deleted), size, lambda _: 1):
                first, last = (line.rpartition(b"!")[2].strip().decode() for line in (asked[0], asked[-1]))
                yield InboxRange(epoch.directory, asked, None if reached.get(epoch.name) == first else dict(reached))
                reached[epoch.name] = last
        reached[epoch.name] = heads[epoch.name]


def _remaining(epoch: Epoch, new: Iterator[Change], deleted: Counter[bytes]) -> Iterator[bytes]:
    """Yield a line with the blob and the name of each message that *new* adds and that is not *deleted* later."""
    for commit, blob, added in new:
        if deleted[blob] <= 0 and added:
            yield b"%b %b\n" % (blob, epoch.member(commit).encode())
        elif not added:
            deleted[blob] -= 1


@contextmanager
def opened_inbox(path: str, parts: Iterable[InboxRange] | None = None) -> Iterator[PeekableFile]:
    """Open the public-inbox at *path*, or *parts* of it, as one file; leaving the context ends git.

    Each message follows a line that names it (FRAME).
    """
    size = packed_size(path)
    with closing(_printed(ranges(path) if parts is None else parts, Expansion(lambda: size).out)) as printed:
        yield PeekableFile(printed, path.rstrip("/") or path)


def _printed(parts: Iterable[InboxRange], out: Callable[[int], object]) -> Generator[bytes]:
    """Yield what `git cat-file` prints of each part; *out* is called with the size of each piece.

    A frame line comes first, so that recognition works even if git prints nothing.
    """
    yield f"{FRAME}messages\n".encode()
    try:
        for directory, asked, _ in parts:
            with Git(directory) as git, TemporaryFile() as requests:
                requests.writelines(asked)
                requests.seek(0)
                form = f"--batch={FRAME}%(rest) %(objectsize)"
                cat, output = git.start("cat-file", "--buffer", form, stdin=requests)
                while data := output.read(BLOCK_SIZE):
                    out(len(data))
                    yield data
                git.check(cat)
    finally:
        if isinstance(parts, Generator):
            parts.close()  # `ranges` may run git too


# Messages


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the messages of the inbox *file*, in order.

    With *wanted*, plain messages in which it finds nothing are left out. Raises `MissingError` after the last message
    if git does not have all of them.
    """
    reader = InboxReader(file)
    reader.read()
    if reader.data and not reader.data.startswith(FRAME.encode()):
        raise SourceError("is not a public-inbox repository")
    name = (file.name or "").rstrip("/")
    while (member := reader.next_member(_LINE)) is not None:
        yield from Walk(reader, name + member, wanted).texts()
    if reader.missing and file.error is None:
        raise MissingError(f"git has no object {reader.missing}, and maybe others; those messages are not read")


# News


def news_of(path: str, since: Heads) -> News:
    """Return what is new in the public-inbox at *path*: everything, if a purge has rewritten its history."""
    found = epochs(path)
    heads = _heads(found)
    grown = [epoch for epoch in found if epoch.name in heads and heads[epoch.name] != since.get(epoch.name)]
    known = [epoch for epoch in found if epoch.name in since]
    goes_on = since.keys() <= heads.keys() and all(_goes_on(epoch, heads, since) for epoch in grown)
    deleted = _deleted(grown, known, heads, since) if goes_on and since else None
    return News(heads, {}) if deleted is None else News(heads, since, deleted)


def _goes_on(epoch: Epoch, heads: Heads, since: Heads) -> bool:
    """Return whether the head of *epoch* is a descendant of the one in *since*."""
    if epoch.name not in since:
        return True
    with Git(epoch.directory) as git, suppress(GitError):
        list(git.lines("merge-base", "--is-ancestor", since[epoch.name], heads[epoch.name]))
        return True
    return False


def _deleted(grown: list[Epoch], known: list[Epoch], heads: Heads, since: Heads) -> frozenset[str] | None:
    """Return the members up to *since* that were deleted later; `None` if some cannot be identified."""
    blobs: set[bytes] = set()
    for name, directory in grown:
        with Git(directory) as git:
            new = _changes(git, heads[name], since.get(name, ""), _DELETING)
            blobs.update(change.blob for change in new if not change.added)
        if len(blobs) > MAX_DELETED:
            return None
    members: set[str] = set()
    for epoch in known if blobs else ():
        with Git(epoch.directory) as git:
            for commit, changes in groupby(_changes(git, since[epoch.name]), attrgetter("commit")):
                added = {change.blob for change in changes if change.added}
                if blobs.isdisjoint(added):
                    continue
                if len(added) > 1:
                    return None
                members.add(epoch.member(commit))
    return frozenset(members)
