"""Normal forms, for comparing URLs: RFC 3986 section 6. Scanning never applies them.

The libraries at hand either repair what they are given (yarl, ada-url, url-normalize), leave escaped unreserved
characters (rfc3986) or know no schemes without `//` (hyperlink); the section's rules are few.
"""

import re

from urlmend.parser import parse
from urlmend.profiles import WEB, Profile
from urlmend.urls import URL, FileURL, FtpURL, HttpURL, IpURL, OtherURL

_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HIERARCHICAL = (HttpURL, FtpURL, FileURL, OtherURL)


def normal_form(url: URL, profile: Profile = WEB) -> URL:
    """Return *url* in the normal form of RFC 3986 section 6.2: two URLs with one normal form name one thing.

    The scheme and host are in lower case, escapes in upper case (6.2.2.1); escaped unreserved characters are decoded
    (6.2.2.2); dot segments are removed from the paths of http, https, ftp, file and other URLs with a host (6.2.2.3);
    the default port and an empty one go, and an empty http path is `/` (6.2.3). Nothing else changes.

    >>> str(normal_form(parse("HTTP://A.example:80/%7ejane/./b/../c")))
    'http://a.example/~jane/c'
    """
    scheme, _, rest = url.text.partition(":")
    text = f"{scheme.lower()}:{_ESCAPE.sub(_normal_escape, rest)}"
    if url.host is None:
        return parse(text, profile)
    authority, tail = re.fullmatch(r"[^:]*://([^/?#]*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    login, at, hostport = authority.rpartition("@")
    path, mark, query = re.fullmatch(r"([^?#]*)([?#]?)(.*)", tail, re.DOTALL).groups()  # type: ignore[union-attr]
    if isinstance(url, _HIERARCHICAL):
        path = _without_dot_segments(path)
    if isinstance(url, HttpURL):
        path = path or "/"
    if isinstance(url, IpURL) and url.port is not None and (not url.port or url.port_number == url.standard_port):
        hostport = hostport[: -len(url.port) - 1]
    return parse(f"{scheme.lower()}://{login}{at}{hostport.lower()}{path}{mark}{query}", profile)


def _normal_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _without_dot_segments(path: str) -> str:
    """Remove `.` and `..` segments (RFC 3986 section 5.2.4)."""
    segments = path.split("/")
    kept: list[str] = []
    for segment in segments:
        if segment == ".." and len(kept) > 1:
            kept.pop()
        elif segment not in (".", ".."):
            kept.append(segment)
    if segments[-1] in (".", "..") and kept:
        kept.append("")
    return "/".join(kept)
