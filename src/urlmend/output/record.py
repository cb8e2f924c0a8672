"""The fields of a record in their order, with their types and meanings. All writers of records use them.

`URLMatch.as_dict` makes the record of a match.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from urlmend.match import Rejected


class Field(NamedTuple):
    """A field of the record. If it is `absent` for a match, its value is `null`; it is never missing.

    `type` is `string`, `integer`, `number`, `boolean`, `strings` (a list of strings) or `breaks` (a list of objects
    with the keys `at`, `removed`, `hyphen` and `inserted`).
    """

    name: str
    type: str
    meaning: str
    absent: bool = False


FIELDS: tuple[Field, ...] = (
    Field("source", "string", "The name of the file, if it has one.", absent=True),
    Field("message", "integer", "The number of the message in its file, from 1.", absent=True),
    Field("part", "string", "The part of the message, such as `1.2` or `header:Subject`.", absent=True),
    Field("message_id", "string", "The Message-ID, without its brackets.", absent=True),
    Field("date", "string", "The date of the message, as RFC 3339 writes it.", absent=True),
    Field("start", "integer", "Where `raw` starts: bytes in a binary file, characters in text, from 0."),
    Field("end", "integer", "Where `raw` ends: the place after its last byte or character."),
    Field("line", "integer", "The line in which `raw` starts, from 1."),
    Field("column", "integer", "The column in which `raw` starts, in bytes or characters, from 1."),
    Field("form", "string", "How the URL is written: `wrapper`, `angle`, `prefix` or `bare`."),
    Field("url", "string", "The URL, mended."),
    Field("scheme", "string", "Its scheme, in lower case."),
    Field("host", "string", "Its host, as it is written.", absent=True),
    Field("raw", "string", "The URL as it is in the text, with its breaks, without its wrapper."),
    Field("readings", "strings", "The ways to join it that are URLs, the likeliest first, which is `url`."),
    Field("ambiguous", "boolean", "Whether nothing decides between two readings of a hyphen at a line end."),
    Field("breaks", "breaks", "What was taken out of `url`: `at` counts characters of `url`, from 0."),
    Field("trimmed", "string", "What was cut from the end of a bare URL."),
    Field("departures", "strings", "Why the URL is not RFC 1738; empty if it conforms."),
    Field("confidence", "number", "How likely it is that the URL is joined, or left alone, as it should be: 0 to 1."),
    Field("quoted", "boolean", "Whether the URL's line is quoted, as with `> `."),
    Field("signature", "boolean", "Whether the URL is in the signature of its message."),
    Field("author", "string", "The From field of the message, decoded.", absent=True),
    Field("subject", "string", "The Subject field of the message, decoded.", absent=True),
    Field("exact", "boolean", "Whether `start` and `end` are places in the file itself, not in a decoded part."),
    Field("target", "string", "With `--unwrap`, the address that the URL wraps.", absent=True),
    Field("warnings", "strings", "The names of the security notes on the URL."),
    Field("domain", "string", "The registrable domain of `host`, such as `a.co.uk` of `www.a.co.uk`.", absent=True),
)
"""The fields of a record, in their order. New ones are added at the end."""

PLACE = ("start", "end", "line", "column", "form")
"""The fields that a rejected candidate has too."""

NAMES = tuple(field.name for field in FIELDS)
"""The names of the fields: the keys of the JSONL record, in their order."""


def escaped(text: str) -> str:
    """Return *text* with half surrogate pairs, which UTF-8 cannot encode, as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def reject_record(rejected: "Rejected") -> dict[str, Any]:
    """Return a rejected candidate as plain values.

    `rule` is the rule of the grammar that failed, and `pos` the place where it failed, an index into `text`. `text` is
    the candidate with its breaks mended, `raw` the candidate as it is in the file.
    """
    error = rejected.error
    return {
        "source": rejected.origin.source,
        **{name: getattr(rejected, name) for name in PLACE},
        "text": rejected.text,
        "raw": rejected.raw,
        "rule": error.rule,
        "pos": error.pos,
    }
