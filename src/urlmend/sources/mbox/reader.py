"""The reader on an mbox (RFC 4155): where one message ends, and which lines in it are more than text."""

import re
from typing import NamedTuple

from urlmend.sources.reader import MAX_LINE, Reader

_BEHIND_FROM = r"""(?x:
    (?: [^\n]*[ ](?:19|20)\d\d | [^\n]*[ ]\d?\d:\d\d [^\n]* | [^\n]*[ ](?:19|20)\d\d\b [^\n]* ) \r?\n
        (?: [!-9;-~]+:[ \t\r\n] | >?From[ ] )
    | (?: - | [^\s@]+@\S* )[ \t]*\r?\n [A-Z][A-Za-z\-]+:
    | [^\n]*[ ](?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\ +(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\ +\d+\ +\d?\d:\d\d
    )"""

FROM_LINE = re.compile(b"From " + _BEHIND_FROM.encode())
"""The line that begins a message in an mbox (RFC 4155): it has a date, and a header follows it or it is quite
regular. Netscape's had only a hyphen, others only an address."""

# These charsets all have ASCII's characters where ASCII has them, and nowhere else.
_PLAIN_HEADER = (
    r"(?:(?![Cc](?i:ontent-(?:type(?!: text"
    r"(?:/plain(?:; charset=\"?(?:us-ascii|utf-8|iso-8859-(?:1|2|15)|windows-125[0-8])\"?)?)?\r?\n(?![ \t]))"
    r"|transfer-encoding(?!: [78]bit\r?\n)|length)))(?:[!-9;-~]++:|[ \t])[^\n]*+\n)*+\r?\n"
)
PLAIN_HEADER = re.compile(_PLAIN_HEADER.encode())
"""A header that makes the message no more than plain text, and the empty line behind it."""

BEGIN = re.compile(r"F(?<![^\n]F)(?=rom " + _BEHIND_FROM + r")(?:[^\n]*\n" + _PLAIN_HEADER + ")?", re.DOTALL | re.ASCII)
"""The begin of a message, in octets: the search starts with its rare first letter. More than one letter is found where
a header follows that makes the message no more than plain text; then the match ends behind the empty line."""

MAX_COUNTED = 1 << 20
"""The longest body, in bytes, whose Content-Length is looked at: twice as much of the file may be in hand then."""

_BETWEEN = re.compile(rb"[\r\n]{0,4}")


class Position(NamedTuple):
    """Where the *number*th message of an mbox begins: at *offset*, in bytes from 0, and in *line*, from 1."""

    number: int = 1
    offset: int = 0
    line: int = 1


BEGINNING = Position()


class MboxReader(Reader):
    """A reader on an mbox: a message ends before the next `From ` line."""

    quotes_from = True
    number = 0
    """The number of the present message, from 1."""

    def begin(self) -> bool:
        """Begin a message where the reader stands; `False` at the end of the file."""
        begun = super().begin()
        self.number += begun
        if begun:
            self.grow()  # most are then in hand, wherever the file was cut before
        return begun

    def find_end(self) -> None:
        """Move `limit` to the next message, or as far as is known to be before it."""
        data = self.data
        # Not the line that this message begins with.
        start = self.pos if self.limit == self.start - self.base else self.limit - 1
        while (found := data.find(b"\nFrom ", start)) >= 0:
            if FROM_LINE.match(data, found + 1):
                self.limit, self.done = found + 1, True
                return
            line_end = data.find(b"\n", found + 1)
            is_last = line_end < 0 or data.find(b"\n", line_end + 1) < 0
            if not self.ended and is_last and len(data) - found < MAX_LINE:
                self.limit, self.done = found + 1, False
                return
            start = found + 1
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
