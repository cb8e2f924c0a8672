"""What there is to say of a URL, or of a text that is none, as values: `explanation` puts them in words."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from urlmend.cli.commands.mistakes import hints, plain_reason
from urlmend.extract import find_urls
from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import URLSyntaxError, departures, parse, productions
from urlmend.grammar.profiles import WEB, Profile
from urlmend.grammar.security import SecurityWarning
from urlmend.grammar.unwrap import unwrap
from urlmend.grammar.urls import (
    URL,
    FileURL,
    FtpURL,
    GopherURL,
    HttpURL,
    MailtoURL,
    NewsURL,
    NntpURL,
    OtherURL,
    ProsperoURL,
    TelnetURL,
    WaisURL,
)
from urlmend.match import DECIMALS, Rejected, URLMatch, security_notes
from urlmend.output.annotation.weighed import WeighedEnd, weighed_ends
from urlmend.text.forms import NONE, Forms
from urlmend.text.limits import LOOKAHEAD, LOOKBACK

_LOGIN = ("user", "password", "host", "port")
CLASSES: dict[type[URL], tuple[str, tuple[str, ...]]] = {
    HttpURL: ("3.3", (*_LOGIN, "hpath", "search")),
    FtpURL: ("3.2", (*_LOGIN, "fpath", "ftptype")),
    FileURL: ("3.10", ("host", "fpath")),
    GopherURL: ("3.4", ("host", "port", "gopher_path")),
    MailtoURL: ("3.5", ("encoded822addr", "headers")),
    NewsURL: ("3.6", ("host", "port", "everything", "group", "article")),
    NntpURL: ("3.7", ("host", "port", "group", "article_number")),
    TelnetURL: ("3.8", _LOGIN),
    WaisURL: ("3.9", ("host", "port", "database", "search", "wtype", "wpath")),
    ProsperoURL: ("3.11", ("host", "port", "ppath", "fieldspecs")),
    OtherURL: ("2.1", ("schemepart", *_LOGIN, "urlpath")),
}
"""The section of RFC 1738 on each class, and the parts of its URLs as they stand from left to right."""

SECTIONS = dict.fromkeys(_LOGIN, "3.1") | {"fragment": "RFC 3986 3.5", "headers": "RFC 6068 2"}
"""The sections on the parts that have another one than their class."""


class Explained(NamedTuple):
    """A *text* and its `url`, or the `error` that forbids one; where it was found in a text, its `match` and line ends.

    `reason` says the error in plain words. `behind` is the text behind the match.
    """

    text: str
    profile: Profile
    url: URL | None
    error: URLSyntaxError | None = None
    reason: str | None = None
    hints: tuple[str, ...] = ()
    match: URLMatch | None = None
    ends: tuple[WeighedEnd, ...] = ()
    behind: str = ""

    @property
    def warnings(self) -> tuple[SecurityWarning, ...]:
        """The security notes on the URL."""
        return security_notes(self.text, self.profile) if self.url else ()

    @property
    def normal_form(self) -> str | None:
        """The URL in normal form (RFC 3986 section 6)."""
        return str(normal_form(self.url, self.profile)) if self.url else None

    def parts(self) -> Iterator[tuple[str, str | None]]:
        """Yield the names of the URL's parts and what they are, from left to right; `None` where a part is absent.

        A class has fields for every profile. A part that this profile does not know is left out.
        """
        url = self.url
        if url is None:
            return
        scheme = url.scheme if url.scheme in self.profile.productions else ""
        compiled = productions(scheme, self.profile, ascii_only=True)
        known = {name for pattern, _ in compiled for name in pattern.groupindex} | {"schemepart"}
        yield "scheme", url.text.partition(":")[0]
        yield from ((name, getattr(url, name)) for name in (*CLASSES[type(url)][1], "fragment") if name in known)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, in one order. What is absent is `None`, never missing."""
        url, error, match = self.url, self.error, self.match
        return {
            "url": self.text,
            "valid": url is not None,
            "rule": error.rule if error else None,
            "pos": error.pos if error else None,
            "expected": error.expected if error else None,
            "reason": self.reason,
            "hints": list(self.hints),
            "class": type(url).__name__ if url else None,
            "parts": dict(self.parts()) if url else None,
            "departures": list(departures(url, self.profile)) if url else None,
            "warnings": [note._asdict() for note in self.warnings] if url else None,
            "normal_form": self.normal_form,
            "target": unwrap(url) if url else None,
            "raw": match.raw if match else None,
            "form": match.form if match else None,
            "confidence": round(match.confidence, DECIMALS) if match else None,
            "readings": list(match.readings) if match else None,
            "line_ends": [_line_end(end) for end in self.ends] if match else None,
        }


def explained(text: str, profile: Profile = WEB) -> Explained:
    """Return what there is to say of *text*, which should be a URL and nothing else. Raises nothing."""
    try:
        url = parse(text, profile)
    except URLSyntaxError as error:
        return _refused(text, error, profile)
    return Explained(text, profile, url, hints=tuple(hints(text, profile, is_url=True)))


def explained_text(text: str, profile: Profile = WEB, forms: Forms = NONE) -> list[Explained]:
    """Return what there is to say of each URL in *text*, and of each candidate that is none, as they stand in it.

    Where there is neither, that is said of the text, without an error.
    """
    rejected: list[Rejected] = []
    matches = find_urls(text, profile=profile, rejected=rejected.append, **forms._asdict())
    found = [(match.start, _found(match, text)) for match in matches]
    found += [(each.start, _refused(each.text, each.error, profile)) for each in rejected]
    if not found:
        none = Explained(text, profile, None, reason="There is no URL in this text.")
        return [none._replace(hints=tuple(hints(text, profile, is_url=False)))]
    return [one for _, one in sorted(found, key=lambda placed: placed[0])]


def _refused(text: str, error: URLSyntaxError, profile: Profile) -> Explained:
    reason = plain_reason(error, profile)
    return Explained(text, profile, None, error, reason, tuple(hints(text, profile, is_url=False)))


def _found(match: URLMatch, text: str) -> Explained:
    stop = match.end + len(match.trimmed)
    before = text[max(0, match.start - LOOKBACK) : match.start]
    ends = weighed_ends(match, before, text[match.start : stop + LOOKAHEAD])
    return Explained(
        match.url, match.profile, match.parts, match=match, ends=tuple(ends), behind=text[stop : stop + LOOKAHEAD]
    )


def _line_end(end: WeighedEnd) -> dict[str, Any]:
    return {
        "url": end.url,
        "token": end.token,
        "goes_on": end.verdict.goes_on,
        "p": round(end.verdict.p, DECIMALS),
        "guard": end.verdict.guard,
        "clues": [clue._asdict() | {"weight": round(clue.weight, DECIMALS)} for clue in end.clues],
    }
