"""What the stream has shown: a URL that stands whole elsewhere decides how to read a broken one.

A hyphen at a line end is kept in the first reading; of 1 501 hyphen-broken wrappers in real text 109 stand whole
elsewhere, and all 109 keep it. Where a reading with the hyphen dropped was seen whole, or its host, and the kept one
was not, the stream knows better.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby, islice
from typing import cast

from urlmend.grammar.urls import URL
from urlmend.match import Ambiguous, URLMatch
from urlmend.scan.ordinary import ORDINARY

REMEMBERED = 4096
"""How many URLs, and how many hosts, are remembered: the latest."""

WINDOW = 32768
"""How far behind an ambiguous URL, in bytes or characters, the stream is looked at before it is given out."""


_MOST_NOTED = 1 << 20
"""Matches with more text than this, in characters, are sorted in at once: so are sixteen of the longest."""

_LONG = 512
"""A longer name is remembered by its hash: 4096 of the longest would be 270 MB."""

# The hosts of plain URLs, one a line in lower case: they were not parsed.
_HOST = re.compile(r"\n[a-z]+://([a-z0-9.\-]+)")
_TELLS_HOST = re.compile(r"(?:https?|ftp)://[A-Za-z0-9.\-]+(?::[0-9]*)?(?:[/?#]|\Z)")


class History:
    """Remembers the URLs of a stream, and holds an ambiguous one back until later text decides, within WINDOW.

    Few streams have an ambiguous URL: those that stand whole are noted as they come, and sorted into what is remembered
    only when that is asked or there are many of them.

    For a stream that is gone on with, *before* returns the URLs and the hosts (in lower case) that stood whole in it,
    the latest last: REMEMBERED of each are enough. It is asked once, if ever.
    """

    def __init__(self, before: Callable[[], tuple[Iterable[str], Iterable[str]]] | None = None) -> None:
        self._before = before
        self._noted: list[str | URLMatch] = []  # one whose host the text tells as text
        self._noted_size = 0  # of those that are no plain URLs
        self._urls: dict[str, None] = {}
        self._hosts: dict[str, None] = {}
        self._waiting: deque[URLMatch] = deque()
        self._released = 0  # how many have left _waiting
        self._open = 0  # how many of those waiting are ambiguous
        self._indexed = 0  # what is waiting from this number on is not in _asked yet
        self._asked: dict[str, set[int]] = {}  # by URL and by "//host": the numbers of those waiting that it may decide
        self._ready: list[URLMatch] = []

    def add_plain(self, matches: list[URLMatch]) -> None:
        """Take the next matches of the stream, in order, which are plain: of these the text tells the host."""
        if self._waiting:
            for match in matches:
                self.add(match, plain=True)
            return
        self._noted += [match.url for match in matches]
        self._ready += matches
        if len(self._noted) >= REMEMBERED:
            self._sort()

    def add(self, match: URLMatch, *, plain: bool = False) -> None:
        """Take the next match of the stream, in order; of a *plain* one the text tells the host."""
        if not (self._waiting or match.mended):
            self._note(match, plain=plain)
            self._ready.append(match)
            return
        if match.ambiguous:
            if self._noted or self._before is not None:
                self._sort()
            if not (self._urls or self._hosts) or (match := self._decide(match)).ambiguous:
                self._open += 1
                self._waiting.append(match)
                return
        elif not match.mended:
            self._release(match.start)
            if self._open:
                self._look_back(match, plain=plain)
            else:
                self._note(match, plain=plain)
        (self._waiting or self._ready).append(match)

    def decided(self, position: int | None = None) -> list[URLMatch]:
        """Return the matches that nothing behind *position* in the stream can change; all where it is `None`."""
        self._release(position)
        ready, self._ready = self._ready, []
        return ready

    def remembered(self) -> tuple[list[str], list[str]]:
        """Return the URLs and the hosts that are remembered, the latest last: the *before* of what follows."""
        self._sort()
        return list(self._urls), list(self._hosts)

    def _release(self, position: int | None) -> None:
        """Make ready what nothing behind *position* can change; `None` is the end."""
        waiting, ready = self._waiting, self._ready
        while waiting and (position is None or not self._open or position - waiting[0].end > WINDOW):
            match = waiting.popleft()
            if match.ambiguous:
                self._open -= 1
                if self._released < self._indexed:
                    self._forget(match, self._released)
            self._released += 1
            ready.append(match)

    def _note(self, match: URLMatch, *, plain: bool) -> None:
        if plain or (len(match.url) <= _LONG and _TELLS_HOST.match(match.url)):
            self._noted.append(match.url)
        else:
            self._noted.append(match)
            self._noted_size += len(match.raw) + len(match.trimmed)
        if len(self._noted) >= REMEMBERED or self._noted_size > _MOST_NOTED:
            self._sort()

    def _sort(self) -> None:
        """Sort what was noted into what is remembered."""
        if self._before is not None:
            self._urls, self._hosts = (dict.fromkeys(_names(list(known))) for known in self._before())
            self._before = None
        urls: list[str] = []
        hosts: list[str] = []
        for sort, noted in groupby(self._noted, type):
            if sort is str:
                texts = _latest(cast("list[str]", list(noted)))
                urls += texts
                hosts += _HOST.findall("\n".join(("", *texts)).lower())
            else:
                matches = cast("list[URLMatch]", list(noted))
                urls += [match.url for match in matches]
                # Of the same URL one is parsed.
                parsed = {match.url: match for match in matches}
                hosts += filter(None, (_host(parsed[match.url]) for match in matches))
        remember(urls, self._urls)
        remember(hosts, self._hosts)
        self._noted.clear()
        self._noted_size = 0

    def _index(self) -> None:
        """Index what those waiting ask for: nobody wants to know it before a URL comes that stands whole."""
        waiting, released = self._waiting, self._released
        for number in range(max(self._indexed, released), released + len(waiting)):
            if waiting[number - released].ambiguous:
                self._ask(waiting[number - released], number)
        self._indexed = released + len(waiting)

    def _ask(self, match: URLMatch, number: int) -> None:
        for key in _keys(match):
            self._asked.setdefault(key, set()).add(number)

    def _forget(self, match: URLMatch, number: int) -> None:
        for key in _keys(match):
            self._asked[key].discard(number)
            if not self._asked[key]:
                del self._asked[key]

    def _look_back(self, match: URLMatch, *, plain: bool) -> None:
        """Note *match*, and decide those waiting that ask for its URL or its host."""
        self._index()
        host = _host(match.url if plain else match)
        numbers: set[int] = set()
        if _name(match.url) not in self._urls:
            numbers |= self._asked.get(match.url, numbers)
        if host and _name(host) not in self._hosts:
            numbers |= self._asked.get(f"//{host}", numbers)
        self._note(match, plain=plain)
        if numbers:
            self._sort()
            for number in numbers:
                waiting = self._waiting[number - self._released]
                decided = self._decide(waiting)
                if decided is not waiting:
                    self._waiting[number - self._released] = decided
                    self._forget(waiting, number)
                    if decided.ambiguous:
                        self._ask(decided, number)
                    else:
                        self._open -= 1

    def _decide(self, match: URLMatch) -> URLMatch:
        """Settle on the readings of *match* that were seen whole, or else those whose host was."""
        # Of these the readings have one host.
        if isinstance(match, Ambiguous) and not any(_name(text) in self._urls for text in match.readings):
            return match
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
        return _name(parts.text) in self._urls

    def _knows_host(self, parts: URL) -> bool:
        return parts.host is not None and _name(parts.host.lower()) in self._hosts


def _keys(match: URLMatch) -> set[str]:
    """Return what decides *match* when it is seen: the readings, and their hosts after `//` if they differ."""
    if isinstance(match, Ambiguous):
        return set(match.readings)
    urls = {parts.text for _, parts in match.undecided}
    hosts = {parts.host and f"//{parts.host.lower()}" for _, parts in match.undecided}
    return urls.union(filter(None, hosts)) if len(hosts) > 1 else urls


def _name(name: str) -> str:
    """Return what *name*, a URL or a host, is remembered by, in whatever process."""
    if len(name) <= _LONG:
        return name
    from hashlib import blake2b  # noqa: PLC0415 -- few are so long

    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _names(names: list[str]) -> list[str]:
    return list(map(_name, names)) if max(map(len, names), default=0) > _LONG else names


def _latest(names: list[str]) -> list[str]:
    """Return each of the *names* once, where it is for the last time."""
    return list(dict.fromkeys(reversed(names)))[::-1]


def _host(url: str | URLMatch) -> str | None:
    """Return the host of *url* in lower case; a plain one is text."""
    if isinstance(url, str):
        found = _HOST.match(f"\n{url.lower()}")
        return found[1] if found else None
    if "//" not in url.url:
        return None
    ordinary = ORDINARY.fullmatch(url.url)
    host = ordinary[2] or ordinary[5] if ordinary else url.parts.host
    return host and host.lower()


def remember(newer: list[str], known: dict[str, None]) -> None:
    """Add the names *newer*, the latest last, to those *known*, of which the REMEMBERED latest stay."""
    for name in _latest(_names(newer)):
        known.pop(name, None)
        known[name] = None
    for name in list(islice(known, max(0, len(known) - REMEMBERED))):
        del known[name]
