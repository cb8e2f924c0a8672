"""Documents in files, messages and web archives: a page, a feed, XML, JSON or a script, each read as its type asks."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from urlmend.sources.body import FOLDED, SCRIPT_ESCAPE, Decoded, document, meant_by, text_of, without_escapes
from urlmend.sources.charsets import keeps_ascii
from urlmend.sources.compression import PeekableFile
from urlmend.sources.header import PLAIN
from urlmend.sources.origin import Origin, Prefilter, Span, Text
from urlmend.sources.places import Lines
from urlmend.sources.prose import prose
from urlmend.sources.reader import MAX_LINE
from urlmend.sources.recognise import markup
from urlmend.text.patterns import lazy_regex


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of *file*, a page, a feed or other XML, as it was recognised.

    The URLs in the attributes of a page or a feed come before the visible text. With *wanted*, text in which it finds
    nothing may be left out.
    """
    kind = str(file.recognised)
    is_page = kind == "html"
    for about, lines in document(file, "text/html", None) if is_page else document(file, "application/xml"):
        origin = Origin(file.name, content=None if kind == "xml" else about, defects=file.defects)
        pieces = text_of(lines if is_page else whole_tags(lines), about, file.defects)
        yield from texts_in(pieces, kind, origin, wanted, wanted and wanted.base, bound=file.markup)


def whole_tags(blocks: Iterable[Lines]) -> Iterator[Lines]:
    """Yield *blocks*, each cut after its last tag; what follows that comes with the next block."""
    held = None
    for block in blocks:
        lines = held.of(held.data + block.data) if held else block
        end = lines.data.rfind(b">") + 1
        held = None
        if len(lines.data) - end < MAX_LINE:
            lines, held = lines.part(0, end), lines.part(end)
        yield lines
    if held:
        yield held


def texts_in(  # noqa: PLR0913 -- a document, and how it is read
    pieces: Iterator[Decoded],
    kind: str,
    origin: Origin,
    wanted: Prefilter | None,
    base: str | None,
    *,
    bound: Callable[[Iterable[Decoded]], Iterator[Decoded]],
    spans: list[Span] | None = None,
) -> Iterable[Text]:
    """Return the texts of the body in *pieces*. The reader of its *kind*, a type or what `markup` returns, reads it.

    *base* is as in `Document`, *bound* is `PeekableFile.markup`, and *spans* is as in `prose`.
    """
    strings: Iterable[Text] = ()
    if kind == "feed":
        from urlmend.sources.feed import feed  # noqa: PLC0415 -- few messages have one

        return feed(bound(pieces), origin, wanted, base)
    if kind.endswith("html"):  # "text/x-amp-html" is one
        from urlmend.sources.html import Document  # noqa: PLC0415 -- few messages have HTML

        return Document(origin, wanted, base).texts(bound(pieces))
    if kind == "xml":
        from urlmend.sources.feed import without_entities  # noqa: PLC0415 -- few messages have XML

        pieces = without_entities(pieces)
    elif kind.endswith(("json", "jsonl")):
        from urlmend.sources.json import body  # noqa: PLC0415 -- few messages have JSON

        strings, pieces = body(pieces, origin, wanted, bound)
    elif kind.endswith("script"):
        pieces = without_escapes(pieces)
    return chain(strings, prose(pieces, origin.content or PLAIN, origin, wanted, spans))


IN_TAGS = ("feed", "xml")
"""The kinds of markup that are read as `feed` and `xml` do."""

# A document in UTF-16, or one that may declare a charset in which its characters look otherwise.
_HIDES = lazy_regex(rb"\0|(?i:charset|encoding)")
# An escape of JSON, or of a script: JSON that is not valid is read as a script.
_ESCAPE = lazy_regex(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_SECTION = lazy_regex(r"<!\[CDATA\[|\]\]>")


def has_nothing(data: bytes, media_type: str, charset: str | None, wanted: Prefilter | None) -> bool:
    """Return whether nothing *wanted* is in *data*, whose media type this is, and nothing that may hide it."""
    if wanted is None or wanted.base is not None:
        return False
    # A vCard may be in quoted-printable.
    if media_type in FOLDED or not keeps_ascii(charset) or _HIDES.search(data):
        return False
    text = data.decode("latin-1")
    if "\\" in text and "://" not in text and media_type.endswith(("json", "jsonl", "script")):
        as_script = SCRIPT_ESCAPE.sub(lambda escape: meant_by(escape[0]), text)
        text = f"{_ESCAPE.sub(_unescaped, text)}\n{as_script}"
    if ("&" in text or "]]>" in text) and markup(data, media_type) in IN_TAGS:
        from html import unescape  # noqa: PLC0415 -- few messages have a feed

        # The HTML in a feed is escaped.
        text += unescape(unescape(_SECTION.sub("", text)))
    from urlmend.sources.html import may_hold  # noqa: PLC0415 -- few messages have any

    return not may_hold(text, wanted)


def _unescaped(escape: re.Match[str]) -> str:
    """Return the character that *escape* means in JSON."""
    sign = escape[1]
    return meant_by(escape[0]) if len(sign) > 1 else {"n": "\n", "r": "\r", "t": "\t"}.get(sign, sign)
