"""Learn from whole URLs what pieces of URLs look like, and write src/urlmend/mend/grams.py.

usage: URLMEND_SHARED=DIR python -m benchmarks.grams [--write]

From the root of a checkout. The texts are those of `DIR/gold/seams` and the corpora; no label is used but the whole
URLs of the seams. A URL is whole within a line, before a blank line and in brackets. The first words of lines of prose
are counted beside them. Archives count alike, as far as they have enough URLs, and so do hosts.

What is kept are n-grams: of all that were counted, those that change most what shorter ones say.
"""

import argparse
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import log
from pathlib import Path
from random import Random
from typing import Generic, NamedTuple, TypeVar

from benchmarks import known_line_breaks as line_breaks

from urlmend.mend.pieces import LONGEST_GRAM, normal, of_piece
from urlmend.mend.words import CLOSERS

Kind = TypeVar("Kind")


class Tables(NamedTuple, Generic[Kind]):
    """One value for each table: first words of lines, ends of URLs, what follows across a line end, whole words."""

    first: Kind
    end: Kind
    across: Kind
    words: Kind


SIZES = Tables(6000, 12000, 18000, 1000)
"""How many n-grams are kept: of first words, of the ends of URLs, of what stands across a line end; and how many words,
those in the paths of most archives."""

_STEP = 0.5
_UNSEEN = 4.0
"""The weight that the shorter n-gram has beside the counts of a longer one."""
_SYMBOLS = 48
_LEAST = 3
_ENDS = 0.04
_BOUND = 6.0
_MOST_OF_A_HOST = 60
_MOST_PROSE = 30000
_LONGEST_URL = 250
_LONGEST_PATH = 120
_ROOT = Path(__file__).parent.parent
_MODULE = _ROOT / "src/urlmend/mend/grams.py"

Table = Mapping[str, float]


Weights = defaultdict[str, float]


class Counts(NamedTuple):
    """The n-grams of an archive: of pieces of URLs, of words at line starts, and of whole paths; the words of paths."""

    piece: Weights
    prose: Weights
    path: Weights
    word: Weights


# The texts

_FIRST_WORD = re.compile(r"""[^\n]{45,}\n[ \t>|]{0,12}([^\s<>"`]{1,60})(?=[ \t\n])""")


class Archive:
    """The whole URLs of an archive, and the first words of its lines of prose."""

    def __init__(self) -> None:
        self.urls: set[str] = set()
        self.words: Counter[str] = Counter()

    def read(self, text: str) -> None:
        """Add what *text* has."""
        text = text.replace("\r\n", "\n")
        is_encoded = "=3D" in text
        for url in line_breaks.whole_urls(text):
            if not (is_encoded and url.endswith("=")):
                self.urls.add(url.replace("=3D", "=") if is_encoded else url)
        for match in _FIRST_WORD.finditer(text[:200_000]):
            if "://" not in match[0]:
                self.words[match[1].rstrip(CLOSERS)] += 1


def read(shared: Path) -> dict[str, Archive]:
    """Return the archives of the seams and the corpora, by name."""
    archives: dict[str, Archive] = {}
    for name, text, url in line_breaks.texts_of_seams(shared):
        archive = archives.setdefault(name, Archive())
        archive.read(text)
        if url:
            archive.urls.add(url)
    for name, text in line_breaks.texts_of_corpora(shared):
        archives.setdefault(name, Archive()).read(text)
    return archives


# What is counted

_HOST = re.compile(r"[a-z]+://(?:[^/@\s]*@)?([^/:?#]*\.[^/:?#]*)(?::\d*)?", re.IGNORECASE)
_MARK = re.compile(r"[/=&?#_\-.]")
_WORD = re.compile(r"(?<![a-z])[a-z]{4,14}(?![a-z])")


def count(archive: Archive) -> Counts:
    """Return the n-grams of *archive*."""
    chance = Random(4)
    urls = sorted(archive.urls)
    chance.shuffle(urls)
    pieces: Weights = defaultdict(float)
    paths: Weights = defaultdict(float)
    hosts: Counter[str] = Counter()
    for url in urls:
        host = _HOST.match(url)
        if host is None or len(url) > _LONGEST_URL or "..." in url:
            continue
        hosts[host[1].lower()] += 1
        if hosts[host[1].lower()] > _MOST_OF_A_HOST:
            continue
        path = normal(url[host.end() :] or "/")
        paths[f"^{path}$" if len(path) <= _LONGEST_PATH else f"^{path[:_LONGEST_PATH]}"] += 1
        cuts = [match.end() for match in _MARK.finditer(path, 0, len(path) - 1)]
        for cut in cuts:
            pieces[of_piece(path[cut:])] += 3 / len(cuts)
        for _ in range(2 if len(path) > 1 else 0):
            pieces[of_piece(path[chance.randrange(1, len(path)) :])] += 0.5
    known = Weights(float, dict.fromkeys((word for path in paths for word in _WORD.findall(path)), 1.0))
    words: Weights = defaultdict(float)
    for word, number in archive.words.items():
        if word and "://" not in word:
            words[of_piece(normal(word))] += number**0.75
    share = min(1.0, _MOST_PROSE / max(1.0, sum(words.values())))
    return Counts(
        _grams(pieces), _grams({word: number * share for word, number in words.items()}), _grams(paths), known
    )


def _grams(texts: Mapping[str, float]) -> Weights:
    grams: Weights = defaultdict(float)
    for text, number in texts.items():
        for end in range(2, len(text) + 1):
            for start in range(max(0, end - LONGEST_GRAM), end):
                grams[text[start:end]] += number
    return grams


# What is learnt


def learn(counts: Sequence[Counts], sizes: Tables[int] = SIZES) -> Tables[Table]:
    """Return the tables learnt from *counts*, of the *sizes* given."""
    piece, prose, path, word = added(counts)
    of_url, of_prose, of_path = map(_chances, (piece, prose, path))
    all_pieces, all_prose = (max(1.0, sum(n for gram, n in of.items() if len(gram) == 1)) for of in (piece, prose))

    def first(gram: str) -> float:
        return _bounded(log(of_url(gram)) - log(of_prose(gram))) if gram else 0.0

    def end(gram: str) -> float:
        chance = of_path(f"{gram}$") if gram else _ENDS
        return _bounded(log(chance / (1 - chance)))

    def across(gram: str) -> float:
        return _bounded(log(of_path(gram)) - log(of_url(f"^{gram[-1]}"))) if len(gram) > 1 else 0.0

    grams = [gram for gram in {*piece, *prose} if piece[gram] + prose[gram] >= _LEAST]
    ends: Weights = defaultdict(float)
    for gram, number in path.items():
        if len(gram) > 1:
            ends[gram[:-1]] += number
    inside = [
        gram
        for gram, number in path.items()
        if number >= _LEAST and 1 < len(gram) < LONGEST_GRAM and gram[-1] != "$" and gram[0] != "^"
    ]
    return Tables(
        _kept(first, {gram: piece[gram] / all_pieces + prose[gram] / all_prose for gram in grams}, sizes.first),
        _kept(end, {gram: number**0.75 for gram, number in ends.items() if number >= _LEAST}, sizes.end),
        _kept(across, {gram: path[gram] ** 0.75 for gram in inside}, sizes.across),
        dict.fromkeys(sorted(word, key=lambda one: (-word[one], one))[: sizes.words], 1.0),
    )


def _bounded(value: float) -> float:
    return min(max(value, -_BOUND), _BOUND)


def added(counts: Sequence[Counts]) -> Counts:
    """Return the *counts* of several archives as those of one."""
    total = Counts(*(defaultdict(float) for _ in Counts._fields))
    for one in counts:
        for sums, weights in zip(total, one, strict=True):
            for gram, weight in weights.items():
                sums[gram] += weight
    return total


def _chances(counts: Weights) -> Callable[[str], float]:
    """Return the function that gives the probability of the last character of an n-gram after the others."""
    totals: Weights = defaultdict(float)
    for gram, number in counts.items():
        totals[gram[:-1]] += number

    @cache
    def chance(gram: str) -> float:
        if not gram:
            return 1 / _SYMBOLS
        return (counts.get(gram, 0.0) + _UNSEEN * chance(gram[1:])) / (totals.get(gram[:-1], 0.0) + _UNSEEN)

    return chance


def _kept(value: Callable[[str], float], weights: Mapping[str, float], size: int) -> Table:
    """Return the values of the *size* n-grams that change most what the next shorter ones say."""
    gains = {gram: weight * abs(value(gram) - value(gram[1:])) for gram, weight in weights.items()}
    best = sorted(gains, key=lambda gram: (-gains[gram], gram))[:size]
    return {gram: round(value(gram) / _STEP) * _STEP for gram in best}


# The module

_DOCSTRING = '''"""What pieces of URLs look like. Generated by `python -m benchmarks.grams --write`: do not edit.

Each table has n-grams by their log-odds. Letters are small, digits are 0; `^` is the start of a path or a word, `$` its
end.
"""

'''


def module(tables: Tables[Table]) -> str:
    """Return the source of the module of *tables*."""
    return _DOCSTRING + "\n".join("\n".join(_source(name.upper(), table)) for name, table in tables._asdict().items())


def _source(name: str, table: Table) -> Iterator[str]:
    by_value: dict[float, list[str]] = {}
    for gram in sorted(table):
        by_value.setdefault(table[gram], []).append(gram)
    yield f"{name}: dict[float, str] = {{"
    for value in sorted(by_value):
        yield f"    {value}: {' '.join(by_value[value])!r},"
    yield "}\n"


def main() -> None:
    """Count, learn and print what was found; with --write write the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the module")
    options = parser.parse_args()
    archives = read(Path(os.environ["URLMEND_SHARED"]))
    tables = learn([count(archives[name]) for name in sorted(archives)])
    urls, words = sum(len(one.urls) for one in archives.values()), sum(one.words.total() for one in archives.values())
    print(f"{len(archives)} archives, {urls} whole URLs, {words} words at line starts")
    for name, table in tables._asdict().items():
        print(f"{name}: {len(table)} n-grams, {sum(len(gram) + 1 for gram in table)} characters")
    if options.write:
        _MODULE.write_text(module(tables), encoding="utf8")


if __name__ == "__main__":
    main()
