"""The facts of a report. SQLite counts them, so that memory is bounded however large the database is."""

import os
import sqlite3
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from urlmend.facts import facts_of
from urlmend.grammar.unwrap import wrappings_on
from urlmend.output.counts import Counting
from urlmend.output.database.schema import COUNTED_UNWRAPPED, check, is_unwrapped, options_of
from urlmend.report import queries
from urlmend.selection import Selection
from urlmend.text.limits import MOST_BESIDE

FIRST_MONTH = "1991-01"
"""The Web was announced in 1991. Earlier dates come from wrong clocks."""

LIMITS = {
    "most_urls": 5000,  # in the table: the most shared
    "most_sources": 50,  # files or, where there are more, folders of them
    "most_hosts": 200,
    "most_messages": 5,  # of a URL, and of a host
    "most_schemes": 5,
    "open_hosts": 20,  # that are shown at first; the others can be unfolded
    "longest_url": 2000,  # that is shown whole, in characters
}
"""How many of each are shown. The page also says how many there are in all."""

LONG_SPAN = 3
"""If the first and the last year are further apart than these, shares are by year, else by month."""

Row = dict[str, Any]
"""A row of one of the `queries`, by the names of its columns."""


class Facts(SimpleNamespace):
    """Everything on the page: the rows of each of `queries.LISTS` under its name, and the one row of `totals`.

    The periods of `schemes` are years where there are many months, and `sources` are `folders` where there are many
    files. `counting` says what counts, and `options` how the database was made and read. Each of the `hosts` and `urls`
    has its first `messages`.
    """

    totals: Row


def connected(database: str) -> sqlite3.Connection:
    """Open the *database* of a harvest for reading; other processes may write to it meanwhile."""
    check(database, may_be_new=False)
    # SQLite keeps files beside a database in WAL mode, and removes them only if it may write. Where it may not, and
    # there are none, no other process writes either.
    path = Path(database).absolute()
    alone = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    how = "immutable=1" if alone else "mode=rw"
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?{how}", uri=True, isolation_level=None)


def gather(
    db: sqlite3.Connection,
    today: date,
    counting: Counting = Counting(),  # noqa: B008 -- it does not change
    selection: Selection | None = None,
    *,
    unwrap: bool = False,
) -> Facts:
    """Return the facts about *db* as of *today*, in UTC. Later months are not counted, nor those before `FIRST_MONTH`.

    With a *selection*, only what is in its messages counts. With *unwrap*, or if the database was made with it, the
    addresses inside URLs count instead of the URLs.
    """
    settings = dict(db.execute("SELECT name, value FROM setting ORDER BY name"))
    if selection:
        settings |= {name: text for name, text in selection.conditions.items() if text}
    db.text_factory = lambda octets: octets.decode(errors="replace")
    if unwrap or is_unwrapped(settings):
        settings["unwrap"] = "yes"
        count_targets(db)
    root = _root(db)
    values: Row = {**LIMITS, "first": FIRST_MONTH, "last": today.isoformat()[:7], "most_left": MOST_BESIDE}

    def rows(query: str, **more: object) -> list[Row]:
        cursor = db.execute(query, values | more)
        names = [column[0] for column in cursor.description]
        found = [dict(zip(names, row, strict=True)) for row in cursor]
        return [row | {"source": _shown(root, row["source"])} if "source" in row else row for row in found]

    db.execute("BEGIN")  # other processes may write meanwhile
    db.execute(queries.LEFT_OUT)
    if selection:
        db.executemany("INSERT INTO left_out VALUES (?)", _left_out(db, selection))
    values |= {name: int(value) for name, value in counting._asdict().items()}
    db.execute(queries.LINKED.format(**values))  # a view takes no parameters
    db.execute(queries.LINK)
    (totals,) = rows(queries.TOTALS)
    long = totals["first"] and int(totals["last"][:4]) - int(totals["first"][:4]) > LONG_SPAN
    folders = totals["sources"] > LIMITS["most_sources"]
    values["period"] = len("2003" if long else "2003-07")
    names = db.execute("SELECT id, name FROM source")
    db.execute(queries.PLACE)
    places = ((number, os.fsencode(_folder(name)) if folders else name) for number, name in names)
    db.executemany("INSERT INTO place VALUES (?, ?)", places)
    found = Facts(
        totals=totals,
        counting=counting,
        options=options_of(settings),
        folders=folders,
        **{name: rows(query) for name, query in queries.LISTS.items()},
    )
    for host in found.hosts:
        host["messages"] = rows(queries.MESSAGES_OF_HOST, host=host["name"])
    for url in found.urls:
        url["messages"] = rows(queries.MESSAGES_OF_URL, key=url["key"])
    return found


def _root(db: sqlite3.Connection) -> str:
    """Return the deepest folder that holds all files in *db*; nothing if that is the root of the file system."""
    octets = db.execute("SELECT min(name), max(name) FROM (SELECT CAST(name AS BLOB) AS name FROM source)").fetchone()
    folders = [_folder(name) for name in octets if name is not None]
    root = os.path.commonpath(folders) if folders and all(map(os.path.isabs, folders)) else ""
    return "" if root == os.path.dirname(root) else root


def _shown(root: str, name: str | bytes) -> str:
    """Return the path of the file or folder *name* relative to *root*; without a root, at most its last two parts."""
    shown = os.fsdecode(name)
    if root:
        shown = os.path.relpath(shown, root)
    elif os.path.isabs(shown):
        shown = os.path.join("\u2026", *Path(shown).parts[1:][-2:])
    return os.fsencode(shown).decode(errors="replace")


def _folder(name: str | bytes) -> str:
    return os.path.dirname(os.fsdecode(name))


def _left_out(db: sqlite3.Connection, selection: Selection) -> Iterator[tuple[int]]:
    """Yield the rows of `queries.LEFT_OUT`. The *selection* counts the messages with URLs but no readable date."""
    yield (0,)
    for number, sent, author, subject, newsgroups, has_urls in db.execute(_MESSAGES):
        time = datetime.fromisoformat(sent) if sent else None
        groups = (newsgroups or "").split(",")
        message: Any = SimpleNamespace(sent=time, author=author, subject=subject, newsgroups=groups)
        admitted = selection.admits(message)
        if admitted is None and has_urls:
            selection.undated += 1
        if not admitted:
            yield (number,)


# A text file, which has no messages, counts as one without a date.
_MESSAGES = """
SELECT
    id, sent, CAST(author AS TEXT), CAST(subject AS TEXT), CAST(newsgroups AS TEXT),
    EXISTS (SELECT 1 FROM occurrence WHERE message = message.id)
FROM message
UNION ALL SELECT DISTINCT -source, NULL, NULL, NULL, NULL, 1 FROM occurrence WHERE message IS NULL
"""


def count_targets(db: sqlite3.Connection) -> None:
    """Replace the view `counted` by a temporary table in which each URL of *db* counts as the one that it wraps."""
    db.execute("CREATE TEMP TABLE url AS SELECT * FROM main.url")
    db.execute("CREATE INDEX temp.url_id ON url (id)")
    urls = db.execute("SELECT id, url, host FROM main.url")
    wrapping = ((number, facts_of(url)) for number, url, host in urls if wrappings_on(host))
    # Not as functions in SQL: SQLite makes an error of an interrupt in one.
    found = ((facts.target, facts.target_host, number) for number, facts in wrapping if facts.target)
    db.executemany("UPDATE temp.url SET target = ?, target_host = ? WHERE id = ?", found)
    # The view of a database made with --unwrap computes these; here they are looked up by id and by key.
    db.execute(f"CREATE TEMP TABLE counted AS {COUNTED_UNWRAPPED}")
    db.execute("DROP TABLE temp.url")
    for column in ("id", "key", "host"):
        db.execute(f"CREATE INDEX temp.counted_{column} ON counted ({column})")
