"""Profiles: the grammars that a URL can be parsed with.

`RFC1738` is section 5 of the RFC, as in `grammar.rfc1738`. `WEB` is the grammar of deployed URLs: the same rules with
the departures of `grammar.departures`, each a small edit of named rules, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

from urlmend.grammar import rfc1738
from urlmend.grammar.departures import DEPARTURES, Departure, Edit


@dataclass(frozen=True, slots=True)
class Profile:
    """A named grammar: the rules of RFC 1738 with *departures* applied in order.

    `rules` has the pattern of each rule by name, `productions` the rules for the URLs of each lower-case scheme. A
    profile is a key of every table of compiled patterns, so its hash is that of its name.

    >>> from urlmend import RFC1738, WEB, find_urls
    >>> WEB
    Profile(name='WEB')
    >>> find_urls("http://a.example/~jane", profile=RFC1738)
    []
    >>> "https" in WEB.productions, "https" in RFC1738.productions
    (True, False)
    >>> find_urls("http://a.example/b#c", profile=WEB.without("fragment"))
    []
    """

    name: str
    departures: tuple[Departure, ...] = field(default=(), repr=False)
    rules: Mapping[str, str] = field(init=False, repr=False, compare=False)
    productions: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rules = dict(rfc1738.RULES)
        productions = dict(rfc1738.PRODUCTIONS)
        for departure in self.departures:
            for edit in departure.edits:
                if not edit.old:
                    rules[edit.rule] = edit.new
                elif edit.rule in rules:
                    rules[edit.rule] = _edited(rules[edit.rule], edit)
            productions.update(departure.productions)
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "productions", productions)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickle a profile of this module by name, so that it stays the same object, and others by their fields."""
        return self.name if globals().get(self.name) is self else (Profile, (self.name, self.departures))

    def without(self, *names: str) -> "Profile":
        """Return this profile without the departures called *names*. Raises `ValueError` for a name it lacks."""
        if unknown := set(names) - {departure.name for departure in self.departures}:
            raise ValueError(f"profile {self.name} has no departure {', '.join(sorted(unknown))}")
        kept = tuple(departure for departure in self.departures if departure.name not in names)
        return Profile("-".join((self.name, *names)), kept)


def _edited(pattern: str, edit: Edit) -> str:
    if edit.old not in pattern:
        raise ValueError(f"departure does not fit rule {edit.rule}: {edit.old!r} in {pattern!r}")
    return pattern.replace(edit.old, edit.new)


RFC1738 = Profile("RFC1738")
"""The grammar of RFC 1738 section 5, but its `otherurl` is only for schemes without a rule of their own."""

WEB = Profile("WEB", DEPARTURES)
"""The grammar of deployed URLs (the default)."""

PROFILES: Mapping[str, Profile] = {"web": WEB, "rfc1738": RFC1738}
"""The profiles by their names on the command line."""


def profile_of(profile: Profile | str) -> Profile:
    """Return *profile*, or the one with that name in PROFILES. Raise `ValueError` for a name that is not there."""
    if isinstance(profile, Profile):
        return profile
    if not isinstance(profile, str):
        raise TypeError(f"profile must be a Profile, such as urlmend.WEB, or its name, not {profile!r}")
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {', '.join(PROFILES)}, not {profile!r}")
    return PROFILES[profile]
