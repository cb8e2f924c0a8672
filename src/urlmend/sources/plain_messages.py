"""The short way of an mbox's plain messages: a header and text, all in hand. Most messages are no more than that."""

import re
from collections.abc import Iterator

from urlmend.scan.regex_engine import everywhere
from urlmend.sources import Origin, Prefilter, Span, Text
from urlmend.sources.decoding import Defects, text_of
from urlmend.sources.header import ENCODED_WORD, SIGN, Header, words_may_hide_urls
from urlmend.sources.mbox_reader import BEGIN, BEGINNING, MboxReader, Position
from urlmend.sources.prose import prose, signatures
from urlmend.sources.reader import MAX_LINE, Lines

_MORE_THAN_TEXT = re.compile(rb"\n(?:>+From |begin )")
_PGP_BEGIN = b"-----BEGIN PGP SIGNED"

_AT_A_TIME = 1 << 16
"""How many bytes are read while messages are plain: the memory of much more is mapped and unmapped each time."""

Message = tuple[Position, list[Text]]
"""Where a message of an mbox begins, and its texts."""


class PlainMessages:
    """Reads the plain messages in *reader*, on *source*; with *sign*, only those in which it is sighted.

    `mail.message` gives the same texts, in ten times the time.
    """

    def __init__(self, reader: MboxReader, source: str | None, sign: Prefilter | None) -> None:
        self._reader = reader
        self._source = source
        self._sign = sign
        self._any_origin = Origin(source)
        self._taken = False  # whether the sign took a text since one was given out
        self._data = b""  # what was looked at of the reader
        # Where messages begin in it, and bodies behind plain headers; and where the sign is. The next is last.
        self._begins: list[tuple[int, int]] = []
        self._sightings: list[Span] = []

    def next_ones(self, stop: int) -> Iterator[Message]:
        """Yield the plain messages that are next; the reader is left before one that is not.

        It is left before one, too, that begins at the offset *stop* or behind.
        """
        reader = self._reader
        if reader.data is not self._data:
            self._look()
        while True:
            yield from self._in_hand(stop - reader.base)
            if self._taken:
                self._taken = False
                yield BEGINNING, [Text("", self._any_origin, whole=True)]
            # Where the last one in hand ends shows when there is more.
            left = len(reader.data) - reader.pos
            if len(self._begins) > 1 or reader.ended or left > MAX_LINE or reader.offset >= stop:
                return
            reader.read(_AT_A_TIME)
            self._look()

    def _look(self) -> None:
        reader = self._reader
        data = self._data = reader.data
        self._begins = [
            (start, stop if stop > start + 1 else -1) for start, stop in everywhere(BEGIN, data) if start >= reader.pos
        ]
        if reader.ended:
            self._begins.append((len(data), -1))
        self._begins.reverse()
        self._sightings = list(self._sign.sightings(data)) if self._sign else []
        self._sightings.reverse()

    def _in_hand(self, stop: int) -> Iterator[Message]:
        reader, data, begins, sightings = self._reader, self._data, self._begins, self._sightings
        unseen = self._sign is not None and data.isascii()
        while len(begins) > 1:
            pos, body = begins[-1]
            if pos >= reader.pos:
                if pos > reader.pos or body < 0 or pos >= stop:
                    return
                end = begins[-2][0]
                if unseen and (not sightings or sightings[-1][0] >= end) and data.find(b"?", pos, body) < 0:
                    # Of an encoded word two question marks would show.
                    message: Message | None = _NOTHING
                else:
                    message = self._message(pos, body, end)
                if message is None:
                    return
                reader.pos = end
                reader.number += 1
                if message[1]:
                    self._taken = False
                    yield message
            begins.pop()

    def _message(self, pos: int, body: int, end: int) -> Message | None:
        """Return the message from *pos* to *end* in the data; without its texts where nobody asks for them.

        `None` where it is not plain.
        """
        data, sign = self._data, self._sign
        found = self._found(pos, end) if sign else []
        if (not sign or (found and found[0][0] < body)) and SIGN.search(data[pos:body].lower()):
            return None
        # Question marks are rare in headers, and one byte is found sooner than two.
        if (
            data.find(b"?", pos, body) >= 0
            and data.find(ENCODED_WORD, pos, body) >= 0
            and (not sign or words_may_hide_urls(data[pos:body]))
        ):
            return None
        octets = data[body:end]
        if sign and not found and octets.isascii():
            return _NOTHING
        more = _MORE_THAN_TEXT.search(data, body - 1, end) or (_PGP_BEGIN in octets and b"\n- " in octets)
        found = [(start - body, stop - body) for start, stop in found if start >= body]
        simple = not more and octets.isascii()
        if simple and sign and not sign.places and self._takes(octets.decode("ascii"), found):
            return _NOTHING
        reader = self._reader
        position = Position(reader.number + 1, reader.offset, reader.line)
        reader.pos = body
        lines = Lines(octets, reader.offset, reader.line)
        reader.pos = pos
        origin = Origin(self._source, position.number, "1")
        origin.offset = position.offset
        origin.part_offset = lines.offset
        origin.header = Header(data[pos : body - 1 - data.startswith(b"\r", body - 2)])
        return position, self._texts(lines, origin, found) if simple else self._decoded(lines, origin, plain=not more)

    def _found(self, pos: int, end: int) -> list[Span]:
        """Return what is sighted from *pos* to *end*; what stands before is never asked for again."""
        sightings = self._sightings
        found = []
        while sightings and sightings[-1][0] < end:
            if sightings[-1][0] >= pos:
                found.append(sightings[-1])
            sightings.pop()
        return found

    def _decoded(self, lines: Lines, origin: Origin, *, plain: bool) -> list[Text]:
        """Return the texts of a body that is 8-bit, or not *plain*: has lines that are more than text."""
        sign = self._sign
        defects: Defects = {}
        origin.noted = defects
        pieces = list(text_of([lines], "", origin.charset, defects, from_quoted=True))
        if plain and len(pieces) == 1 and len(pieces[0].text) == len(lines.data):
            found = list(sign.sightings(pieces[0].text)) if sign else []
            return self._texts(lines, origin, found, pieces[0].text)
        # Each has an origin of its own: of one piece, each is whole.
        texts = [text._replace(whole=len(pieces) == 1) for text in prose(pieces, origin)]
        if sign and not sign.places and len(pieces) == 1:
            while texts and self._takes(text := str(texts[0].data), list(sign.sightings(text))):
                texts.pop(0)
        return texts

    def _texts(self, lines: Lines, origin: Origin, found: list[Span], text: str = "") -> list[Text]:
        octets, offset, line = lines
        text = text or octets.decode("ascii")
        stretches = signatures(text, 0, len(text), inside=False) if "-- " in text else [(0, len(text), False)]
        texts: list[Text] = []
        for start, end, inside in stretches:
            its = [(at - start, stop - start) for at, stop in found if start <= at < end]
            if self._sign and not its:
                continue
            its_origin = origin.again(signature=inside) if start or inside else origin
            its_line = line + text.count("\n", 0, start)
            its_text = Text(text[start:end], its_origin, offset + start, its_line, whole=True)
            # One that is given out is before those that are taken later.
            if texts or not self._takes(text[start:end], its, its_origin, offset + start, its_line):
                texts.append(its_text)
        return texts

    def _takes(
        self, text: str, found: list[Span], origin: Origin | None = None, offset: int = 0, line: int = 1
    ) -> bool:
        taken = self._sign is not None and self._sign.takes(text, found, origin or self._any_origin, offset, line)
        self._taken = self._taken or taken
        return taken


_NOTHING: Message = Position(), []
