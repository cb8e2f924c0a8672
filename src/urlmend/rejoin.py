"""Mending: the readings of a candidate that line breaks tore apart.

Pure functions on one candidate's text. RFC 1738's appendix: white space inside a wrapper is ignored; a hyphen right
before a line break may or may not be part of the URL.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from urlmend import lines

MAX_READINGS = 16
"""The most readings of one candidate: four hyphens at line ends make as many, and further ones are kept."""

MAX_JOINED_LINES = 40
"""The most lines that a bare URL is mended over."""


class Break(NamedTuple):
    """A place where something was taken out of a URL.

    `at` is the index in the URL from 0, `removed` the text taken out, `hyphen` whether it is (or follows) a hyphen
    right before a line end.
    """

    at: int
    removed: str
    hyphen: bool


class Reading(NamedTuple):
    """One way to join a candidate: the URL's text, and where it was broken."""

    text: str
    breaks: tuple[Break, ...] = ()


class Torn(NamedTuple):
    """A URL in parts: `gaps[i]` is the text that stands between `parts[i]` and `parts[i + 1]`."""

    parts: tuple[str, ...]
    gaps: tuple[str, ...]


# White space, and what is not seen: the soft hyphen, zero-width blanks.
_VISIBLE = re.compile("[^\\s\u00ad\u200b\ufeff]+")
_HYPHENS = ("-", "\u2010")


def wrapped(raw: str, leader: Sequence[lines.Mark]) -> Torn:
    """Take the white space out of *raw*, the inside of a wrapper or angle whose first line carries *leader*.

    Line breaks go with the leader of the next line and the page furniture between (appendix, "The whitespace should be
    ignored when extracting the URL").
    """
    spans = [
        (piece.start + match.start(), piece.start + match.end())
        for piece in lines.pieces(raw, tuple(leader)) or ()
        for match in _VISIBLE.finditer(piece.text)
    ]
    parts = tuple(raw[start:end] for start, end in spans)
    gaps = tuple(raw[end:start] for (_, end), (start, _) in zip(spans, spans[1:], strict=False))
    return Torn(parts, gaps)


def readings(torn: Torn) -> Iterator[Reading]:
    """Return the readings of *torn*, the likelier first: every hyphen at a line end kept, then dropped one by one."""
    doubtful = [
        index
        for index, gap in enumerate(torn.gaps)
        if torn.parts[index].endswith(_HYPHENS) and lines.LINE_END.search(gap)
    ]
    free = doubtful[: MAX_READINGS.bit_length() - 1]
    choices = sorted(product((False, True), repeat=len(free)), key=sum)
    for choice in islice(choices, MAX_READINGS):
        dropped = {index for index, drop in zip(free, choice, strict=True) if drop}
        yield _read(torn, set(doubtful), dropped)


def _read(torn: Torn, doubtful: set[int], dropped: set[int]) -> Reading:
    text = ""
    breaks = []
    for index, part in enumerate(torn.parts):
        text += part
        if index == len(torn.gaps):
            break
        removed = torn.gaps[index]
        if index in dropped:
            removed = text[-1] + removed
            text = text[:-1]
        elif index in doubtful:
            text = text[:-1] + "-"
        breaks.append(Break(len(text), removed, index in doubtful))
    return Reading(text, tuple(breaks))


_TOKEN = re.compile(r"""[^\x00-\x20\x7f<>"`]+""")
_LINE = re.compile(r"([ \t]*)(\r\n|\r|\n)")
_CLOSERS = ".,;:!?)]}'\"*"
_SPLIT_SCHEME = re.compile(r"(?i:https?|ftp):(/{0,2})")
_HOST_START = re.compile(r"[A-Za-z0-9\-]+\.[A-Za-z0-9]")
_URL_MARK = re.compile(r"[/=?&%_~#]|\.[A-Za-z0-9]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_OTHER_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:(?://|\S+@)|[Uu][Rr][Ll]:")
_RULE_OR_BULLET = re.compile(r"[-=_*+#~.]+$|\W{2}")


def bare(run: str, after: str, leader: Sequence[lines.Mark]) -> tuple[Torn, int]:
    """Join *run*, a bare URL at its line's end, with the lines of *after* for as long as the evidence goes.

    Returns the parts and how many characters of *after* they reach over, 0 where the URL ends with its line.
    """
    parts, gaps = [run], []
    reach = 0
    while len(parts) < MAX_JOINED_LINES and (line_end := _LINE.match(after, reach)):
        start = line_end.end()
        end = lines.LINE_END.search(after, start)
        line = after[start : end.start() if end else len(after)]
        text_start = start + lines.leader_end(line, tuple(leader))
        token = _TOKEN.match(after, text_start)
        if token is None or not goes_on("".join(parts), token[0]):
            break
        parts.append(token[0])
        gaps.append(after[reach:text_start])
        reach = token.end()
    return Torn(tuple(parts), tuple(gaps)), reach


def goes_on(text: str, token: str) -> bool:
    """Tell whether *token*, the first word of the next line, goes on with *text*, a URL that ends its line."""
    if split := _SPLIT_SCHEME.fullmatch(text):
        missing = "//"[len(split[1]) :]
        return token.startswith(missing) and _HOST_START.match(token, len(missing)) is not None
    if _OTHER_URL.match(token) or _RULE_OR_BULLET.match(token):
        return False
    if text.endswith("-"):
        return not text.endswith("--") and token[0].isalnum()
    return text.endswith("/") and _URL_MARK.search(token.rstrip(_CLOSERS)) is not None
