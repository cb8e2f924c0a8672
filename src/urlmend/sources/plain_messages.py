"""The short way of an mbox's plain messages: a header and text, all in hand. Most messages are no more than that."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from urlmend.sources import Origin, Sighting, Text
from urlmend.sources.decoding import Defects, Octets, by_lines
from urlmend.sources.header import ENCODED_WORD, PLAIN, SIGN, Header, content, words_may_hide_urls
from urlmend.sources.mbox_window import NEXT_FROM_LINE, MboxWindow, Position
from urlmend.sources.places import Places, Removed
from urlmend.sources.prose import signatures
from urlmend.sources.window import MAX_LINE, Lines

# A header with nothing that makes a message more than plain text, and the empty line behind it. These charsets all
# have ASCII's characters where ASCII has them, and nowhere else.
_PLAIN_HEADER = re.compile(
    rb"(From [^\n]*\n(?:(?![Cc](?i:ontent-(?:type(?!: text"
    rb"(?:/plain(?:; charset=\"?(?:us-ascii|utf-8|iso-8859-(?:1|2|15)|windows-125[0-8])\"?)?)?\r?\n(?![ \t]))"
    rb"|transfer-encoding(?!: [78]bit\r?\n)|length)))(?:[!-9;-~]++:|[ \t])[^\n]*+\n)*+)\r?\n"
)

Message = tuple[Position, list[Text]]
"""Where a message of an mbox begins, and its texts."""


class PlainMessages:
    """Reads the plain messages in *window*, on *source*; with *sign*, only those in which it is found.

    `mail.message` gives the same texts, in ten times the time.
    """

    def __init__(self, window: MboxWindow, source: str | None, sign: re.Pattern[str] | None) -> None:
        self._window = window
        self._source = source
        self._sign = sign
        self._data = b""  # what was looked at of the window
        self._view = ""  # the same, one character a byte
        self._ends: Iterator[int] = iter(())  # where messages end in it

    def next_ones(self, stop: int) -> Iterator[Message]:
        """Yield the plain messages that are next; the window is left before one that is not.

        It is left before one, too, that begins at the offset *stop* or behind.
        """
        window = self._window
        if window.data is not self._data:
            self._look()
        while True:
            for end in self._ends:
                pos = window.pos
                if end <= pos:
                    continue
                message = self._message(pos, end) if pos < stop - window.base else None
                window.pos = pos
                if message is None:
                    return
                window.pos = end
                window.number += 1
                if message[1]:
                    yield message
            # Where the last one in hand ends shows when there is more.
            if window.ended or len(window.data) - window.pos > MAX_LINE or window.offset >= stop:
                return
            window.read()
            self._look()

    def _look(self) -> None:
        window = self._window
        data = self._data = window.data
        self._view = data.decode("latin-1")
        begins = (line.start() for line in NEXT_FROM_LINE.finditer(data, window.pos))
        self._ends = chain(begins, (len(data),) if window.ended else ())

    def _message(self, pos: int, end: int) -> Message | None:
        """Return the message from *pos* to *end* in the data, without the texts of one without a sign.

        `None` where it is not plain.
        """
        data, sign = self._data, self._sign
        header = _PLAIN_HEADER.match(data, pos, end)
        if header is None:
            return None
        body = header.end()
        found = list(sign.finditer(self._view, pos, end)) if sign else []
        if (not sign or (found and found[0].start() < body)) and SIGN.search(header[0].lower()):
            return None
        if data.find(ENCODED_WORD, pos, body) >= 0 and (not sign or words_may_hide_urls(header[0])):
            return None
        if sign and not found and data[body:end].isascii():
            return _NOTHING
        if (
            data.find(b">From ", body - 1, end) >= 0
            or data.find(b"\nbegin ", body - 1, end) >= 0
            or (data.find(b"-----BEGIN PGP SIGNED", body, end) >= 0 and data.find(b"\n- ", body, end) >= 0)
        ):
            return None
        window = self._window
        position = Position(window.number + 1, window.offset, window.line)
        window.pos = body
        return position, self._texts(header[1], data[body:end], position, _sightings(found, body))

    def _texts(self, header: bytes, octets: bytes, position: Position, sightings: list[Sighting]) -> list[Text]:
        window = self._window
        origin = Origin(self._source, position.number, "1")
        origin.offset = position.offset
        origin.part_offset = offset = window.offset
        origin.header = Header(header)
        origin.content = content(header, header.lower(), PLAIN.type) if b"ontent-" in header else PLAIN
        defects: Defects = {}
        origin.noted = defects
        text, piece = by_lines(Octets(octets, Lines(octets, offset, window.line)), origin.content.charset, defects)
        encoded = len(text) != len(octets)
        if encoded and self._sign:
            sightings = _sightings(self._sign.finditer(text), 0)
        if "-- " not in text:
            stretches = [(0, len(text), origin)]
        else:
            stretches = [
                (start, end, origin.again(signature=inside))
                for start, end, inside in signatures(text, 0, len(text), inside=False)
            ]
        texts = []
        for start, end, origin in stretches:
            found = None
            if self._sign:
                found = [(at - start, to - start, name) for at, to, name in sightings if start <= at < end]
                if not found:
                    continue
            if encoded:
                places = Places()
                places.add(end - start, piece._replace(layers=(*piece.layers, Removed([0], [start]))))
                texts.append(Text(text[start:end], origin, places=places, whole=True, found=found))
            else:
                line = piece.line + text.count("\n", 0, start)
                texts.append(Text(text[start:end], origin, offset + start, line, whole=True, found=found))
        return texts


_NOTHING: Message = Position(), []


def _sightings(found: Iterable[re.Match[str]], base: int) -> list[Sighting]:
    return [(match.start() - base, match.end() - base, match.lastgroup) for match in found]
