"""Reading a whole file, the members of a container, or a range of them, in any process."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from urlmend.parallel.recorder import NOTHING, Asked, Found, Recorder
from urlmend.parallel.splits import Split
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import iter_texts
from urlmend.sources.compression import Peeked
from urlmend.sources.containers.bounds import Expansion
from urlmend.sources.containers.members import PassedOver, Telling, Walk
from urlmend.sources.directories import opened_path
from urlmend.sources.reader import CHUNK_SIZE, MAX_LINE


class Named:
    """A file under the name that was asked for; behind the next *left* bytes little is read at a time."""

    def __init__(self, file: Any, name: str, left: int = sys.maxsize) -> None:  # noqa: ANN401 -- any object with read(n)
        self._file = file
        self.name = name
        self._left = left
        self.taken = 0

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes."""
        data: bytes = self._file.read(min(size, max(self._left, MAX_LINE)))
        self._left -= len(data)
        self.taken += len(data)
        return data

    def go_to(self, place: int) -> int:
        """Read on at *place*, and take it that all before is taken; return it."""
        self._file.seek(place)
        self.taken = place
        return place

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        number: int = self._file.fileno()
        return number

    def note(self, size: int) -> None:
        """Take note that *size* more bytes were read by the descriptor."""
        self.taken += size


def read_files(split: Split, asked: Asked) -> Iterator[Found]:
    """Yield what is in the file of *split*, or in the range of it: piece by piece, member by member."""
    last = None
    for found in _Files(split, asked).pieces():
        if last is not None:
            yield last._replace(more=True)
        last = found
    yield NOTHING if last is None else last


class _Files:
    """The files in what *split* names."""

    def __init__(self, split: Split, asked: Asked) -> None:
        self._split = split
        self._asked = asked
        self._prefilter = ordinary.prefilter(asked.forms, places=asked.places)
        self._told: list[PassedOver] = []
        self._file: Named | None = None
        self._expansion: Expansion | None = None
        self._taken = 0  # what was taken of the file is told so far

    def pieces(self) -> Iterator[Found]:
        """Yield what they hold, in pieces."""
        name = self._split.name
        try:
            with _opened(self._split) as binary:
                self._file = Named(binary, name)
                telling = Telling(name, self._told.append)
                for member in self._members(self._file, telling):
                    for found in self._of_member(member):
                        yield self._noted(found)
                telling.end()
        except OSError as error:
            yield self._noted(NOTHING._replace(begins=name, error=error))
        except Exception as error:  # noqa: BLE001 -- MemoryError above all: the others go on
            yield self._noted(NOTHING._replace(begins=name, failed=repr(error)))
        if self._told or self._taken < self._all_taken():
            yield self._noted(NOTHING)

    def _members(self, named: Named, telling: Telling) -> Iterator[Peeked]:
        split, as_text = self._split, self._asked.as_text
        if split.tar is not None:
            self._taken = named.go_to(split.tar.start)
            # Who reads it from its beginning has looked at so much of it first.
            looked_at = min(CHUNK_SIZE, os.fstat(named.fileno()).st_size)
            self._expansion = Expansion(named, looked_at, split.before)
            return Walk(split.source, telling, self._expansion, as_text=as_text).tar(named, split.tar)
        if split.entries is None:
            file = Peeked(named)
            self._expansion = Expansion(file)
            return Walk(split.source, telling, self._expansion, as_text=as_text).files(file, 0)
        from urlmend.sources.containers.zip_directory import on_disk  # noqa: PLC0415 -- few files are one

        packed = on_disk(named.fileno(), named.note)
        self._expansion = Expansion(None, packed.size, split.before)
        walk = Walk(split.source, telling, self._expansion, as_text=as_text)
        return walk.entries(named.name, packed, split.entries)

    def _of_member(self, member: Peeked) -> Iterator[Found]:
        recorder = Recorder(self._asked)
        begins = member.name
        try:
            texts = iter_texts(member, self._split.source, prefilter=self._prefilter)
            batches = match_batches(texts, recorder.settings, places=self._asked.places)
            for found in recorder.pieces(batches, self._all_taken):
                yield found._replace(begins=begins)
                begins = None
            last = recorder.found()
        except OSError as error:
            last = recorder.found()._replace(error=error)
        except Exception as error:  # noqa: BLE001 -- as above
            last = NOTHING._replace(failed=repr(error))
        yield last._replace(begins=begins)

    def _all_taken(self) -> int:
        return 0 if self._file is None else self._file.taken

    def _noted(self, found: Found) -> Found:
        told, taken = tuple(self._told), self._all_taken()
        noted = found._replace(told=told, taken=taken - self._taken)
        if self._expansion is not None:
            out = self._expansion.total - self._split.before
            noted = noted._replace(out=out, passed=self._expansion.passed)
        self._told.clear()
        self._taken = taken
        return noted


def _opened(split: Split) -> AbstractContextManager[Any]:
    if split.messages is None:
        return opened_path(split.path)
    from urlmend.sources.public_inbox.inbox import Inbox  # noqa: PLC0415 -- few files are one

    return Inbox(split.path, only=split.messages)
