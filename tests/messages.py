"""The cases of data/mail.txt: each is a file, and all that must be found in it."""

import re
from base64 import b64encode
from binascii import b2a_uu
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data" / "mail.txt"
_CASE = re.compile(r"^=== (.*?)( \(alone\))?\n((?:(?!→|===).*\n)+)((?:[→!] .*\n)+)", re.MULTILINE)
_ENCODED = re.compile(r"^\{\{\{ (\S+) ?(base64|uuencode)?:?(\d+)?\n(.*?)^\}\}\}\n", re.MULTILINE | re.DOTALL)
_MARKS = {"␍": "\r", "␉": "\t", "␀": "\0", "␟": "\x1f", "␌": "\f", "␄\n": "", "[BOM]": "\ufeff"}


SEVERAL = frozenset(["mbox", "rnews", "folder", "feed"])
"""The sources of files with several messages."""


class Found(NamedTuple):
    """What is expected of a match: *lines* are the first and the last of its place where that is not exact."""

    message: int | None
    part: str | None
    url: str
    flags: frozenset[str]
    lines: tuple[int, int] | None


class Case(NamedTuple):
    """A file, the name of its source, what is found in it, and its defects."""

    name: str
    source: str
    data: bytes
    found: tuple[Found, ...]
    defects: frozenset[str]
    alone: bool


def _cases() -> Iterator[Case]:
    for name, alone, file, results in _CASE.findall(DATA.read_text("utf-8")):
        group = name.partition(":")[0]
        source = group if group in SEVERAL | {"text", "emlx", "icalendar", "xml"} else "message"
        lines = results.splitlines()
        found = tuple(_found(line[2:], source) for line in lines if line[0] == "→" and line != "→ nothing")
        defects = frozenset(line[2:] for line in lines if line[0] == "!")
        yield Case(name, source, b"".join(_octets(file)), found, defects, bool(alone))


def _found(line: str, source: str) -> Found:
    line, *place = re.split(" lines? ", line)
    where, url, *flags = line.split()
    message, part = where.split(":", 1) if source in SEVERAL else ("1", where)
    first, _, last = place[0].partition("-") if place else ("", "", "")
    lines = (int(first), int(last or first)) if place else None
    if source in {"text", "xml"}:
        message = "-"
    number = None if message == "-" else int(message)
    return Found(number, None if part == "-" else part, url, frozenset(flags), lines)


def _octets(file: str) -> Iterator[bytes]:
    file = re.sub("·+$", lambda blanks: " " * len(blanks[0]), file, flags=re.MULTILINE)
    for mark, meaning in _MARKS.items():
        file = file.replace(mark, meaning)
    plain, *blocks = _ENCODED.split(file)
    yield plain.encode()
    for charset, encoding, width, text, after in zip(*(blocks[at::5] for at in range(5)), strict=True):
        octets = text.encode(charset)
        if encoding == "base64":
            encoded = b64encode(octets)
            size = int(width or 76)
            octets = b"".join(encoded[at : at + size] + b"\n" for at in range(0, len(encoded), size))
        elif encoding == "uuencode":
            lines = (b2a_uu(octets[at : at + 45]) for at in range(0, len(octets), 45))
            octets = b"begin 644 pages.tar\n" + b"".join(lines) + b"`\nend\n"
        yield octets
        yield after.encode()


CASES: Mapping[str, Case] = {case.name: case for case in _cases()}
