"""The short walk over an mbox's plain messages: a header and text, all in hand. Most messages are no more than that."""

import re
from collections.abc import Iterator

from urlmend.sources.header import ENCODED_WORD, SIGN, Header, words_may_hide_urls
from urlmend.sources.mbox.reader import BEGIN, MboxReader, Position
from urlmend.sources.octets.decoding import Defects, text_of
from urlmend.sources.origin import Origin, Prefilter, Span, Text, find
from urlmend.sources.prose import prose, signatures
from urlmend.sources.reader import MAX_LINE, Lines

_MORE_THAN_TEXT = re.compile(rb"\n(?:>+From |begin )")
_PGP_BEGIN = b"-----BEGIN PGP SIGNED"

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
        # Where messages begin in it, and bodies behind plain headers; and the prefilter's spans. The next is last.
        self._begins: list[tuple[int, int]] = []
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
        begins = self._find(BEGIN, data)
        self._begins = [(start, end if end > start + 1 else -1) for start, end in begins if start >= reader.pos]
        if reader.ended:
            self._begins.append((len(data), -1))
        self._begins.reverse()
        self._spans = list(self._prefilter.search(data)) if self._prefilter else []
        self._spans.reverse()

    def _in_hand(self, stop: int) -> Iterator[Message]:
        reader, data, begins, spans = self._reader, self._data, self._begins, self._spans
        may_skip = self._prefilter is not None and data.isascii()
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
        found = self._spans_between(pos, end)
        header = data[pos:body]
        if (not prefilter or (found and found[0][0] < body)) and SIGN.search(header.lower()):
            return None
        if b"?" in header and ENCODED_WORD in header and (not prefilter or words_may_hide_urls(header)):
            return None
        octets = data[body:end]
        plain = octets.isascii() and not (
            _MORE_THAN_TEXT.search(data, body - 1, end) or (_PGP_BEGIN in octets and b"\n- " in octets)
        )
        spans = [(start - body, stop - body) for start, stop in found if start >= body] if prefilter else None
        if octets.isascii() and spans == []:
            return _NOTHING
        if plain and prefilter and not prefilter.places:
            return _NO_POSITION, list(_texts(Lines(octets, 0, 1), octets.decode("ascii"), self._origin.again(), spans))
        position, lines, origin = self._placed(pos, body, octets)
        if plain:
            return position, list(_texts(lines, octets.decode("ascii"), origin, spans))
        return position, self._decoded(lines, origin)

    def _placed(self, pos: int, body: int, octets: bytes) -> tuple[Position, Lines, Origin]:
        """Return where the message at *pos* begins, the lines of its *body*, which are *octets*, and its origin."""
        reader = self._reader
        position = Position(reader.number + 1, reader.offset, reader.line)
        line = position.line + self._data.count(b"\n", pos, body)
        origin = Origin(self._source, position.number, "1")
        origin.offset = position.offset
        origin.part_offset = reader.base + body
        origin.header = Header(self._data[pos : body - 1 - self._data.startswith(b"\r", body - 2)])
        return position, Lines(octets, origin.part_offset, line), origin

    def _spans_between(self, pos: int, end: int) -> list[Span]:
        """Return the spans that start from *pos* on and before *end*; what stands before is never asked for again."""
        spans, found = self._spans, []
        while spans and spans[-1][0] < end:
            if spans[-1][0] >= pos:
                found.append(spans[-1])
            spans.pop()
        return found

    def _decoded(self, lines: Lines, origin: Origin) -> list[Text]:
        """Return the texts of a body that is 8-bit, or has lines that are more than text."""
        defects: Defects = {}
        origin.noted = defects
        return list(prose(text_of([lines], "", origin.charset, defects, from_quoted=True), origin, self._prefilter))


def _texts(lines: Lines, text: str, origin: Origin, spans: list[Span] | None) -> Iterator[Text]:
    """Yield *text*, the plain text of *lines*, outside and inside of signatures; with *spans*, only where they are."""
    _, offset, line = lines
    stretches = signatures(text, 0, len(text), inside=False) if "-- " in text else [(0, len(text), False)]
    for start, end, inside in stretches:
        its_spans = spans and [(at - start, stop - start) for at, stop in spans if start <= at < end]
        if its_spans != []:
            its_origin = origin.again(signature=inside) if start or inside else origin
            its_line = line + text.count("\n", 0, start)
            yield Text(text[start:end], its_origin, offset + start, its_line, whole=True, spans=its_spans)


_NO_POSITION = Position()
_NOTHING: Message = _NO_POSITION, []
