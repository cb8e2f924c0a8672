"""Parsing: from a text and a profile to a URL, or to the rule and the place at which the text fails."""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from urlmend.grammar import rfc1738
from urlmend.grammar.diagnosis import URLSyntaxError, locate
from urlmend.grammar.profiles import RFC1738, WEB, Profile, profile_of
from urlmend.text.limits import MAX_HOST
from urlmend.text.patterns import IPV4, NAME, lazy_regex

if TYPE_CHECKING:
    from urlmend.grammar.urls import URL


def parse(text: str, profile: Profile | str = WEB) -> "URL":
    """Parse *text*, a whole URL and nothing else, by the grammar of *profile*, `web` or `rfc1738` (RFC 1738 section 5).

    Returns the URL as a value of its scheme's class. Raises `URLSyntaxError` for any text that is not a URL,
    `ValueError` for an unknown *profile*, and `TypeError` if *text* is not a str.

    >>> parse("gopher://a.example/00/about").selector
    '0/about'
    """
    if not isinstance(text, str):
        hint = ": decode it first, as in parse(data.decode())" if isinstance(text, bytes | bytearray) else ""
        raise TypeError(f"parse takes a str, not {type(text).__name__}{hint}")
    profile = profile_of(profile)
    url = parse_or_none(text, profile)
    if url is None:
        raise diagnose(text, profile)
    return url


def parse_or_none(text: str, profile: Profile = WEB) -> "URL | None":
    """Parse *text* as `parse` does, but return `None` instead of raising `URLSyntaxError`."""
    found = _found(text, profile)
    if found is None:
        return None
    from urlmend.grammar.urls import CLASSES  # noqa: PLC0415 -- finding URLs needs no classes

    rule, parts = found
    return CLASSES[rule.partition("_")[0]](text, **parts)


def accepts(text: str, profile: Profile = WEB) -> bool:
    """Return whether *text* is a URL under *profile*, without making one."""
    return _match(text, profile) is not None


def _match(text: str, profile: Profile) -> tuple[str, re.Match[str]] | None:
    """Return the rule of the URL *text* and the match of its shape; `None` if it is not a URL."""
    is_ascii = text.isascii()
    shape = text if is_ascii else _shape_of(text, profile)
    for rule, pattern in _patterns_for(text, profile):
        if match := pattern.fullmatch(shape):
            host = "" if is_ascii or "host" not in pattern.groupindex else text[slice(*match.span("host"))]
            if is_ascii or host.isascii() or _idna_fault(host) is None:
                return rule, match
    return None


def _found(text: str, profile: Profile) -> tuple[str, dict[str, str]] | None:
    """Return the rule of the URL *text* and the parts that it has; `None` if it is not a URL."""
    found = _match(text, profile)
    if found is None:
        return None
    rule, match = found
    return rule, {name: text[slice(*match.span(name))] for name in match.re.groupindex if match[name] is not None}


def valid_prefix(text: str, profile: Profile = WEB) -> int:
    """Return the length, in characters, of the longest start of *text* that is a URL under *profile*; 0 if none is."""
    shape = _shape_of(text, profile)
    matches = (pattern.match(shape) for _, pattern in _patterns_for(text, profile))
    return max((match.end() for match in matches if match), default=0)


# Productions


def rules_for(text: str, profile: Profile) -> tuple[str, ...]:
    """Return the rules for URLs of the scheme of *text*, in the order in which they are tried."""
    return profile.productions.get(text.partition(":")[0].lower(), ("otherurl",))


def _patterns_for(text: str, profile: Profile) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return what `rules_for` does with their patterns, without rare hosts unless the host of *text* may be one."""
    return _patterns(rules_for(text, profile), profile, _RARE_HOST.search(text) is not None)


_RARE_HOST = lazy_regex(rf"(?://|@|%40)(?:\[[0-9A-Fa-f:]|(?=[0-9])(?!(?:{IPV4}|{NAME})(?:[:/?#]|\Z)))")


@cache
def _patterns(rules: tuple[str, ...], profile: Profile, rare: bool) -> tuple[tuple[str, re.Pattern[str]], ...]:  # noqa: FBT001
    if not rare:  # what rare hosts need takes three quarters of the time to compile a pattern
        profile = profile.without(*({"ipv6", "number-host"} & {departure.name for departure in profile.departures}))
    return tuple([(rule, production(rule, profile)) for rule in rules])


@cache
def production(rule: str, profile: Profile) -> re.Pattern[str]:
    """Return the pattern of a whole URL by *rule*. Its groups are the parts of the class for that rule."""
    template = rfc1738.expand(production_template(rule, profile), _rules_for_shapes(profile), rfc1738.PARTS)
    return re.compile(template, re.ASCII | re.DOTALL)


def production_template(rule: str, profile: Profile) -> str:
    """Return the template of a whole URL by *rule*, with a fragment if *profile* has fragments."""
    return f"<{rule}>(?:#<fragment>)?" if "fragment" in profile.rules else f"<{rule}>"


# Letters beyond ASCII: IRIs (RFC 3987) and IDNA host names (RFC 5891)

_UCSCHAR = "\u00a0"


def _shape_of(text: str, profile: Profile) -> str:
    """Return *text* with the same character for every character of the rule `ucschar`, if *profile* has it.

    `re` takes 150 ms to compile some patterns with the class `ucschar` itself.
    """
    if text.isascii() or "ucschar" not in profile.rules:
        return text
    return _compiled(profile.rules["ucschar"]).sub(_UCSCHAR, text)


@cache
def _rules_for_shapes(profile: Profile) -> Mapping[str, str]:
    """Return the rules of *profile*, for texts that `_shape_of` returns."""
    return {**profile.rules, "ucschar": f"[{_UCSCHAR}]"} if "ucschar" in profile.rules else profile.rules


_compiled = cache(re.compile)


def _idna_fault(host: str) -> str | None:
    """Return why *host*, which has letters beyond ASCII, is not a host name (RFC 5891); `None` if it is one."""
    # idna would take quadratic time to find out that it is too long.
    return f"longer than {MAX_HOST} characters" if len(host) > MAX_HOST else _idna_error(host)


@lru_cache(maxsize=1024)
def _idna_error(host: str) -> str | None:
    import idna  # noqa: PLC0415 -- its tables are large, and few hosts need them

    try:
        idna.encode(host, uts46=True)
    except idna.IDNAError as error:
        return str(error)
    return None


# Errors


def diagnose(text: str, profile: Profile = WEB) -> URLSyntaxError:
    """Return the error for *text*, which is not a URL under *profile*."""
    templates = tuple(production_template(rule, profile) for rule in rules_for(text, profile))
    error = locate(text, _shape_of(text, profile), templates, _rules_for_shapes(profile))
    return error or _host_error(text, profile)


def _host_error(text: str, profile: Profile) -> URLSyntaxError:
    """Return the error for *text*, which the grammar takes but whose host is not an IDNA name."""
    shape = _shape_of(text, profile)
    matches = (production(rule, profile).fullmatch(shape) for rule in rules_for(text, profile))
    start, end = next(match.span("host") for match in matches if match)
    host = text[start:end]
    for label in host.split("."):
        if not label.isascii() and (reason := _idna_fault(label)):
            offset = next(i for i, character in enumerate(label) if not character.isascii())
            return URLSyntaxError("domainlabel", text, start + offset, f"an IDNA label: {reason}")
        start += len(label) + 1
    return URLSyntaxError("hostname", text, end, str(_idna_fault(host)))


# Departures


def departures(text: str, profile: Profile = WEB) -> tuple[str, ...]:
    """Return the names of the departures that *text*, a URL under *profile*, needs; none if it conforms to RFC 1738.

    A URL needs a departure if the profile without it refuses the URL or reads other parts in it.
    """
    scheme = text.partition(":")[0].lower()
    if scheme == "http" and production("httpurl", RFC1738).fullmatch(text):
        return ()  # of most URLs, in which any profile reads the same parts
    signs = _signs(scheme if scheme in profile.productions else "", profile)
    names = {name: is_proof and "[" not in text for name, has_sign, is_proof in signs if has_sign(text)}
    if all(names.values()):  # of most others, which need not be parsed then
        return tuple(names)
    # One alone is needed if RFC 1738 refuses the URL; to compile the patterns of a profile takes 10 ms.
    strict = None if any(names.values()) else _found(text, RFC1738)
    if len(names) == 1 and strict is None:
        return tuple(names)
    url = _found(text, profile)
    if url == strict:
        return ()
    return tuple(name for name, sure in names.items() if sure or _found(text, _without(profile, name)) != url)


_without = cache(Profile.without)


@cache
def _signs(scheme: str, profile: Profile) -> tuple[tuple[str, Callable[[str], object], bool], ...]:
    """Return the name of each departure that URLs of *scheme* may need, its quick test, and whether that is a proof."""
    rules = _rules_of(scheme, profile)
    return tuple(
        (departure.name, re.compile(departure.sign).search, departure.certain and scheme in ("http", "https"))
        for departure in profile.departures
        if not departure.narrower
        and (scheme in departure.productions or any(edit.rule in rules for edit in departure.edits))
    )


def _rules_of(scheme: str, profile: Profile) -> set[str]:
    """Return the names of all rules that the productions of *scheme* refer to."""
    templates = [production_template(rule, profile) for rule in rules_for(scheme, profile)]
    rules: set[str] = set()
    while templates:
        new = rfc1738.references(templates.pop()) - rules
        rules |= new
        templates.extend(profile.rules[rule] for rule in new)
    return rules
