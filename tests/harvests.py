"""Archives to harvest, what is in a database, and harvests that are killed."""
# ruff: noqa: S603 -- what is run is the command itself

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import Result

from commands import ask, run

BATCH = 3_000
"""A size of batches, in bytes, that makes many of them."""


PROSE = "http://text.example/ü " + "filling " * 25


def message(number: int, *lines: str, year: int = 2003) -> str:
    """Return a message of an mbox."""
    head = (
        f"From a@a.example Mon Jul  7 10:06:{number % 60:02} {year}",
        "From: A <a@a.example>",
        f"Date: Mon, 07 Jul {year} 10:06:12 -0300",
        f"Message-ID: <{number}@a.example>",
        f"Subject: Number {number}",
    )
    return "\n".join([*head, "", f"See http://host{number % 7}.example/{number}", *lines, "", ""])


def mbox(*numbers: int) -> str:
    """Return a mailbox of messages with these *numbers*, with a torn URL and a rejected candidate in each."""
    torn = ("filling " * 40, "is <URL:http://torn.exam")
    return "".join(message(n, *torn, f"ple/{n}>, and http://no_{n}..example/ none") for n in numbers)


def make_archive(root: Path) -> Path:
    """Make an archive with every way in which a file may be read: 8 files."""
    (root / "spool" / "alt").mkdir(parents=True)
    for number in range(1, 5):
        article = message(number, f"hyphen <http://host-\nbroken{number}.example/>").partition("\n")[2]
        (root / "spool" / "alt" / str(number)).write_text(article)
    (root / "list.mbox").write_text(mbox(*range(1, 20)))
    (root / "old.mbox.gz").write_bytes(gzip.compress(mbox(*range(100, 110)).encode(), mtime=0))
    (root / "text").write_text(PROSE * 50)
    (root / "empty").write_text("")
    return root


def harvest(*args: str | Path) -> Result:
    """Run `urlmend harvest`."""
    return run("harvest", *args)


def harvested(database: Path, *paths: Path | str) -> str:
    """Harvest *paths*, or with options among them; return its message about the files."""
    result = harvest(*paths, "-o", database)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.endswith(f", in {database}\n")
    return result.stderr.removeprefix("urlmend: files: ").partition(";")[0]


def rows(database: Path) -> dict[str, list[Any]]:
    """Return all that is in a sound *database*, without ids, and in each source in the order of reading."""
    queries = {
        "source": "SELECT name, size, mtime, complete, next_message, next_offset, next_line, mark, fault FROM source",
        "url": "SELECT url, scheme, host, departures, target, warnings, domain, target_domain FROM url",
        "message": 'SELECT name, number, "offset", message_id, date, author, subject, newsgroups,'
        " target_uri, record FROM message m JOIN source s ON s.id = m.source",
        "occurrence": "SELECT s.name, row_number() OVER (PARTITION BY s.id ORDER BY o.id), u.url, m.number,"
        ' m.message_id, part, start, "end", line, "column", exact, form, raw, readings, ambiguous, breaks, trimmed,'
        " quoted, signature, text_before, text_after FROM occurrence o JOIN source s ON s.id = o.source"
        " JOIN url u ON u.id = o.url LEFT JOIN message m ON m.id = o.message",
        "reject": "SELECT s.name, row_number() OVER (PARTITION BY s.id ORDER BY r.id), m.number, m.message_id, part,"
        ' start, "end", line, "column", exact, form, raw, text, rule, pos FROM reject r'
        " JOIN source s ON s.id = r.source LEFT JOIN message m ON m.id = r.message",
        "by_host": "SELECT * FROM by_host",
        "by_rule": "SELECT * FROM by_rule",
        "copied": "SELECT * FROM copied",
    }
    assert ask(database, "PRAGMA integrity_check") == [("ok",)]
    assert ask(database, "PRAGMA foreign_key_check") == []
    return {table: sorted(ask(database, sql), key=repr) for table, sql in queries.items()}


def fresh(tmp_path: Path, *paths: Path) -> dict[str, list[Any]]:
    """Return what a first, undisturbed run finds."""
    database = tmp_path / "fresh.db"
    database.unlink(missing_ok=True)
    harvest(*paths, "-o", database)
    return rows(database)


_CHILD = """
import os, signal, sqlite3, sys
from urlmend import parallel
from urlmend.cli import main
from urlmend.output.database import database
from urlmend.parallel import splits
parallel.LEAST_SIZE, splits.SPLIT_SIZE = -1, 2_000
database.BATCH_BYTES, moment = int(sys.argv[1]), int(sys.argv[2])
splits.PIECE_SIZE = database.BATCH_BYTES
count = 0
def tick(*_):
    global count
    count += 1
    if count == moment:
        os.kill(os.getpid(), signal.SIGKILL)
connect = sqlite3.connect
def connected(*args, **options):
    db = connect(*args, **options)
    db.set_trace_callback(tick)  # before each statement,
    db.set_progress_handler(tick, 500)  # and inside of the long ones
    return db
database.sqlite3.connect = connected
try:
    main(["harvest", *sys.argv[3:]])
finally:
    print(count)
"""


def killed(moment: int, database: Path, *paths: Path | str, batch: int = BATCH) -> subprocess.CompletedProcess[str]:
    """Harvest in a process that kills itself at its *moment*th step; 0 is never, and then the steps are printed."""
    arguments = [sys.executable, "-c", _CHILD, str(batch), str(moment), *map(str, paths), "-o", str(database)]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=600)
