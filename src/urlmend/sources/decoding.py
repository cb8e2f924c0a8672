"""From the lines of a part to its text: transfer encodings (RFC 2045 section 6) and charsets, never fatal."""

import re
from binascii import a2b_base64, a2b_qp
from codecs import getincrementaldecoder, lookup
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from urlmend.sources.places import Base64, ByLine, Encoded, Layer, Piece, Removed
from urlmend.sources.window import Lines

_PADDED_SOFT_BREAK = re.compile(rb"=[ \t]+(?=\r?\n)")
_QUOTED_FROM = re.compile(rb"^>+(?=From )", re.MULTILINE)
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="))

# Codecs of Python's that are no charsets, some of which take long for long texts.
_NO_CHARSETS = frozenset("idna punycode undefined unicode_escape raw_unicode_escape mbcs oem".split())
_WIDE = re.compile(r"utf[-_]?(?:16|32)", re.IGNORECASE)


Defects = dict[str, None]
"""What was broken, each once, in the order in which it was met."""


class Octets(NamedTuple):
    """Bytes of a part, out of which of its lines they were decoded, and how."""

    data: bytes
    lines: Lines
    layers: tuple[Layer, ...] = ()


class Decoded(NamedTuple):
    """Text of a part, and where it stands in the file."""

    text: str
    piece: Piece


def text_of(
    lines: Iterable[Lines], encoding: str, charset: str | None, defects: Defects, *, from_quoted: bool
) -> Iterator[Decoded]:
    """Decode the *lines* of a part from its transfer *encoding* and *charset*; what is broken goes to *defects*.

    An unknown encoding is taken for none. With *from_quoted*, lines `>From ` stand for `From ` (mboxo, mboxrd).
    """
    if from_quoted:
        lines_read: Iterable[Octets] = map(_without_from_quotes, lines)
    else:
        lines_read = (Octets(part.data, part) for part in lines)
    if encoding == "base64":
        return _continued(_base64(lines_read, defects), charset, defects)
    if encoding == "quoted-printable":
        lines_read = map(_quoted_printable, lines_read)
    elif encoding not in _IDENTITIES:
        defects[f"unknown Content-Transfer-Encoding {encoding!r} taken for 8bit"] = None
    if charset is not None and _WIDE.match(charset):
        return _continued(lines_read, charset, defects)
    return (_by_lines(octets, charset, defects) for octets in lines_read)


_IDENTITIES = frozenset(["7bit", "8bit", "binary", ""])


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
    layer = ByLine(octets.data, _decode_quoted_printable)
    return Octets(_decode_quoted_printable(octets.data), octets.lines, (*octets.layers, layer))


def _decode_quoted_printable(data: bytes) -> bytes:
    if b"= " in data or b"=\t" in data:
        data = _PADDED_SOFT_BREAK.sub(b"=", data)
    return a2b_qp(data)


def _base64(lines: Iterable[Octets], defects: Defects) -> Iterator[Octets]:
    """Decode base64 as it comes: what is not of its alphabet is passed over, and what follows its padding."""
    left = b""
    for octets in lines:
        characters = left + _base64_characters(octets.data)
        padding = characters.find(b"=")
        usable = (padding if padding >= 0 else len(characters)) // 4 * 4
        data = a2b_base64(characters[:usable])
        layer = Base64(octets.data, len(left), _base64_characters)
        left = characters[usable:]
        if padding >= 0:
            data += _base64_end(left[: padding - usable], defects)
            yield Octets(data, octets.lines, (*octets.layers, layer))
            return
        yield Octets(data, octets.lines, (*octets.layers, layer))
    if left:
        yield octets._replace(data=_base64_end(left, defects), layers=(Base64(octets.data, 0, _base64_characters),))


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
    data, lines, layers = octets
    piece = Piece(lines.data, lines.offset, lines.line, layers)
    if data.isascii() and (charset is None or charset == "us-ascii"):
        return Decoded(data.decode("ascii"), piece)
    if charset is None:
        defects["8-bit text without a charset"] = None
    for name in charsets(charset, defects):
        try:
            text = data.decode(name)
        except UnicodeError:
            defects[f"not {name}"] = None
            continue
        break
    if len(text) != len(data):
        piece = piece._replace(layers=(*layers, Encoded(text, name)))
    return Decoded(text, piece)


def _continued(pieces: Iterable[Octets], charset: str | None, defects: Defects) -> Iterator[Decoded]:
    """Decode pieces whose ends may cut a line, or a character, in two."""
    names = charsets(charset, defects)
    decoder = getincrementaldecoder(names[0])()
    for octets in pieces:
        while True:
            try:
                text = decoder.decode(octets.data)
            except UnicodeError:
                defects[f"not {names.pop(0)}"] = None
                decoder = getincrementaldecoder(names[0])()
            else:
                break
        lines = octets.lines
        layers = (*octets.layers, Encoded(text, names[0]))
        yield Decoded(text, Piece(lines.data, lines.offset, lines.line, layers))
