"""Reports in which the addresses inside of others count."""

import sqlite3

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.unwrap import rules_of, unwrap

_COUNTED = """
CREATE TEMP TABLE counted AS
SELECT
    url.id AS id, coalesce(target.url, url.url) AS key, coalesce(target.url, url.url) AS url,
    coalesce(target.scheme, url.scheme) AS scheme,
    CASE WHEN target.id IS NULL THEN url.host ELSE target.host END AS host
FROM main.url LEFT JOIN target ON target.id = url.id
"""


def count_targets(db: sqlite3.Connection) -> None:
    """Let each URL of *db* count for the one that it wraps, in a temporary table in place of the view `counted`."""
    db.execute("CREATE TEMP TABLE target (id INTEGER PRIMARY KEY, url TEXT, scheme TEXT, host TEXT)")
    for number, text, host in db.execute("SELECT id, url, host FROM url WHERE host > ''"):
        if rules_of(host) and (target := unwrap(text)) and (url := parse_or_none(target)):
            row = (number, target, url.scheme, url.host and url.host.lower())
            db.execute("INSERT INTO target VALUES (?, ?, ?, ?)", row)
    db.execute(_COUNTED)
    # A database with targets has them in the view; here they are looked up by either.
    db.execute("CREATE UNIQUE INDEX temp.counted_id ON counted (id)")
    db.execute("CREATE INDEX temp.counted_key ON counted (key)")
