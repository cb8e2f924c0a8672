"""Section 5 of the RFC stands in rfc1738.py: every rule once, word for word and in order, with no anchor under it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

import bnf
from urlmend.grammar import rfc1738
from urlmend.grammar.departures import DEPARTURES, Departure
from urlmend.grammar.profiles import PROFILES, RFC1738, WEB, Profile

# The constants that are no rule of the RFC: what follows the bare / of gopherurl, and 1*alphadigit.
BESIDE_THE_RFC = {"gopher_path", "alphadigits"}

# The rules whose sentences the parser chooses among by scheme: the constants alone say less.
CHOSEN_BY_SCHEME = {"url", "otherurl"}

# The rules that stand for one character each, and how many characters that is.
CHARACTERS = (
    ("lowalpha", 26),
    ("hialpha", 26),
    ("alpha", 52),
    ("digit", 10),
    ("alphadigit", 62),
    ("safe", 5),
    ("extra", 6),
    ("national", 9),
    ("punctuation", 5),
    ("reserved", 7),
    ("hex", 22),
    ("unreserved", 73),
)
TEXTS_EACH = 200

# The text of a rule, where it is not plain to see how white space and line wrapping are taken out.
AS_READ = (
    ("digits", "1*digit"),
    ("punctuation", '"<" | ">" | "#" | "%" | <">'),
    ("urlpath", "*xchar"),
    ("encoded822addr", "1*xchar"),
    (
        "url",
        (
            "httpurl | ftpurl | newsurl | nntpurl | telneturl | gopherurl | waisurl | mailtourl | fileurl | prosperourl"
            " | otherurl"
        ),
    ),
    ("gopherurl", '"gopher://" hostport [ / [ gtype [ selector [ "%09" search [ "%09" gopher+_string ] ] ] ] ]'),
    ("hostnumber", 'digits "." digits "." digits "." digits'),
    ("article", '1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host'),
)

# Sentences and non-sentences of rules, for the reader of the BNF itself.
SENTENCES = (
    ("digits", ("0", "0123456789"), ("", "a", "1 ", "\u0661")),
    ("scheme", ("http", "x-y.z+1", "HTTP", "9"), ("", "a_b", "a:")),
    ("escape", ("%00", "%aF"), ("%", "%0", "%0g", "00")),
    ("national", ("\\", "`", "[", "]", "~"), ("", '"', "a")),
    ("punctuation", ('"', "<", "%"), ('<">', "'")),
    ("domainlabel", ("a", "1", "a-b", "a--1"), ("", "-a", "a-", "a.b")),
    ("toplabel", ("a", "a1", "a-b"), ("1", "1a", "a-")),
    ("hostnumber", ("1.2.3.4", "999.0.0.00"), ("1.2.3", "1.2.3.4.5", "1.2.3.a")),
    ("gopherurl", ("gopher://h", "gopher://h/", "gopher://h/0", "gopher://h/0%09"), ("gopher://h/~", "gopher:h")),
    ("ftpurl", ("ftp://h", "FTP://h/;type=a", "ftp://@h/"), ("ftp://h/;type=Z", "ftp://h/;TYPE=a", "ftp://h;type=a")),
    ("otherurl", ("httpx:", "htt:", "h:", "ftp+http://", "1:x"), ("http:", "HTTP:x", "x", ":", "")),
    ("url", ("news:*", "wais://h/d", "x:"), ("news:", "wais://h/d/t", "http:x", "prospero:x")),
    ("http", ("http://h", "http://h/p?s"), ("http://h?s", "https://h", "ftp://h")),
)


def one_line(text: str) -> str:
    return " ".join(text.split())


def rfc_rules(text: str) -> list[tuple[str, str]]:
    """The rules of section 5 as (name, text on one line), in order: no page furniture, no comments."""
    start, end = text.find("\n5. BNF"), text.find("\n6. Security")
    rules: list[tuple[str, str]] = []
    inside = False
    for line in text[start + 1 : end if end >= 0 else None].splitlines():
        if re.search(r"\[Page [\d-]+\]$|^\f|^RFC 1738 .* 1994$|^;", line):
            continue
        line = re.sub(r"\s;\s.*", "", line)  # noqa: PLW2901 -- the line without its comment
        if match := re.fullmatch(r"([a-z][\w+-]*) *= (\S.*)", line):
            rules.append((match[1], one_line(match[2])))
            inside = True
        elif inside and line.startswith(" "):
            rules[-1] = (rules[-1][0], one_line(f"{rules[-1][1]} {line}"))
        else:
            inside = False
    return rules


def seed(name: str) -> str:
    if "URLMEND_SHARED" not in os.environ:
        pytest.skip("URLMEND_SHARED is not set: the text of the RFC is not there to compare with")
    return (Path(os.environ["URLMEND_SHARED"]) / "seeds" / name).read_text("latin-1")


def constant(rule: str) -> str:
    return re.sub("[^a-z0-9]+", "_", rule)


OURS = list(bnf.TEXTS.items())


# The lines are the RFC's rules


@pytest.mark.parametrize("name", ["rfc1738.txt", "rfc1738-bnf.txt"])
def test_every_rule_of_the_rfc_stands_once_and_in_its_order_and_no_other(name: str) -> None:
    theirs = rfc_rules(seed(name))
    assert len(theirs) == 67
    assert theirs == OURS


@pytest.mark.parametrize(("rule", "text"), AS_READ)
def test_lines_are_read_as_rules(rule: str, text: str) -> None:
    assert [text] == [ours for name, ours in OURS if name == rule]


def test_every_pattern_has_its_rule_and_is_in_the_order_of_the_rfc() -> None:
    assert [name for name in rfc1738.RULES if name not in BESIDE_THE_RFC] == [constant(rule) for rule, _ in OURS]
    assert set(rfc1738.RULES) == set(rfc1738.BNF) > BESIDE_THE_RFC


# The patterns


def loose_ends(pattern: str) -> list[str]:
    """The anchors, word boundaries and looks around in *pattern*: `^ $` outside sets, and escapes and groups."""
    bare = re.sub(r"\[\^?(?:\\.|[^\]\\])+\]", "", pattern)
    return re.findall(r"\\[AZbBzG]|\(\?<?[=!]|(?<!\\)[\^$]", bare)


@pytest.mark.parametrize("pattern", [r"^a", r"a$", r"\Aa", r"a\Z", r"\ba", "(?=a)", "(?<!a)b", r"[\^]^"])
def test_loose_ends_are_found(pattern: str) -> None:
    assert len(loose_ends(pattern)) == 1


@pytest.mark.parametrize("rules", [RFC1738.rules, WEB.rules], ids=["RFC1738", "WEB"])
def test_no_pattern_has_an_anchor(rules: Mapping[str, str]) -> None:
    assert len(rules) > 67
    assert {rule: found for rule, pattern in rules.items() if (found := loose_ends(pattern))} == {}


@pytest.mark.parametrize("rules", [RFC1738.rules, WEB.rules], ids=["RFC1738", "WEB"])
def test_every_reference_resolves_and_every_rule_compiles(rules: Mapping[str, str]) -> None:
    references = {name for pattern in rules.values() for name in re.findall(r"(?<!\?P)<(\w+)>", pattern)}
    assert len(references) > 40
    assert references - set(rules) == set()
    for rule in rules:
        pattern = re.compile(rfc1738.expand(f"<{rule}>", rules))
        assert "<" not in re.sub(r"\(\?P<\w+>|\[(?:\\.|[^\]\\])+\]", "", pattern.pattern), rule


@pytest.mark.parametrize(("rule", "size"), CHARACTERS)
def test_each_class_has_the_characters_of_its_rule(rule: str, size: int) -> None:
    pattern = rfc1738.expand(f"<{rule}>", rfc1738.RULES)
    ours = [character for character in map(chr, range(0x250)) if re.fullmatch(pattern, character)]
    assert ours == [character for character in map(chr, range(0x250)) if bnf.accepts(rule, character)]
    assert len(ours) == size


@pytest.mark.parametrize("rule", [rule for rule, _ in OURS if rule not in CHOSEN_BY_SCHEME])
def test_each_constant_takes_what_its_rule_takes(rule: str) -> None:
    random = Random(f"constant {rule}")
    pattern = re.compile(rfc1738.expand(f"<{constant(rule)}>", rfc1738.RULES), re.ASCII | re.DOTALL)
    sentences = [bnf.generate(rule, random) for _ in range(TEXTS_EACH)]
    faults = [bnf.mutated(text or "a", random) for text in sentences]
    assert [text for text in sentences if not pattern.fullmatch(text)] == []
    assert [text for text in faults if bool(pattern.fullmatch(text)) != bnf.accepts(rule, text)] == []
    assert any(not bnf.accepts(rule, text) for text in faults)


@pytest.mark.slow
@pytest.mark.parametrize("departure", DEPARTURES, ids=lambda departure: departure.name)
def test_the_web_without_any_one_departure_has_no_loose_reference(departure: Departure) -> None:
    profile = WEB.without(departure.name)
    for scheme, productions in profile.productions.items():
        for production in productions:
            assert re.compile(rfc1738.expand(f"<{production}>", profile.rules)), scheme


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_every_rule_of_the_rfc_is_used(profile: Profile) -> None:
    used = {"otherurl", *(rule for row in profile.productions.values() for rule in row)}
    while new := {name for rule in used for name in re.findall(r"(?<!\?P)<(\w+)>", profile.rules[rule])} - used:
        used |= new
    # No production of its own reaches the choice of productions and the characters left out, and `run` writes uchar as
    # the two rules that it is made of.
    unused = {"url", "waisurl", "national", "punctuation", "gopher_string", "uchar"}
    assert {constant(rule) for rule, _ in OURS} - used == unused


# The reader of the BNF


@pytest.mark.parametrize(("rule", "good", "bad"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_the_twin_reads_the_bnf(rule: str, good: tuple[str, ...], bad: tuple[str, ...]) -> None:
    assert [text for text in good if not bnf.accepts(rule, text)] == []
    assert [text for text in bad if bnf.accepts(rule, text)] == []


@pytest.mark.parametrize("text", ["", '"a', "a |", "[ a", "a ]", "( a )", "2"])
def test_the_twin_refuses_what_is_no_bnf(text: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        bnf.read(text)


def test_the_twin_knows_the_ten_schemes() -> None:
    assert sorted(bnf.SCHEMES) == sorted(rfc1738.PRODUCTIONS)
    assert len(bnf.SCHEMES) == 10
