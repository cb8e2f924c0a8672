"""Files of messages, each after a `From ` line (RFC 4155): mboxo, mboxrd, mboxcl and mboxcl2, and pipermail's texts."""

import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

from urlmend.sources.compression import PeekableFile
from urlmend.sources.header import Header
from urlmend.sources.mail import Walk
from urlmend.sources.origin import Prefilter, Span, Text
from urlmend.sources.reader import FROM_LINE, MAX_LINE, PLAIN_FIELDS, Reader, hides_urls
from urlmend.text.engine import search
from urlmend.text.patterns import lazy_regex

# In the last two lines: more of them must be read.
_MAY_BE_START = lazy_regex(rb"\nFrom [^\n]*(?:\n[^\n]*)?\Z")

MAX_COUNTED = 1 << 20
"""The longest body, in bytes, whose Content-Length is looked at: twice as much of the file may be in memory then."""

_MOST_DIGITS = 9
_BETWEEN = lazy_regex(rb"[\r\n]{0,4}")
_TWO_LINES = lazy_regex(rb"[\r\n]{0,4}+(?:[^\n]{0,998}+\n){2}")  # which may begin a message


class Position(NamedTuple):
    """Where the *number*th message of an mbox begins: at *offset*, in bytes from 0, and in *line*, from 1."""

    number: int = 1
    offset: int = 0
    line: int = 1


BEGINNING = Position()


class MessageRange(NamedTuple):
    """The messages of an mbox from *begin* to the offset *stop*, in bytes, where another message begins.

    *line_end* is that of the whole file; it may be `None` if the range begins where the file does.
    """

    begin: Position = BEGINNING
    stop: int = sys.maxsize
    line_end: bytes | None = None


ALL_MESSAGES = MessageRange()


_NOTHING = Prefilter(lambda _: (), lambda _, __: ())
"""Finds nothing, so that plain messages are skipped."""


@cache
def _message() -> re.Pattern[str]:
    """Return the pattern of the start of a message, with its header if that is plain.

    It looks for the rare letter F first, not for line ends.
    """
    line = FROM_LINE.pattern.removeprefix(b"F").decode()
    return re.compile(f"F(?<=\nF)(?={line})(?:[^\n]*\n{PLAIN_FIELDS.decode()})?", re.DOTALL | re.ASCII)


class MboxReader(Reader):
    """Reads *part* of the mbox *file*, which is at the beginning of it. A message ends before the next `From ` line."""

    quotes_from = True

    def __init__(self, file: PeekableFile, part: MessageRange = ALL_MESSAGES) -> None:
        super().__init__(file, part.begin.offset, part.begin.line, part.line_end)
        self.number = part.begin.number - 1
        self.stop = part.stop
        self.settled = True
        """Whether the messages so far end where they do even if the file grows."""
        # In the data, from the reader on: where messages begin, and where their plain headers end.
        self._begins: list[Span] = []  # the next one last

    def begin(self) -> bool:
        """Begin a message where the reader is; return whether there is one. Empty lines before the first are none."""
        if not self.number:
            self.skip_empty_lines()
        return super().begin()

    @property
    def position(self) -> Position:
        """Where the current message begins, until it is read."""
        return Position(self.number, self.start, self.line)

    def read(self) -> None:
        """Read more of the file, and drop what is before the reader."""
        super().read()
        self._begins = list(search(_message(), self.data))
        if self.ended:
            self._begins.append((len(self.data), 0))
        self._begins.reverse()

    def find_end(self) -> None:
        """Move `limit` to the next message, or as far as the data is known to be before it."""
        # Not the line that this message begins with.
        begins, after = self._begins, max(self.start - self.base, self.limit - 1)
        while begins and begins[-1][0] <= after:
            begins.pop()
        if begins:
            self.limit, self.done = begins[-1][0], True
        elif begin := _MAY_BE_START.search(self.data, max(after, len(self.data) - MAX_LINE + 1)):
            self.limit, self.done = begin.start() + 1, False
        else:
            super().find_end()

    def plain_messages(self, wanted: Prefilter, stop: int) -> Iterator[int]:
        """Begin the next messages that are plain text in which *wanted* finds something; yield where their headers end.

        Those in which it finds nothing are not parsed: most are like that. The messages end before one that is not
        plain and before the offset *stop*.
        """
        while True:
            data, begins, last = self.data, self._begins, stop - self.base
            hits = self.hits(wanted)
            while len(begins) > 1:
                (start, header_end), (end, _) = begins[-1], begins[-2]
                if header_end == start + 1 or start != self.pos or start >= last or hides_urls(data, start, header_end):
                    return
                self.number += 1
                if hits[-1][0] < end:
                    self.start, self.limit, self.done = self.base + start, end, True
                    yield header_end
                    while hits[-1][0] < end:
                        hits.pop()
                self.pos = end
                begins.pop()
            if self.ended or len(data) - self.pos > MAX_LINE or self.offset >= stop:
                return
            self.read()

    def position_from(self, offset: int) -> Position:
        """Go on to the first message that begins at *offset* or later, or to the end; return the position.

        It passes over messages as `messages` does, of whatever length they declare, but reads nothing in them.
        """
        while self.offset < offset:
            for _ in self.plain_messages(_NOTHING, offset):
                pass
            if self.offset >= offset or not self.begin():
                break
            lines, _ = self.header(())
            if length := Header(lines.data).body(b"content-length"):
                self.expect(length)
            self.skip()
        return Position(self.number + 1, self.offset, self.line)

    def expect(self, content_length: bytes) -> None:
        """Use the length in a Content-Length field (mboxcl2) for the body, if the next message begins after it."""
        digits = content_length.strip()
        if not digits.isdigit() or len(digits) > _MOST_DIGITS or (length := int(digits)) > MAX_COUNTED:
            return
        while not self.ended and self.pos + length + MAX_LINE > len(self.data):
            self.read()
        end = self.pos + length
        match = _BETWEEN.match(self.data, end)
        at_end = end <= len(self.data) and match is not None and match.end() == len(self.data)
        if match and (at_end or FROM_LINE.match(self.data, match.end())):
            self.limit, self.done = match.end(), True
        else:
            self.settled = self.settled and (not self.ended or _TWO_LINES.match(self.data, end) is not None)
            self.find_end()


def messages(reader: MboxReader, wanted: Prefilter | None = None) -> Iterator[Iterator[Text]]:
    """Yield the texts of each message of the *reader*'s part, to be read before the next message.

    With *wanted*, messages in which it finds nothing may be left out.
    """
    walk = Walk(reader, reader.file.name, wanted)
    reader.counts_lines = wanted is None or wanted.places
    while True:
        if wanted is not None:
            for header_end in reader.plain_messages(wanted, reader.stop):
                yield walk.texts(header_end)
        if reader.offset >= reader.stop or not reader.begin():
            break
        yield walk.texts()
    reader.file.raise_error()


def ranges(file: PeekableFile, size: int, range_size: int, *, counts_lines: bool = True) -> Iterator[MessageRange]:
    """Yield ranges of the messages of the mbox *file*, which has *size* bytes, of about *range_size* bytes each.

    The last one has no end. The line numbers of their positions are right only with *counts_lines*.
    """
    reader = MboxReader(file)
    reader.counts_lines = counts_lines
    begin = BEGINNING
    # The file may have become shorter than *size*: then the reader does not come as far as it should.
    while (target := begin.offset + range_size) <= (following := reader.position_from(target)).offset < size:
        if not reader.settled:
            break
        yield MessageRange(begin, following.offset, reader.line_end)
        begin = following
    yield MessageRange(begin, line_end=reader.line_end)


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Return the texts of the messages in the mbox *file*, in order; *wanted* is as in `messages`."""
    return chain.from_iterable(messages(MboxReader(file), wanted))
