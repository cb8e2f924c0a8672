"""Files of many messages, each behind a `From ` line: mboxo, mboxrd, mboxcl and mboxcl2, and pipermail's texts."""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from urlmend.sources import Origin, Text, source_name
from urlmend.sources.header import ENCODED_WORD, PLAIN, SIGN, Header, content
from urlmend.sources.mail import message
from urlmend.sources.prose import signatures
from urlmend.sources.window import CHUNK_SIZE, MAX_LINE, Window

# One look at a line's first character tells of most that it is none of these.
_MARK = re.compile(
    rb"\n[F>\-b](?:(?<=F)(rom )|(?<=>)(>*From )|(?<=-)(?:(- )|(----BEGIN PGP SIGNED))|(?<=b)(egin [0-7]))"
)
SIGNATURE = 1 << 3
"""The mark of a line `-- `."""
SIGNED = 1 << 4
"""The mark of text signed with PGP."""


class MboxWindow(Window):
    """A window on an mbox: a message ends before the next `From ` line.

    `marks` has a bit for each kind of line in hand that is more than text: the groups of `_MARK`.
    """

    quotes_from = True
    marks = 0
    number = 0
    """The number of the present message, from 1."""
    plain_body = 0
    """The offset of the body of the message that was last not passed over, if it is plain and has no sign before."""
    _viewed = b""
    _view = ""  # what was viewed, one character a byte
    _begins: Iterator[int] = iter(())  # where messages begin in it

    def begin(self) -> bool:
        """Begin a message where the window stands; `False` at the end of the file."""
        self.marks = 0
        begun = super().begin()
        self.number += begun
        return begun

    def pass_over(self, sign: re.Pattern[str], stop: int) -> None:
        """Pass over messages in hand, from before the offset *stop*, of which nobody asks for a text.

        They are plain, and *sign* is found nowhere in them. The first one that is not is left to be begun.
        """
        data, pos = self.data, self.pos
        if data is not self._viewed:
            self._viewed, self._view = data, data.decode("latin-1")
            self._begins = (line.start() for line in _NEXT_FROM_LINE.finditer(data, pos))
        view, search, header_at = self._view, sign.search, _PLAIN_HEADER.match
        stop -= self.base
        for end in self._begins:
            if end <= pos:
                continue
            header = header_at(data, pos, end) if 0 < pos < stop else None
            if header is None or data.find(ENCODED_WORD, pos, header.end()) >= 0 or not view[pos:end].isascii():
                break
            if found := search(view, pos, end):
                if found.start() >= header.end():
                    self.plain_body = self.base + header.end()
                break
            pos = end
            self.number += 1
        self.pos = pos

    def find_end(self) -> None:
        """Move `limit` to the next message, or as far as is known to be before it."""
        data = self.data
        # Not the line that this message begins with.
        start = self.pos if self.limit == self.start - self.base else self.limit - 1
        for mark in _MARK.finditer(data, start):
            if mark.lastindex != 1:
                self.marks |= 1 << (mark.lastindex or 0)
                continue
            found = mark.start()
            if FROM_LINE.match(data, found + 1):
                self.limit, self.done = found + 1, True
                return
            if not self.ended and len(data) - found < MAX_LINE and data.count(b"\n", found + 1, found + MAX_LINE) < 2:  # noqa: PLR2004 -- the line and the next
                self.limit, self.done = found + 1, False
                return
        super().find_end()

    def expect(self, length: int) -> None:
        """Take the message to have a body of *length* bytes (mboxcl2), if the next one begins there."""
        if length > MAX_COUNTED:
            return
        while not self.ended and self.pos + length + MAX_LINE > len(self.data):
            self.read()
        end = self.pos + length
        match = _BETWEEN.match(self.data, end)
        at_end = end <= len(self.data) and match is not None and match.end() == len(self.data)
        if match and (at_end or FROM_LINE.match(self.data, match.end())):
            self.limit, self.done = match.end(), True
        else:
            self.find_end()


MAX_COUNTED = 1 << 24
"""The longest body, in bytes, whose Content-Length is looked at."""

_BETWEEN = re.compile(rb"[\r\n]{0,4}")

FROM_LINE = re.compile(
    rb"""From\ (?:
    (?: [^\n]*[ ](?:19|20)\d\d | [^\n]*[ ]\d?\d:\d\d [^\n]* | [^\n]*[ ](?:19|20)\d\d\b [^\n]* ) \r?\n
        (?: [!-9;-~]+:[ \t\r\n] | >?From[ ] )
    | (?: - | [^\s@]+@\S* )[ \t]*\r?\n [A-Z][A-Za-z\-]+:
    | [^\n]*[ ](?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\ +(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\ +\d+\ +\d?\d:\d\d
    )""",
    re.VERBOSE,
)
"""The line that begins a message in an mbox (RFC 4155): it has a date, and a header follows it or it is quite
regular. Netscape's had only a hyphen, others only an address."""


_NEXT_FROM_LINE = re.compile(rb"F(?<=\nF)" + FROM_LINE.pattern.removeprefix(b"F"), re.VERBOSE)

# A header with nothing that makes a message more than plain text, and the empty line behind it. These charsets all
# have ASCII's characters where ASCII has them.
_PLAIN_HEADER = re.compile(
    rb"From [^\n]*\n(?:(?![Cc](?i:ontent-(?:type(?!: text"
    rb"(?:/plain(?:; charset=\"?(?:us-ascii|utf-8|iso-8859-(?:1|2|15)|windows-125[0-8])\"?)?)?\r?\n(?![ \t]))"
    rb"|transfer-encoding(?!: [78]bit\r?\n)|length)))(?:[!-9;-~]++:|[ \t])[^\n]*+\n)*+\n"
)


def plain_message(window: MboxWindow, source: str | None, number: int) -> list[Text] | None:
    """Return the texts of the message that *window* has begun, if it is what most are: whole in hand, and plain text.

    `None` for any other: then the window stands where it stood. `message` gives the same texts, in ten times the time.
    """
    if not window.done or window.marks & ~(SIGNATURE | SIGNED):
        return None
    data, pos, limit = window.data, window.pos, window.limit
    body = window.plain_body - window.base if window.plain_body > window.start else _plain_body(data, pos, limit)
    header, octets = data[pos : body - 1], data[body:limit]
    if not body or (window.marks & SIGNED and b"\n- " in octets):
        return None
    origin = Origin(source, number, "1")
    origin.offset = window.offset
    origin.header = Header(header)
    origin.content = content(header, header.lower(), PLAIN.type) if b"ontent-" in header else PLAIN
    window.pos = body
    origin.part_offset = offset = window.offset
    line = window.line
    window.pos = limit
    text = octets.decode("ascii")
    if not window.marks & SIGNATURE:
        return [Text(text, origin, offset, line, whole=True)]
    return [
        Text(
            text[start:end],
            origin.again(signature=inside),
            offset + start,
            line + text.count("\n", 0, start),
            whole=True,
        )
        for start, end, inside in signatures(text, 0, len(text), inside=False)
    ]


def _plain_body(data: bytes, pos: int, limit: int) -> int:
    """Return where the body of the message in *data* begins, if that is plain and has no URL before; else 0."""
    plain = _PLAIN_HEADER.match(data, pos, limit)
    if plain is None or not data[pos:limit].isascii():
        return 0
    header = plain[0]
    return 0 if ENCODED_WORD in header or SIGN.search(header.lower()) else plain.end()


class Position(NamedTuple):
    """Where the *number*th message of an mbox begins: at *offset*, in bytes from 0, and in *line*, from 1."""

    number: int = 1
    offset: int = 0
    line: int = 1


BEGINNING = Position()


def opened(fileobj: Any, start: Position = BEGINNING) -> MboxWindow:  # noqa: ANN401 -- any object with read(n)
    """Return the window on the mbox *fileobj*, which stands at *start*: no message is read by what stands before it."""
    window = MboxWindow(fileobj, start.offset, start.line)
    window.number = start.number - 1
    return window


def messages(
    window: MboxWindow, source: str | None, stop: int = sys.maxsize, sign: re.Pattern[str] | None = None
) -> Iterator[tuple[Position, Iterable[Text]]]:
    """Yield where each message begins, and its texts: they are taken before the next message is.

    The messages are those that begin where *window* stands or behind, and before the offset *stop*. With *sign*, plain
    ones are left out in which it is found nowhere.
    """
    while True:
        if sign is not None:
            window.pass_over(sign, stop)
        if window.offset >= stop or not window.begin():
            break
        position = Position(window.number, window.start, window.line)
        plain = plain_message(window, source, window.number)
        yield position, message(window, source, window.number) if plain is None else plain
    window.close()


def next_message(fileobj: Any, offset: int) -> int | None:  # noqa: ANN401 -- any object with read(n) and seek(n)
    """Return where the first message behind the start of the mbox *fileobj*, at *offset* or later, seems to begin.

    In bytes from 0; `None` where none does. One that tells its length (mboxcl2) may hold what seems to be another.
    """
    place = offset - 1
    while True:
        fileobj.seek(place)
        data: bytes = fileobj.read(CHUNK_SIZE)
        found = data.find(b"\nFrom ")
        while found >= 0 and not FROM_LINE.match(data, found + 1):
            found = data.find(b"\nFrom ", found + 1)
        if found >= 0:
            return place + found + 1
        if len(data) <= MAX_LINE:
            return None
        place += len(data) - MAX_LINE


def texts(fileobj: Any, sign: re.Pattern[str] | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the messages in the mbox *fileobj*, in order; *sign* is as in `messages`."""
    for _, message_texts in messages(MboxWindow(fileobj), source_name(fileobj), sign=sign):
        yield from message_texts
