"""The plain URL: nine of ten URLs in text are known by their shape alone, at a twentieth of what the others cost.

`http://`, `https://` or `ftp://`, an ordinary host, a path of ordinary characters, and behind it what ends a bare URL
beyond doubt. What is not plain goes the long way, by `termination`, `evidence` and `parser`; what is plain would come
out of it the same, and a test compares the two. Plain URLs are valid under the profile WEB.
"""

import re
from functools import cache

from urlmend.scan import triggers
from urlmend.scan.delimiters import BEFORE_BRACKET, MAY_OPEN, Extents, bare_form

LONGEST = 2048
"""A longer URL is none of these: no limit of the scanner is near."""

_LABEL = r"[A-Za-z0-9]++(?:-++[A-Za-z0-9]++)*+"
# A top label of digits is a number's, and a port of five digits may be too large.
_NAME = rf"(?:{_LABEL}\.)*[A-Za-z][A-Za-z0-9]*+(?:-++[A-Za-z0-9]++)*+"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
HOST = rf"(?:{_NAME}|{_OCTET}(?:\.{_OCTET}){{3}})(?::[0-9]{{1,4}}(?![0-9]))?"
_CHARACTERS = r"[A-Za-z0-9$\-_.+~/:@?]*"
# No entity that ends a URL, nothing that quoted-printable may have left, and no other URL behind a comma.
_INSIDE = r"[,;](?=[A-Za-z0-9])(?![A-Za-z][A-Za-z0-9+.\-]{0,30}:)"
_BODY = rf"{_CHARACTERS}(?:(?:%[0-9A-Fa-f][0-9A-Fa-f]|&(?!gt|lt|quot|nbsp)|=(?!3D)|{_INSIDE}){_CHARACTERS})*"
TAIL = ".,;:!?"
_SCHEMES = ("http", "https", "ftp", "git", "svn", "imap", "imaps")
SCHEME_SIZES = {name[-3:]: len(name) for name in (*_SCHEMES, "mailto", "news", "urn", "sip", "sips")}
"""How many characters the scheme has, by its last three."""

# The next line, after blanks and quote marks, where it certainly does not go on with the URL. It holds no page break's
# footer, and it starts with nothing that a leader could take away.
_NO_FOOTER = r"(?![^\r\n]*\[[Pp])"
_MARGIN = r"[ \t>|]{0,80}"
# A word with a full stop may be the end of a URL where it is the last one.
_PROSE = rf"{_MARGIN}(?!dnl[ \t])[A-Za-z][A-Za-z']{{0,80}}(?:[,;:!?]*(?=[ \t\r\n])|\.[ \t]+[^ \t\r\n])"
_OTHER_URL = rf"{_MARGIN}(?:[A-Za-z][A-Za-z+]{{1,12}}://|(?:mailto|news|urn|sips?):[A-Za-z])"
_RULE = rf"{_MARGIN}(?:[-=_*~+]{{2,200}}[ \t]*[\r\n]|[-=_]{{3,200}}[ \t])"
# What `lines.PAGE_BREAK` matches, within bounds: what follows it is looked at as the next line would be.
_EOL = r"(?:\r\n|\n)"
_FOOTER = r"[^\r\n\[]{0,200}\[[Pp][Aa][Gg][Ee][ \t]{1,9}[0-9ivxlcIVXLC]{1,9}(?:-[0-9]{1,9})?\][ \t]{0,80}"
_PAGE_BREAK = (
    rf"(?:(?=[ \t\r\n])(?>(?:[ \t]{{0,40}}{_EOL}){{0,10}}{_FOOTER}{_EOL}(?:[ \t\f]{{0,40}}{_EOL}){{0,10}}"
    rf"\f?[^\r\n]{{1,200}}{_EOL}(?:[ \t]{{0,40}}{_EOL}){{1,10}}))?+"
)
# Of a list, be its mark a leader or not.
_NEXT_ITEM = rf"{_MARGIN}(?:[(\[]?[0-9]{{1,3}}[\]).:]{{1,2}}|[*+\-])[ \t]+[A-Za-z][A-Za-z+]{{1,12}}://"
# Nor does a word that begins with one of these; a bullet or rule has nothing else.
_NO_TEXT = rf"{_MARGIN}(?:[(<\"`\x00-\x08\x0e-\x1f\x7f]|(?!--[ \t])[+\-=_~][\-=_*+#~.|/\\]{{0,200}}(?=[ \t\r\n]))"
_NO_PIECE = rf"{_MARGIN}(?:\[|[A-Za-z0-9][A-Za-z0-9.+\-]{{0,80}}@[A-Za-z0-9])"
_BLANK = (
    rf"{_MARGIN}(?:\Z|(?=[\r\n])(?<=[>|])|(?=[\r\n])(?<![>|])(?:[ \t]*(?:\r\n|\n|\r(?!\n))){{1,40}}+"
    r"(?:\Z|[ \t]*[^ \t\r\n\[][^\r\n\[]{0,400}(?:[\r\n]|\Z)))"
)
# Behind a letter or digit: a word without the marks of a URL inside; what `evidence.may_go_on` calls prose.
_WORD = rf"{_MARGIN}(?!dnl[ \t])['+\-]?[A-Za-z][A-Za-z0-9'\-,:;!()]{{0,80}}[.,;:!?)']*(?=[ \t\r\n])"
_GLANCE = r"[ \t>|:#;*]{0,80}(?:[A-Za-z]{1,80}[.,;:!?]*(?=[ \t\r\n])|(?=[\r\n]))"

_LINE_END = r"(?:\n|\r(?!\n)|\r\n|[ \t]{1,80}(?:\r\n|\n|\r(?!\n)))"
_HARD = r">\")\]`}\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f"
_NEXT_URL = "[,;](?=(?:https?|ftp)://)"
_IN_LINE = rf"[{_HARD}]|[ \t](?![ \t]*[\r\n])|<(?<![,;]<)|{_NEXT_URL}|\Z"
# With these no URL goes on, whatever it is. Another URL comes early: lists of URLs are nothing else.
_NO_MORE = (
    rf"(?<=[A-Za-z0-9/~$+\-_&{TAIL}]){_LINE_END}"
    rf"(?:{_BLANK}|{_PAGE_BREAK}{_NO_FOOTER}(?:{_OTHER_URL}|{_RULE}|{_NO_TEXT}))"
)
# The commonest first: a blank line behind a letter or digit.
_END = (
    rf"(?=\n(?<=[A-Za-z0-9]\n)[\r\n]|{_IN_LINE}"
    rf"|(?=[ \t\r\n])(?:(?<=[A-Za-z0-9/]){_LINE_END}(?=[A-Za-z][a-z+]{{1,12}}://){_NO_FOOTER}"
    rf"|(?<=[A-Za-z0-9]){_LINE_END}(?:{_GLANCE}|{_NO_FOOTER}{_WORD})|{_NO_MORE}"
    rf"|(?<=[A-Za-z0-9/{TAIL}]){_LINE_END}{_PAGE_BREAK}{_NO_FOOTER}{_PROSE}|(?<=[A-Za-z0-9/]){_LINE_END}{_NO_FOOTER}(?:{_NEXT_ITEM}|{_NO_PIECE}))"
    ")"
)
_END_OF_ANY = rf"(?={_IN_LINE}|(?<=[A-Za-z0-9]){_LINE_END}{_GLANCE}|{_NO_MORE})"

_LEFT = r"[^A-Za-z0-9+.\-;'_]"
# A comma ends a host, but not a login.
_COMMA = r"""(?<=[A-Za-z0-9])(?=[,;](?![^/?#\x00-\x20\x7f<>"`\\]{0,200}@))"""
_PLAIN = (
    # On the left nothing that is glued to the scheme, no entity, and no mark whose twin ends the URL.
    f"(?:{'|'.join(f'(?<={_LEFT}{scheme}://)' for scheme in _SCHEMES)})"
    # Nothing in the end stands in a URL: a shorter one has no end either.
    rf"(?>{HOST}(?:(?P<path>)/{_BODY}(?:#{_BODY})?(?<=[A-Za-z0-9/~=$+\-_&])(?:(?={_NEXT_URL})|[{TAIL}]*)|[.:!?]*))"
    rf"(?:{_END}|(?(path)(?!)|{_COMMA}))"
)


@cache
def plain_or_trigger(*, octets: bool) -> re.Pattern[str]:
    """Return what finds all that `trigger` finds, in text or in a view of *octets*.

    Where that is a plain URL's, the group `plain` closes last, and the match goes on to where the pass over a bare URL
    stops: what is soft there is its tail.
    """
    # Octets that cannot stand behind ASCII in UTF-8 end a URL.
    found = _PLAIN.replace(_HARD, rf"{_HARD}\x80-\xc1\xf5-\xff") if octets else _PLAIN
    return re.compile(f":(?://(?:{found}(?P<plain>)|{triggers.SLASHES})|{triggers.OTHERS})", re.DOTALL | re.ASCII)


_BOUND = r"[^A-Za-z0-9+.\-]"
NOTHING = re.compile(
    rf"://(?:<|{_IN_LINE}|(?:(?<={_BOUND}http://)|(?<={_BOUND}https://)|(?<={_BOUND}ftp://)){_LINE_END}{_NO_FOOTER}{_MARGIN}"
    r"(?!dnl[ \t])[A-Za-z]{1,80}+(?![A-Za-z0-9.\->]))"
)
"""A scheme with nothing after its slashes, at its colon: no URL, if no bracket that opens an angle stands before it."""

_ATOMS = r"[A-Za-z0-9_+\-]{1,60}(?:\.[A-Za-z0-9_+\-]{1,60}){0,3}"
_ADDRESS = rf"{_ATOMS}@{_NAME}(?![\-_])"
_GROUP = r"[A-Za-z][A-Za-z0-9+_\-]*(?:\.[A-Za-z0-9+_\-]+)+(?<=[A-Za-z0-9])"
_NSS = rf"[A-Za-z0-9][A-Za-z0-9\-]{{1,31}}:(?=[A-Za-z0-9%+_.\-]){_BODY}(?<=[A-Za-z0-9/~=$+\-_&])"


@cache
def opaque() -> re.Pattern[str]:
    """Return what is as a plain URL, for schemes with no `//` after them; it is tried where no other was found."""
    return re.compile(
        # The pass over a mailto URL stops behind the dots of its last host.
        rf":(?:(?<={_LEFT}mailto:){_ADDRESS}(?:(?![:,?])\.*+|\?(?=[A-Za-z0-9]){_BODY}(?<=[A-Za-z0-9/~=$+\-_&])[{TAIL}]*)"
        rf"|(?:(?<={_LEFT}news:)(?:{_ADDRESS}|{_GROUP})|(?<={_LEFT}urn:){_NSS}"
        rf"|(?:(?<={_LEFT}sip:)|(?<={_LEFT}sips:))(?:{_ADDRESS}|(?=[a-z0-9\-]+\.[a-z]){_NAME}(?![\-_@])))[{TAIL}]*)"
        rf"{_END_OF_ANY}",
        re.ASCII,
    )


@cache
def wrapped() -> re.Pattern[str]:
    """Return what is a wrapper in one piece with a plain URL inside, from the colon on; its first group is the URL."""
    return re.compile(rf":(?<=<[Uu][Rr][Ll]:)((?:https?|ftp)://{HOST}(?:/{_BODY}(?:#{_BODY})?)?)>")


Told = tuple[str, int, str, str, int]
"""A URL, where in the view it starts, its form, what was cut from its tail, and where in the view it stops."""


def plain_at(view: str, colon: int, stop: int, extents: Extents) -> Told | None:  # noqa: PLR0911 -- what it is not
    """Return the plain URL at *colon*, where `plain_or_trigger` matches up to *stop*; *extents* is that of *view*.

    `None` where it is none, or stands behind a bracket that may make it more than it seems.
    """
    if view.startswith("://", colon):
        if stop == colon + len("://"):
            return None
    elif view[colon - 1] in "Ll":
        return _wrapped_at(view, colon)
    elif shape := opaque().match(view, colon):
        stop = shape.end()
    else:
        return None
    start = colon - SCHEME_SIZES[view[colon - 3 : colon]]
    url = view[start:stop]
    trimmed = ""
    if url[-1] in TAIL:
        url = url.rstrip(TAIL)
        trimmed = view[start + len(url) : stop]
    # Behind the semicolon in an ftp path only a type is one.
    if stop - start > LONGEST or (url[0] == "f" and ";" in url):
        return None
    before = view[start - 1]
    if before == "<":
        return None if trimmed or view[stop : stop + 1] != ">" else (url, start, "angle", "", stop + 1)
    # That is text: no bracket opens before it.
    if before == ":" and view[start - 4 : start].upper() == "URL:":
        return url, start, bare_form(view, start), trimmed, stop
    bracket = view.rfind("<", start - BEFORE_BRACKET if start > BEFORE_BRACKET else 0, start)
    if bracket >= 0 and MAY_OPEN.match(view, bracket, start) and extents.bracket_before(start, view[start:colon]) >= 0:
        return None
    return url, start, "bare", trimmed, stop


def _wrapped_at(view: str, colon: int) -> Told | None:
    stop = view.find(">", colon, colon + LONGEST) + 1
    wrapper = wrapped().match(view, colon, stop) if stop else None
    if wrapper is None or (wrapper[1][0] == "f" and ";" in wrapper[1]):
        return None
    return wrapper[1], wrapper.start(1), "wrapper", "", stop


_SEGMENTS = r"[A-Za-z0-9$\-_.+!*'(),%:@&=;~/]*+"
ORDINARY = re.compile(
    rf"http(s)?://([A-Za-z0-9.\-]++)(?<!\.)(?::[0-9]{{1,4}})?(?:/{_SEGMENTS}(?:\?([A-Za-z0-9$\-_.+!*'(),%:@&=;~/?]*+))?)?"
    r"(#[A-Za-z0-9$\-_.+!*'(),%:@&=;~]*+)?"
    r"|ftp://([A-Za-z0-9.\-]++)(?<!\.)(?:/[A-Za-z0-9$\-_.+%/]*+)?"
)
"""The shape of most URLs, of those that are valid under WEB: it tells by which departures they are not RFC 1738.

The groups are the s of https, the host, the search part and the fragment of a web URL, and the host of an ftp URL.
"""
