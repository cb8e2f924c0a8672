"""From text to URLs: candidates are joined, judged, and given out with their place and their readings."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from urlmend.grammar.parser import accepts, parse_or_none
from urlmend.grammar.profiles import WEB, Profile
from urlmend.grammar.urls import URL
from urlmend.match import Rejected, URLMatch, mended, whole
from urlmend.mend import continuation, joining, readings
from urlmend.mend.history import History
from urlmend.mend.readings import Reading
from urlmend.scan import termination, triggers
from urlmend.scan.candidate import Candidate
from urlmend.scan.candidates import CandidateScanner
from urlmend.scan.delimiters import LOOKAHEAD, MAX_URL_LENGTH, MOST_LEFT, as_view, decoded
from urlmend.scan.glance import Glance
from urlmend.scan.torn import stable
from urlmend.sources import Origin, Text, iter_texts, open_source
from urlmend.sources.offsets import Place

if TYPE_CHECKING:
    from urlmend.sources.offsets import Places

Join = Literal["wrapped", "evident", "none"]
JOINS: tuple[Join, ...] = ("wrapped", "evident", "none")


# Quoted-printable (RFC 2045 section 6.7), in text that was not decoded.
_ESCAPED_OCTET = re.compile("=([2-7][0-9A-F])")


_SCHEME_ALONE = re.compile("[^:]*:/*")


def check_join(join: str) -> None:
    """Raise `ValueError` where *join* is no way of joining."""
    if join not in JOINS:
        message = f"join must be one of {', '.join(JOINS)}, not {join!r}"
        raise ValueError(message)


class Readable(Protocol):
    """A file object: all that is asked of it is `read(n)`, returning bytes or str, empty at the end."""

    def read(self, n: int, /) -> bytes | str: ...  # noqa: D102


class Scanner:
    """Finds URLs in text that comes in pieces (sans-IO): `feed` each piece, then `close`.

    All pieces are bytes or all are str. What is found does not depend on how the text is cut. Content never raises.
    *join* says what is mended: `wrapped` only what stands in wrappers and angles, `evident` (the default) bare URLs
    too where the evidence says that they go on in the next line, `none` nothing. *rejected* is called with each
    candidate that is no URL under *profile*, and *origin* is what the matches say of where the text comes from.
    *history* is what is known of the URLs of the same stream, for a scanner that goes on with it.
    *offset* and *line* are those of the text's first character, for a text that begins inside a file.

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
        history: History | None = None,
        offset: int = 0,
        line: int = 1,
    ) -> None:
        check_join(join)
        self._profile = profile
        self._join = join
        self._ascii_only = "ucschar" not in profile.rules
        self._rejected = rejected
        self._origin = origin or Origin()
        self._history = history or History()
        self._offset = offset
        self._line = line
        self._candidates: CandidateScanner | None = None
        self._binary = False
        self._taken = 0  # the end of the last match: what starts before it is part of it

    def feed(self, chunk: bytes | str) -> list[URLMatch]:
        """Take the next piece and return the matches that are now certain, in order."""
        binary = not isinstance(chunk, str)
        if self._candidates is None:
            self._binary = binary
            self._candidates = CandidateScanner(
                binary=binary,
                ascii_only=self._ascii_only,
                origin=self._origin if self._profile is WEB else None,
                offset=self._offset,
                line=self._line,
            )
        elif binary != self._binary:
            message = "a scanner takes bytes or str, not both"
            raise TypeError(message)
        self._resolve_all(self._candidates.feed(chunk))
        return self._history.decided(self._candidates.position)

    def close(self) -> list[URLMatch]:
        """Return the matches left at the end of the text."""
        if self._candidates is not None:
            candidates, self._candidates = self._candidates, None
            self._resolve_all(candidates.close())
        self._taken = 0
        return self._history.decided()

    def _resolve_all(self, candidates: Iterable[Candidate | list[URLMatch] | tuple[URLMatch, ...]]) -> None:
        for candidate in candidates:
            if isinstance(candidate, list):
                matches = candidate
                if matches[0].start < self._taken:
                    matches = [match for match in matches if match.start >= self._taken]
                if matches:
                    self._taken = matches[-1].end
                    self._history.add_plain(matches)
            elif isinstance(candidate, tuple):
                for one in candidate:
                    if one.start < self._taken:
                        continue
                    if self._join == "none" and one.mended:
                        self._reject_torn(one)
                        continue
                    self._taken = one.end
                    self._history.add(one, plain=True)
            elif candidate.start >= self._taken and (match := self._resolve(candidate)) is not None:
                self._taken = match.end
                self._history.add(match)

    def _resolve(self, candidate: Candidate) -> URLMatch | None:
        """Join and judge *candidate*; `None` where it is no URL."""
        raw = candidate.raw if candidate.raw.isascii() else self._shown(candidate.raw)
        if candidate.too_long:
            return self._reject(candidate, raw, raw)
        if candidate.form in ("wrapper", "angle"):
            if readings.VISIBLE.fullmatch(raw) and len(raw) <= MAX_URL_LENGTH:
                return self._whole(candidate, raw)
            return self._resolve_wrapped(candidate, raw)
        joined = self._resolve_joined(candidate) if candidate.stop and self._join == "evident" else None
        return joined or self._resolve_bare(candidate, raw)

    def _resolve_bare(self, candidate: Candidate, raw: str) -> URLMatch | None:
        # A scheme with nothing behind it claims to be no URL.
        if _SCHEME_ALONE.fullmatch(raw):
            return None
        if continuation.SOFT_HYPHEN not in raw or self._join != "evident":
            return self._whole(candidate, raw)
        reading = self._without_soft_hyphens(raw, candidate.before[-1:])
        if reading is None:
            return None
        parts = parse_or_none(reading.text, self._profile)
        if parts is None:
            return self._reject(candidate, raw, reading.text)
        return self._match(candidate, reading, parts, candidate.raw, self._with_decoded((reading.text,)))

    def _whole(self, candidate: Candidate, raw: str) -> URLMatch | None:
        """Return the match of *candidate*, which stands in one piece, *raw*."""
        if not accepts(raw, self._profile):
            return self._reject(candidate, raw, raw)
        match = whole(
            raw,
            candidate.start,
            candidate.line,
            candidate.column,
            candidate.form,
            self._shown(candidate.trimmed),
            candidate.left,
            self._profile,
            self._origin,
        )
        if raw is not candidate.raw:
            object.__setattr__(match, "end", candidate.start + len(candidate.raw))
        if "=3D" in raw:
            object.__setattr__(match, "readings", self._with_decoded((raw,)))
        return match

    def _resolve_wrapped(self, candidate: Candidate, raw: str) -> URLMatch | None:
        if candidate.text and self._join != "none" and (match := self._mended(candidate)):
            return match
        torn = readings.wrapped(raw, candidate.leader)
        if self._join == "none" and torn.gaps:
            return self._reject(candidate, raw, raw)
        parsed = [
            (reading, parts)
            for reading in readings.readings(torn)
            if (parts := parse_or_none(reading.text, self._profile)) is not None and len(reading.text) <= MAX_URL_LENGTH
        ]
        if not parsed:
            return self._reject(candidate, raw, "".join(torn.parts))
        reading, parts = parsed[0]
        texts = tuple(dict.fromkeys(reading.text for reading, _ in parsed))
        return self._match(candidate, reading, parts, candidate.raw, self._with_decoded(texts), tuple(parsed))

    def _mended(self, candidate: Candidate) -> URLMatch | None:
        """Return the match of *candidate*, a torn one in brackets, if it is easy to tell that all readings are URLs."""
        text = candidate.text
        if candidate.column > MOST_LEFT or "=3D" in text:
            return None
        hyphen = readings.HYPHEN_AT_LINE_END.search(candidate.raw)
        if hyphen is None:
            if not accepts(text, self._profile):
                return None
        elif (
            self._profile is not WEB
            or not (shape := stable().fullmatch(text))
            or not candidate.raw.startswith(shape[1], 0, hyphen.start())
        ):
            return None
        return mended(
            text,
            candidate.start,
            candidate.line,
            candidate.column,
            candidate.form,
            "",
            candidate.left,
            candidate.raw,
            self._profile,
            self._origin,
        )

    def _resolve_joined(self, candidate: Candidate) -> URLMatch | None:
        """Return the match of a bare URL joined with the next lines, or `None` where it ends with its own."""
        run = candidate.raw + candidate.trimmed
        if continuation.ends_here(candidate.view, candidate.stop, candidate.stop + LOOKAHEAD):
            return None
        # Evidence is of characters: a byte of one may look like a letter or a blank.
        run, before, after = map(self._decoded, (run, candidate.before, candidate.after))
        torn, reach = joining.bare(run, before, after, candidate.leader)
        # What goes on where nothing more is seen would be cut short.
        if not reach or (reach == len(after) and len(candidate.after) == LOOKAHEAD):
            return None
        last = len(torn.parts[-1].replace(continuation.SOFT_HYPHEN, ""))
        torn = readings.without_soft_hyphens(torn)
        parsed = []
        joined = run + after[:reach]
        ascii_only = joined.isascii()
        for reading in readings.readings(torn):
            cut = self._cut(reading, candidate.before[-1:])
            if len(reading.text) - cut < last:
                text = reading.text[:cut]
                parts = parse_or_none(text, self._profile)
                if parts is not None:
                    breaks = tuple(item for item in reading.breaks if item.at < cut)
                    size = cut + sum(len(item.removed) for item in breaks)
                    if not ascii_only:
                        breaks = tuple(item._replace(removed=self._shown(self._view(item.removed))) for item in breaks)
                    parsed.append((Reading(text, breaks), parts, size))
        if not parsed:
            return None
        reading, parts, size = parsed[0]
        texts = [reading.text for reading, _, _ in parsed]
        unjoined = self._shown(candidate.raw).replace(continuation.SOFT_HYPHEN, "")
        if accepts(unjoined, self._profile):
            texts.append(unjoined)
        raw = self._view(joined[:size])
        undecided = tuple((reading, parts) for reading, parts, _ in parsed)
        match = self._match(candidate, reading, parts, raw, self._with_decoded(dict.fromkeys(texts)), undecided)
        return replace(match, trimmed=self._shown(self._view(joined[size:])))

    def _without_soft_hyphens(self, raw: str, before: str) -> Reading | None:
        """Return *raw*, a bare URL, without its soft hyphens; `None` where without them it would not be found."""
        reading = next(readings.readings(readings.without_soft_hyphens(readings.Fragments((raw,), ()))))
        shape = triggers.trigger().match(reading.text, reading.text.index(":"), len(reading.text))
        return reading if shape and self._cut(reading, before) == len(reading.text) else None

    def _cut(self, reading: Reading, before: str) -> int:
        colon = reading.text.index(":")
        text = reading.text
        return termination.extent(text, 0, colon, len(text), before=before, ascii_only=self._ascii_only).end

    def _match(  # noqa: PLR0913, PLR0917 -- one argument a thing that differs
        self,
        candidate: Candidate,
        reading: Reading,
        parts: URL,
        view: str,
        readings: tuple[str, ...],
        undecided: tuple[tuple[Reading, URL], ...] = (),
    ) -> URLMatch:
        return URLMatch(
            url=reading.text,
            start=candidate.start,
            end=candidate.start + len(view),
            raw=self._shown(view),
            line=candidate.line,
            column=candidate.column,
            form=candidate.form,
            readings=readings,
            breaks=reading.breaks,
            trimmed=self._shown(candidate.trimmed),
            profile=self._profile,
            origin=self._origin,
            undecided=undecided if len(undecided) > 1 else (),
            left=candidate.left[:MOST_LEFT],
            _parts=parts,
        )

    def _with_decoded(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return *texts*, with the decoded form as another reading where the first has remains of quoted-printable."""
        readings = tuple(texts)
        if "=3D" in readings[0]:
            mended = _ESCAPED_OCTET.sub(lambda match: chr(int(match[1], 16)), readings[0])
            if mended not in readings and accepts(mended, self._profile):
                return (*readings, mended)
        return readings

    def _reject(self, candidate: Candidate, raw: str, text: str) -> URLMatch | None:
        """Tell of *candidate*, which is no URL, if somebody asks for such; there is no match."""
        if self._rejected is not None:
            end = candidate.start + len(candidate.raw)
            place = (candidate.start, end, candidate.line, candidate.column)
            self._rejected(Rejected(text, raw, *place, candidate.form, self._profile, self._origin))
        return None

    def _reject_torn(self, match: URLMatch) -> None:
        if self._rejected is not None:
            place = (match.start, match.end, match.line, match.column)
            self._rejected(Rejected(match.raw, match.raw, *place, match.form, self._profile, self._origin))

    def _shown(self, view: str) -> str:
        """Return a stretch of the scanner's view, which for a binary stream has one character a byte, as text."""
        if not self._binary or view.isascii():
            return view
        return view.encode("latin-1").decode(errors="replace")

    def _decoded(self, view: str) -> str:
        """Return a stretch of the view as text of which `_view` makes the same stretch again."""
        return decoded(view) if self._binary else view

    def _view(self, text: str) -> str:
        return as_view(text) if self._binary else text


def iter_urls(
    fileobj: Readable | PathLike[str],
    *,
    source: str | Callable[[Readable], Iterable[Text]] = "auto",
    profile: Profile = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
) -> Iterator[URLMatch]:
    r"""Yield the URLs in *fileobj*, in order and as they are read.

    *fileobj* needs `read(n)` only, binary or text; or it is the path of a file or directory. *source* names what the
    file is (a key of `SOURCES`; `auto`: what its beginning shows), or is a function from the file to `Text` pieces, as
    in `iter_texts`. *profile*, *join* and *rejected* are as in `Scanner`. Memory is bounded whatever the input.
    Content never raises; errors of `read` pass through once all that was read is given out, `CompressionError`, an
    `OSError`, of a broken compressed file too, and an unknown *source* or *join* raises `ValueError`.

    >>> import io
    >>> [str(match) for match in iter_urls(io.BytesIO(b"as in <URL:ftp://a.example/pub/b;\n  type=d>."))]
    ['ftp://a.example/pub/b;type=d']
    """
    check_join(join)
    open_source(source)  # an unknown name is told now, not when the first URL is asked for
    glance = Glance(profile)
    texts = iter_texts(fileobj, source, sign=glance)
    return urls_of(texts, profile=profile, join=join, rejected=rejected, glance=glance)


def urls_of(  # noqa: PLR0913 -- each is asked for by name
    texts: Iterable[Text],
    *,
    profile: Profile = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
    history: History | None = None,
    glance: Glance | None = None,
) -> Iterator[URLMatch]:
    """Yield the URLs in *texts*, in order; the rest is as in `iter_urls`, and *history* as in `Scanner`.

    Of the texts that *glance* takes from the source of *texts*, it has the URLs.
    """
    for matches in match_batches(texts, profile=profile, join=join, rejected=rejected, history=history, glance=glance):
        yield from matches


def match_batches(  # noqa: PLR0913 -- as above
    texts: Iterable[Text],
    *,
    profile: Profile = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
    history: History | None = None,
    glance: Glance | None = None,
) -> Iterator[list[URLMatch]]:
    """Yield the URLs in *texts* as `urls_of` does, together those that are certain at once."""
    scanner = origin = places = error = None
    history = History() if history is None else history
    try:
        for data, text_origin, offset, line, text_places, whole in texts:
            if scanner is None or text_origin is not origin:
                if scanner is not None:
                    yield _placed(scanner.close(), places)
                    scanner = None
                if glance is not None and (taken := glance.taken()):
                    history.add_plain(taken)
                    yield history.decided()
                if whole and not triggers.may_hold_urls(data):
                    continue
                origin, places = text_origin, text_places
                told = rejected if rejected is None or places is None else _telling(rejected, places)
                scanner = Scanner(
                    profile=profile, join=join, rejected=told, origin=origin, history=history, offset=offset, line=line
                )
            yield _placed(scanner.feed(data), places)
    except OSError as broken:
        error = broken
    if scanner is not None:
        yield _placed(scanner.close(), places)
    if glance is not None:
        history.add_plain(glance.taken())
        yield history.decided()
    if error is not None:
        raise error


def _placed(matches: list[URLMatch], places: "Places | None") -> list[URLMatch]:
    """Return *matches* of a decoded text with their places in its file."""
    return matches if places is None else [_in_file(match, places) for match in matches]


def _telling(rejected: Callable[[Rejected], object], places: "Places") -> Callable[[Rejected], object]:
    return lambda candidate: rejected(_in_file(candidate, places))


_Found = TypeVar("_Found", URLMatch, Rejected)


def _in_file(found: _Found, places: "Places") -> _Found:
    """Put *found*, which nobody has seen yet, in its place."""
    for name, value in zip(Place._fields, places.locate(found.start, found.end), strict=True):
        object.__setattr__(found, name, value)
    return found


def find_urls(
    text: str | bytes,
    *,
    profile: Profile = WEB,
    join: Join = "evident",
    rejected: Callable[[Rejected], object] | None = None,
) -> list[URLMatch]:
    """Return the URLs in *text*, a string or bytes in hand, in order; the rest is as in `Scanner`.

    >>> [str(match) for match in find_urls("(see http://a.example/b_(c)).")]
    ['http://a.example/b_(c)']
    """
    scanner = Scanner(profile=profile, join=join, rejected=rejected)
    return scanner.feed(text) + scanner.close()
