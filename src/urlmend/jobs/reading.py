"""Reading one part of a file, in any process, and what is handed back of it.

Handing a match over costs 16 µs as a pickle, a third of what finding it costs. A plain URL goes as a row of marshalled
values instead, which takes 3 µs.
"""

import marshal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from urlmend.extents import LOOKAHEAD
from urlmend.extract import Join, Scanner, urls_of
from urlmend.glance import signs
from urlmend.jobs.parts import Part
from urlmend.matches import Rejected, URLMatch
from urlmend.plain import ORDINARY
from urlmend.profiles import WEB, Profile
from urlmend.scanner import CandidateScanner
from urlmend.seen import Seen
from urlmend.sources import Origin, SourceError, iter_texts
from urlmend.sources.mbox import messages
from urlmend.sources.mbox_window import MboxWindow
from urlmend.sources.places import line_ends
from urlmend.sources.window import CHUNK_SIZE, MAX_LINE

_ROWS = 1024
"""How many rows are marshalled together, and read back together: what is waiting is small."""


class Settings(NamedTuple):
    """What is asked of every part. *rejected* tells whether the rejected candidates are.

    With *urls_only*, nobody asks where a URL stands: its origin is only the file's name, whatever else it is.
    """

    profile: Profile
    join: Join
    rejected: bool
    urls_only: bool = False


class PartError(SourceError):
    """Part of the file called *name* was not read, for a *reason* that is not in the file: a process died of it."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.strerror = reason


class Found(NamedTuple):
    """What a part holds. Lines count from that of `Part.at`, from 1, and messages from 1.

    Each row is the index of one of *others*, with the match's start and end in its text, or a plain URL: its values for
    `whole`, the index of its origin and its start in its text; or its text only, where no more is asked. Candidates are
    read, if the part is split, up to *reach*, which is *lines* lines and *messages* messages behind its start; the last
    match ends at *taken*, the first candidate starts at *first*. *error* is what ended the file; *failed* tells what is
    not the file's fault.
    """

    rows: list[bytes]
    others: list[tuple[URLMatch, int, int]]
    origins: list[Origin]
    rejected: list[Rejected]
    reach: int = 0
    taken: int = 0
    first: int = sys.maxsize
    lines: int = 0
    messages: int = 0
    error: OSError | None = None
    failed: str = ""


class _Undecided(Seen):
    """Decides nothing, but notes where in its text each match stands before it is put in its place in the file."""

    def __init__(self) -> None:
        self.spans: deque[tuple[int, int]] = deque()
        self._ready: list[URLMatch] = []

    def add(self, match: URLMatch, *, plain: bool = False) -> None:  # noqa: ARG002 -- as in Seen
        self.spans.append((match.start, match.end))
        self._ready.append(match)

    def add_plain(self, matches: list[URLMatch]) -> None:
        for match in matches:
            self.add(match)

    def decided(self, position: int | None = None) -> list[URLMatch]:  # noqa: ARG002 -- as in Seen
        ready, self._ready = self._ready, []
        return ready


class _Gathered:
    """Takes the matches as they come, and makes `Found` of them."""

    def __init__(self, settings: Settings, *, of_lines: bool) -> None:
        self.settings = settings
        # A part of a text may begin in what an ambiguous URL is held back for, and that goes by places.
        self._urls_only = settings.urls_only and not of_lines
        self._ambiguous: Origin | None = None  # the text with the last ambiguous URL
        self.seen = _Undecided()
        self.rejected: list[Rejected] = []
        self.tell: Callable[[Rejected], object] | None = self.rejected.append if settings.rejected else None
        self.first = sys.maxsize
        self._blobs: list[bytes] = []
        self._rows: list[object] = []
        self._others: list[tuple[URLMatch, int, int]] = []
        self._numbers: dict[int, int] = {}
        self._origins: list[Origin] = []

    def take(self, match: URLMatch) -> None:
        start, end = self.seen.spans.popleft()
        self.first = min(self.first, start)
        if match.ambiguous:
            self._ambiguous = match.origin
        size = len(match.url)
        as_it_is = match.exact and match.end - match.start == end - start == size and len(match.readings) == 1
        if match.parsed or not as_it_is:
            self._rows.append(len(self._others))
            self._others.append((match, start, end))
        elif self._urls_only and match.origin is not self._ambiguous and ORDINARY.fullmatch(match.url):
            self._rows.append(match.url)
        else:
            m, number = match, self._number(match.origin)
            self._rows.append((m.url, m.start, m.line, m.column, m.form, m.trimmed, m.left, number, start))
        if len(self._rows) == _ROWS:
            self._pack()

    def found(self) -> Found:
        self._pack()
        for candidate in self.rejected:
            self._number(candidate.origin)
        for match, _, _ in self._others:
            self._number(match.origin)
        return Found(self._blobs, self._others, self._origins, self.rejected, first=self.first)

    def _number(self, origin: Origin) -> int:
        number = self._numbers.setdefault(id(origin), len(self._origins))
        if number == len(self._origins):
            self._origins.append(origin)
        return number

    def _pack(self) -> None:
        # Version 2 looks for no values that are there twice.
        self._blobs.append(marshal.dumps(self._rows, 2))
        self._rows = []


def read(part: Part, settings: Settings) -> Found:
    """Return what *part* holds."""
    gathered = _Gathered(settings, of_lines=part.split and part.source == "text")
    try:
        with Path(part.path).open("rb") as file:
            if not part.split:
                return _read_whole(_Named(file, part.name), part, gathered)
            return (_read_lines if part.source == "text" else _read_messages)(file, part, gathered)
    except OSError as error:
        return gathered.found()._replace(error=error)
    except Exception as error:  # noqa: BLE001 -- MemoryError above all: the others go on
        return Found([], [], [], [], failed=repr(error))


class _Named:
    """A file under the name that was asked for; behind the next *left* bytes little is read at a time."""

    def __init__(self, file: BinaryIO, name: str, left: int = sys.maxsize) -> None:
        self._file = file
        self.name = name
        self._left = left

    def read(self, size: int, /) -> bytes:
        data = self._file.read(min(size, max(self._left, MAX_LINE)))
        self._left -= len(data)
        return data


def _read_whole(file: _Named, part: Part, gathered: _Gathered) -> Found:
    profile, join, *_ = gathered.settings
    for match in urls_of(
        iter_texts(file, part.source, sign=signs),
        profile=profile,
        join=join,
        rejected=gathered.tell,
        seen=gathered.seen,
    ):
        gathered.take(match)
    return gathered.found()


def _read_messages(file: BinaryIO, part: Part, gathered: _Gathered) -> Found:
    file.seek(part.at)
    window = MboxWindow(_Named(file, part.name, part.stop - part.at), part.at)
    profile, join, *_ = gathered.settings
    texts = chain.from_iterable(texts for _, texts in messages(window, part.name, part.stop, signs))
    for match in urls_of(texts, profile=profile, join=join, rejected=gathered.tell, seen=gathered.seen):
        gathered.take(match)
    return gathered.found()._replace(reach=window.offset, lines=window.line - 1, messages=window.number)


class _PartScanner(Scanner):
    """Scans from a part's start on; what stands before it is decided."""

    def __init__(self, part: Part, before: bytes, gathered: _Gathered) -> None:
        profile, join, *_ = gathered.settings
        origin = Origin(part.name)
        super().__init__(profile=profile, join=join, rejected=gathered.tell, origin=origin, seen=gathered.seen)
        self._binary = True
        self._taken = part.taken
        self._candidates = self.candidates = CandidateScanner(
            binary=True,
            ascii_only=self._ascii_only,
            quick=profile is WEB,
            offset=part.context,
            line=1 - line_ends(before, 0, len(before)),
            decided=part.at - part.context,
            stop=part.stop,
        )


def _read_lines(file: BinaryIO, part: Part, gathered: _Gathered) -> Found:
    file.seek(part.context)
    before = file.read(part.at - part.context)
    scanner = _PartScanner(part, before, gathered)
    taken = part.taken
    for match in _scanned(file, scanner, before, part):
        gathered.take(match)
        taken = match.end
    candidates = scanner.candidates
    # Nothing asks how far the last part of a file reached.
    reach = part.at if part.stop == sys.maxsize else max(part.stop, candidates.position)
    return gathered.found()._replace(
        reach=reach,
        taken=taken,
        first=min(gathered.first, min((candidate.start for candidate in gathered.rejected), default=sys.maxsize)),
        lines=_line_at(file, reach, *candidates.counted) - 1,
    )


def _scanned(file: BinaryIO, scanner: _PartScanner, before: bytes, part: Part) -> Iterator[URLMatch]:
    yield from scanner.feed(before)
    left = part.stop - part.at
    while scanner.candidates.position < part.stop:
        # Behind the part's end only as much is read as its last candidates look ahead.
        data = file.read(min(CHUNK_SIZE, max(left, 2 * LOOKAHEAD)))
        left -= len(data)
        if not data:
            yield from scanner.close()
            return
        yield from scanner.feed(data)


def _line_at(file: BinaryIO, place: int, counted: int, line: int) -> int:
    """Return the line of the offset *place*; that of the offset *counted*, which is near, is *line*."""
    start, stop = sorted((place, counted))
    file.seek(start)
    # One more, to see what a CR at the end is followed by.
    ends = line_ends(file.read(stop - start + 1), 0, stop - start)
    return line + ends if counted < place else line - ends
