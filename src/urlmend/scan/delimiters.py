"""The bounds of one candidate: where it starts and ends around its trigger, in brackets or bare.

RFC 1738's appendix recommends `<URL:` and `>` around a URL: this is a wrapper here, and `<` and `>` alone an angle. So
are the brackets U+27E8 and U+27E9 that groff writes.
This module finds where brackets open and close, and `termination` where a bare URL ends.
"""

import re

from urlmend.grammar.unwrap import FILTERS
from urlmend.match import Break, Reading
from urlmend.mend.readings import ESCAPE, INSERTED, LITERAL, OPERATOR
from urlmend.query import Query
from urlmend.scan import triggers
from urlmend.scan.termination import NEXT_URL, USUAL, USUAL_IN_OCTETS, USUAL_IN_TEXT, End, end_of
from urlmend.sources.places import Removed
from urlmend.text import leaders, schemes
from urlmend.text.limits import LOOKAHEAD, LOOKBACK, MAX_URL_LENGTH, MAX_WRAPPER_SPAN
from urlmend.text.line_ends import EOL, start_of_line
from urlmend.text.patterns import SCHEME, lazy_regex

_GROFFS = "\u27e8", "\u27e9"
_GROFFS_OCTETS = tuple(bracket.encode().decode("latin-1") for bracket in _GROFFS)
_CLOSING = {
    "<": (lazy_regex(r"[^<>]*"), ">"),
    ";": (lazy_regex(r"(?:[^<>&]|&(?!gt;|lt;))*"), "&gt;"),
    _GROFFS[0]: (lazy_regex(f"[^{''.join(_GROFFS)}]*"), _GROFFS[1]),
    _GROFFS_OCTETS[0][-1]: (lazy_regex(f"(?:(?!{'|'.join(_GROFFS_OCTETS)}).)*", re.DOTALL), _GROFFS_OCTETS[1]),
}
"""By the last character of an opening bracket: what is inside, and the bracket that closes it."""
OPENING = "".join(_CLOSING).replace(";", "")
"""The last characters of opening brackets. Most entities, which end in `;`, are no brackets."""
_OTHER_OPENING = ("&lt;", _GROFFS[0], _GROFFS_OCTETS[0])
"""What opens a wrapper or an angle besides `<`."""
# A bracket with blanks after it, or in its line the start of a scheme's name; page furniture hides the line.
_MAY_OPEN = lazy_regex(
    r"<(?:[^\x00-\x08\x0e-\x1b!-\x7f]*+\Z|[ \t\v\f]*+[A-Za-z0-9+.\-]{0,40}+[ \t\v\f]*+[\r\n]"
    r"|[^\r\n\[]*+(?:\[(?!(?i:Page))[^\r\n\[]*+)*+\[)"
)
UNCLOSED = lazy_regex(r"[^<>]*+<")
"""What follows a URL after a bracket that is never closed: another opens first."""
_LONGEST_TAIL = 64
_REACH = 320  # more than an escape or the end of a URL looks ahead
_FIRST_REACH = _REACH + 80  # in characters, so that most URLs end in what is looked at first
_ENTITY_ENDS = lazy_regex(r"&(?:amp;)?#?\w{1,8};\Z")
_UNSEEN = lazy_regex(f"[{leaders.UNSEEN}]+")
_BLANK_INSIDE = lazy_regex(r"\s")
_SCHEME_THEN_COLON = lazy_regex(f"{SCHEME}:")
_VISIBLE = "[!-;=?-~]"
# The text of a link, as in Slack and POD, or another URL. The bar may be a drive's, or that of a mail filter's address.
_MORE_THAN_ONE = lazy_regex(rf"\A(?!(?i:file:|https?://{FILTERS}[/\s]))[^?|]*+\|[^|]*\Z|{NEXT_URL.pattern}")
_SCHEME_AND_SLASHES = rf"{SCHEME}:/{{0,2}}"
_BLANKS_AFTER_SCHEME = lazy_regex(rf"\A({_SCHEME_AND_SLASHES})[ \t]+")
# `_is_angle` decides about "<mailto: jane@a.example>" and "<mailto:jane at a.example>".
_BLANK_IN_LINE = lazy_regex(
    rf"<[ \t]*+(?:{_SCHEME_AND_SLASHES}[ \t]+)?+{_VISIBLE}++(?:{schemes.HIDDEN_AT}{_VISIBLE}++)?+[ \t]++{_VISIBLE}"
)
# It begins with a blank, because `re` then searches for these first.
_TWO_URLS = lazy_regex(r"[ \t](?<=[^\s>|#;*%].)[ \t]*(?:or|and)\s", re.IGNORECASE)
_BLANK_LINE = lazy_regex(rf"{EOL}[ \t>|]*[\r\n]")
# After a scheme alone: the end of the text, for which `certain` waits, or what belongs to no URL; or line ends, and a
# line with no host that is not the footer of a page.
_NO_HOST_AHEAD = lazy_regex(
    rf":/{{0,2}}(?:\Z|(?!{LITERAL}|{INSERTED.pattern})[<>\")\]}}`^|\\]|{NEXT_URL.pattern}|[ \t]++[^ \t\r\n]"
    rf"|(?:[ \t]*{EOL})++(?=[^\r\n]*[!-~])(?:(?![A-Za-z0-9\-]\.[A-Za-z0-9])[^\r\n\[])*+[\r\n])"
)
# What ends a line in which the URL goes on.
_CONTINUED = lazy_regex(rf"(?:{ESCAPE.pattern})?(?:\\|\*\*)(?=[ \t]*[\r\n])|(?={LITERAL})[\"']{OPERATOR}")
_INSIDE = lazy_regex(r"(?:[^\r\n<>\"`\\]++|\\(?:\([^\s()]{0,200}\\\))?)*+")
"""The text up to what no URL has inside, escapes or not: after it nothing need be taken out."""
_MAY_GO_ON = "\\*\"'"
"""The first characters of these, and of what is INSERTED in a URL."""
_LINE_BREAK_AHEAD = lazy_regex(rf"(?:[\"']{OPERATOR})?[ \t]{{0,80}}[\r\n]")


BARE_FORMS = frozenset(["bare", "prefix", "schemeless"])
"""The forms of URLs without brackets, whose end is not marked."""


class NeedsMoreText(Exception):  # noqa: N818 -- not an error
    """Raised where the text so far does not show the bounds of a candidate."""


class View:
    """The scanner's view of a text. If it is *binary*, it has one character a byte, so that offsets are true.

    Bytes that are all ASCII are text. Of a defanged candidate, *step* made the view from *source*, which is at *offset*
    in the view of the text.
    """

    def __init__(
        self, text: str, *, binary: bool, source: str = "", step: Removed | None = None, offset: int = 0
    ) -> None:
        self.text = text
        self.binary = binary
        self.source = source
        self.step = step
        self.offset = offset
        self._marks: tuple[int, leaders.Leader] = (-1, ())

    def place(self, pos: int) -> int:
        """Return where *pos* is in the view of the text."""
        return self.offset + self.step.to_source(pos, pos)[0] if self.step else pos

    def written(self, start: int, end: int) -> str:
        """Return the text of the source that *start* to *end* of the view was made from."""
        if self.step is None:
            return self.text[start:end]
        first, stop, _ = self.step.to_source(start, end)
        return self.source[first:stop]

    def decoded(self, part: str) -> str:
        """Return a *part* of the view as text."""
        return part.encode("latin-1").decode(errors="surrogateescape") if self.binary and not part.isascii() else part

    def marks(self, pos: int) -> leaders.Leader:
        """Return the leader of the line of *pos*, not decoded."""
        if self._marks[0] != pos:
            self._marks = pos, leaders.leader_at(self.text, pos)
        return self._marks[1]

    def leader(self, pos: int) -> leaders.Leader:
        """Return the leader of the line of *pos*, decoded."""
        return tuple([mark._replace(text=self.decoded(mark.text)) for mark in self.marks(pos)])

    def before(self, pos: int) -> str:
        """Return the character before *pos*, if there is one. Of an entity it is none: its `;` separates nothing."""
        # In Texinfo a comma separates a URL from its text. Its own is written as "@comma{}".
        last = self.text[pos - 1 : pos]
        if self.text.endswith(("@uref{", "@url{"), 0, pos):
            return ","
        if last == ";" and _ENTITY_ENDS.search(self.text, max(0, pos - 16), pos):
            return ""
        return last if last.isascii() else self.decoded(self.text[max(0, pos - 4) : pos])[-1:]

    def encoded(self, text: str) -> str:
        """Return *text* as it is in the view: the reverse of `decoded`."""
        return text.encode(errors="surrogateescape").decode("latin-1") if self.binary and not text.isascii() else text

    def shown(self, part: str) -> str:
        """Return a *part* of the view as text for users: bytes that are not UTF-8 are U+FFFD."""
        return part.encode("latin-1").decode(errors="replace") if self.binary and not part.isascii() else part


class Candidate:
    """A part of a *view* of the text that may be a URL: first its place, then the URL that it is.

    It is from `at` to `end` in the view, and scanning goes on at `resume`. `form` is as in `URLMatch`. `too_long` marks
    a wrapper that is not closed within MAX_WRAPPER_SPAN characters, and others that are longer than MAX_URL_LENGTH. If
    it is `accepted`, it is known to be a URL as it stands.

    `raw` is its text, and `trimmed` what was cut from the tail of one without brackets, both decoded. If it may go on
    in the next line, `stop` is where it stops in the view. Otherwise `stop` is 0, and `sure` is the probability that it
    ends where it does. The rest is as in `URLMatch`: the URL is the first reading. The only reading of one that is
    refused is its text; without one, it does not claim to be a URL.
    """

    raw: str = ""
    trimmed: str = ""
    stop: int = 0
    sure: float = 1.0
    readings: tuple[str, ...] = ()
    breaks: tuple[Break, ...] = ()
    undecided: tuple[Reading, ...] = ()

    def __init__(  # noqa: PLR0913 -- its place, and what is known of it
        self, view: View, form: str, at: int, end: int, resume: int, *, too_long: bool = False, accepted: bool = False
    ) -> None:
        self.view = view
        self.form = form
        self.at = at
        self.end = end
        self.resume = resume
        self.too_long = too_long
        self.accepted = accepted

    @property
    def in_brackets(self) -> bool:
        """Whether brackets show where it ends."""
        return self.form in ("wrapper", "angle")

    @property
    def implied(self) -> str:
        """The scheme that it is written without."""
        return schemes.IMPLIED.get(self.form, "")

    def refuse(self, text: str) -> bool:
        """Make *text* the text that is refused, and return False."""
        self.readings = (text,)
        return False

    def cut(self, size: int) -> None:
        """Move the last *size* characters of `raw` to what is trimmed."""
        end = len(self.raw) - size
        self.raw, self.trimmed = self.raw[:end], self.raw[end:] + self.trimmed

    @property
    def before(self) -> str:
        """The text before it, up to LOOKBACK characters."""
        return self.view.decoded(self.view.text[max(0, self.at - LOOKBACK) : self.at])

    @property
    def after(self) -> str:
        """The text after it: up to LOOKAHEAD characters if it may go on in the next line, otherwise up to LOOKBACK.

        The scanner waits until so much is there, unless the text ends.
        """
        start, size = (self.stop, LOOKAHEAD) if self.stop else (self.at + len(self.view.encoded(self.raw)), LOOKBACK)
        return self.view.decoded(self.view.text[start : start + size])

    @property
    def leader(self) -> leaders.Leader:
        """The leader of the line in which it starts."""
        return self.view.leader(self.at)


class Delimiters:
    """Finds the candidates in a *view* of a stream, which is complete if it is *closed*.

    The last match ends at *taken*: a scheme that starts before it is part of that match.
    """

    def __init__(self, view: View, query: Query, *, closed: bool) -> None:
        self.view = view
        self.query = query
        self.closed = closed
        self.taken = 0

    def wrapper(self, colon: int) -> Candidate | None:
        """Return the candidate in the wrapper with this *colon* after its `URL`, or `None`. Raises `NeedsMoreText`."""
        bracket = self.bracket_before(colon - 3)
        return self._inside(bracket, colon + 1, "wrapper") if bracket >= 0 else None

    def candidate(self, colon: int, kind: str) -> Candidate | None:
        """Return the candidate with its scheme before *colon*, a trigger of *kind* (`ordinary.kind`), or `None`.

        Raises `NeedsMoreText`.
        """
        text, slashes = self.view.text, kind == "slashes"
        split = not slashes and kind.startswith("split")
        if split and not triggers.MAY_BE_SPLIT.search(text, max(0, colon - triggers.MAX_SCHEME_LENGTH), colon):
            return None
        begin = start = triggers.scheme_start(text, colon, opaque=not slashes)
        scheme = text[start:colon].lower()
        if scheme not in schemes.KNOWN_SCHEMES:
            if slashes:  # the rest of one, perhaps its colon alone
                start = colon - len(scheme)
                torn = triggers.torn_start(text, start, scheme)
                begin = torn if torn >= 0 else begin
            if self._is_glued(start):
                return None
        if begin < self.taken:
            return None
        bracket = self.bracket_before(start, scheme)
        # A blank in a line shows that the bracket is not that of an angle: "<mailto:jane at a.example>".
        if bracket >= 0 and not _BLANK_IN_LINE.match(text, bracket):
            inside = self._inside(bracket, bracket + 1, "angle")
            if inside is not None and inside.resume > colon:  # in page furniture, a tag may be closed before
                return inside
        # A scheme at a line end is joined only with a host.
        may_be_alone = split or (slashes and not text[colon + 3 : colon + 4].isalnum())
        alone = may_be_alone and _NO_HOST_AHEAD.match(text, colon)
        is_torn = begin < start and self.query.join != "evident"
        is_other = not slashes and (kind.startswith("opening") or (split and scheme not in schemes.COMMON_SCHEMES))
        if alone or is_torn or is_other:
            return None
        form = bare_form(text, begin) if text[begin - 1 : begin] == ":" else "bare"
        bare = self.bare(form, begin, self.end_of_bare(start, colon))
        return None if kind == "opaque" and not triggers.has_shape(text, colon, bare.end) else bare

    def _is_glued(self, start: int) -> bool:
        """Return whether the scheme at *start* follows a letter or digit."""
        text, before = self.view.text, self.view.text[start - 1] if start else ""
        if not (before.isalnum() or before in ("_", "*")) and before.isascii():
            return False
        if (escape := triggers.ESCAPE.search(text, max(0, start - 5), start)) and escape.end() == start:
            return False
        # They may be those of an emphasis, or of "h**p://".
        left = self.view.decoded(text[max(0, start - 8) : start].rstrip("_*"))[-1:]
        return left.isalnum()

    def bracket_before(self, pos: int, scheme: str = "") -> int:
        """Return the place of the `<` before *pos*, with only blanks and leaders between them; -1 if there is none.

        Of `&lt;`, which HTML has instead, and of groff's bracket, it is the last character. Between them there may also
        be the first letters of a known scheme, if *scheme*, in lower case, has its last ones after a line break.
        """
        text = self.view.text
        bracket = text.rfind("<", max(0, pos - triggers.BEFORE_BRACKET), pos)
        if 0 <= bracket == pos - 1 or text.endswith(_OTHER_OPENING, 0, pos):
            return pos - 1
        if bracket < 0 or not _MAY_OPEN.match(text, bracket, pos):
            return -1
        span = self.view.decoded(text[bracket + 1 : pos])
        lines = leaders.pieces(span, self.view.leader(bracket))
        opens = lines is not None and (not lines or _joined(span, lines).lower() + scheme in schemes.KNOWN_SCHEMES)
        return bracket if opens else -1

    def _inside(self, bracket: int, start: int, form: str) -> Candidate | None:
        """Return the candidate in the wrapper or angle that opens at *bracket*, whose inside begins at *start*."""
        view, text = self.view, self.view.text
        to_bracket, closing = _CLOSING[text[bracket]]
        end, limit = start, start + MAX_WRAPPER_SPAN
        while True:
            match = to_bracket.match(text, end, limit)
            end = match.end() if match else end
            if end >= limit:
                return self._past_limit(start) if form == "wrapper" else None
            if not self.closed and end + LOOKBACK > len(text):
                raise NeedsMoreText
            # A ">" in the leader of a line closes nothing.
            text_start = self._text_start(start, end, bracket) if text.startswith(">", end) else end
            if end >= text_start:
                break
            end = text_start
        # If another bracket opens first, this one was never closed.
        if not text.startswith(closing, end):
            return None
        span = view.decoded(text[start:end])
        lines = leaders.pieces(span, view.leader(bracket))
        if lines is None:
            return None
        joined = _joined(span, lines)
        if not (_is_wrapper(span, joined) if form == "wrapper" else _is_angle(joined)):
            return None
        first, last = (lines[0][0], lines[-1][1]) if lines else (len(span), len(span))
        first, last = len(view.encoded(span[:first])), len(view.encoded(span[:last]))
        return Candidate(view, form, start + first, start + last, end + len(closing))

    def _past_limit(self, start: int) -> Candidate | None:
        """Return the wrapper, to be rejected, whose inside begins at *start* and is too long.

        Return `None` if a blank line within the limit shows that no wrapper was meant.
        """
        end = start + MAX_WRAPPER_SPAN
        blank_line = _BLANK_LINE.search(self.view.text, start, end)
        return None if blank_line else Candidate(self.view, "wrapper", start, end, start, too_long=True)

    def _text_start(self, start: int, end: int, bracket: int) -> int:
        """Return where the text begins in the line of *end*, or *start* if that is on the same line.

        The line may have the leader of that of *bracket*.
        """
        text = self.view.text
        if not (line := start_of_line(text, start, end)):
            return start
        return line + leaders.leader_end(text[line : line + LOOKBACK], self.view.marks(bracket))

    def bare(self, form: str, start: int, found: End) -> Candidate:
        """Return the candidate without brackets from *start* to the *found* end. Raises `NeedsMoreText`."""
        text = self.view.text
        end, stop = found
        if stop - start > MAX_URL_LENGTH and (
            end - start > MAX_URL_LENGTH or stop - start > MAX_URL_LENGTH + _LONGEST_TAIL
        ):
            resume = start + MAX_URL_LENGTH + 1
            return Candidate(self.view, form, start, resume, resume, too_long=True)
        seen = len(text) - stop
        if seen < LOOKAHEAD and not self.closed and (seen < triggers.TRIGGER_REACH or ends_line(text, stop)):
            raise NeedsMoreText
        return Candidate(self.view, form, start, end, stop)

    def end_of_bare(self, start: int, colon: int, host_end: int = 0) -> End:
        """Return the end of the bare URL at *start* in the view; *colon* and *host_end* are as in `end_of`."""
        view, text, query = self.view, self.view.text, self.query
        limit = start + MAX_URL_LENGTH + _LONGEST_TAIL + 4
        is_ascii = text.isascii() or query.ascii_only
        usual = USUAL if is_ascii else USUAL_IN_OCTETS if view.binary else USUAL_IN_TEXT
        if found := usual.match(text, colon + 1, limit):
            end = found.end()
            return end, end
        before, mends, ascii_only = view.before(start), query.join == "evident", query.ascii_only
        decodes = view.binary and not ascii_only
        size = max(colon, host_end) - start + _FIRST_REACH * (3 if decodes else 1)
        host_end = len(view.decoded(text[start:host_end])) if host_end else 0
        while True:
            # What is beyond ASCII is decoded, and escapes are taken out, in a part of the text that grows.
            part = text[start : min(start + size, limit)]
            decoded, whole = _decode_start(part) if decodes and not part.isascii() else (part, True)
            shown = decoded
            if mends and ("\\" in part or "**" in part) and (inside := _INSIDE.match(decoded)):
                shown = INSERTED.sub("", decoded[: inside.end() + 1]) + decoded[inside.end() + 1 :]
            end, stop = end_of(shown, colon - start, before, ascii_only=ascii_only, host_end=host_end)
            if len(shown) - stop >= _REACH or len(part) < size or not whole:
                if len(shown) < len(decoded):
                    end, stop = _written(decoded, end), _written(decoded, stop)
                if mends and decoded[stop : stop + 1] in _MAY_GO_ON and (more := _CONTINUED.match(decoded, stop)):
                    stop = more.end()
                if decoded is not part:
                    end = len(decoded[:end].encode())
                    stop = len(part) if stop == len(decoded) and whole else len(decoded[:stop].encode())
                return start + end, start + stop
            size *= 4


def _written(text: str, end: int) -> int:
    """Return the place in *text* that becomes *end* when what is INSERTED is taken out."""
    for inserted in INSERTED.finditer(text):
        if inserted.start() >= end:
            break
        end += len(inserted[0])
    return end


def _decode_start(part: str) -> tuple[str, bool]:
    """Decode *part* up to the first byte that is not UTF-8; also return whether only a character's end is missing."""
    octets = part.encode("latin-1")
    try:
        return octets.decode(), True
    except UnicodeDecodeError as error:
        return octets[: error.start].decode(), error.reason == "unexpected end of data"


def ends_line(text: str, stop: int) -> bool:
    """Return whether a URL that stops at *stop* reaches the end of its line."""
    return _LINE_BREAK_AHEAD.match(text, stop) is not None


def bare_form(text: str, start: int) -> str:
    """Return the form of the URL at *start*, which has no brackets."""
    if text[start - 4 : start].upper() != "URL:":
        return "bare"
    before = text[start - 5 : start - 4]
    return "bare" if before == "<" or (before.isascii() and before.isalnum()) else "prefix"


def _joined(span: str, lines: list[tuple[int, int]]) -> str:
    """Join the *lines* of *span*, each given by its start and end."""
    return "".join([span[start:end] for start, end in lines])


def _is_wrapper(span: str, joined: str) -> bool:
    """Return whether *span*, the inside of a wrapper whose lines are *joined*, may be one URL, not two or prose."""
    if _TWO_URLS.search(span):
        return False
    if _SCHEME_THEN_COLON.match(joined):
        return True
    # "see http:" is not a scheme with a blank in it, "ht tp:" is.
    if (named := _SCHEME_THEN_COLON.match(_UNSEEN.sub("", joined))) and named[0][:-1].lower() in schemes.KNOWN_SCHEMES:
        return True
    return not (triggers.TRIGGER.search(span) or triggers.LINE_END_OR_URL.search(span))


def _is_angle(joined: str) -> bool:
    """Return whether the *joined* lines inside an angle may be one URL.

    It has no blank within a line, and after a scheme that is not known, as in `<Note:`, it has slashes.
    """
    scheme, _, rest = joined.partition(":")
    if scheme.lower() not in schemes.KNOWN_SCHEMES and not rest.lstrip(" \t").startswith("//"):
        return False
    text = _BLANKS_AFTER_SCHEME.sub(r"\1", joined)
    return (_BLANK_INSIDE.search(text) is None or schemes.is_hidden(text)) and not _MORE_THAN_ONE.search(joined)
