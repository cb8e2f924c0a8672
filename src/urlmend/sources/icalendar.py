"""iCalendar files (RFC 5545): their content lines, unfolded, with the escaped characters of their text decoded."""

from collections.abc import Iterator

from urlmend.sources.body import CALENDAR, text_of
from urlmend.sources.compression import Peeked
from urlmend.sources.html import document
from urlmend.sources.origin import Origin, Prefilter, Text, source_name
from urlmend.sources.prose import prose


def texts(file: Peeked, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the text of the calendar *file*. With *wanted*, it may be left out if that finds nothing in it."""
    for about, lines in document(file, CALENDAR):
        origin = Origin(source_name(file), content=about, defects=file.defects)
        yield from prose(text_of(lines, about, file.defects), about, origin, wanted)
