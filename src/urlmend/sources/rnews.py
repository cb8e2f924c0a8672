"""rnews batches of news articles: each behind a line `#! rnews N`, with its length in bytes (RFC 5537 appendix A)."""

import re
from collections.abc import Iterator
from typing import Any

from urlmend.sources import Text
from urlmend.sources.mail import message, source_name
from urlmend.sources.window import MAX_LINE, Window

_COMMAND = re.compile(rb"#! *rnews +(?P<length>\d{1,12})[^\n]*\n")


class CountedWindow(Window):
    """A window on a batch: a line before each message tells its length in bytes."""

    command_offset = 0
    """Where the line before the message begins, in bytes from 0."""
    _end = 0

    def next_message(self, command: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Go behind the next line that *command* matches, with a group `length`, and return the match, if any."""
        while True:
            end = self.data.find(b"\n", self.pos) + 1
            if not end and not self.ended and len(self.data) - self.pos < MAX_LINE:
                self.read()
                continue
            match = command.match(self.data, self.pos)
            if match:
                self.pos = match.end()
                self.command_offset = self.base + match.start()
                self._end = self.offset + int(match["length"])
                return match
            self.pos = end or len(self.data)
            if self.ended and self.pos == len(self.data):
                return None

    def find_end(self) -> None:
        """Move `limit` to the message's end, or as far as is in hand."""
        end = self._end - self.base
        self.done = self.ended or end <= len(self.data)
        self.limit = min(end, len(self.data)) if self.done else self.whole_lines()


def texts(fileobj: Any) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the articles in the batch *fileobj*, in order; what stands between them is passed over."""
    window = CountedWindow(fileobj)
    source = source_name(fileobj)
    number = 0
    while window.next_message(_COMMAND) is not None:
        number += 1
        if window.begin():
            yield from message(window, source, number)
    window.close()
