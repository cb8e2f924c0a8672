"""Clues of the URL so far: whether it waits for more or looks whole.

A clue is a function of a `LineBreak`. It tells one of a few values, each with a weight of its own in `weights`, or
nothing: the empty text.
"""

import re
from string import ascii_letters

from urlmend.mend.evidence.looks import has_all_kinds, is_file
from urlmend.mend.evidence.words import COMMON
from urlmend.mend.line_break import LineBreak
from urlmend.text.hyphens import HYPHENS, SOFT_HYPHEN

_TOP_LABEL = re.compile(r"\.(?:com|org|net|edu|gov|mil|int|info|biz|io|ac|co|[a-z]{2})\Z", re.IGNORECASE)
_ENDS = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "letter"),
    **dict.fromkeys("0123456789", "digit"),
    **dict.fromkeys((*HYPHENS, SOFT_HYPHEN), "-"),
    **dict.fromkeys("=&?%", "="),
    **dict.fromkeys(",;:!", ","),
    **dict.fromkeys(")]}'\"*", ")"),
    "/": "/",
    ".": ".",
    "_": "_",
}
_HEX = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{5,64}\Z")
_LEAST_WORD = 3
_LONGEST_WORD = 20
_DATA = re.compile("data=0[0-9]%7C")
_LAST_OF_REDIRECTION = re.compile(r"(?:reserved=0|__;!!\S*\$|&e=)\Z")
_LEAST_REDIRECTION = 30
_LEAST_MADE_UP = 12
_LONGEST_STUB = 3
_WHOLE_HASH = 40


def url_ends(at: LineBreak) -> str:
    r"""Tell the last character of the URL so far.

    >>> url_ends(first_line_break("http://a.example/b-\nc"))
    '-'
    """
    return _ENDS.get(at.url[-1], "other")


def url_so_far(at: LineBreak) -> str:
    r"""Tell how far the URL has come.

    >>> [url_so_far(first_line_break(url + "\nnext")) for url in ("http://www.", "http://a.example/", "http://a.org")]
    ['host, unfinished', 'host and slash', 'host, top label']
    >>> [url_so_far(first_line_break(f"http://a.example/{it}\nnext")) for it in ("b/", "b.html", "b", "b?c=", "b#c")]
    ['directory', 'file', 'path', 'query', 'fragment']
    """
    if not at.path:
        return _host_so_far(at.url)
    path = at.path.rstrip(".,;:!?") or "/"
    if path == "/":
        return "host and slash"
    if "?" in at.path or "#" in path:
        return "query" if "?" in at.path else "fragment"
    if is_file(path):
        return "file"
    if path[-1] != "/":
        return "path"
    last = path.rsplit("/", 2)[-2]
    return "message id and slash" if "@" in last else "file and slash" if "." in last else "directory"


def _host_so_far(url: str) -> str:
    if "?" in url or "#" in url:
        return "query"
    if url[-1] in ".-":
        return "host, unfinished"
    if "." not in url:
        return "host of one label"
    return "host, top label" if _TOP_LABEL.search(url) else "host"


def last_segment(at: LineBreak) -> str:
    r"""Tell what stands behind the last `/`, `?`, `=` or `&`.

    >>> [last_segment(first_line_break(f"http://a.example/{it}\nnext")) for it in ("1057", "b/th", "e5f6a7", "a-page")]
    ['number', 'stub', 'hex', 'ends in a common word']
    """
    segment = at.segment
    if segment.isalnum():
        if segment.isdigit():
            return "number"
        if len(segment) <= _LONGEST_STUB and segment.isalpha():
            return "stub"
    if "@" in segment:
        return "message id"
    return ".git" if segment.endswith(".git") else _end_of_segment(segment)


def _end_of_segment(segment: str) -> str:
    if _HEX.match(segment):
        return "whole hash" if len(segment) >= _WHOLE_HASH else "hex"
    if len(segment) >= _LEAST_MADE_UP and has_all_kinds(segment):
        return "made up"
    end = segment[-_LONGEST_WORD:]
    letters = end[len(end.rstrip(ascii_letters)) :]
    return "ends in a common word" if len(letters) >= _LEAST_WORD and letters.lower() in COMMON else ""


def redirection(at: LineBreak) -> str:
    r"""Tell whether an address that a mail filter wrapped has all its parameters.

    >>> redirection(first_line_break("https://urldefense.example/v3/__https://b.example/c__;!!\nIh9Z!x$"))
    'unfinished'
    """
    url = at.url
    wraps = "safelinks.protection" in url or "urldefense." in url or ("data=0" in url and _DATA.search(url))
    if len(url) < _LEAST_REDIRECTION or not wraps:
        return ""
    return "at its end" if _LAST_OF_REDIRECTION.search(url) else "unfinished"


def joined(at: LineBreak) -> str:
    r"""Tell whether the URL was joined over a line end before."""
    return "joined" if at.joined else ""


URL_CLUES = (url_ends, url_so_far, last_segment, redirection, joined)
