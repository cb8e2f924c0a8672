"""The public names. `urlmend` imports this module at the first use of one of them."""

from urlmend.extract import find_urls as find_urls, iter_urls as iter_urls
from urlmend.grammar.build import build as build
from urlmend.grammar.diagnosis import URLSyntaxError as URLSyntaxError
from urlmend.grammar.normalize import normal_form as normal_form
from urlmend.grammar.parser import parse as parse
from urlmend.grammar.profiles import RFC1738 as RFC1738, WEB as WEB, Profile as Profile
from urlmend.grammar.unwrap import unwrap as unwrap
from urlmend.grammar.urls import (
    URL as URL,
    FileURL as FileURL,
    FtpURL as FtpURL,
    GopherURL as GopherURL,
    HttpURL as HttpURL,
    IpURL as IpURL,
    LoginURL as LoginURL,
    MailtoURL as MailtoURL,
    NewsURL as NewsURL,
    NntpURL as NntpURL,
    OtherURL as OtherURL,
    ProsperoURL as ProsperoURL,
    TelnetURL as TelnetURL,
    WaisURL as WaisURL,
)
from urlmend.match import Break as Break, Rejected as Rejected, URLMatch as URLMatch
from urlmend.output.counts import count as count
from urlmend.output.links import linkify as linkify
from urlmend.scanner import Scanner as Scanner
from urlmend.selection import Selection as Selection
from urlmend.sources import Origin as Origin, SourceError as SourceError, Text as Text, iter_texts as iter_texts

PUBLIC_NAMES = sorted(name for name in globals() if not name.startswith("_"))
"""All of them: `urlmend.__all__`."""

for _name in PUBLIC_NAMES:
    # Tracebacks, `repr` and pickles show the public name.
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "urlmend"
