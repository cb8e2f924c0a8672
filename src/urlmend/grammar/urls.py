"""URLs as values: one class a scheme, with fields named as in RFC 1738 section 5.

Every field holds the characters of the URL as they stand, still percent-encoded; `None` is an absent part, `""` an
empty one (section 3.1). `str(url)` is the text that was parsed, unchanged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from urlmend.grammar import rfc822

MAX_PORT_DIGITS = 20
"""The most digits of a port that is read as a number."""


def _unquoted(text: str, encoding: str = "utf-8") -> str:
    from urllib.parse import unquote  # noqa: PLC0415 -- slow to import; scanning decodes nothing

    return unquote(text, encoding, "replace")


@dataclass(frozen=True, slots=True)
class URL:
    """A URL: its *text*, its `host` where it has one, and its `#fragment` where the profile knows fragments."""

    text: str
    fragment: str | None = None
    host: str | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def scheme(self) -> str:
        """The scheme in lower case (section 2.1)."""
        return self.text.partition(":")[0].lower()

    def decoded(self, part: str, encoding: str = "utf-8") -> str | None:
        """Return the field called *part* with its escapes decoded (section 2.2); `None` where the part is absent.

        Octets that are no text in *encoding* become U+FFFD; `decoded_octets` returns them as they are.
        """
        value: str | None = getattr(self, part)
        return None if value is None else _unquoted(value, encoding)

    def decoded_octets(self, part: str) -> bytes | None:
        """Return the octets that the field called *part* stands for (section 2.2)."""
        from urllib.parse import unquote_to_bytes  # noqa: PLC0415 -- as above

        value: str | None = getattr(self, part)
        return None if value is None else unquote_to_bytes(value)


@dataclass(frozen=True, slots=True)
class IpURL(URL):
    """A URL of an IP-based protocol: `//host:port` (section 3.1)."""

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
    """A URL of an IP-based protocol with a login: `//user:password@host:port` (section 3.1)."""

    user: str | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True)
class HttpURL(LoginURL):
    """`http://host:port/hpath?search` (section 3.3); https too, and a login, where the profile has them."""

    hpath: str | None = None
    search: str | None = None
    default_port: ClassVar[int | None] = 80

    @property
    def standard_port(self) -> int | None:
        """80, or 443 for https."""
        return 443 if self.scheme == "https" else self.default_port


@dataclass(frozen=True, slots=True)
class FtpURL(LoginURL):
    """`ftp://user:password@host:port/fpath;type=ftptype` (section 3.2)."""

    fpath: str | None = None
    ftptype: str | None = None
    default_port: ClassVar[int | None] = 21

    def commands(self) -> tuple[tuple[str, str], ...]:
        """Return the FTP commands that the path stands for, as (verb, decoded argument), in order (section 3.2.2).

        One CWD for each segment but the last, then NLST for type `d`; otherwise TYPE, where one is given, and RETR.
        An empty last segment names nothing to retrieve.

        >>> from urlmend import parse
        >>> parse("ftp://myname@host.dom/%2Fetc/motd").commands()
        (('CWD', '/etc'), ('RETR', 'motd'))
        """
        return tuple(self._commands())

    def _commands(self) -> Iterator[tuple[str, str]]:
        if self.fpath is None:
            return
        *directories, name = (_unquoted(segment) for segment in self.fpath.split("/"))
        for directory in directories:
            yield "CWD", directory
        if self.ftptype in ("d", "D"):
            yield "NLST", name
        elif name:
            if self.ftptype:
                yield "TYPE", self.ftptype
            yield "RETR", name


@dataclass(frozen=True, slots=True)
class FileURL(URL):
    """`file://host/fpath` (section 3.10): an empty host and `localhost` mean the machine the URL is read on."""

    fpath: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether the file is on the machine the URL is read on."""
        return not self.host or self.host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class GopherURL(IpURL):
    """`gopher://host:port/gopher_path` (section 3.4); the path is gtype, selector, search and Gopher+ string."""

    gopher_path: str | None = None
    default_port: ClassVar[int | None] = 70

    @property
    def gtype(self) -> str:
        """The Gopher type: one character, `"1"` where the path is absent or empty (section 3.4.1)."""
        return self._split[0]

    @property
    def selector(self) -> str:
        """The selector, empty where there is none (section 3.4.1)."""
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


@dataclass(frozen=True, slots=True)
class MailtoURL(URL):
    """`mailto:encoded822addr` (section 3.5), and `?headers` where the profile knows them (RFC 6068)."""

    encoded822addr: str | None = None
    headers: str | None = None

    @property
    def addr_spec(self) -> str:
        """The address, decoded; empty where a URL has header fields only."""
        return _unquoted(self.encoded822addr or "")

    @property
    def is_addr_spec(self) -> bool:
        """Whether the decoded address is an addr-spec of RFC 822 section 6.1."""
        return rfc822.is_addr_spec(self.addr_spec)

    @property
    def header_fields(self) -> tuple[tuple[str, str], ...]:
        """The header fields after `?` as (name, value), decoded (RFC 6068 section 2)."""
        pairs = (field.partition("=") for field in (self.headers or "").split("&") if field)
        return tuple((_unquoted(name), _unquoted(value)) for name, _, value in pairs)


@dataclass(frozen=True, slots=True)
class NewsURL(IpURL):
    """`news:group`, `news:article` or `news:*` (section 3.6), or `news://host` alone; `everything` is `"*"`."""

    group: str | None = None
    article: str | None = None
    everything: str | None = None
    default_port: ClassVar[int | None] = 119

    @property
    def message_id(self) -> str | None:
        """The article's Message-ID, decoded, in the angle brackets of RFC 1036 section 2.1.5; `None` for a group."""
        return None if self.article is None else f"<{_unquoted(self.article)}>"

    @property
    def is_message_id(self) -> bool:
        """Whether the article, decoded, is a Message-ID by RFC 1036 section 2.1.5."""
        return self.article is not None and rfc822.is_message_id(f"<{_unquoted(self.article)}>")


@dataclass(frozen=True, slots=True)
class NntpURL(IpURL):
    """`nntp://host:port/group/digits` (section 3.7); `article_number` is the digits."""

    group: str | None = None
    article_number: str | None = None
    default_port: ClassVar[int | None] = 119


@dataclass(frozen=True, slots=True)
class TelnetURL(LoginURL):
    """`telnet://user:password@host:port/` (section 3.8)."""

    default_port: ClassVar[int | None] = 23


@dataclass(frozen=True, slots=True)
class WaisURL(IpURL):
    """`wais://host:port/database`, `.../database?search` or `.../database/wtype/wpath` (section 3.9)."""

    database: str | None = None
    search: str | None = None
    wtype: str | None = None
    wpath: str | None = None
    default_port: ClassVar[int | None] = 210


@dataclass(frozen=True, slots=True)
class ProsperoURL(IpURL):
    """`prospero://host:port/ppath;field=value` (section 3.11)."""

    ppath: str | None = None
    fieldspecs: str | None = None
    default_port: ClassVar[int | None] = 1525

    @property
    def hsoname(self) -> str:
        """The host-specific object name, decoded: `/pros/name` in `prospero://host.dom//pros/name`."""
        return _unquoted(self.ppath or "")

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The field names and values, decoded, in order."""
        pairs = (field.partition("=") for field in (self.fieldspecs or "").split(";")[1:])
        return tuple((_unquoted(name), _unquoted(value)) for name, _, value in pairs)


@dataclass(frozen=True, slots=True)
class OtherURL(LoginURL):
    """A URL of any other scheme (section 2.1), with its parts where the schemepart is an ip-schemepart."""

    urlpath: str | None = None

    @property
    def schemepart(self) -> str:
        """What follows the scheme and its colon, up to the fragment."""
        return self.text.partition(":")[2].partition("#")[0]
