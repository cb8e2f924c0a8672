"""Feeds: RSS (0.9 to 2.0) and Atom (RFC 4287), read as HTML once their escaped text is decoded; and other XML."""

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from operator import itemgetter

from urlmend.sources.body import Decoded, without_escapes
from urlmend.sources.html import Document, decoded_reference
from urlmend.sources.origin import Origin, Prefilter, Text
from urlmend.sources.places import replaced
from urlmend.text.schemes import OPAQUE_NAMES, OPAQUE_SCHEMES, either, either_case

_PREFIX = r"(?:[\w\-]++:)?+"
_ITEM_NAME = rf"{_PREFIX}(?:item|entry)"
_ITEM = re.compile(rf"<(/?)({_ITEM_NAME})[\s>]")

# `re` looks at the first characters fast.
_MARK = re.compile(
    r"[<&\]](?:(?P<cdata>(?<=<)!\[CDATA\[|(?<=\])\]>)"
    # A URL in angle brackets, not a tag: "<news:title>" is one.
    r"|(?P<angle>(?:(?<=<)|(?<=&)lt;)(?=(?i:URL:|[a-z][a-z0-9+.\-]{0,30}://)"
    rf"|{either(f'{either_case(scheme.name)}:{scheme.shape}' for scheme in OPAQUE_SCHEMES)}))"
    rf"|(?P<item>(?<=<)/?{_ITEM_NAME}(?:\s[^<>]*+(?<=/)>|(?=[\s>])))"
    rf"|(?P<text>(?<=<)(?P<name>{_PREFIX}(?:description|encoded|title|summary|content|subtitle|rights|tagline))"
    r"(?P<attributes>\s[^<>\]]*+)?+>)"
    r"|(?P<tag>(?<=<)/?[A-Za-z][\w:]*+)"
    r"|(?P<entity>(?<=&)(?:#\w{1,9}|[A-Za-z]\w{1,31});)"
    r"|(?P<sign>(?<!\])))"
)
_WITH_HTML = ("description", "encoded", "itunes:summary")
_HTML_TYPE = re.compile(r"""\stype\s*=\s*["'](?:text/)?html["']""")

# Elements that mean something else in HTML: they are renamed.
_NOT_OF_HTML = re.compile(r"(?<=[</])(?=(?:link|title|image|source)(?![\w:]))")

# Tags without attributes, and no text: nothing is in them.
_BARE_TAGS = re.compile(r"\s*+(?:</?[A-Za-z][\w:\-]*+>\s*+)*+")

_RUN_END = "\0"


def feed(
    pieces: Iterable[Decoded], origin: Origin, wanted: Prefilter | None = None, base: str | None = None
) -> Iterator[Text]:
    """Yield the texts of the feed in *pieces*: the URLs in attributes, and the text; of HTML, only what is visible.

    Unless *origin* has the number of a message, `Origin.message` is the number of the item or entry, from 1. The
    arguments are those of `Document`.
    """
    rewriter = _Feed()
    for (_, item), run in groupby(rewriter.runs(pieces), itemgetter(0)):
        its_own = origin if origin.message else origin.replace(message=item)
        yield from Document(its_own, wanted, base).texts(map(itemgetter(1), run))
    if rewriter.in_cdata:
        origin.add_defect("a CDATA section is not closed")


# What names a vocabulary is no link, and an element such as <news:title> no URL.
_OF_XML = re.compile(
    rf"""(&(?:amp;)*+(?:(?:\#\w{{1,9}}|[A-Za-z]\w{{1,31}});|(?<=;))
    |:(?=[\w\-]++[\s/>]){either(f"(?<=<{name}:)" for name in OPAQUE_NAMES)}
    |xmlns(?::[\w.\-]++)?+\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')
    |xsi:(?:noNamespaceS|s)chemaLocation\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')
    |<!DOCTYPE\s[^<>\[]*+)""",
    re.VERBOSE,
)
_CUT_ENTITY = re.compile(r"&(?:amp;)*+#?\w*+\Z")


def without_entities(pieces: Iterable[Decoded]) -> Iterator[Decoded]:
    """Decode the entities in the *pieces* of XML, once more where they are those of HTML: `&amp;lt;`.

    The names of namespaces, and the addresses of schemas and DTDs, are left out.
    """
    return without_escapes(pieces, (_OF_XML, _CUT_ENTITY, _as_text))


def _as_text(mark: str) -> str:
    return decoded_reference(decoded_reference(mark)) if mark[0] == "&" else mark[0].replace(":", " ")


class _Feed:
    """Rewrites a feed as HTML."""

    def __init__(self) -> None:
        self.in_cdata = False
        self._has_html = False  # the element whose text comes next
        self._run = 0
        self._items = 0
        self._name = ""  # of the item that the run is in

    def runs(self, pieces: Iterable[Decoded]) -> Iterator[tuple[tuple[int, int | None], Decoded]]:
        """Yield *pieces* as HTML, each after the number of its run and of its item.

        A run is read without the others: it is the HTML of one element, or everything between two such elements.
        """
        for text, lines, steps in pieces:
            text = text.replace(_RUN_END, " ")  # noqa: PLW2901 -- XML has none
            edits = ((*mark.span(), self._as_html(mark)) for mark in _MARK.finditer(text))
            edited, step = replaced(text, edits)
            whole = Decoded(edited, lines, (*steps, step))
            start = 0
            parts = edited.split(_RUN_END)
            for number, run in enumerate(parts):
                self._run += number > 0
                # Other vocabularies have an item, too: one within an item is part of it.
                if (mark := _ITEM.match(run)) and self._name in {"", mark[2]}:
                    self._items += not mark[1]
                    self._name = "" if mark[1] else mark[2]
                # A feed may have many thousands of items of little else.
                is_bare = 0 < number < len(parts) - 1 and _BARE_TAGS.fullmatch(run)
                if run and not is_bare:
                    item = self._items if self._name else None
                    yield (self._run, item), whole.part(start, start + len(run))
                start += len(run) + len(_RUN_END)

    def _as_html(self, mark: re.Match[str]) -> str:
        kind, text = mark.lastgroup, mark[0]
        if kind == "cdata":
            self.in_cdata = text != "]]>"
            return ""
        if kind == "angle" and (self._has_html or not self.in_cdata):
            return "&lt;"
        if self.in_cdata:
            return text if self._has_html else escape(text)
        if kind in {"item", "text", "tag"}:
            begins_run = self._has_html or kind == "item"
            if kind == "item" and text.endswith("/>"):
                text += f"{_RUN_END}</{text.split()[0].lstrip('<')}>"
            self._has_html = kind == "text" and _may_be_html(mark["name"], mark["attributes"] or "")
            return _RUN_END * begins_run + _NOT_OF_HTML.sub("x-", text, 1) + _RUN_END * self._has_html
        return decoded_reference(text) if self._has_html and kind == "entity" else text


def _may_be_html(name: str, attributes: str) -> bool:
    """Return whether the text of an element may be HTML, by its name or type."""
    if attributes.endswith("/"):
        return False
    return name.endswith(_WITH_HTML) or _HTML_TYPE.search(attributes) is not None
