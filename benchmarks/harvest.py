"""What a harvest costs that is run again: over an unchanged archive, and when one message was appended.

usage: python -m benchmarks.harvest [--size 1GB | --archive DIR]

From the root of a checkout. The archive is DIR, or mailboxes of 10 MB like mail, made here; beside it stands one more
mailbox of 1 MB. First the command harvests all of it, and again, in processes of their own: the CPU time of the best of
five must be less than 2 % of the first one's. Then, in one process and so without what starting it costs, that mailbox
alone: what a message costs in the first run, and what one that is appended. Exit status 1 where the share is more.
"""

import argparse
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.growth import Mail
from corpora.generate import parse_size

from urlmend.output.database.harvest import TALLY, Listener, harvest

MAILBOX = 10_000_000
AGAIN = 5
APPENDED = 20
LARGEST_SHARE = 0.02


def made(size: int, archive: Path) -> None:
    """Write mailboxes of *size* bytes together."""
    archive.mkdir()
    for number in range(max(1, size // MAILBOX)):
        mail = Mail(min(size, MAILBOX))
        with (archive / f"{number}.mbox").open("wb") as file:
            while data := mail.read(1 << 20):
                file.write(data)


def command(*arguments: str | Path) -> tuple[float, float]:
    """Run the command and return its CPU time and the time on the clock, in seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run([sys.executable, "-m", "urlmend", "harvest", "-q", *map(str, arguments)], check=True)  # noqa: S603 -- ours
    seconds, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds


def run_here(paths: list[str], database: str, expected: str) -> float:
    """Harvest one file, *expected* to be of this kind, in this process and return the CPU time in seconds."""
    start = process_time()
    tally = harvest(paths, database, Listener(failed=print))
    seconds = process_time() - start
    if tally[expected] != 1 or sum(tally[what] for what in TALLY) != 1:
        raise AssertionError(tally)
    return seconds


def appended(paths: list[str], database: str, mailbox: Path) -> Iterator[tuple[float, float]]:
    """Yield what a run costs over what is unchanged, and one after a message was appended."""
    for number in range(APPENDED):
        unchanged = run_here(paths, database, "unchanged")
        message = b"From a@a.example Mon Jul  7 10:06:12 2003\nFrom: a@a.example\nSubject: One more\n\n"
        with mailbox.open("ab") as file:
            file.write(message + b"one more line of text\n" * 100 + b"http://more.example/%d\n\n" % number)
        yield unchanged, run_here(paths, database, "grown")


def main() -> int:
    """Run the command that this file is."""
    parser = argparse.ArgumentParser(description="measure a harvest that is run again")
    parser.add_argument("--size", type=parse_size, default=100_000_000, help="of the archive, such as 1GB; 100MB")
    parser.add_argument("--archive", type=Path, metavar="DIR", help="an archive of yours; nothing is written there")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        archive = arguments.archive or Path(folder, "archive")
        if arguments.archive is None:
            made(arguments.size, archive)
        made(1_000_000, Path(folder, "more"))
        mailbox, database = Path(folder, "more", "0.mbox"), Path(folder, "links.db")
        paths = [str(archive), str(mailbox)]
        sizes = [path.stat().st_size for path in archive.rglob("*") if path.is_file()]
        first, first_clock = command(*paths, "-o", database)
        again, again_clock = map(min, zip(*(command(*paths, "-o", database) for _ in range(AGAIN)), strict=True))
        share = again / first
        print(f"{len(sizes)} files, {sum(sizes) / 1e6:.0f} MB")
        print(f"first run {first:.2f} s CPU, {first_clock:.2f} s by the clock")
        shares = f"{share:.2%} of the CPU time, {again_clock / first_clock:.2%} of that by the clock"
        print(f"again {again:.2f} s CPU, {again_clock:.2f} s by the clock: {shares}")
        alone, which = str(Path(folder, "alone.db")), [str(mailbox)]
        seconds = run_here(which, alone, "new")
        count = mailbox.read_bytes().count(b"\nFrom ") + 1
        costs = list(appended(which, alone, mailbox))
        unchanged = median(unchanged for unchanged, _ in costs)
        more = median(grown - unchanged for unchanged, grown in costs)
        print(f"a mailbox of {count} messages: {seconds / count * 1e3:.2f} ms CPU a message in a first run")
        print(f"one appended: {more * 1e3:.2f} ms more than the {unchanged * 1e3:.2f} ms when it is unchanged")
    return int(share > LARGEST_SHARE)


if __name__ == "__main__":
    sys.exit(main())
