"""An SQLite database of urlmend as a file: how one is known, and what its errors mean."""

import os
import sqlite3
from pathlib import Path

from urlmend.output.files import one_case

SCHEMA = 5
"""The version of the schema, in `PRAGMA user_version`."""

OLDEST = 3
"""The oldest version that is brought up to date where the database is written to."""

APPLICATION = 0x75726C6D
"""The mark of a database of urlmend, in `PRAGMA application_id`: `urlm`."""

_MAGIC = b"SQLite format 3\0"
_SCHEMA_AT, _APPLICATION_AT = slice(60, 64), slice(68, 72)  # https://www.sqlite.org/fileformat.html, 1.3
_HEADER_SIZE = 100


class DatabaseError(OSError):
    """The database cannot be read or written, for this reason."""


SIDE_FILES = ("-wal", "-shm", "-journal")
"""How the names of the files end that SQLite keeps beside a database."""


def own_files(path: str) -> set[str]:
    """Return the names (`one_case`) that the database at *path* and its files may have: links followed and not."""
    return {name + end for name in (one_case(path), one_case(os.path.realpath(path))) for end in ("", *SIDE_FILES)}


_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full; what was written before is kept",
    sqlite3.SQLITE_READONLY: "cannot be written",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened, or not be made in its directory",
    sqlite3.SQLITE_BUSY: "is in use by another process",
}


def explained(error: sqlite3.Error) -> str:
    """Return what *error* says, in words for those who do not know SQLite."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the higher bits are details
    return _REASONS.get(code, str(error))


def check(path: str, oldest: int = SCHEMA) -> None:
    """Raise `DatabaseError` if the file at *path* is not of urlmend, or of a version before *oldest*, or a newer one.

    SQLite is not asked: it might write there.
    """
    try:
        with Path(path).open("rb") as file:
            header = file.read(_HEADER_SIZE)
    except FileNotFoundError:
        return
    except OSError as error:
        raise DatabaseError(error.strerror or str(error)) from error
    if header and not header.startswith(_MAGIC):
        message = "is no SQLite database; it is left as it is"
        raise DatabaseError(message)
    if header and int.from_bytes(header[_APPLICATION_AT]) != APPLICATION:
        message = "is an SQLite database, and not of urlmend; it is left as it is"
        raise DatabaseError(message)
    if header and not oldest <= (version := int.from_bytes(header[_SCHEMA_AT])) <= SCHEMA:
        age = "a newer" if version > SCHEMA else "an older"
        can_be_upgraded = OLDEST <= version <= SCHEMA
        advice = (
            "run urlmend harvest on it, which brings it up to date" if can_be_upgraded else "harvest into a new file"
        )
        message = f"was made by {age} urlmend: {advice}"
        raise DatabaseError(message)
