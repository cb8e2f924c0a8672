"""Plain text: a file read in chunks."""

from collections.abc import Iterator
from typing import Any

from urlmend.sources import Origin, Text

CHUNK_SIZE = 1 << 18
"""How many bytes or characters are read at a time."""


def text(fileobj: Any) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield *fileobj* in chunks; its `name`, where it has one, is the origin's source."""
    name = getattr(fileobj, "name", None)
    origin = Origin(source=name if isinstance(name, str) else None)
    while data := fileobj.read(CHUNK_SIZE):
        yield Text(data, origin)
