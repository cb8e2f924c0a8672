"""Find every URL in free text, and mend the ones that line breaks tore apart."""

from urlmend.extract import find_urls, iter_urls
from urlmend.grammar.build import build
from urlmend.grammar.errors import URLSyntaxError
from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import parse
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.urls import (
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
from urlmend.match import Break, Rejected, URLMatch
from urlmend.scanner import Scanner
from urlmend.sources import Origin, SourceError, Text, iter_texts

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

__version__ = "0.2.0"
