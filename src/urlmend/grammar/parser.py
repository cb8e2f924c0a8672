"""Parsing: a text and a profile give a URL, or the rule and the place that forbid it."""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from urlmend.grammar import rfc1738
from urlmend.grammar.errors import URLSyntaxError
from urlmend.grammar.iri import UCSCHAR, idna_fault, shape_of
from urlmend.grammar.profiles import RFC1738, WEB, Profile
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

CLASSES: Mapping[str, type[URL]] = MappingProxyType(
    {
        "ftpurl": FtpURL,
        "fileurl": FileURL,
        "fileurl_local": FileURL,
        "httpurl": HttpURL,
        "gopherurl": GopherURL,
        "mailtourl": MailtoURL,
        "mailtourl_headers": MailtoURL,
        "newsurl": NewsURL,
        "newsurl_server": NewsURL,
        "nntpurl": NntpURL,
        "telneturl": TelnetURL,
        "waisdatabase": WaisURL,
        "waisindex": WaisURL,
        "waisdoc": WaisURL,
        "prosperourl": ProsperoURL,
        "otherurl": OtherURL,
    }
)
"""The class of the URLs that a production describes."""

LONGEST_KEPT = 1024
"""The longest text, in characters, whose result is kept: a few megabytes are kept at most, whatever the texts."""

_MOST_KEPT = 1024

_Production = tuple[re.Pattern[str], type[URL]]
# The match of the production that takes the shape of a text, whose groups are where the parts are, the class of its
# URLs, and the text.
_Found = tuple[re.Match[str], type[URL], str]


def parse(text: str, profile: Profile = WEB) -> URL:
    """Parse *text*, a whole URL and nothing else, by the grammar of *profile*.

    Returns the URL as the class of its scheme. Raises `URLSyntaxError` for a text that is no URL, whatever is in it,
    and `TypeError` where *text* is no str. RFC 1738, section 5.

    >>> parse("gopher://a.example/00/about").selector
    '0/about'
    """
    if not isinstance(text, str) or not isinstance(profile, Profile):
        raise _wrong_call(text, profile)
    url = parse_or_none(text, profile)
    if url is None:
        raise diagnose(text, profile)
    return url


def _wrong_call(text: object, profile: object) -> TypeError:
    if isinstance(text, bytes | bytearray | memoryview):
        return TypeError(f"parse takes a str, not {type(text).__name__}: decode it first, as in parse(data.decode())")
    if isinstance(text, URL):
        return TypeError(f"parse takes a str, not {type(text).__name__}: this URL is parsed already")
    if not isinstance(text, str):
        return TypeError(f"parse takes a str, not {type(text).__name__}")
    return TypeError(f"a profile is urlmend.WEB, urlmend.RFC1738 or another Profile, not {type(profile).__name__}")


def parsed(text: str, profile: Profile = WEB) -> URL:
    """Parse *text* as `parse` does; the latest results are kept, those of texts up to LONGEST_KEPT characters."""
    return _kept_url(text, profile) if len(text) <= LONGEST_KEPT else parse(text, profile)


# More than half of the URLs in mail have just been seen.
_kept_url = lru_cache(maxsize=_MOST_KEPT)(parse)


def parse_or_none(text: str, profile: Profile = WEB) -> URL | None:
    """Parse *text* as `parse` does, and return `None` where it would raise `URLSyntaxError`."""
    found = _found(text, profile)
    return None if found is None else found[1](text, **_parts(found))


def accepts(text: str, profile: Profile = WEB) -> bool:
    """Tell whether *text* is a URL under *profile*; its parts are not made."""
    return _found(text, profile) is not None


def _found(text: str, profile: Profile) -> _Found | None:
    ascii_only = text.isascii()
    shape = shape_of(text, profile)
    for pattern, url_class in productions(_dispatch(text, profile), profile, ascii_only=ascii_only):
        if match := pattern.fullmatch(shape):
            found = match, url_class, text
            host = None if ascii_only else _host(found)
            if host is None or host.isascii() or idna_fault(host) is None:
                return found
    return None


def _parts(found: _Found) -> dict[str, str | None]:
    """Return the parts of the URL, `None` for those that are absent."""
    match, _, text = found
    if match.string is text:
        return match.groupdict()
    spans = ((name, match.span(name)) for name in match.re.groupindex)
    return {name: text[start:end] if start >= 0 else None for name, (start, end) in spans}


def _host(found: _Found) -> str | None:
    match, _, text = found
    start, end = match.span("host") if "host" in match.re.groupindex else (-1, -1)
    return text[start:end] if start >= 0 else None


def valid_prefix(text: str, profile: Profile = WEB) -> int:
    """Return how many characters of *text*, from its start, are a URL under *profile*; 0 for none."""
    patterns = productions(_dispatch(text, profile), profile, ascii_only=text.isascii())
    shape = shape_of(text, profile)
    return max((match.end() for pattern, _ in patterns if (match := pattern.match(shape))), default=0)


def _dispatch(text: str, profile: Profile) -> str:
    """Return the lower-case scheme of *text* if it has productions of its own, else `""`, which stands for the rest."""
    scheme = text.partition(":")[0].lower()
    return scheme if scheme in profile.productions else ""


def diagnose(text: str, profile: Profile = WEB) -> URLSyntaxError:
    """Return the error that tells why *text*, which is no URL under *profile*, is none."""
    from urlmend.grammar.diagnosis import locate  # noqa: PLC0415 -- needed for faults only, and then worth its import

    rules = profile.productions.get(_dispatch(text, profile), ("otherurl",))
    fault = locate(text, tuple(production_template(rule, profile) for rule in rules), profile.rules)
    if fault is not None:
        return URLSyntaxError(fault.rule, text, fault.pos, fault.expected)
    return _host_error(text, profile)


def departures(url: URL, profile: Profile = WEB) -> tuple[str, ...]:
    """Return the names of the departures by which *url*, read under *profile*, is not RFC 1738; none where it conforms.

    A departure is named when the profile without it refuses the URL or reads other parts in it.
    """
    found = _found(url.text, profile)
    return () if found is None else _departures(found, profile)


def scheme_host_departures(text: str, profile: Profile = WEB) -> tuple[str, str | None, tuple[str, ...]]:
    """Return the scheme of the URL *text* in lower case, its host and its departures; results are kept as in `parsed`.

    Raises `URLSyntaxError` where *text* is no URL under *profile*.
    """
    return (_kept_summary if len(text) <= LONGEST_KEPT else _summary)(text, profile)


def _summary(text: str, profile: Profile) -> tuple[str, str | None, tuple[str, ...]]:
    found = _found(text, profile)
    if found is None:
        raise diagnose(text, profile)
    return text.partition(":")[0].lower(), _host(found), _departures(found, profile)


_kept_summary = lru_cache(maxsize=_MOST_KEPT)(_summary)


def _departures(found: _Found, profile: Profile) -> tuple[str, ...]:
    text = found[2]
    names = tuple(
        sign.name
        for sign in _signs(_dispatch(text, profile), profile)
        if sign.search(text) and not _same_reading(found, _found(text, sign.without))
    )
    return () if not names or _same_reading(found, _found(text, RFC1738)) else names


def _same_reading(found: _Found, other: _Found | None) -> bool:
    """Tell whether both are the same class of URL with the same parts."""
    return other is not None and found[1] is other[1] and _present(found) == _present(other)


def _present(found: _Found) -> dict[str, str]:
    return {name: part for name, part in _parts(found).items() if part is not None}


class _Sign(NamedTuple):
    """A departure's name and quick test, and the profile without the departure."""

    name: str
    search: Callable[[str], object]
    without: Profile


@cache
def _signs(scheme: str, profile: Profile) -> tuple[_Sign, ...]:
    """Return the signs of the departures of *profile* that URLs of *scheme*, as in `productions`, may need."""
    rules = _rules_of(scheme, profile)
    return tuple(
        _Sign(departure.name, re.compile(departure.sign).search, profile.without(departure.name))
        for departure in profile.departures
        if not departure.narrower
        and (scheme in departure.productions or any(edit.rule in rules for edit in departure.edits))
    )


def _rules_of(scheme: str, profile: Profile) -> set[str]:
    """Return the names of the rules that the productions of *scheme* are made of."""
    templates = [production_template(rule, profile) for rule in profile.productions.get(scheme, ("otherurl",))]
    rules: set[str] = set()
    while templates:
        new = rfc1738.references(templates.pop()) - rules
        rules |= new
        templates.extend(profile.rules[rule] for rule in new)
    return rules


def production_template(rule: str, profile: Profile) -> str:
    """Return the template of *rule* as a whole URL: with a fragment where *profile* has them."""
    return f"<{rule}>(?:#<fragment>)?" if "fragment" in profile.rules else f"<{rule}>"


@cache
def productions(scheme: str, profile: Profile, *, ascii_only: bool) -> tuple[_Production, ...]:
    """Return the compiled productions for URLs of *scheme* (lower case; `""` is any scheme without its own).

    For texts in ASCII the departure `iri` changes nothing but the time: patterns with its letters are slower.
    """
    if ascii_only and "ucschar" in profile.rules:
        profile = profile.without("iri")
    return tuple(
        (_compile(rule, CLASSES[rule], profile), CLASSES[rule])
        for rule in profile.productions.get(scheme, ("otherurl",))
    )


def _compile(rule: str, url_class: type[URL], profile: Profile) -> re.Pattern[str]:
    fields = url_class.__dataclass_fields__.keys()
    rules = {**profile.rules, "ucschar": f"[{UCSCHAR}]"} if "ucschar" in profile.rules else profile.rules
    return re.compile(rfc1738.expand(production_template(rule, profile), rules, fields), re.ASCII | re.DOTALL)


def _host_error(text: str, profile: Profile) -> URLSyntaxError:
    """Return the error for *text*, which the grammar takes but whose host is no IDNA name: its first such label."""
    shape = shape_of(text, profile)
    for pattern, _ in productions(_dispatch(text, profile), profile, ascii_only=False):
        if match := pattern.fullmatch(shape):
            start = match.start("host")
            host = text[start : match.end("host")]
            for label in host.split("."):
                if not label.isascii() and (reason := idna_fault(label)):
                    offset = next(i for i, ch in enumerate(label) if not ch.isascii())
                    return URLSyntaxError("domainlabel", text, start + offset, f"an IDNA label: {reason}")
                start += len(label) + 1
            return URLSyntaxError("hostname", text, match.end("host"), str(idna_fault(host)))
    raise AssertionError(text)
