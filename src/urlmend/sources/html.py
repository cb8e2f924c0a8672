"""HTML parts: the URLs of their attributes and their visible text, as the HTML parser lexbor reads them."""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from urlmend.sources import Origin, Text
from urlmend.sources.charsets import Defects
from urlmend.sources.decoding import Decoded
from urlmend.sources.offsets import Place, Places

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_DOCUMENT = 1 << 20
"""The longest document, in characters, that is parsed whole: its tree takes fifty times as much. A longer one is read
as several.
"""

MAX_NESTED = 4096
MAX_ATTRIBUTES = 1000
"""How many elements in each other, and attributes of one, a document has at most that is parsed whole.

The parser's time grows with their square: each `<div>` looks for a `<p>` to close, each attribute for one of its name.
"""

_PIECE = 1 << 14  # characters of a document that is not parsed whole

# HTML Standard section 4, and what older versions had: attributes whose value is a URL, or several parted by blanks.
_URL_ATTRIBUTES = frozenset(
    "href src action formaction cite longdesc background data poster codebase classid profile manifest "
    "ping archive dynsrc lowsrc xlink:href".split()
)
_WITH_URLS = ", ".join(
    f"[{name}]" for name in (*sorted(_URL_ATTRIBUTES - {"xlink:href"}), "srcset", "imagesrcset", "content")
)
_SEVERAL = frozenset(["ping", "archive"])
_NOT_SHOWN = frozenset(["script", "style", "template", "title", "-comment", None])
_IN_LINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr o:p output q ruby s samp "
    "small span strike strong sub sup time tt u var wbr".split()
)
_KEEPING_SPACE = frozenset(["pre", "textarea", "listing", "xmp", "plaintext"])

# URL Standard section 4.4: line ends and tabs inside a value are no part of its URL, nor are blanks around.
_NO_PART = dict.fromkeys(map(ord, "\t\n\r"))
_SPACE = re.compile(r"[ \t\n\r\f]+")
_ABSOLUTE = re.compile(r"(?!(?:javascript|data|about|vbscript):)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?(.*?)[\"']?\s*", re.IGNORECASE | re.DOTALL)
_SRCSET = re.compile(r"[\s,]*(\S*[^\s,])[^,]*(?:,|\Z)")
# Those that nest; the parser closes the others, or they have no content.
_NESTING_TAG = re.compile(
    r"<(/?)(?!(?:area|base|br|col|dd|dt|hr|img|input|li|link|meta|option|p|td|th|tr)\b)[a-z]", re.IGNORECASE
)
_MANY_ATTRIBUTES = re.compile(
    r"<[a-zA-Z][^\s/>]*+(?:[\s/]++[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+)" + f"{{{MAX_ATTRIBUTES}}}"
)
# What may stand without brackets: it ends where it ends, or has quotes that are missing or wrong and begins with a URL.
_BARE = re.compile(r"[\w.~\-/?#&=%+:,;@!$*]+[a-z0-9/]|[^<>\"]*[<>\"].*", re.IGNORECASE | re.ASCII | re.DOTALL)
_SIGNS = ("://", "mailto:", "url:", "news:", "urn:", "doi:", "&#", "&colon", "&sol")


def html(pieces: Iterable[Decoded], origin: Origin, defects: Defects) -> Iterator[Text]:
    """Yield the URLs of the attributes in the HTML *pieces*, each on a line, and then the visible text."""
    held: list[str] = []
    size = 0
    places = Places(keep_all=True)
    for text, piece in pieces:
        if size and size + len(text) > MAX_DOCUMENT:
            defects[f"HTML longer than {MAX_DOCUMENT} characters read as several documents"] = None
            yield from _document("".join(held), origin, places, defects)
            held, size, places = [], 0, Places(keep_all=True, after=places)
        held.append(text)
        size += len(text)
        places.add(len(text), piece)
    yield from _document("".join(held), origin, places, defects)


def _document(source: str, origin: Origin, places: Places, defects: Defects) -> Iterator[Text]:
    if not _has_sign(source):
        return
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 -- plain text does without it

    # A NUL ends lexbor's text, and half a surrogate pair has no UTF-8.
    clean = source.replace("\0", " ").encode("utf-8", "replace").decode()
    unusual = _is_unusual(clean)
    if unusual:
        defects[f"HTML of more than {MAX_NESTED} nested elements or {MAX_ATTRIBUTES} attributes read in pieces"] = None
    parsed = (LexborHTMLParser(piece).root for piece in (_pieces(clean) if unusual else (clean,)))
    roots = [root for root in parsed if root is not None]
    urls = [url for root in roots for node in root.css(_WITH_URLS) for url in _urls(node.tag or "", node.attributes)]
    if urls:
        # An empty line parts them: none goes on in the next.
        text = "".join(f"{url}\n\n" if _BARE.fullmatch(url) else f"<{url}>\n\n" for url in urls)
        found = _InSource(text, source, places, in_tags=True)
        yield Text(text, origin.again(attributes=True), places=found, whole=True)
    # Few documents show URLs; in the others nobody needs to know what stands on which line.
    if any(_has_sign(root.text()) for root in roots):
        text = "".join(map(_shown, roots))
        yield Text(text, origin.again(), places=_InSource(text, source, places, in_tags=False), whole=True)


def _is_unusual(source: str) -> bool:
    """Tell that *source* has more elements in each other, or attributes in a tag, than the parser's time allows for."""
    if len(source) <= _PIECE:
        return False
    depths = accumulate(-1 if slash else 1 for slash in _NESTING_TAG.findall(source))
    return max(depths, default=0) > MAX_NESTED or _MANY_ATTRIBUTES.search(source) is not None


def _pieces(source: str) -> Iterator[str]:
    start = 0
    while start < len(source):
        end = start + _PIECE
        if end < len(source):
            end = max(source.rfind(sign, start, end) for sign in (">", " ", "\n")) + 1 or end
        yield source[start:end]
        start = end


def _has_sign(text: str) -> bool:
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS)


def _shown(root: "LexborNode") -> str:
    """Return what a reader of the document sees, in its order."""
    shown: list[str] = []
    keeping = 0
    # Without recursion: documents nest as deep as they like.
    waiting: list[LexborNode | str] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            keeping -= node == "/pre"
            shown.append("\n")
            continue
        tag = node.tag
        if tag == "-text":
            text = node.text_content or ""
            shown.append(text if keeping else _SPACE.sub(" ", text))
            continue
        if tag in _NOT_SHOWN:
            continue
        if tag not in _IN_LINE:
            shown.append("\n")
            keeps = tag in _KEEPING_SPACE
            keeping += keeps
            waiting.append("/pre" if keeps else "/")
        children = list(node.iter(include_text=True))
        children.reverse()
        waiting += children
    return "".join(shown)


def _urls(tag: str, attributes: "dict[str, str | None]") -> Iterator[str]:
    for name, value in attributes.items():
        if not value or ":" not in value:
            continue
        if name in _SEVERAL:
            values = value.split()
        elif name in _URL_ATTRIBUTES:
            values = [value]
        elif name in {"srcset", "imagesrcset"}:
            values = _SRCSET.findall(value)
        elif name == "content" and tag == "meta" and (attributes.get("http-equiv") or "").lower() == "refresh":
            match = _REFRESH.fullmatch(value)
            values = [match[1]] if match else []
        else:
            continue
        for one in values:
            url = one.translate(_NO_PART).strip()
            if _ABSOLUTE.match(url):
                yield url


class _InSource(Places):
    """The places of *text* that a parser made of *source*: where the source has a stretch as it is, it stands there.

    With *in_tags* it stands in a tag, else outside.
    """

    def __init__(self, text: str, source: str, places: Places, *, in_tags: bool) -> None:
        super().__init__()
        self._text = text
        self._source = source
        self._source_places = places
        self._in_tags = in_tags
        self._pos = 0  # in the source: behind the last one found
        self._to_search = _SEARCHES * len(source) + _WITHIN

    def locate(self, start: int, end: int, *, as_it_is: bool = True) -> Place:
        wanted = self._text[start:end]
        span = self._literal(wanted) or self._literal(wanted.replace("&", "&amp;")) or self._written(wanted)
        if span is None:
            return self._source_places.locate(self._pos, self._pos + 1, as_it_is=False)
        first, self._pos = span
        as_it_is = as_it_is and self._source[first : self._pos] == wanted
        return self._source_places.locate(first, self._pos, as_it_is=as_it_is)

    def _literal(self, wanted: str) -> tuple[int, int] | None:
        pos = self._pos
        while self._to_search > 0:
            found = self._source.find(wanted, pos)
            self._to_search -= (found if found >= 0 else len(self._source)) - pos
            if found < 0:
                return None
            in_tag = self._source.rfind("<", self._pos, found) > self._source.rfind(">", self._pos, found)
            if in_tag == self._in_tags:
                return found, found + len(wanted)
            pos = found + 1
        return None

    def _written(self, wanted: str) -> tuple[int, int] | None:
        """Look for *wanted* with entities for characters, and tags or line ends between them."""
        if self._to_search <= 0:
            return None
        pattern = re.compile(_BETWEEN.join(_AT_A_BREAK if one.isspace() else _character(one) for one in wanted))
        found = pattern.search(self._source, self._pos, self._pos + _WITHIN)
        self._to_search -= _COST_OF_PATTERN * ((found.end() if found else self._pos + _WITHIN) - self._pos)
        return found.span() if found else None


_WITHIN = 1 << 13
"""How far behind the last URL, in characters of the source, one is looked for that is not written as it is read."""

_SEARCHES = 32
"""How often a document is searched for its URLs, at most."""

_COST_OF_PATTERN = 16
_AT_A_BREAK = r"(?:\s|&[#\w]{2,10};?|<[^<>]{0,1000}>)*+"
_BETWEEN = r"(?:[\t\n\r]|<[^<>]{0,1000}>)*+"


def _character(one: str) -> str:
    return rf"(?:{re.escape(one)}|&[#\w]{{2,10}};?)"
