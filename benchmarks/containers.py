"""The cost of archives of Usenet: a group's `.mbox.zip` and a spool as `.tgz`, compared with the plain mbox.

usage: python -m benchmarks.containers [--size 300MB]

From the root of a checkout.

An mbox of made mail (that of `benchmarks.growth`) is packed into a zip, and its messages, a file each, into a tgz. Each
is read by a process of its own through `iter_urls`, as a file and as a pipe. All have to have the same URLs, and less
than 60 MB of memory, beside a decompressor's window (gzip and deflate: 32 kB) and 1 kB for each member that a zip
lists. Exit status 1 where something does not hold.
"""

import argparse
import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.environment import peak_memory
from benchmarks.growth import GREEDIEST, Mail, child
from corpora.generate import parse_size

ROADS = ("group.mbox", "group.mbox.zip", "group.mbox.zip |", "spool.tgz", "spool.tgz |")


class Pipe:
    """A file that has only `read(n)`, as a pipe."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file

    def read(self, n: int, /) -> bytes:
        """Return at most *n* bytes."""
        return self._file.read1(n)


def make(directory: Path, size: int) -> int:
    """Write the mbox and what it is packed in; return how many messages there are."""
    mail = Mail(size)
    group = directory / "group.mbox"
    number = 0
    with group.open("wb") as out, tarfile.open(directory / "spool.tgz", "w:gz", compresslevel=6) as spool:
        for piece in mail._messages(size):  # noqa: SLF001 -- a message each
            out.write(piece)
            article = piece.partition(b"\n")[2] if piece.startswith(b"From ") else piece
            info = tarfile.TarInfo(f"news/comp/a/{number}")
            info.size = len(article)
            spool.addfile(info, io.BytesIO(article))
            number += 1
            mail.size += len(piece)
    with zipfile.ZipFile(directory / "group.mbox.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(group, group.name)
    return number


def scan(road: str) -> dict[str, float]:
    """Read the file of *road*, which ends with `|` for a pipe, in this process."""
    from urlmend import iter_urls  # noqa: PLC0415 -- the other process need not have it

    name, _, pipe = road.partition(" ")
    start, wall = process_time(), perf_counter()
    with Path(name).open("rb") as file:
        urls = sum(1 for _ in iter_urls(Pipe(file) if pipe else file))
    return {"urls": urls, "cpu": process_time() - start, "wall": perf_counter() - wall, "peak": peak_memory()}


def main() -> int:
    """Print the figures, and what does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=parse_size, default=parse_size("300MB"), help="of the mbox (default: 300MB)")
    parser.add_argument("--scan", metavar="ROAD", help="read one file in this process and print the figures")
    options = parser.parse_args()
    if options.scan:
        print(json.dumps(scan(options.scan)))
        return 0
    faults = []
    with TemporaryDirectory() as made:
        directory = Path(made)
        messages = make(directory, options.size)
        print(f"{messages} messages, {options.size / 1e6:.0f} MB")
        print(f"{'':18} {'MB':>6} {'URLs':>9} {'CPU s':>7} {'wall s':>7} {'peak MB':>8} {'CPU':>6}")
        first: dict[str, float] = {}
        for road in ROADS:
            path = directory / road.partition(" ")[0]
            figures = json.loads(child("-m", "benchmarks.containers", "--scan", str(path) + road[len(path.name) :]))
            first = first or figures
            ratio = figures["cpu"] / first["cpu"]
            numbers = f"{figures['urls']:9} {figures['cpu']:7.1f} {figures['wall']:7.1f} {figures['peak']:8.1f}"
            print(f"{road:18} {path.stat().st_size / 1e6:6.0f} {numbers} {ratio:5.2f}x", flush=True)
            faults += [f"{road}: other URLs"] * (figures["urls"] != first["urls"])
            faults += [f"{road}: more than {GREEDIEST:.0f} MB of memory"] * (figures["peak"] > GREEDIEST)
    print("\n".join(faults) or "all holds")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
