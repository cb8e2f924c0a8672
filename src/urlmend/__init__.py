r"""Find every URL in free text, and mend the ones that line breaks tore apart.

Finding: `find_urls` takes a text, `iter_urls` a file object or a path (text, mail, mbox, news, web archives;
compressed or not), and `Scanner` a text in pieces. All return `URLMatch` objects, and on request `Rejected`
candidates. `Origin` names the file, message and part of a match, and `Selection` the messages to look at.

    >>> import urlmend
    >>> (match,) = urlmend.find_urls("as in <URL:ftp://a.example/pub/\n  b;type=d>.")
    >>> match
    <URLMatch 'ftp://a.example/pub/b;type=d' wrapper 1:12 confidence=1.0>
    >>> match.parts.host, match.parts.ftptype
    ('a.example', 'd')
    >>> match.as_dict()["breaks"]
    [{'at': 20, 'removed': '\n  ', 'hyphen': False, 'inserted': ''}]

Counting: `count` counts matches as links, by host, author, month and so on.

Parsing: `parse` makes a URL of a text, as the class of its scheme (`HttpURL`, `FtpURL`, ... `OtherURL`), or raises
`URLSyntaxError`. `build` makes one from its parts, `normal_form` one to compare, and `unwrap` finds the one inside
another. `RFC1738` and `WEB` are the profiles: the grammars that decide what a URL is.

Sources: `iter_texts` yields the `Text` pieces of a file with their origins. A `SourceError` says that a file cannot be
read to its end.

For Apache Arrow, Spark and others there are `urlmend.arrow` and `urlmend.spark`, for the shell the command `urlmend`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.3.0"

if TYPE_CHECKING:
    from urlmend.api import *  # noqa: F403 -- all that it has is public
else:
    # The package itself is imported at once (PEP 562), so that the command can prepare for Ctrl-C before the rest is.
    def __getattr__(name: str) -> object:
        """Import the public names, at the first use of one of them."""
        api = import_module("urlmend.api")
        globals().update({public: getattr(api, public) for public in api.PUBLIC_NAMES}, __all__=api.PUBLIC_NAMES)
        return getattr(api, "PUBLIC_NAMES" if name == "__all__" else name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *import_module("urlmend.api").PUBLIC_NAMES})
