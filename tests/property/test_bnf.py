"""The patterns of RFC 1738 against its BNF, which bnf.py runs as it is written, and the BNF against the RFC."""

import os
import re
from pathlib import Path
from random import Random

import pytest

import bnf
from urlmend import RFC1738, WEB, Profile, URLSyntaxError, parse
from urlmend.grammar import rfc1738
from urlmend.grammar.parser import parse_or_none

PIECES = {"gopher_path", "alphadigits"}
"""Patterns that are not a rule of the RFC."""

CHOSEN_BY_SCHEME = {"url", "otherurl"}
"""Rules whose sentences the parser chooses among by scheme: their patterns alone take more."""

# The rules for one character each, and how many characters that is.
CHARACTERS = {"lowalpha": 26, "hialpha": 26, "alpha": 52, "digit": 10, "alphadigit": 62, "safe": 5, "extra": 6}
CHARACTERS |= {"national": 9, "punctuation": 5, "reserved": 7, "hex": 22, "unreserved": 73}

URL_RULES = (*bnf.SCHEMES, "otherurl")
SEED = 1738
EACH = [50, pytest.param(500, marks=pytest.mark.slow)]


def pattern_name(rule: str) -> str:
    return re.sub("[^a-z0-9]+", "_", rule)


# The lines of the BNF


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
            rules.append((match[1], " ".join(match[2].split())))
            inside = True
        elif inside and line.startswith(" "):
            rules[-1] = (rules[-1][0], " ".join(f"{rules[-1][1]} {line}".split()))
        else:
            inside = False
    return rules


@pytest.mark.skipif("URLMEND_SHARED" not in os.environ, reason="URLMEND_SHARED is not set: the folder with the RFC")
@pytest.mark.parametrize("name", ["rfc1738.txt", "rfc1738-bnf.txt"])
def test_every_rule_of_the_rfc_is_there_once_in_its_order_and_no_other(name: str) -> None:
    theirs = rfc_rules(Path(os.environ["URLMEND_SHARED"], "seeds", name).read_text("latin-1"))
    assert len(theirs) == 67
    assert theirs == list(bnf.TEXTS.items())


def test_every_rule_has_a_pattern_in_the_order_of_the_rfc() -> None:
    assert [name for name in rfc1738.RULES if name not in PIECES] == list(map(pattern_name, bnf.TEXTS))
    assert set(rfc1738.RULES) == set(rfc1738.BNF) > PIECES
    assert rfc1738.BNF["gopher_path"] == rfc1738.BNF["gopherurl"]
    assert rfc1738.BNF["hialpha"].count("\n") == 2


# The patterns


@pytest.mark.parametrize("profile", [RFC1738, WEB], ids=lambda profile: profile.name)
def test_patterns_have_no_anchors_and_refer_to_rules(profile: Profile) -> None:
    # `re` takes long to compile the class of letters beyond ASCII.
    rules = {**profile.rules, "ucschar": "[\xa0]"}
    for rule, pattern in rules.items():
        outside_classes = re.sub(r"\[\^?(?:\\.|[^\]\\])+\]", "", pattern)
        assert not re.search(r"\\[AZbBzG]|\(\?<?[=!]|(?<!\\)[\^$]", outside_classes), rule
        assert re.compile(rfc1738.expand(f"<{rule}>", rules)), rule


@pytest.mark.parametrize(("rule", "size"), CHARACTERS.items())
def test_a_class_has_the_characters_of_its_rule(rule: str, size: int) -> None:
    pattern = rfc1738.expand(f"<{rule}>", rfc1738.RULES)
    characters = list(map(chr, range(0x250)))
    ours = [character for character in characters if re.fullmatch(pattern, character)]
    assert ours == [character for character in characters if bnf.accepts(rule, character)]
    assert len(ours) == size


@pytest.mark.parametrize("rule", [rule for rule in bnf.TEXTS if rule not in CHOSEN_BY_SCHEME])
def test_a_pattern_takes_what_its_rule_takes(rule: str) -> None:
    random = Random(f"constant {rule}")
    pattern = re.compile(rfc1738.expand(f"<{pattern_name(rule)}>", rfc1738.RULES), re.ASCII | re.DOTALL)
    sentences = [bnf.generate(rule, random) for _ in range(50)]
    faults = [bnf.mutated(text or "a", random) for text in sentences]
    assert [text for text in sentences if not pattern.fullmatch(text)] == []
    assert [text for text in faults if bool(pattern.fullmatch(text)) != bnf.accepts(rule, text)] == []
    assert any(not bnf.accepts(rule, text) for text in faults)


# The parser


@pytest.mark.parametrize("each", EACH)
@pytest.mark.parametrize("rule", URL_RULES)
def test_the_parser_agrees_with_the_bnf(rule: str, each: int) -> None:
    """Every sentence is a URL of its scheme; a mutated one is where the BNF says so, or fails where the BNF ends."""
    random = Random(f"{SEED} {rule}")
    wrong, refused = [], 0
    for _ in range(each):
        text = bnf.generate(rule, random)
        url = parse(text, RFC1738)
        if not bnf.accepts(url.scheme if url.scheme in bnf.SCHEMES else "otherurl", text) or str(url) != text:
            wrong.append(text)
        fault = bnf.mutated(text, random)
        try:
            parse(fault, RFC1738)
        except URLSyntaxError as error:
            refused += 1
            if bnf.accepts("url", fault) or error.pos != bnf.viable(fault):
                wrong.append(fault)
        else:
            if not bnf.accepts("url", fault):
                wrong.append(fault)
    assert wrong == []
    assert each // 5 < refused < each


@pytest.mark.parametrize("each", [10, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rule", URL_RULES)
def test_a_truncated_url_fails_at_its_end_or_is_a_url(rule: str, each: int) -> None:
    random = Random(f"{SEED} {rule} cut")
    wholes = [bnf.generate(rule, random) for _ in range(each)]
    for text in sorted({whole[:at] for whole in wholes for at in range(len(whole))}):
        if parse_or_none(text, RFC1738) is None:
            assert not bnf.accepts("url", text), text
            with pytest.raises(URLSyntaxError) as caught:
                parse(text, RFC1738)
            assert caught.value.pos == len(text), text
        else:
            assert bnf.accepts("url", text), text
