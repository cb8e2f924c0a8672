"""Finding candidates in a stream of text: extent only, no joining and no judging (sans-IO: `feed` and `close`).

Binary input is scanned as Latin-1, one character a byte, so that offsets are true; only a candidate is decoded. The
search looks for colons first, and each character is visited a bounded number of times. Nothing that a candidate says
depends on how the input is cut: what could still change is held back until enough text is there.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from urlmend import lines, plain, triggers
from urlmend.extents import BEFORE_BRACKET, HOLD, LOOKAHEAD, LOOKBACK, MAY_OPEN, Extents, Found, bare_form
from urlmend.torn import Torn, torn_at

BLOCK_SIZE = 65536
"""How much text, in characters, is scanned at once: the memory of larger strings is mapped and unmapped one by one."""

# A candidate may start on the left of what betrays it, and sees LOOKBACK characters from there.
_KEPT = LOOKBACK + triggers.TRIGGER_REACH


@dataclass(slots=True, eq=False)
class Candidate:
    """A stretch of text that may be a URL.

    `raw` is the stretch as it stands (for binary input one character a byte), `start` its offset in the stream;
    `form` is `wrapper`, `angle`, `prefix` or `bare`. `left` is what stands on its left in its line, if that starts
    within LOOKBACK characters. `trimmed` is what was cut from a bare one's tail. `too_long` marks one that passed
    MAX_URL_LENGTH, or as a wrapper MAX_WRAPPER_SPAN. It starts `at` in the scanner's `view`; a bare one that touches
    the end of its line stops at `stop` there, others have 0. `text` is what of a torn one in brackets is visible, where
    the scanner has come across it. What stands around it is cut out when it is asked for: few ask.
    """

    form: str
    raw: str
    start: int
    line: int
    column: int
    left: str
    trimmed: str
    too_long: bool
    view: str
    at: int
    stop: int
    text: str

    @property
    def before(self) -> str:
        """The text on its left, up to LOOKBACK characters."""
        return self.view[max(0, self.at - LOOKBACK) : self.at]

    @property
    def after(self) -> str:
        """The text after a bare one that touches the end of its line, up to LOOKAHEAD characters."""
        return self.view[self.stop : self.stop + LOOKAHEAD] if self.stop else ""

    @property
    def leader(self) -> tuple[lines.Mark, ...]:
        """The leader of the line that the candidate starts in."""
        return lines.leader(self.left + self.raw[:1])


def may_hold_urls(text: bytes | str) -> bool:
    """Tell whether scanning *text* could find anything."""
    return triggers.TRIGGER.search(text.decode("latin-1") if isinstance(text, bytes) else text) is not None


class CandidateScanner:
    """Finds candidates in text that comes in pieces: `feed` each piece, then `close`.

    With *binary*, pieces are bytes; else they are str. *ascii_only* ends bare URLs at the first character beyond ASCII.
    With *quick*, plain URLs come out as `Plain`, judged already: they are valid under the profile WEB.
    *offset* and *line* are those of the first character, for a text that begins inside a file. Of that text, the first
    *decided* characters are there to be looked back at, and what betrays a URL at *stop* (an offset) or behind it is
    left to others.
    """

    def __init__(  # noqa: PLR0913 -- each is asked for by name
        self,
        *,
        binary: bool,
        ascii_only: bool = False,
        quick: bool = False,
        offset: int = 0,
        line: int = 1,
        decided: int = 0,
        stop: int = sys.maxsize,
    ) -> None:
        self._binary = binary
        self._ascii_only = ascii_only
        self._quick = quick
        self._view = ""  # the text held back, with _KEPT characters on its left
        self._base = offset  # the offset of the view in the stream
        self._pos = decided  # in the view: everything on the left is decided
        self._stop = stop
        self._fresh: list[str] = []  # what came since the view was last scanned
        self._fresh_size = 0
        self._extents = Extents("", binary=binary, ascii_only=ascii_only, closed=False)
        self._returns = False  # whether there is a "\r" in the view
        self._line = line  # the line that _line_start begins
        self._line_start = offset  # in the stream
        self._counted = offset  # in the stream: lines are counted up to here

    @property
    def position(self) -> int:
        """The offset in the stream up to which candidates are decided."""
        return self._base + self._pos

    @property
    def counted(self) -> tuple[int, int]:
        """An offset in the stream, and the line that it is in: up to there lines are counted."""
        return self._counted, self._line

    def feed(self, chunk: bytes | str) -> Iterator[Candidate | Torn | list[plain.Plain]]:
        """Take the next piece of the stream and find the candidates that are now certain, as they are asked for.

        All are to be asked for before the next piece comes.
        """
        for start in range(0, len(chunk), BLOCK_SIZE):
            piece = chunk[start : start + BLOCK_SIZE]
            self._fresh.append(piece.decode("latin-1") if isinstance(piece, bytes) else piece)
            self._fresh_size += len(piece)
            # Whatever the sizes, what is held back is scanned again only after it grew by an eighth. A short text is
            # scanned when it is closed: at a line's end nothing is certain before LOOKAHEAD characters.
            held = len(self._view) - self._pos
            if self._fresh_size * 8 >= held and self._fresh_size + held >= LOOKAHEAD:
                yield from self._scan(closed=False)

    def close(self) -> Iterator[Candidate | Torn | list[plain.Plain]]:
        """Find the candidates left at the end of the stream."""
        return self._scan(closed=True)

    def _scan(self, *, closed: bool) -> Iterator[Candidate | Torn | list[plain.Plain]]:  # noqa: C901, PLR0912 -- no call a trigger
        self._view = view = "".join((self._view, *self._fresh))
        self._fresh.clear()
        self._fresh_size = 0
        self._returns = "\r" in view
        self._extents = Extents(view, binary=self._binary, ascii_only=self._ascii_only, closed=closed)
        # A plain URL at a line's end has been looked at with the text after it, which must be there.
        reach = 0 if closed else LOOKAHEAD if self._quick else triggers.TRIGGER_REACH
        last = len(view) - reach
        certain = min(last, self._stop - self._base)
        searched = plain.plain_or_trigger(octets=self._binary) if self._quick else triggers.TRIGGER
        find, is_plain = searched.finditer, searched.groupindex.get("plain")
        plain_ones: list[plain.Plain] = []
        ahead = find(view, self._pos)
        while (trigger := next(ahead, None)) and (colon := trigger.start()) < certain:
            if trigger.lastindex == is_plain:
                if (stop := trigger.end()) <= last and (one := self._plain(colon, stop)) is not None:
                    plain_ones.append(one)
                    continue
            elif self._quick and trigger.lastgroup == "slashes":
                if self._is_nothing(colon):
                    continue
            elif self._quick and (one := self._opaque_or_wrapped(colon, last, trigger.lastgroup or "")) is not None:
                plain_ones.append(one)
                ahead = find(view, self._pos)
                continue
            torn = self._torn(colon, last) if self._quick else None
            found = None if torn else self._extents.found(colon, trigger.lastgroup or "")
            if found is HOLD:
                certain = colon
                break
            if plain_ones and (torn or found):
                yield plain_ones
                plain_ones = []
            if torn:
                yield torn
            else:
                self._pos = colon + 1
                if isinstance(found, Found):
                    candidate = self._candidate(found)
                    self._pos = max(found.resume, self._pos)
                    yield candidate
            ahead = find(view, self._pos)
        if plain_ones:
            yield plain_ones
        if not closed:
            self._consume(max(self._pos, certain))

    def _consume(self, pos: int) -> None:
        """Drop the view up to _KEPT characters before *pos*: the one place where view and offset move."""
        self._pos = pos
        drop = pos - _KEPT
        if drop > 0:
            # A CRLF is one line end: it is not cut in two.
            drop -= self._view[drop - 1] == "\r"
            self._count_lines(drop)
            self._view = self._view[drop:]
            self._base += drop
            self._pos = pos - drop

    def _count_lines(self, pos: int) -> None:
        """Count the line ends between what is counted and *pos* in the view."""
        start = self._counted - self._base
        if pos <= start:
            return
        view = self._view
        if ends := view.count("\n", start, pos):
            self._line += ends
            self._line_start = self._base + view.rfind("\n", start, pos) + 1
        if self._returns and (returns := view.count("\r", start, pos)):
            self._line += returns - (view.count("\r\n", start, pos) if ends else 0)
            self._line_start = max(self._line_start, self._base + view.rfind("\r", start, pos) + 1)
        self._counted = self._base + pos

    def _candidate(self, found: Found) -> Candidate:
        view = self._view
        at = found.start
        self._count_lines(at)
        line_start = self._line_start - self._base
        return Candidate(
            found.form,
            view[at : found.end],
            self._base + at,
            self._line,
            at - line_start + 1,
            view[line_start:at] if at - line_start < LOOKBACK else "",
            view[found.end : found.resume] if found.form in ("bare", "prefix") else "",
            found.too_long,
            view,
            at,
            found.stop,
            found.text,
        )

    def _plain(self, colon: int, stop: int) -> plain.Plain | None:
        """Return the plain URL whose scheme ends at *colon* and its tail at *stop*, unless an angle opens before it."""
        view = self._view
        start = colon - plain.SCHEME_SIZES[view[colon - 3 : colon]]
        url = view[start:stop]
        trimmed = ""
        form = "bare"
        if url[-1] in plain.TAIL:
            url = url.rstrip(plain.TAIL)
            trimmed = view[start + len(url) : stop]
        if stop - start > plain.LONGEST or (url[0] == "f" and ";" in url):
            return None
        before = view[start - 1]
        if before == "<":
            if trimmed or view[stop : stop + 1] != ">":
                return None
            form = "angle"
            stop += 1
        elif before == ":" and view[start - 4 : start].upper() == "URL:":
            # That is text: no bracket opens before it.
            form = bare_form(view, start)
        elif (
            (bracket := view.rfind("<", start - BEFORE_BRACKET if start > BEFORE_BRACKET else 0, start)) >= 0
            and MAY_OPEN.match(view, bracket, start)
            and self._extents.bracket_before(start, view[start:colon]) >= 0
        ):
            return None
        self._pos = stop
        return self._placed(url, start, form, trimmed)

    def _is_nothing(self, colon: int) -> bool:
        """Tell whether behind the scheme that ends at *colon*, and its slashes, nothing follows."""
        view = self._view
        return plain.NOTHING.match(view, colon) is not None and (
            view.startswith("<", colon + 3) or not self._extents.angle_may_open(colon)
        )

    def _opaque_or_wrapped(self, colon: int, last: int, kind: str) -> plain.Plain | None:
        """Return the plain URL without `//` or in a wrapper that has its *colon* there and ends at *last* or before."""
        view = self._view
        if not kind.startswith("wrapper"):
            shape = plain.OPAQUE.match(view, colon)
            return self._plain(colon, shape.end()) if shape and shape.end() <= last else None
        end = view.find(">", colon, colon + plain.LONGEST) + 1
        in_line = 0 < end <= last and view.find("\n", colon, end) < 0
        shape = plain.WRAPPED.match(view, colon, end) if in_line else None
        if shape is None or (shape[1][0] == "f" and ";" in shape[1]):
            return None
        self._pos = shape.end()
        return self._placed(shape[1], shape.start(1), "wrapper", "")

    def _torn(self, colon: int, last: int) -> Torn | None:
        """Return the torn URL in brackets that has its *colon* there and ends at *last* or before, if it is plain."""
        found = torn_at(self._view, colon, min(last, colon + plain.LONGEST))
        if found is None:
            return None
        url, start, form, raw, self._pos = found
        return *self._placed(url, start, form, ""), raw

    def _placed(self, url: str, start: int, form: str, trimmed: str) -> plain.Plain:
        view, base = self._view, self._base
        if self._returns:
            self._count_lines(start)
        else:
            if ends := view.count("\n", self._counted - base, start):
                self._line += ends
                self._line_start = base + view.rfind("\n", 0, start) + 1
            # Without a line end too: else a line full of URLs is counted again for each.
            self._counted = base + start
        line_start = self._line_start - base
        left = view[line_start:start] if start - line_start < LOOKBACK else ""
        return url, base + start, self._line, start - line_start + 1, form, trimmed, left
