"""The options of find, which of them exclude each other, and the writer that they ask for."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from urlmend.output import LineWriter, RowWriter, Writer
from urlmend.output.counts import CountBy, Counted, FileCounts, FileNames
from urlmend.output.record import NAMES
from urlmend.output.terminal import PLAIN, colours
from urlmend.output.text import CountFormat, FileFormat, TextFormat
from urlmend.query import Query

if TYPE_CHECKING:
    from urlmend.cli.outputs import Outputs
    from urlmend.output.tables import CsvFormat, JsonlFormat, TsvFormat


FORMATS = ("text", "jsonl", "csv", "tsv", "parquet", "sqlite")
"""What is written: one URL a line, or one record."""


ROW_FORMATS = ("jsonl", "csv", "tsv")
"""The formats that counts have too."""


class FindOptions(NamedTuple):
    """The options and arguments of find, under the names that click gives them."""

    paths: tuple[str, ...]
    query: Query
    text: bool
    recursive: bool
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    jobs: int | None
    verbose: bool
    schemes: tuple[str, ...]
    hosts: tuple[str, ...]
    no_quoted: bool
    no_signature: bool
    unique: bool
    normalize: bool
    limit: int | None
    rejects: str | None
    format: str
    csv_raw: bool
    output: str | None
    readings: str
    with_filename: bool | None
    line_number: bool
    byte_offset: bool
    context: int | None
    counted: bool
    count_by: str | None
    files_with_urls: bool
    quiet: bool
    warn: bool
    color: str
    null: bool

    @property
    def urls_only(self) -> bool:
        """Whether nobody asks where a URL stands, nor what its message says."""
        places = self.line_number or self.byte_offset or self.count_by or self.warn
        return self.format == "text" and not (places or self.no_quoted or self.no_signature)

    @property
    def counts_as(self) -> Counted:
        """Which URL a match counts for."""
        return Counted(self.query.unwrap, self.normalize)

    @property
    def ends_early(self) -> bool:
        """Whether not all URLs are asked for, so that it seldom helps to read ahead."""
        return bool(self.quiet or self.files_with_urls or self.limit)

    @property
    def counts_named(self) -> bool:
        """Whether counts have file names: as asked for, else where there may be several files."""
        return (self.recursive or len(self.paths) > 1) if self.with_filename is None else self.with_filename

    def is_member(self, source: str | None) -> bool:
        """Tell whether *source* stands in a file at one of the paths, and its count shall have a name."""
        return self.with_filename is not False and (source or "-") not in (self.paths or ("-",))

    def check(self) -> None:
        """Raise a usage error where options exclude each other, before anything is made of the output."""
        shaped = self.with_filename is not None or self.line_number or self.byte_offset or self.null
        kinds = (self.context is not None, self.counted, self.count_by is not None, self.files_with_urls)
        counts = (self.counted or self.count_by is not None) and self.format in ROW_FORMATS
        if self.format != "text" and (shaped or (any(kinds) and not counts)):
            message = "-H, -h, -n, -b, -C, -l and -0 shape text; a record has all of it. -c and --count-by are also "
            message += f"written as {', '.join(ROW_FORMATS)}."
            raise click.UsageError(message)
        if sum(kinds) > 1:
            message = "-C, -c, --count-by and -l print different things: give one of them."
            raise click.UsageError(message)
        if self.context is not None and self.null:
            message = "-C prints text: it does not go with -0."
            raise click.UsageError(message)
        if not self.recursive and (self.include or self.exclude):
            message = "--include and --exclude choose among the files below directories: give -r."
            raise click.UsageError(message)
        if self.normalize and not (self.unique or self.count_by):
            message = "--normalize says which URLs are the same: give -u or --count-by."
            raise click.UsageError(message)
        if self.csv_raw and self.format != "csv":
            message = "--csv-raw is about the cells of --format csv."
            raise click.UsageError(message)
        self._check_writable()

    def _check_writable(self) -> None:
        if self.format not in {"parquet", "sqlite"}:
            return
        if self.output is None:
            message = f"--format {self.format} is not for people: it needs -o FILE."
            raise click.UsageError(message)
        if self.format == "sqlite":
            if Path(self.output).is_file() and Path(self.output).stat().st_size:
                message = f"{self.output} exists, and find makes a new database; urlmend harvest brings one up to date."
                raise click.UsageError(message)
            return
        try:
            import_module("urlmend.output.arrow")
        except ModuleNotFoundError as error:
            message = f"--format parquet needs {error.name}: pip install 'urlmend[parquet]'."
            raise click.UsageError(message) from error

    def own_files(self) -> Collection[str]:
        """Return the absolute names of the files of a database that is the output. They are no inputs."""
        if self.format != "sqlite" or self.output is None:
            return ()
        from urlmend.output.database.file import own_files  # noqa: PLC0415 -- a database engine

        return own_files(self.output)


def writer_for(asked: FindOptions, outputs: "Outputs", out: TextIO) -> Writer:
    """Return the writer that is asked for. It writes to *out*, or opens one of *outputs*."""
    if asked.quiet:
        return Writer()
    if asked.format == "sqlite":
        return _database_writer(asked, outputs)
    if asked.output is not None:
        out = outputs.open(asked.output)
    return _parquet_writer(asked, outputs, out) if asked.format == "parquet" else printing_writer(asked, out)


def printing_writer(asked: FindOptions, out: TextIO) -> Writer:
    """Return the writer of lines that is asked for, on *out*."""
    if asked.context is not None:
        from urlmend.output.context import ContextWriter  # noqa: PLC0415 -- loads the sources of mail

        return ContextWriter(out, asked.context, replace(_text_format(asked, out), file_name=asked.counts_named))
    if asked.count_by is not None:
        return CountBy(_row_writer(asked, out, (asked.count_by, "count")), asked.count_by, asked.counts_as)
    if asked.counted:
        return FileCounts(_row_writer(asked, out, ("source", "count")))
    if asked.files_with_urls:
        return FileNames(_row_writer(asked, out, ("source",)))
    return LineWriter(out, _text_format(asked, out) if asked.format == "text" else _table_format(asked, out, NAMES))


def _row_writer(asked: FindOptions, out: TextIO, names: Sequence[str]) -> RowWriter:
    if asked.format != "text":
        return RowWriter(out, _table_format(asked, out, names))
    text = _text_format(asked, out)
    if "source" in names:
        return RowWriter(out, FileFormat(replace(text, file_name=asked.counts_named), asked.is_member))
    return RowWriter(out, CountFormat(text))


def _table_format(asked: FindOptions, out: TextIO, names: Sequence[str]) -> "CsvFormat | TsvFormat | JsonlFormat":
    from urlmend.output.tables import CsvFormat, JsonlFormat, TsvFormat  # noqa: PLC0415 -- few ask for it

    visible = out.isatty()
    if asked.format == "jsonl":
        return JsonlFormat(asked.query.unwrap, visible)
    if asked.format == "csv":
        return CsvFormat(asked.query.unwrap, visible, names, asked.csv_raw)
    return TsvFormat(asked.query.unwrap, visible, names)


def _text_format(asked: FindOptions, out: TextIO) -> TextFormat:
    shade = colours(asked.color, out)
    return TextFormat(
        file_name=bool(asked.with_filename),
        line=asked.line_number,
        offset=asked.byte_offset,
        readings=asked.readings == "all",
        end="\0" if asked.null else "\n",
        colours=shade,
        escaped=out.isatty() or shade is not PLAIN,
        unwrap=asked.query.unwrap,
    )


def _parquet_writer(asked: FindOptions, outputs: "Outputs", out: TextIO) -> Writer:
    from urlmend.output.arrow import ParquetWriter  # noqa: PLC0415 -- an extra

    binary: Any = out.buffer
    writer = ParquetWriter(binary, unwrap=asked.query.unwrap)
    outputs.before_abandoning(writer.abandon)
    return writer


def _database_writer(asked: FindOptions, outputs: "Outputs") -> Writer:
    from urlmend.output.database.made_with import settings_of  # noqa: PLC0415 -- a database
    from urlmend.output.database.writer import DatabaseWriter  # noqa: PLC0415 -- as above

    return outputs.database(lambda: DatabaseWriter(str(asked.output), **settings_of(asked.query)))
