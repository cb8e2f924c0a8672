"""HTML parts: the URLs of their attributes and their visible text, as the HTML parser lexbor reads them."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from urlmend.sources.html.pieces import MAX_DOCUMENT, MAX_TAGS, Cutter
from urlmend.sources.html.places import InSource
from urlmend.sources.html.visible import visible
from urlmend.sources.octets.charsets import Defects
from urlmend.sources.octets.decoding import Decoded
from urlmend.sources.octets.offsets import Places
from urlmend.sources.octets.steps import Removed
from urlmend.sources.origin import Origin, Text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# HTML Standard section 4, and what older versions had: attributes whose value is a URL, or several parted by blanks.
_URL_ATTRIBUTES = frozenset(
    "href src action formaction cite longdesc background data poster codebase classid profile manifest "
    "ping archive dynsrc lowsrc xlink:href".split()
)
_WITH_URLS = ", ".join(
    f"[{name}]" for name in (*sorted(_URL_ATTRIBUTES - {"xlink:href"}), "srcset", "imagesrcset", "content")
)
_SEVERAL = frozenset(["ping", "archive"])
_ONE_URL = _URL_ATTRIBUTES - _SEVERAL

# URL Standard section 4.4: line ends and tabs inside a value are no part of its URL, nor are blanks around.
_NO_PART = dict.fromkeys(map(ord, "\t\n\r"))
_ABSOLUTE = re.compile(r"(?!(?:javascript|data|about|vbscript):)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_REFRESH = re.compile(r"\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+", re.IGNORECASE)
# HTML Standard 4.8.4.2.1: a URL is a run of no blanks; what follows up to a comma describes the image.
_IMAGE = re.compile(r"[\s,]*+([^\s,]\S*+)")
_DESCRIPTION = re.compile(r"[^,]*+,?+")
# What may stand without brackets: it ends where it ends, or has quotes that are missing or wrong and begins with a URL.
_BARE = re.compile(r"[\w.~\-/?#&=%+:,;@!$*]+[a-z0-9/]|[^<>\"]*[<>\"].*", re.IGNORECASE | re.ASCII | re.DOTALL)
_SIGNS = ("://", "mailto:", "url:", "news:", "urn:", "doi:", "&#", "&colon", "&sol")


def html(pieces: Iterable[Decoded], origin: Origin, defects: Defects) -> Iterator[Text]:
    """Yield the URLs of the attributes in the HTML *pieces*, each on a line, and then the visible text."""
    reader = _Reader(origin, defects)
    for decoded in pieces:
        yield from reader.add(decoded)
    yield from reader.texts(last=True)


class _Reader:
    """Reads a document in windows of MAX_DOCUMENT characters, however it comes."""

    def __init__(self, origin: Origin, defects: Defects) -> None:
        self._origin = origin
        self._defects = defects
        self._cutter = Cutter()
        self._held: list[str] = []
        self._size = 0
        self._places = Places(keep_all=True)

    def add(self, decoded: Decoded) -> Iterator[Text]:
        text, piece = decoded
        start = 0
        while start < len(text):
            end = min(len(text), start + MAX_DOCUMENT - self._size)
            steps = (*piece.steps, Removed([0], [start])) if start else piece.steps
            self._held.append(text[start:end])
            self._places.add(end - start, piece._replace(steps=steps))
            self._size += end - start
            start = end
            if start < len(text):
                yield from self.texts(last=False)

    def texts(self, *, last: bool) -> Iterator[Text]:
        """Yield the texts of what is held, but for what is left to the next window."""
        source = "".join(self._held)
        signs = _has_sign(source)
        if last and not signs:
            return
        cuts = list(self._cutter.pieces(source, last=last))
        if len(cuts) > 1 or not last:
            self._defects[f"HTML of more than {MAX_TAGS} tags, or unusual ones, is read in pieces"] = None
        if signs:
            yield from self._found(source, [markup for _, markup in cuts])
        if last:
            return
        end = cuts[-1][0] if cuts else 0
        self._held, self._size, self._places = [source[end:]], len(source) - end, self._places.rest(end)

    def _parsed(self, markup: str) -> "LexborNode | None":
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 -- plain text does without it

        # A NUL ends lexbor's text, and half a surrogate pair has no UTF-8.
        clean = markup.replace("\0", " ")
        if not clean.isascii():
            clean = clean.encode("utf-8", "replace").decode()
        try:
            root: LexborNode | None = LexborHTMLParser(clean).root
        except Exception as error:  # noqa: BLE001 -- whatever broken HTML makes the library raise
            self._defects[f"the HTML parser failed: {str(error)[:_SHOWN_OF_ERROR]}"] = None
            return None
        return root

    def _found(self, source: str, pieces: list[str]) -> Iterator[Text]:
        """Yield the texts of *source* in its *pieces*, of which one is in hand as a tree at a time."""
        urls: list[str] = []
        shown: list[str] = []
        for markup in pieces:
            root = self._parsed(markup)
            if root is None:
                continue
            nodes = root.css(_WITH_URLS) if "=" in markup else ()
            urls += _urls(nodes)
            # Few documents show URLs; in the others nobody needs to know what stands on which line.
            if _has_sign(root.text()):
                shown += visible(root), "\n"
        if urls:
            # An empty line parts them: none goes on in the next. A first line end makes the first one like the others.
            text = "\n" + "".join(f"{url}\n\n" if _BARE.fullmatch(url) else f"<{url}>\n\n" for url in urls)
            found = InSource(text, source, self._places, in_tags=True)
            yield Text(text, self._origin.again(attributes=True), places=found, whole=True)
        if shown:
            text = "".join(shown)
            found = InSource(text, source, self._places, in_tags=False)
            yield Text(text, self._origin.again(), places=found, whole=True)


_SHOWN_OF_ERROR = 100


def _has_sign(text: str) -> bool:
    if _SIGNS[0] in text:
        return True
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS)


def _urls(nodes: "Iterable[LexborNode]") -> Iterator[str]:
    for node in nodes:
        attributes = node.attributes
        for name, value in attributes.items():
            if not value or ":" not in value:
                continue
            values = [value] if name in _ONE_URL else _several(name, value, node)
            for one in values:
                # `translate` is slow, and few have anything to take out.
                url = (one if one.isprintable() else one.translate(_NO_PART)).strip()
                if _ABSOLUTE.match(url):
                    yield url


def _several(name: str, value: str, node: "LexborNode") -> list[str]:
    """Return the URLs in the attribute *name* of *node*, whose *value* is not just one URL."""
    if name in _SEVERAL:
        return value.split()
    if name in {"srcset", "imagesrcset"}:
        return _images(value)
    if name == "content" and node.tag == "meta" and (node.attributes.get("http-equiv") or "").lower() == "refresh":
        return [_refresh(value)]
    return []


def _images(srcset: str) -> list[str]:
    """Return the URLs of a `srcset` attribute; commas that end one are no part of it."""
    urls: list[str] = []
    pos = 0
    while found := _IMAGE.match(srcset, pos):
        url = found[1].rstrip(",")
        urls.append(url)
        pos = found.end()
        if len(url) == len(found[1]):
            description = _DESCRIPTION.match(srcset, pos)
            pos = description.end() if description else pos
    return urls


def _refresh(content: str) -> str:
    """Return the URL of a `meta` element that loads another page."""
    before = _REFRESH.match(content)
    url = content[before.end() if before else 0 :].rstrip()
    return url[:-1] if url.endswith(("'", '"')) else url
