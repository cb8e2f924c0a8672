"""Confidence: every format tells it, and `min_confidence` leaves out what is below it and changes nothing else."""

import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import doubts
from in_this_process import in_this_process
from urlmend import Break, Origin, Scanner, URLMatch, find_urls, iter_urls
from urlmend.cli import main
from urlmend.output.marks import percent, stretches
from urlmend.output.pages import HtmlPage, TerminalPage
from urlmend.output.tables import JsonlFormat
from urlmend.output.terminal import COLOURED

ALL = ("http://a.example/p50", "http://b.example/", "http://c.example/p70", "http://d.example/p99/e")
TEXT = f"{ALL[0]} and {ALL[1]}, <{ALL[2]}>\n({ALL[3]})\n"

# the least confidence, which of ALL are left
LEAST = ((0, (0, 1, 2, 3)), (0.5, (0, 1, 2, 3)), (0.51, (1, 2, 3)), (0.7, (1, 2, 3)), (0.71, (1, 3)), (1, (1,)))


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    doubts.make_up(monkeypatch)


def run(*args: str | Path, stdin: str = TEXT) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)


def ask(database: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as db:
        return db.execute(sql).fetchall()


# What is left out


@pytest.mark.parametrize(("least", "left"), LEAST)
def test_what_is_below_is_left_out(tmp_path: Path, least: float, left: tuple[int, ...]) -> None:
    urls = [ALL[index] for index in left]
    (tmp_path / "text").write_text(TEXT)
    assert [match.url for match in find_urls(TEXT, min_confidence=least)] == urls
    assert [match.url for match in find_urls(TEXT.encode(), min_confidence=least)] == urls
    assert [match.url for match in iter_urls(io.StringIO(TEXT), min_confidence=least)] == urls
    assert [match.url for match in iter_urls(tmp_path / "text", min_confidence=least)] == urls
    scanner = Scanner(min_confidence=least)
    assert [match.url for part in (*TEXT, None) for match in (scanner.feed(part) if part else scanner.close())] == urls
    assert run("--min-confidence", str(least)).stdout.split() == urls
    assert run("--min-confidence", str(least), "-C", "0", "--color", "always").stdout.count("\33[1;31m") >= len(urls)


@given(st.lists(st.sampled_from(["http://a.example/p20", "http://b.example/", "<", ">", "\n", "-\n", "x", "=\n", " "])))
def test_none_is_as_not_given_and_others_are_a_choice_among_the_same(words: list[str]) -> None:
    text = "".join(words)
    matches = find_urls(text)
    assert find_urls(text, min_confidence=0) == matches
    assert find_urls(text, min_confidence=0.5) == [match for match in matches if match.confidence >= 0.5]


# Text, the URLs that are left at .9: what is left out decides a hyphen as before, and hides what begins inside it.
LEFT: tuple[tuple[str, list[str]], ...] = (
    ("<http://www.a-\nb.example/> http://www.ab.example/p10", ["http://www.ab.example/"]),
    ("http://www.ab.example/p10 <http://www.a-\nb.example/>", ["http://www.ab.example/"]),
    ("http://a.example/p10/http://b.example/", []),
    ("<URL:http://a.example/p10/?http://b.example/>", []),
)


@pytest.mark.parametrize(("text", "urls"), LEFT)
def test_what_is_left_out_still_counts(tmp_path: Path, text: str, urls: list[str]) -> None:
    assert [match.url for match in find_urls(text, min_confidence=0.9)] == urls
    path, database = tmp_path / "text", tmp_path / "links.db"
    path.write_text(text)
    assert run("harvest", path, "-o", database, "--min-confidence", ".9").exit_code == 0
    assert ask(database, "SELECT url FROM record") == [(url,) for url in urls]


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), float("inf")])
def test_no_confidence(least: float) -> None:
    with pytest.raises(ValueError, match=f"min_confidence must be from 0 to 1, not {least}"):
        find_urls("", min_confidence=least)
    with pytest.raises(ValueError, match="min_confidence"):
        iter_urls(io.StringIO(""), min_confidence=least)
    with pytest.raises(ValueError, match="min_confidence"):
        Scanner(min_confidence=least)
    for command in ("find", "annotate", "harvest"):
        result = run(command, "-", "--min-confidence", str(least), *(["-o", "none.db"] if command == "harvest" else []))
        assert (result.exit_code, result.stdout) == (2, "")
        assert "confidence" in result.stderr


# the options, what stderr says of what is left out
COUNTED = (
    (("--min-confidence", ".6"), ""),
    (("--min-confidence", ".6", "-v"), "urlmend: 1 URL left out by --min-confidence\n"),
    (("--min-confidence", "1", "-v"), "urlmend: 3 URLs left out by --min-confidence\n"),
    (("--min-confidence", ".1", "-v"), "urlmend: 0 URLs left out by --min-confidence\n"),
    (("-v",), ""),
)


@pytest.mark.parametrize(("options", "said"), COUNTED)
def test_what_is_left_out_is_counted(options: tuple[str, ...], said: str) -> None:
    stderr = run(*options).stderr
    assert [line for line in stderr.splitlines(keepends=True) if "confidence" in line] == [said] * bool(said)


def test_annotated_text_marks_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text(TEXT)
    assert "\u27e6" + ALL[0] in run("annotate", path).stdout
    shown = run("annotate", path, "--min-confidence", ".6").stdout
    assert shown.startswith(f"{ALL[0]} and \u27e6{ALL[1]}\u27e7")


@pytest.mark.parametrize(("kind", "least"), [("text", 0.9), ("mbox", 0.3)])
def test_processes_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, least: float) -> None:
    in_this_process(monkeypatch, 1 << 14)
    head = "From jane@a.example Thu Mar  7 10:06:12 1996\nSubject: s\n\n" * (kind == "mbox")
    body = "http://a.example/p{0:02} <http://www.a-\nb.example/{0}> http://www.ab.example/p20 http://c.example/{0}\n\n"
    path = tmp_path / "file"
    path.write_text("".join(head + body.format(number % 100) * 10 for number in range(100)))
    expected = list(iter_urls(path, source=kind, min_confidence=least))
    assert list(iter_urls(path, source=kind, min_confidence=least, jobs=2)) == expected
    assert len({match.confidence for match in expected}) > 5
    written = run("--source", kind, "--min-confidence", str(least), "-j", "2", path).stdout.split()
    assert written == [match.url for match in expected]


# Where it is told


def doubtful(confidence: float, text: str = "<http://a.example/b-\nc>") -> URLMatch:
    (match,) = find_urls(text)
    return replace(match, confidence=confidence)


# what is found, what is written
WRITTEN = ((1.0, 1.0), (0.5, 0.5), (0.12345, 0.123), (2 / 3, 0.667), (0.0, 0.0))


@pytest.mark.parametrize(("confidence", "written"), WRITTEN)
def test_records_have_three_decimals(confidence: float, written: float) -> None:
    assert doubtful(confidence).as_dict()["confidence"] == written
    assert f', "departures": [], "confidence": {written}, ' in JsonlFormat().lines([doubtful(confidence)])


TOLD = [0.5, 1.0, 0.7, 0.99]


def test_jsonl_csv_and_tsv_tell_it() -> None:
    assert [json.loads(line)["confidence"] for line in run("--format", "jsonl").stdout.splitlines()] == TOLD
    for kind, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = csv.DictReader(io.StringIO(run("--format", kind).stdout), delimiter=delimiter)
        assert [row["confidence"] for row in rows] == ["0.5", "1.0", "0.7", "0.99"]


def test_databases_tell_it(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text(TEXT)
    assert run("--format", "sqlite", "-o", tmp_path / "find.db", path).exit_code == 0
    assert run("harvest", path, "-o", tmp_path / "harvest.db").exit_code == 0
    for name in ("find", "harvest"):
        assert ask(tmp_path / f"{name}.db", "SELECT confidence FROM record") == [(number,) for number in TOLD]
    options = ("--format", "sqlite", "--min-confidence", ".7")
    assert run(*options, "-o", tmp_path / "less.db", path).exit_code == 0
    assert ask(tmp_path / "less.db", "SELECT confidence FROM record") == [(number,) for number in TOLD[1:]]
    assert ask(tmp_path / "less.db", "SELECT value FROM setting WHERE name = 'min_confidence'") == [("0.7",)]


def test_parquet_tells_it(tmp_path: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    assert run("--format", "parquet", "-o", tmp_path / "urls").exit_code == 0
    table = parquet.read_table(tmp_path / "urls")
    assert table.column("confidence").to_pylist() == TOLD
    assert str(table.schema.field("confidence").type) == "double"


def test_arrow_tells_it_and_leaves_out() -> None:
    pa: Any = pytest.importorskip("pyarrow")
    from urlmend.arrow import extract_batches  # noqa: PLC0415 -- an extra

    for texts in ([TEXT], [TEXT.encode()]):
        batch = pa.record_batch({"id": [1], "text": texts})
        for source in ("text", "auto"):
            (found,) = extract_batches([batch], source=source)
            assert found.column("confidence").to_pylist() == TOLD
            (found,) = extract_batches([batch], source=source, min_confidence=0.6)
            assert found.column("confidence").to_pylist() == TOLD[1:]
    with pytest.raises(ValueError, match="min_confidence"):
        extract_batches([], min_confidence=2)


# What was put in


INSERTED = URLMatch(
    url="mailto:jane@a.example",
    start=1,
    end=25,
    raw="mailto:jane at a.example",
    line=1,
    column=2,
    form="angle",
    readings=("mailto:jane@a.example",),
    breaks=(Break(11, " at ", hyphen=False, inserted="@"),),
    trimmed="",
    profile=find_urls("http://a.example/")[0].profile,
    origin=Origin("file"),
)


def test_what_was_put_in_is_told(tmp_path: Path) -> None:
    told = [{"at": 11, "removed": " at ", "hyphen": False, "inserted": "@"}]
    assert INSERTED.as_dict()["breaks"] == told
    parts = [("mailto:jane", False), (" at ", True), ("a.example", False)]
    assert list(stretches(INSERTED.url, INSERTED.raw, INSERTED.breaks)) == parts
    pytest.importorskip("pyarrow")
    from urlmend.output.arrow import SCHEMA, match_columns  # noqa: PLC0415 -- an extra

    assert match_columns([INSERTED])[SCHEMA.names.index("breaks")].to_pylist() == [told]
    from urlmend.output.database.database import Database, State  # noqa: PLC0415 -- a database engine

    with closing(Database(str(tmp_path / "db"), "harvest", {})) as database:
        database.begin()
        source = database.new("file")
        database.add(source, INSERTED)
        database.save(source, State(1, 1))
        database.end()
        database.commit()
    assert [json.loads(breaks) for (breaks,) in ask(tmp_path / "db", "SELECT breaks FROM record")] == [told]


# A harvest


FROM = "From a@a.example Mon Jul  7 10:06:12 2003\nSubject: s\n\n"
MESSAGES = [
    f"{FROM}http://www.ab.example/p10 http://b.example/p80\n\n",
    f"{FROM}<http://www.a-\nb.example/> http://c.example/p20\n\n",
]


def test_a_harvest_that_goes_on_is_as_one_that_read_all(tmp_path: Path) -> None:
    path, grown, fresh = tmp_path / "list.mbox", tmp_path / "grown.db", tmp_path / "fresh.db"
    options = ("--min-confidence", "0.5")
    path.write_text(MESSAGES[0])
    assert run("harvest", path, "-o", grown, *options).exit_code == 0
    path.write_text("".join(MESSAGES))
    said = run("harvest", "-v", path, "-o", grown)
    assert said.stderr.startswith(f"urlmend: {path}: grown\nurlmend: 2 URLs left out by --min-confidence\n")
    run("harvest", path, "-o", fresh, *options)
    select = "SELECT url, confidence, readings FROM record"
    assert ask(grown, select) == ask(fresh, select)
    assert [url for url, *_ in ask(grown, select)] == ["http://b.example/p80", "http://www.a-b.example/"]


def test_a_harvest_keeps_its_least_confidence(tmp_path: Path) -> None:
    path, database = tmp_path / "text", tmp_path / "links.db"
    path.write_text(TEXT)
    assert run("harvest", path, "-o", database, "--min-confidence", "0.70").exit_code == 0
    assert run("harvest", path, "-o", database, "--min-confidence", ".7").exit_code == 0
    result = run("harvest", path, "-o", database, "--min-confidence", ".8")
    assert (result.exit_code, result.stderr) == (
        2,
        f"urlmend: {database}: was made with --min-confidence 0.7: take that, or harvest into a new file\n",
    )


# Annotated text

# confidence, its mark on a terminal
MARKS = ((1.0, ""), (0.95, ""), (0.9, ""), (0.899, "?89%"), (0.7, "?70%"), (0.07, "?7%"), (0.29, "?29%"), (0.0, "?0%"))


@pytest.mark.parametrize(("confidence", "mark"), MARKS)
def test_a_terminal_marks_what_is_doubtful(confidence: float, mark: str) -> None:
    match = doubtful(confidence, "http://a.example/")
    out = io.StringIO()
    TerminalPage(out).url(match)
    assert out.getvalue() == f"\u27e6http://a.example/{mark}\u27e7"
    out = io.StringIO()
    TerminalPage(out, colours=COLOURED).url(match)
    assert re.sub("\33[^m]*m", "", out.getvalue()) == f"http://a.example/{mark}"


# confidence, the class, the end of the note
NOTES = ((1.0, "whole", "form: bare"), (0.95, "whole", "confidence: 95%"), (0.5, "whole doubtful", "confidence: 50%"))


@pytest.mark.parametrize(("confidence", "kind", "note"), NOTES)
def test_a_page_tells_it_where_the_pointer_rests(confidence: float, kind: str, note: str) -> None:
    out = io.StringIO()
    HtmlPage(out, "title").url(doubtful(confidence, "http://a.example/"))
    assert f'<a class="{kind}" title="http://a.example/\nform: bare' in out.getvalue()
    assert f'{note}" rel=' in out.getvalue()


def test_per_cent_never_rounds_up() -> None:
    shown = [percent(number / 1000) for number in range(1001)]
    assert shown == [f"{number // 10}%" for number in range(1001)]


# The report


def test_the_report_lists_doubtful_joins(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 -- an extra

    from urlmend.report import facts  # noqa: PLC0415 -- an extra

    path, database, page = tmp_path / "text", tmp_path / "links.db", tmp_path / "report.html"
    joined = [f"see <http://a.example/p{number}/\nb> so\n" for number in (75, 40, 95, 75)]
    path.write_text("".join(joined) + "http://b.example/p30 http://b.example/p35\n")
    assert run("harvest", path, "-o", database).exit_code == 0
    with closing(sqlite3.connect(database)) as db:
        found = facts.gather(db, date(2020, 1, 1))
    cases = [tuple(case[name] for name in ("url", "confidence", "times", "before", "after")) for case in found.doubtful]
    assert cases == [
        ("http://a.example/p40/b", 0.4, 1, "see <", "> so"),
        ("http://a.example/p75/b", 0.75, 2, "see <", "> so"),
    ]
    assert found.doubtful_in_all == 3
    tenths = [(row["number"], row["joined"], row["alone"]) for row in found.confidences]
    assert tenths == [(3, 0, 2), (4, 1, 0), (7, 2, 0), (9, 1, 0)]
    assert run("report", database, "-o", page).exit_code == 0
    sections = LexborHTMLParser(page.read_text("utf-8")).css("section")
    (section,) = [section for section in sections if "How sure the joins are" in section.text()]
    said = re.sub(r"\s+", " ", section.text())
    assert "4 URLs were joined and 2 left alone with less than 100% of it" in said
    assert "3 joins have a confidence below 90%, the least first:" in said
    assert said.index("Confidence 40%") < said.index("Confidence 75%")
    assert [row.text(separator=" ").split()[:5] for row in section.css("tbody tr")] == [
        ["30", "to", "40%", "0", "2"],
        ["40", "to", "50%", "1", "0"],
        ["70", "to", "80%", "2", "0"],
        ["90", "to", "100%", "1", "0"],
    ]
