"""Web archives: WARC (ISO 28500), the plain texts that Common Crawl extracts from them (WET), and ARC, version 1."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter, methodcaller
from typing import Any

from urlmend.sources.body import Decoded, text_of, with_charset
from urlmend.sources.charsets import MAX_NAME, UTF_16_MARKS, Defects
from urlmend.sources.compression import CODINGS, MAX_RATIO, Expansion, PeekableFile, decoded, decoded_at_once
from urlmend.sources.containers import Faults
from urlmend.sources.documents import IN_TAGS, has_nothing, texts_in, whole_tags
from urlmend.sources.header import PLAIN, Content, Header, content
from urlmend.sources.html import REFRESH, Document, may_hold
from urlmend.sources.origin import Origin, Prefilter, SourceError, Span, Text
from urlmend.sources.places import Lines, Within
from urlmend.sources.reader import BLOCK_SIZE, MAX_HEADER, CountedReader, Reader
from urlmend.sources.recognise import markup
from urlmend.text.patterns import FIELD_NAME

_TEXTS = re.compile(
    r"|text/.*|application/(?:x-)?(?:(?:java|ecma)script|ndjson|jsonl)|[a-z]+/(?:x-|[^/]*\+)?(?:json|xml)"
)
"""The media types that are read: text, code, JSON and XML, and what was sent without a type."""

_Found = tuple[re.Match[bytes], dict[bytes, bytes]]
"""A match whose group 1 is the header with which a document was sent, and the fields of its record by lower-case name.

Each is yielded when the reader is at the document. Records without one are reported.
"""

# The fields of a response that have links (RFC 9110, RFC 8288), and those that Heritrix writes into metadata.
_IN_HEADER = re.compile(
    r"""^(?:(?:Content-)?Location:[ \t]*([^\r\n"]+)|Refresh:(?P<refresh>[^\r\n]*)|Link:(?P<links>[^\r\n]*))""",
    re.IGNORECASE | re.MULTILINE,
)
_IN_METADATA = re.compile(r"""^(?:via|outlink):[ \t]*([^\s"]+)""", re.IGNORECASE | re.MULTILINE)
_LINK = re.compile(r"""<([^\s"<>]+)>""")

_FACTS = {
    "date": b"warc-date",
    "record": b"warc-record-id",
    "record_date": b"warc-date",
    "record_type": b"warc-type",
    "target_uri": b"warc-target-uri",
}

_HTTP = b"application/http"
_TO_EMPTY_LINE = rb"((?:(?!\r*\n)[^\n]*\n)*+)\r*\n"
_HTTP_HEADER = re.compile(rb"HTTP/[^\n]*\n" + _TO_EMPTY_LINE)


# WARC and WET

# The version. A line that is not empty and has none begins no record.
_WARC_RECORD = re.compile(rb"(?P<version>WARC/\d)?[^\S\n]*+\S[^\n]*+\n(?P<length>)")
_WARC_HEADER = re.compile(_TO_EMPTY_LINE)
_WARC_FIELD = re.compile(rb"(?m)^(%b):[ \t]*([^\r\n]*)" % FIELD_NAME)
_LENGTH = re.compile(rb"[0-9]{1,12}")
_WITH_TEXT = frozenset([b"response", b"resource", b"conversion", b"metadata"])
_WITHOUT_TEXT = frozenset([b"request", b"revisit", b"warcinfo"])


def _in_warc(reader: CountedReader) -> Iterator[_Found]:
    for record in _records(reader, _WARC_RECORD, "WARC"):
        if not record["version"]:
            where = f"after record {reader.number - 1}, at byte {reader.command_offset}"
            raise SourceError(f"the WARC data is broken {where}: no record begins there")
        header = _header(reader, _WARC_HEADER)
        if header is None:
            raise SourceError(f"the header of record {reader.number} does not end")
        fields = {name.lower(): value for name, value in _WARC_FIELD.findall(header[1])}
        length = fields.get(b"content-length", b"")
        reader.end = reader.offset + (int(length) if _LENGTH.fullmatch(length) else 0)
        reader.find_end()
        kind = fields[b"warc-type"] = fields.get(b"warc-type", b"").lower()
        if kind not in _WITH_TEXT:
            name = kind.decode("latin-1")
            if kind in _WITHOUT_TEXT:
                reader.report("", passed=name)
            else:
                reader.report(f"record {reader.number} is not read: its type is {name!r}", unread=name or "no type")
            continue
        if _is_http(fields):
            header = _header(reader, _HTTP_HEADER)
        if header is not None:
            yield header, fields
        else:
            _report_response(reader)
    if reader.skipped is not None:
        raise SourceError(f"the WARC data ends early, after record {reader.number}")


# ARC

# The address, the host's number, the date, the type of what was fetched, its length.
_ARC_RECORD = re.compile(
    rb"(?P<target>\S+) \S+ (?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)"
    rb" \S+ (?P<length>\d{1,12})\r?\n"
)


def _in_arc(reader: CountedReader) -> Iterator[_Found]:
    for record in _records(reader, _ARC_RECORD, "ARC"):
        if (header := _header(reader, _HTTP_HEADER)) is not None:
            date = b"%b-%b-%bT%b:%b:%bZ" % record.group("year", "month", "day", "hour", "minute", "second")
            yield (
                header,
                {
                    b"content-type": _HTTP,
                    b"warc-date": date,
                    b"warc-target-uri": record["target"],
                    b"warc-type": b"response",
                },
            )
        elif record["target"].startswith(b"http"):
            _report_response(reader)
    reader.report_lengths()


# Both


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the records in *file* that hold what was fetched from an address, or its text (WET).

    Links in the headers of responses and in the metadata of a crawler are read, too. `Origin.message` is the number of
    the record among all, from 1, and `offset` where it begins. With *wanted*, records in which it finds nothing may be
    left out.
    """
    return _Documents(file, wanted).texts(_in_warc if file.recognised == "warc" else _in_arc)


def _records(reader: CountedReader, first_line: re.Pattern[bytes], name: str) -> Iterator[re.Match[bytes]]:
    """Move to the content of each record in turn, and yield the match of its first line."""
    while (record := reader.next_message(first_line)) is not None:
        reader.number += 1
        reader.find_end()
        yield record
        reader.skip()
        if reader.offset < reader.end:
            raise SourceError(f"the {name} data ends early, in record {reader.number}")


def _is_http(fields: Mapping[bytes, bytes]) -> bool:
    """Return whether a record with these *fields* has an HTTP header."""
    return fields.get(b"content-type", b"").lower().startswith(_HTTP)


def _header(reader: Reader, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """Move past a header that *pattern* matches, and return the match; `None` if there is none."""
    while (found := pattern.match(reader.data, reader.pos, reader.limit)) is None:
        if reader.limit - reader.pos > MAX_HEADER or not reader.grow():
            return None
    reader.pos = found.end()
    return found


def _report_response(reader: Reader) -> None:
    """Report a response without an HTTP header, if there is anything in it."""
    if reader.pos < reader.limit:
        reader.report(f"record {reader.number} is not read: it has no HTTP header", unread="application/http")


class _Documents:
    """Reads the documents in *file*. The reader is at the body of the one that was found last."""

    def __init__(self, file: PeekableFile, wanted: Prefilter | None) -> None:
        self._reader = CountedReader(file)
        self._file = file
        if not (file.compression or file.stamp):
            # How far it is read depends on how it arrives.
            file.expansion.packed = lambda: self._reader.offset
        self._wanted = wanted
        self._faults = Faults()
        self._fields: Mapping[bytes, bytes] = {}  # of the record

    def texts(self, documents: Callable[..., Iterator[_Found]]) -> Iterator[Text]:
        """Yield the texts of the *documents* that a reader finds."""
        reader, wanted = self._reader, self._wanted
        resolves = wanted is not None and wanted.base is not None
        for header, fields in documents(reader):
            self._fields = fields
            is_plain = fields.get(b"content-type") == b"text/plain" and reader.done
            is_plain = is_plain and not reader.data.startswith(UTF_16_MARKS, reader.pos)
            spans = reader.spans(wanted, reader.pos) if is_plain and wanted else None
            if spans == []:
                continue  # most records of WET
            if fields[b"warc-type"] == b"metadata":
                for lines in reader.lines(()):
                    yield from self._links(lines, _IN_METADATA)
            else:
                text = header[1].decode("latin-1")
                if _is_http(fields) and _IN_HEADER.search(text) and (resolves or may_hold(text, wanted)):
                    reader.pos = header.start(1)
                    lines = reader.lines_to(header.end(1))
                    reader.pos = header.end()
                    yield from self._links(lines, _IN_HEADER)
                yield from self._document(header[1], spans)
        if self._file.error is None:
            self._faults.end()

    def _origin(self, **about: Any) -> Origin:  # noqa: ANN401 -- arguments of Origin
        """Return the origin of the document, with what else is known *about* it."""
        for fact, name in _FACTS.items():
            if value := self._fields.get(name):
                about[fact] = value.decode("utf-8", "replace").strip("<>")
        return Origin(self._file.name, self._reader.number, "1", offset=self._reader.command_offset, **about)

    def _links(self, fields: Lines, pattern: re.Pattern[str]) -> Iterator[Text]:
        """Yield the links that *pattern* finds in the *fields* of a header or of metadata, read as links of a page."""
        text = fields.data.decode("latin-1")
        spans: list[Span] = []
        for field in pattern.finditer(text):
            value = field.span(field.lastindex or 0)
            if field.lastgroup == "links":
                spans += [link.span(1) for link in _LINK.finditer(text, *value)]
            elif field.lastgroup == "refresh":
                refresh = REFRESH.match(text, *value)
                spans += [refresh.span(2)] if refresh else []
            else:
                spans.append(value)
        if spans:
            made = self._origin(defects={})
            yield from Document(made, self._wanted, made.target_uri).links(Decoded(text, fields), spans)

    def _fail(self, record: str, defects: Defects, reason: str) -> None:
        defects[f"the body cannot be decoded: {reason}"] = None
        self._faults.add(record, reason)

    def _lines(
        self, about: Content, codings: list[str], fail: Callable[[str], None]
    ) -> tuple[Iterator[Lines], Lines | None]:
        """Return the decoded lines of the document, none if it has nothing wanted, and the first encoded ones."""
        reader = self._reader
        data = reader.data[reader.pos : reader.limit] if reader.done else None
        if codings and data is not None:
            data = _decoded_at_once(data, codings)
        if data is not None and has_nothing(data, about.type, about.charset, self._wanted):
            return iter(()), None
        lines = reader.lines(())
        encoded = next(lines, None) if codings else None
        if encoded is None:
            return lines, None
        if data is not None:
            return iter([Lines(data, 0, 1)]), encoded
        return _decoded(chain([encoded], lines), codings, self._file.expansion, fail), encoded

    def _document(self, fields: bytes, spans: list[Span] | None) -> Iterator[Text]:
        """Yield the texts of the document that was sent with these *fields*: the reader of its type reads it.

        *spans* is where *wanted* finds something in its bytes, if that is known. A body that cannot be decoded is a
        fault, and read as far as possible; what else is left out is reported.
        """
        record, offset = f"record {self._reader.number}", self._reader.offset
        defects: Defects = {}
        about = content(Header(fields), "", defects)
        if not _TEXTS.fullmatch(about.type):
            self._file.report(f"{record} is not read: {about.type}", unread=about.type)
            return
        codings = _codings(fields)
        lines, encoded = self._lines(about, codings, partial(self._fail, record, defects))
        if (head := next(lines, None)) is None:
            return
        lines = chain([head], lines)
        kind = markup(head.data, about.type)
        if kind:
            about, lines = with_charset(about, lines)
        about = PLAIN._replace(type=about.type or PLAIN.type, charset=about.charset or "utf-8", encoding="binary")
        pieces = text_of(whole_tags(lines) if kind in IN_TAGS else lines, about, defects)
        if encoded:
            # A generator expression is a list in the compiled build.
            pieces = map(methodcaller("_replace", lines=encoded, steps=(Within(0, len(encoded.data)),)), pieces)
        origin = self._origin(part_offset=offset, defects=defects, content=about)
        bound = partial(self._file.markup, name=record)
        kind, base = kind or about.type, origin.target_uri
        yield from texts_in(pieces, kind, origin, self._wanted, base, bound=bound, spans=spans)


# Encoded bodies


MAX_CODINGS = 4
"""How often a body may be encoded: more than once is a server's mistake, and each layer needs a window of memory."""

_CHUNK = re.compile(rb"(?:\r?\n)?([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\n]{0,256})?\r\n")
_LONGEST_CHUNK_HEADER = 300


_CODING = re.compile(r"^(content|transfer)-encoding:([^\r\n]*)", re.MULTILINE)


def _codings(fields: bytes) -> list[str]:
    """Return how the body is encoded (RFC 9110 section 8.4, RFC 9112 section 6.1), the last one first."""
    if b"-encoding:" not in (lowered := fields.lower()):
        return []
    found = sorted(_CODING.findall(lowered.decode("latin-1")), key=itemgetter(0))
    codings = ",".join([codings for _, codings in found]).split(",")
    return [coding for field in reversed(codings) if (coding := field.strip()) not in {"", "identity"}]


def _decoded(
    encoded: Iterable[Lines], codings: list[str], expansion: Expansion, fail: Callable[[str], None]
) -> Iterator[Lines]:
    """Decode *encoded* from these *codings* and yield its lines.

    All bodies share the free bytes of the file's *expansion*. If they end early, *fail* is called with the reason.
    """
    if len(codings) > MAX_CODINGS:
        fail(f"is encoded more than {MAX_CODINGS} times")
        return
    file = PeekableFile(map(attrgetter("data"), encoded))
    its_own = file.expansion
    its_own.free = expansion.free
    try:
        for coding in codings:
            if coding == "chunked":
                file = PeekableFile(_unchunked(file))
            elif coding in CODINGS:
                file = decoded(file, coding, its_own.out)
            else:
                fail(f"has the unknown Content-Encoding {coding[:MAX_NAME]!r}, and is read as it is")
        reader = Reader(file)
        yield from reader.lines(()) if reader.begin() else ()
        file.raise_error()
    except SourceError as error:
        fail(str(error))
    expansion.free -= min(its_own.used, expansion.free)


def _decoded_at_once(data: bytes, codings: list[str]) -> bytes | None:
    """Return a body, *data*, decoded from *codings*; `None` if it is large, expands much or cannot be decoded."""
    most = min(BLOCK_SIZE, len(data) * MAX_RATIO // MAX_CODINGS)
    left: bytes | None = data
    for coding in codings:
        if left is None or len(data) > BLOCK_SIZE or len(codings) > MAX_CODINGS:
            return None
        if coding == "chunked":
            try:
                left = b"".join(_unchunked(PeekableFile(iter([left]))))
            except SourceError:
                return None
        else:
            left = decoded_at_once(left, coding, most) if coding in CODINGS else None
    left = left and left.removeprefix(BOM_UTF8)
    # What ends its lines as old Macs did is for `Reader`.
    return left if left and (b"\n" in left or b"\r" not in left) else None


def _unchunked(file: PeekableFile) -> Iterator[bytes]:
    """Yield the data of the chunks in *file* (RFC 9112 section 7.1), or all of it if a crawler has joined them."""
    while chunk := _CHUNK.match(file.beginning(_LONGEST_CHUNK_HEADER)):
        file.read(chunk.end())
        left = int(chunk[1], 16)
        if not left:
            return
        while left:
            data = file.read(min(left, BLOCK_SIZE))
            if not data:
                raise SourceError("the chunked data ends early")
            yield data
            left -= len(data)
    while data := file.read(BLOCK_SIZE):
        yield data
