"""Scan every family of hostile texts at two sizes; fail where one is slow, grows faster than its text, or is greedy.

usage: python -m benchmarks.hostile [--size 500kB] [NAME…], from the root of a checkout

For each family: MB/s, t(2n)/t(n) and µs per URL, by the process's CPU time, best of several; the peak memory of a child
that scans 2n, made as it is read; the number of URLs, which must be right. n is `--size`, doubled until a pass takes a
tenth of a second. NAME is a part of a family's name. Exit status 1 and a word at the line's end where t(2n)/t(n) is
above 2.2, a family is slower than 5 MB/s, or the memory is above 60 MB.
"""

import argparse
import gc
import subprocess
import sys
from io import BytesIO
from math import inf
from pathlib import Path
from time import process_time
from typing import NamedTuple

from benchmarks.environment import peak_memory
from benchmarks.hostile.families import FAMILIES, Family, Stream
from corpora.generate import parse_size

from urlmend import iter_urls
from urlmend.extract import Readable

STEEPEST = 2.2
SLOWEST = 5.0
GREEDIEST = 60.0
ENOUGH = 0.1
"""A pass shorter than this, in seconds, says nothing: n is doubled."""
LONGEST = 1 << 26
LEAST_ROUNDS = 2
MOST_ROUNDS = 12
"""Rounds go on while there is a fault: what else runs on the machine makes a pass longer, never shorter."""


def count(file: Readable) -> int:
    """Return the number of URLs in *file*, keeping none."""
    return sum(1 for _ in iter_urls(file, source="text"))


class Text(NamedTuple):
    """A family's text, and how many URLs are in it, if that is anybody's business."""

    data: bytes
    urls: int | None

    @classmethod
    def of(cls, family: Family, size: int) -> "Text":
        """Make the text of *family* of *size* bytes, about."""
        pieces = list(family.pieces(size))
        urls = None if family.any_number else sum(piece.urls for piece in pieces)
        return cls(b"".join(piece.data for piece in pieces), urls)

    def seconds(self) -> float:
        """Return the CPU time of one pass."""
        gc.collect()
        start = process_time()
        found = count(BytesIO(self.data))
        spent = process_time() - start
        assert self.urls in {None, found}, f"{found} URLs, not {self.urls}"
        return spent


def memory(name: str, size: int) -> float:
    """Return the peak memory, in MB, of a process that scans *size* bytes of the family *name*."""
    command = [sys.executable, "-m", "benchmarks.hostile", "--memory", "--size", str(size), name]
    root = Path(__file__).parents[2]
    return float(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def judge(name: str, size: int) -> bool:
    """Print the line of the family *name*; tell whether it is within all limits."""
    family = FAMILIES[name]
    size *= family.times
    while (text := Text.of(family, size)).seconds() < ENOUGH and size < LONGEST:
        size *= 2
    longer = Text.of(family, 2 * size)
    once = twice = inf
    ratio = rate = 0.0
    for done in range(1, MOST_ROUNDS + 1):
        # In turn, so that a busy minute is not one text's alone.
        once, twice = min(once, text.seconds()), min(twice, longer.seconds())
        # Texts are made of whole pieces: twice the size is not twice the bytes.
        ratio = twice / once * (2 * len(text.data) / len(longer.data))
        rate = len(longer.data) / twice / 1e6
        if done >= LEAST_ROUNDS and ratio <= STEEPEST and rate >= SLOWEST:
            break
    urls = count(BytesIO(longer.data)) if longer.urls is None else longer.urls
    megabytes = memory(name, 2 * size)
    faults = [
        word
        for word, fault in (("STEEP", ratio > STEEPEST), ("SLOW", rate < SLOWEST), ("GREEDY", megabytes > GREEDIEST))
        if fault
    ]
    each = f"{twice / urls * 1e6:.1f}" if urls else ""
    figures = f"{len(longer.data) / 1e6:8.1f} {rate:8.1f} {ratio:9.2f} {megabytes:7.1f} {urls:8} {each:>9}"
    print(f"{name:36} {figures}  {' '.join(faults)}".rstrip(), flush=True)
    return not faults


def main() -> int:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=parse_size, default=parse_size("500kB"), help="n (default: 500kB)")
    parser.add_argument("--memory", action="store_true", help="print the peak memory for the one family, in MB")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.memory:
        family = FAMILIES[options.names[0]]
        count(Stream(family.pieces(options.size)))
        print(peak_memory())
        return 0
    names = [name for name in FAMILIES if not options.names or any(part in name for part in options.names)]
    print(f"{'family':36} {'MB (2n)':>8} {'MB/s':>8} {'t(2n)/t(n)':>9} {'peak MB':>6} {'URLs':>8} {'µs per URL':>9}")
    faulty = [name for name in names if not judge(name, options.size)]
    print(f"{len(names) - len(faulty)} of {len(names)} within their limits")
    return int(bool(faulty) or not names)


if __name__ == "__main__":
    sys.exit(main())
