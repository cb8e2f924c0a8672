"""Sources turn files into pieces of text with their origin. They know nothing of URLs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a piece of text comes from. `source` is the file's name; the rest is for mail and news, else `None`."""

    source: str | None = None
    message: int | None = None
    part: str | None = None
    message_id: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text, bytes or str, and its origin. Another origin object begins another text: no URL spans two."""

    data: bytes | str
    origin: Origin


Source = Callable[[Any], Iterable[Text]]


def open_source(source: str | Source) -> Source:
    """Return the source called *source*, or *source* itself if it is a function; `ValueError` for an unknown name."""
    if callable(source):
        return source
    if source not in SOURCES:
        message = f"source must be one of {', '.join(SOURCES)}, not {source!r}"
        raise ValueError(message)
    return SOURCES[source]


from urlmend.sources.text import text  # noqa: E402 -- it needs the names above

SOURCES: Mapping[str, Source] = {"text": text}
