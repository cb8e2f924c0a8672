"""What was removed from a URL, and how its line ends were weighed, in words."""

from collections.abc import Iterator
from typing import NamedTuple

from urlmend.match import URLMatch
from urlmend.mend.continuation import THRESHOLD, Contribution, Verdict, contributions
from urlmend.mend.guards import GUARDS
from urlmend.mend.joining import evident, weighed
from urlmend.mend.line_break import Surroundings, never_goes_on
from urlmend.mend.readings import TORN_SCHEME
from urlmend.output.window import Window
from urlmend.record import DECIMALS
from urlmend.scan.delimiters import BARE_FORMS
from urlmend.text.leaders import leader, leader_at
from urlmend.text.limits import LOOKAHEAD, LOOKBACK
from urlmend.text.line_ends import HYPHENS, LINE_END, SOFT_HYPHEN
from urlmend.text.schemes import IMPLIED

MOST_CLUES = 4
"""The most clues that are named for a join, and against it: the heaviest."""


_MEANINGS = {guard.__name__: meaning for guard, (_, meaning) in GUARDS.items()}


class WeighedEnd(NamedTuple):
    """A line end: the URL so far, the next line's first word, the decision, and the clues, heaviest first."""

    url: str
    token: str
    verdict: Verdict
    clues: list[Contribution]


def weighed_ends(match: URLMatch, around: Window) -> Iterator[WeighedEnd]:
    """Yield the line ends at which *match* was weighed, in order.

    *around* has LOOKBACK bytes or characters before the match, and LOOKAHEAD after it and what was trimmed from it.
    """
    if match.form not in BARE_FORMS or match.confidence == 1:
        return
    implied, raw = IMPLIED.get(match.form, ""), match.raw
    before = around.text(match.start - LOOKBACK, match.start)
    after = around.text(match.start, match.end + len(match.trimmed.encode()) + LOOKAHEAD)
    marks = leader_at(before + after, len(before))
    if torn := TORN_SCHEME.match(raw):
        implied, before = torn[1], before + torn[0]
        raw, after = raw[torn.end() :], after[torn.end() :]
    broken = LINE_END.search(raw)
    run = raw[: broken.start()].rstrip(" \t") if broken else raw + match.trimmed
    after = after[len(run) :][:LOOKAHEAD]
    surroundings = Surroundings(before, run, after, marks, implied)
    if never_goes_on(run, before, after, implied) or evident(surroundings):
        return
    for line_break, verdict in weighed(surroundings, implied + run):
        clues = [] if verdict.guard else sorted(contributions(line_break), key=lambda clue: -abs(clue.weight))
        yield WeighedEnd(line_break.url, line_break.token, verdict, clues)


_LEADERS = {"quote": "quote marks", "colon": "quote marks", "number": "line numbers"}
_SIGNS = {'"': "quotes", "'": "quotes", "*": "asterisks"}


def removed_kind(removed: str, inserted: str | None = "") -> str:
    r"""Return the kind of text that was *removed* from a URL, where *inserted* replaces it.

    >>> [removed_kind(text) for text in ("\n", "\n    ", " \n>> ", "=\n", "\\\n", '" \\\n"', "**\n")]
    ['line end only', 'indentation', 'quote marks', 'quoted-printable', 'backslashes', 'quotes', 'asterisks']
    >>> [removed_kind(" "), removed_kind("\u200b"), removed_kind(" at ", "@")]
    ['blanks within a line', 'invisible characters', '"at" for "@"']
    >>> [removed_kind(text) for text in ("-\n", "-\n# ", "\u00ad\n")]
    ['hyphen', 'hyphen and comment marks', 'hyphen']
    """
    before, *between = LINE_END.split(removed)
    if inserted:
        return f'"{removed.strip()}" for "{inserted}"'
    if removed[0] in _SIGNS:
        return _SIGNS[removed[0]]
    if "\\" in removed:
        return "backslashes"
    if not between:
        return "blanks within a line" if removed.isspace() else "invisible characters"
    if before.strip() == "=":
        return "quoted-printable"
    kinds = ["hyphen"] if removed.startswith((*HYPHENS, SOFT_HYPHEN)) else []
    if len(between) > 1:
        kinds.append("blank lines, page breaks")
    elif marks := leader(between[0]):
        kinds.append(_LEADERS.get(marks[0].kind, "comment marks"))
    elif between[0]:
        kinds.append("indentation")
    return " and ".join(kinds) or "line end only"


def about(match: URLMatch) -> Iterator[tuple[str, str]]:
    """Yield (name, value) pairs that describe how *match* was found."""
    yield "form", match.form
    yield "confidence", f"{match.confidence:.{DECIMALS}f}"
    if match.breaks:
        yield "removed", ", ".join(dict.fromkeys(removed_kind(each.removed, each.inserted) for each in match.breaks))
    yield from (("or", reading) for reading in match.readings[1:])


def described(end: WeighedEnd) -> Iterator[str]:
    """Yield lines with the decision at *end* and its reasons."""
    yield f"{end.url} \u23ce {end.token}"
    outcome = "goes on" if end.verdict.goes_on else "ends here"
    yield f"  {outcome}: probability {end.verdict.p:.3f} (joined from {THRESHOLD:.2f})"
    if end.verdict.guard is not None:
        yield f"  guard    {end.verdict.guard.replace('_', ' ')}: {_MEANINGS[end.verdict.guard]}"
        return
    for heading, sign in (("for", 1), ("against", -1)):
        heaviest = [clue for clue in end.clues if clue.weight * sign > 0][:MOST_CLUES]
        for number, (name, value, weight) in enumerate(heaviest):
            yield f"  {'' if number else heading:7}  {weight:+.2f}  {name.replace('_', ' ')}: {value or 'nothing'}"
