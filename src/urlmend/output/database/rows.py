"""Rows for what is found in a source. Any process can make them; `Database.store` gives them their ids."""

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from urlmend.facts import facts_of
from urlmend.match import Rejected, URLMatch
from urlmend.output.records import row_of
from urlmend.query import Query
from urlmend.record import BY_NAME, encodable, plain
from urlmend.sources import Origin

if TYPE_CHECKING:
    from urlmend.sources.header import Header
    from urlmend.sources.origin import Body

Row = tuple[Any, ...]
"""A row of a table: the values of its COLUMNS, and after each that may equal the URL, or a reject's text, that too."""

_OF_URL = "url scheme host_name departures warning_names domain".split()
_OF_TARGET = "target target_host target_domain".split()
_OF_MESSAGE = "sent message_id date author subject target_uri record".split()
_OF_OCCURRENCE = (
    "url part start end line column exact form raw readings ambiguous breaks trimmed confidence quoted signature"
).split()
_OF_REJECT = "text origin.part start end line column exact form raw".split()
# The URL follows these in a row, so that SQLite can leave out those that equal it.
_AS_THE_URL = ("raw", "readings")

COLUMNS = {
    "url": ["url", "scheme", "host", "departures", "warnings", "domain", *_OF_TARGET],
    "message": ["id", "source", "identity", "digest", "number", "offset", "newsgroups", "member", *_OF_MESSAGE],
    "occurrence": ["source", "message", "in_header", *_OF_OCCURRENCE, "text_before", "text_after"],
    "reject": ["source", "message", "text", "part", *_OF_REJECT[2:], "rule", "pos"],
}
"""The columns of the tables, in the order in which `Database` writes the values."""

OWN = 0
"""The identity of a message that is identified by its id."""

_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _stored(value: Any) -> Any:  # noqa: ANN401 -- of any column
    """Return *value* as it is stored: numbers, text that is UTF-8, and JSON."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return encodable(value)
    value = plain(value)
    return value if not isinstance(value, list) else encodable(_as_json(value)) if value else "[]"


class Rows(NamedTuple):
    """Rows of each table, without ids. A `url` has a row for each batch of rows in which it occurs.

    A `RowMaker` numbers messages from 1; `begun` of them come before these rows. A row of `occurrence` or `reject`
    begins with the number of its message, or `None`; a row of `message` with its number and identity.
    """

    begun: int = 0
    url: Sequence[Row] = ()
    message: Sequence[Row] = ()
    occurrence: Sequence[Row] = ()
    reject: Sequence[Row] = ()


class RowMaker:
    """Makes rows of the matches of *query* in the source called *source_name*, whose texts come in order."""

    def __init__(self, source_name: str | None, query: Query) -> None:
        self._source_name = source_name or ""
        self._query = query
        self._begun = self._last = 0  # the number of the last message, and that at the end of the rows before
        self._place: tuple[str | None, int | None] | None = None  # of the message that is being read
        self._messages: dict[Header | None, tuple[int, Origin]] = {}  # it, and those attached to it, with numbers
        self._body: Body | None = None
        self._urls: dict[str, None] = {}
        self._ended: list[Row] = []
        self._occurrences: list[Row] = []
        self._rejects: list[Row] = []

    def __len__(self) -> int:
        return len(self._occurrences) + len(self._rejects)

    def add(self, matches: Iterable[URLMatch]) -> None:
        """Add the rows of *matches*."""
        for match in matches:
            self._urls[match.url] = None
            texts = encodable(match.left), encodable(match.right)
            origin = match.origin
            self._occurrences.append((self._number(origin), origin.in_header, *_row(match), *texts))

    def reject(self, rejected: Rejected) -> None:
        """Add the row of *rejected*."""
        error = rejected.error
        row = (*map(_stored, _of_reject(rejected)), error.rule, error.pos)
        self._rejects.append((self._number(rejected.origin), *row))

    def take(self) -> Rows:
        """Return the rows that were not taken yet."""
        query = self._query
        of_url = _of_url_and_target if query.unwrap else _of_url
        urls = [(*map(_stored, of_url(facts_of(url, query.profile))),) for url in self._urls]
        rows = Rows(self._begun, urls, self._ended, self._occurrences, self._rejects)
        self._begun = self._last
        self._urls, self._ended, self._occurrences, self._rejects = {}, [], [], []
        return rows

    def end_message(self) -> None:
        """Add the rows of the current message, whose body has been read, and of the messages attached to it."""
        for number, origin in self._messages.values():
            self._ended.append((number, *self._row_of(origin)))
        self._place = self._body = None
        self._messages.clear()

    def is_in_message(self, origin: Origin) -> bool:
        """Return whether *origin* is in the message that is being read."""
        return self._place == (origin.source, origin.message)

    def _number(self, origin: Origin) -> int | None:
        """Return the number of the message, record or page of *origin*; `None` if its file has none of these."""
        header = origin.header
        if not origin.in_message and origin.message is None:
            return None
        place = (origin.source, origin.message)
        if place != self._place:
            self.end_message()
            self._place, self._body = place, origin.body
        if header and header.within and header.within[0] not in self._messages:
            self._numbered(Origin(origin.source, origin.message, offset=origin.offset, header=header.within[0]))
        return self._numbered(origin)

    def _numbered(self, origin: Origin) -> int:
        known = self._messages.get(origin.header)
        if known is None:
            self._last += 1
            known = self._messages[origin.header] = self._last, origin
        return known[0]

    def _row_of(self, origin: Origin) -> Row:
        """Return the row of the message of *origin*."""
        header = origin.header
        identity = OWN if origin.in_message else None
        digest = None
        if header and header.identity:
            octets = blake2b(header.identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            # Those of messages without a Message-ID are above 0.
            identity = -1 - (int.from_bytes(octets) >> 1)
            digest = self._body.hashed.digest() if self._body and not header.within else None
        source = origin.source or ""
        inside = source.removeprefix(self._source_name)
        member = None if inside == source else inside or None
        texts = (",".join(origin.newsgroups) or None, member, *_of_message(origin))
        return (identity, digest, origin.message, origin.offset, *map(_stored, texts))


_row = row_of(
    [BY_NAME[each] for name in _OF_OCCURRENCE for each in ((name, "url") if name in _AS_THE_URL else (name,))], _stored
)
_of_url = attrgetter(*_OF_URL, *["no_target"] * len(_OF_TARGET))
_of_url_and_target = attrgetter(*_OF_URL, *_OF_TARGET)
_of_message, _of_reject = attrgetter(*_OF_MESSAGE), attrgetter(*_OF_REJECT, "text")
