"""Evidence from the text nearby: the same URL, or its host, may occur there unbroken."""

import re
from collections.abc import Sequence

from urlmend.match import Reading
from urlmend.text.patterns import lazy_regex

_URL_GOES_ON = lazy_regex(r"[\w/?&=%\-]|[.]\w")
_HOST_GOES_ON = lazy_regex(r"[\w\-]|[.]\w")
_HOST = lazy_regex(r"://(?:[^/?#]*@)?([^/?#:@\[]+)")
"""The host of a URL; none that is an IPv6 number, which has no hyphens."""


def contains(text: str, url: str, goes_on: re.Pattern[str] = _URL_GOES_ON) -> bool:
    """Return whether *url* occurs in *text* other than as the beginning of a longer one."""
    found = text.find(url)
    while found >= 0:
        if not goes_on.match(text, found + len(url)):
            return True
        found = text.find(url, found + 1)
    return False


def settled(readings: Sequence[Reading], nearby: str) -> list[Reading]:
    """Return the *readings* that occur unbroken *nearby*, or else those whose hosts do; all of them if none does."""
    whole = [reading for reading in readings if contains(nearby, reading.text)] or list(readings)
    hosts = [found and found[1] for found in (_HOST.search(reading.text) for reading in whole)]
    if len(set(hosts)) == 1:
        return whole
    known = {host for host in {*hosts} if host and contains(nearby, f"//{host}", goes_on=_HOST_GOES_ON)}
    return [reading for reading, host in zip(whole, hosts, strict=True) if host in known] or whole
