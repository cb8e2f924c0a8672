"""HTML files by themselves."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from urlmend.sources.header import PLAIN
from urlmend.sources.html.document import html
from urlmend.sources.octets.decoding import text_of
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.reader import Reader

if TYPE_CHECKING:
    from urlmend.sources.octets.charsets import Defects

_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
META_WITHIN = 1024
"""How many bytes are searched for a `meta` element (HTML Standard, "prescan a byte stream")."""

_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.\-]{1,40})""", re.IGNORECASE)


def texts(fileobj: Any, _wanted: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the URLs of the attributes in the HTML file *fileobj*, and its visible text.

    The charset is that of the byte order mark, else what a `meta` element says, else UTF-8, or Latin-1 where it is not.
    """
    file = _Beginning(fileobj)
    reader = Reader(file)
    if reader.begin():
        while reader.limit - reader.pos < META_WITHIN and reader.grow():
            pass
        charset = file.charset or meta_charset(reader.data[reader.pos : reader.limit])
        defects: Defects = getattr(fileobj, "defects", {})
        origin = Origin(source_name(fileobj))
        origin.noted = defects
        origin.content = PLAIN._replace(type="text/html", charset=charset)
        pieces = text_of(reader.lines(()), "binary", charset, defects, from_quoted=False)
        yield from html(pieces, origin, defects)
    reader.close()


def meta_charset(beginning: bytes) -> str | None:
    """Return the charset that a `meta` element in the *beginning* of a document names."""
    meta = _META_CHARSET.search(beginning, 0, META_WITHIN)
    charset = meta[1].decode("ascii") if meta else None
    # What can be read as ASCII is in no UTF-16, whatever it says (HTML Standard 13.2.3.2).
    return "utf-8" if charset and charset.lower().startswith(("utf-16", "utf-32")) else charset


class _Beginning:
    """A file that tells the charset of its byte order mark, once something is read."""

    charset: str | None = None

    def __init__(self, file: Any) -> None:  # noqa: ANN401 -- any object with read(n)
        self._file = file
        self._begun = False

    def read(self, size: int, /) -> Any:  # noqa: ANN401 -- what the file gives
        data = self._file.read(size)
        while not self._begun and isinstance(data, bytes) and len(data) < max(map(len, _BOMS)):
            more = self._file.read(size)
            if not more:
                break
            data += more
        if not self._begun and isinstance(data, bytes):
            self._begun = True
            self.charset = next((name for mark, name in _BOMS.items() if data.startswith(mark)), None)
        return data
