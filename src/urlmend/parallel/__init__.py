"""Reading with several processes: what comes out is what one would give, in the same order.

Files are read in parts. Where one begins is a guess at a place that nothing goes across; the part before it tells how
far it reached, and where that was farther, or not at the next message, the next part is read again from there. So the
guess costs time where it is wrong, and nothing else. What needs the whole stream, `History` and the counting of lines and
messages, is done here.
"""

import os
from collections.abc import Callable, Iterable, Iterator

from urlmend import extract
from urlmend.extract import Join, Readable, check_join
from urlmend.grammar.profiles import WEB, Profile
from urlmend.match import Rejected, URLMatch
from urlmend.sources import Text, open_source


def count_jobs(jobs: int) -> int:
    """Return how many processes *jobs* asks for: 0 stands for one a CPU that this process may use."""
    if jobs < 0:
        message = f"jobs must be 0 or more, not {jobs}"
        raise ValueError(message)
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def iter_urls(  # noqa: PLR0913 -- each is asked for by name
    fileobj: Readable | os.PathLike[str],
    *,
    source: str | Callable[[Readable], Iterable[Text]] = "auto",
    profile: Profile = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
    jobs: int = 1,
) -> Iterator[URLMatch]:
    r"""Yield the URLs in *fileobj*, in order and as they are read.

    *fileobj* needs `read(n)` only, binary or text; or it is the path of a file or directory. *source* names what the
    file is (a key of `SOURCES`; `auto`: what its beginning shows), or is a function from the file to `Text` pieces, as
    in `iter_texts`. *profile*, *join* and *rejected* are as in `Scanner`. Memory is bounded whatever the input.
    Content never raises; errors of `read` pass through once all that was read is given out, `CompressionError`, an
    `OSError`, of a broken compressed file too, and an unknown *source* or *join* raises `ValueError`.

    With *jobs*, as many other processes read (0: one a CPU); what is given out is the same. They need a path and the
    name of a source: a file object, and a *source* that is a function, are read by this process alone, as is what is
    too little to be worth it (LEAST_SIZE). Close the iterator where you leave it early, to end them at once. A process
    that dies raises `PartError`, an `OSError`, with the file and the bytes that it was reading, once all before them is
    given out.

    >>> import io
    >>> [str(match) for match in iter_urls(io.BytesIO(b"as in <URL:ftp://a.example/pub/b;\n  type=d>."))]
    ['ftp://a.example/pub/b;type=d']
    """
    count = count_jobs(jobs)
    if count == 1 or callable(source) or not isinstance(fileobj, os.PathLike):
        return extract.iter_urls(fileobj, source=source, profile=profile, join=join, rejected=rejected)
    check_join(join)
    open_source(source)
    from urlmend.parallel.run import below  # noqa: PLC0415 -- one process needs none of it

    return below(fileobj, source=source, profile=profile, join=join, rejected=rejected, jobs=count)
