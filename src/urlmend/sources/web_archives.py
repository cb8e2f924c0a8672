"""Web archives: WARC (ISO 28500), the plain texts that Common Crawl makes of them (WET), and ARC, version 1."""

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from urlmend.sources.body import text_of
from urlmend.sources.header import PLAIN, Content, Header, content
from urlmend.sources.html import META_WITHIN, html, meta_charset
from urlmend.sources.mail import HTML_TYPES
from urlmend.sources.origin import Origin, Prefilter, Readable, SourceError, Text, source_name
from urlmend.sources.places import Lines
from urlmend.sources.prose import prose
from urlmend.sources.reader import MAX_HEADER, CountedReader, Reader

if TYPE_CHECKING:
    from urlmend.sources.charsets import Defects

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
    """A reader whose records have a header, which has the length of the content."""

    def record_header(self) -> dict[str, str]:
        """Read the header of the record, and return its fields, with their names in lower case."""
        self._end = sys.maxsize
        header = self.header(())[0].data if self.begin() else b""
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
    number = 0
    while (record := reader.next_message(_WARC_RECORD)) is not None:
        offset = reader.command_offset
        if not record["version"]:
            message = f"the WARC data is broken after record {number}, at byte {offset}: no record begins there"
            raise SourceError(message)
        number += 1
        fields = reader.record_header()
        if fields.get("warc-type") in _WITH_TEXT:
            kind = fields.get("content-type", PLAIN.type)
            is_http = kind.startswith("application/http")
            header = _http_header(reader) if is_http else f"Content-Type: {kind}\r\n".encode()
            if header is not None:
                record_id, target_uri = (fields.get(name, "").strip("<>") or None for name in _IDENTIFIERS)
                about: dict[str, Any] = {"date": fields.get("warc-date"), "record": record_id, "target_uri": target_uri}
                origin = partial(Origin, source, number, "1", offset=offset, **about)
                yield from _body(header, reader.lines(()), origin, wanted)
        reader.skip()
    reader.close()


# ARC


def arc(file: Readable, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the documents in *file* that were fetched by HTTP, as `warc` does."""
    reader = CountedReader(file)
    source = source_name(file)
    number = 0
    while (record := reader.next_message(_ARC_RECORD)) is not None:
        number += 1
        if reader.begin() and (header := _http_header(reader)) is not None:
            date, target_uri = record["date"].decode(), record["target"].decode("utf-8", "replace")
            day, time = f"{date[:4]}-{date[4:6]}-{date[6:8]}", f"{date[8:10]}:{date[10:12]}:{date[12:]}"
            about: dict[str, Any] = {"date": f"{day}T{time}Z", "target_uri": target_uri}
            origin = partial(Origin, source, number, "1", offset=reader.command_offset, **about)
            yield from _body(header, reader.lines(()), origin, wanted)
        reader.skip()
    reader.close()


# Both


def _http_header(reader: Reader) -> bytes | None:
    """Read the header of an HTTP response, and return its fields, or `None` if there is none."""
    while (found := _HTTP_HEADER.match(reader.data, reader.pos, reader.limit)) is None:
        if reader.limit - reader.pos > MAX_HEADER or not reader.grow():
            return None
    reader.pos = found.end()
    return found[1]


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
