"""The header of a message: what its fields mean is the standard library's to say (`email`)."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime, unquote
from functools import lru_cache
from typing import Any, NamedTuple

from urlmend.sources.octets.charsets import Defects, codec_of
from urlmend.sources.octets.encoded_words import MAX_DECODED, decoded
from urlmend.sources.reader import Lines

MAX_FIELDS_WITH_URLS = 1000
"""How many fields of a header are looked at for URLs. Mail has a dozen, and each costs as much as a short text."""

MAX_CONTENT_FIELD = 4096
"""How many bytes of a Content-Type or Content-Transfer-Encoding field are read: the library's time grows with their
square. RFC 2045 has no field that needs more than a few lines.
"""

MAX_PARAMETERS = 64
"""How many parameters of a Content-Type field are read, for the same reason."""

MAX_VALUE = 4096
"""How many characters of a date or a Message-ID are looked at. RFC 5322 section 2.1.1 allows 998 in a line."""

MAX_KEPT = 1 << 13
"""The longest header, in bytes, that a match keeps whole: of thousands of matches something is remembered."""

_FIELD = re.compile(rb"(?m)^([!-9;-~]+):([^\n]*(?:\n[ \t][^\n]*)*)")
_CONTENT_FIELD = re.compile(rb"content-(type|transfer-encoding):[^\n]*(?:\n[ \t][^\n]*)*", re.IGNORECASE)
# Content fields as nearly all are: nothing in them needs an interpreter, or is read otherwise by `email`.
_BLANKS = rb"(?:(?:\r?\n)?[ \t])*+"
_NAME = rb"[A-Za-z\-]++"
_TOKEN = rb"[!#-'*-:=?-\[\]-~]++"
_QUOTED = rb"[!#-'*-:=?-\[\]-~][ !#-\[\]-~]*+"
_COMMON_PARAMETER = re.compile(rb'(%s)=(?:(%s)|"(%s)")' % (_NAME, _TOKEN, _QUOTED))
_COMMON_TYPE = re.compile(
    rb'[^:]*+:[ \t]*+([A-Za-z0-9.+\-]++/[A-Za-z0-9.+\-]++)((?:%s;%s(?:%s=(?:%s|"%s"))?+)*+)%s'
    % (_BLANKS, _BLANKS, _NAME, _TOKEN, _QUOTED, _BLANKS)
)
_COMMON_ENCODING = re.compile(rb"[^:]*+:[ \t]*+([!-~]*+)[ \t]*+")
_ASKED_FOR = re.compile(
    rb"(?im)^(from|date|subject|message-id|newsgroups|content-(?:type|transfer-encoding|length|encoding)):"
    rb"[^\n]*(?:\n[ \t][^\n]*)*"
)
_ID = re.compile(r"<([^<>]*)>")

# In lower case: where a field has one of these, it may hold a URL. The last line looks at one letter before others.
SIGN = re.compile(
    rb":(?:[ \t]*\r?\n[ \t]+/|(?![ \t])(?:/[ \t]*(?:/|\r?\n)"
    rb"|(?<=[adilnopst]:)(?:(?<=mailto:)|(?<=news:)|(?<=ur[ln]:)|(?<=doi:)|(?<=tel:)|(?<=sip:)|(?<=xmpp:)|(?<=[cm]id:)"
    rb"|(?<=magnet:)|(?<=data:))))"
)
ENCODED_WORD = b"=?"
"""RFC 2047: what it holds shows only when it is decoded."""
_ENCODED_WORD = re.compile(re.escape(ENCODED_WORD))

# A word that can hide no URL: it has no colon, line end or bracket, and no colon stands beside it. Where these charsets
# have ASCII's characters, they have ASCII's octets.
_OPEN_WORD = re.compile(
    rb"(?<!:)=\?(?i:us-ascii|utf-8|iso-8859-[0-9]{1,2}|windows-125[0-8])\?[Qq]\?"
    rb"(?:[!-9>@-~]|=(?!3[ACac]|0[ADad])[0-9A-Fa-f]{2})*\?=(?!:)"
)
_OPENING = re.compile(rb"[<;]\s*[A-Za-z]*:\s")

_NO_TEXT = frozenset(
    "received message-id references path xref dkim-signature domainkey-signature arc-seal "
    "arc-message-signature arc-authentication-results authentication-results content-id content-type "
    "resent-message-id original-message-id nntp-posting-host".split()
)
"""Fields that hold names and traces, in which what looks like a URL is none."""


class Field(NamedTuple):
    """A field of a header: its name, its lines, and its body as text if that was encoded (RFC 2047) or not ASCII."""

    name: str
    lines: Lines
    decoded: str | None


def _asked_for(block: bytes) -> bytes:
    """Return the first fields of *block* of each name that an origin tells, each up to MAX_VALUE bytes."""
    kept: dict[bytes, bytes] = {}
    for field in _ASKED_FOR.finditer(block):
        kept.setdefault(field[1].lower(), field[0][:MAX_VALUE].rstrip(b"\r\n"))
    return b"\n".join([*kept.values(), b""])


class Header:
    """A header, from its lines; its fields are read when asked for, once. Of a long one, only those of `_ASKED_FOR`."""

    __slots__ = ("_block", "_known")

    def __init__(self, block: bytes) -> None:
        self._block = block if len(block) <= MAX_KEPT else _asked_for(block)
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> str | None:
        """Return the body of the first field called *name*, unfolded and decoded; `None` where there is none."""
        value: str | None = self._once(name, self._field)
        return value

    def _once(self, name: str, read: Callable[[str], Any]) -> Any:  # noqa: ANN401 -- what *read* gives
        if name not in self._known:
            self._known[name] = read(name)
        return self._known[name]

    def _field(self, name: str) -> str | None:
        match = _field(name).search(self._block)
        return decoded(match[1]) if match else None

    @property
    def content(self) -> "Content":
        """What it says of the body, which is plain text where it says nothing."""
        return content(self._block, self._block.lower(), PLAIN.type)

    @property
    def message_id(self) -> str | None:
        """The Message-ID, without its brackets."""
        body = (self["Message-ID"] or "")[:MAX_VALUE]
        match = _ID.search(body)
        return match[1] if match else body.strip() or None

    @property
    def date(self) -> str | None:
        """The Date field as RFC 3339 writes it; `None` where it is missing or no date.

        Archives of news that have been through other programs have it as ISO 8601 writes it.
        """
        date: str | None = self._once("date, as RFC 3339 writes it", self._date)
        return date

    def _date(self, _: str) -> str | None:
        field = (self["Date"] or "")[:MAX_VALUE]
        for read in (parsedate_to_datetime, datetime.fromisoformat):
            try:
                date = read(field)
                # RFC 3339 section 4.3: without a known offset, -00:00.
                return date.isoformat() + ("-00:00" if date.tzinfo is None else "")
            except Exception:  # noqa: BLE001, S112 -- whatever a broken date makes the library raise
                continue
        return None


class Content(NamedTuple):
    """What a header says of the body (RFC 2045)."""

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
"""What a body is where the header does not say (RFC 2045 section 5.2)."""


def content(block: bytes, lowered: bytes, default: str, defects: Defects | None = None) -> Content:
    """Return what the header *block* says of its body; *lowered* is the same in lower case, *default* the type."""
    if b"content-t" not in lowered:
        return PLAIN if default == PLAIN.type else PLAIN._replace(type=default)
    fields: dict[bytes, bytes] = {}
    pos = -1
    while len(fields) < len(_CONTENT_NAMES) and (pos := lowered.find(b"content-t", pos + 1)) >= 0:
        field = _CONTENT_FIELD.match(block, pos) if not pos or block.startswith(b"\n", pos - 1) else None
        if field and (name := field[1].lower()) not in fields:
            read = field[0]
            if len(read) > MAX_CONTENT_FIELD or read.count(b";") >= MAX_PARAMETERS:
                read = b";".join(read[:MAX_CONTENT_FIELD].split(b";", MAX_PARAMETERS)[:MAX_PARAMETERS])
                if defects is not None:
                    limits = f"{MAX_CONTENT_FIELD} bytes or {MAX_PARAMETERS} parameters"
                    defects[f"a Content field has more than {limits}: the rest is not read"] = None
            fields[name] = read.rstrip(b"\r\n")
    return _content(fields.get(b"type", b""), fields.get(b"transfer-encoding", b""), default)


_CONTENT_NAMES = (b"type", b"transfer-encoding")


@lru_cache(maxsize=256)
def _content(media_type: bytes, encoding: bytes, default: str) -> Content:
    return common_content(media_type, encoding, default) or any_content(media_type, encoding, default)


def common_content(media_type: bytes, encoding: bytes, default: str) -> Content | None:
    """Return what two Content fields say if they are as nearly all are, the same as `any_content`, or `None`."""
    said = _COMMON_TYPE.fullmatch(media_type or b":" + default.encode())
    encoded = _COMMON_ENCODING.fullmatch(encoding or b":7bit")
    if said is None or encoded is None:
        return None
    parameters: dict[str, str] = {}
    for name, value, quoted in _COMMON_PARAMETER.findall(said[2]):
        parameters.setdefault(name.decode().lower(), (value or quoted).decode())
    boundary, charset = parameters.get("boundary"), parameters.get("charset")
    return Content(
        type=said[1].decode().lower(),
        charset=charset.lower() if charset else None,
        encoding=encoded[1].decode().lower(),
        boundary=boundary.rstrip().encode() if boundary is not None else None,
        flowed=parameters.get("format", "").lower() == "flowed",
        delsp=parameters.get("delsp", "").lower() == "yes",
    )


def any_content(media_type: bytes, encoding: bytes, default: str) -> Content:
    """Return what two Content fields say, either of which may be empty, as the library `email` reads them."""
    message = BytesHeaderParser().parsebytes(b"\n".join([*filter(None, (media_type, encoding)), b""]))
    message.set_default_type(default)
    try:
        read = str(message.get("Content-Transfer-Encoding", "7bit"))
        boundary = _parameter(message, "boundary")
        charset = _parameter(message, "charset")
        return Content(
            type=message.get_content_type(),
            charset=charset.lower() if charset and charset.isascii() else None,
            encoding=read.strip().lower(),
            # A boundary beyond ASCII is the bytes that stand in the header.
            boundary=unquote(boundary).rstrip().encode("ascii", "surrogateescape") if boundary is not None else None,
            flowed=str(message.get_param("format", "")).lower() == "flowed",
            delsp=str(message.get_param("delsp", "")).lower() == "yes",
        )
    except Exception:  # noqa: BLE001 -- whatever a broken field makes the library raise: content never does
        return PLAIN


def _parameter(message: Message, name: str) -> str | None:
    """Return a parameter of the Content-Type field; `None` where it has none. RFC 2231 lets it tell its charset."""
    value = message.get_param(name)
    if isinstance(value, tuple):
        charset, _, text = value
        return text.encode("raw-unicode-escape").decode(codec_of(charset or "") or "ascii", "replace")
    return None if value is None else str(value)


@lru_cache(maxsize=32)
def _field(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?im)^" + re.escape(name.encode()) + rb":([^\n]*(?:\n[ \t][^\n]*)*)")


def fields_with_urls(header: Lines, lowered: bytes, defects: Defects) -> Iterator[Field]:
    """Yield the fields of *header* that may hold URLs; *lowered* is the same in lower case."""
    data = header.data
    signs = [match.start() for match in SIGN.finditer(lowered)]
    if ENCODED_WORD in lowered:
        signs = sorted([*signs, *(match.start() for match in _ENCODED_WORD.finditer(lowered))])
    end = counted = count = 0
    line = header.line
    for sign in signs:
        if sign < end:
            continue
        match = _FIELD.match(data, _start_of_field(data, sign, end))
        if match is None:
            # No field, or what is left of one: the lines up to here are not looked at again.
            end = data.find(b"\n", sign) + 1 or len(data)
            continue
        start, end = match.span()
        lines, name, body = match.group(0, 1, 2)
        if name.lower().decode("ascii") in _NO_TEXT and b"external-body" not in body.lower():
            continue
        count += 1
        if count > MAX_FIELDS_WITH_URLS:
            defects[f"more than {MAX_FIELDS_WITH_URLS} header fields with URLs: the others are not looked at"] = None
            return
        line += data.count(b"\n", counted, start)
        counted = start
        text = None
        if ENCODED_WORD in body or not body.isascii():
            text = decoded(body)
            if len(body) > MAX_DECODED:
                defects[f"encoded words behind {MAX_DECODED} characters of a field are not decoded"] = None
        yield Field(name.decode("ascii"), Lines(lines, header.offset + start, line), text)


def words_may_hide_urls(header: bytes) -> bool:
    """Tell at a glance whether encoded words of *header* may have a URL in them, or a part of one."""
    return header.count(ENCODED_WORD) != len(_OPEN_WORD.findall(header)) or _OPENING.search(header) is not None


def _start_of_field(data: bytes, pos: int, floor: int) -> int:
    """Return where the field begins in whose lines *pos* is, but not before *floor*, where a line begins."""
    start = data.rfind(b"\n", floor, pos) + 1 or floor
    while start > floor and data[start : start + 1] in {b" ", b"\t"}:
        start = data.rfind(b"\n", floor, start - 1) + 1 or floor
    return start
