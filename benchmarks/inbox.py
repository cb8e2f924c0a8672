"""The cost of reading a public-inbox, compared with the same mail in an mbox: CPU time and memory of urlmend and git.

usage: python -m benchmarks.inbox [--messages 100000]

From the root of a checkout. The repository is made here by git (`git fast-import`), in version 2's layout: list mail,
1.7 kB each, every third with a link, every hundredth deleted later. The command reads it, then a harvest does, and
again when nothing is new and when ten mails are. Each is a process of its own; git's are its children.
"""

import argparse
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environment import machine

_RUN = """
import resource, sys, time
from urlmend.cli import main
start = time.perf_counter()
try:
    main(sys.argv[1:])
finally:
    own, git = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(time.perf_counter() - start, own.ru_utime + own.ru_stime, peak, git.ru_utime + git.ru_stime, git.ru_maxrss,
          file=sys.stderr)
"""
WORDS = "the of and to in is that for it was on with as be by this are from at or an patch kernel list".split()


def letters(count: int, start: int = 0) -> Iterator[bytes]:
    """Yield *count* mails."""
    rng = random.Random(1738 + start)
    for number in range(start, start + count):
        lines = [" ".join(rng.choices(WORDS, k=12)) for _ in range(rng.randint(5, 48))]
        if number % 3 == 0:
            lines.append(f"Link: https://lore.a.example/r/{number}")
        head = (
            f"From: Jane Doe <jane@a.example>\nTo: list@a.example\nMessage-ID: <{number}@a.example>\n"
            f"Subject: [PATCH] {number}\nDate: Sat, 21 Nov 2026 12:00:00 +0000\n"
            "Content-Type: text/plain; charset=utf-8\n\n"
        )
        yield (head + "\n".join(lines) + "\n").encode()


def commits(mails: list[bytes], deleted: list[bytes]) -> Iterator[bytes]:
    """Yield the stream for `git fast-import` that brings *mails*, and deletes the others."""
    for name, other, blobs in ((b"m", b"d", mails), (b"d", b"m", deleted)):
        for blob in blobs:
            yield b"commit refs/heads/master\ncommitter a <a@a> 1000000000 +0000\ndata 0\n"
            yield b"D %b\nM 100644 inline %b\ndata %d\n%b\n" % (other, name, len(blob), blob)


def add(repository: Path, mails: list[bytes], deleted: list[bytes]) -> None:
    """Add *mails* to the repository, which is made if it is not there, and delete the others."""
    git = ["git", f"--git-dir={repository}"]
    stream = b"".join(commits(mails, deleted))
    if repository.exists():
        stream = stream.replace(b"data 0\n", b"data 0\nfrom refs/heads/master^0\n", 1)
    else:
        subprocess.run([*git, "init", "-q", "--bare", "--initial-branch=master"], check=True)  # noqa: S603 -- ours
    subprocess.run([*git, "fast-import", "--quiet", "--force"], input=stream, check=True)  # noqa: S603 -- as above


def measured(name: str, size: int, *arguments: str) -> None:
    """Run the command with *arguments*, and print a row of the table."""
    command = [sys.executable, "-c", _RUN, *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 -- ours
    clock, own, own_peak, git, git_peak = map(float, done.stderr.splitlines()[-1].split())
    rate = size / 1e6 / (own + git)
    cells = (
        f"{own:.1f}",
        f"{git:.1f}",
        f"{clock:.1f}",
        f"{rate:.0f}",
        f"{own_peak / 1024:.0f}",
        f"{git_peak / 1024:.0f}",
    )
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Make the repository, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    count = parser.parse_args().messages
    mails = list(letters(count))
    size = sum(map(len, mails))
    with TemporaryDirectory() as folder:
        repository, mbox, database = Path(folder, "list.git"), Path(folder, "list.mbox"), str(Path(folder, "links.db"))
        add(repository, mails, mails[::100])
        mbox.write_bytes(b"".join(b"From a@a Sat Nov 21 12:00:00 2026\n%b\n" % mail for mail in mails))
        packs = sum(path.stat().st_size for path in repository.rglob("*") if path.is_file())
        print(f"{count} mails, {size / 1e6:.0f} MB, {packs / 1e6:.0f} MB in git. {machine(['urlmend'])}")
        print(
            "\n| | CPU, s | git's CPU, s | clock, s | MB/s of CPU | peak, MB | git's peak, MB |\n|:---|" + "---:|" * 6
        )
        measured("find, mbox, one process", size, "-j", "1", "-o", f"{folder}/out", str(mbox))
        measured("find, public-inbox", size, "-j", "1", "-o", f"{folder}/out", str(repository))
        measured("find, public-inbox, two processes", size, "-j", "2", "-o", f"{folder}/out", str(repository))
        records = ("--format", "jsonl", "-o", f"{folder}/out")
        measured("find, public-inbox, JSONL", size, "-j", "1", *records, str(repository))
        measured("harvest, the first", size, "harvest", "-q", str(repository), "-o", database)
        measured("harvest, nothing new", size, "harvest", "-q", str(repository), "-o", database)
        add(repository, list(letters(10, count)), mails[1:2])
        measured("harvest, ten new, one deleted", size, "harvest", "-q", str(repository), "-o", database)


if __name__ == "__main__":
    main()
