"""The headers of messages: their fields, decoded (RFC 5322, RFC 2047), and what they say of the body (RFC 2045)."""

import re
from binascii import a2b_base64
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, cast

from urlmend.sources.charsets import Defects, codec_of, error_handler, with_latin_1
from urlmend.sources.places import Lines
from urlmend.text.patterns import FIELD_NAME, lazy_regex
from urlmend.text.schemes import OPAQUE_NAMES

MAX_FIELDS_WITH_URLS = 1000
"""How many fields of a header are searched for URLs. Mail has about a dozen, and each costs as much as a short text."""

MAX_VALUE = 4096
"""How many bytes of a Content field, a date or a Message-ID are read. RFC 5322 section 2.1.1 allows 998 in a line."""

MAX_SEMICOLONS = 100
"""How many semicolons of a Content-Type are looked at: at each, older libraries look at the whole field again."""

MAX_KEPT = 1 << 13
"""The longest header, in bytes, that matches keep whole: there may be thousands of them."""

_FOLD = lazy_regex(rb"\r?\n")
# RFC 2045 section 5.1; the boundaries of some programs have parentheses without quotes around them.
_COMMENT = lazy_regex(r'("(?:[^"\\]++|\\.)*+"?|=(?:\s++(?!\())?+[^\s;"]++)|\([^()]*\)')
# What some programs put around the name of an encoding.
_AROUND = ' \t\r\n";'
# Possessive, because `re` would otherwise remember each line of a field to go back to it.
_BODY = rb"([^\n]*+(?:\n[ \t][^\n]*+)*+)"
_FIELD = lazy_regex(rb"(?m)^(%b)[ \t]*+:%b" % (FIELD_NAME, _BODY))
# RFC 5322 section 4.5 allows blanks before the colon.
_FIELD_BODY = lazy_regex(rb"[ \t]*+:" + _BODY)
_KEPT = lazy_regex(
    rb"(?im)^(from|date|subject|message-id|newsgroups"
    rb"|content-(?:disposition|length|location|transfer-encoding|type))[ \t]*+:" + _BODY
)
_TEXT_FILE = lazy_regex(
    r"""(?:^|;)\s*(?:file)?name[*0-9]*\s*=[^;]*(?:\.|%2E)"""
    r"""(?:(?P<text>txt|log|url|patch|diff|md|rst|tex|csv|tsv|ya?ml|toml|ini|conf|cfg|css|sql|sh|py|pl|rb|php|js|java|go|rs"""
    r"""|[ch]|cc|[ch]pp)|(?P<message>eml|mht(?:ml)?)|(?P<json>json)|(?P<xml>xml|opml)|[sx]?html?|svg)\s*+["']?+\s*+(?=;|\Z)""",
    re.IGNORECASE,
)
_NAMED_TYPES = {"text": "text/plain", "message": "message/rfc822", "json": "application/json", "xml": "text/xml"}
_ID = lazy_regex(r"<([^<>]*)>")
# The line before a message of an mbox (RFC 4155), with the date after the weekday, or after the address.
_FROM_LINE = lazy_regex(rb"From [^\n]*")
_FROM_DATE = lazy_regex(rb"From (?:.*[ ](?=(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[ ,])|[^ \n]+ +)(.*)")

_WITHOUT_SLASHES = (*OPAQUE_NAMES, "url")
# In lower case: a field that has one of these may hold a URL. The last line looks at one letter before the others.
_SIGN = lazy_regex(
    rf":(?:[ \t]*\r?\n[ \t]+/|(?![ \t])(?:/[ \t]*(?:/|\r?\n)"
    rf"|(?<=[{''.join(sorted({name[-1] for name in _WITHOUT_SLASHES}))}]:)"
    rf"(?:{'|'.join(f'(?<={name}:)' for name in _WITHOUT_SLASHES)})))".encode()
)

# An encoded word may hide a URL. One search for both takes five times as long: `re` can no longer skip to a colon.
_ENCODED_WORD = lazy_regex(rb"=\?")

_WITHOUT_URLS = frozenset(
    "received message-id references path xref dkim-signature domainkey-signature arc-seal "
    "arc-message-signature arc-authentication-results authentication-results content-id content-type "
    "resent-message-id original-message-id nntp-posting-host".split()
)
"""Fields of identifiers and traces, which may look like URLs."""


class Header:
    """The fields of a header, each decoded when it is first used. A long header keeps only those of `_KEPT`.

    *within* is set for an attached message: the header of the outermost message, and this part's path in it.
    """

    __slots__ = ("_block", "_identity", "_lowered", "_values", "within")

    def __init__(self, block: bytes, within: "tuple[Header, str] | None" = None) -> None:
        if len(block) > MAX_KEPT:
            from_line = _FROM_LINE.match(block, 0, MAX_VALUE)
            kept = {b"": from_line[0] + b"\n"} if from_line else {}
            for field in _KEPT.finditer(block):
                kept.setdefault(field[1].lower(), b"%b:%b\n" % (field[1], field[2][: MAX_VALUE + 1].rstrip(b"\r\n")))
            block = b"".join(kept.values())
        self._block = block
        self._lowered = b""
        self._values: dict[str, str | None] = {}
        self._identity: str | None = None
        self.within = within

    def __reduce__(self) -> "tuple[type[Header], tuple[bytes, tuple[Header, str] | None]]":
        return Header, (self._block, self.within)

    def body(self, name: bytes) -> bytes | None:
        """Return the body of the first field called *name*, in lower case, or `None` if there is no such field."""
        if not self._lowered:
            self._lowered = b"\n" + self._block.lower()
        found = self._lowered.find(b"\n" + name)
        while found >= 0:
            if body := _FIELD_BODY.match(self._block, found + len(name)):
                return body[1]
            found = self._lowered.find(b"\n" + name, found + 1)
        return None

    def __getitem__(self, name: str) -> str | None:
        """Return the body of the first field called *name*, unfolded and decoded, or `None` without such a field."""
        if name not in self._values:
            body = self.body(name.lower().encode())
            self._values[name] = None if body is None else _value(body)
        return self._values[name]

    @property
    def content(self) -> "Content":
        """What the header says of the body of a message."""
        return content(self, PLAIN.type, {})

    @property
    def named_type(self) -> str | None:
        """The media type that the name of the body's file shows: plain text, JSON, XML, a page, or a message."""
        fields = (self["Content-Disposition"], self["Content-Type"])
        named = next(filter(None, (_TEXT_FILE.search((field or "")[:MAX_VALUE]) for field in fields)), None)
        return named and _NAMED_TYPES.get(named.lastgroup or "", "text/html")

    @property
    def message_id(self) -> str | None:
        """The Message-ID, without its brackets."""
        body = (self["Message-ID"] or "")[:MAX_VALUE]
        match = _ID.search(body)
        return match[1] if match else body.strip() or None

    @property
    def identity(self) -> str | None:
        """What all copies of the message have: the Message-ID and when it was `sent`. `None` without a Message-ID.

        An attached message without a Message-ID has the identity of the message around it, followed by its part.
        """
        if self._identity is None:
            name = self.message_id
            if name:
                self._identity = f"{name}\n{self.sent or (self['Date'] or '')[:MAX_VALUE]}"
            elif self.within and self.within[0].identity:
                self._identity = "\n".join([self.within[0].identity, self.within[1]])
        return self._identity

    @property
    def date(self) -> str | None:
        """The Date field in the format of RFC 3339; `None` if it is missing or not a date.

        News archives that other programs have processed may have it in the format of ISO 8601.
        """
        moment = self._date()
        # RFC 3339 section 4.3: without a known offset, -00:00.
        return moment.isoformat() + "-00:00" * (moment.tzinfo is None) if moment else None

    @property
    def sent(self) -> datetime | None:
        """The date in UTC, which is assumed where it has no offset; if it is not readable, that of the `From ` line."""
        return in_utc(self._date() or self._from_date())

    def _date(self) -> datetime | None:
        return _moment((self["Date"] or "")[:MAX_VALUE])

    def _from_date(self) -> datetime | None:
        date = _FROM_DATE.match(self._block, 0, MAX_VALUE)
        # "MET DST" is a time zone in two words.
        return _moment(decoded(date[1]).replace(" DST ", " ")) if date else None


# The record of each URL has the date of its message: a message with many URLs would parse the same date many times.
@lru_cache(maxsize=256)
def _moment(date: str) -> datetime | None:
    date = _LEAP_SECOND.sub("59", date)  # Python has none
    shown = date.replace("/", "-")
    if usual := _USUAL_DATE.match(date):
        day, month, year, time, zone = usual.groups()
        shown = f"{year}-{_MONTHS.get(month)}-{day:0>2}T{time}{zone or 'Z'}"
    with suppress(ValueError):
        return datetime.fromisoformat(shown)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 -- takes 5 ms, and few dates need it

    try:
        moment = parsedate_to_datetime(_OFFSET.sub(_offset, date))
        # RFC 5322 section 4.3: programs that count years from 1900 wrote 100 after 99.
        return moment.replace(year=1900 + moment.year) if len(str(moment.year)) == len("102") else moment
    except Exception:  # noqa: BLE001 -- whatever a broken date makes the library raise
        return None


# `+01:00`, `GMT+0100` and `GMT+1`, which the library reads without their offset.
_OFFSET = lazy_regex(r"(?<=\s)(?:GMT|UTC)?([+-])([01]?[0-9]|2[0-3]):?([0-9]{2})?(?![0-9])")


def _offset(match: re.Match[str]) -> str:
    sign, hours, minutes = match.groups("00")
    return f"{sign}{hours:0>2}{minutes}"


_LEAP_SECOND = lazy_regex(r"(?<=[0-9]:[0-5][0-9]:)60(?![0-9])")
_MONTHS = {
    name: f"{number:02}" for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)
}
# A date of RFC 5322 section 3.3. Others, with names of zones or years of two digits, are for the library.
_USUAL_DATE = lazy_regex(
    r"(?:[A-Z][a-z]{2}, +)?([0-9]{1,2}) +([A-Z][a-z]{2}) +((?:19|20)[0-9]{2}) +"
    r"((?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}) +(?:((?!-0000)[+-][0-9]{4})|UTC?|GMT)(?=\s|\Z)"
)


def in_utc(moment: datetime | None) -> datetime | None:
    """Return *moment* in UTC; it is in UTC already if it has no offset."""
    if moment is None or moment.tzinfo is None:
        return moment and moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # UTC is in the year 0 or 10000, which Python cannot read from Arrow
        return moment.replace(tzinfo=UTC)


# What a header says of the body


class Content(NamedTuple):
    """What a header says about the body (RFC 2045), and whether its lines are flowed, with DelSp or not (RFC 3676)."""

    type: str
    charset: str | None
    encoding: str
    boundary: bytes | None
    flowed: bool
    delsp: bool

    @property
    def maintype(self) -> str:
        """The part of the type before the slash."""
        return self.type.partition("/")[0]


PLAIN = Content("text/plain", None, "7bit", None, flowed=False, delsp=False)
"""A body that the header does not describe (RFC 2045 section 5.2)."""


def content(header: Header, default: str, defects: Defects) -> Content:
    """Return what *header* says of the body, which has the type *default* if it says nothing."""
    fields = []
    for name in (b"content-type", b"content-transfer-encoding"):
        body = header.body(name)
        if body is not None and len(body) > MAX_VALUE:
            defects[f"a Content field has more than {MAX_VALUE} bytes: the rest is not read"] = None
            body = body[:MAX_VALUE]
        fields.append(body)
    return _content(fields[0], fields[1], default)


_TYPE = lazy_regex(r'[\s;"]*([\w.+-]+/[\w.+-]+)', re.ASCII)
_PARAMETER = lazy_regex(r"""(?<![\w*-])([\w*-]++)\s*+=\s*+(?:"((?:[^"\\]++|\\.)*+)|([^;]*+))""", re.ASCII)
_QUOTED_PAIR = lazy_regex(r"\\(.)")


@lru_cache(maxsize=256)
def _content(media_type: bytes | None, encoding: bytes | None, default: str) -> Content:
    kind = default
    parameters: dict[str, str] = {}
    if media_type is not None:
        text = _FOLD.sub(b"", media_type).decode("latin-1")
        text = _COMMENT.sub(r"\1", text) if "(" in text else text
        named = _TYPE.match(text)
        kind = named[1].lower() if named else PLAIN.type
        for name, quoted, value in _PARAMETER.findall(text):
            parameters.setdefault(name.lower(), _QUOTED_PAIR.sub(r"\1", quoted) or value.rstrip())
        if any("*" in name for name in parameters):
            parameters = _in_sections(text) | parameters
    boundary = parameters.get("boundary")
    flowed = parameters.get("format", "").lower() == "flowed"
    charset = parameters.get("charset", "").lower()
    declared = _COMMENT.sub(r"\1", (encoding or b"").decode("latin-1")).strip(_AROUND)
    return Content(
        type=kind,
        charset=charset if charset and charset.isascii() else None,
        encoding=declared.partition(";")[0].rstrip(_AROUND).lower() or PLAIN.encoding,
        boundary=None if boundary is None else boundary.strip('"').encode("latin-1", "replace").rstrip(),
        flowed=flowed,
        delsp=flowed and parameters.get("delsp", "").lower() == "yes",
    )


def _in_sections(media_type: str) -> dict[str, str]:
    """Return the parameters of *media_type*, with sections joined and characters decoded as RFC 2231 says."""
    from email.message import Message  # noqa: PLC0415 -- loads much, and few fields need it

    message = Message()
    message["Content-Type"] = ";".join(media_type.split(";", MAX_SEMICOLONS)[:MAX_SEMICOLONS])
    parameters: dict[str, str] = {}
    with suppress(TypeError, ValueError):  # the library cannot sort every numbered section
        # The stubs say that each value is a str; one with a charset is a tuple.
        for name, value in cast("list[tuple[str, Any]]", message.get_params([])):
            parameters.setdefault(name.lower(), value if isinstance(value, str) else value[2])
    return parameters


# Fields with URLs


def fields_with_urls(header: Lines, defects: Defects) -> Iterator[tuple[str, Lines, str | None]]:
    """Yield the fields of *header* that may hold URLs: the name, the lines, and the body if it had to be decoded.

    Encoded words (RFC 2047) and text beyond ASCII are decoded.
    """
    data = header.data
    lowered = data.lower()
    signs = [sign.start() for sign in _SIGN.finditer(lowered)]
    if b"=?" in lowered:
        signs = sorted([*signs, *(word.start() for word in _ENCODED_WORD.finditer(lowered))])
    count = end = 0
    for sign in signs:
        if sign < end:
            continue
        start = data.rfind(b"\n", 0, sign) + 1
        while start and data[start] in b" \t":
            start = data.rfind(b"\n", 0, start - 1) + 1
        if (match := _FIELD.search(data, start)) is None:
            return
        start, end = match.span()
        field, name, body = match.group(0, 1, 2)
        if name.lower().decode("ascii") in _WITHOUT_URLS and b"external-body" not in body.lower():
            continue
        count += 1
        if count > MAX_FIELDS_WITH_URLS:
            defects[f"more than {MAX_FIELDS_WITH_URLS} header fields with URLs: the others are not searched"] = None
            return
        lines = Lines(field, header.offset + start, header.line_at(start)[0])
        yield name.decode("ascii"), lines, decoded(body) if b"=?" in body or not body.isascii() else None


# Encoded words (RFC 2047)

_WORD = r"=\?([^?]*)\?([QqBb])\?(.*?)\?="
_ONE_WORD = lazy_regex(_WORD)
# The groups tell whether white space is missing beside the words.
_WORDS = lazy_regex(rf"(?P<before>(?<=[^\s()\\]))?{_WORD}(?:\s*+{_WORD})*+(?P<after>(?=[^\s()\\]))?")


def decoded(body: bytes) -> str:
    """Unfold the field body *body* and decode it; if an encoded word is broken, all of them stay encoded."""
    if b"\n" in body:
        body = _FOLD.sub(b"", body)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    if "=?" not in text:
        return text.strip()
    # No word ends after this; to look for its end again and again would take long.
    stop = text.rfind("?=") + len("?=") + 1
    with suppress(ValueError):  # not base64
        text = _WORDS.sub(_decoded_words, text[:stop]) + text[stop:]
    return text.strip()


_FOLDED = lazy_regex(rb"\r?\n[ \t]+")


@lru_cache(maxsize=256)  # authors and subjects come again and again
def _value(body: bytes) -> str:
    """Return the field body *body*, decoded, with one blank for each fold: mail programs put a tab there."""
    return decoded(_FOLDED.sub(b" ", body) if b"\n" in body else body)


def _decoded_words(words: re.Match[str]) -> str:
    """Return the text of adjacent *words*. Two in the same charset may divide a character."""
    from email.quoprimime import header_decode  # noqa: PLC0415 -- slow to import, and few headers need it

    pieces: list[tuple[str, bytes]] = []
    for word in _ONE_WORD.finditer(words[0]):
        declared, encoding, text = word.groups()
        charset = codec_of(declared.partition("*")[0]) or "utf-8"  # RFC 2231 section 5: a language may follow
        if encoding in "Bb":
            octets = a2b_base64(text + "==="[: -len(text) % 4])
        else:
            octets = header_decode(text).encode("latin-1")
        pieces.append((charset, octets))
    runs = [(charset, b"".join([octets for _, octets in run])) for charset, run in groupby(pieces, itemgetter(0))]
    # White space parts a word from text (RFC 2047 section 5); where it is missing, it is put in.
    before, after = (" " * (words[side] is not None) for side in ("before", "after"))
    texts = [with_latin_1(octets.decode(charset, error_handler(charset)), octets) for charset, octets in runs]
    return before + "".join(texts) + after
