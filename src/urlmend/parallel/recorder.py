"""What a process hands back of a split.

Handing a match over costs 16 µs as a pickle, a third of what finding it costs. A URL that stands in one piece goes as a
row of marshalled values instead, which takes 3 µs.
"""

import marshal
import re
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from secrets import randbelow
from typing import Any, NamedTuple, Self

from urlmend.grammar.profiles import Profile
from urlmend.match import Rejected, URLMatch
from urlmend.mend.history import WINDOW, History, names
from urlmend.resolver import Join, Settings
from urlmend.sources import Origin
from urlmend.sources.containers.members import PassedOver
from urlmend.text.forms import NONE, Forms

_ROWS = 1024
"""How many rows are marshalled together, and read back together: what is waiting is small."""

PIECE_SIZE = 1 << 18
"""How many bytes of rows make a piece of what a file holds that is read as a whole."""

PIECE_OF_FILE = 1 << 21
"""How many bytes of such a file make one, however few rows there are: one waits for them, and sees how far it is."""

SIZE = 8
"""How many bytes tell the size of a result, in front of it; 0 is the end of a task."""


class Written(NamedTuple):
    """The *text* that is written of so many *urls*; of others nothing is."""

    text: str
    urls: int


class Marks(NamedTuple):
    """Where a split's lines and messages begin to count, so that the text written of them shows which numbers are so.

    How many stand before the split is not known yet. The numbers are 27 digits long, and nobody foresees those that
    they begin with, so that no text of a file is taken for one of them.
    """

    lines: int = 0
    messages: int = 0

    @classmethod
    def made(cls) -> Self:
        """Return marks that no text has."""
        first, second = (randbelow(9 * 10**14) + 10**14 for _ in range(2))
        return cls(first * _COUNTED, second * _COUNTED)

    def settled(self, text: str, lines: int, messages: int) -> str:
        """Return *text* with its numbers as they are where so many *lines* and *messages* stand before the split."""
        pattern = f"{self.lines // _COUNTED}([0-9]{{12}})|{self.messages // _COUNTED}([0-9]{{12}})"
        return re.sub(pattern, lambda found: str(int(found[1]) + lines if found[1] else int(found[2]) + messages), text)


_COUNTED = 10**12
"""More lines than a file has."""


class Asked(NamedTuple):
    """What is asked of every split; *rejects* tells whether rejected candidates are.

    With *urls_only*, nobody asks where a URL stands: its origin is only the file's name, whatever else it is. What
    *write* makes of matches is handed back in their place, where they are decided. With *as_text*, files are read that
    are no text.
    """

    profile: Profile
    join: Join
    rejects: bool
    forms: Forms = NONE
    urls_only: bool = False
    write: Callable[[list[URLMatch]], Written] | None = None
    marks: Marks = Marks()
    as_text: bool = False

    @property
    def places(self) -> bool:
        """Whether anybody asks where something stands."""
        return self.rejects or not self.urls_only


class Found(NamedTuple):
    """What a split holds. Lines count from that of `Split.at`, from 1, and messages from 1.

    Each row is the index of one of *others*, with the match's start and end in its text; or the values of a URL that
    stands in one piece, with the index of its origin and its start in its text; or, of URLs that are certain and decide
    nothing about the others, a list of what is written of them (`Written`) and what is remembered of them (`names`), or
    where no more is asked those in one piece alone, one a line. Candidates are read, if the file is split,
    up to *reach*, which is *lines* lines and *messages* messages behind its start; the last match ends at *last_end*,
    the first candidate starts at *first*. *error* is what ended the file; *failed* tells what is not the file's fault.

    Of what is not split this may be a piece: there is *more* of it, and *taken* bytes were read for this one. Its
    matches are decided. Where a file *begins* with it, itself or a member of a container, that is its name; *told* is
    what was passed over before, *out* how much came out of the container so far, and *passed* whether that is too much
    (`Expansion`). Its last match is of the origin
    with the number *last*, which is the first origin of the file's next piece too.
    """

    rows: list[bytes]
    others: list[tuple[URLMatch, int, int]]
    origins: list[Origin]
    rejected: list[Rejected]
    reach: int = 0
    last_end: int = 0
    first: int = sys.maxsize
    lines: int = 0
    messages: int = 0
    error: OSError | None = None
    failed: str = ""
    more: bool = False
    taken: int = 0
    begins: str | None = None
    told: tuple[PassedOver, ...] = ()
    out: int = 0
    passed: bool = False
    last: int | None = None


NOTHING = Found([], [], [], [])
"""What is found where nothing is."""


class _Held(NamedTuple):
    """A match, and where it stood in its text before it was put in its place in the file."""

    match: URLMatch
    start: int
    end: int


class Recorder(History):
    """Takes the matches as they come, and makes `Found` of them.

    For a split it is the history, and decides nothing (`record`); what is not split is decided by a history of its own
    (`pieces`).
    """

    def __init__(self, asked: Asked, *, of_split: bool = False, of_lines: bool = False) -> None:
        super().__init__()
        self.asked = asked
        self._of_split = of_split
        self._of_lines = of_lines
        self._origin: Origin | None = None
        self._near = 0  # up to here in its text, an ambiguous URL may ask where a match stands
        self.first = sys.maxsize
        self.last_end = 0
        self.rejected: list[Rejected] = []
        self._held: list[_Held | URLMatch | str] = []
        self._rows: list[bytes] = []
        self._others: list[tuple[URLMatch, int, int]] = []
        self._numbers: dict[int, int] = {}
        self._origins: list[Origin] = []

    @property
    def settings(self) -> Settings:
        """What is asked of a scanner."""
        tell: Callable[[Rejected], object] | None = self.rejected.append if self.asked.rejects else None
        return Settings(self.asked.profile, self.asked.join, tell, forms=self.asked.forms)

    def add(self, match: URLMatch) -> None:
        """Take the next match of the split, in order."""
        if match.origin is not self._origin:
            self._origin = match.origin
            self.first = min(self.first, match.start)
            # The split before may end with an ambiguous URL.
            self._near = match.start + WINDOW if self._of_lines else -1
        self.last_end = match.end
        if match.ambiguous:
            self._near = match.end + WINDOW
        alone = match.start > self._near
        if alone and self.asked.write:
            self._held.append(match)
        elif alone and self.asked.urls_only and match.confidence == 1 and _is_in_one_piece(match):
            self._held.append(match.url)
            return
        else:
            self._held.append(_Held(match, match.start, match.end))
        self._ready.append(match)

    def decided(self, position: int | None = None) -> list[URLMatch]:  # noqa: ARG002 -- as in History
        """Return the matches taken since this was asked last."""
        ready, self._ready = self._ready, []
        return ready

    def record(self, batches: Iterator[list[URLMatch]]) -> None:
        """Have all matches found; those in *batches* are in their places in the file."""
        for _ in batches:
            if len(self._held) >= _ROWS:
                self._pack()

    def pieces(self, batches: Iterator[list[URLMatch]], taken: Callable[[], int]) -> Iterator[Found]:
        """Take the matches in *batches*, which are decided; yield those that are many, and leave the rest to `found`.

        *taken* returns how much of the file is read.
        """
        before = taken()
        size = 0
        for matches in batches:
            self._take(matches)
            now = taken()
            if len(self._held) >= _ROWS or now - before > PIECE_OF_FILE:
                self._pack()
                size += len(self._rows[-1])
                if size > PIECE_SIZE or now - before > PIECE_OF_FILE:
                    last = None if self._origin is None else self._number(self._origin)
                    yield self.found()._replace(last=last)
                    before, size = now, 0
                    self._begin_piece()

    def _take(self, matches: list[URLMatch]) -> None:
        if matches:
            self._origin = matches[-1].origin
        if self.asked.write:
            self._held += matches
            return
        for match in matches:
            alone = self.asked.urls_only and match.confidence == 1 and _is_in_one_piece(match)
            self._held.append(match.url if alone else _Held(match, match.start, match.end))

    def _begin_piece(self) -> None:
        self._rows, self._others, self._origins, self._numbers = [], [], [], {}
        self.rejected.clear()
        if self._origin is not None:
            self._number(self._origin)

    def found(self) -> Found:
        """Return what was taken."""
        if self._held:
            self._pack()
        for candidate in self.rejected:
            self._number(candidate.origin)
        for match, _, _ in self._others:
            self._number(match.origin)
        return Found(self._rows, self._others, self._origins, [*self.rejected], first=self.first)

    def _number(self, origin: Origin) -> int:
        number = self._numbers.setdefault(id(origin), len(self._origins))
        if number == len(self._origins):
            self._origins.append(origin)
        return number

    def _pack(self) -> None:
        rows: list[object] = []
        for kind, held in groupby(self._held, type):
            if kind is str:
                rows.append("\n".join(map(str, held)))
            elif kind is _Held:
                rows += map(self._row, held)
            else:
                rows.append(self._written(list(held)))
        # Version 2 looks for no values that are there twice.
        self._rows.append(marshal.dumps(rows, 2))
        self._held = []

    def _written(self, matches: list[Any]) -> object:
        assert self.asked.write is not None  # noqa: S101 -- it is for mypy
        return [*self.asked.write(matches), *(names(matches) if self._of_split else ((), ()))]

    def _row(self, held: Any) -> object:  # noqa: ANN401 -- a `_Held`, which groupby does not know
        m, start, end = held
        if not (m.exact and m.end - m.start == end - start and _is_in_one_piece(m)):
            self._others.append((m, start, end))
            return len(self._others) - 1
        about = m.line, m.column, m.form, m.trimmed, m.left, m.confidence
        return m.url, m.start, *about, self._number(m.origin), start


def _is_in_one_piece(match: URLMatch) -> bool:
    """Tell whether *match* has one reading, which stands in the file as it is."""
    return match.end - match.start == len(match.url) and len(match.readings) == 1 and not match.breaks
