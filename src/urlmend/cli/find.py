"""`urlmend find`, the default: every URL in files."""

import os
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import replace
from fnmatch import translate
from functools import partial
from importlib.machinery import EXTENSION_SUFFIXES
from operator import attrgetter
from typing import Any, TextIO

import click
from click.core import ParameterSource

import urlmend
import urlmend.resolver
from urlmend.cli import options as shared
from urlmend.cli.command import ERROR, FOUND, NONE, Choice, Find, choice, complain, left_out
from urlmend.cli.inputs import Inputs, named
from urlmend.cli.outputs import Outputs
from urlmend.cli.writers import FORMATS, FindOptions, in_words, writer_for
from urlmend.grammar.parser import parse_or_none
from urlmend.match import MAX_READINGS, Rejected, URLMatch
from urlmend.output import Writer
from urlmend.output.counts import KEYS, Tally, counted_as
from urlmend.output.files import STANDARD_INPUT, utf8
from urlmend.reading import FileMatches, FileReader, Job, Matches, OnReject
from urlmend.record import BY_NAME
from urlmend.sources.directories import own_descriptor
from urlmend.text.suffixes import host_of


def _split_at_commas(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for value in values for name in value.split(",") if name)


def _hosts(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    globs = _split_at_commas(ctx, parameter, values)
    for glob in globs:
        if (url := parse_or_none(glob)) and url.host:
            raise click.BadParameter(f"{glob} is a URL: give its host, {url.host}")
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
@shared.most_used("-u", "--unique", is_flag=True, help="Print each URL only at its first occurrence.")
@shared.choosing("--normalize", is_flag=True, help="With -u, --count-by: equivalent URLs are one.")
@shared.choosing("-m", "--max-count", metavar="N", type=click.IntRange(1), help="Stop each file after N URLs.")
@shared.choosing("--limit", metavar="N", type=click.IntRange(1), help="Stop after N URLs in all files.")
@shared.more("--rejects", metavar="FILE", help="Write rejected candidates as JSON; -: stderr.")
@shared.most_used(
    "--format",
    type=Choice(FORMATS),
    default=next(iter(FORMATS)),
    metavar="KIND",
    help=f"{in_words(FORMATS, 'or')}. [{next(iter(FORMATS))}]",
)
@shared.keys("--fields", BY_NAME, "FIELD", help="The columns, in this order; list prints all.")
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
@_around("-A", "--after-context", help="Print N lines after each URL too.")
@_around("-B", "--before-context", help="Print N lines before each URL too.")
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
    options.check()
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
            wanted=named(options.include, options.exclude, options.own_files()),
        )
        rejected = _rejected(options, inputs, writer)
        outputs.check(inputs.all_names())
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
            counts_unsure=options.verbose,
            places=rejected is not None or options.places,
            with_lines=options.format == "sqlite",
            as_text=options.text,
        )
        reading = FileReader(job, inputs, rejected)
        if jobs > 1:
            files = inputs.found_by(jobs, job, rejected, outputs)
        else:
            files = ((file.name, reading.matches(writer.watched(file))) for file in inputs.members(reading))
        if options.unique:
            # A URL that is not chosen is not the first of its kind.
            seen = outputs.enter_context(closing(Tally()))
            new = partial(_new, seen, _key(options))
            files = ((name, filter(None, map(new, lists))) for name, lists in files)
        found = _write_all(files, writer, inputs, options)
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


def _write_all(files: Iterator[FileMatches], writer: Writer, inputs: Inputs, options: FindOptions) -> int:
    """Write the matches of *files* until there are enough URLs, and return their number."""
    bar = inputs.bar
    limit = 1 if options.quiet else options.limit
    limit_of_file = 1 if options.files_with_urls else options.max_count
    found = 0
    for name, lists in files:
        before = found
        inputs.is_broken = False
        writer.begin_file(name)
        for one in lists:
            left = [last - found for last in (limit, limit_of_file and before + limit_of_file) if last]
            if isinstance(one, list) and left:
                del one[min(left) :]
            bar.note_urls(len(one))
            writer.write(one)
            found += len(one)
            for note in _notes(one, options):
                bar.hide()
                complain(note)
            if found == limit or found - before == limit_of_file:
                break
        if inputs.is_broken and found == before:
            continue
        bar.note_urls(0)
        writer.end_file(name)
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
    for match in found if options.has_notes and isinstance(found, list) else ():
        place = f"{match.origin.source or STANDARD_INPUT}:{match.line}: {match.url}"
        if options.warn:
            yield from (f"{place}: {warning}" for warning in match.warnings)
        if options.readings == "all" and match.more_readings:
            yield f"{place}: these are not all readings, but the first {MAX_READINGS}"


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
        self._hosts, self._excluded_hosts = map(_host_pattern, (options.hosts, options.excluded_hosts))
        self._no_quoted, self._no_signature = options.no_quoted, options.no_signature
        self._chooses = any(vars(self).values())

    def __call__(self, matches: list[URLMatch]) -> list[URLMatch]:
        """Return the *matches* that meet all of them."""
        return [match for match in matches if self._fits(match)] if self._chooses else matches

    def _fits(self, match: URLMatch) -> bool:
        return not (
            (self._schemes and match.scheme not in self._schemes)
            or match.scheme in self._excluded_schemes
            or (self._hosts and not self._hosts.match(host_of(match.host)))
            or (self._excluded_hosts and self._excluded_hosts.match(host_of(match.host)))
            or (self._no_quoted and match.quoted)
            or (self._no_signature and match.origin.signature)
        )


def _new(seen: Tally, key: Callable[[URLMatch], str], matches: list[URLMatch]) -> list[URLMatch]:
    return [match for match in matches if seen.add(key(match))]


def _key(options: FindOptions) -> Callable[[URLMatch], str]:
    """Return a function whose texts are the same for all matches that -u takes for one."""
    if not options.query.unwrap and not options.normalize:
        return attrgetter("url")
    facts = counted_as(unwrap=options.query.unwrap, normalize=options.normalize)
    return lambda match: facts(match).url


def _host_pattern(patterns: Collection[str]) -> re.Pattern[str] | None:
    # A pattern would read the brackets of an IPv6 address as a set.
    either = [form for pattern in patterns for form in (translate(pattern.lower()), re.escape(pattern.lower()) + r"\Z")]
    return re.compile("|".join(either)) if either else None
