"""The fast path: most URLs in text are ordinary, and their form alone shows where they end.

An ordinary URL has `//` after its scheme, a common host, a path of common characters, and then what ends any bare URL;
or it has one of a few schemes without `//`, and a common address or name after it.
`delimiters`, `termination` and the parser agree about it, and a test compares the two. Whether one at the end of its
line goes on is for `mend.continuation` to decide, as for every other URL.
"""

import re
from collections.abc import Iterator
from functools import cache, partial

from urlmend.grammar.parser import accepts
from urlmend.grammar.profiles import WEB
from urlmend.grammar.unwrap import FILTERS
from urlmend.mend.readings import ESCAPED, GAP
from urlmend.mend.words import LEAST_RULE, RULED
from urlmend.query import Query
from urlmend.scan import triggers
from urlmend.scan.termination import ENTITIES
from urlmend.sources import Prefilter, Span
from urlmend.text.engine import search
from urlmend.text.patterns import IPV4, NAME, lazy_regex
from urlmend.text.schemes import COMMON_SCHEMES, KNOWN_SCHEMES, SCHEMES, either, either_case

LONGEST = 2048
"""The longest ordinary URL, in characters: far below every limit of the scanner."""

SIZES = {scheme.name[-3:]: len(scheme.name) for scheme in SCHEMES if scheme.common or scheme.ordinary}

# A port of five digits may be too large.
_HOSTPORT = rf"(?:{NAME}|{IPV4})(?::[0-9]{{1,4}}(?![0-9]))?"
_COMMON = r"A-Za-z0-9$\-_.+~/:@?"
_CHARACTERS = f"[{_COMMON}]*"
# No entity that ends a URL, no "=3D" of quoted-printable, and no other URL after a comma.
_INSIDE = r"[,;](?=[A-Za-z0-9])(?![A-Za-z][A-Za-z0-9+.\-]{0,30}:)"
_BRACKETS = rf"\({_CHARACTERS}\)"
_BODY = rf"{_CHARACTERS}(?:(?:%[0-9A-Fa-f]{{2}}|&(?!{ENTITIES})|=(?!3D)|{_INSIDE}|{_BRACKETS}){_CHARACTERS})*"
_WORD_CHARACTER = r"[A-Za-z0-9$_+\-]"
SPACED_AT = " at "
"""The `@` of an ordinary address that is hidden."""
# The pattern of a trigger has passed its first character.
_LOCAL = rf"{_WORD_CHARACTER}*+(?:\.{_WORD_CHARACTER}++)*+"
_ADDRESS = rf"{_LOCAL}@{NAME}"
_MAYBE_HIDDEN = rf"{_LOCAL}(?:@|{SPACED_AT}(?=[A-Za-z0-9\-]++\.[A-Za-z0-9])){NAME}"
_VALUE = r"(?:[A-Za-z0-9$\-_.+/:@]|%[0-9A-Fa-f]{2})*+(?<![.:@])"
_HEADERS = rf"\?[A-Za-z]++=(?!3D){_VALUE}(?:&(?!{ENTITIES})[A-Za-z\-]++=(?!3D){_VALUE})*+"
TAIL = ".,;:!?'"
_SOFT = TAIL.rstrip("'")
# No scheme starts after these: they are glued to it, end an entity, have a twin that ends the URL, or may be Texinfo's.
_BEFORE = r"[^A-Za-z0-9+.\-;'_,|{]"
_HARD = r"\t-\r >)\]`}\x00-\x08\x0e-\x1f\x7f"

_PATH = rf"/{_BODY}(?:#{_BODY})?(?:(?<=[A-Za-z0-9/$&)])|(?<=[{RULED}])(?<!--)(?<!~~)(?<![{RULED}]{{{LEAST_RULE}}}))"
# An apostrophe before a URL has its twin after it.
_AFTER_SLASHES = "|".join(f"(?<={_BEFORE}{scheme}://)" for scheme in COMMON_SCHEMES).replace("'", "")
# Other schemes end in other letters, and what precedes them is for `size_of_other` to see.
_AFTER_OTHERS = rf"(?<=[A-Za-z0-9+.\-]://)(?<!{either(SIZES)}://)"
# A string of JSON or an attribute of HTML may be a URL and nothing else.
_AT_START = "|".join(rf"(?<=\A{scheme}://)" for scheme in COMMON_SCHEMES)
# In a longer run, each scheme would be followed to its end. It takes time to see this, so a host must begin first.
_TOO_LONG = f"[{_COMMON}%&=,;()#]{{{LONGEST + 1}}}"
# An address of a mail filter may lack its end, which is in the next line.
_AFTER_SCHEME = rf"(?:{_AFTER_SLASHES}|{_AFTER_OTHERS}|{_AT_START})(?=[A-Za-z0-9])(?!{FILTERS}|{_TOO_LONG})"
_HIERARCHICAL = rf"{_AFTER_SCHEME}(?>{_HOSTPORT}(?:{_PATH}[{_SOFT}]*(?:(?!{GAP})'[{TAIL}]*)?|[.:!?]*))"
_WORDS = r"[A-Za-z0-9+\-]++"
_AFTER_COLON = {
    "address": rf"(?>{_ADDRESS}\.*)",
    "address?headers": rf"(?>{_MAYBE_HIDDEN}(?:{_HEADERS}|\.*))",
    "group": rf"(?<=[A-Za-z])(?>(?:{_WORDS})?(?:\.{_WORDS})++(?<=[A-Za-z0-9+])[{_SOFT}]*)",
    "names": rf"(?<=[A-Za-z0-9])(?>[A-Za-z0-9\-]{{1,31}}+(?::[A-Za-z0-9._\-]++){{1,16}}+(?<=[A-Za-z0-9])[{_SOFT}]*)",
    "number": rf"(?<=1)(?>0\.[0-9]{{3,9}}+/[A-Za-z0-9._\-/]++(?<=[A-Za-z0-9])[{_SOFT}]*)",
}
"""For each shape in the table of schemes: what follows the colon and the first character after it."""
_OPAQUE = either(
    f"(?<={_BEFORE}{scheme.name}:{_WORD_CHARACTER}){either(map(_AFTER_COLON.__getitem__, scheme.ordinary.split()))}"
    for scheme in SCHEMES
    if scheme.ordinary
)


@cache
def _ordinary_or_trigger(*, schemeless: bool, addresses: bool) -> re.Pattern[str]:
    """Return the pattern of everything that `triggers.TRIGGER` finds; it matches an ordinary URL up to its end.

    It also finds the triggers of hosts and addresses if these are looked for.
    """
    # An escape is in the URL, and "\." is a defanged dot.
    end = rf"(?=[{_HARD}]|(?!{GAP})\"|\\(?!{ESCAPED}|\.)|<(?<![,;]<)|\Z)"
    named = f"{triggers.NAMED}(?:(?<!{either_case('url')}:.){_OPAQUE}{end}|{triggers.FILLED})"
    pattern = f":(?://(?:{_HIERARCHICAL}{end}|{triggers.SLASHES})|{triggers.OTHERS}|{named})"
    if schemeless or addresses:
        from urlmend.scan import on_request  # noqa: PLC0415 -- only on request

        pattern = f"{pattern}|{on_request.triggers(schemeless=schemeless, addresses=addresses)}"
    return re.compile(pattern, re.DOTALL | re.ASCII)


_DEFANGED = frozenset(scheme.name for scheme in SCHEMES if scheme.stands_for)
# A letter beyond ASCII is glued to a scheme that is not known, and so is a letter before an asterisk.
_MAY_BE_GLUED = lazy_regex(_BEFORE.replace("[^", r"[^\x00-\x7f]|[*"))


def size_of_other(text: str, colon: int, stop: int) -> int:
    """Return the size of the scheme before *colon*, which SIZES lacks; 0 if what ends at *stop* is no ordinary URL."""
    start = triggers.scheme_start(text, colon, opaque=False) if text[colon + 1] == "/" else 0
    if start < 1 or (name := text[start:colon].lower()) in _DEFANGED or _MAY_BE_GLUED.match(text, start - 1):
        return 0
    if name not in KNOWN_SCHEMES and triggers.torn_start(text, start, name) >= 0:
        return 0
    # In schemes with a grammar of their own, not all that has the shape of an ordinary URL is a URL.
    return colon - start if name not in WEB.productions or accepts(text[start:stop].rstrip(TAIL)) else 0


def _pattern(query: Query) -> re.Pattern[str]:
    return _ordinary_or_trigger(schemeless=query.schemeless, addresses=query.addresses)


def spans(octets: bytes, query: Query, text: str = "", pos: int = 0) -> Iterator[Span]:
    """Yield the spans of *octets*, in bytes and in order; *text* and *pos* as in `search`.

    *octets* may be in any charset that includes ASCII. A span is that of a trigger, or of an ordinary URL from its
    colon on. *query* may ask for more triggers.
    """
    return search(_pattern(query), octets, text, pos)


def spans_of_text(text: str, pos: int, query: Query) -> Iterator[Span]:
    """Yield the spans of *text* from *pos* on, in characters and in order; *query* as in `spans`."""
    return map(re.Match.span, _pattern(query).finditer(text, pos))


_IN_WRAPPER = lazy_regex(triggers.WRAPPER, re.DOTALL)


def kind(text: str, colon: int, query: Query) -> str:
    """Return the kind of the trigger at *colon* in *text*: the name of a group of `triggers.TRIGGER`."""
    if text[colon - 1] in "Ll" and _IN_WRAPPER.match(text, colon + 2):
        return "wrapper"
    match = _pattern(query).match(text, colon)
    return (match.lastgroup or "opaque") if match else ""


def prefilter(query: Query, *, places: bool = True) -> Prefilter:
    """Return the search that a source uses to leave out texts without a span; *places* as in `Prefilter`."""
    base = query.base or "" if query.resolve or query.base else None
    return Prefilter(partial(spans, query=query), partial(spans_of_text, query=query), places, base)


_BEGINS = lazy_regex(r"[:.@a\[({\\]")


def span_inside(text: str, pos: int, stop: int, query: Query) -> Span | None:
    """Return the first span that starts in *text* from *pos* on and before *stop*."""
    pattern = _pattern(query)
    for begin in _BEGINS.finditer(text, pos, stop):
        if match := pattern.match(text, begin.start()):
            return match.span()
    return None
