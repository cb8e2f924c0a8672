"""Reading files with several processes: the pieces of their splits, put in order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Self, cast

import urlmend.parallel
from urlmend.match import Rejected, URLMatch
from urlmend.parallel import Job, Matches
from urlmend.parallel.pool import Pool, WorkerDiedError
from urlmend.parallel.splits import Range, Split, Task, counted, tasks
from urlmend.parallel.worker import Piece, read
from urlmend.query import Query
from urlmend.selection import Selection
from urlmend.sources import SourceError
from urlmend.sources.containers import Faults, FewFaults, Warn, most_out
from urlmend.sources.directories import files, size_of
from urlmend.sources.git import MissingError

_Result = tuple[Split, Piece]


class SplitError(SourceError):
    """A part of the file called *name* was not read, for a *reason* outside the file: its process died."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.strerror = reason


File = tuple[str | None, Iterator[Matches]]
"""The name of a file, and its matches. They have to be taken before the next file, and raise the error that ends it."""


class Run:
    """Reads the files at *paths* with *count* processes, which end when the context is left.

    *rejected* is called with rejected candidates, *warn* with each skipped file, and *advance* with numbers of bytes
    read. The selection of *job* counts the messages that have no date.
    """

    def __init__(  # noqa: PLR0913 -- three of them are callbacks
        self,
        paths: Iterable[str | None],
        job: Job,
        count: int,
        *,
        rejected: Callable[[Rejected], object] | None = None,
        warn: Warn = id,
        advance: Callable[[int], object] = id,
    ) -> None:
        self._paths = paths
        self._job = job._replace(rejects=rejected is not None)
        self._pool = Pool(count, self._job)
        self._rejected = rejected
        self._warn = warn
        self._advance = advance
        self._ended = -1  # the file of which nothing more is read
        self._hidden = (-1, 0)  # a file, and how many messages fewer it has than were counted so far

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._pool.close()

    def files(self) -> Iterator[tuple[str | None, Iterator[File] | None]]:
        """Yield each path with the files there: one, or the members of a container.

        Instead of the files, yield `None` for what only the main process can read.
        """
        for _, results in groupby(self._results(), key=lambda result: result[0].number):
            first = next(results)
            split, _ = first
            path = split.path or None
            yield path, self._members(path, chain([first], results)) if split.shared else None  # noqa: B031 -- those after the first

    def _members(self, path: str | None, results: Iterator[_Result]) -> Iterator[File]:
        members = self._by_member(path, self._in_bounds(results))
        for (_, name), its_results in groupby(members, key=itemgetter(0)):
            yield name, self._matches(path, name, (result for _, result in its_results))

    def _results(self) -> Iterator[_Result]:
        """Yield each split, in order, with each of its pieces."""
        for task, pieces in self._pool.map(self._tasks()):
            left = iter(task)
            split = next(left)
            try:
                for piece in pieces:
                    if piece is None:
                        split = next(left, split)
                    else:
                        yield split, piece
            except WorkerDiedError as error:
                yield split, Piece(begins=split.path, failed=f"the process reading it died ({error})")
                # The small files that it would have read next.
                yield from ((split, piece) for split in left for piece in read(split, self._job))

    def _tasks(self) -> Iterator[Task]:
        for task in tasks(self._paths, self._job.query.source_name, numbered=self._job.places):
            split = task[0]
            if split.number == self._ended:
                continue
            if split.number == self._hidden[0] and isinstance(split.part, Range):
                yield [split._replace(part=split.part._replace(hidden=self._hidden[1]))]
            else:
                yield task

    def _in_bounds(self, results: Iterator[_Result]) -> Iterator[_Result]:
        """Yield *results* until more comes out of a container than is allowed.

        Each process counts only what comes out of its part. The part that exceeds the limit is read again, up to the
        limit, and the parts after it are not read.
        """
        before = 0
        for split, its_results in groupby(results, itemgetter(0)):
            if not isinstance(split.part, list):
                yield from its_results
                continue
            most = most_out(split.size)
            last = Piece()
            for given, (_, piece) in enumerate(its_results):
                if before and before + piece.out > most:
                    for last in islice(read(split._replace(before=before), self._job), given, None):
                        yield split, last
                    break
                last = piece
                yield split, last
            before += last.out
            if last.is_too_much:
                self._ended = split.number
                return

    def _by_member(
        self, path: str | None, results: Iterator[_Result]
    ) -> Iterator[tuple[tuple[int, str | None], _Result]]:
        """Yield *results*, each with the number and the name of its file in the container at *path*."""
        number, name = 0, path
        few = FewFaults(path, self._warn)
        for split, piece in results:
            for skipped in piece.skipped:
                few(skipped)
            self._advance(piece.bytes_read)
            if split.error or (split.part is not None and not isinstance(split.part, list)):
                number = number or 1
            elif piece.begins is not None and not (number and piece.failed and piece.begins == name):
                number, name = number + 1, piece.begins
            if number:
                yield (number, name), (split, piece)
        few.end()

    def _matches(self, path: str | None, name: str | None, results: Iterator[_Result]) -> Iterator[Matches]:
        """Yield the matches of the file called *name*, which is at *path* or in the container there."""
        missing = None
        before: Piece | None = None
        for split, piece in results:
            if isinstance(split.part, Range):
                piece = self._checked(split, split.part, piece, before)  # noqa: PLW2901 -- the right one
                before = piece
            if self._rejected:
                for candidate in piece.rejected:
                    self._rejected(candidate)
            self._job.selection.count(piece.undated)
            if piece.matches:
                yield piece.matches
            if isinstance(piece.error, MissingError):
                missing = missing or piece.error
            elif piece.error or piece.failed:
                if name == path:
                    self._ended = split.number
                raise piece.error or SplitError(name, f"{split}: {piece.failed}")
        if missing is not None:
            raise missing

    def _checked(self, split: Split, part: Range, piece: Piece, before: Piece | None) -> Piece:
        """Return *piece*, or the piece that is read from the true start, which is the end of the piece *before*."""
        if before is None:
            return piece
        counts = self._job.places and split.source == "mbox"
        is_right = not counts or part.message - part.hidden == before.message
        if is_right and part.at == before.reach and piece.first >= before.last_end:
            return piece
        with Path(split.path).open("rb") as file:
            lines, messages = counted(file, part.at, before.reach, split.source)
        message = part.message + messages
        hidden = message - before.message if counts else 0
        self._hidden = split.number, hidden
        true = Range(before.reach, part.stop, part.line + lines, message, hidden, part.context, before.last_end)
        return next(read(split._replace(part=true), self._job))


def urls_below(
    path: str, query: Query, selection: Selection, rejected: Callable[[Rejected], object] | None, jobs: int
) -> Iterator[URLMatch]:
    """Yield the URLs of *selection* in the file at *path*, or in the files below it, read by *jobs* processes."""
    faults = Faults()
    paths = (str(Path(name)) for name in files(path, source=query.source))
    with Run(paths, Job(query, selection), jobs, rejected=rejected, warn=faults.warn) as run:
        for outer, members in run.files():
            for name, batches in members or ():
                try:
                    for matches in batches:
                        yield from cast("list[URLMatch]", matches)
                except SourceError as error:
                    if name == outer or isinstance(error, SplitError):
                        raise
                    faults.add(name, str(error))
            faults.close()


def is_worth_it(path: str, source: str) -> bool:
    """Return whether the files at *path* are large enough for several processes."""
    with suppress(OSError):
        return urlmend.parallel.are_larger(map(size_of, files(path, source=source)), urlmend.parallel.LEAST_SIZE)
    return False
