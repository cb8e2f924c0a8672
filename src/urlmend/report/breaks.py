"""Kinds of breaks: where a URL was broken, and what was taken out there."""

import re

from urlmend.text.leaders import leader
from urlmend.text.line_ends import HYPHENS, LINE_END

_DELIMITERS = frozenset("/.?&=#%_~,;:+@!$'()*[]-")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:?/{0,2}\Z")
_LEADERS = {"quote": "quote marks", "initials": "quote marks", "colon": "quote marks", "number": "line numbers"}


def removed_kind(removed: str) -> str:
    r"""Return the kind of text removed at a line break.

    >>> [removed_kind(text) for text in ("\n", "\n    ", " \n>> ", "=\n", "-\n# ")]
    ['nothing but the line end', 'indentation', 'quote marks', 'quoted-printable', 'comment marks']
    """
    before, *between = LINE_END.split(removed)
    if not between:
        return "blanks within a line" if removed.isspace() else "invisible characters"
    if len(between) > 1:
        return "blank lines, page breaks"
    if before.strip() == "=":
        return "quoted-printable"
    marks = leader(between[0])
    if marks:
        return _LEADERS.get(marks[0].kind, "comment marks")
    return "indentation" if between[0] else "nothing but the line end"


def place_kind(url: str, at: int, removed: str, hyphen: int) -> str:
    r"""Return the kind of place at which *url* was broken: *at* counts characters from 0, *removed* has a line end.

    >>> [place_kind("http://a.example/b-c", at, "\n", at == 19) for at in (7, 12, 17, 18, 19)]
    ['in or after the scheme', 'within a word', 'after a slash', 'before punctuation', 'after a hyphen, which is kept']
    """
    if hyphen:
        dropped = removed.lstrip().startswith(HYPHENS)
        return f"after a hyphen, which is {'dropped' if dropped else 'kept'}"
    if _SCHEME.match(url[:at]):
        return "in or after the scheme"
    if url[at - 1] == "/":
        return "after a slash"
    if url[at - 1] in _DELIMITERS:
        return "after other punctuation"
    return "before punctuation" if url[at : at + 1] in _DELIMITERS else "within a word"
