"""From the lines of a part to its text: transfer encodings (RFC 2045 section 6) and charsets, never fatal."""

import re
from binascii import a2b_base64, a2b_qp
from codecs import BOM_UTF16_BE, BOM_UTF32_BE, getincrementaldecoder, lookup
from collections.abc import Iterable, Iterator
from itertools import chain, dropwhile
from typing import NamedTuple

from urlmend.sources.offsets import Base64, ByLine, DecodingStep, Encoded, Removed, Segment
from urlmend.sources.reader import MAX_LINE, Lines

_PADDED_SOFT_BREAK = re.compile(rb"=[ \t]+(?=\r?\n)")
_QUOTED_FROM = re.compile(rb"^>+(?=From )", re.MULTILINE)

# Codecs of Python's that are no charsets, some of which take long for long texts.
_NO_CHARSETS = frozenset("idna punycode undefined unicode_escape raw_unicode_escape mbcs oem".split())
_WIDE = re.compile(r"utf[-_]?(?:16|32)", re.IGNORECASE)


Defects = dict[str, None]
"""What was broken, each once, in the order in which it was met."""


class Octets(NamedTuple):
    """Bytes of a part, out of which of its lines they were decoded, and how."""

    data: bytes
    lines: Lines
    steps: tuple[DecodingStep, ...] = ()


class Decoded(NamedTuple):
    """Text of a part, and where it stands in the file."""

    text: str
    piece: Segment


def text_of(
    lines: Iterable[Lines], encoding: str, charset: str | None, defects: Defects, *, from_quoted: bool
) -> Iterator[Decoded]:
    """Decode the *lines* of a part from its transfer *encoding* and *charset*; what is broken goes to *defects*.

    An unknown encoding is taken for none. With *from_quoted*, lines `>From ` stand for `From ` (mboxo, mboxrd).
    """
    lines = _between_words(lines)
    if from_quoted:
        pieces: Iterator[Octets] = map(_without_from_quotes, lines)
    else:
        pieces = (Octets(part.data, part) for part in lines)
    if encoding == "base64":
        return _base64_text(pieces, charset, defects)
    if encoding == "quoted-printable":
        pieces = map(_quoted_printable, pieces)
    elif encoding not in _IDENTITIES:
        defects[f"unknown Content-Transfer-Encoding {encoding!r} taken for 8bit"] = None
    if charset is not None and _WIDE.match(charset):
        return _continued(pieces, charset, defects)
    return (_by_lines(octets, charset, defects) for octets in pieces)


_IDENTITIES = frozenset(["7bit", "8bit", "binary", ""])


def _between_words(pieces: Iterable[Lines]) -> Iterator[Lines]:
    """Move the cuts in long lines, so that none is within a character or an escape."""
    held = b""
    for data, offset, line in pieces:
        whole = held + data
        end = len(whole)
        if len(data) >= MAX_LINE // 2 and not data.endswith(b"\n"):
            start = max(0, end - _LONGEST_WORD)
            end = max(whole.rfind(sign, start) for sign in (b" ", b">", b"\n")) + 1
            torn = _TORN.search(whole, start)
            end = end or (torn.start() if torn else len(whole))
        yield Lines(whole[:end], offset - len(held), line)
        held = whole[end:]
    if held:
        yield Lines(held, offset + len(data) - len(held), line)


_LONGEST_WORD = 1 << 12
_TORN = re.compile(rb"(?:=.?|[\xc0-\xff][\x80-\xbf]{0,3})\Z")


def _without_from_quotes(lines: Lines) -> Octets:
    data = lines.data
    if b">From " not in data:
        return Octets(data, lines)
    at: list[int] = []

    def unquoted(match: re.Match[bytes]) -> bytes:
        at.append(match.start() - len(at))
        return match[0][1:]

    return Octets(_QUOTED_FROM.sub(unquoted, data), lines, (Removed(at, [1] * len(at)),))


def _quoted_printable(octets: Octets) -> Octets:
    step = ByLine(octets.data, _decode_quoted_printable)
    return Octets(_decode_quoted_printable(octets.data), octets.lines, (*octets.steps, step))


def _decode_quoted_printable(data: bytes) -> bytes:
    if b"= " in data or b"=\t" in data:
        data = _PADDED_SOFT_BREAK.sub(b"=", data)
    return a2b_qp(data)


def _base64_text(pieces: Iterator[Octets], charset: str | None, defects: Defects) -> Iterator[Decoded]:
    """Decode base64, and take what stands behind it, as the footers of lists do, for text."""
    behind: list[Octets] = []
    yield from _continued(_base64(pieces, behind, defects), charset, defects)
    charset = None if charset is not None and _WIDE.match(charset) else charset
    rest = dropwhile(lambda octets: not octets.data.strip(), chain(behind, pieces))
    for octets in rest:
        if "text behind base64" in defects:
            yield _by_lines(octets, charset, defects)
            continue
        defects["text behind base64"] = None
        # A line end parts the two.
        steps = (*octets.steps, Removed([0], [-1]))
        yield _by_lines(Octets(b"\n" + octets.data, octets.lines, steps), charset, defects)


def _base64(pieces: Iterable[Octets], behind: list[Octets], defects: Defects) -> Iterator[Octets]:
    """Decode base64 as it comes, and pass over what is not of its alphabet; the text after it goes to *behind*."""
    left = b""
    for octets in pieces:
        encoded = octets.data
        end, padded = _end_of_base64(encoded)
        characters = left + _base64_characters(encoded[:end])
        ended = padded or end < len(encoded)
        padding = characters.find(b"=")
        usable = (padding if padding >= 0 else len(characters)) // 4 * 4
        data = a2b_base64(characters[:usable])
        step = Base64(encoded, len(left), _base64_characters)
        left = characters[usable : padding if padding >= 0 else None]
        if ended:
            data += _base64_end(left, defects)
        yield Octets(data, octets.lines, (*octets.steps, step))
        if ended:
            behind.append(Octets(encoded[end:], octets.lines, (*octets.steps, Removed([0], [end]))))
            return
    if left:
        yield octets._replace(
            data=_base64_end(left, defects), steps=(*octets.steps, Base64(encoded, 0, _base64_characters))
        )


def _end_of_base64(data: bytes) -> tuple[int, bool]:
    """Return where the lines of base64 in *data* end, behind a padded one or before one of text; and whether padded."""
    if not data.translate(None, _BASE64_AND_LINE_ENDS):
        return len(data), False
    start = 0
    for line in data.splitlines(keepends=True):
        encoded = line.strip()
        group = encoded.rstrip(b"=")
        padding = len(encoded) - len(group)
        foreign = len(group.translate(None, _BASE64_ALPHABET)) + padding // 3
        if foreign > len(group) // _FOREIGN:
            return start, False
        start += len(line)
        if padding or b"=" in group:
            return start, True
    return len(data), False


_BASE64_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BASE64_AND_LINE_ENDS = _BASE64_ALPHABET + b"\r\n"
_NOT_BASE64 = bytes(set(range(256)) - set(_BASE64_ALPHABET + b"="))
_FOREIGN = 8
"""In a line of base64 at most one in so many characters is not of its alphabet: a gateway's, to be passed over."""


def _base64_end(group: bytes, defects: Defects) -> bytes:
    """Decode the last *group*, of less than four characters: with one, nothing is said."""
    if len(group) == 1:
        defects["base64 ends within an octet"] = None
    return a2b_base64(group + b"==") if len(group) > 1 else b""


def _base64_characters(data: bytes) -> bytes:
    return data.translate(None, _NOT_BASE64)


def charsets(declared: str | None, defects: Defects) -> list[str]:
    """Return the charsets to try: the *declared* one, where there is such a one, UTF-8, Latin-1, which takes all."""
    names = ["utf-8", "latin-1"]
    if declared is None:
        return names
    try:
        name = lookup(declared).name
        "".encode(name)
    except (LookupError, ValueError):
        name = ""
    if not name or name.replace("-", "_") in _NO_CHARSETS:
        defects[f"unknown charset {declared!r}"] = None
        return names
    return names if name == "ascii" else list(dict.fromkeys([_SUPERSETS.get(name, name), *names]))


# What is called by the first name is mostly of the second, which has all of it (Encoding Standard).
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932"}


def _by_lines(octets: Octets, charset: str | None, defects: Defects) -> Decoded:
    """Decode whole lines, each piece for itself."""
    data, lines, steps = octets
    if data.isascii() and (charset is None or charset == "us-ascii"):
        return Decoded(data.decode("ascii"), Segment(lines.data, lines.offset, lines.line, steps))
    if charset is None:
        defects["8-bit text without a charset"] = None
    elif charset == "us-ascii":
        defects["8-bit text in us-ascii"] = None
    text, name = _first_decoded(data, charsets(charset, defects), defects)
    if len(text) != len(data):
        steps = (*steps, Encoded(data, text, name))
    return Decoded(text, Segment(lines.data, lines.offset, lines.line, steps))


def _first_decoded(data: bytes, names: Iterable[str], defects: Defects) -> tuple[str, str]:
    for name in names:
        try:
            return data.decode(name), name
        except UnicodeError:
            defects[f"not {name}"] = None
    return data.decode("latin-1"), "latin-1"


def _continued(pieces: Iterable[Octets], charset: str | None, defects: Defects) -> Iterator[Decoded]:
    """Decode pieces whose ends may cut a line, or a character, in two."""
    name, *others = charsets(charset, defects)
    pending = b""
    decoder = None
    for octets in pieces:
        data = pending + octets.data
        if not data:
            continue
        # What a piece leaves undecoded is before the next one's bytes.
        steps: tuple[DecodingStep, ...] = (*octets.steps, Removed([0], [-len(pending)])) if pending else octets.steps
        begun = decoder is not None
        if decoder is None:
            name = _with_byte_order(name, data)
            decoder = getincrementaldecoder(name)()
        try:
            text = decoder.decode(octets.data)
        except UnicodeError:
            defects[f"not {name}"] = None
            decoder.reset()
            text, other = _first_decoded(data, others, defects)
            steps = (*steps, Encoded(data, text, other))
            pending = b""
        else:
            steps = (*steps, Encoded(data, text, name))
            pending = decoder.getstate()[0]
        if not begun and text.startswith("\ufeff"):
            text = text[1:]
            steps = (*steps, Removed([0], [1]))
        yield Decoded(text, Segment(octets.lines.data, octets.lines.offset, octets.lines.line, steps))


def _with_byte_order(name: str, data: bytes) -> str:
    """Return the name of the charset with its byte order: what the mark in *data* says, else little-endian."""
    if name not in {"utf-16", "utf-32"}:
        return name
    mark = BOM_UTF16_BE if name == "utf-16" else BOM_UTF32_BE
    return f"{name}-be" if mark.startswith(data[: len(mark)]) else f"{name}-le"
