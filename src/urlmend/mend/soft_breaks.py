"""Soft line breaks of quoted-printable in text that was never decoded: an `=` at the end of a line (RFC 2045, 6.7)."""

import re
from itertools import islice

from urlmend.mend.line_break import NEARBY
from urlmend.text.line_ends import LINE_END, last_line

LINE_LENGTH = 76
"""The longest line of quoted-printable, in characters: programs that write it break there, with the `=` counted."""

# Rule lines of equals signs are none.
_SIGN = re.compile(r"=3D|(?<!=)=(?:20)?(?=[\r\n]|\Z)")
_LEAST_SIGNS = 2
# An "=" that quoted-printable would have written as "=3D".
_PLAIN = re.compile(r"=(?![0-9A-F]{2}|[ \t]*(?:[\r\n]|\Z))")


def may_end(line: str) -> bool:
    """Tell whether *line* may end in a soft line break: quoted-printable never has a plain `=` before it."""
    return line.endswith("=") and not line.endswith("==")


def are_soft(before: str, span: str, after: str) -> bool:
    """Tell whether an `=` at a line's end is a soft line break in *span*, which ends in one or holds one.

    *before* and *after* are the text around it. It is one where it ends a line of LINE_LENGTH characters, and where the
    text around has other signs of quoted-printable.
    """
    before, after = before[-NEARBY:], after[:NEARBY]
    left = last_line(before)
    lines = LINE_END.split(left + span + after, len(LINE_END.findall(span)) + 2)[:-1]
    full = [may_end(line) for line in lines if len(line) >= LINE_LENGTH]
    # A program that breaks every line at that width without an "=" writes no soft breaks.
    if any(full) and all(full):
        return True
    signs = _SIGN.finditer(f"{before}{span}{after}")
    return not _PLAIN.search(span) and len(list(islice(signs, _LEAST_SIGNS + 1))) > _LEAST_SIGNS
