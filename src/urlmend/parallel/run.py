"""Files and their splits in order: tasks go out to processes, and what they found comes back together."""

import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple, Self

from urlmend.match import URLMatch
from urlmend.mend.history import History
from urlmend.parallel import worker
from urlmend.parallel.merge import Merge
from urlmend.parallel.pool import Task, Workers, found
from urlmend.parallel.recorder import Asked, Found, Marks, Written
from urlmend.parallel.results import Results, WorkerDiedError
from urlmend.parallel.splits import SPLIT_SIZE, Split, splits
from urlmend.resolver import Settings
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import SourceError, iter_texts
from urlmend.sources.directories import files, opened_path

LEAST_SIZE = 1 << 23
"""How many bytes are worth other processes, which take as long to start as it takes to read about half of these."""

AHEAD = 8
"""How many tasks a process may be ahead of what is given out: those behind a large file are done before it is."""

MOST_HELD = 1 << 24
"""How many bytes of results may wait for that before no more tasks are given out: memory is bounded."""

Opened = AbstractContextManager[Any]


class SplitError(SourceError):
    """A split of the file called *name* was not read, for a *reason* that is not in the file: a process died of it."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.strerror = reason


_Pending = Results | None


def urls_below(path: str, source: str, settings: Settings, jobs: int) -> Iterator[URLMatch]:
    """Yield the URLs in the file at *path*, or in the files below it."""
    names = (str(Path(name)) for name in files(path, source=source))
    with Run(names, Reading(_open, source, settings), jobs) as run:
        for _, batches in run.files():
            for matches in batches:
                yield from matches


def _open(name: str | None) -> Opened:
    return opened_path(name or "")


class _Item(NamedTuple):
    """One thing to do for the *number*th file: a split of so many bytes, or none where the file is to be read here."""

    number: int
    name: str | None
    split: Split | None = None
    error: OSError | None = None
    size: int = 0


_Result = tuple[_Item, Found | None]


class Reading(NamedTuple):
    """How files are read: what *opened* opens is read here, that is what is no regular file, `None`, or too little.

    *urls_only* is as in `Asked`, and so is *write*: with it `files` gives out what is written of the matches.
    *unreadable* makes another error of one of reading. *advance* is told how many bytes the processes have read.
    *members* are those of a file that is read here; without it, they are one stream after the other.
    """

    opened: Callable[[str | None], Opened]
    source: str
    settings: Settings
    urls_only: bool = False
    unreadable: Callable[[OSError], OSError] | None = None
    write: Callable[[list[URLMatch]], Written] | None = None
    advance: Callable[[int], object] | None = None
    members: Callable[[Any, str], Iterable[Any]] | None = None

    def asked(self) -> Asked:
        """Return what is asked of the processes."""
        settings = self.settings
        marks = Marks.made() if self.write else Marks()
        rejects = settings.rejected is not None
        return Asked(settings.profile, settings.join, rejects, settings.forms, self.urls_only, self.write, marks)


class Run:
    """Reads the files called *names* with *jobs* processes; leaving the context ends them.

    Each file is a stream of its own.
    """

    def __init__(self, names: Iterable[str | None], reading: Reading, jobs: int) -> None:
        self._names = names
        self._reading = reading
        self._asked = reading.asked()
        self._workers = Workers(jobs, self._asked)
        self._abandoned = -1  # the file of which no more is asked for

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._workers.close()

    def files(self) -> Iterator[tuple[str | None, Iterator[Any]]]:
        """Yield each name with its file's matches in lists, which are to be taken before the next is asked for.

        Where the reading says how they are written, what is written is given out instead (`Written`). They raise the
        `OSError` that ends the file; those of the others can still be asked for.
        """
        write = self._reading.write
        for (_, name), results in groupby(self._results(), key=lambda result: result[0][:2]):
            first = next(results)
            if _is_read_here(*first):
                files = self._here(name)
            else:
                files = iter([(name, self._matches(name, chain([first], results)))])  # noqa: B031 -- what follows the first
            for called, matches in files:
                yield called, matches if write is None else _all_written(matches, write)

    def _here(self, name: str | None) -> Iterator[tuple[str | None, Iterator[list[URLMatch] | Written]]]:
        """Yield what `files` does of one that this process reads."""
        reading = self._reading
        prefilter = ordinary.prefilter(self._asked.forms, places=self._asked.places)
        try:
            with reading.opened(name) as file:
                for member in reading.members(file, reading.source) if reading.members else (file,):
                    texts = iter_texts(member, reading.source, prefilter=prefilter)
                    yield member.name, match_batches(texts, reading.settings, places=self._asked.places)
        except OSError as error:
            yield name, _raising(error)

    def _matches(self, name: str | None, results: Iterator[_Result]) -> Iterator[list[URLMatch] | Written]:
        reading, settings = self._reading, self._reading.settings
        merge = Merge(name, settings, History(), self._asked.marks)
        taken = 0  # of a file that comes in pieces
        for item, read in results:
            if item.error:
                raise item.error
            if item.split is None or read is None:
                continue
            again = merge.misread(item.split, read)
            # What is split comes in one piece.
            split, held = (item.split, read) if again is None else (again, next(worker.read(again, self._asked)))
            yield from merge.matches(split, held)
            if reading.advance is not None:
                reading.advance(read.taken if read.more else item.size - taken)
            taken = taken + read.taken if read.more else 0
            if held.error or held.failed:
                self._abandoned = item.number
                yield merge.end()
                error = held.error or SplitError(name, f"{split}: {held.failed}")
                raise error if reading.unreadable is None else reading.unreadable(error)
        yield merge.end()

    def _results(self) -> Iterator[_Result]:
        """Yield what there is to do, in order, with what was found."""
        tasks = self._tasks()
        waiting: deque[tuple[list[_Item], _Pending]] = deque()
        while True:
            while self._may_go_ahead(waiting) and (task := next(tasks, None)) is not None:
                if task[0].number != self._abandoned:
                    waiting.append((task, self._submitted(task)))
            if not waiting:
                return
            task, results = waiting.popleft()
            if results is None:
                yield from ((item, None) for item in task)
                continue
            left = deque(task)
            try:
                yield from _found(left, results)
            except WorkerDiedError as error:
                if len(task) == 1 and left:
                    yield task[0], _lost(error)
                    continue
                # Which one was it?
                waiting.extendleft(([item], self._submitted([item])) for item in reversed(left))

    def _may_go_ahead(self, waiting: "deque[tuple[list[_Item], _Pending]]") -> bool:
        count = self._workers.count
        return len(waiting) <= count or (len(waiting) < AHEAD * count and _held(waiting) < MOST_HELD)

    def _submitted(self, task: list[_Item]) -> "_Pending":
        read: Task = tuple(item.split for item in task if item.split)
        return self._workers.submit(read) if read else None

    def _tasks(self) -> Iterator[list[_Item]]:
        """Yield what is to be done in one go: a split of a file, or small files together."""
        small: list[_Item] = []
        size = 0
        for item, item_size in self._items():
            if item.split is None or item.split.is_split or size + item_size > SPLIT_SIZE:
                if small:
                    yield small
                small, size = [], 0
            if item.split is None or item.split.is_split:
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
            elif size < 2 * SPLIT_SIZE:
                yield item._replace(split=Split(item.name, item.name, self._reading.source), size=size), size
            else:
                for split in splits(item.name, item.name, self._reading.source):
                    yield item._replace(split=split, size=min(split.stop, size) - split.at), size

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


def _found(left: deque[_Item], results: Results) -> Iterator[_Result]:
    """Yield what is found in the items that are *left*, and take those away of which that is all."""
    for result in results:
        for read in found(result):
            yield left[0], read
            if not read.more:
                left.popleft()


def _all_written(
    matches: Iterable[list[URLMatch] | Written], write: Callable[[list[URLMatch]], Written]
) -> Iterator[Written]:
    return (one if isinstance(one, Written) else write(one) for one in matches)


def _held(waiting: Iterable[tuple[list[_Item], _Pending]]) -> int:
    """Return how many bytes of results are waiting."""
    return sum(results.size for _, results in waiting if results is not None)


def _size(name: str | None) -> int:
    try:
        status = None if name is None else os.stat(name)  # noqa: PTH116 -- names are as they were given
    except OSError:
        return -1  # opening it tells why
    return status.st_size if status and stat.S_ISREG(status.st_mode) else -1


def _is_read_here(item: _Item, read: Found | None) -> bool:
    return item.error is None and (item.split is None or read is None or read.elsewhere)


def _raising(error: OSError) -> Iterator[list[URLMatch]]:
    raise error
    yield []


def _lost(error: WorkerDiedError) -> Found:
    return Found([], [], [], [], failed=f"the process reading it died ({error})")
