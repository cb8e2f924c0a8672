"""The samples and the generated corpora: every URL in them is known, and nothing else is found."""

import importlib.util
import json
import sys
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from urlmend import Rejected, URLMatch, find_urls, iter_urls

CORPORA = Path(__file__).parent.parent / "corpora"
_LINES = (CORPORA / "samples" / "labels.jsonl").read_text("ascii").splitlines()
LABELS: dict[str, list[dict[str, Any]]] = {
    file: list(labels) for file, labels in groupby(map(json.loads, _LINES), lambda label: label["file"])
}
KINDS = ("mail", "news", "docs")
SEEDS = (17, 38)
SIZE = 300_000
UNSURE = {"http://tapes.example.org/1994/reels/originals/07/part2.tar"}
"""Joined URLs of the samples of which the weighing is not sure: the joined form is a reading, but not the first."""

DECOYS = ("",)
"""What candidates the generated texts may hold that are no URLs: the empty wrapper."""


@cache
def generated(kind: str, seed: int) -> tuple[bytes, list[Any], list[URLMatch], list[Rejected]]:
    """Return a generated text, the truths about it, and what is found and refused."""
    spec = importlib.util.spec_from_file_location("corpora_generate", CORPORA / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    blocks = list(module.generate(kind, SIZE, seed))
    text = b"".join(block for block, _ in blocks)
    rejected: list[Rejected] = []
    matches = find_urls(text, rejected=rejected.append)
    return text, [truth for _, truths in blocks for truth in truths], matches, rejected


def test_there_are_samples() -> None:
    assert {path.name for path in (CORPORA / "samples").iterdir() if path.is_file()} == {*LABELS, "labels.jsonl"}
    assert len(LABELS) == 3


@pytest.mark.parametrize("file", LABELS)
def test_sample_gives_its_labels(file: str) -> None:
    with (CORPORA / "samples" / file).open("rb") as stream:
        matches = list(iter_urls(stream))
    assert len(matches) == len(LABELS[file])
    for m, label in zip(matches, LABELS[file], strict=True):
        if label["url"] in UNSURE:
            assert m.start == label["start"]
            assert set(m.readings) == set(label["readings"])
            assert m.confidence < 0.9
            continue
        place = (label["url"], label["form"], label["start"], label["end"], label["raw"], label["readings"])
        assert (m.url, m.form, m.start, m.end, m.raw, list(m.readings)) == place


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_the_truths_is_found(kind: str, seed: int) -> None:
    _, truths, matches, rejected = generated(kind, seed)
    assert len(truths) > 300
    assert [(m.form, m.start, m.end, m.raw) for m in matches] == [(t.form, t.start, t.end, t.raw) for t in truths]
    assert {one.text for one in rejected} <= set(DECOYS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_truth_is_among_the_readings(kind: str, seed: int) -> None:
    _, truths, matches, _ = generated(kind, seed)
    for truth, match in zip(truths, matches, strict=True):
        assert truth.url in match.readings
        # Where a line end is in doubt, the joined form is a reading too.
        assert set(truth.readings) <= set(match.readings)
        assert match.confidence < 0.9 or set(truth.readings) == set(match.readings)
        if match.ambiguous:
            assert truth.hyphen != "none"
            assert match.readings == truth.readings
        else:  # there was no hyphen, or the same URL or host unbroken elsewhere told which reading is meant
            assert match.url == truth.url
        assert bool(match.breaks) == truth.broken


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_unbroken_ones_are_found_exactly(kind: str, seed: int) -> None:
    _, truths, matches, _ = generated(kind, seed)
    unbroken = {(t.form, t.start, t.url) for t in truths if not t.broken}
    assert unbroken <= {(m.form, m.start, m.url) for m in matches if m.url == m.raw}
    assert {form for form, _, _ in unbroken} == {"wrapper", "angle", "prefix", "bare"}


def test_broken_bare_ones_are_found_where_the_generator_makes_them() -> None:
    unbroken_text, _, _, _ = generated("docs", SEEDS[0])
    module: Any = sys.modules["corpora_generate"]
    blocks = list(module.generate("docs", SIZE, SEEDS[0], bare_breaks=True))
    text = b"".join(block for block, _ in blocks)
    assert text != unbroken_text
    broken = [truth for _, truths in blocks for truth in truths if truth.form == "bare" and truth.broken]
    found = {match.start: match for match in find_urls(text)}
    assert len(broken) > 30
    read = [truth.url in found[truth.start].readings for truth in broken]
    first = [truth.url == found[truth.start].url for truth in broken]
    assert sum(read) > 0.95 * len(broken)
    assert sum(first) > 0.85 * len(broken)
