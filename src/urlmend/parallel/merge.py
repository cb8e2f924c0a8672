"""The matches of one file, out of what its splits hold."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from urlmend.match import Rejected, URLMatch, confident
from urlmend.parallel.splits import Split
from urlmend.parallel.worker import Found
from urlmend.query import Query
from urlmend.sources import Origin

_One = TypeVar("_One", URLMatch, Rejected)


class Merge:
    """Takes the splits of the file called *name* in order, and counts lines and messages on."""

    def __init__(self, name: str | None, query: Query, tell: Callable[[Rejected], object] | None) -> None:
        self._query = query
        self._tell = tell
        self._text = Origin(name)  # all splits of a text are of one origin
        self._reach: int | None = None
        self._last_end = 0
        self._lines = 0
        self._messages = 0
        self._counted: dict[int, Origin] = {}

    def misread(self, split: Split, found: Found) -> Split | None:
        """Return what is to be read in the place of *split*, where what was *found* is not what one reader finds."""
        if self._reach is None or (self._reach == split.at and self._last_end <= found.first):
            return None
        return split._replace(at=self._reach, last_end=self._last_end)

    def matches(self, split: Split, found: Found) -> list[URLMatch]:
        """Return the matches *found* in *split* as they stand in the file; what is rejected is told of."""
        rejected = self._in_file(found.rejected, split)
        for candidate in rejected if self._tell else ():
            self._tell(candidate)  # type: ignore[misc]
        matches = confident(self._in_file(found.matches, split), self._query.min_confidence)
        self._reach, self._last_end = found.reach, found.last_end
        self._lines += found.lines
        self._messages += found.messages
        return matches

    def _in_file(self, found: Iterable[_One], split: Split) -> list[_One]:
        moved = list(found)
        last = None
        for one in moved:
            one.line += self._lines
            one.profile = self._query.profile
            if split.is_split and split.source == "text":
                one.origin = self._text
            elif self._messages and one.origin is not last:
                last = one.origin
                if id(last) not in self._counted:
                    self._counted[id(last)] = last
                    last.message = (last.message or 0) + self._messages
        return moved
