"""What the stream has shown: a URL that stands whole elsewhere decides how to read a broken one.

A hyphen at a line end is kept in the first reading; of 1 501 hyphen-broken wrappers in real text 109 stand whole
elsewhere, and all 109 keep it. Where a reading with the hyphen dropped was seen whole, or its host, and the kept one
was not, the stream knows better.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from urlmend.matches import URLMatch
from urlmend.urls import URL

REMEMBERED = 4096
"""How many URLs, and how many hosts, are remembered: the latest."""

WINDOW = 32768
"""How far behind an ambiguous URL, in bytes or characters, the stream is looked at before it is given out."""


# The host of a plain URL.
_HOST = re.compile(r"(?:https?|ftp)://([A-Za-z0-9.\-]+)")


class Seen:
    """Remembers the URLs of a stream, and holds an ambiguous one back until later text decides, within WINDOW.

    Few streams have an ambiguous URL: those that stand whole are noted as they come, and sorted into what is remembered
    only when that is asked or there are many of them.
    """

    def __init__(self) -> None:
        self._noted: list[str | URL] = []  # a plain URL as text
        self._urls: dict[str, None] = {}  # as are the hosts: the latest first
        self._hosts: dict[str, None] = {}
        self._waiting: deque[URLMatch] = deque()
        self._released = 0  # how many have left _waiting
        self._open = 0  # how many of those waiting are ambiguous
        self._asked: dict[str, list[int]] = {}  # by URL and by "//host": the numbers of those that it would decide
        self._ready: list[URLMatch] = []

    def add(self, match: URLMatch) -> None:
        """Take the next match of the stream, in order."""
        if not (self._waiting or match.breaks):
            self._note(match)
            self._ready.append(match)
            return
        while self._waiting and match.start - self._waiting[0].end > WINDOW:
            self._release()
        if match.undecided:
            self._sort()
            match = self._decide(match)
        elif not match.breaks:
            self._note(match)
            if self._open:
                self._look_back(match)
        if match.undecided or self._waiting:
            if match.undecided:
                self._ask(match, self._released + len(self._waiting))
            self._waiting.append(match)
        else:
            self._ready.append(match)

    def decided(self, position: int | None = None) -> list[URLMatch]:
        """Return the matches that nothing behind *position* in the stream can change; all where it is `None`."""
        while self._waiting and (not self._open or position is None or position - self._waiting[0].end > WINDOW):
            self._release()
        ready, self._ready = self._ready, []
        return ready

    def _release(self) -> None:
        match = self._waiting.popleft()
        self._released += 1
        self._ready.append(match)
        if match.undecided:
            self._close()

    def _close(self) -> None:
        self._open -= 1
        if not self._open:
            self._asked.clear()

    def _note(self, match: URLMatch) -> None:
        self._noted.append(match.parts if match.parsed else match.url)
        if len(self._noted) >= REMEMBERED:
            self._sort()

    def _sort(self) -> None:
        """Sort what was noted into what is remembered."""
        latest = dict.fromkeys(reversed(self._noted))
        self._urls = _newest((one if isinstance(one, str) else one.text for one in latest), self._urls)
        self._hosts = _newest(filter(None, map(_host, latest)), self._hosts)
        self._noted.clear()

    def _ask(self, match: URLMatch, number: int) -> None:
        self._open += 1
        for _, parts in match.undecided:
            self._asked.setdefault(parts.text, []).append(number)
            if parts.host:
                self._asked.setdefault(f"//{parts.host.lower()}", []).append(number)

    def _look_back(self, match: URLMatch) -> None:
        """Decide those waiting that ask for the URL or the host of *match*."""
        numbers = self._asked.pop(match.url, [])
        if host := _host(match.parts):
            numbers += self._asked.pop(f"//{host}", [])
        if numbers:
            self._sort()
        for number in sorted(set(numbers)):
            index = number - self._released
            if index >= 0 and self._waiting[index].undecided:
                self._waiting[index] = decided = self._decide(self._waiting[index])
                if not decided.undecided:
                    self._close()

    def _decide(self, match: URLMatch) -> URLMatch:
        """Settle on the readings of *match* that were seen whole, or else those whose host was."""
        undecided = match.undecided
        for known in (self._knows_url, self._knows_host):
            undecided = tuple(choice for choice in undecided if known(choice[1])) or undecided
        if len(undecided) == len(match.undecided):
            return match
        reading, parts = undecided[0]
        others = (text for text in match.readings if text != reading.text)
        return replace(
            match,
            url=reading.text,
            breaks=reading.breaks,
            readings=(reading.text, *others),
            undecided=undecided if len(undecided) > 1 else (),
            _parts=parts,
        )

    def _knows_url(self, parts: URL) -> bool:
        return parts.text in self._urls

    def _knows_host(self, parts: URL) -> bool:
        return parts.host is not None and parts.host.lower() in self._hosts


def _host(url: str | URL) -> str | None:
    """Return the host of *url* in lower case; a plain URL, which was not parsed, is text."""
    if isinstance(url, str):
        found = _HOST.match(url)
        return found[1].lower() if found else None
    return url.host and url.host.lower()


def _newest(names: Iterable[str], older: dict[str, None]) -> dict[str, None]:
    """Return *names*, then *older*, without repetitions and no more than REMEMBERED."""
    return dict(islice({**dict.fromkeys(names), **older}.items(), REMEMBERED))
