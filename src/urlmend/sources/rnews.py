"""rnews batches of news articles: each behind a line `#! rnews N`, with its length in bytes (RFC 5537 appendix A)."""

import re
from collections.abc import Iterator
from typing import Any

from urlmend.sources.mail import message
from urlmend.sources.origin import Prefilter, Text, source_name
from urlmend.sources.reader import CountedReader

_COMMAND = re.compile(rb"#! *rnews +(?P<length>\d{1,12})[^\n]*\n")


def texts(fileobj: Any, prefilter: Prefilter | None = None) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the articles in the batch *fileobj*, in order; what stands between them is passed over.

    With *prefilter*, parts may be left out in which it finds nothing.
    """
    reader = CountedReader(fileobj)
    source = source_name(fileobj)
    number = 0
    while reader.next_message(_COMMAND) is not None:
        number += 1
        if reader.begin():
            yield from message(reader, source, number, prefilter)
    reader.close()
