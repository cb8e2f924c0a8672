"""The two functions that most users call: `iter_urls` for files, `find_urls` for text."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Unpack, cast

import urlmend.parallel
from urlmend.match import Rejected, URLMatch
from urlmend.query import FileOptions, TextOptions, query_of, shows
from urlmend.scanner import Scanner
from urlmend.selection import Selection
from urlmend.sources import Readable, path_of
from urlmend.sources.directories import files, size_of
from urlmend.sources.origin import ignore

if TYPE_CHECKING:
    from urlmend.reading import FileMatches


def iter_urls(
    fileobj: Readable | os.PathLike[str],
    *,
    rejected: Callable[[Rejected], object] | None = None,
    selection: Selection | None = None,
    jobs: int = 1,
    **options: Unpack[FileOptions],
) -> Iterator[URLMatch]:
    r"""Yield the URLs in *fileobj*, in order, while it is read.

    *fileobj* is the path of a file or directory, or a file object; only its `read(n)` is used. A file opened as text
    is read as plain text: mail, HTML or JSON in it is not decoded. *source* is a key of `SOURCES`, where `auto`
    recognises the file from its content, or a function from the file to `Text` pieces, as in `iter_texts`. With
    *resolve*, relative links in HTML are found too, and resolved (RFC 3986 section 5) against the page's `<base>`, or
    its address in a web archive or a Content-Location field; their form is `resolved`. *base* implies *resolve*, and is
    the address of HTML files. Without *header_fields*, URLs in the header fields of messages are left out, except those
    of the subject. *selection* chooses messages by date, author, subject and newsgroup. The other arguments are those
    of `Scanner`. Memory is bounded, whatever the input.

    No text raises an error. Errors of `read` are raised after all matches before them, and so is `SourceError`, an
    `OSError`, for a file, archive or member that cannot be read to its end. Raises `ValueError` for an unknown
    *source*, *profile* or *join*, a *base* that is not an http(s) URL and a *min_confidence* outside 0 to 1, and
    `TypeError` if *fileobj* is neither a file object nor a path.

    *jobs* is the number of processes that read (0: one for each CPU); the matches are the same. With more than one,
    this process reads the beginning, and that many others the rest. File objects, sources that are functions, and files
    with too few bytes (LEAST_SIZE) are read by this process. To end the processes before all is read, close the
    iterator. If a process dies, `SourceError` names the file that it was reading, after all matches before.

    >>> import io
    >>> [str(match) for match in iter_urls(io.BytesIO(b"as in <URL:ftp://a.example/pub/b;\n  type=d>."))]
    ['ftp://a.example/pub/b;type=d']
    """
    query = query_of(options, FileOptions)
    from urlmend.reading import FileReader, Job  # noqa: PLC0415 -- `find_urls` needs none of it
    from urlmend.sources.containers import Faults  # noqa: PLC0415 -- as above

    job = Job(query, selection or Selection())
    count = urlmend.parallel.count_jobs(jobs)
    path = path_of(fileobj)
    if path is not None and isinstance(query.source, str):
        sizes = map(size_of, files(path, ignore, source=query.source))
        if urlmend.parallel.jobs_for([path], sizes, count) > 1:
            from urlmend.parallel.pool import files_by  # noqa: PLC0415 -- as above

            return _flat(files_by(count, files(path, source=query.source), job, Faults(), rejected=rejected))
    reading = FileReader(job, Faults(), rejected)
    return (match for found in reading.found_in(fileobj) for match in reading.chosen(found))


def _flat(read: "Generator[FileMatches]") -> Iterator[URLMatch]:
    """Yield the URLs in the files that other processes *read*."""
    with closing(read):
        for _, found in read:
            for matches in found:
                yield from cast("list[URLMatch]", matches)


def find_urls(
    text: str | bytes, *, rejected: Callable[[Rejected], object] | None = None, **options: Unpack[TextOptions]
) -> list[URLMatch]:
    """Return the URLs in *text*, in order; their places count its bytes or characters, from 0.

    The other arguments are those of `Scanner`. Raises `TypeError` if *text* is neither bytes nor str, and what
    `Scanner` raises.

    >>> [str(match) for match in find_urls("(see http://a.example/b_(c)).")]
    ['http://a.example/b_(c)']
    """
    scanner = Scanner(rejected=rejected, **options)
    return scanner.feed(text) + scanner.close()


shows(FileOptions, iter_urls)
shows(TextOptions, find_urls)
