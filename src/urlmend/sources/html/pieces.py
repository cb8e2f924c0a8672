"""Cuts HTML into pieces that the parser reads in a time and memory that grow with their size, whatever they hold.

The parser looks through all open elements at many tags, and through all attributes of a tag at each one. It opens
formatting elements again in each block. Its time, and in the last case its memory, grow with the square of their
number. So a piece has few tags, a tag that may have many attributes is in a short piece, and formatting elements are
renamed.
"""

import re
from collections.abc import Iterator

MAX_DOCUMENT = 1 << 18
"""How many characters of a document are in hand: the tree of a piece takes fifty times as much."""

MAX_TAGS = 2048
"""How many `<` a piece has. With all of them open elements, the parser reads 1 MB in a second."""

MAX_IRREGULAR = 1 << 14
"""How many characters a piece has in which a tag may have more than MAX_ATTRIBUTES attributes."""

MAX_ATTRIBUTES = 64
"""How many attributes a tag has that is surely one. HTML mail has a dozen."""

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
RENAMED = "x-f"
"""What formatting elements are called in the pieces: an element that the parser knows nothing of."""

_GOOD_CUT = re.compile(r"</?(?:tr|table|p|div|li|h[1-6]|center|ul|ol|dl|dt|dd|br|hr|blockquote)\b", re.IGNORECASE)
_OPENING_OR_CLOSING = re.compile(rf"<!--|--!?>|<(/?)({_RAW}|template|table|pre)\b", re.IGNORECASE)
_MOST_TABLES = 16
_COMMENT = "!--"
_CLOSINGS = {_COMMENT: ("-->", "--!>")}


class Cutter:
    """Cuts one document, whose text comes in windows; what is open where a piece ends is opened again in the next."""

    def __init__(self) -> None:
        self._inside: str | None = None  # the comment, or element without tags in it, that is open
        self._open = {"table": 0, "pre": 0}
        self._tag = ""  # what opens a tag again that was cut

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
                self._pass(text)
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
        """Return the tags that open again what is open."""
        # In a cell, what may be outside of one closes it.
        opened = "<table><tr><td>" * min(self._open["table"], _MOST_TABLES) + "<pre>" * (self._open["pre"] > 0)
        return opened + (f"<{self._inside}" + ">" * (self._inside != _COMMENT) if self._inside else self._tag)

    def _pass(self, text: str) -> None:
        """Take note of what *text* opens and closes."""
        for found in _OPENING_OR_CLOSING.finditer(text):
            slash, name = found.group(1, 2)
            name = name.lower() if name else _COMMENT
            closes = slash == "/" or found[0] in _CLOSINGS[_COMMENT]
            if self._inside is not None:
                self._inside = None if closes and name == self._inside else self._inside
            elif name in self._open:
                self._open[name] = max(0, self._open[name] + (-1 if closes else 1))
            elif not closes:
                self._inside = name
        opening = max(text.rfind("<"), -1 if not self._tag else 0)
        in_tag = opening >= 0 and text.rfind(">") < opening and (self._tag or _TAG.match(text, opening))
        rest = text[opening:]
        quote = next((quote for quote in "\"'" if (self._tag + rest).count(quote) % 2), "")
        self._tag = f"<{RENAMED} {RENAMED}={quote}" if in_tag and not self._inside else ""


_TAG = re.compile(r"</?[A-Za-z]")


def _cut(source: str, start: int, limit: int) -> int:
    """Return a good place to end the piece from *start*, not far before *limit*."""
    middle = start + (limit - start) // 2
    good = [found.start() for found in _GOOD_CUT.finditer(source, middle + 1, limit)]
    if good:
        return good[-1]
    for sign, behind in (("<", 0), (">", 1), (" ", 1), ("\n", 1)):
        found = source.rfind(sign, middle + 1, limit)
        if found >= 0:
            return found + behind
    return limit
