"""Guards: rules that decide a line end by themselves, whatever the clues say."""

import re
from collections.abc import Callable
from typing import NamedTuple

from urlmend.mend import nearby
from urlmend.mend.glance import CERTAIN
from urlmend.mend.line_break import NEAR, LineBreak
from urlmend.mend.words import CLOSERS
from urlmend.text.line_ends import HYPHENS, SOFT_HYPHEN, first_of
from urlmend.text.schemes import COMMON_SCHEMES, OPAQUE_NAMES, either, either_case

_LEAST_PIECE = 3


def prose_follows(at: LineBreak) -> bool:
    r"""Return whether the next line begins as prose does, or with a bracket, a rule or an address.

    >>> prose_follows(first_line_break("http://a.example/b\nfor all of them"))
    True
    """
    return at.sure == CERTAIN


# Guards that join

_SCHEME_ALONE = re.compile(rf"(?:{either_case(either(COMMON_SCHEMES))}:|[A-Za-z][A-Za-z0-9+.\-]*:(?=//))(/{{0,2}})\Z")
_MESSAGE_ID = re.compile(r"[^@]*[0-9][^@]*@[A-Za-z0-9\-]+\.")
_HOST_START = re.compile(r"[A-Za-z0-9\-]+\.[A-Za-z0-9]")


def host_follows(at: LineBreak) -> bool:
    r"""Return whether the URL has no host yet, or only `www.`, and the token begins with one.

    A Message-ID after `news:` counts as a host.

    >>> [host_follows(first_line_break(text)) for text in ("https://\na.example/b", "http://www.\na.example/b")]
    [True, True]
    """
    if at.url.lower() == "news:":
        return _MESSAGE_ID.match(at.token) is not None
    split = None if at.path else _SCHEME_ALONE.match(at.url)
    if split is None and at.url[-5:].lower() != "/www.":
        return False
    missing = "//"[len(split[1]) :] if split else ""
    return at.token.startswith(missing) and _HOST_START.match(at.token, len(missing)) is not None


def ftp_type(at: LineBreak) -> bool:
    r"""Return whether the token is the type of an ftp URL (RFC 1738 section 3.2.2).

    >>> ftp_type(first_line_break("ftp://a.example/doc;\ntype=d"))
    True
    """
    return at.url[-1] == ";" and at.url[:4].lower() == "ftp:" and at.token.startswith("type=")


_HEADERS = re.compile(r"\?[\w\-]+=")


def mailto_headers(at: LineBreak) -> bool:
    r"""Return whether the token has the headers of a mailto URL (RFC 6068 section 2).

    >>> mailto_headers(first_line_break("mailto:jane@a.example\n?subject=hi"))
    True
    """
    return at.url[:7].lower() == "mailto:" and "?" not in at.url and _HEADERS.match(at.token) is not None


def stands_whole(at: LineBreak) -> bool:
    r"""Return whether the URL joined with the token occurs unbroken nearby.

    >>> stands_whole(first_line_break("of http://a.example/b\nut/not and then http://a.example/but/not in full"))
    True
    """
    if len(at.word) < _LEAST_PIECE or "." not in at.url:
        return False
    url = at.url[len(at.around.implied) :] + at.word
    before, after = at.around.before, at.around.after[at.reach : at.reach + 2 * NEAR]
    if nearby.contains(before, url, max(0, len(before) - NEAR)):
        return True
    return url in after and nearby.contains(first_of(after, NEAR), url)


# Guards that end


def scheme_alone(at: LineBreak) -> bool:
    r"""Return whether the URL is a scheme alone, where no host follows.

    >>> scheme_alone(first_line_break("it starts with http://\nand has"))
    True
    """
    return not at.path and _SCHEME_ALONE.match(at.url) is not None


def opaque(at: LineBreak) -> bool:
    r"""Return whether the URL has no `//`. In the known line ends, no such URL goes on, although a few seem to.

    >>> opaque(first_line_break("doi:10.1/b\nc.html"))
    True
    """
    return "://" not in at.url


def sentence_end(at: LineBreak) -> bool:
    r"""Return whether a full stop after the last slash, or a dash, ends a sentence after the URL.

    >>> sentence_end(first_line_break("see http://a.example/b/.\nc/d"))
    True
    """
    return at.url.endswith(("/.", "---"))


_LIST_MARKS = frozenset("*0123456789")
_LEAST_MARGIN = 60
_HYPHENS = (*HYPHENS, SOFT_HYPHEN)


def list_item(at: LineBreak) -> bool:
    r"""Return whether the next line is the next item of a list, and the line had room for the token.

    >>> list_item(first_line_break("* http://a.example/b/\n* c.html is next"))
    True
    """
    marks = [mark.text[:1] for mark in at.around.leader]
    if _LIST_MARKS.isdisjoint(marks) or not at.next_line[: at.next_indent].strip() or at.url.endswith(_HYPHENS):
        return False
    return at.margin < _LEAST_MARGIN or at.margin - at.width > len(at.token)


_PROTOCOL = re.compile(r"[A-Z]+/[0-9.]+\Z")


def protocol(at: LineBreak) -> bool:
    r"""Return whether the token is a protocol with its version.

    >>> protocol(first_line_break("GET http://a.example/b/\nHTTP/1.1"))
    True
    """
    return _PROTOCOL.match(at.word) is not None


_URL_START = re.compile(r"[A-Za-z][0-9A-Za-z+.\-]*://")
_OPAQUE_START = re.compile(f"{either((*OPAQUE_NAMES, 'url'))}:", re.IGNORECASE)
_URL_INSIDE = re.compile(f"[=/?&]{either(COMMON_SCHEMES)}://", re.IGNORECASE)
_WEB_ARCHIVE = re.compile(r"//[^/]*archive[^/]*/(?:web/)?[0-9]{4,14}(?:[a-z]{2}_|\*)?/\Z")


def other_url(at: LineBreak) -> bool:
    r"""Return whether the token is another URL. In a path or query, as web archives have them, it is not.

    >>> other_url(first_line_break("http://a.example/b\nhttp://c.example/"))
    True
    """
    token = at.token
    if ":" not in token:
        return False
    if _URL_START.match(token):
        return not (token.startswith(("http://", "https://")) and _WEB_ARCHIVE.search(at.url))
    if _OPAQUE_START.match(token):
        return True
    if "://" not in token:
        return False
    inside = _URL_INSIDE.search(token)
    return inside is None or not (inside[0][0] in "/?" or "?" in at.url + token[: inside.start()])


_ORNAMENT = re.compile(r"(?!=\Z)\W+\Z|[_\W]*([-=_*~#.+/])\1{3,}[_\W]*\Z|[-=_*+#~|/.]{4,}|(?:[-=~*#]{1,3}){3,}")


def ornament(at: LineBreak) -> bool:
    r"""Return whether the token is a rule, a bullet or a mark. A `/` alone may be the end of a URL.

    >>> ornament(first_line_break("http://a.example/b\n=-=-=-=-=-=-=-=-=-r-help"))
    True
    """
    token = at.token
    if token[0] == "/" and not token[1:].rstrip(CLOSERS):
        return at.url[-1] == "/"
    return _ORNAMENT.match(token) is not None


class Guard(NamedTuple):
    """A guard: the rule, the probability that the URL goes on where the rule holds, and what it sees, for users."""

    holds: Callable[[LineBreak], bool]
    p: float
    meaning: str

    @property
    def name(self) -> str:
        """The name of the rule."""
        return self.holds.__name__


_JOIN, _END = CERTAIN, 1 - CERTAIN

GUARDS = (
    Guard(prose_follows, _END, "a line that begins as prose does, or with a bracket, a rule or an address"),
    Guard(host_follows, _JOIN, "`https://⏎a.example/b` or `http://www.⏎a.example/b`: there is no whole host yet"),
    Guard(ftp_type, _JOIN, "`ftp://a.example/doc;⏎type=d` (RFC 1738, 3.2.2)"),
    Guard(mailto_headers, _JOIN, "`mailto:jane@a.example⏎?subject=hi` (RFC 6068, 2)"),
    Guard(stands_whole, _JOIN, "the same URL, unbroken, nearby"),
    Guard(scheme_alone, _END, "`http://` at the end of a line, and no host in the next"),
    Guard(opaque, _END, "a URL without `//`: in text with known line ends, none goes on, though a few seem to"),
    Guard(sentence_end, _END, "a full stop after the last slash, or a dash"),
    Guard(list_item, _END, "the next item of a list, where the line had room for the token"),
    Guard(protocol, _END, "a protocol and its version"),
    Guard(other_url, _END, "another URL, but not one in a path or query, as web archives have them"),
    Guard(ornament, _END, "a rule, a bullet or a mark; a `/` alone may be the end of a URL"),
)
"""All guards in order: the first that holds decides."""
