"""URLs of files and documents: http, ftp, file and gopher (RFC 1738 sections 3.2 to 3.4 and 3.10)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from urlmend.grammar.urls.internet import URL, IpURL, LoginURL, unquoted


@dataclass(frozen=True, slots=True)
class HttpURL(LoginURL):
    """`http://host:port/hpath?search` (section 3.3); https too, and a login, where the profile has them.

    >>> from urlmend import parse
    >>> url = parse("http://a.example/b/c?d=e")
    >>> url.hpath, url.search, url.standard_port
    ('b/c', 'd=e', 80)
    """

    hpath: str | None = None
    search: str | None = None
    default_port: ClassVar[int | None] = 80

    @property
    def standard_port(self) -> int | None:
        """80, or 443 for https."""
        return 443 if self.scheme == "https" else self.default_port


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
        *directories, name = (unquoted(segment) for segment in self.fpath.split("/"))
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
    """`file://host/fpath` (section 3.10): an empty host and `localhost` mean the machine the URL is read on.

    >>> from urlmend import parse
    >>> url = parse("file://localhost/etc/motd")
    >>> url.fpath, url.is_local
    ('etc/motd', True)
    """

    fpath: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether the file is on the machine the URL is read on."""
        return not self.host or self.host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class GopherURL(IpURL):
    """`gopher://host:port/gopher_path` (section 3.4); the path is gtype, selector, search and Gopher+ string.

    >>> from urlmend import parse
    >>> url = parse("gopher://a.example/7/find%09jane")
    >>> url.gopher_path, url.gtype, url.selector, url.search, url.gopher_plus
    ('7/find%09jane', '7', '/find', 'jane', None)
    """

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
