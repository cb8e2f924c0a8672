"""The part of a file that is in hand: it moves forward over messages and their parts, and never back."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from urlmend.sources.octets.offsets import line_ends

CHUNK_SIZE = 1 << 18
"""How many bytes are read at a time."""

MAX_LINE = 1 << 16
"""The longest line that is kept whole, in bytes: a longer one is read in pieces."""

MAX_HEADER = 1 << 20
"""The longest header, in bytes: what follows is read as the body."""

# RFC 5322 section 2.2, and the `From ` lines that got into headers. The line feed of the last one may be missing.
_FIELDS = re.compile(rb"(?:(?:[!-9;-~]+:|[ \t]|>?From )[^\n]*(?:\n|\Z))*+")
_EMPTY_LINE = re.compile(rb"\r*\n")
_BEHIND_BOUNDARY = re.compile(rb"(--)?[ \t]*(?:\r?\n|\r|\Z)")


class Lines(NamedTuple):
    """Some whole lines of a file: `data` begins at `offset`, in bytes from 0, and at the start of `line`, from 1."""

    data: bytes
    offset: int
    line: int


class Delimiter(NamedTuple):
    """A delimiter line of a multipart (RFC 2046 section 5.1.1): of which boundary, and whether it closes."""

    boundary: bytes
    closing: bool


class Reader:
    """Reads one message after the other from *file*, of which only `read(n)` is asked.

    A file that is not read from its start stands at *offset*, in bytes from 0, at the start of *line*, from 1.

    `data[pos:limit]` is known to be of the present message; where it is `done` it ends there. A message ends with the
    file; its subclasses know of other ends. Where `quotes_from`, lines `>From ` stand for `From `.
    """

    quotes_from = False
    counts = True
    """Whether lines are counted."""

    def __init__(self, file: Any, offset: int = 0, line: int = 1) -> None:  # noqa: ANN401 -- any object with read(n)
        self._file = file
        self.data = b""
        self.pos = 0
        self.limit = 0
        self.done = False
        self.ended = False  # the file has no more
        self._error: OSError | None = None  # why it has not
        self.base = offset  # the offset of the data in the file
        self.start = offset  # where in the file the present message begins
        self._line = line  # the line that _counted is in
        self._counted = 0  # in the data: lines are counted up to here
        self._next: dict[bytes, int] = {}  # of each boundary: where in the file it stands next, or is not before

    @property
    def offset(self) -> int:
        """Where the reader stands in the file, in bytes from 0."""
        return self.base + self.pos

    @property
    def line(self) -> int:
        """The line in which the reader stands, from 1."""
        if self.counts:
            self._line += line_ends(self.data, self._counted, self.pos)
            self._counted = self.pos
        return self._line

    def begin(self) -> bool:
        """Begin a message where the reader stands; `False` at the end of the file."""
        self.done = False
        self.limit = self.pos
        self._next.clear()
        if self.pos >= len(self.data):
            self.read()
        if not self.offset and self.data.startswith(BOM_UTF8, self.pos):
            self.pos = self.limit = self.pos + len(BOM_UTF8)
        if self.pos >= len(self.data):
            return False
        self.start = self.offset
        self.find_end()
        return True

    def expect(self, length: int) -> None:
        """Take note that the message's header gives its body *length* bytes (Content-Length)."""

    def close(self) -> None:
        """Raise the error that ended the file, now that all that was read before it is given out."""
        if self._error is not None:
            raise self._error

    def grow(self) -> bool:
        """Read more of the message; `False` where all of it is in hand."""
        if self.done:
            return False
        if not self.ended:
            self.read()
        self.find_end()
        return True

    def read(self, size: int = CHUNK_SIZE) -> None:
        """Read more of the file, some *size* of bytes, and drop what stands before the reader."""
        _ = self.line  # counts what is dropped
        drop = max(0, self.pos - 1)  # what stands before tells that a line starts here
        held = self.data[drop:]
        # What is held grows by as much again, so that it is not copied often.
        try:
            chunk = self._file.read(max(size, len(held)))
        except OSError as error:
            self._error = error
            chunk = b""
        if isinstance(chunk, str):
            message = "mail and news are read from a binary file"
            raise TypeError(message)
        self.ended = not chunk
        self.data = held + chunk
        self.base += drop
        self.pos -= drop
        self.limit -= drop
        self._counted -= drop

    def find_end(self) -> None:
        """Move `limit` as far as what is in hand is known to be of the message."""
        self.done = self.ended
        self.limit = len(self.data) if self.ended else self.whole_lines()

    def whole_lines(self) -> int:
        """Return the end of the last whole line, or the end of a long part of one."""
        end = self.data.rfind(b"\n", self.pos) + 1 or self.pos
        return len(self.data) - 4 if len(self.data) - end > MAX_LINE else end

    def header(self, boundaries: Sequence[bytes]) -> tuple[Lines, bool]:
        """Read a header and the empty line behind it; tell whether that is there (or the body, too, is missing)."""
        while True:
            stop = self.delimiter(boundaries)
            fields = _FIELDS.match(self.data, self.pos, stop)
            end = fields.end() if fields else self.pos
            empty = _EMPTY_LINE.match(self.data, end, stop)
            if empty or end + 2 < self.limit or end - self.pos > MAX_HEADER or not self.grow():
                break
        lines = Lines(self.data[self.pos : end], self.offset, self.line)
        self.pos = empty.end() if empty else end
        return lines, empty is not None or end == stop

    def lines(self, boundaries: Sequence[bytes]) -> Iterator[Lines]:
        """Yield the lines up to the next delimiter of one of *boundaries*, or the end of the message.

        The line end before a delimiter is the delimiter's.
        """
        while True:
            stop = self.delimiter(boundaries)
            start, offset, line = self.pos, self.offset, self.line
            self.pos = stop
            delimited = stop < self.limit
            if delimited and stop > start:
                stop -= 2 if self.data.startswith(b"\r\n", stop - 2) and stop - 2 >= start else 1
            if stop > start:
                yield Lines(self.data[start:stop], offset, line)
            if delimited or not self.grow():
                return

    def delimiter(self, boundaries: Sequence[bytes]) -> int:
        """Return where in the data the next delimiter of *boundaries* stands; the limit where there is none before."""
        stop = self.limit
        for boundary in boundaries:
            stop = min(stop, self._next_of(boundary, stop))
        return stop

    def _next_of(self, boundary: bytes, stop: int) -> int:
        known = self._next.get(boundary, 0) - self.base
        if known >= stop:
            return stop
        start = self._search(boundary, max(self.pos, known), stop)
        self._next[boundary] = self.base + start
        return start

    def _search(self, boundary: bytes, start: int, stop: int) -> int:
        if self._starts_line(start) and self._delimiter_at(start, boundary):
            return start
        line = b"\n--" + boundary
        while (found := self.data.find(line, max(0, start - 1), stop)) >= 0:
            if self._delimiter_at(found + 1, boundary):
                return found + 1
            start = found + 2
        return stop

    def _delimiter_at(self, pos: int, boundary: bytes) -> re.Match[bytes] | None:
        """Return what follows *boundary* in the delimiter line at *pos*; `None` where there is no such line."""
        if not self.data.startswith(b"--" + boundary, pos, self.limit):
            return None
        return _BEHIND_BOUNDARY.match(self.data, pos + 2 + len(boundary), self.limit)

    def _starts_line(self, pos: int) -> bool:
        return pos == 0 or self.data[pos - 1 : pos] == b"\n"

    def forget(self, boundary: bytes) -> None:
        """Take note that *boundary* delimits nothing any more."""
        self._next.pop(boundary, None)

    def take_delimiter(self, boundaries: Sequence[bytes]) -> Delimiter | None:
        """Return the delimiter that stands here, or `None`, and pass over its line if it is the last boundary's."""
        for boundary in reversed(boundaries):
            match = self._delimiter_at(self.pos, boundary)
            if match:
                if boundary == boundaries[-1]:
                    self.pos = match.end()
                return Delimiter(boundary, match[1] is not None)
        return None


class CountedReader(Reader):
    """A reader on a batch: a line before each message tells its length in bytes."""

    command_offset = 0
    """Where the line before the message begins, in bytes from 0."""
    _end = 0

    def next_message(self, command: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Go behind the next line that *command* matches, with a group `length`, and return the match, if any.

        Where the group matches nothing, no message follows.
        """
        while True:
            end = self.data.find(b"\n", self.pos) + 1
            if not end and not self.ended and len(self.data) - self.pos < MAX_LINE:
                self.read()
                continue
            match = command.match(self.data, self.pos)
            if match:
                self.pos = match.end()
                self.command_offset = self.base + match.start()
                self._end = self.offset + int(match["length"] or 0)
                return match
            self.pos = end or len(self.data)
            if self.ended and self.pos == len(self.data):
                return None

    def find_end(self) -> None:
        """Move `limit` to the message's end, or as far as is in hand."""
        end = self._end - self.base
        self.done = self.ended or end <= len(self.data)
        self.limit = min(end, len(self.data)) if self.done else self.whole_lines()
