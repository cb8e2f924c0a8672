"""Files that hold no text: known by how they begin, and what makes text of them."""

import re

TOOLS = {
    "PDF": "pdftotext FILE - | urlmend",
    "PNG image": "tesseract FILE - | urlmend",
    "JPEG image": "tesseract FILE - | urlmend",
    "TIFF image": "tesseract FILE - | urlmend",
    "ELF program": "strings FILE | urlmend",
    "Mach-O program": "strings FILE | urlmend",
    "Windows program": "strings FILE | urlmend",
    "Office file": "soffice --cat FILE | urlmend",
    "older Office file": "soffice --cat FILE | urlmend",
    "EPUB or OpenDocument file": "pandoc -t plain FILE | urlmend",
    "DjVu": "djvutxt FILE | urlmend",
    "SQLite database": "sqlite3 FILE .dump | urlmend",
    "7-Zip archive": "7z x -so FILE | urlmend",
    "RAR archive": "unrar p -inul FILE | urlmend",
}
"""What makes text of a kind of file and hands it to the command; of the others, nothing that is known here."""

_MAGIC: tuple[tuple[str, bytes], ...] = (
    ("PDF", rb"%PDF-\d\.\d"),
    ("PNG image", rb"\x89PNG\r\n\x1a\n"),
    ("JPEG image", rb"\xff\xd8\xff[\xc0-\xfe]"),
    ("GIF image", rb"GIF8[79]a"),
    ("TIFF image", rb"II\*\0|MM\0\*"),
    ("WebP image", rb"RIFF....WEBP"),
    ("BMP image", rb"BM....\0\0\0\0"),
    ("Photoshop image", rb"8BPS\0\1"),
    ("icon", rb"\0\0[\1\2]\0.\0"),
    (
        "sound",
        rb"ID3[\2-\4]|fLaC\0|RIFF....WAVE|FORM....AIF[FC]|MThd\0\0\0\6|OggS\0|#!AMR\n|\xff[\xfb\xf3\xf2\xf1\xf9][^\n]",
    ),
    ("film", rb"....ftyp|\x1aE\xdf\xa3|RIFF....AVI |FLV\1|\0\0\1[\xba\xb3]|0&\xb2u\x8ef\xcf\x11"),
    ("font", rb"\0\1\0\0\0.|OTTO\0|wOF[F2]|ttcf\0"),
    ("ELF program", rb"\x7fELF"),
    ("Mach-O program", rb"[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe\0"),
    ("Windows program", rb"MZ..[\0-\x7f]\0"),
    ("WebAssembly", rb"\0asm"),
    ("older Office file", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("DjVu", rb"AT&TFORM"),
    ("SQLite database", rb"SQLite format 3\0"),
    ("7-Zip archive", rb"7z\xbc\xaf\x27\x1c"),
    ("RAR archive", rb"Rar!\x1a\x07"),
    ("cabinet", rb"MSCF\0\0\0\0"),
    ("library", rb"!<arch>\n"),
    ("package", rb"\xed\xab\xee\xdb"),
)
_KIND = re.compile(b"|".join(b"(?P<k%d>%s)" % (number, magic) for number, (_, magic) in enumerate(_MAGIC)), re.DOTALL)
SAMPLE = 512
"""How many bytes tell whether what has a NUL in its first line is text."""

_CONTROLS = bytes(set(range(0x20)) - set(b"\0\b\t\n\v\f\r\x1b")) + b"\x7f"
_MOST_CONTROLS = 25
"""One byte in so many is a control character in what is no text: in random data one in ten, in text hardly any."""

BINARY = "binary data"

# What begins with letters is one of these only if bytes follow that no text has.
_PRINTABLE = re.compile(rb"[\t\n\r -~]*")
_LONGEST = 16
_NO_TEXT = re.compile(rb"[\0-\7\x0e-\x1a\x1c-\x1f\x7f]")


def not_text(head: bytes, *, whole: bool) -> str | None:
    """Return what a file that begins with *head*, or is that *whole*, is if it is no text: `PDF`. `""` is text.

    `None` where more is needed to tell: SAMPLE bytes where the first line has a NUL, else that line.
    """
    found = _KIND.match(head)
    sample = head[:SAMPLE]
    line_end = sample.find(b"\n") + 1
    more = not whole and len(head) < SAMPLE
    if found:
        name = _MAGIC[int((found.lastgroup or "k0")[1:])][0]
        if name == "PDF" or _NO_TEXT.search(sample):
            return name
        return None if more else ""
    if more and len(head) < _LONGEST and not _PRINTABLE.fullmatch(head):
        return None
    if b"\0" not in sample[: line_end or SAMPLE]:
        return None if more and not line_end else ""
    if more:
        return None
    controls = SAMPLE - len(sample.translate(None, _CONTROLS)) if len(sample) == SAMPLE else 0
    return BINARY if controls > SAMPLE // _MOST_CONTROLS else ""


def advice(kind: str) -> str:
    """Return what is told of a file of this *kind*, which is not read."""
    return f"skipped: {kind}" + (f"; try {TOOLS[kind]}" if kind in TOOLS else "")
