"""Addresses hidden from robots: archives write `jane at a.example` for `jane@a.example`."""

import re

AT = r"[ \t]+at[ \t]+"
"""The pattern of what archives write for an `@`."""

_DOTTED = r"[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+"

ADDRESS = rf"""[^@?,;()\[\]\x00-\x20\x7f<>"`]{{1,200}}{AT}{_DOTTED}"""
"""The pattern of such an address behind `mailto:`."""

_HIDDEN = re.compile(
    rf"(?:(?i:mailto):[^\s@]+{AT}[A-Za-z0-9]|[A-Za-z][A-Za-z0-9+.\-]*:(?://[^\s/?#@.]+{AT}[A-Za-z0-9\[]|[^\s@]+{AT}{_DOTTED}))"
    r"[^\s@]*"
)


def is_hidden(text: str) -> bool:
    """Tell whether *text* is a URL with one `@` hidden in it: in its address, its login, or its Message-ID."""
    return _HIDDEN.fullmatch(text) is not None
