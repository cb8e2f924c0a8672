"""The record of a match: its fields, in their order, and the facts that belong to the text of a URL.

All that writes records takes them from here: `URLMatch.as_dict`, JSON Lines, CSV, TSV, Arrow, Parquet.
"""

from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

from urlmend.grammar.parser import departures, parse
from urlmend.grammar.profiles import WEB, Profile
from urlmend.grammar.security import SecurityWarning, may_warn, warnings
from urlmend.grammar.unwrap import rules_of, unwrap, unwrapped
from urlmend.text.suffixes import registrable_domain

DECIMALS = 3
"""The number of decimals of a confidence in a record."""

LONGEST_KEPT = 1024
"""The longest URL, in characters, whose facts are remembered: those of all take a few megabytes at most."""

ORIGIN: Final = "origin"
TEXT: Final = "text"
MATCH: Final = "match"


class Field(NamedTuple):
    """A field of the record. If it is `absent` for a match, its value is `null`; it is never missing.

    `type` is `string`, `integer`, `number`, `boolean`, `strings` (a list of strings), `breaks` (a list of objects with
    the keys `at`, `removed`, `hyphen` and `inserted`) or `time` (a moment in UTC). It is the attribute `name`,
    or `attribute`, of what it belongs to: the ORIGIN, the TEXT of the URL (`URLFacts`) or the MATCH.
    """

    name: str
    of: str
    type: str
    meaning: str
    absent: bool = False
    attribute: str = ""


FIELDS: tuple[Field, ...] = (
    Field("source", ORIGIN, "string", "The name of the file, if it has one.", absent=True),
    Field("message", ORIGIN, "integer", "The number of the message in its file, from 1.", absent=True),
    Field("part", ORIGIN, "string", "The part of the message, such as `1.2` or `header:Subject`.", absent=True),
    Field("message_id", ORIGIN, "string", "The Message-ID, without its brackets.", absent=True),
    Field("date", ORIGIN, "string", "The date of the message, as RFC 3339 writes it.", absent=True),
    Field("start", MATCH, "integer", "Where `raw` starts: bytes in a binary file, characters in text, from 0."),
    Field("end", MATCH, "integer", "Where `raw` ends: the place after its last byte or character."),
    Field("line", MATCH, "integer", "The line in which `raw` starts, from 1."),
    Field("column", MATCH, "integer", "The column in which `raw` starts, in bytes or characters, from 1."),
    Field("form", MATCH, "string", "How the URL is written: `wrapper`, `angle`, `prefix` or `bare`."),
    Field("url", TEXT, "string", "The URL, mended."),
    Field("scheme", TEXT, "string", "Its scheme, in lower case."),
    Field("host", TEXT, "string", "Its host, as it is written.", absent=True),
    Field("raw", MATCH, "string", "The URL as it is in the text, with its breaks, without its wrapper."),
    Field("readings", MATCH, "strings", "The ways to join it that are URLs, the likeliest first, which is `url`."),
    Field("ambiguous", MATCH, "boolean", "Whether nothing decides between two readings of a hyphen at a line end."),
    Field("breaks", MATCH, "breaks", "What was taken out of `url`: `at` counts characters of `url`, from 0."),
    Field("trimmed", MATCH, "string", "What was cut from the end of a bare URL."),
    Field("departures", TEXT, "strings", "Why the URL is not RFC 1738; empty if it conforms."),
    Field("confidence", MATCH, "number", "How likely it is that the URL is joined, or left alone, as it should be."),
    Field("quoted", MATCH, "boolean", "Whether the URL's line is quoted, as with `> `."),
    Field("signature", ORIGIN, "boolean", "Whether the URL is in the signature of its message."),
    Field("author", ORIGIN, "string", "The From field of the message, decoded.", absent=True),
    Field("subject", ORIGIN, "string", "The Subject field of the message, decoded.", absent=True),
    Field("exact", MATCH, "boolean", "Whether `start` and `end` are places in the file itself, not in a decoded part."),
    Field("target", TEXT, "string", "With `--unwrap`, the address that the URL wraps.", absent=True),
    Field("warnings", TEXT, "strings", "The names of the security notes on the URL."),
    Field("domain", TEXT, "string", "The registrable domain of `host`: `a.co.uk` of `www.a.co.uk`.", absent=True),
)
"""The fields of a record, in their order. New ones are added at the end."""

MORE_FIELDS: tuple[Field, ...] = (
    Field("author_name", ORIGIN, "string", "The name in the From field.", absent=True),
    Field("author_address", ORIGIN, "string", "The address in the From field.", absent=True),
    Field("sent", ORIGIN, "time", "When the message was sent, in UTC: `date`, or else the `From ` line.", absent=True),
    Field(
        *("page", ORIGIN, "string", "In a web archive: the address that was requested."),
        absent=True,
        attribute="target_uri",
    ),
    Field(
        *("record_id", ORIGIN, "string", "In a web archive: the identifier of the record."),
        absent=True,
        attribute="record",
    ),
    Field("record_type", ORIGIN, "string", "In a web archive: the type of the record.", absent=True),
    Field("record_date", ORIGIN, "string", "In a web archive: when the record was made.", absent=True),
    Field("target_domain", TEXT, "string", "The registrable domain of `target`.", absent=True),
)
"""The fields that `--fields` adds to those of the record."""

BY_NAME = {field.name: field for field in (*FIELDS, *MORE_FIELDS)}
"""All fields by their names."""

PLACE = ("start", "end", "line", "column", "form")
"""The fields that a rejected candidate has too."""

NAMES = tuple(field.name for field in FIELDS)
"""The names of the fields: the keys of the JSONL record, in their order."""


class URLFacts:
    """What the text of a URL says, each fact worked out when it is first asked for.

    `parts` is the URL as a value of its scheme's class, `scheme` is in lower case, and `host` as it is written. Raises
    `URLSyntaxError` where *url* is not a URL under *profile*.
    """

    def __init__(self, url: str, profile: Profile) -> None:
        self.url = url
        self.parts = parse(url, profile)
        self.scheme, self.host = self.parts.scheme, self.parts.host
        self._profile = profile

    @cached_property
    def domain(self) -> str | None:
        """The registrable domain of the host."""
        return registrable_domain(self.host)

    @cached_property
    def departures(self) -> tuple[str, ...]:
        """The names of the departures by which the URL is not RFC 1738; empty if it conforms."""
        return departures(self.parts, self._profile)

    @cached_property
    def notes(self) -> tuple[SecurityWarning, ...]:
        """The security notes (RFC 1738 section 6, and `grammar.security`)."""
        if not may_warn(self.url) and not rules_of(self.host):
            return ()
        lost = unwrapped(self.parts).lost
        text = f"is an address of {lost} that has lost a part: what it wraps is not known"
        return (*warnings(self.parts), *[SecurityWarning("lost-target", text)] * bool(lost))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """The names of the security notes, each once."""
        return tuple(dict.fromkeys(note.name for note in self.notes))

    @cached_property
    def target(self) -> str | None:
        """The address that the URL wraps, as `unwrap` returns it; `None` if there is none or a part of it is lost."""
        return unwrap(self.parts)

    @cached_property
    def target_domain(self) -> str | None:
        """The registrable domain of the target's host."""
        return facts_of(self.target).domain if self.target else None


def facts_of(url: str, profile: Profile = WEB) -> URLFacts:
    """Return the facts of *url*. Those of the last URLs of up to LONGEST_KEPT characters are remembered."""
    return (_kept_facts if len(url) <= LONGEST_KEPT else URLFacts)(url, profile)


# In archives three of four URLs are repeats.
_kept_facts = lru_cache(maxsize=2048)(URLFacts)


def plain(value: Any) -> Any:  # noqa: ANN401 -- the value of any field
    """Return the *value* of a field as records have it: lists, objects, rounded numbers."""
    if isinstance(value, datetime):
        return shown_time(value)
    if isinstance(value, tuple):
        return [one if isinstance(one, str) else one._asdict() for one in value]
    return round(value, DECIMALS) if isinstance(value, float) else value


def shown_time(moment: datetime) -> str:
    """Return *moment*, which is in UTC, as RFC 3339 writes it."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def escaped(text: str) -> str:
    """Return *text* with half surrogate pairs, which UTF-8 cannot encode, as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
