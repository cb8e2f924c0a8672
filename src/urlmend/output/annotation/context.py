"""Context: each URL with the lines of the text around it, to judge by eye what was found and mended."""

import sys
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, Protocol, TextIO

from urlmend.output.colours import PLAIN
from urlmend.output.display import harmless
from urlmend.output.layout import Layout
from urlmend.output.marks import stretches
from urlmend.scanner import match_batches
from urlmend.sources import iter_texts
from urlmend.sources.compression import decompressed
from urlmend.sources.public_inbox.frame import FRAME
from urlmend.sources.reader import CHUNK_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlmend.match import URLMatch
    from urlmend.output import Asked

REMEMBERED = 1 << 21
"""How many of the bytes read last are remembered. A match is given out before more than these are read behind it."""

AROUND = 4096
"""How many bytes on each side of a URL are searched for the lines of its context."""


class _Readable(Protocol):
    name: str | None

    def read(self, size: int, /) -> bytes: ...


class Remembering:
    """A binary file that remembers what was read of it last."""

    def __init__(self, file: _Readable) -> None:
        self._file = file
        self.name = file.name
        self._recent = b""
        self._start = 0  # the offset of what is remembered
        self.ended = False

    @property
    def position(self) -> int:
        """The offset of the byte that is read next."""
        return self._start + len(self._recent)

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes."""
        self.ended = True  # also where reading fails
        chunk = self._file.read(size)
        self.ended = not chunk
        recent = self._recent + chunk
        self._recent = recent[-REMEMBERED:]
        self._start += len(recent) - len(self._recent)
        return chunk

    def member(self, source: str | None) -> tuple[int, int]:
        """Return where the file that is called *source* begins in this one, and where it ends.

        They are the same file, but for a public-inbox, of which each message is one (`public_inbox.messages`).
        """
        name = (source or "").removeprefix((self.name or "").rstrip("/"))
        line = f"{FRAME}{name} blob ".encode()
        found = self._recent.rfind(line) if name and name != source else -1
        if found < 0:
            return 0, sys.maxsize
        end = self._recent.find(b"\n", found)
        start = self._start + end + 1
        return start, start + int(self._recent[found + len(line) : end])

    def remembered(self, start: int, end: int) -> bytes:
        """Return the bytes from *start* to *end*, as far as they are remembered."""
        return self._recent[max(0, start - self._start) : max(0, end - self._start)]


class ContextWriter:
    r"""Writes each URL to *out* as `file:line: url`, then the lines it stands in and *count* lines on either side.

    The text's lines are indented by two blanks, those that the URL stands in marked by `> `; `--` parts two URLs.
    Readings other than the first follow the URL, each after a tab on a line of its own. *layout* says whether the
    file's name stands there, and in which colours. With colours, and on a terminal, control characters in the text are
    made visible.
    """

    def __init__(self, out: TextIO, count: int, layout: Layout) -> None:
        self._out = out
        self._count = count
        self._layout = layout
        self._colours = layout.colours
        self._file: Remembering | None = None
        self._waiting: deque[URLMatch] = deque()
        self._first = True

    def urls(self, file: _Readable, asked: "Asked") -> "Iterator[URLMatch]":
        """Yield the URLs of *file*. The context of a compressed file is taken from what it holds."""
        opened = decompressed(file)
        self._file = Remembering(opened)
        texts = iter_texts(self._file, opened.recognised or asked.source)
        return chain.from_iterable(match_batches(texts, asked.settings))

    def write(self, match: "URLMatch") -> None:
        """Take *match*; it is written once the text after it is read."""
        self._waiting.append(match)
        self._write_ready(all_of_them=False)

    def end_file(self, source: str | None) -> None:  # noqa: ARG002 -- the matches have the name
        """Write what is left of the file."""
        self._write_ready(all_of_them=True)

    def close(self) -> None:
        """Flush."""
        self._out.flush()

    def _write_ready(self, *, all_of_them: bool) -> None:
        file = self._file
        while self._waiting and file:
            begin, _ = file.member(self._waiting[0].origin.source)
            enough = begin + self._waiting[0].end + AROUND
            if not (all_of_them or file.ended or file.position >= enough):
                break
            match = self._waiting.popleft()
            # Where no more URLs are wanted, the text after the last one may not be read yet.
            while not file.ended and file.position < enough:
                file.read(CHUNK_SIZE)
            if not self._first:
                self._out.write(f"{self._colours.separator}--{self._colours.end}\n")
            self._first = False
            self._out.write(f"{self._place(match)}: {self._layout.url(self._layout.counted.text(match))}\n")
            self._out.writelines(f"\t{self._layout.shown(reading)}\n" for reading in match.readings[1:])
            self._out.writelines(f"{line}\n" for line in self._context(match, file))

    def _place(self, match: "URLMatch") -> str:
        layout = self._layout
        prefix = f"{layout.name(match.origin.source)}{layout.colon}" if layout.file_name else ""
        return f"{prefix}{layout.number(match.line)}"

    def _context(self, match: "URLMatch", file: Remembering) -> list[str]:
        begin, stop = file.member(match.origin.source)
        start, end = begin + match.start, begin + match.end
        text_before = file.remembered(max(begin, start - AROUND), start).decode(errors="replace")
        own = file.remembered(start, end).decode(errors="replace")
        text_after = file.remembered(end, min(stop, end + AROUND)).decode(errors="replace")
        *above, before = self._shown(text_before).split("\n")
        after, *below = self._shown(text_after).split("\n")
        marked = f"{before}{self._marked(match, own)}{after}".split("\n")
        if below and not below[-1]:
            del below[-1]
        shown = [f"  {line}" for line in above[len(above) - min(self._count, len(above)) :]]
        shown += [f"> {line}" for line in marked]
        return [*shown, *(f"  {line}" for line in below[: self._count])]

    def _shown(self, text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return harmless(text) if self._layout.escaped else text

    def _marked(self, match: "URLMatch", own: str) -> str:
        if self._colours is PLAIN or own != match.raw:
            # Encoded lines: which of their characters are the URL's is not known.
            return self._shown(own)
        return "".join(
            self._shown(text) if taken_out else self._layout.url(text) for text, taken_out in stretches(match)
        )
