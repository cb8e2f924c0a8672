"""The facts that belong to the text of a URL: its parts, domain, departures, notes and target."""

from functools import cached_property, lru_cache

from urlmend.grammar.parser import departures, parse
from urlmend.grammar.profiles import WEB, Profile
from urlmend.grammar.security import SecurityWarning, may_warn, warnings
from urlmend.grammar.unwrap import rules_of, unwrap, unwrapped
from urlmend.text.suffixes import registrable_domain

LONGEST_KEPT = 1024
"""The longest URL, in characters, whose facts are remembered: those of all take a few megabytes at most."""


class URLFacts:
    """What the text of a URL says, each fact worked out when it is first asked for.

    `parts` is the URL as a value of its scheme's class, `scheme` is in lower case, and `host` as it is written. Raises
    `URLSyntaxError` where *url* is not a URL under *profile*.
    """

    no_target: None = None
    """The target where none is asked for: to find one takes time."""

    def __init__(self, url: str, profile: Profile) -> None:
        self.url = url
        self.parts = parse(url, profile)
        self.scheme, self.host = self.parts.scheme, self.parts.host
        self._profile = profile

    @cached_property
    def domain(self) -> str | None:
        """The registrable domain of the host."""
        return registrable_domain(self.host)

    @cached_property
    def departures(self) -> tuple[str, ...]:
        """The names of the departures by which the URL is not RFC 1738; empty if it conforms."""
        return departures(self.parts, self._profile)

    @cached_property
    def notes(self) -> tuple[SecurityWarning, ...]:
        """The security notes (RFC 1738 section 6, and `grammar.security`)."""
        if not may_warn(self.url) and not rules_of(self.host):
            return ()
        lost = unwrapped(self.parts).lost
        text = f"is an address of {lost} that has lost a part: what it wraps is not known"
        return (*warnings(self.parts), *[SecurityWarning("lost-target", text)] * bool(lost))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """The names of the security notes, each once."""
        return tuple(dict.fromkeys(note.name for note in self.notes))

    @cached_property
    def target(self) -> str | None:
        """The address that the URL wraps, as `unwrap` returns it; `None` if there is none or a part of it is lost."""
        return unwrap(self.parts)

    @cached_property
    def target_domain(self) -> str | None:
        """The registrable domain of the target's host."""
        return facts_of(self.target).domain if self.target else None


def facts_of(url: str, profile: Profile = WEB) -> URLFacts:
    """Return the facts of *url*. Those of the last URLs of up to LONGEST_KEPT characters are remembered."""
    return (_kept_facts if len(url) <= LONGEST_KEPT else URLFacts)(url, profile)


# In archives three of four URLs are repeats.
_kept_facts = lru_cache(maxsize=2048)(URLFacts)
