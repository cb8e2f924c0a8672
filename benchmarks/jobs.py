"""What several processes gain: `-j N` and `-j 1` alternating in one run, in wall time and CPU time.

usage: URLMEND_SHARED=DIR python benchmarks/jobs.py [--jobs N] [--size 250MB] [--rounds N] [OPTION OF URLMEND...]

The texts, each of about `--size`: the RFCs, the mboxes of list mail, a directory with a file a message, and gz files of
different sizes (of mail). The command writes into a file; both must write the same bytes. *clock* is the ratio of the
best times by the clock, which other programs on the machine spoil. *bound* is what it could be at most: N divided by
what CPU `-j N` takes beside `-j 1`. *machine* is what the machine gives at most: N runs of `-j 1` at once, which have
nothing to do with each other, beside one alone. Where processors share a core or the way to memory that is less than N.
"""

import argparse
import gzip
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environment import machine
from corpora.generate import parse_size

SHARES = (12, 1, 2, 8, 0.5, 4, 0.25, 6, 3, 10, 1, 7, 5)
"""The relative sizes of the gz files."""


class Run(NamedTuple):
    """Seconds of one run, by the clock and of all CPUs."""

    clock: float
    cpu: float


def run(arguments: Sequence[str], output: Path) -> Run:
    """Run the command with *arguments* and its standard output to *output*."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    with output.open("wb") as file:
        subprocess.run([sys.executable, "-m", "urlmend", *arguments], stdout=file, check=True)  # noqa: S603 -- ours
    clock, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def at_once(count: int, arguments: Sequence[str], output: Path) -> float:
    """Return how long so many runs with *arguments* take by the clock, all begun together."""
    start = perf_counter()
    command = [sys.executable, "-m", "urlmend", *arguments]
    outputs = [output.with_suffix(f".{number}").open("wb") for number in range(count)]
    running = [subprocess.Popen(command, stdout=file) for file in outputs]  # noqa: S603 -- ours
    assert not sum(process.wait() for process in running)
    for file in outputs:
        file.close()
    return perf_counter() - start


def packed(corpora: Path, folder: Path, size: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each text and the arguments that it is read with."""
    mail = b"".join(path.read_bytes() for path in sorted((corpora / "mail/mbox").iterdir()))
    rfcs = b"".join(path.read_bytes() for path in sorted((corpora / "docs/rfc").iterdir()))
    for name, data in (("RFCs", rfcs), ("mbox", mail)):
        (folder / name).write_bytes(data * (size // len(data) + 1))
        yield name, [str(folder / name)]
    messages = re.split(rb"(?m)^From [^\n]*\d{4}\n", mail)[1:]
    written = 0
    for number, message in enumerate(cycle(messages)):
        place = folder / "directory" / str(number // 1000)
        place.mkdir(parents=True, exist_ok=True)
        (place / str(number)).write_bytes(message)
        written += len(message)
        if written >= size:
            break
    yield "directory", ["-r", str(folder / "directory")]
    (folder / "gz").mkdir()
    at = 0
    for number, share in enumerate(SHARES):
        length = int(size * share / sum(SHARES))
        text = (mail * (length // len(mail) + 2))[at : at + length]
        (folder / "gz" / f"{number:02}.gz").write_bytes(gzip.compress(text, 6))
        at = (at + length) % len(mail)
    yield "gz", ["-r", str(folder / "gz")]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", default="2", help="so many processes [2]")
    parser.add_argument("--size", type=parse_size, default=parse_size("250MB"), help="of each text [250MB]")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is run [3]")
    options, arguments = parser.parse_known_args()
    shared = os.environ.get("URLMEND_SHARED")
    if not shared:
        sys.exit("URLMEND_SHARED is not set: it names the folder with the real corpora")
    print(machine(("urlmend", "pcre2")), *arguments)
    print("\n| text | `-j 1` s | CPU s | `-j N` s | CPU s | clock | bound | machine |\n|:---|" + "---:|" * 7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for text, inputs in packed(Path(shared, "corpora"), folder, options.size):
            runs: dict[str, list[Run]] = {"1": [], options.jobs: []}
            together: list[float] = []
            for _ in range(options.rounds):
                together.append(at_once(int(options.jobs), ["-j", "1", *arguments, *inputs], folder / "together"))
                for jobs, its_runs in runs.items():
                    its_runs.append(run(["-j", jobs, *arguments, *inputs], folder / f"out.{jobs}"))
            assert (folder / "out.1").read_bytes() == (folder / f"out.{options.jobs}").read_bytes()
            one, several = (Run(*map(min, zip(*its_runs, strict=True))) for its_runs in runs.values())
            bound = int(options.jobs) * one.cpu / several.cpu
            figures = f"{one.clock:.2f} | {one.cpu:.2f} | {several.clock:.2f} | {several.cpu:.2f}"
            machine_limit = int(options.jobs) * one.clock / min(together)
            ratios = f"{one.clock / several.clock:.2f} | {bound:.2f} | {machine_limit:.2f}"
            print(f"| {text} | {figures} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
