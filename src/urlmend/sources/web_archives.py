"""Web archives: WARC (ISO 28500), the plain texts that Common Crawl makes of them (WET), and ARC, version 1."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from io import RawIOBase
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from urlmend.sources.body import text_of
from urlmend.sources.header import PLAIN, Content, Header, content
from urlmend.sources.html import META_WITHIN, html, meta_charset
from urlmend.sources.mail import HTML_TYPES
from urlmend.sources.origin import Origin, Prefilter, Readable, SourceError, Text, source_name
from urlmend.sources.places import LineCounter, Lines
from urlmend.sources.prose import prose
from urlmend.sources.reader import CHUNK_SIZE, MAX_HEADER, MAX_LINE, CountedReader, Reader

if TYPE_CHECKING:
    from fastwarc import WarcRecord

    from urlmend.sources.charsets import Defects

REMEMBERED = 1 << 20
"""How many bytes, the latest, are kept to find where a record's content begins: more than are read ahead."""

# The address, the host's number, the date, the type of what was fetched, its length.
_ARC_RECORD = re.compile(rb"(?P<target>\S+) \S+ (?P<date>\d{14}) \S+ (?P<length>\d{1,12})\r?\n")
_STATUS = re.compile(rb"HTTP/[^\n]*\n")


# WARC and WET


def warc(file: Readable, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the records in *file* that were fetched from an address, or made of what was (WET).

    `Origin.message` is the number of the record among all, from 1, and `offset` where it begins. With *wanted*, records
    may be left out in which it finds nothing.
    """
    try:
        from fastwarc import ArchiveIterator, WarcRecordType  # noqa: PLC0415 -- an extra
    except ImportError as error:
        message = "web archives need the extra: pip install 'urlmend[warc]'"
        raise SourceError(message) from error
    with_text = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.conversion
    remembering = _Remembering(file)
    source = source_name(file)
    number = offset = 0
    try:
        for record in ArchiveIterator(remembering, parse_http=False, stream_detect=False):
            number += 1
            offset = record.stream_pos
            if record.record_type & with_text:
                yield from _record(record, remembering, partial(_warc_origin, record, source, number), wanted)
    except OSError as error:
        if error.errno is not None or isinstance(error, SourceError):
            raise
        message = f"the WARC data is broken after record {number}, at byte {offset}: {error}"
        raise SourceError(message) from error


class _Remembering(RawIOBase):
    """A binary file that remembers what was read of it last, to tell where a record's content begins."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._held = bytearray()
        self._base = 0
        self._lines = LineCounter()

    def readable(self) -> bool:
        return True

    def read(self, size: int = CHUNK_SIZE, /) -> bytes:
        data: bytes = self._file.read(size)
        held = self._held
        held += data
        drop = max(0, len(held) - max(REMEMBERED, len(data)))
        self._lines.count_to(self._base + drop)
        del held[:drop]
        self._base += drop
        self._lines.look_at(held, self._base)
        return data

    def tell(self) -> int:
        return self._base + len(self._held)

    def content(self, record: int) -> tuple[int, int]:
        """Return where the content of the record at *record* begins, and in which line; records come in order."""
        start = max(0, record - self._base)
        end = self._held.find(b"\r\n\r\n", start)
        content = end + 4 if end >= 0 else start
        self._lines.count_to(self._base + content)
        return self._base + content, self._lines.line


def _record(
    record: "WarcRecord", file: _Remembering, origin: Callable[..., Origin], wanted: Prefilter | None
) -> Iterator[Text]:
    offset, line = file.content(record.stream_pos)
    kind = record.headers.get("Content-Type") or PLAIN.type
    head = f"Content-Type: {kind}\r\n".encode()
    if head.startswith(b"Content-Type: application/http"):
        head = _http_head(record.reader.readline)
        offset += len(head) + len(b"\r\n")
        line += head.count(b"\n") + 1
    reader = Reader(record.reader, offset, line)
    if reader.begin():
        yield from _body(head, reader.lines(()), origin, wanted)
    reader.close()


def _warc_origin(record: "WarcRecord", source: str | None, number: int, **of_body: Any) -> Origin:  # noqa: ANN401
    return Origin(
        source,
        number,
        "1",
        date=record.headers.get("WARC-Date"),
        offset=record.stream_pos,
        record=(record.record_id or "").strip("<>") or None,
        target_uri=(record.headers.get("WARC-Target-URI") or "").strip("<>") or None,
        **of_body,
    )


def _http_head(read_line: Callable[[int], bytes]) -> bytes:
    lines: list[bytes] = []
    left = MAX_HEADER
    while left > 0 and (line := read_line(MAX_LINE)).strip():
        lines.append(line)
        left -= len(line)
    return b"".join(lines)


# ARC


def arc(file: Readable, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the documents in *file* that were fetched by HTTP, as `warc` does."""
    reader = CountedReader(file)
    source = source_name(file)
    number = 0
    while (record := reader.next_message(_ARC_RECORD)) is not None:
        number += 1
        if not reader.begin():
            continue
        while reader.limit == reader.pos and reader.grow():
            pass
        status = _STATUS.match(reader.data, reader.pos, reader.limit)
        if status:
            origin = partial(_arc_origin, record, source, number, reader.command_offset)
            reader.pos = status.end()
            fields, _ = reader.header(())
            yield from _body(fields.data, reader.lines(()), origin, wanted)
        reader.skip()
    reader.close()


def _arc_origin(record: re.Match[bytes], source: str | None, number: int, offset: int, **of_body: Any) -> Origin:  # noqa: ANN401
    date = record["date"].decode()
    day, time = f"{date[:4]}-{date[4:6]}-{date[6:8]}", f"{date[8:10]}:{date[10:12]}:{date[12:]}"
    target_uri = record["target"].decode("utf-8", "replace")
    return Origin(source, number, "1", date=f"{day}T{time}Z", offset=offset, target_uri=target_uri, **of_body)


# Both


def _body(
    fields: bytes, lines: Iterator[Lines], origin: Callable[..., Origin], wanted: Prefilter | None
) -> Iterator[Text]:
    """Yield the texts of a document with the header *fields*, if it is text; *origin* makes their origin."""
    defects: Defects = {}
    header = Header(fields)
    about = content(header, PLAIN.type, defects)
    if not header["Content-Encoding"] and (about.maintype == "text" or about.type in HTML_TYPES):
        yield from _text(about, lines, origin, defects, wanted)


def _text(
    about: Content, lines: Iterator[Lines], origin: Callable[..., Origin], defects: "Defects", wanted: Prefilter | None
) -> Iterator[Text]:
    held = list(islice(lines, 2))
    if not held:
        return
    is_html = about.type in HTML_TYPES
    charset = about.charset or (meta_charset(_beginning(held, lines)) if is_html else None) or "utf-8"
    is_searchable = len(held) == 1 and not is_html and charset == "utf-8"
    if wanted and is_searchable and next(iter(wanted.search(held[0].data)), None) is None:
        return
    about = about._replace(charset=charset, encoding="binary", flowed=False)
    made = origin(part_offset=held[0].offset, content=about, defects=defects)
    pieces = text_of(chain(held, lines), about, defects)
    yield from html(pieces, made, defects, wanted) if is_html else prose(pieces, about, made, wanted)


def _beginning(held: list[Lines], lines: Iterator[Lines]) -> bytes:
    """Return what is *held*, and as much of *lines*, which are then held too, as decides the charset."""
    beginning = b"".join([some.data for some in held])
    while len(beginning) < META_WITHIN and (more := next(lines, None)):
        held.append(more)
        beginning += more.data
    return beginning
