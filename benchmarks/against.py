"""How fast this tree is compared with another revision: CPU time, alternating in one run, archive by archive.

usage: python -m benchmarks.against [--base REV] [--installed DIR] [--goal RATIO] [--rounds N] [--engine re|pcre2]
       [KIND…]

Run it from the root of a checkout. URLMEND_SHARED names the folder with the real corpora; without it, the texts are
generated. Each archive with text of a kind gives a sample of at most SAMPLE bytes, spread over its messages or files.
In each of N rounds a new process of this tree and one of the other scan all samples in turn: where its memory lies can
make a process half as fast again for its whole life. The commands are processes of their own, their start included, and
read the samples of all archives as one file. An archive's ratio is the time of the other's fastest scan divided by that
of this one's: above 1 this tree is faster. What else the machine does only adds time. A kind's ratio is the geometric
mean of its archives', so that a large archive counts as much as a small one. The table has the slowest kind first, and
names the slowest archive of each. Exit status 1 where a kind's ratio is below the goal.

The compiled build is measured after `URLMEND_COMPILE=1 pip install --target DIR .`, with --installed DIR.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from os import environ
from pathlib import Path
from statistics import geometric_mean, harmonic_mean
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BASE = "ad3c7c7"
"""The commit of 0.3.0."""

GOAL = 0.95
"""The least ratio that is not a loss, on a machine that does little else."""

SAMPLE = 1_000_000
"""How many bytes each archive gives to a kind, at most."""

PAGE = 6000
"""How long the text of a web page is, in bytes: an assumption."""

SHORTEST = 0.05
"""For how many CPU seconds, at least, a scan is repeated in a round."""

LEAST = 20_000
"""An archive with fewer bytes of a kind is left out: its time would be noise."""


OUT = "OUT"
"""The placeholder for a new file in a command."""


class Kind(NamedTuple):
    """A kind of text: the archives that have it, and the source that reads it or the command that is run on it.

    The names of *archives* are patterns of folders or files below `corpora`; those that the part before the first digit
    makes equal (the months of a list) are one archive. With *only*, the text is the messages for which it returns true.
    """

    archives: tuple[str, ...]
    generated: str
    source: str = ""
    command: tuple[str, ...] = ()
    only: Callable[[bytes], object] | None = None


_UNSUBSCRIBE = re.compile(
    rb"^List-Unsubscribe:(?:[^\n]|\n[ \t])*?<mailto:[^>\s]*\?subject=", re.IGNORECASE | re.MULTILINE
)
_FROM_LINE = re.compile(rb"^(?=From )", re.MULTILINE)
_HEADER = re.compile(rb"(?:From [^\n]*\n)?[!-9;-~]+:")
_LOGGED = re.compile(
    rb"^[> ]*(?:make(?:\[\d+\])?: |checking |g?cc -|configure: |\[(?:INFO|ERROR|WARNING)\]|dpkg|Building |Compiling )",
    re.MULTILINE,
)


def _can_unsubscribe(message: bytes) -> bool:
    return _UNSUBSCRIBE.search(message.partition(b"\n\n")[0]) is not None


def _is_undeclared(message: bytes) -> bool:
    """Return whether *message* has an 8-bit body and does not declare a charset."""
    header, _, body = message.partition(b"\n\n")
    declares = re.search(rb"(?i)charset|multipart", header)
    return _HEADER.match(header) is not None and header.isascii() and not body.isascii() and not declares


def _is_build_log(message: bytes) -> bool:
    return len(_LOGGED.findall(message)) > 2


def _is_html(message: bytes) -> bool:
    return re.search(rb"(?im)^content-type: *text/html", message) is not None


_MBOXES = ("mail/mbox/*",)
_MAIL = ("mail/mbox/*", "mail/eml/*", "mail/eml/spamassassin/*")
_NEWS = ("news/mbox/*", "news/spool/*/*", "news/misc/*")
_DOCS = ("docs/amiga-docs", "docs/deb/*", "docs/emacs")
KINDS: Mapping[str, Kind] = {
    "list mail as text": Kind(_MAIL, "mail", "text"),
    "list mail with List-Unsubscribe as text": Kind(_MAIL, "unsubscribe", "text", only=_can_unsubscribe),
    "list mail as an mbox": Kind(_MAIL, "mail", "mbox"),
    "8-bit mail without a charset": Kind((*_MAIL, *_NEWS), "undeclared", "mbox", only=_is_undeclared),
    "build logs": Kind(_MAIL, "mail", "mbox", only=_is_build_log),
    "HTML mail": Kind(_MAIL, "encoded", "mbox", only=_is_html),
    "Usenet": Kind(_NEWS, "mail", "mbox"),
    "RFCs": Kind(("docs/rfc",), "docs", "text"),
    "documents": Kind(_DOCS, "docs", "text"),
    "web texts (WET)": Kind(("docs/rfc", *_DOCS), "docs", "warc"),
    "bare command over an mbox": Kind(_MBOXES, "mail", command=("--source", "mbox")),
    "jsonl command over an mbox": Kind(_MBOXES, "mail", command=("--source", "mbox", "--format", "jsonl")),
    "csv command over an mbox": Kind(_MBOXES, "mail", command=("--source", "mbox", "--format", "csv")),
    "counting command over an mbox": Kind(_MBOXES, "mail", command=("--source", "mbox", "--count-by", "host")),
    "harvest of an mbox": Kind(_MBOXES, "mail", command=("harvest", "-q", "--source", "mbox", "-o", OUT)),
    "command over one line": Kind((), "line", command=("--source", "text")),
    "ordinary URLs": Kind((), "ordinary", "text"),
    "dense URLs": Kind((), "dense", "text"),
    "torn URLs": Kind((), "torn", "text"),
    "encoded mail": Kind((), "encoded", "mbox"),
}


# What runs under each tree


def _work() -> None:
    """Scan the file that each line of standard input names as its source; print the least CPU seconds, and the URLs."""
    from urlmend import iter_urls  # noqa: PLC0415 -- only the processes below need it

    for line in sys.stdin:
        path, source = json.loads(line)
        data = Path(path).read_bytes()
        start = ended = time.process_time()
        fastest = float("inf")
        while ended - start < SHORTEST:
            urls = sum(1 for _ in iter_urls(BytesIO(data), source=source))
            before, ended = ended, time.process_time()
            fastest = min(fastest, ended - before)
        print(json.dumps([fastest, urls]), flush=True)


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

    def seconds(self, kind: Kind, path: Path) -> tuple[float, int]:
        """Return the CPU seconds that *kind* takes on *path*, and how many URLs it finds."""
        if kind.command:
            return self._command(kind.command, path)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(path), kind.source]) + "\n")
        self._process.stdin.flush()
        seconds, urls = json.loads(self._process.stdout.readline())
        return seconds, urls

    def _command(self, options: tuple[str, ...], path: Path) -> tuple[float, int]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with TemporaryDirectory() as folder:
            given = [str(Path(folder, "out")) if option == OUT else option for option in options]
            command = [sys.executable, "-P", "-m", "urlmend", *given, str(path)]
            done = subprocess.run(command, env=self._environment, check=True, capture_output=True)  # noqa: S603
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds, done.stdout.count(b"\n")

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def samples_of(kind: Kind) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the sample of each archive with text of *kind*: a generated one without the real corpora."""
    shared = environ.get("URLMEND_SHARED")
    if not shared or not kind.archives:
        yield "generated", _written(kind, [_GENERATED[kind.generated]()])
        return
    corpora = Path(shared, "corpora")
    archives: dict[str, list[Path]] = {}
    for path in sorted(path for pattern in kind.archives for path in corpora.glob(pattern)):
        name = re.split(r"[-_.]?[0-9]", path.name)[0] if path.is_file() else str(path.relative_to(corpora))
        archives.setdefault(name, []).extend([path] if path.is_file() else sorted(path.rglob("*")))
    samples: dict[str, bytes] = {}
    for name, paths in archives.items():
        pieces = [piece for path in paths if path.is_file() for piece in _pieces(kind, path)]
        every = max(1, sum(map(len, pieces)) // SAMPLE)
        sample = _written(kind, pieces[::every])
        if len(sample) >= LEAST:
            samples[name] = sample
    # What a command takes for 1 MB is mostly its start.
    yield from [(f"{len(samples)} archives", b"".join(samples.values()))] if kind.command else samples.items()


def _pieces(kind: Kind, path: Path) -> Iterator[bytes]:
    """Yield the file at *path*, or those of its messages that are of *kind*, each after a `From ` line."""
    data = path.read_bytes()
    if kind.archives[0].startswith("docs"):
        yield data.rstrip(b"\n") + b"\n\n"
        return
    for message in filter(None, _FROM_LINE.split(data)):
        if kind.only is None or kind.only(message):
            from_line = b"" if message.startswith(b"From ") else b"From jane@a.example Sun Jan  1 00:00:00 2026\n"
            yield from_line + message.rstrip(b"\n") + b"\n\n"


def _written(kind: Kind, pieces: Iterable[bytes]) -> bytes:
    """Return the first SAMPLE bytes of *pieces*; as records, where they are read as a web archive."""
    data = b"".join(pieces)[:SAMPLE]
    if kind.source != "warc":
        return data
    from benchmarks.haystacks import wet  # noqa: PLC0415 -- the scanning processes need none of them

    return wet(data[at : at + PAGE] for at in range(0, len(data), PAGE))


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
    "ordinary": lambda: _haystack("ordinary"),
    "dense": lambda: _haystack("only-urls"),
    "torn": lambda: _haystack("torn"),
    "encoded": lambda: _haystack("encoded"),
    "line": lambda: b"See http://a.example/b, which is all.\n",
}


class Row:
    """What is measured of the sample at *path*: the fewest seconds of each tree, this one first, and its URLs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds = [float("inf"), float("inf")]
        self.urls = [0, 0]

    @property
    def ratio(self) -> float:
        """How many times as fast this tree is."""
        return self.seconds[1] / self.seconds[0]

    @property
    def speed(self) -> float:
        """How many MB this tree scans in a second."""
        return self.path.stat().st_size / 1e6 / self.seconds[0]


_Rows = Mapping[str, Mapping[str, Row]]
"""What is measured, by kind and archive."""


def rows_of(names: Iterable[str], folder: Path) -> _Rows:
    """Write the samples of the kinds called *names* into *folder*, and return a row for each."""
    rows: dict[str, dict[str, Row]] = {}
    for name in names:
        rows[name] = {}
        for archive, sample in samples_of(KINDS[name]):
            path = folder / f"{name}.{len(rows[name])}"
            path.write_bytes(sample)
            rows[name][archive] = Row(path)
    return rows


def measure(rows: _Rows, sources: tuple[Path, Path], engine: str, bytecode: Path, rounds: int) -> None:
    """Measure *rows* with the trees at *sources* in turn."""
    for number in range(rounds):
        trees = [Tree(source, engine, bytecode) for source in sources]
        for name, archives in rows.items():
            for row in archives.values():
                # Who comes first changes from round to round.
                for who in (number % 2, 1 - number % 2):
                    seconds, row.urls[who] = trees[who].seconds(KINDS[name], row.path)
                    row.seconds[who] = min(seconds, row.seconds[who])
        for tree in trees:
            tree.close()


def main() -> int:
    """Print the ratios, the slowest kind first, and what is below the goal."""
    from benchmarks.environment import machine, sources_of  # noqa: PLC0415 -- as above

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"what to measure: {', '.join(KINDS)} (default: all)")
    parser.add_argument("--base", default=BASE, metavar="REV", help=f"the other revision (default: {BASE})")
    parser.add_argument(
        "--installed", type=Path, default=ROOT / "src", metavar="DIR", help="measure what pip installed in DIR"
    )
    parser.add_argument("--goal", type=float, default=GOAL, metavar="RATIO", help=f"(default: {GOAL})")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="(default: 5)")
    parser.add_argument("--engine", choices=["re", "pcre2"], action="append", help="(default: both, one by one)")
    parser.add_argument("--archives", action="store_true", help="print each archive too")
    options = parser.parse_args()
    if unknown := [name for name in options.kinds if name not in KINDS]:
        parser.error(f"unknown: {', '.join(unknown)}")
    lines = []
    with sources_of(options.base) as base, TemporaryDirectory() as folder:
        for engine in options.engine or ["re", "pcre2"]:
            rows = rows_of(options.kinds or KINDS, Path(folder))
            measure(rows, (options.installed.absolute(), base), engine, Path(folder, "bytecode"), options.rounds)
            for name, archives in rows.items():
                for archive, row in archives.items() if options.archives else ():
                    print(f"  {name:40} {engine:6} {row.ratio:6.2f} {row.speed:7.1f} MB/s  {archive}")
                if archives:
                    lines.append(_line(name, engine, archives, options.goal))
    ratios = [ratio for ratio, _ in lines]
    print(f"{'':40} {'engine':6} {'ratio':>6} {'MB/s':>7} {'URLs':>7}  slowest of the archives")
    print(*(text for _, text in sorted(lines)), sep="\n")
    print(f"mean of the kinds: {geometric_mean(ratios):.2f}")
    print(machine(("urlmend", "pcre2", "regex")))
    return 1 if min(ratios) < options.goal else 0


def _line(name: str, engine: str, rows: Mapping[str, Row], goal: float) -> tuple[float, str]:
    """Return the ratio of a kind, and its line in the table."""
    ratio = geometric_mean(row.ratio for row in rows.values())
    speed = harmonic_mean([row.speed for row in rows.values()])
    ours, theirs = (sum(row.urls[tree] for row in rows.values()) for tree in (0, 1))
    slowest = min(rows, key=lambda archive: rows[archive].ratio)
    text = f"{name:40} {engine:6} {ratio:6.2f} {speed:7.1f} {ours:7}  {rows[slowest].ratio:.2f} {slowest}"
    if len(rows) > 1:
        text += f" (of {len(rows)})"
    text += "" if ours == theirs else f", {theirs} URLs there"
    return ratio, text + (", below the goal" if ratio < goal else "")


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        _work()
    else:
        sys.exit(main())
