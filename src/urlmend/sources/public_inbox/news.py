"""What is new in a public-inbox since its epochs had other heads."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from urlmend.sources.origin import Prefilter, Text
from urlmend.sources.public_inbox.git import Git, GitError
from urlmend.sources.public_inbox.inbox import MAX_TAKEN, TAKING, Change, Heads, Inbox, changes, heads_of
from urlmend.sources.public_inbox.messages import messages
from urlmend.sources.public_inbox.places import Epoch, epochs


class News(NamedTuple):
    """What is new in an inbox up to *heads*, *since* it had others.

    Of the messages up to those, the members *taken* are deleted. Where `since` is empty, all of it is to be read anew.
    """

    heads: Heads
    since: Heads
    taken: frozenset[str] = frozenset()


def news_of(path: str, since: Heads) -> News:
    """Return what is new in the public-inbox at *path*. A purge, for one, writes history anew: then all of it is."""
    found = epochs(path)
    heads = heads_of(found)
    found = [epoch for epoch in found if epoch.name in heads]
    taken = _taken(found, heads, since) if _have_grown(found, heads, since) else None
    return News(heads, {}) if taken is None else News(heads, since, taken)


def _have_grown(found: Iterable[Epoch], heads: Heads, since: Heads) -> bool:
    """Tell whether the epochs *found* go on from the heads *since*."""
    if not since.keys() <= heads.keys():
        return False
    for name, directory in found:
        if name in since and since[name] != heads[name]:
            with Git(directory) as git:
                try:
                    list(git.lines("merge-base", "--is-ancestor", since[name], heads[name]))
                except GitError:
                    return False
    return True


def _taken(found: list[Epoch], heads: Heads, since: Heads) -> frozenset[str] | None:
    """Return the members up to *since* that were deleted behind; `None` if that cannot be said of each by itself."""
    blobs: set[bytes] = set()
    for epoch in found if since else ():
        if heads[epoch.name] != since.get(epoch.name):
            with Git(epoch.directory) as git:
                blobs.update(change.blob for change in changes(git, epoch, heads, since, TAKING) if not change.added)
        if len(blobs) > MAX_TAKEN:
            return None
    members: set[str] = set()
    for epoch in found if blobs else ():
        if epoch.name not in since:
            continue
        with Git(epoch.directory) as git:
            for commit, brought in _brought(changes(git, epoch, since, {})):
                if blobs.isdisjoint(brought):
                    continue
                if len(brought) > 1:
                    return None
                members.add(epoch.member(commit))
    return frozenset(members)


def _brought(all_changes: Iterable[Change]) -> Iterator[tuple[str, set[bytes]]]:
    """Yield each commit with the messages that it brought."""
    for commit, its_changes in groupby(all_changes, attrgetter("commit")):
        yield commit, {change.blob for change in its_changes if change.added}


class Reached(NamedTuple):
    """The next message of an inbox: its *texts*, and the *heads* up to which all before it is read.

    Those are to go on from; within a commit there are none.
    """

    heads: Heads | None
    texts: Iterable[Text]


def new_messages(inbox: Inbox, news: News, prefilter: Prefilter | None = None) -> Iterator[Reached]:
    """Yield the messages of *inbox*, which was opened for *news*; *prefilter* is as in `messages`."""
    reached = dict(news.since)
    last = ""
    for source, texts in messages(inbox, prefilter):
        yield Reached(None if source == last else dict(reached), texts)
        last = source
        name, _, commit = source.removeprefix(inbox.name).removeprefix("/").rpartition("!")
        for earlier, head in news.heads.items():
            if earlier == name:
                break
            reached[earlier] = head
        reached[name] = commit
