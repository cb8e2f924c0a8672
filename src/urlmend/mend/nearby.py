"""Evidence from the text nearby: the same URL, or its host, may occur there unbroken."""

import re
from collections.abc import Sequence

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.profiles import Profile
from urlmend.match import Reading
from urlmend.text.patterns import lazy_regex

_URL_GOES_ON = lazy_regex(r"[\w/?&=%\-]|[.]\w")
_HOST_GOES_ON = lazy_regex(r"[\w\-]|[.]\w")


def contains(text: str, url: str, goes_on: re.Pattern[str] = _URL_GOES_ON) -> bool:
    """Return whether *url* occurs in *text* other than as the beginning of a longer one."""
    found = text.find(url)
    while found >= 0:
        if not goes_on.match(text, found + len(url)):
            return True
        found = text.find(url, found + 1)
    return False


def settled(readings: Sequence[Reading], nearby: str, profile: Profile) -> list[Reading]:
    """Return the *readings* that occur unbroken *nearby*, or else those whose hosts do; all of them if none does."""
    whole = [reading for reading in readings if contains(nearby, reading.text)] or list(readings)
    if len({reading.text.partition("://")[2].partition("/")[0] for reading in whole}) == 1:
        return whole  # they have one host, or none
    urls = [parse_or_none(reading.text, profile) for reading in whole]
    known = [
        reading
        for reading, url in zip(whole, urls, strict=True)
        if url and url.host and contains(nearby, f"//{url.host}", goes_on=_HOST_GOES_ON)
    ]
    return known or whole
