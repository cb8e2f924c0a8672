"""Count the URLs of the real corpora that need each departure. The counts are `[seen]` in `docs/fields.toml`.

usage: URLMEND_SHARED=DIR python benchmarks/count_departures.py
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from urlmend import WEB, Rejected, iter_urls
from urlmend.grammar.departures import DEPARTURES
from urlmend.grammar.parser import parse_or_none


def count(files: list[Path]) -> tuple[int, Counter[str]]:
    """Return how many URLs *files* hold, and how many of them each departure is needed for or, if narrower, refuses."""
    counts: Counter[str] = Counter()
    urls = 0
    narrower = [WEB.without(departure.name) for departure in DEPARTURES if departure.narrower]
    names = [departure.name for departure in DEPARTURES if departure.narrower]

    def rejected(reject: Rejected) -> None:
        counts.update(
            name for name, without in zip(names, narrower, strict=True) if parse_or_none(reject.text, without)
        )

    for path in files:
        with path.open("rb") as file:
            for match in iter_urls(file, source="text", rejected=rejected):
                urls += 1
                counts.update(match.departures)
    return urls, counts


def corpus_files(*folders: str) -> Iterator[Path]:
    """Yield the files of the real corpora under *folders* (`mail`, `news`, `docs`), in a fixed order."""
    shared = os.environ.get("URLMEND_SHARED")
    if not shared:
        sys.exit("URLMEND_SHARED is not set: it names the folder with the real corpora")
    for folder in folders or ("mail", "news", "docs"):
        yield from sorted(path for path in Path(shared, "corpora", folder).rglob("*") if path.is_file())


def main() -> None:
    """Print the counts, one departure a line."""
    files = list(corpus_files())
    urls, counts = count(files)
    print(f"{urls} URLs in {len(files)} files")
    for departure in DEPARTURES:
        print(f"{departure.name:20} {counts[departure.name]:7}")


if __name__ == "__main__":
    main()
