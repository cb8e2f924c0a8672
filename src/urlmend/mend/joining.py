"""Joining a bare URL with the lines after its own for as long as it goes on."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from urlmend.grammar.parser import valid_prefix
from urlmend.grammar.unwrap import LAST_CHARACTERS, is_whole, may_be_rest
from urlmend.mend.continuation import Verdict, continues
from urlmend.mend.line_break import THRONG, TOKEN, LineBreak, Surroundings, next_line, urls_at_line_ends
from urlmend.mend.quick_verdict import CERTAIN
from urlmend.mend.readings import LITERAL, TORN_SCHEME, Fragments, are_soft, may_be_soft
from urlmend.text import leaders
from urlmend.text.line_ends import EOL, SOFT_HYPHEN, first_of
from urlmend.text.patterns import lazy_regex
from urlmend.text.schemes import SCHEMES, either

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is joined from. One that seems to go on is cut, with low confidence."""

_CHECKED_FROM = 3
"""From so many lines on, no more are joined unless all lines but the last may be part of a URL."""

DOUBTFUL = 0.3
"""The probability from which the joined URL is a reading, though not the first."""

SOFT_BREAK = 154 / 156
"""The probability that soft line breaks of quoted-printable are read rightly: of 155 known ones, 154 are."""

_LOGIN_REACH = 300
"""How far after a URL without a host the `@` of a login is searched for, in characters."""

# No host is there, and there can only be one where a login goes on in the next line.
_NO_HOST = re.compile(
    rf"{either(scheme.name for scheme in SCHEMES if scheme.common or scheme.stands_for)}://"
    r"(?:(?P<over>[/?#])|[^@/?#:\[\]]*:[0-9]*[^@/?#0-9\[\]][^@\[\]]*\Z)",
    re.IGNORECASE,
)


class Joining(NamedTuple):
    """A bare URL joined with the lines after its own.

    `fragments` take up `reach` characters of the text after its first line, 0 if it ends with that line. `confidence`
    is the probability that it is rightly joined or left alone. `doubtful` has the fragments and the reach of the URL
    with one more line, if that is nearly as likely.
    """

    fragments: Fragments
    reach: int
    confidence: float
    doubtful: tuple[Fragments, int] | None = None


def join_bare(run: str, before: str, after: str, leader: leaders.Leader, implied: str = "") -> Joining:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as it goes on.

    *before* is the text before it, and *leader* that of its line. The fragments begin with the *implied* scheme of a
    URL that is written without one.
    """
    if torn := TORN_SCHEME.match(run):
        begun, gap = torn.groups()
        joining = join_bare(run[torn.end() :], before + torn[0], after, leader, begun)
        (first, *others), breaks = joining.fragments
        return joining._replace(fragments=Fragments((begun, first[len(begun) :], *others), (gap, *breaks)))
    if joined := evident(run, before, after, leader, implied):
        return joined
    return _joined_on(
        Surroundings(before, run, after, leader, implied), Joining(Fragments((implied + run,), ()), 0, 1.0)
    )


def _joined_on(around: Surroundings, joining: Joining) -> Joining:
    """Join the URL in *around*, as far as *joining* has joined it, with more lines for as long as it goes on."""
    (first, last), reach, confidence, doubtful = joining
    parts, gaps = [*first], [*last]
    for line_break, verdict in weighed(around, "".join(parts), reach):
        goes_on = verdict.goes_on and len(parts) < MAX_JOINED_LINES
        confidence *= verdict.p if goes_on else 1 - verdict.p
        if verdict.p < DOUBTFUL:
            break
        visible = parts[-1].removesuffix(SOFT_HYPHEN)
        gap = parts[-1][len(visible) :] + around.after[reach : line_break.text_start]
        longer = (*parts[:-1], visible, line_break.token), (*gaps, gap)
        if not goes_on:
            doubtful = Fragments(*longer), line_break.token_end
            break
        parts, gaps = map(list, longer)
        reach = line_break.token_end
    return Joining(Fragments(tuple(parts), tuple(gaps)), reach, confidence, doubtful)


def evident(run: str, before: str, after: str, leader: leaders.Leader, implied: str = "") -> Joining | None:
    """Join *run* as `join_bare` does if no line end has to be weighed, else return `None`.

    That is so where it cannot become a URL, at soft line breaks of quoted-printable, between the parts of a string
    literal, and in an address of a mail filter up to its last parameter.
    """
    if (no_host := _NO_HOST.match(run)) and (no_host["over"] or "@" not in first_of(after, _LOGIN_REACH)):
        return Joining(Fragments((implied + run,), ()), 0, 1.0)
    soft = run.removesuffix("20")
    if may_be_soft(soft) and are_soft(before, soft, run[len(soft) :] + after):
        joining = Joining(*_join_soft_breaks(implied + run, after, leader), SOFT_BREAK)
        # The line that was encoded may end in the middle of the URL, if no blank shows where that ends.
        is_over = not joining.reach or after.endswith(("=", "=20"), 0, joining.reach)
        return joining if is_over else _joined_on(Surroundings(before, run, after, leader, implied), joining)
    joined = _join_literals(implied + run, after) if run[-1] in "\"'+\\" else None
    joined = joined or _to_last_parameter(implied + run, after)
    return Joining(*joined, CERTAIN) if joined else None


def weighed(around: Surroundings, url: str, reach: int = 0) -> Iterator[tuple[LineBreak, Verdict]]:
    """Yield the line ends that a bare URL reaches, each with its verdict; the URL goes on after all but the last.

    *url* is the URL up to *reach* in the text after its first line. After too many line ends it ends, even if the last
    verdict is that it goes on.
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
        if lines >= _CHECKED_FROM and valid_prefix(url) < len(url) - len(line_break.token):
            return
        # Of few URLs each may go on often, of many once.
        if reach == begun and (near := urls_at_line_ends(around.run, around.before, around.after)):
            most = 1 + THRONG // near
        reach = line_break.token_end
        width = reach - line_break.start


def _join_soft_breaks(url: str, after: str, leader: leaders.Leader) -> tuple[Fragments, int]:
    """Join *url* over soft line breaks with the lines of *after*; return its fragments and its reach."""
    parts, gaps = [url], []
    reach = 0
    while may_be_soft(parts[-1]):
        start, _, indent, token = next_line(after, reach, leader)
        parts[-1] = parts[-1][:-1]
        # A blank that is not the leader's is one of the text.
        if not token or after[start : start + indent].endswith("  " if leader else " "):
            break
        gaps.append("=" + after[reach : start + indent])
        parts.append(token)
        reach = start + indent + len(token)
    parts[-1] = parts[-1].removesuffix("=20")
    return Fragments(tuple(parts), tuple(gaps)), reach


_LITERAL = lazy_regex(rf"(?:{LITERAL})(?P<piece>{TOKEN.pattern})")


def _join_literals(url: str, after: str) -> tuple[Fragments, int] | None:
    """Join *url*, whose last quote may end a literal, with the parts of that in *after*, if there are any."""
    text, end = url + after, max(url.rfind('"'), url.rfind("'"))
    parts, gaps = [url[:end]], []
    while len(parts) < MAX_JOINED_LINES and (found := _LITERAL.match(text, end)):
        gaps.append(text[end : found.start("piece")])
        parts.append(found["piece"].partition(gaps[0][0])[0])
        end = found.start("piece") + len(parts[-1])
    return (Fragments(tuple(parts), tuple(gaps)), end - len(url)) if gaps else None


# The next line that is not empty, whatever its quote marks are.
_NEXT_PIECE = re.compile(rf"[ \t]*+{EOL}(?:[ \t]*+[>|][ \t>|]*+{EOL}){{0,2}}[ \t>|]*+(?P<piece>{TOKEN.pattern})")
_LINE_ENDS = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_MOST_WRAPPED = 4
"""How many URLs, the address and those inside it, an address of a mail filter may have: more are a list."""


def _to_last_parameter(url: str, after: str) -> tuple[Fragments, int] | None:
    """Join the address *url* of a mail filter with the lines of *after* up to its last parameter, if they have it.

    Mail programs rewrap such addresses when they quote them, so the quote marks may change from line to line.
    """
    parts, gaps, reach, whole, joined = [url], [], 0, is_whole(url), None
    while (
        whole is not None
        and len(parts) < MAX_JOINED_LINES
        and url.count("://") <= _MOST_WRAPPED
        and (found := _NEXT_PIECE.match(after, reach))
    ):
        if whole and not may_be_rest(found["piece"]):
            break
        gaps.append(after[reach : found.start("piece")])
        parts.append(found["piece"])
        reach = found.end()
        url += parts[-1]
        if whole or url[-1] in LAST_CHARACTERS:
            whole = is_whole(url)
        if whole:
            joined = Fragments(tuple(parts), tuple(gaps)), reach
        if not _LINE_ENDS.match(after, reach):
            break
    return joined
