"""What a database is made with: the options on which its content depends, as texts."""

import json
import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from urlmend.output.database.file import DatabaseError
from urlmend.output.database.schema import COUNTED_UNWRAPPED
from urlmend.text.forms import NONE, Forms

_YES, _NO = "yes", "no"


def settings_of(min_confidence: float, forms: Forms, *, unwrap: bool) -> dict[str, str]:
    """Return *min_confidence*, *forms* and *unwrap* as databases have them."""
    asked = {name: _YES if wanted else _NO for name, wanted in {**forms._asdict(), "unwrap": unwrap}.items()}
    return {"min_confidence": f"{min_confidence:g}", **asked}


def forms_of(made_with: dict[str, str]) -> Forms:
    """Return the forms that a database is *made_with*."""
    return Forms(*(made_with[name] == _YES for name in Forms._fields))


def is_unwrapped(made_with: dict[str, str]) -> bool:
    """Tell whether in a database that is *made_with* these the addresses inside of others count."""
    return made_with.get("unwrap") == _YES


DEFAULTS = {"source": "auto", "profile": "web", "join": "evident", **settings_of(0, NONE, unwrap=False)}
"""The options on which the result depends, and their defaults."""


def said(name: str, value: str) -> str:
    """Return the option called *name* with its *value* as people say it: `with --join none`, `without --refang`."""
    option = f"--{name.replace('_', '-')}"
    return f"{'with' if value == _YES else 'without'} {option}" if value in (_YES, _NO) else f"with {option} {value}"


class Options(NamedTuple):
    """The values of options; `None`, and what is not asked for, stand for what the database is made with."""

    source: str | None = None
    profile: str | None = None
    join: str | None = None
    min_confidence: float | None = None
    forms: Forms = NONE
    unwrap: bool = False


def settled(db: sqlite3.Connection, asked: Mapping[str, str | None]) -> dict[str, str]:
    """Return what *db* is made with, which is what is *asked* if it is new; `DatabaseError` where it is not."""
    wanted = {name: value for name, value in asked.items() if value is not None}
    select = "SELECT name, value FROM setting"
    made_with = dict(db.execute(select).fetchall())
    if made_with:
        made_with = {**DEFAULTS, **made_with}  # a database may be older than an option
    else:
        pairs = json.dumps({**DEFAULTS, **wanted})
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT OR IGNORE INTO setting SELECT key, value FROM json_each(?)", (pairs,))
        made_with = dict(db.execute(select).fetchall())
        if is_unwrapped(made_with):
            db.execute("DROP VIEW counted")
            db.execute(COUNTED_UNWRAPPED)
        db.execute("COMMIT")
    if made_with["command"] != wanted["command"]:
        message = f"was made by {made_with['command']}: {wanted['command']} into a new file"
        raise DatabaseError(message)
    for name, value in wanted.items():
        if made_with[name] != value:
            message = f"was made {said(name, made_with[name])}: take that, or {wanted['command']} into a new file"
            raise DatabaseError(message)
    return made_with
