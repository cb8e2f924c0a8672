"""The public names. `urlmend` imports this module at the first use of one of them."""

from urlmend.extract import find_urls, iter_urls
from urlmend.grammar.build import build
from urlmend.grammar.diagnosis import URLSyntaxError
from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import parse
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.unwrap import unwrap
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
from urlmend.output.counts import count
from urlmend.output.links import linkify
from urlmend.scanner import Scanner
from urlmend.selection import Selection
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
    "Selection",
    "SourceError",
    "TelnetURL",
    "Text",
    "URLMatch",
    "URLSyntaxError",
    "WaisURL",
    "build",
    "count",
    "find_urls",
    "iter_texts",
    "iter_urls",
    "linkify",
    "normal_form",
    "parse",
    "unwrap",
]

for _name in __all__:
    # Tracebacks, `repr` and pickles show the public name.
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "urlmend"
