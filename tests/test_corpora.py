"""The corpora say of themselves what is true: the labels of the samples, and the generator's truths."""

import importlib.util
import json
import re
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

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
SIZES = (
    ("17", 17),
    ("200kB", 200_000),
    ("200 kb", 200_000),
    ("1MB", 1_000_000),
    ("1.5G", 1_500_000_000),
)

FURNITURE = re.compile(r"\n+[^\n]*\[Page \d+\]\n\f\n[^\n]*\n+")
SAMPLE_LEADER = re.compile(r"\n\s*(?:(?:JD> |>|\||#|;;|:|\d+\.  )\s*)*")


def load_generator() -> Any:
    spec = importlib.util.spec_from_file_location("corpora_generate", CORPORA / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generator = load_generator()
LABELS = [json.loads(line) for line in (SAMPLES / "labels.jsonl").read_text("ascii").splitlines()]
FILES = sorted(path.name for path in SAMPLES.iterdir() if path.is_file() and path.name != "labels.jsonl")


def labels_of(file: str) -> list[dict[str, Any]]:
    return [label for label in LABELS if label["file"] == file]


def run(kind: str, size: int, seed: int = 0, **options: Any) -> tuple[bytes, list[Any]]:
    blocks = list(generator.generate(kind, size, seed, **options))
    return b"".join(block for block, _ in blocks), [truth for _, truths in blocks for truth in truths]


def kind_of_leader(leader: str) -> str:
    return "number" if re.fullmatch(r" *\d+\.  ", leader) else leader


def joined(truth: Any, *, drop_hyphen: bool = False) -> str:
    """The raw text of a truth without furniture, leaders and white space: a second opinion on its URL."""
    leader = r" *\d+\.  " if kind_of_leader(truth.leader) == "number" else re.escape(truth.leader)
    text = re.sub(r"\n" + leader, "\n", FURNITURE.sub("\n", truth.raw))
    return re.sub(r"\s", "", re.sub(r"- ?\n", "", text) if drop_hyphen else text)


# The samples


def test_every_sample_has_labels_and_every_label_a_sample() -> None:
    assert FILES == ["article.news", "document.txt", "list.mbox"]
    assert {label["file"] for label in LABELS} == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_labels_slice_out_raw_in_file_order(file: str) -> None:
    data = (SAMPLES / file).read_bytes()
    for label in labels_of(file):
        assert data[label["start"] : label["end"]].decode("ascii") == label["raw"]
    assert all(one["end"] <= other["start"] for one, other in pairwise(labels_of(file)))


@pytest.mark.parametrize("file", FILES)
def test_labels_stand_in_the_brackets_that_their_form_names(file: str) -> None:
    text = (SAMPLES / file).read_text("ascii")
    for label in labels_of(file):
        before, after = text[: label["start"]], text[label["end"] :]
        wrapped = re.search(r"<URL:\s*\Z", before) is not None and after.lstrip().startswith(">")
        found = {
            "wrapper": wrapped,
            "angle": before.endswith("<") and after.startswith(">"),
            "prefix": re.search(r"(?<!<)URL:\Z", before) is not None,
            "bare": not wrapped and not re.search(r"(?<!<)(?:<|URL:)\Z", before),
        }
        assert found[label["form"]], label


@pytest.mark.parametrize("label", LABELS, ids=lambda label: f"{label['file']}:{label['start']}")
def test_labels_are_their_raw_text_joined(label: dict[str, Any]) -> None:
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
    assert label["url"] == label["readings"][0]


def test_samples_show_every_scheme_and_form() -> None:
    schemes = {label["url"].partition(":")[0] for label in LABELS}
    assert schemes >= RFC1738 | {"https", "urn"}
    for file in FILES:
        assert {label["form"] for label in labels_of(file)} == FORMS
        assert any(re.search(r"-\n", label["raw"]) for label in labels_of(file))
        assert any(re.search(r"\n(?:JD)?[>|] ", label["raw"]) for label in labels_of(file))
    assert any("\f" in label["raw"] for label in labels_of("document.txt"))


@pytest.mark.parametrize("decoy", ["<URL:>", "12:30", "std::map", "Subject:x"])
def test_samples_hold_what_is_no_url(decoy: str) -> None:
    assert any(decoy in (SAMPLES / file).read_text("ascii") for file in FILES)
    assert not any(decoy in label["raw"] for label in LABELS)


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
def test_a_seed_gives_the_same_text_and_another_seed_another(kind: str) -> None:
    assert run(kind, 30_000, 5) == run(kind, 30_000, 5)
    assert run(kind, 30_000, 5)[0] != run(kind, 30_000, 6)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_longer_run_begins_with_the_shorter_one(kind: str) -> None:
    (text, truths), (longer, more) = run(kind, 20_000), run(kind, 40_000)
    assert longer.startswith(text)
    assert more[: len(truths)] == truths
    assert len(more) > len(truths)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 1_000, 50_000])
def test_the_size_is_reached_within_one_block(kind: str, size: int) -> None:
    sizes = [len(block) for block, _ in generator.generate(kind, size)]
    assert sum(sizes[:-1]) < size <= sum(sizes)


@pytest.mark.parametrize("bare_breaks", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_truths_slice_out_raw_inside_their_block(kind: str, bare_breaks: bool) -> None:
    text, first = b"", 0
    for block, truths in generator.generate(kind, 100_000, 3, bare_breaks=bare_breaks):
        text += block
        for truth in truths:
            assert first <= truth.start < truth.end <= len(text)
            assert text[truth.start : truth.end].decode("ascii") == truth.raw
        assert all(one.end <= other.start for one, other in pairwise(truths))
        first = len(text)


@pytest.mark.parametrize("kind", KINDS)
def test_truths_are_their_raw_text_joined(kind: str) -> None:
    for truth in run(kind, 200_000, 4, bare_breaks=True)[1]:
        whole = joined(truth)
        unjoined = (truth.raw.partition("\n")[0],) if truth.form == "bare" and truth.broken else ()
        assert truth.broken == ("\n" in truth.raw)
        if truth.hyphen == "none":
            assert truth.readings == (whole, *unjoined)
            assert truth.url == whole
        else:
            dropped = joined(truth, drop_hyphen=True)
            assert len(dropped) == len(whole) - 1
            assert truth.readings == (whole, dropped, *unjoined)
            assert truth.url == (whole if truth.hyphen == "kept" else dropped)
        assert truth.scheme == truth.url.partition(":")[0]


@pytest.mark.parametrize("kind", KINDS)
def test_all_schemes_forms_and_leaders_occur(kind: str) -> None:
    truths = run(kind, 200_000)[1]
    assert {truth.scheme for truth in truths} == RFC1738 | {"https", "urn", "svn+ssh"}
    assert {truth.form for truth in truths} == FORMS
    assert {truth.hyphen for truth in truths} == {"none", "kept", "inserted"}
    assert {kind_of_leader(truth.leader) for truth in truths if truth.broken} == LEADERS[kind]
    assert any("\f" in truth.raw for truth in truths) == (kind == "docs")


@pytest.mark.parametrize("kind", KINDS)
def test_bare_urls_are_broken_only_on_request(kind: str) -> None:
    assert not any(truth.broken for truth in run(kind, 50_000)[1] if truth.form in ("bare", "prefix"))
    broken = [truth for truth in run(kind, 50_000, bare_breaks=True)[1] if truth.form == "bare" and truth.broken]
    assert len(broken) > 5
    assert all(re.search(r"[/-]\n", truth.raw) for truth in broken)


def test_bare_urls_touch_the_line_end_and_what_follows_prose() -> None:
    text, truths = run("mail", 100_000)
    bare = [truth for truth in truths if truth.form == "bare"]
    after = {text[truth.end : truth.end + 1] for truth in bare}
    assert after == {b"\n", b" ", b".", b",", b")", b"'"}
    assert sum(text[truth.end : truth.end + 1] == b"\n" for truth in bare) > len(bare) / 4


def test_what_is_no_url_looks_like_one_only_on_purpose() -> None:
    text, truths = run("docs", 100_000)
    rest, last = "", 0
    for truth in truths:
        rest, last = rest + text[last : truth.start].decode("ascii") + "\0", truth.end
    rest += text[last:].decode("ascii")
    colons = set(re.findall(r"[\w:]*:[^\s\0]*", rest))
    assert colons == {"12:30", "3:1", "std::map", "Note:", "Subject:x", "URL:>", "URL:"}


def test_density_is_the_share_of_sentences_with_a_url() -> None:
    few, many = (len(run("docs", 50_000, density=density)[1]) for density in (0.05, 0.8))
    assert 0 < few < many / 2


def test_memory_does_not_grow_with_the_size() -> None:
    run("mail", 10_000)
    tracemalloc.start()
    total = sum(len(block) for block, _ in generator.generate("mail", 500_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < total / 2


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="mail, news, docs"):
        next(generator.generate("fax", 1))


@pytest.mark.parametrize(("text", "size"), SIZES)
def test_sizes_are_read(text: str, size: int) -> None:
    assert generator.parse_size(text) == size


def test_the_archive_is_the_generator_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
