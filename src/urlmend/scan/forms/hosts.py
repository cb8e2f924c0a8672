"""Hosts without a scheme: `www.a.example`, and names under a public suffix, where nothing says that they are else.

Precision comes first. A host that is part of an address, a path or another URL is none; without `www` and without a
path it must stand in prose, under a top label that is no file ending and no word of code.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from urlmend.scan.view import as_view, decoded
from urlmend.text import defanged, suffixes
from urlmend.text.line_ends import last_line

if TYPE_CHECKING:
    import regex

MAX_HOST = 253
"""The longest host, in characters (RFC 1035 section 2.3.4)."""

NEARBY = 200
"""Within so many characters on its left the line is looked at."""

NEAR = 80
"""Within so many characters on each side it is searched for what only machines write."""

MAX_LABEL = 63
"""The longest label of a host, in characters (the same)."""

_ASCII_LABEL = re.compile("[A-Za-z0-9\\-]*+")
_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-."
_LABELS = re.compile(r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?+)++")
_NAME = re.compile(rf"[A-Za-z0-9](?:[A-Za-z0-9\-]{{0,61}}[A-Za-z0-9])?+{_LABELS.pattern}")
_DEFANGED = re.compile(rf"{defanged.DOT}[A-Za-z0-9]")
_PORT = re.compile(r":[0-9]{1,5}(?![A-Za-z0-9_@\-])")
_BEHIND = re.compile(r"[-_@]|[:;][^\s]|[=(\[\\$%]|!\w|&(?!(?:gt|lt|quot|nbsp|amp);)")
_BEHIND_WWW = re.compile(r"[-_!]\w|[@\\]")
PATH = re.compile(r"/|[?#][^\s\"'<>()\[\].,;:!?#*]")

# What stands before a part of something else; an underscore may be that of an emphasis.
PART_OF = frozenset("@/\\.%~$&!")
_PART_OF_ALONE = PART_OF | frozenset("=:+#-*?^_")
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
# What a line of a log, a header or code starts with.
_LOG_START = re.compile(
    r"[^\w]*(?:\[?[0-9]{1,2}[:.][0-9]{2}[:.][0-9]{2}\b|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]"
    r"|[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} )"
    r"|[>|\s]*(?:(?:[Xx]-[\w\-]+|(?i:Received|Path|Xref|NNTP-Posting-Host|Message-ID|References|In-Reply-To|Return-Path"
    r"|Authentication-Results|Newsgroups|Delivered-To|List-ID|Host|Address|Name|Server|Reporting-MTA|Remote-MTA))\s*:"
    r"|(?:import|package|using|include|def|class|return|@)\b|from\s+\S+\s+import\b|(?:[$#%]|>>>)\s)"
    r"|\s*(?:[+\-]{3}|diff)\s"
)
# What stands in one, near the host.
_LOG = re.compile(
    r"(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.])"
    r"|\b(?:E?SMTP|ESMTPSA?|[EH][HE]LO|Postfix|CNAME|IN\s+(?:A|NS|MX|PTR)|traceroute|nslookup|resolv\.conf)\b"
    r"|(?:relay|host|client|server|helo|domain|status)=|\w![\w\-]"
)
_CODE = re.compile(r"[;{}]\s*\Z|\w\(\)|::|->|=>|[!=]=|\+=|\\n|\bself\.")


class Host(NamedTuple):
    """A host in a view, `start` to `end`, its port with it; `alone` where nothing of a URL follows."""

    start: int
    end: int
    alone: bool


def find(view: str, dot: int, *, binary: bool) -> Host | None:
    """Return the host around the full stop at *dot* in *view*, if it is one that a reader would follow."""
    start = start_of_name(view, dot)
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
    if _DEFANGED.match(view, end):
        return None
    port = _PORT.match(view, end)
    end = port.end() if port else end
    host = Host(start, end, alone=not port and not PATH.match(view, end))
    return host if _is_wanted(view, host, name) else None


def start_of_name(view: str, dot: int) -> int:
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
    if not (www or suffix) or before in PART_OF or _PART_OF_OTHER.search(left):
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
    right = _REST_OF_LINE.match(view, end, end + NEAR)[0]  # type: ignore[index]
    return not _LOG_START.match(left) and not _is_machine_made(left[-NEAR:], right)


@lru_cache(maxsize=256)
def _is_machine_made(left: str, right: str) -> bool:
    """Tell whether what stands on the *left* and *right* of a host in its line is of a log or of code."""
    return any(pattern.search(text) for pattern in (_LOG, _CODE) for text in (left, right))


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
    right = view[dot : dot + MAX_HOST]
    labels = _beyond()["labels"].match(decoded(right) if binary else right)
    if labels is None:
        return None
    behind, _, top = labels[0].rpartition(".")
    # The last full stop is the trigger, but behind "www".
    if behind and view[dot - 3 : dot].lower() != "www":
        return None
    if top.lower() not in suffixes.top_labels():
        # As everywhere, a top label does not mix ASCII with what is glued to it.
        top = _ASCII_LABEL.match(top)[0]  # type: ignore[index]
        if not top:
            return None
    behind = f"{behind}.{top}"
    left = view[max(0, dot - MAX_HOST) : dot]
    found = _beyond()["left"].match(decoded(left) if binary else left)
    glued = found and _beyond()["glued"].search(found[0])
    name = found[0][glued.end() :] if found and glued else found[0] if found else ""
    if not all(map(_is_label, f"{name}{behind}".split("."))):
        return None
    sizes = [len(as_view(part)) if binary else len(part) for part in (name, behind)]
    return dot - sizes[0], dot + sizes[1], name + behind


def _is_label(label: str) -> bool:
    return 0 < len(label) <= MAX_LABEL and "-" not in (label[0], label[-1])
