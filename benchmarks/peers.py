"""How fast urlmend is beside other finders: MB/s, URLs found, and the ratio to urlmend, all in one run.

usage: URLMEND_SHARED=DIR python benchmarks/peers.py [--install] [--size 1GB] [--write]

Libraries are timed inside their process, from text in memory (decoded for those that take text: that is given to them)
to a list of URLs: by the CPU time of the main thread, so that programs that run meanwhile count less. Node's and Perl's
libraries are timed in the same way inside theirs, by what Linux tells in /proc; for Rust's that is too coarse, which is
timed by the clock. urlmend reads a binary file object with all defaults: it decodes, mends, parses and validates within
its time, which no other finder does. It is in the first row as it is without PCRE2.
Programs are timed from start to exit, from a file to a file of URLs, one a line.

Every peer is timed best of ROUNDS, in turn with urlmend on the same text: `MB/s` is the peer's, and `urlmend ÷ peer` is
how many times as fast urlmend was there. A slow peer gets a slice of the text, pieces from all over it; the size of the
slice and urlmend's count there are in its row. What is a URL differs: `www.a.example` and `a.example` are some to
linkify-it and urlextract, and a pattern ends none where a reader would. How right they are is for accuracy.py.

The texts: list mail (the mboxes) and RFCs of DIR/corpora, and for the faster programs an archive of
`--size`, the mboxes repeated. `--install` makes a virtual environment with the peers, asks apt-get for the Debian
packages, and runs there. `--write` puts the tables into README.md beside this file.
"""

import argparse
import importlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, NamedTuple, TypeVar

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.environment import (  # noqa: E402 -- found there
    built_with_linkify,
    installed_version,
    linkify_version,
    machine,
    run_installed,
    uri_find_version,
)
from corpora.generate import parse_size  # noqa: E402 -- as above

DISTRIBUTIONS = ("pcre2", "urlextract", "linkify-it-py", "iocextract", "requests", "google-re2", "hyperscan")
NODE_PACKAGES = ("linkify-it",)
DEBIAN_PACKAGES = ("ripgrep", "liburi-find-perl", "librust-linkify-dev")
ROUNDS = 3
SLICE_SECONDS = 1.0
"""A slice is doubled until a peer takes half of this for it, or it is the whole text."""
FIRST_SLICE = 100_000
PIECES = 20
LEAST_RATE = 100e6
"""Programs slower than this, in bytes a second, are not asked to read the archive; Node could not hold it anyway."""

SCHEMES = "https?|ftp|gopher|telnet|nntp|wais|file|prospero"
PATTERN = rf'\b(({SCHEMES})://|(mailto|news|urn):)[^[:space:]<>"]+'
"""The pattern for all that take one: what a person would write for grep."""
PYTHON_PATTERN = PATTERN.replace("[:space:]", r"\s").encode()

NODE = """
const fs = require('fs'), {LinkifyIt} = require('linkify-it'), linkify = new LinkifyIt();
const text = fs.readFileSync(process.argv[2], 'utf8');
const cpu = () => Number(fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e9;
const start = cpu();
const urls = (linkify.match(text) || []).map(link => link.url);
const seconds = cpu() - start;
if (process.argv[1] === 'time') console.log(seconds, urls.length);
else fs.writeSync(1, urls.join('\\n') + '\\n');
"""
PERL = r"""
use URI::Find; my ($mode, $path) = @ARGV;
sub cpu { local $/ = "\n"; open my $file, '<', '/proc/self/schedstat' or die; (split ' ', <$file>)[0] / 1e9 }
open my $file, '<:raw', $path or die; local $/; my $text = <$file>; utf8::decode($text);
my @urls; my $start = cpu();
URI::Find->new(sub { push @urls, "$_[0]"; $_[1] })->find(\$text);
my $seconds = cpu() - $start; binmode STDOUT, ':utf8';
print $mode eq 'time' ? "$seconds " . @urls . "\n" : join('', map { "$_\n" } @urls);
"""
RUST = """use std::{env, fs, io::{self, Write}, time::Instant};
fn main() {
    let arguments: Vec<String> = env::args().collect();
    let bytes = fs::read(&arguments[2]).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let mut finder = linkify::LinkFinder::new();
    finder.kinds(&[linkify::LinkKind::Url]);
    let start = Instant::now();
    if arguments[1] == "time" {
        let urls: Vec<&str> = finder.links(&text).map(|link| link.as_str()).collect();
        println!("{} {}", start.elapsed().as_secs_f64(), urls.len());
    } else {
        let mut output = io::BufWriter::new(io::stdout().lock());
        for link in finder.links(&text) {
            writeln!(output, "{}", link.as_str()).unwrap();
        }
    }
}
"""


class Measured(NamedTuple):
    """One pass over a text."""

    seconds: float
    urls: int


class Peer(NamedTuple):
    """A finder: `measure` passes once over the file that it gets."""

    name: str
    version: str
    measure: Callable[[Path], Measured]


# The libraries


def in_process(find: Callable[[Any], Any], prepare: Callable[[bytes], Any] = bytes) -> Callable[[Path], Measured]:
    """Return a measure of *find*, which gets what *prepare* makes of the bytes, outside of the time."""

    def measure(path: Path) -> Measured:
        text = prepare(path.read_bytes())
        start = thread_time()
        urls = find(text)
        return Measured(thread_time() - start, len(urls))

    return measure


def decoded(data: bytes) -> str:
    """Return *data* as the text that it mostly is."""
    return data.decode("utf-8", "replace")


def urlmend_library(name: str = "urlmend", pcre2_from: int = sys.maxsize) -> Peer:
    """Return urlmend as a library, all defaults; texts of *pcre2_from* octets are searched with PCRE2."""
    from urlmend import iter_urls  # noqa: PLC0415 -- --install runs without
    from urlmend.scan import regex_engine  # noqa: PLC0415 -- --install runs without

    def find(file: io.BytesIO) -> list[Any]:
        regex_engine.WORTH_IT = pcre2_from
        return list(iter_urls(file, source="text"))

    return Peer(name, installed_version("urlmend"), in_process(find, io.BytesIO))


def fast_library() -> Peer:
    """Return urlmend with PCRE2."""
    importlib.import_module("pcre2")
    return urlmend_library("`urlmend[fast]`", 4096)


def pattern_library() -> Peer:
    """Return Python's re."""
    pattern = re.compile(PYTHON_PATTERN)
    version = ".".join(map(str, sys.version_info[:3]))
    return Peer("`re`, a pattern", version, in_process(lambda data: [found[0] for found in pattern.finditer(data)]))


def re2_library() -> Peer:
    """Return google-re2."""
    pattern = importlib.import_module("re2").compile(PYTHON_PATTERN)
    find = in_process(lambda data: [found[0] for found in pattern.finditer(data)])
    return Peer("google-re2, same pattern", installed_version("google-re2"), find)


def hyperscan_library() -> Peer:
    """Return hyperscan; it tells every end that a match could have, so that it is asked for the first only."""
    hyperscan = importlib.import_module("hyperscan")
    database = hyperscan.Database()
    pattern = PYTHON_PATTERN.removesuffix(b"+")
    database.compile(expressions=[pattern], flags=[hyperscan.HS_FLAG_SOM_LEFTMOST])

    def find(data: bytes) -> list[int]:
        starts: list[int] = []
        database.scan(data, match_event_handler=lambda _id, start, _end, _flags, _context: starts.append(start))
        return starts

    return Peer("hyperscan, where the pattern starts", installed_version("hyperscan"), in_process(find))


def linkify_it_library() -> Peer:
    """Return linkify-it-py."""
    linkify = importlib.import_module("linkify_it").LinkifyIt()
    find = in_process(lambda text: linkify.match(text) or [], decoded)
    return Peer("linkify-it-py", installed_version("linkify-it-py"), find)


def urlextract_library() -> Peer:
    """Return urlextract."""
    extractor = importlib.import_module("urlextract").URLExtract(cache_dir=tempfile.mkdtemp())
    return Peer("urlextract", installed_version("urlextract"), in_process(extractor.find_urls, decoded))


def iocextract_library() -> Peer:
    """Return iocextract."""
    extract = importlib.import_module("iocextract").extract_urls
    return Peer("iocextract", installed_version("iocextract"), in_process(lambda text: list(extract(text)), decoded))


# What runs in a process of its own, as a library and as a program


class Command(NamedTuple):
    """A program: its arguments before the file's name, and those with which it times itself, where it can."""

    name: str
    version: str
    arguments: Sequence[str]
    timing: Sequence[str] = ()

    def program(self) -> Peer:
        """Return the program, timed from start to exit."""
        return Peer(self.name, self.version, self._whole)

    def library(self) -> Peer:
        """Return what times itself."""
        return Peer(self.name, self.version, self._inside)

    def _whole(self, path: Path) -> Measured:
        # Into a file: grep stops at the first match where it sees that nobody reads on.
        with tempfile.TemporaryFile() as output:
            start = perf_counter()
            subprocess.run([*self.arguments, str(path)], stdout=output, check=True, env=environment())  # noqa: S603
            seconds = perf_counter() - start
            output.seek(0)
            return Measured(seconds, sum(1 for _ in output))

    def _inside(self, path: Path) -> Measured:
        command = [*self.timing, str(path)]
        seconds, urls = subprocess.run(  # noqa: S603
            command, stdout=subprocess.PIPE, check=True, text=True, env=environment()
        ).stdout.split()
        return Measured(float(seconds), int(urls))


def environment() -> dict[str, str]:
    """Return the environment of the programs: grep is many times slower under a locale with UTF-8."""
    return {"URLMEND_ENGINE": "re", **os.environ, "LC_ALL": "C", "NODE_PATH": str(Path(sys.prefix, "node_modules"))}


def urlmend_command(jobs: int = 1) -> Command:
    """Return the command urlmend, with so many *jobs*."""
    name = "urlmend" if jobs == 1 else f"`urlmend -j {jobs}`"
    return Command(name, installed_version("urlmend"), [sys.executable, "-m", "urlmend", "-j", str(jobs)])


def fast_command(jobs: int = 1) -> Command:
    """Return the command urlmend with PCRE2, as it is where that is installed."""
    importlib.import_module("pcre2")
    name = "`urlmend[fast]`" if jobs == 1 else f"`urlmend[fast] -j {jobs}`"
    arguments = ["env", "URLMEND_ENGINE=", sys.executable, "-m", "urlmend", "-j", str(jobs)]
    return Command(name, installed_version("urlmend"), arguments)


def ripgrep_command() -> Command:
    """Return ripgrep."""
    return Command("`rg -o`", _version("rg"), ["rg", "--no-config", "-a", "-o", "-N", "-I", "-e", PATTERN])


def grep_command() -> Command:
    """Return GNU grep."""
    return Command("`grep -oE`", _version("grep"), ["grep", "-a", "-o", "-h", "-E", PATTERN])


def _version(program: str) -> str:
    printed = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout  # noqa: S603
    return printed.split("\n", 1)[0].split()[-1]


def node_command() -> Command:
    """Return linkify-it under Node."""
    manifest = Path(sys.prefix, "node_modules", "linkify-it", "package.json")
    version = re.findall(r'"version": *"([^"]+)"', manifest.read_text("utf-8"))[0]
    return Command("linkify-it (Node)", version, ["node", "-e", NODE, "print"], ["node", "-e", NODE, "time"])


def perl_command() -> Command:
    """Return URI::Find under Perl."""
    return Command("URI::Find (Perl)", uri_find_version(), ["perl", "-e", PERL, "print"], ["perl", "-e", PERL, "time"])


def rust_command() -> Command:
    """Return linkify, built here."""
    version = linkify_version()
    program = str(built_with_linkify(RUST))
    return Command("linkify (Rust)", version, [program, "print"], [program, "time"])


T = TypeVar("T")


def present(makers: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield what *makers* make, and name those on stderr that are not here."""
    for maker in makers:
        try:
            yield maker()
        except (ImportError, FileNotFoundError) as error:
            print(f"{maker.__name__} is left out: {error}", file=sys.stderr)


LIBRARIES = (
    fast_library,
    pattern_library,
    re2_library,
    hyperscan_library,
    linkify_it_library,
    urlextract_library,
    iocextract_library,
)
PROGRAMS = (fast_command, ripgrep_command, grep_command, rust_command, perl_command, node_command)


# The measuring


def sliced(path: Path, size: int) -> Path:
    """Return a file with about *size* bytes of *path*: PIECES pieces from all over it, cut at line ends."""
    data = path.read_bytes()
    if size > len(data) * 2 // 3:
        return path
    part = path.with_name(f"{path.name}.{size}")
    if not part.exists():
        places = [len(data) * number // PIECES for number in range(PIECES)]
        starts = [data.find(b"\n", place) + 1 for place in places]
        part.write_bytes(b"".join(data[start : data.find(b"\n", start + size // PIECES) + 1] for start in starts))
    return part


def bearable(peer: Peer, path: Path) -> Path:
    """Return *path*, or the slice of it that *peer* gets through in about SLICE_SECONDS."""
    size = FIRST_SLICE
    while True:
        part = sliced(path, size)
        if part == path or peer.measure(part).seconds * 2 > SLICE_SECONDS:
            return part
        size *= 2


def best(peers: Sequence[Peer], path: Path) -> list[Measured]:
    """Return each peer's best pass over *path*; the peers take turns."""
    passes = [[peer.measure(path) for peer in peers] for _ in range(ROUNDS)]
    for column in zip(*passes, strict=True):
        assert len({one.urls for one in column}) == 1, "a finder that does not find the same twice"
    return [min(column) for column in zip(*passes, strict=True)]


HEAD = "| finder | version | text | MB/s | urlmend ÷ peer | URLs | urlmend's |\n|:---|:---|---:|---:|---:|---:|---:|"


def table(title: str, urlmend: Peer, peers: Sequence[Peer], path: Path) -> Iterator[str]:
    """Yield the lines of the table of *peers* over *path*; peers that get the whole text take turns with each other."""
    yield f"\n**{title}**\n\n{HEAD}"
    parts = {peer: bearable(peer, path) for peer in peers}
    whole = [urlmend, *(peer for peer in peers if parts[peer] == path)]
    yield from rows(whole, path)
    for peer in peers:
        if parts[peer] != path:
            yield list(rows([urlmend, peer], parts[peer]))[1]


def rows(peers: Sequence[Peer], path: Path) -> Iterator[str]:
    """Yield the lines of *peers*, urlmend first, over the whole of *path*."""
    size = path.stat().st_size
    measured = best(peers, path)
    assert measured[0].urls
    for peer, one in zip(peers, measured, strict=True):
        rate = size / one.seconds / 1e6
        figures = (f"{size / 1e6:.1f} MB", f"{rate:.1f}" if rate < 100 else f"{rate:.0f}")
        times = f"{one.seconds / measured[0].seconds:.3g}"
        yield f"| {peer.name} | {peer.version} | {' | '.join(figures)} | {times} | {one.urls} | {measured[0].urls} |"


def tables(shared: Path, size: int, folder: Path) -> Iterator[str]:
    """Yield the lines of all tables."""
    mail, rfcs = folder / "mail", folder / "rfcs"
    mail.write_bytes(b"".join(path.read_bytes() for path in sorted((shared / "corpora/mail/mbox").iterdir())))
    rfcs.write_bytes(b"".join(path.read_bytes() for path in sorted((shared / "corpora/docs/rfc").iterdir())))
    commands = list(present(PROGRAMS))
    libraries = [*present(LIBRARIES), *(one.library() for one in commands if one.timing)]
    programs = [one.program() for one in commands]
    for name, path in (("list mail", mail), ("RFCs", rfcs)):
        yield from table(f"Libraries, {name}", urlmend_library(), libraries, path)
        yield from table(f"Programs, {name}", urlmend_command().program(), programs, path)
    fast = [peer for peer in programs if peer.measure(mail).seconds * LEAST_RATE < mail.stat().st_size]
    for name, one in (("mail", mail), ("RFCs", rfcs)):
        archive = folder / f"archive of {name}"
        data = one.read_bytes()
        with archive.open("wb") as file:
            while file.tell() < size:
                file.write(data)
        yield f"\n**Programs, {archive.stat().st_size / 1e6:.0f} MB of {name}**\n\n{HEAD}"
        ours = [urlmend_command(), urlmend_command(2), *present((fast_command, lambda: fast_command(2)))]
        yield from rows([*(one.program() for one in ours), *fast], archive)
        archive.unlink()


def write(text: str) -> None:
    """Put *text* between the marks in README.md."""
    readme = Path(__file__).with_name("README.md")
    before, mark, rest = readme.read_text("utf-8").partition("<!-- peers -->\n")
    _, end_mark, after = rest.partition("<!-- /peers -->")
    assert mark
    assert end_mark
    readme.write_text(f"{before}{mark}{text}\n{end_mark}{after}", "utf-8")


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="install the peers first")
    parser.add_argument("--size", type=parse_size, default=parse_size("1GB"), help="of the archive (default: 1GB)")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    options = parser.parse_args()
    arguments = [argument for argument in sys.argv[1:] if argument != "--install"]
    shared = os.environ.get("URLMEND_SHARED")
    if not shared:
        sys.exit("URLMEND_SHARED is not set: it names the folder with the real corpora")
    if options.install:
        if shutil.which("apt-get"):
            subprocess.run(["apt-get", "install", "-y", "-qq", *DEBIAN_PACKAGES], check=False)  # noqa: S603, S607
        return run_installed(__file__, arguments, DISTRIBUTIONS, npm=NODE_PACKAGES)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for line in tables(Path(shared), options.size, Path(folder)):
            print(line, flush=True)
            lines.append(line)
    command = f"URLMEND_SHARED=DIR python benchmarks/peers.py {' '.join(sys.argv[1:])}".rstrip()
    lines.append(f"\n`{command}`: {machine(('urlmend', 'regex'))}.")
    print(lines[-1])
    if options.write:
        write("\n".join(lines).strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
