"""Sources turn files into pieces of text with their origin. They do not decide what a URL is."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from os import fsdecode
from typing import TYPE_CHECKING, Any

from urlmend.sources.origin import (
    Origin as Origin,
    Prefilter as Prefilter,
    Readable as Readable,
    SourceError as SourceError,
    Span as Span,
    Text as Text,
)

if TYPE_CHECKING:
    from urlmend.sources.compression import PeekableFile

Source = Callable[..., Iterable[Text]]

SOURCES: Mapping[str, str] = {
    "auto": "",
    "text": "text",
    "message": "mail",
    "mbox": "mbox",
    "folder": "mail:folder",
    "rnews": "mail:rnews",
    "emlx": "mail:emlx",
    "icalendar": "prose:calendar",
    "warc": "web_archives",
    "arc": "web_archives",
    "public-inbox": "public_inbox",
    **dict.fromkeys(["html", "feed", "xml"], "documents"),
    "json": "json",
    "jsonl": "json",
}
"""The names of the sources, and the module of each, with its function unless that is `texts`.

The function takes a binary file, a `PeekableFile`, and a `Prefilter` or `None`, with which it may leave out texts in
which nothing is found. Where one function reads several sources, `PeekableFile.recognised` tells it which this is.
`auto` stands for the source that is recognised.
"""


def check_source(source: str | Source) -> None:
    """Raise `ValueError` unless *source* is a function or the name of a source."""
    if not callable(source) and source not in SOURCES:
        raise ValueError(f"source must be one of {', '.join(SOURCES)}, not {source!r}")


def path_of(file: Any) -> str | None:  # noqa: ANN401 -- anything
    """Return the path that *file* is, `None` if it is a file object. Raise `TypeError` if it is neither."""
    if hasattr(type(file), "__fspath__"):
        return fsdecode(file)
    if hasattr(file, "read"):
        return None
    hint = ": open the file or give its Path; find_urls takes a text" * isinstance(file, (str, bytes))
    raise TypeError(f"urlmend reads a file object or a pathlib.Path, not {type(file).__name__}{hint}")


def iter_texts(
    file: Any,  # noqa: ANN401 -- a Readable, or a path
    source: str | Source = "auto",
    *,
    prefilter: Prefilter | None = None,
) -> Iterator[Text]:
    r"""Yield the decoded text of *file* in pieces, each with its origin.

    *file* is a file object with `read(n)`, or the path of a file or of a directory: a Maildir, an MH folder, a news
    spool, a public-inbox (`git` reads it) or any tree. *source* names what the file is, `auto` to recognise it from its
    content, or is a function from the file object to `Text` pieces. Compressed files (gzip, bzip2, xz, zstd) are
    decompressed, and the members of zip and tar files are files of their own (`archive.zip!member`). Non-text files
    (PDF, PNG) have no texts and are logged. With *prefilter*, texts in which it finds nothing may be left out, where
    that saves time.

    Raises `ValueError` for an unknown *source*, and `TypeError` if *file* is neither of these. Other errors are raised
    after the texts that can be read: `CompressionError` for compressed data that end early or are corrupt,
    `SourceError` for members of an archive that cannot be read, both `OSError`s, and errors of `read` as they are. No
    content raises anything else.

    >>> import io
    >>> [(text.origin.part, text.data) for text in iter_texts(io.BytesIO(b"Subject: a\n\nSome text.\n"), "message")]
    [('1', 'Some text.\n')]
    """
    check_source(source)
    if (root := path_of(file)) is not None:
        from urlmend.sources.directories import files, opened_path  # noqa: PLC0415 -- a file object needs none of it

        for path in files(root, source=source):
            with opened_path(path) as binary:
                yield from iter_texts(binary, source, prefilter=prefilter)
        return
    if not isinstance(source, str):
        yield from source(file)
        return
    from urlmend.sources.containers import Faults, members  # noqa: PLC0415 -- a function needs none of it

    faults = Faults()
    for member in members(file, source, faults.skip):
        try:
            yield from texts_of(member, source, prefilter)
        except SourceError as error:
            faults.fail(member.name, error, is_member=member.stamp is not None and member is not file)
    faults.end()


def texts_of(file: "PeekableFile", source: str, prefilter: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of *file*, which is not a container; *source* reads it if it is not recognised.

    Raises the error that ended the file, after all that was read before it.
    """
    kind = file.recognised or source
    if file.is_text and kind != "text":
        raise TypeError(f"{kind} is read from a binary file")
    module, _, name = SOURCES[kind].partition(":")
    yield from getattr(_module(f"urlmend.sources.{module}"), name or "texts")(file, prefilter)
    file.raise_error()


_module = cache(import_module)
