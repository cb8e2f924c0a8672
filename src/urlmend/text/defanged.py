"""Defanged URLs: security reports write `hxxp://evil[.]example` so that nobody follows the link by mistake.

Refanging is a step of decoding: edits with their places. Only the scheme and the authority are defanged, never a path.
"""

import re

from urlmend.text.patterns import label, lazy_regex
from urlmend.text.schemes import SCHEMES, either

LETTER = r"[^\x00-/:-@\[-`{-\x7f]"
"""A pattern for a letter, a digit, or any character beyond ASCII."""

Edit = tuple[int, int, str]
"""(start, stop, meaning) of a part of a text."""


def _bracketed(inside: str) -> str:
    """Return a pattern for *inside* in brackets of any kind, with or without blanks."""
    padded = rf"[ \t]{{0,3}}(?:{inside})[ \t]{{0,3}}"
    return rf"(?:\[{padded}\]|\({padded}\)|\{{{padded}\}})"


_INSIDE_DOT, _INSIDE_AT = "[.]|[Dd][Oo][Tt]", "@|[Aa][Tt]"
_DOT = rf"(?:{_bracketed(_INSIDE_DOT)}|\\\.)"
_AT = _bracketed(_INSIDE_AT)
_SLASHES = r"(?:(?:\[:\]|:)(?:\[//\]|(?:/|\[/\]){2})|\[://\])"

# `re` searches for the first characters of alternatives together if each begins with one character, not with a class.
AFTER_COLON = (
    r"/(?=\[/\])(?<=[A-Za-z0-9]:/)|\[(?<=[A-Za-z0-9]:\[)(?://\]|/\](?:/|\[/\]))"
    r"|\](?<=[A-Za-z0-9]\[:\])(?:\[//\]|(?:/|\[/\]){2})"
)
"""A pattern for what follows the colon in a defanged `://`. In `[://]` two ordinary slashes do."""

_REST_OF_MARK = rf"[ \t]{{0,3}}(?:{_INSIDE_DOT}|{_INSIDE_AT})[ \t]{{0,3}}[\])}}]"
MARK_IN_NAME = "|".join(
    (
        *(rf"{bracket}(?<={LETTER}.)(?={_REST_OF_MARK}{LETTER})" for bracket in (r"\[", r"\(", r"\{")),
        rf"\\(?<={LETTER}.)(?=\.{LETTER})",
    )
)
"""Matches the first character of `[.]`, `(at)` and the like, which replace a dot or an `@` between two letters."""

# In brackets an authority may have line breaks.
_LINE_BREAK = r"(?:[ \t]*(?:\r\n?|\n)[ \t>|]*)"
_MARK = lazy_regex(
    rf"(?P<slashes>(?!://){_SLASHES})|(?<!/)(?:(?P<dot>{_DOT})|(?P<at>{_AT})|(?P<colon>\[:\]))"
    rf"(?={_LINE_BREAK}?(?:[A-Za-z0-9_%\-]|[^\x00-\x7f]))"
)
_SIGNS = r"\[({\\"
_MEANING = {"slashes": "://", "dot": ".", "at": "@", "colon": ":"}

_SCHEMES = {scheme.name: scheme.stands_for for scheme in SCHEMES if scheme.stands_for}
_SCHEME = lazy_regex(rf"(?<![A-Za-z+]){either(sorted(_SCHEMES, key=len, reverse=True))}\Z", re.IGNORECASE)
_LONGEST_SCHEME = max(map(len, _SCHEMES))
_AFTER_SCHEME = lazy_regex(
    rf"(?:{_SLASHES}|:{_LINE_BREAK}?/{_LINE_BREAK}?/|(?<=(?i:mailto)):[ \t]{{0,3}})"
    rf"(?:[^\s/?#<>\"`{_SIGNS}]++|{_DOT}|{_AT}|[{_SIGNS}]|{_LINE_BREAK})++"
)
_REACH = 320  # of a host name with marks
# Rules most URLs and names out at once: in text full of wrappers, where each is asked, it saves a tenth of the time.
_IS_PLAIN = lazy_regex(
    r":(?<![LlOoPpSs]:)(?![/\[\]\s])"
    r"|:(?:[A-Za-z]++:)?+(?<![Xx][Pp]:)(?<![Xx][Pp][Ss]:)(?://(?:\[[0-9A-Fa-f:.]{3,45}\])?+|(?![/\s>|]))"
    rf"(?:[^\s/?#<>\"`{_SIGNS}\]]++|{_LINE_BREAK})*+(?![{_SIGNS}\]])|[.@][A-Za-z0-9.\-]++(?![{_SIGNS}])"
)
_AFTER_URL = lazy_regex(r"[\s>|]{0,100}[A-Za-z][A-Za-z0-9+.\-]{0,40}")
_MOST_LABELS = 20
_NEXT = rf"(?:{_DOT}|{_AT}|[.@]){label('A-Za-z0-9')}"
_REST_OF_NAME = lazy_regex(rf"(?:{_NEXT}){{1,{_MOST_LABELS}}}+(?!{_NEXT})(?:\[:\][0-9])?")


def edits(text: str, trigger: int) -> list[Edit]:
    """Return the edits that refang the URL, host or address in *text* with this *trigger*, in order.

    The trigger is the colon after a scheme or after the `URL` of a wrapper, or the dot, `@` or mark after a name.
    """
    if _IS_PLAIN.match(text, trigger, trigger + _REACH):
        return []
    made: list[Edit] = []
    if text[trigger] == ":":
        end = trigger - text.startswith("[", trigger - 1)
        if text[trigger - 3 : trigger].upper() == "URL" and (scheme := _AFTER_URL.match(text, trigger + 1)):
            end = scheme.end()
        found = _AFTER_SCHEME.match(text, end, end + _REACH)
        if found and (scheme := _SCHEME.search(text, max(0, end - _LONGEST_SCHEME), end)):
            made.append((scheme.start(), end, _SCHEMES[scheme[0].lower()]))
    else:
        found = _REST_OF_NAME.match(text, trigger)
    marks = _MARK.finditer(text, *found.span()) if found else ()
    return made + [(*mark.span(), _MEANING[mark.lastgroup or ""]) for mark in marks]


def edits_of(url: str) -> list[Edit]:
    """Return the edits that refang *url*, none for an ordinary URL."""
    return edits(url, url.index(":")) if ":" in url else []
