"""The bodies of messages as text: transfer encodings (RFC 2045 section 6) and charsets are decoded, never fatally."""

import re
from binascii import a2b_base64, a2b_qp
from bisect import bisect_right
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, dropwhile
from typing import NamedTuple

from urlmend.sources.charsets import (
    LINE,
    MAX_NAME,
    CharsetStep,
    Defects,
    codec_of,
    decode_lines,
    error_handler,
    is_unlike_ascii,
    utf_16,
    with_byte_order,
    with_latin_1,
)
from urlmend.sources.compression import PeekableFile
from urlmend.sources.header import PLAIN, Content
from urlmend.sources.places import Lines, Removed, Shifted, SourceMap, Step, Within, replaced, substituted
from urlmend.sources.reader import MAX_LINE, Reader
from urlmend.sources.text import wide_lines
from urlmend.text.patterns import lazy_regex

IDENTITIES = frozenset(["7bit", "8bit", "binary"])
"""The transfer encodings that leave a body as it is."""

ENCODINGS = frozenset(["base64", "quoted-printable"])
"""The transfer encodings that are decoded."""

CALENDAR = "text/calendar"
FOLDED = frozenset([CALENDAR, "text/vcard", "text/x-vcard", "text/directory"])
"""The media types of iCalendar and vCard, whose lines are folded."""


class Decoded(NamedTuple):
    """A piece of text, and the steps that made it from lines of the file."""

    text: str
    lines: Lines
    steps: tuple[Step, ...] = ()

    def part(self, start: int, end: int) -> "Decoded":
        """Return the part of the text from *start* to *end*."""
        steps = (*self.steps, Shifted(start)) if start else self.steps
        return Decoded(self.text[start:end], self.lines, steps)


def joined(pieces: Sequence[Decoded]) -> Decoded:
    """Return *pieces*, whose lines follow each other, as one."""
    if len(pieces) == 1:
        return pieces[0]
    places = SourceMap()
    first = pieces[0].lines
    end, data = first.offset, []
    for text, lines, steps in pieces:
        places.add(len(text), lines, steps)
        data.append(lines.data[max(0, end - lines.offset) :])  # some pieces are of the same lines
        end = lines.offset + len(lines.data)
    lines = Lines(b"".join(data), first.offset, first.line, first.line_start)
    return Decoded("".join(piece.text for piece in pieces), lines, (Shifted(-first.offset), places))


_Octets = tuple[bytes, Lines, tuple[Step, ...]]
"""Bytes without their transfer encoding, the lines they were in, and the steps that took it off."""


def text_of(
    lines: Iterable[Lines], about: Content, defects: Defects, *, from_quoted: bool = False
) -> Iterator[Decoded]:
    """Decode the *lines* of a body as its header says; what is broken goes to *defects*.

    With *from_quoted*, the `>` that mboxo and mboxrd put before `From ` at the start of a line is removed.
    """
    charset, encoding = about.charset, about.encoding
    blocks = iter(lines)
    undeclared = _UNDECLARED.get(charset)
    codec = "utf-8" if undeclared else _codec(str(charset), defects)
    if encoding == "binary" and (beginning := next(blocks, None)) is not None:
        codec = with_byte_order(codec, beginning.data)
        blocks = chain([beginning], blocks)
    unfold = _unfolded if about.type in FOLDED and not is_unlike_ascii(codec) else iter
    if encoding == "base64":
        rest: list[Lines] = []
        yield from _decoded_as_it_comes(unfold(_base64(blocks, rest, defects)), codec, defects)
        blocks = dropwhile(lambda some: not some.data.strip(), chain(rest, blocks))
        if (first := next(blocks, None)) is None:
            return
        # Lists put their footers there.
        defects["text after base64"] = None
        yield Decoded("\n", first, (Within(0, 1),))
        blocks = chain([first], blocks)
        codec = "utf-8" if is_unlike_ascii(codec) else codec
    elif encoding not in IDENTITIES and encoding not in ENCODINGS:
        defects[f"unknown Content-Transfer-Encoding {encoding[:MAX_NAME]!r} taken for 8bit"] = None
    pieces: Iterator[_Octets] = map(_without_from_quotes if from_quoted else _as_it_is, blocks)
    pieces = unfold(map(_without_quoted_printable, pieces) if encoding == "quoted-printable" else pieces)
    if is_unlike_ascii(codec):
        yield from _decoded_as_it_comes(pieces, codec, defects)
        return
    for data, some, steps in pieces:
        if codec == "utf-8" and data.isascii():
            yield Decoded(data.decode("ascii"), some, steps)
        else:
            if undeclared:
                defects[undeclared] = None
            yield from _decoded_by_lines(data, some, steps, codec, defects)


_UNDECLARED = {None: "8-bit text without a charset", "us-ascii": "8-bit text in us-ascii"}


def _codec(charset: str, defects: Defects) -> str:
    codec = codec_of(charset)
    if codec is None:
        defects[f"unknown charset {charset[:MAX_NAME]!r}"] = None
    return "utf-8" if codec in {None, "ascii"} else str(codec)


# Charsets


def _decoded_by_lines(
    data: bytes, lines: Lines, steps: tuple[Step, ...], codec: str, defects: Defects
) -> Iterator[Decoded]:
    start = 0
    for its_data, text, its_codec in decode_lines(data, codec, defects):
        its_steps = (*steps, Shifted(start)) if start else steps
        if len(text) != len(its_data):
            its_steps = (*its_steps, CharsetStep(its_data, text, its_codec))
        yield Decoded(with_latin_1(text, its_data), lines, its_steps)
        start += len(its_data)


def _decoded_as_it_comes(pieces: Iterable[_Octets], codec: str, defects: Defects) -> Iterator[Decoded]:
    """Decode pieces that may end within a line or a character. Bytes that are not UTF-8 are read by themselves."""
    pending = b""
    decoder = None
    for data, lines, steps in pieces:
        octets = pending + data
        if not octets:
            continue
        # What one piece left undecoded comes before the bytes of the next one.
        its_steps: tuple[Step, ...] = (*steps, Removed([0], [-len(pending)])) if pending else steps
        begun = decoder is not None
        if decoder is None:
            codec = with_byte_order(codec, octets)
            decoder = getincrementaldecoder(codec)(errors=error_handler(codec))
        text = decoder.decode(data)
        if len(decoder.getstate()[0]) > MAX_LINE:
            # UTF-7 keeps an escape until it ends, and would read it again with each piece.
            text += decoder.decode(b"", final=True)
            decoder.reset()
        its_steps = (*its_steps, CharsetStep(octets, text, codec))
        pending = decoder.getstate()[0]
        as_latin_1 = with_latin_1(text, octets)
        if as_latin_1 != text or "\ufffd" in text:
            defects[f"not {codec}"] = None
        if not begun and text.startswith("\ufeff"):
            as_latin_1 = as_latin_1[1:]
            its_steps = (*its_steps, Shifted(1))
        yield Decoded(as_latin_1, lines, its_steps)


# The charset that a document declares

META_WITHIN = 1024
"""How many bytes are searched for a `meta` element (HTML Standard, "prescan a byte stream")."""

_CHARSET = lazy_regex(
    rb"""<(?:meta[^>]{0,200}?charset|\?xml[^>]{0,200}?encoding)\s*=\s*["']?([\w:.\-]{1,40})""", re.IGNORECASE
)


def document(
    file: PeekableFile, media_type: str, charset: str | None = "utf-8"
) -> Iterator[tuple[Content, Iterator[Lines]]]:
    """Yield the content type and charset of *file*, and its lines; nothing if it is empty.

    The charset is that of the byte order mark, else that of a `meta` element or XML declaration, else *charset*.
    """
    about = PLAIN._replace(type=media_type)
    beginning = file.beginning(len(BOM_UTF8))
    if wide := utf_16(beginning):
        yield about._replace(charset="utf-16"), wide_lines(file, wide, file.take)
        return
    if beginning.startswith(BOM_UTF8):
        about = about._replace(charset="utf-8")
    reader = Reader(file)
    if reader.begin():
        about, lines = with_charset(about, reader.lines(()))
        yield about._replace(charset=about.charset or charset), lines


def with_charset(about: Content, lines: Iterator[Lines]) -> tuple[Content, Iterator[Lines]]:
    """Return *about* with the charset that the document declares, unless it has one already, and all *lines*."""
    if about.charset:
        return about, lines
    held: list[Lines] = []
    beginning = b""
    while len(beginning) < META_WITHIN and (more := next(lines, None)):
        held.append(more)
        beginning += more.data
    if named := _CHARSET.search(beginning, 0, META_WITHIN):
        charset = named[1].decode("ascii")
        codec = codec_of(charset)
        # Its name was read as ASCII, so the document is not in UTF-16 or the like (HTML Standard 13.2.3.2).
        about = about._replace(charset="utf-8" if codec and is_unlike_ascii(codec) else charset)
    return about, chain(held, lines)


# Escapes in scripts and JSON

SCRIPT_ESCAPE = lazy_regex(r"(\\(?:/|u00[2-7][\dA-Fa-f]))")
r"""`\/` and `\u0026`."""

_CUT_ESCAPE = lazy_regex(r"\\(?:u(?:0(?:0[2-7]?)?)?)?\Z")
_LONGEST_CUT = 300  # characters at the end of a piece
_Escapes = tuple[re.Pattern[str], re.Pattern[str], Callable[[str], str]]


def meant_by(escape: str) -> str:
    r"""Return the character that *escape* means.

    >>> meant_by(r"\/"), meant_by(r"\u0026")
    ('/', '&')
    """
    return chr(int(escape[2:] or "2f", 16))


_OF_SCRIPT: _Escapes = (SCRIPT_ESCAPE, _CUT_ESCAPE, meant_by)


def without_escapes(pieces: Iterable[Decoded], escapes: _Escapes = _OF_SCRIPT) -> Iterator[Decoded]:
    """Decode the *escapes* in the *pieces* of a script, of JSON or of XML.

    They have a pattern, one for the beginning of an escape that continues in the next piece, and a meaning.
    """
    escape, beginning, meaning = escapes
    held = ""
    for piece in pieces:
        shift = Removed([0], [-len(held)])
        text = held + piece.text
        cut = beginning.search(text, max(0, len(text) - _LONGEST_CUT))
        held = cut[0] if cut else ""
        text, step = substituted(escape, text.removesuffix(held), meaning)
        yield Decoded(text, piece.lines, (*piece.steps, shift, step))


# Lines `>From `

_FROM_QUOTE = lazy_regex(rb"^>(?=>*From )", re.MULTILINE)


def _as_it_is(lines: Lines) -> _Octets:
    return lines.data, lines, ()


def _without_from_quotes(lines: Lines) -> _Octets:
    if b">From " not in lines.data:
        return lines.data, lines, ()
    # A piece of a very long line does not begin a line.
    quotes = _FROM_QUOTE.finditer(lines.data, lines.line_start != lines.offset)
    unquoted, step = replaced(lines.data, ((*quote.span(), b"") for quote in quotes))
    return unquoted, lines, (step,)


# Transfer encodings


class EncodedLines:
    """The step that decodes the lines *data*. It knows which lines a byte of the result was decoded from.

    *sizes* returns the number of units in each of the lines it is given. A byte of the result takes *per_byte* units,
    and the first *before* units are from earlier lines.
    """

    __slots__ = ("_before", "_data", "_per_byte", "_rows", "_sizes")

    def __init__(
        self, data: bytes, sizes: Callable[[list[bytes]], Iterable[int]], *, per_byte: int = 1, before: int = 0
    ) -> None:
        self._data = data
        self._sizes = sizes
        self._per_byte = per_byte
        self._before = before
        self._rows: tuple[list[int], list[int]] | None = None  # where the units of each line end, and where it begins

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return the lines."""
        if self._rows is None:
            lines = LINE.findall(self._data) or [b""]
            ends = list(accumulate(self._sizes(lines), initial=self._before))
            self._rows = ends[1:], list(accumulate(map(len, lines[:-1]), initial=0))
        ends, starts = self._rows
        size, most = self._per_byte, len(starts) - 1
        first = min(bisect_right(ends, start * size), most)
        last = min(bisect_right(ends, max(start + 1, end) * size - 1, first), most)
        return starts[first], starts[last] + 1, False


_PADDED_SOFT_BREAK = lazy_regex(rb"=[ \t]+(?=\r?\n)")


def _from_quoted_printable(data: bytes) -> bytes:
    is_padded = b"= " in data or b"=\t" in data
    return a2b_qp(_PADDED_SOFT_BREAK.sub(b"=", data) if is_padded else data)


def _without_quoted_printable(octets: _Octets) -> _Octets:
    data, lines, steps = octets
    step = EncodedLines(data, lambda some: map(len, map(_from_quoted_printable, some)))
    return _from_quoted_printable(data), lines, (*steps, step)


_BASE64_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BASE64_AND_LINE_ENDS = _BASE64_ALPHABET + b"\r\n"
_NOT_BASE64 = bytes(set(range(256)) - set(_BASE64_ALPHABET + b"="))
_FOREIGN = 8
"""In a line of base64, at most one in this many characters may be foreign: gateways insert some."""


def _base64(pieces: Iterable[Lines], rest: list[Lines], defects: Defects) -> Iterator[_Octets]:
    """Decode base64. Its groups of four may continue over line ends; lines of text after it go to *rest*."""
    left = b""
    ended = False
    for lines in pieces:
        end, padded = _end_of_base64(lines.data)
        ended = padded or end < len(lines.data)
        if ended:
            lines, after = lines.part(0, end), lines.part(end)  # noqa: PLW2901
            rest.append(after)
        characters = (left + _base64_characters(lines.data)).partition(b"=")[0]
        usable = len(characters) // 4 * 4
        step = EncodedLines(lines.data, _base64_units, per_byte=4, before=3 * len(left))
        left = characters[usable:]
        data = a2b_base64(characters[:usable]) + (_base64_end(left, defects) if ended else b"")
        yield data, lines, (step,)
        if ended:
            return
    if left:
        yield _base64_end(left, defects), lines, (Within(max(0, len(lines.data) - 1), len(lines.data)),)


def _end_of_base64(data: bytes) -> tuple[int, bool]:
    """Return where the base64 in *data* ends, and whether that is after a padded line, not before a line of text."""
    if not data.translate(None, _BASE64_AND_LINE_ENDS):
        return len(data), False
    start = 0
    for line in data.splitlines(keepends=True):
        encoded = line.strip()
        group = encoded.rstrip(b"=")
        padding = len(encoded) - len(group)
        foreign = len(group.translate(None, _BASE64_ALPHABET)) + padding // 5
        if foreign > len(group) // _FOREIGN:
            return start, False
        start += len(line)
        if padding or b"=" in group:
            return start, True
    return len(data), False


def _base64_end(group: bytes, defects: Defects) -> bytes:
    """Decode the last *group*, of fewer than four characters: one alone says nothing."""
    if len(group) == 1:
        defects["base64 ends within an octet"] = None
    return a2b_base64(group + b"==") if len(group) > 1 else b""


_WHOLE_BASE64 = lazy_regex(rb"[A-Za-z0-9+/\r\n]*+={0,2}[\r\n]*+")


def without_encoding(data: bytes, encoding: str) -> bytes | None:
    """Return *data* without its transfer *encoding*; `None` if it is base64 with a fault or with text after it."""
    if encoding == "quoted-printable":
        return _from_quoted_printable(data)
    if encoding == "base64":
        try:
            return a2b_base64(data + b"==") if _WHOLE_BASE64.fullmatch(data) else None
        except ValueError:
            return None
    return data


def _base64_characters(data: bytes) -> bytes:
    return data.translate(None, _NOT_BASE64)


def _base64_units(lines: list[bytes]) -> Iterator[int]:
    """Return the number of bit pairs in the base64 of each of *lines*: a character has three, and a byte four."""
    return (3 * len(_base64_characters(line)) for line in lines)


# iCalendar and vCard: folded lines (RFC 5545 section 3.1), escaped characters (section 3.3.11; Apple's Address Book
# escapes colons, too), and quoted-printable (vCard 2.1). Folds may cut characters and escapes, so lines are unfolded
# before they are decoded. What may go on in the next piece is held until then.

_LINE_END = rb"(?:\r\n?|\n)"
_FOLD = rb"%b[ \t]" % _LINE_END
_MARK = lazy_regex(
    rb"(?P<cut>=[\dA-Fa-f]?)?(?:\\(?:%b){0,9})?%b?\Z|(?P<soft>=?)(?P<line_end>%b)(?P<fold>[ \t]?)"
    rb"|=(?P<octet>[\dA-Fa-f]{2})|\\(?:%b){0,9}(?P<escaped>[\\:;,Nn])|(?P<ampersand>%b)"
    % (_FOLD, _LINE_END, _LINE_END, _FOLD, (b"(?:%b)?" % _FOLD).join([b"&", b"a", b"m", b"p", rb"\\?", b";"]))
)
# The description that Outlook adds is HTML.
_PROPERTY = lazy_regex(
    rb"[\w.\-]+;(?:[^:\n]*;)?(?:FMTTYPE=\"?text/(?P<html>html)|(?:ENCODING=)?(?P<quoted>QUOTED-PRINTABLE))",
    re.IGNORECASE,
)


def _unfolded(pieces: Iterator[_Octets]) -> Iterator[_Octets]:
    """Unfold the lines of iCalendar, and put an empty line after each: no URL goes on in the next one."""
    held = b""
    kind: str | None = None  # of the property
    for data, lines, steps in pieces:
        octets = held + data
        shift = Removed([0], [-len(held)])
        held = b""
        edits: list[tuple[int, int, bytes]] = []
        for mark in _MARK.finditer(octets):
            cut, soft, octet, escaped = mark.group("cut", "soft", "octet", "escaped")
            new = mark[0]
            if octet:
                new = bytes([int(octet, 16)]) if kind == "quoted" else new
            elif escaped:
                new = b"\n" if escaped in b"nN" else escaped
            elif mark["ampersand"]:
                new = b"&" if kind == "html" else b"&amp;"
            elif mark["line_end"] is None:
                new = b"" if kind == "quoted" else cut or b""
                held += mark[0].removeprefix(new)  # after it, nothing is found once more
            elif kind == "quoted" and soft:
                new = b""
            elif mark["fold"]:
                new = soft
            else:
                new = soft + 2 * mark["line_end"]
                named = _PROPERTY.match(octets, mark.end())
                kind = named and named.lastgroup
            edits.append((*mark.span(), new))
        unfolded, step = replaced(octets, edits)
        yield unfolded, lines, (*steps, shift, step)
