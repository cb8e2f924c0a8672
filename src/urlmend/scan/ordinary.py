"""The fast path: most URLs in text are ordinary, and their form alone shows where they end.

An ordinary URL has an ordinary scheme (`http`, `https`, `ftp`), a common host, a path of common characters, and then
what ends any bare URL; or it is `mailto:` or `news:` and a common address, after `mailto:` perhaps with headers.
`delimiters`, `termination` and the parser agree about it, and a test compares the two. Whether one at the end of its
line goes on is for `mend.continuation` to decide, as for every other URL.
"""

import re
from collections.abc import Iterator
from functools import cache, partial

from urlmend.query import Query
from urlmend.scan import triggers
from urlmend.scan.delimiters import MAY_OPEN, Bounds, Delimiters, bare_form
from urlmend.sources import Prefilter, Span
from urlmend.text.engine import search
from urlmend.text.schemes import COMMON_SCHEMES, SCHEMES, either

LONGEST = 2048
"""The longest ordinary URL, in characters: far below every limit of the scanner."""

SIZES = {scheme.name[-3:]: len(scheme.name) for scheme in SCHEMES if scheme.common or scheme.ordinary}

_LABEL = r"[A-Za-z0-9]++(?:-++[A-Za-z0-9]++)*+"
# A top label of digits belongs to a host number, and a port of five digits may be too large.
_NAME = rf"(?:{_LABEL}\.)*[A-Za-z][A-Za-z0-9]*+(?:-++[A-Za-z0-9]++)*+"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_HOSTPORT = rf"(?:{_NAME}|{_OCTET}(?:\.{_OCTET}){{3}})(?::[0-9]{{1,4}}(?![0-9]))?"
_CHARACTERS = r"[A-Za-z0-9$\-_.+~/:@?]*"
# No entity that ends a URL, no "=3D" that quoted-printable left behind, and no other URL behind a comma.
_INSIDE = r"[,;](?=[A-Za-z0-9])(?![A-Za-z][A-Za-z0-9+.\-]{0,30}:)"
_BRACKETS = rf"\({_CHARACTERS}\)"
_BODY = rf"{_CHARACTERS}(?:(?:%[0-9A-Fa-f]{{2}}|&(?!gt|lt|quot|nbsp)|=(?!3D)|{_INSIDE}|{_BRACKETS}){_CHARACTERS})*"
_WORD_CHARACTER = r"[A-Za-z0-9$_+\-]"
# The pattern of a trigger has passed its first character.
_ADDRESS = rf"{_WORD_CHARACTER}*+(?:\.{_WORD_CHARACTER}++)*+@{_NAME}"
_VALUE = r"(?:[A-Za-z0-9$\-_.+/:@]|%[0-9A-Fa-f]{2})*+(?<![.:@])"
_HEADERS = rf"\?[A-Za-z]++=(?!3D){_VALUE}(?:&(?!gt|lt|quot|nbsp)[A-Za-z\-]++=(?!3D){_VALUE})*+"
TAIL = ".,;:!?"
# No scheme starts after these: they are glued to it, end an entity, or have a twin that would end the URL.
_BEFORE = r"[^A-Za-z0-9+.\-;'_]"
# A backslash is as hard, except in "\.", which is a defanged dot.
_HARD = r"\t-\r >\")\]`}\x00-\x08\x0e-\x1f\x7f"


_PATH = rf"/{_BODY}(?:#{_BODY})?(?<=[A-Za-z0-9/~=$+\-_&)])(?<!--)"
_AFTER_SLASHES = "|".join(f"(?<={_BEFORE}{scheme}://)" for scheme in COMMON_SCHEMES)
_HIERARCHICAL = rf"(?:{_AFTER_SLASHES})(?>{_HOSTPORT}(?:{_PATH}[{TAIL}]*|[.:!?]*))"
_AFTER_COLON = {"address": rf"(?>{_ADDRESS}\.*)", "address?": rf"(?>{_ADDRESS}(?:{_HEADERS}|\.*))"}
_OPAQUE = either(
    f"(?<={_BEFORE}{scheme.name}:{_WORD_CHARACTER}){_AFTER_COLON[scheme.ordinary]}"
    for scheme in SCHEMES
    if scheme.ordinary
)


@cache
def _ordinary_or_trigger(*, schemeless: bool, addresses: bool) -> re.Pattern[str]:
    """Return the pattern of all that `triggers.trigger` finds, which takes an ordinary URL up to its end.

    It also finds the triggers of hosts and addresses, where these are looked for.
    """
    end = rf"(?=[{_HARD}]|\\(?!\.)|<(?<![,;]<)|\Z)"
    named = f"{triggers.NAMED}(?:{_OPAQUE}{end}|{triggers.FILLED})"
    pattern = f":(?://(?:{_HIERARCHICAL}{end}|{triggers.SLASHES})|{triggers.OTHERS}|{named})"
    if schemeless or addresses:
        from urlmend.scan import forms  # noqa: PLC0415 -- only on request

        pattern = f"{pattern}|{forms.triggers(schemeless=schemeless, addresses=addresses)}"
    return re.compile(pattern, re.DOTALL | re.ASCII)


def _pattern(query: Query) -> re.Pattern[str]:
    return _ordinary_or_trigger(schemeless=query.schemeless, addresses=query.addresses)


def spans(octets: bytes, query: Query, text: str = "", pos: int = 0) -> Iterator[Span]:
    """Yield the spans of *octets*, in bytes and in order; *text* and *pos* as in `search`.

    The charset is any that has ASCII in it. A span is that of a trigger, or of an ordinary URL from its scheme's colon
    on. *query* may ask for more triggers.
    """
    return search(_pattern(query), octets, text, pos)


def spans_of_text(text: str, pos: int, query: Query) -> Iterator[Span]:
    """Yield the spans of *text* from *pos* on, in characters and in order; *query* as in `spans`."""
    return map(re.Match.span, _pattern(query).finditer(text, pos))


_IN_WRAPPER = re.compile(triggers.WRAPPER, re.DOTALL)


def kind(text: str, span: Span, query: Query) -> str:
    """Return the kind of the trigger that *span* of *text* begins with: the name of a group of `triggers.trigger`."""
    colon, stop = span
    if stop > colon + 2 and text.startswith("//", colon + 1) and text[colon - 1] != "[":
        return "slashes"
    if text[colon - 1] in "Ll" and _IN_WRAPPER.match(text, colon + 2):
        return "wrapper"
    if text[colon + 1 : colon + 2] not in " \t\r\n/[]" and triggers.has_shape(text, colon, len(text)):
        return "opaque"
    match = _pattern(query).match(text, colon)
    return (match and match.lastgroup) or ""


def prefilter(query: Query, *, places: bool = True) -> Prefilter:
    """Return the search that a source uses to leave out texts without a span; *places* as in `Prefilter`."""
    base = query.base or "" if query.resolve or query.base else None
    return Prefilter(partial(spans, query=query), partial(spans_of_text, query=query), places, base)


_BEGINS = re.compile(r"[:.@a\[({\\]")


def span_inside(text: str, pos: int, stop: int, query: Query) -> Span | None:
    """Return the first span that starts in *text* from *pos* on and before *stop*."""
    pattern = _pattern(query)
    for begin in _BEGINS.finditer(text, pos, stop):
        if match := pattern.match(text, begin.start()):
            return match.span()
    return None


def bounds(text: str, colon: int, stop: int, delimiters: Delimiters) -> Bounds | None:
    """Return the bounds of the ordinary URL whose span is from *colon* to *stop* in *text*, the view of *delimiters*.

    `None` for a trigger alone, and for a URL after a bracket that may enclose more.
    """
    size = SIZES.get(text[colon - 3 : colon])
    if size is None or stop - colon <= len("://") or text[colon + 1] in " \t\r\n[":
        return None
    start = colon - size
    end = stop
    if text[stop - 1] in TAIL:
        end = start + len(text[start:stop].rstrip(TAIL))
    # In an ftp URL only a type follows a semicolon.
    if stop - start > LONGEST or (size == len("ftp") and text.find(";", start, end) >= 0):
        return None
    before = text[start - 1]
    if before == "<":
        is_closed = end == stop and text.startswith(">", stop)
        return ("angle", start, end, stop + 1, False) if is_closed else None
    # `bracket_before` asks this too, but for most URLs of mail the call would cost more than the test.
    bracket = text.rfind("<", max(0, start - triggers.BEFORE_BRACKET), start)
    may_be_open = bracket >= 0 and MAY_OPEN.match(text, bracket, start)
    if may_be_open and delimiters.bracket_before(start, text[start:colon]) >= 0:
        return None
    form = bare_form(text, start) if before == ":" else "bare"
    return form, start, end, stop, False
