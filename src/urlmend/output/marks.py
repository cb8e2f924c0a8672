"""The marks in annotated text: where a URL was joined, what was removed, and how sure the join is."""

import math
from collections.abc import Iterable

from urlmend.match import Break
from urlmend.output.terminal import harmless
from urlmend.text.leaders import leader
from urlmend.text.line_ends import LINE_END

LINE_JOINT, JOINT = "\u23ce", "\u2423"
"""The marks of a place where a URL was joined: over a line end, and over blanks."""

SURE = 0.9
"""URLs of less confidence are marked as doubtful. Of the others, at least 97 in 100 are right."""


_LEADERS = {"quote": "quote marks", "initials": "quote marks", "colon": "quote marks", "number": "line numbers"}


def removed_kind(removed: str, inserted: str | None = "") -> str:
    r"""Return the kind of text that was *removed* from a URL, where *inserted* replaces it.

    >>> [removed_kind(text) for text in ("\n", "\n    ", " \n>> ", "=\n", "-\n# ", "\\\n")]
    ['line end only', 'indentation', 'quote marks', 'quoted-printable', 'comment marks', 'backslashes']
    >>> [removed_kind(" "), removed_kind("\u200b"), removed_kind(" at ", "@")]
    ['blanks within a line', 'invisible characters', '"at" for "@"']
    """
    before, *between = LINE_END.split(removed)
    if inserted:
        return f'"{removed.strip()}" for "{inserted}"'
    if "\\" in removed:
        return "backslashes"
    if not between:
        return "blanks within a line" if removed.isspace() else "invisible characters"
    if len(between) > 1:
        return "blank lines, page breaks"
    if before.strip() == "=":
        return "quoted-printable"
    blanks = "indentation" if between[0] else "line end only"
    marks = leader(between[0])
    return _LEADERS.get(marks[0].kind, "comment marks") if marks else blanks


def removed_kinds(breaks: Iterable[Break]) -> str:
    """Return the kinds of text that were removed at *breaks*, each once, in order."""
    return ", ".join(dict.fromkeys(removed_kind(each.removed, each.inserted) for each in breaks))


def joint(removed: str) -> str:
    """Return the mark of a place where a URL was joined over *removed* text."""
    return LINE_JOINT if LINE_END.search(removed) else JOINT


def clean(text: str) -> str:
    """Return *text* with line feeds as line ends, and with control characters made visible."""
    return harmless(LINE_END.sub("\n", text))


def percent(confidence: float) -> str:
    """Return *confidence* in per cent, rounded down: only certainty is 100%.

    >>> percent(0.996), percent(0.07), percent(1.0)
    ('99%', '7%', '100%')
    """
    return f"{math.floor(confidence * 100 + 1e-9)}%"
