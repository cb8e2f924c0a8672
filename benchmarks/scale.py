"""What large archives would take: single-core rates measured here, and the sums of SCALE.md made from them.

usage: URLMEND_SHARED=DIR python benchmarks/scale.py [--size 100MB] [--rounds N] [--write]

A file of web texts (WET: WARC conversion records, each its own gzip member) is made of the documents of the real
corpora, cut as web pages are long, and read as Spark's workers would, by way of
Arrow, and by `iter_urls`. Mail is the archives of the real corpora, plain and compressed. CPU time, best of the rounds.
`--write` puts the tables into benchmarks/SCALE.md.
"""

import argparse
import gzip
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from fastwarc import ArchiveIterator, WarcRecordType
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environment import machine, peak_memory
from benchmarks.haystacks import wet
from corpora.generate import parse_size

from urlmend import iter_texts, iter_urls
from urlmend.arrow import extract_batches

SCALE = Path(__file__).parent / "SCALE.md"
PAGE = 6000
"""How long a web page's text is, about, in bytes: an assumption."""
BATCH = 1000
"""How many records make a batch: some 6 MB."""


def pages(folder: Path, size: int) -> Iterator[bytes]:
    """Yield texts as long as those of web pages, until they have *size* bytes."""
    rng = random.Random(1738)
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".tsv"]
    rng.shuffle(paths)
    while size > 0:
        for path in paths:
            text = path.read_bytes().decode(errors="replace").encode()
            start = 0
            while start < len(text) and size > 0:
                length = int(rng.lognormvariate(0, 1) * PAGE / 1.65) + 1  # exp(1 / 2) is the mean of the distribution
                yield text[start : start + length]
                start += length
                size -= length


def records(file: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the address and the text of each record, by fastwarc."""
    for record in ArchiveIterator(BytesIO(file), record_types=WarcRecordType.conversion, parse_http=False):
        yield record.headers["WARC-Target-URI"], record.reader.read()


def batches(file: bytes) -> Iterator[Any]:
    """Yield the records as batches of their addresses and texts."""
    held: list[tuple[str, bytes]] = []
    for record in records(file):
        held.append(record)
        if len(held) == BATCH:
            yield pa.record_batch(dict(zip(("id", "text"), zip(*held, strict=True), strict=True)))
            held.clear()
    if held:
        yield pa.record_batch(dict(zip(("id", "text"), zip(*held, strict=True), strict=True)))


def by_arrow(file: bytes) -> int:
    """Count the URLs of a WET file by way of Arrow."""
    return sum(made.num_rows for made in extract_batches(batches(file)))


def found(files: Iterable[bytes]) -> int:
    """Count the URLs of *files*."""
    return sum(1 for file in files for _ in iter_urls(BytesIO(file)))


def decoded(files: Iterable[bytes]) -> int:
    """Count the texts of *files*."""
    return sum(1 for file in files for _ in iter_texts(BytesIO(file)))


def stored(file: bytes) -> int:
    """Return how many bytes the URLs of a WET file have in Parquet."""
    out = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_batches(extract_batches(batches(file))), out, compression="zstd")
    return int(out.getvalue().size)


class Rate(NamedTuple):
    """How fast a work is: what it found, and the megabytes (of what is uncompressed) in a second of one core."""

    name: str
    found: int
    rate: float


def rate(name: str, size: int, work: Callable[[], int], rounds: int) -> Rate:
    """Measure *work* on *size* bytes."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        count = work()
        spent.append(time.process_time() - start)
    return Rate(name, count, size / min(spent) / 1e6)


def rates(corpora: Path, size: int, rounds: int) -> tuple[list[Rate], dict[str, float]]:
    """Return the rates, and the ratios that the sums need."""
    texts = list(pages(corpora / "docs", size))
    web = wet(texts)
    web_size = sum(map(len, texts))
    archives = [path.read_bytes() for path in sorted((corpora / "mail" / "mbox").glob("*.mbox"))]
    compressed = [gzip.compress(archive, 6) for archive in archives]
    letters = [path.read_bytes() for path in sorted((corpora / "mail" / "eml").rglob("*")) if path.is_file()]
    mail_size, letters_size = sum(map(len, archives)), sum(map(len, letters))
    made = [
        rate("WET: fastwarc alone (records)", web_size, lambda: sum(1 for _ in records(web)), rounds),
        rate("WET: fastwarc, then Arrow", web_size, partial(by_arrow, web), rounds),
        rate("WET: the library itself", web_size, partial(found, [web]), rounds),
        rate("list mail, mbox: decoding alone (texts)", mail_size, partial(decoded, archives), rounds),
        rate("list mail, mbox", mail_size, partial(found, archives), rounds),
        rate("list mail, mbox.gz", mail_size, partial(found, compressed), rounds),
        rate("HTML, quoted-printable and base64 mail, a message a file", letters_size, partial(found, letters), rounds),
    ]
    ratios = {
        "pages": len(texts),
        "web": web_size,
        "web_ratio": web_size / len(web),
        "web_urls": made[1].found / web_size,
        "row": stored(web) / made[1].found,
        "mail_ratio": mail_size / sum(map(len, compressed)),
        "mail_urls": made[4].found / mail_size,
    }
    return made, ratios


MONTH = (30_000, 150e6)
"""A month of Common Crawl's WET: files, and the bytes of each, compressed: assumptions."""
MAIL = 10e12
"""The mail archive: bytes, uncompressed."""
RICH = 0.2
"""The share of the archive's bytes that is HTML and encoded mail: an assumption."""


def sums(made: list[Rate], ratios: dict[str, float]) -> Iterator[str]:
    """Yield the table of what the two archives would take."""
    by_name = {one.name: one.rate * 1e6 for one in made}
    files, size = MONTH
    text = files * size * ratios["web_ratio"]
    rich = by_name["HTML, quoted-printable and base64 mail, a message a file"]
    mail_spent = MAIL * ((1 - RICH) / by_name["list mail, mbox"] + RICH / rich)
    yield "| archive | text | core hours | hours on 16, 64, 256 cores | URLs | Parquet |"
    yield "|:---|---:|---:|---:|---:|---:|"
    for name, whole, spent, density in (
        ("Common Crawl's WET, a month", text, text / by_name["WET: the library itself"], ratios["web_urls"]),
        ("the same, by fastwarc and Arrow", text, text / by_name["WET: fastwarc, then Arrow"], ratios["web_urls"]),
        ("mail, 10 TB", MAIL, mail_spent, ratios["mail_urls"]),
    ):
        hours = spent / 3600
        urls = whole * density
        each = ", ".join(f"{hours / cores:.1f}" for cores in (16, 64, 256))
        yield (
            f"| {name} | {whole / 1e12:.1f} TB | {hours:.0f} | {each} | {urls / 1e9:.1f} thousand million | "
            f"{urls * ratios['row'] / 1e9:.0f} GB |"
        )


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=parse_size, default=parse_size("100MB"), help="of the WET file's texts [100MB]")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured; the best counts [3]")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/SCALE.md")
    options = parser.parse_args()
    folder = os.environ.get("URLMEND_SHARED")
    if folder is None:
        sys.exit("URLMEND_SHARED is not set: it names the folder with the real corpora")
    made, ratios = rates(Path(folder, "corpora"), options.size, options.rounds)
    lines = ["| one core | MB/s | found |", "|:---|---:|---:|"]
    lines += [f"| {one.name} | {one.rate:.0f} | {one.found} |" for one in made]
    told = (
        f"The WET file: {ratios['web'] / 1e6:.0f} MB of text in {ratios['pages']:.0f} records, compressed to one part "
        f"in {ratios['web_ratio']:.1f} (mail: {ratios['mail_ratio']:.1f}). A row has "
        f"{ratios['row']:.0f} bytes in Parquet. Peak memory of the run, with all texts in it: {peak_memory():.0f} MB. "
        f"{machine(('urlmend', 'fastwarc', 'pyarrow'))}."
    )
    lines += ["", told, "", *sums(made, ratios)]
    written = "\n".join(lines)
    print(written)
    if options.write:
        text = SCALE.read_text("utf-8")
        SCALE.write_text(
            re.sub(r"(<!-- sums -->\n).*(\n<!-- /sums -->)", rf"\g<1>{written}\g<2>", text, flags=re.DOTALL)
        )


if __name__ == "__main__":
    main()
