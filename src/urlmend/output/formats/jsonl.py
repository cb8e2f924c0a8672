"""JSON Lines: one object a line, with keys in one order; absent is `null`, never missing."""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from urlmend.output.display import CONTROLS

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonlWriter:
    """Writes each match to *out* as a JSON object: `URLMatch.as_dict`, with the target where *unwrap*."""

    def __init__(self, out: TextIO, *, unwrap: bool = False) -> None:
        self._out = out
        self._line = _line_for(out)
        self._unwrap = unwrap

    def write(self, match: "URLMatch") -> None:
        """Write the line of *match*."""
        self.write_row(match.as_dict(unwrap=self._unwrap))

    def write_row(self, values: dict[str, object]) -> None:
        """Write *values* as an object."""
        self._out.write(self._line(values))

    def end_file(self, source: str | None) -> None:
        """Do nothing: every record names its file."""

    def close(self) -> None:
        """Flush."""
        self._out.flush()


class RejectWriter:
    """Writes each rejected candidate to *out* as a JSON object.

    `rule` is the rule of the grammar that failed, and `pos` the place, an index into `text`. `text` is the candidate as
    it was read, its breaks mended, and `raw` as it stands. *first* is called before each.
    """

    def __init__(self, out: TextIO, first: Callable[[], object] | None = None) -> None:
        self._out = out
        self._line = _line_for(out)
        self._first = first

    def write(self, rejected: "Rejected") -> None:
        """Write the line of *rejected*."""
        error = rejected.error
        if self._first is not None:
            self._first()
        self._out.write(
            self._line(
                {
                    "source": rejected.origin.source,
                    "start": rejected.start,
                    "end": rejected.end,
                    "line": rejected.line,
                    "column": rejected.column,
                    "form": rejected.form,
                    "text": rejected.text,
                    "raw": rejected.raw,
                    "rule": error.rule,
                    "pos": error.pos,
                }
            )
        )


def _line_for(out: TextIO) -> Callable[[dict[str, object]], str]:
    """Return what makes the lines for *out*: on a terminal, control characters are escapes, which is the same JSON."""
    return _line_on_terminal if out.isatty() else _line


def _line_on_terminal(values: dict[str, object]) -> str:
    # `ensure_ascii` would escape every letter beyond ASCII too.
    return CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", _line(values).removesuffix("\n")) + "\n"


def _line(values: dict[str, object]) -> str:
    # As an escape, half a surrogate pair is valid JSON, and is read as the same half.
    return escaped(_ENCODE(values)) + "\n"


def escaped(text: str) -> str:
    """Return *text* with half surrogate pairs, which have no UTF-8, as escapes."""
    return text if text.isascii() else _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
