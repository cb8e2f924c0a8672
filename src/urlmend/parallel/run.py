"""Files and their splits in order: tasks go out to processes, and what they found comes back together."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self

from urlmend.match import Rejected, URLMatch
from urlmend.parallel import worker
from urlmend.parallel.merge import Merge
from urlmend.parallel.pool import Results, WorkerDiedError, Workers
from urlmend.parallel.tasks import Item, Task, tasks
from urlmend.parallel.worker import Asked, Found
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import SourceError, iter_texts
from urlmend.sources.containers import Faults, FewFaults, Warn, most_out
from urlmend.sources.directories import files, opened_path
from urlmend.sources.git import MissingError

AHEAD = 8
"""How many tasks a process may be ahead of what is given out: those behind a large file are done before it is."""

Opened = AbstractContextManager[Any]


class SplitError(SourceError):
    """A split of the file called *name* was not read, for a *reason* that is not in the file: a process died of it."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.strerror = reason


_Pending = Results | None


def urls_below(path: str, query: Query, rejected: Callable[[Rejected], object] | None, jobs: int) -> Iterator[URLMatch]:
    """Yield the URLs in the file at *path*, or in the files below it."""
    names = (str(Path(name)) for name in files(path, source=query.source))
    with Run(names, Reading(_open, query, rejected), jobs) as run:
        for _, batches in run.files():
            for matches in batches:
                yield from matches


def _open(name: str | None) -> Opened:
    return opened_path(name or "")


_Result = tuple[Item, Found | None]
Files = Iterator[tuple[str | None, Iterator[list[URLMatch]]]]


class Reading(NamedTuple):
    """How files are read: what *opened* opens is read here, that is what is no regular file, `None`, or too little.

    *urls_only* is as in `Asked`. *unreadable* makes another error of one of reading. *advance* is
    told how many bytes the processes have read.
    *members* are those of a file that is read here, and *tell* is told what is passed over; without them a container is
    one file, and its faults are its error. *as_text* is as in `Asked`.
    """

    opened: Callable[[str | None], Opened]
    query: Query
    rejected: Callable[[Rejected], object] | None = None
    urls_only: bool = False
    unreadable: Callable[[OSError], OSError] | None = None
    advance: Callable[[int], object] | None = None
    members: Callable[[Any, str], Iterable[Any]] | None = None
    tell: Warn | None = None
    as_text: bool = False

    def asked(self) -> Asked:
        """Return what is asked of the processes."""
        return Asked(self.query, self.rejected is not None, self.urls_only, self.as_text)


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

        They raise the `OSError` that ends the file; those of the others can still be asked for.
        """
        for (_, name), results in groupby(self._results(), key=lambda result: result[0][:2]):
            first = next(results)
            is_read_here = first[0].error is None and first[0].split is None
            yield from self._here(name) if is_read_here else self._files_in(name, chain([first], results))  # noqa: B031 -- what follows the first

    def _files_in(self, name: str | None, results: Iterator[_Result]) -> Files:
        """Yield what `files` does of the *results* of one, and of the members of a container."""
        faults = Faults()
        bounded = self._in_bounds(results)
        begun = _begun(name, bounded, self._reading.tell or faults.warn, self._reading.advance)
        for (_, called), pieces in groupby(begun, key=itemgetter(0)):
            its_results = ((item, read) for _, item, read in pieces)
            yield called, self._matches(name, called, its_results, faults)
        if faults.error is not None:
            yield name, _raising(faults.error)

    def _here(self, name: str | None) -> Files:
        """Yield what `files` does of one that this process reads."""
        reading = self._reading
        prefilter = ordinary.prefilter(reading.query, places=self._asked.places)
        try:
            with reading.opened(name) as file:
                for member in reading.members(file, reading.query.source_name) if reading.members else (file,):
                    texts = iter_texts(member, reading.query.source, prefilter=prefilter)
                    yield member.name, match_batches(texts, reading.query, reading.rejected, places=self._asked.places)
        except OSError as error:
            yield name, _raising(error)

    def _in_bounds(self, results: Iterator[_Result]) -> Iterator[_Result]:
        """Yield *results*, as long as no more comes out of a container than may (`bounds`).

        Each range counts for itself. One with which that is passed is read again by one who knows what came before, up
        to where it is; nothing behind it is read.
        """
        before = given = 0
        for item, read in results:
            split = item.split
            if read is None or split is None or (split.entries is None and split.tar is None):
                yield item, read
                continue
            # The more of a tar is read the more may come out.
            most = most_out(item.size if split.tar is None else split.tar.start)
            last = read
            if before and before + read.out > most:
                for last in islice(worker.read(split._replace(before=before), self._asked), given, None):
                    yield item, last
                original: Found | None = read
                while original is not None and original.more:
                    _, original = next(results)
            else:
                yield item, read
            given = given + 1 if last.more else 0
            before += 0 if last.more else last.out
            if last.passed:
                self._abandoned = item.number
                return

    def _matches(  # noqa: C901 -- each way a file may end
        self, name: str | None, called: str | None, results: Iterator[_Result], faults: Faults
    ) -> Iterator[list[URLMatch]]:
        """Yield the matches of the file *called* so: that of the *name*, or a member of it."""
        reading = self._reading
        merge = Merge(called, reading.query, reading.rejected)
        missing = None
        for item, read in results:
            if item.error:
                raise item.error
            if item.split is None or read is None:
                continue
            split, held = item.split, read
            # What is split comes in one piece.
            if split.is_split and (again := merge.misread(split, read)) is not None:
                split, held = again, next(worker.read(again, self._asked))
            if matches := merge.matches(split, held):
                yield matches
            if isinstance(held.error, MissingError):
                missing = missing or held.error
            elif held.error or held.failed:
                error = held.error or SplitError(called, f"{item.split}: {held.failed}")
                if called != name and not reading.tell and isinstance(error, SourceError) and not held.failed:
                    faults.add(called, str(error))
                    return
                if called == name:
                    self._abandoned = item.number
                raise error if reading.unreadable is None else reading.unreadable(error)
        if missing is not None:
            raise missing

    def _results(self) -> Iterator[_Result]:
        """Yield what there is to do, in order, with what was found."""
        ahead = tasks(self._names, self._reading.query.source_name)
        waiting: deque[tuple[Task, _Pending]] = deque()
        while True:
            while self._may_go_ahead(waiting) and (task := next(ahead, None)) is not None:
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
                for read in results:
                    yield left[0], read
                    if not read.more:
                        left.popleft()
            except WorkerDiedError as error:
                yield left[0], Found(begins=left[0].name, failed=f"the process reading it died ({error})")
                left.popleft()
                # Small files that were to be read with it.
                yield from (
                    (item, found) for item in left if item.split for found in worker.read(item.split, self._asked)
                )

    def _may_go_ahead(self, waiting: "deque[tuple[Task, _Pending]]") -> bool:
        return len(waiting) < AHEAD * self._workers.count

    def _submitted(self, task: Task) -> "_Pending":
        read = tuple(item.split for item in task if item.split)
        return self._workers.submit(read) if read else None


def _raising(error: OSError) -> Iterator[list[URLMatch]]:
    raise error
    yield []


def _begun(
    name: str | None, results: Iterable[_Result], tell: Warn, advance: Callable[[int], object] | None
) -> Iterator[tuple[tuple[int, str | None], Item, Found | None]]:
    """Yield *results*, of the file called *name*, each with the number and name of the file in it that it is of.

    What is passed over is told, and how much is read.
    """
    number, called = 0, name
    telling = FewFaults(name, tell)
    for item, read in results:
        if read is not None:
            for passed in read.told:
                telling(passed)
            if advance is not None:
                advance(item.size if item.split and item.split.is_split else read.taken)
        if read is None or item.split is None or item.split.is_split or item.split.messages is not None:
            number = 1
        elif read.begins is not None and not (number and read.failed and read.begins == called):
            number, called = number + 1, read.begins
        if number:
            yield (number, called), item, read
    telling.end()
