"""The command `urlmend`: arguments and nothing else."""

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO, TypeVar, cast

import click

from urlmend.extract import Join, iter_urls
from urlmend.parser import parse_or_none
from urlmend.profiles import PROFILES
from urlmend.writers.context import ContextWriter
from urlmend.writers.jsonl import JsonlWriter, RejectWriter
from urlmend.writers.streams import abandon_standard_output, standard_error, standard_output
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
        super().__init__(f"{name}: {_reason(error)}")

    def show(self, file: IO[str] | None = None) -> None:  # noqa: ARG002 -- click calls it
        _complain(self.message)


def _complain(message: str) -> None:
    click.echo(f"urlmend: {message}", err=True)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


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
            # What reading raises ends at its file (`_UnreadableError`): this is of output.
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

_EPILOG = """\
\b
Without PATH, or where it is -, standard input is read. Exit status: 0 if URLs
were found, 1 if none, 2 if anything could not be read or written. A first
word that names a command is no file: write ./explain or find explain.
\b
Examples:
  urlmend -r -n -H archive/               every URL in a folder, and its line
  zcat list.mbox.gz | urlmend | sort -u   the URLs of a compressed file
  urlmend --format jsonl report.txt       their place, readings, departures
  urlmend explain 'http://a.example/~x'   the parts of a URL, or its fault
"""


@click.group("urlmend", cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Find every URL in free text, and mend the ones that line breaks tore apart."""


@main.command(cls=_Find, epilog=_EPILOG)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@_choice("format", ["text", "jsonl"], "One URL a line, or one JSON object.")
@_profile
@_choice("join", ["evident", "wrapped", "none"], "What to mend: bare URLs too, <...> only, nothing.")
@_choice("readings", ["first", "all"], "all: others follow each URL, after a tab.")
@click.option("--rejects", metavar="FILE", help="Write what is no URL, as JSON Lines; -: stderr.")
@click.option("-r", "--recursive", is_flag=True, help="Read the files below directories, in order of name.")
@click.option("-H", "--with-filename", is_flag=True, help="Print the file's name before each URL or count.")
@click.option("-n", "--line-number", is_flag=True, help="Print the line, from 1, before each URL.")
@click.option("-b", "--byte-offset", is_flag=True, help="Print the offset in bytes, from 0, before each URL.")
@click.option("-c", "--count", is_flag=True, help="Print the number of URLs of each file instead.")
@click.option("-C", "--context", type=click.IntRange(0), metavar="N", help="Print N lines of text around each URL.")
@click.option("--warn", is_flag=True, help="Tell the security notes on each URL, on stderr.")
@click.option("-0", "--null", is_flag=True, help="End output lines with NUL instead of newline.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
@click.pass_context
def find(  # noqa: PLR0913 -- one argument an option
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    format: str,  # noqa: A002 -- the option's name
    profile: str,
    join: Join,
    readings: str,
    rejects: str | None,
    recursive: bool,
    with_filename: bool,
    line_number: bool,
    byte_offset: bool,
    count: bool,
    context: int | None,
    warn: bool,
    null: bool,
) -> None:
    """Print every URL in the files, one a line, mended where line breaks tore it."""
    shaped = with_filename or line_number or byte_offset or count or null
    if format != "text" and (shaped or context is not None):
        message = "-H, -n, -b, -c, -C and -0 shape lines of text; a JSON record has all of it."
        raise click.UsageError(message, ctx)
    if context is not None and (count or null):
        message = "-C prints text; it goes with neither -c nor -0."
        raise click.UsageError(message, ctx)
    out = standard_output()
    end = "\0" if null else "\n"
    writer: Writer
    if format == "jsonl":
        writer = JsonlWriter(out)
    elif context is not None:
        writer = ContextWriter(out, context)
    elif count:
        writer = CountWriter(out, file_name=with_filename or recursive or len(paths) > 1, end=end)
    else:
        writer = TextWriter(
            out, file_name=with_filename, line=line_number, offset=byte_offset, readings=readings == "all", end=end
        )
    found = False
    with ExitStack() as stack:
        rejects_out = None if rejects is None else _rejects_out(rejects, stack)
        rejected = None if rejects_out is None else RejectWriter(rejects_out).write
        inputs = _Inputs(out, rejects_out, recursive=recursive)
        for file in inputs.files(paths or ("-",)):
            try:
                text = writer.begin_file(file) if isinstance(writer, ContextWriter) else file
                for match in iter_urls(text, profile=PROFILES[profile], join=join, rejected=rejected):
                    found = True
                    writer.write(match)
                    if warn:
                        _warn(match)
                writer.end_file(file.name)
            except _UnreadableError as error:
                inputs.fail(file.name, str(error))
        writer.close()
    ctx.exit(ERROR if inputs.failed else FOUND if found else NONE)


def _warn(match: "URLMatch") -> None:
    for warning in match.warnings:
        _complain(f"{match.origin.source or STANDARD_INPUT}:{match.line}: {match.url}: {warning}")


def _rejects_out(name: str, stack: ExitStack) -> TextIO:
    if name == "-":
        return standard_error()
    try:
        return stack.enter_context(Path(name).open("w", encoding="utf-8", newline="\n"))
    except OSError as error:
        raise _Failure(error, name) from error


class _UnreadableError(Exception):
    """Reading failed, for this reason."""


class _Input:
    """A file as `iter_urls` takes it. `name` is `None` for standard input."""

    def __init__(self, file: io.BufferedReader, name: str | None) -> None:
        self._file = file
        self.name = name

    def read(self, size: int, /) -> bytes:
        """Return what there is, without waiting for more of it; at most *size* bytes, none at the end."""
        try:
            return self._file.read1(size)
        except OSError as error:
            raise _UnreadableError(_reason(error)) from error


class _Inputs:
    """The files to read. One that cannot be read is told on standard error and sets `failed`; the others are read."""

    def __init__(self, *outputs: TextIO | None, recursive: bool) -> None:
        self.failed = False
        self._recursive = recursive
        self._outputs = {_identity(file) for file in outputs if file is not None} - {None}

    def fail(self, name: str | None, reason: str) -> None:
        """Tell that the file called *name* cannot be read."""
        self.failed = True
        _complain(f"{STANDARD_INPUT if name is None else name}: {reason}")

    def files(self, paths: tuple[str, ...]) -> Iterator[_Input]:
        """Yield the files at *paths* in order, each open until the next is asked for."""
        for path in paths:
            if path == "-":
                yield from self._opened(None)
            elif not Path(path).is_dir():
                yield from self._opened(path)
            elif self._recursive:
                for below in self._below(path):
                    yield from self._opened(below)
            else:
                self.fail(path, "is a directory (use -r)")

    def _opened(self, name: str | None) -> Iterator[_Input]:
        try:
            with _open(name) as file:
                if _identity(file) in self._outputs:
                    self.fail(name, "is also an output file")
                else:
                    yield _Input(file, name)
        except OSError as error:
            self.fail(name, _reason(error))

    def _below(self, directory: str) -> Iterator[str]:
        """Yield the files below *directory*: sorted by name, in depth."""
        waiting = [(directory, True)]
        while waiting:
            path, is_directory = waiting.pop()
            if not is_directory:
                yield path
                continue
            try:
                with os.scandir(path) as entries:
                    ordered = sorted(entries, key=lambda entry: entry.name, reverse=True)
                # A link to a directory is neither: it may lead back up. Nor is a device or a pipe.
                waiting += [(e.path, d) for e in ordered if (d := e.is_dir(follow_symlinks=False)) or e.is_file()]
            except OSError as error:
                self.fail(path, _reason(error))


def _open(name: str | None) -> AbstractContextManager[io.BufferedReader]:
    if name is not None:
        return Path(name).open("rb")
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return nullcontext(cast("io.BufferedReader", sys.stdin.buffer))


def _identity(file: IO[str] | io.BufferedReader) -> tuple[int, int] | None:
    """Return what tells a regular file from all others; `None` for what is none."""
    try:
        status = os.fstat(file.fileno())
    except io.UnsupportedOperation:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


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
