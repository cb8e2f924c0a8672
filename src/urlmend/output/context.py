"""Context as in grep -A, -B and -C: the lines with URLs and the lines around them, each line once."""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TextIO

from urlmend.match import URLMatch
from urlmend.output import Writer
from urlmend.output.terminal import harmless
from urlmend.output.text import TextFormat, url_of
from urlmend.output.window import Window
from urlmend.sources.compression import CHUNK_SIZE, PeekableFile
from urlmend.sources.git import FRAME

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


_LINE_END = re.compile(rb"\r\n?|\n")


class Remembering(PeekableFile):
    """A *file*, one that a source reads, that remembers the last bytes read of it (`window`), and can look ahead."""

    def __init__(self, file: PeekableFile) -> None:
        self.window = Window(b"")
        self._starts = [0]  # where lines begin
        self._known = 0  # the place up to which they are known
        super().__init__(file)
        self.recognised, self.report, self.expansion = file.recognised, file.report, file.expansion

    def _more(self, size: int = CHUNK_SIZE) -> bytes:
        data: bytes = super()._more(size)
        self.window.data += data
        self.window.forget(self.window.end - REMEMBERED)
        return data

    def line_starts(self, start: int, stop: int) -> Sequence[int]:
        """Return where lines begin from *start*, which may be within the first of them, to *stop* or further."""
        starts, between = self._starts, self.window.between
        if not starts[0] <= start <= self._known:
            starts[:], self._known = [start], start
        data = between(self._known, stop)
        if data.startswith(b"\n") and between(self._known - 1, self._known) == b"\r" and len(starts) > 1:
            starts.pop()  # it was within a line end
        starts.extend(self._known + line_end.end() for line_end in _LINE_END.finditer(data))
        self._known += len(data)
        del starts[: bisect_right(starts, start) - 1]
        return starts

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
        # Of a match from line `_least` on, all context before line `_next` was added.
        self._least, self._next = sys.maxsize, 0
        self._any = False  # whether a line was written

    def watched(self, file: PeekableFile) -> Remembering:
        """Return the file to read instead of *file*: it remembers text for the writer."""
        self._file = Remembering(file)
        return self._file

    def write(self, matches: Sequence[URLMatch]) -> None:
        """Add *matches*, and write the lines before the last of them."""
        for match in matches:
            self._add(match)

    def end_file(self, name: str | None, count: int) -> None:  # noqa: ARG002 -- the matches have the name
        """Write the lines that are held."""
        self._write_held()
        self._source, self._begin = None, 0

    def close(self) -> None:
        """Flush."""
        self._out.flush()

    def _add(self, match: URLMatch) -> None:
        file = self._file
        assert file is not None  # noqa: S101 -- for mypy
        begin, stop = file.member(match.origin.source)
        if (self._source, self._begin) != (match.origin.source, begin) or match.line < self._last:
            self._write_held()
            self._source, self._begin = match.origin.source, begin
        far = min(stop, begin + match.end + self._around)
        file.look_ahead(far)
        for number in sorted(self._held):
            # The URLs of a page's attributes come before those of its text, which may be above them.
            is_near = self._held[number].start >= file.window.start
            may_wait = match.origin.attributes and is_near and len(self._held) <= MOST_HELD
            if number >= match.line or may_wait:
                break
            self._write_line(self._held.pop(number))
        self._hold(match, file, min(far, file.window.end), is_end=far == stop or far > file.window.end)

    def _hold(self, match: URLMatch, file: Remembering, far: int, *, is_end: bool) -> None:
        """Hold the lines of *match*, and the lines around it that are new and have been read to their ends.

        The file has been read up to *far*, which is its end if *is_end*.
        """
        start, end = self._begin + match.start, self._begin + match.end
        near = max(self._begin, start - self._around, file.window.start)
        starts = file.line_starts(max(self._begin, near - 1, file.window.start), far)
        first = bisect_right(starts, start) - 1
        own = range(first, max(first + 1, bisect_left(starts, end)))
        shift = match.line - first  # from indices to numbers
        new = max(0, (self._next if match.line >= self._least else 0) - shift)
        above = range(max(new, first - self._lines_before), first)
        below = range(max(new, own.stop), min(own.stop + self._lines_after, bisect_left(starts, far)))
        self._least, self._next = match.line, max(new, own.stop) + shift
        for i in chain(above, own, below):
            line_end = starts[i + 1] if i + 1 < len(starts) else far + 1
            is_cut = starts[i] < near or (line_end > far and not is_end)
            if i not in own and (is_cut or i + shift <= self._last):
                continue
            line_start = max(starts[i], near)
            piece = _Line(file.window.between(line_start, min(line_end, far)).rstrip(b"\r\n"), line_start, i + shift)
            line = self._held[piece.number] = self._held_for(piece, start)
            self._next = max(self._next, line.number + 1)
            if i in own:
                line.has_url = True
                # In encoded lines, it is not known which characters belong to the URL.
                segments = match.segments if match.exact else ()
                line.urls += [(self._begin + first, self._begin + last) for first, last in segments]
                line.notes += self._notes(match, file.window.text(start, end)) if i + 1 == own.stop else ()

    def _held_for(self, line: _Line, start: int) -> _Line:
        """Return the line to hold for *line*, of a URL from *start* on: the one held, or what is new of a long one."""
        held = self._held.get(line.number, line)
        if (held.start, held.end) == (line.start, line.end):
            return held
        cut = min(max([line.start, *(end for _, end in held.urls)]), start)
        held.data = held.between(held.start, cut)
        self._write_line(held)
        return _Line(line.between(cut, line.end), max(line.start, cut), line.number)

    def _notes(self, match: URLMatch, text: str) -> Iterator[str]:
        url = url_of(match, unwrap=self._layout.unwrap)
        is_shown = url == match.raw and (match.exact or url in text)
        if not is_shown or len(match.readings) > 1:
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
