"""The BNF of RFC 1738 section 5, run as it is written: a second opinion on the patterns of `urlmend.grammar.rfc1738`.

The rules are read from `rfc1738.BNF`, which property/test_bnf.py compares with the RFC. The patterns beside them are
not read, and no code of urlmend runs. Two decisions of the project are shared:

- Case does not matter in scheme names (sections 2.1 and 5: "interpreters should use case-ignore").
- `otherurl` is for schemes other than the ten that have a rule of their own.

A rule becomes a nondeterministic automaton without dead ends, which runs over sets of its states; each step is cached.
"""

import re
from dataclasses import dataclass
from functools import cache
from random import Random

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


# The automaton


class _State:
    __slots__ = ("edges", "free")

    def __init__(self) -> None:
        self.edges: list[tuple[frozenset[str], _State]] = []
        self.free: list[_State] = []


class _Set(dict[str, "_Set"]):
    """Some states at once, and the sets that characters lead to, computed on demand."""

    __slots__ = ("accepting", "machine", "states")

    def __init__(self, states: frozenset[_State], machine: "_Machine") -> None:
        self.states = states
        self.machine = machine
        self.accepting = machine.final in states

    def __missing__(self, character: str) -> "_Set":
        after = self.machine.at({to for state in self.states for takes, to in state.edges if character in takes})
        self[character] = after
        return after


class _Machine:
    def __init__(self, rule: str) -> None:
        self.sets: dict[frozenset[_State], _Set] = {}
        first = _State()
        self.final = _build(Rule(rule), first)
        _trim(first, self.final)
        self.start = self.at({first})

    def at(self, states: set[_State]) -> _Set:
        todo, seen = list(states), set(states)
        while todo:
            new = set(todo.pop().free) - seen
            todo.extend(new)
            seen |= new
        key = frozenset(seen)
        if key not in self.sets:
            self.sets[key] = _Set(key, self)
        return self.sets[key]


@cache
def _characters(node: Node) -> frozenset[str] | None:
    """Return the characters of *node* if each of its sentences is one character, else `None`."""
    if isinstance(node, Literal):
        return frozenset(node.text) if len(node.text) == 1 else None
    if isinstance(node, Rule):
        return _characters(RULES[node.name])
    if isinstance(node, Choice):
        sets = [_characters(option) for option in node.options]
        return None if None in sets else frozenset().union(*(one for one in sets if one))
    return None


def _fold(characters: frozenset[str]) -> frozenset[str]:
    return frozenset(case for character in characters for case in (character.lower(), character.upper()))


def _build(node: Node, start: _State) -> _State:
    """Add *node*'s states after *start*; return the state after it."""
    if (characters := _characters(node)) is not None:
        return _step(start, characters)
    match node:
        case Rule(name):
            build = {"scheme": _scheme, "otherurl": _other}.get(name)
            return build(start) if build else _build(RULES[name], start)
        case Repeat():
            return _repeat(node, start)
        case Choice(options):
            end = _State()
            for option in options:
                _build(option, start).free.append(end)
            return end
        case Sequence(items):
            for item in items:
                start = _build(item, start)
            return start
        case Literal(text, fold):
            for character in text:
                start = _step(start, _fold(frozenset(character)) if fold else frozenset(character))
            return start


def _repeat(node: Repeat, start: _State) -> _State:
    for _ in range(node.low):
        start = _build(node.item, start)
    loop, end = _State(), _State()
    start.free.append(loop)
    loop.free.append(end)
    _build(node.item, loop).free.append(end if node.once else loop)
    return end


def _step(start: _State, characters: frozenset[str]) -> _State:
    end = _State()
    start.edges.append((characters, end))
    return end


def _scheme_characters() -> frozenset[str]:
    scheme = RULES["scheme"]
    assert isinstance(scheme, Repeat)
    assert (scheme.low, scheme.once) == (1, False)
    characters = _characters(scheme.item)
    assert characters is not None
    return _fold(characters)


def _scheme(start: _State) -> _State:
    """Add `scheme`, in either case."""
    end = _step(start, _scheme_characters())
    end.edges.append((_scheme_characters(), end))
    return end


def _other(start: _State) -> _State:
    """Add `genericurl` for every scheme but the ten: a tree of their names, which other names leave or go beyond."""
    assert RULES["otherurl"] == Rule("genericurl")
    assert RULES["genericurl"] == Sequence((Rule("scheme"), Literal(":", fold=False), Rule("schemepart")))
    characters, elsewhere, colon = _scheme_characters(), _State(), _State()
    elsewhere.edges.append((characters, elsewhere))
    tree = {"": start}
    for scheme in SCHEMES:
        for size in range(1, len(scheme) + 1):
            tree.setdefault(scheme[:size], _State())
    for name, state in tree.items():
        following = {longer[-1] for longer in tree if longer and longer[:-1] == name}
        for character in following:
            state.edges.append((_fold(frozenset(character)), tree[name + character]))
        state.edges.append((characters - _fold(frozenset(following)), elsewhere))
        if name and name not in SCHEMES:
            state.edges.append((frozenset(":"), colon))
    elsewhere.edges.append((frozenset(":"), colon))
    return _build(Rule("schemepart"), colon)


def _trim(first: _State, final: _State) -> None:
    """Remove every edge to a state from which *final* cannot be reached."""
    states, before = {first}, dict[_State, set[_State]]()
    todo = [first]
    while todo:
        state = todo.pop()
        for to in (*state.free, *(to for _, to in state.edges)):
            before.setdefault(to, set()).add(state)
            if to not in states:
                states.add(to)
                todo.append(to)
    alive, todo = {final}, [final]
    while todo:
        new = before.get(todo.pop(), set()) - alive
        alive |= new
        todo.extend(new)
    for state in states:
        state.edges = [(takes, to) for takes, to in state.edges if to in alive and takes]
        state.free = [to for to in state.free if to in alive]


@cache
def _machine(rule: str) -> _Machine:
    return _Machine(rule)


# Questions


def accepts(rule: str, text: str) -> bool:
    """Return whether *text* is a sentence of *rule*; the name of a scheme means the scheme's rule."""
    state = _machine(SCHEMES.get(rule, rule)).start
    for character in text:
        state = state[character]
    return state.accepting


def viable(text: str) -> int:
    """Return the length of the longest prefix of *text* with which some URL starts."""
    state = _machine("url").start
    for pos, character in enumerate(text):
        state = state[character]
        if not state.states:
            return pos
    return len(text)


def generate(rule: str, random: Random) -> str:
    """Return a sentence of *rule*, each repetition of which is short; scheme names in any case."""
    if rule == "otherurl":
        while (scheme := generate("scheme", random)).lower() in SCHEMES:
            pass
        return f"{scheme}:{generate('schemepart', random)}"
    text = _sentence(RULES[SCHEMES.get(rule, rule)], random)
    return _any_case(text, random) if rule == "scheme" else text


def _sentence(node: Node, random: Random) -> str:
    if (characters := _choices(node)) is not None:
        return random.choice(characters)
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


@cache
def _choices(node: Node) -> str | None:
    characters = _characters(node)
    return None if characters is None else "".join(sorted(characters))


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
