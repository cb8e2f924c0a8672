"""Matches as rows of the database of a harvest. Ids are given out here, and many rows are written at a time."""

import json
import sqlite3
from typing import TYPE_CHECKING, Any

from urlmend.grammar.parser import scheme_host_departures
from urlmend.match import DECIMALS
from urlmend.output.record import escaped

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch
    from urlmend.sources import Origin
    from urlmend.sources.header import Header

BUFFERED = 1000
"""How many occurrences, or rejects, are written at a time."""

CACHED = 1 << 16
"""How many ids of URLs are remembered at most, about."""

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Rows:
    """Rows for *db*. They are made, written and discarded within one transaction, which begins with `number`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.unwrap = False
        self._urls: list[tuple[Any, ...]] = []
        self._messages: list[tuple[Any, ...]] = []
        self._occurrences: list[tuple[Any, ...]] = []
        self._rejects: list[tuple[Any, ...]] = []
        self._url_ids: dict[str, int] = {}
        self._header_ids: dict[Header | None, int] = {}  # of the message that was added last, and those in it
        self._message: tuple[int, str | None, int | None] = (0, None, None)
        self.name: str | None = None
        """The name of the source that is read: what is found in a member has a longer one."""
        self._next_url = self._next_message = self._next_place = 0

    def number(self) -> None:
        """Look up which ids are free: nobody else takes them before the transaction ends."""
        maximum = "SELECT coalesce(max(id), 0) + 1 FROM"
        self._next_url = self._db.execute(f"{maximum} url").fetchone()[0]
        self._next_message = self._db.execute(f"{maximum} message").fetchone()[0]
        self._next_place = self._db.execute(f"{maximum} occurrence").fetchone()[0]

    def forget(self) -> None:
        """Forget all ids: rows have been deleted, or others have written."""
        self._url_ids.clear()
        self._header_ids.clear()

    def discard(self) -> None:
        """Write nothing of what was added."""
        self.forget()
        for rows in (self._urls, self._messages, self._occurrences, self._rejects):
            rows.clear()

    def write(self) -> None:
        """Write what was added."""
        for sql, rows in (
            (_INSERT_URL, self._urls),
            (_INSERT_MESSAGE, self._messages),
            (_INSERT_OCCURRENCE, self._occurrences),
            (_INSERT_REJECT, self._rejects),
        ):
            if rows:
                self._db.executemany(sql, rows)
                rows.clear()
        if len(self._url_ids) > CACHED:
            self._url_ids.clear()

    def add(self, source: int, match: "URLMatch") -> None:
        """Add *match*, found in *source*."""
        self._occurrences.append(
            (
                self._place(),
                self._url_id(match),
                source,
                self._message_id(source, match.origin),
                match.origin.part,
                match.start,
                match.end,
                match.line,
                match.column,
                match.exact,
                match.form,
                None if match.raw == match.url else escaped(match.raw),
                None if len(match.readings) == 1 else escaped(_ENCODE(match.readings)),
                match.ambiguous,
                escaped(_ENCODE([b._asdict() for b in match.breaks])) if match.breaks else None,
                escaped(match.trimmed),
                round(match.confidence, DECIMALS),
                match.quoted,
                match.origin.signature,
                *(map(escaped, (match.left, match.right)) if match.breaks else (None, None)),
            )
        )
        if len(self._occurrences) >= BUFFERED:
            self.write()

    def _place(self) -> int:
        """Return the id of the next place of a URL."""
        self._next_place += 1
        return self._next_place - 1

    def reject(self, source: int, rejected: "Rejected") -> None:
        """Add *rejected*, found in *source*."""
        error = rejected.error
        self._rejects.append(
            (
                source,
                self._message_id(source, rejected.origin),
                rejected.origin.part,
                rejected.start,
                rejected.end,
                rejected.line,
                rejected.column,
                rejected.exact,
                rejected.form,
                None if rejected.raw == rejected.text else escaped(rejected.raw),
                escaped(rejected.text),
                error.rule,
                error.pos,
            )
        )
        if len(self._rejects) >= BUFFERED:
            self.write()

    def _url_id(self, match: "URLMatch") -> int:
        text = escaped(match.url)
        number = self._url_ids.get(text)
        if number is None:
            row = self._db.execute("SELECT id FROM url WHERE url = ?", (text,)).fetchone()
            if row is None:
                number = self._next_url
                self._next_url += 1
                scheme, host, departures = scheme_host_departures(match.url, match.profile)
                target = match.target if self.unwrap else None
                target_host = target and scheme_host_departures(target)[1]
                notes = _ENCODE(match.warning_names)
                hosts = [name and escaped(name.lower()) for name in (host, target_host)]
                told = (hosts[0], _ENCODE(departures), target, hosts[1], notes)
                self._urls.append((number, text, scheme, *told))
            else:
                number = int(row[0])
            self._url_ids[text] = number
        return number

    def _message_id(self, source: int, origin: "Origin") -> int | None:
        if origin.message is None:
            return None
        if self._message != (source, origin.source, origin.message):
            self._message = (source, origin.source, origin.message)
            self._header_ids.clear()
        header = origin.header  # a record of a web archive has none
        number = self._header_ids.get(header)
        if number is None:
            number = self._header_ids[header] = self._next_message
            self._next_message += 1
            told = (origin.message_id, origin.date, origin.author, origin.subject, ",".join(origin.newsgroups) or None)
            texts = (text and escaped(text) for text in (*told, origin.target_uri, origin.record))
            member = origin.source.removeprefix(self.name) if origin.source and self.name else None
            member = None if member == origin.source else member or None
            self._messages.append((number, source, origin.message, origin.offset, *texts, member))
        return number


_INSERT_URL = """
INSERT INTO url (id, url, scheme, host, departures, target, target_host, warnings) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_MESSAGE = """
INSERT INTO message (id, source, number, "offset", message_id, date, author, subject, newsgroups, target_uri, record,
    member)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_OCCURRENCE = """
INSERT INTO occurrence (id, url, source, message, part, start, "end", line, "column", exact, form, raw, readings,
    ambiguous, breaks, trimmed, confidence, quoted, signature, text_before, text_after)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_REJECT = """
INSERT INTO reject (source, message, part, start, "end", line, "column", exact, form, raw, text, rule, pos)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
