"""What a text costs: CPU time at three sizes, and how it grows.

Times are CPU times of this process: what `re`, `email` and the HTML parser do inside counts as well.
"""

import gc
import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from time import process_time
from typing import NamedTuple

from urlmend import iter_urls
from urlmend.sources import Readable

LONGEST_PASS = 20.0
"""A pass that takes more CPU seconds than this is broken off: the text is as slow as that."""


ORDINARY = b"http://a.example/b\n" * 1000
"""The text that all others are compared with, measured in the same run: a busy machine gives the same verdict."""


class Cost(NamedTuple):
    """What a text costs: its sizes, in bytes, the least seconds for each, and the number of URLs in the longest.

    `ordinary` is the number of seconds for a byte of ORDINARY.
    """

    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    urls: int
    ordinary: float

    @property
    def times(self) -> float:
        """How many times as much as ORDINARY the longest costs, for each byte."""
        return self.seconds[-1] / self.sizes[-1] / self.ordinary

    @property
    def slope(self) -> float:
        """How the time grows: with the size to this power, by the least squares of the logarithms."""
        points = [(math.log(size), math.log(spent)) for size, spent in zip(self.sizes, self.seconds, strict=True)]
        mean_x = sum(x for x, _ in points) / len(points)
        mean_y = sum(y for _, y in points) / len(points)
        spread = sum((x - mean_x) ** 2 for x, _ in points)
        return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 1.0


class Limits(NamedTuple):
    """What is a fault: a slope, a cost in times that of ordinary text; and how much is measured to say so."""

    steepest: float
    most: float
    enough: float
    """A longest pass shorter than this, in seconds, says nothing of the slope."""
    rounds: int
    """While there is a fault, so many rounds: what else runs on the machine makes a pass longer, never shorter."""

    def faults(self, cost: Cost) -> list[str]:
        """Return a word for each fault of *cost*."""
        steep = cost.slope > self.steepest and cost.seconds[-1] >= self.enough
        return ["STEEP"] * steep + ["SLOW"] * (cost.times > self.most)


class TooSlow(Exception):  # noqa: N818 -- it is caught where it is raised for
    """A pass took more than LONGEST_PASS."""


def _too_slow(*_: object) -> None:
    raise TooSlow


@contextmanager
def _limited() -> Iterator[None]:
    before = signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_PASS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


FORMS = " + forms"


def scan(file: Readable, source: str) -> int:
    """Return the number of URLs in *file*, each asked for what it is asked for in records, and keep none.

    Behind a *source* may stand FORMS: hosts without a scheme and addresses are looked for, too.
    """
    count = 0
    on_request = source.endswith(FORMS)
    source = source.removesuffix(FORMS)
    for match in iter_urls(file, source=source, schemeless=on_request, addresses=on_request):
        count += 1
        origin = match.origin
        if origin is not None:
            _ = origin.date, origin.message_id, origin.subject, origin.charset
    return count


def seconds(data: bytes, source: str) -> tuple[float, int]:
    """Return the CPU time of one pass over *data*, and the number of URLs in it."""
    gc.collect()
    start = process_time()
    urls = -1
    try:
        with _limited():
            urls = scan(BytesIO(data), source)
    except TooSlow:
        pass
    return max(process_time() - start, 1e-6), urls


def ordinary() -> float:
    """Return the seconds of CPU time for a byte of ORDINARY."""
    return min(seconds(ORDINARY, "text")[0] for _ in range(3)) / len(ORDINARY)


def cost(make: Callable[[int], bytes], source: str, size: int, limits: Limits) -> Cost:
    """Return what the text that *make* makes of a size costs, at *size* and at twice and four times as much.

    The size is doubled until the longest pass takes long enough. What is steep is measured at larger sizes too: one
    that is read in another way from some size on has a step there, and what grows too fast goes on growing.
    """
    first = _cost(make, source, size, limits._replace(rounds=_FEW_ROUNDS))
    faults = limits.faults(first)
    if not faults:
        return first
    if "STEEP" not in faults or first.seconds[-1] >= _SHORT_PASS or first.sizes[-1] >= _LONGEST:
        return _cost(make, source, size, limits)
    # The step may be right before the largest size.
    asked = next(size << power for power in range(40) if size << power >= first.sizes[-1])
    return min(first, _cost(make, source, asked, limits), key=lambda one: one.slope)


def _cost(make: Callable[[int], bytes], source: str, size: int, limits: Limits) -> Cost:
    while True:
        data = [make(size << power) for power in range(3)]
        sizes = tuple(len(one) for one in data)
        least, urls = zip(*(seconds(one, source) for one in data), strict=True)
        # Where the shortest takes no time, another road begins at some size: that is no growth.
        measurable = least[-1] >= limits.enough and least[0] >= limits.enough / _SHARE
        if measurable or least[-1] >= LONGEST_PASS or sizes[-1] >= _LONGEST or sizes[-1] <= sizes[0]:
            break
        size *= 2
    result = Cost(sizes, least, urls[-1], ordinary())
    for _ in range(limits.rounds):
        if not limits.faults(result) or least[-1] >= LONGEST_PASS:
            break
        # In turn, so that a busy minute is not one text's alone.
        least = tuple(min(known, seconds(one, source)[0]) for known, one in zip(least, data, strict=True))
        # On a busy machine the least time of the text and the most of ordinary lines are the fairest.
        result = Cost(sizes, least, urls[-1], max(result.ordinary, ordinary()))
    return result


_FEW_ROUNDS = 3  # of what is measured again where it seems to be a fault
_LONGEST = 1 << 26
_SHORT_PASS = 0.5  # seconds: a longer one is measured at no larger sizes
_SHARE = 40  # of what the longest takes, at least, the shortest is to take one part
