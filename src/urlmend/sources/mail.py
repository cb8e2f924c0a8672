"""Mail and news messages: one forward walk over their parts as their lines come (RFC 5322, RFC 2045, RFC 2046)."""

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from urlmend.sources.body import ENCODINGS, FOLDED, Decoded, text_of, without_encoding
from urlmend.sources.charsets import Defects, keeps_ascii
from urlmend.sources.compression import PeekableFile
from urlmend.sources.documents import has_nothing, texts_in
from urlmend.sources.header import PLAIN, Content, Header, content, fields_with_urls
from urlmend.sources.origin import Body, Origin, Prefilter, Span, Text
from urlmend.sources.places import Lines, within
from urlmend.sources.prose import prose
from urlmend.sources.reader import (
    BLOCK_SIZE,
    MAX_LINE,
    PLAIN_HEADER,
    SEPARATOR,
    CountedReader,
    Reader,
    hides_urls,
)
from urlmend.sources.recognise import markup
from urlmend.text.patterns import lazy_regex

MAX_PART_DEPTH = 32
"""How deep multiparts and messages are read in each other; what is deeper is read as plain text, with a defect."""

MAX_PARTS = 1000
"""How many parts of a message are read as such; what follows them is read as plain text, with a defect.

Ordinary mail has about a dozen, a digest a few hundred, and each costs as much as a short text.
"""

_LONGEST_DECODED = 4096
"""A longer body is not decoded only to see whether anything wanted is in it: reading it takes little longer."""

MAX_PREAMBLE = 1 << 20
"""How many bytes before a multipart's first delimiter are kept, to be read as text if none comes."""

_READ = lazy_regex(r"(?:text|message|multipart)/|.*(?:json|xml)\Z")
# Characters that no text has, and nearly all other files have soon.
_NO_TEXT = lazy_regex(r"[\0-\7\x0e-\x1a]")
_MESSAGES = frozenset(["message/rfc822", "message/news", "message/global"])


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the one message in *file*: its header fields with URLs and its parts.

    With *wanted*, texts in which it finds nothing may be left out.
    """
    return _message(Reader(file), file.name, wanted)


def _message(reader: Reader, source: str | None, wanted: Prefilter | None) -> Iterator[Text]:
    reader.skip_empty_lines()
    if reader.begin():
        yield from Walk(reader, source, wanted).texts()


_RNEWS = lazy_regex(rb"#! *rnews +(?P<length>\d{1,12})[^\n]*\n")


def rnews(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the news articles in the batch *file*; *wanted* is as in `texts`.

    A line `#! rnews N` precedes each article, which is N bytes long (RFC 5537 appendix A). Anything else between
    articles is skipped, and reported, as is a last article that is shorter.
    """
    reader = CountedReader(file)
    walk = Walk(reader, file.name, wanted)
    while reader.next_message(_RNEWS) is not None:
        if reader.begin():
            yield from walk.texts()
    reader.report_lengths()


# In the last two lines: more of them must be read.
_MAY_SEPARATE = lazy_regex(rb"\n[A\x01\x1f][^\n]*(?:\n[^\n]*)?\Z")


class _FolderReader(Reader):
    """Reads a folder of messages, each after a SEPARATOR."""

    def begin(self) -> bool:
        """Begin the message after the separator where the reader is; return whether there is one."""
        while not self.ended and len(self.data) - self.pos < MAX_LINE:
            self.read()
        if separator := SEPARATOR.match(self.data, self.pos):
            self.pos = separator.end()
        return super().begin()

    def find_end(self) -> None:
        """Move `limit` to the next separator, or as far as the data is known to be before it."""
        after = max(self.pos, self.limit - 1)
        if found := SEPARATOR.search(self.data, after):
            self.limit, self.done = found.start(), True
        elif not self.ended and (may := _MAY_SEPARATE.search(self.data, max(after, len(self.data) - MAX_LINE))):
            self.limit, self.done = may.start() + 1, False
        else:
            super().find_end()


def folder(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the messages in the folder *file*; *wanted* is as in `texts`."""
    reader = _FolderReader(file)
    walk = Walk(reader, file.name, wanted)
    while reader.begin():
        yield from walk.texts()


_EMLX_LENGTH = lazy_regex(rb"(?:(?P<length>\d{1,12})[ \t]*\r?\n)?")
_PROPERTY_LIST = b"<?xml"


class _EmlxReader(CountedReader):
    """Reads the message in an .emlx file. If no property list follows it, the message is the whole file."""

    def find_end(self) -> None:
        """Move `limit` to the end of the message, or as far as it is in memory."""
        while not self.ended and 0 <= len(self.data) - (self.end - self.base) < len(_PROPERTY_LIST):
            self.read()
        end = self.end - self.base
        if self.data[end : end + len(_PROPERTY_LIST)] not in {b"", _PROPERTY_LIST}:
            self.end = sys.maxsize
        super().find_end()


def emlx(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the message in *file*, as Apple Mail stores it; *wanted* is as in `texts`.

    A line with its length in bytes precedes it. The property list that follows it is not read.
    """
    reader = _EmlxReader(file)
    reader.next_message(_EMLX_LENGTH)
    yield from _message(reader, file.name, wanted)
    if reader.offset != reader.end:
        file.report("the length in its first line is wrong: the whole file is read as one message")


class _Entity(NamedTuple):
    """A message or a part: its header and what that says, its path and that of its body, the multiparts around it.

    *header* is that of the message that a part is in. The body is read as a *kind* of media.
    """

    header: Header
    own: Header
    defects: Defects
    about: Content
    kind: str = PLAIN.type
    path: tuple[int, ...] = ()
    body_path: tuple[int, ...] = (1,)
    boundaries: tuple[bytes, ...] = ()


class Walk:
    """A walk over the messages of *reader*, which are in the file *source*, one after the other.

    With *wanted*, texts in which it finds nothing may be left out. Parts are named by their path (RFC 3501 section
    6.4.5), which is empty for the message.
    """

    def __init__(self, reader: Reader, source: str | None, wanted: Prefilter | None) -> None:
        self._reader = self._outer = reader  # another one reads a message that is encoded
        self._source = source
        self._wanted = wanted
        self._parts = 0  # how many the message had
        self._outermost = Header(b"")  # the header of the message, which may have others attached
        self._body_read: Body | None = None  # the message's, if its digest is wanted

    def texts(self, header_end: int = 0) -> Iterator[Text]:
        """Yield the texts of the message that the reader has begun; *header_end* as in `Reader.plain_header`."""
        reader, wanted = self._reader, self._wanted
        if wanted is not None and reader.has_all and (header_end := header_end or reader.plain_header()):
            body = reader.data.index(b"\n", header_end) + 1
            spans = reader.spans(wanted, body)
            if not spans:
                # Readers of mailboxes skip such messages before; in a batch of them, this saves a quarter.
                reader.pos = reader.limit
                return
            if spans[0][0] >= 0 and reader.limit - body <= BLOCK_SIZE:
                header = Header(reader.data[reader.pos : header_end])
                reader.pos = body
                yield from self._plain_texts(header, spans)
                return
        self._parts = 0
        yield from self._entity((), (), PLAIN.type, None)
        reader.skip()
        reader.end_body()

    def _plain_texts(self, header: Header, spans: list[Span]) -> Iterable[Text]:
        """Return the texts of a message that is no more than plain text. `_entity` takes half as long again."""
        reader = self._reader
        self._begin_body()
        lines = reader.lines_to(reader.limit)
        reader.end_body()
        defects: Defects = {}
        if lines.data.isascii() and b">From" not in lines.data:
            origin = self._origin("1", lines.offset, header, defects)
            return prose([Decoded(lines.data.decode("ascii"), lines)], PLAIN, origin, self._wanted, spans)
        return self._texts_of([lines], _Entity(header, header, defects, header.content), lines.offset, spans)

    def _begin_body(self) -> None:
        """Hash the body of the message, which begins where the reader is, if its digest is wanted."""
        if self._wanted and self._wanted.new_hash:
            self._body_read = Body(self._reader.offset, self._wanted.new_hash())
            self._reader.body = self._body_read

    def _origin(self, part: str, offset: int, header: Header, defects: Defects, about: Content | None = None) -> Origin:
        origin = Origin(
            self._source,
            self._outer.number,
            part,
            offset=self._outer.start,
            part_offset=offset,
            header=header,
            content=about,
            defects=defects,
        )
        origin.body = self._body_read
        return origin

    def _entity(
        self, path: tuple[int, ...], boundaries: tuple[bytes, ...], default: str, header: Header | None
    ) -> Iterator[Text]:
        """Yield the texts of the message or part whose header is next; *header* is that of the message a part is in."""
        reader = self._reader
        lines, separated = reader.header(boundaries)
        defects: Defects = {}
        is_attached = bool(path) and header is None
        own = Header(lines.data, (self._outermost, _part(*path)) if is_attached else None)
        about = content(own, default, defects)
        if not path:
            self._outermost = own
            self._begin_body()
        if not path and reader.quotes_from and (length := own.body(b"content-length")):
            reader.expect(length)
        if not separated:
            defects["no empty line after the header"] = None
        # The body of a message that has but one is its part 1.
        body_path = path if path and header else (*path, 1)
        entity = _Entity(header or own, own, defects, about, _kind(own, about), path, body_path, boundaries)
        for name, field, text in fields_with_urls(lines, defects):
            if text and self._wanted and not any(self._wanted.search_text(text, 0)):
                continue
            part = _part(*path, f"header:{name}")
            origin = self._origin(part, field.offset, entity.header, defects, about)
            if text is None:
                data = field.data.removesuffix(b"\r").decode("ascii")
                yield Text(data, origin, field.offset, field.line, whole=True)
            else:
                # Where in the field an encoded word was is not known.
                yield Text(text, origin, places=within(field, len(text)), whole=True)
        if not self._passes_over(entity):
            yield from self._body(entity)

    def _body(self, entity: _Entity) -> Iterator[Text]:
        path, boundaries, defects = entity.body_path, entity.boundaries, entity.defects
        about, kind = entity.about, entity.kind
        deep = len(boundaries) >= MAX_PART_DEPTH or len(path) >= MAX_PART_DEPTH
        if _is_uuencoded(about) and _READ.match(kind):
            self._outer.report("", passed=f"{kind} in uuencode")
        if about.maintype == "multipart" and not deep:
            if about.boundary is not None:
                yield from self._multipart(entity, about.boundary)
                return
            defects["a multipart without a boundary"] = None
        elif kind in _MESSAGES and not deep:
            if about.encoding in ENCODINGS:
                yield from self._encoded_message(entity)
            else:
                yield from self._entity(path, boundaries, PLAIN.type, None)
            return
        elif deep and (about.maintype == "multipart" or kind in _MESSAGES):
            defects[f"nested deeper than {MAX_PART_DEPTH}: read as plain text"] = None
        elif not _READ.match(kind):
            self._outer.report("", passed=kind)
            return
        reader, spans = self._reader, None
        if self._wanted and not boundaries and reader.has_all:
            spans = reader.spans(self._wanted, reader.pos)
        yield from self._texts_of(reader.lines(boundaries), entity, reader.offset, spans)

    def _passes_over(self, entity: _Entity) -> bool:
        """Move past the body if all of it is in memory and nothing wanted is in it; return whether that is so."""
        reader, wanted, about, kind = self._reader, self._wanted, entity.about, entity.kind
        stop = reader.delimiter(entity.boundaries)
        if wanted is None or (stop == reader.limit and not reader.has_all) or reader.hits(wanted)[-1][0] < stop:
            return False
        is_text = _READ.match(kind) and about.maintype != "multipart" and kind not in FOLDED and not about.delsp
        if not is_text or _is_uuencoded(about) or not keeps_ascii(about.charset):
            return False
        if kind in _MESSAGES:
            header = PLAIN_HEADER.match(reader.data, reader.pos, stop) if about.encoding not in ENCODINGS else None
            passes = header is not None and not hides_urls(reader.data, reader.pos, header.end())
        elif kind == PLAIN.type and about.encoding not in ENCODINGS:
            passes = about.encoding != "binary"  # then it may be in UTF-16
        else:
            body = reader.data[reader.pos : min(stop, reader.pos + _LONGEST_DECODED + 1)]
            decoded = without_encoding(body, about.encoding) if len(body) <= _LONGEST_DECODED else None
            passes = decoded is not None and decoded.isascii() and has_nothing(decoded, kind, about.charset, wanted)
        if passes:
            reader.pos = stop
        return passes

    def _encoded_message(self, entity: _Entity) -> Iterator[Text]:
        """Yield the texts of a message that is encoded, against RFC 2046 section 5.2.1: its lines are their place."""
        lines = self._reader.lines(entity.boundaries)
        if (first := next(lines, None)) is None:
            return
        about = entity.about._replace(type=PLAIN.type, charset="latin-1")
        decoded = text_of(chain([first], lines), about, entity.defects)
        # With the byte order mark of UTF-16 and a NUL it is not in Latin-1 after all.
        octets = (piece.text.encode("latin-1", "replace") for piece in decoded)
        reader = Reader(PeekableFile(octets), first.offset, first.line)
        if reader.begin():
            outer, self._reader = self._reader, reader
            for text in self._entity(entity.body_path, (), PLAIN.type, None):
                yield text._replace(places=within(first, 1))
            self._reader = outer

    def _texts_of(
        self, lines: Iterable[Lines], entity: _Entity, offset: int, spans: list[Span] | None = None
    ) -> Iterable[Text]:
        """Return the texts of the body in *lines*, which starts at *offset*."""
        about, defects, kind = entity.about, entity.defects, entity.kind
        origin = self._origin(_part(*entity.body_path), offset, entity.header, defects, about)
        pieces = text_of(lines, about, defects, from_quoted=self._reader.quotes_from)
        is_left = about.maintype == "multipart"  # of its parts, Eudora left the HTML alone
        if (is_left or kind != about.type or kind.endswith("xml")) and (first := next(pieces, None)) is not None:
            if kind != about.type and _NO_TEXT.search(first.text):
                return ()
            pieces = chain([first], pieces)
            if is_left or kind.endswith("xml"):
                kind = markup(first.text.encode("utf-8", "replace"), "" if is_left else kind)
        base = entity.own["Content-Location"]  # RFC 2557 section 4.2
        return texts_in(pieces, kind, origin, self._wanted, base, bound=self._outer.file.markup, spans=spans)

    def _multipart(self, entity: _Entity, boundary: bytes) -> Iterator[Text]:
        reader, defects, path, outer = self._reader, entity.defects, entity.path, entity.boundaries
        boundaries = (*outer, boundary)
        default = "message/rfc822" if entity.about.type == "multipart/digest" else PLAIN.type
        delimiter = reader.find_delimiter(boundaries, MAX_PREAMBLE)
        if delimiter is None or delimiter.boundary != boundary:
            defects["no delimiter of the multipart's boundary: read as one part"] = None
            yield from self._texts_of(reader.lines(outer), entity._replace(body_path=path or (1,)), reader.offset)
            return
        delimiter = reader.take_delimiter(boundaries)
        number = 0
        while delimiter is not None and delimiter.boundary == boundary and not delimiter.closing:
            number += 1
            self._parts += 1
            if self._parts > MAX_PARTS:
                defects[f"more than {MAX_PARTS} parts: the rest is read as plain text"] = None
                rest = entity._replace(about=PLAIN, kind=PLAIN.type, body_path=(*path, number))
                yield from self._texts_of(reader.lines(outer), rest, reader.offset)
                return
            yield from self._entity((*path, number), boundaries, default, entity.header)
            delimiter = reader.take_delimiter(boundaries)
        if delimiter is None or not delimiter.closing:
            defects["the multipart is not closed"] = None
        # What follows the last delimiter is not a part (RFC 2046 section 5.1.1).
        reader.skip(outer)


def _is_uuencoded(about: Content) -> bool:
    return about.encoding.removeprefix("x-") in {"uuencode", "uue"}


def _kind(own: Header, about: Content) -> str:
    """Return the media type as which a body is read: programs open a file by its name."""
    return about.type if _READ.match(about.type) else own.named_type or about.type


def _part(*path: int | str) -> str:
    return ".".join(map(str, path))
