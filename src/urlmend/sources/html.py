"""HTML files and parts of mail: the URLs of attributes, and the text that readers see.

Tags and text are told apart as the tokenizer of the HTML Standard does (13.2.5). A tree is not needed: each URL is at
the place in the source from which it is read.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from html import unescape
from html.entities import html5
from itertools import accumulate
from operator import add, sub
from typing import NamedTuple
from urllib.parse import urljoin

from urlmend.sources.body import SCRIPT_ESCAPE, Decoded, meant_by
from urlmend.sources.footers import FOOTER_SIGN, FOOTER_STEMS, is_footer
from urlmend.sources.origin import Origin, Prefilter, Span, Text, Zone, Zones
from urlmend.sources.places import Place, Removed, SourceMap, Step, source_of, spliced, substituted
from urlmend.sources.quotes import CITED, ENDS, MARKUP, STEMS, TITLE
from urlmend.text.patterns import lazy_regex
from urlmend.text.schemes import CODE_SCHEMES, OPAQUE_NAMES, either, is_hidden

MAX_DOCUMENT = 1 << 18
"""How many characters of a document, and a block more, are in memory: a longer one is read in windows."""

_MARGIN = 1 << 14
"""How many characters at the end of a window are searched for a good place to cut."""


# A colon comes first: `re` searches for it fast.
_SIGN = re.compile(
    rf":(?:/[/\\<]|[\\<]|{either(f'(?<={name}:)' for name in ('url', 'http', 'https', 'ftp', *OPAQUE_NAMES))})",
    re.IGNORECASE,
)
_ESCAPED = ("&#", "&colon", "&sol", "&bsol", "&Tab", "&NewLine")


def may_hold(text: str, wanted: Prefilter | None) -> bool:
    """Return whether *text* may contain a URL, or another form that *wanted* looks for."""
    if wanted is None or "://" in text:
        return True
    if "&" in text and any(reference in text for reference in _ESCAPED):
        text = _REFERENCES.sub(lambda reference: decoded_reference(reference[0]), text)
    # Browsers drop line ends and tabs in the value of an attribute.
    in_one_line = text.replace("\n", "").replace("\r", "").replace("\t", "")
    return _SIGN.search(in_one_line) is not None or (text != "" and any(True for _ in wanted.search_text(text, 0)))


class Document:
    """Reads a document in windows of about MAX_DOCUMENT characters, whatever the size of the pieces that it arrives in.

    *base* is the address of the document, if known. With *wanted*, text in which it finds nothing may be left out.
    """

    def __init__(self, origin: Origin, wanted: Prefilter | None = None, base: str | None = None) -> None:
        self._resolves = wanted is not None and wanted.base is not None
        self._base = base or ""
        self._has_base = False  # an element says what it is
        self._is_archive = False  # a list archive has made it of a message, as _ARCHIVE says
        self._origin = origin
        self._wanted = wanted
        self._places = SourceMap()
        self._start = 0  # where in the document the window begins
        self._zones = _ZoneFinder() if origin.header and (wanted is None or wanted.places) else None
        self._kept: dict[str, str] = {}  # what marks each character that an open element keeps as it is

    def texts(self, pieces: Iterable[Decoded]) -> Iterator[Text]:
        """Yield the URLs of the attributes in the HTML *pieces*, each on a line, and the visible text, by windows."""
        held: list[str] = []
        size = 0
        for decoded in pieces:
            self._places.add(len(decoded.text), decoded.lines, decoded.steps)
            held.append(decoded.text)
            size += len(decoded.text)
            if size > MAX_DOCUMENT:
                self._origin.add_defect(f"HTML of more than {MAX_DOCUMENT} characters is read in pieces")
                source = _clean("".join(held))
                window, end, reopening = _cut(source, self._origin)
                yield from self._window(window, last=False)
                held = [reopening, source[end:]]
                size = len(source) - end
                self._start += end - len(reopening)
        yield from self._window(_clean("".join(held)), last=True)

    def _window(self, source: str, *, last: bool) -> Iterator[Text]:
        """Yield the texts of the next window, *source*."""
        is_read = (self._resolves and "=" in source) or may_hold(source, self._wanted)
        if last and not is_read:
            return
        # In HTML mail, a link may lead elsewhere than what a reader sees.
        self._is_archive = self._is_archive or (self._origin.header is None and _ARCHIVE.search(source) is not None)
        markup = _Markup(source)
        zones = self._zones.read(markup) if self._zones else []
        if is_read:
            yield from self._attributes(markup, zones)
            # Few documents show URLs.
            if may_hold("".join(markup.texts), self._wanted):
                yield from self._visible(markup, zones)
                return
        if not last:
            self._marked(markup)

    def _visible(self, markup: "_Markup", zones: list[tuple[int, Zone]]) -> Iterator[Text]:
        """Yield what a reader sees of the window *markup*, in its *zones*."""
        marked = self._marked(markup)
        source, starts, ends = markup.source, markup.starts, markup.ends
        line_ends = ["" if not name or name in _IN_LINE else _BLOCK_END for name in markup.names]
        if self._is_archive:
            line_ends = [_LINE_END if name == "br" else end for name, end in zip(markup.names, line_ends, strict=True)]
        kept = [marked[end:start] for end, start in zip([0, *ends], [*starts, len(source)], strict=True)]
        for number in filter(None, markup.tags_after(_DOTS)):
            is_link = markup.names[number - 1] == "a"
            if is_link and _is_shortened(kept[number], markup.attributes[number - 1]):
                kept[number] = " " * len(kept[number])
        text, without_tags = spliced(kept, map(sub, ends, starts), line_ends)
        for space in _SPACES if markup.names else ():  # text without tags that was labelled as HTML
            text = text.replace(space, " ")
        text = text.replace(_LINE_END, "\n")
        text, decoded = substituted(_REFERENCES, text, _shown)
        text, with_single_blanks = substituted(_BLANKS, text, lambda _: " ")
        text = text if marked is source else _with_marks(text, _UNMARKED)
        places = _Places(text, (without_tags, decoded, with_single_blanks), source, self._start, self._places)
        yield self._text(places, self._origin.replace(), zones)

    def _text(self, places: "_Places", origin: Origin, zones: list[tuple[int, Zone]]) -> Text:
        """Return the text of *origin* whose *places* these are, in the *zones* of the window."""
        its_zones = None
        if any(any(zone) for _, zone in zones):
            its_zones = Zones(origin, places.to_window)
            its_zones.add(0, zones)
        return Text(places.text, origin, places=places, whole=True, zones=its_zones)

    def _marked(self, markup: "_Markup") -> str:
        """Return the source of *markup* with marks for the white space and the `&` that its elements keep."""
        source = markup.source
        if not self._kept and not _KEEPING.search(source):
            return source
        pieces: list[str] = []
        pos = 0
        for start in markup.starts:
            if found := _KEEPING.match(source, start):
                pieces.append(_with_marks(source[pos : found.end()], self._kept))
                pos = found.end()
                self._kept = {} if found[1] else _IN_RAW if found["raw"] else _IN_PRE
        return "".join([*pieces, _with_marks(source[pos:], self._kept)])

    def links(self, decoded: Decoded, spans: Iterable[Span]) -> Iterator[Text]:
        """Yield the URLs and references at *spans* of a header, *decoded*, as those of attributes."""
        text = decoded.text
        self._places.add(len(text), decoded.lines, decoded.steps)
        return self._texts_of([_link(_Value(text, 0), *span) for span in spans], text, [])

    def _attributes(self, markup: "_Markup", zones: list[tuple[int, Zone]]) -> Iterator[Text]:
        """Return the URLs of the attributes in the window *markup*, in its *zones*."""
        source = markup.source
        links = list(_links(markup, "" if self._resolves else ":", is_archive=self._is_archive))
        bases = [link.url for link in links if link.kind == "base"]
        if bases and not self._has_base:
            self._has_base = True
            self._base = _resolved(bases[0], self._base) or self._base
        for comment in _CONDITIONAL.finditer(source):
            links += _in_code(_without_references(comment[0], comment.start()))
        return self._texts_of(links, source, zones)

    def _texts_of(self, links: Iterable["_Link"], source: str, zones: list[tuple[int, Zone]]) -> Iterator[Text]:
        """Yield the URLs of *links* in the window *source*, each on a line, and then those that had to be resolved."""
        written: list[_Link] = []
        resolved: list[_Link] = []
        room = _MOST_RESOLVED * (len(source) + len(self._base))
        for link in links:
            reference = link.url
            scheme = self._resolves and not link.kind and _SCHEME_ALONE.match(link.written)
            if scheme and self._base.lower().startswith(scheme[0].lower()):
                reference = _as_browsers_read(link.written[scheme.end() :])
            if _ABSOLUTE.match(reference):
                written.append(link)
            elif not self._resolves or link.kind == "base":
                continue
            elif room < 0:
                self._origin.add_defect("the address of the page is too long for its relative links")
            elif url := _resolved(reference, self._base):
                resolved.append(link._replace(url=url, kind="resolved"))
                room -= len(url)
        for some in filter(None, (written, resolved)):
            places = _LinkPlaces(some, source, self._start, self._places)
            yield self._text(places, self._origin.replace(attributes=True, resolved=some is resolved), zones)


def _clean(source: str) -> str:
    """Return *source* without NUL, which marks line ends below, and without halves of surrogate pairs."""
    return source.replace("\0", " ").encode("utf-8", "replace").decode()


# Tags

# The content of these has no tags (13.2.5.2 to 13.2.5.5), and only that of `textarea` has character references. In SVG
# and XHTML they may have neither content nor an end tag. `re` looks at the first letters fast.
_NAMES_SHOWN = "[Tt][Ee](?i:xtarea)|[Xx](?i:mp)|[Ii](?i:frame)|[Nn](?i:oembed|oframes)|[Pp](?i:laintext)"
_RAW = rf"(?:[Ss](?:[Cc](?i:ript)|[Tt](?i:yle))|[Tt][Ii](?i:tle)|{_NAMES_SHOWN})(?=[\s/>])(?![^>]*/>)"
# `<http://a.example/>` and `<mailto:jane@a.example>` are URLs that nobody escaped.
# The groups are all of it, the name of a raw element, which has no tags in it, any name after any slash, the
# attributes, the content of a raw element, and what begins a tag that does not end.
_TAG = re.compile(
    rf"""(<(?![A-Za-z][^\s/<>@]{{0,99}}+(?:(?<=:)/|@))(?:
    (?=({_RAW})?+) (/?[A-Za-z][^\s/>]*+) ((?:[\s/]*+=)?+[^>=]*+
        (?:=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)?+(?:[\s/]*+=)?+[^>=]*+)*+) >
        (?(2) ((?:[^<]++|<(?!/(?i:\2)[\s/>]))*+) )
  | !--(?:-?>|(?:[^-]++|-(?!-!?>))*+--!?>)
  | (?:[!?](?!--)|/(?![A-Za-z]))[^>]*+>
  | ([A-Za-z!?/].*)
))""",
    re.VERBOSE | re.DOTALL,
)


class _Markup:
    """The tags of the window *source*, its comments and the like: the text before each of them, and its parts.

    `texts` also has the text after the last tag. `names` are in lower case, with a slash for end tags, and empty for
    comments. `contents` are those of raw elements; if a content is shown, it is the text after its tag instead.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        step = _TAG.groups + 1
        pieces = _TAG.split(source)
        self.texts, tags, names, self.attributes, self.contents = (pieces[at::step] for at in (0, 1, 3, 4, 5))
        lowered = {name: (name or "").lower() for name in set(names)}
        self.names = [lowered[name] for name in names]
        self.is_foreign = not {"svg", "math"}.isdisjoint(lowered.values())
        del pieces, names  # they take as much memory as what is kept
        if any(self.contents):
            for number, content in enumerate(self.contents):
                if content and self.names[number] not in _HIDDEN:
                    tags[number] = tags[number].removesuffix(content)
                    self.texts[number + 1] = content
        self.ends = list(accumulate(map(add, map(len, self.texts), map(len, tags))))
        self.starts = list(map(sub, self.ends, map(len, tags)))

    def tags_after(self, words: Iterable[str]) -> set[int]:
        """Return the numbers of the first tags after each place of one of *words*."""
        found = set()
        for word in words:
            place = self.source.find(word)
            while place >= 0:
                found.add(bisect_left(self.starts, place))
                place = self.source.find(word, place + len(word))
        return found


_ATTRIBUTE = re.compile(
    r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"?|'([^']*+)'?|([^\s>"'][^\s>]*+))?+)?+""",
)
_HIDDEN = frozenset(["script", "style", "title"])
_LONGEST_END = len("</textarea>")
# Elements that are part of a line, and void ones (13.1.2), whose end tags mean nothing.
_PHRASES = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr o:p output q ruby s samp "
    "small span strike strong sub sup time tt u var wbr html head body script style title template"
).split()
_EMPTY = "area base br col embed hr img input link meta param source track".split()
_IN_LINE = frozenset([*_PHRASES, *(f"/{name}" for name in (*_PHRASES, *_EMPTY))])


def _cut(source: str, origin: Origin) -> tuple[str, int, str]:
    """Return (window, start of the next one, tag): what *source* begins with, and the tag that reopens after it.

    A window ends at a tag, or inside a very long one, which is then closed, and opened again in the next window, with
    the attribute that was cut in two.
    """
    size, pos, begins = len(source), 0, len(source) - _MARGIN
    for tag in _TAG.finditer(source):
        start, pos = tag.span()
        if pos < begins:
            continue
        _, _, name, _, content, rest = tag.groups()
        is_block = name is not None and name.lower() not in _IN_LINE
        if (is_block and start >= begins) or (rest and start > size // 2):
            return source[:start], start, ""
        if rest is not None:
            return _cut_tag(source, start, origin)
        if content is not None and pos == size:
            pos = max(tag.start(5), min(size - _LONGEST_END, _end_of_word(source, begins)))
            return source[:pos], pos, f"<{name}>"
    pos = min(_end_of_word(source, max(pos, begins)), len(source.removesuffix("<")))
    return source[:pos], pos, ""


def _cut_tag(source: str, start: int, origin: Origin) -> tuple[str, int, str]:
    """Return what `_cut` does at the tag that begins at *start*."""
    size = len(source)
    if source[start + 1] in "!?/":
        is_comment = source.startswith("<!--", start)
        return source, size - is_comment * len("--!"), "<!-- " if is_comment else "<!"
    *_, attribute = _ATTRIBUTE.finditer(source, start + 1)  # the first one is the name of the element
    group = attribute.lastindex or 1
    pos = size if attribute.end(group) < size else attribute.start()
    if pos > size // 2:
        return f"{source[:pos]}>", pos, "<wbr "
    name, value, quote = attribute[1].lower(), attribute[group], ("", "", '"', "'", "")[group]
    blank = value.rfind(" ")
    if name in _WITH_SEVERAL and blank > len(value) // 2:
        pos = attribute.start(group) + blank
        return f"{source[:pos]}{quote}>", pos, f"<wbr {name}={quote}"
    if name in _SELECTED and not value.startswith("data:"):
        origin.add_defect("the URL of an attribute is too long to be read")
    return f"{source[:pos]}>", size, f"<wbr x={quote or 'x'}"


def _end_of_word(source: str, pos: int) -> int:
    """Return where the last word of *source* begins, which may go on, or the end if no blank follows *pos*."""
    return max(source.rfind(" ", pos), source.rfind("\n", pos)) + 1 or len(source)


# Quotes and signatures

# The elements that are quotes and signatures, and those that quotes are in.
_ZONED = frozenset(tag for name in "div blockquote table pre hr".split() for tag in (name, f"/{name}"))
_AROUND = frozenset(["div", "blockquote", "table"])
_NO_TEXT = re.compile(r"(?:\s|&nbsp;|&#160;)*+")
# The title and the header may be all that their elements have.
_TITLED = re.compile(
    rf"{_NO_TEXT.pattern}{TITLE.pattern}(?P<header>(?:(?:\s|&nbsp;|<[^>]{{0,300}}+>){{0,20}}+[^\s<>:][^<>:]{{0,30}}+:(?!//)"
    r"(?:[^<]{1,300}+|<(?!/?(?i:br|div|p|tr)\b)[^>]{0,300}+>){0,20}+){0,9}+(?:\s|&nbsp;|<(?i:/|br)[^>]*+>){0,20}+)"
)
_ENCLOSING = re.compile(r"<(/?)(?i:div|blockquote|table)\b")
_FOOTER = lazy_regex(f"{_NO_TEXT.pattern}(?:{FOOTER_SIGN})")
_MARKUP = re.compile(r"(?i)(?:(?<!\s)\s+)?(?:\n|<(/?(?:br|p|div|tr)\b)?[^>]*+(?:>|\Z))\s*")
# The mark has a line of its own. It may be all that its element has.
_SIGNATURE = lazy_regex(r"--(?:\s|&nbsp;|&#160;)++(?i:<br\b|(?P<alone></div\b))")
_SIGNED = lazy_regex(_NO_TEXT.pattern + _SIGNATURE.pattern)
_FOOTER_REACH = 800
"""How many characters of HTML are looked at to know the footer of a list."""


class _ZoneFinder:
    """Finds the quotes and signatures in a message, which comes in windows."""

    def __init__(self) -> None:
        # Of an open quote and signature: the names of elements that count, and how many of them end before it does.
        self._open: dict[str, tuple[frozenset[str], int]] = {}
        self._unread = 0  # from where on footers are looked for
        self._before = ""  # the name of the tag before

    def read(self, markup: _Markup) -> list[tuple[int, Zone]]:
        """Return where zones begin in the window *markup*, and what each is."""
        zones = [(0, self._zone())]
        names = markup.names
        after_signs = markup.tags_after(FOOTER_STEMS)
        for pattern in (TITLE, _SIGNATURE):
            after_signs |= {bisect_left(markup.starts, sign.start()) for sign in pattern.finditer(markup.source)}
        after_signs.discard(len(names))
        after_marks = markup.tags_after(STEMS)
        if after_signs or after_marks or self._open:
            self._unread = 0
            # Other tags change nothing.
            begin = 0 if self._open else max(0, min(after_signs | after_marks) - 1)
            numbers = [number for number, name in enumerate(names[begin:], begin) if name in _ZONED or name == "br"]
            for number in sorted(after_signs.union(numbers)):
                name, start = names[number], markup.starts[number]
                before = names[number - 1] if number else self._before
                ends_footer = name == before == "br" and "footer" in self._open
                if ends_footer or number in after_signs:
                    pos = start - len(markup.texts[number])
                    self._read_text(markup.source, pos, start, ends_footer=ends_footer)
                    self._note(zones, pos)
                marks = CITED if name == "blockquote" else MARKUP
                mark = marks.search(markup.attributes[number] or "") if number + 1 in after_marks else None
                if name in _ZONED and (self._open or mark):
                    self._pass(name, mark)
                    self._note(zones, markup.ends[number] if name[0] == "/" else start)
            self._before = names[-1] if names else self._before
        return zones

    def _read_text(self, source: str, pos: int, stop: int, *, ends_footer: bool) -> None:
        """Begin a quote or the footer of a list if one begins in the text from *pos* to *stop*, between two tags.

        If there is no text, the footer may end there.
        """
        if signed := _SIGNED.match(source, pos):
            self._open.setdefault("signature", (_AROUND, 2 if signed["alone"] else 1))
        if titled := _TITLED.match(source, pos):
            self._open.pop("signature", None)
            tags = _ENCLOSING.findall(titled["header"])
            self._open.setdefault("quote", (_AROUND, 1 + max(0, 2 * tags.count("/") - len(tags))))
        if pos >= self._unread and _FOOTER.match(source, pos, stop):
            self._unread = pos + _FOOTER_REACH // 4  # a text full of signs takes little longer
            markup = source[pos : pos + _FOOTER_REACH]
            if is_footer(_MARKUP.sub(lambda one: "\n" if one[1] or "\n" in one[0] else " ", markup).lstrip()):
                self._open.setdefault("footer", (_AROUND, 1))
        elif ends_footer and _NO_TEXT.fullmatch(source, pos, stop):
            self._open.pop("footer", None)

    def _zone(self) -> Zone:
        return not self._open.keys().isdisjoint(("signature", "footer")), "quote" in self._open

    def _note(self, zones: list[tuple[int, Zone]], pos: int) -> None:
        if self._zone() != zones[-1][1]:
            zones.append((pos, self._zone()))

    def _pass(self, tag: str, mark: re.Match[str] | None) -> None:
        """Begin or end a quote or signature at *tag*; *mark* is the sign of one in its attributes, if they have one."""
        name, is_end = tag.lstrip("/"), tag[0] == "/"
        for kind, (names, count) in list(self._open.items()):
            if name in names and is_end and count == 1:
                del self._open[kind]
            elif name in names:
                self._open[kind] = names, count + (-1 if is_end else 1)
        kind = (mark and mark.lastgroup) or ""
        is_cited = not is_end and self._open.pop("prefix", None) is not None
        if kind == "prefix":
            self._open[kind] = frozenset(), 0  # until the next of these elements begins
        elif kind == "signature":
            self._open.setdefault("signature", (frozenset([name]), 1))
        elif mark or (is_cited and name == "blockquote"):
            self._open.pop("signature", None)
            ends = ENDS.get(kind, 0)
            self._open.setdefault("quote", (_AROUND, ends) if ends else (frozenset([name]), 1))


# The URLs of attributes


class _Value(NamedTuple):
    """The value of an attribute, or a text that is read as one, at `offset` of the source; `step` decoded it."""

    text: str
    offset: int
    step: Removed | None = None


class _Link(NamedTuple):
    """A URL, and how it is `written` from `start` to `end` of the source, for example as a relative reference."""

    url: str
    written: str
    start: int
    end: int
    kind: str = ""  # "base" in that element, "code" in a script, "resolved" if *url* is


# Pipermail, MHonArc and hypermail make links of the URLs in a message, each up to the end of its line, and hypermail
# makes `<br>` of each line end.
_ARCHIVE = lazy_regex(r'<!--(?:beginarticle|X-Body-of-Message| body="start" )-->')


def _links(markup: _Markup, sign: str, *, is_archive: bool) -> Iterator[_Link]:
    """Yield the URLs and relative references of the tags in *markup*, if they have *sign* in them.

    In the page of a list archive, a link whose text is its own address was made of that text, which is read instead.
    """
    without: set[tuple[str, str]] = set()  # of the tags that mail programs write, most are many times the same
    for number, (attributes, content) in enumerate(zip(markup.attributes, markup.contents, strict=True)):
        # Most tags have neither.
        if (
            attributes
            and (sign in attributes or "&" in attributes)
            and (name := markup.names[number])[0] != "/"
            and (name, attributes) not in without
            and not (is_archive and name == "a" and _is_own_text(markup.texts[number + 1], attributes))
        ):
            offset = markup.source.index(attributes, markup.starts[number], markup.ends[number])
            if links := _in_attributes(name, attributes, offset, sign):
                yield from links
            else:
                without.add((name, attributes))
        if content and (name := markup.names[number]) in _HIDDEN:
            offset = markup.ends[number] - len(content)
            # In SVG and MathML it may have tags.
            has_tags = markup.is_foreign and "<" in content
            found = _in_code(_without_references(content, offset)) if has_tags else ()
            by_start = {link.start: link for link in found}
            if name in _LIKE_VALUES:
                by_start |= {link.start: link for link in _in_value(_LIKE_VALUES[name], _Value(content, offset), {})}
            yield from by_start.values()


def _values(element: str, attributes: str, offset: int, sign: str) -> dict[str, _Value | None]:
    """Return the values in *attributes*, which are at *offset*: `None` for those in which nothing is to be read."""
    values: dict[str, _Value | None] = {}
    for attribute in _ATTRIBUTE.finditer(attributes):
        name = attribute[1].lower()
        if (name in _SELECTED or name[:2] == "on") and name not in values:  # 13.2.5.33: the first of a name counts
            group = attribute.lastindex or 1
            text = attribute[group] if group > 1 else ""
            # Most styles have neither a bracket nor a rule.
            has_sign = sign in text and (name != "style" or "(" in text or "@" in text)
            is_read = has_sign or "&" in text or element == "meta"
            values[name] = _without_references(text, offset + attribute.start(group)) if is_read else None
    return values


def _in_attributes(element: str, attributes: str, offset: int, sign: str) -> Collection[_Link]:
    """Return the URLs and relative references in *attributes*, which are at *offset* in the source, each once."""
    values = _values(element, attributes, offset, sign)
    facts = {name: value.text.lower() for name in _FACTS if (value := values.get(name))} if element == "meta" else {}
    found: dict[str, _Link] = {}
    for name, value in values.items():
        if value and (text := value.text) and sign in text and name not in _FACTS:
            is_url = name in _WITH_ONE_URL and not _SCRIPT.match(text)
            # Most links are such values: a list is made faster than a generator.
            for link in [_link(value, 0, len(text))] if is_url else _in_value(name, value, facts):
                found.setdefault(link.url, link)
    return [link._replace(kind="base") for link in found.values()] if element == "base" else found.values()


def _in_value(name: str, value: _Value, facts: Mapping[str, str]) -> Iterable[_Link]:
    """Return the URLs and relative references in the *value* of the attribute *name*.

    Of a `meta` element, *facts* are the other attributes: they say what its content is.
    """
    if name in _WITH_TEXT or name[:2] == "on" or _SCRIPT.match(value.text):
        return _in_code(value)
    if name in _WITH_SEVERAL:
        spans = [found.span(found.lastindex or 0) for found in _WITH_SEVERAL[name].finditer(value.text)]
    elif facts.get("http-equiv") == "refresh" and (refresh := REFRESH.match(value.text)):
        spans = [refresh.span(2)]
    else:
        spans = [(0, len(value.text))] if any(map(_ADDRESS.fullmatch, facts.values())) else []
    return [_link(value, start, end) for start, end in spans]


def _link(value: _Value, start: int, end: int) -> _Link:
    """Return the URL or relative reference that *value* has from *start* to *end*."""
    url = written = value.text[start:end]
    if not _PLAIN.fullmatch(written):
        written = written.strip(_CONTROLS).strip()
        url = _as_browsers_read(written)
        start = value.text.find(written, start)  # without blanks
    return _located(value, start, url, written)


def _located(value: _Value, start: int, url: str, written: str, kind: str = "") -> _Link:
    """Return the link *url*, which is *written* at *start* of *value*."""
    end = start + len(written)
    if value.step:
        start, end, _ = value.step.to_source(start, end)
    return _Link(url, written, value.offset + start, value.offset + end, kind)


# HTML Standard section 4, and older versions.
_WITH_ONE_URL = frozenset(
    "href src action formaction cite longdesc background data poster codebase classid profile manifest "
    "itemid dynsrc lowsrc xlink:href url uri rdf:about rdf:resource".split()  # the last four are of feeds
)
_FACTS = ("http-equiv", "name", "property")
_WITH_TEXT = frozenset("alt from itemprop itemtype label placeholder srcdoc title to value values".split())
_LIKE_VALUES = {"script": "onload", "style": "style"}
"""The elements whose content is read as the value of an attribute."""
# The `meta` elements whose content is an address: the Open Graph protocol, and the cards of Twitter.
_ADDRESS = re.compile("(?:og|twitter):(?:url|(?:image|video|audio|player)(?::(?:url|secure_url|src|stream))?)")

# URL Standard section 4.4: line ends and tabs in a value are not part of its URL, nor controls and blanks around it.
_NO_PART = dict.fromkeys(map(ord, "\t\n\r"))
_CONTROLS = "".join(map(chr, range(ord("!"))))
_ABSOLUTE = re.compile(rf"(?!{either(CODE_SCHEMES)}:)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_SPECIAL_SCHEME = re.compile(r"(?:https?|ftp|file):|(?![a-z][a-z0-9+.\-]*:)", re.IGNORECASE)
_SLASHES = re.compile(r"(?<=\Aftp:)/*|(?<=\Ahttp:)/*|(?<=\Ahttps:)/*", re.IGNORECASE)
# What follows is relative to a page with the same scheme (URL Standard 4.4).
_SCHEME_ALONE = re.compile(r"https?:(?![/\\]{2})", re.IGNORECASE)
_AUTHORITY = lazy_regex(
    "|".join(rf"(?<=\A{scheme}//)[^/?#]+" for scheme in ("", "ftp:", "http:", "https:")), re.IGNORECASE
)
_NOT_IN_LOGIN = lazy_regex('[@<>"^`{|}[\\]]')
# Hosts of URLs lack these (RFC 1738 section 5, RFC 5891), those of browsers do not: marks, outer hyphens, symbols.
_NOT_IN_HOST = lazy_regex(r"[!-$&-,;=`~\u2190-\u2bff\U0001f000-\U0001faff]|(?<![^.])-|-(?![^.:])")
# Browsers refuse blanks, bars and braces, and after a quote or a comma comes something else.
_NO_HOST = lazy_regex(r"[\s{|}\"]|[,;](?:https?:)?\Z")
_PATH = re.compile(r"[^?#]*+")
_DRIVE = lazy_regex(r"(?<=\Afile:///[a-z])\|(?![^/?#])", re.IGNORECASE)
# A bar in the path is escaped, not one before or after it.
_BAR = lazy_regex(r"\A(?:[a-z]+:)?//[^/?#]*+|[?#].*|\|", re.IGNORECASE | re.DOTALL)
_HTTP = re.compile(r"https?://[^/?#]", re.IGNORECASE)
# HTML Standard 4.2.4.6: the URL is group 2, and a quote ends it if one begins it.
REFRESH = re.compile(
    r"""\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+(["'])?+((?(1)(?:(?!\1).)++|.*[^\s"']))""", re.IGNORECASE | re.DOTALL
)
# HTML Standard 4.8.4.2.1: a URL is a run without blanks; unless a comma ends it, what follows describes the image.
_IMAGE = re.compile(r"([^\s,](?:\S*[^\s,])?+)(?:,++|[^,]*+,?+)")
# A URL that needs no brackets: one that surely ends at its end, or has brackets or quotes in it and begins with a URL.
_BARE = re.compile(r"[\w.~\-/?#&=%+:,;@!$*]+[A-Za-z0-9/]|[^<>\"]*[<>\"].*", re.ASCII | re.DOTALL)
# A URL that browsers read as it is written.
_PLAIN = re.compile(
    r"(?:[Hh][Tt][Tt][Pp][Ss]?://[\w.:]++(?:\b-\b[\w.:]++)*+(?![^/?#])|(?!(?i:https?|ftp):|//))"
    r"(?:[!#$&-;=?-\[\]-_a-{}~]++|%[\dA-Fa-f]{2})*+",
    re.ASCII,
)
# No URL has these (RFC 3986, RFC 3987).
_NOT_IN_URL = lazy_regex(
    rf"[\x00-\x20\"<>`\\\x7f-\x9f\s\ue000-\uf8ff\ufdd0-\ufdef\ufff0-\uffff\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
    rf"{''.join(f'{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}' for plane in range(1 << 16, 15 << 16, 1 << 16))}]"
    r"|%(?![\dA-Fa-f]{2})"
)
# Others end at their first blank: RFC 1738 allows no escape in a newsgroup or after the host of an address,
# and no URL has two fragments.
_MAY_BE_ESCAPED = lazy_regex(
    r"(?:mailto:[^@?#]*+@[\w.\-]++(?:\s*+,[^@?#]*+@[\w.\-]++)*+(?=\?|\Z)"
    rf"|(?!(?:mailto|news|nntp|telnet):)(?:{either(OPAQUE_NAMES)}:|[a-z][a-z0-9+.\-]*+://))[^#]*+(?:#[^#]*+)?+",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"[\0-\x20]*+(?:vbscript:|" + r"[\t\n\r]*+".join("javascript:") + ")", re.IGNORECASE)
# Outlook reads such comments.
_CONDITIONAL = re.compile(r"<!--\[if(?:[^-]++|-(?!->))*+")
# CSS Syntax 4.3.6, Cascade 2: without escapes.
_IN_STYLE = re.compile(
    r"""(?:url\(\s*+|@import\s*+(?=["']))(?:"(?!cid:)([^"\n]++)"|'(?!cid:)([^'\n]++)'|(?!cid:)([^\s"'()<>]++)\s*+\))""",
    re.IGNORECASE,
)
_WITH_SEVERAL = {
    **dict.fromkeys(["ping", "archive"], re.compile(r"\S+")),
    **dict.fromkeys(["srcset", "imagesrcset"], _IMAGE),
    "style": _IN_STYLE,
}
"""The attributes that have several URLs, and what matches each of them, in its last group if there is one."""
_SELECTED = frozenset([*_WITH_ONE_URL, *_WITH_SEVERAL, *_WITH_TEXT, "content", *_FACTS])
# Not a script's regular expressions, comments and paths: a scheme comes first. JSON escapes slashes, and `&` as \u0026.
_IN_CODE = re.compile(
    r"""\b[A-Za-z][A-Za-z0-9+.\-]{0,30}:(?:(?:/|\\/|\\u002[Ff]){2}|(?<=mailto:)(?=[^\s"'`<>@]{1,200}@))(?:[^\s"'`<>\\]|\\(?:/|u00[2-7][\dA-Fa-f]))++"""
)
# 13.2.5.73: in an attribute, a name without `;` is not a reference if a letter, digit or `=` follows.
_REFERENCE = re.compile(
    r"(&(?:#\d{1,99}+;?|#[xX][\dA-Fa-f]{1,99}+;?|[A-Za-z][A-Za-z\d]{1,31}+(?:;|(?![=A-Za-z\d]))))", re.ASCII
)


def _in_code(code: _Value) -> Iterator[_Link]:
    r"""Yield the URLs in the strings of a script, or in its JSON, where `\/` and `\u0026` are escapes, or in a text."""
    text = code.text
    if "//" in text or "\\/" in text or "\\u002" in text or "mailto:" in text:
        for found in _IN_CODE.finditer(text):
            url = SCRIPT_ESCAPE.sub(lambda escape: meant_by(escape[0]), found[0])
            yield _located(code, found.start(), url, found[0], "code")


def _without_references(value: str, offset: int) -> _Value:
    """Return the *value* of an attribute at *offset* with its character references decoded."""
    if "&" not in value:
        return _Value(value, offset)
    text, step = substituted(_REFERENCE, value, _meaning)
    return _Value(text, offset, step)


def _meaning(reference: str) -> str:
    """Return what a character *reference* in an attribute means."""
    return unescape(reference) if reference.startswith("&#") else html5.get(reference[1:], reference)


def _as_browsers_read(url: str) -> str:
    """Return the *url* or relative reference of an attribute as browsers read it (URL Standard 4.4)."""
    if not url.isprintable():
        url = url.translate(_NO_PART)
    if _SPECIAL_SCHEME.match(url):
        url = _PATH.sub(lambda path: _SLASHES.sub("//", path[0].replace("\\", "/")), url, 1)
        url = _AUTHORITY.sub(_escaped_authority, url)
        if "|" in url:
            url = _BAR.sub(lambda found: "%7C" if found[0] == "|" else found[0], _DRIVE.sub(":", url))
    else:
        if is_hidden(url.partition("?")[0]) or not _MAY_BE_ESCAPED.fullmatch(url):
            return url
        name, _, rest = url.partition(":")
        url = f"{name}:{rest.lstrip()}"
    return _NOT_IN_URL.sub(_escaped, url)


def _escaped(found: re.Match[str]) -> str:
    return "".join([f"%{octet:02X}" for octet in found[0].encode()])


def _escaped_authority(authority: re.Match[str]) -> str:
    login, at, host = authority[0].rpartition("@")
    if _NO_HOST.search(host):
        return authority[0]
    return _NOT_IN_LOGIN.sub(_escaped, login) + at + _NOT_IN_HOST.sub(_escaped, host)


_MOST_RESOLVED = 16
"""The resolved links of a window may be so many times as long as it and the page's address. Real ones are shorter."""


def _resolved(reference: str, base: str) -> str:
    """Return the http(s) URL of *reference* on a page at *base* (RFC 3986 section 5); `""` if it has none."""
    if not reference or reference.startswith("#"):
        return ""  # the page itself
    try:
        url = urljoin(base, reference)
    except ValueError:
        return ""
    return url if _HTTP.match(url) else ""


# The visible text

_REFERENCES = re.compile(r"(&(?:#\d{1,99}+;?|#[xX][\dA-Fa-f]{1,99}+;?|[A-Za-z][A-Za-z\d]{1,31}+;?))", re.ASCII)
_LINE_END = "\0"
"""The line end that a tag means: no source has this character."""
_BLOCK_END = _LINE_END * 2
_SPACES = "\t\n\r\f"
_BLANKS = re.compile("(  +)")

# Elements that keep white space, and among them those without references. `re` finds the first letters fast.
_KEEPING = re.compile(
    r"<(/?)(?:[Pp](?i:re)|[Ll](?i:isting)|[Tt](?i:extarea)|(?P<raw>[Xx](?i:mp)|[Pp](?i:laintext)))(?=[\s/>])"
)
# No source has halves of surrogate pairs.
_IN_RAW = {sign: chr(0xD800 + ord(sign)) for sign in " \t\n\r&"}
_IN_PRE = {sign: mark for sign, mark in _IN_RAW.items() if sign != "&"}
_UNMARKED = {mark: sign for sign, mark in _IN_RAW.items()}


decoded_reference = lru_cache(1000)(unescape)

_DOTS = ("...", "\u2026", "&hellip;", "&#8230;")
_ELLIPSIS = re.compile(r"(?<!\s)\s*+(?:\.\.\.|\u2026)\s*+")


def _is_own_text(text: str, attributes: str) -> bool:
    """Return whether *text*, that of a link, is the URL that the link leads to."""
    return ":" in text and f'href="{text}"' in attributes.replace("HREF", "href")


def _is_shortened(text: str, attributes: str) -> bool:
    """Return whether *text*, that of a link, shortens the value of one of its *attributes* with dots."""
    text = unescape(text).strip()
    start, *end = _ELLIPSIS.split(text, 1)
    values = (unescape(found[found.lastindex or 1]) for found in _ATTRIBUTE.finditer(attributes) if end)
    return any(value != text and value.startswith(start) and value.endswith(end[0]) for value in values)


@lru_cache(1000)
def _shown(reference: str) -> str:
    """Return what a reader sees of a character *reference*: any white space is a blank."""
    meant = decoded_reference(reference)
    return " " if meant in _SPACES else meant


def _with_marks(text: str, marks: dict[str, str]) -> str:
    for sign, mark in marks.items():  # `translate` takes ten times as long
        text = text.replace(sign, mark)
    return text


# The places of URLs


class _Places(SourceMap):
    """Finds the places of *text*, which *steps* made from the window *source*. That begins at *start* of *places*."""

    def __init__(self, text: str, steps: tuple[Step, ...], source: str, start: int, places: SourceMap) -> None:
        self.text = text
        self._steps = steps
        self._source = source
        self._start = start
        self._source_places = places

    def locate(self, start: int, end: int, *, as_it_is: bool = True) -> Place:
        """Return where the characters *start* to *end* of the text are, or their lines."""
        first, stop, unchanged = self.to_window(start, end)
        text, source = self.text[start:end], self._source[first:stop]
        as_it_is = as_it_is and unchanged and (source == text or source == self.written(start, text))
        return self._source_places.locate(self._start + first, self._start + stop, as_it_is=as_it_is)

    def to_window(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return which part of the window became *start* to *end* of the text, as `Step.to_source` does."""
        return source_of(self._steps, start, end)


class _LinkPlaces(_Places):
    """Finds the places of *links*. The text has one link on each line. The other arguments are those of `_Places`."""

    def __init__(self, links: list[_Link], source: str, start: int, places: SourceMap) -> None:
        self._links = links
        lines = [url if kind == "code" or _BARE.fullmatch(url) else f"<{url}>" for url, *_, kind in links]
        # An empty line separates them: none goes on in the next. The first has a line end before it, too.
        text = "\n" + "\n\n".join(lines) + "\n\n"
        super().__init__(text, (), source, start, places)
        begins = accumulate((len(line) + 2 for line in lines), initial=1)
        self._begins = [begin + line.startswith("<") for begin, line in zip(begins, lines, strict=False)]

    def written(self, start: int, raw: str) -> str:
        """Return *raw*, which begins at *start* of the text, as the source has it."""
        link, _ = self._link_at(start)
        return link.written if raw == link.url else raw

    def to_window(self, start: int, end: int) -> tuple[int, int, bool]:
        """Return which part of the window became *start* to *end* of the text, as `Step.to_source` does."""
        link, begin = self._link_at(start)
        first, stop = link.start + start - begin, link.start + end - begin
        if start < begin or not self._source.startswith(self.text[start:end], first):
            first, stop = link.start, link.end
        return first, stop, link.kind != "resolved"

    def _link_at(self, pos: int) -> tuple[_Link, int]:
        number = max(0, bisect_right(self._begins, pos) - 1)
        return self._links[number], self._begins[number]
