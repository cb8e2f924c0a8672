"""How right urlmend is on hosts without a scheme, compared with the finders that can be installed.

usage: URLMEND_SHARED=DIR python benchmarks/schemeless.py [--install] [--wrong]

`schemeless.jsonl` has a label for each of 285 lines, drawn at random (seed 17, at most twelve of a collection
and three of a file) from the decoded texts of DIR/corpora: with `www.`, with a host under a public suffix and a path,
and with such a host alone. It holds no text: `line` begins the SHA-256 of the line, `want` and `optional` are places in
it, in characters. Peers get the line; urlmend gets the whole text, so that what is mended is seen too. `--install`
makes a virtual environment with the peers and runs there; else those are used that are importable.
"""

import argparse
import hashlib
import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.environment import run_installed  # noqa: E402 -- found there

from urlmend import find_urls, iter_texts  # noqa: E402 -- as above

PEERS = (
    *("linkify-it-py", "urlextract", "bleach", "django", "jinja2", "tornado", "iocextract", "ioc-finder"),
    *("commonregex", "twitter-text-parser"),
)
Span = tuple[int, int]


class Line(NamedTuple):
    """A labelled line: what `urlmend` found in it, the places that are `want`ed, and those that are not counted."""

    kind: str
    text: str
    found: tuple[Span, ...]
    want: frozenset[Span]
    optional: frozenset[Span]


def lines(shared: Path) -> Iterator[Line]:
    """Yield the labelled lines, with what urlmend finds there."""
    labels = [json.loads(line) for line in Path(__file__).with_suffix(".jsonl").read_text("ascii").splitlines()]
    for name, group in groupby(sorted(labels, key=lambda label: str(label["path"])), lambda label: str(label["path"])):
        left = {label["line"]: label for label in group}
        with (shared / "corpora" / name).open("rb") as file:
            for text in texts(file):
                yield from _labelled(text, left)


def texts(file: Any) -> Iterator[str]:  # noqa: ANN401 -- a file
    """Yield the texts of *file*, decoded."""
    for _, pieces in groupby(iter_texts(file), lambda text: id(text.origin)):
        data = [piece.data for piece in pieces]
        yield "".join(one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in data)


def _labelled(text: str, left: dict[str, Any]) -> Iterator[Line]:
    start, found = 0, None
    for line in re.split(r"(\r\n|\r|\n)", text):
        label = left.pop(hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:16], None)
        if label is not None:
            if found is None:
                found = [one for one in find_urls(text, schemeless=True) if one.form == "schemeless"]
            end = start + len(line)
            inside = ((one.start - start, min(one.end, end) - start) for one in found if start <= one.start < end)
            want, optional = (frozenset(map(tuple, label[key])) for key in ("want", "optional"))
            yield Line(label["kind"], line, tuple(inside), want, optional)
        start += len(line)


def places(text: str, found: list[str]) -> tuple[Span, ...]:
    """Return the places in *text* of those *found* that have no scheme."""
    spans, pos = [], 0
    for one in found:
        bare = re.sub(r"^(?:https?|ftp)://", "", html.unescape(one))
        start = text.find(bare, pos)
        if start < 0 or not bare:
            continue
        pos = start + len(bare)
        if "://" not in re.split(r"[\s<>\"']", text[:start])[-1] and "@" not in bare:
            spans.append((start, pos))
    return tuple(spans)


def finders() -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    """Yield the peers that are here."""
    made: dict[str, Callable[[], Callable[[str], list[str]]]] = {
        "linkify-it-py": _linkify_it,
        "urlextract": lambda: import_module("urlextract").URLExtract().find_urls,
        "bleach": lambda: _from_html(import_module("bleach").linkify),
        "django": lambda: _from_html(import_module("django.utils.html").urlize),
        "jinja2": lambda: _from_html(import_module("jinja2.utils").urlize),
        "tornado": lambda: _from_html(import_module("tornado.escape").linkify),
        "iocextract": _iocextract,
        "ioc-finder": _ioc_finder,
        "commonregex": _commonregex,
        "twitter-text-parser": _twitter,
        "URI::Find::Schemeless": _uri_find,
    }
    for name, make in made.items():
        try:
            yield name, make()
        except (ImportError, FileNotFoundError) as error:
            print(f"{name} is not here: {error}", file=sys.stderr)


def _linkify_it() -> Callable[[str], list[str]]:
    finder = import_module("linkify_it").LinkifyIt(options={"fuzzy_link": True, "fuzzy_email": False})
    return lambda text: [match.raw for match in finder.match(text) or ()]


def _from_html(link: Callable[[str], str]) -> Callable[[str], list[str]]:
    return lambda text: re.findall(r"<a\b[^>]*>(.*?)</a>", str(link(text)))


def _iocextract() -> Callable[[str], list[str]]:
    extract = import_module("iocextract").extract_urls
    return lambda text: list(extract(text))


def _commonregex() -> Callable[[str], list[str]]:
    parser = import_module("commonregex").CommonRegex
    return lambda text: list(parser(text).links)


def _ioc_finder() -> Callable[[str], list[str]]:
    find = import_module("ioc_finder").find_iocs
    return lambda text: sorted({*find(text)["urls"], *find(text)["domains"]}, key=text.find)


def _twitter() -> Callable[[str], list[str]]:
    extract = import_module("twitter_text").extract_urls_with_indices
    return lambda text: [one["url"] for one in extract(text)]


def _uri_find() -> Callable[[str], list[str]]:
    program = (
        "my @found; URI::Find::Schemeless->new(sub { push @found, $_[1]; $_[1] })->find(\\(my $text = $ARGV[0]));"
        ' binmode STDOUT, ":utf8"; print "$_\\n" for @found'
    )
    command = ["perl", "-MURI::Find::Schemeless", "-CA", "-e", program]
    if subprocess.run([*command, "-"], check=False, capture_output=True).returncode:  # noqa: S603
        raise FileNotFoundError("Debian package liburi-find-perl")

    def find(text: str) -> list[str]:
        asked = subprocess.run([*command, text.replace("\0", " ")], check=False, capture_output=True)  # noqa: S603
        return asked.stdout.decode("utf-8", "replace").splitlines()

    return find


def row(name: str, results: list[tuple[Line, tuple[Span, ...]]]) -> str:
    """Return the row of the table of the finder called *name*."""
    right = sum(len(line.want & set(found)) for line, found in results)
    wrong = sum(len(set(found) - line.want - line.optional) for line, found in results)
    wanted = sum(len(line.want) for line, _ in results)
    return f"| {name} | {right / max(1, right + wrong):.1%} | {right / wanted:.1%} | {right} | {wrong} |"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    asked = parser.parse_args()
    if asked.install:
        return run_installed(__file__, sys.argv[1:], PEERS)
    every = list(lines(Path(os.environ["URLMEND_SHARED"])))
    print(f"{len(every)} lines, {sum(len(line.want) for line in every)} wanted\n")
    print("| finder | precision | recall | right | wrong |\n|---|---|---|---|---|")
    ours = [(line, line.found) for line in every]
    print(row("urlmend", ours))
    for kind in ("www", "path", "alone"):
        print(row(f"urlmend, {kind}", [one for one in ours if one[0].kind == kind]))
    for name, find in finders():
        print(row(name, [(line, places(line.text, find(line.text))) for line in every]))
    if asked.wrong:
        for line, found in ours:
            if set(found) - line.want - line.optional or line.want - set(found):
                print(line.text, [line.text[start:end] for start, end in found])
    return 0


if __name__ == "__main__":
    sys.exit(main())
