"""What is glued behind a URL without being part of it: mark-up, remains of quoted-printable, quotes without a twin."""

import re

from urlmend.grammar.parser import accepts, valid_prefix
from urlmend.grammar.profiles import Profile

LONGEST = 2048
"""The longest text, in characters, that is looked at."""

_MARKUP = re.compile(r"\{[^{}\s]*\}")
_GLUED = re.compile(_MARKUP.pattern + r"""|\.{3}|==|=[0-9A-F]{2}(?![A-Za-z0-9])|\$|["']|[(\[](?![^()\[\]]*[)\]])""")
_QUOTE = re.compile("[\"'`]")
# In an authority nothing is glued but what `authority` knows.
_BEHIND_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:(?://[^/?#]*[/?#]|(?!//))")


def without_glued(text: str, profile: Profile, *, quotes_only: bool = False) -> str | None:
    """Return the URL that *text*, which is none under *profile*, begins with; `None` where no glued mark ends it."""
    glued = _QUOTE if quotes_only else _GLUED
    if len(text) > LONGEST or not glued.search(text):
        return None
    end = valid_prefix(text, profile)
    url = text[:end].rstrip(".,;:!?*'")
    return url if glued.match(text, end) and _BEHIND_AUTHORITY.match(url) and accepts(url, profile) else None
