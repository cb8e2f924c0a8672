"""`urlmend find`, the default: every URL in files."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from urlmend.cli import options
from urlmend.cli.command import ERROR, FOUND, NONE, Failure, Find, choice, print_version
from urlmend.cli.inputs import Inputs, UnreadableError, complain, named, reason
from urlmend.cli.pipeline import Asked, in_turn, singly, with_jobs
from urlmend.cli.selection import Selection
from urlmend.grammar.profiles import PROFILES
from urlmend.match import MAX_READINGS
from urlmend.output import ReadingWriter
from urlmend.output.choice import FORMATS, check_together, check_writable, own_files, special_writer
from urlmend.output.colours import colours
from urlmend.output.formats.count import KEYS
from urlmend.output.formats.text import STANDARD_INPUT, TextWriter
from urlmend.output.streams import standard_error, standard_output, utf8
from urlmend.parallel import count_jobs
from urlmend.resolver import Join
from urlmend.sources import SourceError

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch
    from urlmend.output import Writer


def _count_jobs(_ctx: click.Context, _parameter: click.Parameter, value: str) -> int:
    try:
        return count_jobs(0 if value == "auto" else int(value))
    except ValueError:
        message = f"{value!r} is neither a number of processes nor auto."
        raise click.BadParameter(message) from None


_EPILOG = """\
\b
Without PATH, or for -, standard input is read. Exit status: 0 URLs, 1 none,
2 errors. A first word that names a command is no file: write ./explain.
\b
Examples:
  urlmend -r -n -H archive/               every URL in a folder, and its line
  urlmend --count-by host list.mbox.gz    its hosts, the most linked first
  urlmend harvest archive/ -o links.db    a database of an archive's URLs
"""


@click.command("find", cls=Find, epilog=_EPILOG)
@options.paths
@options.source
@options.profile
@options.join
@options.reading("-r", "--recursive", is_flag=True, help="Read the files below directories.")
@options.reading("--include", metavar="GLOB", multiple=True, help="With -r, by their names: only, all but these.")
@options.reading("--exclude", metavar="GLOB", multiple=True, help="With -r, by their names: only, all but these.")
@options.reading("-j", "--jobs", callback=_count_jobs, default="1", metavar="N", help="N processes; auto: one a CPU.")
@options.reading("-v", "--verbose", is_flag=True, help="Tell on stderr what each file is read as.")
@options.choosing("--scheme", "schemes", metavar="NAME", multiple=True, help="Only such URLs (host *.a.example).")
@options.choosing("--host", "hosts", metavar="GLOB", multiple=True, help="Only such URLs (host *.a.example).")
@options.choosing("--no-quoted", is_flag=True, help="Not in quoted lines (> ...), signatures.")
@options.choosing("--no-signature", is_flag=True, help="Not in quoted lines (> ...), signatures.")
@options.choosing("-u", "--unique", is_flag=True, help="Each URL once, where it comes first.")
@options.choosing("--limit", metavar="N", type=click.IntRange(1), help="End after N URLs.")
@options.choosing("--rejects", metavar="FILE", help="Write what is no URL as JSON; -: stderr.")
@click.option("--format", type=click.Choice(FORMATS), default="text", metavar="KIND", help=f"{', '.join(FORMATS)}.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, not to standard output.")
@choice("readings", ["first", "all"], "all: others too, after a tab.")
@click.option(
    "-H/-h",
    "--with-filename/--no-filename",
    default=None,
    help="Print the file's name before each URL. / Print no names of files, with -c and -C too.",
)
@click.option("-n", "--line-number", is_flag=True, help="Print the line, from 1, before each URL.")
@click.option("-b", "--byte-offset", is_flag=True, help="Print the offset in bytes, from 0.")
@click.option("-C", "--context", type=click.IntRange(0), metavar="N", help="Print N lines of text around each URL.")
@click.option("-c", "--count", is_flag=True, help="Print the number of URLs of each file.")
@click.option("--count-by", type=click.Choice(list(KEYS)), metavar="KEY", help=f"Count by {', '.join(KEYS)}.")
@click.option("-l", "--files-with-urls", is_flag=True, help="Print the names of files that have URLs.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; end at the first URL.")
@click.option("--warn", is_flag=True, help="Tell security notes on stderr.")
@options.color
@click.option("-0", "--null", is_flag=True, help="End output lines with NUL.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version, help="Print the version."
)
@click.pass_context
def find(  # noqa: PLR0913 -- one argument an option
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    source: str,
    profile: str,
    join: Join,
    recursive: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    jobs: int,
    verbose: bool,
    schemes: tuple[str, ...],
    hosts: tuple[str, ...],
    no_quoted: bool,
    no_signature: bool,
    unique: bool,
    limit: int | None,
    rejects: str | None,
    format: str,  # noqa: A002 -- the option's name
    output: str | None,
    readings: str,
    with_filename: bool | None,
    line_number: bool,
    byte_offset: bool,
    context: int | None,
    count: bool,
    count_by: str | None,
    files_with_urls: bool,
    quiet: bool,
    warn: bool,
    color: str,
    null: bool,
) -> None:
    """Print every URL in the files, one a line, mended where line breaks tore it."""
    check_together(
        text=format == "text",
        shaped=with_filename is not None or line_number or byte_offset or null,
        kinds=(context is not None, count, count_by is not None, files_with_urls),
        context_null=context is not None and null,
        names=not recursive and bool(include or exclude),
    )
    check_writable(format, output)
    out = standard_output() if output is None else ctx.with_resource(_written(output))
    end = "\0" if null else "\n"
    shade = colours(color, out)
    if quiet:
        limit = 1
    writer = special_writer(
        out,
        format=format,
        context=context,
        count=count,
        count_by=count_by,
        files_with_urls=files_with_urls,
        file_name=with_filename,
        several=recursive or len(paths) > 1,
        end=end,
        shade=shade,
        quiet=quiet,
        made_with={"source": source, "profile": profile, "join": join},
    ) or TextWriter(
        out,
        file_name=bool(with_filename),
        line=line_number,
        offset=byte_offset,
        readings=readings == "all",
        end=end,
        colours=shade,
    )
    selection = Selection(schemes=schemes, hosts=hosts, quoted=not no_quoted, signature=not no_signature, unique=unique)
    ctx.call_on_close(selection.close)
    found = 0
    with ExitStack() as stack:
        rejects_out = None if rejects is None else _rejects_out(rejects, stack)
        inputs = Inputs(
            out, rejects_out, recursive=recursive, wanted=named(include, exclude, own_files(format, output))
        )
        if not (quiet or null):
            inputs.show_progress(paths or ("-",), out)
        bar = inputs.bar
        ctx.call_on_close(bar.hide)
        rejected = _reject_writer(rejects_out, bar.hide if rejects == "-" else None)
        asked: Asked = {"source": source, "profile": PROFILES[profile], "join": join, "rejected": rejected}
        urls_only = format == "text" and not (
            line_number or byte_offset or count_by or warn or no_quoted or no_signature
        )
        files = (
            in_turn(inputs, paths or ("-",), asked, writer, verbose=verbose, urls_only=urls_only)
            if jobs == 1 or verbose or isinstance(writer, ReadingWriter)
            else with_jobs(jobs, stack, inputs, paths or ("-",), asked, urls_only=urls_only)
        )
        # A note follows its URL.
        one_by_one = files_with_urls or warn or readings == "all"
        for name, lists in files:
            before = found
            try:
                for matches in selection.wanted(singly(lists) if one_by_one else lists):
                    wanted = matches[: limit and limit - found]
                    found += len(wanted)
                    bar.note_urls(len(wanted))
                    _write(writer, wanted)
                    for note in _notes(wanted, warn=warn, readings=readings):
                        bar.hide()
                        complain(note)
                    bar.come_back()
                    if found == limit or files_with_urls:
                        break
            except (UnreadableError, SourceError) as error:
                inputs.fail(name, reason(error))
                if found == before:
                    continue
            bar.make_way()
            writer.end_file(name)
            if found == limit:
                break
        bar.hide()
        writer.close()
    # As in grep, a URL is what -q asks for, whatever else went wrong.
    ctx.exit(ERROR if inputs.failed and not (quiet and found) else FOUND if found else NONE)


def _write(writer: "Writer", matches: "list[URLMatch]") -> None:
    if isinstance(writer, TextWriter):
        writer.write_all(matches)
        return
    for match in matches:
        writer.write(match)


def _notes(matches: "list[URLMatch]", *, warn: bool, readings: str) -> Iterator[str]:
    if warn:
        yield from (_note(match, str(warning)) for match in matches for warning in match.warnings)
    if readings == "all":
        note = f"these are not all readings, but the first {MAX_READINGS}"
        yield from (_note(match, note) for match in matches if match.more_readings)


def _note(match: "URLMatch", note: str) -> str:
    return f"{match.origin.source or STANDARD_INPUT}:{match.line}: {match.url}: {note}"


def _reject_writer(out: TextIO | None, first: Callable[[], object] | None) -> "Callable[[Rejected], object] | None":
    if out is None:
        return None
    from urlmend.output.formats.jsonl import RejectWriter  # noqa: PLC0415 -- few ask for it

    return RejectWriter(out, first).write


def _rejects_out(name: str, stack: ExitStack) -> TextIO:
    return standard_error() if name == "-" else stack.enter_context(_written(name))


def _written(name: str) -> TextIO:
    try:
        return utf8(Path(name).open("w", encoding="utf-8"))
    except OSError as error:
        raise Failure(error, name) from error
