"""The results of scanning: a URL with its place and its readings, or a rejected candidate."""

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from urlmend.grammar.diagnosis import URLSyntaxError
from urlmend.grammar.parser import accepts, diagnose
from urlmend.grammar.profiles import Profile
from urlmend.record import NAMES, ORIGIN, TEXT, fields_called, plain
from urlmend.sources import Origin
from urlmend.text import defanged, leaders
from urlmend.text.limits import MAX_URL_LENGTH, MAX_WRAPPER_SPAN
from urlmend.text.patterns import lazy_regex
from urlmend.text.schemes import IMPLIED

if TYPE_CHECKING:
    from urlmend.facts import URLFacts
    from urlmend.grammar.security import SecurityWarning
    from urlmend.grammar.urls import URL

MAX_READINGS = 16
"""The most readings of one candidate: four hyphens at line ends give that many; any further hyphen is kept."""


class Break(NamedTuple):
    r"""A place where text was removed from a URL.

    `at` is the index in the URL in characters from 0, and `removed` the text. `hyphen` is true if it is, or follows, a
    hyphen right before a line end. `inserted` is what replaces it: `@` for ` at `, otherwise nothing.

    >>> from urlmend import find_urls
    >>> find_urls("<URL:http://a.example/b\n/c>")[0].breaks
    (Break(at=18, removed='\n', hyphen=False, inserted=''),)
    """

    at: int
    removed: str
    hyphen: bool
    inserted: str = ""


def stretches(match: "URLMatch") -> list[tuple[str, Break | None]]:
    """Return the stretches of the `raw` text of *match* in order, each with its break if it was removed."""
    raw = match.raw
    found: list[tuple[str, Break | None]] = []
    pos, seen = 0, len(IMPLIED.get(match.form, ""))
    for each in match.breaks:
        # The text before it takes no less space than in the URL: what is defanged takes more.
        at = raw.find(each.removed, pos + each.at - seen)
        if at < 0:
            return [(raw, None)]
        found += [(raw[pos:at], None), (each.removed, each)]
        pos, seen = at + len(each.removed), each.at + len(each.inserted)
    found.append((raw[pos:], None))
    return [stretch for stretch in found if stretch[0]]


class Reading(NamedTuple):
    """One way to join a candidate: the URL's `text`, and its breaks."""

    text: str
    breaks: tuple[Break, ...] = ()


@dataclass(slots=True, unsafe_hash=True, repr=False)
class URLMatch:
    r"""A URL found in text; `str(match)` is the URL, also in f-strings. A match does not change after it is returned.

    `url` is the URL, mended. `start` and `end` count from 0, bytes in a binary stream and characters in text. They are
    half-open and slice out `raw`: the URL as it is written, with its breaks, without its wrapper. `line` and `column`
    count from 1. `form` is `wrapper`, `angle`, `prefix` or `bare`, or on request `schemeless`, `address`,
    `defanged` or `resolved`.

    `readings` are the ways to join the URL that parse, `url` first. If a bare URL was joined over a line end, the URL
    without the join is among them if it parses. `breaks` are the places where text was removed from `url`, and
    `trimmed` is what was cut from the end of a bare URL. `undecided` are the readings, if nothing decides between
    several of them. `confidence`, from 0 to 1, with three decimals, is the probability that the URL was rightly joined,
    or rightly left alone.

    `exact` is true if `start` and `end` are the place of the URL in the file itself; for decoded text they may be
    the lines that were decoded. `left` is the beginning of its line, up to the URL, at most MOST_BESIDE characters;
    it is empty if the URL begins after column LOOKBACK. `right` is the text after it in its last line, as much.
    `quoted` is true if its text is (`Origin.quoted`), or if its line begins with `> `, `>> `, `| ` or the author's
    name, as in `JD> `, and is not a row of a table.

    >>> from urlmend import find_urls
    >>> (match,) = find_urls("> see <URL:http://a.example/b-\n> c>.")
    >>> match
    <URLMatch 'http://a.example/b-c' wrapper 1:12 confidence=0.991>
    >>> f"{match:.16}"
    'http://a.example'
    >>> match.scheme, match.host, match.domain, match.parts.path, match.mended, match.ambiguous, match.quoted
    ('http', 'a.example', 'a.example', '/b-c', True, True, True)
    >>> match.start, match.end, match.segments
    (11, 34, ((11, 30), (33, 34)))
    >>> match.readings, match.more_readings
    (('http://a.example/b-c', 'http://a.example/bc'), False)
    >>> (match,) = find_urls("http://jane:secret@a.example/")
    >>> match.departures, match.warnings[0].text, match.warning_names
    (('userinfo',), 'holds a password in clear text', ('password',))
    >>> find_urls("https://www.google.com/url?q=https%3A%2F%2Fa.example%2Fb&sa=D")[0].target
    'https://a.example/b'
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
    undecided: tuple[Reading, ...] = ()
    exact: bool = True
    left: str = ""
    confidence: float = 1.0
    right: str = ""
    quoted: bool = False

    def __reduce__(self) -> tuple[type["URLMatch"], tuple[Any, ...]]:
        return URLMatch, _values(self)

    def __str__(self) -> str:
        return self.url

    def __format__(self, spec: str) -> str:
        return format(self.url, spec)

    def __repr__(self) -> str:
        place = f"{self.line}:{self.column}"
        return f"<URLMatch {self.url!r} {self.form} {place} confidence={self.confidence}>"

    def as_dict(self, *, unwrap: bool = False) -> dict[str, Any]:
        """Return the match as plain values under the names of `urlmend.record.FIELDS`, in their order.

        `target` is set only with *unwrap*.

        This is the JSONL record: JSON, CSV, pandas and others take it as it is. A list of these is a table.

        >>> from urlmend import find_urls
        >>> [(row["line"], row["url"], row["host"]) for row in (m.as_dict() for m in find_urls("http://a.example/b"))]
        [(1, 'http://a.example/b', 'a.example')]
        """
        of = {ORIGIN: self.origin, TEXT: self._facts}
        fields = fields_called(NAMES, unwrap=unwrap)
        return {each.name: plain(getattr(of.get(each.of, self), each.attribute or each.name)) for each in fields}

    @property
    def _facts(self) -> "URLFacts":
        from urlmend.facts import facts_of  # noqa: PLC0415 -- printing URLs needs none

        return facts_of(self.url, self.profile)

    @property
    def scheme(self) -> str:
        """The URL's scheme, in lower case."""
        return self._facts.scheme

    @property
    def host(self) -> str | None:
        """The URL's host as it is written; `None` if it has none."""
        return self._facts.host

    @property
    def domain(self) -> str | None:
        """The registrable domain of the host, such as `a.co.uk` of `www.a.co.uk`; an IP number has none."""
        return self._facts.domain

    @property
    def parts(self) -> "URL":
        """The URL as a value of its scheme's class."""
        return self._facts.parts

    @property
    def ambiguous(self) -> bool:
        """Whether several readings of a hyphen at a line end parse and nothing decides between them."""
        return bool(self.undecided)

    @property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """The stretches of the text that belong to the URL, each as its start and its end, counted as `start` is.

        What was removed, such as line ends and quote marks, lies between them. There is one stretch, from `start`
        to `end`, if these are not exact.
        """
        size = self.end - self.start
        codecs = (codec for codec in _CODECS if len(self.raw.encode(codec, "replace")) == size)
        codec = next(codecs, None) if self.exact else None
        if codec is None:
            return ((self.start, self.end),)
        found = []
        end = self.start
        for text, removed in stretches(self):
            start, end = end, end + len(text.encode(codec, "replace"))
            if removed is None:
                found.append((start, end))
        return tuple(found)

    @property
    def mended(self) -> bool:
        """Whether text was removed from the URL."""
        return bool(self.breaks)

    @property
    def more_readings(self) -> bool:
        """Whether there are more hyphens at line ends than MAX_READINGS covers; the later ones are always kept."""
        return 1 << sum(broken.hyphen for broken in self.breaks) > MAX_READINGS

    @property
    def departures(self) -> tuple[str, ...]:
        """The names of the departures by which the URL is not RFC 1738; empty if it conforms."""
        return self._facts.departures

    @property
    def warnings(self) -> "tuple[SecurityWarning, ...]":
        """The security notes on the URL (RFC 1738 section 6, and `grammar.security`)."""
        return self._facts.warnings

    @property
    def target(self) -> str | None:
        """The address that the URL wraps, as `unwrap` returns it; `None` if there is none or a part of it is lost."""
        return self._facts.target

    @property
    def warning_names(self) -> tuple[str, ...]:
        """The names of the security notes on the URL, each once."""
        return self._facts.warning_names


_values = attrgetter(*URLMatch.__slots__)

_CODECS = ("latin-1", "utf-8", "utf-16-le")
"""How the characters of a URL may be counted: each as one, as bytes of UTF-8, or as those of UTF-16."""

_UNSEEN = lazy_regex(f"[{leaders.UNSEEN}]")


@dataclass(slots=True, unsafe_hash=True, repr=False)
class Rejected:
    """A candidate that is not a URL under the profile. `text` is its first reading; the rest is as in `URLMatch`.

    >>> from urlmend import find_urls
    >>> rejected = []
    >>> find_urls("http://a.example:8o/", rejected=rejected.append)
    []
    >>> rejected
    [<Rejected 'http://a.example:8o/' httpurl at 19, bare 1:1>]
    >>> rejected[0].rule, rejected[0].pos, type(rejected[0].error)
    ('httpurl', 19, <class 'urlmend.URLSyntaxError'>)
    """

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

    def __getstate__(self) -> object:  # pickle protocols 0 and 1 ask for it
        return object.__getstate__(self)

    def __repr__(self) -> str:
        error = self.error
        return f"<Rejected {self.text!r} {error.rule} at {error.pos}, {self.form} {self.line}:{self.column}>"

    @property
    def error(self) -> URLSyntaxError:
        """The rule that forbids it, as an error."""
        if max(len(self.raw), len(self.text)) > MAX_URL_LENGTH:
            return URLSyntaxError("length", self.text, MAX_URL_LENGTH, f"at most {MAX_URL_LENGTH} characters")
        if self.form == "wrapper" and self.end - self.start >= MAX_WRAPPER_SPAN:
            return URLSyntaxError("length", self.text, len(self.text), f'">" within {MAX_WRAPPER_SPAN} characters')
        if edits := defanged.edits_of(self.text):
            return URLSyntaxError("defanged", self.text, edits[0][0], f'"{edits[0][2]}"')
        if accepts(self.text, self.profile):
            # It was not to be joined (`join="none"`): what brackets ignore as white space may be a letter of RFC 3987.
            error = diagnose(_UNSEEN.sub(" ", self.text), self.profile)
            return URLSyntaxError(error.rule, self.text, error.pos, error.expected)
        return diagnose(self.text, self.profile)

    @property
    def rule(self) -> str:
        """The BNF rule that failed; `length` if the URL or wrapper is too long, `defanged` if the URL is defanged."""
        return self.error.rule

    @property
    def pos(self) -> int:
        """Where in `text` the rule failed, in characters from 0."""
        return self.error.pos
