"""What the stream has shown: a URL that stands whole elsewhere decides how to read a broken one.

A hyphen at a line end is kept in the first reading; of 1 501 hyphen-broken wrappers in real text 109 stand whole
elsewhere, and all 109 keep it. Where a reading with the hyphen dropped was seen whole, or its host, and the kept one
was not, that reading comes first.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.profiles import Profile
from urlmend.match import URLMatch

REMEMBERED = 4096
"""How many URLs, and how many hosts, are remembered: the latest."""

WINDOW = 32768
"""How far behind an ambiguous URL, in bytes or characters, the stream is looked at before it is given out."""

_LONG = 512
"""A longer name is remembered by its hash: 4096 of the longest would be 270 MB."""

_MOST_NOTED = 1 << 20
"""Long URLs with more characters than this are sorted in at once: so are sixteen of the longest."""

# The host of a common URL, one URL a line; nothing for others, which are parsed.
_HOST = re.compile(r"\n(?:(?i:https?|ftp)://([A-Za-z0-9.\-]+)(?::[0-9]*)?(?=[/?#\n]|\Z))?")


class History:
    """Remembers the URLs of a stream, and holds an ambiguous one back until later text decides, within WINDOW.

    Few streams have an ambiguous URL: those that stand whole are noted as they come, and sorted into what is remembered
    only when that is asked or there are many of them.

    For a stream that is gone on with, *before* returns the URLs and the hosts (in lower case) that stood whole in it,
    the latest last: REMEMBERED of each are enough. It is asked once, if ever.
    """

    def __init__(self, before: Callable[[], tuple[Iterable[str], Iterable[str]]] | None = None) -> None:
        self._before = before
        self._noted: list[URLMatch] = []
        self._noted_size = 0  # of the long ones among them
        self._urls: dict[str, None] = {}
        self._hosts: dict[str, None] = {}
        self._waiting: deque[URLMatch] = deque()
        self._released = 0  # how many have left _waiting
        self._open = 0  # how many of those waiting are ambiguous
        self._indexed = 0  # what is waiting from this number on is not in _asked yet
        self._asked: dict[str, set[int]] = {}  # by URL and by "//host": the numbers of those waiting that it may decide
        self._ready: list[URLMatch] = []

    def add(self, match: URLMatch) -> None:
        """Take the next match of the stream, in order."""
        if not (self._waiting or match.breaks):
            self._ready.append(match)
            self._noted.append(match)
            if len(self._noted) >= REMEMBERED or len(match.raw) > _LONG:
                self._sort_many()
        else:
            self._add_to_waiting(match)

    def _add_to_waiting(self, match: URLMatch) -> None:
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
                self._look_back(match)
            else:
                self._note(match)
        (self._waiting or self._ready).append(match)

    def decided(self, position: int | None = None) -> list[URLMatch]:
        """Return the matches that nothing behind *position* in the stream can change; all where it is `None`."""
        if self._waiting:
            self._release(position)
        ready, self._ready = self._ready, []
        return ready

    def forget(self) -> None:
        """Forget what the stream has shown, for another begins. All its matches are decided."""
        self._before = None
        self._urls, self._hosts = {}, {}
        self._noted.clear()
        self._noted_size = 0

    def remembered(self) -> tuple[list[str], list[str]]:
        """Return the URLs and the hosts that are remembered, the latest last: the *before* of what follows."""
        self._sort()
        return list(self._urls), list(self._hosts)

    def know(self, urls: list[str], hosts: list[str]) -> None:
        """Remember what `names` made of matches that come next, where none is waiting."""
        self._sort()
        remember(urls, self._urls)
        remember(hosts, self._hosts)

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

    def _note(self, match: URLMatch) -> None:
        self._noted.append(match)
        self._sort_many()

    def _sort_many(self) -> None:
        """Sort what was noted where it is many URLs, or where those noted last are long."""
        size = len(self._noted[-1].raw)
        self._noted_size += size if size > _LONG else 0
        if len(self._noted) >= REMEMBERED or self._noted_size > _MOST_NOTED:
            self._sort()

    def _sort(self) -> None:
        """Sort what was noted into what is remembered."""
        if self._before is not None:
            self._urls, self._hosts = (dict.fromkeys(_names(list(known))) for known in self._before())
            self._before = None
        urls = _latest([match.url for match in self._noted])
        hosts = _hosts(urls, self._noted[-1].profile) if urls else []
        remember(urls, self._urls)
        remember([host for host in hosts if host], self._hosts)
        self._noted.clear()
        self._noted_size = 0

    def _index(self) -> None:
        """Index what those waiting ask for. It is needed only when a URL comes that stands whole."""
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

    def _look_back(self, match: URLMatch) -> None:
        """Note *match*, and decide those waiting that ask for its URL or its host."""
        self._index()
        (host,) = _hosts([match.url], match.profile)
        numbers: set[int] = set()
        if _name(match.url) not in self._urls:
            numbers |= self._asked.get(match.url, numbers)
        if host and _name(host) not in self._hosts:
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
                    if decided.ambiguous:
                        self._ask(decided, number)
                    else:
                        self._open -= 1

    def _decide(self, match: URLMatch) -> URLMatch:
        """Settle on the readings of *match* that were seen whole, or else those whose host was."""
        undecided = list(
            zip(match.undecided, _hosts([one.text for one in match.undecided], match.profile), strict=True)
        )
        undecided = [one for one in undecided if _name(one[0].text) in self._urls] or undecided
        undecided = [one for one in undecided if one[1] and _name(one[1]) in self._hosts] or undecided
        if len(undecided) == len(match.undecided):
            return match
        left = tuple(reading for reading, _ in undecided)
        others = (text for text in match.readings if text != left[0].text)
        settled = len(left) == 1 and match.form in {"wrapper", "angle"}
        return replace(
            match,
            url=left[0].text,
            breaks=left[0].breaks,
            readings=(left[0].text, *others),
            undecided=left if len(left) > 1 else (),
            confidence=1.0 if settled else match.confidence,
        )


def names(matches: Iterable[URLMatch]) -> tuple[list[str], list[str]]:
    """Return the URLs of *matches* that stand whole, and their hosts, as they are remembered: the latest, and last."""
    whole = [match for match in matches if not match.mended]
    urls = _latest([match.url for match in whole])
    hosts = _latest([host for host in _hosts(urls, whole[0].profile) if host]) if whole else []
    return _names(urls[-REMEMBERED:]), _names(hosts[-REMEMBERED:])


def _keys(match: URLMatch) -> set[str]:
    """Return what decides *match* when it is seen: the readings, and their hosts after `//` if they differ."""
    urls = [reading.text for reading in match.undecided]
    hosts = set(_hosts(urls, match.profile))
    return {*urls, *(f"//{host}" for host in hosts if host)} if len(hosts) > 1 else set(urls)


def _hosts(urls: list[str], profile: Profile) -> list[str]:
    """Return the host of each of *urls*, in lower case; `""` for none."""
    found = _HOST.findall("\n".join(("", *urls)))
    return [(host or _parsed_host(url, profile)).lower() for host, url in zip(found, urls, strict=True)]


def _parsed_host(url: str, profile: Profile) -> str:
    parts = parse_or_none(url, profile) if "//" in url else None
    return (parts and parts.host) or ""


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


def remember(newer: list[str], known: dict[str, None]) -> None:
    """Add the names *newer*, the latest last, to those *known*, of which the REMEMBERED latest stay."""
    for name in _latest(_names(newer)):
        known.pop(name, None)
        known[name] = None
    for name in list(islice(known, max(0, len(known) - REMEMBERED))):
        del known[name]
