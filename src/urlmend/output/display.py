"""Text for people to look at: control characters and writing directions in it have no effect on a terminal."""

import re

# C0, DEL and C1; the line ends of Unicode; marks, embeddings, overrides and isolates of the bidirectional algorithm
# (UAX #9).
CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {0x7F: 0x2421}


def on_one_line(text: str) -> str:
    r"""Return *text* with its control characters as escapes, line ends among them: for names and URLs.

    >>> print(on_one_line("a\nb\33[2J \u202ec"))
    a\nb\x1b[2J \u202ec
    """
    return CONTROLS.sub(_escape, text)


def harmless(text: str) -> str:
    r"""Return *text* with its control characters made visible; its lines and tabs stay as they are.

    >>> print(harmless("a\33[2J\n\u202ec"))
    a␛[2J
    \u202ec
    """
    shown = text.translate(_PICTURES)
    return shown if shown.isascii() else CONTROLS.sub(_escape_unless_line, shown)


def _escape(control: re.Match[str]) -> str:
    char = control[0]
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{ord(char):02x}" if ord(char) <= 0xFF else f"\\u{ord(char):04x}"  # noqa: PLR2004 -- two hexadecimal digits


def _escape_unless_line(control: re.Match[str]) -> str:
    return control[0] if control[0] in "\t\n" else _escape(control)
