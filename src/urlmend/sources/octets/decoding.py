"""From the lines of a part to its text: transfer encodings (RFC 2045 section 6) and charsets, never fatal."""

import re
from binascii import a2b_base64, a2b_qp
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, dropwhile
from typing import NamedTuple

from urlmend.sources.octets.charsets import (
    Defects,
    Stretch,
    declared_codec,
    decode_lines,
    handler,
    is_wide,
    shown,
    with_byte_order,
)
from urlmend.sources.octets.offsets import Segment
from urlmend.sources.octets.steps import Base64, ByLine, DecodingStep, Encoded, Removed, Stretches
from urlmend.sources.reader import MAX_LINE, Lines

__all__ = ["Decoded", "Defects", "text_of"]

_PADDED_SOFT_BREAK = re.compile(rb"=[ \t]+(?=\r?\n)")
_QUOTED_FROM = re.compile(rb"^>+(?=From )", re.MULTILINE)


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
    if encoding == "quoted-printable":
        lines = _between_characters(lines)
    if from_quoted:
        pieces: Iterator[Octets] = map(_without_from_quotes, lines)
    else:
        pieces = (Octets(part.data, part) for part in lines)
    codec = None if charset is None or charset == "us-ascii" else declared_codec(charset, defects)
    beyond_ascii = "8-bit text in us-ascii" if charset else "8-bit text without a charset"
    if encoding == "base64":
        return _base64_text(pieces, codec, beyond_ascii, defects)
    if encoding == "quoted-printable":
        pieces = map(_quoted_printable, pieces)
    elif encoding not in _IDENTITIES:
        defects[f"unknown Content-Transfer-Encoding {encoding[:_SHOWN]!r} taken for 8bit"] = None
    if codec is not None and is_wide(codec):
        return _continued(pieces, codec, defects)
    return (decoded for octets in pieces for decoded in _by_lines(octets, codec, beyond_ascii, defects))


_IDENTITIES = frozenset(["7bit", "8bit", "binary", ""])
_SHOWN = 64  # characters of a name that defects tell


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


def _between_characters(pieces: Iterable[Lines]) -> Iterator[Lines]:
    """Move the cuts at soft line breaks, so that none is within a character of UTF-8."""
    held = b""
    for data, offset, line in pieces:
        whole = held + data
        torn = _TORN_CHARACTER.search(whole, max(0, len(whole) - _LONGEST_CHARACTER))
        end = torn.start() if torn else len(whole)
        if end:
            yield Lines(whole[:end], offset - len(held), line - held.count(b"\n"))
        held = whole[end:]
    if held:
        yield Lines(held, offset + len(data) - len(held), line + data.count(b"\n") - held.count(b"\n"))


_SOFT_BREAK = rb"=[ \t]{0,8}\r?\n"
_TORN_CHARACTER = re.compile(
    rb"=[C-Fc-f][0-9A-Fa-f](?:%b)?(?:=[89ABab][0-9A-Fa-f](?:%b)?){0,3}(?<=\n)\Z" % (_SOFT_BREAK, _SOFT_BREAK)
)
_LONGEST_CHARACTER = 64
"""The most bytes of a character in quoted-printable, with soft line breaks in it."""


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
    data, lines, steps = octets
    decode = _decode_padded if b"= " in data or b"=\t" in data else a2b_qp
    return Octets(decode(data), lines, (*steps, ByLine(data, decode)))


def _decode_padded(data: bytes) -> bytes:
    return a2b_qp(_PADDED_SOFT_BREAK.sub(b"=", data))


def _base64_text(pieces: Iterator[Octets], codec: str | None, beyond_ascii: str, defects: Defects) -> Iterator[Decoded]:
    """Decode base64, and take what stands behind it, as the footers of lists do, for text."""
    behind: list[Octets] = []
    yield from _continued(_base64(pieces, behind, defects), codec or "utf-8", defects)
    codec = None if codec is not None and is_wide(codec) else codec
    rest = dropwhile(lambda octets: not octets.data.strip(), chain(behind, pieces))
    for octets in rest:
        if "text behind base64" in defects:
            yield from _by_lines(octets, codec, beyond_ascii, defects)
            continue
        defects["text behind base64"] = None
        # A line end parts the two.
        steps = (*octets.steps, Removed([0], [-1]))
        yield from _by_lines(Octets(b"\n" + octets.data, octets.lines, steps), codec, beyond_ascii, defects)


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


def _by_lines(octets: Octets, codec: str | None, beyond_ascii: str, defects: Defects) -> Iterator[Decoded]:
    """Decode whole lines; `None` is the codec of a part that declares none, or ASCII, and more is *beyond_ascii*."""
    data, lines, steps = octets
    if codec is None:
        if data.isascii():
            yield Decoded(data.decode("ascii"), Segment(lines.data, lines.offset, lines.line, steps))
            return
        defects[beyond_ascii] = None
    stretches = list(decode_lines(data, codec or "utf-8", defects))
    text = stretches[0].text if len(stretches) == 1 else "".join(stretch.text for stretch in stretches)
    if len(text) != len(data):
        steps = (*steps, _encoded(data, stretches))
    if not all(stretch.clean for stretch in stretches):
        text = shown(text)
    yield Decoded(text, Segment(lines.data, lines.offset, lines.line, steps))


def _encoded(data: bytes, stretches: list[Stretch]) -> DecodingStep:
    if len(stretches) == 1:
        return Encoded(data, stretches[0].text, stretches[0].codec)
    starts = accumulate((len(stretch.text) for stretch in stretches), initial=0)
    return Stretches(
        [
            (in_text, start, Encoded(data[start:end], text, codec))
            for in_text, (start, end, text, codec, _) in zip(starts, stretches, strict=False)
        ]
    )


def _continued(pieces: Iterable[Octets], codec: str, defects: Defects) -> Iterator[Decoded]:
    """Decode pieces whose ends may cut a line, or a character, in two.

    Their lines are not the text's: a byte that is not in the charset is passed over by itself.
    """
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
            codec = with_byte_order(codec, data)
            decoder = getincrementaldecoder(codec)(errors=handler(codec))
        text = decoder.decode(octets.data)
        if len(decoder.getstate()[0]) > MAX_LINE:
            # UTF-7 keeps an escape until it ends, and reads it again with each piece.
            text += decoder.decode(b"", final=True)
            decoder.reset()
        steps = (*steps, Encoded(data, text, codec))
        pending = decoder.getstate()[0]
        as_latin_1 = shown(text)
        if as_latin_1 != text or "\ufffd" in text:
            defects[f"not {codec}"] = None
        if not begun and text.startswith("\ufeff"):
            as_latin_1 = as_latin_1[1:]
            steps = (*steps, Removed([0], [1]))
        yield Decoded(as_latin_1, Segment(octets.lines.data, octets.lines.offset, octets.lines.line, steps))
