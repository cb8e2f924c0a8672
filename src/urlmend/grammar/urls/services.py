"""URLs of services, and of all other schemes: telnet, wais, prospero (RFC 1738 sections 2.1, 3.8, 3.9 and 3.11)."""

from dataclasses import dataclass
from typing import ClassVar

from urlmend.grammar.urls.internet import IpURL, LoginURL, unquoted


@dataclass(frozen=True, slots=True)
class TelnetURL(LoginURL):
    """`telnet://user:password@host:port/` (section 3.8).

    >>> from urlmend import parse
    >>> parse("telnet://jane@a.example/").port_number
    23
    """

    default_port: ClassVar[int | None] = 23


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
    default_port: ClassVar[int | None] = 210


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
    default_port: ClassVar[int | None] = 1525

    @property
    def hsoname(self) -> str:
        """The host-specific object name, decoded: `/pros/name` in `prospero://host.dom//pros/name`."""
        return unquoted(self.ppath or "")

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The field names and values, decoded, in order."""
        pairs = (field.partition("=") for field in (self.fieldspecs or "").split(";")[1:])
        return tuple((unquoted(name), unquoted(value)) for name, _, value in pairs)


@dataclass(frozen=True, slots=True)
class OtherURL(LoginURL):
    """A URL of any other scheme (section 2.1), with its parts where the schemepart is an ip-schemepart.

    >>> from urlmend import parse
    >>> parse("urn:isbn:0451450523").schemepart
    'isbn:0451450523'
    >>> parse("irc://a.example/channel").urlpath
    'channel'
    """

    urlpath: str | None = None

    @property
    def schemepart(self) -> str:
        """What follows the scheme and its colon, up to the fragment."""
        return self.text.partition(":")[2].partition("#")[0]
