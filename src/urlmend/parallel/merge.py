"""The matches of one file, out of what its splits hold."""

import marshal
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from urlmend.grammar.profiles import Profile
from urlmend.match import Rejected, URLMatch, confident
from urlmend.mend.history import History
from urlmend.parallel.recorder import Found, Marks, Written
from urlmend.parallel.splits import Split
from urlmend.resolver import Settings
from urlmend.sources import Origin


class Merge:
    """Takes the splits of the file called *name* in order; *history* is what is known of the stream that it is of.

    Matches below the least confidence of *settings* are left out here and nowhere before: they are part of the history.
    """

    def __init__(self, name: str | None, settings: Settings, history: History, marks: Marks) -> None:
        self._profile, _, self._rejected, self._min_confidence, _ = settings
        self._history = history
        self._marks = marks
        self._text_origin = Origin(name)
        self._origin: Origin | None = None  # the last match's: another one begins another text
        self._continued: Origin | None = None  # the origin that the next piece of a file begins with
        self._spans: deque[tuple[int, int] | None] = deque()  # of the matches that _seen has, where decoded
        self._reach: int | None = None
        self._last_end = 0
        self._lines = 0
        self._messages = 0

    def misread(self, split: Split, found: Found) -> Split | None:
        """Return what is to be read in the place of *split*, where what was *found* is not what one reader finds."""
        if self._reach is None or (self._reach == split.at and self._last_end <= found.first):
            return None
        return split._replace(at=self._reach, last_end=self._last_end)

    def decided(self, found: Found) -> Iterator[list[URLMatch] | Written]:
        """Yield the matches that are *found* in what is not split, or what is written of them."""
        origins = self._origins(found)
        for candidate in found.rejected:
            self._settle(candidate, origins[id(candidate.origin)], 0)
            if self._rejected is not None:
                self._rejected(candidate)
        by_number = [origins[id(origin)] for origin in found.origins]
        self._continued = None if found.last is None else by_number[found.last]
        for blob in found.rows:
            ready: list[URLMatch] = []
            for row in marshal.loads(blob):  # noqa: S302 -- our own process wrote it
                if isinstance(row, str):
                    ready += (_alone(url, self._profile, self._text_origin) for url in row.split("\n"))
                elif isinstance(row, list):
                    yield Written(row[0], row[1])
                elif isinstance(row, int):
                    match = found.others[row][0]
                    self._settle(match, origins[id(match.origin)], 0)
                    ready.append(match)
                else:
                    url, offset, *about, number, _ = row
                    ready.append(_in_one_piece(url, offset, about, self._profile, by_number[number]))
            if ready:
                yield confident(ready, self._min_confidence)

    def matches(self, split: Split, found: Found) -> Iterator[list[URLMatch] | Written]:
        """Yield the matches that are now certain of a file that is split, or what is written of them."""
        before = self._messages - self._marks.messages
        origins = self._origins_in(split, found, before)
        lines = self._lines - self._marks.lines
        for candidate in found.rejected:
            self._settle(candidate, origins[id(candidate.origin)], lines)
            if self._rejected is not None:
                self._rejected(candidate)
        by_number = [origins[id(origin)] for origin in found.origins]
        for blob in found.rows:
            ready: list[URLMatch] = []
            for row in marshal.loads(blob):  # noqa: S302 -- our own process wrote it
                if isinstance(row, str):
                    ready += self._urls(row)
                elif isinstance(row, list):
                    if ready := ready + self._apart():
                        yield ready
                        ready = []
                    yield self._written(row)
                elif isinstance(row, int):
                    match, start, end = found.others[row]
                    self._settle(match, origins[id(match.origin)], lines)
                    ready += self._taken(match, start, end)
                else:
                    url, offset, *about, number, start = row
                    match = _in_one_piece(url, offset, about, self._profile, by_number[number])
                    match.line += lines
                    ready += self._taken(match, start, start + len(url))
            # Nothing is at 0 any more: only what waits for nothing is given out.
            yield ready + self._decided(0)
        self._reach = found.reach
        self._last_end = found.last_end
        self._lines += found.lines
        self._messages += found.messages

    def _apart(self) -> list[URLMatch]:
        """Return what waits: what comes next is so far from it that nothing of it changes any more."""
        self._origin = None
        return self._decided()

    def _urls(self, row: str) -> list[URLMatch]:
        ready = self._apart()
        for url in row.split("\n"):
            self._history.add(_alone(url, self._profile, self._text_origin))
        return ready + confident(self._history.decided(), self._min_confidence)

    def _written(self, row: Sequence[Any]) -> Written:
        text, count, urls, hosts = row
        self._history.know(urls, hosts)
        return Written(self._marks.settled(text, self._lines, self._messages), count)

    def _taken(self, match: URLMatch, start: int, end: int) -> list[URLMatch]:
        """Take the next match, from *start* to *end* in its text; return those before that it leaves decided."""
        ready = []
        if match.origin is not self._origin:
            ready = self._decided()
            self._origin = match.origin
        if match.start == start and match.end == end:
            self._spans.append(None)
        else:
            # Distances are those in the text until it is decided.
            self._spans.append((match.start, match.end))
            _move(match, start, end)
        self._history.add(match)
        return ready

    def end(self) -> list[URLMatch]:
        """Return the matches left at the end of the file."""
        return self._decided()

    def _origins_in(self, split: Split, found: Found, before: int) -> dict[int, Origin]:
        """Return by its number in memory what each origin is in the file, with so many messages *before*."""
        if split.source == "text":
            return {id(origin): self._text_origin for origin in found.origins}
        for origin in found.origins:
            origin.message = (origin.message or 0) + before
        return {id(origin): origin for origin in found.origins}

    def _origins(self, found: Found) -> dict[int, Origin]:
        """Return the origins of *found*, of what is not split, by their numbers in memory."""
        known = {id(origin): origin for origin in found.origins}
        if self._continued is not None:
            known[id(found.origins[0])] = self._continued
        return known

    def _settle(self, candidate: URLMatch | Rejected, origin: Origin, lines: int) -> None:
        candidate.line += lines
        candidate.origin = origin
        candidate.profile = self._profile

    def _decided(self, position: int | None = None) -> list[URLMatch]:
        """Return what nothing behind *position* changes any more, in its place."""
        matches = self._history.decided(position)
        for match in matches:
            if (span := self._spans.popleft()) is not None:
                _move(match, *span)
        return confident(matches, self._min_confidence)


def _move(match: URLMatch, start: int, end: int) -> None:
    match.start = start
    match.end = end


def _alone(url: str, profile: Profile, origin: Origin) -> URLMatch:
    """Return the match of *url*, of which nobody asks where it stands."""
    return _in_one_piece(url, 0, (1, 1, "bare", "", "", 1.0), profile, origin)


def _in_one_piece(url: str, offset: int, about: Sequence[Any], profile: Profile, origin: Origin) -> URLMatch:
    """Return the match of *url*, which stands at *offset* as it is; *about* are six more values of its row."""
    line, column, form, trimmed, left, confidence = about
    placed = (url, offset, offset + len(url), url, line, column, form, (url,), (), trimmed)
    return URLMatch(*placed, profile, origin, left=left, confidence=confidence)
