"""Mail and news messages: a forward walk over their parts (RFC 5322, RFC 2045, RFC 2046) as their lines come."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from urlmend.sources.header import PLAIN, Content, Field, Header, content, fields_with_urls
from urlmend.sources.octets.charsets import Defects
from urlmend.sources.octets.decoding import Decoded, text_of
from urlmend.sources.octets.offsets import Places, Segment
from urlmend.sources.octets.steps import DecodingStep
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.prose import prose
from urlmend.sources.reader import Lines, Reader

MAX_DEPTH = 32
"""How deep multiparts and messages are read in each other; what is deeper is read as plain text, with a defect."""

MAX_PARTS = 1000
"""How many parts of a message are read as such; what follows them is read as plain text, with a defect.

Mail has a dozen, digests have some hundreds, and each costs as much as a short text.
"""

MAX_PREAMBLE = 1 << 20
"""How many bytes before a multipart's first delimiter are kept, to be read as text if none comes."""

HTML_TYPES = frozenset(["text/html", "application/xhtml+xml"])
_ENCODED = frozenset(["base64", "quoted-printable"])
_MESSAGES = frozenset(["message/rfc822", "message/news", "message/global"])


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the one message that *fileobj* holds: its header fields with URLs and its parts.

    With *prefilter*, parts may be left out in which it finds nothing.
    """
    reader = Reader(fileobj)
    if reader.begin():
        yield from message(reader, source_name(fileobj), 1, prefilter)
    reader.close()


def message(reader: Reader, source: str | None, number: int, prefilter: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the message that *reader* has begun, the *number*th of *source*; it is read to its end.

    *prefilter* is as in `texts`.
    """
    walk = _Walk(reader, source, number, prefilter)
    yield from walk.entity((), (), "text/plain", None)
    for _ in reader.lines(()):
        pass


class _Walk:
    """A walk over one message. Parts are named by *path* (RFC 3501 section 6.4.5), the message itself by none."""

    def __init__(self, reader: Reader, source: str | None, number: int, prefilter: Prefilter | None) -> None:
        self._reader = reader
        self._prefilter = prefilter
        self._source = source
        self._number = number
        self._offset = reader.offset
        self._parts = 0  # how many there were

    def _origin(self, part: str, header: Header, content: Content, defects: Defects) -> Origin:
        origin = Origin(self._source, self._number, part)
        origin.offset = self._offset
        origin.part_offset = self._reader.offset
        origin.header = header
        origin.content = content
        origin.noted = defects
        return origin

    def entity(
        self, path: tuple[int, ...], boundaries: tuple[bytes, ...], default: str, header: Header | None
    ) -> Iterator[Text]:
        """Yield the texts of the message or part whose header is next; *header* is that of the message a part is of."""
        reader = self._reader
        lines, separated = reader.header(boundaries)
        lowered = lines.data.lower()
        defects: Defects = {}
        about = content(lines.data, lowered, default, defects)
        own = header is None
        if header is None:
            header = Header(lines.data)
            if reader.quotes_from and b"\ncontent-length:" in lowered:
                length = header["Content-Length"] or ""
                if length.isascii() and length.isdigit() and len(length) < 10:  # noqa: PLR2004 -- digits
                    reader.expect(int(length))
        if not separated:
            defects["no empty line behind the header"] = None
        prefix = "".join(f"{number}." for number in path)
        for field in fields_with_urls(lines, lowered, defects):
            yield self._field(field, f"{prefix}header:{field.name}", header, about, defects)
        # The body of a message that has but one is its part 1.
        body_path = path if path and not own else (*path, 1)
        yield from self._body(body_path, path, boundaries, about, header, defects)

    def _field(self, field: Field, part: str, header: Header, about: Content, defects: Defects) -> Text:
        origin = self._origin(part, header, about, defects)
        _, (data, offset, line), text = field
        origin.part_offset = offset
        if text is None:
            return Text(data.decode("ascii"), origin, offset, line, whole=True)
        places = Places()
        # The whole field is one line: it is not told where in it an encoded word stands.
        places.add(len(text), Segment(data.replace(b"\n", b" "), offset, line, (_SOMEWHERE,)))
        return Text(text, origin, places=places, whole=True)

    def _body(  # noqa: PLR0913, PLR0917 -- what the header said
        self,
        path: tuple[int, ...],
        parent: tuple[int, ...],
        boundaries: tuple[bytes, ...],
        about: Content,
        header: Header,
        defects: Defects,
    ) -> Iterator[Text]:
        kind = about.type
        deep = len(boundaries) >= MAX_DEPTH or len(path) >= MAX_DEPTH
        if about.maintype == "multipart" and not deep:
            if about.boundary is not None:
                yield from self._multipart(parent, boundaries, about, header, defects)
                return
            defects["a multipart without a boundary"] = None
        elif kind in _MESSAGES and about.encoding in _ENCODED:
            defects[f"{kind} in {about.encoding}: read as plain text"] = None
        elif kind in _MESSAGES and not deep:
            yield from self.entity(path, boundaries, "text/plain", None)
            return
        elif deep and (about.maintype == "multipart" or kind in _MESSAGES):
            defects[f"nested deeper than {MAX_DEPTH}: read as plain text"] = None
        elif about.maintype not in {"text", "message"} and kind not in HTML_TYPES:
            return
        origin = self._origin(".".join(map(str, path)), header, about, defects)
        yield from self._text(self._reader.lines(boundaries), about, origin, defects)

    def _text(self, lines: Iterable[Lines], about: Content, origin: Origin, defects: Defects) -> Iterator[Text]:
        pieces = self._decoded(lines, about, defects)
        if about.type in HTML_TYPES:
            from urlmend.sources.html import html  # noqa: PLC0415 -- few messages have HTML

            yield from html(pieces, origin, defects)
        else:
            yield from prose(pieces, origin, self._prefilter, flowed=about.flowed, delsp=about.delsp)

    def _decoded(self, lines: Iterable[Lines], about: Content, defects: Defects) -> Iterator[Decoded]:
        return text_of(lines, about.encoding, about.charset, defects, from_quoted=self._reader.quotes_from)

    def _multipart(
        self,
        path: tuple[int, ...],
        outer: tuple[bytes, ...],
        about: Content,
        header: Header,
        defects: Defects,
    ) -> Iterator[Text]:
        reader = self._reader
        boundaries = (*outer, about.boundary or b"")
        default = "message/rfc822" if about.type == "multipart/digest" else "text/plain"
        origin = self._origin(".".join(map(str, path or (1,))), header, about, defects)
        preamble: list[Lines] = []
        size = 0
        for lines in reader.lines(boundaries):
            preamble.append(lines)
            size += len(lines.data)
            if size > MAX_PREAMBLE:
                break
        delimiter = reader.take_delimiter(boundaries)
        if size > MAX_PREAMBLE or delimiter is None or delimiter.boundary != boundaries[-1]:
            defects["no delimiter of the multipart's boundary: read as plain text"] = None
            plain = about._replace(type="text/plain")
            yield from self._text(chain(preamble, reader.lines(outer)), plain, origin, defects)
            return
        number = 0
        while delimiter is not None and delimiter.boundary == boundaries[-1] and not delimiter.closing:
            number += 1
            self._parts += 1
            if self._parts > MAX_PARTS:
                defects[f"more than {MAX_PARTS} parts: the rest is read as plain text"] = None
                rest = self._origin(".".join(map(str, (*path, number))), header, PLAIN, defects)
                reader.forget(boundaries[-1])
                yield from self._text(reader.lines(outer), PLAIN, rest, defects)
                return
            yield from self.entity((*path, number), boundaries, default, header)
            for _ in reader.lines(boundaries):
                pass
            delimiter = reader.take_delimiter(boundaries)
        if delimiter is None or not delimiter.closing:
            defects["the multipart is not closed"] = None
        reader.forget(boundaries[-1])
        # What follows the last delimiter is no part (RFC 2046 section 5.1.1).
        for _ in reader.lines(outer):
            pass


class _Somewhere:
    """A step of which nothing is known but what was decoded."""

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:  # noqa: ARG002 -- a step is asked so
        return 0, 1, False


_SOMEWHERE: DecodingStep = _Somewhere()
