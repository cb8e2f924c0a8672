"""The rule and the place at which a text fails to be a URL.

The rules of a profile are a regular grammar. Here they become an automaton, which reads a text character by character
and follows all ways through the grammar at once. A text fails at the first character that leaves no way open: no URL
starts with the text up to and including it. The time is linear for every text. `re` cannot tell the place, and `regex`,
which can (`partial=True`), takes quadratic time on some hosts.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, reduce
from itertools import count
from typing import NamedTuple

from urlmend.grammar import rfc1738
from urlmend.text.patterns import lazy_regex

# Rules for single characters, and pieces of rules. A fault in one is reported under the rule that refers to it.
_CHARACTER_RULES = frozenset(
    (
        "lowalpha hialpha alpha digit safe extra national punctuation reserved hex unreserved uchar xchar digits "
        "alphadigit alphadigits atext ucschar h16 ls32"
    ).split()
)


class URLSyntaxError(ValueError):
    """A text is not a URL under the profile that it was parsed with.

    `rule` is the BNF rule that failed (RFC 1738 section 5), `text` the whole text, and `pos` the index, in characters
    from 0, of the first character with which no URL can continue, or `len(text)` if the text is too short. `expected`
    says in words what was allowed there. `str()` of the error marks the place with a caret.

    >>> from urlmend import parse
    >>> try:
    ...     parse("http://a.example/ b")
    ... except URLSyntaxError as error:
    ...     print(error.rule, error.pos, repr(error.text[error.pos]))
    httpurl 17 ' '
    """

    def __init__(self, rule: str, text: str, pos: int, expected: str = "") -> None:
        super().__init__(rule, text, pos, expected)
        self.rule = rule
        self.text = text
        self.pos = pos
        self.expected = expected

    def __str__(self) -> str:
        found = self.text[self.pos : self.pos + 1]
        is_byte = "\udc80" <= found <= "\udcff"  # that could not be decoded (PEP 383)
        found = f"byte 0x{ord(found) & 0xFF:02X}" if is_byte else repr(found) if found else "end"
        expected = f", expected {self.expected}" if self.expected else ""
        if self.rule == "scheme" and self.pos and ":" not in self.text:
            expected += '; there is no ":" after the scheme'
        return "\n".join([f"{self.rule}: unexpected {found} at {self.pos}{expected}", *marked(self.text, self.pos)])


def marked(text: str, pos: int) -> list[str]:
    """Return two indented lines: *text* around *pos*, and a caret under the character there."""
    start = max(0, pos - 60)
    # Each character must take one column, or the caret would not be under the fault.
    line = "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in text[start : pos + 20])
    return [f"  {line}", f"  {' ' * (pos - start)}^"]


def locate(text: str, shape: str, templates: tuple[str, ...], rules: Mapping[str, str]) -> URLSyntaxError | None:
    """Return the error for *text* under all of *templates*, or `None` if one of them takes the whole text.

    *rules* are for its *shape*, which has other characters in the same places where `parser` says so.
    """
    start, final = _automaton(templates, tuple(rules.items()))
    before = states = start
    pos = 0
    while pos < len(shape) and (after := _step(states, shape[pos])):
        before, states = states, after
        pos += 1
    if pos == len(shape) and final in states:
        return None
    waiting = [state for state in states if state.takes is not None]
    patterns = frozenset(state.takes.pattern for state in waiting if state.takes)
    last = [state for state in before if state.after(shape[pos - 1])] if pos else []
    rule = _failed_rule(waiting or [final], last)
    if rule == "url" and ":" not in shape[:pos]:
        rule = "scheme"
    return URLSyntaxError(rule, text, pos, _in_words(patterns, end=final in states))


def _failed_rule(waiting: list["_State"], last: list["_State"]) -> str:
    """Return the rule that fails in the *waiting* states; the states *last* took the last character.

    It is the innermost of the rules that all open ways are in, and of those that the last character was in and that
    could continue.
    """
    uses = set.intersection(*(set(state.inside) for state in waiting))
    for use in {use for state in last for use in state.inside}:
        if any(state.takes is not None for state in _closure((state.to for state in last), use)):
            uses.add(use)
    return max(uses).rule


_numbers = count()


class _Use(NamedTuple):
    """One use of a rule in the grammar. The greatest of several is the innermost, and of these the first."""

    depth: int
    number: int  # counts up against the order of the grammar
    rule: str


@dataclass(slots=True, eq=False)
class _State:
    """A state inside the uses of some rules: it takes a character and goes to *to*, or without one to all of *ways*."""

    inside: tuple[_Use, ...]
    takes: re.Pattern[str] | None = None
    to: "_State | None" = None
    ways: list["_State"] = field(default_factory=list)

    def after(self, character: str) -> "_State | None":
        """Return the state that *character* leads to."""
        return self.to if self.takes is not None and self.takes.fullmatch(character) else None


_States = frozenset[_State]


def _closure(states: Iterable[_State | None], use: _Use | None = None) -> _States:
    """Return *states* and those they reach without a character, all of them inside *use* if one is given."""
    seen: set[_State] = set()
    left = [state for state in states if state is not None]
    while left:
        state = left.pop()
        if state not in seen and (use is None or use in state.inside):
            seen.add(state)
            left.extend(state.ways)
    return frozenset(seen)


# The same steps occur again and again. A text may have any of a million characters, so their number is bounded.
@lru_cache(maxsize=1 << 16)
def _step(states: _States, character: str) -> _States:
    after = _closure(state.after(character) for state in states)
    # Equal sets are made one object: a look-up of a step then compares identities.
    return _sets.setdefault(after, after)


_sets: dict[_States, _States] = {}


@cache
def _automaton(templates: tuple[str, ...], rules: tuple[tuple[str, str], ...]) -> tuple[_States, _State]:
    """Return the first states and the last one of the automaton of *templates*."""
    root = (_Use(0, next(_numbers), "url"),)
    final = _State(root)
    builds = [_Reader(template, dict(rules)).alternation() for template in templates]
    return _closure(build(final, root) for build in reversed(builds)), final


@lru_cache(maxsize=1024)  # this takes ten times as long as finding the place
def _in_words(patterns: frozenset[str], *, end: bool) -> str:
    """Return which characters *patterns* take: letters and digits by name, other ASCII characters themselves."""
    taken = {chr(i) for i in range(128) if any(re.fullmatch(p, chr(i)) for p in patterns)}
    words = []
    for name, group in (("a letter", "abcdefghijklmnopqrstuvwxyz"), ("a digit", "0123456789")):
        if taken.issuperset(group):
            words.append(name)
            taken -= set(group) | set(group.upper())
    words += sorted(f'"{character}"' for character in taken)
    if any(re.fullmatch(p, "\u00a0") for p in patterns):
        words.append("a letter beyond ASCII")
    if end:
        words.append("the end")
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else "nothing"


_TOKEN = lazy_regex(
    r"(?P<open>\(\?:|\(\?i:|\(\?P<\w+>)|<(?:\w+:)?(?P<rule>\w+)>|\[\^?(?:\\.|[^\]\\])+\]|\\.|[^\\]", re.DOTALL
)
# A `+` after a repetition makes it possessive, which changes how `re` searches but not what it finds.
_REPEAT = lazy_regex(r"([*+?])\+?|\{(\d+)(?:,(\d+))?\}")
_BOUNDS: Mapping[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}

_Build = Callable[[_State, tuple[_Use, ...]], _State]
"""Makes the states for a piece of a template, inside these uses and leading to this state; returns the first one."""


class _Reader:
    """Reads a template: `alternation = sequence *("|" sequence)`, `sequence = *(atom [repeat])`.

    Each method reads one of these and returns what makes its states. They are made from the last to the first.
    """

    def __init__(self, template: str, rules: Mapping[str, str], *, fold: bool = False) -> None:
        self.template, self.rules, self.fold, self.at = template, rules, fold, 0

    def alternation(self) -> _Build:
        branches = [self.sequence()]
        while self.template.startswith("|", self.at):
            self.at += 1
            branches.append(self.sequence())
        return lambda after, inside: _State(inside, ways=[branch(after, inside) for branch in reversed(branches)])

    def sequence(self) -> _Build:
        pieces: list[_Build] = []
        while self.at < len(self.template) and self.template[self.at] not in "|)":
            pieces.append(self.repeated(self.atom()))
        return lambda after, inside: reduce(lambda following, piece: piece(following, inside), reversed(pieces), after)

    def repeated(self, atom: _Build) -> _Build:
        repeat = _REPEAT.match(self.template, self.at)
        if repeat is None:
            return atom
        self.at = repeat.end()
        least, most = _BOUNDS[repeat[1]] if repeat[1] else (int(repeat[2]), int(repeat[3] or repeat[2]))

        def build(after: _State, inside: tuple[_Use, ...]) -> _State:
            if most is None:
                again = _State(inside, ways=[after])
                first = atom(again, inside)
                again.ways.append(first)
                return first if least else again
            state = after
            for copy in range(most, 0, -1):
                state = atom(state, inside)
                if copy > least:
                    state = _State(inside, ways=[after, state])
            return state

        return build

    def atom(self) -> _Build:
        token = _TOKEN.match(self.template, self.at)
        if token is None:
            raise ValueError(f"not a template: {self.template[self.at :]!r}")
        self.at = token.end()
        if token["open"]:
            fold, self.fold = self.fold, self.fold or token["open"] == "(?i:"
            build = self.alternation()
            self.at += 1
            self.fold = fold
            return build
        if rule := token["rule"]:
            build = _Reader(self.rules[rule], self.rules, fold=self.fold).alternation()
            if rule in _CHARACTER_RULES:
                return build
            return lambda after, inside: build(after, (*inside, _Use(len(inside), next(_numbers), rule)))
        case = re.IGNORECASE if self.fold else re.NOFLAG
        takes = re.compile(rfc1738.expand(token[0], self.rules), re.ASCII | re.DOTALL | case)
        return lambda after, inside: _State(inside, takes, after)
