"""HTML files and parts of mail: the URLs of attributes and the visible text, as the HTML parser lexbor reads them."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html import unescape
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from urlmend.sources.body import Decoded, document, text_of
from urlmend.sources.charsets import MAX_NAME, Defects
from urlmend.sources.compression import Peeked
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.places import Place, Places, Removed, replaced
from urlmend.text.schemes import CODE_SCHEMES, OPAQUE_NAMES, either

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_DOCUMENT = 1 << 18
"""How many characters of a document are in hand, and a block more: the tree of a piece takes fifty times as much."""

MAX_TAGS = 2048
"""How many `<` a piece has. If all of them open elements, the parser reads 1 MB in a second."""

MAX_IRREGULAR = 1 << 14
"""How many characters a piece has in which a tag may have more than MAX_ATTRIBUTES attributes."""

MAX_ATTRIBUTES = 64
"""How many attributes a tag has in a longer piece. In HTML mail, a tag has a dozen."""

MAX_SEARCHES = 64
"""How often a document is searched for the places of its URLs; those after that get the place of the last one found."""


def texts(file: Peeked, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the URLs of the attributes in the HTML *file*, and its visible text.

    With *wanted*, text in which it finds nothing may be left out.
    """
    for about, lines in document(file, "text/html", None):
        origin = Origin(source_name(file), content=about, defects=file.defects)
        read = Document(origin, file.defects, wanted, wanted and wanted.base)
        yield from read.texts(text_of(lines, about, file.defects))


_SIGNS = ("://", "url:", *(f"{name}:" for name in OPAQUE_NAMES), "&#", "&colon", "&sol")


def _may_hold(text: str, wanted: Prefilter | None) -> bool:
    """Return whether *text* may contain a URL, or another form that *wanted* looks for."""
    if wanted is None or _SIGNS[0] in text:
        return True
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS) or any(True for _ in wanted.search_text(text, 0))


class Document:
    """Reads a document in windows of about MAX_DOCUMENT characters, which do not depend on how it arrives.

    *base* is the address of the document, if known. With *wanted*, text in which it finds nothing may be left out.
    """

    def __init__(
        self, origin: Origin, defects: Defects, wanted: Prefilter | None = None, base: str | None = None
    ) -> None:
        self._resolves = wanted is not None and wanted.base is not None
        self._base = base or ""
        self._has_base = False  # an element says what it is
        self._origin = origin
        self._defects = defects
        self._wanted = wanted
        self._places = Places()
        self._start = 0  # where in the document the window begins

    def texts(self, pieces: Iterable[Decoded]) -> Iterator[Text]:
        """Yield the URLs of the attributes in the HTML *pieces*, each on a line, and the visible text, by windows."""
        cutter = _Cutter()
        held: list[str] = []
        size = 0
        for decoded in chain(pieces, [None]):
            if decoded:
                self._places.add(len(decoded.text), decoded.lines, decoded.steps)
                held.append(decoded.text)
                size += len(decoded.text)
                if size <= MAX_DOCUMENT:
                    continue
            source = "".join(held)
            signs = self._resolves or _may_hold(source, self._wanted)
            if decoded is None and not signs:
                return
            cuts = list(cutter.pieces(source, last=decoded is None))
            if len(cuts) > 1 or decoded:
                self._defects[f"HTML of more than {MAX_TAGS} tags, or unusual ones, is read in pieces"] = None
            if cutter.left_out:
                self._defects["the URL of an attribute is too long to be read"] = None
            if signs:
                yield from self._found(source, [markup for _, markup in cuts])
            end = cuts[-1][0] if cuts else 0
            held, size = [source[end:]], len(source) - end
            self._start += end

    def _found(self, source: str, pieces: list[str]) -> Iterator[Text]:
        """Yield the texts of *source*; its *pieces* are parsed one at a time."""
        links: list[tuple[str, str]] = []
        shown: list[str] = []
        for markup in pieces:
            root = _parsed(markup)
            if "=" in markup:
                links += self._links(root)
            # Few documents show URLs; in the others the lines of the text do not matter.
            if _may_hold(root.text(), self._wanted):
                shown += visible(root), "\n"
        for resolved in (False, True):
            chosen = [(url, reference) for url, reference in links if (url != reference) == resolved]
            if chosen:
                lines = (url if _BARE.fullmatch(url) else f"<{url}>" for url, _ in chosen)
                # An empty line separates them: none goes on in the next. The first has a line end before it, too.
                text = "\n" + "\n\n".join(lines) + "\n\n"
                places = _InSource(text, source, self._start, self._places, dict(chosen))
                origin = self._origin.replace(attributes=True, resolved=resolved)
                yield Text(text, origin, places=places, whole=True)
        if shown:
            text = "".join(shown)
            places = _InSource(text, source, self._start, self._places)
            yield Text(text, self._origin.replace(), places=places, whole=True)

    def _links(self, root: "LexborNode") -> Iterator[tuple[str, str]]:
        """Yield each URL in the attributes below *root*, and the form in which it is written."""
        if self._resolves and not self._has_base and (element := root.css_first("base[href]")):
            self._read_base(element.attributes["href"] or "")
        sign = "" if self._resolves else ":"
        for node in root.css(_WITH_URLS):
            for reference in _references(node, sign):
                if _ABSOLUTE.match(reference):
                    yield reference, reference
                elif self._resolves and node.tag != "base" and (url := _resolved(reference, self._base)):
                    yield url, reference

    def _read_base(self, href: str) -> None:
        self._has_base = True
        if url := _resolved(href.translate(_NO_PART).strip(), self._base):
            self._base = url
        else:
            self._defects["a <base> that is not an http(s) URL is ignored"] = None


def _parsed(markup: str) -> "LexborNode":
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 -- plain text does without it

    # A NUL ends lexbor's text, and half a surrogate pair has no UTF-8.
    clean = markup.replace("\0", " ")
    if not clean.isascii():
        clean = clean.encode("utf-8", "replace").decode()
    root = LexborHTMLParser(clean).root
    assert root is not None  # noqa: S101 -- for mypy: any text has a tree
    return root


# The URLs of attributes

# HTML Standard section 4, and older versions: attributes whose value is a URL, or several separated by blanks.
_WITH_ONE_URL = frozenset(
    "href src action formaction cite longdesc background data poster codebase classid profile manifest "
    "dynsrc lowsrc xlink:href url uri rdf:about rdf:resource".split()  # the last four are of feeds
)
_SEVERAL = frozenset(["ping", "archive"])
_IMAGES = frozenset(["srcset", "imagesrcset"])
# `:is` gives each element once, however many of these it has.
_SELECTED = sorted({*_WITH_ONE_URL, *_SEVERAL, *_IMAGES, "content"})
_WITH_URLS = ":is({})".format(", ".join(f"[{name}]".replace(":", "\\:") for name in _SELECTED))

# URL Standard section 4.4: line ends and tabs in a value are not part of its URL, nor are blanks around it.
_NO_PART = dict.fromkeys(map(ord, "\t\n\r"))
_ABSOLUTE = re.compile(rf"(?!{either(CODE_SCHEMES)}:)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_HTTP = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_REFRESH = re.compile(r"\A\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+", re.IGNORECASE)
# HTML Standard 4.8.4.2.1: a URL is a run without blanks; unless a comma ends it, what follows describes the image.
_IMAGE = re.compile(r"[\s,]*+([^\s,]\S*+)(?:(?<!,)[^,]*+,?+)?+")
# A URL that needs no brackets: one that surely ends at its end, or has brackets or quotes in it and begins with a URL.
_BARE = re.compile(r"[\w.~\-/?#&=%+:,;@!$*]+[a-z0-9/]|[^<>\"]*[<>\"].*", re.IGNORECASE | re.ASCII | re.DOTALL)


def _references(node: "LexborNode", sign: str) -> Iterable[str]:
    """Return the URLs and relative references in attributes of *node* whose value contains *sign*, each once."""
    found: dict[str, None] = {}
    for name, value in node.attributes.items():
        if value and sign in value:
            for one in (value,) if name in _WITH_ONE_URL else _values(name, value, node):
                # `translate` is slow, and few have anything to take out.
                found[(one if one.isprintable() else one.translate(_NO_PART)).strip()] = None
    return found


def _resolved(reference: str, base: str) -> str:
    """Return the http(s) URL of *reference* on a page at *base* (RFC 3986 section 5); `""` if it has none."""
    if not reference or reference.startswith("#"):
        return ""  # the page itself
    try:
        url = urljoin(base, reference)
    except ValueError:
        return ""
    return url.replace(" ", "%20") if _HTTP.match(url) else ""


def _values(name: str, value: str, node: "LexborNode") -> list[str]:
    """Return the URLs and relative references in the attribute *name* of *node*, which may have any number of them."""
    if name in _IMAGES:
        return [url.rstrip(",") for url in _IMAGE.findall(value)]
    if name in _SEVERAL:
        return value.split()
    if name == "content" and node.tag == "meta" and (node.attributes.get("http-equiv") or "").lower() == "refresh":
        url = _REFRESH.sub("", value, count=1).rstrip()
        return [url[:-1] if url.endswith(("'", '"')) else url]
    return []


# The visible text

RENAMED = "x-f"
"""The name that formatting elements get in the pieces; the parser knows no such element."""

NOT_SHOWN = frozenset(["script", "style", "template", "title", "-comment", None])
IN_LINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr o:p output q ruby s samp "
    "small span strike strong sub sup time tt u var wbr".split()
) | {RENAMED}
# Void elements (HTML Standard 13.1.2) that end any SVG and MathML around them (13.2.6.5): nothing is in one.
_EMPTY = frozenset(["br", "embed", "hr", "img", "meta"])
KEEPING_SPACE = frozenset(["pre", "textarea", "listing", "xmp", "plaintext"])

_SPACE = "\t\n\r\f"
_BLANKS = re.compile("  +")

_END = "\0"
_LINE_END = _END * 2
"""`_END` is put after each piece of text, and twice for a line end: no text has it, and white space stays apart."""


def visible(root: "LexborNode") -> str:
    """Return the text that a reader of the document sees, in order."""
    shown: list[str] = []
    run: list[str] = []  # what follows that, with all its white space
    keeping = 0
    # Each open element, whether it is a block, and whether it keeps space. Documents nest as deep as they like.
    opened: list[tuple[LexborNode, bool, bool]] = []
    node: LexborNode | None = root
    while node is not None:
        tag = node.tag
        child = None
        if tag == "-text":
            text = node.text_content or ""
            if keeping:
                shown += _collapsed(run), text
                run.clear()
            elif text:
                run += text, _END
        elif tag in _EMPTY:
            run.append(_LINE_END * 2)
        elif tag not in NOT_SHOWN:
            block = tag not in IN_LINE
            keeps = tag in KEEPING_SPACE
            child = node.first_child
            if block:
                run.append(_LINE_END * (1 + (child is None)))
            if child is not None:
                keeping += keeps
                opened.append((node, block, keeps))
        following = node.next if child is None and opened else child
        while following is None and opened:
            node, block, keeps = opened.pop()
            run.append(_LINE_END * block)
            keeping -= keeps
            following = node.next if opened else None
        node = following
    return "".join([*shown, _collapsed(run)])


def _collapsed(run: list[str]) -> str:
    """Join the pieces of text in *run*, with one blank for each run of white space."""
    text = "".join(run)
    for space in _SPACE:
        text = text.replace(space, " ")
    return _BLANKS.sub(" ", text).replace(_LINE_END, "\n").replace(_END, "")


# Pieces: the parser looks through all open elements at many tags, and through all attributes of a tag at each of them.
# It opens formatting elements again in each block. Its time, and in the last case its memory, grow with the square of
# their number. So a piece has few tags, a tag that may have many attributes is in a short piece, and formatting
# elements are renamed.

_UP_TO_LAST_TAG = re.compile(rf"(?:[^<]*+<){{{MAX_TAGS + 1}}}")

# Markup that any parser cuts at the same places, whether it takes it for tags or for the text of a script.
_ATTRIBUTE = r"""[\s/]*+[^\s<>/=]++(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>][^\s<>]*+))?+"""
_RAW = "script|style|title|textarea|xmp|iframe|noembed|noframes"
_REGULAR = re.compile(
    rf"""(?:
        [^<]++ | <(?![A-Za-z/!?])
        | <[A-Za-z][^\s"'<>/=]*+ (?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+ [\s/]*+ >
        | </[A-Za-z][^"'<>]*+>
        | <!--(?!-?>) (?:[^-<]++ | -(?!-!?>) | <(?!/(?:{_RAW})))*+ -->
        | <(?:![A-Za-z]|!\[(?!CDATA)|\?)[^<>]*+>
    )*+""",
    re.VERBOSE | re.IGNORECASE,
)

# HTML Standard 13.2.4.3: the parser keeps a list of these and opens them again.
_FORMATTING = "(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\\s/>])"
# Two patterns, as a constant is put in faster than a part of what was found.
_OPENS_FORMATTING = re.compile(f"<{_FORMATTING}", re.IGNORECASE | re.ASCII)
_CLOSES_FORMATTING = re.compile(f"</{_FORMATTING}", re.IGNORECASE | re.ASCII)

_GOOD_CUT = re.compile(r"</?(?:tr|table|p|div|li|h[1-6]|center|ul|ol|dl|dt|dd|br|hr|blockquote)\b", re.IGNORECASE)
_OPENING_OR_CLOSING = re.compile(rf"<!--|--!?>|<(/?)({_RAW}|template|table|pre)\b", re.IGNORECASE)
_OPEN_TAG = re.compile(r"</?[A-Za-z][^>]*+\Z")
_WHOLE_VALUES = re.compile(r"""(?:[^"']++|"[^"]*+"|'[^']*+')*+""")
_NAME = re.compile(r"""([^\s"'<>/=]++)\s*+=\s*+\Z""")
_MOST_TABLES = 16
_COMMENT = "!--"
_CLOSINGS = ("-->", "--!>")


class _Cutter:
    """Cuts a document, which comes in windows, into pieces. Elements left open by one are opened again in the next."""

    def __init__(self) -> None:
        self._inside: str | None = None  # the comment, or element without tags in it, that is open
        self._open = {"table": 0, "pre": 0}
        self._tag = ""  # what opens a tag again that was cut
        self.left_out = False  # of a value that was cut

    def pieces(self, source: str, *, last: bool) -> Iterator[tuple[int, str]]:
        """Yield the pieces of *source* and where they end in it; of a window that is not the *last*, some may be left.

        What is left begins the next window.
        """
        start = 0
        while start < len(source):
            end = self._end(source, start)
            if end == len(source):
                if not last and start:
                    return
                if not last:
                    end = _cut(source, start, end)
            text = source[start:end]
            before = self._begin()
            if end < len(source) or not last:
                text = self._pass(text)
            renamed = _OPENS_FORMATTING.sub(f"<{RENAMED}", _CLOSES_FORMATTING.sub(f"</{RENAMED}", text))
            yield end, before + renamed
            start = end

    def _end(self, source: str, start: int) -> int:
        tags = _UP_TO_LAST_TAG.match(source, start)
        limit = tags.end() - 1 if tags else len(source)
        if limit - start > MAX_IRREGULAR:
            regular = None if self._tag else _REGULAR.match(source, start, limit)
            limit = min(limit, max(start + MAX_IRREGULAR, regular.end() if regular else 0))
        return limit if limit == len(source) else _cut(source, start, limit)

    def _begin(self) -> str:
        """Return the tags that open the open elements again."""
        # In a cell, what may be outside of one closes it.
        opened = "<table><tr><td>" * min(self._open["table"], _MOST_TABLES) + "<pre>" * (self._open["pre"] > 0)
        return opened + (f"<{self._inside}" + ">" * (self._inside != _COMMENT) if self._inside else self._tag)

    def _pass(self, text: str) -> str:
        """Update the open elements from the tags in *text*, and return the text, with a tag that was cut closed."""
        for found in _OPENING_OR_CLOSING.finditer(text):
            slash, name = found.group(1, 2)
            name = name.lower() if name else _COMMENT
            closes = slash == "/" or found[0] in _CLOSINGS
            if self._inside is not None:
                self._inside = None if closes and name == self._inside else self._inside
            elif name in self._open:
                self._open[name] = max(0, self._open[name] + (-1 if closes else 1))
            elif not closes:
                self._inside = name
        opening = text.rfind("<")
        tag = text[opening:] if opening >= 0 else self._tag + text
        self._tag = ""
        if self._inside or not _OPEN_TAG.match(tag):
            return text
        whole = _WHOLE_VALUES.match(tag)
        value = whole.end() if whole else 0  # where a value begins that is not whole
        quote = tag[value : value + 1]
        named = _NAME.search(tag, max(0, value - MAX_NAME), value)
        name = named[1].lower() if named else ""
        # A word that is cut is not read: it may be part of a URL.
        kept = len(tag) if tag[-1].isspace() else tag.rfind(" ") + 1
        if kept < len(tag) and name in _WITH_ONE_URL | _SEVERAL | _IMAGES and not tag.startswith("data:", value + 1):
            self.left_out = True
        goes_on = kept == len(tag) and name in _SEVERAL | _IMAGES
        self._tag = f"<{RENAMED} " + f"{name if goes_on else RENAMED}={quote}" * bool(quote)
        return text[: max(0, len(text) + kept - len(tag))] + quote * (value < kept) + ">"


def _cut(source: str, start: int, limit: int) -> int:
    """Return a good place, not far before *limit*, to end the piece that begins at *start*."""
    middle = start + (limit - start) // 2
    good = [found.start() for found in _GOOD_CUT.finditer(source, middle + 1, limit)]
    if good:
        return good[-1]
    for sign, size in (("<", 0), (">", 1), (" ", 1), ("\n", 1)):
        found = source.rfind(sign, middle + 1, limit)
        if found >= 0:
            return found + size
    return limit


# Places

_COST_OF_SEARCH = 200
"""A search costs as much as this many characters."""

# What is in an attribute but not part of its URL (URL Standard 4.4), or in a URL of the text; and entities.
_IN_TAGS = re.compile(r"[\t\n\r]++|&[#\w]{2,32}+;?")
_IN_TEXT = re.compile(r"<[^<>]*+>|&[#\w]{2,32}+;?")


@lru_cache(256)
def _read(written: str) -> str:
    """Return what an entity, a tag or white space means to the parser. A document has few different ones."""
    return unescape(written) if written[0] == "&" else ""


class _InSource(Places):
    """Places in *source* of *text*, which a parser extracted from it: they are searched for, in tags or outside them.

    For a text of attributes, *written* maps each URL to its form in the source: for a resolved URL, the relative link.
    If the source has entities or tags within a URL, the URL is searched for without them.
    """

    def __init__(
        self, text: str, source: str, start: int, places: Places, written: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._text = text
        self._source = source
        self._start = start  # where in the document the source begins
        self._source_places = places
        self._in_tags = written is not None
        self._written = written or {}
        self._line_end = next((end for end in ("\r\n", "\n") if end in source), "\r")
        self._pos = 0  # in the source: the end of the last one found
        self._to_search = MAX_SEARCHES * len(source)
        self._plain: tuple[str, Removed] | None = None  # the source without entities and tags

    def locate(self, start: int, end: int, *, as_it_is: bool = True) -> Place:
        """Return where the characters *start* to *end* of the text are, or their lines."""
        text = self._text[start:end]
        wanted = self.written(text)
        as_it_is = as_it_is and wanted == text
        # The parser reads every line end as LF (HTML Standard 13.2.3.5).
        torn = wanted.replace("\n", self._line_end)
        # Most that is written otherwise has `&amp;`, and this search costs least.
        for written in (torn, torn.replace("&", "&amp;")) if "&" in torn else (torn,):
            if (first := self._find(written)) is not None:
                stop = self._pos = first + len(written)
                as_it_is = as_it_is and written == wanted
                break
        else:
            first, stop = self._find_plain(torn) or (self._pos, self._pos + 1)
            self._pos = max(self._pos, first)
            as_it_is = False
        return self._source_places.locate(self._start + first, self._start + stop, as_it_is=as_it_is)

    def written(self, url: str) -> str:
        """Return *url* as the source has it: a relative link if it was resolved."""
        return self._written.get(url, url)

    def _find_plain(self, wanted: str) -> tuple[int, int] | None:
        """Return where *wanted* is next in the source without entities and tags."""
        if self._to_search <= 0:
            return None
        if self._plain is None:
            pattern = _IN_TAGS if self._in_tags else _IN_TEXT
            edits = ((*found.span(), _read(found[0])) for found in pattern.finditer(self._source))
            self._plain = replaced(self._source, edits)
        plain, step = self._plain
        start = bisect_left(range(len(plain)), self._pos, key=lambda at: step.to_source(at, at)[0])
        found = plain.find(wanted, start)
        self._to_search -= (found if found >= 0 else len(plain)) - start + 1
        return step.to_source(found, found + len(wanted))[:2] if found >= 0 else None

    def _find(self, wanted: str) -> int | None:
        """Return where *wanted* is next in the source: in a tag or outside, whichever applies, or else anywhere."""
        pos = self._pos
        in_tag = False
        anywhere = None
        while self._to_search > 0:
            found = self._source.find(wanted, pos)
            self._to_search -= (found if found >= 0 else len(self._source)) - pos + _COST_OF_SEARCH
            if found < 0:
                break
            anywhere = found if anywhere is None else anywhere
            opening, closing = self._source.rfind("<", pos, found), self._source.rfind(">", pos, found)
            in_tag = opening > closing or (in_tag and opening == closing)
            if in_tag == self._in_tags:
                return found
            pos = found + 1
        return anywhere
