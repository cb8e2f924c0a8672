"""The URLs of a file, and of a text in hand: what most users call."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, cast

from urlmend.grammar.profiles import WEB, Profile
from urlmend.match import Rejected, URLMatch
from urlmend.parallel import count_jobs
from urlmend.query import Join, Query
from urlmend.scan import ordinary
from urlmend.scanner import Scanner, match_batches
from urlmend.sources import Text, iter_texts


class Readable(Protocol):
    """A file object: all that is asked of it is `read(n)`, returning bytes or str, empty at the end."""

    def read(self, n: int, /) -> bytes | str: ...  # noqa: D102


def iter_urls(  # noqa: PLR0913 -- each is asked for by name
    fileobj: Readable | os.PathLike[str],
    *,
    source: str | Callable[[Readable], Iterable[Text]] = "auto",
    profile: Profile = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
    min_confidence: float = 0.0,
    schemeless: bool = False,
    addresses: bool = False,
    refang: bool = False,
    jobs: int = 1,
) -> Iterator[URLMatch]:
    r"""Yield the URLs in *fileobj*, in order and as they are read.

    *fileobj* needs `read(n)` only, binary or text; or it is the path of a file or directory. *source* names what the
    file is (a key of `SOURCES`; `auto` detects it from the content), or is a function from the file to `Text` pieces,
    as in `iter_texts`. *profile*, *join*, *rejected* and *min_confidence* are as in `Scanner`. Memory is bounded
    whatever the input.

    No input text raises. Errors of `read` pass through once all that was read is given out, `CompressionError`, an
    `OSError`, of a broken compressed file too. An unknown *source* or *join*, or a *min_confidence* outside 0
    to 1, raises `ValueError`, and what is neither a file object nor a path `TypeError`.

    With *jobs*, as many other processes read (0: one a CPU), with the same result. They need a path and the name of a
    source: this process reads a file object, a *source* that is a function, and what is too little to be worth it
    (LEAST_SIZE). Close the iterator where you leave it early, to end them at once. A process that dies raises
    `SplitError`, an `OSError`, with the file and the bytes that it was reading, once all before them is given out.

    >>> import io
    >>> [str(match) for match in iter_urls(io.BytesIO(b"as in <URL:ftp://a.example/pub/b;\n  type=d>."))]
    ['ftp://a.example/pub/b;type=d']
    """
    query = Query(source, profile, join, min_confidence, schemeless, addresses, refang)
    count = count_jobs(jobs)
    if not hasattr(type(fileobj), "__fspath__"):
        if not hasattr(fileobj, "read"):
            message = f"iter_urls takes a file object or a pathlib.Path, not {type(fileobj).__name__}"
            hint = ": open the file or give its Path, and use find_urls for a text in hand"
            raise TypeError(message + hint * isinstance(fileobj, (str, bytes)))
    elif count > 1 and isinstance(source, str):
        from urlmend.parallel.run import is_worth_it, urls_below  # noqa: PLC0415 -- one process needs none of it

        path = os.fsdecode(cast("os.PathLike[str]", fileobj))
        if is_worth_it(path, source):
            return urls_below(path, query, rejected, count)
    texts = iter_texts(fileobj, source, prefilter=ordinary.prefilter(query))
    return (match for matches in match_batches(texts, query, rejected) for match in matches)


def find_urls(  # noqa: PLR0913 -- as above
    text: str | bytes,
    *,
    profile: Profile = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
    min_confidence: float = 0.0,
    schemeless: bool = False,
    addresses: bool = False,
    refang: bool = False,
) -> list[URLMatch]:
    """Return the URLs in *text*, a string or bytes in hand, in order; the rest is as in `Scanner`.

    >>> [str(match) for match in find_urls("(see http://a.example/b_(c)).")]
    ['http://a.example/b_(c)']
    """
    scanner = Scanner(
        profile=profile,
        join=join,
        rejected=rejected,
        min_confidence=min_confidence,
        schemeless=schemeless,
        addresses=addresses,
        refang=refang,
    )
    return scanner.feed(text) + scanner.close()
