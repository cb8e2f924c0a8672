"""Reading files with several processes: the pieces of their splits, put in order."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import groupby
from operator import attrgetter

from urlmend.parallel.pool import DiedError, Pool
from urlmend.parallel.splits import Piece, SplitReader, grouped, splits
from urlmend.reading import FileMatches, Job, Matches, OnReject, Policy
from urlmend.selection import PatternError
from urlmend.sources.git import MissingError


def files_by(  # noqa: PLR0913 -- two of them are callbacks
    count: int,
    paths: Iterable[str],
    job: Job,
    policy: Policy,
    *,
    rejected: OnReject = None,
    advance: Callable[[int], object] = id,
) -> Generator[FileMatches]:
    """Yield the files at *paths*, or the members of containers there, read by *count* processes.

    *policy* decides about errors. *rejected* is called with rejected candidates, *advance* with numbers of bytes read.
    The selection of *job* counts the messages without a date. To end the processes before all is read, close the
    iterator.
    """
    job = job._replace(rejects=rejected is not None)
    numbered = enumerate(paths)
    found = (split for number, path in numbered for split in splits(number, path, job.query, numbered=job.places))
    with closing(Pool(count, partial(SplitReader, job=job))) as pool:
        for _, results in groupby(pool.results(grouped(found)), key=attrgetter("number")):
            pieces = _pieces(results, policy, advance)
            for (_, name), some in groupby(pieces, key=attrgetter("member", "name")):
                yield name, _matches(some, job, policy, rejected)
            policy.end()


def _pieces(results: Iterator[Piece], policy: Policy, advance: Callable[[int], object]) -> Iterator[Piece]:
    """Yield the pieces of a file, up to the one that ends it."""
    for piece in results:
        for skipped in piece.skipped:
            policy.skip(skipped)
        advance(piece.bytes_read)
        if piece.member:
            yield piece
        if piece.error and not (piece.stamp or isinstance(piece.error, MissingError)):
            return


def _matches(pieces: Iterator[Piece], job: Job, policy: Policy, rejected: OnReject) -> Iterator[Matches]:
    """Yield the matches of a file; then its error goes to *policy*."""
    missing: MissingError | None = None
    for piece in pieces:
        if rejected:
            for candidate in piece.rejected:
                rejected(candidate)
        job.selection.count(piece.undated)
        if piece.matches:
            yield piece.matches
        if isinstance(piece.error, PatternError | DiedError):  # it ends the run
            raise piece.error
        if isinstance(piece.error, MissingError):
            missing = missing or piece.error  # the ranges that follow can be read
        elif piece.error:
            policy.fail(piece.name, piece.error, is_member=piece.stamp is not None)
    if missing:
        policy.fail(piece.name, missing, is_member=False)
