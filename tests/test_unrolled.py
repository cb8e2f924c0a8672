"""A pattern made quick matches and captures what the expanded one does."""

import re
from random import Random

import pytest

import bnf
from urlmend.grammar import rfc1738
from urlmend.grammar.departures import DEPARTURES
from urlmend.grammar.parser import production_template
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.unrolled import unrolled
from urlmend.grammar.urls import CLASSES

WEB_LETTERS = "~{}|^[]#%é/?@:.-_"
PROFILES = (RFC1738, WEB, WEB.without("iri"), WEB.without("escaped-host", "message-id"))


def texts(rule: str) -> list[str]:
    random = Random(f"unrolled {rule}")
    name = rule.partition("_")[0] if rule not in ("waisdatabase", "waisindex", "waisdoc") else "waisurl"
    made = [bnf.generate(name, random) for _ in range(150)]
    made += [bnf.mutated(text, random) for text in made]
    for text in made[:150]:
        at = random.randrange(len(text) + 1)
        made.append(text[:at] + random.choice(WEB_LETTERS) + text[at:])
    return made + [departure.example for departure in DEPARTURES]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
@pytest.mark.parametrize("rule", CLASSES)
def test_the_same_strings_and_captures(rule: str, profile: Profile) -> None:
    if rule not in profile.rules:
        return
    fields = CLASSES[rule].__dataclass_fields__.keys()
    pattern = rfc1738.expand(production_template(rule, profile), profile.rules, fields)
    plain, quick = (re.compile(text, re.ASCII | re.DOTALL) for text in (pattern, unrolled(pattern)))
    matched = 0
    for text in texts(rule):
        found, same = plain.fullmatch(text), quick.fullmatch(text)
        assert (found and found.groupdict()) == (same and same.groupdict()), text
        ahead, same = plain.match(text), quick.match(text)
        assert (ahead and ahead.span()) == (same and same.span()), text
        matched += found is not None
    assert matched


@pytest.mark.parametrize(
    ("pattern", "quick"),
    [
        ("(?:(?:[a-z])|(?:[0-9]))", "[a-z0-9]"),
        ("(?:[+.-]|[a-z])x", r"[+.\-a-z]x"),
        ("(?:[-+]|[a-z])*", r"[\-+a-z]*"),
        ("(?:[a-z]|%[0-9])*", "(?:[a-z]*(?:%[0-9][a-z]*)*)"),
        ("(?:%[0-9]|[a-z])+", "(?:(?:[a-z]|%[0-9])[a-z]*(?:%[0-9][a-z]*)*)"),
        ("(?:(?:(?:[a-z]|%[0-9])|[;:])|~)", "(?:[a-z;:~]|%[0-9])"),
        ("(?:[a-z%]|%[0-9])*", "(?:[a-z%]|%[0-9])*"),
        ("(?:[a-z]|abc)*", "(?:[a-z]|abc)*"),
        ("(?:[(?:x]|[|)])", "[(?:x|)]"),
        (r"(?:\.|[a-z])", r"[\.a-z]"),
        ("(?:a|b*)", "(?:a|b*)"),
        ("(?:ab|cd)?", "(?:ab|cd)?"),
        ("(?:[a-z]|b*)*", "(?:[a-z]|b*)*"),
        ("[a-z](?:(?:[a-z]|-)*[a-z])?", "[a-z][a-z]*+(?:-++[a-z][a-z]*+)*+"),
        ("[a-z](?:(?:[a-z]|-)*[0-9])?", r"[a-z](?:[a-z\-]*[0-9])?"),
        ("(?P<user>(?:[a-z]|%[0-9][0-9])*)@", "(?P<user>[a-z]*+(?:%[0-9][0-9][a-z]*+)*+)@"),
        ("(?P<user>(?:[a-z@]|%[0-9][0-9])*)@", "(?P<user>(?:[a-z@]*(?:%[0-9][0-9][a-z@]*)*))@"),
    ],
)
def test_unrolled(pattern: str, quick: str) -> None:
    assert unrolled(pattern) == quick
