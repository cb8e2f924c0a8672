"""Which writer the options of the command ask for, and which of them do not go together."""

from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from urlmend.output.annotation.context import ContextWriter
from urlmend.output.formats.count import CountByWriter
from urlmend.output.formats.text import CountWriter, NameWriter, QuietWriter

if TYPE_CHECKING:
    from urlmend.output import Writer
    from urlmend.output.colours import Colours


FORMATS = ("text", "jsonl", "csv", "tsv", "parquet", "sqlite")
"""What is written: one URL a line, or one record."""


def special_writer(  # noqa: PLR0911, PLR0913 -- one argument an option, one return a writer
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
    quiet: bool,
    made_with: dict[str, str],
) -> "Writer | None":
    """Return the writer that is asked for; `None` for one URL a line. A database is *made_with* these options."""
    if quiet:
        return QuietWriter()
    if format != "text":
        return _record_writer(format, out, made_with)
    if context is not None:
        return ContextWriter(out, context, file_name=file_name is not False, colours=shade)
    if count:
        return CountWriter(out, file_name=several if file_name is None else file_name, end=end, colours=shade)
    if count_by is not None:
        return CountByWriter(out, count_by, end=end)
    if files_with_urls:
        return NameWriter(out, end=end, colours=shade)
    return None


def _record_writer(format: str, out: TextIO, made_with: dict[str, str]) -> "Writer":  # noqa: A002 -- the option's name
    if format == "jsonl":
        from urlmend.output.formats.jsonl import JsonlWriter  # noqa: PLC0415 -- few ask for it

        return JsonlWriter(out)
    if format == "sqlite":
        from urlmend.output.database.found import FoundWriter  # noqa: PLC0415 -- a database engine

        writer = FoundWriter(out.name, **made_with)
        click.get_current_context().call_on_close(writer.abandon)
        return writer
    if format == "parquet":
        from urlmend.output.formats.parquet import ParquetWriter  # noqa: PLC0415 -- an extra

        return ParquetWriter(out.buffer)
    from urlmend.output.formats.csv import CsvWriter  # noqa: PLC0415 -- as above

    return CsvWriter(out, tabs=format == "tsv")


def check_writable(format: str, output: str | None) -> None:  # noqa: A002 -- the option's name
    """Raise a usage error where *format* cannot be written, before anything is made of *output*."""
    if format not in {"parquet", "sqlite"}:
        return
    if output is None:
        message = f"--format {format} is not for people: it needs -o FILE."
        raise click.UsageError(message)
    if format == "sqlite":
        if Path(output).is_file() and Path(output).stat().st_size:
            message = f"{output} exists, and find makes a new database; urlmend harvest brings one up to date."
            raise click.UsageError(message)
        return
    try:
        import_module("urlmend.output.formats.parquet")
    except ModuleNotFoundError as error:
        message = f"--format parquet needs {error.name}: pip install 'urlmend[parquet]'."
        raise click.UsageError(message) from error


def own_files(format: str, output: str | None) -> Collection[str]:  # noqa: A002 -- the option's name
    """Return the absolute names of the files of a database *output*, which are no inputs."""
    if format != "sqlite" or output is None:
        return ()
    from urlmend.output.database.file import own_files  # noqa: PLC0415 -- as above

    return own_files(output)


def check_together(*, text: bool, shaped: bool, kinds: tuple[bool, ...], context_null: bool, names: bool) -> None:
    """Raise a usage error where what is asked for excludes each other."""
    if not text and (shaped or any(kinds)):
        message = "-H, -h, -n, -b, -c, -C, -l, -0 and --count-by shape text; a record has all of it."
        raise click.UsageError(message)
    if sum(kinds) > 1:
        message = "-C, -c, --count-by and -l print different things: give one of them."
        raise click.UsageError(message)
    if context_null:
        message = "-C prints text: it does not go with -0."
        raise click.UsageError(message)
    if names:
        message = "--include and --exclude choose among the files below directories: give -r."
        raise click.UsageError(message)
