"""Reading one part of a file, in any process, and what is handed back of it.

Handing a match over costs 16 µs as a pickle, a third of what finding it costs. A plain URL goes as a row of marshalled
values instead, which takes 3 µs.
"""

import marshal
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from urlmend.extract import Join, Scanner, urls_of
from urlmend.grammar.profiles import WEB, Profile
from urlmend.match import Rejected, URLMatch
from urlmend.mend.history import WINDOW, History
from urlmend.parallel.splits import Part
from urlmend.scan.candidates import CandidateScanner
from urlmend.scan.delimiters import LOOKAHEAD
from urlmend.scan.glance import Glance
from urlmend.sources import Origin, SourceError, iter_texts
from urlmend.sources.offsets import line_ends
from urlmend.sources.reader import CHUNK_SIZE, MAX_LINE

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

    def glance(self) -> Glance:
        """Return what URLs are looked for by."""
        return Glance(self.profile, places=self.rejected or not self.urls_only)


class PartError(SourceError):
    """Part of the file called *name* was not read, for a *reason* that is not in the file: a process died of it."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.strerror = reason


class Found(NamedTuple):
    """What a part holds. Lines count from that of `Part.at`, from 1, and messages from 1.

    Each row is the index of one of *others*, with the match's start and end in its text; or a URL that stands in one
    piece: its values for `whole`, the index of its origin, its start in its text and whether it is plain; or, where no
    more is asked, the texts of plain URLs, one a line, that decide nothing about the others. Candidates are read, if
    the part is split, up to *reach*, which is *lines* lines and *messages* messages behind its start; the last match
    ends at *taken*, the first candidate starts at *first*. *error* is what ended the file; *failed* tells what is not
    the file's fault.
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


class _Held(NamedTuple):
    """A match, where it stood in its text before it was put in its place in the file, and whether it is a plain URL."""

    match: URLMatch
    start: int
    end: int
    plain: bool


class Recorder(History):
    """Takes the matches as they come, decides nothing, and makes `Found` of them."""

    def __init__(self, settings: Settings, *, of_lines: bool) -> None:
        self.settings = settings
        self._of_lines = of_lines
        self._origin: Origin | None = None
        self._near = 0  # up to here in its text, an ambiguous URL may ask where a match stands
        self.first = sys.maxsize
        self.taken = 0
        self.rejected: list[Rejected] = []
        self.tell: Callable[[Rejected], object] | None = self.rejected.append if settings.rejected else None
        self._ready: list[URLMatch] = []
        self._held: list[_Held | str] = []
        self._blobs: list[bytes] = []
        self._others: list[tuple[URLMatch, int, int]] = []
        self._numbers: dict[int, int] = {}
        self._origins: list[Origin] = []

    def add_plain(self, matches: list[URLMatch]) -> None:
        if not matches:
            return
        self._reach(matches[0])
        if self.settings.urls_only and matches[0].start > self._near:
            self.taken = matches[-1].end
            self._held.append("\n".join([match.url for match in matches]))
        else:
            for match in matches:
                self.add(match, plain=True)

    def add(self, match: URLMatch, *, plain: bool = False) -> None:
        self._reach(match)
        self.taken = match.end
        if match.ambiguous:
            self._near = match.end + WINDOW
        self._held.append(_Held(match, match.start, match.end, plain))
        self._ready.append(match)

    def decided(self, position: int | None = None) -> list[URLMatch]:  # noqa: ARG002 -- as in History
        ready, self._ready = self._ready, []
        return ready

    def _reach(self, match: URLMatch) -> None:
        """Note that *match* comes next."""
        if match.origin is not self._origin:
            self._origin = match.origin
            self.first = min(self.first, match.start)
            # The part before may end with an ambiguous URL.
            self._near = match.start + WINDOW if self._of_lines else -1

    def take(self, matches: Iterator[URLMatch]) -> None:
        """Have *matches* found; what is given out is in its place."""
        for _ in matches:
            if len(self._held) >= _ROWS:
                self._pack()

    def found(self) -> Found:
        """Return what was taken."""
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
        self._blobs.append(marshal.dumps([self._row(held) for held in self._held], 2))
        self._held = []

    def _row(self, held: _Held | str) -> object:
        if isinstance(held, str):
            return held
        m, start, end, plain = held
        as_it_is = m.exact and m.end - m.start == end - start == len(m.url) and len(m.readings) == 1
        if m.parsed or not as_it_is:
            self._others.append((m, start, end))
            return len(self._others) - 1
        return m.url, m.start, m.line, m.column, m.form, m.trimmed, m.left, self._number(m.origin), start, plain


def read(part: Part, settings: Settings) -> Found:
    """Return what *part* holds."""
    gathered = Recorder(settings, of_lines=part.split and part.source == "text")
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


def _read_whole(file: _Named, part: Part, gathered: Recorder) -> Found:
    profile, join, *_ = gathered.settings
    glance = gathered.settings.glance()
    texts = iter_texts(file, part.source, sign=glance)
    gathered.take(urls_of(texts, profile=profile, join=join, rejected=gathered.tell, history=gathered, glance=glance))
    return gathered.found()


def _read_messages(file: BinaryIO, part: Part, gathered: Recorder) -> Found:
    from urlmend.sources.mbox import messages  # noqa: PLC0415 -- plain text needs nothing of mail
    from urlmend.sources.mbox_reader import MboxReader  # noqa: PLC0415 -- as above

    file.seek(part.at)
    window = MboxReader(_Named(file, part.name, part.stop - part.at), part.at)
    profile, join, *_ = gathered.settings
    glance = gathered.settings.glance()
    texts = chain.from_iterable(texts for _, texts in messages(window, part.name, part.stop, glance))
    gathered.take(urls_of(texts, profile=profile, join=join, rejected=gathered.tell, history=gathered, glance=glance))
    return gathered.found()._replace(reach=window.offset, lines=window.line - 1, messages=window.number)


class _PartScanner(Scanner):
    """Scans from a part's start on; what stands before it is decided."""

    def __init__(self, part: Part, before: bytes, gathered: Recorder) -> None:
        profile, join, *_ = gathered.settings
        origin = Origin(part.name)
        super().__init__(profile=profile, join=join, rejected=gathered.tell, origin=origin, history=gathered)
        self._binary = True
        self._taken = part.taken
        self._candidates = self.candidates = CandidateScanner(
            binary=True,
            ascii_only=self._ascii_only,
            origin=origin if profile is WEB else None,
            offset=part.context,
            line=1 - line_ends(before, 0, len(before)),
            decided=part.at - part.context,
            stop=part.stop,
        )


def _read_lines(file: BinaryIO, part: Part, gathered: Recorder) -> Found:
    file.seek(part.context)
    before = file.read(part.at - part.context)
    scanner = _PartScanner(part, before, gathered)
    gathered.take(_scanned(file, scanner, before, part))
    candidates = scanner.candidates
    # Nothing asks how far the last part of a file reached.
    reach = part.at if part.stop == sys.maxsize else max(part.stop, candidates.position)
    return gathered.found()._replace(
        reach=reach,
        taken=max(part.taken, gathered.taken),
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
