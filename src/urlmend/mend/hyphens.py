"""Hyphens at line ends: which ones a typesetter put there, and which belong to the URL (RFC 1738, appendix)."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from urlmend.match import Reading
from urlmend.mend.line_break import NEARBY
from urlmend.text.line_ends import HYPHENS, first_of, last_line, last_of
from urlmend.text.patterns import SCHEME, lazy_regex

_LONGEST_HALF = 24
_LEAST_HYPHENATED = 2
_LEAST_WORD = 3  # "in-⏎dex" has no "in" in it
_LEAST_FILLED = 3
_NO_WORD, _NO_HALF, _ONE_HALF = -1, 0, 1
_LAST_LETTERS, _FIRST_LETTERS = re.compile(r"[A-Za-z]{2,}\Z"), re.compile("[A-Za-z]{2,}")

_WORD = lazy_regex("[a-z]+(?:-[a-z]+)*")
# Between the parts of a word of prose, not of the name of a host or of a mailbox.
_IN_WORD = lazy_regex(r"[\s(][A-Za-z]{2,}+-[ \t]*[\r\n][ \t>|]*+[a-z]{2,}+(?![@/]|\.\w)")
_AT_END = lazy_regex(r"-[ \t]*[\r\n]")
# Blanks that fill a line of prose up to the margin: roff writes them, and few other programs do.
_FILLED = lazy_regex(r"[A-Za-z,] {2,3}[A-Za-z]")
_ASCII = lazy_regex("-[A-Za-z0-9]")
_ASCII_IN_URL = lazy_regex(r"/[^\s/\-]*+-")
_TYPESET, _WITHIN = (lazy_regex(rf"\u2010(?{sign}[ \t]*(?:[\r\n]|\Z))") for sign in "=!")
_IN_HOST = lazy_regex(f"{SCHEME}://[^/?#@]*")
_WITHIN_URL = lazy_regex(r"/[^\s/\u2010]*+\u2010\w")

_URL_GOES_ON = lazy_regex(r"[\w/?&=%\-]|[.]\w")
_HOST_GOES_ON = lazy_regex(r"[\w\-]|[.]\w")
_URL_HOST = lazy_regex(r"://(?:[^/?#]*@)?([^/?#:@\[]+)")
"""The host of a URL, unless it is an IPv6 number: these have no hyphens."""


def contains(text: str, url: str, goes_on: re.Pattern[str] = _URL_GOES_ON) -> bool:
    """Return whether *url* occurs in *text* other than as the beginning of a longer one."""
    found = text.find(url)
    while found >= 0:
        if not goes_on.match(text, found + len(url)):
            return True
        found = text.find(url, found + 1)
    return False


def settled(readings: Sequence[Reading], nearby: str) -> list[Reading]:
    """Return the *readings* that occur unbroken *nearby*, or else those whose hosts do; all of them if none does."""
    whole = [reading for reading in readings if contains(nearby, reading.text)] or list(readings)
    hosts = [found and found[1] for found in (_URL_HOST.search(reading.text) for reading in whole)]
    if len(set(hosts)) == 1:
        return whole
    known = {host for host in {*hosts} if host and contains(nearby, f"//{host}", goes_on=_HOST_GOES_ON)}
    return [reading for reading, host in zip(whole, hosts, strict=True) if host in known] or whole


def likeliest_first(
    readings: Sequence[Reading], raw: str, before: str, after: str, *, in_brackets: bool
) -> list[Reading]:
    """Sort the *readings* of the URL *raw*: first the one that drops the typesetter's hyphens and no others.

    After a slash, a hyphen is the typesetter's if a letter, a digit or `~` follows. Where U+2010 is the typesetter's,
    no other hyphen is. Elsewhere, it is one that divides a word. Where prose nearby is hyphenated, or roff's, the same
    word nearby shows whether it has a hyphen of its own. Otherwise its halves decide (`_part_a_word`); the more prose
    is hyphenated, the more of them may be words. In brackets they decide only in the output of roff.
    """
    around, far = (f"{last_of(before, NEARBY)}\n{first_of(after, size)}" for size in (NEARBY, 4 * NEARBY))
    if in_roff := _is_by_roff(far, last_line(before)):
        around = far
    is_typeset = _is_typeset(f"{raw}\n{around}")
    # Few lines end in a hyphen, and to see that none does takes a tenth of the time.
    hyphenated = len(_IN_WORD.findall(around)) if _AT_END.search(around) else 0
    typesets = in_roff or hyphenated >= _LEAST_HYPHENATED
    # The word with a hyphen that most URLs have.
    words = {"cgi-bin", *_WORD.findall(f"{raw}\n{around}".lower() if hyphenated or in_roff else "")}

    def well_dropped(reading: Reading) -> int:
        number = 0
        for hyphen, at in dropped(reading):
            left = _LAST_LETTERS.search(reading.text, max(0, at - _LONGEST_HALF), at)
            right = _FIRST_LETTERS.match(reading.text, at)
            if reading.text[at - 1] == "/":  # paths of GitLab go on with "-/"
                following = reading.text[at : at + 1]
                drops = following.isalnum() or following == "~"
            elif is_typeset:
                drops = hyphen == "\u2010"
            elif left is None or right is None:
                drops = False
            else:
                in_host = typesets and _IN_HOST.fullmatch(reading.text, 0, at) is not None
                most_known = _ONE_HALF if in_host else _NO_HALF if in_roff else _NO_WORD
                in_word = _ONE_HALF if hyphenated else _NO_HALF
                halves = left[0].lower(), right[0].lower()
                if "-".join(halves) in words or "".join(halves) in words:
                    drops = "-".join(halves) not in words
                else:
                    drops = (in_roff or not in_brackets) and _part_a_word(*halves, most_known, in_word)
            number += 1 if drops else -1
        return number

    return sorted(readings, key=well_dropped, reverse=True)


def dropped(reading: Reading) -> list[tuple[str, int]]:
    """Return the hyphens at line ends that *reading* drops, each with the index in its text where it was."""
    return [(item.removed[0], item.at) for item in reading.breaks if item.removed[0] in HYPHENS]


def _is_by_roff(text: str, line: str) -> bool:
    """Return whether roff made *text*: blanks fill lines of prose, and several end alike, or one ends in a hyphen.

    A hyphen ends the *line* of the URL, so it is enough if blanks fill that.
    """
    if _is_filled(line):
        return True
    if not _is_filled(text):
        return False
    if _IN_WORD.search(text):
        return True
    widths = Counter(len(line) for line in text.splitlines() if _FILLED.search(line))
    return max(widths.values()) >= _LEAST_FILLED


def _is_filled(text: str) -> bool:
    return len(list(islice(_FILLED.finditer(text), _LEAST_FILLED))) == _LEAST_FILLED


def _is_typeset(text: str) -> bool:
    """Return whether U+2010 at line ends of *text* is the typesetter's.

    It is if it appears at line ends only, and there is an ASCII hyphen or another such line end. If a URL has an ASCII
    hyphen, it may be within words of prose too.
    """
    line_ends = len(list(islice(_TYPESET.finditer(text), 2)))
    if line_ends and (_WITHIN_URL.search(text) or (_WITHIN.search(text) and not _ASCII_IN_URL.search(text))):
        return False
    return line_ends > 1 or (line_ends == 1 and _ASCII.search(text) is not None)


def _part_a_word(left: str, right: str, most_known: int, in_word: int) -> bool:
    """Return whether *left* and *right* are the halves of a word in URLs, and at most *in_word* of them are words too.

    Many names of hosts and files are in no list, so it is also enough if at most *most_known* of the halves are words.
    """
    from urlmend.mend.pieces import is_word  # noqa: PLC0415 -- few texts need it

    known = sum(len(half) >= _LEAST_WORD and is_word(half) for half in (left, right))
    return known <= most_known or (known <= in_word and is_word(left + right))
