"""The command under test, in this process or in one of its own, and the rows of its databases."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from urlmend.cli import main

COMMAND = (sys.executable, "-m", "urlmend")


def run(*args: str | Path, stdin: str | bytes = b"") -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)


def spawn(*args: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    """Run the command in a process of its own."""
    return subprocess.run([*COMMAND, *args], capture_output=True, check=False, timeout=60, **options)  # noqa: S603


def ask(database: Path | str, sql: str) -> list[Any]:
    """Return the rows of a query."""
    with closing(sqlite3.connect(database)) as db:
        return db.execute(sql).fetchall()
