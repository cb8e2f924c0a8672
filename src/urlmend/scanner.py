"""Finding candidates in a stream of text: extent only, no joining and no judging (sans-IO: `feed` and `close`).

Binary input is scanned as Latin-1, one character a byte, so that offsets are true; only a candidate is decoded. The
search looks for colons first, and each character is visited a bounded number of times. Nothing that a candidate says
depends on how the input is cut: what could still change is held back until enough text is there.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from urlmend import lines, plain, termination, triggers

MAX_URL_LENGTH = 65536
"""The longest URL, in characters. Servers commonly take 8 000, browsers 64 000 to 2 000 000; longer runs in text are
encoded data. A longer one is rejected with the rule `length`, never cut short."""

MAX_WRAPPER_SPAN = 8192
"""The longest inside of a wrapper or angle, with its breaks and page furniture: some 100 lines. A `<URL:` with no `>`
in this reach is rejected with the rule `length`, and its inside read as bare text."""

LOOKBACK = 1024
"""How far, in characters, a candidate sees the text on its left."""

LOOKAHEAD = 4096
"""How far, in characters, a candidate at a line's end sees the text after it: what a bare URL can be mended with."""

BLOCK_SIZE = 65536
"""How much text, in characters, is scanned at once: the memory of larger strings is mapped and unmapped one by one."""

# A candidate may start on the left of what betrays it, and sees LOOKBACK characters from there.
_KEPT = LOOKBACK + triggers.TRIGGER_REACH

_TO_BRACKET = re.compile(r"[^<>]*")
_PREFIX = re.compile("[^A-Za-z0-9<]?[Uu][Rr][Ll]:")
_TO_ENTITY = re.compile(r"(?:[^<>&]|&(?!gt;|lt;))*")
# A bracket with blanks behind it, or in its line the start of a scheme's name; page furniture hides the line.
_MAY_OPEN = re.compile(
    r"<(?:[\s\x80-\U0010ffff]*\Z|[ \t\v\f]*[A-Za-z0-9+.\-]{0,40}[ \t\v\f]*[\r\n]|(?i:[^\r\n]*\[Page))"
)
_LONGEST_TAIL = 64
_BEFORE_BRACKET = 200
_UNSEEN = re.compile(f"[{lines.UNSEEN}]+")
_BLANK_INSIDE = re.compile(r"\s")
_SCHEME_THEN_COLON = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_IN_ONE_PIECE = re.compile(r"[!-%'-;=?-~]{1,2048}+(?=>)")
_TWO_URLS = re.compile(r"[^\s>|#;*%][ \t]+(?:or|and)\s", re.IGNORECASE)
_BLANK_LINE = re.compile(r"(?:\r\n?|\n)[ \t>|]*[\r\n]")
_LINE_END = re.compile(r"[\r\n]")
_LINE_BREAK_AHEAD = re.compile(r"[ \t]{0,80}(?:\r\n|\r|\n)")


@dataclass(slots=True, eq=False)
class Candidate:
    """A stretch of text that may be a URL.

    `raw` is the stretch as it stands (for binary input one character a byte), `start` its offset in the stream;
    `form` is `wrapper`, `angle`, `prefix` or `bare`. `left` is what stands on its left in its line, if that starts
    within LOOKBACK characters. `trimmed` is what was cut from a bare one's tail. `too_long` marks one that passed
    MAX_URL_LENGTH, or as a wrapper MAX_WRAPPER_SPAN. It starts `at` in the scanner's `view`; a bare one that touches
    the end of its line stops at `stop` there, others have 0. `torn` are the visible parts of a wrapped one, and the
    gaps between, where the scanner has come across them. What stands around it is cut out when it is asked for: few
    ask.
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
    torn: tuple[list[str], list[str]] | None

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


def _own_line(before: str) -> str:
    """Return what *before*, the LOOKBACK characters on the left of a place, shows of the line that the place is in.

    That is nothing where the line starts farther left: its leader is not known.
    """
    start = max(before.rfind("\n"), before.rfind("\r")) + 1
    return before[start:] if start or len(before) < LOOKBACK else ""


class _Found(NamedTuple):
    """A stretch of the buffer, `start` to `end`; scanning goes on at `resume`."""

    form: str
    start: int
    end: int
    resume: int
    stop: int = 0
    too_long: bool = False
    torn: tuple[list[str], list[str]] | None = None


_HOLD = object()
_MORE = -2
_PAST_LIMIT = -3


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

    def feed(self, chunk: bytes | str) -> Iterator[Candidate | list[plain.Plain]]:
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

    def close(self) -> Iterator[Candidate | list[plain.Plain]]:
        """Find the candidates left at the end of the stream."""
        return self._scan(closed=True)

    def _scan(self, *, closed: bool) -> Iterator[Candidate | list[plain.Plain]]:  # noqa: C901 -- no call a trigger
        self._view = view = "".join((self._view, *self._fresh))
        self._fresh.clear()
        self._fresh_size = 0
        self._returns = "\r" in view
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
            elif self._quick and (one := self._opaque_or_wrapped(colon, last)) is not None:
                plain_ones.append(one)
                ahead = find(view, self._pos)
                continue
            found = self._found(trigger, closed=closed)
            if found is _HOLD:
                certain = colon
                break
            self._pos = colon + 1
            if isinstance(found, _Found):
                if plain_ones:
                    yield plain_ones
                    plain_ones = []
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
        if self._returns and (ends := view.count("\r", start, pos)):
            self._line += ends - view.count("\r\n", start, pos)
            self._line_start = max(self._line_start, self._base + view.rfind("\r", start, pos) + 1)
        self._counted = self._base + pos

    def _candidate(self, found: _Found) -> Candidate:
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
            found.torn,
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
        elif (
            (bracket := view.rfind("<", start - _BEFORE_BRACKET if start > _BEFORE_BRACKET else 0, start)) >= 0
            and _MAY_OPEN.match(view, bracket, start)
            and self._bracket_before(start, view[start:colon]) >= 0
        ):
            return None
        elif before == ":":
            form = _bare_form(view, start)
        self._pos = stop
        return self._placed(url, start, form, trimmed)

    def _is_nothing(self, colon: int) -> bool:
        """Tell whether behind the scheme that ends at *colon*, and its slashes, nothing follows."""
        view = self._view
        return plain.NOTHING.match(view, colon) is not None and (
            view.startswith("<", colon + 3) or not self._angle_may_open(colon)
        )

    def _opaque_or_wrapped(self, colon: int, last: int) -> plain.Plain | None:
        """Return the plain URL without `//` or in a wrapper that has its *colon* there and ends at *last* or before."""
        view = self._view
        shape = plain.OPAQUE.match(view, colon)
        if shape and shape.end() <= last and (found := self._plain(colon, shape.end())) is not None:
            return found
        shape = plain.WRAPPED.match(view, colon)
        if shape is None or shape.end() > min(last, colon + plain.LONGEST):
            return None
        self._pos = shape.end()
        return self._placed(shape[1], shape.start(1), "wrapper", "")

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

    # Each of these returns what was found, _HOLD where more text is needed to tell, or None.

    def _found(self, trigger: re.Match[str], *, closed: bool) -> object:
        view = self._view
        colon = trigger.start()
        kind = trigger.lastgroup or ""
        if kind.startswith("wrapper"):
            bracket = self._bracket_before(colon - 3)
            return None if bracket < 0 else self._inside(bracket, colon + 1, "wrapper", closed=closed)
        split = kind.startswith("split")
        if split and not triggers.MAY_BE_SPLIT.search(view, max(0, colon - triggers.MAX_SCHEME_LENGTH), colon):
            return None
        start = triggers.scheme_start(view, colon, opaque=kind not in ("slashes", "plain"))
        bracket = self._bracket_before(start, view[start:colon]) if start >= 0 else -1
        found = self._inside(bracket, bracket + 1, "angle", closed=closed) if bracket >= 0 else None
        if found is not None or start < 0 or kind.startswith("opening"):
            return found
        if split and view[start:colon].lower() not in triggers.SPLIT_SCHEMES:
            return None
        found = self._bare(start, colon, closed=closed)
        if kind == "opaque" and isinstance(found, _Found) and not triggers.has_shape(view, colon, found.end):
            return None
        return found

    def _bracket_before(self, pos: int, scheme: str = "") -> int:
        """Return where the `<` on the left of *pos* stands, with only blanks and leaders between; -1 if there is none.

        Of an `&lt;`, which HTML leaves of one, it is the last character.
        A known scheme whose last letters, *scheme*, stand behind a line break has its first ones there too.
        """
        view = self._view
        if pos and (view[pos - 1] == "<" or view.endswith("&lt;", 0, pos)):
            return pos - 1
        bracket = view.rfind("<", max(0, pos - _BEFORE_BRACKET), pos)
        if bracket < 0 or not _MAY_OPEN.match(view, bracket, pos):
            return -1
        found = lines.pieces(self._decoded(view[bracket + 1 : pos]), self._leader(bracket))
        if found and "".join(piece.text for piece in found).lower() + scheme.lower() not in triggers.KNOWN_SCHEMES:
            return -1
        return -1 if found is None else bracket

    def _angle_may_open(self, colon: int) -> bool:
        """Tell at a glance whether an angle may open before the scheme that ends at *colon*."""
        start = max(0, colon - triggers.MAX_SCHEME_LENGTH - _BEFORE_BRACKET)
        return self._view.rfind("<", start, colon) >= 0 or self._view.rfind("&lt;", start, colon) >= 0

    def _leader(self, pos: int) -> tuple[lines.Mark, ...]:
        """Return the leader of the line that *pos* in the view is in."""
        view = self._view
        return lines.leader(_own_line(view[max(0, pos - LOOKBACK) : pos]) + view[pos : pos + 1])

    def _inside(self, bracket: int, start: int, form: str, *, closed: bool) -> object:
        """Find the inside of the wrapper or angle that opens at *bracket* and whose inside begins at *start*."""
        view = self._view
        if view[bracket] == "<" and (whole := _IN_ONE_PIECE.match(view, start)):
            end = whole.end()
            if not closed and end + LOOKBACK > len(view):
                return _HOLD
            if form == "angle" or _SCHEME_THEN_COLON.match(view, start) or not _betrays_url(view[start:end]):
                return _Found(form, start, end, end + 1)
            return None
        marks = self._leader(bracket)
        closing = ">" if view[bracket] == "<" else "&gt;"
        end = self._closing(start, marks, closing, closed=closed)
        if end < 0:
            past_limit = end == _PAST_LIMIT and form == "wrapper"
            return self._past_limit(start) if past_limit else _HOLD if end == _MORE else None
        span = self._decoded(view[start:end])
        inside = lines.inside(span, marks)
        if inside is None or not (_is_wrapper if form == "wrapper" else _is_angle)(span, "".join(inside.texts)):
            return None
        first, last = self._size(span[: inside.start]), self._size(span[: inside.end])
        # Behind a line end the leader is another line's.
        torn = inside.torn if span.isascii() and not _LINE_END.search(span, 0, inside.start) else None
        return _Found(form, start + first, start + last, end + len(closing), torn=torn)

    def _past_limit(self, start: int) -> _Found | None:
        """Return what is rejected of the wrapper whose inside begins at *start* and does not end within the limit.

        A blank line before the limit means that it was not meant to reach so far: that is nothing.
        """
        end = start + MAX_WRAPPER_SPAN
        blank_line = _BLANK_LINE.search(self._view, start, end)
        return None if blank_line else _Found("wrapper", start, end, start, too_long=True)

    def _decoded(self, view: str) -> str:
        return decoded(view) if self._binary else view

    def _size(self, text: str) -> int:
        return len(as_view(text)) if self._binary else len(text)

    def _closing(self, start: int, marks: tuple[lines.Mark, ...], closing: str, *, closed: bool) -> int:
        """Return where the *closing* bracket of the inside at *start* stands.

        That is -1 for none, _PAST_LIMIT for none within the longest span, and _MORE where it is open.

        A `>` in the leader of a line is none; another opening bracket means that this one was never closed.
        """
        view = self._view
        limit = start + MAX_WRAPPER_SPAN
        through = lines.way(marks)
        to_bracket = _TO_ENTITY if closing != ">" else through.to_bracket if through else _TO_BRACKET
        end = start
        while True:
            match = to_bracket.match(view, end, limit)
            end = match.end() if match else end
            if end >= limit:
                return _PAST_LIMIT
            if not closed and end + LOOKBACK > len(view):
                return _MORE
            text_start = self._text_start(start, end, marks) if view.startswith(">", end) else end
            if end >= text_start:
                return end if view.startswith(closing, end) else -1
            end = text_start

    def _text_start(self, start: int, bracket: int, marks: tuple[lines.Mark, ...]) -> int:
        """Return where the text begins in the line of *bracket*, if that is a line after the one of *start*."""
        view = self._view
        line = max(view.rfind("\n", start, bracket), view.rfind("\r", start, bracket)) + 1
        return line + lines.leader_end(view[line : line + LOOKBACK], marks) if line and marks else start

    def _bare(self, start: int, colon: int, *, closed: bool) -> object:
        view = self._view
        before = view[start - 1 : start] if start else ""
        end, stop = self._extent(start, colon, before)
        if end - start > MAX_URL_LENGTH or stop - start > MAX_URL_LENGTH + _LONGEST_TAIL:
            resume = start + MAX_URL_LENGTH + 1
            return _Found("bare", start, resume, resume, too_long=True)
        if stop == len(view) and not closed:
            return _HOLD
        if not closed and len(view) - stop < triggers.TRIGGER_REACH:
            return _HOLD
        at_line_end = _LINE_BREAK_AHEAD.match(view, stop) is not None
        if at_line_end and not closed and len(view) - stop < LOOKAHEAD:
            return _HOLD
        return _Found(_bare_form(view, start), start, end, max(stop, end), stop if at_line_end else 0)

    def _extent(self, start: int, colon: int, before: str) -> termination.Extent:
        """Return the extent of the bare URL at *start*, in the view."""
        view = self._view
        limit = min(len(view), start + MAX_URL_LENGTH + _LONGEST_TAIL + 1)
        ascii_only = self._ascii_only or self._binary
        extent = termination.extent(view, start, colon, limit, before=before, ascii_only=ascii_only)
        if not self._binary:
            return extent
        if self._ascii_only or extent.stop >= limit or view[extent.stop].isascii():
            return extent
        return self._decoded_extent(start, colon, before, extent.stop - start)

    def _decoded_extent(self, start: int, colon: int, before: str, size: int) -> termination.Extent:
        """Return the extent of a URL with characters beyond ASCII: the bytes are decoded a growing part at a time."""
        size += 64
        while True:
            octets = self._view[start : start + min(size, MAX_URL_LENGTH + _LONGEST_TAIL + 4)].encode("latin-1")
            text, whole = _decode(octets)
            extent = termination.extent(text, 0, colon - start, len(text), before=before)
            at_end = extent.stop == len(text) and whole
            if not at_end or len(octets) < size:
                end = len(text[: extent.end].encode())
                stop = len(text[: extent.stop].encode())
                return termination.Extent(start + end, start + (len(octets) if at_end else stop))
            size *= 8


def _bare_form(view: str, start: int) -> str:
    if view[start - 1 : start] != ":":
        return "bare"
    return "prefix" if _PREFIX.fullmatch(view[max(0, start - 5) : start]) else "bare"


def _is_wrapper(span: str, text: str) -> bool:
    """Tell whether *span*, the inside of a wrapper, is to be joined: it is none if it holds two URLs, or prose."""
    named = _SCHEME_THEN_COLON.match(_UNSEEN.sub("", text))
    # "see http:" is no scheme with a blank in it, "ht tp:" is one.
    if named and _UNSEEN.search(text.partition(":")[0]):
        named = named if named[0][:-1].lower() in triggers.KNOWN_SCHEMES else None
    return not _TWO_URLS.search(span) and not (named is None and _betrays_url(span))


def _betrays_url(span: str) -> bool:
    return (triggers.TRIGGER.search(span) or triggers.LINE_END_BEHIND_COLON.search(span)) is not None


def _is_angle(_span: str, text: str) -> bool:
    """Tell whether *text*, the joined lines inside an angle, is a URL's: a blank in the middle of a line is none."""
    return not _BLANK_INSIDE.search(text)


def decoded(view: str) -> str:
    """Return *view*, which has one character a byte, as text of which `as_view` makes the same again."""
    return view if view.isascii() else view.encode("latin-1").decode(errors="surrogateescape")


def as_view(text: str) -> str:
    """Return the view that *text* was decoded from."""
    return text if text.isascii() else text.encode(errors="surrogateescape").decode("latin-1")


def _decode(octets: bytes) -> tuple[str, bool]:
    """Decode UTF-8 up to the first octet that is none; tell whether only an unfinished character is missing."""
    try:
        return octets.decode(), True
    except UnicodeDecodeError as error:
        return octets[: error.start].decode(), error.reason == "unexpected end of data"
