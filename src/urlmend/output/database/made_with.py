"""What a database is made with: the options on which its content depends, as texts."""

import json
import sqlite3
from collections.abc import Mapping
from typing import cast

from urlmend.grammar.profiles import PROFILES
from urlmend.output.database.file import DatabaseError
from urlmend.output.database.schema import COUNTED_UNWRAPPED
from urlmend.query import Join, Query

_YES, _NO = "yes", "no"
_FLAGS = ("schemeless", "addresses", "refang", "unwrap")


def settings_of(query: Query) -> dict[str, str]:
    """Return the fields of *query* as texts, as a database has them."""
    flags = {name: _YES if getattr(query, name) else _NO for name in _FLAGS}
    profile = next(name for name, profile in PROFILES.items() if profile == query.profile)
    return {
        "source": query.source_name,
        "profile": profile,
        "join": query.join,
        "min_confidence": f"{query.min_confidence:g}",
        **flags,
    }


def query_of(made_with: Mapping[str, str]) -> Query:
    """Return the query that a database is *made_with*."""
    return Query(
        source=made_with["source"],
        profile=PROFILES[made_with["profile"]],
        join=cast("Join", made_with["join"]),
        min_confidence=float(made_with["min_confidence"]),
        **{name: made_with[name] == _YES for name in _FLAGS},
    )


def is_unwrapped(made_with: Mapping[str, str]) -> bool:
    """Return whether a database that is *made_with* these settings counts the addresses inside of others."""
    return made_with.get("unwrap") == _YES


DEFAULTS = settings_of(Query())
"""The settings of a database that is made without options."""


def said(name: str, value: str) -> str:
    """Return the option called *name* with its *value* as people say it: `with --join none`, `without --refang`."""
    option = f"--{name.replace('_', '-')}"
    return f"{'with' if value == _YES else 'without'} {option}" if value in (_YES, _NO) else f"with {option} {value}"


def settled(db: sqlite3.Connection, asked: Mapping[str, str]) -> dict[str, str]:
    """Return what *db* is made with, which is what is *asked* if it is new; `DatabaseError` where it is not."""
    select = "SELECT name, value FROM setting"
    made_with = dict(db.execute(select).fetchall())
    if made_with:
        made_with = {**DEFAULTS, **made_with}  # a database may be older than an option
    else:
        pairs = json.dumps({**DEFAULTS, **asked})
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT OR IGNORE INTO setting SELECT key, value FROM json_each(?)", (pairs,))
        made_with = dict(db.execute(select).fetchall())
        if is_unwrapped(made_with):
            db.execute("DROP VIEW counted")
            db.execute(COUNTED_UNWRAPPED)
        db.execute("COMMIT")
    if made_with["command"] != asked["command"]:
        message = f"was made by {made_with['command']}: {asked['command']} into a new file"
        raise DatabaseError(message)
    for name, value in asked.items():
        if made_with[name] != value:
            message = f"was made {said(name, made_with[name])}: take that, or {asked['command']} into a new file"
            raise DatabaseError(message)
    return made_with
