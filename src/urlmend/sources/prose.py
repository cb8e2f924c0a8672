"""The text of text/plain parts: what its lines are besides text (RFC 3676, RFC 4880, uuencode) is read as such."""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from urlmend.sources.octets.decoding import Decoded
from urlmend.sources.octets.offsets import Places, Segment
from urlmend.sources.octets.steps import DecodingStep, Removed
from urlmend.sources.origin import Origin, Prefilter, Span, Text

# uuencode (POSIX): a first line, full lines of 45 octets each, a shorter one, an empty one, `end`.
_UU_BEGIN = re.compile(
    r"^begin [0-7]{3,4} [^\r\n]+\r?\n"
    r"(?=M[ -`]{57,61}\r?(?:\n|\Z)|[!-L][ -`]{4,60}\r?\n[` ]?\r?\n(?:end\b)?)",
    re.MULTILINE,
)
_UU_BODY = re.compile(
    r"(?:M[ -`]{57,61}\r?(?:\n|\Z))*+(?:[!-L][ -`]{1,60}\r?\n)?+(?:[` ]?\r?\n)?+(?:end[ \t]*(?:\r?\n|\Z))?+"
)
# A piece of text may end between the first line and the second.
_UU_BEGIN_LAST = re.compile(r"^begin [0-7]{3,4} [^\r\n]+\r?\n\Z", re.MULTILINE)
_UU_SIGN = re.compile(rb"\nbegin [0-7]")
_UU_FULL_LINE = re.compile(r"M[ -`]{57,61}\r?(?:\n|\Z)")

_SIGNATURE = re.compile(r"\n-- \r?\n")
_SIGNATURE_IN_PGP = re.compile(r"\n(?:- )?-- \r?\n")
# A signature is followed by nothing (RFC 3676 section 4.3), but a digest (RFC 1153) or a mailer's "Original Message".
_BEHIND_SIGNATURE = re.compile(r"\n(?:-----|>)")

# RFC 4880 section 7.1: a signed line that begins with a hyphen has `- ` before it.
_PGP_BEGIN = "-----BEGIN PGP SIGNED MESSAGE-----"
_PGP_END = "-----BEGIN PGP SIGNATURE-----"
_PGP_ESCAPE = re.compile(r"^- ", re.MULTILINE)

_LONGEST_NAME = 300  # characters of uuencode's first line

_FLOWED_LINE = re.compile(r"(>*)([^\n]*)(\n|\Z)")


def signatures(  # noqa: PLR0913 -- some are asked for by name
    text: str, pos: int, stop: int, *, inside: bool, signed: bool = False, since: int = 0
) -> Iterator[tuple[int, int, bool]]:
    """Yield the stretches of *text* from *pos* to *stop* outside and inside of signatures; it begins *inside* of one.

    A line starts at *pos*. In text *signed* with PGP the line before a signature has the escape that all have. No
    signature's mark stands between that line and *since*.
    """
    before = _SIGNATURE_IN_PGP if signed else _SIGNATURE
    line = text[pos : text.find("\n", pos) + 1]
    # The patterns begin with the end of the line before.
    if (_BEHIND_SIGNATURE if inside else before).match(f"\n{line}"):
        inside = not inside
    while pos < stop:
        mark = (_BEHIND_SIGNATURE if inside else before).search(text, max(pos, since), stop)
        end = mark.start() + 1 if mark else stop
        yield pos, end, inside
        inside = not inside
        pos = end


def prose(
    pieces: Iterable[Decoded],
    origin: Origin,
    prefilter: Prefilter | None = None,
    *,
    flowed: bool = False,
    delsp: bool = False,
) -> Iterator[Text]:
    """Yield the text in *pieces*: without uuencoded data and PGP's escapes, signatures apart.

    Lines that are *flowed* are joined (RFC 3676), with *delsp* without the space before their end. With *prefilter*, a
    text that is but one piece is left out where it finds nothing.
    """
    reader = _Prose(origin, _Flow(delsp=delsp) if flowed else None)
    pieces = iter(pieces)
    head = list(islice(pieces, 2))
    if len(head) != 1:
        for decoded in chain(head, pieces):
            yield from reader.texts(decoded)
        return
    whole, spans = head[0].text, None
    # Joined lines may hold what the lines do not.
    if prefilter and not flowed:
        # Bytes are searched faster.
        found = prefilter.search(whole.encode()) if whole.isascii() else prefilter.search_text(whole, 0)
        if not (spans := list(found)):
            return
    # Of one piece, each text is whole, and its origin its own.
    for text in reader.texts(head[0]):
        yield text._replace(whole=True, spans=spans if text.data is whole else None)


def is_plain(octets: bytes) -> bool:
    """Tell whether lines are no more than ASCII text and signatures, of which `plain_texts` gives what `prose` does."""
    uuencoded = octets.startswith(b"begin ") or _UU_SIGN.search(octets) is not None
    return octets.isascii() and not uuencoded and _PGP_BEGIN.encode() not in octets


def plain_texts(text: Text, since: int = 0) -> Iterator[Text]:
    """Yield the plain *text* outside and inside of signatures; where its spans are known, only where they are.

    *since* is as in `signatures`.
    """
    data, line, counted = str(text.data), text.line, 0
    line_ends = (("\n", 1), ("\r", 1), ("\r\n", -1)) if "\r" in data else (("\n", 1),)
    spans = None if text.spans is None else text.spans[::-1]
    for start, end, inside in signatures(data, 0, len(data), inside=False, since=since):
        its_spans: list[Span] | None = None
        if spans is not None:
            its_spans = []
            while spans and spans[-1][0] < end:
                at, stop = spans.pop()
                its_spans.append((at - start, stop - start))
            if not its_spans:
                continue
        # An LF stands before a signature and before what follows one: no CRLF is cut in two.
        line += sum([sign * data.count(ends, counted, start) for ends, sign in line_ends])
        counted = start
        origin = text.origin.again(signature=inside) if start or inside else text.origin
        yield Text(data[start:end], origin, text.offset + start, line, whole=True, spans=its_spans)


class _Prose:
    def __init__(self, origin: Origin, flow: "_Flow | None") -> None:
        self._origin = origin
        self._text_origin = origin
        self._places = Places()
        self._flow = flow
        self._uu_begun = False
        self._in_uuencoded = False
        self._in_pgp = False
        self._in_signature = False

    def texts(self, decoded: Decoded) -> Iterator[Text]:
        text = decoded.text
        pos = 0
        if self._in_uuencoded or (self._uu_begun and _UU_FULL_LINE.match(text)):
            pos = self._skip_uuencoded(text, 0)
        may_begin = "begin " in text
        signed = _PGP_BEGIN in text
        self._uu_begun = may_begin and _UU_BEGIN_LAST.search(text, max(0, len(text) - _LONGEST_NAME)) is not None
        while pos < len(text):
            begin = _UU_BEGIN.search(text, pos) if may_begin else None
            stop = begin.start() if begin else len(text)
            yield from self._around_signatures(decoded, pos, stop, signed=signed)
            pos = self._skip_uuencoded(text, begin.end()) if begin else stop

    def _skip_uuencoded(self, text: str, pos: int) -> int:
        body = _UU_BODY.match(text, pos)
        end = body.end() if body else pos
        self._in_uuencoded = end == len(text) and not text[pos:end].rstrip().endswith("end")
        self._begin_text()
        return end

    def _begin_text(self) -> None:
        self._text_origin = self._origin.again(signature=self._in_signature)
        self._places = Places(beside=self._places)

    def _around_signatures(self, decoded: Decoded, pos: int, stop: int, *, signed: bool) -> Iterator[Text]:
        text, piece = decoded
        signed = signed or self._in_pgp
        for start, end, inside in signatures(text, pos, stop, inside=self._in_signature, signed=signed):
            if inside != self._in_signature:
                self._in_signature = inside
                self._begin_text()
            yield self._text(text, start, end, piece)

    def _text(self, text: str, start: int, end: int, piece: Segment) -> Text:
        steps: tuple[DecodingStep, ...] = piece.steps
        if (start, end) != (0, len(text)):
            text = text[start:end]
            steps = (*steps, Removed([0], [start]))
        if self._in_pgp or _PGP_BEGIN in text:
            text, step = self._without_pgp_escapes(text)
            steps = (*steps, step)
        if self._flow is not None:
            text, step = self._flow.join(text)
            steps = (*steps, step)
        self._places.add(len(text), piece._replace(steps=steps))
        return Text(text, self._text_origin, places=self._places)

    def _without_pgp_escapes(self, text: str) -> tuple[str, Removed]:
        parts: list[str] = []
        at: list[int] = []
        pos = size = 0
        while pos < len(text):
            mark = _PGP_END if self._in_pgp else _PGP_BEGIN
            found = text.find(mark, pos)
            end = found + len(mark) if found >= 0 else len(text)
            part = text[pos:end]
            if self._in_pgp:
                at += [size + match.start() - 2 * number for number, match in enumerate(_PGP_ESCAPE.finditer(part))]
                part = _PGP_ESCAPE.sub("", part)
            if found >= 0:
                self._in_pgp = not self._in_pgp
            parts.append(part)
            size += len(part)
            pos = end
        return "".join(parts), Removed(at, [2] * len(at))


class _FlowedLine(NamedTuple):
    """A line of flowed text: places in the text, with `content` behind quote marks and stuffing, up to its `end`."""

    start: int
    content: int
    end: int
    stop: int  # behind the line end
    depth: int
    separator: bool
    """A signature's separator is flowed by no reader (RFC 3676 section 4.3)."""
    soft: bool


def _flowed_lines(text: str) -> Iterator[_FlowedLine]:
    for line in _FLOWED_LINE.finditer(text):
        if line.start() == len(text):
            return
        start, end = line.span(2)
        content = start + text.startswith(" ", start)
        end -= text.endswith("\r", start, end)
        separator = text[content:end] == "-- "
        soft = text.endswith(" ", content, end) and not separator
        yield _FlowedLine(line.start(), content, end, line.end(), start - line.start(), separator, soft)


class _Flow:
    """Joins flowed lines (RFC 3676 section 4), in text that comes in pieces of whole lines."""

    def __init__(self, *, delsp: bool) -> None:
        self._delsp = delsp
        self._soft = False  # the last line ends with a soft break, which was taken out
        self._depth = 0

    def join(self, text: str) -> tuple[str, Removed]:
        """Return *text* with its paragraphs joined, and what was taken out."""
        kept: list[tuple[int, int]] = []
        broken = False  # the last piece ended with a soft break that was none
        for line in _flowed_lines(text):
            joined = self._soft and line.depth == self._depth and not line.separator
            if self._soft and not joined:
                # The line end before belongs to the text after all.
                broken = broken or not line.start
                kept.append((kept[-1][1] if kept else 0, line.start))
            kept.append((line.content if joined or not line.depth else line.start, line.end))
            if not line.soft:
                kept.append((line.end, line.stop))
            elif self._delsp:
                kept[-1] = (kept[-1][0], max(kept[-1][0], line.end - 1))
            self._soft, self._depth = line.soft, line.depth
        # What was taken out stood before each stretch that is kept, and at the end.
        sizes = [start - before for (_, before), (start, _) in pairwise([(0, 0), *kept, (len(text), 0)])]
        at = list(accumulate((end - start for start, end in kept), initial=0))
        if broken:
            return "\n" + "".join(text[start:end] for start, end in kept), Removed(
                [0, *(one + 1 for one in at)], [-1, *sizes]
            )
        return "".join(text[start:end] for start, end in kept), Removed(at, sizes)
