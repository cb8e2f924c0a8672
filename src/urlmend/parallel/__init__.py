"""Reading with several processes: what comes out is what one would give, in the same order.

Files are read in splits. Where one begins is a guess at a place that nothing goes across; the split before it tells how
far it reached, and where that was farther, or not at the next message, the next split is read again from there. So a
wrong guess costs time and nothing else. What needs the whole stream, `History` and the counting of lines and messages,
is done in the process that asks.
"""

import os


def count_jobs(jobs: int) -> int:
    """Return how many processes *jobs* asks for: 0 stands for one a CPU that this process may use."""
    if jobs < 0:
        message = f"jobs must be 0 or more, not {jobs}"
        raise ValueError(message)
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
