"""Where and by which rule a text fails to be a URL: the rules of a profile as an automaton, used on failure only.

The templates of `grammar.rfc1738` are a regular grammar. The automaton reads a text character by character and follows
all its ways through the grammar at once. The fault is the first character after which no way is open: no URL begins
with the text up to and including it. The time is linear for every text. `re` cannot tell the place. `regex` can
(`partial=True`), but it takes quadratic time on some hosts.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from typing import NamedTuple

from urlmend.grammar import rfc1738

# Rules for single characters, and the pieces of rules. A fault in them is told under the rule that refers to them.
_CHARACTER_RULES = frozenset(
    (
        "lowalpha hialpha alpha digit safe extra national punctuation reserved hex unreserved uchar xchar digits "
        "alphadigit alphadigits atext ucschar h16 ls32"
    ).split()
)


class Fault(NamedTuple):
    """A place (in characters from 0) at which *rule* could not go on, and what it would have taken, in words."""

    rule: str
    pos: int
    expected: str


_numbers = count()
# Texts may hold any of a million characters, so the steps worked out are forgotten when there are this many.
_MOST_STEPS = 1 << 16


@dataclass(slots=True, eq=False)
class _Place:
    """A rule at one place in the grammar: under *parent*, *depth* rules below the start."""

    rule: str
    parent: "_Place | None"
    depth: int
    number: int  # in the order of the grammar

    def line(self) -> Iterator["_Place"]:
        place: _Place | None = self
        while place is not None:
            yield place
            place = place.parent


@dataclass(slots=True, eq=False)
class _State:
    """A state: it takes one of *takes* and goes to *to*; or, without *takes*, it goes to all of *ways* for free."""

    place: _Place
    takes: re.Pattern[str] | None = None
    to: "_State | None" = None
    ways: list["_State"] = field(default_factory=list)


def locate(text: str, templates: tuple[str, ...], rules: Mapping[str, str]) -> Fault | None:
    """Return the fault of *text* under all of *templates*; `None` where one of them takes the whole text."""
    automaton = _diagnosis(templates, tuple(rules.items()))
    states = automaton.start
    before = states
    for pos, character in enumerate(text):
        after = automaton.step(states, character)
        if not after:
            return automaton.fault(before, states, text, pos)
        before, states = states, after
    return None if automaton.final in states else automaton.fault(before, states, text, len(text))


@cache
def _diagnosis(templates: tuple[str, ...], rules: tuple[tuple[str, str], ...]) -> "_Diagnosis":
    return _Diagnosis(templates, dict(rules))


class _Diagnosis:
    """The automaton of some templates. The same sets of states come up again and again: each step is found once."""

    def __init__(self, templates: tuple[str, ...], rules: Mapping[str, str]) -> None:
        self.rules = rules
        self.steps: dict[tuple[frozenset[_State], str], frozenset[_State]] = {}
        # Equal sets are one object, so that the look-up of a step compares identities.
        self.sets: dict[frozenset[_State], frozenset[_State]] = {}
        root = _Place("url", None, 0, next(_numbers))
        self.final = _State(root)
        first = _State(root)
        for template in templates:
            start, end = _Reader(template, root, rules).alternation()
            first.ways.append(start)
            end.ways.append(self.final)
        self.start = _closure([first])
        self.sets[self.start] = self.start

    def step(self, states: frozenset[_State], character: str) -> frozenset[_State]:
        key = states, character
        if key not in self.steps:
            if len(self.steps) >= _MOST_STEPS:
                self.steps.clear()
                self.sets.clear()
            taken = [s.to for s in states if s.to is not None and s.takes is not None and s.takes.fullmatch(character)]
            after = _closure(taken)
            self.steps[key] = self.sets.setdefault(after, after)
        return self.steps[key]

    def fault(self, before: frozenset[_State], states: frozenset[_State], text: str, pos: int) -> Fault:
        """Return the fault at *pos*.

        Its rule is the innermost of two kinds: those that the last character stood in and that could go on, and those
        that every open way is in.
        """
        waiting = [s for s in states if s.takes is not None]
        common = set.intersection(*(set(s.place.line()) for s in waiting)) if waiting else {self.final.place}
        if pos:
            last = [s.to for s in before if s.to and s.takes is not None and s.takes.fullmatch(text[pos - 1])]
            places = {place for s in last for place in s.place.line()}
            common |= {place for place in places if any(s.takes is not None for s in _closure(last, place))}
        rule = max(common, key=lambda place: (place.depth, -place.number)).rule
        if rule == "url":
            rule = "scheme" if ":" not in text[:pos] else rule
        return Fault(
            rule, pos, _in_words(frozenset(s.takes.pattern for s in waiting if s.takes), end=self.final in states)
        )


def _closure(states: list[_State], place: _Place | None = None) -> frozenset[_State]:
    """Return *states* and those reached from them for free, all inside *place* if one is given."""
    seen: set[_State] = set()
    left = list(states)
    while left:
        state = left.pop()
        if state not in seen and (place is None or place in state.place.line()):
            seen.add(state)
            left.extend(state.ways)
    return frozenset(seen)


@lru_cache(maxsize=1024)  # this takes ten times as long as finding the place
def _in_words(patterns: frozenset[str], *, end: bool) -> str:
    """Say which characters *patterns* take: letters and digits by name, the other ASCII characters themselves."""
    taken = {chr(i) for i in range(128) if any(re.fullmatch(p, chr(i)) for p in patterns)}
    words = []
    for name, group in (("a letter", "abcdefghijklmnopqrstuvwxyz"), ("a digit", "0123456789")):
        if taken.issuperset(group):
            words.append(name)
            taken -= set(group) | set(group.upper())
    words += sorted(f'"{character}"' for character in taken)
    if any(re.fullmatch(p, "\N{LATIN SMALL LETTER E WITH ACUTE}") for p in patterns):
        words.append("a letter beyond ASCII")
    if end:
        words.append("the end")
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else "nothing"


_TOKEN = re.compile(
    r"(?P<open>\(\?:|\(\?i:|\(\?P<\w+>)|<(?:\w+:)?(?P<rule>\w+)>|\[\^?(?:\\.|[^\]\\])+\]|\\.|[^\\]",
    re.DOTALL,
)
# A `+` behind a repetition makes it possessive, which changes how `re` looks for a match and not what matches.
_REPEAT = re.compile(r"([*+?])\+?|\{(\d+)(?:,(\d+))?\}")


class _Reader:
    """Reads a template: `alternation = sequence *("|" sequence)`, `sequence = *(atom [repeat])`."""

    def __init__(self, template: str, place: _Place, rules: Mapping[str, str], *, fold: bool = False) -> None:
        self.template, self.place, self.rules, self.fold, self.at = template, place, rules, fold, 0

    def alternation(self) -> tuple[_State, _State]:
        start, end = _State(self.place), _State(self.place)
        while True:
            first, last = self.sequence()
            start.ways.append(first)
            last.ways.append(end)
            if self.template[self.at : self.at + 1] != "|":
                return start, end
            self.at += 1

    def sequence(self) -> tuple[_State, _State]:
        start = end = _State(self.place)
        while self.at < len(self.template) and self.template[self.at] not in "|)":
            atom_at = self.at
            atom = self.atom()
            repeat = _REPEAT.match(self.template, self.at)
            low, high = _bounds(repeat)
            after = repeat.end() if repeat else self.at
            leave = _State(self.place)
            for copy in range(high or low + 1):
                if copy:
                    self.at = atom_at
                    atom = self.atom()
                if copy >= low:
                    end.ways.append(leave)
                end.ways.append(atom[0])
                if high is None and copy >= low:
                    atom[1].ways.append(end)
                else:
                    end = atom[1]
            end.ways.append(leave)
            end = leave
            self.at = after
        return start, end

    def atom(self) -> tuple[_State, _State]:
        token = _TOKEN.match(self.template, self.at)
        if token is None:
            message = f"not a template: {self.template[self.at :]!r}"
            raise ValueError(message)
        self.at = token.end()
        if token["open"]:
            fold, self.fold = self.fold, self.fold or token["open"] == "(?i:"
            states = self.alternation()
            self.at += 1
            self.fold = fold
            return states
        if token["rule"]:
            return _Reader(
                self.rules[token["rule"]], self.below(token["rule"]), self.rules, fold=self.fold
            ).alternation()
        end = _State(self.place)
        case = re.IGNORECASE if self.fold else re.NOFLAG
        takes = re.compile(rfc1738.expand(token[0], self.rules), re.ASCII | re.DOTALL | case)
        return _State(self.place, takes, end), end

    def below(self, rule: str) -> _Place:
        if rule in _CHARACTER_RULES:
            return self.place
        return _Place(rule, self.place, self.place.depth + 1, next(_numbers))


def _bounds(repeat: re.Match[str] | None) -> tuple[int, int | None]:
    if repeat is None:
        return 1, 1
    if repeat[1]:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[repeat[1]]
    return int(repeat[2]), int(repeat[3] or repeat[2])
