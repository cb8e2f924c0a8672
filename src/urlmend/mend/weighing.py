"""How likely a bare URL goes on over a line end: guards for what is certain, and weighed clues for all else.

The weights are those of a logistic model: with none of the clues a URL goes on with the odds of `INTERCEPT`, and each
clue that holds adds its weight to their logarithm.
"""

from math import exp
from typing import NamedTuple

from urlmend.mend import guards
from urlmend.mend.clues import CLUES, Clue
from urlmend.mend.line_break import LineBreak
from urlmend.mend.weights import INTERCEPT, WEIGHTS

THRESHOLD = 0.7
"""At this probability and above a URL is joined. It is chosen for precision: `benchmarks/weights-report.md` has the
curve."""

GUARDED = 0.99
"""The probability where a guard says that the URL goes on; where it says that it ends, the rest to 1."""


class Verdict(NamedTuple):
    """The probability `p` that a URL goes on, and the name of the guard that decided, where one did."""

    p: float
    guard: str | None = None

    @property
    def goes_on(self) -> bool:
        """Whether the URL is joined."""
        return self.p >= THRESHOLD


class Contribution(NamedTuple):
    """What one clue adds to the logarithm of the odds that a URL goes on."""

    clue: str
    value: str
    weight: float


def _by_value(clue: Clue) -> dict[str, float]:
    return {value: weight for name, value, weight, *_ in WEIGHTS if name == clue.__name__}


_WEIGHED = tuple((clue, weights.get) for clue in CLUES if (weights := _by_value(clue)))


def weigh(line_break: LineBreak) -> Verdict:
    """Return how likely the URL on the left of *line_break* goes on behind it."""
    if guard := guarded(line_break):
        return guard
    total = INTERCEPT
    for clue, weight in _WEIGHED:
        total += weight(clue(line_break), 0.0)
    return Verdict(1 / (1 + exp(-total)))


def guarded(line_break: LineBreak) -> Verdict | None:
    """Return what a guard says, `None` where none is certain."""
    for guard in guards.GOES_ON:
        if guard(line_break):
            return Verdict(GUARDED, guard.__name__)
    for guard in guards.ENDS:
        if guard(line_break):
            return Verdict(1 - GUARDED, guard.__name__)
    return None


def contributions(line_break: LineBreak) -> list[Contribution]:
    """Return what each clue adds, the heaviest first; their sum with `INTERCEPT` is what `weigh` works with."""
    found = [
        Contribution(clue.__name__, value, weight(value, 0.0))
        for clue, weight in _WEIGHED
        if (value := clue(line_break)) and weight(value, 0.0)
    ]
    return sorted(found, key=lambda one: -abs(one.weight))
