"""The facts that belong to the text of a URL: its parts, domain, departures, notes and target."""

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from urlmend.grammar.parser import departures, parse
from urlmend.grammar.profiles import WEB, Profile
from urlmend.grammar.unwrap import unwrap, wrappings_on
from urlmend.text.patterns import IPV4, NAME, SCHEME, lazy_regex
from urlmend.text.suffixes import host_of, registrable_domain

if TYPE_CHECKING:
    from urlmend.grammar.security import SecurityWarning
    from urlmend.grammar.urls import URL

LONGEST_KEPT = 1024
"""The longest URL, in characters, whose facts are remembered: those of all take a few megabytes at most."""

# Every profile agrees on where the host of such a URL is, and loading their grammars takes 10 ms a scheme.
_ORDINARY = lazy_regex(
    rf"(?!(?i:mailto:/|news:/.*@)){SCHEME}:"
    rf"(?:(?!//[^/])|//(?P<host>{IPV4}|{NAME})(?::[0-9]{{1,4}})?(?:[/#]|\Z))"
)

# The shape of most URLs: ASCII without `xn--`; after `//` a name or an IPv4 number, no login and no reserved port; no
# escapes of control characters, of octets with which directional controls begin, and of the `|` in SafeLinks addresses.
_HARMLESS = lazy_regex(
    rf"[^:%@]*+:(?!.*[xX][nN]--)(?:(?!//)|//(?:(?![0-9])|(?={IPV4}(?![0-9.])))[!-$&-.0-9;-?A-~]*+(?::(?!0|10)[0-9]{{4,}}+)?(?:/|\Z))"
    r"[!-$&-~]*+(?:%(?!0|7[cC]|[dD]8|[eE]2)[!-$&-~]*+)*+"
)


class URLFacts:
    """What the text of a URL says, each fact worked out when it is first asked for.

    *url* is a URL under *profile*, and `scheme` its scheme in lower case.
    """

    no_target: None = None
    """The target where none is asked for: to find one takes time."""

    def __init__(self, url: str, profile: Profile) -> None:
        self.url = url
        self.scheme = url.partition(":")[0].lower()
        self._profile = profile

    @cached_property
    def parts(self) -> "URL":
        """The URL as a value of its scheme's class."""
        return parse(self.url, self._profile)

    @cached_property
    def host(self) -> str | None:
        """The host, as it is written; `None` if there is none."""
        ordinary = _ORDINARY.match(self.url)
        return ordinary["host"] if ordinary else self.parts.host

    @cached_property
    def host_name(self) -> str | None:
        """The host in the form to compare: in lower case, without a final dot; `None` if it is empty."""
        return host_of(self.host) or None

    @cached_property
    def domain(self) -> str | None:
        """The registrable domain of the host."""
        return registrable_domain(self.host)

    @cached_property
    def departures(self) -> tuple[str, ...]:
        """The names of the departures by which the URL is not RFC 1738; empty if it conforms."""
        return departures(self.url, self._profile)

    @cached_property
    def warnings(self) -> "tuple[SecurityWarning, ...]":
        """The security notes (RFC 1738 section 6, and `grammar.security`)."""
        if _HARMLESS.fullmatch(self.url) and not wrappings_on(self.host):
            return ()
        from urlmend.grammar.security import warnings  # noqa: PLC0415 -- few URLs have notes

        return tuple(warnings(self.parts))

    @cached_property
    def warning_names(self) -> tuple[str, ...]:
        """The names of the security notes, each once."""
        return tuple(dict.fromkeys(warning.name for warning in self.warnings))

    @cached_property
    def target(self) -> str | None:
        """The address that the URL wraps, as `unwrap` returns it; `None` if there is none or a part of it is lost."""
        return unwrap(self.parts) if wrappings_on(self.host) else None

    @cached_property
    def target_host(self) -> str | None:
        """The `host_name` of the target."""
        return facts_of(self.target).host_name if self.target else None

    @cached_property
    def target_domain(self) -> str | None:
        """The registrable domain of the target's host."""
        return facts_of(self.target).domain if self.target else None


def facts_of(url: str, profile: Profile = WEB) -> URLFacts:
    """Return the facts of *url*. Those of recent URLs, of up to LONGEST_KEPT characters, are remembered."""
    return (_kept_facts if len(url) <= LONGEST_KEPT else URLFacts)(url, profile)


# In archives three of four URLs are repeats.
_kept_facts = lru_cache(maxsize=2048)(URLFacts)
