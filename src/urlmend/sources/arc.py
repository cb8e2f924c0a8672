"""Web archives of the Internet Archive's older form: ARC, version 1."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.reader import CountedReader
from urlmend.sources.warc import body

# The address, the host's number, the date, the type of what was fetched, its length.
_RECORD = re.compile(rb"(?P<target>\S+) \S+ (?P<date>\d{14}) \S+ (?P<length>\d{1,12})\r?\n")
_STATUS = re.compile(rb"HTTP/[^\n]*\n")


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the documents in *fileobj* that were fetched by HTTP; *prefilter* is as in `iter_texts`."""
    reader = CountedReader(fileobj)
    source = source_name(fileobj)
    number = 0
    while (record := reader.next_message(_RECORD)) is not None:
        number += 1
        if not reader.begin():
            continue
        while reader.limit == reader.pos and reader.grow():
            pass
        status = _STATUS.match(reader.data, reader.pos, reader.limit)
        if status:
            origin = partial(_origin, record, source, number, reader.command_offset)
            reader.pos = status.end()
            fields, _ = reader.header(())
            yield from body(fields.data, reader.lines(()), origin, prefilter)
        for _ in reader.lines(()):
            pass
    reader.close()


def _origin(record: re.Match[bytes], source: str | None, number: int, offset: int) -> Origin:
    origin = Origin(source, number, "1", date=_date(record["date"].decode()))
    origin.offset = offset
    origin.target_uri = record["target"].decode("utf-8", "replace")
    return origin


def _date(digits: str) -> str:
    """Return the date YYYYMMDDhhmmss as RFC 3339 writes it."""
    year, *rest = digits[:4], *(digits[start : start + 2] for start in range(4, 14, 2))
    month, day, hour, minute, second = rest
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
