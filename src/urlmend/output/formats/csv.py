"""CSV (RFC 4180) and TSV: a line of names, then one line a match, with the fields of the JSONL record."""

import csv
import json
from typing import TYPE_CHECKING, TextIO

from urlmend.output.formats.jsonl import FIELDS, escaped, record

if TYPE_CHECKING:
    from urlmend.match import URLMatch

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_TAB_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class CsvWriter:
    r"""Writes each match to *out*. What is absent is empty, truth values and lists are JSON text.

    With *tabs*, fields are separated by tabs and stand as they are, but for tab, line feed, carriage return and
    backslash: `\t`, `\n`, `\r`, `\\`. Thus a line is a record, and `cut` and `awk` read it. Without, they are
    separated by commas and quoted where needed, and lines end with CR LF, which may stand inside of quotes too.
    """

    def __init__(self, out: TextIO, *, tabs: bool = False) -> None:
        self._out = out
        self._tabs = tabs
        self._csv = csv.writer(out)
        self._write(FIELDS)

    def write(self, match: "URLMatch") -> None:
        """Write the line of *match*."""
        self._write(tuple(escaped(_text(value)) for value in record(match).values()))

    def end_file(self, source: str | None) -> None:
        """Do nothing: every line names its file."""

    def close(self) -> None:
        """Flush."""
        self._out.flush()

    def _write(self, fields: tuple[str, ...]) -> None:
        if self._tabs:
            self._out.write("\t".join(field.translate(_TAB_ESCAPES) for field in fields) + "\n")
        else:
            self._csv.writerow(fields)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else _ENCODE(value)
