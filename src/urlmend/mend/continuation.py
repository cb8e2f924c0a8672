"""Whether a bare URL that ends its line goes on in the next: guards for what is certain, weighed clues for the rest.

Both mistakes count alike: a torn URL, and a URL with the next line's word glued on. The weights are decision trees,
learnt from line ends where the right answer is known.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import accumulate
from math import exp
from operator import and_
from typing import Any, NamedTuple

from urlmend.mend import model
from urlmend.mend.clues import CLUES
from urlmend.mend.guards import GUARDS
from urlmend.mend.line_break import LineBreak

THRESHOLD = 0.65
"""The probability from which a URL is joined. From 0.5 to 0.7 the number of mistakes is about the same: with a lower
one more are glued words, with a higher one torn URLs. `benchmarks/weights-report.md` has the curve."""

SUREST = 0.999
"""The highest confidence at a line end that is weighed: 1 is for URLs that do not reach the end of their line."""


class Verdict(NamedTuple):
    """The probability `p` that a URL goes on, and the name of the guard that decided, if one did."""

    p: float
    guard: str | None = None

    @property
    def goes_on(self) -> bool:
        """Whether the URL is joined."""
        return self.p >= THRESHOLD


class Contribution(NamedTuple):
    """What one clue, by its `value`, adds to the log-odds that a URL goes on."""

    clue: str
    value: str
    weight: float


# A clue, and the leaves of the model that it can still reach: by each of its texts, and by any other text; or, for a
# number, the limits between its ranges, and the leaves by each range.
_Reader = tuple[Callable[[LineBreak], Any], dict[str, int], int, tuple[float, ...], tuple[int, ...]]


def _reader(clue: Callable[[LineBreak], Any]) -> _Reader:
    name = clue.__name__
    leaves = model.LEAVES[name]
    texts = {text: leaves[index] for text, index in model.TEXTS.get(name, {}).items()}
    return clue, texts, leaves[model.TYPICAL[name]], model.LIMITS.get(name, ()), leaves


# A clue that the model was not trained with says nothing.
_CLUES = tuple(clue for clue in CLUES if clue.__name__ in model.LEAVES)
_READERS = tuple(map(_reader, _CLUES))

_VERDICTS = [(guard, Verdict(p, guard.__name__)) for guard, (p, _) in GUARDS.items()]


def continues(line_break: LineBreak) -> Verdict:
    """Return how likely the URL before *line_break* goes on after it."""
    if verdict := guarded(line_break):
        return verdict
    p = 1 / (1 + exp(-log_odds(_leaves(line_break))))
    return Verdict(min(max(p, 1 - SUREST), SUREST))


def _leaves(line_break: LineBreak) -> list[int]:
    """Return, for each clue, the leaves of the model that its value can still reach."""
    return [
        texts.get(clue(line_break), other) if texts else leaves[bisect_left(limits, clue(line_break))]
        for clue, texts, other, limits, leaves in _READERS
    ]


def log_odds(leaves: Iterable[int]) -> float:
    """Return the log-odds by the model; *leaves* has, for each clue, those that it can still reach."""
    left = reduce(and_, leaves)
    return (model.BASE + sum([(left & plane).bit_count() << power for power, plane in enumerate(model.PLANES)])) / 1000


def guarded(line_break: LineBreak) -> Verdict | None:
    """Return the verdict of the first guard that holds at *line_break*, `None` if none does."""
    return next((verdict for guard, verdict in _VERDICTS if guard(line_break)), None)


def _mixed(first: list[int], then: list[int]) -> list[float]:
    """Return the log-odds where the first 0, 1, ... all of the clues have the leaves *first*, and the others *then*."""
    before = accumulate(first, and_, initial=-1)
    after = [*accumulate(reversed(then), and_, initial=-1)]
    left = [one & other for one, other in zip(before, reversed(after), strict=True)]
    odds = {each: log_odds([each]) for each in {*left}}  # most clues change nothing
    return [odds[each] for each in left]


def contributions(line_break: LineBreak) -> Iterator[Contribution]:
    """Yield what each clue adds at *line_break*.

    The clues are added one by one, first to last and last to first. A clue contributes the mean of its two changes.
    These contributions and the model's value without clues add up to the log-odds of `continues`.
    """
    values = _leaves(line_break)
    silent = [reader[2] for reader in _READERS]
    forwards, backwards = _mixed(values, silent), _mixed(silent, values)
    for place, clue in enumerate(_CLUES):
        parts = forwards[place + 1] - forwards[place], backwards[place] - backwards[place + 1]
        if any(parts):
            value = clue(line_break)
            yield Contribution(clue.__name__, value if isinstance(value, str) else f"{value:.3g}", sum(parts) / 2)
