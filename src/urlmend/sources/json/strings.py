"""The strings of a JSON value: the path of each, and where it stands in the file."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from urlmend.sources.octets.offsets import Places, Segment
from urlmend.sources.octets.steps import DecodingStep, Encoded, Removed
from urlmend.sources.origin import Origin, Prefilter, Text

_STRING = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.DOTALL)


class Source(NamedTuple):
    """JSON as it stands in a file: *data* begins at *offset*, in bytes from 0, and at the start of *line*, from 1."""

    data: bytes
    offset: int
    line: int


def strings(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 -- any JSON value
    """Yield the path and the text of each string in *value*, keys too, in order.

    The path is a JSON pointer (RFC 6901): `/posts/0/body`. A key has that of its value.
    """
    # Without recursion: what is nested deep is no error.
    waiting: list[Any] = [iter((("", value),))]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            continue
        path, one = found
        if isinstance(one, str):
            yield path, one
        elif isinstance(one, list):
            waiting.append(_items(path, one))
        elif isinstance(one, dict):
            waiting.append(_members(path, one))


def _items(path: str, array: list[Any]) -> Iterator[tuple[str, Any]]:
    for number, item in enumerate(array):
        yield f"{path}/{number}", item


def _members(path: str, members: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, member in members.items():
        below = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
        yield below, key
        yield below, member


def texts_of(
    value: Any,  # noqa: ANN401 -- any JSON value
    source: Source,
    origin: Callable[[str], Origin],
    prefilter: Prefilter | None,
) -> Iterator[Text]:
    """Yield the strings of *value*, which was read from *source*; *origin* makes the origin of a path.

    With *prefilter*, those are left out in which it finds nothing.
    """
    finder = _Finder(source)
    for path, text in strings(value):
        if not text or (prefilter and next(iter(prefilter.search(text.encode("utf-8", "replace"))), None) is None):
            continue
        yield Text(text, origin(path), places=finder.places(text), whole=True)


class _Finder:
    """Finds strings in *source*, in their order. Each byte is looked at a bounded number of times."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._pos = 0  # behind the string that was found last
        self._lost = False  # one was not found: of two with the same key, only the last is known
        self._places = Places()

    def places(self, text: str) -> Places:
        """Return the places of *text*: its own where it stands there as it is, else the line that it is in."""
        data, offset, line = self._source
        start, end, literal = self._find(text)
        places = Places(beside=self._places)
        steps: tuple[DecodingStep, ...] = (_Within(start, end),)
        if literal:
            steps = (Removed([0], [start]),)
            if not text.isascii():
                steps += (Encoded(data[start:end], text, "utf-8"),)
        places.add(len(text), Segment(data, offset, line, steps))
        return places

    def _find(self, text: str) -> tuple[int, int, bool]:
        """Return where *text* starts and ends in the data, or the string that means it, and whether it is the same."""
        data = self._source.data
        octets = text.encode("utf-8", "surrogatepass")
        if not self._lost:
            for found in _STRING.finditer(data, self._pos):
                start, end = found.span(1)
                if found[1] == octets and b"\\" not in octets:
                    self._pos = found.end()
                    return start, end, True
                if b"\\" in found[1] and _means(found[0], text):
                    self._pos = found.end()
                    return start, end, False
            self._lost = True
        return 0, max(1, len(data)), False


def _means(literal: bytes, text: str) -> bool:
    try:
        return bool(json.loads(literal) == text)
    except ValueError:
        return False


class _Within:
    """A step that tells of each of its characters only in what it is: from *start* to *end*."""

    def __init__(self, start: int, end: int) -> None:
        self._span = start, max(start + 1, end)

    def to_source(self, start: int, end: int) -> tuple[int, int, bool]:  # noqa: ARG002 -- a step is asked so
        return *self._span, False
