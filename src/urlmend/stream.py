"""From a stream of text to matches (sans-IO): ordinary URLs at once, all others by way of `scan` and `resolver`.

Binary input is scanned as Latin-1, one character a byte, so that offsets are true; only a candidate is decoded. The
search looks for colons first, and each character is visited a bounded number of times. Matches do not depend on how the
input is cut: what could still change is held back until enough text is there.
"""

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from urlmend.grammar.profiles import WEB
from urlmend.grammar.unwrap import is_whole
from urlmend.match import Break, Reading, Rejected, URLMatch
from urlmend.mend.line_break import is_crowded, never_goes_on
from urlmend.mend.quick_verdict import CERTAIN, quick_verdict
from urlmend.mend.readings import wrapped
from urlmend.query import Query
from urlmend.resolver import Resolver
from urlmend.scan import ordinary, triggers
from urlmend.scan.delimiters import (
    BARE_FORMS,
    OPENING,
    UNCLOSED,
    Candidate,
    Delimiters,
    NeedsMoreText,
    View,
    bare_form,
    ends_line,
)
from urlmend.scan.ordinary import LONGEST, SIZES, SPACED_AT, TAIL
from urlmend.scan.triggers import BEFORE_BRACKET
from urlmend.sources import Origin, Span, Text
from urlmend.sources.places import LineCounter, replaced
from urlmend.text import defanged
from urlmend.text.leaders import is_quoted
from urlmend.text.limits import LOOKAHEAD, LOOKBACK, MOST_BESIDE
from urlmend.text.schemes import IMPLIED

SCANNED_AT_ONCE = 65536
"""How many characters are scanned at once: the memory of each larger string would be mapped and unmapped."""

_FTP, _MAILTO = len("ftp"), len("mailto")
# A candidate may start before its trigger, and sees LOOKBACK characters before its start.
_KEPT = LOOKBACK + triggers.TRIGGER_REACH
# How much text after a defanged candidate is looked at first.
_AHEAD = LOOKAHEAD + LOOKBACK


class StreamPart(NamedTuple):
    """The part of a stream in which URLs are looked for.

    The scanner is fed from *offset* on, which is in *line*, from 1. It looks for triggers from the offset *start* to
    *stop*; the text before *start* is only context. A candidate that begins before *taken* is part of an earlier URL.
    """

    offset: int = 0
    line: int = 1
    start: int = 0
    stop: int = sys.maxsize
    taken: int = 0


ALL = StreamPart()


class StreamScanner:
    """Finds the URLs in a text of *origin* that comes in pieces, or in a *part* of it: `feed` each, then `close`.

    With *binary*, pieces are bytes; else they are str. *rejected* is called with each candidate that is not a URL.
    Unless *numbered*, the line numbers of matches may be wrong.
    """

    def __init__(  # noqa: PLR0913 -- each is a choice of its own
        self,
        query: Query,
        origin: Origin,
        rejected: Callable[[Rejected], object] | None = None,
        part: StreamPart = ALL,
        *,
        binary: bool,
        numbered: bool = True,
    ) -> None:
        self.binary = binary
        self.last_end = part.taken
        """The offset where the last match ends: a candidate that starts before it is part of that match."""
        self._query = query
        self._origin = origin
        self._rejected = rejected
        self._resolver = Resolver(query)
        self._view = View("", binary=binary)  # the text held back, with _KEPT characters before it
        self._octets = b""  # the same, one a character
        self._base = part.offset  # the offset of the view in the stream
        self._pos = max(0, part.start - part.offset)  # in the view: everything before it is decided
        self._stop = part.stop
        self._fresh: list[Any] = []  # what came since the view was last scanned
        self._fresh_size = 0
        self._numbered = numbered
        self._lines = LineCounter(part.offset, part.line, numbered=numbered)

    @property
    def position(self) -> int:
        """The offset in the stream up to which all triggers are decided; a URL with a later one may begin before it."""
        return self._base + self._pos

    def feed(self, chunk: bytes | str) -> list[URLMatch]:
        """Add the next piece of the stream, and return the matches that are now certain, in order."""
        found: list[URLMatch] = []
        pieces = memoryview(chunk) if isinstance(chunk, bytes) else chunk
        for start in range(0, len(chunk), SCANNED_AT_ONCE):
            self._fresh.append(pieces[start : start + SCANNED_AT_ONCE])
            self._fresh_size += len(self._fresh[-1])
            # Whatever the sizes, what is held back is scanned again only after it grew by an eighth. A short text is
            # scanned when it is closed: at a line's end nothing is certain before LOOKAHEAD characters.
            held = len(self._view.text) - self._pos
            if self._fresh_size * 8 >= held and self._fresh_size + held >= LOOKAHEAD:
                self._take_fresh()
                found += self._matches(self._spans(), closed=False)
        return found

    def close(self) -> list[URLMatch]:
        """Return the remaining matches."""
        self._take_fresh()
        return self._matches(self._spans(), closed=True)

    def complete(self, text: Text) -> list[URLMatch]:
        """Return the matches in *text*, whose data is a str and complete."""
        self.last_end = 0
        self._origin = text.origin
        self._base = text.offset
        self._pos = 0
        data = str(text.data)
        self._view = View(data, binary=False)
        self._octets = data.encode("latin-1", "replace")
        self._lines = LineCounter(text.offset, text.line, self._octets, numbered=self._numbered)
        return self._matches(self._spans() if text.spans is None else text.spans, closed=True)

    def _take_fresh(self) -> None:
        """Make the view of the held-back text and the new text."""
        if self.binary:
            self._octets = b"".join((self._octets, *self._fresh))
            text = self._octets.decode("latin-1")
        else:
            text = "".join((self._view.text, *self._fresh))
            self._octets = text.encode("latin-1", "replace")
        self._view = View(text, binary=self.binary and not text.isascii())
        self._fresh.clear()
        self._fresh_size = 0
        self._lines.look_at(self._octets, self._base)

    def _spans(self) -> Iterable[Span]:
        text = self._view.text
        if self.binary or text.isascii():
            return ordinary.spans(self._octets, self._query, text, self._pos)
        return ordinary.spans_of_text(text, self._pos, self._query)

    def _matches(  # noqa: C901, PLR0912, PLR0915 -- most URLs need no more, and a call would cost a twentieth
        self, spans: Iterable[Span], *, closed: bool
    ) -> list[URLMatch]:
        """Return the matches at *spans* of the view, which is complete if it is *closed*.

        The shape of an ordinary URL shows where it starts and ends, and that it is valid; what follows shows in most
        texts that it ends there. `_is_url` answers the same questions about everything else.
        """
        found: list[URLMatch] = []
        view, base, lines, query = self._view, self._base, self._lines, self._query
        text, profile, origin, least = view.text, query.profile, self._origin, query.min_confidence
        delimiters = Delimiters(view, query, closed=closed)
        # Whether a URL goes on depends on the text after it, which must be there.
        certain = min(len(text) - (0 if closed else LOOKAHEAD), self._stop - base)
        last_ordinary = certain if profile is WEB else 0
        may_go_on, has_brackets = query.join == "evident", "<" in text
        binary = view.binary
        pos, last_end = self._pos, self.last_end - base
        delimiters.taken = max(0, last_end)
        colon = 0
        try:
            for colon, stop in spans:
                if colon >= certain:
                    break
                last = stop
                while True:
                    form = ""
                    sure: float | None = None
                    size = 0
                    if pos <= colon < stop - 3 and stop <= last_ordinary and text[colon + 1] not in " \t\r\n[":
                        size = SIZES.get(text[colon - 3 : colon]) or ordinary.size_of_other(text, colon, stop)
                    if size:
                        start = colon - size
                        end = start + len(text[start:stop].rstrip(TAIL)) if text[stop - 1] in TAIL else stop
                        before = text[start - 1] if start else " "
                        hidden_at = text.find(SPACED_AT, colon, end) if size == _MAILTO else -1
                        if hidden_at >= 0:
                            stop = end  # noqa: PLW2901 -- full stops after it are not part of it
                        elif before == "'" and (twin := text.find("'", end, stop)) >= 0:
                            stop = twin  # noqa: PLW2901 -- as above
                        if stop - start > LONGEST or (hidden_at >= 0 and not may_go_on):
                            pass  # too long, or to be mended
                        elif size == _FTP and ";" in text[start:end]:
                            pass  # in an ftp URL only a type follows a semicolon
                        elif before in OPENING:
                            if before == "<" and text.startswith(">", end):
                                form = "angle"
                            elif before == "<" and text[colon + 1] == "/":
                                form = "bare" if UNCLOSED.match(text, end, end + BEFORE_BRACKET) else ""
                        elif not (has_brackets and delimiters.bracket_before(start, text[start:colon].lower()) >= 0):
                            form = bare_form(text, start) if before == ":" else "bare"
                        if form:
                            offset = base + start
                            lines.count_to(offset)
                            # Otherwise a visible character follows, perhaps after a blank.
                            if may_go_on and text[stop : stop + 2] <= " !":
                                sure = quick_verdict(text, stop, stop + LOOKAHEAD, stop - lines.line_start + base)
                            else:
                                sure = 1.0
                    if sure is not None:
                        pos = stop
                        url = raw = text[start:end]
                        breaks: tuple[Break, ...] = ()
                        if hidden_at >= 0:
                            url = raw.replace(SPACED_AT, "@")
                            breaks = (Break(hidden_at - start, SPACED_AT, hyphen=False, inserted="@"),)
                        trimmed = text[end:stop] if end < stop else ""
                        readings: tuple[str, ...] = (url,)
                        undecided: tuple[Reading, ...] = ()
                    elif colon >= pos:
                        if form:
                            one: Candidate | None = Candidate(view, form, start, end, stop, accepted=hidden_at < 0)
                        else:
                            one = self._candidate(delimiters, (colon, stop))
                        pos = colon + 1
                        if one:
                            start, pos = one.view.place(one.at), max(pos, one.view.place(one.resume))
                            if start >= last_end and self._is_url(one, start):
                                form, raw, trimmed, sure = one.form, one.raw, one.trimmed, one.sure
                                readings, breaks, undecided = one.readings, one.breaks, one.undecided
                                url = readings[0]
                                offset = base + start
                                lines.count_to(offset)
                    if sure is not None and start >= last_end:
                        last_end = delimiters.taken = start + len(raw)
                        if sure >= least:
                            column = offset - lines.line_start + 1
                            left = text[start - column + 1 : start] if column <= LOOKBACK else ""
                            right = text[last_end : last_end + MOST_BESIDE].partition("\n")[0].partition("\r")[0]
                            mark = left[:1]
                            quoted = origin.quoted or mark == ">"
                            if not quoted and (">" in left or "|" in left or "}" in left or mark == ":" or mark > "~"):
                                quoted = is_quoted(text, start)
                            if binary:
                                raw, left, trimmed, right = map(view.shown, (raw, left, trimmed, right))
                            found.append(
                                URLMatch(
                                    url,
                                    offset,
                                    base + last_end,
                                    raw,
                                    lines.line,
                                    column,
                                    form,
                                    readings,
                                    breaks,
                                    trimmed,
                                    profile,
                                    origin,
                                    undecided,
                                    True,  # noqa: FBT003 -- arguments by name take twice as long
                                    left[:MOST_BESIDE],
                                    sure,
                                    right,
                                    quoted,
                                )
                            )
                    if pos >= last:
                        break
                    # A span hides the triggers inside it.
                    hidden = ordinary.span_inside(text, max(pos, colon + 1), min(last, certain), query)
                    if hidden is None:
                        break
                    colon, stop = hidden  # noqa: PLW2901 -- the same steps
        except NeedsMoreText:
            certain = colon
        self._pos, self.last_end = pos, last_end + base
        if not closed:
            self._drop(max(pos, certain))
        return found

    def _candidate(self, delimiters: Delimiters, span: Span) -> Candidate | None:
        """Return the candidate with the trigger *span*: if defanged, in a refanged view."""
        view, size = delimiters.view, _AHEAD
        if not (edits := defanged.edits(view.text, span[0])):
            return self._as_written(delimiters, span)
        as_written = None if edits[0][0] <= span[0] else self._as_written(delimiters, span)
        if as_written and as_written.resume < edits[0][0]:
            return as_written
        while True:
            # The view is of the text around the candidate: to copy all of it for each one would take most of the time.
            first, stop = max(0, span[0] - _KEPT), min(len(view.text), span[0] + size)
            source = view.text[first:stop]
            text, step = replaced(source, [(start - first, end - first, new) for start, end, new in edits])
            part = View(text, binary=view.binary, source=source, step=step, offset=first)
            closed = delimiters.closed and stop == len(view.text)
            trigger = span[0] - first - view.text.startswith("[", span[0] - 1)
            try:
                inside = Delimiters(part, self._query, closed=closed)
                refanged = self._as_written(inside, (trigger, trigger + len("://")))
            except NeedsMoreText:
                if stop == len(view.text):
                    raise
                size *= 8
                continue
            if refanged and edits[0][0] >= refanged.end + first:
                return as_written  # nothing in it is defanged
            return refanged

    def _as_written(self, delimiters: Delimiters, span: Span) -> Candidate | None:
        text, (trigger, stop), query = delimiters.view.text, span, self._query
        if text.startswith("://", trigger, stop) and text[trigger - 1] != "[":
            return delimiters.candidate(trigger, "slashes")
        one = None
        if text[trigger] == ":":
            kind = ordinary.kind(text, trigger, query)
            in_wrapper = kind.startswith("wrapper")
            one = delimiters.wrapper(trigger) if in_wrapper else delimiters.candidate(trigger, kind)
            if not (in_wrapper and one and query.on_request):
                return one
        from urlmend.scan import on_request  # noqa: PLC0415 -- only on request

        if one is None:
            return on_request.candidate(delimiters, trigger, query)
        return on_request.inside(delimiters, one.at, one.end, query) or one

    def _is_url(self, one: Candidate, start: int) -> bool:
        """Return whether the candidate *one*, which is at *start* in the text, is a URL, and fill in the rest of it.

        Its `raw` and `trimmed` are then as in the text. An ordinary URL is known to be valid, and that it may go on in
        the next line.
        """
        view, at, resume = one.view, one.at, one.resume
        text = view.text
        one.raw = text[at : one.end]
        if view.step and not self._query.refang:
            self._reject_defanged(one, start)
            return False
        if one.form in BARE_FORMS:
            one.trimmed = text[one.end : resume]
            # Otherwise the text ends, or a visible character follows, perhaps after a blank.
            if "" < text[resume : resume + 2] <= " !" and self._query.join == "evident":
                self._lines.count_to(self._base + start)
                self._look_ahead(one, self._base + start - self._lines.line_start)
        if view.binary:
            one.raw, one.trimmed = view.decoded(one.raw), view.decoded(one.trimmed)
        if self._resolver.resolve(one):
            return True
        if one.readings and self._rejected is not None:
            written = view.written(at, at + len(view.encoded(one.raw)))
            self._reject(one.readings[0], written, start, "defanged" if view.step else one.form)
        return False

    def _look_ahead(self, one: Candidate, before: int) -> None:
        """Find out whether *one*, which has *before* characters before it in its line, may go on in the next line.

        If so, set its `stop`; otherwise, how `sure` it is that it ends.
        """
        view, text, at, resume = one.view, one.view.text, one.at, one.resume
        verdict = None
        # The width of a line is in characters, not in bytes.
        if not one.accepted and (not view.binary or text[at - min(before, LOOKBACK - 1) : resume].isascii()):
            verdict = quick_verdict(text, resume, resume + LOOKAHEAD, resume - at + before)
        if verdict is not None and is_whole(one.raw) is not False:
            one.sure = verdict
        elif not ends_line(text, resume):
            return
        elif is_crowded(text, at, resume):
            one.sure = CERTAIN
        else:
            url, after = view.decoded(text[at:resume]), view.decoded(text[resume : resume + LOOKAHEAD])
            beginning = view.decoded(text[max(0, at - LOOKBACK) : at])
            if never_goes_on(url, beginning, after, one.implied):
                one.sure = CERTAIN
            else:
                one.stop = resume

    def _reject_defanged(self, one: Candidate, start: int) -> None:
        written = one.view.written(one.at, one.end)
        text = one.view.decoded(written)
        if one.in_brackets and not one.too_long and self._query.join != "none":
            text = "".join(wrapped(text, self._view.leader(start)).parts)
        self._reject(IMPLIED.get(one.form, "") + text, written, start, one.form)

    def _reject(self, text: str, written: str, start: int, form: str) -> None:
        """Pass a candidate, whose first reading is *text*, to the caller's function for rejects.

        At *start* in the view, it is *written* like this.
        """
        if self._rejected is not None:
            view, offset, lines = self._view, self._base + start, self._lines
            lines.count_to(offset)
            place = offset, offset + len(written), lines.line, offset - lines.line_start + 1
            text, raw = view.shown(view.encoded(text)), view.shown(written)
            self._rejected(Rejected(text, raw, *place, form, self._query.profile, self._origin))

    def _drop(self, pos: int) -> None:
        """Drop the view up to _KEPT characters before *pos*: the one place where view and offset move."""
        self._pos = pos
        text = self._view.text
        size = pos - _KEPT
        if size > 0:
            # A CRLF is one line end: it is not cut in two.
            size -= text[size - 1] == "\r"
            self._lines.count_to(self._base + size)
            self._view = View(text[size:], binary=self._view.binary)
            self._octets = self._octets[size:]
            self._base += size
            self._pos = pos - size
