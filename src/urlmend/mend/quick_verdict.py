"""A quick verdict on what follows a URL: mostly it shows that the URL ends there, and nothing has to be weighed."""

import re

from urlmend.mend.words import COMMON, completes_suffix
from urlmend.text.line_ends import EOL
from urlmend.text.patterns import lazy_regex
from urlmend.text.schemes import OPAQUE_NAMES, either

CERTAIN = 0.997
"""The probability that a guard is right: that the URL goes on where one joins, and that it ends where one ends it."""

# A line that may be the footer of a page break: the line after the page break counts as the next one. It is looked for
# last, as that takes most time.
_FOOTER = r"[^\r\n\[]*+(?:\[(?![Pp])[^\r\n\[]*+)*+\["
_NO_FOOTER = rf"(?!(?:[ \t]*{EOL})*+{_FOOTER})"
_OTHER_URL = rf"(?:[A-Za-z][A-Za-z+]{{1,11}}:(?:\\?/){{2}}|{either(OPAQUE_NAMES)}:[A-Za-z0-9])"
# A bracket, a quote, a bullet, a rule line, another URL, the name of a header field. "-- " may be a leader,
# and paths of GitLab begin with "-/".
_NO_PIECE = (
    r"[(\[]|[-=_~+](?:[-=_~+]{2,})?[ \t\r\n]|(?!-/[A-Za-z])[-~+][!-/:-@\[-^`{-~](?:[!-~]|[ \t]*[\r\n])"
    rf"|{_OTHER_URL}|[A-Z][A-Za-z\-]*:[ \t]"
)
# An apostrophe, the full stops of "e.g." and the hyphens of "Editor-in-Chief" are part of a word.
_WORD = r"[A-Za-z]++(?:'[a-z]{1,3}|\.[a-z]\.|-(?:in|of)-[A-Z][a-z]++)?+"
# Either no line end follows the URL, or one does and after it come the end of the text, a blank line, a word of prose,
# or something that cannot be a piece of a URL.
_AFTER_URL = lazy_regex(
    rf"(?P<in_line>\Z|[^ \t\r\n]|[ \t]+[^ \t\r\n]|(?<=[A-Za-z0-9/.])[ \t]*{EOL}\Z)"
    rf"|(?<=[A-Za-z0-9/.,])[ \t]*{EOL}(?:[ \t>|:#;*]*+(?://[ \t]+)?(?!dnl[ \t])(?P<word>{_WORD})"
    rf"[.,;:!?]*+(?=[ \t\r\n])(?P<more>[ \t]++[^ \t\r\n])?+"
    rf"|(?=[ \t>|:#;*]*+(?P<blank>(?<![,|:#;*])[\r\n])){_NO_FOOTER})"
    # Another URL may follow the date in the address of a web archive, and a bracket the beginning of a DOI.
    rf"|(?<=[A-Za-z0-9/.])(?<![0-9]{{14}}/)(?<![/:]10\.[0-9]{{4}}/)(?<![/:]10\.[0-9]{{5}}/)[ \t]*{EOL}"
    rf"(?=[ \t>|]*(?:[<\"`]|{_NO_PIECE})){_NO_FOOTER}"
    rf"|(?<=\))[ \t]*{EOL}(?=[ \t>|]*{_OTHER_URL}){_NO_FOOTER}"
)
_FOOTER_AHEAD = lazy_regex(_FOOTER)
# In lines narrower than these, in characters, few URLs are broken in mid-word, and few at all.
_NARROW = 56
_STUB = 40
_SHORT_WORD = 3
_BEGUN = 4  # a full stop and the three letters of `.htm⏎l`
# With what most words begin: a vowel, a vowel after one letter, or two consonants such as "th".
_WORD_START = lazy_regex(
    r"(?!aa|ii|uu)[a-z]?[aeiouy]|[bcdfgkptw]r|[bcfgkps]l|[cgpstwr]h|s[ckmnpqtw]|[gk]n|tw", re.IGNORECASE
)


def quick_verdict(view: str, stop: int, limit: int, width: int) -> float | None:
    """Return how likely a URL ends at *stop* in *view*, in a line of *width*; `None` if that has to be weighed.

    The result is 1 within a line and before a blank one, and CERTAIN where the next line begins as prose, or as no part
    of a URL does. The view is read up to *limit*. Most URLs need no more.
    """
    found = _AFTER_URL.match(view, stop, limit)
    if found is None:
        return None
    in_line, word, more, blank = found.groups()
    if word is None:
        return CERTAIN if in_line is None and blank is None else 1.0
    # Few texts have a bracket at all, and looking for one is faster.
    if view.find("[", stop, limit) >= 0 and _FOOTER_AHEAD.match(view, found.end("word"), limit):
        return None
    end = view[stop - _BEGUN : stop]
    if len(word) <= _SHORT_WORD and "." in end and completes_suffix(end, word):
        prose = False
    elif more is None:
        prose = width < _STUB
    elif word.lower() in COMMON or not word.isalpha():
        prose = True
    elif view[stop - 1] == "/" and word.islower() and not view[found.end("word")].isspace():
        prose = False  # of the known line ends, 11 of 41 go on
    elif view[stop - 1] in ".,":
        prose = word[0].isupper()
    else:
        prose = width < _NARROW or (len(word) >= _SHORT_WORD and _WORD_START.match(word) is not None)
    return CERTAIN if prose else None
