"""Plain text: a file read in chunks. UTF-16 is decoded, a byte order mark passed over."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterator
from typing import Any

from urlmend.sources.octets.offsets import Places, Segment
from urlmend.sources.octets.steps import Encoded
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.reader import CHUNK_SIZE

_SAMPLE = 64
"""How many bytes tell UTF-16 without a byte order mark: ASCII characters in it have every other byte 0."""


def texts(fileobj: Any, _wanted: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield *fileobj* in chunks; its `name`, where it has one, is the origin's source."""
    origin = Origin(source_name(fileobj))
    origin.noted = getattr(fileobj, "defects", ())
    data = fileobj.read(CHUNK_SIZE)
    offset = 0
    if isinstance(data, bytes):
        # A NUL is a sign of UTF-16: then more is needed to tell.
        while len(data) < (_SAMPLE if b"\0" in data else len(BOM_UTF8)) and (more := fileobj.read(CHUNK_SIZE)):
            data += more
        charset = _wide(data)
        if charset:
            yield from _decoded(data, fileobj, charset, origin)
            return
        if data.startswith(BOM_UTF8):
            offset = len(BOM_UTF8)
            data = data[offset:] or fileobj.read(CHUNK_SIZE)
    while data:
        yield Text(data, origin, offset)
        data = fileobj.read(CHUNK_SIZE)


def _wide(data: bytes) -> str | None:
    """Return which UTF-16 the text that begins with *data* is in; `None` for any other encoding."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16-le" if data.startswith(BOM_UTF16_LE) else "utf-16-be"
    sample = data[:_SAMPLE]
    if len(sample) >= _SAMPLE:
        for charset, high, low in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
            if not any(high) and all(low):
                return charset
    return None


def _decoded(data: bytes, fileobj: Any, charset: str, origin: Origin) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    decoder = getincrementaldecoder(charset)(errors="replace")
    places = Places()
    newline = "\n".encode(charset)
    offset, line = 0, 1
    kept = b""
    while data:
        text = decoder.decode(data)
        if text:
            # What the decoder keeps back for the next time belongs to that.
            octets = kept + data
            size = len(text.encode(charset, "surrogatepass"))
            if not offset and text[0] == "\ufeff":
                text = text[1:]
                octets, offset, size = octets[2:], 2, size - 2
            octets, kept = octets[:size], octets[size:]
            places.add(len(text), Segment(octets, offset, line, (Encoded(octets, text, charset),), newline))
            yield Text(text, origin, places=places)
            offset += size
            line += text.count("\n")
        else:
            kept += data
        data = fileobj.read(CHUNK_SIZE)
