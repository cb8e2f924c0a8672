"""Which writer the options of the command ask for."""

from typing import TYPE_CHECKING, TextIO

from urlmend.writers.context import ContextWriter
from urlmend.writers.count import CountByWriter
from urlmend.writers.jsonl import JsonlWriter
from urlmend.writers.text import CountWriter, NameWriter

if TYPE_CHECKING:
    from urlmend.writers import Writer
    from urlmend.writers.colours import Colours


def special_writer(  # noqa: PLR0913 -- one argument an option
    out: TextIO,
    *,
    format: str,  # noqa: A002 -- the option's name
    context: int | None,
    count: bool,
    count_by: str | None,
    files_with_urls: bool,
    file_name: bool | None,
    several: bool,
    end: str,
    shade: "Colours",
) -> "Writer | None":
    """Return the writer that is asked for; `None` for one URL a line."""
    if format == "jsonl":
        return JsonlWriter(out)
    if context is not None:
        return ContextWriter(out, context, file_name=file_name is not False, colours=shade)
    if count:
        return CountWriter(out, file_name=several if file_name is None else file_name, end=end, colours=shade)
    if count_by is not None:
        return CountByWriter(out, count_by, end=end)
    if files_with_urls:
        return NameWriter(out, end=end, colours=shade)
    return None
