"""Sources turn files into pieces of text with their origin. They know nothing of URLs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from urlmend.sources.header import Header
    from urlmend.sources.places import Places


class Origin:
    """Where a piece of text comes from; what does not apply is `None`.

    `source` is the file's name, `message` the number of the message in it, from 1, and `offset` where that begins, in
    bytes from 0 (of what a compressed file holds). `part` is the part's path, `1.2` (RFC 3501 6.4.5), or the header
    field, `header:Subject`; `part_offset` where its body begins, `content_type`, `charset` and `encoding` (RFC 2045
    section 6) what it says of itself. `message_id` (without brackets), `date` (RFC 3339), `author` (the From field),
    `subject` and `newsgroups` are read from the message's header when asked for. `defects` tell what was broken and
    how it was read; of a part that is still being read, those found so far. `signature` tells text behind a line
    `-- ` (RFC 3676 section 4.3), `attributes` the URLs of an HTML part's attributes, beside its visible text. Of a web
    archive, `target` is the address that was asked for and `record` its id.
    """

    __slots__ = (
        *(
            "_date",
            "_defects",
            "_header",
            "_message_id",
            "attributes",
            "charset",
            "content_type",
            "encoding",
            "message",
            "offset",
        ),
        *("part", "part_offset", "record", "signature", "source", "target"),
    )

    def __init__(  # noqa: PLR0913 -- one argument a thing that is known
        self,
        source: str | None = None,
        message: int | None = None,
        part: str | None = None,
        message_id: str | None = None,
        date: str | None = None,
        *,
        offset: int | None = None,
        part_offset: int | None = None,
        content_type: str | None = None,
        charset: str | None = None,
        encoding: str | None = None,
        header: "Header | None" = None,
        defects: Iterable[str] = (),
        signature: bool = False,
        attributes: bool = False,
        target: str | None = None,
        record: str | None = None,
    ) -> None:
        self.source = source
        self.message = message
        self.part = part
        self._message_id = message_id
        self._date = date
        self.offset = offset
        self.part_offset = part_offset
        self.content_type = content_type
        self.charset = charset
        self.encoding = encoding
        self._header = header
        self._defects = defects
        self.signature = signature
        self.attributes = attributes
        self.target = target
        self.record = record

    @property
    def message_id(self) -> str | None:
        """The Message-ID, without its brackets."""
        return self._header.message_id if self._message_id is None and self._header else self._message_id

    @property
    def date(self) -> str | None:
        """The Date field as RFC 3339 writes it; `None` where it is missing or no date."""
        return self._header.date if self._date is None and self._header else self._date

    @property
    def author(self) -> str | None:
        """The From field, decoded (RFC 2047)."""
        return self._header["From"] if self._header else None

    @property
    def subject(self) -> str | None:
        """The Subject field, decoded (RFC 2047)."""
        return self._header["Subject"] if self._header else None

    @property
    def newsgroups(self) -> tuple[str, ...]:
        """The groups of the Newsgroups field (RFC 5536 section 3.1.4)."""
        groups = (self._header["Newsgroups"] if self._header else None) or ""
        return tuple(group for part in groups.split(",") if (group := part.strip()))

    @property
    def defects(self) -> tuple[str, ...]:
        """What was broken and how it was read."""
        return tuple(self._defects)

    def behind_signature(self) -> "Origin":
        """Return the origin of the signature in the same part."""
        origin = self.again()
        origin.signature = True
        return origin

    def again(self) -> "Origin":
        """Return an equal origin: another text of the same part."""
        origin = object.__new__(Origin)
        for name in Origin.__slots__:
            setattr(origin, name, getattr(self, name))
        return origin

    def _told(self) -> tuple[object, ...]:
        public = (name for name in Origin.__slots__ if not name.startswith("_"))
        read = (self.message_id, self.date, self.author, self.subject, self.newsgroups, self.defects)
        return (*(getattr(self, name) for name in public), *read)

    def __eq__(self, other: object) -> bool:
        return self._told() == other._told() if isinstance(other, Origin) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.source, self.message, self.part, self.offset))

    def __repr__(self) -> str:
        names = ("source", "message", "part", "message_id", "date", "content_type", "signature", "defects")
        told = ((name, getattr(self, name)) for name in names)
        return f"Origin({', '.join(f'{name}={value!r}' for name, value in told if value)})"


class Text(NamedTuple):
    """A piece of text and its origin. Another origin object begins another text: no URL spans two.

    `data` is bytes or str, the same in all pieces of a text. A text that stands in its file as it is begins there at
    `offset`, in bytes from 0 (in characters, in a text file), and at `line`, from 1; where it was decoded, `places`
    knows.
    """

    data: bytes | str
    origin: Origin
    offset: int = 0
    line: int = 1
    places: "Places | None" = None


Source = Callable[[Any], Iterable[Text]]

SOURCES: Mapping[str, str] = {
    "auto": "recognise",
    "text": "text",
    "message": "mail",
    "mbox": "mbox",
    "rnews": "rnews",
    "warc": "warc",
}
"""The names of the sources, and the module of each: its function `texts` takes a file object."""


def open_source(source: str | Source) -> Source:
    """Return the source called *source*, or *source* itself if it is a function; `ValueError` for an unknown name."""
    if callable(source):
        return source
    if source not in SOURCES:
        message = f"source must be one of {', '.join(SOURCES)}, not {source!r}"
        raise ValueError(message)
    texts: Source = import_module(f"urlmend.sources.{SOURCES[source]}").texts
    return texts


def iter_texts(file: Any, source: str | Source = "auto") -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the decoded text of *file* in pieces, each with its origin.

    *file* is a file object, of which only `read(n)` is asked, or the path of a file or of a directory: a Maildir, an MH
    folder, a news spool or any tree. *source* names what the file is, `auto` to recognise it from its content, or is a
    function from the file object to `Text` pieces. Compressed files (gzip, bzip2, xz, zstd) are read as what they
    hold. Content never raises, but for a compressed file that ends early or is corrupt: once all that it held is given
    out, `CompressionError`, which is an `OSError`.
    """
    opened = open_source(source)
    # Its class is asked: of a file object nothing but `read` is.
    if not issubclass(type(file), PathLike):
        yield from opened(file)
        return
    from urlmend.sources.directories import files  # noqa: PLC0415 -- a file object needs none of it

    for path in files(fspath(file)):
        with Path(path).open("rb") as binary:
            yield from opened(binary)
