"""Mutations of real mail through every source: nothing is raised, and nothing depends on how the file is read.

usage: python tests/fuzz/mutations.py [--count 100000] [--seed a] [--first 0], with urlmend installed

The files of tests/data/mail.txt are mutated, and the mail and news of $URLMEND_SHARED/corpora where that is set.
Each input is made of the seed and its number alone. Exit status 1 where there is a finding; each is printed with its
number, and `--count 1 --first NUMBER` shows it again.
"""

import argparse
import bz2
import gzip
import lzma
import os
import sys
import traceback
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from files import Pipe
from invariants import check_cuts
from messages import CASES
from property.test_arrival import records
from urlmend.sources import SOURCES

SHARED = os.environ.get("URLMEND_SHARED", "")
LONGEST = 6000
"""How many bytes of a file are mutated: most faults show in a message or two."""

TOKENS = [
    literal_eval(f"b{line}")
    for line in Path(__file__).with_name("mail.dict").read_text("ascii").splitlines()
    if not line.startswith("#")
]


def originals() -> list[bytes]:
    """Return what is mutated."""
    texts = [case.data for case in CASES.values()]
    for folder in ("mail", "news"):
        for path in sorted(Path(SHARED, "corpora", folder).rglob("*")) if SHARED else ():
            if path.is_file():
                with path.open("rb") as file:
                    texts.append(file.read(LONGEST))
    return texts


def mutated(data: bytes, random: Random) -> bytes:
    """Return *data* with a few bytes, words or stretches inserted, removed or repeated."""
    start = random.randrange(len(data)) if len(data) > LONGEST and random.random() < 0.5 else 0
    data = data[start : start + LONGEST]
    for _ in range(random.choice((1, 2, 4, 10, 40))):
        place = random.randrange(len(data) + 1)
        kind = random.randrange(6)
        if kind <= 1:
            data = data[:place] + random.choice(TOKENS) + data[place:]
        elif kind == 2:
            data = data[:place] + data[place + random.choice((1, 3, 40, 1000)) :]
        elif kind == 3:
            data = data[:place] + random.randbytes(random.choice((1, 1, 4))) + data[place + 1 :]
        elif kind == 4:
            other = random.randrange(len(data) + 1)
            data = data[:place] + data[other : other + random.choice((10, 100, 1000))] + data[place:]
        else:
            old = random.choice((b"\n", b" ", b":", b"-", b"=", b"/"))
            data = data.replace(old, random.choice((*TOKENS, b"\r\n", b"\r")), random.choice((1, 5, 50)))
    return data[: 4 * LONGEST]


def in_short_reads(data: bytes, random: Random) -> Pipe:
    """Return a file whose reads return less than requested."""
    sizes = random.choice(((1,), (1, 7, 100), (100, 5000), (5, 4096)))
    return Pipe(data, *random.choices(sizes, k=50))


def check(data: bytes, random: Random) -> None:
    """Raise where something is raised, or where what is found depends on how *data* is read."""
    for source in ("auto", random.choice([name for name in SOURCES if name != "auto"])):
        check_reads(data, source, random)
    if random.random() < 0.3:
        check_cuts(data, random.choices(range(len(data) + 1), k=3))
    if random.random() < 0.1:
        compress: Callable[[bytes], bytes] = random.choice((gzip.compress, bz2.compress, lzma.compress))
        check_reads(mutated_bytes(compress(data[:2000]), random), "auto", random)


def check_reads(data: bytes, source: str, random: Random) -> None:
    """Raise unless the same is found in one read and in short ones."""
    whole = records(Pipe(data), source, {})
    short = records(in_short_reads(data, random), source, {})
    assert whole == short, f"source {source}: {differences(whole, short)}"


def mutated_bytes(data: bytes, random: Random) -> bytes:
    """Return compressed *data* with a few other bytes, cut off, or with something after it."""
    octets = bytearray(data)
    for _ in range(random.choice((0, 1, 3))):
        octets[random.randrange(6, len(octets))] = random.randrange(256)
    if random.random() < 0.3:
        del octets[random.randrange(len(octets)) :]
    return bytes(octets) + random.choice((b"", b"", b"after it", bytes(20), data))


def differences(first: Sequence[object], second: Sequence[object]) -> str:
    """Return the first two of each that the other has not."""
    return f"{[one for one in first if one not in second][:2]} {[one for one in second if one not in first][:2]}"


def findings(texts: Sequence[bytes], seed: str, numbers: Sequence[int]) -> Iterator[tuple[int, bytes, str]]:
    """Yield the number, the bytes and the fault of each input that has one."""
    for number in numbers:
        random = Random(f"{seed} {number}")
        data = mutated(random.choice(texts), random)
        try:
            check(data, random)
        except Exception:  # noqa: BLE001 -- whatever is raised is a finding
            yield number, data, traceback.format_exc(limit=-4)


def main() -> int:
    """Print the findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--seed", default="a")
    options = parser.parse_args()
    texts = originals()
    count = 0
    for number, data, fault in findings(texts, options.seed, range(options.first, options.first + options.count)):
        count += 1
        print(f"input {number}, {len(data)} bytes: {fault}", flush=True)
        if options.count == 1:
            print(data)
    print(f"{options.count} inputs, {count} findings")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
