"""The facts of a report. SQLite counts them, so that memory is bounded however large the database is."""

import json
import os
import sqlite3
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.unwrap import rules_of, unwrap
from urlmend.match import Break
from urlmend.output.marks import SURE, stretches
from urlmend.report import queries
from urlmend.report.breaks import place_kind, removed_kind

FIRST_MONTH = "1991-01"
"""The Web was announced in 1991. Earlier dates come from wrong clocks."""

LIMITS = {
    "most_urls": 5000,  # in the table: the most shared
    "most_sources": 50,  # files or, where there are more, folders of them
    "most_hosts": 200,
    "most_targets": 10,
    "most_schemes": 5,
    "most_hyphens": 60,
    "most_doubtful": 60,
    "most_examples": 3,
    "longest_url": 2000,  # that is shown whole, in characters
    "longest_case": 500,  # that is shown with all its readings: twenty screens of one URL help nobody
}
"""How many of each are shown. The page also says how many there are in all."""

LONG_SPAN = 36
"""If there are more months than these, shares are by year, else by month."""
Row = dict[str, Any]
"""A row of one of the `queries`, by the names of its columns."""


class Facts(SimpleNamespace):
    """Everything on the page: the rows of each of `queries.LISTS` under its name, and the one row of `totals`.

    `periods` are years where there are many months. Each of the `rules` has its `examples`.
    """

    totals: Row


def gather(db: sqlite3.Connection, today: date) -> Facts:
    """Return what *db* contains as of *today*. Later dates do not count, nor those before `FIRST_MONTH`."""
    for function, parameters in ((removed_kind, 1), (place_kind, 4), (_folder, 1), (_shown, 1)):
        db.create_function(function.__name__.lstrip("_"), parameters, function, deterministic=True)
    # A day more, for it is tomorrow somewhere.
    last = (today + timedelta(days=1)).isoformat()[:7]
    values: Row = {**LIMITS, "first": FIRST_MONTH, "last": last, "sure": SURE}

    def rows(query: str) -> list[Row]:
        cursor = db.execute(query, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    db.execute("BEGIN")  # other processes may write meanwhile
    db.execute(queries.TALLY, values)
    (totals,) = rows(queries.TOTALS)
    long = totals["first"] and _months(totals["first"], totals["last"]) > LONG_SPAN
    values |= {"period": len("2003" if long else "2003-07"), "folders": totals["sources"] > LIMITS["most_sources"]}
    found = Facts(totals=totals, **{name: rows(query) for name, query in queries.LISTS.items()})
    found.hyphens = list(map(_case, found.hyphens))
    found.doubtful = list(map(_case, found.doubtful))
    found.rules = _rules(found.rules)
    return found


def _shown(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode(errors="replace")


def _folder(name: str | bytes) -> str:
    return f"{Path(_shown(name)).parent}{os.sep}"


def _months(first: str, last: str) -> int:
    return 12 * (int(last[:4]) - int(first[:4])) + int(last[5:]) - int(first[5:]) + 1


def _case(row: Row) -> Row:
    """Return a row of `hyphens` or `doubtful` with its readings and the stretches of its text."""
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
