"""Files of any kind, each read as what it is."""

from collections.abc import Iterator
from typing import Any

from urlmend.sources import open_source
from urlmend.sources.compression import Peeked
from urlmend.sources.origin import Prefilter, Text
from urlmend.sources.recognise import source_of


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of *fileobj*, once its beginning shows what it is; *prefilter* is as in `iter_texts`."""
    file = fileobj if type(fileobj) is Peeked else Peeked(fileobj)
    name = source_of(file)
    yield from open_source(name)(file, prefilter)
