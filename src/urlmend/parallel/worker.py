"""Reading one split of a file, in any process."""

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from urlmend.match import URLMatch
from urlmend.parallel.files import Named, read_files
from urlmend.parallel.recorder import NOTHING, Asked, Found, Recorder
from urlmend.parallel.splits import Split
from urlmend.scan import ordinary
from urlmend.scan.candidates import Stretch
from urlmend.scanner import StreamScanner, match_batches
from urlmend.sources import Origin
from urlmend.sources.octets.offsets import line_ends
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.text.limits import LOOKAHEAD


def read(split: Split, asked: Asked) -> Iterator[Found]:
    """Yield what *split* holds: in pieces, where it is no split of a file."""
    if not split.is_split:
        yield from read_files(split, asked)
        return
    recorder = Recorder(asked, of_split=True, of_lines=split.source == "text")
    try:
        with Path(split.path).open("rb") as file:
            yield (_read_lines if split.source == "text" else _read_messages)(file, split, recorder)
    except OSError as error:
        yield recorder.found()._replace(error=error)
    except Exception as error:  # noqa: BLE001 -- MemoryError above all: the others go on
        yield NOTHING._replace(failed=repr(error))


def _read_messages(file: BinaryIO, split: Split, recorder: Recorder) -> Found:
    from urlmend.sources.mbox import messages, opened  # noqa: PLC0415 -- plain text needs nothing of mail
    from urlmend.sources.mbox.reader import Position  # noqa: PLC0415 -- as above

    file.seek(split.at)
    marks = recorder.asked.marks
    beginning = Position(marks.messages + 1, split.at, marks.lines + 1)
    reader = opened(Named(file, split.name, split.stop - split.at), beginning)
    prefilter = ordinary.prefilter(recorder.asked.forms, places=recorder.asked.places)
    texts = chain.from_iterable(texts for _, texts in messages(reader, split.name, split.stop, prefilter))
    recorder.record(match_batches(texts, recorder.settings, recorder, places=recorder.asked.places))
    lines, numbers = reader.line - 1 - marks.lines, reader.number - marks.messages
    return recorder.found()._replace(reach=reader.offset, lines=lines, messages=numbers)


def _read_lines(file: BinaryIO, split: Split, recorder: Recorder) -> Found:
    file.seek(split.context)
    before = file.read(split.at - split.context)
    first = recorder.asked.marks.lines + 1
    line = first - line_ends(before, 0, len(before))
    stretch = Stretch(split.context, line, split.at, split.stop)
    scanner = StreamScanner(recorder.settings, recorder, Origin(split.name), stretch, binary=True)
    scanner.last_end = split.last_end
    recorder.record(_scanned(file, scanner, before, split))
    candidates = scanner.candidates
    # Nothing asks how far the last split of a file reached.
    reach = split.at if split.stop == sys.maxsize else max(split.stop, candidates.position)
    return recorder.found()._replace(
        reach=reach,
        last_end=max(split.last_end, recorder.last_end),
        first=min(recorder.first, min((candidate.start for candidate in recorder.rejected), default=sys.maxsize)),
        lines=_line_at(file, reach, candidates.lines.counted, candidates.lines.line) - first,
    )


def _scanned(file: BinaryIO, scanner: StreamScanner, before: bytes, split: Split) -> Iterator[list[URLMatch]]:
    yield scanner.feed(before)
    left = split.stop - split.at
    while scanner.candidates.position < split.stop:
        # Behind the split's end only as much is read as its last candidates look ahead.
        data = file.read(min(CHUNK_SIZE, max(left, 2 * LOOKAHEAD)))
        left -= len(data)
        if not data:
            yield scanner.close()
            return
        yield scanner.feed(data)


def _line_at(file: BinaryIO, place: int, counted: int, line: int) -> int:
    """Return the line of the offset *place*; that of the offset *counted*, which is near, is *line*."""
    start, stop = sorted((place, counted))
    file.seek(start)
    # One more, to see what a CR at the end is followed by.
    ends = line_ends(file.read(stop - start + 1), 0, stop - start)
    return line + ends if counted < place else line - ends
