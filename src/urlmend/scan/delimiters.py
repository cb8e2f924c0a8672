"""The extent of one candidate: where it starts and ends, in brackets or bare, around its trigger, a colon.

This module finds where brackets open and close, and `termination` where a bare URL ends.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from urlmend.scan import termination, triggers
from urlmend.scan.view import as_view, decode_start, decoded
from urlmend.text import leaders, schemes
from urlmend.text.limits import LOOKAHEAD, LOOKBACK, MAX_URL_LENGTH, MAX_WRAPPER_SPAN
from urlmend.text.line_ends import EOL, last_line

_TO_BRACKET = re.compile(r"[^<>]*")
_TO_ENTITY = re.compile(r"(?:[^<>&]|&(?!gt;|lt;))*")
# A bracket with blanks behind it, or in its line the start of a scheme's name; page furniture hides the line.
MAY_OPEN = re.compile(
    r"<(?:[^\x00-\x08\x0e-\x1b!-\x7f]*+\Z|[ \t\v\f]*+[A-Za-z0-9+.\-]{0,40}+[ \t\v\f]*+[\r\n]|(?i:[^\r\n]*\[Page))"
)
_LONGEST_TAIL = 64
BEFORE_BRACKET = 200
_UNSEEN = re.compile(f"[{leaders.UNSEEN}]+")
_BLANK_INSIDE = re.compile(r"\s")
_SCHEME_THEN_COLON = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_VISIBLE = "[!-;=?-~]"
_BLANKS_BEHIND_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*:/{0,2})[ \t]+")
# "<mailto: jane@a.example>" and "<mailto:jane at a.example>" are for `_is_angle` to tell.
_BLANK_IN_LINE = re.compile(
    rf"<[ \t]*+(?:{_BLANKS_BEHIND_SCHEME.pattern})?+{_VISIBLE}++(?:{schemes.HIDDEN_AT}{_VISIBLE}++)?+[ \t]++{_VISIBLE}"
)
_TWO_URLS = re.compile(r"[^\s>|#;*%][ \t]+(?:or|and)\s", re.IGNORECASE)
_BLANK_LINE = re.compile(rf"{EOL}[ \t>|]*[\r\n]")
_LINE_END = re.compile(r"[\r\n]")
_LINE_BREAK_AHEAD = re.compile(r"[ \t]{0,80}[\r\n]")


def _own_line(before: str) -> str:
    """Return what *before*, the LOOKBACK characters on the left of a place, shows of the line that the place is in.

    That is nothing where the line starts farther left: its leader is not known.
    """
    line = last_line(before)
    return line if len(line) < LOOKBACK else ""


class Extent(NamedTuple):
    """The extent of a candidate in the view, `start` to `end`; scanning goes on at `resume`.

    `stop` and `too_long` are as in `Candidate`.
    """

    form: str
    start: int
    end: int
    resume: int
    stop: int = 0
    too_long: bool = False


class Hold(Enum):
    """More text is needed to tell."""

    HOLD = 0


HOLD = Hold.HOLD


class _Unclosed(Enum):
    """Why a bracket is not closed: another one opens before, or none closes within the longest span."""

    GIVEN_UP = 0
    PAST_LIMIT = 1


@dataclass(slots=True, eq=False)
class Delimiters:
    """Tells the extents of the candidates in a *view* of the stream: all of its end, where that is *closed*.

    With *binary* it has one character a byte. *ascii_only* ends bare URLs at the first character beyond ASCII.
    """

    view: str
    binary: bool
    ascii_only: bool
    closed: bool

    def extent(self, colon: int, kind: str) -> Extent | Hold | None:
        """Return the extent of the candidate at *colon*, a trigger of that *kind*, a group of `triggers.trigger`.

        `None` for no candidate.
        """
        view = self.view
        if kind.startswith("wrapper"):
            bracket = self.bracket_before(colon - 3)
            return None if bracket < 0 else self._inside(bracket, colon + 1, "wrapper")
        split = kind.startswith("split")
        if split and not triggers.MAY_BE_SPLIT.search(view, max(0, colon - triggers.MAX_SCHEME_LENGTH), colon):
            return None
        end = triggers.scheme_end(view, colon)
        start = triggers.scheme_start(view, end, opaque=not kind.startswith(("slashes", "defanged")))
        if start > 0 and self._is_glued(start, end):
            start = -1
        bracket = self.bracket_before(start, view[start:end]) if start >= 0 else -1
        # With a blank in a line it is none: "<mailto:jane at a.example>".
        opens = bracket >= 0 and not _BLANK_IN_LINE.match(view, bracket)
        found = self._inside(bracket, bracket + 1, "angle") if opens else None
        if found is not None or start < 0 or kind.startswith("opening"):
            return found
        if split and view[start:colon].lower() not in schemes.COMMON_SCHEMES:
            return None
        found = self._bare(start, colon)
        if kind == "opaque" and isinstance(found, Extent) and not triggers.has_shape(view, colon, found.end):
            return None
        return found

    def _is_glued(self, start: int, colon: int) -> bool:
        """Tell whether a word or digit is glued to the scheme from *start* to *colon*, and nobody registered that."""
        view, before = self.view, self.view[start - 1]
        if not (before.isalnum() or before == "_") and before.isascii():
            return False
        if view[start:colon].lower() in schemes.KNOWN_SCHEMES:
            return False
        # The underscore of an emphasis is none of a word's.
        left = self._decoded(view[max(0, start - 8) : start].rstrip("_"))[-1:]
        return left.isalnum()

    def bracket_before(self, pos: int, scheme: str = "") -> int:
        """Return where the `<` on the left of *pos* stands, with only blanks and leaders between; -1 if there is none.

        Of an `&lt;`, which HTML leaves of one, it is the last character.
        A known scheme whose last letters, *scheme*, stand behind a line break has its first ones there too.
        """
        view = self.view
        if pos and (view[pos - 1] == "<" or view.endswith("&lt;", 0, pos)):
            return pos - 1
        bracket = view.rfind("<", max(0, pos - BEFORE_BRACKET), pos)
        if bracket < 0 or not MAY_OPEN.match(view, bracket, pos):
            return -1
        found = leaders.pieces(self._decoded(view[bracket + 1 : pos]), self._leader(bracket))
        if found and "".join(piece.text for piece in found).lower() + scheme.lower() not in schemes.KNOWN_SCHEMES:
            return -1
        return -1 if found is None else bracket

    def _leader(self, pos: int) -> tuple[leaders.Mark, ...]:
        """Return the leader of the line that *pos* in the view is in."""
        view = self.view
        return leaders.leader(_own_line(view[max(0, pos - LOOKBACK) : pos]) + view[pos : pos + 1])

    def _inside(self, bracket: int, start: int, form: str) -> Extent | Hold | None:
        """Find the inside of the wrapper or angle that opens at *bracket* and whose inside begins at *start*."""
        view = self.view
        marks = self._leader(bracket)
        closing = ">" if view[bracket] == "<" else "&gt;"
        end = self._closing(start, marks, closing)
        if isinstance(end, Hold):
            return end
        if isinstance(end, _Unclosed):
            return self._past_limit(start) if end is _Unclosed.PAST_LIMIT and form == "wrapper" else None
        span = self._decoded(view[start:end])
        pieces = leaders.pieces(span, marks)
        if pieces is None:
            return None
        text = "".join(piece.text for piece in pieces)
        if not (_is_wrapper(span, text) if form == "wrapper" else _is_angle(text)):
            return None
        first, last = (pieces[0].start, pieces[-1].end) if pieces else (len(span), len(span))
        first, last = self._size(span[:first]), self._size(span[:last])
        return Extent(form, start + first, start + last, end + len(closing))

    def _past_limit(self, start: int) -> Extent | None:
        """Return what is rejected of the wrapper whose inside begins at *start* and does not end within the limit.

        A blank line before the limit means that it was not meant to reach so far: that is nothing.
        """
        end = start + MAX_WRAPPER_SPAN
        blank_line = _BLANK_LINE.search(self.view, start, end)
        return None if blank_line else Extent("wrapper", start, end, start, too_long=True)

    def _decoded(self, view: str) -> str:
        return decoded(view) if self.binary else view

    def _size(self, text: str) -> int:
        return len(as_view(text)) if self.binary else len(text)

    def _closing(self, start: int, marks: tuple[leaders.Mark, ...], closing: str) -> int | Hold | _Unclosed:
        """Return where the *closing* bracket of the inside at *start* stands.

        A `>` in the leader of a line closes nothing. Another opening bracket means that this one was never closed.
        """
        view = self.view
        limit = start + MAX_WRAPPER_SPAN
        to_bracket = _TO_BRACKET if closing == ">" else _TO_ENTITY
        end = start
        while True:
            match = to_bracket.match(view, end, limit)
            end = match.end() if match else end
            if end >= limit:
                return _Unclosed.PAST_LIMIT
            if not self.closed and end + LOOKBACK > len(view):
                return HOLD
            text_start = self._text_start(start, end, marks) if view.startswith(">", end) else end
            if end >= text_start:
                return end if view.startswith(closing, end) else _Unclosed.GIVEN_UP
            end = text_start

    def _text_start(self, start: int, bracket: int, marks: tuple[leaders.Mark, ...]) -> int:
        """Return where the text begins in the line of *bracket*, if that is a line after the one of *start*."""
        if not marks:
            return start
        view = self.view
        line = max(view.rfind("\n", start, bracket), view.rfind("\r", start, bracket)) + 1
        return line + leaders.leader_end(view[line : line + LOOKBACK], marks) if line else start

    def _bare(self, start: int, colon: int) -> Extent | Hold | None:
        return self.finished(bare_form(self.view, start), start, self.extent_of_bare(start, colon))

    def finished(self, form: str, start: int, extent: termination.Extent) -> Extent | Hold | None:
        """Return the extent of a candidate in no brackets that starts at *start* and has that *extent*."""
        view = self.view
        end, stop = extent
        if end - start > MAX_URL_LENGTH or stop - start > MAX_URL_LENGTH + _LONGEST_TAIL:
            resume = start + MAX_URL_LENGTH + 1
            return Extent(form, start, resume, resume, too_long=True)
        at_line_end = ends_line(view, stop)
        if not self.closed and len(view) - stop < (LOOKAHEAD if at_line_end else triggers.TRIGGER_REACH):
            return HOLD
        return Extent(form, start, end, max(stop, end), stop if at_line_end else 0)

    def extent_of_bare(self, start: int, colon: int, host_end: int = 0) -> termination.Extent:
        """Return the extent of the bare URL at *start*, in the view; *host_end* is as in `termination.Place`."""
        view = self.view
        before = view[start - 1 : start] if start else ""
        limit = min(len(view), start + MAX_URL_LENGTH + _LONGEST_TAIL + 1)
        ascii_only = self.ascii_only or self.binary
        extent = termination.extent(view, termination.Place(start, colon, before, ascii_only, host_end), limit)
        if not self.binary:
            return extent
        if self.ascii_only or extent.stop >= limit or view[extent.stop].isascii():
            return extent
        host_size = len(decoded(view[start:host_end])) if host_end else 0
        place = termination.Place(0, colon - start, before, host_end=host_size)
        return self._decoded_extent(start, place, extent.stop - start)

    def _decoded_extent(self, start: int, place: termination.Place, size: int) -> termination.Extent:
        """Return the extent of a URL with characters beyond ASCII: the bytes are decoded a growing part at a time.

        It is at *start* in the view, and at *place* in what is decoded.
        """
        size += 64
        while True:
            octets = self.view[start : start + min(size, MAX_URL_LENGTH + _LONGEST_TAIL + 4)].encode("latin-1")
            text, whole = decode_start(octets)
            extent = termination.extent(text, place, len(text))
            at_end = extent.stop == len(text) and whole
            if not at_end or len(octets) < size:
                end = len(text[: extent.end].encode())
                stop = len(text[: extent.stop].encode())
                return termination.Extent(start + end, start + (len(octets) if at_end else stop))
            size *= 8


def ends_line(view: str, stop: int) -> bool:
    """Tell whether a URL that stops at *stop* touches the end of its line."""
    return _LINE_BREAK_AHEAD.match(view, stop) is not None


def bare_form(view: str, start: int) -> str:
    """Return the form of the URL at *start*, which stands in no brackets."""
    if view[start - 4 : start].upper() != "URL:":
        return "bare"
    before = view[start - 5 : start - 4]
    return "bare" if before == "<" or (before.isascii() and before.isalnum()) else "prefix"


def _is_wrapper(span: str, text: str) -> bool:
    """Return whether *span*, the inside of a wrapper with the *text* of its lines, may be one URL, not two or prose."""
    named = _SCHEME_THEN_COLON.match(_UNSEEN.sub("", text))
    # "see http:" is no scheme with a blank in it, "ht tp:" is one.
    if named and _UNSEEN.search(text.partition(":")[0]):
        named = named if named[0][:-1].lower() in schemes.KNOWN_SCHEMES else None
    return not _TWO_URLS.search(span) and not (named is None and _holds_trigger(span))


def _holds_trigger(span: str) -> bool:
    return (triggers.trigger().search(span) or triggers.LINE_END_BEHIND_COLON.search(span)) is not None


def _is_angle(text: str) -> bool:
    """Return whether *text*, that of the lines inside an angle, may be a URL: it has no blank within a line."""
    text = _BLANKS_BEHIND_SCHEME.sub(r"\1", text, count=1)
    return _BLANK_INSIDE.search(text) is None or schemes.is_hidden(text)
