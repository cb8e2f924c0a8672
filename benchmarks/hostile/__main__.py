"""Scan hostile texts and mail at three sizes; fail where one is slow, grows faster than its size, or is greedy.

usage: python -m benchmarks.hostile [--short] [--size 125kB] [NAME…], from the root of a checkout
       python -m benchmarks.hostile --compositions N [--seed S]

For each family: how many times as much as lines of `http://a.example/b` in the same run it costs, the slope (the time
grows with the size to this power) and µs per URL, by the process's CPU time, best of several; the peak memory of a
child that scans the largest; the number of URLs, which must be right where it is known. The sizes are n, 2n and 4n: n
is `--size`, doubled until a pass takes a tenth of a second. NAME is a part of a family's name. With `--compositions`,
random ones instead: those with a fault are printed, and the slowest.

Exit status 1 and a word at the line's end where a slope is above 1.25, a text costs more than 8 times as much as those
lines, anything else more than 12 times, or the memory is above 60 MB. `--short` is for every day: less of each, and a
slope above 1.6 or 4 times these costs is a fault.
"""

import argparse
import gc
import logging
import subprocess
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from benchmarks.environment import peak_memory
from benchmarks.hostile import documents, families, mail_families
from benchmarks.hostile.compositions import Composition
from benchmarks.hostile.cost import FORMS, Cost, Limits, cost, ordinary, scan, seconds
from corpora.generate import parse_size

FULL = Limits(steepest=1.25, most=12.0, enough=0.1, rounds=12)
SHORT = Limits(steepest=1.6, most=48.0, enough=0.02, rounds=12)
MOST_OF_TEXT = 8.0
MOST_ON_REQUEST = 80.0
GREEDIEST = 60.0
SHORT_COMPOSITIONS = 200
SCREEN = 10_000
"""Compositions are first measured at this size, in bytes, and at four times of it; what looks like a fault, at more."""
SCREEN_SLOPE = 1.15
LOOKED_AT = 0.015
"""A screened pass shorter than this, in seconds, is no fault."""


class Family(NamedTuple):
    """A kind of hostile text: what makes one of a size, how it is read, and what is known of it."""

    make: Callable[[int], bytes]
    source: str
    most: float
    urls: Callable[[int], int] | None = None
    times: int = 1


def _of_text(family: families.Family) -> Family:
    def make(size: int) -> bytes:
        return b"".join(piece.data for piece in family.pieces(size))

    def urls(size: int) -> int:
        return sum(piece.urls for piece in family.pieces(size))

    return Family(make, "text", MOST_OF_TEXT, None if family.any_number else urls, family.times)


def _of_documents(make: documents.Make) -> Family:
    unit = len(make(900)) / 900
    return Family(lambda size: make(max(1, round(size / unit))), "auto", FULL.most)


FAMILIES: Mapping[str, Family] = {
    **{name: _of_text(family) for name, family in families.FAMILIES.items()},
    **{
        f"forms: {name}": _of_text(family)._replace(source=f"text{FORMS}", most=MOST_ON_REQUEST)
        for name, family in families.ON_REQUEST.items()
    },
    **{f"mail: {name}": Family(make, "auto", FULL.most) for name, make in mail_families.FAMILIES.items()},
    **{f"documents: {name}": _of_documents(make) for name, make in documents.FAMILIES.items()},
}


def memory(name: str, size: int) -> float:
    """Return the peak memory, in MB, of a process that scans *size* bytes of the family *name*."""
    command = [sys.executable, "-m", "benchmarks.hostile", "--memory", "--size", str(size), name]
    root = Path(__file__).parents[2]
    return float(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def print_memory(name: str, size: int) -> None:
    """Scan the family *name* and print the peak memory beyond the text itself, which is held."""
    family = FAMILIES[name]
    if family.source == "text":
        scan(families.Stream(families.FAMILIES[name].pieces(size)), "text")
        print(peak_memory())
        return
    data = family.make(size)
    scan(BytesIO(data), family.source)
    print(peak_memory() - len(data) / 1e6)


def line(name: str, result: Cost, megabytes: float | None, faults: list[str]) -> str:
    """Return the line of a table."""
    each = f"{result.seconds[-1] / result.urls * 1e6:.1f}" if result.urls > 0 else ""
    peak = f"{megabytes:7.1f}" if megabytes is not None else " " * 7
    figures = f"{result.sizes[-1] / 1e6:8.2f} {result.times:8.2f} {result.slope:6.2f} {peak} {result.urls:8} {each:>9}"
    return f"{name:44} {figures}  {' '.join(faults)}".rstrip()


def judge(name: str, size: int, limits: Limits, *, greedy: bool) -> bool:
    """Print the line of the family *name*; return whether it is within all limits."""
    family = FAMILIES[name]
    limits = limits._replace(most=family.most * limits.most / FULL.most)
    result = cost(family.make, family.source, size * family.times, limits)
    faults = limits.faults(result)
    megabytes = memory(name, result.sizes[-1]) if greedy else None
    if megabytes is not None and megabytes > GREEDIEST:
        faults.append("GREEDY")
    if family.urls is not None:
        made = next(one for one in (size * family.times << power for power in range(40)) if one * 2 > result.sizes[-1])
        wanted = {family.urls(one) for one in (made // 2, made, made * 2)}
        if result.urls not in wanted:
            faults.append("WRONG")
    print(line(name, result, megabytes, faults), flush=True)
    return not faults


def judge_compositions(count: int, seed: str, limits: Limits) -> int:
    """Measure *count* compositions of *seed* and print those with a fault; return how many these are."""
    faulty = 0
    slowest = []
    usual = ordinary()
    for number in range(count):
        composition = Composition.of(seed, number)
        small, large = composition.text(SCREEN), composition.text(4 * SCREEN)
        seconds(small[:1000], "auto")
        first, _ = seconds(small, "auto")
        last, urls = seconds(large, "auto")
        screened = Cost((len(small), len(large)), (first, last), urls, usual)
        slowest.append((-screened.times, number))
        if last < LOOKED_AT or (screened.times < limits.most / 2 and screened.slope < SCREEN_SLOPE):
            continue
        result = cost(composition.text, "auto", SCREEN, limits)
        faults = limits.faults(result)
        if faults:
            faulty += 1
            print(line(f"{seed} {number} {composition.kind}", result, None, faults), repr(composition), flush=True)
    slowest.sort()
    for times, number in slowest[:5]:
        print(f"slowest: {-times:.1f} times  {seed} {number} {Composition.of(seed, number)!r}")
    print(f"{count - faulty} of {count} compositions within their limits")
    return faulty


def main() -> int:
    """Print a line for each family, or for each composition with a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=parse_size, default=parse_size("125kB"), help="n (default: 125kB)")
    parser.add_argument("--short", action="store_true", help="the form for every day")
    parser.add_argument("--compositions", type=int, metavar="N", help="random compositions instead of families")
    parser.add_argument("--seed", default="a", help="what compositions are made of (default: a)")
    parser.add_argument("--memory", action="store_true", help="print the peak memory for the one family, in MB")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.memory:
        print_memory(options.names[0], options.size)
        return 0
    logging.disable()  # what is skipped
    gc.freeze()  # each pass begins by collecting garbage, and what is imported is none
    limits = SHORT if options.short else FULL
    if options.compositions:
        return int(judge_compositions(options.compositions, options.seed, limits) > 0)
    size = options.size // 16 if options.short else options.size
    names = [name for name in FAMILIES if not options.names or any(part in name for part in options.names)]
    print(f"{'family':44} {'MB (4n)':>8} {'times':>8} {'slope':>6} {'peak MB':>7} {'URLs':>8} {'µs per URL':>9}")
    faulty = [name for name in names if not judge(name, size, limits, greedy=not options.short)]
    print(f"{len(names) - len(faulty)} of {len(names)} within their limits")
    if options.short and not options.names:
        faulty += [options.seed] * judge_compositions(SHORT_COMPOSITIONS, options.seed, limits)
    return int(bool(faulty) or not names)


if __name__ == "__main__":
    sys.exit(main())
