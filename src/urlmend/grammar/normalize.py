"""Normal forms, for comparing URLs: RFC 3986 section 6. Scanning never applies them.

No library has all of the section's few rules: some repair their input (yarl, ada-url, url-normalize), rfc3986 keeps
escaped unreserved characters, and hyperlink has no schemes without `//`.
"""

import re
from collections.abc import Callable
from functools import cache

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.profiles import WEB, Profile, profile_of
from urlmend.grammar.urls import URL, FileURL, FtpURL, HttpURL, IpURL, OtherURL, components

_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_HIERARCHICAL = (HttpURL, FtpURL, FileURL, OtherURL)

_Rewrite = Callable[[str], str]


def normal_form(url: URL, profile: Profile | str = WEB) -> URL:
    """Return *url* in the normal form of RFC 3986 section 6.2: URLs with the same normal form name the same thing.

    The scheme and the host become lower case, escapes upper case (6.2.2.1). Escaped unreserved characters are decoded
    if *profile* allows them unescaped (6.2.2.2). Dot segments are removed from the paths of http, https, ftp, file and
    other URLs with a host (6.2.2.3). A default or empty port is removed, and an empty http path becomes `/` (6.2.3).
    Nothing else changes. Raises `TypeError` if *url* is not a parsed URL, `ValueError` for an unknown *profile*.

    >>> from urlmend import parse
    >>> str(normal_form(parse("HTTP://A.example:80/%7ejane/./b/../c")))
    'http://a.example/~jane/c'
    """
    if not isinstance(url, URL):
        kind = type(url).__name__
        raise TypeError(f"normal_form takes a parsed URL, not {kind}: parse it first, as in normal_form(parse(text))")
    profile = profile_of(profile)
    unreserved = _unreserved(profile)

    def decode(text: str) -> str:
        return _ESCAPE.sub(lambda m: c if (c := chr(int(m[1], 16))) in unreserved else m[0].upper(), text)

    # The rule of a host, or of another part, may not allow a decoded character.
    for in_host, elsewhere in ((decode, decode), (_in_capitals, decode), (_in_capitals, _in_capitals)):
        normal = parse_or_none(_normal_text(url, in_host, elsewhere), profile)
        if normal is not None:
            # An otherurl of RFC 1738 may get a host only when its escapes are decoded.
            return normal if normal.text == url.text else normal_form(normal, profile)
    return url


def _normal_text(url: URL, in_host: _Rewrite, elsewhere: _Rewrite) -> str:
    scheme, _, rest = url.text.partition(":")
    scheme = scheme.lower()
    if url.host is None:
        return f"{scheme}:{elsewhere(rest)}"
    authority, path, query, fragment = components(url)
    login, at, hostport = authority.removeprefix("//").rpartition("@")
    path = elsewhere(path)
    if isinstance(url, _HIERARCHICAL):
        path = _without_dot_segments(path)
    if isinstance(url, HttpURL):
        path = path or "/"
    if isinstance(url, IpURL) and url.port is not None and (not url.port or url.port_number == url.standard_port):
        hostport = hostport[: -len(url.port) - 1]
    # Decoded letters may be capitals, and the remaining escapes need capitals.
    host = _in_capitals(in_host(hostport).lower())
    return f"{scheme}://{elsewhere(login)}{at}{host}{path}{elsewhere(query + fragment)}"


def _in_capitals(text: str) -> str:
    """Return *text* with its escapes in upper case."""
    return _ESCAPE.sub(lambda match: match[0].upper(), text)


@cache
def _unreserved(profile: Profile) -> frozenset[str]:
    """Return the unreserved characters (RFC 3986 section 2.3) that *profile* allows unescaped."""
    return frozenset(character for character in _UNRESERVED if parse_or_none(f"x:{character}", profile) is not None)


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
