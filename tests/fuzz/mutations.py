"""Mutations of real mail through every source: nothing is raised, and nothing depends on how the file is read.

usage: python tests/fuzz/mutations.py [--count 100000] [--seed a] [--first 0], with urlmend installed

The files of tests/data/mail.txt are mutated, and the mail and news of $URLMEND_SHARED/corpora where that is set.
Each input is made of the seed and its number alone. Exit status 1 where there is a finding; each is printed with its
number, and `--count 1 --first NUMBER` shows it again.
"""

import argparse
import bz2
import gzip
import io
import lzma
import os
import sys
import traceback
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from files import Pipe, tarred, zipped
from messages import CASES
from urlmend import Scanner, find_urls, iter_urls
from urlmend.sources import SOURCES, SourceError

SHARED = os.environ.get("URLMEND_SHARED", "")
LONGEST = 6000
"""How many bytes of a file are taken: most of what can go wrong shows in a message or two."""

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
    """Return *data* with a few bytes, words or stretches put in, taken out or repeated."""
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
    """Return a file that gives less than it is asked for."""
    sizes = random.choice(((1,), (1, 7, 100), (100, 5000), (5, 4096)))
    return Pipe(data, *random.choices(sizes, k=50))


def told(file: Any, source: str) -> list[tuple[object, ...]]:
    """Return all that is told of the URLs in *file*; a file that cannot be read as what it is tells so."""
    found: list[tuple[object, ...]] = []
    try:
        for match in iter_urls(file, source=source):
            origin = match.origin
            assert origin is not None
            found.append(
                (
                    *(match.url, match.start, match.end, match.line, match.column, match.exact, match.form),
                    *(match.readings, match.warnings, match.parts),
                    *(origin.message, origin.part, origin.message_id, origin.date, origin.author, origin.subject),
                    *(origin.newsgroups, origin.charset, origin.content_type, origin.encoding),
                )
            )
    except SourceError as error:
        found.append(("SourceError", str(error)))
    return found


def fed(data: bytes, random: Random) -> list[tuple[object, ...]]:
    """Return the URLs in *data* that comes in pieces."""
    scanner = Scanner()
    matches = []
    start = 0
    while start < len(data):
        size = random.choice((1, 2, 17, 100, 999, 5000))
        matches += scanner.feed(data[start : start + size])
        start += size
    matches += scanner.close()
    return [(match.url, match.start, match.line, match.readings) for match in matches]


def check(data: bytes, random: Random) -> None:
    """Raise where something is raised, or where what is found depends on how *data* is read."""
    for source in ("auto", random.choice([name for name in SOURCES if name != "auto"])):
        whole = told(io.BytesIO(data), source)
        short = told(in_short_reads(data, random), source)
        assert whole == short, f"source {source}: {differences(whole, short)}"
    if random.random() < 0.3:
        at_once = [(match.url, match.start, match.line, match.readings) for match in find_urls(data)]
        pieces = fed(data, random)
        assert at_once == pieces, f"Scanner.feed: {differences(at_once, pieces)}"
    if random.random() < 0.1:
        compress: Callable[[bytes], bytes] = random.choice((gzip.compress, bz2.compress, lzma.compress))
        packed = mutated_bytes(compress(data[:2000]), random)
        whole = told(io.BytesIO(packed), "auto")
        short = told(in_short_reads(packed, random), "auto")
        assert whole == short, f"compressed: {differences(whole, short)}"
    if random.random() < 0.1:
        pack: Callable[[dict[str, bytes]], bytes] = random.choice((zipped, tarred))
        archive = with_wrong_numbers(pack({"a": data[:2000], "b": b"http://b.example/"}), random)
        whole = told(io.BytesIO(archive), "auto")
        short = told(in_short_reads(archive, random), "auto")
        assert whole == short, f"archive: {differences(whole, short)}"


NUMBERS = (b"\xff" * 12, b"\x80" + b"\xff" * 11, bytes(12), b"77777777777\0", b"-1\0", b"inf", b"\xff\xff\xff\x7f")
"""Negative, huge and missing numbers, in octal and in binary."""


def with_wrong_numbers(data: bytes, random: Random) -> bytes:
    """Return a zip or tar with other numbers in its headers; a tar's checksums are right."""
    octets = bytearray(data)
    for _ in range(random.choice((1, 2, 3))):
        number = random.choice(NUMBERS)[: random.choice((1, 2, 4, 8, 12))]
        at = random.choice([i for i in range(len(data)) if data[i : i + 2] == b"PK"] or range(0, len(data), 512))
        at += random.randrange(4, 46) if data.startswith(b"PK") else random.choice((0, 124, 136, 156, 345, 482))
        octets[at : at + len(number)] = number
    for start in range(0, len(octets) - 511, 512) if not data.startswith(b"PK") else ():
        if octets[start + 257 : start + 262] == b"ustar":
            octets[start + 148 : start + 156] = b" " * 8
            octets[start + 148 : start + 156] = b"%06o\0 " % sum(octets[start : start + 512])
    return bytes(octets)


def mutated_bytes(data: bytes, random: Random) -> bytes:
    """Return compressed *data* with a few other bytes, cut off, or with something behind it."""
    octets = bytearray(data)
    for _ in range(random.choice((0, 1, 3))):
        octets[random.randrange(6, len(octets))] = random.randrange(256)
    if random.random() < 0.3:
        del octets[random.randrange(len(octets)) :]
    return bytes(octets) + random.choice((b"", b"", b"behind it", bytes(20), data))


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
