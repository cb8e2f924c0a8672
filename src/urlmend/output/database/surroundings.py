"""The text around a URL that a line break tore: people judge its readings by it."""

from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from urlmend.match import URLMatch
from urlmend.mend.history import History
from urlmend.sources import Origin, Text

AROUND = 200
"""How many bytes or characters on either side of a URL, in its own lines, are kept."""

HELD = 1 << 18
"""How many of the bytes or characters read last are remembered. A match is given out before so many stand behind it."""

_CONTINUING = bytes(range(0x80, 0xC0))
"""The bytes that begin no character in UTF-8."""


class Surroundings(History):
    """Remembers of a stream what `History` does, and the text around its broken URLs.

    Read the stream's texts by way of `texts`, with this as the `history`. Ask for the text `around` each match as it
    comes.
    """

    def __init__(self, before: Callable[[], tuple[Iterable[str], Iterable[str]]] | None = None) -> None:
        super().__init__(before)
        self._spans: deque[tuple[int, int]] = deque()  # where the broken ones stand in their texts
        # The text that is read, and the one before it: the last matches of that are given out later.
        self._held: deque[_Held] = deque(maxlen=2)

    def decided(self, position: int | None = None) -> list[URLMatch]:
        """Return the matches that are decided, as `History` does; their places are still those in their texts."""
        matches = super().decided(position)
        self._spans.extend((match.start, match.end) for match in matches if match.mended)
        return matches

    def texts(self, texts: Iterable[Text]) -> Iterator[Text]:
        """Yield *texts*, each piece of a text when AROUND more of that text are known, or its end."""
        ahead: deque[Text] = deque()
        error = None
        try:
            for text in texts:
                if ahead and ahead[0].origin is not text.origin:
                    yield from ahead
                    ahead.clear()
                if not (self._held and self._held[-1].origin is text.origin):
                    self._held.append(_Held(text))
                held = self._held[-1]
                held.add(text.data)
                ahead.append(text)
                while ahead and (ahead[0].whole or held.ahead - len(ahead[0].data) >= AROUND):
                    yield ahead[0]
                    held.ahead -= len(ahead.popleft().data)
                    held.trim()
        except OSError as broken:
            error = broken
        yield from ahead
        if error is not None:
            raise error

    def around(self, match: URLMatch) -> tuple[str, str] | None:
        """Return what stands before and behind *match* in the lines it begins and ends in; `None` if it is whole."""
        if not match.mended:
            return None
        start, end = self._spans.popleft()
        held = next(held for held in self._held if held.origin is match.origin)
        before = held.stretch(max(held.start, start - AROUND), start).replace("\r", "\n").rpartition("\n")[2]
        after = held.stretch(end, end + AROUND).replace("\r", "\n").partition("\n")[0]
        return before, after


class _Held:
    """The latest pieces of a text, each with its place in it. The last *ahead* of the text are not given out yet."""

    def __init__(self, first: Text) -> None:
        self.origin: Origin = first.origin
        self.start = self._end = first.offset
        self.ahead = 0
        self._pieces: deque[tuple[int, bytes | str]] = deque()

    def add(self, data: bytes | str) -> None:
        self._pieces.append((self._end, data))
        self._end += len(data)
        self.ahead += len(data)

    def trim(self) -> None:
        """Forget the pieces that end more than HELD before what is not given out."""
        while self._pieces[0][0] + len(self._pieces[0][1]) < self._end - self.ahead - HELD:
            self._pieces.popleft()

    def stretch(self, start: int, end: int) -> str:
        found: list[Any] = [data[max(0, start - at) : max(0, end - at)] for at, data in self._pieces]
        if isinstance(found[0], str):
            return "".join(found)
        # A character cut at either end is left out.
        return getincrementaldecoder("utf-8")("replace").decode(b"".join(found).lstrip(_CONTINUING))
