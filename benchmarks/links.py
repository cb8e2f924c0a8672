"""How many links the archives of real mail have: a table of what each way of counting gives.

usage: URLMEND_SHARED=DIR python -m benchmarks.links [FOLDER]

FOLDER is `corpora/mail` of DIR by default. The mboxes of a list are one archive, and so is each folder of single
messages; the largest come first. *Found* is every URL, as the command prints them; then header fields other than
Subject are left out; then links are counted, pairs of a message and a URL, as `urlmend --count-by` does; then those
that are not only in signatures, footers of lists or quotes.
"""

import argparse
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from urlmend import URLMatch, count, iter_urls

LISTED = 12
"""How many archives have a row of their own."""


def archives(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each archive below *folder*, by its name, the largest archive first."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            list_name = re.split(r"[-_.]?[0-9]", path.name)[0] if path.suffix == ".mbox" else ""
            found[str((path.parent / list_name).relative_to(folder))].append(path)
    return dict(sorted(found.items(), key=lambda one: -sum(path.stat().st_size for path in one[1])))


def numbers(paths: Iterable[Path]) -> list[int]:
    """Return the numbers of the table for the files *paths*."""
    matches = list(chain.from_iterable(map(_matches, paths)))
    own = [match for match in matches if not (match.quoted or match.origin.signature)]
    return [
        len({(one.origin.source, one.origin.message) for one in matches}),
        len(matches),
        sum(not match.origin.in_header for match in matches),
        sum(count(matches).values()),
        sum(count(own).values()),
    ]


def _matches(path: Path) -> Iterator[URLMatch]:
    try:
        yield from iter_urls(path)
    except OSError as error:
        print(f"{path}: {error}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("URLMEND_SHARED", "."), "corpora", "mail")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=Path, default=default)
    folder = parser.parse_args().folder
    print("| archive | files | messages with URLs | URLs found | without header fields | links | own text only |")
    print("|:---|---:|---:|---:|---:|---:|---:|")
    found = archives(folder)
    rows = [(name, len(paths), *numbers(paths)) for name, paths in found.items()]
    others = [sum(column) for column in zip(*(row[1:] for row in rows[LISTED:]), strict=True)]
    in_all = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    for row in [*rows[:LISTED], *([(f"{len(rows) - LISTED} others", *others)] if others else []), ("all", *in_all)]:
        print(f"| {row[0]} | {' | '.join(f'{number:,}' for number in row[1:])} |")


if __name__ == "__main__":
    main()
