"""HTML files and parts of mail: the URLs of attributes, and the text that readers see.

Tags and text are told apart as the tokenizer of the HTML Standard does (13.2.5). A tree is not needed: each URL is at
the place in the source from which it is read.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html import unescape
from html.entities import html5
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import urljoin

from urlmend.sources.body import Decoded, document, text_of
from urlmend.sources.charsets import Defects
from urlmend.sources.compression import PeekableFile
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.places import Place, Removed, SourceMap, Step, replaced
from urlmend.sources.quotes import ENDS, MARKUP, STEMS, TITLE, Zone
from urlmend.text.schemes import CODE_SCHEMES, OPAQUE_NAMES, either

MAX_DOCUMENT = 1 << 18
"""How many characters of a document are in memory, and a block more: a longer one is read in windows."""

_MARGIN = 1 << 14
"""How many characters at the end of a window are searched for a good place to cut."""


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the URLs of the attributes in the HTML *file*, and its visible text.

    With *wanted*, text in which it finds nothing may be left out.
    """
    for about, lines in document(file, "text/html", None):
        origin = Origin(source_name(file), content=about, defects=file.defects)
        read = Document(origin, file.defects, wanted, wanted and wanted.base)
        yield from read.texts(file.markup(text_of(lines, about, file.defects)))


# A colon comes first: `re` searches for it fast.
_SIGN = re.compile(rf":(?:/[/\\]|\\|{either(f'(?<={name}:)' for name in ('url', *OPAQUE_NAMES))})", re.IGNORECASE)
_ESCAPED = ("&#", "&colon", "&sol", "&bsol", "&Tab", "&NewLine")


def _may_hold(text: str, wanted: Prefilter | None) -> bool:
    """Return whether *text* may contain a URL, or another form that *wanted* looks for."""
    if wanted is None or "://" in text:
        return True
    if any(reference in text for reference in _ESCAPED):
        text = _REFERENCES.sub(lambda reference: _meant(reference[0]), text)
    return _SIGN.search(text) is not None or any(True for _ in wanted.search_text(text, 0))


class Document:
    """Reads a document in windows of about MAX_DOCUMENT characters, whatever the size of the pieces that it arrives in.

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
        self._places = SourceMap()
        self._start = 0  # where in the document the window begins

    def texts(self, pieces: Iterable[Decoded]) -> Iterator[Text]:
        """Yield the URLs of the attributes in the HTML *pieces*, each on a line, and the visible text, by windows."""
        markup = _Markup("" if self._resolves else ":", self._defects, in_mail=self._origin.header is not None)
        held: list[str] = []
        size = 0
        for decoded in chain(pieces, [None]):
            if decoded:
                self._places.add(len(decoded.text), decoded.lines, decoded.steps)
                held.append(decoded.text)
                size += len(decoded.text)
                if size <= MAX_DOCUMENT:
                    continue
                self._defects[f"HTML of more than {MAX_DOCUMENT} characters is read in pieces"] = None
            source = _clean("".join(held))
            signs = (self._resolves and "=" in source) or _may_hold(source, self._wanted)
            if decoded is None and not signs:
                return
            end = markup.read(source, last=decoded is None)
            if signs:
                yield from self._found(source[:end], markup)
            held = [markup.reopening, source[end:]]
            size = len(source) - end
            self._start += end - len(markup.reopening)

    def _found(self, source: str, markup: "_Markup") -> Iterator[Text]:
        """Yield the texts of *source*, a window that *markup* has read."""
        if self._resolves and not self._has_base and markup.base is not None:
            self._read_base(markup.base)
        written: list[_Link] = []
        resolved: list[_Link] = []
        conditional = (
            link
            for comment in _CONDITIONAL.finditer(source)
            for link in _in_code(*_without_references(comment[0]), comment.start())
        )
        for link in chain(markup.links, conditional):
            if _ABSOLUTE.match(link.url):
                written.append(link)
            elif self._resolves and link.kind != "base" and (url := _resolved(link.url, self._base)):
                resolved.append(link._replace(url=url, kind="resolved"))
        for links in (written, resolved):
            for (signature, quoted), its_links in groupby(links, lambda link: markup.zone_at(link.offset)):
                values = _Values(list(its_links))
                places = _InSource(values.text, source, self._start, self._places, (values,), values)
                origin = self._origin.replace(
                    attributes=True, resolved=links is resolved, signature=signature, quoted=quoted
                )
                yield Text(values.text, origin, places=places, whole=True)
        # Few documents show URLs; in the others references and white space do not matter.
        starts = [*[tag[0] for tag in markup.tags], len(source)]
        ends = [0, *[tag[1] for tag in markup.tags]]
        if _may_hold("".join([source[end:start] for end, start in zip(ends, starts, strict=True)]), self._wanted):
            for (start, (signature, quoted)), (end, _) in pairwise([*markup.zones, (len(source), (False, False))]):
                text, steps = _visible(source[start:end], markup, start)
                places = _InSource(text, source[start:end], self._start + start, self._places, steps)
                yield Text(text, self._origin.replace(signature=signature, quoted=quoted), places=places, whole=True)

    def _read_base(self, href: str) -> None:
        self._has_base = True
        if url := _resolved(href, self._base):
            self._base = url
        else:
            self._defects["a <base> that is not an http(s) URL is ignored"] = None


def _clean(source: str) -> str:
    """Return *source* without NUL, which marks blanks below, and without halves of surrogate pairs."""
    source = source.replace("\0", " ")
    return source if source.isascii() else source.encode("utf-8", "replace").decode()


# Tags

_TAG = re.compile(
    r"""<(?:
        (/?[A-Za-z][^\s/>]*+)((?:[\s/]*+=)?+[^>=]*+
            (?:=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)?+(?:[\s/]*+=)?+[^>=]*+)*+)
        | !--(?:-?(?=>) | (?:[^-]++|-(?!-!?>))*+(?:--!?+(?=>))?+)
        | [!?/][^>]*+
        | \Z
    )(>?)""",  # only at the end of the source is there no `>`
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(
    r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"?|'([^']*+)'?|([^\s>"'][^\s>]*+))?+)?+""",
)
# Attributes without a URL: the only colons are those of styles.
_LAYOUT = re.compile(
    r"""(?:[^=:&"']*+(?<!\s)=(?:(?<=style=)(?:"[^"(@&]*+"|'[^'(@&]*+')|"[^":&]*+"|'[^':&]*+'|[^\s"'=:&]++))*+\s*+"""
)

_HIDDEN = frozenset(["script", "style", "title"])
# The content of these has no tags (13.2.5.2 to 13.2.5.5), and only that of `textarea` has character references.
_RAW = {"textarea", "xmp", "iframe", "noembed", "noframes", "plaintext"} | _HIDDEN
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW - {"plaintext"}}
_LONGEST_END = len("</textarea>")
_KEEPING_SPACE = ("pre", "textarea", "listing", "xmp", "plaintext")
_FOREIGN = frozenset(["svg", "math"])
_SPECIAL = _RAW | _FOREIGN | {*_KEEPING_SPACE, "template"}
_SPECIAL_TAGS = frozenset(f"{slash}{name}" for slash in ("", "/") for name in _SPECIAL)
_LINE_END = re.compile(r"\r\n?|\n")

_IN_LINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr o:p output q ruby s samp "
    "small span strike strong sub sup time tt u var wbr html head body script style title template".split()
)
# Void elements (13.1.2): nothing is in one.
_EMPTY = frozenset("area base br col embed hr img input link meta param source track".split())
# What a tag means whatever is around it, if it is not special.
_SIMPLE: dict[str | None, str] = {None: ""}
_SIMPLE |= {tag: "" for one in _IN_LINE - _SPECIAL for name in (one, one.upper()) for tag in (name, f"/{name}")}
_SIMPLE |= {name: "\n\n" for one in _EMPTY for name in (one, one.upper())}
# An item ends the one before it, a list its items, and a block a paragraph, also without end tags (13.1.2.4).
_ITEMS = frozenset(["li", "dt", "td", "tr", "option"])
_LISTS = frozenset(["table", "ul", "ol", "dl", "select"])
_SAME = {"dd": "dt", "th": "td"}

MAX_NAMES = 1000
"""Of how many names the open elements are counted."""


class _Link(NamedTuple):
    """A URL or relative reference, `written` from the character `start` of a value at the character `offset`.

    `step` decoded the value, if need be; `start` is in the decoded one. `url` is what a reference was resolved to.
    """

    url: str
    written: str
    start: int
    offset: int
    step: Removed | None
    kind: str = ""  # "base" in that element, "code" in a script, "resolved" if *url* is


# The elements that are quotes and signatures, and those that quotes are in.
_ZONED = frozenset(
    tag for one in "div blockquote table pre hr".split() for name in (one, one.upper()) for tag in (name, f"/{name}")
)
_AROUND = frozenset(["div", "blockquote", "table"])


_Passed = tuple[int, int, str, str | None]
"""The start and end of a tag, its slash and name, and the line ends that it means, if that is simple."""


class _Markup:
    """Reads the tags of a document, which comes in windows. A value is read if *sign* is in it.

    After `read`, `links` are those of the window. If the document is *in_mail*, `zones` has the places where quotes and
    signatures begin and end. `tags` has the start and end of each tag, and of text that is not shown, with its slash
    and name and the line ends that it means; where these depend on other tags they are `None`, and the method
    `line_ends` returns them, asked for in order. `kept` has the start of each text in which white space is kept, or
    character references are not decoded, with these two facts. `reopening` is put before the next window: it opens
    again what was cut.
    """

    def __init__(self, sign: str, defects: Defects, *, in_mail: bool) -> None:
        self._sign = sign
        self._defects = defects
        self._in_mail = in_mail
        # Of an open quote and signature: the names of elements that count, and how many of them end before it does.
        self._zones_open: dict[str, tuple[frozenset[str], int]] = {}
        self._has_text = False
        self._checked = 0  # how many of `tags` have no text before them
        self.tags: list[_Passed] = []
        self._open: dict[str, int] = {}  # how many elements of each name are open, where `line_ends` is
        self._inside: dict[str, int] = {}  # how many special ones are open, where `read` is
        self._special = False
        self._hiding = False
        self.base: str | None = None

    def read(self, source: str, *, last: bool) -> int:
        """Read *source* and return where it ends; if it is not the *last*, the rest belongs to the next window."""
        self.reopening = ""
        self.links: list[_Link] = []
        self._has_text, self._checked = bool(self.tags), 0
        self.tags = passed = list[_Passed]()
        self.kept: dict[int, tuple[bool, bool]] = {}
        self.zones = [(0, self._zone())]
        self._title = self._next_title(source, 0)
        size, sign, zoned = len(source), self._sign, _ZONED if self._in_mail else frozenset[str]()
        zones_open = self._zones_open
        margin = size if last else size - _MARGIN
        pos = 0  # where the text after the last tag begins
        resumed: int | None = 0  # where the next tag is searched for
        while resumed is not None:
            tags = _TAG.finditer(source, resumed)
            resumed, special = None, self._special
            for tag in tags:
                start, end = tag.span()
                name, attributes, closing = tag.groups()
                if special:
                    self._pass_text(pos, start)
                if not closing or (start >= margin and name and name.lstrip("/").lower() not in _IN_LINE):
                    return self._cut(source, tag, margin, last=last)
                if start > self._title or (
                    name in zoned and (zones_open or (attributes and any(map(attributes.__contains__, STEMS))))
                ):
                    self._pass_zones(source, pos, tag)
                if attributes and (sign in attributes or "&" in attributes) and name[0] != "/":
                    self._read_links(name.lower(), attributes, tag.start(2))
                line_ends = _SIMPLE.get(name)
                if line_ends is None and name.lower() in _SPECIAL_TAGS:
                    end, resumed = self._pass_special(source, tag, last=last)
                    special = self._special
                # A comment has no name.
                passed.append((start, end, name or "", "" if special and self._hiding else line_ends))
                pos = end
                if resumed is not None:
                    break
            if self.reopening and resumed is not None:
                return resumed
        stop = size if last else _end_of_word(source, max(pos, margin))
        self._pass_text(pos, stop)
        return stop

    def _next_title(self, source: str, pos: int) -> int:
        title = TITLE.search(source, pos) if self._in_mail else None
        return title.start() if title else len(source)

    def _zone(self) -> Zone:
        return "signature" in self._zones_open, "quote" in self._zones_open

    def zone_at(self, pos: int) -> Zone:
        """Return the zone that the character *pos* of the window is in."""
        return self.zones[bisect_right(self.zones, pos, key=itemgetter(0)) - 1][1]

    def _pass_zones(self, source: str, pos: int, tag: re.Match[str]) -> None:
        """Note which quotes and signatures begin or end in the text from *pos* to the *tag*, or with the tag."""
        if tag.start() > self._title:
            at, self._title = self._title, self._next_title(source, tag.start())
            if pos <= at and _NO_TEXT.fullmatch(source, pos, at) and self._is_below_text(source, pos):
                self._zones_open.setdefault("quote", (_AROUND, 1))
                self._begin_zone(pos)
        if tag[1] not in _ZONED:
            return
        name, is_end = tag[1].lstrip("/").lower(), tag[1][0] == "/"
        for kind, (names, count) in list(self._zones_open.items()):
            if name in names and is_end and count == 1:
                del self._zones_open[kind]
            elif name in names:
                self._zones_open[kind] = names, count + (-1 if is_end else 1)
        may_be_marked = tag[2] and not is_end and any(map(tag[2].__contains__, STEMS))
        mark = MARKUP.search(tag[2]) if may_be_marked else None
        kind = (mark and mark.lastgroup) or ""
        is_cited = not is_end and self._zones_open.pop("prefix", None) is not None
        if kind == "prefix":
            self._zones_open[kind] = frozenset(), 0  # until the next of these elements begins
        elif kind == "signature":
            self._zones_open.setdefault("signature", (frozenset([name]), 1))
        elif (
            name == "blockquote"
            if is_cited or kind in {"cite", "quote"}
            else kind and self._is_below_text(source, tag.start())
        ):
            ends = ENDS.get(kind, 0)
            self._zones_open.setdefault("quote", (_AROUND, ends) if ends else (frozenset([name]), 1))
        self._begin_zone(tag.end() if is_end else tag.start())

    def _is_below_text(self, source: str, pos: int) -> bool:
        """Return whether there is text before *pos*: a message without any of its own forwards another one."""
        while not self._has_text and self._checked <= len(self.tags):
            end = self.tags[self._checked - 1][1] if self._checked else 0
            start = self.tags[self._checked][0] if self._checked < len(self.tags) else pos
            self._has_text = _NO_TEXT.fullmatch(source, end, start) is None
            self._checked += 1
        return self._has_text

    def _begin_zone(self, pos: int) -> None:
        """Note the zone that begins at *pos*, if it is another one."""
        if self._zone() != self.zones[-1][1]:
            self.zones.append((pos, self._zone()))

    def _pass_special(self, source: str, tag: re.Match[str], *, last: bool) -> tuple[int, int | None]:
        """Return where the text after *tag* begins that is shown, and where to go on if that has no tags."""
        name, is_end = tag[1].lstrip("/").lower(), tag[1][0] == "/"
        self._count(name, is_end=is_end)
        if is_end or name in _FOREIGN:
            return tag.end(), None
        return self._begin_special(source, tag, name, last=last)

    def _count(self, name: str, *, is_end: bool) -> None:
        self._inside[name] = max(0, self._inside.get(name, 0) + (-1 if is_end else 1))
        self._hiding = self._inside.get("template", 0) > 0
        self._special = self._hiding or any(self._inside.get(one) for one in _KEEPING_SPACE)

    def _pass_text(self, start: int, end: int) -> None:
        """Note how the text between two tags is shown."""
        if self._hiding:
            self.tags.append((start, end, "", ""))
        elif self._special:
            self.kept.setdefault(start, (True, True))

    def line_ends(self, tag: str) -> str:
        """Return the line ends that *tag*, a name after any slash, means, and count the open elements of its name."""
        is_end, name = tag[0] == "/", tag.lstrip("/").lower()
        name = _SAME.get(name, name)
        count = self._open.get(name, 0)
        if name in _IN_LINE or name in _EMPTY or (is_end and not count):
            # 13.2.6.4.7: an end tag without its element is ignored, but for these two.
            return "\n\n" if (name in {"p", "br"} if is_end else name in _EMPTY) else ""
        if is_end:
            self._open[name] = count - 1
        elif count or len(self._open) < MAX_NAMES:
            self._open[name] = count + 1
        in_paragraph = self._open.get("p", 0) > (name == "p")
        self._open["p"] = int(name == "p" and not is_end)
        ends_another = in_paragraph or (count and name in (_LISTS if is_end else _ITEMS))
        return "\n\n" if ends_another else "\n"

    def _begin_special(self, source: str, tag: re.Match[str], name: str, *, last: bool) -> tuple[int, int]:
        """Return where the text after *tag* begins that is shown, and where the next tag is searched for."""
        pos = tag.end()
        if name in _KEEPING_SPACE and (line_end := _LINE_END.match(source, pos)):
            pos = line_end.end()  # 13.2.6.4.7
        is_foreign = tag[2].endswith("/") and any(self._inside.get(one) for one in _FOREIGN)
        if name not in _RAW or is_foreign:
            return pos, pos
        ending = _RAW_END[name].search(source, pos) if name in _RAW_END else None
        end = ending.start() if ending else len(source)
        if not ending and not last:
            self._count(name, is_end=True)
            self.reopening = f"<{name}>"
            end = max(pos, min(end - _LONGEST_END, _end_of_word(source, end - _MARGIN)))
        if name == "script":
            self.links += _in_code(source[pos:end], None, pos)
        elif name == "style":
            self._read_style(source[pos:end], pos)
        if name in _HIDDEN:
            return end, end
        self.kept[pos] = (name in _KEEPING_SPACE, name == "textarea")
        return pos, end

    def _cut(self, source: str, tag: re.Match[str], margin: int, *, last: bool) -> int:
        """Return where the window ends: at *tag*, or inside it if it is very long, whose attributes are then read."""
        start, size = tag.start(), len(source)
        if not last and (start >= margin or start > size // 2):
            return start
        if size - start > 1:
            self.tags.append((start, size, "", ""))
        if last:
            return size  # 13.2.5: it is not shown, nor are its attributes read
        if not tag[1]:
            is_comment = source.startswith("<!--", start)
            self.reopening = "<!-- " if is_comment else "<!"
            return size - is_comment * len("--!")
        written, offset = tag[2], tag.start(2)
        self.reopening = "<wbr "
        *_, attribute = chain([None], _ATTRIBUTE.finditer(written))
        group = (attribute and attribute.lastindex) or 1
        if attribute and attribute.end(group) == len(written):
            key, value, opening = attribute[1].lower(), attribute[group], attribute.start(group)
            quote = ("", "", '"', "'", "")[group]
            blank = value.rfind(" ")
            if key in _SEVERAL | _IMAGES and blank > len(value) // 2:
                self._read_links(tag[1].lower(), written[: opening + blank], offset)
                self.reopening += f"{key}={quote}"
                return offset + opening + blank
            if key in _SELECTED and not value.startswith("data:"):
                self._defects["the URL of an attribute is too long to be read"] = None
            written = written[: attribute.start()]
            self.reopening += f"x={quote or 'x'}"
        self._read_links(tag[1].lower(), written, offset)
        return size

    def _read_links(self, element: str, attributes: str, offset: int) -> None:
        """Add the URLs and relative references in *attributes*, which are at *offset* in the source, each once."""
        if self._sign and _LAYOUT.fullmatch(attributes):
            return
        values: dict[str, tuple[str, int, Removed | None]] = {}
        for attribute in _ATTRIBUTE.finditer(attributes):
            name = attribute[1].lower()
            if (name in _SELECTED or name[:2] == "on") and name not in values:  # 13.2.5.33: the first of a name counts
                group = attribute.lastindex or 1
                value, step = _without_references(attribute[group] if group > 1 else "")
                values[name] = value, offset + attribute.start(group), step
        if element == "base" and self.base is None and "href" in values:
            self.base = _as_browsers_read(values["href"][0].strip())
        facts = {name: values.get(name, ("",))[0].lower() for name in _FACTS} if element == "meta" else {}
        found: dict[str, _Link] = {}
        kind = "base" if element == "base" else ""
        for name, (value, at, step) in values.items():
            if not value or self._sign not in value:
                continue
            if name in _WITH_TEXT or name[:2] == "on" or _SCRIPT.match(value):
                found |= {link.url: link for link in _in_code(value, step, at) if link.url not in found}
            else:
                for start, end in ((0, len(value)),) if name in _WITH_ONE_URL else _urls(name, value, facts):
                    url = written = value[start:end].strip(_CONTROLS).strip()
                    if not _PLAIN.fullmatch(url):
                        url = _as_browsers_read(url)
                    begin = start if end - start == len(written) else value.find(written, start)
                    found.setdefault(url, _Link(url, written, begin, at, step, kind))
        self.links += found.values()

    def _read_style(self, style: str, offset: int) -> None:
        """Add the URLs and relative references in a style sheet."""
        for start, end in _style_urls(style):
            url = _as_browsers_read(style[start:end])
            if self._sign in url:
                self.links.append(_Link(url, style[start:end], start, offset, None))


def _end_of_word(source: str, pos: int) -> int:
    """Return where the last word after *pos* begins, which may go on; else the end of *source*."""
    return max(source.rfind(" ", pos), source.rfind("\n", pos)) + 1 or len(source)


# The URLs of attributes

# HTML Standard section 4, and older versions: attributes whose value is a URL, or several separated by blanks.
_WITH_ONE_URL = frozenset(
    "href src action formaction cite longdesc background data poster codebase classid profile manifest "
    "dynsrc lowsrc xlink:href url uri rdf:about rdf:resource".split()  # the last four are of feeds
)
_SEVERAL = frozenset(["ping", "archive"])
_IMAGES = frozenset(["srcset", "imagesrcset"])
_WITH_URLS = _WITH_ONE_URL | _SEVERAL | _IMAGES
_FACTS = ("http-equiv", "name", "property")
_WITH_TEXT = frozenset(["alt", "label", "placeholder", "srcdoc", "title", "value"])
_SELECTED = _WITH_URLS | _WITH_TEXT | {"content", "style", *_FACTS}
_ADDRESSES = frozenset(["og:url", "twitter:url"])
"""The names of `meta` elements whose content is the address of the page."""

# URL Standard section 4.4: line ends and tabs in a value are not part of its URL, nor controls and blanks around it.
_NO_PART = dict.fromkeys(map(ord, "\t\n\r"))
_CONTROLS = "".join(map(chr, range(ord("!"))))
_ABSOLUTE = re.compile(rf"(?!{either(CODE_SCHEMES)}:)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_SPECIAL_SCHEME = re.compile(r"(?:https?|ftp):|(?![a-z][a-z0-9+.\-]*:)", re.IGNORECASE)
_SLASHES = re.compile(r"(?<=\Ahttp:)/{2,}|(?<=\Ahttps:)/{2,}", re.IGNORECASE)
_PATH = re.compile(r"[^?#]*+")
_HTTP = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_REFRESH = re.compile(r"\A\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+", re.IGNORECASE)
# HTML Standard 4.8.4.2.1: a URL is a run without blanks; unless a comma ends it, what follows describes the image.
_IMAGE = re.compile(r"([^\s,]\S*+)(?:(?<!,)[^,]*+,?+)?+")
# A URL that needs no brackets: one that surely ends at its end, or has brackets or quotes in it and begins with a URL.
_BARE = re.compile(r"[\w.~\-/?#&=%+:,;@!$*]+[a-z0-9/]|[^<>\"]*[<>\"].*", re.IGNORECASE | re.ASCII | re.DOTALL)
_WORD = re.compile(r"\S+")
# A URL that browsers read as it is written.
_PLAIN = re.compile(r"(?![A-Za-z]*:///)(?:[!-$&-\[\]-~]++|%[\dA-Fa-f]{2})*+")
_NO_ESCAPE = re.compile(r"%(?![\dA-Fa-f]{2})")
_SCRIPT = re.compile(r"\s*+(?:java|vb)script:", re.IGNORECASE)
# Outlook reads such comments.
_CONDITIONAL = re.compile(r"<!--\[if(?:[^-]++|-(?!->))*+")
# CSS Syntax 4.3.6, Cascade 2: without escapes.
_IN_STYLE = re.compile(
    r"""(?:url\(\s*+|@import\s++(?=["']))(?:"(?!cid:)([^"\n]++)"|'(?!cid:)([^'\n]++)'|(?!cid:)([^\s"'()<>]++)\s*+\))""",
    re.IGNORECASE,
)
# Not a script's regular expressions, comments and paths: a scheme comes first. JSON escapes slashes, and `&` as \u0026.
_IN_CODE = re.compile(
    r"""\b[A-Za-z][A-Za-z0-9+.\-]{0,30}:(?:(?:/|\\/|\\u002[Ff]){2}|(?<=mailto:)(?=[^\s"'`<>@]{1,200}@))(?:[^\s"'`<>\\]|\\(?:/|u00[2-7][\dA-Fa-f]))++"""
)
_ESCAPE = re.compile(r"\\(?:/|u00([2-7][\dA-Fa-f]))")
# 13.2.5.73: in an attribute, a name without `;` is not a reference if a letter, digit or `=` follows.
_REFERENCE = re.compile(
    r"&(?:#\d{1,99}+;?|#[xX][\dA-Fa-f]{1,99}+;?|[A-Za-z][A-Za-z\d]{1,31}+(?:;|(?![=A-Za-z\d])))", re.ASCII
)


def _in_code(code: str, step: Removed | None, offset: int) -> Iterator[_Link]:
    r"""Yield the URLs in the strings of a script, or in its JSON, where `\/` and `\u0026` are escapes, or in a text."""
    if "//" in code or "\\/" in code or "\\u002" in code or "mailto:" in code:
        for found in _IN_CODE.finditer(code):
            written = found[0]
            url = _ESCAPE.sub(lambda escape: chr(int(escape[1] or "2f", 16)), written)
            yield _Link(url, written, found.start(), offset, step, "code")


def _without_references(value: str) -> tuple[str, Removed | None]:
    """Return the *value* of an attribute with its character references decoded, and the step that did so, if any."""
    if "&" not in value:
        return value, None
    return replaced(value, ((*one.span(), _meaning(one[0])) for one in _REFERENCE.finditer(value)))


def _meaning(reference: str) -> str:
    """Return what a character *reference* in an attribute means."""
    return unescape(reference) if reference.startswith("&#") else html5.get(reference[1:], reference)


def _as_browsers_read(url: str) -> str:
    """Return the *url* or relative reference of an attribute without what it escapes or ignores (URL Standard 4.4)."""
    if not url.isprintable():
        url = url.translate(_NO_PART)
    if scheme := _SPECIAL_SCHEME.match(url):
        path = _PATH.match(url)
        if path and scheme[0].lower() != "ftp:":
            url = _SLASHES.sub("//", path[0].replace("\\", "/")) + url[path.end() :]
        url = _NO_ESCAPE.sub("%25", url.replace(" ", "%20"))
    return url


def _resolved(reference: str, base: str) -> str:
    """Return the http(s) URL of *reference* on a page at *base* (RFC 3986 section 5); `""` if it has none."""
    if not reference or reference.startswith("#"):
        return ""  # the page itself
    try:
        url = urljoin(base, reference)
    except ValueError:
        return ""
    return url if _HTTP.match(url) else ""


def _urls(name: str, value: str, facts: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """Yield where the URLs and relative references are in the *value* of the attribute *name*.

    Of a `meta` element, *facts* are the other attributes: they say what its content is.
    """
    if name in _IMAGES:
        for image in _IMAGE.finditer(value):
            yield image.start(1), image.start(1) + len(image[1].rstrip(","))
    elif name in _SEVERAL:
        for reference in _WORD.finditer(value):
            yield reference.span()
    elif name == "style":
        yield from _style_urls(value)
    elif name == "content" and facts.get("http-equiv") == "refresh" and (prefix := _REFRESH.match(value)):
        url = value[prefix.end() :].rstrip()
        yield prefix.end(), prefix.end() + len(url) - url.endswith(("'", '"'))
    elif name == "content" and not _ADDRESSES.isdisjoint(facts.values()):
        yield 0, len(value)


def _style_urls(style: str) -> Iterator[tuple[int, int]]:
    """Yield where the URLs and relative references are in a style sheet, or in a `style` attribute."""
    if "(" in style or "@" in style:
        for found in _IN_STYLE.finditer(style):
            yield found.span(found.lastindex or 0)


# The visible text

_REFERENCES = re.compile(r"&(?:#\d{1,99}+;?|#[xX][\dA-Fa-f]{1,99}+;?|[A-Za-z][A-Za-z\d]{1,31}+;?)", re.ASCII)
_KEPT = re.compile(rf"{_REFERENCES.pattern}|\r\n?|\n| +", re.ASCII)
_SPACE = "\t\n\r\f"
_BLANKS = re.compile("(?<= ) +")
_BLANK = "\0"
"""Stands for a blank that is kept: no source has it."""


_NO_TEXT = re.compile(r"(?:\s|&nbsp;|&#160;)*+")


def _visible(source: str, markup: _Markup, base: int) -> tuple[str, tuple[Step, ...]]:
    """Return the text that a reader of *source* sees, in order, and the steps that lead to it.

    *source* begins at *base* of the window that *markup* has read. Its parts are asked for in order.
    """
    edits: list[tuple[int, int, str]] = []
    size = len(source)
    first, last = (bisect_left(markup.tags, (place,)) for place in (base, base + size))
    pos = run = 0  # the tags since the last text begin at *run*, and mean *meant*
    meant = ""
    reference = source.find("&")
    for tag_start, tag_end, tag, line_ends in chain(markup.tags[first:last], [(base + size, base + size, "", "")]):
        start = tag_start - base
        if pos < start:
            edits.append((run, pos, meant))
            if pos > reference >= 0:
                reference = source.find("&", pos)
            if 0 <= reference < start or (markup.kept and pos + base in markup.kept):
                edits += _text_edits(source, pos, start, *markup.kept.get(pos + base, (False, True)))
            run, meant = start, ""
        ends = markup.line_ends(tag) if line_ends is None else line_ends
        if len(meant) < len("\n\n"):  # more of them mean the same
            meant += ends
        pos = tag_end - base
    edits.append((run, pos, meant))
    for space in _SPACE:
        source = source.replace(space, " ")
    text, without_tags = replaced(source, edits)
    text, without_blanks = replaced(text, ((*blanks.span(), "") for blanks in _BLANKS.finditer(text)))
    return text.replace(_BLANK, " "), (without_tags, without_blanks)


_meant = lru_cache(MAX_NAMES)(unescape)


def _text_edits(source: str, start: int, end: int, keeps: bool, decodes: bool) -> Iterator[tuple[int, int, str]]:  # noqa: FBT001 -- as they are noted
    """Yield the edits of the text from *start* to *end*, which *keeps* white space and *decodes* references, or not."""
    for found in (_KEPT if keeps else _REFERENCES).finditer(source, start, end):
        text = found[0]
        if text[0] != "&":
            yield *found.span(), _BLANK * len(text) if text[0] == " " else "\n"
        elif decodes:
            meant = _meant(text)
            yield *found.span(), " " if meant in _SPACE and not keeps else meant


# The places of URLs


class _Values:
    """The step from the values of attributes to `text`, which has each of *links* on a line."""

    def __init__(self, links: list[_Link]) -> None:
        self._links = links
        opening = ["" if link.kind == "code" or _BARE.fullmatch(link.url) else "<" for link in links]
        lines = [f"{sign}{link.url}{'>' * bool(sign)}" for sign, link in zip(opening, links, strict=True)]
        # An empty line separates them: none goes on in the next. The first has a line end before it, too.
        self.text = "\n" + "\n\n".join(lines) + "\n\n"
        begins = accumulate((len(line) + 2 for line in lines), initial=1)
        self._begins = [begin + len(sign) for begin, sign in zip(begins, opening, strict=False)]

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return where in the source the characters *start* to *end* of `text` are, or the reference they are from."""
        link, begin = self._link_at(start)
        size = end - begin
        if start >= begin and (link.written is link.url or link.written[:size] == link.url[:size]):
            start, end = link.start + start - begin, link.start + min(size, len(link.written))
        else:
            start, end = link.start, link.start + len(link.written)
        if link.step:
            start, end, _ = link.step.to_source(start, end)
        return link.offset + start, link.offset + end, link.kind != "resolved"

    def written(self, start: int, url: str) -> str:
        """Return how the source has the *url* that begins at *start* of `text`."""
        link, _ = self._link_at(start)
        return link.written if link.written is not link.url and url == link.url else url

    def _link_at(self, pos: int) -> tuple[_Link, int]:
        number = max(0, bisect_right(self._begins, pos) - 1)
        return self._links[number], self._begins[number]


class _InSource(SourceMap):
    """Finds the places of a *text* made by *steps* from *source*, which begins at the character *start* of *places*."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what a place depends on
        self,
        text: str,
        source: str,
        start: int,
        places: SourceMap,
        steps: tuple[Step, ...],
        values: _Values | None = None,
    ) -> None:
        super().__init__()
        self._text = text
        self._source = source
        self._start = start
        self._source_places = places
        self._steps = steps
        self._values = values

    def locate(self, start: int, end: int, *, as_it_is: bool = True) -> Place:
        """Return where the characters *start* to *end* of the text are, or their lines."""
        first, stop = start, end
        for step in reversed(self._steps):
            first, stop, unchanged = step.to_source(first, stop)
            as_it_is = as_it_is and unchanged
        text, source = self._text[start:end], self._source[first:stop]
        as_it_is = as_it_is and (source == text or source == self.written(start, text))
        return self._source_places.locate(self._start + first, self._start + stop, as_it_is=as_it_is)

    def written(self, start: int, raw: str) -> str:
        """Return how the source has *raw*, which begins at *start* of the text."""
        return self._values.written(start, raw) if self._values else raw
