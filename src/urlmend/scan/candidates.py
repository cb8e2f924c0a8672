"""Finding candidates in a stream of text: only their extent; joining and judging come later (sans-IO).

Binary input is scanned as Latin-1, one character a byte, so that offsets are true; only a candidate is decoded. The
search looks for colons first, and each character is visited a bounded number of times. Candidates do not depend on how
the input is cut: what could still change is held back until enough text is there.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from urlmend.grammar.parser import accepts
from urlmend.grammar.profiles import WEB
from urlmend.match import URLMatch
from urlmend.mend.glance import glance
from urlmend.query import Query
from urlmend.scan import ordinary, triggers
from urlmend.scan.delimiters import Delimiters, NeedsMoreText, View, ends_line
from urlmend.sources import Origin, Span, Text
from urlmend.sources.places import LineCounter
from urlmend.text import defanged, leaders
from urlmend.text.limits import LOOKAHEAD, LOOKBACK, MOST_LEFT
from urlmend.text.line_ends import end_of_line
from urlmend.text.schemes import IMPLIED

BLOCK_SIZE = 65536
"""How many characters are scanned at once: larger strings are mapped and unmapped in memory one by one."""

# A candidate may start before its trigger, and sees LOOKBACK characters before its start.
_KEPT = LOOKBACK + triggers.TRIGGER_REACH


def rest_of_line(text: str, at: int) -> str:
    """Return *text* from *at* to the end of the line, up to MOST_LEFT characters."""
    following = text[at : at + MOST_LEFT]
    return following[: end_of_line(following, 0)[0]]


@dataclass(slots=True, eq=False)
class Candidate:
    """A part of the text that may be a URL.

    `raw` is that part of the view, `start` its offset in the stream, and `at` in the `view`. `form` is as in
    `URLMatch`. `left` is the text before it in its line, if the line starts within LOOKBACK characters. `trimmed` was
    cut from the tail of one without brackets. `too_long` marks one longer than MAX_URL_LENGTH, or a wrapper longer than
    MAX_WRAPPER_SPAN. `stop` is where a candidate that may continue on the next line stops in the view, otherwise 0;
    `confidence` is how sure it is that any other one ends where it does. A candidate that `is_refused` is not a URL as
    it is written.
    """

    form: str
    raw: str
    start: int
    line: int
    column: int
    left: str
    trimmed: str
    too_long: bool
    view: View
    at: int
    stop: int
    confidence: float
    is_refused: bool

    @property
    def implied(self) -> str:
        """The scheme that it is written without."""
        return IMPLIED.get(self.form, "")

    @property
    def before(self) -> str:
        """The text before it, up to LOOKBACK characters."""
        return self.view.text[max(0, self.at - LOOKBACK) : self.at]

    @property
    def after(self) -> str:
        """The text after it, as far as it is there at every cut.

        That is up to LOOKAHEAD characters after one that may go on in the next line, and up to LOOKBACK after others.
        """
        if self.stop:
            return self.view.text[self.stop : self.stop + LOOKAHEAD]
        end = self.at + len(self.raw)
        return self.view.text[end : end + LOOKBACK]

    @property
    def leader(self) -> tuple[leaders.Mark, ...]:
        """The leader of the line that it starts in."""
        return leaders.leader(self.left + self.raw[:1])


def _is_plain(form: str, url: str, trimmed: str) -> bool:
    """Return whether *url*, a candidate of this *form*, needs nothing but to be parsed."""
    return (
        url.isascii()
        and trimmed.isascii()
        and url.isprintable()  # a line end is taken out first
        and "=3D" not in url
        and not url.rstrip("/").endswith(":")
        and not (form == "schemeless" and url.count("#") > 1)
        and not defanged.changes(url)
    )


class Stretch(NamedTuple):
    """The part of a stream that a scanner is for.

    The scanner is fed from *offset* on, which is in *line*, from 1. Candidates have their triggers from *start* on and
    before *stop*, both offsets; the text before *start* is only looked back at.
    """

    offset: int = 0
    line: int = 1
    start: int = 0
    stop: int = sys.maxsize


WHOLE_STREAM = Stretch()


class CandidateScanner:
    """Finds candidates in text that comes in pieces: `feed` each piece, then `close`.

    With *binary*, pieces are bytes; else they are str. The text is that of *origin*. URLs with nothing to mend come out
    as matches; under the profile WEB ordinary ones are valid.
    """

    def __init__(
        self, origin: Origin, query: Query, stretch: Stretch = WHOLE_STREAM, *, binary: bool, with_lines: bool = False
    ) -> None:
        self._binary = binary
        self._with_lines = with_lines
        self._ascii_only = "ucschar" not in query.profile.rules
        self._profile = query.profile
        self._weighs = query.join == "evident"
        self._query = query
        if query.on_request:
            from urlmend.scan.forms import extent as on_request  # noqa: PLC0415 -- only on request

            self._on_request = on_request
        self._origin = origin
        self._view = View("", binary)  # the text held back, with _KEPT characters before it
        self._octets = b""  # the same, one a character
        self._base = stretch.offset  # the offset of the view in the stream
        self._pos = max(0, stretch.start - stretch.offset)  # in the view: everything before it is decided
        self._stop = stretch.stop
        self._fresh: list[Any] = []  # what came since the view was last scanned
        self._fresh_size = 0
        self.lines = LineCounter(stretch.offset, stretch.line)

    @property
    def position(self) -> int:
        """The offset in the stream up to which candidates are decided."""
        return self._base + self._pos

    def feed(self, chunk: bytes | str) -> Iterator[list[Candidate | URLMatch]]:
        """Take the next piece of the stream, and yield lists of the candidates that are now certain.

        They must be consumed before the next piece comes.
        """
        pieces = memoryview(chunk) if isinstance(chunk, bytes) else chunk
        for start in range(0, len(chunk), BLOCK_SIZE):
            self._fresh.append(pieces[start : start + BLOCK_SIZE])
            self._fresh_size += len(self._fresh[-1])
            # Whatever the sizes, what is held back is scanned again only after it grew by an eighth. A short text is
            # scanned when it is closed: at a line's end nothing is certain before LOOKAHEAD characters.
            held = len(self._view.text) - self._pos
            if self._fresh_size * 8 >= held and self._fresh_size + held >= LOOKAHEAD:
                self._take_fresh()
                yield self._scan(self._spans(), closed=False)

    def close(self) -> list[Candidate | URLMatch]:
        """Return the candidates left at the end of the stream."""
        self._take_fresh()
        return self._scan(self._spans(), closed=True)

    def whole(self, text: Text) -> list[Candidate | URLMatch]:
        """Return the candidates of *text*, a complete stream."""
        self._origin = text.origin
        self._base = text.offset
        self._pos = 0
        data = str(text.data)
        self._view = View(data, binary=False)
        self._octets = data.encode("latin-1", "replace")
        self.lines = LineCounter(text.offset, text.line)
        self.lines.look_at(self._octets, text.offset)
        return self._scan(self._spans() if text.spans is None else text.spans, closed=True)

    def _take_fresh(self) -> None:
        """Make the view of the held-back text and the new text."""
        if self._binary:
            self._octets = b"".join((self._octets, *self._fresh))
            text = self._octets.decode("latin-1")
        else:
            text = "".join((self._view.text, *self._fresh))
            self._octets = text.encode("latin-1", "replace")
        self._view = View(text, self._binary and not text.isascii())
        self._fresh.clear()
        self._fresh_size = 0
        self.lines.look_at(self._octets, self._base)

    def _spans(self) -> Iterable[Span]:
        text = self._view.text
        if self._binary or text.isascii():
            return ordinary.spans(self._octets, self._query, text, self._pos)
        return ordinary.spans_of_text(text, self._pos, self._query)

    def _scan(self, spans: Iterable[Span], *, closed: bool) -> list[Candidate | URLMatch]:
        found: list[Candidate | URLMatch] = []
        text = self._view.text
        delimiters = Delimiters(self._view, self._ascii_only, closed)
        # Whether an ordinary URL goes on depends on the text after it, which must be there.
        reach = 0 if closed else LOOKAHEAD
        certain = min(len(text) - reach, self._stop - self._base)
        colon = 0
        try:
            for span in spans:
                colon, stop = span
                if colon >= certain:
                    break
                if colon >= self._pos and (one := self._at(span, certain, delimiters)):
                    found.append(one)
                # A span hides the triggers inside it.
                while self._pos < stop:
                    hidden = ordinary.span_inside(text, max(self._pos, colon + 1), min(stop, certain), self._query)
                    if hidden is None:
                        break
                    colon = hidden[0]
                    if one := self._at(hidden, certain, delimiters):
                        found.append(one)
        except NeedsMoreText:
            certain = colon
        if not closed:
            self._consume(max(self._pos, certain))
        return found

    def _at(self, span: Span, certain: int, delimiters: Delimiters) -> Candidate | URLMatch | None:
        """Pass *span* of the view, and return what `_found` does if there is a candidate. Raises `NeedsMoreText`."""
        colon, stop = span
        text = self._view.text
        if self._profile is WEB and stop <= certain and (common := ordinary.extent(text, span, delimiters)):
            self._pos = common[3]
            return self._found(common, is_ordinary=True)
        if text[colon] == ":":
            extent = delimiters.extent(colon, ordinary.kind(text, span, self._query))
        else:
            extent = self._on_request(delimiters, colon, self._query)
        self._pos = max(extent.resume, colon + 1) if extent else colon + 1
        return self._found(extent, is_ordinary=False) if extent else None

    def _found(self, extent: tuple[str, int, int, int, bool], *, is_ordinary: bool) -> Candidate | URLMatch:
        """Return the candidate of an `Extent`, or its match if it is a URL that does not go on in the next line."""
        form, at, end, resume, too_long = extent
        text, base, lines = self._view.text, self._base, self.lines
        start = base + at
        lines.count_to(start)
        line_start = lines.line_start - base
        column = at - line_start + 1
        left = text[line_start:at] if column <= LOOKBACK else ""
        raw = text[at:end]
        confidence: float | None = 1.0
        trimmed = ""
        if form in ("bare", "prefix", "schemeless"):
            trimmed = text[end:resume]
            if self._weighs:
                confidence = glance(text, resume, resume + LOOKAHEAD, resume - line_start)
                # The width of a line is in characters, not in bytes.
                if self._view.binary and not is_ordinary and not (left + raw + trimmed).isascii():
                    confidence = None
        url = raw if is_ordinary else IMPLIED.get(form, "") + raw
        is_plain = confidence is not None and (is_ordinary or (not too_long and _is_plain(form, url, trimmed)))
        if confidence is not None and is_plain and (is_ordinary or accepts(url, self._profile)):
            return URLMatch(
                url,
                start,
                start + len(raw),
                raw,
                lines.line,
                column,
                form,
                (url,),
                (),
                trimmed,
                self._profile,
                self._origin,
                (),
                True,  # noqa: FBT003 -- arguments by name take twice as long
                left[:MOST_LEFT] if left.isascii() else self._view.shown(left)[:MOST_LEFT],
                confidence,
                self._view.shown(rest_of_line(text, end)) if self._with_lines else "",
            )
        stop = 0
        if confidence is None:
            stop = resume if ends_line(text, resume) else 0
            confidence = 1.0
        place = start, lines.line, column
        return Candidate(
            form, raw, *place, left, trimmed, too_long, self._view, at, stop, confidence, is_refused=is_plain
        )

    def _consume(self, pos: int) -> None:
        """Drop the view up to _KEPT characters before *pos*: the one place where view and offset move."""
        self._pos = pos
        text = self._view.text
        drop = pos - _KEPT
        if drop > 0:
            # A CRLF is one line end: it is not cut in two.
            drop -= text[drop - 1] == "\r"
            self.lines.count_to(self._base + drop)
            self._view = View(text[drop:], self._view.binary)
            self._octets = self._octets[drop:]
            self._base += drop
            self._pos = pos - drop
