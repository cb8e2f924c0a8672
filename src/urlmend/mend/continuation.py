"""Whether a bare URL that ends its line goes on in the next: guards for what is certain, weighed clues for the rest.

Both mistakes are wrong: a torn URL, and a URL with the next line's word glued on. The weight of the clues is learnt
from line ends whose truth is known, as two stages of trees: the first sees the clues near the line end, and where it
leaves a doubt, the second sees those of the lines around too.
"""

from collections.abc import Callable, Iterable, Iterator
from math import exp
from typing import Any, NamedTuple

from urlmend.mend import model
from urlmend.mend.clues import FAR, NEAR, Clue
from urlmend.mend.guards import GUARDS
from urlmend.mend.line_break import LineBreak

THRESHOLD = 0.7
"""The probability from which a URL is joined. It favours precision: `benchmarks/weights-report.md` has the curve."""

ENDS, GOES_ON = 0.02, 0.985
"""Between these probabilities the near clues leave a doubt, and the lines around are looked at."""


class Verdict(NamedTuple):
    """The probability `p` that a URL goes on, and the name of the guard that decided, if one did."""

    p: float
    guard: str | None = None

    @property
    def goes_on(self) -> bool:
        """Whether the URL is joined."""
        return self.p >= THRESHOLD


class Contribution(NamedTuple):
    """The part of one clue in the log-odds that a URL goes on; `value` is its value."""

    clue: str
    value: str
    weight: float


# What a clue says, and the numbers for its texts.
_Reader = tuple[Callable[[LineBreak], Any], dict[str, float] | None]


def _readers(clues: Iterable[Clue]) -> tuple[_Reader, ...]:
    return tuple((clue.value, model.CODES.get(clue.name)) for clue in clues)


_NEAR, _FAR = _readers(NEAR), _readers(FAR)

_VERDICTS = [(guard.holds, Verdict(guard.p, guard.name)) for guard in GUARDS]


def continues(line_break: LineBreak) -> Verdict:
    """Return how likely the URL before *line_break* goes on after it."""
    if certain := guarded(line_break):
        return certain
    near = _numbers(_NEAR, line_break)
    p = _probability(model.near(*near))
    if ENDS < p < GOES_ON:
        p = _probability(model.all_clues(*near, *_numbers(_FAR, line_break)))
    return Verdict(p)


def _numbers(readers: tuple[_Reader, ...], line_break: LineBreak) -> list[float]:
    """Return the clues as numbers. A text becomes the log-odds of the line ends that have it."""
    unseen = model.UNSEEN
    return [codes.get(clue(line_break), unseen) if codes else clue(line_break) for clue, codes in readers]


def _probability(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


def guarded(line_break: LineBreak) -> Verdict | None:
    """Return the verdict of the first guard that holds at *line_break*, `None` if none does."""
    for guard, verdict in _VERDICTS:
        if guard(line_break):
            return verdict
    return None


def contributions(line_break: LineBreak) -> Iterator[Contribution]:
    """Yield what each clue adds at *line_break*.

    The clues are added one by one, in both orders. What a clue changes, on average, is its part. The parts and what the
    model says without any clue add up to the log-odds of `continues`.
    """
    clues: tuple[Clue, ...] = NEAR
    log_odds: Callable[..., float] = model.near
    values = _numbers(_NEAR, line_break)
    if ENDS < _probability(model.near(*values)) < GOES_ON:
        clues, log_odds = (*NEAR, *FAR), model.all_clues
        values += _numbers(_FAR, line_break)
    silent = [model.TYPICAL.get(clue.name, model.UNSEEN) for clue in clues]
    for place, clue in enumerate(clues):
        forwards = log_odds(*values[: place + 1], *silent[place + 1 :]) - log_odds(*values[:place], *silent[place:])
        backwards = log_odds(*silent[:place], *values[place:]) - log_odds(*silent[: place + 1], *values[place + 1 :])
        if forwards or backwards:
            value = clue.value(line_break)
            yield Contribution(
                clue.name, value if isinstance(value, str) else f"{value:.3g}", (forwards + backwards) / 2
            )
