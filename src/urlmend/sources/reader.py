"""The part of a file that is in memory: it moves forward over messages and their parts, and never back."""

import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import NamedTuple

from urlmend.sources.charsets import utf_16
from urlmend.sources.compression import PeekableFile
from urlmend.sources.origin import Body, Prefilter, SourceError, Span
from urlmend.sources.places import LONE_RETURN, LineCounter, Lines
from urlmend.text.patterns import FIELD_NAME, lazy_regex

BLOCK_SIZE = 1 << 16
"""How many bytes of mail and of text are read at a time: the memory of each larger block would be mapped and unmapped.

A body is decoded in blocks of this size, each to the end of its last line.
"""

MAX_LINE = 1 << 16
"""The longest line that is kept whole, in bytes: a longer one is read in pieces."""

MAX_HEADER = 1 << 20
"""The longest header, in bytes: what follows is read as the body."""

# Fields, and the `From ` lines that got into headers. The line feed of the last one may be missing.
FIELDS = lazy_regex(rb"(?:(?:%b[ \t]*:|[ \t]|>?From )[^\n]*(?:\n|\Z))*+" % FIELD_NAME)
EMPTY_LINE = lazy_regex(rb"\r*\n")
"""The line between a header and its body."""

SEPARATOR = lazy_regex(
    rb"(?m)^(?:(?:\x01{4}\r?\n){1,2}|Article \d{1,12} of [\w.+\-]{1,99}:\r?\n(?=%b:(?!//))"
    rb"|(?:\ABABYL OPTIONS:[^\x1f]*+)?\x1f\f?\r?\n[01],[^\n]*\n(?:\*\*\* EOOH \*\*\*\r?\n)?)" % FIELD_NAME
)
"""What precedes a message of a folder: in MMDF, of rn, or in Babyl, the format of Emacs' Rmail."""

NAMED_VALUE = lazy_regex(rb"[A-Za-z_]\w*+(?:\.\w++)++ = (?=[\[{])")
"""What precedes the JSON in a script that only names it, as in archives of Twitter: `window.YTD.tweets.part0 = [`."""

_EMPTY_LINES = lazy_regex(rb"[\r\n]*+")

PLAIN_FIELDS = (
    rb"(?:(?![Cc](?i:ontent-(?:type(?!: text"
    rb"(?:/plain(?:; charset=\"?(?:us-ascii|utf-8|iso-8859-(?:1|2|15)|windows-125[0-8])\"?)?)?\r?\n(?![ \t]))"
    rb"|transfer-encoding(?!: [78]bit\r?\n)|length)))(?:%b:|[ \t])[^\n]*+\n)*+(?=\r?\n)"
) % FIELD_NAME
"""A pattern for a header, up to the empty line, that says no more of the body than that it is plain text.

Its charset is one in which ASCII bytes are ASCII.
"""
_FROM_DATE = rb" (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) +(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ +\d?\d:\d\d"
# A line with a URL is text, unless the URL is the sender. To know, all of the line must have been read, so it is no
# longer than RFC 5322 section 2.1.1 allows.
FROM_LINE = lazy_regex(
    rb"""From (?=[^\n]{0,998}\n)(?:(?![^\n]*://)|(?=\S++ *%b(?![^\n]*://)))(?x:
    (?= [^\n]*[ ](?: \d?\d:\d\d | (?:19|20)\d\d\b ) ) [^\n]*+\n (?: %b:[ \t\r\n] | >?From[ ] )
    | (?: - | -?\d{10,} | [^\s@]+@\S* )[ \t]*\r?\n [A-Z][A-Za-z\-]+:
    | [^\n]*(?-x:%b)
    )"""
    % (_FROM_DATE, FIELD_NAME, _FROM_DATE)
)
"""The line that begins a message. It has a date in the usual form, or a header follows it.

Netscape wrote a hyphen in place of address and date, Google's archive of Usenet a number, other programs an address
without a date.
"""

PLAIN_HEADER = lazy_regex(rb"(?:From [^\n]*\n)?" + PLAIN_FIELDS)

# An encoded word that may contain a URL or part of one: it has a colon, a line end or a bracket in it or a colon next
# to it, or its charset may encode ASCII characters as other bytes.
_HIDING_WORD = lazy_regex(
    rb"=\?(?:(?<=:=\?)|(?!(?i:us-ascii|utf-8|iso-8859-[0-9]{1,2}|windows-125[0-8])\?[Qq]\?"
    rb"(?:[!-9>@-~]|=(?!3[ACac]|0[ADad])[0-9A-Fa-f]{2})*\?=(?!:)))"
    rb"|[<;]\s*[A-Za-z]*:\s"
)


def hides_urls(data: bytes, start: int, stop: int) -> bool:
    """Return whether encoded words in the header from *start* to *stop* of *data* may contain a URL."""
    # One byte is found ten times as fast as two.
    has_words = data.find(b"?", start, stop) >= 0 and data.find(b"=?", start, stop) >= 0
    return has_words and _HIDING_WORD.search(data, start, stop) is not None


_LONGEST_BLOCK = BLOCK_SIZE + MAX_LINE

_BLOCK_END = lazy_regex(rb"\n(?!=[89ABab])")
"""A line end that is not within a character of quoted-printable."""

_LONGEST_WORD = 1 << 12
_TORN = lazy_regex(rb"(?:=.?|[\xc0-\xff][\x80-\xbf]{0,3})\Z", re.DOTALL)


def line_end(head: bytes, *, whole: bool) -> bytes | None:
    r"""Return `b"\r"` if the lines of a file that begins with *head* end in CR alone, as on old Macs, else `b"\n"`.

    `None` if more of the file is needed to decide.
    """
    if head.find(b"\n", 0, MAX_LINE) >= 0:
        return b"\n"
    if whole or len(head) >= MAX_LINE:
        return b"\r" if head.find(b"\r", 0, MAX_LINE) >= 0 and not utf_16(head) else b"\n"
    return None


def end_of_piece(data: bytes, start: int) -> int:
    """Return where the last whole line of *data* ends, or *start* if none does.

    The rest of a line of more than MAX_LINE bytes ends between two words, and not within a character or an escape.
    """
    end = data.rfind(b"\n", start) + 1 or start
    if len(data) - end <= MAX_LINE:
        return end
    # Four bytes are left, so that no delimiter or line end is cut.
    stop = len(data) - 4
    since = max(end, stop - _LONGEST_WORD)
    between = max(data.rfind(sign, since, stop) for sign in (b" ", b">")) + 1
    torn = _TORN.search(data, since, stop)
    return between or (torn.start() if torn else stop)


class Delimiter(NamedTuple):
    """A delimiter line of a multipart (RFC 2046 section 5.1.1): whether it is the last one, and where it is.

    It was searched for among *boundaries*.
    """

    boundary: bytes
    closing: bool
    start: int
    end: int
    boundaries: Sequence[bytes]


class Reader:
    """Reads the messages of *file* one by one. If a read fails, the file ends there: see `PeekableFile.raise_error`.

    Reading begins at *offset*, in bytes from 0, which is the start of *line*, from 1. If that is not the beginning of
    the file, its *line_end* must be given. `data[pos:limit]` is part of the current message; once the reader is `done`
    with it, the message ends at `limit`. A message ends with the file, and in subclasses before. If `quotes_from`, a
    `>` was put before each line of a body that began with `From `.
    """

    quotes_from = False
    counts_lines = True

    def __init__(self, file: PeekableFile, offset: int = 0, line: int = 1, line_end: bytes | None = None) -> None:
        self.file = file
        self.report = file.report
        self.number = 0  # of the current message, from 1
        self.data = b""
        self.pos = 0
        self.limit = 0
        self.done = False
        self.ended = False  # the file has no more
        self.line_end = line_end  # if it is a CR, each that no LF follows is read as LF
        self.base = offset  # the offset of the data in the file
        self.start = offset  # where in the file the current message begins
        self._lines = LineCounter(offset, line)
        self._delimiter: Delimiter | None = None  # the one that was found last
        self._searched: bytes | None = None  # the data that the spans are of
        self._spans: list[Span] = []  # the next one last, and first of all one that is past all data
        self.body: Body | None = None  # of the current message, to be hashed as it is read

    @property
    def offset(self) -> int:
        """Where the reader is in the file, in bytes from 0."""
        return self.base + self.pos

    @property
    def line(self) -> int:
        """The line where the reader is, from 1."""
        if self.counts_lines:
            self._lines.count_to(self.base + self.pos)
        return self._lines.line

    @property
    def has_all(self) -> bool:
        """Whether the whole message is in memory and ends with a line end."""
        return self.done and self.data.endswith(b"\n", 0, self.limit)

    def skip_empty_lines(self) -> None:
        """Move past the empty lines before the first message."""
        while empty := _EMPTY_LINES.match(self.data, self.pos):
            self.pos = self.limit = empty.end()
            if self.ended or self.pos < len(self.data):
                break
            self.read()

    def begin(self) -> bool:
        """Begin a message where the reader is; return whether there is one."""
        self.done = False
        self.limit = self.pos
        if self.pos >= len(self.data):
            self.read()
        if not self.base + self.pos and self.data.startswith(BOM_UTF8, self.pos):
            self.pos = self.limit = self._lines.line_start = self.pos + len(BOM_UTF8)
        if self.pos >= len(self.data):
            return False
        self.start = self.base + self.pos
        self.number += 1
        self.find_end()
        if not self.done:
            self.grow()  # most messages are in memory then, wherever the file was cut
        return True

    def plain_header(self) -> int:
        """Return where in the data the header of the message ends if it is plain and hides no URLs, else 0."""
        header = PLAIN_HEADER.match(self.data, self.pos, self.limit)
        return header.end() if header and not hides_urls(self.data, self.pos, header.end()) else 0

    def expect(self, content_length: bytes) -> None:
        """Use the length in a Content-Length field for the body, if it is plausible."""

    def grow(self) -> bool:
        """Read more of the message; return whether there may be more."""
        if self.done:
            return False
        self.read()
        self.find_end()
        return True

    def read(self) -> None:
        """Read more of the file, and drop what is before the reader."""
        _ = self.line  # counts what is dropped
        if self.body is not None:
            self.body.add(self.data, self.base, self.pos)
        drop = max(0, self.pos - 1)  # the byte before shows that a line starts here
        held = self.data[drop:]
        # What is held grows by as much again, so that it is not copied often.
        chunk = b""
        with suppress(Exception):  # the file has it as its `error`
            chunk = self.file.read(max(BLOCK_SIZE, len(held)))
        self.ended = not chunk
        self.data = held + chunk
        if self.line_end is None:
            self.line_end = line_end(self.data, whole=self.ended)
        if self.line_end == b"\r":
            # The last one may be half of a CRLF.
            stop = len(self.data) - (not self.ended and self.data.endswith(b"\r"))
            self.data = LONE_RETURN.sub(b"\n", self.data[:stop]) + self.data[stop:]
        self.base += drop
        self.pos -= drop
        self.limit -= drop
        self._lines.look_at(self.data, self.base)

    def find_end(self) -> None:
        """Move `limit` as far as the data is known to be part of the message."""
        self.done = self.ended
        self.limit = len(self.data) if self.ended else end_of_piece(self.data, self.pos)

    def hits(self, wanted: Prefilter) -> list[Span]:
        """Return where in the data, from the reader on, *wanted* finds something, in reverse: the next span is last.

        The first one is past all data, so that there always is one.
        """
        if self._searched is not self.data:
            # Many messages are searched at once.
            self._searched = self.data
            self._spans = [*wanted.search(self.data), (sys.maxsize, sys.maxsize)]
            self._spans.reverse()
        spans = self._spans
        while spans[-1][0] < self.pos:
            spans.pop()
        return spans

    def spans(self, wanted: Prefilter, body: int) -> list[Span]:
        """Return where *wanted* finds something in the rest of the message, which is in memory.

        The spans count in bytes from the index *body* of the data.
        """
        inside = takewhile(lambda span: span[0] < self.limit, reversed(self.hits(wanted)))
        return [(start - body, stop - body) for start, stop in inside]

    def header(self, boundaries: Sequence[bytes]) -> tuple[Lines, bool]:
        """Read a header and the empty line after it. Also return whether that line, or the end, follows the fields."""
        while True:
            stop = self.delimiter(boundaries)
            fields = FIELDS.match(self.data, self.pos, stop)
            end = fields.end() if fields else self.pos
            empty = EMPTY_LINE.match(self.data, end, stop)
            if empty or end + 2 < self.limit or end - self.pos > MAX_HEADER or not self.grow():
                break
        lines = self.lines_to(end)
        self.pos = empty.end() if empty else end
        return lines, empty is not None or end == stop

    def lines(self, boundaries: Sequence[bytes]) -> Iterator[Lines]:
        """Yield the lines before the next delimiter of one of *boundaries*, or to the end of the message, in blocks.

        However the file arrives, the blocks are the same. The line end before a delimiter is part of the delimiter.
        """
        ended = False
        while not ended:
            stop = self.delimiter(boundaries)
            ended = stop < self.limit or self.done
            if not ended and self.limit - self.pos <= _LONGEST_BLOCK:
                self.grow()
                continue
            end = stop
            if boundaries and not (self.done and stop == self.limit) and self.data.endswith(b"\n", self.pos, stop):
                end -= 2 if self.data.endswith(b"\r\n", self.pos, stop) else 1
            while end - self.pos > (0 if ended else _LONGEST_BLOCK):
                yield self.lines_to(end if end - self.pos <= BLOCK_SIZE else self._block_end(end))
            if ended:
                self.pos = stop

    def _block_end(self, end: int) -> int:
        """Return where a block ends, at *end* at the latest: not within a character that a soft line break divides."""
        data, stop = self.data, min(end, self.pos + _LONGEST_BLOCK)
        if found := _BLOCK_END.search(data, self.pos + BLOCK_SIZE, stop):
            return found.end()
        return end if stop == end else self.pos + end_of_piece(data[self.pos : stop], 0)

    def end_body(self) -> None:
        """Hash the rest of the body, which ends where the reader is."""
        if self.body is not None:
            self.body.add(self.data, self.base, self.pos)
            self.body = None

    def skip(self, boundaries: Sequence[bytes] = ()) -> None:
        """Go to the next delimiter of one of *boundaries*, or to the end of the message."""
        if self.done and not boundaries:
            self.pos = self.limit
            return
        for _ in self.lines(boundaries):
            pass

    def lines_to(self, end: int) -> Lines:
        """Read the lines before the index *end* of the data."""
        lines = Lines(self.data[self.pos : end], self.offset, self.line, self._lines.line_start)
        self.pos = end
        return lines

    def delimiter(self, boundaries: Sequence[bytes]) -> int:
        """Return where in the data the next delimiter of one of *boundaries* is, or the limit if none is before it."""
        if not boundaries:
            return self.limit
        known = self._delimiter
        # Each part asks for it three times.
        if known and known.boundaries is boundaries and self.pos <= (at := known.start - self.base) < self.limit:
            return at
        # In base64, a whole boundary is found ten times as fast as its hyphens.
        begin = b"\n--" + (boundaries[0] if len(boundaries) == 1 else b"")
        found = self.pos - 1
        while found >= 0 and (known := self._delimiter_at(found + 1, boundaries)) is None:
            found = self.data.find(begin, found + 1, self.limit)
        self._delimiter = known
        return found + 1 if found >= 0 else self.limit

    def _delimiter_at(self, pos: int, boundaries: Sequence[bytes]) -> Delimiter | None:
        """Return the delimiter of one of *boundaries* in the line at *pos*."""
        if self.data[pos - 1 : pos + 2] != b"\n--":
            return None
        end = self.data.find(b"\n", pos, self.limit) + 1 or self.limit
        line = self.data[pos + 2 : end].rstrip()
        for boundary, closing in ((line, False), (line.removesuffix(b"--"), True)):
            if boundary in boundaries:
                return Delimiter(boundary, closing, self.base + pos, self.base + end, boundaries)
        return None

    def find_delimiter(self, boundaries: Sequence[bytes], within: int) -> Delimiter | None:
        """Return the next delimiter of one of *boundaries* if it begins *within* so many bytes. Do not move there."""
        while (stop := self.delimiter(boundaries)) == self.limit and stop - self.pos <= within and self.grow():
            pass
        return self._delimiter if stop - self.pos <= within else None

    def take_delimiter(self, boundaries: Sequence[bytes]) -> Delimiter | None:
        """Go to the next delimiter, and return it. Move past its line if it belongs to the last of *boundaries*."""
        if self.delimiter(boundaries) != self.pos or self._delimiter is None:
            self.skip(boundaries)
        delimiter = self._delimiter if self.delimiter(boundaries) == self.pos else None
        if delimiter and delimiter.boundary == boundaries[-1]:
            self.pos = delimiter.end - self.base
        return delimiter


class CountedReader(Reader):
    """Reads a batch of messages, each after a line that has its length in bytes."""

    command_offset = 0
    """Where the line before the message begins, in bytes from 0."""
    end = 0
    """Where the message ends by its length, in bytes from 0."""
    skipped: int | None = None
    """Where the first line begins that is in no message."""

    def next_message(self, command: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Move past the next line that *command* matches; return the match, or `None` at the end.

        Its group `length` is the length of the message that follows; if the group is empty, it is the rest of the file.
        """
        while not self.ended or self.pos < len(self.data):
            end = self.data.find(b"\n", self.pos) + 1
            if not end and not self.ended and len(self.data) - self.pos < MAX_LINE:
                self.read()
                continue
            if match := command.match(self.data, self.pos):
                self.pos = match.end()
                self.command_offset = self.base + match.start()
                self.end = self.offset + int(match["length"] or sys.maxsize)
                return match
            if self.skipped is None and self.data[self.pos : end or None].strip():
                self.skipped = self.offset
            self.pos = end or len(self.data)
        return None

    def report_lengths(self) -> None:
        """Report lines that are in no message, and that the file ends before its last message should.

        Raises `SourceError` if there are only such lines.
        """
        if self.skipped is not None and not self.end:
            raise SourceError(f"no message begins at byte {self.skipped} or later: it is broken, or of another kind")
        if self.skipped is not None:
            fault = f"the data at byte {self.skipped} is skipped: the message before has a wrong length"
            self.report(fault, is_fault=True)
        if self.offset < self.end:
            self.report("ends before its last message should: it is cut off, or the length is wrong", is_fault=True)

    def find_end(self) -> None:
        """Move `limit` to the end of the message, or as far as it is in memory."""
        end = self.end - self.base
        self.done = self.ended or end <= len(self.data)
        self.limit = min(end, len(self.data)) if self.done else end_of_piece(self.data, self.pos)


class InboxReader(CountedReader):
    """Reads the messages of a public-inbox, each as a file of its own: places count from the start of the message."""

    missing: str | None = None
    """The first requested blob that is missing."""

    def next_member(self, command: re.Pattern[bytes]) -> str | None:
        """Begin the next message that is not empty; return its member's name, `None` at the end.

        The line before it matches *command*, with the groups `member`, `length` and `missing`.
        """
        while (line := self.next_message(command)) is not None:
            if line["missing"]:
                self.missing = self.missing or line["missing"].decode("ascii")
                continue
            self.base = -self.pos
            self.end = int(line["length"])
            self.number = 0
            self._lines = LineCounter()
            self._lines.look_at(self.data, self.base)
            if self.end and self.begin():
                return line["member"].decode("ascii")
        return None
