"""Batches of news articles for rnews: each after a line `#! rnews N`, N bytes long (RFC 5537 appendix A)."""

import re
from collections.abc import Iterator

from urlmend.sources.mail import Walk
from urlmend.sources.origin import Prefilter, Readable, Text, source_name
from urlmend.sources.reader import CountedReader

_COMMAND = re.compile(rb"#! *rnews +(?P<length>\d{1,12})[^\n]*\n")


def texts(fileobj: Readable, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the texts of the articles in the batch *fileobj*, in order; anything between them is skipped.

    With *wanted*, texts may be left out in which it finds nothing.
    """
    reader = CountedReader(fileobj)
    walk = Walk(reader, source_name(fileobj), wanted)
    while reader.next_message(_COMMAND) is not None:
        if reader.begin():
            yield from walk.texts()
    reader.close()
