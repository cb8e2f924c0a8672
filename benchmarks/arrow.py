"""Arrow batches and the library's functions on the same texts, alternating in one run, in CPU time.

usage: URLMEND_SHARED=DIR python benchmarks/arrow.py [--rounds N] [--write]

A row's text goes in as an Arrow string (or bytes), and a row of 24 columns comes out for each URL. The library gets
the same texts as Python's, in a list, and gives matches, whose scheme, host and departures nobody asks for.
`--write` puts the table into benchmarks/README.md.
"""

import argparse
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environment import machine

from urlmend import facts, find_urls, iter_urls
from urlmend.arrow import extract_batches

README = Path(__file__).parent / "README.md"
BATCH = 1000
"""How many texts come in a batch."""


class Texts(NamedTuple):
    """Texts, one a row: what they are, and the source that reads them where they are files."""

    name: str
    texts: list[str] | list[bytes]
    source: str = "text"

    @property
    def size(self) -> int:
        """How many characters, or bytes, the texts have together."""
        return sum(map(len, self.texts))


def own(texts: Texts) -> int:
    """Count the URLs with the library's own functions."""
    if texts.source == "text":
        return sum(len(find_urls(text)) for text in texts.texts)
    files = (BytesIO(text) for text in texts.texts if isinstance(text, bytes))
    return sum(1 for file in files for _ in iter_urls(file, source=texts.source))


def batches(texts: Texts) -> list[Any]:
    """Return *texts* as record batches, with a number a row."""
    whole = pa.record_batch({"id": range(len(texts.texts)), "text": pa.array(texts.texts)})
    return [whole.slice(start, BATCH) for start in range(0, whole.num_rows, BATCH)]


def by_arrow(given: list[Any], source: str) -> int:
    """Count the URLs by way of Arrow."""
    return sum(made.num_rows for made in extract_batches(given, source=source))


def measured(work: Callable[[], int]) -> tuple[int, float]:
    """Return what *work* counts and the CPU time that it takes; nothing is remembered from the last time."""
    facts._kept_facts.cache_clear()  # noqa: SLF001 -- each measures its own parsing
    start = time.process_time()
    count = work()
    return count, time.process_time() - start


def corpora() -> Iterator[Texts]:
    """Yield texts of the corpora of `URLMEND_SHARED`."""
    folder = os.environ.get("URLMEND_SHARED")
    if folder is None:
        sys.exit("URLMEND_SHARED is not set: it names the folder with the real corpora")
    root = Path(folder, "corpora")
    archives = [path.read_bytes() for path in sorted((root / "mail" / "mbox").glob("*.mbox"))]
    mail = b"".join(archives).decode("latin-1")
    documents = [path.read_bytes() for path in sorted((root / "docs").rglob("*")) if path.is_file()]
    articles = [path.read_bytes() for path in sorted((root / "news" / "spool").rglob("*")) if path.is_file()]
    letters = [path.read_bytes() for path in sorted((root / "mail" / "eml").rglob("*")) if path.is_file()]
    mixed = [*documents, *articles, *letters, *re.split(b"\n(?=From )", b"".join(archives))]
    yield Texts("list mail, 4 kB a row", cut(mail, 4096))
    yield Texts("documents, 4 kB a row", cut(b"".join(documents).decode("latin-1"), 4096))
    yield Texts("mail, news and documents, each one row", [text.decode(errors="replace") for text in mixed])
    yield Texts("the same, as bytes", mixed)
    yield Texts("list mail, a line a row", mail[: 1 << 23].splitlines())
    yield Texts("nothing but URLs, 4 kB a row", cut("\n".join(map(str, find_urls(mail))), 4096))
    yield Texts("messages, each one row (`message`)", letters, "message")
    yield Texts("archives, each one row (`mbox`)", archives, "mbox")


def cut(text: str, size: int) -> list[str]:
    """Return *text* in pieces of *size* characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def table(rounds: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| texts | rows | MB | URLs | library, MB/s | Arrow, MB/s | Arrow ÷ library |"
    yield "|:---|---:|---:|---:|---:|---:|---:|"
    for texts in corpora():
        given = batches(texts)
        ways = partial(own, texts), partial(by_arrow, given, texts.source)
        results = [[measured(way) for way in ways] for _ in range(rounds)]
        counts = {count for round_ in results for count, _ in round_}
        assert len(counts) == 1, counts
        library, arrow = (min(result[way][1] for result in results) for way in (0, 1))
        ratio = statistics.median(own_time / arrow_time for (_, own_time), (_, arrow_time) in results)
        megabytes = texts.size / 1e6
        yield (
            f"| {texts.name} | {len(texts.texts)} | {megabytes:.1f} | {counts.pop()} | {megabytes / library:.0f} | "
            f"{megabytes / arrow:.0f} | {ratio:.2f} |"
        )


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each way is gone [5]")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/README.md")
    options = parser.parse_args()
    lines = []
    for line in table(options.rounds):
        print(line, flush=True)
        lines.append(line)
    told = machine(("urlmend", "pyarrow"))
    lines += ["", f"CPU time, best of {options.rounds}; the ratio is the median of the rounds. {told}."]
    print(lines[-1])
    if options.write:
        text = README.read_text("utf-8")
        written = "\n".join(lines)
        new = re.sub(r"(<!-- arrow -->\n).*(\n<!-- /arrow -->)", rf"\g<1>{written}\g<2>", text, flags=re.DOTALL)
        README.write_text(new, "utf-8")


if __name__ == "__main__":
    main()
