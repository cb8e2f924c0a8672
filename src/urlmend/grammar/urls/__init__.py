"""URLs as values: one class a scheme, with fields named as in RFC 1738 section 5.

Every field holds the characters of the URL as they stand, still percent-encoded; `None` is an absent part, `""` an
empty one (section 3.1). `str(url)` is the text that was parsed, unchanged.
"""

from urlmend.grammar.urls.files import FileURL, FtpURL, GopherURL, HttpURL
from urlmend.grammar.urls.internet import URL, IpURL, LoginURL
from urlmend.grammar.urls.messages import MailtoURL, NewsURL, NntpURL
from urlmend.grammar.urls.services import OtherURL, ProsperoURL, TelnetURL, WaisURL

__all__ = [
    "URL",
    "FileURL",
    "FtpURL",
    "GopherURL",
    "HttpURL",
    "IpURL",
    "LoginURL",
    "MailtoURL",
    "NewsURL",
    "NntpURL",
    "OtherURL",
    "ProsperoURL",
    "TelnetURL",
    "WaisURL",
]
