"""Messages of a public-inbox (version 1 and 2), straight from its git repositories, in the order of their commits.

What is read is what `inbox.Inbox` gives: the content of each message, behind a line that names its commit.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from urlmend.sources.mail import message
from urlmend.sources.mbox.reader import PLAIN_HEADER
from urlmend.sources.origin import Prefilter, SourceError, Text, source_name
from urlmend.sources.public_inbox.frame import FRAME, MissingError
from urlmend.sources.reader import CHUNK_SIZE, CountedReader

# git-cat-file(1): what it prints of an object that is not there has no length.
_LINE = re.compile(
    rb"(?:%b(?P<member>[\w./]*![0-9a-f]{40,64}) (?P<type>blob|tree|commit|tag) (?P<length>\d{1,12})"
    rb"|(?P<missing>[0-9a-f]{40,64}) missing)\n" % FRAME.encode()
)


class _Reader(CountedReader):
    """A reader on the messages of an inbox, of which each is a file of its own: places are those in the message."""

    missing: str | None = None
    """The first blob that was asked for and is not there."""

    def next_member(self) -> str | None:
        """Begin the next message that is not empty; return its member's name, `None` at the end."""
        while (line := self.next_message(_LINE)) is not None:
            if line["missing"]:
                self.missing = self.missing or line["missing"].decode("ascii")
                continue
            self.base = -self.pos
            self._end = int(line["length"])
            self._line, self._counted = 1, self.pos
            if not self._end or not self.begin():
                continue
            if line["type"] == b"blob":
                return line["member"].decode("ascii")
            for _ in self.lines(()):
                pass
        return None

    def in_hand(self) -> bytes | None:
        """Return the whole message, if it is not too long to be read at once."""
        if self._end > CHUNK_SIZE:
            return None
        while not self.done:
            self.grow()
        return self.data[self.pos : self.limit]

    def pass_over(self) -> None:
        """Go behind the message, which is in hand."""
        self.pos = self.limit


def messages(
    fileobj: Any,  # noqa: ANN401 -- any object with read(n)
    prefilter: Prefilter | None = None,
) -> Iterator[tuple[str, Iterable[Text]]]:
    """Yield the source of each message, which is the inbox, `!` and a commit, and its texts: they are taken first.

    With *prefilter*, plain ones are left out in which it finds nothing. A message that git does not have is a
    `SourceError`, once the others are given out.
    """
    reader = _Reader(fileobj)
    reader.read()
    if reader.data and not reader.data.startswith(FRAME.encode()):
        told = "is no public-inbox repository"
        raise SourceError(told)
    name = (source_name(fileobj) or "").rstrip("/")
    while (member := reader.next_member()) is not None:
        octets = reader.in_hand() if prefilter else None
        if prefilter and octets and _holds_nothing(octets, prefilter):
            reader.pass_over()
            continue
        yield name + member, message(reader, name + member, 1, prefilter)
    reader.close()
    if reader.missing:
        told = f"git has no object {reader.missing}, and maybe others; those messages are not read"
        raise MissingError(told)


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the messages of the inbox *fileobj*, in order; *prefilter* is as in `messages`."""
    for _, message_texts in messages(fileobj, prefilter):
        yield from message_texts


def _holds_nothing(octets: bytes, prefilter: Prefilter) -> bool:
    """Tell whether the message *octets* is plain, and has nothing that *prefilter* finds."""
    header = PLAIN_HEADER.match(octets)
    if not header or not octets.isascii() or octets.find(b"?", 0, header.end()) >= 0:
        return False
    return next(iter(prefilter.search(octets)), None) is None
