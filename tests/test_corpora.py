"""The samples and generated texts of corpora/: their labels and truths are right, and urlmend finds what they say."""

import json
import re
import sys
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from corpora import generate as generator

from urlmend import Rejected, URLMatch, find_urls, iter_urls

CORPORA = Path(__file__).parents[1] / "corpora"
SAMPLES = CORPORA / "samples"

KINDS = ("mail", "news", "docs")
FORMS = {"wrapper", "angle", "prefix", "bare"}
RFC1738 = {"http", "ftp", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero"}
LEADERS = {
    "mail": {"", "> ", ">> ", "> > ", ">>>> ", "| ", "JD> "},
    "news": {"", "> ", ">> ", "> > ", ">>>> ", "| ", "JD> "},
    "docs": {"   ", "      ", "> ", "| ", "# ", ";; ", "// ", " * ", "number"},
}
FURNITURE = re.compile(r"\n+[^\n]*\[Page \d+\]\n\f\n[^\n]*\n+")
SAMPLE_LEADER = re.compile(r"\n\s*(?:(?:JD> |>|\||#|;;|:|\d+\.  )\s*)*")

_LINES = (SAMPLES / "labels.jsonl").read_text("ascii").splitlines()
LABELS: dict[str, list[dict[str, Any]]] = {
    file: list(labels) for file, labels in groupby(map(json.loads, _LINES), lambda label: label["file"])
}


def run(kind: str, size: int, seed: int = 0, **options: Any) -> tuple[bytes, list[Any]]:
    """Return a generated text and the truths about it."""
    blocks = list(generator.generate(kind, size, seed, **options))
    return b"".join(block for block, _ in blocks), [truth for _, truths in blocks for truth in truths]


def kind_of_leader(leader: str) -> str:
    return "number" if re.fullmatch(r" *\d+\.  ", leader) else leader


# The samples


def test_every_sample_has_labels() -> None:
    assert {path.name for path in SAMPLES.iterdir() if path.is_file()} == {*LABELS, "labels.jsonl"}
    assert LABELS.keys() == {"article.news", "document.txt", "list.mbox"}


@pytest.mark.parametrize("file", LABELS)
def test_labels_are_what_is_in_the_sample(file: str) -> None:
    text = (SAMPLES / file).read_text("ascii")
    assert all(one["end"] <= other["start"] for one, other in pairwise(LABELS[file]))
    for label in LABELS[file]:
        assert text[label["start"] : label["end"]] == label["raw"]
        assert label["url"] == label["readings"][0]
        before, after = text[: label["start"]], text[label["end"] :]
        wrapped = re.search(r"<URL:\s*\Z", before) is not None and after.lstrip().startswith(">")
        forms = {
            "wrapper": wrapped,
            "angle": before.endswith("<") and after.startswith(">"),
            "prefix": re.search(r"(?<!<)URL:\Z", before) is not None,
            "bare": not wrapped and not re.search(r"(?<!<)(?:<|URL:)\Z", before),
        }
        assert forms[label["form"]], label
        check_readings(label)


def check_readings(label: dict[str, Any]) -> None:
    """The readings of a label are its raw text joined, with and without the hyphen at a line end."""
    text = SAMPLE_LEADER.sub("\n", FURNITURE.sub("\n", label["raw"]))
    whole = re.sub(r"\s", "", text)
    lines = text.split("\n")
    unjoined = [lines[0]] if label["form"] == "bare" and len(lines) > 1 else []
    hyphens = [line for line in lines[:-1] if line.endswith("-")]
    if not hyphens:
        assert label["readings"] == [whole, *unjoined]
    else:
        assert len(hyphens) == 1
        dropped = re.sub(r"-\n", "", text).replace("\n", "")
        kept = [] if "-." in whole else [whole]  # no host name has a label that ends in a hyphen
        # Which of the two comes first the rest of the stream decides.
        assert sorted(label["readings"]) == sorted([*kept, dropped, *unjoined])


def test_samples_show_every_scheme_and_form() -> None:
    labels = [label for labels in LABELS.values() for label in labels]
    assert {label["url"].partition(":")[0] for label in labels} >= RFC1738 | {"https", "urn"}
    for file, of_file in LABELS.items():
        assert {label["form"] for label in of_file} == FORMS
        assert any(re.search(r"-\n", label["raw"]) for label in of_file)
        assert any(re.search(r"\n(?:JD)?[>|] ", label["raw"]) for label in of_file), file
    assert any("\f" in label["raw"] for label in LABELS["document.txt"])


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


def test_manifest_names_where_each_public_corpus_comes_from() -> None:
    tomllib = pytest.importorskip("tomllib")
    corpora = tomllib.loads((CORPORA / "MANIFEST.toml").read_text("utf-8"))["corpus"]
    names = [corpus["name"] for corpus in corpora]
    assert len(names) == len(set(names)) == 30
    assert {corpus["class"] for corpus in corpora} == set(KINDS)
    for corpus in corpora:
        assert min(corpus["files"], corpus["bytes"]) > 0
        assert all(corpus[key] for key in ("origin", "licence", "get"))
        assert re.fullmatch(r"[0-9a-f]{64}", corpus["sha256"])


# The generator


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_text_and_a_longer_one_begins_with_it(kind: str) -> None:
    (text, truths), (longer, more) = run(kind, 20_000, 5), run(kind, 40_000, 5)
    assert run(kind, 20_000, 5) == (text, truths)
    assert run(kind, 20_000, 6)[0] != text
    assert longer.startswith(text)
    assert more[: len(truths)] == truths
    assert len(more) > len(truths)
    sizes = [len(block) for block, _ in generator.generate(kind, 20_000, 5)]
    assert sum(sizes[:-1]) < 20_000 <= sum(sizes) == len(text)


@pytest.mark.parametrize("kind", KINDS)
def test_all_schemes_forms_and_leaders_occur(kind: str) -> None:
    truths = run(kind, 100_000)[1]
    assert {truth.scheme for truth in truths} == RFC1738 | {"https", "urn", "svn+ssh"}
    assert {truth.form for truth in truths} == FORMS
    assert {truth.hyphen for truth in truths} == {"none", "kept", "inserted"}
    assert {kind_of_leader(truth.leader) for truth in truths if truth.broken} == LEADERS[kind]
    assert any("\f" in truth.raw for truth in truths) == (kind == "docs")


def test_the_archive_is_what_the_generator_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = re.search(r"generate.py (mail .*archive/oldlinks.mbox)", (CORPORA / "README.md").read_text("utf-8"))
    assert command
    *options, name = command[1].split()
    monkeypatch.setattr(sys, "argv", ["generate.py", *options, str(tmp_path / "out")])
    generator.main()
    assert (tmp_path / "out").read_bytes() == (CORPORA.parent / name).read_bytes()


def test_the_command_writes_text_and_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, truth = tmp_path / "out.mbox", tmp_path / "out.jsonl"
    monkeypatch.setattr(sys, "argv", f"generate.py mail --size 20kB --seed 7 -o {out} --truth {truth}".split())
    generator.main()
    text, truths = run("mail", 20_000, 7)
    assert out.read_bytes() == text
    records = [json.loads(line) for line in truth.read_text("ascii").splitlines()]
    assert [record["url"] for record in records] == [truth.url for truth in truths]
    assert all(text[r["start"] : r["end"]].decode("ascii") == r["raw"] for r in records)


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


def test_broken_bare_urls_are_mostly_joined() -> None:
    text, truths = run("docs", 300_000, 17, bare_breaks=True)
    broken = [truth for truth in truths if truth.form == "bare" and truth.broken]
    matches = {match.start: match for match in find_urls(text)}
    assert len(broken) > 30
    assert sum(truth.url in matches[truth.start].readings for truth in broken) > 0.95 * len(broken)
    assert sum(truth.url == matches[truth.start].url for truth in broken) > 0.85 * len(broken)
