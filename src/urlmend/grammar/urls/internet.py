"""What URLs have in common (RFC 1738 section 3.1)."""

import re
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

MAX_PORT_DIGITS = 20
"""The most digits of a port that is read as a number."""


def unquoted(text: str, encoding: str = "utf-8") -> str:
    """Return *text* with its escapes decoded."""
    from urllib.parse import unquote  # noqa: PLC0415 -- slow to import; scanning decodes nothing

    return unquote(text, encoding, "replace")


@dataclass(frozen=True, slots=True)
class URL:
    """A URL: its *text*, its `host` where it has one, and its `#fragment` where the profile knows fragments.

    >>> from urlmend import parse
    >>> url = parse("http://jane@A.example:8080/a%20b/c?d=e#f")
    >>> url.scheme, url.host, url.hostname, url.path, url.query, url.fragment
    ('http', 'A.example', 'a.example', '/a%20b/c', 'd=e', 'f')
    >>> url.decoded("path"), url.decoded_octets("query")
    ('/a b/c', b'd=e')
    """

    text: str
    fragment: str | None = None
    host: str | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def scheme(self) -> str:
        """The scheme in lower case (section 2.1)."""
        return self.text.partition(":")[0].lower()

    @property
    def hostname(self) -> str | None:
        """The host as hosts are compared: in lower case, without the root's dot, an IPv6 address without brackets."""
        return None if self.host is None else self.host.lower().rstrip(".").strip("[]")

    @property
    def path(self) -> str:
        """The path of RFC 3986 section 3.3, with the `/` it begins with; `""` where there is none."""
        return components(self).path

    @property
    def query(self) -> str | None:
        """The query of RFC 3986 section 3.4, without its `?`; `None` where there is none."""
        query = components(self).query
        return query[1:] if query else None

    def decoded(self, part: str, encoding: str = "utf-8") -> str | None:
        """Return the field called *part* with its escapes decoded (section 2.2); `None` where the part is absent.

        Octets that are no text in *encoding* become U+FFFD; `decoded_octets` returns them as they are.
        """
        value: str | None = getattr(self, part)
        return None if value is None else unquoted(value, encoding)

    def decoded_octets(self, part: str) -> bytes | None:
        """Return the octets that the field called *part* stands for (section 2.2)."""
        from urllib.parse import unquote_to_bytes  # noqa: PLC0415 -- as above

        value: str | None = getattr(self, part)
        return None if value is None else unquote_to_bytes(value)


@dataclass(frozen=True, slots=True)
class IpURL(URL):
    """A URL of an IP-based protocol: `//host:port` (section 3.1).

    >>> from urlmend import parse
    >>> url = parse("https://a.example/")
    >>> url.port, url.standard_port, url.port_number
    (None, 443, 443)
    """

    port: str | None = None
    default_port: ClassVar[int | None] = None

    @property
    def standard_port(self) -> int | None:
        """The scheme's default port; `None` where it has none."""
        return self.default_port

    @property
    def port_number(self) -> int | None:
        """The port, or the scheme's default where it has no digits; `None` without either, or past MAX_PORT_DIGITS."""
        if not self.port:
            return self.standard_port
        digits = self.port.lstrip("0") or "0"
        return int(digits) if len(digits) <= MAX_PORT_DIGITS else None


@dataclass(frozen=True, slots=True)
class LoginURL(IpURL):
    """A URL of an IP-based protocol with a login: `//user:password@host:port` (section 3.1).

    >>> from urlmend import parse
    >>> url = parse("ftp://foo:@host.com/")
    >>> url.user, url.password
    ('foo', '')
    """

    user: str | None = None
    password: str | None = None


class Components(NamedTuple):
    """What follows the scheme of a URL (RFC 3986 section 3), each with the characters that set it off: `//`, `?`, `#`.

    What is absent is empty. Put together they are the URL's text behind its first colon.
    """

    authority: str
    path: str
    query: str
    fragment: str


_HOSTPORT = re.compile("[^/?#]*")


def components(url: URL) -> Components:
    """Return the components of *url*."""
    rest = url.text.partition(":")[2]
    fragment = "" if url.fragment is None else f"#{url.fragment}"
    rest = rest.removesuffix(fragment)
    end = 0
    if rest.startswith("//"):
        # A login may hold a "?" (RFC 1738 section 5, user), and no "@".
        start = rest.index("@") if isinstance(url, LoginURL) and url.user is not None else len("//")
        end = next(_HOSTPORT.finditer(rest, start)).end()
    path, mark, query = rest[end:].partition("?")
    return Components(rest[:end], path, mark + query, fragment)
