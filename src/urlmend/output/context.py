"""Context, as grep has it: the lines that URLs stand in with the lines around them, each line once."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from urlmend.output import Writer
from urlmend.output.annotation.remembering import Readable, Remembering
from urlmend.output.marks import stretches
from urlmend.output.terminal import PLAIN, harmless
from urlmend.output.text import TextFormat, url_of
from urlmend.sources.compression import Peeked, decompressed
from urlmend.text.line_ends import EOL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from urlmend.match import URLMatch

AROUND = 4096
"""How many bytes on each side of a URL are searched for its line, and for a few lines of its context."""

A_LINE = 1024
"""How many bytes more are searched for each line of context that is asked for; most lines are shorter."""

MOST_AROUND = 1 << 19
"""How many bytes on each side are searched at most. Both sides are remembered, and so is what is read in between."""

_EOL = re.compile(EOL.encode())


def _line_start(data: bytes, pos: int) -> int:
    return max(data.rfind(b"\n", 0, pos), data.rfind(b"\r", 0, pos)) + 1


def _above(data: bytes, start: int, count: int) -> list[tuple[int, int]]:
    """Return where the *count* lines before that at *start* begin and end in *data*, as far as there are any."""
    places: list[tuple[int, int]] = []
    while start and len(places) < count:
        end = start - (2 if data.endswith(b"\r\n", 0, start) else 1)
        start = _line_start(data, end)
        places.insert(0, (start, end))
    return places


@dataclass(slots=True)
class _Line:
    """A line, or a piece of a long one: its number, from 1, and its bytes, which begin at `start` of the file.

    `urls` are the places of URLs in the file, `notes` what is written after the line; context has neither.
    """

    number: int
    start: int
    data: bytes
    holds_url: bool = False
    urls: list[tuple[int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.start + len(self.data)

    def between(self, start: int, end: int) -> bytes:
        return self.data[max(0, start - self.start) : max(0, end - self.start)]

    def take_over(self, other: "_Line") -> None:
        """Take over what is known of the same line from URLs before."""
        self.urls[:0], self.notes[:0] = other.urls, other.notes
        self.holds_url |= other.holds_url


class ContextWriter(Writer):
    r"""Writes the lines that URLs stand in, and *count* lines on either side, each once, as `grep -C` does.

    *layout* says which prefixes a line has: they end with `:` where a URL stands in it, and with `-` in its context.
    `--` parts groups of lines that do not touch. A URL that is not as it stands in the text follows its last line, with
    its other readings: `=> url or reading`, behind the prefixes of its first line. With colours, and on a terminal,
    control characters in the text are made visible.

    A line is held until it is known which URLs stand in it. Of one that is longer than what is searched around a URL,
    each URL has a piece, which is written as a line.
    """

    def __init__(self, out: TextIO, count: int, layout: TextFormat) -> None:
        self._out = out
        self._count = count
        self._around = min(AROUND + A_LINE * count, MOST_AROUND)
        self._layout = layout
        self._file: Remembering | None = None
        self._source: str | None = None  # of the lines that are held
        self._begin = 0  # where it begins in the file
        self._held: list[_Line] = []
        self._last = 0  # the number of the line written last in this source, 0 for none
        self._any = False  # whether a line was written

    def watched(self, file: Readable) -> Peeked:
        """Return *file*, decompressed, as it has to be read: so that what is around its URLs is remembered."""
        opened = decompressed(file)
        self._file = Remembering(opened)
        reading = Peeked(self._file)
        reading.recognised, reading.report = opened.recognised, opened.report
        return reading

    def write(self, matches: "Sequence[URLMatch]") -> None:
        """Add *matches*, and write the lines before their own."""
        for match in matches:
            self._add(match)

    def _add(self, match: "URLMatch") -> None:
        assert self._file is not None  # noqa: S101 -- it is for mypy
        begin, stop = self._file.member(match.origin.source)
        if (self._source, self._begin) != (match.origin.source, begin) or match.line < self._last:
            self._write_held()
            self._source, self._begin = match.origin.source, begin
        lines = self._lines(match, self._file, begin, stop)
        while self._held and self._held[0].number < match.line:
            self._write_line(self._held.pop(0))
        own = next(line for line in lines if line.holds_url)
        if self._held and (self._held[0].start, self._held[0].end) != (own.start, own.end):
            # Two pieces of a long line: neither has what the other has.
            piece = self._held.pop(0)
            cut = min(max([own.start, *(end for _, end in piece.urls)]), begin + match.start)
            piece.data = piece.between(piece.start, cut)
            self._write_line(piece)
            own.data = own.between(cut, own.end)
            own.start = max(own.start, cut)
        held = {line.number: line for line in self._held}
        for line in lines:
            if line.holds_url or line.number > self._last:
                if line.number in held:
                    line.take_over(held[line.number])
                held[line.number] = line
        self._held = [held[number] for number in sorted(held)]

    def end_file(self, source: str | None) -> None:  # noqa: ARG002 -- the matches have the name
        """Write what is left of the file."""
        self._write_held()
        self._source, self._begin = None, 0

    def close(self) -> None:
        """Flush."""
        self._out.flush()

    def _lines(self, match: "URLMatch", file: Remembering, begin: int, stop: int) -> list[_Line]:
        """Return the lines of *match*, and those around it as far as they are whole."""
        start, end = begin + match.start, begin + match.end
        wanted = min(stop, end + self._around)
        file.look_ahead(wanted)
        low, data = file.remembered(max(begin, start - self._around), wanted)
        first = _line_start(data, start - low)
        above = _above(data, first, self._count)
        if above and above[0][0] == 0 and low != begin:
            del above[0]  # there may be more of it
        own_lines: list[tuple[int, int]] = []
        below: list[tuple[int, int]] = []
        at = first
        for line_end in _EOL.finditer(data, first):
            (own_lines if at < end - low else below).append((at, line_end.start()))
            at = line_end.end()
            if len(below) >= self._count and at >= end - low:
                break
        else:
            at_end = low + len(data) < wanted or wanted == stop
            if at < end - low or not own_lines:
                own_lines.append((at, len(data)))
            elif at_end and at < len(data):
                below.append((at, len(data)))
        lines = [
            _Line(
                match.line - len(above) + i,
                low + at,
                data[at:after],
                holds_url=len(above) <= i < len(above) + len(own_lines),
            )
            for i, (at, after) in enumerate((*above, *own_lines, *below[: self._count]))
        ]
        own = [line for line in lines if line.holds_url]
        for line in own:
            line.urls = self._stretches(match, data[start - low : end - low], start)
        own[-1].notes = list(self._notes(match))
        return lines

    def _stretches(self, match: "URLMatch", own: bytes, start: int) -> list[tuple[int, int]]:
        """Return where the URL stands, without what was taken out of it."""
        if own != match.raw.encode(errors="replace"):
            # Encoded lines: which of their characters are the URL's is not known.
            return []
        places = []
        for text, taken_out in stretches(match):
            end = start + len(text.encode(errors="replace"))
            if not taken_out:
                places.append((start, end))
            start = end
        return places

    def _notes(self, match: "URLMatch") -> "Iterator[str]":
        url = url_of(match, unwrap=self._layout.unwrap)
        if url != match.raw or len(match.readings) > 1:
            shown = " or ".join(map(self._layout.url, (url, *match.readings[1:])))
            yield f"{self._prefix('=', match.line, match.start) or '='}> {shown}"

    def _prefix(self, sign: str, number: int, offset: int) -> str:
        return self._layout.prefix(self._source, number, offset, sign)

    def _write_held(self) -> None:
        for line in self._held:
            self._write_line(line)
        self._held = []
        self._last = 0

    def _write_line(self, line: _Line) -> None:
        if self._any and not (self._last and line.number <= self._last + 1):
            self._out.write(f"{self._layout.separator('--')}\n")
        self._any, self._last = True, line.number
        prefix = self._prefix(":" if line.holds_url else "-", line.number, line.start - self._begin)
        self._out.write(f"{prefix}{self._coloured(line)}\n")
        self._out.writelines(f"{note}\n" for note in line.notes)

    def _coloured(self, line: _Line) -> str:
        at, pieces = line.start, []
        for start, end in line.urls if self._layout.colours is not PLAIN else ():
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
