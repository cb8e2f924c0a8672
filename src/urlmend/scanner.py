"""From text to matches: the candidates of a stream are resolved, and given out when later text cannot change them."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from urlmend.grammar.profiles import WEB, Profile
from urlmend.match import Rejected, URLMatch
from urlmend.query import Join, Query
from urlmend.resolver import Resolver
from urlmend.scan.candidate import Candidate
from urlmend.scan.candidates import BLOCK_SIZE, WHOLE_STREAM, CandidateScanner, Stretch
from urlmend.sources import Origin, Text

if TYPE_CHECKING:
    from urlmend.sources.octets.offsets import Places


class Scanner:
    """Finds URLs in text that comes in pieces (sans-IO): `feed` each piece, then `close`.

    All pieces are bytes or all are str. What is found does not depend on how the text is cut. No input text raises.
    *join* says what is mended: `wrapped` only URLs in wrappers and angles, `evident` (the default) bare URLs too where
    the evidence says that they go on in the next line, `none` nothing. *rejected* is called with each candidate that is
    no URL under *profile*, and *origin* is what the matches say of where the text comes from. URLs with a confidence
    below *min_confidence* are left out; the others are read as they would be with them. One outside 0 to 1 and an
    unknown *join* raise `ValueError`.

    >>> scanner = Scanner()
    >>> [str(match) for match in scanner.feed("See <URL:http://a.exam") + scanner.feed("ple/b>.") + scanner.close()]
    ['http://a.example/b']
    """

    def __init__(  # noqa: PLR0913 -- each is asked for by name
        self,
        *,
        profile: Profile = WEB,
        join: Join = "evident",
        rejected: Callable[[Rejected], object] | None = None,
        origin: Origin | None = None,
        min_confidence: float = 0.0,
        schemeless: bool = False,
        addresses: bool = False,
        refang: bool = False,
    ) -> None:
        self._query = Query("text", profile, join, min_confidence, schemeless, addresses, refang)
        self._rejected = rejected
        self._origin = origin or Origin()
        self._stream: StreamScanner | None = None
        self._closed = False

    def feed(self, chunk: bytes | str) -> list[URLMatch]:
        """Take the next piece and return the matches that are now certain, in order.

        Raises `TypeError` for a piece that is neither bytes nor str, or not of the type of the pieces before, and
        `ValueError` behind `close`.
        """
        if self._closed:
            message = "this scanner is closed: make another one for another text"
            raise ValueError(message)
        if not isinstance(chunk, (bytes, str)):
            message = f"a scanner takes bytes or str, not {type(chunk).__name__}"
            raise TypeError(message)
        binary = isinstance(chunk, bytes)
        if self._stream is None:
            self._stream = StreamScanner(self._query, self._origin, self._rejected, binary=binary)
        elif binary != self._stream.binary:
            message = "a scanner takes bytes or str, not both"
            raise TypeError(message)
        return self._stream.feed(chunk)

    def close(self) -> list[URLMatch]:
        """Return the matches left at the end of the text; nothing more can be fed."""
        self._closed = True
        stream, self._stream = self._stream, None
        return stream.close() if stream else []


class StreamScanner:
    """Finds the URLs of one text, or of a *stretch* of it."""

    def __init__(
        self,
        query: Query,
        origin: Origin,
        rejected: Callable[[Rejected], object] | None = None,
        stretch: Stretch = WHOLE_STREAM,
        *,
        binary: bool,
    ) -> None:
        self.binary = binary
        self.candidates = CandidateScanner(origin, query, stretch, binary=binary)
        self._resolver = Resolver(query, origin, rejected, binary=binary)
        self._min_confidence = query.min_confidence
        self.last_end = 0
        """The end of the last match: what starts before is part of it."""

    def feed(self, chunk: bytes | str) -> list[URLMatch]:
        """Take the next piece and return the matches that are now certain, in order."""
        return self._resolved(self.candidates.feed(chunk))

    def close(self) -> list[URLMatch]:
        """Return the matches left at the end of the text."""
        return self._resolved(self.candidates.close())

    def whole(self, text: Text) -> list[URLMatch]:
        """Return the matches of *text*, of characters, which is all in hand and a text of its own."""
        self.last_end = 0
        self._resolver.origin = text.origin
        return self._resolved(self.candidates.whole(text))

    def _resolved(self, found: Iterable[Candidate | URLMatch]) -> list[URLMatch]:
        matches = []
        for one in found:
            if one.start < self.last_end:
                continue
            match = one if isinstance(one, URLMatch) else self._resolver.match(one)
            if match is not None:
                self.last_end = match.end
                if match.confidence >= self._min_confidence:
                    matches.append(match)
        return matches


def match_batches(
    texts: Iterable[Text],
    query: Query,
    rejected: Callable[[Rejected], object] | None = None,
    *,
    places: bool = True,
) -> Iterator[list[URLMatch]]:
    """Yield the URLs in *texts*, in order, those together that are certain at once.

    An `OSError` of *texts* passes through once all before it is given out. Without *places* nobody needs to know
    where in the file the URLs are.
    """
    scanner = origin = offsets = error = None
    whole_scanner = StreamScanner(query, Origin(), rejected, binary=False)
    try:
        for text in texts:
            if scanner is None or text.origin is not origin:
                if scanner is not None:
                    yield _in_file(scanner.close(), offsets)
                    scanner = None
                origin, offsets = text.origin, text.places if places else None
                in_hand = text.whole and isinstance(text.data, str) and len(text.data) <= BLOCK_SIZE
                if in_hand and (offsets is None or rejected is None):
                    yield _in_file(whole_scanner.whole(text), offsets)
                    continue
                told = rejected if offsets is None else _telling(rejected, offsets)
                stretch = Stretch(text.offset, text.line)
                scanner = StreamScanner(query, origin, told, stretch, binary=isinstance(text.data, bytes))
            yield _in_file(scanner.feed(text.data), offsets)
    except OSError as broken:
        error = broken
    if scanner is not None:
        yield _in_file(scanner.close(), offsets)
    if error is not None:
        raise error


def _telling(rejected: Callable[[Rejected], object] | None, offsets: "Places") -> Callable[[Rejected], object] | None:
    return rejected and (lambda candidate: rejected(_placed(candidate, offsets)))


def _in_file(matches: list[URLMatch], offsets: "Places | None") -> list[URLMatch]:
    """Return *matches* of a decoded text with their places in its file."""
    return matches if offsets is None else [_placed(match, offsets) for match in matches]


_Found = TypeVar("_Found", URLMatch, Rejected)


def _placed(found: _Found, offsets: "Places") -> _Found:
    """Put *found*, which nobody has seen yet, in its place."""
    found.start, found.end, found.line, found.column, found.exact = offsets.locate(found.start, found.end)
    return found
