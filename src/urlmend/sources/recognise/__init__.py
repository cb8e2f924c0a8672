"""Recognising what a file is from how it begins."""

import re
from codecs import BOM_UTF8

from urlmend.sources.compression import Peeked
from urlmend.sources.mbox.reader import FROM_LINE
from urlmend.sources.public_inbox.frame import FRAME
from urlmend.sources.recognise.markup import markup

_MAGIC = {b"#! rnews ": "rnews", b"WARC/": "warc", b"filedesc:": "arc", FRAME.encode(): "public-inbox"}

_ENOUGH = 1 << 14
"""How many bytes of a header are looked at before it is told from text, however many are in hand."""

_HEADER = re.compile(rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*+")
_EMPTY_LINE = re.compile(rb"\r*\n")
_PART_OF_FIELD = re.compile(rb"[!-9;-~]+(?::[^\n]*)?|[ \t][^\n]*|\r*")

# The fields by which a header is known for a message's.
_KNOWN_FIELD = re.compile(
    rb"^(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|Path|Newsgroups|Xref|Relay-Version|"
    rb"MIME-Version|Content-Type|X-[A-Za-z\-]+|Reply-To|Sender|Status|DKIM-Signature|ARC-Seal|Authentication-Results|"
    rb"References|In-Reply-To|Organization|Lines|Errors-To|Precedence|Approved|Article):",
    re.IGNORECASE | re.MULTILINE,
)
_KNOWN_WITHOUT_BODY = 3


def recognise(head: bytes, *, whole: bool) -> str | None:
    """Return the source for a file that begins with *head*, or is that *whole*; `None` where more is needed to tell."""
    if not whole and len(head) < len(BOM_UTF8) and BOM_UTF8.startswith(head):
        return None
    head = head.removeprefix(BOM_UTF8)
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            return name
        if not whole and magic.startswith(head):
            return None
    if len(head) >= _ENOUGH:
        whole = True
        head = head[: head.rfind(b"\n", 0, _ENOUGH) + 1 or _ENOUGH]
    if FROM_LINE.match(head):
        return "mbox"
    if head.startswith(b"From ") and not whole and head.count(b"\n") <= 1:
        return None
    structured = markup(head, whole=whole)
    return _message_or_text(head, whole=whole) if structured == "" else structured


def _message_or_text(head: bytes, *, whole: bool) -> str | None:
    header = _HEADER.match(head)
    end = header.end() if header else 0
    if end and _EMPTY_LINE.match(head, end):
        return "message" if _KNOWN_FIELD.search(head, 0, end) else "text"
    if _PART_OF_FIELD.fullmatch(head, end):
        if not whole:
            return None
        end = len(head)
    known = sum(1 for _ in _KNOWN_FIELD.finditer(head, 0, end))
    return "message" if known >= _KNOWN_WITHOUT_BODY else "text"


def source_of(file: Peeked) -> str:
    """Return the source for *file*, once its beginning shows what it is; a file of characters is text."""
    name = "text" if file.is_text else file.recognised
    while name is None and (name := recognise(file.head, whole=file.ended)) is None:
        file.more()
    return name
