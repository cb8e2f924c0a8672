"""Joining a bare URL with the lines after its own for as long as it goes on."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from urlmend.grammar.unwrap import LAST_CHARACTERS, is_whole, may_be_rest
from urlmend.mend.continuation import Verdict, continues
from urlmend.mend.line_break import THRONG, TOKEN, LineBreak, Surroundings, next_line, urls_at_line_ends
from urlmend.mend.quick_verdict import CERTAIN
from urlmend.mend.readings import LITERAL, TORN_SCHEME, Spans, Torn, are_soft, may_be_soft
from urlmend.text.line_ends import EOL, SOFT_HYPHEN
from urlmend.text.patterns import lazy_regex

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is joined from. One that seems to go on ends there, with low confidence."""

DOUBTFUL = 0.3
"""The probability from which the joined URL is a reading, though not the first."""

SOFT_BREAK = 154 / 156
"""The probability that soft line breaks of quoted-printable are read rightly: of 155 known ones, 154 are."""


class Joining(NamedTuple):
    """A bare URL joined with the lines after its own.

    `torn` takes up `reach` characters of the text after its first line, 0 if it ends with that line. `confidence` is
    the probability that it is rightly joined or left alone. `doubtful` has the parts and the reach of the URL with one
    more line, if that is nearly as likely.
    """

    torn: Torn
    reach: int = 0
    confidence: float = 1.0
    doubtful: tuple[Torn, int] | None = None


def _begun(around: Surroundings) -> Joining:
    return Joining(Torn(around.text, ((0, around.size),)))


def join_bare(around: Surroundings) -> Joining:
    """Join the URL in *around* with the lines after its own for as long as it goes on."""
    if torn := TORN_SCHEME.match(around.run):
        begun, gap = torn.groups()
        rest = Surroundings(around.before + torn[0], around.run[torn.end() :], around.after, around.leader, begun)
        joining = join_bare(rest)
        spans = [(start + len(gap), end + len(gap)) for start, end in joining.torn.spans]
        spans[:1] = (0, len(begun)), (torn.end(), spans[0][1])
        return joining._replace(torn=Torn(torn[0] + joining.torn.text[len(begun) :], tuple(spans)))
    return evident(around) or _joined_on(around, _begun(around))


def _joined_on(around: Surroundings, joining: Joining) -> Joining:
    """Join the URL in *around*, as far as *joining* has joined it, with more lines for as long as it goes on."""
    begun, reach, confidence, doubtful = joining
    text, kept = begun.text, begun.spans
    for line_break, verdict in weighed(around, "".join(begun.parts), reach):
        goes_on = verdict.goes_on and len(kept) < MAX_JOINED_LINES
        confidence *= verdict.p if goes_on else 1 - verdict.p
        if verdict.p < DOUBTFUL:
            break
        start, end = kept[-1]
        following = around.size + line_break.text_start, around.size + line_break.token_end
        longer = *kept[:-1], (start, end - text.endswith(SOFT_HYPHEN, start, end)), following
        if not goes_on:
            doubtful = Torn(text, longer), line_break.token_end
            break
        kept, reach = longer, line_break.token_end
    return Joining(Torn(text, kept), reach, confidence, doubtful)


def evident(around: Surroundings) -> Joining | None:
    """Join the URL in *around* as `join_bare` does if no line end has to be weighed, else return `None`.

    That is so at soft line breaks of quoted-printable, between the parts of a string literal, and in an address of a
    mail filter up to its last parameter.
    """
    run, after = around.run, around.after
    soft = run.removesuffix("20")
    if may_be_soft(soft) and are_soft(around.before, soft, run[len(soft) :] + after):
        joining = _join_soft_breaks(around)
        # The line that was encoded may end in the middle of the URL, if no blank shows where that ends.
        is_over = not joining.reach or after.endswith(("=", "=20"), 0, joining.reach)
        return joining if is_over else _joined_on(around, joining)
    spans = _spans_of_literals(around) if run[-1] in "\"'+\\" else ()
    spans = spans or _spans_to_last_parameter(around)
    return Joining(Torn(around.text, spans), spans[-1][1] - around.size, CERTAIN) if spans else None


def weighed(around: Surroundings, url: str, reach: int = 0) -> Iterator[tuple[LineBreak, Verdict]]:
    """Yield the line ends that a bare URL reaches, each with its verdict; the URL goes on after all but the last.

    *url* is the URL up to *reach* in the text after its first line. Too many line ends end it, even if the last verdict
    is that it goes on.
    """
    width = len(around.prefix) + len(url) - len(around.implied)
    most, begun = MAX_JOINED_LINES + 1, reach
    for lines in range(2, MAX_JOINED_LINES + 2):
        if lines > most:
            return
        line_break = LineBreak(around, url, reach, width)
        if line_break.sure == 1 or (line_break.sure is None and not line_break.token):
            return
        verdict = continues(line_break)
        yield line_break, verdict
        if not verdict.goes_on or line_break.rest:
            return
        url = url.removesuffix(SOFT_HYPHEN) + line_break.token
        # Where few URLs are near, each may go on often; where many are, once.
        if reach == begun and (near := urls_at_line_ends(around.run, around.before, around.after)):
            most = 1 + THRONG // near
        reach = line_break.token_end
        width = line_break.next_indent + len(line_break.token)


def _join_soft_breaks(around: Surroundings) -> Joining:
    """Join the URL in *around* over soft line breaks."""
    text, after, leader = around.text, around.after, around.leader
    first, end, reach = 0, around.size, 0
    kept = []
    while may_be_soft(text[first:end]):
        start, _, indent, token = next_line(after, reach, leader)
        # A blank that is not the leader's is one of the text.
        gap = after[reach : start + indent]
        if not token or gap.endswith("  " if gap.strip() else " "):
            end -= 1
            break
        kept.append((first, end - 1))
        reach = start + indent + len(token)
        first, end = around.size + start + indent, around.size + reach
    last = first, end - len("=20") * text.endswith("=20", first, end)
    return Joining(Torn(text, (*kept, last)), reach, SOFT_BREAK)


_LITERAL = lazy_regex(rf"(?:{LITERAL})(?P<piece>{TOKEN.pattern})")


def _spans_of_literals(around: Surroundings) -> Spans:
    """Return the spans of the URL in *around* whose last quote may end a literal; empty if only one part is found."""
    text = around.text
    end = max(text.rfind('"', 0, around.size), text.rfind("'", 0, around.size))
    spans = [(0, end)]
    while len(spans) < MAX_JOINED_LINES and (found := _LITERAL.match(text, end)):
        start = found.start("piece")
        end = start + len(found["piece"].partition(text[spans[0][1]])[0])
        spans.append((start, end))
    return tuple(spans) if len(spans) > 1 else ()


# The next line that is not empty, whatever its quote marks are.
_NEXT_PIECE = re.compile(rf"[ \t]*+{EOL}(?:[ \t]*+[>|][ \t>|]*+{EOL}){{0,2}}[ \t>|]*+(?P<piece>{TOKEN.pattern})")
_LINE_ENDS = re.compile(r"[ \t]*(?:[\r\n]|\Z)")


def _spans_to_last_parameter(around: Surroundings) -> Spans:
    """Return the spans of a mail filter's address up to its last parameter; empty if that is not in a later line.

    Mail programs rewrap such addresses when they quote them, so the quote marks may change from line to line.
    """
    text, size = around.text, around.size
    url, spans, joined = text[:size], [(0, size)], 1
    whole = is_whole(url)
    while whole is not None and len(spans) < MAX_JOINED_LINES and (found := _NEXT_PIECE.match(text, spans[-1][1])):
        if whole and not may_be_rest(found["piece"]):
            break
        spans.append(found.span("piece"))
        url += found["piece"]
        if whole or url[-1] in LAST_CHARACTERS:
            whole = is_whole(url)
        if whole:
            joined = len(spans)
        if not _LINE_ENDS.match(text, found.end()):
            break
    return tuple(spans[:joined]) if joined > 1 else ()
