"""What pages of annotated text say of a text: where it comes from, and how many URLs there were in all."""

from typing import TYPE_CHECKING

from urlmend.output.annotation.marked import SURE

if TYPE_CHECKING:
    from urlmend.match import URLMatch
    from urlmend.sources import Origin


class Counts:
    """How many URLs were written, and how many of them the reader might look at."""

    def __init__(self) -> None:
        self._urls = self._mended = self._doubtful = self._rejected = 0

    def url(self, match: "URLMatch") -> None:
        """Count *match*."""
        self._urls += 1
        self._mended += match.mended
        self._doubtful += match.ambiguous or match.confidence < SURE

    def rejected(self) -> None:
        """Count a candidate that is no URL."""
        self._rejected += 1

    def __str__(self) -> str:
        parts = [f"{self._urls or 'no'} URL{'s' * (self._urls != 1)}"]
        told = ((self._mended, "mended"), (self._doubtful, "doubtful"), (self._rejected, "no URL"))
        return ", ".join(parts + [f"{count} {what}" for count, what in told if count])


Message = tuple[str | None, int | None, int | None]
"""What tells one message from another: file, number and offset."""


def message_of(origin: "Origin") -> Message:
    """Return which message *origin* is of."""
    return origin.source, origin.message, origin.offset


def fields(origin: "Origin") -> list[tuple[str, str]]:
    """Return what the head of the message says of *origin*: names and values."""
    told = (("From", origin.author), ("Date", origin.date), ("Subject", origin.subject))
    return [(name, value) for name, value in told if value]


def heading(origin: "Origin") -> str:
    """Return a line that says which text of its file *origin* is; it is empty where the file is one text."""
    parts = []
    in_header = "header:" in (origin.part or "")
    if origin.message is not None:
        parts.append(f"message {origin.message}")
    if origin.target_uri is not None:
        parts.append(origin.target_uri)
    if origin.part is not None:
        parts.append(origin.part if in_header else f"part {origin.part}")
    if origin.content_type is not None and not in_header:
        parts.append(origin.content_type)
    if origin.attributes:
        parts.append("URLs of its attributes")
    if origin.signature:
        parts.append("signature")
    return ", ".join(parts)
