"""The command `urlmend`: arguments and nothing else."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO, TypeVar

import click

from urlmend.extract import Join, iter_urls
from urlmend.inputs import Inputs, UnreadableError, complain, reason
from urlmend.parser import parse_or_none
from urlmend.profiles import PROFILES
from urlmend.sources import SOURCES, SourceError
from urlmend.sources.compression import decompressed
from urlmend.writers.context import ContextWriter
from urlmend.writers.jsonl import JsonlWriter, RejectWriter
from urlmend.writers.streams import abandon_standard_output, standard_error, standard_output, utf8
from urlmend.writers.text import STANDARD_INPUT, CountWriter, TextWriter

if TYPE_CHECKING:
    from urlmend.matches import URLMatch
    from urlmend.writers import Writer

FOUND, NONE, ERROR = 0, 1, 2
"""The exit statuses, as in grep."""

INTERRUPTED, PIPE_CLOSED = 130, 141
"""The exit statuses that a shell gives to a program ended by SIGINT and by SIGPIPE."""

_Function = TypeVar("_Function", bound=Callable[..., object])


class _Failure(click.ClickException):
    """What ends the run: told as `urlmend: NAME: reason`."""

    exit_code = ERROR

    def __init__(self, error: OSError, name: str = "write error") -> None:
        super().__init__(f"{name}: {reason(error)}")

    def show(self, file: IO[str] | None = None) -> None:  # noqa: ARG002 -- click calls it
        complain(self.message)


class _Commands(click.Group):
    """The commands; `find` is meant where the first word names none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = ["find", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except OSError as error:
            # What reading raises ends at its file (`UnreadableError`): this is of output.
            abandon_standard_output()
            if isinstance(error, BrokenPipeError):
                ctx.exit(PIPE_CLOSED)
            raise _Failure(error) from error


class _Find(click.Command):
    """The default command: its help is the program's."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- click calls it
        formatter.write_usage("urlmend", "[find] [OPTIONS] [PATH]...")
        formatter.write_usage("urlmend", f"explain [--profile {'|'.join(PROFILES)}] URL", prefix="       ")


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 -- click calls it
    if value:
        from importlib import metadata  # noqa: PLC0415 -- slow to import

        try:
            click.echo(f"urlmend {metadata.version('urlmend')}")
        except metadata.PackageNotFoundError:
            click.echo("urlmend (not installed)")
        ctx.exit()


def _choice(name: str, choices: Collection[str], text: str) -> Callable[[_Function], _Function]:
    """Make the option `--name` with some *choices*, of which the first is the default."""
    first = next(iter(choices))
    kind = click.Choice(list(choices))
    return click.option(f"--{name}", type=kind, default=first, metavar="|".join(choices), help=f"{text} [{first}]")


_profile = _choice("profile", PROFILES, "Grammar to judge by.")

_SOURCES = f"{', '.join(name for name in SOURCES if name != 'auto')}."

_EPILOG = """\
\b
Without PATH, or where it is -, standard input is read. Exit status: 0 if URLs
were found, 1 if none, 2 if anything could not be read or written. A first
word that names a command is no file: write ./explain or find explain.
\b
Examples:
  urlmend -r -n -H archive/               every URL in a folder, and its line
  urlmend list.mbox.gz | sort -u          the URLs of an archive of mail
  urlmend --format jsonl report.txt       their place, readings, departures
  urlmend explain 'http://a.example/~x'   the parts of a URL, or its fault
  urlmend harvest archive/ -o links.db    a database of an archive's URLs
"""


@click.group("urlmend", cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Find every URL in free text, and mend the ones that line breaks tore apart."""


@main.command(cls=_Find, epilog=_EPILOG)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@_choice("format", ["text", "jsonl", "csv", "tsv", "parquet"], "One URL a line, or one record.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, not to standard output.")
@click.option("--source", type=click.Choice(list(SOURCES)), default="auto", metavar="KIND", help="auto, " + _SOURCES)
@_profile
@_choice("join", ["evident", "wrapped", "none"], "Mend bare URLs too, <...>, nothing.")
@_choice("readings", ["first", "all"], "all: others too, after a tab.")
@click.option("--rejects", metavar="FILE", help="Write what is no URL as JSON; -: stderr.")
@click.option("-r", "--recursive", is_flag=True, help="Read the files below directories.")
@click.option("-H", "--with-filename", is_flag=True, help="Print the file's name before each URL.")
@click.option("-n", "--line-number", is_flag=True, help="Print the line, from 1, before each URL.")
@click.option("-b", "--byte-offset", is_flag=True, help="Print the offset in bytes, from 0.")
@click.option("-c", "--count", is_flag=True, help="Print the number of URLs of each file.")
@click.option("--no-quoted", is_flag=True, help="Leave out URLs in quoted lines (> ...).")
@click.option("--no-signature", is_flag=True, help="Leave out URLs in signatures (below '-- ').")
@click.option("-C", "--context", type=click.IntRange(0), metavar="N", help="Print N lines of text around each URL.")
@click.option("--warn", is_flag=True, help="Tell security notes on stderr.")
@click.option("-0", "--null", is_flag=True, help="End output lines with NUL.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
@click.pass_context
def find(  # noqa: PLR0913 -- one argument an option
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    format: str,  # noqa: A002 -- the option's name
    output: str | None,
    source: str,
    profile: str,
    join: Join,
    readings: str,
    rejects: str | None,
    recursive: bool,
    with_filename: bool,
    line_number: bool,
    byte_offset: bool,
    count: bool,
    no_quoted: bool,
    no_signature: bool,
    context: int | None,
    warn: bool,
    null: bool,
) -> None:
    """Print every URL in the files, one a line, mended where line breaks tore it."""
    _check_together(
        lines_of_text=format == "text",
        shaped=with_filename or line_number or byte_offset or count or null,
        context=context is not None,
        context_not=count or null,
    )
    out = _destination(ctx, format, output)
    end = "\0" if null else "\n"
    if format != "text":
        writer = _record_writer(format, out)
    elif context is not None:
        writer = ContextWriter(out, context)
    elif count:
        writer = CountWriter(out, file_name=with_filename or recursive or len(paths) > 1, end=end)
    else:
        writer = TextWriter(
            out, file_name=with_filename, line=line_number, offset=byte_offset, readings=readings == "all", end=end
        )
    found = 0
    with ExitStack() as stack:
        rejects_out = None if rejects is None else _rejects_out(rejects, stack)
        rejected = None if rejects_out is None else RejectWriter(rejects_out).write
        inputs = Inputs(out, rejects_out, recursive=recursive)
        for file in inputs.files(paths or ("-",)):
            before = found
            try:
                # What context is taken from is what the file holds, not what it is compressed to.
                text = writer.begin_file(decompressed(file)) if isinstance(writer, ContextWriter) else file
                matches = iter_urls(text, source=source, profile=PROFILES[profile], join=join, rejected=rejected)
                for match in _wanted(matches, quoted=not no_quoted, signature=not no_signature):
                    found += 1
                    writer.write(match)
                    if warn:
                        _warn(match)
            except (UnreadableError, SourceError) as error:
                inputs.fail(file.name, str(error))
                if found == before:
                    continue
            writer.end_file(file.name)
        writer.close()
    ctx.exit(ERROR if inputs.failed else FOUND if found else NONE)


def _check_together(*, lines_of_text: bool, shaped: bool, context: bool, context_not: bool) -> None:
    if not lines_of_text and (shaped or context):
        message = "-H, -n, -b, -c, -C and -0 shape lines of text; a record has all of it."
        raise click.UsageError(message)
    if context and context_not:
        message = "-C prints text; it goes with neither -c nor -0."
        raise click.UsageError(message)


def _destination(ctx: click.Context, format: str, output: str | None) -> TextIO:  # noqa: A002 -- the option's name
    """Return the file to write to: nothing is made of it where the format cannot be written."""
    if format == "parquet":
        if output is None:
            message = "--format parquet is not for people: it needs -o FILE."
            raise click.UsageError(message)
        try:
            import_module("urlmend.writers.parquet")
        except ModuleNotFoundError as error:
            message = f"--format parquet needs {error.name}: pip install 'urlmend[parquet]'."
            raise click.UsageError(message) from error
    return standard_output() if output is None else ctx.with_resource(_written(output))


def _record_writer(format: str, out: TextIO) -> "Writer":  # noqa: A002 -- the option's name
    if format == "jsonl":
        return JsonlWriter(out)
    if format == "parquet":
        from urlmend.writers.parquet import ParquetWriter  # noqa: PLC0415 -- an extra

        return ParquetWriter(out.buffer)
    from urlmend.writers.csv import CsvWriter  # noqa: PLC0415 -- few ask for it

    return CsvWriter(out, tabs=format == "tsv")


def _wanted(matches: Iterable["URLMatch"], *, quoted: bool, signature: bool) -> Iterator["URLMatch"]:
    for match in matches:
        if (quoted or not match.quoted) and (signature or not match.origin.signature):
            yield match


def _warn(match: "URLMatch") -> None:
    for warning in match.warnings:
        complain(f"{match.origin.source or STANDARD_INPUT}:{match.line}: {match.url}: {warning}")


def _rejects_out(name: str, stack: ExitStack) -> TextIO:
    return standard_error() if name == "-" else stack.enter_context(_written(name))


def _written(name: str) -> TextIO:
    try:
        return utf8(Path(name).open("w", encoding="utf-8"))
    except OSError as error:
        raise _Failure(error, name) from error


@main.command(name="explain")
@_profile
@click.argument("url")
@click.pass_context
def explain_(ctx: click.Context, *, profile: str, url: str) -> None:
    """Show how URL parses: its parts, what they mean, and by what it departs from RFC 1738; or its first fault.

    Exit status: 0 for a URL, 1 for what is none.
    """
    from urlmend.explain import explain  # noqa: PLC0415 -- reads source code; nothing else needs it

    text = os.fsencode(url).decode(errors="surrogateescape")  # UTF-8, whatever the locale says
    out = standard_output()
    out.write(explain(text, PROFILES[profile]) + "\n")
    out.flush()
    ctx.exit(NONE if parse_or_none(text, PROFILES[profile]) is None else FOUND)


@main.command(name="harvest")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", required=True, help="The SQLite database to make or bring up to date.")
@click.option("-q", "--quiet", is_flag=True, help="Tell errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Tell each file that is new, has changed or is gone.")
@click.pass_context
def harvest_(ctx: click.Context, *, paths: tuple[str, ...], output: str, quiet: bool, verbose: bool) -> None:
    """Keep the URLs of the files at and below PATH in a database, to be asked with SQL.

    Run again, it reads what is new or has changed, of a mailbox that has grown only the new messages. It may be killed
    at any time: the next run goes on. Exit status: 0, or 2 if anything could not be read or written.
    """
    from urlmend.harvest import harvest, summary  # noqa: PLC0415 -- a database engine; nothing else needs it
    from urlmend.writers.sqlite import DatabaseError  # noqa: PLC0415 -- as above

    def failed(name: str, why: str) -> None:
        complain(f"{name}: {why}")

    def told(name: str, what: str) -> None:
        if verbose:
            complain(f"{name}: {what}")

    try:
        tally = harvest(paths, output, failed, told)
    except DatabaseError as error:
        raise _Failure(error, output) from error
    if not quiet:
        complain(f"{summary(tally)}, in {output}")
    ctx.exit(ERROR if tally["failed"] else FOUND)
