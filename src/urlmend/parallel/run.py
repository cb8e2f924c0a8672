"""Files and their parts in order: tasks go out to processes, and what they found comes back together."""

import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple, Self

from urlmend.extract import Join, Readable, match_batches
from urlmend.grammar.profiles import Profile
from urlmend.match import Rejected, URLMatch
from urlmend.mend.history import History
from urlmend.parallel.merge import Stream
from urlmend.parallel.pool import Task, WorkerDiedError, Workers
from urlmend.parallel.splits import PART_SIZE, Part, parts
from urlmend.parallel.worker import Found, PartError, Settings
from urlmend.sources import iter_texts
from urlmend.sources.directories import files

LEAST_SIZE = 1 << 23
"""How many bytes are worth other processes, which take as long to start as it takes to read about half of these."""

AHEAD = 3
"""How many tasks a process may be ahead of what is given out: memory is bounded, whoever is slow."""

Opened = AbstractContextManager[Readable]
_Pending = Future[list[Found]] | None


def below(  # noqa: PLR0913 -- each is asked for by name
    path: os.PathLike[str],
    *,
    source: str,
    profile: Profile,
    join: Join,
    rejected: Callable[[Rejected], object] | None,
    jobs: int,
) -> Iterator[URLMatch]:
    """Yield the URLs in the file at *path*, or in the files below it, as one stream."""
    names = (str(Path(name)) for name in files(os.fspath(path)))
    with Run(
        names, _open, source=source, profile=profile, join=join, rejected=rejected, jobs=jobs, history=History()
    ) as run:
        for _, lists in run.files():
            for matches in lists:
                yield from matches


def _open(name: str | None) -> Opened:
    return Path(name or "").open("rb")


class _Item(NamedTuple):
    """One thing to do for the *number*th file: a part to be read, or none where the file is to be read here."""

    number: int
    name: str | None
    part: Part | None = None
    error: OSError | None = None


_Result = tuple[_Item, Found | None]


class Run:
    """Reads the files called *names* with *jobs* processes; leaving the context ends them.

    *opened* opens what is read here: what is no regular file, and `None`, or too little. Each file is a stream of its
    own, or *history* is what is known of the one that they all are. *urls_only* is as in `Settings`. *unreadable* makes
    another error of one of reading.
    """

    def __init__(  # noqa: PLR0913 -- each is asked for by name
        self,
        names: Iterable[str | None],
        opened: Callable[[str | None], Opened],
        *,
        source: str,
        profile: Profile,
        join: Join,
        rejected: Callable[[Rejected], object] | None,
        jobs: int,
        history: History | None = None,
        urls_only: bool = False,
        unreadable: Callable[[OSError], OSError] | None = None,
    ) -> None:
        self._names = names
        self._opened = opened
        self._source = source
        self._settings = Settings(profile, join, rejected is not None, urls_only)
        self._rejected = rejected
        self._history = history
        self._unreadable = unreadable
        self._workers = Workers(jobs, self._settings)
        self._abandoned = -1  # the file of which no more is asked for

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._workers.close()

    def files(self) -> Iterator[tuple[str | None, Iterator[list[URLMatch]]]]:
        """Yield each name with its file's matches in lists, which are to be taken before the next is asked for.

        They raise the `OSError` that ends the file; those of the others can still be asked for.
        """
        for (_, name), results in groupby(self._results(), key=lambda result: result[0][:2]):
            yield name, self._matches(name, results)

    def _matches(self, name: str | None, results: Iterator[_Result]) -> Iterator[list[URLMatch]]:
        history = self._history or History()
        stream = Stream(name, self._settings.profile, self._rejected, history)
        for item, found in results:
            if item.error:
                raise item.error
            if item.part is None or found is None:
                with self._opened(name) as file:
                    profile, join, *_ = self._settings
                    glance = self._settings.glance()
                    texts = iter_texts(file, self._source, sign=glance)
                    yield from match_batches(
                        texts, profile=profile, join=join, rejected=self._rejected, history=history, glance=glance
                    )
                continue
            again = stream.misread(item.part, found)
            part, held = (item.part, found) if again is None else (again, self._again(again))
            yield from stream.matches(part, held)
            if held.error or held.failed:
                self._abandoned = item.number
                yield stream.end()
                error = held.error or PartError(name, f"{part}: {held.failed}")
                raise error if self._unreadable is None else self._unreadable(error)
        yield stream.end()

    def _again(self, part: Part) -> Found:
        try:
            return self._workers.submit((part,)).result()[0]
        except WorkerDiedError as error:
            return _lost(error)

    def _results(self) -> Iterator[_Result]:
        """Yield what there is to do, in order, with what was found."""
        tasks = self._tasks()
        waiting: deque[tuple[list[_Item], _Pending]] = deque()
        while True:
            while len(waiting) < AHEAD * self._workers.count and (task := next(tasks, None)) is not None:
                if task[0].number != self._abandoned:
                    waiting.append((task, self._submitted(task)))
            if not waiting:
                return
            task, future = waiting.popleft()
            found: list[Found] | list[None] = [None] * len(task)
            try:
                if future is not None:
                    found = future.result()
            except WorkerDiedError as error:
                if len(task) > 1:
                    # Which one was it?
                    waiting.extendleft(([item], self._submitted([item])) for item in reversed(task))
                    continue
                found = [_lost(error)]
            yield from zip(task, found, strict=True)

    def _submitted(self, task: list[_Item]) -> "_Pending":
        read: Task = tuple(item.part for item in task if item.part)
        return self._workers.submit(read) if read else None

    def _tasks(self) -> Iterator[list[_Item]]:
        """Yield what is to be done in one go: a part of a file, or small files together."""
        small: list[_Item] = []
        size = 0
        for item, item_size in self._items():
            if item.part is None or item.part.split or size + item_size > PART_SIZE:
                if small:
                    yield small
                small, size = [], 0
            if item.part is None or item.part.split:
                yield [item]
            else:
                small.append(item)
                size += item_size
        if small:
            yield small

    def _items(self) -> Iterator[tuple[_Item, int]]:
        sized = self._sized()
        first: list[tuple[_Item, int]] = []
        total = 0
        for item, size in sized:
            first.append((item, size))
            total += max(size, 0)
            if total >= LEAST_SIZE:
                break
        else:
            yield from first
            return
        for item, size in chain(first, sized):
            if item.name is None or size < 0:
                yield item, 0
            elif size < 2 * PART_SIZE:
                yield item._replace(part=Part(item.name, item.name, self._source)), size
            else:
                for part in parts(item.name, item.name, self._source):
                    yield item._replace(part=part), size

    def _sized(self) -> Iterator[tuple[_Item, int]]:
        """Yield the files, each with its size; -1 for what is to be read here."""
        number = 0
        names = iter(self._names)
        while True:
            number += 1
            try:
                name = next(names, "")
            except OSError as error:
                yield _Item(number, None, error=error), -1
                return
            if name == "":
                return
            yield _Item(number, name), _size(name)


def _size(name: str | None) -> int:
    try:
        status = None if name is None else os.stat(name)  # noqa: PTH116 -- names are as they were given
    except OSError:
        return -1  # opening it tells why
    return status.st_size if status and stat.S_ISREG(status.st_mode) else -1


def _lost(error: WorkerDiedError) -> Found:
    return Found([], [], [], [], failed=f"the process reading it died ({error})")
