"""`urlmend harvest`: the URLs of an archive in a database."""

from types import SimpleNamespace
from typing import Any

import click
from click.core import ParameterSource

from urlmend.cli import options as shared
from urlmend.cli.command import ERROR, FOUND, Failure, FileName, complain, left_out
from urlmend.cli.inputs import Inputs
from urlmend.cli.outputs import Outputs
from urlmend.output.database.harvest import UNDATED, UNSURE, Listener, harvest, summary
from urlmend.output.database.schema import DatabaseError, settings_of
from urlmend.sources.origin import ignore


@click.command("harvest")
@shared.paths
@click.option(
    "-o", "--output", type=FileName(), metavar="FILE", required=True, help="The SQLite database to create or update."
)
@click.option("--forget", type=FileName(), metavar="PATH", multiple=True, help="First remove what was found in PATH.")
@shared.jobs
@shared.query()
@shared.selection
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Name each file that is new, has changed, is gone or is skipped.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Store the URLs of the files at and below PATH in a database, for queries in SQL.

    The next run reads only files that are new or have changed, and only the new messages of a mailbox that has grown.
    A run may be killed at any time: the next one continues. Options that decide what is found, such as --source, --join
    and --since, keep their values from the first run. Exit status: 0, or 2 if anything could not be read or written.
    """
    options = SimpleNamespace(**given)
    paths, output, selection = options.paths, options.output, options.selection
    if not paths and not options.forget:
        raise click.UsageError("give a PATH to read, or one to --forget.")
    if "-" in paths:
        raise click.UsageError("harvest rereads its files, so it cannot use standard input: give a file.")
    inputs = Inputs(paths, Outputs(), recursive=True, verbose=options.verbose)
    if not options.quiet:
        inputs.show_progress(None)
    bar = inputs.bar
    ctx.call_on_close(bar.hide)
    found = inputs.say if options.verbose else ignore
    listener = Listener(inputs.report, inputs.skip, found, bar.advance, bar.pass_over, bar.note_urls)
    settings = settings_of(options.query, selection)
    chosen = {n: value for n, value in settings.items() if ctx.get_parameter_source(n) != ParameterSource.DEFAULT}
    try:
        tally = harvest(paths, output, listener, chosen, forget=options.forget, jobs=inputs.jobs(options.jobs))
    except DatabaseError as error:
        raise Failure(error, output) from error
    except SystemExit:  # a signal
        bar.hide()
        complain(f"interrupted; run it again to continue with {output}")
        raise
    selection.undated = tally[UNDATED]  # the first run has chosen the selection
    bar.hide()
    if options.verbose and tally[UNSURE]:
        complain(left_out(tally[UNSURE]))
    if not options.quiet:
        inputs.close()
        complain(f"{summary(tally)}, in {output}")
    ctx.exit(ERROR if tally["failed"] else FOUND)
