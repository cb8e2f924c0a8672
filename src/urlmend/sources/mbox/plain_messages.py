"""The short walk over an mbox's plain messages: a header and text, all in hand. Most messages are no more than that."""

import re
from collections.abc import Iterator

from urlmend.sources.header import ENCODED_WORD, SIGN, Header, words_may_hide_urls
from urlmend.sources.mbox.reader import BEGIN, MboxReader, Position
from urlmend.sources.octets.decoding import Defects, text_of
from urlmend.sources.octets.offsets import Places
from urlmend.sources.origin import Origin, Prefilter, Span, Text, find
from urlmend.sources.prose import plain_texts, prose
from urlmend.sources.reader import MAX_LINE, Lines

_MORE_THAN_TEXT = re.compile(rb"\n(?:>+From |begin )")
_PGP_BEGIN = b"-----BEGIN PGP SIGNED"

_MARK = re.compile(r"\n(?:-- (?=\r?\n)|>+From |begin |-----BEGIN PGP SIGNED)", re.DOTALL | re.ASCII)
"""Where a signature begins, or what `_MORE_THAN_TEXT` and `_PGP_BEGIN` look for, in octets."""
_SIGNATURE_SIZE = len("\n-- ")

_AT_A_TIME = 1 << 16
"""How many bytes are read while messages are plain: the memory of much more is mapped and unmapped each time."""

Message = tuple[Position, list[Text]]
"""Where a message of an mbox begins, and its texts."""


class PlainMessages:
    """Reads the plain messages next in *reader*, on *source*.

    With *prefilter*, those are left out in which it finds nothing, and the texts carry the spans. `mail.message` gives
    the same texts, in ten times the time.
    """

    def __init__(self, reader: MboxReader, source: str | None, prefilter: Prefilter | None) -> None:
        self._reader = reader
        self._source = source
        self._prefilter = prefilter
        self._find = prefilter.find if prefilter else find
        self._origin = Origin(source)
        self._data = b""  # what was looked through of the reader's data
        self._view = ""  # the same, one character a byte
        # Where messages begin in it, and bodies behind plain headers; marks; the prefilter's spans. The next is last.
        self._begins: list[tuple[int, int]] = []
        self._marks: list[Span] = []
        self._spans: list[Span] = []

    def next_ones(self, stop: int) -> Iterator[Message]:
        """Yield the plain messages that are next; the reader is left before one that is not.

        It is left before one, too, that begins at the offset *stop* or behind.
        """
        reader = self._reader
        if reader.data is not self._data:
            self._look_through()
        while True:
            yield from self._in_hand(stop - reader.base)
            # Where the last one in hand ends shows when there is more.
            left = len(reader.data) - reader.pos
            if len(self._begins) > 1 or reader.ended or left > MAX_LINE or reader.offset >= stop:
                return
            reader.read(_AT_A_TIME)
            self._look_through()

    def _look_through(self) -> None:
        reader = self._reader
        data = self._data = reader.data
        self._view = data.decode("latin-1")
        begins = self._find(BEGIN, data)
        self._begins = [(start, end if end > start + 1 else -1) for start, end in begins if start >= reader.pos]
        if reader.ended:
            self._begins.append((len(data), -1))
        self._begins.reverse()
        self._marks = list(self._find(_MARK, data))
        self._marks.reverse()
        self._spans = list(self._prefilter.search(data)) if self._prefilter else []
        self._spans.reverse()

    def _in_hand(self, stop: int) -> Iterator[Message]:
        reader, data, begins, spans = self._reader, self._data, self._begins, self._spans
        may_skip = self._prefilter is not None
        while len(begins) > 1:
            pos, body = begins[-1]
            if pos >= reader.pos:
                if pos > reader.pos or body < 0 or pos >= stop:
                    return
                end = begins[-2][0]
                message: Message | None = None
                # An encoded word would show by its question marks.
                if not (may_skip and (not spans or spans[-1][0] >= end) and data.find(b"?", pos, body) < 0):
                    message = self._message(pos, body, end)
                    if message is None:
                        return
                reader.pos = end
                reader.number += 1
                if message and message[1]:
                    yield message
            begins.pop()

    def _message(self, pos: int, body: int, end: int) -> Message | None:
        """Return the message from *pos* to *end* in the data, or `None` where it is not plain."""
        data, prefilter = self._data, self._prefilter
        found = _between(self._spans, pos, end)
        if (not prefilter or (found and found[0][0] < body)) and SIGN.search(data[pos:body].lower()):
            return None
        if data.find(b"?", pos, body) >= 0:
            header = data[pos:body]
            if ENCODED_WORD in header and (not prefilter or words_may_hide_urls(header)):
                return None
        # The charsets of plain headers have ASCII's octets for ASCII's characters alone: what is found shows in octets.
        spans = [(start - body, stop - body) for start, stop in found if start >= body] if prefilter else None
        if spans == []:
            return _NOTHING
        octets = data[body:end]
        marks = _between(self._marks, body - 1, end)
        plain = not (marks and _is_more_than_text(data, body, end, marks))
        # A signature begins behind the line end of its mark.
        signature = max(0, marks[0][0] - body) if marks else None
        if octets.isascii() and plain:
            if prefilter and not prefilter.places:
                position, offset, line, origin = _NO_POSITION, 0, 1, self._origin.again()
            else:
                position, offset, line, origin = self._placed(pos, body)
            text = Text(self._view[body:end], origin, offset, line, whole=True, spans=spans)
            return position, [text] if signature is None else list(plain_texts(text, signature))
        position, offset, line, origin = self._placed(pos, body)
        return position, self._decoded(Lines(octets, offset, line), origin, signature, plain=plain)

    def _decoded(self, lines: Lines, origin: Origin, signature: int | None, *, plain: bool) -> list[Text]:
        """Return the texts of a body that is 8-bit, or not *plain*; *signature* is where one may begin in it."""
        defects: Defects = {}
        origin.noted = defects
        pieces = list(text_of([lines], "", origin.charset, defects, from_quoted=not plain))
        if plain and len(pieces) == 1:
            decoded, piece = pieces[0]
            if not piece.steps:
                text = Text(decoded, origin, lines.offset, lines.line, whole=True)
                return [text] if signature is None else list(plain_texts(text, signature))
            if signature is None:
                places = Places()
                places.add(len(decoded), piece)
                return [Text(decoded, origin, places=places, whole=True)]
        return list(prose(pieces, origin, self._prefilter))

    def _placed(self, pos: int, body: int) -> tuple[Position, int, int, Origin]:
        """Return where the message at *pos* begins, the offset and the line of its *body*, and its origin."""
        reader, data = self._reader, self._data
        position = Position(reader.number + 1, reader.offset, reader.line)
        origin = Origin(self._source, position.number, "1")
        origin.offset = position.offset
        origin.part_offset = reader.base + body
        origin.header = Header(data[pos : body - 1 - data.startswith(b"\r", body - 2)])
        return position, origin.part_offset, position.line + data.count(b"\n", pos, body), origin


def _between(spans: list[Span], pos: int, end: int) -> list[Span]:
    """Return those of *spans*, the last one first, that start from *pos* on and before *end*.

    They and those before are taken out: they are never asked for again.
    """
    found = []
    while spans and spans[-1][0] < end:
        span = spans.pop()
        if span[0] >= pos:
            found.append(span)
    return found


def _is_more_than_text(data: bytes, body: int, end: int, marks: list[Span]) -> bool:
    """Tell whether lines of the message in *data* whose body begins at *body* may be more than text, or signed."""
    if all(stop - start == _SIGNATURE_SIZE for start, stop in marks):
        return False
    if _MORE_THAN_TEXT.search(data, body - 1, end):
        return True
    return data.find(_PGP_BEGIN, body, end) >= 0 and data.find(b"\n- ", body, end) >= 0


_NO_POSITION = Position()
_NOTHING: Message = _NO_POSITION, []
