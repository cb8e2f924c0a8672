"""Guards that end: what certainly ends with its line, whatever the clues say."""

import re

from urlmend.mend.evidence.guards_that_join import SCHEME_ALONE, Guard
from urlmend.mend.evidence.looks import CLOSERS
from urlmend.mend.evidence.words import begins_like_a_word
from urlmend.mend.line_break import LineBreak
from urlmend.text.hyphens import HYPHENS, SOFT_HYPHEN

_URL_START = re.compile(r"[A-Za-z][0-9A-Za-z+.\-]*://")
_OPAQUE_START = re.compile(r"(?:mailto|news|urn|doi|tel|sips?|mid|cid|xmpp|magnet|data|url):", re.IGNORECASE)
_URL_LED = re.compile(r"[=/?&](?:https?|ftp)://", re.IGNORECASE)
_TIME_STAMP = re.compile(r"/[0-9]{8,14}(?:[a-z]{2}_|\*)?/\Z")
_ORNAMENT = re.compile(
    r"\W+\Z|[_\W]*([-=_*~#.+/])\1{3,}[_\W]*\Z|[^\w/?&=%.#+(\[~$-]\W|[-=_*+#~|/.]{4,}|(?:[-=~*#]{1,3}){3,}"
)
_LOG_PATH = re.compile(
    r"/.*\.[A-Za-z]{1,5}:[0-9]+(?::[0-9]+)*:?\Z|/(?:data|home|tmp|usr|var|opt|Users|mnt|root|srv|etc|bin)/\S+\.\w+:?\Z"
)
_KEY_ID = re.compile(r"[0-9]{3,4}[A-Za-z]?/(?:0x)?[0-9A-F]{8}(?:[0-9A-F]{8})?\Z")
_HOST_AND_PATH = re.compile(r"[\w\-]+(?:\.[\w\-]+)+:/")
_OPTION = re.compile(r"-D\w[\w.]*=")
_ADDED_LINE = re.compile(r"\+[A-Za-z_]+\Z")
_DIFFSTAT = re.compile(r"\|\s+(?:[0-9]+\s|Bin\s)")
_VERSION = re.compile(r"[vV][0-9]{1,2}(?:\.[0-9]+)?(?:->v[0-9]+)?\Z")
_CLOSED_MESSAGE_ID = re.compile(r"@[^/\s]+/\Z")
_CAPITALISED_PAIR = re.compile(r"[A-Z]\w*(?:/[A-Z]\w*)+\Z")
_URL_LINE = re.compile(r"[ \t]*(?:https?|ftp)://")
_PROTOCOL = re.compile(r"[A-Z]+/[0-9.]+\Z")
_NUMBER_OR_BULLET = re.compile(r"(?:\(?\[?[0-9]{1,3}[.)\]]+|o)\Z")
_LIST_MARKS = frozenset("*0123456789")
_SAME_COLUMN = 2
_LEAST_PIECE = 3
_LEAST_MARGIN = 60


def scheme_alone(at: LineBreak) -> bool:
    r"""Tell `http://` at a line's end, and no host in the next.

    >>> scheme_alone(first_line_break("it starts with http://\nand has"))
    True
    """
    return SCHEME_ALONE.match(at.url) is not None


def opaque(at: LineBreak) -> bool:
    r"""Tell a URL without `//`: no line end of known truth goes on behind one, and few that seem to do.

    >>> opaque(first_line_break("doi:10.1/b\nc.html"))
    True
    """
    return "://" not in at.url


def list_item(at: LineBreak) -> bool:
    r"""Tell the next item of a list, where the token would have fitted into the line.

    >>> list_item(first_line_break("* http://a.example/b/\n* c.html is next"))
    True
    """
    if all(mark.text[:1] not in _LIST_MARKS for mark in at.around.leader) or at.url[-1] in (*HYPHENS, SOFT_HYPHEN):
        return False
    full = at.width + at.room >= _LEAST_MARGIN and at.room <= len(at.token)
    return not full and at.next_line[: at.next_indent].strip() != ""


def numbered_item(at: LineBreak) -> bool:
    r"""Tell the number of a list's next item, or its bullet.

    >>> numbered_item(first_line_break("http://a.example/b\n3. More"))
    True
    """
    return at.rest != "" and _NUMBER_OR_BULLET.match(at.token) is not None


def last_word(at: LineBreak) -> bool:
    r"""Tell the last word of a sentence, alone in its line.

    >>> last_word(first_line_break("the pages under http://a.example/b\ntogether."))
    True
    """
    if at.rest or at.token[-1] not in ".!?" or not at.url[-1].isalnum():
        return False
    word = at.token[:-1]
    return len(word) >= _LEAST_PIECE and word.isalpha() and begins_like_a_word(word)


def protocol(at: LineBreak) -> bool:
    r"""Tell a protocol and its version.

    >>> protocol(first_line_break("GET http://a.example/b/\nHTTP/1.1"))
    True
    """
    return _PROTOCOL.match(at.word) is not None


def sentence_end(at: LineBreak) -> bool:
    r"""Tell a full stop behind the last slash.

    >>> sentence_end(first_line_break("see http://a.example/b/.\nc/d"))
    True
    """
    return at.url.endswith("/.")


def other_url(at: LineBreak) -> bool:
    r"""Tell a token that is another URL, but for one that a path or query leads to, as in web archives.

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
    led = _URL_LED.search(token)
    return led is None or not (led[0][0] in "/?" or "?" in at.url + token[: led.start()])


def other_host(at: LineBreak) -> bool:
    r"""Tell a token that is another host.

    >>> other_host(first_line_break("http://a.example/b/\nwww.c.example"))
    True
    """
    return at.token[:4].lower() == "www." and "." in at.url


def ornament(at: LineBreak) -> bool:
    r"""Tell a rule, a bullet, a mark alone; a `/` alone may be the end of a URL.

    >>> ornament(first_line_break("http://a.example/b\n=-=-=-=-=-=-=-=-=-r-help"))
    True
    """
    token = at.token
    if token[0] == "/" and not token[1:].rstrip(CLOSERS):
        return at.url[-1] == "/"
    return _ORNAMENT.match(token) is not None


def dash(at: LineBreak) -> bool:
    r"""Tell a dash behind the URL.

    >>> dash(first_line_break("http://a.example/b--\nas you know"))
    True
    """
    return at.url.endswith("--")


def log_path(at: LineBreak) -> bool:
    r"""Tell a path in the next line of a log: with a line number, or from the root of a file system.

    >>> log_path(first_line_break("from http://a.example/b\n/src/c.c:12: warning"))
    True
    """
    return _LOG_PATH.match(at.token) is not None


def key_id(at: LineBreak) -> bool:
    r"""Tell a PGP key's size and number.

    >>> key_id(first_line_break("http://a.example/b/\n2048/CE6AC6C1"))
    True
    """
    return _KEY_ID.match(at.token) is not None


def host_and_path(at: LineBreak) -> bool:
    r"""Tell a path on a host, as `scp` writes it.

    >>> host_and_path(first_line_break("http://a.example/b/\nftp.c.example:/pub/d"))
    True
    """
    return _HOST_AND_PATH.match(at.token) is not None


def option(at: LineBreak) -> bool:
    r"""Tell the next option of a command.

    >>> option(first_line_break("-Durl=http://a.example/b\n-Dfile=c.jar"))
    True
    """
    return _OPTION.match(at.token) is not None


def diff_line(at: LineBreak) -> bool:
    r"""Tell the next line of a diff, or of its table of files.

    >>> diff_line(first_line_break("+ http://a.example/b/\n+int"))
    True
    """
    return (at.url[-1] == "/" and _ADDED_LINE.match(at.token) is not None) or _DIFFSTAT.match(at.rest) is not None


def version_label(at: LineBreak) -> bool:
    r"""Tell the label of a patch's next version.

    >>> version_label(first_line_break("v5: http://a.example/b\nv6: more"))
    True
    """
    is_label = at.token[-1] == ":" or _CLOSED_MESSAGE_ID.search(at.url) is not None
    return is_label and _VERSION.match(at.token.rstrip(":,;)")) is not None


def capitalised_pair(at: LineBreak) -> bool:
    r"""Tell two names with a slash between, and prose behind.

    >>> capitalised_pair(first_line_break("http://a.example/b/\nLinux/UNIX is"))
    True
    """
    return at.rest[:1].isalpha() and _CAPITALISED_PAIR.match(at.word) is not None


def label_apart(at: LineBreak) -> bool:
    r"""Tell a token that is a label, with a blank before its colon.

    >>> label_apart(first_line_break("http://a.example/b\nFax : 12"))
    True
    """
    return at.rest.startswith((": ", ">> "))


def name_over_url(at: LineBreak) -> bool:
    r"""Tell a list of names, each with its URL indented below.

    >>> name_over_url(first_line_break("First\n  http://a.example/b\nSecond\n  http://a.example/c"))
    True
    """
    around = at.around
    if at.joined or at.next_indent >= at.indent or not around.starts_line or "://" not in at.below:
        return False
    previous = around.previous
    starts_alike = bool(previous.strip()) and len(previous) - len(previous.lstrip()) == at.next_indent
    return starts_alike and _URL_LINE.match(at.below) is not None


def table_row(at: LineBreak) -> bool:
    r"""Tell the next row of a table: its URL stands in the same column, or behind as many marks.

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


GUARDS: tuple[Guard, ...] = (
    scheme_alone,
    opaque,
    list_item,
    numbered_item,
    last_word,
    protocol,
    sentence_end,
    other_url,
    other_host,
    ornament,
    dash,
    log_path,
    key_id,
    host_and_path,
    option,
    diff_line,
    version_label,
    capitalised_pair,
    label_apart,
    name_over_url,
    table_row,
)
"""Where no guard that joins holds and one of these does, the URL ends."""
