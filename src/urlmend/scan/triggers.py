"""Triggers: colons that may belong to a URL. The scanner searches for them first, by the text on both sides."""

import re
from collections.abc import Iterable
from functools import lru_cache

from urlmend.text import leaders
from urlmend.text.defanged import AFTER_COLON
from urlmend.text.line_ends import EOL, start_of_line
from urlmend.text.patterns import lazy_regex
from urlmend.text.schemes import (
    COMMON_SCHEMES,
    KNOWN_SCHEMES,
    OPAQUE_SCHEMES,
    SCHEMES,
    Scheme,
    either,
    either_case,
    last_letters,
)

MAX_SCHEME_LENGTH = 40
"""The longest scheme name; the longest registered one has 36 characters."""


_SCHEME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-"


# After the colon and the character that follows it.
_THERE = ":."


def _opaque(scheme: Scheme) -> str:
    name = scheme.name if scheme.lower_case else either_case(scheme.name)
    return rf"(?<={name}:(?={scheme.shape}).)"


def _opening(schemes: Iterable[Scheme] = OPAQUE_SCHEMES) -> str:
    """Return the pattern of `<mailto:` and the like: first it looks for a `<` nearby, then for the names."""
    names: dict[int, list[str]] = {}
    for scheme in schemes:
        names.setdefault(len(scheme.name), []).append(scheme.name)
    openings = (f"(?<=<{'.' * size}{_THERE})(?<={either_case('|'.join(some))}{_THERE})" for size, some in names.items())
    return f"(?<!{'[^<]' * (max(names) + 1)}{_THERE})(?:{'|'.join(openings)})"


# Most words before a colon end in other letters.
_LAST_LETTERS = last_letters((*(scheme.name for scheme in OPAQUE_SCHEMES), "url"))


def _may_be_split(there: str) -> str:
    """Return the pattern of what may be a scheme with a line end after its colon.

    In running text only a common scheme may be. Shortly after a `<` any may be, except the "wrote" of "Jane wrote:",
    the most frequent word before such a colon.
    """
    common = f"|(?<={either_case(either(sorted({name[-3:] for name in COMMON_SCHEMES})))}{there})"
    return (
        rf"(?<=[A-Za-z0-9]{there})(?:(?<![ \r\n]wrote{there})(?<![ \r\n]writes{there})"
        rf"(?<![^<]{{{MAX_SCHEME_LENGTH}}}{there}){common})"
    )


def _torn(scheme: Scheme, rest_of_line: str, before: str = "", after: str = "") -> str:
    return rf"(?<={before}{either_case(scheme.name)}{_THERE})(?={rest_of_line}[ \t>|]*+{scheme.torn}{after})"


_TORN = "|".join(_torn(scheme, r"\n?") for scheme in OPAQUE_SCHEMES if scheme.torn)
_TORN_LATER = "|".join(
    _torn(scheme, rf"[\w.+=\-]{{0,100}}+[ \t]*{EOL}", r"\[", r"\]") for scheme in OPAQUE_SCHEMES if "@" in scheme.torn
)
BEFORE_BRACKET = 200
"""How far before a candidate, in characters, its `<` may be."""


def _in_json(scheme: str) -> str:
    r"""Return the pattern of *scheme* in a string of JSON, where `\/` is a slash, unlike in a regular expression."""
    return either(rf"(?<={before}{either_case(scheme)}{_THERE})" for before in (r"[\s\">]", r"\\[nrt]", r"\A"))


# A wrapper has a "<" before it, and one with another "<" inside was never closed.
_URL = rf"{either_case('url')}:"
WRAPPER: str = rf"(?<={_URL}(?![^<>&]{{0,100}}<).)(?:(?<![^<]{{{BEFORE_BRACKET}}}{_URL}.)|(?<=&lt;{_URL}.))"
_LINE_END = r"[ \t]*[\r\n]"

# The branches differ in the character after the colon, so that "Date: " and "12:30" fail soon: `re` checks the class
# that a branch begins with before it enters the branch. Look-behinds then check the text before the colon.
_NAMED = tuple(scheme for scheme in SCHEMES if scheme.shape or scheme.common)
SLASHES = r"(?:(?<=[A-Za-z0-9+.\-\s>]://)(?P<slashes>)|(?<=[A-Za-z0-9]\[://)(?=\]))"
OTHERS = (
    rf"[ \t](?:{WRAPPER}(?P<wrapper>)|{_opening(_NAMED)}(?P<opening>)"
    rf"|[ \t\r\n]{_may_be_split(':..')}(?:(?<=[\r\n])|{_LINE_END})(?P<split>))"
    rf"|[\r\n](?:{WRAPPER}(?P<wrapper_end>)|{_opening()}(?P<opening_end>)|(?:{_TORN})(?P<torn>)"
    rf"|{_may_be_split(_THERE)}(?P<split_end>))"
    rf"|/(?=[=\\]?{_LINE_END})(?<=[A-Za-z0-9]:/)(?P<split_slash>)"
    rf"|[=\\](?={_LINE_END}){_may_be_split(_THERE)}(?P<split_mark>)"
    rf"|\\(?=/\\/[\w.\-]{{0,100}}+(?!\\\.)){either(map(_in_json, COMMON_SCHEMES))}(?P<escaped>)"
    rf"|{AFTER_COLON}"
)
# The two parts of one more branch: `ordinary` has URLs of its own between them.
# No URL begins as a qualified name does: "<Data::Dumper>".
NAMED = rf"[^ \t\r\n:](?<={_LAST_LETTERS}{_THERE})"
FILLED = (
    # The match includes a scheme that follows, because the colon of that scheme is not another trigger.
    rf"{WRAPPER}(?P<wrapper_filled>)(?:(?<=[Hh])[Tt][Tt][Pp][Ss]?://)?+|(?<!{either_case('url')}:.)"
    f"(?:(?:{'|'.join(map(_opaque, OPAQUE_SCHEMES))})(?P<opaque>)"
    f"|{_opening()}(?P<opening_filled>)|(?:{_TORN_LATER})(?P<torn_later>))"
)


TRIGGER = lazy_regex(f":(?://{SLASHES}|{OTHERS}|{NAMED}(?:{FILLED}))", re.DOTALL | re.ASCII)
"""The pattern of all triggers; the last group of a match is the kind of trigger."""

LINE_END_OR_URL = lazy_regex(rf"(?<=[A-Za-z0-9]):/?{_LINE_END}|{_URL}.", re.DOTALL)
"""A line end after a colon, or another `URL:`: the inside of a wrapper is prose."""
# A line end may follow the colon of a common scheme, and of any scheme in an angle.
MAY_BE_SPLIT = lazy_regex(rf"<|{either(COMMON_SCHEMES)}\Z", re.IGNORECASE)
# In the source of a manual page, a font or a character by its name; in that of a program, a line end or a tab; in TeX,
# what follows is printed as it is, up to the next "+".
ESCAPE = lazy_regex(rf"\\(?:f[A-Z0-9]|[f*]?\([A-Za-z]{{2}}|[nrt](?={either(KNOWN_SCHEMES)}:)|(?:verb|url|path)\+)")
_GLUED = lazy_regex(rf"(?<!\+){either(COMMON_SCHEMES)}$")
TRIGGER_REACH = 320
"""How far from its colon, in characters, the pattern of a trigger looks on either side, at most."""


_SHAPES = lazy_regex("|".join(map(_opaque, OPAQUE_SCHEMES)), re.DOTALL | re.ASCII)


def has_shape(view: str, colon: int, end: int) -> bool:
    """Return whether the opaque URL whose colon is at *colon* and which ends at *end* has the shape of its scheme."""
    return _SHAPES.match(view, colon + 2, end) is not None


_RESTS = frozenset(name[size:] for name in COMMON_SCHEMES for size in range(1, len(name) + 1))
# A word at a line's end, with a mark that quoted-printable or s-nail adds, or a typesetter, of UTF-8 too.
_BEGUN = lazy_regex(
    rf"(?:(?<![^\s<>\"'(\[])|(?<=\xe2\x80[\x80-\x8a])|(?<=\xe3\x80\x80))"  # blanks of UTF-8 too
    rf"([A-Za-z]{{1,5}})(?:[=\\\-\u2010]|\xe2\x80\x90)?[ \t]*{EOL}\Z"
)


def torn_start(view: str, start: int, rest: str) -> int:
    """Return where a common scheme starts that goes on with *rest* at *start* in the next line, -1 if there is none.

    Both lines have the same leader.
    """
    if rest not in _RESTS:
        return -1
    first = max(0, start - 100)
    line = start_of_line(view, first, start)  # few schemes begin theirs
    begun = _BEGUN.search(view, max(first, line - 20), line) if line else None
    if begun is None or f"{begun[1]}{rest}".lower() not in COMMON_SCHEMES:
        return -1
    before = view[line:start]
    marks = leaders.leader_at(view, begun.start())
    return begun.start() if leaders.text_start(before, marks) == len(before) else -1


def scheme_start(view: str, colon: int, *, opaque: bool) -> int:
    """Return where the scheme that ends at *colon* starts, -1 if there is none; in `Ltd.https:`, that is at `https`.

    An *opaque* scheme, one without `//`, must be known or follow a `<`.
    """
    reach = view[max(0, colon - MAX_SCHEME_LENGTH) : colon]
    size, is_known = _size_of_scheme(reach[len(reach.rstrip(_SCHEME_CHARACTERS)) :])
    start = colon - size
    if not is_known:
        if opaque and view[start - 1 : start] != "<":
            return -1
        begin = max(0, start - 3)
        escape = ESCAPE.search(view, begin, colon + 1) if "\\" in view[begin:start] else None
        if escape and start < escape.end() < colon:
            return escape.end()
    return start if size else -1


@lru_cache(maxsize=1024)
def _size_of_scheme(letters: str) -> tuple[int, bool]:
    """Return how many of *letters*, at their end, are a scheme, and whether it is a known one."""
    scheme = letters.lstrip("0123456789+.-")
    name = scheme.lower()
    if name in KNOWN_SCHEMES:
        return len(name), True
    for known in name.replace("-", ".").split(".")[:0:-1]:
        if known in KNOWN_SCHEMES and name.endswith(known):
            return len(known), True
    # Text glued to the scheme, as in "pagehttps://": the name of a scheme in use ends in another only after a "+".
    glued = _GLUED.search(name)
    return (len(glued[0]), True) if glued else (len(scheme), False)
