"""URLs of mail and news: mailto, news and nntp (RFC 1738 sections 3.5 to 3.7)."""

from dataclasses import dataclass
from typing import ClassVar

from urlmend.grammar import rfc822
from urlmend.grammar.urls.internet import URL, IpURL, unquoted


@dataclass(frozen=True, slots=True)
class MailtoURL(URL):
    """`mailto:encoded822addr` (section 3.5), and `?headers` where the profile knows them (RFC 6068).

    >>> from urlmend import parse
    >>> url = parse("mailto:jane%2Bnews@a.example?subject=a%20b")
    >>> url.encoded822addr, url.addr_spec, url.is_addr_spec, url.header_fields
    ('jane%2Bnews@a.example', 'jane+news@a.example', True, (('subject', 'a b'),))
    """

    encoded822addr: str | None = None
    headers: str | None = None

    @property
    def addr_spec(self) -> str:
        """The address, decoded; empty where a URL has header fields only."""
        return unquoted(self.encoded822addr or "")

    @property
    def is_addr_spec(self) -> bool:
        """Whether the decoded address is an addr-spec of RFC 822 section 6.1."""
        return rfc822.is_addr_spec(self.addr_spec)

    @property
    def header_fields(self) -> tuple[tuple[str, str], ...]:
        """The header fields after `?` as (name, value), decoded (RFC 6068 section 2)."""
        pairs = (field.partition("=") for field in (self.headers or "").split("&") if field)
        return tuple((unquoted(name), unquoted(value)) for name, _, value in pairs)


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
    default_port: ClassVar[int | None] = 119

    @property
    def message_id(self) -> str | None:
        """The article's Message-ID, decoded, in the angle brackets of RFC 1036 section 2.1.5; `None` for a group."""
        return None if self.article is None else f"<{unquoted(self.article)}>"

    @property
    def is_message_id(self) -> bool:
        """Whether the article, decoded, is a Message-ID by RFC 1036 section 2.1.5."""
        return self.article is not None and rfc822.is_message_id(f"<{unquoted(self.article)}>")


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
    default_port: ClassVar[int | None] = 119
