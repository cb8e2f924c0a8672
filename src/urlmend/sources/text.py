"""Plain text: a file read in chunks. UTF-16 is decoded, a byte order mark skipped, overstruck text read as printed."""

from bisect import bisect_right
from codecs import BOM_UTF8, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from contextlib import suppress

from urlmend.sources.charsets import UTF_16_MARKS, UTF_16_SAMPLE, CharsetStep, utf_16, with_latin_1
from urlmend.sources.compression import PeekableFile
from urlmend.sources.origin import Origin, Prefilter, Text
from urlmend.sources.places import Lines, SourceMap, substituted
from urlmend.sources.reader import BLOCK_SIZE, Reader
from urlmend.text.patterns import lazy_regex

_FIRST_HALF = lazy_regex(r"[\r\ud800-\udbff]")
"""The first half of a CRLF or of a surrogate pair."""


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield *file* in chunks. A small one in which *wanted* finds nothing may be left out."""
    origin = Origin(file.name, defects=file.defects)
    offset = 0
    if not file.is_text:
        beginning = file.beginning(len(BOM_UTF8))
        if b"\0" in file.head:  # a sign of UTF-16, and more bytes are needed to be sure
            beginning = file.beginning(UTF_16_SAMPLE)
        if charset := utf_16(beginning):
            if beginning.startswith(UTF_16_MARKS):
                file.take(len(BOM_UTF16_LE))
            places = SourceMap()
            for lines in wide_lines(file, charset, file.read):
                decoded = lines.data.decode(charset, "replace")
                places.add(len(decoded), lines, (CharsetStep(lines.data, decoded, charset),))
                yield Text(decoded, origin, places=places)
        elif b"\b" in file.beginning(_WITHIN):
            yield from _as_printed(file, origin)
        elif beginning.startswith(BOM_UTF8):
            offset = len(file.take(len(BOM_UTF8)))
        if file.ended and wanted and not any(wanted.search(file.head)):
            file.take(len(file.head))
    while data := file.read(BLOCK_SIZE):
        yield Text(data, origin, offset)


_WITHIN = 1024
"""How many bytes are looked at for the first overstruck character: manual pages begin with a bold heading."""

_OVERSTRUCK = lazy_regex(r"([^\r\n\b]\x08)")


def _as_printed(file: PeekableFile, origin: Origin) -> Iterator[Text]:
    r"""Yield the text that printing *file* leaves, where nroff writes bold as `h\bh`, and underlined as `_\bh`."""
    places, reader = SourceMap(), Reader(file)
    if reader.begin():
        for lines in reader.lines(()):
            decoded = lines.data.decode("utf-8", "surrogateescape")
            printed, step = substituted(_OVERSTRUCK, with_latin_1(decoded, lines.data), lambda _: "")
            places.add(len(printed), lines, (CharsetStep(lines.data, decoded, "utf-8"), step))
            yield Text(printed, origin, places=places)


def wide_lines(file: PeekableFile, charset: str, read: Callable[[int], bytes]) -> Iterator[Lines]:
    """Yield the lines of *file*, which is in the UTF-16 *charset*, in pieces that end between two characters.

    *read*, a method of the file, decides how long they are. If an error ends the file, the lines end too; the next read
    raises it.
    """
    lines: Lines = _WideLines(b"", file.position, 1, file.position, charset)
    kept = b""
    while True:
        data = b""
        with suppress(Exception):
            data = read(BLOCK_SIZE)
        octets = kept + data
        end = len(octets) // 2 * 2
        if data and _FIRST_HALF.match(octets[end - 2 : end].decode(charset, "surrogatepass")):
            end -= 2
        lines = lines.of(octets[:end], len(lines.data))
        yield lines
        if not data:
            return
        kept = octets[end:]


class _WideLines(Lines):
    """Lines of UTF-16 that end between two characters, never within one: these begin at even offsets."""

    __slots__ = ("_charset", "_ends")

    def __init__(self, data: bytes, offset: int, line: int, line_start: int, charset: str) -> None:
        super().__init__(data, offset, line, line_start)
        self._charset = charset
        self._ends = [end.end() for end in _LINE_END[charset].finditer(data) if not (offset + end.start()) % 2]

    def line_at(self, pos: int) -> tuple[int, int]:
        row = bisect_right(self._ends, pos)
        return self.line + row, self.offset + self._ends[row - 1] if row else self.line_start

    def of(self, data: bytes, start: int = 0) -> Lines:
        return _WideLines(data, self.offset + start, *self.line_at(start), self._charset)


_LINE_END = {"utf-16-le": lazy_regex(rb"\r\0\n\0|[\r\n]\0"), "utf-16-be": lazy_regex(rb"\0\r\0\n|\0[\r\n]")}
