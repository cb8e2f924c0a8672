"""The address inside a wrapping one: what a filter of mail, or a site's redirect, has put its own address around."""

import re
from typing import NamedTuple

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.profiles import WEB
from urlmend.grammar.urls import URL, HttpURL
from urlmend.grammar.wrapping.rules import SAFELINKS, Rule, is_mangled, rules_of

MAX_NESTED = 8
"""How many addresses may stand one in the other. Mail that went through three filters has three."""

_SCHEMES = ("http", "https", "ftp")
"""The schemes that are wrapped. Another one is a mutilated address."""


_AMPERSAND = re.compile("&(?:amp;)?")


class Unwrapped(NamedTuple):
    """What an address wraps: the `target`; or nothing, and then the name of the rule whose address has `lost` a part.

    Of an address that wraps nothing both are `None`.
    """

    target: str | None = None
    lost: str | None = None


_NOTHING = Unwrapped()


def unwrap(url: URL | str) -> str | None:
    """Return the address that *url* wraps, a URL or its text; `None` where it wraps none, or has lost a part of it.

    Filters of mail (Outlook SafeLinks, Proofpoint, ...) and redirects of sites (Google, Facebook, ...) put their own
    address around another one. `rules.RULES` has them. Nested ones are followed, up to MAX_NESTED. Nobody is asked,
    nothing is guessed, and no text raises.

    >>> unwrap("https://www.google.com/url?q=https%3A%2F%2Fa.example%2Fb&sa=D")
    'https://a.example/b'
    >>> unwrap("https://a.example/b") is None
    True
    """
    return unwrapped(url).target


def unwrapped(url: URL | str) -> Unwrapped:
    """Return what *url* wraps."""
    outer = url if isinstance(url, URL) else parse_or_none(url)
    if outer is None:
        return _NOTHING
    found = _NOTHING
    for _ in range(MAX_NESTED):
        rule = _rule_of(outer)
        if rule is None:
            return Unwrapped(lost=SAFELINKS) if is_mangled(outer.text) else found
        inner = _inside(outer, rule)
        if inner is None:
            return Unwrapped(lost=rule.name)
        outer, found = inner, Unwrapped(inner.text)
    rule = _rule_of(outer)
    return Unwrapped(lost=rule.name) if rule else found


def _rule_of(url: URL) -> Rule | None:
    if not isinstance(url, HttpURL):
        return None
    return next((rule for rule in rules_of(url.host) if rule.path.match(url.path or "/")), None)


def _inside(url: URL, rule: Rule) -> URL | None:
    """Return the URL that *url* wraps by *rule*; `None` where it has lost a part."""
    value = _value(url, rule)
    address = None if value is None else rule.decode(value)
    found = None if address is None else parse_or_none(address, WEB)
    return found if found is not None and found.scheme in _SCHEMES and found.host else None


def _value(url: URL, rule: Rule) -> str | None:
    if rule.inside is not None:
        query = url.query
        match = rule.inside.match(url.path if query is None else f"{url.path}?{query}")
        return match[1] if match else None
    pairs = [pair.partition("=") for pair in _AMPERSAND.split(url.query or "")]
    names = [name for name, _, _ in pairs]
    for parameter in rule.parameters:
        if parameter in names:
            at = names.index(parameter)
            value, following = pairs[at][2], names[at + 1 :]
            # An address that is not encoded and has a query may own the parameters behind it.
            is_ambiguous = "://" in value and "?" in value and following[:1] and following[0] not in rule.behind
            is_cut = rule.behind and not set(following).intersection(rule.behind)
            return None if is_ambiguous or is_cut else value
    return None
