"""The header of a message: what its fields mean is the standard library's to say (`email`)."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import NamedTuple

from urlmend.sources.reader import Lines

_FIELD = re.compile(rb"(?m)^([!-9;-~]+):([^\n]*(?:\n[ \t][^\n]*)*)")
_CONTENT_FIELDS = re.compile(rb"(?im)^content-(?:type|transfer-encoding|disposition):[^\n]*(?:\n[ \t][^\n]*)*\n?")
_FOLD = re.compile(rb"\r?\n")
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


class Header:
    """A header, from its lines; its fields are read when asked for."""

    __slots__ = ("_block",)

    def __init__(self, block: bytes) -> None:
        self._block = block

    def __getitem__(self, name: str) -> str | None:
        """Return the body of the first field called *name*, unfolded and decoded; `None` where there is none."""
        match = _field(name).search(self._block)
        return decoded(match[1]) if match else None

    @property
    def content(self) -> "Content":
        """What it says of the body, which is plain text where it says nothing."""
        return content(self._block, self._block.lower(), PLAIN.type)

    @property
    def message_id(self) -> str | None:
        """The Message-ID, without its brackets."""
        body = self["Message-ID"]
        match = _ID.search(body or "")
        return match[1] if match else (body or "").strip() or None

    @property
    def date(self) -> str | None:
        """The Date field as RFC 3339 writes it; `None` where it is missing or no date.

        Archives of news that have been through other programs have it as ISO 8601 writes it.
        """
        field = self["Date"] or ""
        for read in (parsedate_to_datetime, datetime.fromisoformat):
            try:
                date = read(field)
                # RFC 3339 section 4.3: without a known offset, -00:00.
                return date.isoformat() + ("-00:00" if date.tzinfo is None else "")
            except (ValueError, TypeError, OverflowError):
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


def content(block: bytes, lowered: bytes, default: str) -> Content:
    """Return what the header *block* says of its body; *lowered* is the same in lower case, *default* the type."""
    if b"content-t" not in lowered:
        return PLAIN if default == PLAIN.type else PLAIN._replace(type=default)
    return _content(b"".join(_CONTENT_FIELDS.findall(block)), default)


@lru_cache(maxsize=256)
def _content(fields: bytes, default: str) -> Content:
    message = BytesHeaderParser().parsebytes(fields)
    message.set_default_type(default)
    try:
        encoding = str(message.get("Content-Transfer-Encoding", "7bit"))
        boundary = message.get_boundary()
        return Content(
            type=message.get_content_type(),
            charset=message.get_content_charset(),
            encoding=encoding.strip().lower(),
            # A boundary beyond ASCII is the bytes that stand in the header.
            boundary=boundary.rstrip().encode("ascii", "surrogateescape") if boundary is not None else None,
            flowed=str(message.get_param("format", "")).lower() == "flowed",
            delsp=str(message.get_param("delsp", "")).lower() == "yes",
        )
    except Exception:  # noqa: BLE001 -- whatever a broken field makes the library raise: content never does
        return PLAIN


@lru_cache(maxsize=32)
def _field(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?im)^" + re.escape(name.encode()) + rb":([^\n]*(?:\n[ \t][^\n]*)*)")


def decoded(body: bytes) -> str:
    """Return the field body *body* unfolded, its encoded words (RFC 2047) and its raw bytes decoded."""
    body = _FOLD.sub(b"", body)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    if "=?" in text:
        # What is broken is shown as it stands.
        with suppress(HeaderParseError, LookupError, ValueError):
            text = str(make_header(decode_header(text)))
    return text.strip()


def fields_with_urls(header: Lines, lowered: bytes) -> Iterator[Field]:
    """Yield the fields of *header* that may hold URLs; *lowered* is the same in lower case."""
    signs = [match.start() for match in SIGN.finditer(lowered)]
    if ENCODED_WORD in lowered:
        signs = sorted([*signs, *(match.start() for match in _ENCODED_WORD.finditer(lowered))])
    end = 0
    for sign in signs:
        match = _FIELD.match(header.data, _start_of_field(header.data, sign)) if sign >= end else None
        if match is None:
            continue
        end = match.end()
        lines, name, body = match.group(0, 1, 2)
        if name.lower().decode("ascii") in _NO_TEXT and b"external-body" not in body.lower():
            continue
        encoded = ENCODED_WORD in body or not body.isascii()
        start = match.start()
        place = Lines(lines, header.offset + start, header.line + header.data.count(b"\n", 0, start))
        yield Field(name.decode("ascii"), place, decoded(body) if encoded else None)


def words_may_hide_urls(header: bytes) -> bool:
    """Tell at a glance whether encoded words of *header* may have a URL in them, or a part of one."""
    return header.count(ENCODED_WORD) != len(_OPEN_WORD.findall(header)) or _OPENING.search(header) is not None


def _start_of_field(data: bytes, pos: int) -> int:
    """Return where the field begins in whose lines *pos* is."""
    start = data.rfind(b"\n", 0, pos) + 1
    while start and data[start : start + 1] in {b" ", b"\t"}:
        start = data.rfind(b"\n", 0, start - 1) + 1
    return start
