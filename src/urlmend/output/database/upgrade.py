"""Bringing a database that an older urlmend has made up to date."""

import json
import sqlite3
from contextlib import closing

from urlmend.grammar.profiles import PROFILES, WEB
from urlmend.match import warning_names
from urlmend.output.database.file import SCHEMA
from urlmend.output.database.schema import schema_text

_STEPS = {
    3: (
        "ALTER TABLE message RENAME COLUMN target TO target_uri",
        "ALTER TABLE url ADD COLUMN target TEXT",
        "ALTER TABLE url ADD COLUMN target_host TEXT",
        "ALTER TABLE url ADD COLUMN warnings TEXT NOT NULL DEFAULT '[]'",
        "UPDATE url SET warnings = warning_names(url)",
        "ALTER TABLE message ADD COLUMN member TEXT",
        "CREATE INDEX message_member ON message (source, member) WHERE member IS NOT NULL",
    ),
    4: ("DROP TABLE IF EXISTS left_out",),
}
"""What makes the tables of the next version, by the version."""


def upgrade(db: sqlite3.Connection) -> None:
    """Give *db* the tables and views of this version, in one transaction. All that was stored stays."""
    settings = dict(db.execute("SELECT name, value FROM setting"))
    profile = PROFILES.get(settings.get("profile", ""), WEB)
    db.create_function("warning_names", 1, lambda url: json.dumps(warning_names(url, profile)), deterministic=True)
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it meanwhile.
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version < SCHEMA:
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
                db.execute(f"DROP VIEW {name}")
            for step in range(version, SCHEMA):
                for statement in _STEPS[step]:
                    db.execute(statement)
            for statement in _views():
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _views() -> list[str]:
    with closing(sqlite3.connect(":memory:")) as new:
        new.executescript(schema_text())
        return [sql for (sql,) in new.execute("SELECT sql FROM sqlite_master WHERE type = 'view' ORDER BY rowid")]
