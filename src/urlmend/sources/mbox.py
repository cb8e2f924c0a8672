"""Files of many messages, each behind a `From ` line: mboxo, mboxrd, mboxcl and mboxcl2, and pipermail's texts."""

from collections.abc import Iterator
from typing import Any

from urlmend.sources import Text
from urlmend.sources.mail import message, plain_message, source_name
from urlmend.sources.window import MboxWindow


def texts(fileobj: Any) -> Iterator[Text]:  # noqa: ANN401 -- any object with read(n)
    """Yield the texts of the messages in the mbox *fileobj*, in order."""
    window = MboxWindow(fileobj)
    source = source_name(fileobj)
    number = 0
    while window.begin():
        number += 1
        plain = plain_message(window, source, number)
        yield from message(window, source, number) if plain is None else plain
