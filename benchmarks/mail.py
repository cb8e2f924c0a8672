"""Finding URLs in mail with urlmend, with `mailbox` or `email` and a pattern, and with others, alternating in one run.

usage: URLMEND_SHARED=DIR python benchmarks/mail.py [--install] [--rounds N]

The work: every message and part decoded, and every URL found. A plain pattern and a URL finder do not find the same;
the table tells how many each found. `decoding only` is urlmend's `iter_texts`, to compare with what only decodes.
"""

import argparse
import email
import email.policy
import mailbox
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from email.message import Message
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environment import installed_version, machine, run_installed

from urlmend import iter_texts, iter_urls

PATTERN = re.compile(r'(?:https?|ftp)://[^\s<>"]+')
PEERS = ("fast-mail-parser", "urlscan")
ENCODED = (b"content-transfer-encoding: quoted-printable", b"content-transfer-encoding: base64", b"text/html")
SLOW = 200
"""How many files urlscan gets of the single messages."""


class Corpus(NamedTuple):
    """Files of mail: archives, or single messages."""

    name: str
    files: list[Path]
    archives: bool

    @property
    def size(self) -> int:
        """How many bytes the files have together."""
        return sum(path.stat().st_size for path in self.files)


class Way(NamedTuple):
    """A way to the URLs of a file: what it is called, and how it counts them."""

    name: str
    count: Callable[[Path], int]


def decoded(message: Message) -> Iterator[str]:
    """Yield the decoded text of each text part, as the library's documentation shows it."""
    for part in message.walk():
        if part.get_content_maintype() != "text":
            continue
        octets = part.get_payload(decode=True)
        if isinstance(octets, bytes):
            try:
                yield octets.decode(part.get_content_charset("ascii"), "replace")
            except LookupError:
                yield octets.decode("latin-1")


def in_texts(texts: Iterable[str]) -> int:
    """Return how many matches of the plain pattern *texts* have."""
    return sum(1 for text in texts for _ in PATTERN.finditer(text))


def messages(path: Path) -> Iterator[Message]:
    """Yield the messages of an archive or of a single message's file, with the standard library."""
    if path.suffix == ".mbox":
        yield from mailbox.mbox(path, create=False)
    else:
        yield email.message_from_bytes(path.read_bytes())


def standard(path: Path) -> int:
    """Count with `mailbox`, `email` and the plain pattern."""
    return sum(in_texts(decoded(message)) for message in messages(path))


def in_html(message: Message) -> int:
    """Return how many matches the plain pattern has in *message*: in HTML parts in their attributes and their text."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 -- of the extra `test`

    count = 0
    for part in message.walk():
        for text in () if part.is_multipart() else decoded(part):
            if part.get_content_subtype() != "html":
                count += in_texts([text])
                continue
            tree = LexborHTMLParser(text.replace("\0", " ").encode("utf-8", "replace").decode())
            nodes = tree.css("[href], [src], [action], [background]")
            values = (value for node in nodes for value in node.attributes.values() if value)
            count += in_texts([*values, tree.root.text() if tree.root else ""])
    return count


def with_selectolax(path: Path) -> int:
    """Count with `email`, selectolax and the plain pattern."""
    return sum(map(in_html, messages(path)))


def urlmend(path: Path) -> int:
    """Count with urlmend."""
    with path.open("rb") as file:
        return sum(1 for _ in iter_urls(file))


def urlmend_texts(path: Path) -> int:
    """Count the plain pattern in the texts that urlmend decodes."""
    with path.open("rb") as file:
        return in_texts(t.data if isinstance(t.data, str) else t.data.decode("latin-1") for t in iter_texts(file))


def fast_mail_parser(path: Path) -> int:
    """Count the plain pattern in what fast_mail_parser decodes of single messages."""
    from fast_mail_parser import ParseError, parse_email  # noqa: PLC0415 -- installed where it is asked for

    try:
        parsed = parse_email(path.read_bytes())
    except ParseError:
        return 0
    return in_texts([*parsed.text_plain, *parsed.text_html])


def urlscan(path: Path) -> int:
    """Count with urlscan, which reads single messages."""
    from urlscan.urlscan import msgurls  # noqa: PLC0415 -- installed where it is asked for

    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    try:
        return sum(1 for group in msgurls(message) for _ in group)
    except LookupError:
        return 0  # an unknown charset ends it


def corpora() -> list[Corpus]:
    """Return the corpora of `URLMEND_SHARED`."""
    folder = os.environ.get("URLMEND_SHARED")
    if folder is None:
        sys.exit("URLMEND_SHARED is not set: it names the folder with the real corpora")
    mail = Path(folder, "corpora", "mail")
    single = [path for path in sorted((mail / "eml").rglob("*")) if path.is_file()]
    encoded = [path for path in single if any(sign in path.read_bytes().lower() for sign in ENCODED)]
    return [
        Corpus("list mail (mbox)", sorted((mail / "mbox").glob("*.mbox")), archives=True),
        Corpus("HTML, quoted-printable and base64 (single messages)", encoded, archives=False),
        Corpus("other single messages", sorted({*single} - {*encoded}), archives=False),
    ]


def ways(corpus: Corpus) -> list[Way]:
    """Return the ways that can read *corpus*, `standard` first."""
    found = [Way("`mailbox`, `email` and a pattern", standard), Way("urlmend", urlmend)]
    found.append(Way("`mailbox`, `email`, selectolax and a pattern", with_selectolax))
    found.append(Way("urlmend, decoding only, and a pattern", urlmend_texts))
    if not corpus.archives and installed_version("fast-mail-parser"):
        found.append(Way("fast_mail_parser and a pattern", fast_mail_parser))
    return found


def measured(way: Way, files: list[Path]) -> tuple[int, float]:
    """Return how many URLs *way* finds in *files*, and how many seconds of CPU that takes."""
    start = time.process_time()
    count = sum(map(way.count, files))
    return count, time.process_time() - start


def table(corpus: Corpus, rounds: int) -> Iterator[str]:
    """Yield the lines of the table of *corpus*. Each round runs all the ways one after the other."""
    yield f"\n{corpus.name}: {len(corpus.files)} files, {corpus.size / 1e6:.1f} MB\n"
    yield "| way | MB/s | URLs | times `email` and a pattern |"
    yield "|:---|---:|---:|---:|"
    all_ways = ways(corpus)
    results = [[measured(way, corpus.files) for way in all_ways] for _ in range(rounds)]
    for number, way in enumerate(all_ways):
        seconds = statistics.median(result[number][1] for result in results)
        counts = {result[number][0] for result in results}
        assert len(counts) == 1
        ratio = statistics.median(result[0][1] / result[number][1] for result in results)
        yield f"| {way.name} | {corpus.size / seconds / 1e6:.1f} | {counts.pop()} | {ratio:.2f} |"
    if not corpus.archives and installed_version("urlscan"):
        few = corpus._replace(files=corpus.files[:: max(1, len(corpus.files) // SLOW)])
        expected, seconds = measured(all_ways[0], few.files)
        count, slow = measured(Way("urlscan", urlscan), few.files)
        name = f"urlscan ({len(few.files)} of the files; the pattern finds {expected} in them)"
        yield f"| {name} | {few.size / slow / 1e6:.1f} | {count} | {seconds / slow:.2f} |"


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="run in an environment of its own with the peers")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way is gone [5]")
    options = parser.parse_args()
    if options.install:
        arguments = [argument for argument in sys.argv[1:] if argument != "--install"]
        sys.exit(run_installed(__file__, arguments, PEERS))
    print(machine(("urlmend", *PEERS)))
    for corpus in corpora():
        for line in table(corpus, options.rounds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
