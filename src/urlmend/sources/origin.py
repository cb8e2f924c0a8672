"""What a source yields: text with its origin."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from urlmend.sources.places import REMEMBERED
from urlmend.text.patterns import lazy_regex

if TYPE_CHECKING:
    import datetime as dt
    from hashlib import blake2b

    from urlmend.sources.header import Content, Header
    from urlmend.sources.places import SourceMap


class Readable(Protocol):
    """A file object with a method `read(n)`, which returns bytes or str, and an empty value at the end."""

    def read(self, n: int, /) -> Any: ...  # noqa: ANN401, D102 -- bytes or str


class SourceError(OSError):
    """A file cannot be read to its end. Everything that could be read was returned before.

    >>> import gzip, io
    >>> from urlmend import iter_urls
    >>> broken = gzip.compress(b"See http://a.example/b. " * 1000)[:-9]
    >>> try:
    ...     found = [match.url for match in iter_urls(io.BytesIO(broken))]
    ... except SourceError as error:
    ...     print(error)
    the gzip data ends early, after 24000 decompressed bytes
    """


_LAYOUT = b" \t\r\n>"
"""What mail programs and mailboxes change in a body: white space, line ends, and the `>` before `From `."""


class Body:
    """Hashes the body of a message, which begins at *offset*, in bytes from 0, as it is read.

    White space and `>` do not count in the digest.
    """

    __slots__ = ("_end", "hashed")

    def __init__(self, offset: int, hashed: "blake2b") -> None:
        self._end = offset
        self.hashed = hashed

    def add(self, data: bytes, base: int, end: int) -> None:
        """Add what is new up to the index *end* of *data*, which is at the offset *base* of the file."""
        self.hashed.update(data[self._end - base : end].translate(None, _LAYOUT))
        self._end = base + end


class Origin:
    r"""Where a piece of text comes from; anything that does not apply is `None`.

    `source` is the name of the file, `message` the number of the message in it, from 1, and `offset` where the message
    begins, in bytes from 0 (after decompression). `part` is the path of the part, such as `1.2` (RFC 3501 section
    6.4.5), or the header field, such as `header:Subject`; `part_offset` is where its body begins. `content_type`,
    `charset` and `encoding` are from the header of the part (RFC 2045). `message_id` (without brackets), `date` (RFC
    3339), `author` (the From field), `subject` and `newsgroups` are those of the innermost message. `defects` says what
    was broken and how it was read, as far as the part has been read.

    `signature` is true after a line `-- ` (RFC 3676 section 4.3), in the footers of lists, and in what mail programs
    mark as signatures in HTML. `quoted` is true in messages that are quoted without a mark at each line. `attributes`
    is true for the URLs of an HTML part's attributes, style sheets and scripts, which come before its visible text;
    `resolved` is true for those that were relative links. In a web archive, `target_uri` is the address of the copy,
    `record` its identifier, and `record_type` and `record_date` are those of its record.

    >>> import io
    >>> from urlmend import iter_urls
    >>> mail = b"From: Jane <jane@a.example>\nDate: Mon, 7 Jul 2003 10:06:12 -0300\n\nSee http://a.example/b\n"
    >>> (match,) = iter_urls(io.BytesIO(mail), source="message")
    >>> origin = match.origin
    >>> origin.message, origin.part, origin.author, origin.date, origin.subject, origin.message_id
    (1, '1', 'Jane <jane@a.example>', '2003-07-07T10:06:12-03:00', None, None)
    >>> origin.author_name, origin.author_address, origin.datetime.hour, origin.sent.hour
    ('Jane', 'jane@a.example', 10, 13)
    >>> origin.target_uri, origin.record, origin.record_type, origin.record_date
    (None, None, None, None)
    >>> origin.newsgroups, origin.content_type, origin.charset, origin.encoding, origin.defects
    ((), 'text/plain', None, '7bit', ())
    >>> origin.add_defect("the body is cut off")
    >>> origin.defects
    ('the body is cut off',)
    >>> origin.content.maintype, origin.replace(signature=True).signature, origin.replace(attributes=True).attributes
    ('text', True, True)
    >>> origin.in_message, origin.header_field, origin.in_header, origin.message_object is origin.header
    (True, None, False, True)
    """

    def __init__(  # noqa: PLR0913 -- all but a few are given by name
        self,
        source: str | None = None,
        message: int | None = None,
        part: str | None = None,
        message_id: str | None = None,
        date: str | None = None,
        *,
        offset: int | None = None,
        part_offset: int | None = None,
        signature: bool = False,
        quoted: bool = False,
        attributes: bool = False,
        resolved: bool = False,
        target_uri: str | None = None,
        record: str | None = None,
        record_type: str | None = None,
        record_date: str | None = None,
        header: "Header | None" = None,
        content: "Content | None" = None,
        defects: Iterable[str] = (),
    ) -> None:
        self.source = source
        self.message = message
        self.part = part
        self._message_id = message_id
        self._date = date
        self.offset = offset
        self.part_offset = part_offset
        self.signature = signature
        self.quoted = quoted
        self.attributes = attributes
        self.resolved = resolved
        self.target_uri = target_uri
        self.record = record
        self.record_type = record_type
        self.record_date = record_date
        self.header = header
        self.body: Body | None = None  # of the message, if the prefilter asks for its digest
        self._content = content
        self._defects = defects

    @property
    def message_id(self) -> str | None:
        """The Message-ID, without its brackets."""
        return self.header.message_id if self._message_id is None and self.header else self._message_id

    @property
    def date(self) -> str | None:
        """The Date field in the format of RFC 3339; `None` if it is missing or not a date."""
        return self.header.date if self._date is None and self.header else self._date

    @property
    def header_field(self) -> str | None:
        """The name of the header field that the text is in; `None` elsewhere."""
        part, mark, name = (self.part or "").partition("header:")
        # The path of a value in JSON begins with a slash.
        return name if mark and not part.startswith("/") else None

    @property
    def in_header(self) -> bool:
        """Whether it is in a header field, other than the subject, which is part of what the author wrote."""
        return (self.header_field or "subject").lower() != "subject"

    @property
    def message_object(self) -> object:
        """An object that all texts of a message share, and no other texts: the header of the outermost message."""
        header = self.header
        return (header.within[0] if header.within else header) if header else self._defects

    @property
    def in_message(self) -> bool:
        """Whether it belongs to a message or what counts as one: a record, a page, an item of a feed, an entry.

        Text files and JSON have none: in them, each occurrence of a URL counts.
        """
        return bool(self.header or self._content or self.record_type)

    @property
    def datetime(self) -> "dt.datetime | None":
        """The date as an aware `datetime`; `None` without a date, or without its offset from UTC."""
        from datetime import datetime  # noqa: PLC0415 -- few ask for it

        try:
            moment = datetime.fromisoformat(self.date or "")
        except ValueError:
            return None
        return moment if moment.tzinfo else None

    @property
    def sent(self) -> "dt.datetime | None":
        """When the message was sent, in UTC: by its date, or else by the `From ` line before it in a mailbox."""
        if self._date is None and self.header is not None:
            return self.header.sent
        from urlmend.sources.header import in_utc  # noqa: PLC0415 -- few ask for it

        return in_utc(self.datetime)

    @property
    def author(self) -> str | None:
        """The From field, decoded (RFC 2047), with one blank for any white space; `None` if it is empty."""
        author = self.header["From"] if self.header else None
        return _folded(author or "") or None

    @property
    def author_name(self) -> str | None:
        """The name in the From field; `None` if it has only an address."""
        return author_of(self.author or "")[0]

    @property
    def author_address(self) -> str | None:
        """The address in the From field, with `@` again where an archive has put ` at ` to hide it."""
        return author_of(self.author or "")[1]

    @property
    def subject(self) -> str | None:
        """The Subject field, decoded (RFC 2047)."""
        return self.header["Subject"] if self.header else None

    @property
    def newsgroups(self) -> tuple[str, ...]:
        """The groups of the Newsgroups field (RFC 5536 section 3.1.4)."""
        return _groups((self.header["Newsgroups"] if self.header else None) or "")

    @property
    def content(self) -> "Content | None":
        """What the header says about the body (RFC 2045)."""
        if self._content is None and self.header is not None:
            self._content = self.header.content
        return self._content

    @property
    def content_type(self) -> str | None:
        """The media type, in lower case."""
        return self.content.type if self.content else None

    @property
    def charset(self) -> str | None:
        """The charset, as it was declared."""
        return self.content.charset if self.content else None

    @property
    def encoding(self) -> str | None:
        """The Content-Transfer-Encoding, in lower case."""
        return self.content.encoding if self.content else None

    @property
    def defects(self) -> tuple[str, ...]:
        """What was broken and how it was read."""
        return tuple(self._defects)

    def add_defect(self, defect: str) -> None:
        """Add *defect*, which was found while the text was read, to the defects of all texts of the same part."""
        if isinstance(self._defects, dict):
            self._defects[defect] = None

    def replace(self, **changes: object) -> "Origin":
        """Return the origin of another text of the same part, with *changes* of `signature`, `quoted` and the like."""
        origin = object.__new__(Origin)
        origin.__dict__ = fields = self.__dict__.copy()  # `update` takes twice as long
        if not changes.keys() <= fields.keys():
            raise TypeError(f"an origin has no field {min(changes.keys() - fields.keys())!r}")
        fields.update(changes)
        return origin

    def _fields(self) -> Mapping[str, object]:
        return {name: getattr(self, name) for name in _FIELDS}

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if isinstance(other, Origin) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.source, self.message, self.part, self.offset))

    def __repr__(self) -> str:
        return f"Origin({', '.join(f'{name}={value!r}' for name, value in self._fields().items() if value)})"


@lru_cache(maxsize=256)
def _folded(text: str) -> str:
    return " ".join(text.split())


_MAX_AUTHOR = 1000
_AUTHOR = lazy_regex(
    r"(?P<name>[^<]*)<(?P<address>[^<>]*)>|(?P<bare>[^\s(]+(?: at [^\s(]+\.[^\s(]+)?)\s*(?:\((?P<comment>.*)\))?"
)
_QUOTED = lazy_regex(r"\\(.)")


@lru_cache(maxsize=256)
def author_of(field: str) -> tuple[str | None, str | None]:
    r"""Return the name and the address in a From *field* that is decoded (RFC 5322 section 3.4, and older forms).

    >>> author_of('"Doe, Jane" <jane@a.example>'), author_of("jane at a.example (Jane Doe)"), author_of("Jane")
    (('Doe, Jane', 'jane@a.example'), ('Jane Doe', 'jane@a.example'), ('Jane', None))
    """
    found = _AUTHOR.match(field[:_MAX_AUTHOR].strip())
    address = (found["address"] or found["bare"] or "").strip() if found else ""
    address = address if "@" in address else "@".join(address.split(" at "))
    if found is None or not 0 < address.find("@") < len(address) - 1:
        return field[:_MAX_AUTHOR].strip() or None, None
    name = (found["name"] or found["comment"] or "").strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = _QUOTED.sub(r"\1", name[1:-1]).strip()
    return name or None, address


MOST_GROUPS = 100
"""How many newsgroups of an article are read. Articles have a few, and a hostile header has thousands."""


@lru_cache(maxsize=16)
def _groups(field: str) -> tuple[str, ...]:
    groups = dict.fromkeys(group for part in field.split(",") if (group := _folded(part)))
    return tuple(groups)[:MOST_GROUPS]


_FIELDS = (
    *("source", "message", "part", "message_id", "date", "author", "subject", "newsgroups", "offset", "part_offset"),
    *("content_type", "charset", "encoding", "signature", "quoted", "attributes", "resolved", "target_uri", "record"),
    *("record_type", "record_date", "defects"),
)


Zone = tuple[bool, bool]
"""Whether a stretch of text is in a signature, and whether it is quoted."""


Span = tuple[int, int]
"""Where in a text something was found: its start and end, in bytes or characters from 0."""


class Prefilter(NamedTuple):
    """The searches by which a source leaves out texts in which the caller would find nothing.

    `search` yields the spans found in bytes, in order; the bytes may be in any charset that includes ASCII.
    `search_text` yields the spans found in a text after a position, in characters. Without `places`, the caller needs
    neither the places of texts nor their zones. `base` is the address of HTML files, empty if it is unknown, and `None`
    if relative links are not resolved. `new_hash` makes hash objects for the bodies of messages (`Body`); without it,
    bodies have no digest.
    """

    search: Callable[[bytes], Iterable[Span]]
    search_text: Callable[[str, int], Iterable[Span]]
    places: bool = True
    base: str | None = None
    new_hash: "Callable[[], blake2b] | None" = None


class Zones:
    """What is quoted in a text of *origin*, and what is in a signature: each such zone has an origin of its own.

    Each piece of the text is added before it is read. If the zones are those of the source that the text was made from,
    *to_source* returns places in that, as `Step.to_source` does.
    """

    __slots__ = ("_origin", "_origins", "_size", "_starts", "_to_source", "_zones")

    def __init__(self, origin: Origin, to_source: Callable[[int, int], tuple[int, int, bool]] | None = None) -> None:
        self._origin = origin
        self._to_source = to_source
        self._size = 0
        self._starts = [0]
        self._zones = [(origin.signature, origin.quoted)]
        self._origins = {self._zones[0]: origin}

    def add(self, size: int, zones: Iterable[tuple[int, Zone]]) -> None:
        """Add the next piece, of *size* characters, and its *zones*, each with where in the piece it begins."""
        for start, zone in zones:
            self._starts.append(self._size + start)
            self._zones.append(zone)
        self._size += size
        if (past := bisect_right(self._starts, self._size - REMEMBERED) - 1) > 0:
            del self._starts[:past], self._zones[:past]

    def at(self, pos: int) -> Origin:
        """Return the origin of the character at *pos* of the text."""
        if self._to_source:
            pos = self._to_source(pos, pos + 1)[0]
        zone = self._zones[max(0, bisect_right(self._starts, pos) - 1)]
        if zone not in self._origins:
            self._origins[zone] = self._origin.replace(signature=zone[0], quoted=zone[1])
        return self._origins[zone]


class Text(NamedTuple):
    r"""A piece of text and its origin. Another origin object begins another text: no URL spans two.

    `data` is bytes or str, the same in all pieces of a text. A text that is in its file as it is begins there at
    `offset`, in bytes from 0 (in characters, in a text file), and in `line`, from 1; `places` has the places of one
    that was decoded. `zones` says which parts of the text are quoted or a signature, if any are. `whole` means that no
    other piece of the text follows. `spans` is where a prefilter found something in it, if one was asked.

    A source of one's own is a function from a file to these:

    >>> import io
    >>> from urlmend import iter_urls
    >>> def lines(file):
    ...     for number, line in enumerate(file.read(-1).splitlines(), 1):
    ...         yield Text(line, Origin(message=number))
    >>> [(match.origin.message, match.url) for match in iter_urls(io.StringIO("a\nhttp://a.example/b"), source=lines)]
    [(2, 'http://a.example/b')]
    """

    data: bytes | str
    origin: Origin
    offset: int = 0
    line: int = 1
    places: "SourceMap | None" = None
    whole: bool = False
    spans: list[Span] | None = None
    zones: Zones | None = None


def ignore(*_: object, **__: object) -> None:
    """Do nothing: for callbacks that nobody has asked for."""


def source_name(fileobj: Any) -> str | None:  # noqa: ANN401 -- any object
    """Return the name of *fileobj*, if it has one."""
    name = getattr(fileobj, "name", None)
    return name if isinstance(name, str) else None
