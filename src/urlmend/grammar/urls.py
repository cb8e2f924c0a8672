"""URLs as values: one class for each scheme, with fields named as in RFC 1738 section 5.

Every field has the characters of the URL unchanged, still percent-encoded; `None` is an absent part, `""` an empty one
(section 3.1). `str(url)` is the parsed text, unchanged. Unless another RFC is named, sections are RFC 1738's.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

MAX_PORT_DIGITS = 20
"""The longest port, in digits without leading zeros, that is read as a number."""

_PORTS = dict(http=80, https=443, ftp=21, gopher=70, news=119, nntp=119, telnet=23, wais=210, prospero=1525)  # noqa: C408 -- a row
"""The default ports of schemes (sections 3.2 to 3.11)."""


def unquoted(text: str, encoding: str = "utf-8") -> str:
    """Return *text* with its escapes decoded; octets that *encoding* cannot decode become U+FFFD."""
    from urllib.parse import unquote  # noqa: PLC0415 -- slow to import, and scanning decodes nothing

    return unquote(text, encoding, "replace")


def _unquoted_pairs(fields: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the name and the value of each `name=value` in *fields*, decoded."""
    pairs = (field.partition("=") for field in fields)
    return tuple((unquoted(name), unquoted(value)) for name, _, value in pairs)


@dataclass(frozen=True, slots=True)
class URL:
    """A URL: its *text*, its `host` if it has one, and its `fragment`, what follows `#`, if the profile allows one.

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
        """The host for comparison: in lower case, without a final dot or the brackets of an IPv6 address."""
        return None if self.host is None else self.host.lower().rstrip(".").strip("[]")

    @property
    def path(self) -> str:
        """The path (RFC 3986 section 3.3) with its leading `/`; `""` if there is none."""
        return components(self).path

    @property
    def query(self) -> str | None:
        """The query (RFC 3986 section 3.4) without its `?`; `None` if there is none."""
        query = components(self).query
        return query[1:] if query else None

    def decoded(self, part: str, encoding: str = "utf-8") -> str | None:
        """Return the field called *part* with its escapes decoded (section 2.2); `None` if the part is absent.

        Octets that *encoding* cannot decode become U+FFFD; `decoded_octets` returns them unchanged. Raises
        `AttributeError` if there is no such field, and `LookupError` for an unknown *encoding*.
        """
        value: str | None = getattr(self, part)
        return None if value is None else unquoted(value, encoding)

    def decoded_octets(self, part: str) -> bytes | None:
        """Return the octets that the field called *part* encodes (section 2.2); `None` if the part is absent."""
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

    @property
    def standard_port(self) -> int | None:
        """The scheme's default port; `None` if it has none."""
        return _PORTS.get(self.scheme)

    @property
    def port_number(self) -> int | None:
        """The port as a number, or the default port if there are no digits; `None` above MAX_PORT_DIGITS."""
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


@dataclass(frozen=True, slots=True)
class HttpURL(LoginURL):
    """`http://host:port/hpath?search` (section 3.3); also https and logins, if the profile allows them.

    >>> from urlmend import parse
    >>> url = parse("http://a.example/b/c?d=e")
    >>> url.hpath, url.search, url.standard_port
    ('b/c', 'd=e', 80)
    """

    hpath: str | None = None
    search: str | None = None


@dataclass(frozen=True, slots=True)
class FtpURL(LoginURL):
    """`ftp://user:password@host:port/fpath;type=ftptype` (section 3.2).

    >>> from urlmend import parse
    >>> url = parse("ftp://a.example/pub/b;type=i")
    >>> url.fpath, url.ftptype, url.commands()
    ('pub/b', 'i', (('CWD', 'pub'), ('TYPE', 'i'), ('RETR', 'b')))
    """

    fpath: str | None = None
    ftptype: str | None = None

    def commands(self) -> tuple[tuple[str, str], ...]:
        """Return the FTP commands for the path, in order, as (verb, decoded argument) (section 3.2.2).

        There is a CWD for each segment but the last; then an NLST for type `d`, or else a TYPE, if the URL has one, and
        a RETR. An empty last segment names no file to retrieve.

        >>> from urlmend import parse
        >>> parse("ftp://myname@host.dom/%2Fetc/motd").commands()
        (('CWD', '/etc'), ('RETR', 'motd'))
        """
        if self.fpath is None:
            return ()
        *directories, name = (unquoted(segment) for segment in self.fpath.split("/"))
        commands = [("CWD", directory) for directory in directories]
        if self.ftptype in ("d", "D"):
            commands.append(("NLST", name))
        elif name:
            commands += [("TYPE", self.ftptype)] if self.ftptype else []
            commands.append(("RETR", name))
        return tuple(commands)


@dataclass(frozen=True, slots=True)
class FileURL(URL):
    """`file://host/fpath` (section 3.10); an empty host and `localhost` mean the machine that reads the URL.

    >>> from urlmend import parse
    >>> url = parse("file://localhost/etc/motd")
    >>> url.fpath, url.is_local
    ('etc/motd', True)
    """

    fpath: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether the file is on the machine that reads the URL."""
        return not self.host or self.host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class GopherURL(IpURL):
    """`gopher://host:port/gopher_path` (section 3.4); the path has a type, a selector, a search and a Gopher+ string.

    >>> from urlmend import parse
    >>> url = parse("gopher://a.example/7/find%09jane")
    >>> url.gopher_path, url.gtype, url.selector, url.search, url.gopher_plus
    ('7/find%09jane', '7', '/find', 'jane', None)
    """

    gopher_path: str | None = None

    @property
    def gtype(self) -> str:
        """The Gopher type: one character, `"1"` if the path is absent or empty (section 3.4.1)."""
        return self._split[0]

    @property
    def selector(self) -> str:
        """The selector; `""` if there is none (section 3.4.1)."""
        return self._split[1]

    @property
    def search(self) -> str | None:
        """The string for a Gopher search engine, after the first `%09` (section 3.4.2)."""
        return self._split[2]

    @property
    def gopher_plus(self) -> str | None:
        """The Gopher+ string, after the second `%09` (section 3.4.3)."""
        return self._split[3]

    @property
    def _split(self) -> tuple[str, str, str | None, str | None]:
        if not self.gopher_path:
            return "1", "", None, None
        # gtype is an xchar, so it may be an escape: some clients write %30 for 0.
        size = 3 if self.gopher_path[0] == "%" else 1
        selector, *rest = self.gopher_path[size:].split("%09", 2)
        search, gopher_plus = (*rest, None, None)[:2]
        return self.gopher_path[:size], selector, search, gopher_plus


# RFC 822 section 3.3: an atom is any CHAR except specials, SPACE and CTLs.
_ATOM = r"[!#$%&'*+\-/0-9=?A-Z^_`a-z{|}~]+"
_WORD = rf'(?:{_ATOM}|"(?:[^"\\\r]|\\[\x00-\x7f])*")'
_SUB_DOMAIN = rf"(?:{_ATOM}|\[(?:[^\[\]\\\r]|\\[\x00-\x7f])*\])"
# RFC 822 section 6.1: addr-spec = local-part "@" domain, here without folding.
_ADDR_SPEC = rf"{_WORD}(?:\.{_WORD})*@{_SUB_DOMAIN}(?:\.{_SUB_DOMAIN})*"
# RFC 1036 section 2.1.5: "<unique@full_domain_name>", with no blank and no "<" or ">" inside.
_MESSAGE_ID = r"<[^<>@\x00-\x20\x7f]+@[^<>@\x00-\x20\x7f]+>"


@dataclass(frozen=True, slots=True)
class MailtoURL(URL):
    """`mailto:encoded822addr` (section 3.5), and `?headers` if the profile allows them (RFC 6068).

    >>> from urlmend import parse
    >>> url = parse("mailto:jane%2Bnews@a.example?subject=a%20b")
    >>> url.encoded822addr, url.addr_spec, url.is_addr_spec, url.header_fields
    ('jane%2Bnews@a.example', 'jane+news@a.example', True, (('subject', 'a b'),))
    """

    encoded822addr: str | None = None
    headers: str | None = None

    @property
    def addr_spec(self) -> str:
        """The address, decoded; `""` if the URL has header fields only."""
        return unquoted(self.encoded822addr or "")

    @property
    def is_addr_spec(self) -> bool:
        """Whether the decoded address is an addr-spec of RFC 822 section 6.1."""
        return self.addr_spec.isascii() and re.fullmatch(_ADDR_SPEC, self.addr_spec) is not None

    @property
    def header_fields(self) -> tuple[tuple[str, str], ...]:
        """The header fields after `?` as (name, value), decoded (RFC 6068 section 2)."""
        return _unquoted_pairs(field for field in (self.headers or "").split("&") if field)


@dataclass(frozen=True, slots=True)
class NewsURL(IpURL):
    """`news:group`, `news:article` or `news:*` (section 3.6), or `news://host` alone; `everything` is `"*"`.

    >>> from urlmend import parse
    >>> parse("news:comp.lang.python").group
    'comp.lang.python'
    >>> url = parse("news:1@a.example")
    >>> url.article, url.message_id, url.is_message_id
    ('1@a.example', '<1@a.example>', True)
    """

    group: str | None = None
    article: str | None = None
    everything: str | None = None

    @property
    def message_id(self) -> str | None:
        """The article's Message-ID, decoded, in angle brackets (RFC 1036 section 2.1.5); `None` for a group."""
        return None if self.article is None else f"<{unquoted(self.article)}>"

    @property
    def is_message_id(self) -> bool:
        """Whether the decoded article is a Message-ID by RFC 1036 section 2.1.5."""
        return re.fullmatch(_MESSAGE_ID, self.message_id or "") is not None


@dataclass(frozen=True, slots=True)
class NntpURL(IpURL):
    """`nntp://host:port/group/digits` (section 3.7); `article_number` is the digits.

    >>> from urlmend import parse
    >>> url = parse("nntp://a.example/comp.lang.python/1234")
    >>> url.group, url.article_number, url.port_number
    ('comp.lang.python', '1234', 119)
    """

    group: str | None = None
    article_number: str | None = None


@dataclass(frozen=True, slots=True)
class TelnetURL(LoginURL):
    """`telnet://user:password@host:port/` (section 3.8).

    >>> from urlmend import parse
    >>> parse("telnet://jane@a.example/").port_number
    23
    """


@dataclass(frozen=True, slots=True)
class WaisURL(IpURL):
    """`wais://host:port/database`, `.../database?search` or `.../database/wtype/wpath` (section 3.9).

    >>> from urlmend import parse
    >>> url = parse("wais://a.example/database?text")
    >>> url.database, url.search, url.port_number
    ('database', 'text', 210)
    """

    database: str | None = None
    search: str | None = None
    wtype: str | None = None
    wpath: str | None = None


@dataclass(frozen=True, slots=True)
class ProsperoURL(IpURL):
    """`prospero://host:port/ppath;field=value` (section 3.11).

    >>> from urlmend import parse
    >>> url = parse("prospero://host.dom//pros/name;key=value")
    >>> url.hsoname, url.fields
    ('/pros/name', (('key', 'value'),))
    """

    ppath: str | None = None
    fieldspecs: str | None = None

    @property
    def hsoname(self) -> str:
        """The host-specific object name, decoded: `/pros/name` in `prospero://host.dom//pros/name`."""
        return unquoted(self.ppath or "")

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The fields as (name, value), decoded, in order."""
        return _unquoted_pairs((self.fieldspecs or "").split(";")[1:])


@dataclass(frozen=True, slots=True)
class OtherURL(LoginURL):
    """A URL of any other scheme (section 2.1), with its parts if it has the syntax of IP-based protocols.

    >>> from urlmend import parse
    >>> parse("urn:isbn:0451450523").schemepart
    'isbn:0451450523'
    >>> parse("irc://a.example/channel").urlpath
    'channel'
    """

    urlpath: str | None = None

    @property
    def schemepart(self) -> str:
        """The text between the colon after the scheme and the fragment."""
        return self.text.partition(":")[2].partition("#")[0]


CLASSES: Mapping[str, type[URL]] = {
    "ftpurl": FtpURL,
    "fileurl": FileURL,
    "httpurl": HttpURL,
    "gopherurl": GopherURL,
    "mailtourl": MailtoURL,
    "newsurl": NewsURL,
    "nntpurl": NntpURL,
    "telneturl": TelnetURL,
    "waisdatabase": WaisURL,
    "waisindex": WaisURL,
    "waisdoc": WaisURL,
    "prosperourl": ProsperoURL,
    "otherurl": OtherURL,
}
"""The class for each rule that a whole URL is matched against; what follows a `_` in a rule's name is a kind of it."""


class Components(NamedTuple):
    """The parts of a URL after its scheme (RFC 3986 section 3), each with its own delimiter: `//`, `?` or `#`.

    An absent part is empty. Joined, they are the URL's text after the first colon.
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
        # A login may contain "?" (RFC 1738 section 5, user), but no "@".
        start = rest.index("@") if isinstance(url, LoginURL) and url.user is not None else len("//")
        end = next(_HOSTPORT.finditer(rest, start)).end()
    path, mark, query = rest[end:].partition("?")
    return Components(rest[:end], path, mark + query, fragment)
