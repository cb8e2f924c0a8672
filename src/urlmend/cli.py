"""The command `urlmend`: arguments and nothing else."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import IO, Protocol, TextIO

import click

from urlmend.extract import JOINS, Join, Rejected, URLMatch, iter_urls
from urlmend.parser import parse_or_none
from urlmend.profiles import PROFILES
from urlmend.writers import Writer
from urlmend.writers.jsonl import JsonlWriter, reject_line
from urlmend.writers.streams import abandon_standard_output, standard_output
from urlmend.writers.text import STANDARD_INPUT, CountWriter, TextWriter

FOUND, NONE, ERROR = 0, 1, 2
"""The exit statuses, as grep has them."""

_INTERRUPTED, _PIPE_CLOSED = 130, 141
"""What a shell reports for a process ended by SIGINT and by SIGPIPE."""


class _Group(click.Group):
    """The commands; `find` is the one that is meant when the first word names none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = ["find", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            abandon_standard_output()
            ctx.exit(_INTERRUPTED)
        except BrokenPipeError:
            abandon_standard_output()
            ctx.exit(_PIPE_CLOSED)


class _Find(click.Command):
    """The default command: its usage is the program's."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- click's signature
        formatter.write_usage("urlmend", "[find] [OPTIONS] [PATH]...")
        formatter.write_usage("urlmend", "explain [--profile web|rfc1738] URL", prefix="       ")


class _Failure(click.ClickException):
    """What cannot be done: told as `urlmend: NAME: reason`."""

    exit_code = ERROR

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(f"{name}: {error.strerror or error}")

    def show(self, file: IO[str] | None = None) -> None:
        click.echo(f"urlmend: {self.message}", file=file or sys.stderr)


_profile = click.option(
    "--profile", type=click.Choice(list(PROFILES)), default="web", help="Grammar that judges a URL. [web]"
)


@click.group(cls=_Group)
def main() -> None:
    """Find every URL in free text, and mend the ones that line breaks tore apart."""


_EPILOG = """
\b
Exit status: 0 URLs were found, 1 none, 2 something could not be read or written.
A first word that is a command is not a file: write ./explain for that one.
\b
Examples:
  urlmend -rn mail/                     URLs of a folder, with their lines
  zcat list.mbox.gz | urlmend | sort -u URLs of a compressed archive
  urlmend --format jsonl -r docs/       where each stands, and how it was mended
  urlmend explain 'http://a.example/~j' its parts, or what is wrong with it
"""


@main.command(cls=_Find, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=str))
@click.option("--format", "format_", type=click.Choice(["text", "jsonl"]), default="text", help="Output. [text]")
@_profile
@click.option(
    "--join",
    type=click.Choice(JOINS),
    default="evident",
    help="Line breaks to mend: inside <...> only, bare ones too where the text shows it, or none. [evident]",
)
@click.option(
    "--readings",
    type=click.Choice(["first", "all"]),
    default="first",
    help="'all' adds the other ways to mend a URL, each on a line after a tab. [first]",
)
@click.option("--rejects", metavar="FILE", help="Write what was no URL to FILE as JSON Lines; - is standard error.")
@click.option("-r", "--recursive", is_flag=True, help="Read all files below each directory.")
@click.option("-n", "--line-number", is_flag=True, help="Print the line before each URL.")
@click.option("-b", "--byte-offset", is_flag=True, help="Print the byte offset, from 0, before each URL.")
@click.option("-H", "--with-filename", is_flag=True, help="Print the file name before each URL or count.")
@click.option("-c", "--count", is_flag=True, help="Print the number of URLs of each file instead.")
@click.option("-0", "--null", is_flag=True, help="End each line with a NUL instead of a newline.")
@click.version_option(None, "--version", package_name="urlmend", prog_name="urlmend", message="%(prog)s %(version)s")
@click.pass_context
def find(  # noqa: PLR0913 -- one argument an option
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    format_: str,
    profile: str,
    join: Join,
    readings: str,
    rejects: str | None,
    recursive: bool,
    line_number: bool,
    byte_offset: bool,
    with_filename: bool,
    count: bool,
    null: bool,
) -> None:
    """Print every URL in the files, or in standard input, one a line and mended."""
    shaped = line_number or byte_offset or with_filename or count or null or readings == "all"
    if format_ != "text" and shaped:
        message = "--readings all and -n, -b, -H, -c, -0 are for --format text; a record has it all."
        raise click.UsageError(message, ctx)
    several = len(paths) > 1 or recursive
    end = "\0" if null else "\n"
    with ExitStack() as stack:
        out = _writing(STANDARD_OUTPUT, standard_output)
        writer: Writer
        if format_ == "jsonl":
            writer = JsonlWriter(out)
        elif count:
            writer = CountWriter(out, file_name=with_filename or several, end=end)
        else:
            writer = TextWriter(
                out,
                file_name=with_filename,
                line=line_number,
                offset=byte_offset,
                readings=readings == "all",
                end=end,
            )

    ...
