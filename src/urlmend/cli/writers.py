"""The options of find, the conflicts between them, the formats, and the writer that the options choose."""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple, TextIO

import click

from urlmend.cli.outputs import Outputs
from urlmend.output import Format, LineWriter, Writer
from urlmend.output.counts import Counting, Counts, FileCounts, FileNames, counted_as
from urlmend.output.terminal import colours
from urlmend.output.text import TextFormat
from urlmend.record import BY_NAME, NAMES, TEXT


class FindOptions(SimpleNamespace):
    """The options and arguments of find, under the names that click gives them, with one `query` for its fields."""

    jobs: int | None

    @property
    def places(self) -> bool:
        """Whether the output needs the places of URLs or the numbers of their messages."""
        has_record = self.format != "text" and not self.count_by
        of_urls = all(BY_NAME[name].of == TEXT for name in self.fields) if self.fields else not has_record
        return bool(self.line_number or self.byte_offset or self.around is not None or self.warn or not of_urls)

    @property
    def ends_early(self) -> bool:
        """Whether reading may stop before the last URL. Reading ahead then seldom helps."""
        return bool(self.quiet or self.files_with_urls or self.limit or self.max_count)

    @property
    def around(self) -> tuple[int, int] | None:
        """How many lines before and after a URL are printed with its own; `None` if only the URL is."""
        before, after = (self.context if own is None else own for own in (self.before_context, self.after_context))
        return None if before is None and after is None else (before or 0, after or 0)

    @property
    def has_notes(self) -> bool:
        """Whether there may be notes on a URL."""
        return bool(self.warn) or self.readings == "all"

    @property
    def several_files(self) -> bool:
        """Whether lines have file names: by default where there may be several files."""
        return (self.recursive or len(self.paths) > 1) if self.with_filename is None else self.with_filename

    def names_count(self, source: str | None) -> bool:
        """Return whether the count of *source* follows its name. That of a file in an archive always does."""
        is_member = self.with_filename is not False and (source or "-") not in (self.paths or ("-",))
        return self.several_files or is_member

    @property
    def unwraps(self) -> bool:
        """Whether records have targets: with --unwrap, and where --fields may name a column of them."""
        return bool(self.query.unwrap or self.fields)

    def check(self) -> None:
        """Raise a usage error for options that exclude each other."""
        prefixes = self.with_filename is not None or self.line_number or self.byte_offset or self.null
        counts = self.counted or self.count_by
        kinds = (self.around is not None, self.counted, bool(self.count_by), self.files_with_urls)
        only_text = prefixes or (any(kinds) and not (counts and self.format in TABLES))
        tables = in_words(TABLES)
        conflicts = (
            (
                self.format != "text" and only_text,
                f"-H, -h, -n, -b, -A, -B, -C, -l and -0 are for text, and -c and --count-by for {tables} too.",
            ),
            (sum(kinds) > 1, "-c, --count-by, -l and context (-A, -B, -C) print different things: give one of them."),
            (self.around is not None and self.null, "-A, -B and -C print text: they cannot be combined with -0."),
            (
                not self.recursive and (self.include or self.exclude),
                "--include and --exclude choose among the files in directories: give -r.",
            ),
            (
                self.normalize and not (self.unique or self.count_by),
                "--normalize says which URLs are the same: give -u or --count-by.",
            ),
            (self.copies and not self.count_by, "--copies says what is counted: give --count-by."),
            (self.occurrences and not self.count_by, "--occurrences says what is counted: give --count-by."),
            (
                bool(self.fields) and (self.format not in WITH_FIELDS or any(kinds)),
                f"--fields chooses columns of records: give --format {in_words(WITH_FIELDS, 'or')}.",
            ),
            (self.csv_raw and self.format != "csv", "--csv-raw is about the cells of --format csv."),
            (
                FORMATS[self.format].writer is not None and self.output is None,
                f"--format {self.format} is not readable text: give -o FILE.",
            ),
            (
                self.format == "sqlite" and _has_content(self.output),
                f"{self.output} exists, and find makes a new database; urlmend harvest updates one.",
            ),
        )
        for is_given, message in conflicts:
            if is_given:
                raise click.UsageError(message)

    def own_files(self) -> Collection[str]:
        """Return the absolute names of the files of a database that is the output, which are not read."""
        if self.format != "sqlite" or self.output is None:
            return ()
        from urlmend.output.database.schema import own_files  # noqa: PLC0415 -- a database engine

        return own_files(self.output)


def _has_content(path: str | None) -> bool:
    return path is not None and os.path.isfile(path) and os.path.getsize(path) > 0


class OutputFormat(NamedTuple):
    """A format: what it is, whether it has the fields of records as columns, and what makes its writer.

    `lines` is for text: it returns the format of the lines, with the columns that it is given. Counts can be written
    in such a format too. `writer` is for files that are not readable text: it returns the writer of such a file.
    """

    help: str
    has_columns: bool = True
    lines: Callable[[FindOptions, TextIO, Sequence[str]], Format] | None = None
    writer: Callable[[FindOptions, Outputs], Writer] | None = None


def _text_format(options: FindOptions, out: TextIO, names: Sequence[str] = NAMES) -> TextFormat:
    """Return the format of text. On a terminal, a line above counts has the *names* of their columns."""
    shade = colours(options.color, out)
    *keys, number = names
    counts_on_terminal = options.count_by and out.isatty()
    return TextFormat(
        # As in grep; without -n and -b a line is a URL only.
        file_name=options.several_files if options.line_number or options.byte_offset else bool(options.with_filename),
        line=options.line_number,
        offset=options.byte_offset,
        readings=options.readings == "all",
        end="\0" if options.null else "\n",
        colours=shade,
        escaped=out.isatty() or shade.on,
        unwrap=options.query.unwrap,
        names_count=options.names_count if options.counted else None,
        head=shade.paint("heading", "\t".join([number, *keys])) + "\n" if counts_on_terminal else "",
    )


def _table(kind: str, options: FindOptions, out: TextIO, names: Sequence[str]) -> Format:
    """Return the format of that *kind*, a class of `urlmend.output.tables`."""
    from urlmend.output import tables  # noqa: PLC0415 -- few ask for one

    made: Format = getattr(tables, kind)(names, unwrap=options.unwraps, visible=out.isatty(), raw=options.csv_raw)
    return made


def _parquet(options: FindOptions, outputs: Outputs) -> Writer:
    try:
        from urlmend.arrow import ParquetWriter  # noqa: PLC0415 -- an extra
    except ModuleNotFoundError as error:
        raise click.UsageError(f"--format parquet needs {error.name}: pip install 'urlmend[parquet]'.") from error
    out: Any = outputs.open(options.output)
    writer = ParquetWriter(out.buffer, options.fields or NAMES, unwrap=options.unwraps)
    outputs.callback(writer.abandon)
    return writer


def _sqlite(options: FindOptions, outputs: Outputs) -> Writer:
    from urlmend.output.database.database import DatabaseWriter  # noqa: PLC0415 -- a database
    from urlmend.output.database.schema import explained_errors, settings_of  # noqa: PLC0415 -- as above

    settings = settings_of(options.query, options.selection)
    writer = outputs.made(lambda: DatabaseWriter(options.output, settings), options.output)
    outputs.enter_context(explained_errors(f"{options.output}: "))
    return writer


FORMATS = {
    "text": OutputFormat("One URL a line.", has_columns=False, lines=_text_format),
    "jsonl": OutputFormat("JSON Lines: each record is an object in a line.", lines=partial(_table, "JsonlFormat")),
    "csv": OutputFormat("Commas between the fields (RFC 4180), for spreadsheets.", lines=partial(_table, "CsvFormat")),
    "tsv": OutputFormat("Tabs between the fields, for cut and awk.", lines=partial(_table, "TsvFormat")),
    "parquet": OutputFormat("Parquet, for data frames (`pip install 'urlmend[parquet]'`).", writer=_parquet),
    "sqlite": OutputFormat("A new database, as `harvest` makes it.", has_columns=False, writer=_sqlite),
}
"""The formats by their names; the first is the default."""

WITH_FIELDS = [name for name, each in FORMATS.items() if each.has_columns]
"""The formats that have the fields of the record as columns."""

TABLES = [name for name in WITH_FIELDS if FORMATS[name].lines]
"""Those of them that are readable text."""


def in_words(names: Iterable[str], last: str = "and") -> str:
    """Return *names* as a list, with the word *last* before the last one.

    >>> in_words(["jsonl", "csv", "tsv"])
    'jsonl, csv and tsv'
    """
    return f" {last} ".join(", ".join(names).rsplit(", ", 1))


def writer_for(options: FindOptions, outputs: Outputs, out: TextIO) -> Writer:
    """Return the writer for the options. It writes to *out*, or to a file that it opens as one of *outputs*."""
    if options.quiet:
        return Writer()
    chosen = FORMATS[options.format]
    if chosen.writer:
        return chosen.writer(options, outputs)
    if options.output is not None:
        out = outputs.open(options.output)
    return _line_writer(options, out, partial(chosen.lines or _text_format, options, out))


def _line_writer(options: FindOptions, out: TextIO, make: Callable[[Sequence[str]], Format]) -> Writer:
    """Return the writer of lines to *out*, whose format *make* returns for the names of its columns."""
    if options.around is not None:
        from urlmend.output.context import ContextWriter  # noqa: PLC0415 -- loads the sources of mail

        return ContextWriter(out, options.around, replace(_text_format(options, out), file_name=options.several_files))
    if options.count_by:
        counting = Counting(options.occurrences, header_fields=True, copies=options.copies)
        facts = counted_as(unwrap=options.query.unwrap, normalize=options.normalize)
        rows = LineWriter(out, make(counting.columns(options.count_by)))
        return Counts(options.count_by, facts, counting, rows)
    if options.counted:
        return FileCounts(out, make(("source", "count")))
    if options.files_with_urls:
        return FileNames(out, _text_format(options, out))
    return LineWriter(out, make(options.fields or NAMES))
