"""Charsets: their names, and decoders that take any bytes, in pieces of any size.

Where no charset is declared, or an unknown one, each character of UTF-8 is read as such, and every other byte as
Latin-1. A line that is not in the declared charset is read in the same way.
"""

import re
from bisect import bisect_right
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE
from collections.abc import Iterator, Mapping
from encodings.aliases import aliases
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter

from urlmend.text.patterns import lazy_regex

Defects = dict[str, None]
"""What was broken in a file and how it was read, each once, in order."""

MAX_NAME = 64
"""The longest name of a charset that is looked up; the longest one registered with IANA has 45 characters."""

_NOT_CHARSETS = frozenset("base64_codec bz2_codec hex_codec mbcs quopri_codec rot_13 uu_codec zlib_codec".split())
_WITHOUT_ALIAS = "cp720 cp737 cp856 cp874 cp875 cp1006 koi8_t koi8_u utf_8_sig".split()
_CODECS = {*aliases.values(), *_WITHOUT_ALIAS} - _NOT_CHARSETS
"""The codecs of Python that are charsets."""

# Text that is declared as the first is mostly in the second, which includes it (Encoding Standard).
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932"}

# What Python's own names lack of those that are registered with IANA or that mail and pages have.
_LABELS = {
    "cnbig5": "big5",
    "cngb": "gb2312",
    "cp31j": "cp932",
    "eucpkdfmtjapanese": "euc_jp",
    "iso10646ucs2": "utf_16",
    "isoir149": "euc_kr",
    "isolatin9": "iso8859_15",
    "koi8": "koi8_r",
    "koi8ru": "koi8_u",
    "ksc56011989": "euc_kr",
    "mac": "mac_roman",
    "macukrainian": "mac_cyrillic",
    "ucs2": "utf_16",
    "unicode": "utf_16",
    "unicodefeff": "utf_16",
}

_SEPARATORS = lazy_regex(r"[^a-z0-9]+")
_AFFIXES = lazy_regex(r"^(?:cs|x)+|(?<=8859[68])[ei]$")


def _key(name: str) -> str:
    """Return what the spellings of a charset's *name* have in common."""
    return _AFFIXES.sub("", _SEPARATORS.sub("", name.lower())).replace("windows", "cp")


@cache
def _names() -> Mapping[str, str]:
    """Return the codec of each charset, by the `_key` of its names.

    A fixed table, because Python's own search imports modules by name and remembers each name that it does not find.
    """
    codecs = {codec: codec for codec in _CODECS} | aliases | _LABELS
    return {
        _key(name): _SUPERSETS.get(codec, codec).replace("utf_", "utf-").replace("latin_1", "latin-1")
        for name, codec in codecs.items()
        if codec in _CODECS
    }


_ESCAPING = frozenset(["hz", "utf-7", *(codec for codec in _CODECS if codec.startswith("iso2022"))])
"""Charsets with escape sequences. Each line begins in ASCII (RFC 1468, RFC 1843), however the line before it ended."""

_DESIGNATIONS = {"iso2022_kr": b"\x1b$)C"}
"""What stands once, before all lines of a text (RFC 1557)."""

_ASCII = bytes(range(128))
_ESCAPED = 0xDC00
"""The error handler `surrogateescape` adds this to each byte that cannot be decoded (PEP 383)."""


def codec_of(declared: str) -> str | None:
    """Return the name of Python's codec for the charset *declared*, or `None` if it is unknown.

    >>> [codec_of(label) for label in ("x-sjis", "Windows-31J", "ISO-8859-8-I", "csISOLatin9", "cs_unicode", "x")]
    ['cp932', 'cp932', 'iso8859_8', 'iso8859_15', 'utf-16', None]
    """
    return _codec_of(declared) if len(declared) <= MAX_NAME else None


@lru_cache(256)
def _codec_of(declared: str) -> str | None:
    return _names().get(_key(declared))


@cache
def is_unlike_ascii(codec: str) -> bool:
    """Return whether *codec* encodes ASCII characters and line ends as other bytes, as UTF-16 and EBCDIC do."""
    return b"ab" not in "ab".encode(codec)


def keeps_ascii(charset: str | None) -> bool:
    """Return whether each ASCII character of a text in *charset*, or in an unknown one, is the byte of this number."""
    codec = codec_of(charset or "") or "utf-8"
    return codec not in _ESCAPING and not is_unlike_ascii(codec)


UTF_16_MARKS = (BOM_UTF16_LE, BOM_UTF16_BE)
"""The byte order marks of UTF-16."""

UTF_16_SAMPLE = 64
"""How many bytes show UTF-16 without a byte order mark: every other byte of its ASCII characters is 0."""


def utf_16(data: bytes) -> str | None:
    """Return which UTF-16 the text that begins with *data* is in, or `None` for any other encoding."""
    if data.startswith(UTF_16_MARKS):
        return "utf-16-le" if data.startswith(BOM_UTF16_LE) else "utf-16-be"
    sample = data[:UTF_16_SAMPLE]
    if len(sample) >= UTF_16_SAMPLE:
        for charset, high, low in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
            if not any(high) and all(low):
                return charset
    return None


def with_byte_order(codec: str, data: bytes) -> str:
    """Return *codec* with the byte order that a mark at the start of *data* gives it, little-endian without a mark.

    A mark of UTF-16 outweighs what is declared, as in browsers, but text in other charsets, which may begin with the
    characters of these bytes, has no NUL. Text in ASCII is never in UTF-16 or EBCDIC.
    """
    if data.startswith(UTF_16_MARKS) and not codec.startswith("utf-32") and (codec == "utf-8" or b"\0" in data):
        codec = "utf-16"
    if is_unlike_ascii(codec) and data.isascii() and b"\0" not in data:
        return "utf-8"
    if codec not in {"utf-16", "utf-32"}:
        return codec
    mark = BOM_UTF16_BE if codec == "utf-16" else BOM_UTF32_BE
    return f"{codec}_be" if mark.startswith(data[: len(mark)]) else f"{codec}_le"


def error_handler(codec: str) -> str:
    """Return the name of the handler with which *codec* decodes any bytes and encodes any text."""
    return "surrogateescape" if codec == "utf-8" else "replace"


def with_latin_1(text: str, data: bytes) -> str:
    """Return *text*, decoded from *data*, with Latin-1 characters for the bytes that could not be decoded."""
    for byte in set(data.translate(None, _ASCII)):
        text = text.replace(chr(_ESCAPED + byte), chr(byte))
    return text


_SAME = bytes({*b" \t\r\n", *range(0x21, 0x7E)} - {*b"+\\"})
"""Bytes that begin no escape and are the same in each charset that includes ASCII."""


def decode_lines(data: bytes, codec: str, defects: Defects) -> Iterator[tuple[bytes, str, str]]:
    """Decode the lines of *data*: yield the bytes, text and codec of those that have the same one.

    The text has a lone surrogate for each byte that is not in the charset.
    """
    decoded = [] if codec in _ESCAPING else [_decoded(data, codec, defects)]
    if not decoded or decoded[0][0] != codec:
        decoded = []
        for line in LINE.findall(data):
            # A blank line between others must not make pieces of them.
            if decoded and not line.translate(None, _SAME):
                decoded.append((decoded[-1][0], line, line.decode("ascii")))
            else:
                decoded.append(_decoded(line, codec, defects))
    for used, some in groupby(decoded, itemgetter(0)):
        _, its_data, texts = zip(*some, strict=True)
        yield b"".join(its_data), "".join(texts), used


def _decoded(data: bytes, codec: str, defects: Defects) -> tuple[str, bytes, str]:
    try:
        return codec, data, (_DESIGNATIONS.get(codec, b"") + data).decode(codec)
    except UnicodeError:
        defects[f"not {codec}"] = None
        return "utf-8", data, data.decode("utf-8", "surrogateescape")


LINE = lazy_regex(rb"[^\n]*+\n|[^\n]++")
"""A line of bytes with its LF, which the last one may lack."""


class CharsetStep:
    """Maps positions in decoded *text* back to the bytes *data*; *codec* is Python's name for the charset."""

    __slots__ = ("_codec", "_data", "_errors", "_known", "_rows", "_text")

    def __init__(self, data: bytes, text: str, codec: str) -> None:
        self._data = data
        self._text = text
        self._codec = codec
        self._errors = error_handler(codec)
        # Where the lines begin, in the text and in the bytes; some charsets encode a text in one way only.
        self._rows = _ONE_ROW if codec == "utf-8" or is_unlike_ascii(codec) else None
        self._known = (0, 0)  # a character and its place: the next one to be located is mostly after it

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return the exact bytes if encoding the characters gives the same ones, else the lines that hold them."""
        if self._rows is None:
            self._rows = self._line_starts()
        in_text, in_data = self._rows
        row = bisect_right(in_text, start) - 1
        known, place = self._known
        if not in_text[row] <= known <= start:
            known, place = in_text[row], in_data[row]
        first = place + len(self._text[known:start].encode(self._codec, self._errors))
        self._known = start, first
        octets = self._text[start:end].encode(self._codec, self._errors)
        if self._data.startswith(octets, first):
            return first, first + len(octets), True
        last = max(row, bisect_right(in_text, end - 1) - 1)
        return in_data[row], in_data[last] + 1, False

    def _line_starts(self) -> tuple[list[int], list[int]]:
        in_text = [0, *(end.end() for end in re.finditer("\n", self._text))]
        in_data = [0, *(end.end() for end in re.finditer(b"\n", self._data))]
        # In some charsets a line end has no LF byte, or an LF byte ends no line. The rest counts as the last line.
        count = min(len(in_text), len(in_data))
        return in_text[:count], in_data[:count]


_ONE_ROW = [0], [0]
