"""Whether a bare URL that ends its line goes on in the next: guards for what is certain, weighed clues for all else.

Both mistakes are wrong: a torn URL, and a URL with the next line's word glued on. The weights are those of a logistic
model, learnt from line ends whose truth is known: with no clue a URL goes on with the odds of `INTERCEPT`, and each
clue that holds adds its weight to their logarithm.
"""

import re
from math import exp
from typing import NamedTuple

from urlmend.mend.evidence import guards_that_end, guards_that_join
from urlmend.mend.evidence.clues import CLUES, Clue
from urlmend.mend.evidence.weights import INTERCEPT, WEIGHTS
from urlmend.mend.evidence.words import COMMON, begins_like_a_word
from urlmend.mend.line_break import LineBreak
from urlmend.text.line_ends import EOL

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


_WEIGHTS = {clue: weights for clue in CLUES if (weights := _by_value(clue))}

# Those that join are asked first.
_VERDICTS = {
    **{guard: Verdict(GUARDED, guard.__name__) for guard in guards_that_join.GUARDS},
    **{guard: Verdict(1 - GUARDED, guard.__name__) for guard in guards_that_end.GUARDS},
}


def continues(line_break: LineBreak) -> Verdict:
    """Return how likely the URL on the left of *line_break* goes on behind it."""
    if certain := guarded(line_break):
        return certain
    total = INTERCEPT
    for clue, weights in _WEIGHTS.items():
        total += weights.get(clue(line_break), 0.0)
    return Verdict(1 / (1 + exp(-total)))


def guarded(line_break: LineBreak) -> Verdict | None:
    """Return what a guard says, `None` where none is certain."""
    return next((verdict for guard, verdict in _VERDICTS.items() if guard(line_break)), None)


def contributions(line_break: LineBreak) -> list[Contribution]:
    """Return what each clue adds, the heaviest first; their sum with `INTERCEPT` is what `continues` works with."""
    found = [
        Contribution(clue.__name__, value, weight)
        for clue, weights in _WEIGHTS.items()
        if (value := clue(line_break)) and (weight := weights.get(value, 0.0))
    ]
    return sorted(found, key=lambda one: -abs(one.weight))


# What may be a page break's footer, behind a line end: what follows it is looked at as the next line would be.
_NO_FOOTER = rf"(?!(?:[ \t]*{EOL})*+[^\r\n\[]*+(?:\[(?![Pp])[^\r\n\[]*+)*+\[)"
# A bracket, a quote, a bullet, a rule line, an address, another URL, the name of a header field. "-- "
# may be a leader.
_NO_PIECE = (
    r"[(\[<\"`]|[-=_~+](?:[-=_~+]{2,})?[ \t\r\n]|[-~+][!-/:-@\[-^`{-~](?:[!-~]|[ \t]*[\r\n])"
    r"|(?<![0-9]/[\r\n])[A-Za-z]{2,12}://|[A-Za-z0-9][A-Za-z0-9.+\-]{0,80}@[A-Za-z0-9.\-]+[^A-Za-z0-9./\-]"
    r"|[A-Z][A-Za-z\-]*:[ \t]"
)
# No line end, or one and a blank line, what is no piece of a URL, or a word of prose.
_ENDS = re.compile(
    rf"\Z|[^ \t\r\n]|[ \t]+[^ \t\r\n]"
    rf"|(?<=[A-Za-z0-9/.,])[ \t]*{EOL}{_NO_FOOTER}[ \t>|:#;*]*+(?:(?://[ \t]+)?(?!dnl[ \t])"
    r"(?P<word>[A-Za-z]++(?:'[a-z]{1,3})?+)[.,;:!?]*+(?:(?P<more>[ \t]++[^ \t\r\n])|(?=[ \t\r\n]))|(?<!,)[\r\n])"
    rf"|(?<=[A-Za-z0-9/.])[ \t]*{EOL}{_NO_FOOTER}[ \t>|]*(?:{_NO_PIECE})"
)
_NARROW = 56
"""In a narrower line, in characters, few URLs are broken in mid-word."""

_STUB = 40
"""In a narrower line few URLs are broken at all."""

_SHORT_WORD = 3


def ends_here(view: str, stop: int, limit: int, width: int) -> bool:
    """Tell at a glance that a URL which stops at *stop* in *view*, in a line of *width*, does not go on before *limit*.

    Where it does not say so, nothing is told. Of 4 471 line ends of known truth behind which a URL goes on, it passes
    over fewer than 30.
    """
    found = _ENDS.match(view, stop, limit)
    if found is None:
        return False
    word, more = found.group("word", "more")
    if word is None:
        return True
    if more is None:
        return width < _STUB
    if word.lower() in COMMON or "'" in word:
        return True
    if view[stop - 1] in ".,":
        return word[0].isupper()
    return width < _NARROW or (len(word) >= _SHORT_WORD and begins_like_a_word(word))
