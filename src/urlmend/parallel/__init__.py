"""Reading with several processes. The matches are those of one process, in the same order.

`splits` divides files where one process could start afresh: before a message, or before a line if it is known where the
last URL ends. Its `SplitReader` reads a split in any process. `pool` runs the processes and puts the results in order.
"""

import os
from collections.abc import Iterable
from itertools import accumulate

from urlmend.sources.directories import is_for_all

LEAST_SIZE = 1 << 23
"""The fewest bytes that are worth several processes: starting them takes as long as reading about half as many."""

LARGE = 32 << 20
"""The fewest bytes that are read by several processes where nobody has said by how many.

Where processes are not copies of this one, each takes as long to start as to read 12 MB: two gain nothing below 24 MB.
"""


def count_jobs(jobs: int) -> int:
    """Return the number of processes for *jobs*; 0 means one for each CPU that this process may use.

    Raises `ValueError` for anything but a number from 0 on.
    """
    if not isinstance(jobs, int) or jobs < 0:
        raise ValueError(f"jobs must be a number, 0 or more, not {jobs!r}")
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_for(paths: Iterable[str], sizes: Iterable[int | None], count: int | None) -> int:
    """Return how many processes read *paths*: *count*, by default one for each CPU; or 1.

    It is 1 if any path is a pipe, or if the files, of these *sizes*, hold at most LEAST_SIZE bytes, or LARGE without a
    *count*. *sizes* is read only until that is known.
    """
    count, least = (count_jobs(0), LARGE) if count is None else (count, LEAST_SIZE)
    if count == 1 or not all(map(is_for_all, paths)):
        return 1
    return count if any(total > least for total in accumulate(size or 0 for size in sizes)) else 1
