"""Whether a bare URL that ends its line goes on in the next: guards for what is certain, weighed clues for the rest.

Both mistakes are wrong: a torn URL, and a URL with the next line's word glued on. The weights are those of a logistic
model learnt from line ends whose truth is known: without any clue a URL goes on with the log-odds `INTERCEPT`, and each
clue that sees something adds its weight.
"""

import re
from collections.abc import Iterator
from math import exp
from typing import NamedTuple

from urlmend.mend.clues import CLUES
from urlmend.mend.guards import GUARDS
from urlmend.mend.line_break import LineBreak
from urlmend.mend.weights import INTERCEPT, WEIGHTS
from urlmend.mend.words import COMMON, begins_like_a_word
from urlmend.text.line_ends import EOL

THRESHOLD = 0.7
"""The probability from which a URL is joined. It favours precision: `benchmarks/weights-report.md` has the curve."""


class Verdict(NamedTuple):
    """The probability `p` that a URL goes on, and the name of the guard that decided, if one did."""

    p: float
    guard: str | None = None

    @property
    def goes_on(self) -> bool:
        """Whether the URL is joined."""
        return self.p >= THRESHOLD


class Contribution(NamedTuple):
    """What one clue adds to the log-odds that a URL goes on."""

    clue: str
    value: str
    weight: float


_WEIGHTS = {
    clue: weights
    for clue in CLUES
    if (weights := {value: weight for name, value, weight, *_ in WEIGHTS if name == clue.name})
}


_VERDICTS = [(guard.holds, Verdict(guard.p, guard.name)) for guard in GUARDS]


def continues(line_break: LineBreak) -> Verdict:
    """Return how likely the URL before *line_break* goes on after it."""
    if certain := guarded(line_break):
        return certain
    log_odds = INTERCEPT
    for clue, weights in _WEIGHTS.items():
        log_odds += weights.get(clue.value(line_break), 0.0)
    return Verdict(1 / (1 + exp(-log_odds)))


def guarded(line_break: LineBreak) -> Verdict | None:
    """Return the verdict of the first guard that holds at *line_break*, `None` if none does."""
    for guard, verdict in _VERDICTS:
        if guard(line_break):
            return verdict
    return None


def contributions(line_break: LineBreak) -> Iterator[Contribution]:
    """Yield what each clue adds at *line_break*; `INTERCEPT` and their sum are the log-odds of `continues`."""
    for clue, weights in _WEIGHTS.items():
        value = clue.value(line_break)
        if weight := weights.get(value):
            yield Contribution(clue.name, value, weight)


# Not the footer of a page break, after a line end: the line after the page break counts as the next one.
_NO_FOOTER = rf"(?!(?:[ \t]*{EOL})*+[^\r\n\[]*+(?:\[(?![Pp])[^\r\n\[]*+)*+\[)"
# A bracket, a quote, a bullet, a rule line, an address, another URL, the name of a header field. "-- " may be a leader.
_NO_PIECE = (
    r"[(\[<\"`]|[-=_~+](?:[-=_~+]{2,})?[ \t\r\n]|[-~+][!-/:-@\[-^`{-~](?:[!-~]|[ \t]*[\r\n])"
    r"|(?<![0-9]/[\r\n])[A-Za-z]{2,12}://|[A-Za-z0-9][A-Za-z0-9.+\-]{0,80}@[A-Za-z0-9.\-]+[^A-Za-z0-9./\-]"
    r"|[A-Z][A-Za-z\-]*:[ \t]"
)
# No line end; or one before a blank line, something that is not a piece of a URL, or a word of prose.
_ENDS = re.compile(
    rf"\Z|[^ \t\r\n]|[ \t]+[^ \t\r\n]"
    rf"|(?<=[A-Za-z0-9/.,])[ \t]*{EOL}{_NO_FOOTER}[ \t>|:#;*]*+(?:(?://[ \t]+)?(?!dnl[ \t])"
    r"(?P<word>[A-Za-z]++(?:'[a-z]{1,3})?+)[.,;:!?]*+(?:(?P<more>[ \t]++[^ \t\r\n])|(?=[ \t\r\n]))|(?<!,)[\r\n])"
    rf"|(?<=[A-Za-z0-9/.])[ \t]*{EOL}{_NO_FOOTER}[ \t>|]*(?:{_NO_PIECE})"
)
# In lines narrower than these, in characters, few URLs are broken in mid-word, and few at all.
_NARROW = 56
_STUB = 40
_SHORT_WORD = 3


def ends_here(view: str, stop: int, limit: int, width: int) -> bool:
    """Return whether a look at *view* shows that the URL which stops at *stop*, in a line of *width*, ends there.

    `False` decides nothing. The view is read up to *limit*. Of 4,471 known line ends after which a URL goes on, fewer
    than 30 are missed.
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
