"""Defanged hosts and addresses without a scheme: `a[.]example/b`, `jane[at]a[.]example`.

Whoever wrote the marks meant a host, so that it needs no prose around it.
"""

import re

from urlmend.scan.forms import hosts
from urlmend.scan.forms.addresses import CHARACTERS, LOCAL, MAX_LOCAL, Address
from urlmend.scan.forms.hosts import Host
from urlmend.text import suffixes
from urlmend.text.defanged import AT, COLON, DOT

_WORD = r"[^\x00-/:-@\[-`{-\x7f]"
_MARK_BEHIND = r"[ \t]{0,3}(?:\.|[Dd][Oo][Tt]|@|[Aa][Tt])[ \t]{0,3}[\])}]"

# `re` looks for the first characters of branches at once where each begins with one character, not with a class.
_BRACKETS = (rf"{bracket}(?<={_WORD}.)(?={_MARK_BEHIND}{_WORD})" for bracket in (r"\[", r"\(", r"\{"))
TRIGGER = "|".join((*_BRACKETS, rf"\\(?<={_WORD}.)(?=\.{_WORD})"))
"""The pattern of the bracket, or backslash, that a mark begins with."""

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?+"
_DOT = re.compile(DOT)
_AT = re.compile(AT)
_LABELS = re.compile(rf"(?:(?:\.|{DOT}){_LABEL})++")
_DOMAIN = re.compile(rf"{_LABEL}{_LABELS.pattern}")
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})++")
_PORT = re.compile(rf"(?::|{COLON})[0-9]{{1,5}}(?![A-Za-z0-9_@\-])")
_GOES_ON = re.compile(r"[A-Za-z0-9_@\-]")
# Without anything behind it, that may also be a pattern.
_BACKSLASH = re.compile(r"\\")


def find(view: str, mark: int) -> Host | Address | None:
    """Return the host or the address around the *mark* in *view*, the first in it."""
    if at := _AT.match(view, mark):
        return _address(view, mark, at.end())
    labels = _LABELS.match(view, mark, mark + hosts.MAX_HOST)
    if labels is None:
        return None
    start = hosts.start_of_name(view, mark)
    if start and view[start - 1] == "@":
        return _address(view, start - 1, start)
    name = view[start:mark] + labels[0]
    if not _is_host(name) or (start and view[start - 1] in hosts.PART_OF):
        return None
    port = _PORT.match(view, labels.end())
    end = port.end() if port else labels.end()
    alone = not port and not hosts.PATH.match(view, end)
    if alone and (_GOES_ON.match(view, end) or _is_pattern(name, view[end : end + 1])):
        return None
    return Host(start, end, alone)


def _address(view: str, at: int, start_of_domain: int) -> Address | None:
    """Return the address whose `@` stands, or is meant, at *at*, and whose domain begins at *start_of_domain*."""
    domain = _DOMAIN.match(view, start_of_domain, start_of_domain + hosts.MAX_HOST)
    left = view[max(0, at - MAX_LOCAL - 1) : at]
    start = at - len(left) + len(left.rstrip(CHARACTERS))
    if domain is None or not _is_host(domain[0]) or _GOES_ON.match(view, domain.end()):
        return None
    if at - start > MAX_LOCAL or not LOCAL.fullmatch(view, start, at) or (start and view[start - 1] in hosts.PART_OF):
        return None
    return Address(start, domain.end())


def _is_host(written: str) -> bool:
    name = _DOT.sub(".", written)
    top = name.rpartition(".")[2].lower()
    return _NAME.fullmatch(name) is not None and bool(suffixes.public_suffix(name) or top in suffixes.RESERVED)


def _is_pattern(name: str, behind: str) -> bool:
    if not _BACKSLASH.search(name):
        return False
    return behind == "\\" or name.rpartition(".")[2].lower() in suffixes.NOT_ALONE
