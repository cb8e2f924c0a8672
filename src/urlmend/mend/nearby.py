"""What stands whole nearby: it decides between the readings of a URL that was broken at a hyphen."""

import re
from collections.abc import Sequence

from urlmend.grammar.parser import scheme_host_departures
from urlmend.grammar.profiles import Profile
from urlmend.match import Reading

_GOES_ON = re.compile(r"[\w/?&=%\-]|[.]\w")
_HOST_GOES_ON = re.compile(r"[\w\-]|[.]\w")


def stands_whole(
    text: str, url: str, start: int = 0, stop: int | None = None, goes_on: re.Pattern[str] = _GOES_ON
) -> bool:
    """Tell whether *url* stands in *text* between *start* and *stop*, and is not the beginning of a longer one."""
    stop = len(text) if stop is None else stop
    found = text.find(url, start, stop)
    while found >= 0:
        if not goes_on.match(text, found + len(url), stop):
            return True
        found = text.find(url, found + 1, stop)
    return False


def seen(readings: Sequence[Reading], nearby: str, profile: Profile) -> list[Reading]:
    """Return those of *readings* that stand whole *nearby*, or else whose hosts do; all of them where none does."""
    whole = [reading for reading in readings if stands_whole(nearby, reading.text)] or list(readings)
    hosts = [scheme_host_departures(reading.text, profile)[1] for reading in whole]
    known = [
        reading
        for reading, host in zip(whole, hosts, strict=True)
        if host and stands_whole(nearby, f"//{host}", goes_on=_HOST_GOES_ON)
    ]
    return known or whole
