"""The BNF of RFC 1738 section 5, run as it is written: a second opinion on the patterns of `urlmend.grammar.rfc1738`.

The rules are read from `rfc1738.BNF`, which property/test_bnf.py compares with the RFC. The patterns beside them are
not read, and no code of urlmend runs. Two decisions of the project are shared:

- Case does not matter in scheme names (sections 2.1 and 5: "interpreters should use case-ignore").
- `otherurl` is for schemes other than the ten that have a rule of their own.

A rule becomes a regular expression, which `regex` runs: it knows whether a text may be the beginning of a sentence.
"""

import re
from dataclasses import dataclass
from functools import cache
from random import Random

import regex

from urlmend.grammar.rfc1738 import BNF

TOKEN = re.compile(
    r'\s*(?:"(?P<literal>[^"]+)"|(?P<quote><">)|(?P<slash>/)|(?P<name>[a-z][\w+-]*)|(?P<sign>\d*\*|[\[\]|]))'
)
SCHEME_LITERAL = re.compile(r"([a-z]+):(?://)?")

# What a mutation puts in: every ASCII special, some letters and digits, blanks, controls, and characters beyond ASCII.
FAULTS = (
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    "aAzZgGfF09 \t\n\r\x00\x1f\x7f"
    "\u0085\u00a0\u00ad\u00fc\u0130\u0131\u017f\u0660\u200b\u2028\u212a\u3002\uff10\ud800\U0001f600"
)


# The notation


@dataclass(frozen=True)
class Literal:
    text: str
    fold: bool


@dataclass(frozen=True)
class Rule:
    name: str


@dataclass(frozen=True)
class Sequence:
    items: tuple["Node", ...]


@dataclass(frozen=True)
class Choice:
    options: tuple["Node", ...]


@dataclass(frozen=True)
class Repeat:
    item: "Node"
    low: int
    once: bool  # at most once: an optional element


Node = Literal | Rule | Sequence | Choice | Repeat


def read(text: str) -> Node:
    """Read one rule: `choice = sequence *("|" sequence)`, `sequence = 1*(["n*"] element)`, `[...]` a group."""
    tokens: list[re.Match[str]] = []
    at = 0
    while at < len(text.rstrip()):
        token = TOKEN.match(text, at)
        if token is None:
            message = f"not the RFC's BNF: {text[at:]!r}"
            raise ValueError(message)
        tokens.append(token)
        at = token.end()
    tokens.reverse()
    node = _choice(tokens)
    if tokens:
        message = f"left over: {text!r}"
        raise ValueError(message)
    return node


def _choice(tokens: list[re.Match[str]]) -> Node:
    options = [_sequence(tokens)]
    while tokens and tokens[-1]["sign"] == "|":
        tokens.pop()
        options.append(_sequence(tokens))
    return options[0] if len(options) == 1 else Choice(tuple(options))


def _sequence(tokens: list[re.Match[str]]) -> Node:
    items = [_item(tokens)]
    while tokens and tokens[-1]["sign"] not in ("|", "]"):
        items.append(_item(tokens))
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _item(tokens: list[re.Match[str]]) -> Node:
    token = tokens.pop()
    if token["sign"] and token["sign"].endswith("*"):
        item = _group(tokens) if tokens[-1]["sign"] == "[" else _item(tokens)
        return Repeat(item, int(token["sign"][:-1] or "0"), once=False)
    if token["sign"] == "[":
        tokens.append(token)
        return Repeat(_group(tokens), 0, once=True)
    if token["sign"]:
        message = f"unexpected {token['sign']!r}"
        raise ValueError(message)
    if token["name"]:
        return Rule(token["name"])
    literal = token["literal"] or token["slash"] or '"'
    return Literal(literal, SCHEME_LITERAL.fullmatch(literal) is not None)


def _group(tokens: list[re.Match[str]]) -> Node:
    tokens.pop()
    node = _choice(tokens)
    if not tokens or tokens.pop()["sign"] != "]":
        message = "a bracket is not closed"
        raise ValueError(message)
    return node


TEXTS = {name: " ".join(text.split()) for name, text in (re.split(" *= ", bnf, maxsplit=1) for bnf in BNF.values())}
"""The text of each rule on one line, by the RFC's name."""

RULES = {name: read(text) for name, text in TEXTS.items()}


def _schemes(rule: str) -> set[str]:
    """Return the scheme names with which sentences of *rule* begin."""
    node = RULES[rule]
    if isinstance(node, Choice):
        return set().union(*(_schemes(option.name) for option in node.options if isinstance(option, Rule)))
    first = node.items[0] if isinstance(node, Sequence) else node
    scheme = SCHEME_LITERAL.fullmatch(first.text) if isinstance(first, Literal) else None
    return {scheme[1]} if scheme else set()


def _scheme_rules() -> dict[str, str]:
    url = RULES["url"]
    assert isinstance(url, Choice)
    names = [option.name for option in url.options if isinstance(option, Rule) and option.name != "otherurl"]
    return {scheme: name for name in names for scheme in _schemes(name)}


SCHEMES = _scheme_rules()
"""The rule of each of the ten schemes."""


# Questions


def _pattern(node: Node) -> str:
    """Return *node* as a regular expression: the grammar has no recursion."""
    match node:
        case Literal(text, fold):
            return f"(?i:{regex.escape(text)})" if fold else regex.escape(text)
        case Rule("otherurl"):
            return f"(?!(?i:{'|'.join(SCHEMES)}):){_pattern(RULES['otherurl'])}"
        case Rule(name):
            return f"(?i:{_pattern(RULES[name])})" if name == "scheme" else _pattern(RULES[name])
        case Sequence(items):
            return "".join(map(_pattern, items))
        case Choice(options):
            return f"(?:{'|'.join(map(_pattern, options))})"
        case Repeat(item, low, once):
            return f"(?:{_pattern(item)}){'?' if once else f'{{{low},}}'}"


@cache
def _compiled(rule: str) -> regex.Pattern[str]:
    return regex.compile(_pattern(Rule(SCHEMES.get(rule, rule))), regex.ASCII)


def accepts(rule: str, text: str) -> bool:
    """Return whether *text* is a sentence of *rule*; the name of a scheme means the scheme's rule."""
    return _compiled(rule).fullmatch(text) is not None


def viable(text: str) -> int:
    """Return the length of the longest prefix of *text* with which some URL starts."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        begins = _compiled("url").fullmatch(text[:middle], partial=True)
        low, high = (middle, high) if begins else (low, middle - 1)
    return low


def generate(rule: str, random: Random) -> str:
    """Return a sentence of *rule*, each repetition of which is short; scheme names in any case."""
    if rule == "otherurl":
        while (scheme := generate("scheme", random)).lower() in SCHEMES:
            pass
        return f"{scheme}:{generate('schemepart', random)}"
    text = _sentence(RULES[SCHEMES.get(rule, rule)], random)
    return _any_case(text, random) if rule == "scheme" else text


def _sentence(node: Node, random: Random) -> str:
    match node:
        case Literal(text, fold):
            return _any_case(text, random) if fold else text
        case Rule(name):
            return generate(name, random)
        case Sequence(items):
            return "".join(_sentence(item, random) for item in items)
        case Choice(options):
            return _sentence(random.choice(options), random)
        case Repeat(item, low, once):
            times = random.randrange(2) if once else low + min(int(random.expovariate(0.4)), 20)
            return "".join(_sentence(item, random) for _ in range(times))


def _any_case(text: str, random: Random) -> str:
    if random.random() < 0.75:
        return text
    return "".join(random.choice((character.lower(), character.upper())) for character in text)


def mutated(text: str, random: Random) -> str:
    """Return *text* with one character replaced, inserted or removed."""
    at = random.randrange(len(text))
    match random.randrange(3):
        case 0:
            return text[:at] + random.choice(FAULTS.replace(text[at], "")) + text[at + 1 :]
        case 1:
            at = random.randrange(len(text) + 1)
            return text[:at] + random.choice(FAULTS) + text[at:]
        case _:
            return text[:at] + text[at + 1 :]
