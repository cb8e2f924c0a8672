"""`urlmend find`, the default: every URL in files."""

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from fnmatch import translate
from functools import partial
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import islice
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click
from click.core import ParameterSource

import urlmend
import urlmend.resolver
from urlmend.cli import options as shared
from urlmend.cli.command import ERROR, FOUND, NONE, Choice, FileName, Find, choice, complain, left_out
from urlmend.cli.inputs import Inputs, named
from urlmend.cli.outputs import Outputs
from urlmend.grammar.parser import parse_or_none
from urlmend.match import MAX_READINGS, Rejected, URLMatch
from urlmend.output import Format, LineWriter, Writer
from urlmend.output.counts import KEYS, Counting, Counts, FileCounts, FileNames, Tally, counted_as
from urlmend.output.files import STANDARD_INPUT, utf8
from urlmend.output.terminal import colours
from urlmend.output.text import TextFormat
from urlmend.reading import FileMatches, FileReader, Job, Matches, OnReject
from urlmend.record import BY_NAME, MATCH, NAMES, PLACE
from urlmend.sources.directories import own_descriptor
from urlmend.text.suffixes import host_of

if TYPE_CHECKING:
    from urlmend.facts import URLFacts


class FindOptions(SimpleNamespace):
    """The options and arguments of find, under the names that click gives them, with one `query` for its fields."""

    jobs: int | None

    @property
    def places(self) -> bool:
        """Whether the places of URLs, the numbers of their messages, or what is quoted must be known."""
        has_record = self.format != "text" and not self.count_by
        has_places = any(BY_NAME[name].of in (PLACE, MATCH) for name in self.fields) if self.fields else has_record
        in_zones = self.no_quoted or self.no_signature or not {"message", "signature"}.isdisjoint(self.fields)
        shown = self.line_number or self.byte_offset or self.around is not None or self.warn
        return bool(in_zones or shown or has_places)

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
        """Whether records have targets: with --unwrap, and with --fields, which may name a column of them."""
        return bool(self.query.unwrap or self.fields)

    def conflict(self) -> str | None:  # noqa: C901, PLR0911 -- one rule after the other
        """Return why some of the options exclude each other; `None` if none do."""
        kinds = (self.around is not None, self.counted, bool(self.count_by), self.files_with_urls)
        of_text = {
            "-n": self.line_number,
            "-b": self.byte_offset,
            "-0": self.null,
            "-l": self.files_with_urls,
            "-H": self.with_filename,
            "-h": self.with_filename is False,
            "-A": self.after_context is not None,
            "-B": self.before_context is not None,
            "-C": self.context is not None,
        }
        given = in_words(name for name, is_given in of_text.items() if is_given)
        if self.format != "text" and given:
            return f"only --format text takes {given}; in others, --fields chooses columns, such as line and start."
        if self.format not in {"text", *TABLES} and (self.counted or self.count_by):
            return f"-c and --count-by need --format {in_words(['text', *TABLES], 'or')}."
        if sum(kinds) > 1:
            return "-c, --count-by, -l and context (-A, -B, -C) cannot be combined."
        if self.around is not None and self.null:
            return "-A, -B and -C print text: they cannot be combined with -0."
        if not self.recursive and (self.include or self.exclude):
            return "--include and --exclude choose among the files in directories: give -r."
        if self.normalize and not (self.unique or self.count_by):
            return "--normalize needs -u or --count-by."
        for name in ("copies", "occurrences"):
            if getattr(self, name) and not self.count_by:
                return f"--{name} needs --count-by."
        if self.fields and (self.format not in WITH_FIELDS or any(kinds)):
            return f"--fields chooses columns of records: give --format {in_words(WITH_FIELDS, 'or')}."
        if self.csv_raw and self.format != "csv":
            return "--csv-raw needs --format csv."
        if FORMATS[self.format].writer and self.output is None:
            return f"--format {self.format} is not readable text: give -o FILE."
        if self.format == "sqlite" and os.path.isfile(self.output) and os.path.getsize(self.output) > 0:
            return f"{self.output} exists, and find makes a new database; urlmend harvest updates one."
        return None


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
    """Return the format of text. On a terminal, the *names* of their columns are above counts."""
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
"""Those of these formats that are readable text."""


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

        return ContextWriter(out, options.around, _text_format(options, out)._replace(file_name=options.several_files))
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


def _split_at_commas(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for value in values for name in value.split(",") if name)


def _hosts(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    globs = _split_at_commas(ctx, parameter, values)
    for glob in globs:
        host = glob.replace("?", "*")  # in a glob it begins no query
        url = parse_or_none(host if "://" in host else f"http://{host}")
        if url and url.host and url.host.lower() != host.lower():
            raise click.BadParameter(f"{glob} is more than a host: give {url.host}")
    return globs


_BUILD = "compiled" if urlmend.resolver.__file__.endswith(tuple(EXTENSION_SUFFIXES)) else "pure Python"
_several = partial(shared.choosing, callback=_split_at_commas, multiple=True)
_of_hosts = partial(shared.choosing, callback=_hosts, multiple=True)
_around = partial(shared.printing, type=click.IntRange(0), metavar="N")

_EPILOG = """\
\b
Examples:
  urlmend list.mbox                       every URL, one a line
  urlmend -r -n -H archive/               every URL in a folder, and its line
  urlmend --count-by host list.mbox.gz    its hosts, the most linked first
  urlmend harvest archive/ -o links.db    a database of an archive's URLs
\b
Without PATH, or with -, standard input is read. Exit status: 0 if URLs were
found, 1 if not, 2 after an error. For a file named like a command: ./explain.
"""


@click.command("find", cls=Find, epilog=_EPILOG)
@shared.paths
@shared.recursive
@shared.text
@shared.reading("--include", metavar="GLOB", multiple=True, help="With -r, read only files with matching names.")
@shared.reading("--exclude", metavar="GLOB", multiple=True, help="With -r, skip files with matching names.")
@shared.jobs
@shared.reading("-v", "--verbose", is_flag=True, help="Print to stderr how each file is read.")
@shared.reading("-s", "--no-messages", is_flag=True, help="Print no messages about files that are not read.")
@shared.query()
@shared.selection
@_several("--scheme", "schemes", metavar="NAME", help="Only URLs with these schemes: https,ftp.")
@_several("--exclude-scheme", "excluded_schemes", metavar="NAME", help="Leave out URLs with these schemes.")
@_of_hosts("--host", "hosts", group=shared.MOST_USED, metavar="GLOB", help="Only URLs on these hosts: *.a.example.")
@_of_hosts("--exclude-host", "excluded_hosts", metavar="GLOB", help="Leave out URLs on these hosts.")
@shared.no_quoted
@shared.no_signature
@shared.most_used("-u", "--unique", is_flag=True, help="Print each URL once, at its first occurrence.")
@shared.choosing("--normalize", is_flag=True, help="With -u, --count-by: merge equivalent URLs.")
@shared.choosing("-m", "--max-count", metavar="N", type=click.IntRange(1), help="Stop each file after N URLs.")
@shared.choosing("--limit", metavar="N", type=click.IntRange(1), help="Stop after N URLs in all files.")
@shared.more("--rejects", type=FileName(), metavar="FILE", help="Write rejected candidates as JSON; -: stderr.")
@shared.most_used(
    "--format",
    type=Choice(FORMATS),
    default=next(iter(FORMATS)),
    metavar="KIND",
    help=f"{in_words(FORMATS, 'or')}. [{next(iter(FORMATS))}]",
)
@shared.keys("--fields", BY_NAME, "FIELD", help="Columns, in this order; list prints all names.")
@shared.more("--csv-raw", is_flag=True, help="Do not put ' before cells like =1+1.")
@shared.output
@choice("readings", ["first", "all"], "all: also print the others, after a tab.", shared.more)
@click.option(
    "-H/-h",
    "--with-filename/--no-filename",
    default=None,
    help="Print the file name before each URL. / Print no file names, even with -c and -C.",
)
@shared.most_used("-n", "--line-number", is_flag=True, help="Print the line number before each URL.")
@shared.more("-b", "--byte-offset", is_flag=True, help="Print the byte offset before each URL.")
@_around("-A", "--after-context", help="Also print N lines after each URL.")
@_around("-B", "--before-context", help="Also print N lines before each URL.")
@_around("-C", "--context", group=shared.MOST_USED, help="Print N lines of context around each URL.")
@shared.most_used("-c", "--count", "counted", is_flag=True, help="Print the number of URLs in each file.")
@shared.keys(
    "--count-by", KEYS, "KEY", group=shared.MOST_USED, help="Count by keys such as host; list prints all keys."
)
@shared.occurrences
@shared.copies
@click.option("-l", "--files-with-urls", is_flag=True, help="Print the names of files that contain URLs.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; stop at the first URL.")
@click.option("--warn", is_flag=True, help="Print security notes to stderr.")
@shared.color
@click.option("-0", "--null", is_flag=True, help="End lines with NUL instead of newline.")
@click.version_option(urlmend.__version__, message=f"urlmend %(version)s ({_BUILD})", help="Print the version.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Print every URL in the files, one a line, mended where line breaks tore it."""
    options = FindOptions(**given)
    if conflict := options.conflict():
        raise click.UsageError(conflict)
    if options.count_by and ctx.get_parameter_source("header_fields") == ParameterSource.DEFAULT:
        options.query = replace(options.query, header_fields=False)
    paths = options.paths or ("-",)
    with Outputs() as outputs:
        out = outputs.use(_standard_output(options))
        writer = writer_for(options, outputs, out)
        inputs = Inputs(
            paths,
            outputs,
            options.query.source_name,
            recursive=options.recursive,
            messages=not options.no_messages,
            verbose=options.verbose,
            wanted=named(options.include, options.exclude, options.output if options.format == "sqlite" else None),
        )
        rejected = _rejected(options, inputs, writer)
        outputs.check(inputs.all_names(), named=bool(options.paths))
        if not options.paths and sys.stdin is not None and sys.stdin.isatty():
            complain("reading standard input; Ctrl-D ends it, and urlmend --help shows the options")
        if not (options.quiet or options.null):
            inputs.show_progress(out if options.output is None else None)
        outputs.callback(inputs.close)
        jobs = _jobs(options, inputs)
        # Other processes may format matches, unless this one needs the matches themselves.
        may_format = jobs > 1 and not (options.ends_early or options.unique or options.has_notes)
        job = Job(
            options.query,
            options.selection,
            Chooser(options),
            writer.lines if may_format else None,
            places=rejected is not None or options.places,
            as_text=options.text,
            row_maker=writer.row_maker,
        )
        reading = FileReader(job, inputs, rejected)
        if jobs > 1:
            files = inputs.found_by(jobs, job, rejected, outputs)
        else:
            files = ((file.name, reading.matches(writer.watched(file))) for file in inputs.members(reading))
        is_new = None
        if options.unique:
            key, seen = _key(options), outputs.enter_context(closing(Tally()))

            def is_new(match: URLMatch) -> bool:
                return seen.add(key(match))

        found = _write_all(files, is_new, writer, inputs, options)
        inputs.bar.hide()
        if options.verbose and options.query.min_confidence:
            complain(left_out(reading.unsure))
        # A run that failed and found nothing does not change an existing output.
        whole = bool(found) or not inputs.failed
        if whole or options.output is None:
            writer.close()
        outputs.finish(empty=whole)
    # As in grep, with -q a URL means success even after an error.
    ctx.exit(ERROR if inputs.failed and not (options.quiet and found) else FOUND if found else NONE)


def _standard_output(options: FindOptions) -> TextIO:
    """Return the standard output; if it is closed and nothing is written to it, a stream that discards everything."""
    names = [name for name in (options.output, options.rejects if options.rejects != "-" else None) if name]
    is_needed = not (options.output or options.quiet) or 1 in map(own_descriptor, names)
    return utf8(sys.stdout if sys.stdout or is_needed else open(os.devnull, "w", encoding="utf-8"))


def _write_all(
    files: Iterator[FileMatches],
    is_new: Callable[[URLMatch], bool] | None,
    writer: Writer,
    inputs: Inputs,
    options: FindOptions,
) -> int:
    """Write the matches of *files*, only what *is_new* if it is given, until there are enough; return their number."""
    bar = inputs.bar
    limit = 1 if options.quiet else options.limit or sys.maxsize
    limit_of_file = 1 if options.files_with_urls else options.max_count or sys.maxsize
    has_notes = options.has_notes
    found = 0
    for name, lists in files:
        before, last = found, min(limit, found + limit_of_file)
        inputs.is_broken = False
        writer.begin_file(name)
        for one in lists:
            if isinstance(one, list):
                # A URL that is not written, by its host or after the last one, is not the first of its kind.
                one[:] = islice(filter(is_new, one), last - found)
            if not one:
                continue
            bar.note_urls(len(one))
            writer.write(one)
            found += len(one)
            for note in _notes(one, options) if has_notes else ():
                bar.hide()
                complain(note)
            if found == last:
                break
        if inputs.is_broken and found == before:
            continue
        bar.note_urls(0)
        writer.end_file(name, found - before)
        if found == limit:
            break
    return found


def _jobs(options: FindOptions, inputs: Inputs) -> int:
    """Return the number of processes that will read the files."""
    in_turn = options.verbose or options.format == "sqlite" or options.around is not None
    if in_turn or options.jobs == 1 or (options.jobs is None and options.ends_early):
        return 1
    return inputs.jobs(options.jobs)


def _notes(found: Matches, options: FindOptions) -> Iterator[str]:
    """Yield the notes on what was *found*, which is a list of matches if there may be any."""
    for match in found if isinstance(found, list) else ():
        place = f"{match.origin.source or STANDARD_INPUT}:{match.line}: {match.url}"
        if options.warn:
            yield from (f"{place}: {warning}" for warning in match.warnings)
        if options.readings == "all" and match.more_readings:
            yield f"{place}: only the first {MAX_READINGS} readings are shown"


def _rejected(options: FindOptions, inputs: Inputs, writer: Writer) -> OnReject:
    """Return the function that writes rejected candidates to a file and, by *writer*, to a database."""
    reject = writer.reject
    if options.rejects is None:
        return reject
    from urlmend.output.tables import JsonlFormat, reject_record  # noqa: PLC0415 -- few ask for it

    to_stderr = options.rejects == "-"
    out = inputs.outputs.use(utf8(sys.stderr)) if to_stderr else inputs.outputs.open(options.rejects)
    row = JsonlFormat(visible=out.isatty()).row

    def write(rejected: Rejected) -> None:
        if to_stderr:
            inputs.bar.hide()
        if reject is not None:
            reject(rejected)
        out.write(row(reject_record(rejected)))

    return write


class Chooser:
    """Chooses the matches that meet the options about URLs. It can be pickled."""

    def __init__(self, options: FindOptions) -> None:
        self._schemes, self._excluded_schemes = (
            {name.lower().rstrip(":/") for name in names} for names in (options.schemes, options.excluded_schemes)
        )
        self._hosts = _hosts_but(options.excluded_hosts, options.hosts)
        self._unwraps = options.query.unwrap and bool(self._hosts or self._schemes or self._excluded_schemes)
        self._no_quoted, self._no_signature = options.no_quoted, options.no_signature
        self._chooses = any(vars(self).values())

    def __call__(self, matches: list[URLMatch]) -> list[URLMatch]:
        """Return the *matches* that meet all options."""
        return [match for match in matches if self._fits(match)] if self._chooses else matches

    def _fits(self, match: URLMatch) -> bool:
        printed: URLMatch | URLFacts = match
        if self._unwraps and match.target:
            from urlmend.facts import facts_of  # noqa: PLC0415 -- printing URLs needs none

            printed = facts_of(match.target)
        return not (
            (self._schemes and printed.scheme not in self._schemes)
            or printed.scheme in self._excluded_schemes
            or (self._hosts and not self._hosts.match(_compared(printed.host)))
            or (self._no_quoted and match.quoted)
            or (self._no_signature and match.origin.signature)
        )


def _key(options: FindOptions) -> Callable[[URLMatch], str]:
    """Return a function whose texts are the same for all matches that -u takes for one."""
    if not options.query.unwrap and not options.normalize:
        return attrgetter("url")
    facts = counted_as(unwrap=options.query.unwrap, normalize=options.normalize)
    return lambda match: facts(match).url


def _hosts_but(excluded: Collection[str], wanted: Collection[str]) -> re.Pattern[str] | None:
    """Return the pattern of the *wanted* hosts, or all, without those *excluded*; `None` if every host fits."""
    # A URL without a host matches no glob.
    never, either = (
        "|".join(f"(?=.){translate(form)}" for glob in globs for form in _forms(glob)) for globs in (excluded, wanted)
    )
    return re.compile(f"(?!{never})(?:{either})" if never else either) if never or either else None


def _forms(glob: str) -> set[str]:
    """Return *glob* in the form to compare, and with its labels as Unicode and as `xn--` (RFC 5890)."""
    name = _compared(glob)
    forms = {name}
    if name.isascii() and "xn--" not in name:
        return forms
    import idna  # noqa: PLC0415 -- its tables are large, and few hosts need them

    for convert in (lambda label: idna.alabel(label).decode(), idna.ulabel):
        labels = name.split(".")
        for at, label in enumerate(labels):
            with suppress(idna.IDNAError):  # an asterisk
                labels[at] = convert(label)
        forms.add(".".join(labels))
    return forms


def _compared(host: str | None) -> str:
    """Return *host* in the form to compare, an IPv6 address without its brackets: a glob would read them as a set."""
    name = host_of(host)
    return name.strip("[]") if ":" in name else name
