"""Web archives: WARC (ISO 28500), the plain texts that Common Crawl extracts from them (WET), and ARC, version 1."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from urlmend.sources.body import Decoded, text_of
from urlmend.sources.charsets import MAX_NAME, Defects
from urlmend.sources.compression import CODINGS, Peeked, Pieces, decoded
from urlmend.sources.containers import Expansion, Faults
from urlmend.sources.header import PLAIN, Header, content
from urlmend.sources.html import html, with_charset
from urlmend.sources.mail import HTML_TYPES
from urlmend.sources.origin import Origin, Prefilter, Readable, SourceError, Text, source_name
from urlmend.sources.places import Lines, Within
from urlmend.sources.prose import prose
from urlmend.sources.reader import CHUNK_SIZE, MAX_HEADER, CountedReader, Reader

# The version. A line that is not empty and has none begins no record.
_WARC_RECORD = re.compile(rb"(?P<version>WARC/\d)?[^\S\n]*+\S[^\n]*+\n(?P<length>)")
_WARC_FIELD = re.compile(rb"(?m)^([!-9;-~]+):[ \t]*([^\r\n]*)")
_LENGTH = re.compile(r"[0-9]{1,12}")
_WITH_TEXT = frozenset(["response", "resource", "conversion"])
_IDENTIFIERS = ("warc-record-id", "warc-target-uri")

# The address, the host's number, the date, the type of what was fetched, its length.
_ARC_RECORD = re.compile(rb"(?P<target>\S+) \S+ (?P<date>\d{14}) \S+ (?P<length>\d{1,12})\r?\n")
_HTTP_HEADER = re.compile(rb"HTTP/[^\n]*\n((?:(?!\r*\n)[^\n]*\n)*+)\r*\n")


# WARC and WET


class _WarcReader(CountedReader):
    """A reader of records whose header gives the length of the content."""

    def record_header(self) -> dict[str, str]:
        """Read the header of the record, and return its fields, with their names in lower case."""
        header = b""
        self._end = self.offset  # `begin` reads on up to there
        if self.begin():
            self._end = sys.maxsize
            self.find_end()
            header = self.header(())[0].data
        fields = {
            name.decode().lower(): value.decode("utf-8", "replace") for name, value in _WARC_FIELD.findall(header)
        }
        length = fields.get("content-length", "")
        self._end = self.offset + (int(length) if _LENGTH.fullmatch(length) else 0)
        self.find_end()
        return fields


def warc(file: Readable, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the records in *file* that were fetched from an address, or made of what was (WET).

    `Origin.message` is the number of the record among all, from 1, and `offset` where it begins. With *wanted*, records
    may be left out in which it finds nothing.
    """
    reader = _WarcReader(file)
    source = source_name(file)
    faults = Faults()
    while (record := reader.next_message(_WARC_RECORD)) is not None:
        offset = reader.command_offset
        if not record["version"]:
            message = f"the WARC data is broken after record {reader.number}, at byte {offset}: no record begins there"
            raise SourceError(message)
        fields = reader.record_header()
        if fields.get("warc-type") in _WITH_TEXT:
            kind = fields.get("content-type", PLAIN.type)
            is_http = kind.startswith("application/http")
            header = _http_header(reader) if is_http else f"Content-Type: {kind}\r\n".encode()
            record_id, target_uri = (fields.get(name, "").strip("<>") or None for name in _IDENTIFIERS)
            origin = partial(Origin, source, reader.number, "1", None, fields.get("warc-date"), offset=offset)
            yield from _texts(header, reader, partial(origin, record=record_id, target_uri=target_uri), wanted, faults)
        reader.skip()
    reader.close()
    faults.close()


# ARC


def arc(file: Readable, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the documents in *file* that were fetched by HTTP, as `warc` does."""
    reader = CountedReader(file)
    source = source_name(file)
    faults = Faults()
    while (record := reader.next_message(_ARC_RECORD)) is not None:
        if reader.begin():
            date, target_uri = record["date"].decode(), record["target"].decode("utf-8", "replace")
            day, time = f"{date[:4]}-{date[4:6]}-{date[6:8]}", f"{date[8:10]}:{date[10:12]}:{date[12:]}"
            origin = partial(Origin, source, reader.number, "1", None, f"{day}T{time}Z", offset=reader.command_offset)
            yield from _texts(_http_header(reader), reader, partial(origin, target_uri=target_uri), wanted, faults)
        reader.skip()
    reader.close()
    faults.close()


# Both


def _http_header(reader: Reader) -> bytes | None:
    """Read the header of an HTTP response, and return its fields, or `None` if there is none."""
    while (found := _HTTP_HEADER.match(reader.data, reader.pos, reader.limit)) is None:
        if reader.limit - reader.pos > MAX_HEADER or not reader.grow():
            return None
    reader.pos = found.end()
    return found[1]


def _texts(
    fields: bytes | None, reader: Reader, origin: Callable[..., Origin], wanted: Prefilter | None, faults: Faults
) -> Iterator[Text]:
    """Yield the texts of the document that *reader* is at, if it is text; *origin* makes their origin.

    *fields* is the header with which it was sent, without which it is not read. What cannot be decoded is added to
    *faults*, and read as far as it goes.
    """
    if fields is None:
        return
    defects: Defects = {}
    header = Header(fields)
    about = content(header, PLAIN.type, defects)
    is_html = about.type in HTML_TYPES
    if not is_html and about.maintype != "text":
        return

    def fail(reason: str) -> None:
        defects[f"the body cannot be decoded: {reason}"] = None
        faults.add(f"record {reader.number}", reason)

    start = reader.offset
    codings = _codings(header)
    is_plain = not (codings or is_html) and about.charset in {None, "utf-8"}
    if wanted and is_plain and reader.done and reader.find_hit(wanted) >= reader.limit:
        return  # most records of WET
    read = reader.lines(())
    encoded = next(read, None) if codings else None
    lines: Iterable[Lines] = _decoded(chain([encoded], read), codings, fail) if encoded else read
    if is_html:
        about, lines = with_charset(about, lines)
    about = about._replace(charset=about.charset or "utf-8", encoding="binary", flowed=False)
    pieces: Iterable[Decoded] = text_of(lines, about, defects)
    if encoded:
        within = encoded, (Within(0, len(encoded.data)),)
        pieces = (Decoded(decoded.text, *within) for decoded in pieces)
    made = origin(part_offset=start, content=about, defects=defects)
    yield from html(pieces, made, defects, wanted, made.target_uri) if is_html else prose(pieces, about, made, wanted)


# Encoded bodies

MAX_CODINGS = 4
"""How often a body may be encoded: more than once is a mistake of a server, and each takes a window."""

_CHUNK = re.compile(rb"(?:\r?\n)?([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\n]{0,256})?\r?\n")
_LONGEST_CHUNK_HEADER = 300


def _codings(header: Header) -> list[str]:
    """Return how the body is encoded (RFC 9110 section 8.4, RFC 9112 section 6.1), the last one first."""
    fields = ",".join(header[name] or "" for name in ("Content-Encoding", "Transfer-Encoding")).lower().split(",")
    return [coding for field in reversed(fields) if (coding := field.strip()) not in {"", "identity"}]


def _decoded(encoded: Iterable[Lines], codings: list[str], fail: Callable[[str], None]) -> Iterator[Lines]:
    """Decode *encoded* from these *codings* and yield its lines; *fail* is called with the reason if it ends early."""
    if len(codings) > MAX_CODINGS:
        fail(f"is encoded more than {MAX_CODINGS} times")
        return
    body = Peeked(Pieces(lines.data for lines in encoded))
    file: Readable = body
    expansion = Expansion(lambda: body.bytes_read)
    try:
        for coding in codings:
            if coding == "chunked":
                file = Pieces(_unchunked(file))
            elif coding in CODINGS:
                file = decoded(Peeked(file), coding, expansion.out)
            else:
                fail(f"has a Content-Encoding that is not known, {coding[:MAX_NAME]!r}, and is read as it is")
        reader = Reader(file)
        if reader.begin():
            yield from reader.lines(())
        reader.close()
    except SourceError as error:
        fail(str(error))


def _unchunked(file: Readable) -> Iterator[bytes]:
    """Yield the data of the chunks in *file* (RFC 9112 section 7.1), or the file if a crawler has taken them apart."""
    data = file.read(CHUNK_SIZE)
    pos = 0
    while data:
        chunk = _CHUNK.match(data, pos)
        if chunk is None and len(data) - pos < _LONGEST_CHUNK_HEADER and (more := file.read(CHUNK_SIZE)):
            data, pos = data[pos:] + more, 0
            continue
        pos, left = (chunk.end(), int(chunk[1], 16)) if chunk else (pos, sys.maxsize)
        if not left:
            return
        while left and data:
            if piece := data[pos : pos + left]:
                yield piece
            pos += len(piece)
            left -= len(piece)
            if left:
                data, pos = file.read(CHUNK_SIZE), 0
        if chunk and left:
            raise SourceError("the chunked data ends early")
