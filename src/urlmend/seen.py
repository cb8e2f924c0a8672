"""What the stream has shown: a URL that stands whole elsewhere decides how to read a broken one.

A hyphen at a line end is kept in the first reading; of 1 501 hyphen-broken wrappers in real text 109 stand whole
elsewhere, and all 109 keep it. Where a reading with the hyphen dropped was seen whole, or its host, and the kept one
was not, the stream knows better.
"""

from collections import OrderedDict, deque
from dataclasses import replace

from urlmend.matches import URLMatch
from urlmend.urls import URL

REMEMBERED = 4096
"""How many URLs, and how many hosts, are remembered: the latest."""

WINDOW = 32768
"""How far behind an ambiguous URL, in bytes or characters, the stream is looked at before it is given out."""


class Seen:
    """Remembers the URLs of a stream, and holds an ambiguous one back until later text decides, within WINDOW."""

    def __init__(self) -> None:
        self._urls: OrderedDict[str, None] = OrderedDict()
        self._hosts: OrderedDict[str, None] = OrderedDict()
        self._waiting: deque[URLMatch] = deque()
        self._open = 0  # how many of those waiting are ambiguous
        self._ready: list[URLMatch] = []

    def add(self, match: URLMatch) -> None:
        """Take the next match of the stream, in order."""
        while self._waiting and match.start - self._waiting[0].end > WINDOW:
            self._release()
        if match.ambiguous:
            match = self._decide(match)
        elif not match.breaks:
            _remember(self._urls, match.url)
            if match.parts.host:
                _remember(self._hosts, match.parts.host.lower())
            if self._open:
                self._look_back()
        if match.ambiguous or self._waiting:
            self._waiting.append(match)
            self._open += match.ambiguous
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
        self._open -= match.ambiguous
        self._ready.append(match)

    def _look_back(self) -> None:
        for index, match in enumerate(self._waiting):
            if match.ambiguous:
                decided = self._decide(match)
                self._waiting[index] = decided
                self._open -= not decided.ambiguous

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
            parts=parts,
            breaks=reading.breaks,
            readings=(reading.text, *others),
            undecided=undecided,
        )

    def _knows_url(self, parts: URL) -> bool:
        return parts.text in self._urls

    def _knows_host(self, parts: URL) -> bool:
        return parts.host is not None and parts.host.lower() in self._hosts


def _remember(names: OrderedDict[str, None], name: str) -> None:
    names[name] = None
    names.move_to_end(name)
    if len(names) > REMEMBERED:
        names.popitem(last=False)
