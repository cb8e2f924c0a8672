"""Public suffixes: the ICANN section of the Public Suffix List, from the package `publicsuffixlist`.

The list is read on first use, which takes 10 ms, and never from the network.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from urlmend.text.limits import MAX_HOST
from urlmend.text.patterns import lazy_regex

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_END = b"// ===END ICANN DOMAINS==="

FILE_ENDINGS = frozenset(
    "ac ads am ani app ar as bat bb bin bm bz cab cal cat cc cfd cl cpa cr csc cu dds do docs dot er fit gl gs guide "
    "hm in inc ink int ist java jmp la lb lc link ls man map mc md mk ml mm mo mov mp ms mu name now pa page ph "
    "pid pk pl pm prof ps pub py qa re rs run sc sh sl so sr st sv tab tc td tf tk vi ws zip".split()
)
"""Suffixes that are also common file endings or names in code: `setup.py`, `libc.so`, `self.name`."""

WORDS = frozenset(
    "able active ad art audio auto baby band bank bar best bet bid bike bio black blog blue book box broker build "
    "business buy call cam camera camp capital car card cards care cars case cash center channel chat city claims "
    "click cloud club codes college community company compare computer contact cool country cover credit dance data "
    "date day deal degree delivery design dev digital direct directory discover doctor dog domains download drive "
    "earth eat education email energy enterprises equipment events exchange expert exposed express fail family fan "
    "fans farm fast feedback film final finance financial fire fish flights fly foo food football forsale forum "
    "foundation free fun fund game games gap garden gift global gold golf goo got graphics green group guru health "
    "help here hockey holiday host hosting hot hotel house how hughes ice id industries ing institute insurance "
    "investments is jobs jot joy kids land latino law lease legal life like limited live living loan locker love "
    "management market marketing markets media meet memorial men menu mini mint mobile mom money monster motorcycles "
    "movie museum music na network new news next observer office one online open orange organic origins pars partners "
    "parts party pay pet phone photo photos pics pictures pin ping pink place play plus post press prime prod "
    "productions progressive promo properties property protection quest racing radio read realty recipes red rent "
    "repair report rest review reviews rich rip rocks room safe safety sale save school science search seat secure "
    "security seek select services seven sex shell shop show silk site skin sky smart smile soccer social software "
    "solar solutions song space sport spot star storage store stream studio study style supplies supply support "
    "systems talk target tax team tech technology tel tickets tips tires today tools top total tours town toys trade "
    "trading training travel trust tube university video vision vote watch watches weather web website windows wine "
    "work works world wow you zero zone".split()
)
"""Suffixes that are also words, which code and prose have after a dot: `request.host`, `reactor.run`, `sci.space`."""

RESERVED = frozenset({"example", "invalid", "test"})
"""Top labels for documentation and tests (RFC 2606)."""

NOT_ALONE = FILE_ENDINGS | WORDS
"""Suffixes under which a lone host is more likely something else."""


@cache
def _rules() -> Mapping[str, list[str]]:
    """Return the rules of the list by their last label."""
    from publicsuffixlist import PSLFILE  # noqa: PLC0415 -- on request only

    rules: dict[str, list[str]] = {}
    with open(PSLFILE, "rb") as file:
        for rule in _RULE.findall(file.read().partition(_END)[0].decode()):
            rules.setdefault(rule.rpartition(".")[2], []).append(rule)
    return rules


_RULE = lazy_regex(r"(?m)^(?!//)\S+")


def _encoded(label: str) -> str:
    # The list is in the normal form that the codec `idna` would make first, three times as slowly.
    return label if label.isascii() else f"xn--{label.encode('punycode').decode()}"


@cache
def top_labels() -> Mapping[str, str]:
    """Return the last labels of all public suffixes in lower case, by themselves and by their form with `xn--`."""
    return {form: label for label in _rules() for form in (label, _encoded(label))}


@lru_cache(maxsize=256)
def _rules_under(top: str) -> "PublicSuffixList":
    """Return the rules whose last label is *top*, in lower case; those beyond ASCII also as `xn--`."""
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 -- as above

    rules = _rules().get(top_labels().get(top, "") if top.startswith("xn--") else top, ())
    forms = {form for rule in rules for form in (rule, ".".join(map(_encoded, rule.split("."))))}
    return PublicSuffixList(forms, accept_unknown=False, accept_encoded_idn=False)


def _registered(host: str, *, accept_unknown: bool) -> str | None:
    """Return the public suffix of *host* and the label before that, in lower case."""
    top = host_of(host).rpartition(".")[2]
    return _rules_under(top).privatesuffix(host, accept_unknown=accept_unknown)


@lru_cache(maxsize=4096)
def public_suffix(host: str) -> str:
    """Return the public suffix of *host* in lower case; `""` if it has none, or is one itself.

    >>> public_suffix("www.A.co.uk"), public_suffix("co.uk"), public_suffix("a.example")
    ('co.uk', '', '')
    """
    under = _registered(host, accept_unknown=False)
    return under.partition(".")[2] if under else ""


_NUMBER = lazy_regex(r"\[.*|(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?", re.IGNORECASE)


def host_of(name: str | None) -> str:
    """Return the host *name* in the form to compare: in lower case, without a final dot; empty if there is none."""
    return (name or "").lower().rstrip(".")


def registrable_domain(host: str | None) -> str | None:
    """Return the registrable domain of *host* in lower case: its public suffix and the label before that.

    A last label that is not in the list counts as a suffix, as https://publicsuffix.org/list/ says. `None` for an IP
    number, for a public suffix itself and without a host.

    >>> [registrable_domain(host) for host in ("www.A.co.uk", "b.a.example.", "co.uk", "192.0.2.1")]
    ['a.co.uk', 'a.example', None, None]
    """
    return _registrable(host) if host and len(host) <= MAX_HOST else None


@lru_cache(maxsize=4096)
def _registrable(host: str) -> str | None:
    return None if _NUMBER.fullmatch(host) else _registered(host, accept_unknown=True)
