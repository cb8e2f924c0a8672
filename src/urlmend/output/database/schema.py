"""The file of a database: how it is recognised, its schema, and the options that it was made with."""

import errno
import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from urlmend.grammar.profiles import PROFILES, Profile
from urlmend.output.files import SIDE_FILES, SQLITE, head_of
from urlmend.query import Query
from urlmend.selection import Selection
from urlmend.sources.directories import own_descriptor

SCHEMA_VERSION = 9
"""The version of the schema, in `PRAGMA user_version`."""

APPLICATION = 0x75726C6D
"""The mark of a database of urlmend, in `PRAGMA application_id`: `urlm`."""

_JOURNALS = (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", b"\0" * 8)  # the second until it is written to the disk
_SCHEMA_AT, _APPLICATION_AT = slice(60, 64), slice(68, 72)  # https://www.sqlite.org/fileformat.html, 1.3


class DatabaseError(OSError):
    """The database cannot be read or written. The message says why."""


_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full; what was written before is kept",
    sqlite3.SQLITE_READONLY: "cannot be written",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened or created",
    sqlite3.SQLITE_BUSY: "is in use by another process",
}


@contextmanager
def explained_errors(prefix: str = "") -> Iterator[None]:
    """Raise errors of SQLite as `DatabaseError`, with *prefix* before the message."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the higher bits are details
        raise DatabaseError(prefix + _REASONS.get(code, str(error))) from error


def check(path: str, *, may_be_new: bool = True) -> None:
    """Raise `DatabaseError` unless *path* is a database of SCHEMA_VERSION, or is missing or empty and *may_be_new*.

    A new database may have no side files. The file is read without SQLite, which might write to it.
    """
    file = Path(path)
    if own_descriptor(path) is not None or (file.exists() and not file.is_file() and not file.is_dir()):
        raise DatabaseError("a database needs a regular file")
    try:
        header = head_of(path)
    except OSError as error:
        raise DatabaseError(error.strerror or str(error)) from error
    if not header and may_be_new:
        _check_side_files(path, exists=header is not None)
        return
    if not header:
        message = os.strerror(errno.ENOENT) if header is None else "is empty"
    elif not header.startswith(SQLITE):
        message = "is not an SQLite database; nothing was changed"
    elif int.from_bytes(header[_APPLICATION_AT]) != APPLICATION:
        message = "is an SQLite database, but not urlmend's; nothing was changed"
    elif int.from_bytes(header[_SCHEMA_AT]) != SCHEMA_VERSION:
        message = "was made by another version of urlmend: harvest again, into a new file"
    else:
        return
    raise DatabaseError(message)


def _check_side_files(path: str, *, exists: bool) -> None:
    """Raise `DatabaseError` if SQLite, making a database at *path*, would remove a file that is not its own."""
    for end in SIDE_FILES:
        head = head_of(path + end)
        # A run that was killed while it made the database has left an empty file and a journal.
        own = exists and end == "-journal" and (not head or head.startswith(_JOURNALS))
        if head is not None and not own:
            raise DatabaseError(f"a new database would replace {path + end}: move that file, or choose another name")


# The schema

_SQL = Path(__file__).with_name("schema.sql")

COUNTED_UNWRAPPED = """
SELECT
    id, coalesce(target, url) AS key, coalesce(target, url) AS url,
    CASE WHEN target IS NULL THEN scheme ELSE lower(substr(target, 1, instr(target, ':') - 1)) END AS scheme,
    CASE WHEN target IS NULL THEN host ELSE target_host END AS host,
    CASE WHEN target IS NULL THEN domain ELSE target_domain END AS domain,
    departures
FROM url
"""
"""The view `counted` of a database made with --unwrap."""


def create(db: sqlite3.Connection, wanted: Mapping[str, str]) -> bool:
    """Create the schema in an empty database, with the *wanted* settings. Return whether it was empty."""
    if _version(db):
        return False
    with db:
        db.execute("BEGIN IMMEDIATE")
        if _version(db):  # another process has made it meanwhile
            return False
        settings = {**DEFAULTS, **wanted}
        for statement in re.findall(r"^CREATE .*?;$", _SQL.read_text("utf-8"), re.DOTALL | re.MULTILINE):
            db.execute(statement)
        if is_unwrapped(settings):
            db.execute("DROP VIEW counted")
            db.execute(f"CREATE VIEW counted AS {COUNTED_UNWRAPPED}")
        db.execute("INSERT INTO setting SELECT key, value FROM json_each(?)", (json.dumps(settings),))
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return True


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


# The options that it was made with

_YES, _NO = "yes", "no"


def settings_of(query: Query, selection: Selection) -> dict[str, str]:
    """Return *query* and *selection* as the settings of a database.

    Raises `TypeError` if the source is a function.
    """
    values = {field.name: getattr(query, field.name) for field in fields(query)} | {"source": query.source_name}
    return {name: _text(value) for name, value in values.items()} | selection.conditions


def _text(value: object) -> str:
    if isinstance(value, bool):
        return _YES if value else _NO
    if isinstance(value, Profile):
        return next(name for name, profile in PROFILES.items() if profile == value)
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return "" if value is None else str(value)


DEFAULTS = settings_of(Query(), Selection())
"""The settings of a database that is made without options."""


def _value(default: object, text: str) -> Any:  # noqa: ANN401 -- of the type of the field
    """Convert *text*, a setting, to the type of *default*, which is that of its field in `Query`."""
    if isinstance(default, bool):
        return text == _YES
    return type(default)(text) if isinstance(default, int | float) else text or None


def is_unwrapped(settings: Mapping[str, str]) -> bool:
    """Return whether URLs count as the addresses that they wrap in a database with these *settings*."""
    return settings.get("unwrap") == _YES


def made_with(db: sqlite3.Connection, command: str, given: Mapping[str, str]) -> tuple[Query, Selection]:
    """Return the settings of *db*. Raise `DatabaseError` unless *command* made it, with the *given* ones."""
    settings: dict[str, str] = dict(db.execute("SELECT name, value FROM setting").fetchall())
    if settings["command"] != command:
        raise DatabaseError(f"was made by {settings['command']}: choose a new file")
    for name, value in given.items():
        if settings[name] != value:
            was = _option(name, settings[name])
            how = "leave it out" if was.startswith("without") else "use that"
            raise DatabaseError(f"was made {was}: {how}, or {command} into a new file")
    query = Query(**{field.name: _value(field.default, settings[field.name]) for field in fields(Query)})
    return query, Selection(**{name: settings[name] for name in Selection().conditions})


def options_of(settings: Mapping[str, str]) -> list[str]:
    """Return those *settings* as options that are not the default."""
    return [_option(name, value) for name, value in settings.items() if value != DEFAULTS.get(name, value)]


def _option(name: str, value: str) -> str:
    """Return a setting as an option: `with --join none`, `without --refang`."""
    option = f"--{name.replace('_', '-')}"
    if value in (_YES, _NO, ""):
        return f"{'with' if value == _YES else 'without'} {option}"
    return f"with {option} {value}"
