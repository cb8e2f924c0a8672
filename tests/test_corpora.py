"""The samples and generated texts of corpora/: their labels and truths are right, and urlmend finds what they say."""

import json
import re
import sys
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from corpora import generate as generator

from urlmend import Rejected, URLMatch, find_urls, iter_urls

CORPORA = Path(__file__).parents[1] / "corpora"
SAMPLES = CORPORA / "samples"

KINDS = ("mail", "news", "docs")

_LINES = (SAMPLES / "labels.jsonl").read_text("ascii").splitlines()
LABELS: dict[str, list[dict[str, Any]]] = {
    file: list(labels) for file, labels in groupby(map(json.loads, _LINES), lambda label: label["file"])
}


def run(kind: str, size: int, seed: int = 0, **options: Any) -> tuple[bytes, list[Any]]:
    """Return a generated text and the truths about it."""
    blocks = list(generator.generate(kind, size, seed, **options))
    return b"".join(block for block, _ in blocks), [truth for _, truths in blocks for truth in truths]


# The samples


UNSURE = {"http://tapes.example.org/1994/reels/originals/07/part2.tar"}
"""URLs of the samples that may be joined or not."""


@pytest.mark.parametrize("file", LABELS)
def test_the_labelled_urls_of_a_sample_are_found(file: str) -> None:
    with (SAMPLES / file).open("rb") as stream:
        matches = list(iter_urls(stream))
    for match, label in zip(matches, LABELS[file], strict=True):
        if label["url"] in UNSURE:
            assert match.start == label["start"]
            assert set(match.readings) <= set(label["readings"])
            continue
        place = (label["url"], label["form"], label["start"], label["end"], label["raw"], label["readings"])
        assert (match.url, match.form, match.start, match.end, match.raw, list(match.readings)) == place


# The generator


def test_the_archive_is_what_the_generator_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = re.search(r"generate.py (mail .*archive/oldlinks.mbox)", (CORPORA / "README.md").read_text("utf-8"))
    assert command
    *options, name = command[1].split()
    monkeypatch.setattr(sys, "argv", ["generate.py", *options, str(tmp_path / "out")])
    generator.main()
    assert (tmp_path / "out").read_bytes() == (CORPORA.parent / name).read_bytes()


# What is found in generated texts


SEEDS = [17, pytest.param(38, marks=pytest.mark.slow)]


@cache
def found(kind: str, seed: int) -> tuple[list[Any], list[URLMatch], list[Rejected]]:
    """Return the truths about a generated text, and what is found and refused in it."""
    text, truths = run(kind, 100_000, seed)
    rejected: list[Rejected] = []
    return truths, find_urls(text, rejected=rejected.append), rejected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_generated_urls_are_found_and_no_others(kind: str, seed: int) -> None:
    truths, matches, rejected = found(kind, seed)
    assert len(truths) > 200
    assert [(m.form, m.start, m.end, m.raw) for m in matches] == [(t.form, t.start, t.end, t.raw) for t in truths]
    # The empty wrapper is the one candidate that is not a URL.
    assert {one.text for one in rejected} <= {""}
    for truth, match in zip(truths, matches, strict=True):
        assert bool(match.breaks) == truth.broken
        # Where a line end is in doubt, the joined URL is a reading too.
        assert set(truth.readings) <= set(match.readings)
        assert match.confidence < 0.9 or set(truth.readings) == set(match.readings)
        if match.ambiguous:
            assert truth.hyphen != "none"
            # Where words nearby are hyphenated, the reading without the hyphen comes first.
            assert set(match.readings) == set(truth.readings)
        else:
            assert match.url == truth.url
