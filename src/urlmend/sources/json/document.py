"""JSON files that hold one value."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any

from urlmend.sources.json import MAX_SIZE, loads
from urlmend.sources.json.strings import Source, texts_of
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.sources.text import texts as plain_texts


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the strings of the JSON document *fileobj*; *prefilter* is as in `iter_texts`.

    `Origin.part` is the path of a string's keys (RFC 6901). What is no JSON, or longer than MAX_SIZE, is read as text.
    """
    held = []
    size = 0
    while size <= MAX_SIZE and (data := fileobj.read(CHUNK_SIZE)):
        if isinstance(data, str):
            message = "JSON is read from a binary file"
            raise TypeError(message)
        held.append(data)
        size += len(data)
    data = b"".join(held)
    held.clear()
    defects: dict[str, None] = getattr(fileobj, "defects", {})
    begin = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    try:
        value = loads(data[begin:])
    except ValueError as error:
        reason = f"read as text: {error}"
        defects[reason] = None
        if size > MAX_SIZE and (tell := getattr(fileobj, "report", None)):
            tell(reason)
        yield from plain_texts(_Put(data, fileobj, defects))
        return
    name = source_name(fileobj)

    def origin(path: str) -> Origin:
        made = Origin(name, part=path)
        made.noted = defects
        return made

    yield from texts_of(value, Source(data[begin:], begin, 1), origin, prefilter)


class _Put:
    """A file of which *data* was read, from its start again."""

    def __init__(self, data: bytes, file: Any, defects: dict[str, None]) -> None:  # noqa: ANN401 -- any object with read(n)
        self.name = source_name(file)
        self.defects = defects
        self._data = data
        self._file = file

    def read(self, size: int, /) -> Any:  # noqa: ANN401 -- what the file gives
        data, self._data = self._data, b""
        return data or self._file.read(size)
