"""Charsets: their names, and bytes decoded in them so that nothing is fatal and nothing depends on how bytes are cut.

What decides in a part that says nothing, or something unknown: each character that is UTF-8 is read as such, and each
other byte as Latin-1. A declared charset decides a line at a time: a line that is not in it is read in that same way.
"""

import codecs
import re
from codecs import BOM_UTF16_BE, BOM_UTF32_BE
from collections.abc import Iterator, Mapping
from encodings.aliases import aliases
from typing import Final, NamedTuple

Defects = dict[str, None]
"""What was broken, each once, in the order in which it was met."""

MAX_NAME = 64
"""The longest name of a charset that is looked up; the longest registered with IANA has 45 characters."""

# The codecs of Python that are charsets. Others (`idna`, `punycode`, `zlib`) are none, and some of them are slow.
_CODECS = frozenset(
    "ascii big5 big5hkscs cp037 cp273 cp424 cp437 cp500 cp720 cp737 cp775 cp850 cp852 cp855 cp856 cp857 cp858 cp860 "
    "cp861 cp862 cp863 cp864 cp865 cp866 cp869 cp874 cp875 cp932 cp949 cp950 cp1006 cp1026 cp1125 cp1140 cp1250 cp1251 "
    "cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 euc_jp euc_jis_2004 euc_jisx0213 euc_kr gb2312 gbk gb18030 hz "
    "iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3 iso2022_jp_ext iso2022_kr latin_1 iso8859_2 "
    "iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 iso8859_10 iso8859_11 iso8859_13 iso8859_14 "
    "iso8859_15 iso8859_16 johab koi8_r koi8_t koi8_u kz1048 mac_cyrillic mac_greek mac_iceland mac_latin2 mac_roman "
    "mac_turkish ptcp154 shift_jis shift_jis_2004 shift_jisx0213 tis_620 utf_32 utf_32_be utf_32_le utf_16 utf_16_be "
    "utf_16_le utf_7 utf_8 utf_8_sig".split()
)

# What is called by the first name is mostly of the second, which has all of it (Encoding Standard).
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932"}

_NAMES: Final[Mapping[str, str]] = {
    name: _SUPERSETS.get(codec, codec).replace("utf_", "utf-").replace("latin_1", "latin-1")
    for name, codec in [*((codec, codec) for codec in _CODECS), *aliases.items(), ("iso8859_1", "latin_1")]
    if codec in _CODECS
}
"""The codec of each name of a charset, in lower case with `_` for what is no letter or digit.

A fixed table: Python's own search imports modules by name, and remembers each name that it does not find.
"""

_ESCAPING = frozenset(["hz", "utf-7", *(codec for codec in _CODECS if codec.startswith("iso2022"))])
"""Charsets with escape sequences. A line begins in ASCII (RFC 1468, RFC 1843), whatever the line before has left."""

_NO_WORD = re.compile(r"[^a-z0-9]+")
_OCTETS = "urlmend-octets"
_UNDECODED = re.compile("[\udc80-\udcff]+")


def _as_octets(error: UnicodeError) -> tuple[str | bytes, int]:
    """Handle what cannot be decoded: bytes become lone surrogates, each one character, and these become bytes again."""
    if isinstance(error, UnicodeDecodeError):
        octets = error.object[error.start : error.end]
        return "".join(chr(octet if octet < 0x80 else 0xDC00 + octet) for octet in octets), error.end  # noqa: PLR2004
    if isinstance(error, UnicodeEncodeError):
        undecoded = _UNDECODED.match(error.object, error.start, error.start + 1)
        return undecoded[0].encode(errors="surrogateescape") if undecoded else b"?", error.start + 1
    raise error


codecs.register_error(_OCTETS, _as_octets)


class Stretch(NamedTuple):
    """The bytes from *start* to *end*, decoded with *codec*; `text` has a lone surrogate for each that is not in it.

    Where it is `clean`, there is none.
    """

    start: int
    end: int
    text: str
    codec: str
    clean: bool = False


def codec_of(declared: str) -> str | None:
    """Return the name of Python's codec for the charset *declared*, or `None` where it is unknown."""
    if len(declared) > MAX_NAME:
        return None
    return _NAMES.get(_NO_WORD.sub("_", declared.lower()).strip("_"))


def declared_codec(declared: str | None, defects: Defects) -> str:
    """Return the codec for text in the charset *declared*: UTF-8 where none is, or ASCII, or an unknown one."""
    codec = codec_of(declared) if declared is not None else "ascii"
    if codec is None:
        defects[f"unknown charset {str(declared)[:MAX_NAME]!r}"] = None
    return "utf-8" if codec in {None, "ascii"} else str(codec)


def is_wide(codec: str) -> bool:
    """Tell whether a character of *codec* has two bytes or four, so that line ends are not single bytes."""
    return codec.startswith(("utf-16", "utf-32"))


def with_byte_order(codec: str, data: bytes) -> str:
    """Return the codec with its byte order: what the mark in *data* says, else little-endian."""
    if codec not in {"utf-16", "utf-32"}:
        return codec
    mark = BOM_UTF16_BE if codec == "utf-16" else BOM_UTF32_BE
    return f"{codec}_be" if mark.startswith(data[: len(mark)]) else f"{codec}_le"


def handler(codec: str) -> str:
    """Return the name of the error handler with which *codec* decodes any bytes and gives them back."""
    if codec == "utf-8":
        return "surrogateescape"
    return "replace" if is_wide(codec) else _OCTETS


def shown(text: str) -> str:
    """Return *text* with the Latin-1 characters of the bytes that could not be decoded."""
    if text.isascii():
        return text
    try:
        text.encode()  # ten times as fast as a search
    except UnicodeEncodeError:
        # `translate` with a table takes ten times as long: it looks up each character.
        return _UNDECODED.sub(lambda some: some[0].encode(errors="surrogateescape").decode("latin-1"), text)
    return text


def encoded(text: str, codec: str) -> bytes:
    """Return the bytes of a stretch of text that was decoded with *codec*, as far as can be told."""
    if codec == "utf-8" and text.isascii():
        return text.encode("ascii")
    return text.encode(codec, "surrogatepass" if is_wide(codec) else _OCTETS)


def decode_lines(data: bytes, codec: str, defects: Defects) -> Iterator[Stretch]:
    """Decode whole lines; consecutive ones in the same charset are one stretch."""
    if codec not in _ESCAPING:
        try:
            text = data.decode(codec)
        except UnicodeError:
            defects[f"not {codec}"] = None
        else:
            yield Stretch(0, len(data), text, codec, clean=True)
            return
    if codec == "utf-8":
        yield Stretch(0, len(data), data.decode(codec, "surrogateescape"), codec)
        return
    start = end = 0
    texts: list[str] = []
    current = codec
    for line in _lines(data):
        try:
            text, used = line.decode(codec), codec
        except UnicodeError:
            defects[f"not {codec}"] = None
            text, used = line.decode("utf-8", "surrogateescape"), "utf-8"
        if used != current and texts:
            yield Stretch(start, end, "".join(texts), current)
            start, texts = end, []
        current = used
        texts.append(text)
        end += len(line)
    if texts:
        yield Stretch(start, end, "".join(texts), current)


def _lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines of *data*, which end with LF."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end
