"""How fast urlmend and other finders are: MB/s, URLs found, and the ratio to urlmend, all in one run.

usage: URLMEND_SHARED=DIR python benchmarks/peers.py [--install] [--size 100MB] [--write]

Libraries are timed inside their process, from text in memory (decoded for those that take text: that is given to them)
to a list of URLs: by the CPU time of the main thread, so that programs that run meanwhile count less. Node's and Perl's
libraries are timed in the same way inside theirs, by what Linux tells in /proc; for Rust's that is too coarse, which is
timed by the clock. urlmend reads a binary file object, and mends, parses and validates within its time, which no other
finder does. It is in the first row as it is without PCRE2. Programs are timed from start to exit, from a file to a file
of URLs, one a line: by the CPU time of their processes. What several processes gain is for jobs.py. Each row names the
source that was read: `text` is the bytes as they are, `mbox` is messages, which are decoded, and `auto` is what
urlmend's command reads by default. Its other options are the defaults, too.

Every peer is timed best of ROUNDS, in turn with urlmend on the same text: `MB/s` is the peer's, and `urlmend ÷ peer` is
how many times as fast urlmend was there. A slow peer gets a slice of the text, pieces from all over it; the size of the
slice and urlmend's count there are in its row. What is a URL differs: `www.a.example` and `a.example` are some to
linkify-it and urlextract, and a pattern ends none where a reader would. How right they are is for accuracy.py.

The texts: list mail (the mboxes), a news group's mbox, a news spool and RFCs of DIR/corpora, and for the faster
programs an archive of `--size`, the mboxes repeated. Libraries that decode read list mail and encoded messages as an
mbox. `--install`
makes a virtual environment with the peers, asks apt-get for the Debian packages, and runs there. `--write` puts the
tables into README.md beside this file; peers_chart.py makes a picture of them.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import finders  # noqa: E402 -- found there
from benchmarks.environment import machine, run_installed  # noqa: E402 -- as above
from benchmarks.finders import Command, Measured, Peer, present  # noqa: E402 -- as above
from corpora.generate import parse_size  # noqa: E402 -- as above

DISTRIBUTIONS = (
    *("pcre2", "urlextract", "linkify-it-py", "iocextract", "requests", "google-re2", "hyperscan"),
    *("selectolax", "iocsearcher"),
)
NODE_PACKAGES = ("linkify-it",)
DEBIAN_PACKAGES = ("ripgrep", "liburi-find-perl", "librust-linkify-dev", "golang-go", "golang-mvdan-xurls-dev")
ROUNDS = 4
NEWS_SIZE = 20_000_000
"""How many bytes of news are packed, about."""
SLICE_SECONDS = 1.0
"""A slice is doubled until a peer takes half of this for it, or it is the whole text."""
FIRST_SLICE = 100_000
PIECES = 20
LEAST_RATE = 30e6
"""Programs slower than this, in bytes a second, are not asked to read the archive; Node could not hold it anyway."""

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


def rows(peers: Sequence[Peer], path: Path, size: int | None = None) -> Iterator[str]:
    """Yield the lines of *peers*, urlmend first, over the whole of *path*, which has *size* bytes."""
    size = size or path.stat().st_size
    measured = best(peers, path)
    assert measured[0].urls
    for peer, one in zip(peers, measured, strict=True):
        rate = size / one.seconds / 1e6
        figures = (f"{size / 1e6:.1f} MB, `{peer.source}`", f"{rate:.1f}" if rate < 100 else f"{rate:.0f}")
        times = f"{one.seconds / measured[0].seconds:.3g}"
        yield f"| {peer.name} | {peer.version} | {' | '.join(figures)} | {times} | {one.urls} | {measured[0].urls} |"


class Texts(NamedTuple):
    """What is read, packed into a folder; `spool` is a directory of articles, most of them the group's."""

    mail: Path
    rfcs: Path
    group: Path
    encoded: Path
    spool: Path


FROM = b"From jane@a.example Thu Mar  7 10:06:12 1996\n"
ENCODED = (b"content-transfer-encoding: quoted-printable", b"content-transfer-encoding: base64", b"text/html")


def packed(corpora: Path, folder: Path) -> Texts:
    """Return the texts of *corpora*, packed below *folder*: those of news are there several times."""

    def joined(name: str, files: Sequence[bytes], times: int = 1) -> Path:
        path = folder / name
        path.write_bytes(b"".join(files) * times)
        return path

    single = [path.read_bytes() for path in _files(corpora / "mail/eml")]
    encoded = [FROM + one.replace(b"\nFrom ", b"\n>From ") + b"\n\n" for one in single if _is_encoded(one)]
    group = [path.read_bytes() for path in _files(corpora / "news/mbox")]
    articles = [path.read_bytes() for path in _files(corpora / "news/spool")]
    articles += re.split(rb"(?m)^From [^\n]*\n(?=[!-9;-~]+:)", b"".join(group))[1:]
    (folder / "spool").mkdir()
    for number, article in enumerate(articles * (NEWS_SIZE // sum(map(len, articles)) + 1)):
        (folder / "spool" / str(number)).write_bytes(article)
    return Texts(
        joined("mail", [path.read_bytes() for path in _files(corpora / "mail/mbox")]),
        joined("rfcs", [path.read_bytes() for path in _files(corpora / "docs/rfc")]),
        joined("group", group, NEWS_SIZE // sum(map(len, group)) + 1),
        joined("encoded", encoded, NEWS_SIZE // sum(map(len, encoded)) + 1),
        folder / "spool",
    )


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _is_encoded(message: bytes) -> bool:
    return any(sign in message.lower() for sign in ENCODED)


def tables(texts: Texts, size: int) -> Iterator[str]:
    """Yield the lines of all tables."""
    commands = list(present(finders.PROGRAMS))
    libraries = [*present(finders.LIBRARIES), *(one.library() for one in commands if one.timing)]
    programs = [one.program() for one in commands]
    ours = finders.urlmend_command()
    for name, path in (("list mail", texts.mail), ("a news group's mbox", texts.group), ("RFCs", texts.rfcs)):
        yield from table(f"Libraries, {name}", finders.urlmend_library(), libraries, path)
        yield from table(f"Programs, {name}", ours.program(), programs, path)
    yield from spool_table(ours, commands, texts.spool)
    mail_libraries = list(present(finders.MAIL_LIBRARIES))
    for name, path in (("list mail", texts.mail), ("encoded mail", texts.encoded)):
        decoding = finders.urlmend_library(source="mbox")
        yield from table(f"Libraries that decode, {name}", decoding, mail_libraries, path)
    fast = [peer for peer in programs if peer.measure(texts.mail).seconds * LEAST_RATE < texts.mail.stat().st_size]
    for name, one in (("mail", texts.mail), ("RFCs", texts.rfcs)):
        archive = one.with_name(f"archive of {name}")
        data = one.read_bytes()
        with archive.open("wb") as file:
            while file.tell() < size:
                file.write(data)
        yield f"\n**Programs, {archive.stat().st_size / 1e6:.0f} MB of {name}**\n\n{HEAD}"
        yield from rows([ours.program(), *fast], archive)
        archive.unlink()


def spool_table(ours: Command, commands: Sequence[Command], spool: Path) -> Iterator[str]:
    """Yield the lines of the table of the programs that read directories, over a news spool."""
    peers = [one.on_directories().program() for one in (ours, *commands) if one.recursive is not None]
    number, size = len(_files(spool)), sum(path.stat().st_size for path in _files(spool))
    yield f"\n**Programs, a news spool of {number} articles**\n\n{HEAD}"
    yield from rows(peers, spool, size)


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
    parser.add_argument(
        "--size",
        type=parse_size,
        default=parse_size("100MB"),
        help="of the archive (default: 100MB; more than 512MB is too much for Node)",
    )
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
        for line in tables(packed(Path(shared, "corpora"), Path(folder)), options.size):
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
