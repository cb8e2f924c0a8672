"""Hosts without a scheme: `www.a.example`, and names under a public suffix, where nothing says that they are else.

Precision comes first. A host that is part of an address, a path or another URL is none; without `www` and without a
path it must stand in prose, under a top label that is no file ending and no word of code.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from urlmend.scan.view import as_view, decoded
from urlmend.text import suffixes
from urlmend.text.line_ends import last_line

if TYPE_CHECKING:
    import regex

MAX_HOST = 253
"""The longest host, in characters (RFC 1035 section 2.3.4)."""

NEARBY = 200
"""Within so many characters on each side the line is looked at."""

MAX_LABEL = 63
"""The longest label of a host, in characters (the same)."""

_ASCII_LABEL = re.compile("[A-Za-z0-9\\-]*+")
_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-."
_LABELS = re.compile(r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?+)++")
_NAME = re.compile(rf"[A-Za-z0-9](?:[A-Za-z0-9\-]{{0,61}}[A-Za-z0-9])?+{_LABELS.pattern}")
_PORT = re.compile(r":[0-9]{1,5}(?![A-Za-z0-9_@\-])")
_BEHIND = re.compile(r"[-_@]|[:;][^\s]|[=(\[\\$%]|!\w|&(?!(?:gt|lt|quot|nbsp|amp);)")
_BEHIND_WWW = re.compile(r"[-_!]\w|[@\\]")
_PATH = re.compile(r"/|[?#][^\s\"'<>()\[\].,;:!?#*]")

# What stands before a part of something else; an underscore may be that of an emphasis.
_PART_OF = frozenset("@/\\.%~$&!")
_PART_OF_ALONE = _PART_OF | frozenset("=:+#-*?^_")
_CALL = re.compile(r"\w\([\"']?\Z")
# The host of a hidden address: "jane at a.example"; but "is available at a.example".
_AT_BEFORE = re.compile(r"\S\s*(?:[ \t]at|<at>|\(at\)|\[at\])[ \t]+\Z", re.IGNORECASE)
_PLACE_BEFORE = re.compile(
    r"\b(?:available|archived?|found|hosted|located|look|page|posted|site|us|is|are|be|was|here|online|more|it|them)"
    r"[ \t]+at[ \t]+\Z",
    re.IGNORECASE,
)
_PART_OF_OTHER = re.compile(r"://\S*(?:[ \t]at[ \t]+)?\Z|:[^\s:]*:\Z|[^\W_]_\Z")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_OTHER_HOST = re.compile(r"/((?:[A-Za-z0-9\-]+\.)+[A-Za-z]+)(?![\w/?#\-]|\.\w)")
_DEEP = re.compile(r"(?::[0-9]+)?(?:/[\w~%\-.]+/\w|[\w~%\-./]*\?\w+=)")
# Packages are named the other way round; newsgroups are no hosts.
_ROOTS = frozenset(
    "com org net edu gov java javax sun self this sys os app win window document node e event request config".split()
)
_NEWSGROUPS = frozenset("alt comp rec sci soc misc talk humanities clari bit gnu".split())
_COMMON_TOPS = frozenset({"com", "org", "net"})
_FILES = frozenset({"command.com"})
_NEXT_SENTENCE = re.compile(r"[^.]\.[A-Z][a-z]+\Z")
_SENTENCE = re.compile("[A-Z][a-z]+")
_LOG = re.compile(
    r"(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.])"  # an IP number
    r"|^[^\w]*\[?[0-9]{1,2}[:.][0-9]{2}[:.][0-9]{2}\b|^[^\w]*[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]"  # a time
    r"|^[^\w]*[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} "
    r"|^[>|\s]*(?:[Xx]-[\w\-]+|Received|Path|Xref|NNTP-Posting-Host|Message-I[Dd]|References|In-Reply-To|Return-Path"
    r"|Authentication-Results|Newsgroups|Delivered-To|List-I[Dd]|Host|Address|Name|Server|Reporting-MTA|Remote-MTA)\s*:"
    r"|\b(?:E?SMTP|EHLO|HELO|ESMTPSA?|Postfix|CNAME|IN\s+(?:A|NS|MX|PTR)|traceroute|nslookup|resolv\.conf)\b"
    r"|(?:relay|host|client|server|helo|rhost|domain|status)=|\w![\w\-]",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[;{}]\s*\Z|\w\(\)|::|->|=>|[!=]=|\+=|\\n|^[>|\s]*(?:import|package|using|include|def|class|return|@)\b"
    r"|^[>|\s]*from\s+\S+\s+import\b|^[>|\s]*(?:[$#%]|>>>)\s|^\s*[+\-]{3}\s|^\s*diff\s|\bself\."
)


class Host(NamedTuple):
    """A host in a view, `start` to `end`, its port with it; `alone` where nothing of a URL follows."""

    start: int
    end: int
    alone: bool


def find(view: str, dot: int, *, binary: bool) -> Host | None:
    """Return the host around the full stop at *dot* in *view*, if it is one that a reader would follow."""
    start = _start(view, dot)
    labels = _LABELS.match(view, dot, dot + MAX_HOST)
    end = labels.end() if labels else dot
    if labels and _NEXT_SENTENCE.search(labels[0]) and suffixes.public_suffix(view[start:end].rpartition(".")[0]):
        end = view.rindex(".", dot, end)
    name = view[start:end]
    if view[end : end + 1] > "\x7f" or view[end + 1 : end + 2] > "\x7f" or (start and view[start - 1] > "\x7f"):
        beyond = _beyond_ascii(view, dot, binary=binary)
        if beyond is None:
            return None
        start, end, name = beyond
    elif len(name) > MAX_HOST or not _NAME.fullmatch(name):
        return None
    port = _PORT.match(view, end)
    end = port.end() if port else end
    host = Host(start, end, alone=not port and not _PATH.match(view, end))
    return host if _is_wanted(view, host, name) else None


def _start(view: str, dot: int) -> int:
    """Return where the ASCII characters of a host on the left of *dot* start."""
    left = view[max(0, dot - MAX_HOST - 1) : dot]
    run = left[len(left.rstrip(_CHARACTERS)) :]
    return dot - len(run.rpartition("...")[2].lstrip("-"))


def _is_wanted(view: str, host: Host, name: str) -> bool:
    start, end, alone = host
    left = last_line(view[max(0, start - NEARBY) : start])
    before = left[-1:] or " "
    www = name[:4].lower() == "www." and "." in name[4:]
    suffix = suffixes.public_suffix(name)
    if not (www or suffix) or before in _PART_OF or _PART_OF_OTHER.search(left):
        return False
    if www:
        return not _BEHIND_WWW.match(view, end) and not (alone and _CALL.search(left))
    ambiguous = suffix in suffixes.NOT_ALONE
    if not alone:
        return _leads_somewhere(view, end) and (not ambiguous or _is_deep(view, end))
    if ambiguous or before in _PART_OF_ALONE or _BEHIND.match(view, end):
        return False
    return _is_name(name) and _is_in_prose(view, left, end)


def _leads_somewhere(view: str, end: int) -> bool:
    """Tell whether the path behind *end* is more than another host: `a.example/b.example` are two of them."""
    other = _OTHER_HOST.match(view, end)
    return not (other and suffixes.public_suffix(other[1]))


def _is_deep(view: str, end: int) -> bool:
    """Tell whether the path has several segments, or a query: what is also a file or a word has none."""
    return _DEEP.match(view, end) is not None


def _is_name(name: str) -> bool:
    """Tell whether *name* is no name of a package or newsgroup, nor two sentences without a blank between."""
    first, _, rest = name.lower().partition(".")
    top = name.rpartition(".")[2]
    common = top.lower() in _COMMON_TOPS
    if first in _ROOTS or (first in _NEWSGROUPS and not (common and rest == top.lower())):
        return False
    if _SENTENCE.fullmatch(top) and not (common and name[0].isupper()):
        return False
    return name.lower() not in _FILES and (common or len(name) - len(top) > len("x."))


def _is_in_prose(view: str, left: str, end: int) -> bool:
    if _CALL.search(left) or (_AT_BEFORE.search(left) and not _PLACE_BEFORE.search(left)):
        return False
    line = left + _REST_OF_LINE.match(view, end, end + NEARBY)[0]  # type: ignore[index]
    return not _LOG.search(line) and not _CODE.search(line)


@cache
def _beyond() -> "dict[str, regex.Pattern[str]]":
    import regex  # noqa: PLC0415 -- few texts need it

    letters = r"\p{L}\p{M}\p{N}\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u200c\u200d\u30fb\-"
    # These scripts have no blanks between words.
    unspaced = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}](?=[A-Za-z0-9])"
    return {
        "left": regex.compile(rf"(?r)[{letters}.]*+"),
        "labels": regex.compile(rf"(?:\.[{letters}]++)++"),
        "glued": regex.compile(rf"(?r){unspaced}"),
    }


def _beyond_ascii(view: str, dot: int, *, binary: bool) -> tuple[int, int, str] | None:
    """Return the start, the end and the name of a host that has characters beyond ASCII in it or beside it."""
    left, right = view[max(0, dot - MAX_HOST) : dot], view[dot : dot + MAX_HOST]
    if binary:
        left, right = decoded(left), decoded(right)
    found, labels = _beyond()["left"].match(left), _beyond()["labels"].match(right)
    if found is None or labels is None:
        return None
    glued = _beyond()["glued"].search(found[0])
    name = found[0][glued.end() :] if glued else found[0]
    behind, _, top = labels[0].rpartition(".")
    if top.lower() not in suffixes.top_labels():
        # As everywhere, a top label does not mix ASCII with what is glued to it.
        top = _ASCII_LABEL.match(top)[0]  # type: ignore[index]
    behind = f"{behind}.{top}"
    if not all(map(_is_label, f"{name}{behind}".split("."))):
        return None
    sizes = [len(as_view(part)) if binary else len(part) for part in (name, behind)]
    return dot - sizes[0], dot + sizes[1], name + behind


def _is_label(label: str) -> bool:
    return 0 < len(label) <= MAX_LABEL and "-" not in (label[0], label[-1])
