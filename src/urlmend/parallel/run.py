"""Reading files with several processes: the pieces of their splits, put in order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from typing import Self

import urlmend.parallel
from urlmend.match import Rejected
from urlmend.parallel.pool import Pool
from urlmend.parallel.splits import Piece, Split, Task, grouped, splits
from urlmend.reading import Job, Matches, Policy
from urlmend.selection import PatternError
from urlmend.sources.directories import files, is_for_all, size_of
from urlmend.sources.git import MissingError

FileMatches = tuple[str | None, Iterator[Matches]]
"""The name of a file, and its matches, which have to be taken before the next file."""


class Run:
    """Reads the files at *paths* with *count* processes, which end when the context is left.

    *policy* decides about errors. *rejected* is called with rejected candidates, *advance* with numbers of bytes read.
    The selection of *job* counts the messages without a date.
    """

    def __init__(  # noqa: PLR0913 -- three of them are callbacks
        self,
        paths: Iterable[str],
        job: Job,
        count: int,
        policy: Policy,
        *,
        rejected: Callable[[Rejected], object] | None = None,
        advance: Callable[[int], object] = id,
    ) -> None:
        self._paths = paths
        self._job = job._replace(rejects=rejected is not None)
        self._pool = Pool(count, self._job)
        self._policy = policy
        self._rejected = rejected
        self._advance = advance
        self._ended = -1  # the file of which nothing more is read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._pool.close()

    def files(self) -> Iterator[FileMatches]:
        """Yield the files at the paths, or the members of containers there."""
        for number, results in groupby(self._pool.results(self._tasks()), key=lambda result: result[0].number):
            for (_, name), pieces in groupby(self._pieces(number, results), key=attrgetter("member", "name")):
                yield name, self._matches(pieces)
            self._policy.end()

    def _tasks(self) -> Iterator[Task]:
        numbered = self._job.places
        for task in grouped(
            split
            for number, path in enumerate(self._paths)
            for split in splits(number, path, self._job.query, numbered=numbered)
        ):
            if task[0].number != self._ended:
                yield task

    def _pieces(self, number: int, results: Iterator[tuple[Split, Piece]]) -> Iterator[Piece]:
        """Yield the pieces of the *number*th file, up to the one that ends it."""
        for _, piece in results:
            if number == self._ended:
                continue
            for skipped in piece.skipped:
                self._policy.skip(skipped)
            self._advance(piece.bytes_read)
            if piece.error and not (piece.is_member or isinstance(piece.error, MissingError)):
                self._ended = number
            if piece.member:
                yield piece

    def _matches(self, pieces: Iterator[Piece]) -> Iterator[Matches]:
        """Yield the matches of a file; then its error goes to the policy."""
        missing = None
        for piece in pieces:
            if self._rejected:
                for candidate in piece.rejected:
                    self._rejected(candidate)
            self._job.selection.count(piece.undated)
            if piece.matches:
                yield piece.matches
            if isinstance(piece.error, PatternError):
                raise piece.error
            if isinstance(piece.error, MissingError):
                missing = missing or piece  # the ranges that follow can be read
            elif piece.error:
                self._policy.fail(piece.name, piece.error, is_member=piece.is_member)
        if missing and missing.error:
            self._policy.fail(missing.name, missing.error, is_member=missing.is_member)


def is_worth_it(path: str, source: str) -> bool:
    """Return whether other processes can read the files at *path*, and they are large enough for several."""
    with suppress(OSError):
        sizes = map(size_of, files(path, source=source))
        return is_for_all(path) and urlmend.parallel.are_larger(sizes, urlmend.parallel.LEAST_SIZE)
    return False
