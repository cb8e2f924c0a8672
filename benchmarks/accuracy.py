"""How right urlmend is on real text, compared with the finders that can be installed.

usage: URLMEND_SHARED=DIR python benchmarks/accuracy.py [--install] [--wrong]

Three measures in precision, recall, F1 and the share of texts exactly right: `dev`, hand-labelled windows of mail, news
and documents, by stratum (DIR/gold); `natural`, RFC text whose angle brackets were removed, so that the truth is known
(DIR/gold); `generated`, mail, news and documents made by corpora/generate.py, with every kind of break, which need no
DIR. Then `wild`, places in archives not seen in development (DIR/gold/wild), and how far confidence can be trusted.

`--install` makes a virtual environment with the peers and runs there; else those are used that are importable.
`--wrong` lists what urlmend got wrong. A text's URLs are compared as its labels say: in any order, schemes in any case,
alternatives accepted, optional ones counted for nobody.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import wild  # noqa: E402 -- found there
from benchmarks.environment import built_with_linkify, run_installed, uri_find_version  # noqa: E402 -- found there

from urlmend import find_urls  # noqa: E402 -- as above

Finder = Callable[[str], list[str]]
PEERS = ("urlextract", "linkify-it-py", "iocextract", "requests", "urlscan")


class Label(NamedTuple):
    """A URL in a text: any of `accepted` is right; an optional one is not counted."""

    accepted: frozenset[str]
    optional: bool


class Sample(NamedTuple):
    """A text, the group that it is counted in, and its labels."""

    text: str
    stratum: str
    labels: tuple[Label, ...]


class Score(NamedTuple):
    """What was found rightly and wrongly, what was missed, and how many texts were exactly right of how many."""

    found: int = 0
    wrong: int = 0
    missed: int = 0
    exact: int = 0
    texts: int = 0

    def __add__(self, other: "Score") -> "Score":  # type: ignore[override]
        return Score(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        """The share of what was found that is right."""
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of the URLs that were found."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.found else 0.0


def normalised(url: str) -> str:
    """Return *url* with its scheme in lower case."""
    scheme, colon, rest = url.partition(":")
    return scheme.lower() + colon + rest


def score(sample: Sample, urls: Iterable[str]) -> tuple[Score, list[str], list[str]]:
    """Compare *urls* with the labels of *sample*; return the score, what is wrong and what was missed."""
    left = [normalised(url) for url in urls]
    found = 0
    missed = []
    for label in sorted(sample.labels, key=lambda label: label.optional):
        hit = next((url for url in left if url in label.accepted), None)
        if hit is None and label.optional:
            # An optional URL may be reported in any form.
            starts = {url[:12] for url in label.accepted}
            hit = next((url for url in left if any(url.startswith(s) or s.startswith(url[:12]) for s in starts)), None)
        if hit is not None:
            left.remove(hit)
            found += not label.optional
        elif not label.optional:
            missed.append(min(label.accepted))
    return Score(found, len(left), len(missed), int(not left and not missed), 1), left, missed


def gold(shared: Path, name: str) -> Iterator[Sample]:
    """Yield the windows of DIR/gold/NAME with their labels."""
    labels = {}
    for line in (shared / "gold" / f"{name}.labels.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        labels[record["id"]] = tuple(
            Label(
                frozenset(map(normalised, (url["url"], *url.get("alt", ())))),
                bool(url.get("optional") or url.get("edge")),
            )
            for url in record["urls"]
        )
    for line in (shared / "gold" / f"{name}.windows.jsonl").read_text("utf-8").splitlines():
        window = json.loads(line)
        if window["id"] in labels:
            yield Sample(window["text"], window["stratum"], labels[window["id"]])


def generated(size: int = 400_000, seed: int = 11) -> Iterator[Sample]:
    """Yield generated blocks of mail, news and documents; an inserted hyphen may be read either way."""
    generate = _module(ROOT / "corpora" / "generate.py")
    for kind in ("mail", "news", "docs"):
        for block, truths in generate.generate(kind, size, seed, bare_breaks=True):
            labels = tuple(
                Label(
                    frozenset(map(normalised, truth.readings if truth.hyphen == "inserted" else (truth.url,))),
                    optional=False,
                )
                for truth in truths
            )
            yield Sample(block.decode(), kind, labels)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def finders() -> dict[str, Finder]:
    """Return urlmend, a plain pattern, and the peers that are here."""
    plain = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://\S+|\b(?:mailto|news|urn):\S+")
    found: dict[str, Finder] = {
        "urlmend": lambda text: [match.url for match in find_urls(text)],
        r"plain \S+": plain.findall,
    }
    for name, maker in (
        ("urlextract", _urlextract),
        ("linkify-it-py", _linkify_it),
        ("iocextract", _iocextract),
        ("urlscan", _urlscan),
        ("URI::Find", _uri_find),
        ("linkify (Rust)", _linkify_rs),
    ):
        try:
            found[name] = maker()
        except (ImportError, FileNotFoundError) as error:
            print(f"{name} is not here: {error}", file=sys.stderr)
    return found


def _urlextract() -> Finder:
    from urlextract import URLExtract  # noqa: PLC0415

    extractor: Any = URLExtract(cache_dir=tempfile.mkdtemp())

    def find(text: str) -> list[str]:
        # It raises on octets that are no UTF-8.
        found = extractor.find_urls(text.encode(errors="replace").decode())
        return [url for url in found if "://" in url or url.startswith("mailto:")]

    return find


def _linkify_it() -> Finder:
    from linkify_it import LinkifyIt  # noqa: PLC0415

    linkify: Any = LinkifyIt()
    return lambda text: [link.text for link in linkify.match(text) or () if link.schema not in ("", "//")]


def _iocextract() -> Finder:
    import iocextract  # noqa: PLC0415

    return lambda text: list(dict.fromkeys(iocextract.extract_urls(text)))


def _urlscan() -> Finder:
    from urlscan import urlscan  # noqa: PLC0415

    def urls(found: Any) -> Iterator[str]:  # noqa: ANN401 -- lists of lists of chunks, some with a url
        if isinstance(found, list | tuple):
            for item in found:
                yield from urls(item)
        elif (url := getattr(found, "url", None)) and ":" in url:
            yield url

    return lambda text: list(urls(urlscan.extracturls(text)))


def _uri_find() -> Finder:
    script = """
        use URI::Find; $| = 1; binmode STDOUT, ':utf8';
        while (my $size = <STDIN>) {
            read STDIN, my $text, $size; utf8::decode($text);
            URI::Find->new(sub { print $_[0], "\\n"; $_[1] })->find(\\$text); print "\\n";
        }"""
    uri_find_version()
    return _process(["perl", "-e", script])


def _linkify_rs() -> Finder:
    program = """use std::io::{self, BufRead, Read, Write};
fn main() {
    let (mut input, mut output, mut size) = (io::stdin().lock(), io::stdout().lock(), String::new());
    while input.read_line(&mut size).unwrap() > 0 {
        let mut bytes = vec![0; size.trim().parse().unwrap()];
        input.read_exact(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for link in linkify::LinkFinder::new().kinds(&[linkify::LinkKind::Url]).links(&text) {
            writeln!(output, "{}", link.as_str()).unwrap();
        }
        writeln!(output).unwrap();
        output.flush().unwrap();
        size.clear();
    }
}
"""
    return _process([str(built_with_linkify(program))])


def _process(command: list[str]) -> Finder:
    """Return a finder that asks a process: a size and a text in, a URL a line and an empty line out."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
    assert process.stdin is not None
    assert process.stdout is not None
    to, back = process.stdin, process.stdout

    def find(text: str) -> list[str]:
        octets = text.encode(errors="replace")
        to.write(b"%d\n" % len(octets) + octets)
        to.flush()
        return [line.decode().rstrip("\n") for line in iter(back.readline, b"\n")]

    return find


def measure(samples: list[Sample], finder: Finder, *, wrong: bool = False) -> dict[str, Score]:
    """Score *finder* on *samples*: over all under the name `all`, and by stratum."""
    scores: dict[str, Score] = defaultdict(Score)
    for sample in samples:
        one, glued, missed = score(sample, finder(sample.text))
        scores["all"] += one
        scores[sample.stratum] += one
        if wrong and (glued or missed):
            print(f"  [{sample.stratum}] missed {missed}, found {glued}")
    return scores


def table(name: str, samples: list[Sample], found: dict[str, Finder], *, wrong: bool = False) -> None:
    """Print the figures of each finder on *samples* as one Markdown table."""
    strata = sorted({sample.stratum for sample in samples})
    urls = sum(not label.optional for sample in samples for label in sample.labels)
    print(f"\n### {name}: {len(samples)} texts, {urls} URLs\n")
    print("| finder | precision | recall | F1 | exact | " + " | ".join(strata) + " |")
    print("|" + "---|" * (5 + len(strata)))
    for finder_name, finder in found.items():
        scores = measure(samples, finder, wrong=wrong and finder_name == "urlmend")
        total = scores["all"]
        figures = [total.precision, total.recall, total.f1, total.exact / total.texts]
        figures += [scores[stratum].f1 for stratum in strata]
        print(f"| {finder_name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |")


def confidences(samples: list[Sample]) -> Iterator[tuple[float, bool]]:
    """Yield the confidence of each bare URL of *samples* that is not sure, and whether it is labelled so."""
    for sample in samples:
        accepted = {url for label in sample.labels for url in label.accepted}
        for match in find_urls(sample.text):
            if match.form == "bare" and match.confidence < 1:
                yield match.confidence, match.url in accepted


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--install", "--wrong"):
        parser.add_argument(option, action="store_true")
    options = parser.parse_args()
    if options.install:
        return run_installed(__file__, [argument for argument in sys.argv[1:] if argument != "--install"], PEERS)
    measures = {}
    if shared := os.environ.get("URLMEND_SHARED"):
        measures = {"dev": list(gold(Path(shared), "dev")), "natural": list(gold(Path(shared), "rfc"))}
    else:
        print("URLMEND_SHARED is not set: dev and natural gold are left out", file=sys.stderr)
    measures["generated"] = list(generated())
    found = finders()
    for name, samples in measures.items():
        table(name, samples, found, wrong=options.wrong)
    if shared:
        wild.places_table(Path(shared), {name: finder for name, finder in found.items() if name != "urlmend"})
        wild.calibration_table(Path(shared), confidences(measures["dev"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
