"""The scanner for text in hand, and the matches of the texts of a file."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar, Unpack

from urlmend.match import Rejected, URLMatch
from urlmend.query import Query, TextOptions, query_of, shows
from urlmend.sources import Origin, Text
from urlmend.stream import SCANNED_AT_ONCE, StreamPart, StreamScanner


class Scanner:
    """Find URLs in text that comes in pieces (sans-IO): `feed` each piece, then `close`.

    All pieces are bytes, or all are str. The matches do not depend on how the text is cut, and no text raises an error.
    *join* says which URLs are mended: with `wrapped` those in wrappers and angle brackets, with `evident` (the default)
    also bare URLs if the evidence says that they continue on the next line, with `none` no URLs. *rejected* is called
    with each candidate that is not a URL under *profile*, a `Profile` or its name, `web` or `rfc1738`. *origin* becomes
    the origin of the matches. Matches with a confidence below *min_confidence* are left out; this does not change the
    others. *schemeless*, *addresses* and *refang* also look for host names without a scheme, mail addresses and
    defanged URLs.

    Raises `ValueError` for a *min_confidence* outside 0 to 1 and for an unknown *join* or *profile*.

    >>> scanner = Scanner()
    >>> [str(match) for match in scanner.feed("See <URL:http://a.exam") + scanner.feed("ple/b>.") + scanner.close()]
    ['http://a.example/b']
    """

    def __init__(
        self,
        *,
        rejected: Callable[[Rejected], object] | None = None,
        origin: Origin | None = None,
        **options: Unpack[TextOptions],
    ) -> None:
        self._query = query_of(options, TextOptions, source="text")
        self._rejected = rejected
        self._origin = origin or Origin()
        self._stream: StreamScanner | None = None
        self._closed = False

    def feed(self, chunk: bytes | str) -> list[URLMatch]:
        """Add the next piece of the text, and return the matches that are now certain, in order.

        Raises `TypeError` for a piece that is neither bytes nor str or not of the type of the first piece, and
        `ValueError` after `close`.
        """
        if self._closed:
            raise ValueError("this scanner is closed: make another one for another text")
        if not isinstance(chunk, (bytes, str)):
            raise TypeError(f"a scanner takes bytes or str, not {type(chunk).__name__}")
        binary = isinstance(chunk, bytes)
        if self._stream is None:
            self._stream = StreamScanner(self._query, self._origin, self._rejected, binary=binary)
        elif binary != self._stream.binary:
            raise TypeError("a scanner takes bytes or str, not both")
        return self._stream.feed(chunk)

    def close(self) -> list[URLMatch]:
        """End the text, and return the remaining matches."""
        self._closed = True
        stream, self._stream = self._stream, None
        return stream.close() if stream else []


shows(TextOptions, Scanner.__init__)


def match_batches(
    texts: Iterable[Text],
    query: Query,
    rejected: Callable[[Rejected], object] | None = None,
    *,
    places: bool = True,
) -> Iterator[list[URLMatch]]:
    """Yield lists of the URLs in *texts*, in order.

    If *texts* raises an error, the matches before it are yielded first. Without *places*, the positions of matches
    in the file are not worked out.
    """
    scanner = complete_scanner = first = error = None

    def reject(candidate: Rejected) -> None:
        if rejected and first:
            rejected(_placed(candidate, first, offsets=places))

    new_scanner = partial(StreamScanner, query, rejected=rejected and reject, numbered=places)
    try:
        for text in texts if query.header_fields else (text for text in texts if not text.origin.in_header):
            if scanner is None or first is None or text.origin is not first.origin:
                if scanner is not None:
                    yield _in_file(scanner.close(), first, offsets=places)
                    scanner = None
                first = text
                if text.whole and isinstance(text.data, str) and len(text.data) <= SCANNED_AT_ONCE:
                    complete_scanner = complete_scanner or new_scanner(text.origin, binary=False)
                    yield _in_file(complete_scanner.complete(text), text, offsets=places)
                    continue
                part = StreamPart(text.offset, text.line)
                scanner = new_scanner(text.origin, part=part, binary=isinstance(text.data, bytes))
            yield _in_file(scanner.feed(text.data), first, offsets=places)
    except Exception as broken:  # noqa: BLE001 -- it is raised below
        error = broken
    if scanner is not None:
        yield _in_file(scanner.close(), first, offsets=places)
    if error is not None:
        raise error


_Found = TypeVar("_Found", URLMatch, Rejected)


def _in_file(matches: list[URLMatch], text: Text | None, *, offsets: bool) -> list[URLMatch]:
    """Return *matches* with their places in the file (`_placed`). The text that they are in begins with *text*."""
    if text is None or not ((offsets and text.places) or text.zones or text.origin.attributes):
        return matches
    return [_placed(match, text, offsets=offsets) for match in matches]


def _placed(found: _Found, text: Text, *, offsets: bool) -> _Found:
    """Return *found* with its zone, its form, how the file has it and, if *offsets* are wanted, where.

    The text that it is in begins with *text*.
    """
    places = text.places if offsets else None
    if text.zones:
        found.origin = text.zones.at(found.start - text.offset)
        if isinstance(found, URLMatch):
            found.quoted = found.quoted or found.origin.quoted
    if found.origin.attributes:
        if found.origin.resolved:
            found.form = "resolved"
        elif found.form == "angle":
            found.form = "bare"  # only its text has the brackets
        if places:
            found.raw = places.written(found.start, found.raw)
    if places:
        found.start, found.end, found.line, found.column, found.exact = places.locate(found.start, found.end)
    return found
