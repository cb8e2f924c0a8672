"""Guards: rules that decide a line end by themselves, whatever the clues say."""

import re
from collections.abc import Callable
from typing import NamedTuple

from urlmend.mend import nearby
from urlmend.mend.line_break import NEAR, LineBreak
from urlmend.mend.words import CLOSERS, begins_like_a_word
from urlmend.text.line_ends import HYPHENS, SOFT_HYPHEN, first_of

CERTAIN = 0.99
"""The probability that a URL goes on where a guard joins; where one ends, the rest to 1."""

_LEAST_PIECE = 3


# Guards that join

_SCHEME_ALONE = re.compile(r"(?i:https?|ftp):(/{0,2})\Z")
_HOST_START = re.compile(r"[A-Za-z0-9\-]+\.[A-Za-z0-9]")


def scheme_split(at: LineBreak) -> bool:
    r"""Return whether the URL is a scheme alone and the token has its host.

    >>> scheme_split(first_line_break("https://\na.example/b"))
    True
    """
    split = _SCHEME_ALONE.match(at.url)
    if split is None:
        return False
    missing = "//"[len(split[1]) :]
    return at.token.startswith(missing) and _HOST_START.match(at.token, len(missing)) is not None


def www_alone(at: LineBreak) -> bool:
    r"""Return whether the host is `www.` so far and the token has the rest.

    >>> www_alone(first_line_break("http://www.\na.example/b"))
    True
    """
    return at.url[-5:].lower() == "/www." and _HOST_START.match(at.token) is not None


def ftp_type(at: LineBreak) -> bool:
    r"""Return whether the token is the type of an ftp URL (RFC 1738 section 3.2.2).

    >>> ftp_type(first_line_break("ftp://a.example/doc;\ntype=d"))
    True
    """
    return at.url[-1] == ";" and at.url[:4].lower() == "ftp:" and at.token.startswith("type=")


_HEADERS = re.compile(r"\?[\w\-]+=")


def mailto_headers(at: LineBreak) -> bool:
    r"""Return whether the token has the headers of a mailto URL (RFC 6068 section 2).

    >>> mailto_headers(first_line_break("mailto:jane@a.example\n?subject=hi"))
    True
    """
    return at.url[:7].lower() == "mailto:" and "?" not in at.url and _HEADERS.match(at.token) is not None


def stands_whole(at: LineBreak) -> bool:
    r"""Return whether the URL joined with the token occurs unbroken nearby.

    >>> stands_whole(first_line_break("of http://a.example/b\nut/not and then http://a.example/but/not in full"))
    True
    """
    if len(at.word) < _LEAST_PIECE or "." not in at.url:
        return False
    url = at.url[len(at.around.implied) :] + at.word
    before, after = at.around.before, at.around.after[at.reach :]
    return nearby.contains(before, url, max(0, len(before) - NEAR)) or nearby.contains(first_of(after, NEAR), url)


# Guards that end


def scheme_alone(at: LineBreak) -> bool:
    r"""Return whether the URL is a scheme alone, where no host follows.

    >>> scheme_alone(first_line_break("it starts with http://\nand has"))
    True
    """
    return _SCHEME_ALONE.match(at.url) is not None


def opaque(at: LineBreak) -> bool:
    r"""Return whether the URL has no `//`. In the known line ends, no such URL goes on, though a few seem to.

    >>> opaque(first_line_break("doi:10.1/b\nc.html"))
    True
    """
    return "://" not in at.url


_LIST_MARKS = frozenset("*0123456789")
_LEAST_MARGIN = 60


def list_item(at: LineBreak) -> bool:
    r"""Return whether the next line is the next item of a list, and the line had room for the token.

    >>> list_item(first_line_break("* http://a.example/b/\n* c.html is next"))
    True
    """
    if all(mark.text[:1] not in _LIST_MARKS for mark in at.around.leader) or at.url[-1] in (*HYPHENS, SOFT_HYPHEN):
        return False
    full = at.width + at.room >= _LEAST_MARGIN and at.room <= len(at.token)
    return not full and at.next_line[: at.next_indent].strip() != ""


_NUMBER_OR_BULLET = re.compile(r"(?:\(?\[?[0-9]{1,3}[.)\]]+|o)\Z")


def numbered_item(at: LineBreak) -> bool:
    r"""Return whether the token is the number or the bullet of a list item.

    >>> numbered_item(first_line_break("http://a.example/b\n3. More"))
    True
    """
    return at.rest != "" and _NUMBER_OR_BULLET.match(at.token) is not None


def last_word(at: LineBreak) -> bool:
    r"""Return whether the token is the last word of a sentence, alone in its line.

    >>> last_word(first_line_break("the pages under http://a.example/b\ntogether."))
    True
    """
    if at.rest or at.token[-1] not in ".!?" or not at.url[-1].isalnum():
        return False
    word = at.token[:-1]
    return len(word) >= _LEAST_PIECE and word.isalpha() and begins_like_a_word(word)


_PROTOCOL = re.compile(r"[A-Z]+/[0-9.]+\Z")


def protocol(at: LineBreak) -> bool:
    r"""Return whether the token is a protocol with its version.

    >>> protocol(first_line_break("GET http://a.example/b/\nHTTP/1.1"))
    True
    """
    return _PROTOCOL.match(at.word) is not None


def sentence_end(at: LineBreak) -> bool:
    r"""Return whether a full stop follows the last slash of the URL.

    >>> sentence_end(first_line_break("see http://a.example/b/.\nc/d"))
    True
    """
    return at.url.endswith("/.")


_URL_START = re.compile(r"[A-Za-z][0-9A-Za-z+.\-]*://")
_OPAQUE_START = re.compile(r"(?:mailto|news|urn|doi|tel|sips?|mid|cid|xmpp|magnet|data|url):", re.IGNORECASE)
_URL_INSIDE = re.compile(r"[=/?&](?:https?|ftp)://", re.IGNORECASE)
_TIME_STAMP = re.compile(r"/[0-9]{8,14}(?:[a-z]{2}_|\*)?/\Z")


def other_url(at: LineBreak) -> bool:
    r"""Return whether the token is another URL. In a path or query, as web archives have them, it is not.

    >>> other_url(first_line_break("http://a.example/b\nhttp://c.example/"))
    True
    """
    token = at.token
    if ":" not in token:
        return False
    if _URL_START.match(token):
        return not (token.startswith(("http://", "https://")) and _TIME_STAMP.search(at.url))
    if _OPAQUE_START.match(token):
        return True
    if "://" not in token:
        return False
    inside = _URL_INSIDE.search(token)
    return inside is None or not (inside[0][0] in "/?" or "?" in at.url + token[: inside.start()])


def other_host(at: LineBreak) -> bool:
    r"""Return whether the token is another host.

    >>> other_host(first_line_break("http://a.example/b/\nwww.c.example"))
    True
    """
    return at.token[:4].lower() == "www." and "." in at.url


_ORNAMENT = re.compile(
    r"\W+\Z|[_\W]*([-=_*~#.+/])\1{3,}[_\W]*\Z|[^\w/?&=%.#+(\[~$-]\W|[-=_*+#~|/.]{4,}|(?:[-=~*#]{1,3}){3,}"
)


def ornament(at: LineBreak) -> bool:
    r"""Return whether the token is a rule, a bullet or a mark. A `/` alone may be the end of a URL.

    >>> ornament(first_line_break("http://a.example/b\n=-=-=-=-=-=-=-=-=-r-help"))
    True
    """
    token = at.token
    if token[0] == "/" and not token[1:].rstrip(CLOSERS):
        return at.url[-1] == "/"
    return _ORNAMENT.match(token) is not None


def dash(at: LineBreak) -> bool:
    r"""Return whether a dash follows the URL.

    >>> dash(first_line_break("http://a.example/b--\nas you know"))
    True
    """
    return at.url.endswith("--")


_LOG_PATH = re.compile(
    r"/.*\.[A-Za-z]{1,5}:[0-9]+(?::[0-9]+)*:?\Z|/(?:data|home|tmp|usr|var|opt|Users|mnt|root|srv|etc|bin)/\S+\.\w+:?\Z"
)


def log_path(at: LineBreak) -> bool:
    r"""Return whether the token is a path with a line number, or one from the root of a file system.

    >>> log_path(first_line_break("from http://a.example/b\n/src/c.c:12: warning"))
    True
    """
    return _LOG_PATH.match(at.token) is not None


_KEY_ID = re.compile(r"[0-9]{3,4}[A-Za-z]?/(?:0x)?[0-9A-F]{8}(?:[0-9A-F]{8})?\Z")


def key_id(at: LineBreak) -> bool:
    r"""Return whether the token is the size and number of a PGP key.

    >>> key_id(first_line_break("http://a.example/b/\n2048/CE6AC6C1"))
    True
    """
    return _KEY_ID.match(at.token) is not None


_HOST_AND_PATH = re.compile(r"[\w\-]+(?:\.[\w\-]+)+:/")


def host_and_path(at: LineBreak) -> bool:
    r"""Return whether the token is a path on a host, as `scp` writes it.

    >>> host_and_path(first_line_break("http://a.example/b/\nftp.c.example:/pub/d"))
    True
    """
    return _HOST_AND_PATH.match(at.token) is not None


_OPTION = re.compile(r"-D\w[\w.]*=")


def option(at: LineBreak) -> bool:
    r"""Return whether the token is an option of a command.

    >>> option(first_line_break("-Durl=http://a.example/b\n-Dfile=c.jar"))
    True
    """
    return _OPTION.match(at.token) is not None


_ADDED_LINE = re.compile(r"\+[A-Za-z_]+\Z")
_DIFFSTAT = re.compile(r"\|\s+(?:[0-9]+\s|Bin\s)")


def diff_line(at: LineBreak) -> bool:
    r"""Return whether the next line is one of a diff, or of its table of files.

    >>> diff_line(first_line_break("+ http://a.example/b/\n+int"))
    True
    """
    return (at.url[-1] == "/" and _ADDED_LINE.match(at.token) is not None) or _DIFFSTAT.match(at.rest) is not None


_VERSION = re.compile(r"[vV][0-9]{1,2}(?:\.[0-9]+)?(?:->v[0-9]+)?\Z")
_CLOSED_MESSAGE_ID = re.compile(r"@[^/\s]+/\Z")


def version_label(at: LineBreak) -> bool:
    r"""Return whether the token is the label of a patch's next version.

    >>> version_label(first_line_break("v5: http://a.example/b\nv6: more"))
    True
    """
    is_label = at.token[-1] == ":" or _CLOSED_MESSAGE_ID.search(at.url) is not None
    return is_label and _VERSION.match(at.token.rstrip(":,;)")) is not None


_CAPITALISED_PAIR = re.compile(r"[A-Z]\w*(?:/[A-Z]\w*)+\Z")


def capitalised_pair(at: LineBreak) -> bool:
    r"""Return whether the token is two names with a slash between them, and prose follows.

    >>> capitalised_pair(first_line_break("http://a.example/b/\nLinux/UNIX is"))
    True
    """
    return at.rest[:1].isalpha() and _CAPITALISED_PAIR.match(at.word) is not None


def label_apart(at: LineBreak) -> bool:
    r"""Return whether the token is a label with a blank before its colon.

    >>> label_apart(first_line_break("http://a.example/b\nFax : 12"))
    True
    """
    return at.rest.startswith((": ", ">> "))


_URL_LINE = re.compile(r"[ \t]*(?:https?|ftp)://")


def name_over_url(at: LineBreak) -> bool:
    r"""Return whether the lines are a list of names, each above its indented URL.

    >>> name_over_url(first_line_break("First\n  http://a.example/b\nSecond\n  http://a.example/c"))
    True
    """
    around = at.around
    if at.joined or at.next_indent >= at.indent or not around.starts_line or "://" not in at.lines.below:
        return False
    previous = at.lines.previous
    starts_alike = bool(previous.strip()) and len(previous) - len(previous.lstrip()) == at.next_indent
    return starts_alike and _URL_LINE.match(at.lines.below) is not None


_SAME_COLUMN = 2


def table_row(at: LineBreak) -> bool:
    r"""Return whether the next line is the next row of a table, with its URL in the same column.

    >>> table_row(first_line_break("Phone: 1    http://a.example/b/\nFax: 2      http://a.example/c"))
    True
    >>> table_row(first_line_break("Jane | home http://a.example/b/\nmail/finger | work http://a.example/c"))
    True
    """
    slashes = at.rest.rfind("://")
    if slashes < 0 or at.joined or at.around.starts_line:
        return False
    line, prefix = at.next_line, at.around.prefix
    start = line.rfind(" ", 0, line.rfind("://")) + 1
    if start <= at.next_indent:
        return False
    marks = prefix.lstrip("|> \t").count("|")
    return abs(start - len(prefix)) <= _SAME_COLUMN or (marks > 0 and at.rest[:slashes].count("|") == marks)


class Guard(NamedTuple):
    """A guard: the rule, the probability that the URL goes on where the rule holds, and what it sees, for users."""

    holds: Callable[[LineBreak], bool]
    p: float
    meaning: str

    @property
    def name(self) -> str:
        """The name of the rule."""
        return self.holds.__name__


_JOIN, _END = CERTAIN, 1 - CERTAIN

GUARDS = (
    Guard(scheme_split, _JOIN, "`https:⏎//a.example/b` and `https://⏎a.example/b`: a scheme alone is not a URL"),
    Guard(www_alone, _JOIN, "`http://www.⏎a.example/b`: a host has more labels"),
    Guard(ftp_type, _JOIN, "`ftp://a.example/doc;⏎type=d` (RFC 1738, 3.2.2)"),
    Guard(mailto_headers, _JOIN, "`mailto:jane@a.example⏎?subject=hi` (RFC 6068, 2)"),
    Guard(stands_whole, _JOIN, "the same URL, unbroken, nearby"),
    Guard(scheme_alone, _END, "`http://` at the end of a line, and no host in the next"),
    Guard(opaque, _END, "a URL without `//`: in text with known line ends, none goes on, though a few seem to"),
    Guard(list_item, _END, "the next item of a list, where the line had room for the token"),
    Guard(numbered_item, _END, "the number or the bullet of the next list item"),
    Guard(last_word, _END, "the last word of a sentence, alone in its line"),
    Guard(protocol, _END, "a protocol and its version"),
    Guard(sentence_end, _END, "a full stop after the last slash"),
    Guard(other_url, _END, "another URL, but not one in a path or query, as web archives have them"),
    Guard(other_host, _END, "another host"),
    Guard(ornament, _END, "a rule, a bullet or a mark; a `/` alone may be the end of a URL"),
    Guard(dash, _END, "a dash after the URL"),
    Guard(log_path, _END, "a path in a log: with a line number, or from the root of a file system"),
    Guard(key_id, _END, "the size and number of a PGP key"),
    Guard(host_and_path, _END, "a path on a host, as `scp` writes it"),
    Guard(option, _END, "the next option of a command"),
    Guard(diff_line, _END, "the next line of a diff, or of its table of files"),
    Guard(version_label, _END, "the label of a patch's next version"),
    Guard(capitalised_pair, _END, "two names with a slash between them, and prose after them"),
    Guard(label_apart, _END, "a label, with a blank before its colon"),
    Guard(name_over_url, _END, "a list of names, each above its indented URL"),
    Guard(table_row, _END, "the next row of a table: its URL is in the same column, or follows as many bars"),
)
"""All guards, in the order in which they are asked: the first that holds decides."""
