"""Find every URL in free text, and mend the ones that line breaks tore apart."""

from urlmend.building import build
from urlmend.errors import URLSyntaxError
from urlmend.extract import Scanner, find_urls
from urlmend.jobs import iter_urls
from urlmend.matches import Rejected, URLMatch
from urlmend.normal import normal_form
from urlmend.parser import parse
from urlmend.profiles import RFC1738, WEB, Profile
from urlmend.rejoin import Break
from urlmend.sources import Origin, SourceError, Text, iter_texts
from urlmend.urls import (
    URL,
    FileURL,
    FtpURL,
    GopherURL,
    HttpURL,
    IpURL,
    LoginURL,
    MailtoURL,
    NewsURL,
    NntpURL,
    OtherURL,
    ProsperoURL,
    TelnetURL,
    WaisURL,
)

__all__ = [
    "RFC1738",
    "URL",
    "WEB",
    "Break",
    "FileURL",
    "FtpURL",
    "GopherURL",
    "HttpURL",
    "IpURL",
    "LoginURL",
    "MailtoURL",
    "NewsURL",
    "NntpURL",
    "Origin",
    "OtherURL",
    "Profile",
    "ProsperoURL",
    "Rejected",
    "Scanner",
    "SourceError",
    "TelnetURL",
    "Text",
    "URLMatch",
    "URLSyntaxError",
    "WaisURL",
    "build",
    "find_urls",
    "iter_texts",
    "iter_urls",
    "normal_form",
    "parse",
]
