"""Files of many messages, each behind a `From ` line: mboxo, mboxrd, mboxcl and mboxcl2, and pipermail's texts."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from urlmend.sources.mbox.reader import BEGINNING, FROM_LINE, MboxReader, Position
from urlmend.sources.origin import Prefilter, Text, source_name
from urlmend.sources.reader import MAX_LINE


def opened(fileobj: Any, start: Position = BEGINNING) -> MboxReader:  # noqa: ANN401 -- any object with read(n)
    """Return the reader on the mbox *fileobj*, which stands at *start*: no message is read by what stands before it."""
    reader = MboxReader(fileobj, start.offset, start.line)
    reader.number = start.number - 1
    return reader


def messages(
    reader: MboxReader, source: str | None, stop: int = sys.maxsize, prefilter: Prefilter | None = None
) -> Iterator[tuple[Position, Iterable[Text]]]:
    """Yield where each message begins, and its texts: they are taken before the next message is.

    The messages are those that begin where *reader* stands or behind, and before the offset *stop*. With *prefilter*,
    plain ones are left out in which it finds nothing.
    """
    # Every file is asked whether it is an mbox. Few are, and these load much.
    from urlmend.sources.mail import message  # noqa: PLC0415
    from urlmend.sources.mbox.plain_messages import PlainMessages  # noqa: PLC0415

    reader.counts = prefilter is None or prefilter.places
    plain = PlainMessages(reader, source, prefilter)
    while True:
        yield from plain.next_ones(stop)
        if reader.offset >= stop or not reader.begin():
            break
        yield Position(reader.number, reader.start, reader.line), message(reader, source, reader.number, prefilter)
    reader.close()


def next_message(fileobj: Any, offset: int) -> int | None:  # noqa: ANN401 -- any object with read(n) and seek(n)
    """Return where the first message behind the start of the mbox *fileobj*, at *offset* or later, seems to begin.

    In bytes from 0; `None` where none does. One that tells its length (mboxcl2) may hold what seems to be another.
    """
    place = offset - 1
    while True:
        fileobj.seek(place)
        data: bytes = fileobj.read(4 * MAX_LINE)
        found = data.find(b"\nFrom ")
        while found >= 0 and not FROM_LINE.match(data, found + 1):
            found = data.find(b"\nFrom ", found + 1)
        if found >= 0:
            return place + found + 1
        if len(data) <= MAX_LINE:
            return None
        place += len(data) - MAX_LINE


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the messages in the mbox *fileobj*, in order; *prefilter* is as in `messages`."""
    for _, message_texts in messages(MboxReader(fileobj), source_name(fileobj), prefilter=prefilter):
        yield from message_texts
