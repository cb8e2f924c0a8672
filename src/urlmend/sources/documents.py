"""The texts of a document in a message or a web archive: the reader of its type reads it."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from urlmend.sources.body import Decoded, without_escapes
from urlmend.sources.header import PLAIN
from urlmend.sources.origin import Origin, Prefilter, Span, Text
from urlmend.sources.prose import prose


def texts_in(  # noqa: PLR0913 -- a document, and how it is read
    pieces: Iterator[Decoded],
    kind: str,
    origin: Origin,
    wanted: Prefilter | None,
    base: str | None,
    *,
    bound: Callable[[Iterable[Decoded]], Iterator[Decoded]],
    spans: list[Span] | None,
) -> Iterable[Text]:
    """Return the texts of the body in *pieces*. The reader of its *kind*, a type or what `markup` returns, reads it.

    *base* is as in `Document`, *bound* is `PeekableFile.markup`, and *spans* is as in `prose`.
    """
    strings: Iterable[Text] = ()
    if kind == "feed":
        from urlmend.sources.feed import feed  # noqa: PLC0415 -- few messages have one

        return feed(bound(pieces), lambda _: origin, wanted, base)
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
