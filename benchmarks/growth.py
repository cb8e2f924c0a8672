"""Whether cost grows with the text and memory does not, what importing costs, and how soon the first URL is out.

usage: python -m benchmarks.growth [--max 256MB] [--source mbox]; `--max 10GB` takes its time

From the root of a checkout.

A stream like mail, made as it is read, goes through `iter_urls`, as text or as an mbox, at 1 MB, 4 MB … `--max`, each
size in a process of its own: the CPU time for a MB must be no more than 1.5 times that at 16 MB (the smallest that says
something), peak memory less than 60 MB and no more than 5 MB above that at 16 MB. The stream is a MB of generated
messages again and again with a number in each, so that each has a URL that was not seen before. Exit status 1 where
something does not hold.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.environment import peak_memory
from benchmarks.haystacks import never
from corpora.generate import generate, parse_size

ROOT = Path(__file__).parents[1]
STEEPEST = 1.5
GREEDIEST = 60.0
MEMORY_GROWTH = 5.0
LONGEST_IMPORT = 0.060
IMPORTS = 15
PROSE = 9_000
"""The prose in each message, in bytes: with it the stream has about as many URLs in a MB as busy list mail, 900."""

SMALLEST = 1_000_000
SETTLED = 16_000_000
"""From this size on a MB must cost the same: below, the caches of a new process are still filling."""


class Mail:
    """A file of generated mail that never ends before *size* bytes; `reads` counts how often it was read."""

    def __init__(self, size: int) -> None:
        prose = never().data
        blocks = [block for block, _ in generate("mail", SMALLEST // 10, 1738, bare_breaks=True)]
        self._bare_messages = [
            block + b"\n" + prose[at * PROSE % SMALLEST :][:PROSE] + b"\n\n" for at, block in enumerate(blocks)
        ]
        self._pieces = self._messages(size)
        self._left = b""
        self.reads = 0
        self.size = 0
        self.numbered = 0

    def _messages(self, size: int) -> Iterator[bytes]:
        while self.size < size:
            for message in self._bare_messages:
                yield message + b"http://zebra-%d.example/\n\n" % self.numbered
                self.numbered += 1

    def read(self, n: int) -> bytes:
        """Return the next *n* bytes."""
        self.reads += 1
        parts, have = [self._left], len(self._left)
        while have < n and (piece := next(self._pieces, None)):
            parts.append(piece)
            have += len(piece)
            self.size += len(piece)
        data = b"".join(parts)
        self._left = data[n:]
        return data[:n]


def scan(size: int, source: str) -> dict[str, float]:
    """Scan *size* bytes as *source* in this process; return bytes, URLs, CPU seconds and peak MB."""
    from urlmend import iter_urls  # noqa: PLC0415 -- the other processes need not have it

    mail = Mail(size)
    making = process_time()
    while mail.read(1 << 18):
        pass
    making = process_time() - making
    mail = Mail(size)
    start = process_time()
    urls = numbered = 0
    for match in iter_urls(mail, source=source):
        urls += 1
        numbered += match.url.startswith("http://zebra-")
    seconds = process_time() - start - making
    assert numbered == mail.numbered, f"{numbered} of {mail.numbered} numbered URLs"
    return {"bytes": mail.size, "urls": urls, "seconds": seconds, "peak": peak_memory()}


def child(*arguments: str) -> str:
    """Return what a new Python prints; modules are compiled once, as those of an installed package are."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout  # noqa: S603


def import_seconds() -> float:
    """Return the median of what `import urlmend` takes in new processes."""
    code = "from time import perf_counter as now; start = now(); import urlmend; print(now() - start)"
    child("-c", code)
    return median(float(child("-c", code)) for _ in range(IMPORTS))


def reads_before_first(source: str) -> int:
    """Return how many chunks are read before the first URL is out."""
    from urlmend import iter_urls  # noqa: PLC0415 -- as above

    mail = Mail(SMALLEST * 4)
    next(iter_urls(mail, source=source))
    return mail.reads


def sizes(largest: int) -> Iterator[int]:
    """Yield 1 MB, 4 MB … and *largest*."""
    size = SMALLEST
    while size < largest:
        yield size
        size *= 4
    yield largest


def main() -> int:
    """Print the figures, and what does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", type=parse_size, default=parse_size("256MB"), help="the largest size (default: 256MB)")
    parser.add_argument("--scan", type=int, metavar="BYTES", help="scan one size in this process and print the figures")
    parser.add_argument("--source", choices=["text", "mbox"], default="text", help="what it is read as (default: text)")
    options = parser.parse_args()
    if options.scan:
        print(json.dumps(scan(options.scan, options.source)))
        return 0
    faults = []
    print(f"{'MB':>8} {'URLs':>10} {'ms per MB':>10} {'peak MB':>8}")
    settled: dict[str, float] = {}
    for size in sizes(options.max):
        figures = json.loads(child("-m", "benchmarks.growth", "--source", options.source, "--scan", str(size)))
        each = figures["seconds"] / figures["bytes"] * 1e9
        megabytes = figures["bytes"] / 1e6
        print(f"{megabytes:8.0f} {figures['urls']:10} {each:10.1f} {figures['peak']:8.1f}", flush=True)
        if size >= SETTLED:
            settled = settled or {"each": each, "peak": figures["peak"]}
            faults += [f"{megabytes:.0f} MB: more time for each MB"] * (each > STEEPEST * settled["each"])
            faults += [f"{megabytes:.0f} MB: memory grows"] * (figures["peak"] > settled["peak"] + MEMORY_GROWTH)
        faults += [f"{megabytes:.0f} MB: more than {GREEDIEST:.0f} MB of memory"] * (figures["peak"] > GREEDIEST)
    seconds = import_seconds()
    print(f"import urlmend: {seconds * 1e3:.1f} ms, median of {IMPORTS} processes")
    faults += [f"import takes more than {LONGEST_IMPORT * 1e3:.0f} ms"] * (seconds > LONGEST_IMPORT)
    reads = reads_before_first(options.source)
    print(f"chunks read before the first URL is out: {reads}")
    faults += ["the first URL waits for the second chunk"] * (reads != 1)
    print("\n".join(faults) or "all holds")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
