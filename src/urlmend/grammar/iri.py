"""Letters beyond ASCII in URLs: IRIs (RFC 3987) and the names of hosts (RFC 5891)."""

import re
from functools import cache, lru_cache

from urlmend.grammar.profiles import Profile

UCSCHAR = "\u00a0"
"""What stands for every character of the rule `ucschar` in a shape, and in the patterns: `re` takes 150 ms to compile
some of them with the class itself, as it walks over each of its characters.
"""


def shape_of(text: str, profile: Profile) -> str:
    """Return *text* with the characters of the rule `ucschar`, if *profile* has it, all the same."""
    if text.isascii() or "ucschar" not in profile.rules:
        return text
    return _ucschar(profile.rules["ucschar"]).sub(UCSCHAR, text)


@cache
def _ucschar(rule: str) -> re.Pattern[str]:
    return re.compile(rule)


# RFC 1035 section 2.3.4; idna would take quadratic time to find it out.
_MAX_HOST_LENGTH = 255


def idna_fault(host: str) -> str | None:
    """Say why *host*, which has letters beyond ASCII, is no host name (RFC 5891); `None` where it is one."""
    return f"longer than {_MAX_HOST_LENGTH} characters" if len(host) > _MAX_HOST_LENGTH else _idna_error(host)


@lru_cache(maxsize=1024)
def _idna_error(host: str) -> str | None:
    import idna  # noqa: PLC0415 -- its tables are large, and few hosts need them

    try:
        idna.encode(host, uts46=True)
    except idna.IDNAError as error:
        return str(error)
    return None
