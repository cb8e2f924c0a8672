"""What the stream has shown: a URL that stands whole elsewhere decides how to read a broken one.

A hyphen at a line end is kept in the first reading; of 1 501 hyphen-broken wrappers in real text 109 stand whole
elsewhere, and all 109 keep it. Where a reading with the hyphen dropped was seen whole, or its host, and the kept one
was not, the stream knows better.
"""

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import replace

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

    For a stream that is gone on with, *before* returns the URLs and the hosts (in lower case) that stood whole in it,
    the latest last: REMEMBERED of each are enough. It is asked once, if ever.
    """

    def __init__(self, before: Callable[[], tuple[Iterable[str], Iterable[str]]] | None = None) -> None:
        self._before = before
        self._noted: list[str | URL] = []  # a plain URL as text
        self._urls: OrderedDict[str, None] = OrderedDict()
        self._hosts: OrderedDict[str, None] = OrderedDict()
        self._waiting: deque[URLMatch] = deque()
        self._released = 0  # how many have left _waiting
        self._open = 0  # how many of those waiting are ambiguous
        self._asked: dict[str, set[int]] = {}  # by URL and by "//host": the numbers of those waiting that it may decide
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
            if self._open:
                self._look_back(match)
            else:
                self._note(match)
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
        if match.undecided:
            self._forget(match, self._released)
        self._released += 1
        self._ready.append(match)

    def _note(self, match: URLMatch) -> None:
        self._noted.append(match.parts if match.parsed else match.url)
        if len(self._noted) >= REMEMBERED:
            self._sort()

    def _sort(self) -> None:
        """Sort what was noted into what is remembered."""
        if self._before is not None:
            urls, hosts = self._before()
            self._urls, self._hosts = OrderedDict.fromkeys(urls), OrderedDict.fromkeys(hosts)
            self._before = None
        for url in reversed(dict.fromkeys(reversed(self._noted))):
            _remember(self._urls, url if isinstance(url, str) else url.text)
            if host := _host(url):
                _remember(self._hosts, host)
        self._noted.clear()

    def _ask(self, match: URLMatch, number: int) -> None:
        self._open += 1
        for key in _keys(match):
            self._asked.setdefault(key, set()).add(number)

    def _forget(self, match: URLMatch, number: int) -> None:
        self._open -= 1
        for key in _keys(match):
            self._asked[key].discard(number)
            if not self._asked[key]:
                del self._asked[key]

    def _look_back(self, match: URLMatch) -> None:
        """Note *match*, and decide those waiting that ask for its URL or its host."""
        host = _host(match.parts)
        numbers: set[int] = set()
        if match.url not in self._urls:
            numbers |= self._asked.get(match.url, numbers)
        if host not in self._hosts:
            numbers |= self._asked.get(f"//{host}", numbers)
        self._note(match)
        if numbers:
            self._sort()
            for number in numbers:
                waiting = self._waiting[number - self._released]
                decided = self._decide(waiting)
                if decided is not waiting:
                    self._waiting[number - self._released] = decided
                    self._forget(waiting, number)
                    if decided.undecided:
                        self._ask(decided, number)

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


def _keys(match: URLMatch) -> set[str]:
    """Return what decides *match* when it is seen: the readings, and their hosts after `//`."""
    urls = {parts.text for _, parts in match.undecided}
    return urls | {f"//{host}" for _, parts in match.undecided if (host := _host(parts))}


def _host(url: str | URL) -> str | None:
    """Return the host of *url* in lower case; a plain URL, which was not parsed, is text."""
    if isinstance(url, str):
        found = _HOST.match(url)
        return found[1].lower() if found else None
    return url.host and url.host.lower()


def _remember(names: OrderedDict[str, None], name: str) -> None:
    names[name] = None
    names.move_to_end(name)
    if len(names) > REMEMBERED:
        names.popitem(last=False)
