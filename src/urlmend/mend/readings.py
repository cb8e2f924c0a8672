"""The readings of a candidate that line breaks tore apart.

RFC 1738's appendix: white space inside a wrapper is ignored; a hyphen right before a line break may or may not be part
of the URL.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import accumulate, compress, islice, pairwise, product

from urlmend.match import MAX_READINGS, Break, Reading
from urlmend.mend.line_break import NEARBY
from urlmend.text import leaders, schemes
from urlmend.text.line_ends import EOL, HYPHENS, LINE_END, SOFT_HYPHEN, first_of, last_line, last_of, lines_of
from urlmend.text.page_breaks import MAY_HOLD
from urlmend.text.patterns import lazy_regex

Spans = tuple[tuple[int, int], ...]


class Torn:
    """A URL as it is in a text: its parts are at `spans`, and what is between two of them does not belong to it.

    `parts` has their texts, with `@` before the one that follows a hidden ` at `. `gaps` has the texts between them.
    """

    def __init__(self, text: str, spans: Spans) -> None:
        self.text = text
        self.spans = spans
        self.gaps = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
        self.parts = [text[start:end] for start, end in spans]
        for index, gap in enumerate(self.gaps, 1):
            self.parts[index] = _inserted(gap) + self.parts[index]


def _inserted(gap: str) -> str:
    return "@" if gap.strip(" \t") == "at" else ""


TORN_SCHEME = lazy_regex(rf"([A-Za-z]+)([{''.join(HYPHENS)}=\\]?[ \t]*[\r\n].*?)(?=[A-Za-z]*://)", re.DOTALL)
"""The beginning of a URL without brackets whose scheme a line break tore apart."""

ESCAPED = (
    # groff's `\:` and `\%`, which allow a line break, its `\&` before a full stop, JSON's `\/`, and a `\` that ends a
    # line
    r"(?::|(?=/)|%(?![0-9A-Fa-f]{2})|&(?=[.'])|(?<=\.\\)&(?=[a-z])|(?=[ \t]*[\r\n])"
    # a backslash before a mark of roff, TeX, Markdown or a shell, which belongs to the URL, and TeX's `\~{}`
    r"|(?=[-_#%&?=~](?!['\"])|\)|\([^\s()]{0,200}\\\)))"
)
"""What follows the backslash of an escape."""

ESCAPE = lazy_regex(rf"\\{ESCAPED}|\{{(?<=\\~\{{)\}}")
"""What sources of documents have in a URL that is not part of it, besides white space.

Each branch begins with one character: `re` then searches for these first.
"""


def _pieces(first: str, taken_out: str) -> re.Pattern[str]:
    """Return a pattern for a piece of a URL, group 1, and all that is *taken_out* after it.

    *first* has the characters that begin it: to search for them takes ten times as long.
    """
    return lazy_regex(rf"([^{first}]*+(?:(?!{taken_out})[{first}][^{first}]*+)*+)(?:{taken_out})*+")


OPERATOR = r"(?:[ \t]{0,80}[+\\])?"
"""What may follow a string literal at the end of its line, as in Java, or in C where a backslash continues the line."""

GAP = schemes.either(
    rf"{quote}{OPERATOR}[ \t]{{0,80}}{EOL}(?!>>> )(?:[ \t>|+.]|#[~|]){{0,80}}[bBfFrRuU]{{0,2}}{quote}"
    for quote in "\"'"
)
"""A string literal ends, and another begins in the next line: with a prefix, as in Python, after an operator, or after
the marks of a reply, a diff's addition, a prompt or gettext."""

LITERAL = (
    rf"(?:(?<![A-Za-z0-9]){GAP}(?=[A-Za-z0-9])|{GAP}(?=[/?#&=;.%_~+\-]))"
    # What begins the next line is no sentence, no URL, no option, no key and no cell of a row.
    rf"(?!//|--|[A-Z][A-Za-z]*+[ \t]|[A-Za-z][A-Za-z0-9+.\-]{{1,15}}:(?!\w)"
    rf"|[^\"'\r\n]{{0,200}}[\"'][ \t]*(?:[=:]|->|[,;]?[\"']))"
)
"""What is between two parts of a string literal in C, Python or gettext. Only a blank in a part separates words."""

_IN_BRACKETS = _pieces(rf"{leaders.UNSEEN}\\\"'{{", rf"[{leaders.UNSEEN}]|{ESCAPE.pattern}|{LITERAL}")
# Nearly all wrappers have white space alone to take out: this takes a tenth of the time to compile.
_WORDS = lazy_regex(f"([^{leaders.UNSEEN}]*+)[{leaders.UNSEEN}]*+")
_SIGNS = lazy_regex(r"[\\\"'{]")
INSERTED = lazy_regex(rf"{ESCAPE.pattern}|\*(?<=[/.\-_=&?#%+]\*)(?!(?<=/\*)\*https?%3)\*(?=[A-Za-z0-9]|[ \t]*[\r\n])")
"""The same in a URL without brackets, and the `**` that Gmail wrote where a line of it may be broken.

Yahoo's stay, before the address that a URL leads to.
"""

_IN_TEXT = _pieces(rf"{SOFT_HYPHEN}\\*{{", rf"{SOFT_HYPHEN}|{INSERTED.pattern}|\\\Z")


MAY_BE_TORN = lazy_regex(rf"[{leaders.UNSEEN}\\\"'{{]")
"""A character that a URL inside brackets has if anything has to be taken out of it."""


def _pieces_of(raw: str) -> re.Pattern[str]:
    """Return the pattern for a piece of *raw*, the inside of a wrapper or angle."""
    return _IN_BRACKETS if _SIGNS.search(raw) else _WORDS


def unescaped(text: str) -> str:
    """Return *text*, a URL without brackets in one line, without its escapes and soft hyphens."""
    return "".join(_IN_TEXT.findall(text)) if _may_have_inserted(text) else text


def _may_have_inserted(text: str) -> bool:
    return "\\" in text or "**" in text or SOFT_HYPHEN in text


def wrapped(raw: str, leader: leaders.Leader) -> Torn:
    r"""Take the white space out of *raw*, the inside of a wrapper or angle whose first line has *leader*.

    The leaders of the other lines and page breaks are taken out with the line ends; so is what ESCAPE matches.
    """
    lines = (leaders.pieces(raw, leader) or []) if leader or MAY_HOLD.search(raw) else [(0, len(raw))]
    torn = cut(raw, lines, _pieces_of(raw))
    return _with_at(torn) if "at" in torn.parts[1:-1] else torn


def cut(text: str, spans: Iterable[tuple[int, int]], pieces: re.Pattern[str]) -> Torn:
    """Return the *pieces* of the *spans* of *text*."""
    kept = []
    for first, stop in spans:
        # An escape may be one because of the line end after it.
        for piece in pieces.finditer(text, first):
            start, end = piece.span(1)
            kept.append((start, min(end, stop)))
            if end >= stop:
                break
    return Torn(text, tuple([(start, end) for start, end in kept if start < end]))


def _with_at(torn: Torn) -> Torn:
    """Take the first ` at ` out of *torn*, if that hides an `@`."""
    parts, gaps = torn.parts, torn.gaps
    index = parts.index("at", 1)
    hidden = f"{''.join(parts[:index])} at {''.join(parts[index + 1 :])}"
    if "".join(gaps[index - 1 : index + 1]).strip(" \t") or not schemes.is_hidden(hidden):
        return torn
    return Torn(torn.text, torn.spans[:index] + torn.spans[index + 1 :])


# Soft line breaks of quoted-printable in text that was never decoded (RFC 2045 section 6.7)

_SOFT_LINE = 76
# A program that never splits an escape, of three characters, may break a line so much earlier.
_LEAST_FULL = _SOFT_LINE - 3
# "=3D", and a soft line break. Rule lines of equals signs have neither. `re` skips to an "=".
_SIGN = lazy_regex(r"=(?:3D|(?<!==)(?:20)?(?=[\r\n]|\Z))")
_LEAST_SIGNS = 2  # its own, and another
# "=3D", or a character beyond ASCII: what no URL that is whole has.
_ENCODED = lazy_regex(r"=3D|=[C-F][0-9A-F]=[89AB][0-9A-F]")
# An "=" that quoted-printable would have written as "=3D".
_PLAIN = lazy_regex(r"=(?![0-9A-F]{2}|[ \t]*(?:[\r\n]|\Z))")
# The `=` after the name of a parameter, and one that pads base64url, whose length is a multiple of four.
_OWN = lazy_regex(
    r"(?:[?&;(][\w\-]{1,24}"
    r"|(?<![\w\-])(?=[\w\-]*[0-9])(?=[\w\-]*[A-Z])(?=[\w\-]*[a-z])(?:[\w\-]{4}){4,}[\w\-]{3})=[ \t]*(?:[\r\n]|\Z)"
)


def may_be_soft(line: str) -> bool:
    """Return whether *line* may end in a soft line break, which never follows a plain `=`."""
    return line.endswith("=") and not line.endswith("==")


def are_soft(before: str, span: str, after: str) -> bool:
    """Return whether an `=` at a line end of *span*, between *before* and *after*, is a soft line break.

    The URL has no other bare `=`, and its line at most 76 characters after its quote marks (RFC 2045 section 6.7). If
    it could follow the name of a parameter or pad base64url (RFC 4648 section 5), the text around has an `=3D` or an
    encoded letter; elsewhere any sign of quoted-printable will do, or full lines that end in `=`.
    """
    before, after = last_of(before, NEARBY), first_of(after, NEARBY)
    lines = LINE_END.split(last_line(before) + span + after, len(lines_of(span)) + 1)[:-1]
    ends = [len(line.lstrip(" \t>|")) for line in lines if may_be_soft(line)]
    if _PLAIN.search(span) or max(ends, default=0) > _SOFT_LINE:
        return False
    text = f"{before}{span}{after}"
    if _OWN.search(span):
        return _ENCODED.search(text) is not None
    if len(list(islice(_SIGN.finditer(text), _LEAST_SIGNS))) == _LEAST_SIGNS:
        return True
    # A program that breaks every line at this width without an "=" writes no soft breaks.
    full = [may_be_soft(line) for line in lines if len(line) >= _LEAST_FULL]
    return any(full) and all(full)


def without_soft_breaks(torn: Torn, before: str, after: str) -> Torn:
    """Take the soft line breaks out of *torn*, which is between *before* and *after*."""
    text, spans = torn.text, torn.spans
    kept = [
        (start, end - (may_be_soft(text[start:end]) and LINE_END.search(text, end, following) is not None))
        for (start, end), (following, _) in pairwise(spans)
    ]
    softened = Torn(text, (*kept, spans[-1]))
    if softened.spans == spans or not are_soft(before, text[spans[0][0] : spans[-1][1]], after):
        return torn
    return without_inserted(softened)


def without_inserted(torn: Torn) -> Torn:
    """Take the escapes, and the soft hyphens, which are seen only at line ends, out of the parts of *torn*."""
    parts = torn.parts
    if all(parts) and not any(map(_may_have_inserted, parts)):
        return torn
    return cut(torn.text[: torn.spans[-1][1]], torn.spans, _IN_TEXT)


def readings(torn: Torn, most: int = MAX_READINGS) -> Iterator[Reading]:
    """Yield the readings of *torn*, the likelier first: with every hyphen at a line end, then without some of them.

    There are at most *most*, 1 or MAX_READINGS.
    """
    parts, gaps = torn.parts, torn.gaps
    inserted = [*map(_inserted, gaps)]
    doubtful = [
        part.endswith(HYPHENS) and ("\n" in gap or "\r" in gap) and gap[0] not in "=\\\"'"
        for part, gap in zip(parts, gaps, strict=False)
    ]
    marked = [is_hyphen or gap[0] in HYPHENS for is_hyphen, gap in zip(doubtful, gaps, strict=True)]
    hyphens = [index for index, is_hyphen in enumerate(doubtful) if is_hyphen]
    kept = parts.copy()
    for index in hyphens:
        kept[index] = kept[index][:-1] + "-"
    free = hyphens[: most.bit_length() - 1]
    for choice in _choices(len(free)):
        left, removed = kept.copy(), gaps.copy()
        for index in compress(free, choice):
            left[index] = left[index][:-1]
            removed[index] = parts[index][-1] + gaps[index]
        ends = accumulate(map(len, left))
        yield Reading("".join(left), tuple(map(_break, zip(ends, removed, marked, inserted, strict=False))))


@cache
def _choices(number: int) -> tuple[tuple[bool, ...], ...]:
    """Return for each reading which of the hyphens it drops."""
    return tuple(islice(sorted(product((False, True), repeat=number), key=sum), MAX_READINGS))


# The cheapest way to make a tuple: a URL may have thousands of breaks.
_break = partial(tuple.__new__, Break)
