"""The facts of a report. SQLite counts them, so that memory is bounded however large the database is."""

import json
import os
import sqlite3
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.unwrap import rules_of, unwrap
from urlmend.match import Break
from urlmend.output.marks import SURE, stretches
from urlmend.report import queries
from urlmend.report.breaks import place_kind, removed_kind

FIRST_MONTH = "1991-01"
"""The Web was announced in 1991. Earlier dates come from wrong clocks."""

MOST_URLS = 5000
"""The most URLs in the table: the most shared."""

MOST_SOURCES = 50
"""How many files, or folders of them, are listed."""

MOST_HOSTS = 200
MOST_TARGETS = 10
MOST_SCHEMES = 5
MOST_HYPHENS = 60
MOST_DOUBTFUL = 60
MOST_EXAMPLES = 3
"""How many of each are shown. The page also says how many there are in all."""

LONG_SPAN = 36
"""If there are more months than these, shares are by year, else by month."""

LONGEST = 2000
"""The longest URL that is shown whole, in characters."""

LONGEST_CASE = 500
"""The longest URL that is shown with all its readings, in characters: twenty screens of one URL help nobody."""


Row = dict[str, Any]
"""A row of one of the `queries`, by the names of its columns."""


class Facts(NamedTuple):
    """Everything on the page."""

    totals: Row
    sources: list[Row]
    months: list[Row]
    periods: list[Row]  # years, where there are many months
    schemes: list[Row]
    forms: list[Row]
    removed: list[Row]
    places: list[Row]
    hosts: list[Row]
    targets: list[Row]
    hyphens: list[Row]
    hyphens_in_all: int
    undecided: int
    doubtful: list[Row]
    doubtful_in_all: int
    confidences: list[Row]
    rules: list[Row]  # each with its `examples`
    urls: list[Row]


def gather(db: sqlite3.Connection, today: date) -> Facts:
    """Return what *db* contains as of *today*. Later dates do not count, nor those before `FIRST_MONTH`."""
    db.create_function("removed_kind", 1, removed_kind, deterministic=True)
    db.create_function("place_kind", 4, place_kind, deterministic=True)
    db.create_function("folder", 1, _folder, deterministic=True)
    db.create_function("shown", 1, _shown, deterministic=True)

    def rows(query: str, **values: object) -> list[Row]:
        cursor = db.execute(query, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    # A day more, for it is tomorrow somewhere.
    span = {"first": FIRST_MONTH, "last": (today + timedelta(days=1)).isoformat()[:7]}
    db.execute("BEGIN")  # other processes may write meanwhile
    db.execute(queries.TALLY, span)
    (totals,) = rows(queries.TOTALS, **span)
    period = 4 if totals["first"] and _months(totals["first"], totals["last"]) > LONG_SPAN else 7
    (hyphens,) = rows(queries.HYPHENS_IN_ALL)
    (doubtful,) = rows(queries.DOUBTFUL_IN_ALL, sure=SURE)
    return Facts(
        totals=totals,
        sources=rows(queries.SOURCES, folders=totals["sources"] > MOST_SOURCES, most=MOST_SOURCES),
        months=rows(queries.MONTHS, period=7),
        periods=rows(queries.MONTHS, period=period),
        schemes=rows(queries.SCHEMES, period=period, most=MOST_SCHEMES),
        forms=rows(queries.FORMS),
        removed=rows(queries.REMOVED),
        places=rows(queries.PLACES),
        hosts=rows(queries.HOSTS, most=MOST_HOSTS),
        targets=rows(queries.TARGETS, most=MOST_TARGETS, longest=LONGEST_CASE),
        hyphens=[_case(row) for row in rows(queries.HYPHENS, most=MOST_HYPHENS, longest=LONGEST_CASE)],
        hyphens_in_all=hyphens["hyphens"],
        undecided=hyphens["undecided"],
        doubtful=[_case(row) for row in rows(queries.DOUBTFUL, most=MOST_DOUBTFUL, longest=LONGEST_CASE, sure=SURE)],
        doubtful_in_all=doubtful["joins"],
        confidences=rows(queries.CONFIDENCES),
        rules=_rules(rows(queries.EXAMPLES, most=MOST_EXAMPLES, around=LONGEST // 20)),
        urls=rows(queries.URLS, **span, most=MOST_URLS, longest=LONGEST + 1),
    )


def _shown(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode(errors="replace")


def _folder(name: str | bytes) -> str:
    return f"{Path(_shown(name)).parent}{os.sep}"


def _months(first: str, last: str) -> int:
    return 12 * (int(last[:4]) - int(first[:4])) + int(last[5:]) - int(first[5:]) + 1


def _case(row: Row) -> Row:
    """Return a row of `queries.HYPHENS` or `queries.DOUBTFUL` with its readings and the stretches of its text."""
    cuts = (Break(**each) for each in json.loads(row["breaks"]))
    found = stretches(row["url"], row["raw"], cuts)
    return row | {"readings": json.loads(row["readings"]), "stretches": list(found)}


def _rules(rows: Iterable[Row]) -> list[Row]:
    rules: dict[str, Row] = {}
    for row in rows:
        rule = rules.setdefault(row["rule"], {"name": row["rule"], "number": row["number"], "examples": []})
        rule["examples"].append(row)
    return list(rules.values())


_COUNTED = """
CREATE TEMP TABLE counted AS
SELECT
    url.id AS id, coalesce(target.url, url.url) AS key, coalesce(target.url, url.url) AS url,
    coalesce(target.scheme, url.scheme) AS scheme,
    CASE WHEN target.id IS NULL THEN url.host ELSE target.host END AS host
FROM main.url LEFT JOIN target ON target.id = url.id
"""


def count_targets(db: sqlite3.Connection) -> None:
    """Replace the view `counted` by a temporary table in which each URL of *db* counts as the one that it wraps."""
    db.execute("CREATE TEMP TABLE target (id INTEGER PRIMARY KEY, url TEXT, scheme TEXT, host TEXT)")
    for number, text, host in db.execute("SELECT id, url, host FROM url WHERE host > ''"):
        if rules_of(host) and (target := unwrap(text)) and (url := parse_or_none(target)):
            row = (number, target, url.scheme, url.host and url.host.lower())
            db.execute("INSERT INTO target VALUES (?, ?, ?, ?)", row)
    db.execute(_COUNTED)
    # The view of a database made with --unwrap computes them; here they are looked up by id and by key.
    db.execute("CREATE UNIQUE INDEX temp.counted_id ON counted (id)")
    db.execute("CREATE INDEX temp.counted_key ON counted (key)")
