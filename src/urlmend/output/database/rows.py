"""The rows of what is found in a source, worked out in any process; `Database.store` gives them their ids."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from urlmend.match import Rejected, URLMatch
from urlmend.output.counts import host_of
from urlmend.parallel.splits import MessageRange, Piece, Split, SplitReader
from urlmend.reading import Job
from urlmend.record import DECIMALS, PLACE, facts_of, shown_time
from urlmend.sources import Origin, Readable, Text
from urlmend.sources.compression import Peeked, kind
from urlmend.sources.mbox import BEGINNING, MboxReader, Position
from urlmend.sources.recognise import kind_of

if TYPE_CHECKING:
    from urlmend.grammar.profiles import Profile
    from urlmend.sources.header import Header
    from urlmend.sources.origin import Body

Row = dict[str, Any]
"""A row of a table, by the names of its columns."""

OWN = 0
"""The identity of a message that is identified by its id."""

_TEXTS_OF_MESSAGES = ("message_id", "date", "author", "subject", "target_uri", "record")

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

new_hash = partial(blake2b, digest_size=16)
"""Makes the hash object for the digest of a message's body."""


class Entry(NamedTuple):
    """A row for the *table*, of the message with this *number*, which counts the messages of the `Rows`, from 1.

    A row of `message` is that of the message itself. If the message has a digest, it is not known yet: it comes at the
    end of the message, as the *row* of an entry whose table is `end`.
    """

    table: str
    number: int | None
    row: Any


class Rows:
    """Makes rows of the matches in the source called *reading*, whose texts come in order."""

    def __init__(self, reading: str | None) -> None:
        self._reading = reading
        self._entries: list[Entry] = []
        self._place: tuple[str | None, int | None] | None = None  # of the message that is being read
        self._numbers: dict[Header | None, int] = {}  # of it, and of those attached to it
        self._last = 0  # the last number
        self._body: Body | None = None
        self._has_outermost = False

    def add(self, match: URLMatch) -> None:
        """Add the row of *match*. Its URL is the text, not an id."""
        breaks = match.breaks
        about = {
            "url": match.url,
            "readings": None if len(match.readings) == 1 else _ENCODE(match.readings),
            "ambiguous": match.ambiguous,
            "breaks": _ENCODE([one._asdict() for one in breaks]) if breaks else None,
            "trimmed": match.trimmed,
            "confidence": round(match.confidence, DECIMALS),
            "quoted": match.quoted,
            "signature": match.origin.signature,
            "text_before": match.left,
            "text_after": match.right,
        }
        self._add("occurrence", match, match.url, about)

    def reject(self, rejected: Rejected) -> None:
        """Add the row of *rejected*."""
        error = rejected.error
        about = {"text": rejected.text, "rule": error.rule, "pos": error.pos}
        self._add("reject", rejected, rejected.text, about)

    def take(self) -> list[Entry]:
        """Return the entries that were not taken yet, in order."""
        entries, self._entries = self._entries, []
        return entries

    def end_message(self) -> None:
        """End the current message, if there is one: its whole body has been read."""
        if self._place is not None:
            digest = self._body.hashed.digest() if self._has_outermost and self._body is not None else None
            self._entries.append(Entry("end", None, digest))
            self._place = self._body = None
            self._has_outermost = False
            self._numbers.clear()

    def _add(self, table: str, found: URLMatch | Rejected, text: str, about: Row) -> None:
        place = {name: getattr(found, name) for name in (*PLACE, "exact")}
        raw = None if found.raw == text else found.raw
        number = self._number(found.origin)
        self._entries.append(Entry(table, number, {"part": found.origin.part, "raw": raw, **place, **about}))

    def _number(self, origin: Origin) -> int | None:
        """Return the number of the message, record or page of *origin*; `None` if it is of another file."""
        header = origin.header
        if not origin.in_message and origin.message is None:
            return None
        place = (origin.source, origin.message)
        if place != self._place:
            self.end_message()
            self._place, self._body = place, origin.body
        if header and header.within and header.within[0] not in self._numbers:
            self._add_message(Origin(origin.source, origin.message, offset=origin.offset, header=header.within[0]))
        number = self._numbers.get(header)
        return self._add_message(origin) if number is None else number

    def _add_message(self, origin: Origin) -> int:
        header = origin.header
        self._last += 1
        number = self._numbers[header] = self._last
        row: Row = {"number": origin.message, "offset": origin.offset}
        row |= {name: getattr(origin, name) for name in _TEXTS_OF_MESSAGES}
        row["sent"] = origin.sent and shown_time(origin.sent)
        row["newsgroups"] = ",".join(origin.newsgroups) or None
        inside = (origin.source or "").removeprefix(self._reading or "")
        row["member"] = None if inside == origin.source else inside or None
        row |= {"identity": OWN if origin.in_message else None, "digest": None}
        is_outermost = False
        if header and header.identity:
            octets = blake2b(header.identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            # Those of messages without a Message-ID are above 0.
            row["identity"] = -1 - (int.from_bytes(octets) >> 1)
            is_outermost = self._body is not None and not header.within
        self._has_outermost |= is_outermost
        self._entries.append(Entry("outermost" if is_outermost else "message", number, row))
        return number


def url_row(url: str, profile: "Profile", *, unwrap: bool) -> Row:
    """Return the row of *url*, without its text and id; *unwrap* fills its target."""
    facts = facts_of(url, profile)
    target = facts.target if unwrap else None
    inside = facts_of(target) if target else None
    return {
        "scheme": facts.scheme,
        "host": host_of(facts.parts) or None,
        "departures": _ENCODE(facts.departures),
        "target": target,
        "target_host": (inside and host_of(inside.parts)) or None,
        "warnings": _ENCODE(facts.warnings),
        "domain": facts.domain,
        "target_domain": inside and inside.domain,
    }


class FoundRows(NamedTuple):
    """What a process has worked out of a split: *entries*, and the rows of their *urls*, `sure` and `unsure` matches.

    If the file `is_mbox`, *position* is that of the last message that was read. If it `is_container`, nothing was.
    """

    entries: Sequence[Entry] = ()
    urls: Mapping[str, Row] = {}
    sure: int = 0
    unsure: int = 0
    position: Position | None = None
    is_mbox: bool = False
    is_container: bool = False


class RowReader(SplitReader):
    """Reads a split of a file for a harvest: its results are `FoundRows`. The members of containers are not read.

    Matches have rows if their confidence is at *least* this.
    """

    def __init__(self, split: Split, job: Job, least: float) -> None:
        super().__init__(split, job)
        self._query = job.query
        self._least = least
        self._rows = Rows(split.path)
        self._counts: Counter[bool] = Counter()
        self._position: Position | None = None
        self._is_mbox = self._is_container = False

    def _reject(self, rejected: Rejected) -> None:
        self._rows.reject(rejected)

    def _keep(self, matches: list[URLMatch]) -> None:
        chosen = self._reading.result(matches)
        for match in cast("list[URLMatch]", chosen):
            is_sure = match.confidence >= self._least
            self._counts[is_sure] += 1
            if is_sure:
                self._rows.add(match)

    def _taken(self) -> Any:  # noqa: ANN401 -- in place of matches
        entries = self._rows.take()
        query, counts = self._query, self._counts
        urls = {entry.row["url"] for entry in entries if entry.table == "occurrence"}
        rows = {url: url_row(url, query.profile, unwrap=query.unwrap) for url in urls}
        self._counts = Counter()
        return FoundRows(entries, rows, counts[True], counts[False], self._position, self._is_mbox, self._is_container)

    def _found(self) -> Iterator[Piece]:
        yield from super()._found()
        self._rows.end_message()

    def _messages(self, reader: MboxReader, found: Iterator[Iterator[Text]]) -> Iterator[Iterator[Text]]:
        self._is_mbox = True
        for texts in found:
            self._position = reader.position
            yield texts

    def _whole(self, file: Readable) -> Iterator[Piece]:
        if self._split.part is not None:  # a range of a public-inbox
            yield from super()._whole(file)
            return
        stream = Peeked(file)
        if is_mbox(stream, self._query.source_name):
            yield from self._mbox(stream, MessageRange(BEGINNING))
            return
        reading = self._reading
        for member in reading.files(stream):
            if member.stamp is not None:
                self._is_container = True
                self._skipped.clear()
                return
            yield from self._pieces(member.name, reading.matched(reading.texts(member)))


def is_mbox(stream: Peeked, source: str) -> bool:
    """Return whether *stream*, read as *source* says, is an mbox that is not compressed."""
    return not kind(stream.head) and stream.decide(partial(kind_of, source=source)) == "mbox"


def read_rows(split: Split, job: Job, least: float) -> Iterator[Piece]:
    """Yield the pieces of *split*, with `FoundRows` in place of matches: those of at *least* this confidence."""
    return RowReader(split, job, least).pieces()
