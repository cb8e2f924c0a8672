"""What scanning gives out: a URL with its place and its readings, or a candidate that is none."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress, product
from typing import TYPE_CHECKING, Any, SupportsIndex

from urlmend.grammar.errors import URLSyntaxError
from urlmend.grammar.parser import departures, diagnose, parse
from urlmend.grammar.profiles import WEB, Profile
from urlmend.grammar.urls import URL
from urlmend.mend import readings
from urlmend.mend.readings import MAX_READINGS, Break, Reading
from urlmend.scan import ordinary
from urlmend.scan.delimiters import MAX_URL_LENGTH, MAX_WRAPPER_SPAN, MOST_LEFT
from urlmend.sources import Origin
from urlmend.text import leaders

if TYPE_CHECKING:
    from urlmend.grammar.security import SecurityWarning


@dataclass(frozen=True, slots=True)
class URLMatch:
    """A URL found in text; `str(match)` is the URL.

    `url` is the URL, mended. `start` and `end` count bytes in a binary stream and characters in text, from 0,
    half-open, and slice out `raw`: the URL as it stands, with its breaks, without its wrapper. `line` and `column`
    count from 1. `form` is `wrapper`, `angle`, `prefix` or `bare`. `readings` are the ways to join it that parse, `url`
    first; for a bare URL joined over a line end the last one is the unjoined URL. `breaks` tell what was taken out of
    `url`, `trimmed` what was cut from a bare URL's tail. `undecided` are the readings between which nothing decides, if
    there are several, with their parts. `exact` tells whether `start` and `end` are places in the file itself; a source
    that decodes its texts says that they are not. `left` is what stands on the URL's left in its line, from the line's
    start and at most MOST_LEFT characters.
    """

    url: str
    start: int
    end: int
    raw: str
    line: int
    column: int
    form: str
    readings: tuple[str, ...]
    breaks: tuple[Break, ...]
    trimmed: str
    profile: Profile
    origin: Origin
    undecided: tuple[tuple[Reading, URL], ...] = ()
    exact: bool = True
    left: str = field(default="", repr=False)
    _parts: URL | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return self.url

    @property
    def parsed(self) -> bool:
        """Whether `parts` is known already."""
        return self._parts is not None

    @property
    def parts(self) -> URL:
        """The URL as a value of its scheme's class; parsed when asked for."""
        if self._parts is None:
            object.__setattr__(self, "_parts", parse(self.url, self.profile))
        return self._parts  # type: ignore[return-value]

    @property
    def ambiguous(self) -> bool:
        """Whether several readings of a hyphen at a line end parse and nothing decides between them."""
        return bool(self.undecided)

    @property
    def mended(self) -> bool:
        """Whether something was taken out of the URL."""
        return bool(self.breaks)

    @property
    def more_readings(self) -> bool:
        """Whether there are more hyphens at line ends than MAX_READINGS can tell of: the later ones are always kept."""
        return 1 << sum(broken.hyphen for broken in self.breaks) > MAX_READINGS

    @property
    def quoted(self) -> bool:
        """Whether the URL's line is quoted: `> `, `>> `, `| ` or `JD> ` is part of its leader."""
        marks = leaders.leader(self.left + self.raw[:1]) if self.left else ()
        return any(mark.kind in ("quote", "initials") for mark in marks)

    @property
    def departures(self) -> tuple[str, ...]:
        """The names of the departures by which the URL is not RFC 1738; empty where it conforms."""
        return departures(self.parts, self.profile)

    @property
    def warnings(self) -> "tuple[SecurityWarning, ...]":
        """The security notes on the URL (RFC 1738 section 6, and `urlmend.grammar.security`); worked out when asked."""
        from urlmend.grammar.security import warnings  # noqa: PLC0415 -- off by default

        return warnings(self.parts)


_TOLD_BY_SHAPE = {
    told: tuple(compress(("https", "fragment", "tilde", "query-delimiters"), told))
    for told in product((False, True), repeat=4)
}


@lru_cache(maxsize=4096)  # more than half of the URLs in mail have just been seen
def scheme_host_departures(url: str, profile: Profile) -> tuple[str, str | None, tuple[str, ...]]:
    """Return the scheme of *url* in lower case, its host and its departures; of most URLs the shape tells them."""
    shape = ordinary.ORDINARY.fullmatch(url) if profile is WEB else None
    if shape is None:
        parts = parse(url, profile)
        return parts.scheme, parts.host, departures(parts, profile)
    secure, host, search, fragment, ftp_host = shape.groups()
    if ftp_host:
        return "ftp", ftp_host, ()
    delimiters = bool(search) and ("/" in search or "?" in search)
    told = _TOLD_BY_SHAPE[secure is not None, fragment is not None, "~" in url, delimiters]
    return "https" if secure else "http", host, told


_Draft: Any = type("_Draft", (), {"__slots__": URLMatch.__slots__})


def whole(  # noqa: PLR0913, PLR0917 -- one argument a thing that differs
    url: str,
    start: int,
    line: int,
    column: int,
    form: str,
    trimmed: str,
    left: str,
    profile: Profile,
    origin: Origin,
) -> URLMatch:
    """Return the match of a URL in ASCII that stands in one piece.

    A frozen value is set field by field at 0.1 µs each. Most URLs come this way, so here they are set in a draft with
    the same slots, which then becomes the match.
    """
    match = _Draft()
    match.url = match.raw = url
    match.start = start
    match.end = start + len(url)
    match.line = line
    match.column = column
    match.form = form
    match.readings = (url,)
    match.breaks = match.undecided = ()
    match.trimmed = trimmed
    match.profile = profile
    match.origin = origin
    match.exact = True
    match.left = left[:MOST_LEFT]
    match._parts = None  # noqa: SLF001 -- the draft is of this module
    match.__class__ = URLMatch
    found: URLMatch = match
    return found


class Mended(URLMatch):
    """The match of a URL in brackets that lines tore, before anybody asked what was taken out of it.

    Of a wrapper over a thousand lines with sixteen readings few want to know. Nobody sees a difference: once it has
    told, it is a `URLMatch` and nothing else.
    """

    __slots__ = ()
    # As the properties, which cost a call.
    mended = True

    def told(self) -> URLMatch:
        """Return the match itself, with its readings worked out from the text."""
        readings = list(self._readings())
        several = readings if len(readings) > 1 else ()
        undecided = tuple((reading, parse(reading.text, self.profile)) for reading in several)
        object.__setattr__(self, "__class__", URLMatch)
        object.__setattr__(self, "readings", tuple(dict.fromkeys(reading.text for reading in readings)))
        object.__setattr__(self, "breaks", readings[0].breaks)
        object.__setattr__(self, "undecided", undecided)
        return self

    def _readings(self) -> Iterator[Reading]:
        return readings.readings(readings.wrapped(self.raw, leaders.leader(self.left + self.raw[:1])))

    def __getattr__(self, name: str) -> object:
        if name == "readings":
            object.__setattr__(self, name, tuple(dict.fromkeys(reading.text for reading in self._readings())))
            return self.readings
        if name in {"breaks", "undecided"}:
            return getattr(self.told(), name)
        message = f"{URLMatch.__name__!r} object has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=self)

    def __eq__(self, other: object) -> bool:
        return self.told() == other

    def __hash__(self) -> int:
        return hash(self.told())

    def __repr__(self) -> str:
        return repr(self.told())

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return self.told().__reduce_ex__(protocol)


class Ambiguous(Mended):
    """The same, of a URL with several readings."""

    __slots__ = ()
    ambiguous = True


def mended(  # noqa: PLR0913, PLR0917 -- as in `whole`
    url: str,
    start: int,
    line: int,
    column: int,
    form: str,
    trimmed: str,
    left: str,
    raw: str,
    profile: Profile,
    origin: Origin,
) -> URLMatch:
    """Return the match of a URL in brackets that *raw* tells in ASCII, in a word a line.

    Its leader stands on its left, and every reading is a URL.
    """
    match = _Draft()
    match.url = url
    match.raw = raw
    match.start = start
    match.end = start + len(raw)
    match.line = line
    match.column = column
    match.form = form
    match.trimmed = trimmed
    match.profile = profile
    match.origin = origin
    match.exact = True
    match.left = left
    match._parts = None  # noqa: SLF001 -- the draft is of this module
    if "-\n" in raw or ("-" in raw and readings.HYPHEN_AT_LINE_END.search(raw)):
        match.__class__ = Ambiguous
    else:
        match.readings = (url,)
        match.undecided = ()
        match.__class__ = Mended
    found: URLMatch = match
    return found


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that is no URL under the profile. `text` is its first reading, the rest is as in `URLMatch`."""

    text: str
    raw: str
    start: int
    end: int
    line: int
    column: int
    form: str
    profile: Profile
    origin: Origin
    exact: bool = True

    @property
    def error(self) -> URLSyntaxError:
        """What forbids it; worked out when asked."""
        if len(self.raw) > MAX_URL_LENGTH:
            return URLSyntaxError("length", self.text, MAX_URL_LENGTH, f"at most {MAX_URL_LENGTH} characters")
        if self.form == "wrapper" and self.end - self.start >= MAX_WRAPPER_SPAN:
            return URLSyntaxError("length", self.text, len(self.text), f'">" within {MAX_WRAPPER_SPAN} characters')
        return diagnose(self.text, self.profile)

    @property
    def rule(self) -> str:
        """The BNF rule that could not go on; `length` for a text that passes the longest URL or wrapper."""
        return self.error.rule

    @property
    def pos(self) -> int:
        """Where in `text`, in characters from 0, the rule could not go on."""
        return self.error.pos
