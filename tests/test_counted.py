"""--unwrap and --normalize: which URLs are printed, and which count as one."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from urlmend.cli import main
from urlmend.output.counts import Tally

SAFE = "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2FA.example%2Fb&data=05&sdata=x"
LOST = "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2FA.exa"
TEXT = f"{SAFE} https://a.example:443/b\nhttp://c.example and HTTP://C.example/ {LOST}\n{SAFE} http://c.example\n"


def run(*args: str, stdin: str = TEXT) -> Result:
    return CliRunner().invoke(main, ["find", *args], input=stdin)


def lines(*args: str) -> list[str]:
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.splitlines()


# the options; what is printed
PRINTED: tuple[tuple[str, list[str]], ...] = (
    (
        "--unwrap",
        [
            *("https://A.example/b", "https://a.example:443/b", "http://c.example", "HTTP://C.example/", LOST),
            *("https://A.example/b", "http://c.example"),
        ],
    ),
    ("-u", [SAFE, "https://a.example:443/b", "http://c.example", "HTTP://C.example/", LOST]),
    ("-u --normalize", [SAFE, "https://a.example:443/b", "http://c.example", LOST]),
    (
        "-u --unwrap",
        ["https://A.example/b", "https://a.example:443/b", "http://c.example", "HTTP://C.example/", LOST],
    ),
    ("-u --unwrap --normalize", ["https://A.example/b", "http://c.example", LOST]),
    ("--unwrap -n --limit 1", ["1:https://A.example/b"]),
    (
        "--count-by url --unwrap --normalize",
        ["3\thttp://c.example", "3\thttps://A.example/b", f"1\t{LOST}"],
    ),
    (
        "--count-by url --normalize",
        ["3\thttp://c.example", f"2\t{SAFE}", "1\thttps://a.example:443/b", f"1\t{LOST}"],
    ),
    (
        "--count-by host --unwrap",
        ["3\ta.example", "3\tc.example", "1\teur01.safelinks.protection.outlook.com"],
    ),
    ("--count-by scheme --unwrap", ["4\thttps", "3\thttp"]),
)


@pytest.mark.parametrize(("options", "printed"), PRINTED)
def test_what_is_printed(options: str, printed: list[str]) -> None:
    assert lines(*options.split()) == printed


def test_normalize_needs_something_to_tell_apart() -> None:
    result = run("--normalize")
    assert (result.stdout, result.exit_code) == ("", 2)
    assert "--normalize says which URLs are the same: give -u or --count-by." in result.stderr


@pytest.mark.parametrize("limit", [0, 1000])
def test_the_first_form_is_kept_on_disk_too(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", limit)
    tally = Tally()
    assert [tally.add(key, shown) for key, shown in (("a", "A"), ("a", "a"), ("b", "b"), ("c", None))] == [
        *(True, False, True, True)
    ]
    assert list(tally.counts()) == [("A", 2), ("b", 1), ("c", 1)]
    tally.close()


TARGETS = ["https://A.example/b", None, None, None, None, "https://A.example/b", None]


def test_records_have_the_target(tmp_path: Path) -> None:
    for options, expected in (((), [None] * 7), (("--unwrap",), TARGETS)):
        records: list[dict[str, Any]] = [json.loads(line) for line in lines("--format", "jsonl", *options)]
        assert [record["target"] for record in records] == expected
        assert next(record["url"] for record in records) == SAFE
        assert [bool(record["warnings"]) for record in records] == [False] * 4 + [True] + [False] * 2
        for kind, delimiter in (("csv", ","), ("tsv", "\t")):
            rows = csv.DictReader(io.StringIO(run("--format", kind, *options).stdout), delimiter=delimiter)
            assert [row["target"] or None for row in rows] == expected
    parquet = pytest.importorskip("pyarrow.parquet")
    run("--format", "parquet", "--unwrap", "-o", str(tmp_path / "out"))
    assert parquet.read_table(tmp_path / "out").column("target").to_pylist() == TARGETS


def test_with_processes_it_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(TEXT * 100)
    for options in (["--unwrap"], ["--unwrap", "--format", "jsonl"], ["-u", "--unwrap", "--normalize"]):
        alone = run(*options, "-j", "1", str(tmp_path / "a"))
        assert run(*options, "-j", "2", str(tmp_path / "a")).stdout == alone.stdout


def harvested(database: Path, *args: str) -> Result:
    return CliRunner().invoke(main, ["harvest", "-q", "-o", str(database), *args])


def asked(database: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as db:
        return db.execute(sql).fetchall()


HOSTS = "SELECT host, occurrences, urls FROM by_host"


def test_a_database_has_the_targets(tmp_path: Path) -> None:
    path, plain, unwrapped = tmp_path / "text", tmp_path / "plain.db", tmp_path / "unwrapped.db"
    path.write_text(TEXT)
    assert harvested(plain, str(path)).exit_code == 0
    assert harvested(unwrapped, "--unwrap", str(path)).exit_code == 0
    assert [target for (target,) in asked(unwrapped, "SELECT target FROM record ORDER BY start")] == TARGETS
    assert [target for (target,) in asked(plain, "SELECT target FROM record")] == [None] * 7
    assert asked(plain, HOSTS) == [
        *(("c.example", 3, 2), ("eur01.safelinks.protection.outlook.com", 3, 2), ("a.example", 1, 1))
    ]
    assert asked(unwrapped, HOSTS) == [
        *(("a.example", 3, 2), ("c.example", 3, 2), ("eur01.safelinks.protection.outlook.com", 1, 1))
    ]
    again = harvested(plain, "--unwrap", str(path))
    assert again.stderr == f"urlmend: {plain}: was made without --unwrap: take that, or harvest into a new file\n"
    assert harvested(unwrapped, str(path)).exit_code == 0
    new = tmp_path / "new.db"
    assert run("--format", "sqlite", "--unwrap", "-o", str(new)).exit_code == 0
    assert asked(new, HOSTS) == asked(unwrapped, HOSTS)


def test_batches_have_the_target() -> None:
    pa = pytest.importorskip("pyarrow")
    from urlmend.arrow import extract_batches  # noqa: PLC0415 -- skipped without pyarrow

    batch = pa.record_batch({"id": [1], "text": [TEXT]})
    for unwrap, expected in ((False, [None] * 7), (True, TARGETS)):
        (found,) = extract_batches([batch], unwrap=unwrap)
        assert found.column("target").to_pylist() == expected


def test_a_report_counts_the_targets(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    from urlmend.report.facts import count_targets, gather  # noqa: PLC0415 -- skipped without jinja2

    path = tmp_path / "text"
    path.write_text(TEXT)
    shown = []
    for name, options in (("plain.db", ()), ("unwrapped.db", ("--unwrap",))):
        assert harvested(tmp_path / name, *options, str(path)).exit_code == 0
        with closing(sqlite3.connect(tmp_path / name)) as db:
            count_targets(db)
            db.commit()
            facts = gather(db, date(2026, 1, 1))
        assert [(host["name"], host["urls"], host["occurrences"]) for host in facts.hosts] == [
            *(("a.example", 2, 3), ("c.example", 2, 3), ("eur01.safelinks.protection.outlook.com", 1, 1))
        ]
        assert ("https://A.example/b", 2) in [(url["url"], url["occurrences"]) for url in facts.urls]
        assert (facts.totals["urls"], facts.totals["hosts"]) == (5, 3)
        page = tmp_path / f"{name}.html"
        result = CliRunner().invoke(main, ["report", str(tmp_path / name), "--unwrap", "-o", str(page)])
        assert (result.exit_code, result.stderr) == (0, "")
        shown.append(page.read_text("utf-8"))
    assert all("https://A.example/b" in page for page in shown)


def test_annotate_tells_the_target() -> None:
    def page(*args: str) -> str:
        return CliRunner().invoke(main, ["annotate", *args], input=f"See {SAFE} and {LOST}").stdout

    told = f"See \u27e6{SAFE} \u2192 https://A.example/b\u27e7 and \u27e6{LOST}\u27e7\n"
    assert page("--unwrap") == f"{told}\u2550\u2550 2 URLs \u2550\u2550\n"
    assert "\u2192" not in page()
    html = page("--format", "html", "--unwrap")
    assert 'href="https://A.example/b"' in html
    assert "wraps: https://A.example/b" in html
    assert 'href="https://A.example/b"' not in page("--format", "html")


def test_explain_tells_the_target() -> None:
    def told(url: str) -> str:
        return CliRunner().invoke(main, ["explain", url]).stdout

    assert "wraps        https://A.example/b\n" in told(SAFE)
    assert "wraps        an unknown address: this address of Outlook SafeLinks has lost a part\n" in told(LOST)
    assert "wraps" not in told("http://a.example/")
