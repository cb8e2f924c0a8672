"""Patterns that are compiled when they are first used: a run needs few of them, and compiling all takes 30 ms.

Also the patterns of hosts, and of the names of schemes and of header fields.
"""

import re
from importlib import import_module
from typing import Any, AnyStr, cast

_LABEL = r"[A-Za-z0-9]++(?:-++[A-Za-z0-9]++)*+"
# A top label of digits belongs to a host number.
NAME: str = rf"(?:{_LABEL}\.)*[A-Za-z][A-Za-z0-9]*+(?:-++[A-Za-z0-9]++)*+"
"""A pattern for an ordinary name of a host."""

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IPV4: str = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
"""A pattern for an IPv4 number that is written as usual. Another digit may follow it, or a dot."""

SCHEME: str = r"[A-Za-z][A-Za-z0-9+.\-]*+"
"""A pattern for the name of a scheme, which its colon follows."""

FIELD_NAME = rb"[!-9;-~]++"
"""A pattern for the name of a header field (RFC 5322 section 2.2)."""

HOST_LETTERS = r"\p{L}\p{M}\p{N}\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u200c\u200d\u30fb"
"""The inside of a class of `regex`: what hosts have beyond ASCII (RFC 5892): letters, marks, digits, joiners."""


def label(letters: str) -> str:
    """Return a pattern for a label of a host name (RFC 1035 section 2.3.4); *letters* is the inside of a class."""
    return rf"[{letters}](?:[{letters}\-]{{0,61}}[{letters}])?+"


class _Pattern:
    """A pattern of `re` or `regex`, whose methods are asked for one by one."""

    def __init__(self, pattern: str | bytes, flags: int, engine: str) -> None:
        self.pattern = pattern
        self._flags = flags
        self._engine = engine

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- a method, which is an attribute from now on
        compiled = import_module(self._engine).compile(self.pattern, self._flags)
        method = self.__dict__[name] = getattr(compiled, name)
        return method


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return *pattern* as `re.compile` does, but compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", _Pattern(pattern, flags, "re"))


def lazy_unicode_regex(pattern: str) -> re.Pattern[str]:
    """Return *pattern*, with properties and set operations of Unicode, compiled by `regex` when it is first used."""
    return cast("re.Pattern[str]", _Pattern(f"(?V1){pattern}", 0, "regex"))
