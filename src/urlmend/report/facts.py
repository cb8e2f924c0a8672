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
from urlmend.output.marks import SURE, stretches_of
from urlmend.report import queries
from urlmend.report.breaks import place_kind, removed_kind

FIRST_MONTH = "1991-01"
"""The Web was announced in 1991. Earlier dates come from wrong clocks."""

MOST_URLS = 5000
"""How many URLs the table holds, the most shared."""

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


class Totals(NamedTuple):
    """How much there is in all. `first` and `last` are months. A `broken` URL contains a line end."""

    sources: int
    unfinished: int
    messages: int
    occurrences: int
    urls: int
    hosts: int
    broken: int
    spaced: int
    rejected: int
    torn: int  # rejects that reach over a line end
    first: str | None
    last: str | None
    undated: int
    misdated: int
    earliest: str | None
    latest: str | None


class Source(NamedTuple):
    """A file, or a folder with its number of files, one of `in_all`; `unfinished` files were not read to the end."""

    name: str
    files: int
    urls: int
    unfinished: int
    in_all: int


class Month(NamedTuple):
    """The number of occurrences in a month or a year, and how many of them are broken over lines."""

    period: str
    occurrences: int
    broken: int


class Kind(NamedTuple):
    """The number of things of one kind; of forms, also the number of occurrences that are broken over lines."""

    name: str
    number: int
    broken: int = 0


class SchemeShare(NamedTuple):
    """The number of occurrences of a scheme in a period."""

    period: str
    scheme: str
    occurrences: int


class Host(NamedTuple):
    """A host. `letters` counts the messages and files that have it outside signatures and header fields."""

    name: str
    letters: int
    urls: int
    occurrences: int


class Shared(NamedTuple):
    """A URL: the number of messages or files in which people wrote it, its occurrences, when, and its first subject."""

    url: str
    host: str | None
    letters: int
    occurrences: int
    broken: int
    first: str | None
    last: str | None
    subject: str | None


class Target(NamedTuple):
    """An address inside other URLs, as a harvest with `--unwrap` stores it: `times` of `in_all`."""

    url: str
    times: int
    in_all: int


class Case(NamedTuple):
    """A URL that was joined, and the text around it. The archive contains it `times` times."""

    readings: list[str]
    ambiguous: bool
    confidence: float
    before: str
    stretches: list[tuple[str, bool]]
    after: str
    times: int
    source: str
    line: int
    date: str | None
    subject: str | None


class Tenth(NamedTuple):
    """The number of URLs with a confidence in one tenth of the scale, joined or left alone; 7 is from .7 to .8."""

    number: int
    joined: int
    alone: int

    @property
    def urls(self) -> int:
        """The number of URLs with such a confidence."""
        return self.joined + self.alone


class Example(NamedTuple):
    """A rejected candidate: its text before the fault, and from there on."""

    before: str
    after: str
    times: int


class Rule(NamedTuple):
    """A rule of the grammar, the number of candidates that it rejected, and the most frequent of them."""

    name: str
    number: int
    examples: list[Example]


class Facts(NamedTuple):
    """Everything on the page."""

    totals: Totals
    sources: list[Source]
    months: list[Month]
    periods: list[Month]  # years, where there are many months
    schemes: list[SchemeShare]
    forms: list[Kind]
    removed: list[Kind]
    places: list[Kind]
    hosts: list[Host]
    targets: list[Target]
    hyphens: list[Case]
    hyphens_in_all: int
    undecided: int
    doubtful: list[Case]
    doubtful_in_all: int
    confidences: list[Tenth]
    rules: list[Rule]
    urls: list[Shared]


def gather(db: sqlite3.Connection, today: date) -> Facts:
    """Return what *db* contains as of *today*. Later dates do not count, nor those before `FIRST_MONTH`."""
    db.create_function("removed_kind", 1, removed_kind, deterministic=True)
    db.create_function("place_kind", 4, place_kind, deterministic=True)
    db.create_function("folder", 1, _folder, deterministic=True)
    # A day more, for it is tomorrow somewhere.
    span = {"first": FIRST_MONTH, "last": (today + timedelta(days=1)).isoformat()[:7]}
    db.execute("BEGIN")  # other processes may write meanwhile
    db.execute(queries.TALLY, span)
    totals = Totals(*_row(db, queries.TOTALS, span))
    period = 4 if totals.first and totals.last and _months(totals.first, totals.last) > LONG_SPAN else 7
    hyphens_in_all, undecided = _row(db, queries.HYPHENS_IN_ALL)
    places = {"folders": totals.sources > MOST_SOURCES, "most": MOST_SOURCES}
    return Facts(
        totals=totals,
        sources=[Source(_text(name), *row) for name, *row in db.execute(queries.SOURCES, places)],
        months=[Month(*row) for row in db.execute(queries.MONTHS, {"period": 7})],
        periods=[Month(*row) for row in db.execute(queries.MONTHS, {"period": period})],
        schemes=[SchemeShare(*row) for row in db.execute(queries.SCHEMES, {"period": period, "most": MOST_SCHEMES})],
        forms=[Kind(*row) for row in db.execute(queries.FORMS)],
        removed=[Kind(*row) for row in db.execute(queries.REMOVED)],
        places=[Kind(*row) for row in db.execute(queries.PLACES)],
        hosts=[Host(*row) for row in db.execute(queries.HOSTS, {"most": MOST_HOSTS})],
        targets=[Target(*row) for row in db.execute(queries.TARGETS, {"most": MOST_TARGETS, "longest": LONGEST_CASE})],
        hyphens=_cases(db.execute(queries.HYPHENS, {"most": MOST_HYPHENS, "longest": LONGEST_CASE})),
        hyphens_in_all=hyphens_in_all,
        undecided=undecided,
        doubtful=_cases(db.execute(queries.DOUBTFUL, {"most": MOST_DOUBTFUL, "longest": LONGEST_CASE, "sure": SURE})),
        doubtful_in_all=_row(db, queries.DOUBTFUL_IN_ALL, {"sure": SURE})[0],
        confidences=[Tenth(*row) for row in db.execute(queries.CONFIDENCES)],
        rules=_rules(db.execute(queries.EXAMPLES, {"most": MOST_EXAMPLES, "around": LONGEST // 20})),
        urls=[Shared(*row) for row in db.execute(queries.URLS, {**span, "most": MOST_URLS, "longest": LONGEST + 1})],
    )


def _row(db: sqlite3.Connection, sql: str, values: dict[str, Any] | None = None) -> tuple[Any, ...]:
    return tuple(db.execute(sql, values or {}).fetchone())


def _text(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode(errors="replace")


def _folder(name: str | bytes) -> str:
    return f"{Path(_text(name)).parent}{os.sep}"


def _months(first: str, last: str) -> int:
    return 12 * (int(last[:4]) - int(first[:4])) + int(last[5:]) - int(first[5:]) + 1


def _cases(rows: Iterable[tuple[Any, ...]]) -> list[Case]:
    return [_case(*row) for row in rows]


def _case(url: str, readings: str | None, ambiguous: int, confidence: float, *text_and_place: Any) -> Case:  # noqa: ANN401 -- columns
    """Return a row of `queries.HYPHENS` or `queries.DOUBTFUL` as a case."""
    before, raw, breaks, after, times, source, *place = text_and_place
    cuts = (Break(**each) for each in json.loads(breaks))
    return Case(
        json.loads(readings) if readings else [url],
        bool(ambiguous),
        confidence,
        before or "",
        list(stretches_of(url, url if raw is None else raw, cuts)),
        after or "",
        times,
        _text(source),
        *place,
    )


def _rules(rows: Iterable[tuple[str, int, str, str, int]]) -> list[Rule]:
    rules: dict[str, Rule] = {}
    for name, number, before, after, times in rows:
        rules.setdefault(name, Rule(name, number, [])).examples.append(Example(before, after, times))
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
    """Make each URL of *db* count for the one that it wraps, in a temporary table instead of the view `counted`."""
    db.execute("CREATE TEMP TABLE target (id INTEGER PRIMARY KEY, url TEXT, scheme TEXT, host TEXT)")
    for number, text, host in db.execute("SELECT id, url, host FROM url WHERE host > ''"):
        if rules_of(host) and (target := unwrap(text)) and (url := parse_or_none(target)):
            row = (number, target, url.scheme, url.host and url.host.lower())
            db.execute("INSERT INTO target VALUES (?, ?, ?, ?)", row)
    db.execute(_COUNTED)
    # The view of a database made with --unwrap computes them; here they are looked up by id and by key.
    db.execute("CREATE UNIQUE INDEX temp.counted_id ON counted (id)")
    db.execute("CREATE INDEX temp.counted_key ON counted (key)")
