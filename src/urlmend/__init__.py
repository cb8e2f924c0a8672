r"""Find every URL in free text, and mend the ones that line breaks tore apart.

Finding: `find_urls` takes a text, `iter_urls` a file object or a path (text, mail, mbox, news, web archives;
compressed or not), and `Scanner` a text in pieces. All return `URLMatch` objects, and on request `Rejected`
candidates. `Origin` names the file, message and part of a match.

    >>> import urlmend
    >>> (match,) = urlmend.find_urls("as in <URL:ftp://a.example/pub/\n  b;type=d>.")
    >>> match
    <URLMatch 'ftp://a.example/pub/b;type=d' wrapper 1:12 confidence=1.0>
    >>> match.parts.host, match.parts.ftptype
    ('a.example', 'd')
    >>> match.as_dict()["breaks"]
    [{'at': 20, 'removed': '\n  ', 'hyphen': False, 'inserted': ''}]

Parsing: `parse` makes a URL of a text, as the class of its scheme (`HttpURL`, `FtpURL`, ... `OtherURL`), or raises
`URLSyntaxError`. `build` makes one of parts, `normal_form` one to compare, `unwrap` finds the one inside of another.
`RFC1738` and `WEB` are the profiles: the grammars that judge.

Sources: `iter_texts` gives the `Text` pieces of a file with their origins; a `SourceError` is a file that cannot be
read to its end.

For Apache Arrow, Spark and others there are `urlmend.arrow` and `urlmend.spark`, for the shell the command `urlmend`.
"""

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
    "unwrap",
]

__version__ = "0.3.0"

for _name in __all__:
    # Tracebacks, `repr` and pickles show the public name.
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
