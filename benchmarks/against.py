"""How fast this tree is compared with another revision: CPU time, alternating in one run.

usage: python -m benchmarks.against [--base REV] [--goal RATIO] [--rounds N] [--engine re|pcre2] [NAME…]

From the root of a checkout, with URLMEND_SHARED naming the folder with the real corpora; without it generated texts
stand in. Each text is scanned by a process of this tree and one of the other, in turn, for N rounds; the commands are
new processes each round, their start included. The ratio is the other's time through this one's, of the medians and of
the fastest rounds: above 1 this tree is faster. Exit status 1 where a ratio of the medians is below the goal.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from io import BytesIO
from itertools import product
from os import environ
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BASE = "1aa0e15"
"""The commit of 0.2.0."""

GOAL = 0.95
"""The least ratio of the medians that is not a loss, on a machine that does little else."""

SIZE = 20_000_000


class Work(NamedTuple):
    """Something to measure: which folders have its text, read as which source or by which command.

    With *only*, the text is the messages in the folders for which it returns true.
    """

    folders: tuple[str, ...]
    generated: str
    source: str = ""
    command: tuple[str, ...] = ()
    only: Callable[[bytes], object] | None = None


_UNSUBSCRIBE = re.compile(
    rb"^List-Unsubscribe:(?:[^\n]|\n[ \t])*?<mailto:[^>\s]*\?subject=", re.IGNORECASE | re.MULTILINE
)
_FROM_LINE = re.compile(rb"^(?=From )", re.MULTILINE)
_HEADER = re.compile(rb"(?:From [^\n]*\n)?[!-9;-~]+:")


def _can_unsubscribe(message: bytes) -> bool:
    return _UNSUBSCRIBE.search(message.partition(b"\n\n")[0]) is not None


def _is_undeclared(message: bytes) -> bool:
    """Return whether *message* has an 8-bit body and does not declare a charset."""
    header, _, body = message.partition(b"\n\n")
    declares = re.search(rb"(?i)charset|multipart", header)
    return _HEADER.match(header) is not None and header.isascii() and not body.isascii() and not declares


_MBOXES = ("mail/mbox", "news/mbox")
_MAIL = ("mail", "news/mbox", "news/misc")
_DOCS = ("docs",)
WORKS: Mapping[str, Work] = {
    "list mail as text": Work(_MBOXES, "mail", "text"),
    "RFCs and documents as text": Work(_DOCS, "docs", "text"),
    "list mail with List-Unsubscribe as text": Work(_MAIL, "unsubscribe", "text", only=_can_unsubscribe),
    "RFCs as text": Work(("docs/rfc",), "docs", "text"),
    "8-bit mail without a charset": Work(_MAIL, "undeclared", "mbox", only=_is_undeclared),
    "mbox": Work(_MBOXES, "mail", "mbox"),
    "bare command over an mbox": Work(_MBOXES, "mail", command=("--source", "mbox")),
    "jsonl command over an mbox": Work(_MBOXES, "mail", command=("--source", "mbox", "--format", "jsonl")),
    "command over one line": Work((), "line", command=("--source", "text")),
    "dense URLs as text": Work((), "dense", "text"),
    "torn URLs as text": Work((), "torn", "text"),
    "encoded mail": Work((), "encoded", "mbox"),
}


# What runs under each tree


def _work() -> None:
    """Scan the file that each line of standard input names as its source; answer with CPU seconds and URLs."""
    from urlmend import iter_urls  # noqa: PLC0415 -- only the processes below need it

    texts: dict[str, bytes] = {}
    for line in sys.stdin:
        path, source = json.loads(line)
        data = texts.setdefault(path, Path(path).read_bytes())
        start = time.process_time()
        urls = sum(1 for _ in iter_urls(BytesIO(data), source=source))
        print(json.dumps([time.process_time() - start, urls]), flush=True)


# The measurement


class Tree:
    """A process that scans with the urlmend of one tree, and the commands of that tree."""

    def __init__(self, source: Path, engine: str, bytecode: Path) -> None:
        self._environment = {**environ, "PYTHONPATH": str(source), "PYTHONPYCACHEPREFIX": str(bytecode)}
        # An installed urlmend is compiled once, not at each start.
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if engine:
            self._environment["URLMEND_ENGINE"] = engine
        self._process = subprocess.Popen(  # noqa: S603 -- this very file
            [sys.executable, "-P", __file__, "--work"],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, work: Work, path: Path) -> tuple[float, int]:
        """Return the CPU seconds that *work* takes on *path*, and how many URLs it finds."""
        if work.command:
            return self._command(work.command, path)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(path), work.source]) + "\n")
        self._process.stdin.flush()
        seconds, urls = json.loads(self._process.stdout.readline())
        return seconds, urls

    def _command(self, options: tuple[str, ...], path: Path) -> tuple[float, int]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-P", "-m", "urlmend", *options, str(path)]
        done = subprocess.run(command, env=self._environment, check=True, capture_output=True)  # noqa: S603
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds, done.stdout.count(b"\n")

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def text_of(work: Work) -> bytes:
    """Return the text of *work*: from the real corpora where there are any."""
    shared = environ.get("URLMEND_SHARED")
    if not shared or not work.folders:
        return _GENERATED[work.generated]()
    folders = [Path(shared, "corpora", folder) for folder in work.folders]
    if work.only:
        return b"".join(message for folder in folders for message in _messages(folder) if work.only(message))[:SIZE]
    return b"".join(piece for folder in folders for piece in _spread(folder, SIZE // len(folders)))


def _messages(folder: Path) -> Iterator[bytes]:
    """Yield the messages in all files below *folder*, each after a `From ` line."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        for message in _FROM_LINE.split(path.read_bytes()):
            if message:
                from_line = b"" if message.startswith(b"From ") else b"From jane@a.example Sun Jan  1 00:00:00 2026\n"
                yield from_line + message.rstrip(b"\n") + b"\n\n"


def _spread(folder: Path, size: int) -> Iterator[bytes]:
    """Yield files of *size* bytes together, taken evenly from all below *folder*."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    every = max(1, int(sum(path.stat().st_size for path in paths) / size))
    left = size
    for path in paths[::every]:
        if left > 0:
            data = path.read_bytes()
            left -= len(data)
            yield data.rstrip(b"\n") + b"\n\n"


def _haystack(name: str) -> bytes:
    from benchmarks import haystacks  # noqa: PLC0415 -- the scanning processes need none of them

    made: Mapping[str, Callable[[], haystacks.Haystack]] = {
        **haystacks.HAYSTACKS,
        "encoded": haystacks.encoded_mail,
        "docs": haystacks.HAYSTACKS["dense"],
    }
    return made[name]().data


_FIELD = b"\nList-Unsubscribe: <https://lists.a.example/>,\n <mailto:list-request@lists.a.example?subject=unsubscribe>"
_GENERATED: Mapping[str, Callable[[], bytes]] = {
    "mail": lambda: _haystack("mail"),
    "unsubscribe": lambda: _haystack("mail").replace(b"\nSubject:", _FIELD + b"\nSubject:"),
    "undeclared": lambda: _haystack("mail").replace(b" there ", b" \xfcber "),
    "docs": lambda: _haystack("docs"),
    "dense": lambda: _haystack("only-urls"),
    "torn": lambda: _haystack("torn"),
    "encoded": lambda: _haystack("encoded"),
    "line": lambda: b"See http://a.example/b, which is all.\n",
}


def measure(work: Work, path: Path, trees: tuple[Tree, Tree], rounds: int) -> tuple[list[list[float]], list[int]]:
    """Return the seconds of each tree, round by round, and how many URLs each found."""
    seconds: list[list[float]] = [[], []]
    urls = [0, 0]
    # The first round fills the caches and does not count.
    for number, at in product(range(rounds + 1), (0, 1)):
        # Who comes first changes from round to round.
        who = at ^ number & 1
        taken, urls[who] = trees[who].seconds(work, path)
        if number:
            seconds[who].append(taken)
    return seconds, urls


def main() -> int:
    """Print the ratios, and what is below its goal."""
    from benchmarks.environment import machine, sources_of  # noqa: PLC0415 -- as above

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(WORKS)} (default: all)")
    parser.add_argument("--base", default=BASE, metavar="REV", help=f"the other revision (default: {BASE})")
    parser.add_argument("--goal", type=float, default=GOAL, metavar="RATIO", help=f"(default: {GOAL})")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="(default: 5)")
    parser.add_argument("--engine", choices=["re", "pcre2"], action="append", help="(default: both, one by one)")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in WORKS]:
        parser.error(f"unknown: {', '.join(unknown)}")
    missed = []
    print(f"{'':40} {'engine':6} {'medians':>8} {'fastest':>8} {'MB/s':>7} {'URLs':>8}")
    with ExitStack() as stack:
        base = stack.enter_context(sources_of(options.base))
        folder = stack.enter_context(TemporaryDirectory())
        for engine in options.engine or ["re", "pcre2"]:
            trees = Tree(ROOT / "src", engine, Path(folder)), Tree(base, engine, Path(folder))
            for tree in trees:
                stack.callback(tree.close)
            for name in options.names or WORKS:
                work = WORKS[name]
                path = Path(folder, name)
                path.write_bytes(text_of(work))
                (ours, theirs), urls = measure(work, path, trees, options.rounds)
                medians, fastest = median(theirs) / median(ours), min(theirs) / min(ours)
                speed = path.stat().st_size / 1e6 / median(ours)
                note = "" if urls[0] == urls[1] else f"  ({urls[1]} there)"
                if medians < options.goal:
                    missed.append(f"{name} ({engine})")
                    note += "  below the goal"
                print(
                    f"{name:40} {engine:6} {medians:8.2f} {fastest:8.2f} {speed:7.1f} {urls[0]:8}{note}",
                    flush=True,
                )
    print(machine(("urlmend", "pcre2", "regex")))
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        _work()
    else:
        sys.exit(main())
