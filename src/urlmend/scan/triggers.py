"""Triggers: colons that may belong to a URL. The scanner looks for them first, by what stands on both sides of them."""

import re
from collections.abc import Iterable
from functools import cache

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


# Behind the colon and the character that follows it.
_THERE = ":."


def _opaque(scheme: Scheme) -> str:
    name = scheme.name if scheme.lower_case else either_case(scheme.name)
    return rf"(?<={name}:(?={scheme.shape}).)"


def _opening(schemes: Iterable[Scheme] = OPAQUE_SCHEMES) -> str:
    """Return the pattern of `<mailto:` and the like: first it looks for a `<` nearby, then for the names."""
    names: dict[int, list[str]] = {}
    for scheme in schemes:
        names.setdefault(len(scheme.name), []).append(either_case(scheme.name))
    openings = (f"(?<=<{'.' * size}{_THERE})(?<=(?:{'|'.join(some)}){_THERE})" for size, some in names.items())
    return f"(?<!{'[^<]' * (max(names) + 1)}{_THERE})(?:{'|'.join(openings)})"


# Most words before a colon end in other letters.
_LAST_LETTERS = last_letters((*(scheme.name for scheme in OPAQUE_SCHEMES), "url"))


def _may_be_split(there: str) -> str:
    """Return the pattern of what may be a scheme with a line end behind its colon.

    In running text that is a common scheme. Behind a `<` nearby it may be any, but not the "wrote" of "Jane wrote:",
    which is the most frequent word before such a colon.
    """
    common = "".join(f"|(?<={either_case(ending)}{there})" for ending in sorted({name[-3:] for name in COMMON_SCHEMES}))
    return (
        rf"(?<=[A-Za-z0-9]{there})(?:(?<![ \r\n]wrote{there})(?<![ \r\n]writes{there})"
        rf"(?<![^<]{{{MAX_SCHEME_LENGTH}}}{there}){common})"
    )


# A wrapper with another "<" inside was never closed.
_WRAPPER = rf"(?<={either_case('url')}:(?![^<>&]{{0,100}}<).)"
_LINE_END = r"[ \t]*[\r\n]"

# The branches differ in the character behind the colon, so that "Date: " and "12:30" are done with soon: `re` checks
# the class that a branch begins with before it enters the branch. Look-behinds then check what stands on the left.
_NAMED = tuple(scheme for scheme in SCHEMES if scheme.shape or scheme.common)
SLASHES = r"(?:(?<=[A-Za-z0-9+.\-]://)(?P<slashes>)|(?<=[A-Za-z0-9]\[://)(?=\])(?P<defanged>))"
OTHERS = (
    rf"[ \t](?:{_WRAPPER}(?P<wrapper>)|{_opening(_NAMED)}(?P<opening>)"
    rf"|[ \t\r\n]{_may_be_split(':..')}(?:(?<=[\r\n])|{_LINE_END})(?P<split>))"
    rf"|[\r\n](?:{_WRAPPER}(?P<wrapper_end>)|{_opening()}(?P<opening_end>)|{_may_be_split(_THERE)}(?P<split_end>))"
    rf"|/(?={_LINE_END})(?<=[A-Za-z0-9]:/)(?P<split_slash>)"
    # What stands for "://" in a defanged URL.
    r"|/(?=\[/\])(?<=[A-Za-z0-9]:/)(?P<defanged_slash>)"
    r"|\[(?<=[A-Za-z0-9]:\[)(?://\]|/\](?:/|\[/\]))(?P<defanged_slashes>)"
    r"|\](?<=[A-Za-z0-9]\[:\])(?:\[//\]|(?:/|\[/\]){2})(?P<defanged_colon>)"
    # The match reaches over the scheme behind it, as that scheme's colon is no further trigger.
    rf"|[^ \t\r\n](?<={_LAST_LETTERS}{_THERE})"
    rf"(?:{_WRAPPER}(?P<wrapper_filled>)(?:(?<=[Hh])[Tt][Tt][Pp][Ss]?://)?+|(?<!{either_case('url')}:.)"
    f"(?:(?:{'|'.join(map(_opaque, OPAQUE_SCHEMES))})(?P<opaque>)"
    f"|{_opening()}(?P<opening_filled>)))"
)


@cache
def trigger() -> re.Pattern[str]:
    """Return the pattern of all triggers; the last group of a match tells the kind."""
    return re.compile(f":(?://{SLASHES}|{OTHERS})", re.DOTALL | re.ASCII)


LINE_END_AFTER_COLON = re.compile(rf"(?<=[A-Za-z0-9]):/?{_LINE_END}")
# A line end may follow the colon of a common scheme, and of any scheme in an angle.
MAY_BE_SPLIT = re.compile(rf"<|{either(COMMON_SCHEMES)}\Z", re.IGNORECASE)
_GLUED = re.compile(rf"(?<!\+){either(COMMON_SCHEMES)}$")
TRIGGER_REACH = 320


def kind(view: str, colon: int, stop: int) -> str:
    """Return the kind of the trigger from *colon* to *stop*: the name of a group of `trigger`."""
    if stop > colon + 2 and view.startswith("//", colon + 1) and view[colon - 1] != "[":
        return "slashes"
    match = trigger().match(view, colon)
    return (match and match.lastgroup) or ""


def has_shape(view: str, colon: int, end: int) -> bool:
    """Tell whether the opaque URL with the scheme's colon at *colon* has its scheme's shape where it ends at *end*."""
    match = trigger().match(view, colon, end)
    return match is not None and match["opaque"] is not None


def scheme_end(view: str, colon: int) -> int:
    """Return where the name of the scheme ends whose colon is at *colon*: a defanged one may be in brackets."""
    return colon - 1 if colon and view[colon - 1] == "[" else colon


def scheme_start(view: str, colon: int, *, opaque: bool) -> int:
    """Return where the scheme that ends at *colon* starts, -1 if there is none: `Ltd.https:` has it at `https`.

    An *opaque* one, with no `//` after it, must be known or stand behind a `<`.
    """
    reach = view[max(0, colon - MAX_SCHEME_LENGTH) : colon]
    scheme = reach[len(reach.rstrip(_SCHEME_CHARACTERS)) :].lstrip("0123456789+.-")
    name = scheme.lower()
    if name not in KNOWN_SCHEMES:
        for known in name.replace("-", ".").split(".")[::-1]:
            if known in KNOWN_SCHEMES and name.endswith(known):
                return colon - len(known)
        # Text glued to the scheme, as in "pagehttps://": no scheme in use ends in another but with a "+".
        glued = _GLUED.search(name)
        if glued:
            return colon - len(glued[0])
        if opaque and view[colon - len(scheme) - 1 : colon - len(scheme)] != "<":
            return -1
    return colon - len(scheme) if scheme else -1
