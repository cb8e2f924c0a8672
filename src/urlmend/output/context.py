"""Context as in grep -A, -B and -C: the lines with URLs and the lines around them, each line once."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TextIO

from urlmend.match import URLMatch
from urlmend.output import Writer
from urlmend.output.terminal import harmless
from urlmend.output.text import TextFormat, url_of
from urlmend.output.window import Window
from urlmend.sources.compression import PeekableFile
from urlmend.sources.git import FRAME
from urlmend.sources.reader import CHUNK_SIZE

AROUND = 4096
"""How many bytes on each side of a URL are searched for the ends of its line."""

A_LINE = 1024
"""How many bytes more are searched for each line of context; most lines are shorter."""

MOST_HELD = 1 << 12
"""How many lines with the URLs of a page's attributes, and around them, wait at most for URLs in its text."""

MOST_AROUND = 1 << 19
"""How many bytes on each side are searched at most."""

REMEMBERED = 1 << 21
"""How many bytes of a file are remembered: more than both sides, and what is read between a match and its output."""


class Remembering(PeekableFile):
    """A *file*, one that a source reads, that remembers the last bytes read of it (`window`), and can look ahead."""

    def __init__(self, file: PeekableFile) -> None:
        self.window = Window(b"")
        super().__init__(file)
        self.recognised, self.report, self.expansion = file.recognised, file.report, file.expansion

    def _more(self, size: int = CHUNK_SIZE) -> bytes:
        data: bytes = super()._more(size)
        self.window.data += data
        self.window.forget(self.window.end - REMEMBERED)
        return data

    def look_ahead(self, end: int) -> None:
        """Read on until what is remembered reaches *end*."""
        if end > self.window.end:
            self.beginning(end - self.position)

    def member(self, source: str | None) -> tuple[int, int]:
        """Return the start and the end, in this file, of the file called *source*.

        It is this file, except in a public-inbox, where each message is a file (`public_inbox.texts`).
        """
        name = (source or "").removeprefix((self.name or "").rstrip("/"))
        line = f"{FRAME}{name} ".encode()
        found = self.window.data.rfind(line) if name and name != source else -1
        if found < 0:
            return 0, sys.maxsize
        end = self.window.data.find(b"\n", found)
        start = self.window.start + end + 1
        return start, start + int(self.window.data[found + len(line) : end])


@dataclass
class _Line(Window):
    """A line, or a piece of a long one. `urls` are places in the file, and `notes` the lines written after it."""

    number: int = 0
    has_url: bool = False
    urls: list[tuple[int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _far_enough(window: Window, place: int, limit: int, lines: int) -> int:
    """Return a place in *window*, from *place* towards *limit*, after at least *lines* and two more, or *limit*."""
    size = A_LINE if place < limit else -A_LINE
    while abs(size) < abs(limit - place):
        text = window.between(*sorted((place, place + size)))
        if text.count(b"\n") + text.count(b"\r") >= 2 * (lines + 2):
            return place + size
        size *= 2
    return limit


class ContextWriter(Writer):
    r"""Writes lines with URLs, and *around* them as many lines before and after, each line once, as grep does.

    *layout* says which prefixes a line has: they end with `:` if the line has a URL, and with `-` in its context. `--`
    separates groups of lines that do not touch. If the text does not have a URL as it is reported, or if there are
    other readings, `=> url or reading` follows the URL's last line, after the prefixes of its first line. With colours,
    and on a terminal, control characters in the text are made visible.

    A line is held until it is known which URLs it has. If a line is longer than what is searched around a URL, each URL
    has a piece of it, which is written as a line.
    """

    def __init__(self, out: TextIO, around: tuple[int, int], layout: TextFormat) -> None:
        self._out = out
        self._lines_before, self._lines_after = around
        self._around = min(AROUND + A_LINE * max(around), MOST_AROUND)
        self._layout = layout
        self._file: Remembering | None = None
        self._source: str | None = None  # of the lines that are held
        self._begin = 0  # where it begins in the file
        self._held: dict[int, _Line] = {}  # by their numbers
        self._last = 0  # the number of the line written last in this source, 0 for none
        # Of a match from line `_least` on, all context before `_next`, the number and place of a line, was added.
        self._least, self._next = sys.maxsize, (0, 0)
        self._any = False  # whether a line was written

    def watched(self, file: PeekableFile) -> Remembering:
        """Return what is to be read instead of *file*, so that the writer sees the text."""
        self._file = Remembering(file)
        return self._file

    def write(self, matches: Sequence[URLMatch]) -> None:
        """Add *matches*, and write the lines before the last of them."""
        for match in matches:
            self._add(match)

    def end_file(self, name: str | None) -> None:  # noqa: ARG002 -- the matches have the name
        """Write the lines that are held."""
        self._write_held()
        self._source, self._begin = None, 0

    def close(self) -> None:
        """Flush."""
        self._out.flush()

    def _add(self, match: URLMatch) -> None:
        assert self._file is not None  # noqa: S101 -- for mypy
        begin, stop = self._file.member(match.origin.source)
        if (self._source, self._begin) != (match.origin.source, begin) or match.line < self._last:
            self._write_held()
            self._source, self._begin = match.origin.source, begin
        lines = self._lines(match, self._file, begin, stop)
        for number in sorted(self._held):
            # The URLs of a page's attributes come before those of its text, which may be above them.
            is_near = self._held[number].start >= self._file.window.start
            may_wait = match.origin.attributes and is_near and len(self._held) <= MOST_HELD
            if number >= match.line or may_wait:
                break
            self._write_line(self._held.pop(number))
        own = next(line for line in lines if line.has_url)
        piece = self._held.get(own.number, own)
        if (piece.start, piece.end) != (own.start, own.end):
            # Two pieces of a long line: neither repeats a part of the other.
            cut = min(max([own.start, *(end for _, end in piece.urls)]), begin + match.start)
            piece.data = piece.between(piece.start, cut)
            self._write_line(piece)
            own.start, own.data = max(own.start, cut), own.between(cut, own.end)
            self._held[own.number] = own
        for line in lines:
            if line.has_url or line.number > self._last:
                held = self._held.setdefault(line.number, line)
                if held is not line:
                    held.urls += line.urls
                    held.notes += line.notes
                    held.has_url |= line.has_url

    def _lines(self, match: URLMatch, file: Remembering, begin: int, stop: int) -> list[_Line]:
        """Return the lines of *match* and of its context, without lines that were read only in part."""
        start, end = begin + match.start, begin + match.end
        window, wanted = file.window, min(stop, end + self._around)
        file.look_ahead(wanted)
        limit = min(wanted, window.end)
        ends_here = limit < wanted or wanted == stop
        number, at = self._next if match.line >= self._least else (0, 0)
        before = min(self._lines_before, max(0, match.line - number))
        text_start = _far_enough(window, start, max(begin, start - self._around, window.start), before)
        lines = window.between(text_start, _far_enough(window, end, limit, 0)).splitlines(keepends=True)
        starts = list(accumulate(map(len, lines), initial=text_start))
        first = bisect_right(starts, start, hi=len(lines)) - 1
        last = max(first, bisect_left(starts, end) - 1)
        above = max(first - before, 0 if text_start == begin else min(1, first))
        numbered = [
            _Line(lines[i].rstrip(b"\r\n"), starts[i], match.line + i - first, has_url=i >= first)
            for i in range(above, last + 1)
        ]
        number, at = max((number, at), (match.line + last - first + 1, starts[last + 1]))
        count = match.line + last - first + self._lines_after + 1 - number
        far = _far_enough(window, at, limit, count) if count > 0 and at < limit else at
        for line in window.between(at, far).splitlines(keepends=True)[: max(0, count)]:
            if at + len(line) == limit and not ends_here and not line.endswith(b"\n"):
                break  # it may go on
            numbered.append(_Line(line.rstrip(b"\r\n"), at, number))
            number, at = number + 1, at + len(line)
        self._least, self._next = match.line, (number, at)
        own = [line for line in numbered if line.has_url]
        if match.exact:  # of encoded lines, it is not known which characters belong to the URL
            for line in own:
                line.urls = [(begin + start, begin + end) for start, end in match.segments]
        own[-1].notes = list(self._notes(match))
        return numbered

    def _notes(self, match: URLMatch) -> Iterator[str]:
        url = url_of(match, unwrap=self._layout.unwrap)
        if url != match.raw or len(match.readings) > 1:
            shown = " or ".join(map(self._layout.url, (url, *match.readings[1:])))
            prefix = self._layout.prefix(self._source, match.line, match.start, "=")
            yield f"{prefix or '='}> {shown}"

    def _write_held(self) -> None:
        for number in sorted(self._held):
            self._write_line(self._held.pop(number))
        self._last, self._least = 0, sys.maxsize

    def _write_line(self, line: _Line) -> None:
        if self._any and not (self._last and line.number <= self._last + 1):
            self._out.write(f"{self._layout.colours.paint('separator', '--')}\n")
        self._any, self._last = True, line.number
        sign = ":" if line.has_url else "-"
        prefix = self._layout.prefix(self._source, line.number, line.start - self._begin, sign)
        self._out.write(f"{prefix}{self._coloured(line)}\n")
        self._out.writelines(f"{note}\n" for note in line.notes)

    def _coloured(self, line: _Line) -> str:
        at, pieces = line.start, []
        for start, end in line.urls if self._layout.colours.on else ():
            if at <= end and start < line.end:
                pieces.append(self._shown(line.between(at, start)))
                if url := line.between(max(at, start), end):
                    pieces.append(self._layout.url(url.decode(errors="replace")))
                at = max(at, end)
        pieces.append(self._shown(line.between(at, line.end)))
        return "".join(pieces)

    def _shown(self, data: bytes) -> str:
        text = data.decode(errors="replace")
        return harmless(text) if self._layout.escaped else text
