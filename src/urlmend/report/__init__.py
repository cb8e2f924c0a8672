"""The report: a page about a harvest (the extra `report`)."""

import os
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from urllib.parse import quote

from urlmend.output.counts import Counting
from urlmend.output.database.schema import check, explained_errors, is_unwrapped, options_of
from urlmend.report.facts import count_targets, gather
from urlmend.report.page import check_message_url, render
from urlmend.selection import Selection

__all__ = ["Counting", "report"]


def report(  # noqa: PLR0913 -- one for each option
    database: str,
    today: date,
    *,
    title: str | None = None,
    links: bool = True,
    unwrap: bool = False,
    counting: Counting | None = None,
    message_url: str | None = None,
    selection: Selection | None = None,
) -> str:
    """Return a page about the *database* of a harvest. Dates after *today* count as missing.

    The default *title* is made from the name of the database. Without *links*, URLs are plain text. With *unwrap*,
    or if the database was made with it, the addresses inside URLs count instead of the URLs. *counting* says
    what counts. Messages are links to *message_url*, an http or https URL with the field `{message_id}`,
    or `{message_id_hash}` for Mailman 3, after its host; any other raises `ValueError`. With a *selection*, only what
    was found in its messages counts. The database is only read, and other processes may write to it meanwhile. Its
    errors are `DatabaseError`.
    """
    if message_url is not None:
        check_message_url(message_url)
    with explained_errors(), closing(_opened(Path(database))) as db:
        settings = dict(db.execute("SELECT name, value FROM setting ORDER BY name"))
        if selection:
            settings |= {name: text for name, text in selection.conditions.items() if text}
        if unwrap or is_unwrapped(settings):
            settings["unwrap"] = "yes"
            count_targets(db)
        found = gather(db, today, counting, selection)
    name = os.fsencode(Path(database).name).decode(errors="replace")
    return render(found, title or f"URLs of {name}", options_of(settings), today, links=links, message_url=message_url)


def _opened(path: Path) -> sqlite3.Connection:
    """Open the database at *path* for reading."""
    check(str(path), may_be_new=False)
    # SQLite keeps files beside a database in WAL mode, and removes them only if it may write. Where it may not, and
    # there are none, no other process writes either.
    alone = not os.access(path.absolute().parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    how = "immutable=1" if alone else "mode=rw"
    return sqlite3.connect(f"file:{quote(os.fsencode(path.absolute()))}?{how}", uri=True, isolation_level=None)
