"""The record of a match: its fields, in their order.

Everything that writes records takes its fields from here: `URLMatch.as_dict`, JSON Lines, CSV, TSV, Arrow, Parquet.
"""

from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

DECIMALS = 3
"""The number of decimals of a confidence."""

ORIGIN: Final = "origin"
TEXT: Final = "text"
PLACE: Final = "place"
MATCH: Final = "match"


class Field(NamedTuple):
    """A field of the record. If it is `absent` for a match, its value is `null`; it is never missing.

    `type` is `string`, `integer`, `number`, `boolean`, `strings` (a list of strings), `breaks` (a list of objects with
    the keys `at`, `removed`, `hyphen` and `inserted`) or `time` (a moment in UTC). It is the attribute `name`,
    or `attribute`, of what it belongs to: the ORIGIN, the TEXT of the URL (`URLFacts`) or the MATCH, or its PLACE.
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
    Field("start", PLACE, "integer", "Where `raw` starts: bytes in a binary file, characters in text, from 0."),
    Field("end", PLACE, "integer", "Where `raw` ends: the place after its last byte or character."),
    Field("line", PLACE, "integer", "The line in which `raw` starts, from 1."),
    Field("column", PLACE, "integer", "The column in which `raw` starts, in bytes or characters, from 1."),
    Field("form", MATCH, "string", "How the URL is written: `wrapper`, `angle`, `prefix`, `bare`; others on request."),
    Field("url", TEXT, "string", "The URL, mended."),
    Field("scheme", TEXT, "string", "Its scheme, in lower case."),
    Field("host", TEXT, "string", "Its host, as it is written.", absent=True),
    Field("raw", MATCH, "string", "The URL as it is in the text, with its line breaks, without its wrapper."),
    Field("readings", MATCH, "strings", "Every way to join it that is a URL, the likeliest first: `url`."),
    Field("ambiguous", MATCH, "boolean", "Whether nothing decides between two readings of a hyphen at a line end."),
    Field("breaks", MATCH, "breaks", "What was removed from `url`, and where: `at` counts its characters, from 0."),
    Field("trimmed", MATCH, "string", "What was cut from the end of a bare URL."),
    Field("departures", TEXT, "strings", "The departures from RFC 1738 that the URL needs; empty if it conforms."),
    Field("confidence", MATCH, "number", "The probability that the URL was rightly joined, or rightly left alone."),
    Field("quoted", MATCH, "boolean", "Whether the URL is in quoted text, such as a line that begins with `> `."),
    Field("signature", ORIGIN, "boolean", "Whether the URL is in a signature, or in the footer of a list."),
    Field("author", ORIGIN, "string", "The From field of the message, decoded.", absent=True),
    Field("subject", ORIGIN, "string", "The Subject field of the message, decoded.", absent=True),
    Field("exact", MATCH, "boolean", "Whether the file has `raw` from `start` to `end`, not the encoded lines."),
    Field("target", TEXT, "string", "With `--unwrap`, the address that the URL wraps.", absent=True),
    Field("warnings", TEXT, "strings", "The names of the security notes on the URL.", attribute="warning_names"),
    Field("domain", TEXT, "string", "The registrable domain of `host`: `a.co.uk` of `www.a.co.uk`.", absent=True),
)
"""The fields of a record, in their order. New ones are added at the end."""

MORE_FIELDS: tuple[Field, ...] = (
    Field("author_name", ORIGIN, "string", "The name in the From field.", absent=True),
    Field("author_address", ORIGIN, "string", "The address in the From field.", absent=True),
    Field("sent", ORIGIN, "time", "When the message was sent, in UTC, by `date` or the `From ` line.", absent=True),
    Field("page", ORIGIN, "string", "In a web archive: the page's address.", absent=True, attribute="target_uri"),
    Field("record_id", ORIGIN, "string", "In a web archive: the record's id.", absent=True, attribute="record"),
    Field("record_type", ORIGIN, "string", "In a web archive: the type of the record.", absent=True),
    Field("record_date", ORIGIN, "string", "In a web archive: when the record was made.", absent=True),
    Field("target_domain", TEXT, "string", "The registrable domain of `target`.", absent=True),
)
"""The fields that `--fields` adds to those of the record."""

BY_NAME = {field.name: field for field in (*FIELDS, *MORE_FIELDS)}
"""All fields by their names."""

NAMES = tuple(field.name for field in FIELDS)
"""The names of the fields: the keys of the JSONL record, in their order."""


@lru_cache
def fields_called(names: tuple[str, ...], *, unwrap: bool) -> list[Field]:
    """Return the fields called *names*, which are in BY_NAME. The `target` has a value only with *unwrap*."""
    known = BY_NAME if unwrap else BY_NAME | {"target": BY_NAME["target"]._replace(attribute="no_target")}
    return [known[name] for name in names]


def plain(value: Any) -> Any:  # noqa: ANN401 -- the value of any field
    """Return the *value* of a field as records have it: lists, objects."""
    if isinstance(value, datetime):
        return shown_time(value)
    if isinstance(value, tuple):
        return [one if isinstance(one, str) else one._asdict() for one in value]
    return value


def shown_time(moment: datetime) -> str:
    """Return *moment*, which is in UTC, as RFC 3339 writes it."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def encodable(text: str) -> str:
    """Return *text* with half surrogate pairs, which UTF-8 cannot encode, as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
