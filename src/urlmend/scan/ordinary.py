"""The one fast path: most URLs in text are ordinary, and their shape alone tells where they end.

An ordinary URL has an ordinary scheme (`http`, `https`, `ftp`), a common host, a path of common characters, and behind
it what ends any bare URL; or it is `mailto:` or `news:` and a common address. `delimiters`, `termination` and the
parser say the same of it, and a test compares the two. Whether one at the end of its line goes on is a question for
`mend.continuation`, as for every other URL.
"""

import re
from collections.abc import Iterator
from functools import cache, partial

from urlmend.query import Query
from urlmend.scan import regex_engine, triggers
from urlmend.scan.delimiters import BEFORE_BRACKET, MAY_OPEN, Delimiters, bare_form
from urlmend.sources import Prefilter, Span
from urlmend.text.schemes import ORDINARY_SCHEMES

LONGEST = 2048
"""The longest ordinary URL, in characters: far below every limit of the scanner."""

_SCHEME_SIZES = {scheme.name[-3:]: len(scheme.name) for scheme in ORDINARY_SCHEMES}

_LABEL = r"[A-Za-z0-9]++(?:-++[A-Za-z0-9]++)*+"
# A top label of digits belongs to a host number, and a port of five digits may be too large.
_NAME = rf"(?:{_LABEL}\.)*[A-Za-z][A-Za-z0-9]*+(?:-++[A-Za-z0-9]++)*+"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_HOSTPORT = rf"(?:{_NAME}|{_OCTET}(?:\.{_OCTET}){{3}})(?::[0-9]{{1,4}}(?![0-9]))?"
_CHARACTERS = r"[A-Za-z0-9$\-_.+~/:@?]*"
# No entity that ends a URL, no "=3D" that quoted-printable left behind, and no other URL behind a comma.
_INSIDE = r"[,;](?=[A-Za-z0-9])(?![A-Za-z][A-Za-z0-9+.\-]{0,30}:)"
_BODY = rf"{_CHARACTERS}(?:(?:%[0-9A-Fa-f][0-9A-Fa-f]|&(?!gt|lt|quot|nbsp)|=(?!3D)|{_INSIDE}){_CHARACTERS})*"
_WORD = r"[A-Za-z0-9$_+\-]++"
_ADDRESS = rf"{_WORD}(?:\.{_WORD})*+@{_NAME}"
_TAIL = ".,;:!?"
# No scheme starts behind these: they are glued to it, end an entity, or have a twin that would end the URL.
_BEFORE = r"[^A-Za-z0-9+.\-;'_]"
# A backslash is as hard, but for "\.", which is a defanged dot.
_HARD = r"\t-\r >\")\]`}\x00-\x08\x0e-\x1f\x7f"
# In a view of octets: those that no character of UTF-8 has behind an ASCII one.
_HARD_OCTETS = rf"{_HARD}\x80-\xc1\xf5-\xff"


def _behind(colon: str, *, opaque: bool) -> str:
    schemes = (scheme.name for scheme in ORDINARY_SCHEMES if bool(scheme.shape) == opaque)
    return f"(?:{'|'.join(f'(?<={_BEFORE}{scheme}{colon})' for scheme in schemes)})"


_PATH = rf"/{_BODY}(?:#{_BODY})?(?<=[A-Za-z0-9/~=$+\-_&])"
_HIERARCHICAL = rf"{_behind('://', opaque=False)}(?>{_HOSTPORT}(?:{_PATH}[{_TAIL}]*|[.:!?]*))"
_OPAQUE = rf"(?=[A-Za-z0-9$_+\-]){_behind(':', opaque=True)}(?>{_ADDRESS}\.*)"


@cache
def _ordinary_or_trigger(*, schemeless: bool, addresses: bool, octets: bool) -> re.Pattern[str]:
    """Return the pattern that finds all that `triggers.trigger` finds, and of an ordinary URL all up to its end.

    It also finds the triggers of hosts and addresses, where these are looked for.
    """
    end = rf"(?=[{_HARD_OCTETS if octets else _HARD}]|\\(?!\.)|<(?<![,;]<)|\Z)"
    pattern = f":(?://(?:{_HIERARCHICAL}{end}|{triggers.SLASHES})|{_OPAQUE}{end}|{triggers.OTHERS})"
    if schemeless or addresses:
        from urlmend.scan.forms.triggers import pattern as on_request  # noqa: PLC0415 -- on request only

        pattern = f"{pattern}|{on_request(schemeless=schemeless, addresses=addresses)}"
    return re.compile(pattern, re.DOTALL | re.ASCII)


def _pattern(query: Query, *, octets: bool) -> re.Pattern[str]:
    return _ordinary_or_trigger(schemeless=query.schemeless, addresses=query.addresses, octets=octets)


def spans(octets: bytes, query: Query) -> Iterator[Span]:
    """Yield the spans of *octets*, in bytes and in order. The charset is any that has ASCII in it.

    A span is that of a trigger, or of an ordinary URL from its scheme's colon on. *query* may ask for more triggers.
    """
    return regex_engine.spans(_pattern(query, octets=True), octets)


def prefilter(query: Query, *, places: bool = True) -> Prefilter:
    """Return what a source is handed to leave out texts without a span; *places* as in `Prefilter`."""
    return Prefilter(partial(spans, query=query), partial(spans_of_text, query=query), regex_engine.spans, places)


def spans_of_text(text: str, pos: int, query: Query) -> Iterator[Span]:
    """Yield the spans of *text* from *pos* on, in characters and in order; *query* as in `spans`."""
    return map(re.Match.span, _pattern(query, octets=False).finditer(text, pos))


_BEGINS = re.compile(r"[:.@a\[({\\]")


def span_inside(view: str, pos: int, stop: int, query: Query, *, octets: bool) -> Span | None:
    """Return the first span that starts in *view* from *pos* on and before *stop*; *octets* as in a view of bytes."""
    pattern = _pattern(query, octets=octets)
    if not query.on_request:
        while (pos := view.find(":", pos, stop)) >= 0:
            if match := pattern.match(view, pos):
                return match.span()
            pos += 1
        return None
    found = (pattern.match(view, begin.start()) for begin in _BEGINS.finditer(view, pos, stop))
    return next((match.span() for match in found if match), None)


OrdinaryURL = tuple[str, int, str, str, int]
"""The URL, where it starts in the view, its form, what was cut from its tail, and where in the view the pass stops."""


def ordinary_url(view: str, span: Span, delimiters: Delimiters) -> OrdinaryURL | None:
    """Return the ordinary URL of *span* in *view*; *delimiters* are those of the view.

    `None` for a trigger alone, and for a URL behind a bracket that may enclose more than it.
    """
    colon, stop = span
    is_url = stop - colon > len("://") and view[colon + 1] not in " \t\r\n["
    size = _SCHEME_SIZES.get(view[colon - 3 : colon]) if is_url else None
    if size is None:
        return None
    start = colon - size
    text = view[start:stop]
    url = text.rstrip(_TAIL) if text[-1] in _TAIL else text
    # In an ftp URL only a type follows a semicolon.
    if len(text) > LONGEST or (text[0] == "f" and ";" in url):
        return None
    trimmed = text[len(url) :]
    before = view[start - 1]
    if before == "<":
        in_angle = not trimmed and view.startswith(">", stop)
        return (url, start, "angle", "", stop + 1) if in_angle else None
    if before == ":" and view[start - 4 : start].upper() == "URL:":
        in_wrapper = view.startswith("<", start - 5)
        return None if in_wrapper else (url, start, bare_form(view, start), trimmed, stop)
    bracket = view.rfind("<", max(0, start - BEFORE_BRACKET), start)
    if (
        bracket >= 0
        and MAY_OPEN.match(view, bracket, start)
        and delimiters.bracket_before(start, view[start:colon]) >= 0
    ):
        return None
    return url, start, "bare", trimmed, stop
