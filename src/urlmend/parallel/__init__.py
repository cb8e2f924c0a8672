"""Reading with several processes. The matches are those of one process, in the same order.

`splits` divides the files, `worker` reads a split in any process, `pool` runs the processes, and `run` puts the pieces
that they return in order. The start of a split is a guess at a place that no URL or message crosses. The end of the
split before shows whether the guess was right; if not, the split is read again from the true place.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from urlmend.match import URLMatch
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.selection import Key, Selection
from urlmend.sources import Prefilter

LEAST_SIZE = 1 << 23
"""How many bytes are worth several processes: starting them takes as long as reading about half as much."""


def are_larger(sizes: Iterable[int | None], than: int) -> bool:
    """Return whether the sum of *sizes* is more than *than*, taking only as many as that needs."""
    return any(total > than for total in accumulate(size or 0 for size in sizes))


def count_jobs(jobs: int) -> int:
    """Return the number of processes for *jobs*; 0 means one for each CPU that this process may use.

    Raises `ValueError` for a negative number.
    """
    if jobs < 0:
        raise ValueError(f"jobs must be 0 or more, not {jobs}")
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Lines(NamedTuple):
    """Finished lines of output: their *text*, and how many URLs are in it."""

    text: str
    urls: int


Matches = list[URLMatch] | Lines


class Job(NamedTuple):
    """What to do with every file or split: find what *query* asks for.

    Of the matches that *choose* returns, those in messages of the *selection* are kept. The result is the *lines* of
    output that are made of them or, without *lines*, the matches themselves; with *rejects*, the rejected candidates
    too. Without *places*, the positions of matches are not needed. *with_lines*, matches have the text after them even
    if nothing was mended. With *as_text*, files that are not text are read as well. All of it can be pickled.
    """

    query: Query
    selection: Selection = Selection()
    choose: Callable[[list[URLMatch]], list[URLMatch]] = list
    lines: Callable[[Sequence[URLMatch]], str] | None = None
    rejects: bool = False
    places: bool = True
    with_lines: bool = False
    as_text: bool = False

    @property
    def prefilter(self) -> Prefilter:
        """The function that sources use to leave out texts without URLs."""
        return ordinary.prefilter(self.query, places=self.places)

    def result(self, matches: list[URLMatch]) -> tuple[Matches, Sequence[Key]]:
        """Return the matches to keep, or their lines; and the keys of messages that have no date."""
        chosen, undated = self.selection.judged(self.choose(matches))
        return chosen if self.lines is None else Lines(self.lines(chosen), len(chosen)), undated
