"""The two functions that most users call: `iter_urls` for files, `find_urls` for text."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from urlmend.grammar.profiles import WEB, Profile, profile_of
from urlmend.match import Rejected, URLMatch
from urlmend.parallel import count_jobs
from urlmend.query import Join, Query
from urlmend.scan import ordinary
from urlmend.scanner import Scanner, match_batches
from urlmend.selection import Selection
from urlmend.sources import Readable, Text, iter_texts


def iter_urls(  # noqa: PLR0913 -- each is asked for by name
    fileobj: Readable | os.PathLike[str],
    *,
    source: str | Callable[[Readable], Iterable[Text]] = "auto",
    profile: Profile | str = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
    min_confidence: float = 0.0,
    schemeless: bool = False,
    addresses: bool = False,
    refang: bool = False,
    resolve: bool = False,
    base: str | None = None,
    header_fields: bool = True,
    selection: Selection | None = None,
    jobs: int = 1,
) -> Iterator[URLMatch]:
    r"""Yield the URLs in *fileobj*, in order, while it is read.

    *fileobj* is a file object, binary or text, of which only `read(n)` is used, or the path of a file or directory.
    *source* is a key of `SOURCES`, where `auto` recognises the file from its content, or a function from the file to
    `Text` pieces, as in `iter_texts`. With *resolve*, relative links in HTML are found too, and resolved (RFC 3986
    section 5) against the page's `<base>`, or its address in a web archive or a Content-Location field; their form is
    `resolved`. *base* does so too, and is the address of HTML files. Without *header_fields*, URLs in the header fields
    of messages are left out, except those of the subject. *selection* chooses messages by date, author,
    subject and newsgroup. The other arguments are those of `Scanner`. Memory is bounded, whatever the input.

    No text raises an error. Errors of `read` are raised after all matches before them, and so are those of a broken
    compressed file (`CompressionError`, an `OSError`). Raises `ValueError` for an unknown *source*, *profile* or
    *join*, a *base* that is not an http(s) URL and a *min_confidence* outside 0 to 1, and `TypeError` if *fileobj* is
    neither a file object nor a path.

    *jobs* is the number of other processes that read (0: one for each CPU); the matches are the same. File objects,
    sources that are functions, and files with too few bytes (LEAST_SIZE) are read by this process. To end the
    processes before all is read, close the iterator. If a process dies, `SplitError`, an `OSError`, names the file and
    the bytes that it was reading, after all matches before them.

    >>> import io
    >>> [str(match) for match in iter_urls(io.BytesIO(b"as in <URL:ftp://a.example/pub/b;\n  type=d>."))]
    ['ftp://a.example/pub/b;type=d']
    """
    query = Query(
        source,
        profile_of(profile),
        join,
        min_confidence,
        schemeless,
        addresses,
        refang,
        resolve=resolve,
        base=base,
        header_fields=header_fields,
    )
    selection = selection or Selection()
    rejected = selection.rejects(rejected)
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
            return urls_below(path, query, selection, rejected, count)
    texts = iter_texts(fileobj, source, prefilter=ordinary.prefilter(query))
    return (match for matches in match_batches(texts, query, rejected) for match in selection.chosen(matches))


def find_urls(  # noqa: PLR0913 -- as above
    text: str | bytes,
    *,
    profile: Profile | str = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
    min_confidence: float = 0.0,
    schemeless: bool = False,
    addresses: bool = False,
    refang: bool = False,
) -> list[URLMatch]:
    """Return the URLs in *text*, in order. The other arguments are those of `Scanner`.

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
