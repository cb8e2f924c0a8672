"""Parsing: a text and a profile give a URL, or the rule and the place that forbid it."""

import re
from functools import cache, lru_cache

from urlmend.grammar import rfc1738
from urlmend.grammar.departure import Departure
from urlmend.grammar.errors import URLSyntaxError
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.urls import CLASSES, URL

_Production = tuple[re.Pattern[str], type[URL]]


def parse(text: str, profile: Profile = WEB) -> URL:
    """Parse *text*, a whole URL and nothing else, by the grammar of *profile*.

    Returns the URL as the class of its scheme. Raises `URLSyntaxError`, and nothing else, for a text that is no URL.
    RFC 1738, section 5.

    >>> parse("gopher://a.example/00/about").selector
    '0/about'
    """
    url = parse_or_none(text, profile)
    if url is None:
        raise diagnose(text, profile)
    return url


def parse_or_none(text: str, profile: Profile = WEB) -> URL | None:
    """Parse *text* as `parse` does, and return `None` where it would raise."""
    found = _matched(text, profile)
    return None if found is None else found[1](text, **found[0].groupdict())


def accepts(text: str, profile: Profile = WEB) -> bool:
    """Tell whether *text* is a URL under *profile*; its parts are not made."""
    return _matched(text, profile) is not None


def _matched(text: str, profile: Profile) -> tuple[re.Match[str], type[URL]] | None:
    ascii_only = text.isascii()
    for pattern, url_class in productions(_dispatch(text, profile), profile, ascii_only=ascii_only):
        if match := pattern.fullmatch(text):
            host = None if ascii_only or "host" not in pattern.groupindex else match["host"]
            if host is None or host.isascii() or _idna_fault(host) is None:
                return match, url_class
    return None


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
    if parse_or_none(url.text, RFC1738) == url:
        return ()
    return tuple(
        departure.name
        for departure, without, sign in _signs(profile)
        if sign.search(url.text) and parse_or_none(url.text, without) != url
    )


@cache
def _signs(profile: Profile) -> tuple[tuple[Departure, Profile, re.Pattern[str]], ...]:
    return tuple(
        (departure, profile.without(departure.name), re.compile(departure.sign))
        for departure in profile.departures
        if not departure.narrower
    )


def production_template(rule: str, profile: Profile) -> str:
    """Return the template of *rule* as a whole URL: with a fragment where *profile* has them."""
    return f"<{rule}>(?:#<fragment>)?" if "fragment" in profile.rules else f"<{rule}>"


@cache
def productions(scheme: str, profile: Profile, *, ascii_only: bool) -> tuple[_Production, ...]:
    """Return the compiled productions for URLs of *scheme* (lower case; `""` is any scheme without its own).

    For texts in ASCII the departure `iri` makes no difference but to the time that patterns with its letters take.
    """
    if ascii_only and "ucschar" in profile.rules:
        profile = profile.without("iri")
    return tuple(
        (_compile(rule, CLASSES[rule], profile), CLASSES[rule])
        for rule in profile.productions.get(scheme, ("otherurl",))
    )


def _compile(rule: str, url_class: type[URL], profile: Profile) -> re.Pattern[str]:
    fields = url_class.__dataclass_fields__.keys()
    pattern = rfc1738.expand(production_template(rule, profile), profile.rules, fields)
    return re.compile(pattern, re.ASCII | re.DOTALL)


# RFC 1035 section 2.3.4; idna would take quadratic time to find it out.
_MAX_HOST_LENGTH = 255


@lru_cache(maxsize=1024)
def _idna_fault(host: str) -> str | None:
    """Say why *host*, which has letters beyond ASCII, is no host name (RFC 5891); `None` where it is one."""
    import idna  # noqa: PLC0415 -- its tables are large, and few hosts need them

    if len(host) > _MAX_HOST_LENGTH:
        return f"longer than {_MAX_HOST_LENGTH} characters"
    try:
        idna.encode(host, uts46=True)
    except idna.IDNAError as error:
        return str(error)
    return None


def _host_error(text: str, profile: Profile) -> URLSyntaxError:
    """Return the error for *text*, which the grammar takes but whose host is no IDNA name: its first such label."""
    for pattern, _ in productions(_dispatch(text, profile), profile, ascii_only=False):
        if match := pattern.fullmatch(text):
            start = match.start("host")
            for label in match["host"].split("."):
                if not label.isascii() and (reason := _idna_fault(label)):
                    offset = next(i for i, ch in enumerate(label) if not ch.isascii())
                    return URLSyntaxError("domainlabel", text, start + offset, f"an IDNA label: {reason}")
                start += len(label) + 1
            return URLSyntaxError("hostname", text, match.end("host"), str(_idna_fault(match["host"])))
    raise AssertionError(text)
