"""HTML links: writes a text with its URLs as links, and knows which URLs may be links."""

import re
from collections.abc import Collection, Iterable
from html import escape

from urlmend.extract import find_urls
from urlmend.match import URLMatch
from urlmend.output.terminal import CONTROLS
from urlmend.text.schemes import CODE_SCHEMES, LINKED_SCHEMES

_NOT_IN_HREF = re.compile(rf"{CONTROLS.pattern}|[ \"<>\\^`{{|}}\ud800-\udfff]")


def linkify(text: str, matches: Iterable[URLMatch] | None = None, *, schemes: Collection[str] = LINKED_SCHEMES) -> str:
    r"""Return *text* as HTML in which its URLs are links, and everything else is escaped.

    *matches* are those to link, in order, as `find_urls` returns them for *text*; by default all that it returns. Only
    URLs with one of the *schemes* become links; `javascript:`, `vbscript:` and `data:` never do. A URL that was mended
    is one link for each of its `segments`: what is between them, such as line ends and quote marks, is not part of a
    link. Show the result where white space counts, as in `<pre>`. Raises `TypeError` if *text* is not a string, or
    *schemes* is one, and `ValueError` for matches of another text, such as its bytes, or not in order.

    >>> print(linkify("> <URL:http://a.example/b?c&\n> d>, javascript:e"))
    &gt; &lt;URL:<a href="http://a.example/b?c&amp;d">http://a.example/b?c&amp;</a>
    &gt; <a href="http://a.example/b?c&amp;d">d</a>&gt;, javascript:e
    """
    if not isinstance(text, str):
        raise TypeError(f"linkify takes a string, not {type(text).__name__}")
    if isinstance(schemes, str):
        raise TypeError(f"schemes must be a list such as [{schemes!r}], not a string")
    allowed = {scheme.lower() for scheme in schemes} - CODE_SCHEMES
    pieces = []
    pos = 0
    for match in find_urls(text) if matches is None else matches:
        if match.start < pos or text[match.start : match.end] != match.raw:
            raise ValueError(f"the matches must be those of this text, in order: {match.raw!r} is not the next one")
        if match.scheme in allowed:
            for start, end in match.segments:
                link = f'<a href="{href(match.url)}">{escape(text[start:end])}</a>'
                pieces += [escape(text[pos:start]), link]
                pos = end
    return "".join([*pieces, escape(text[pos:])])


def href(url: str) -> str:
    """Return *url* as the value of an attribute, with characters that HTML does not allow in URLs percent-encoded."""
    return escape(_NOT_IN_HREF.sub(_percent_encoded, url))


_NOT_IN_OSC8 = re.compile("[^!-~]")
_LONGEST_OSC8 = 2083
"""What VTE takes; without a link, a longer one is text."""


def hyperlink(url: str, text: str, number: int) -> str:
    """Return *text* as a hyperlink of a terminal (OSC 8) to *url*. Texts with the same *number* are one link."""
    target = _NOT_IN_OSC8.sub(_percent_encoded, url)
    if url.partition(":")[0].lower() not in LINKED_SCHEMES or len(target) > _LONGEST_OSC8:
        return text
    return f"\33]8;id=urlmend{number};{target}\33\\{text}\33]8;;\33\\"


def _percent_encoded(found: re.Match[str]) -> str:
    """Write a character as browsers do when they follow a link."""
    return "".join(f"%{octet:02X}" for octet in found[0].encode(errors="replace"))
