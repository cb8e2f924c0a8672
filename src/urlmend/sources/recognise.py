"""Recognises the type of a file from its beginning, however it arrives. A rule reads as much of it as it needs."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from urlmend.sources.charsets import UTF_16_MARKS
from urlmend.sources.git import FRAME
from urlmend.sources.reader import EMPTY_LINE, FROM_LINE, MAX_LINE, NAMED_VALUE, SEPARATOR, line_end
from urlmend.text.patterns import FIELD_NAME, lazy_regex

if TYPE_CHECKING:
    from urlmend.sources.compression import PeekableFile


def kind_of(file: "PeekableFile", source: str = "auto", *, as_text: bool = False) -> str:
    """Return what *file* is: `zip` or `tar`, else the name of the source that reads it.

    With the source `auto`, it is the kind of a file without text, such as `PDF`, unless all are read *as text*.
    """
    if file.is_text and source == "auto":
        found = recognise(lambda size: file.beginning(size).encode("utf-8", "replace"))
        if found != "text":
            file.report(f"is read as plain text, not as {found}: open it in binary mode")
        return "text"
    if file.is_text:
        return source
    if (found := container(file)) or source != "auto":
        return found or source
    kind = (not as_text and not_text(file)) or recognise(file.beginning)
    if kind == "text" and _ENCODED.search(_start(file.beginning(_WITHIN))):
        file.report("is read as text, but may be mail in a form that is not known: no body in it is decoded")
    return kind


# Which source reads a file

_MAGIC = {
    b"#! rnews ": "rnews",
    **dict.fromkeys((b"\1\1\1\1\n", b"\1\1\1\1\r", b"BABYL OPTIONS:"), "folder"),
    **dict.fromkeys(
        (b"BEGIN:VCALENDAR", b"BEGIN:VEVENT", b"BEGIN:VTODO", b"BEGIN:VTIMEZONE", b"BEGIN:VCARD"), "icalendar"
    ),
    b"WARC/": "warc",
    b"filedesc:": "arc",
    FRAME.encode(): "public-inbox",
}
_MAGICS = tuple(_MAGIC)
_SIGN = lazy_regex(rb"[#/:<\[{]|From ")
"""Any other file has one of these at its beginning."""

_ENOUGH = 1 << 14
"""How many bytes of a header are looked at to tell mail from text."""

# A folder of messages may have been filled from an mbox, whose `From ` lines were quoted.
_HEADER = lazy_regex(rb"[\r\n]*+(?:>From [^\n]*+\n)?(?:%b[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*)*+" % FIELD_NAME)
_LENGTH = lazy_regex(rb"\d{1,12}[ \t]*(?:\r?\n|\r?\Z)")
_PART_OF_FIELD = lazy_regex(rb"%b[ \t]*(?::[^\n]*)?|[ \t][^\n]*|\r*" % FIELD_NAME)

# The fields that show that a header is that of a message.
_KNOWN_FIELD = lazy_regex(
    rb"^(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|Path|Newsgroups|Xref|Relay-Version|"
    rb"MIME-Version|Content-Type|X-[A-Za-z\-]+|Reply-To|Sender|Status|DKIM-Signature|ARC-Seal|Authentication-Results|"
    rb"References|In-Reply-To|Organization|Lines|Errors-To|Precedence|Approved|Article):",
    re.IGNORECASE | re.MULTILINE,
)
_KNOWN_WITHOUT_BODY = 3
_ENCODED = lazy_regex(rb"\n[Cc]ontent-[Tt]ransfer-[Ee]ncoding:[ \t]*(?i:base64|quoted-printable)")


def recognise(file_beginning: Callable[[int], bytes]) -> str:
    """Return the name of the source that reads a file; *file_beginning* returns as many of its bytes as asked for."""
    first = file_beginning(_WITHIN)
    if len(first) < _WITHIN and not _SIGN.search(first):
        return "text"  # a zip may have many thousands of members of a few bytes
    start = len(BOM_UTF8) if first.startswith(BOM_UTF8) else 0
    first_end = line_end(first, whole=False) or line_end(file_beginning(MAX_LINE), whole=True)

    def beginning(size: int, start: int = start) -> bytes:
        """Return *size* bytes from *start* on, or what a shorter file has, with LF at line ends."""
        head = file_beginning(start + size)[start:]
        return head.replace(b"\r", b"\n") if first_end == b"\r" else head

    head = beginning(_WITHIN)
    if head.startswith(_MAGICS):
        return next(name for magic, name in _MAGIC.items() if head.startswith(magic))
    if head.startswith(b"Article ") and SEPARATOR.match(head):
        return "folder"
    if length := _LENGTH.match(head):
        is_mail = _mail_or_text(partial(beginning, start=start + length.end())) == "message"
        return "emlx" if is_mail else "text"
    if named := NAMED_VALUE.match(head):
        return _json(partial(beginning, start=start + named.end())) or "text"
    text = _start(head)
    may_be_json = text.startswith((b"{", b"[")) and not head.startswith(UTF_16_MARKS)
    return (_json(beginning) if may_be_json else markup(text)) or _mail_or_text(beginning)


def _mail_or_text(beginning: Callable[[int], bytes]) -> str:
    for size in (_WITHIN, _ENOUGH):
        head = beginning(size)
        header = _HEADER.match(head)
        end = header.end() if header else 0
        is_cut = _PART_OF_FIELD.fullmatch(head, end) or (head.startswith(b"From ") and head.count(b"\n") <= 1)
        if len(head) < size or not is_cut:
            break
    first = head.lstrip(b"\r\n")
    if first.startswith(b"From ") and FROM_LINE.match(first):  # few files need the pattern
        return "mbox"
    if end and EMPTY_LINE.match(head, end):
        return "message" if _KNOWN_FIELD.search(head, 0, end) else "text"
    if is_cut:
        end = len(head)
    return "message" if end and len(_KNOWN_FIELD.findall(head, 0, end)) >= _KNOWN_WITHOUT_BODY else "text"


# HTML, feeds, other XML, JSON and JSON Lines

_WITHIN = 1024
"""How many bytes are searched for the beginning of markup or of a line of JSON."""

_FIRST_LINES = (1 << 11, 1 << 16, 1 << 20)
"""How many bytes are looked at to tell JSON Lines from JSON: more if the first line is longer."""

_MARKUP = lazy_regex(
    rb"\s*+(?:<\?xml[^>]{0,200}+\?*>\s*+|<!--(?:[^-]|-(?!->))*+-->\s*+|<!doctype\s++(?:rss|svg)\b[^>]{0,200}+>\s*+)*+"
    rb"<(?:(?:!doctype\s++(?:html|netscape-bookmark-file-1)|(?:x-)?html|head|body|title|meta|svg)"
    rb"|(?P<feed>(?:[\w\-]{1,16}:)?(?:rss|feed|RDF)))(?=[\s>])",
    re.IGNORECASE,
)
_XML = lazy_regex(
    rb"\s*+(?:<\?xml\s|(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+"
    rb"<(?:!DOCTYPE\s++[\w:.\-]++\s++(?:PUBLIC|SYSTEM)\s|[A-Za-z][\w:.\-]*+\s[^<>]*?\bxmlns\b))"
)

# RFC 8259 section 2: the beginning of an object or an array.
_JSON = lazy_regex(
    rb"\s*+(?:\[\s*+)*+(?:"
    rb'\{\s*+(?:"(?:[^"\\\n]|\\.)*+"\s*+:|\})'
    rb'|(?<=[\[\s])(?:["\]]|(?:-?\d++(?:\.\d++)?+(?:[eE][+\-]?\d++)?+|true|false|null)\s*+(?:,|\](?!\s*+[^\s,\]]))))'
)
_LINE_WITH_CONTENT = lazy_regex(rb"[\s\[{]*+[^\n]++\n")


def _start(head: bytes) -> bytes:
    """Return the first characters of *head* after white space and any byte order mark, in a charset like ASCII."""
    is_wide = head.startswith(UTF_16_MARKS)
    start = head[:_WITHIN].decode("utf-16", "ignore").encode() if is_wide else head[:_WITHIN]
    return start.removeprefix(BOM_UTF8).lstrip()


def markup(head: bytes, media_type: str = "") -> str:
    """Return what a document is that begins with *head*: `feed`, `html`, `xml` for other XML, `""` for anything else.

    If it was sent as a *media_type*, that decides, but a feed is one in any case, and XML is read by its first element.
    """
    start = _start(head)
    found = _MARKUP.match(start)
    kind = (found.lastgroup or "html") if found else "xml" if _XML.match(start) else ""
    if kind == "feed" or not media_type:
        return kind
    if media_type.endswith("html") or media_type == "application/xhtml+xml":
        return "html"
    as_feed = media_type.endswith(("rss+xml", "atom+xml", "rdf+xml"))
    return ("feed" if as_feed else kind or "xml") if media_type.endswith("xml") else ""


def _json(beginning: Callable[[int], bytes]) -> str:
    """Return `jsonl` if the first line is a value and the second begins one, else `json` or, for other text, `""`."""
    from urlmend.sources.json import DECODER  # noqa: PLC0415 -- few files begin so

    for size in _FIRST_LINES:
        head = beginning(size)
        if len(head) < size or 0 <= head.find(b"\n", len(head) - len(head.lstrip())) < size - _WITHIN:
            break
    line, sign, rest = head.lstrip().partition(b"\n")
    rest = rest.lstrip()[:_WITHIN]
    second = _LINE_WITH_CONTENT.match(rest)
    following = second[0] if second else rest
    text = line.decode("utf-8", "replace")
    try:
        value, end = DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        value, end = None, len(text)
    if text[end:].strip():
        return ""
    if sign and isinstance(value, (dict, list)):
        return "jsonl" if not following or _JSON.match(following) else ""
    return "json" if _JSON.match(line + sign + following) else ""


PASSED_OVER = lazy_regex(
    r"(?:.*/)?(?:\.mh_sequences|\.overview|\.mailbox|maildirfolder|maildirsize|msgFilterRules\.dat"
    r"|[^/]+\.(?:msf|cmeta|ev-summary|ibex\.index)|\.[^/]+\.index(?:\.ids|\.sorted)?"
    r"|dovecot(?:-acl-list|-uidlist|-uidvalidity(?:\.[0-9a-f]+)?|-keywords|(?:\.list)?\.index(?:\.(?:log(?:\.2)?|cache))?)"
    # a message of MH that is deleted, and one of a Maildir that is not delivered yet
    r"|,\d+|tmp/(?:\w{3}\.)?\d{9,10}[._][^/.]*\d[^/.]*\.[^/]+)"
)
"""The names of mail programs' indexes, and of messages deleted or not delivered, in directories and archives."""


# Containers

CONTAINERS = frozenset(["zip", "tar"])

_ZIP = (b"PK\3\4", b"PK\5\6", b"PK00PK\3\4")
# A zip may come after the line that says what runs it, or after a program that unpacks it.
_SHEBANG = lazy_regex(rb"#![^\n]{0,255}(?:\n|\Z)")
_PROGRAMS = (b"MZ", b"\x7fELF")
_ZIP_MEMBER = lazy_regex(rb"PK\x03\x04[\n-?]\0..[\0\b\t\f\x0e]\0", re.DOTALL)
_MAX_PROGRAM = 1 << 20
"""How many bytes of a program are searched for the first member of a zip."""

TAR_BLOCK = 512
"""How many bytes a header of a tar has; data are padded to a multiple of it."""

_CHECKSUM = slice(148, 156)


def container(file: "PeekableFile") -> str:
    """Return `zip` or `tar`, or `""` for anything else."""
    head = file.beginning(TAR_BLOCK)
    shebang = _SHEBANG.match(head)
    if head.startswith(_ZIP, shebang.end() if shebang else 0) or (
        head.startswith(_PROGRAMS) and _ZIP_MEMBER.search(file.beginning(_MAX_PROGRAM))
    ):
        return "zip"
    return "tar" if len(head) == TAR_BLOCK and head[0] and is_tar_header(head) else ""


def is_tar_header(block: bytes) -> bool:
    """Return whether *block* is a header of a tar, by its checksum."""
    octets = block[: _CHECKSUM.start] + b" " * 8 + block[_CHECKSUM.stop :]
    try:
        checksum = int(block[_CHECKSUM].partition(b"\0")[0], 8)
    except ValueError:
        return False
    # Some old programs took bytes for signed numbers.
    return checksum == sum(octets) or checksum == sum(memoryview(octets).cast("b"))


# Files without text

_NOT_TEXT: tuple[tuple[str, bytes, str], ...] = (
    ("PDF", rb"%PDF-\d\.\d", "pdftotext FILE - | urlmend"),
    (
        "image",
        rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff[\xc0-\xfe]|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP|BM.{4}\0{4}|\0\0[\1\2]\0.\0",
        "tesseract FILE - | urlmend",
    ),
    (
        "sound",
        rb"ID3[\2-\4]|fLaC\0|RIFF....WAVE|FORM....AIF[FC]|MThd\0\0\0\x06|OggS\0|#!AMR\n|\xff[\xfb\xf3\xf2\xf1\xf9][^\n]",
        "",
    ),
    ("film", rb"....ftyp|\x1aE\xdf\xa3|RIFF....AVI |FLV\x01|\0\0\x01[\xba\xb3]|0&\xb2u\x8ef\xcf\x11", ""),
    ("UTF-32 text", rb"\xff\xfe\0\0|\0\0\xfe\xff|(?:\0{3})?(?:[\t-~]\0{3}){4}", "iconv -f UTF-32 FILE | urlmend"),
    ("ELF program", rb"\x7fELF", "strings FILE | urlmend"),
    ("Mach-O program", rb"[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe\0", "strings FILE | urlmend"),
    ("Windows program", rb"MZ..[\0-\x7f]\0", "strings FILE | urlmend"),
    ("compiled Python", rb"..\r\n[\0-\3]\0\0\0", ""),  # PEP 552
    (
        "Outlook message or older Office file",
        rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "msgconvert FILE, which writes an .eml file, or soffice --cat FILE | urlmend",
    ),
    ("Outlook mailbox", rb"!BDN", "readpst -o DIRECTORY FILE && urlmend -r DIRECTORY"),
    ("DjVu", rb"AT&TFORM", "djvutxt FILE | urlmend"),
    ("SQLite database", rb"SQLite format 3\0", "sqlite3 FILE .dump | urlmend"),
    ("7-Zip archive", rb"7z\xbc\xaf\x27\x1c", "7z x -so FILE | urlmend"),
    ("RAR archive", rb"Rar!\x1a\x07", "unrar p -inul FILE | urlmend"),
    ("library", rb"!<arch>\n", ""),
    ("file packed by compress", rb"\x1f\x9d", "zcat FILE | urlmend"),
    ("batch of news packed by bzip2", rb"#! bz2?unbatch\n", "tail -n +2 FILE | bzcat | urlmend"),
    ("compressed batch of news", rb"#! [a-z0-9]{0,3}unbatch\n", "tail -n +2 FILE | zcat | urlmend"),
    ("LZMA file", rb"\x5d\0\0..", "xz -dc FILE | urlmend"),
    ("lzip file", rb"LZIP[\0\1]", "lzip -dc FILE | urlmend"),
    ("file compressed twice", rb"\x1f\x8b\x08|BZh[1-9]1AY|\xfd7zXZ\0|\x28\xb5\x2f\xfd", "zcat FILE | urlmend"),
)
"""The kinds of files without text: how each begins, and the command that turns it into text, if there is one.

Those that begin with many control characters, such as fonts, need no row: they are BINARY.
"""

TOOLS = {kind: tool for kind, _, tool in _NOT_TEXT if tool} | {
    "Office file": "soffice --cat FILE | urlmend",
    "EPUB or OpenDocument file": "pandoc -t html FILE | urlmend",
}
"""The commands for the kinds that have one, zips too."""

_KIND = lazy_regex(b"|".join(b"(%b)" % magic for _, magic, _ in _NOT_TEXT), re.DOTALL)
_SAMPLE = 512
"""How many bytes decide whether a file with a NUL in its first line is text."""

_SIGNATURE = 8
"""How many bytes may be a signature with a line end in it, as those of HDF5 and of compiled Python are."""

_CONTROLS = bytes(set(range(0x20)) - set(b"\0\b\t\n\v\f\r\x1b")) + b"\x7f"
_MOST_CONTROLS = 25
"""Binary data has at least one control character in this many bytes: random data one in ten, text hardly any."""

BINARY = "binary data"
WITHOUT_TEXT = frozenset([BINARY, *(kind for kind, _, _ in _NOT_TEXT)])
"""All kinds of files without text."""

# All files without text have one of these bytes near their beginning, but for PDF.
_NO_TEXT = lazy_regex(rb"[\0-\7\x0e-\x1a\x1c-\x1f\x7f]")


def not_text(file: "PeekableFile") -> str:
    """Return the kind of a file without text, such as `PDF`, and `""` for text."""
    sample = file.beginning(_SAMPLE)
    if not (sample.startswith(b"%PDF") or _NO_TEXT.search(sample)):
        return ""
    if found := _KIND.match(sample):
        return _NOT_TEXT[(found.lastindex or 1) - 1][0]
    # In UTF-16, the halves of characters are like controls.
    if sample.startswith(UTF_16_MARKS) or b"\0" not in sample[: sample.find(b"\n", _SIGNATURE) + 1 or _SAMPLE]:
        return ""
    controls = _SAMPLE - len(sample.translate(None, _CONTROLS)) if len(sample) == _SAMPLE else 0
    return BINARY if controls > _SAMPLE // _MOST_CONTROLS else ""


def advice(kind: str) -> str:
    """Return the message about a file of this *kind*, which is not read."""
    return f"skipped: {kind}" + (f"; try {TOOLS[kind]}" if kind in TOOLS else "")
