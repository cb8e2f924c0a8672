"""Guards that join: what certainly goes on in the next line, whatever the clues say."""

import re
from collections.abc import Callable

from urlmend.mend.line_break import NEAR, LineBreak
from urlmend.mend.nearby import stands_whole as stands_in

SCHEME_ALONE = re.compile(r"(?i:https?|ftp):(/{0,2})\Z")
"""A scheme and nothing behind it but the slashes of `//`."""

_HOST_START = re.compile(r"[A-Za-z0-9\-]+\.[A-Za-z0-9]")
_HEADERS = re.compile(r"\?[\w\-]+=")
_LEAST_PIECE = 3

Guard = Callable[[LineBreak], bool]


def scheme_split(at: LineBreak) -> bool:
    r"""Tell `https:⏎//a.example/b` and `https://⏎a.example/b`: a scheme alone is no URL; a host follows.

    >>> scheme_split(first_line_break("https://\na.example/b"))
    True
    """
    split = SCHEME_ALONE.match(at.url)
    if split is None:
        return False
    missing = "//"[len(split[1]) :]
    return at.token.startswith(missing) and _HOST_START.match(at.token, len(missing)) is not None


def www_alone(at: LineBreak) -> bool:
    r"""Tell `http://www.⏎a.example/b`: a host has more labels.

    >>> www_alone(first_line_break("http://www.\na.example/b"))
    True
    """
    return at.url[-5:].lower() == "/www." and _HOST_START.match(at.token) is not None


def ftp_type(at: LineBreak) -> bool:
    r"""Tell `ftp://a.example/doc;⏎type=d` (RFC 1738, 3.2.2).

    >>> ftp_type(first_line_break("ftp://a.example/doc;\ntype=d"))
    True
    """
    return at.url[-1] == ";" and at.url[:4].lower() == "ftp:" and at.token.startswith("type=")


def mailto_headers(at: LineBreak) -> bool:
    r"""Tell `mailto:jane@a.example⏎?subject=hi` (RFC 6068, 2).

    >>> mailto_headers(first_line_break("mailto:jane@a.example\n?subject=hi"))
    True
    """
    return at.url[:7].lower() == "mailto:" and "?" not in at.url and _HEADERS.match(at.token) is not None


def stands_whole(at: LineBreak) -> bool:
    r"""Tell a URL that stands whole, with the token, close by.

    >>> stands_whole(first_line_break("of http://a.example/b\nut/not and then http://a.example/but/not in full"))
    True
    """
    if len(at.word) < _LEAST_PIECE or "." not in at.url:
        return False
    url = at.url[len(at.around.implied) :] + at.word
    before, after = at.around.before, at.around.after
    return stands_in(before, url, max(0, len(before) - NEAR)) or stands_in(after, url, at.reach, at.reach + NEAR)


GUARDS: tuple[Guard, ...] = (scheme_split, www_alone, ftp_type, mailto_headers, stands_whole)
"""Where one of these holds, the URL goes on."""
