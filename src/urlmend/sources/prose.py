"""The text of bodies that are not HTML: flowed lines, signatures, PGP and uuencode (RFC 3676, RFC 4880, POSIX)."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, groupby
from operator import itemgetter

from urlmend.sources import quotes
from urlmend.sources.body import CALENDAR, FOLDED, Decoded, document, joined, text_of, without_escapes
from urlmend.sources.compression import PeekableFile
from urlmend.sources.footers import QUOTE, first_marks, own_footer, signatures
from urlmend.sources.header import Content
from urlmend.sources.origin import Origin, Prefilter, Span, Text, Zone, Zones
from urlmend.sources.places import Lines, Removed, SourceMap, Step, replaced
from urlmend.sources.reader import BLOCK_SIZE, MAX_LINE
from urlmend.text.patterns import lazy_regex

# uuencode (POSIX): a first line, full lines of 45 bytes each, a shorter one, an empty one, `end`.
_UU_BEGIN = lazy_regex(
    r"^begin [0-7]{3,4} [^\r\n]+\r?\n"
    r"(?=M[ -`]{57,61}\r?(?:\n|\Z)|[!-L][ -`]{4,60}\r?\n[` ]?\r?\n(?:end\b)?)",
    re.MULTILINE,
)
_UU_BODY = lazy_regex(
    r"(?:M[ -`]{57,61}\r?(?:\n|\Z))*+(?:[!-L][ -`]{1,60}\r?\n)?+(?:[` ]?\r?\n)?+(?:end[ \t]*(?:\r?\n|\Z))?+"
)

# RFC 4880 section 7.1: a signed line that begins with a hyphen has `- ` before it. `re` looks for hyphens fast.
_PGP = "-----BEGIN PGP SIGNED MESSAGE-----"
_PGP_MARK = lazy_regex(rf"-(?<=^-)(?: |(?P<begin>{_PGP[1:]})|----BEGIN PGP SIGNATURE-----)", re.MULTILINE)

# Also the beginnings of URLs in brackets, which go on after a soft break (RFC 3676 section 4.1): it ends others.
_SOFT_BREAK = lazy_regex(r"<(?:URL:\s)?[^\s>]*+|://[^\s<>]*+( ++\r?\n(?=[^\r\n]))?")

_DATA = "begin "

_ENTRY = lazy_regex(rb"^BEGIN:V(?:EVENT|TODO|JOURNAL)\b", re.MULTILINE | re.IGNORECASE)
"""The first line of an entry of a calendar (RFC 5545 section 3.6)."""


# The HTML that Outlook adds to each entry names five, perhaps in two pieces.
_NAMESPACES = (
    lazy_regex(r'((?<!\S)xmlns(?::\w{1,20})?="[^"\n]{0,200}")'),
    lazy_regex(r'(?<!\S)x(?:m(?:l(?:n(?:s[:\w]{0,20}(?:=(?:"[^"\n]{0,200})?)?)?)?)?)?\Z'),
    lambda _: "",
)


def calendar(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the text of the iCalendar *file*. With *wanted*, text in which it finds nothing may be left out.

    `Origin.message` is the number of the entry, from 1.
    """
    for about, lines in document(file, CALENDAR):
        for number, entry in groupby(_entries(lines), itemgetter(0)):
            origin = Origin(file.name, number or None, content=about, defects=file.defects)
            pieces = text_of(map(itemgetter(1), entry), about, file.defects)
            yield from prose(pieces, about, origin, wanted)


def _entries(blocks: Iterable[Lines]) -> Iterator[tuple[int, Lines]]:
    """Yield *blocks*, cut before each entry, with the number of the entry; 0 is what comes before the first one."""
    number = 0
    for block in blocks:
        at = 0
        for begin in _ENTRY.finditer(block.data):
            if begin.start() > at:
                yield number, block.part(at, begin.start())
            at = begin.start()
            number += 1
        yield number, block.part(at) if at else block


def prose(
    pieces: Iterable[Decoded],
    about: Content,
    origin: Origin,
    wanted: Prefilter | None = None,
    spans: list[Span] | None = None,
) -> Iterable[Text]:
    """Return the texts in *pieces*: one, or more if there are uuencoded data between. *about* is the body's header.

    PGP's escapes and uuencoded data are left out. A body of one piece in which *wanted* finds nothing may be left out,
    too; *spans* is what it finds in the bytes of the body, if that is known.
    """
    pieces = without_escapes(pieces, _NAMESPACES) if about.type in FOLDED else iter(pieces)
    if (first := next(pieces, None)) is None:
        return ()
    second = next(pieces, None)
    reader = _Prose(origin, about, is_whole=second is None, places=wanted is None or wanted.places)
    if second is not None:
        return reader.texts_of(_recut(chain([first, second], pieces)))
    first = reader.unescaped(first)
    if about.delsp:
        spans = None
    elif wanted:
        text = first.text
        if spans is None or first.steps or not text.isascii():
            # Bytes are searched faster.
            spans = list(wanted.search(text.encode()) if text.isascii() else wanted.search_text(text, 0))
        if not spans:
            return ()
    return reader.texts(first, spans)


def _recut(pieces: Iterable[Decoded]) -> Iterator[tuple[Decoded, bool]]:
    """Yield *pieces* cut at other places, between paragraphs. Also yield whether one is the last."""
    held: list[Decoded] = []
    size = 0
    for piece in pieces:
        if held and not 0 <= piece.lines.offset - held[-1].lines.offset <= len(held[-1].lines.data):
            yield joined(held), False  # blank lines between them were left out
            held, size = [], 0
        if size >= BLOCK_SIZE:
            whole = joined(held)
            cut = _end_of_paragraphs(whole.text)
            yield whole.part(0, cut), False
            size -= cut
            while held and len(held[0].text) <= cut:
                cut -= len(held.pop(0).text)
            held[:1] = [held[0].part(cut, len(held[0].text))] if held else []
        held.append(piece)
        size += len(piece.text)
    if held:
        yield joined(held), True


_PARAGRAPH = 1 << 12
"""Most paragraphs, and all footers of lists and headers of quotes, have fewer characters."""


def _end_of_paragraphs(text: str) -> int:
    """Return where to cut a long *text*: between two lines, and if possible, between two paragraphs."""
    end = text.rfind("\n") + 1
    if len(text) - end > MAX_LINE or not end:
        return len(text)
    empty_line = max(text.rfind(f"\n{line_end}", end - _PARAGRAPH, end) for line_end in ("\n", "\r\n"))
    return end if empty_line < 0 else text.index("\n", empty_line + 1) + 1


class _Prose:
    """Reads text in pieces of whole lines. Without *places*, texts have no zones, and may have wrong line numbers."""

    _is_signed = False
    _places: SourceMap | None = None  # of the text, if it was decoded
    _zones: Zones | None = None  # of the text, if it comes in pieces
    _in_uuencoded = False
    _zone: Zone = (False, False)

    def __init__(self, origin: Origin, about: Content, *, is_whole: bool, places: bool) -> None:
        self._origin = origin  # another one for each text
        self._is_whole = is_whole
        self._flow = _Flow() if about.delsp else None
        self._has_soft_breaks = about.flowed and not about.delsp
        self._has_places = places

    def unescaped(self, piece: Decoded) -> Decoded:
        """Return the next *piece* without the escapes of signed text, with empty lines where soft breaks end URLs."""
        breaks = _SOFT_BREAK.finditer(piece.text) if self._has_soft_breaks else ()
        edits = [(found.end(), found.end(), "\n") for found in breaks if found[1]]
        for mark in _PGP_MARK.finditer(piece.text) if self._is_signed or _PGP in piece.text else ():
            if mark[0] != "- ":
                self._is_signed = mark["begin"] is not None
            elif self._is_signed:
                edits.append((*mark.span(), ""))
        if not edits:
            return piece
        text, step = replaced(piece.text, sorted(edits))
        return Decoded(text, piece.lines, (*piece.steps, step))

    def texts_of(self, pieces: Iterable[tuple[Decoded, bool]]) -> Iterator[Text]:
        """Yield the texts of *pieces*, each with whether it is the last one."""
        for piece, is_last in pieces:
            yield from self.texts(self.unescaped(piece), is_last=is_last)

    def texts(self, decoded: Decoded, spans: list[Span] | None = None, *, is_last: bool = True) -> list[Text]:
        """Return the texts of the next piece; with *spans*, only those they are in."""
        text, size = decoded.text, len(decoded.text)
        found: list[Text] = []
        pos = self._skip_uuencoded(text, 0) if self._in_uuencoded else 0
        # Few texts have such a line, which takes less time to find out.
        may_begin = text.startswith(_DATA) or f"\n{_DATA}" in text
        while pos < size:
            begin = _UU_BEGIN.search(text, pos) if may_begin else None
            stop = begin.start() if begin else size
            if pos < stop and (one := self._text(decoded, pos, stop, spans, is_last=is_last and stop == size)):
                found.append(one)
            if spans and spans[-1][0] < stop:
                break  # the rest of the body has none
            pos = self._skip_uuencoded(text, begin.end()) if begin else stop
        return found

    def _skip_uuencoded(self, text: str, pos: int) -> int:
        body = _UU_BODY.match(text, pos)
        end = body.end() if body else pos
        self._in_uuencoded = end == len(text) and not text[pos:end].rstrip().endswith("end")
        self._origin = self._origin.replace()
        self._places = self._zones = None
        return end

    def _text(self, decoded: Decoded, start: int, end: int, spans: list[Span] | None, *, is_last: bool) -> Text | None:
        """Return the text from *start* to *end* of a piece, which has these *spans*; `None` if none is in it."""
        text = decoded.text[start:end]
        flowed: tuple[Step, ...] = ()
        if self._flow is not None:
            text, step = self._flow.join(text)
            flowed = (step,)
        last = spans[-1][0] - start if spans else len(text)
        zones = self._zones_of(text, last, is_last=is_last) if self._has_places else None
        if spans and (start or spans[-1][0] >= end):
            inside = spans[bisect_left(spans, (start,)) : bisect_left(spans, (end,))]
            spans = [(first - start, stop - start) for first, stop in inside]
        if spans is not None and not spans:
            return None
        lines = decoded.lines
        if self._is_whole and not decoded.steps and not flowed:
            line = lines.line_at(start)[0] if start and self._has_places else lines.line
            return Text(text, self._origin, lines.offset + start, line, whole=True, spans=spans, zones=zones)
        places = self._places = self._places or SourceMap()
        places.add(len(text), lines, (*decoded.part(start, end).steps, *flowed))
        return Text(text, self._origin, places=places, whole=self._is_whole, spans=spans, zones=zones)

    def _zones_of(self, text: str, last: int, *, is_last: bool) -> Zones | None:
        """Return the zones of the text up to *text*, its next piece; `None` if no URL is quoted or in a signature.

        After the place *last* of the body there are no URLs.
        """
        part = f"\n{text}"
        marks = first_marks(part)
        if self._is_whole and not any(self._zone) and last < min(marks.values(), default=last + 1):
            return None
        zones = self._zones = self._zones or Zones(self._origin)
        begins = [(first - 1, zone) for first, zone in self._zones_in(part, marks, is_last=is_last)]
        zones.add(len(text), begins)
        self._zone = begins[-1][1] if begins else self._zone
        return zones

    def _zones_in(self, text: str, marks: Mapping[str, int], *, is_last: bool) -> Iterator[tuple[int, Zone]]:
        """Yield where the zones of *text* begin, and what each is. It begins with a line end and has these *marks*."""
        in_signature, in_quote = self._zone
        parts: Iterable[tuple[int, int, bool]] = [(1, len(text), in_quote)]
        if in_quote or QUOTE in marks:
            mark = marks.get(QUOTE, len(text))
            footer = partial(own_footer, text, marks) if is_last else partial(len, text)
            parts = quotes.quoted(text, mark, footer, inside=in_quote)
        for start, end, quoted in parts:
            inside = in_signature and start == 1 and quoted == in_quote
            for first, _, signature in signatures(text, start, end, marks, inside=inside):
                yield first, (signature, quoted)


class _Flow:
    """Joins flowed lines (RFC 3676 section 4), in text that comes in pieces of whole lines.

    Only those with DelSp: elsewhere a soft break is a blank and a line end, which need no joining.
    """

    _is_soft = False  # the last line ended with a soft break, which was removed
    _depth = 0  # how many quote marks it had

    def join(self, text: str) -> tuple[str, Removed]:
        """Return *text* with its paragraphs joined, and the step that removed the rest."""
        edits: list[tuple[int, int, str]] = []
        soft_break = 0  # where that of the last line begins
        following = 0
        for row in text.split("\n"):
            start, following = following, following + len(row) + 1
            if start == len(text):
                break
            line = row.removesuffix("\r")
            marked = line.lstrip(">")
            depth = len(line) - len(marked)
            inside = marked.removeprefix(" ")
            end = start + len(line)
            # A signature's separator is never flowed (RFC 3676 section 4.3).
            separator = inside == "-- "
            if self._is_soft and depth == self._depth and not separator:
                edits.append((soft_break, end - len(inside), ""))
            elif self._is_soft and not start:
                edits.append((0, 0, "\n"))  # the line end of the piece before should not have been removed
            self._is_soft = inside.endswith(" ") and not separator
            self._depth = depth
            soft_break = end - 1
        if self._is_soft:
            edits.append((soft_break, len(text), ""))
        return replaced(text, edits)
