"""`urlmend harvest`: the URLs of an archive in a database."""

import click
from click.core import ParameterSource

from urlmend.cli import options
from urlmend.cli.command import ERROR, FOUND, Failure, complain, complete_path, left_out
from urlmend.cli.inputs import Inputs
from urlmend.cli.outputs import Outputs
from urlmend.output.database.harvest import UNDATED, UNSURE, Listener, harvest, summary
from urlmend.output.database.schema import DatabaseError, settings_of
from urlmend.query import Query
from urlmend.selection import Selection


@click.command("harvest")
@click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=complete_path)
@click.option("-o", "--output", metavar="FILE", required=True, help="The SQLite database to create or update.")
@click.option("--forget", metavar="PATH", multiple=True, help="First remove what was found in PATH.")
@options.query()
@options.selection
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Name each file that is new, has changed, is gone or is skipped.")
@click.pass_context
def command(  # noqa: PLR0913 -- one for each option
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    output: str,
    forget: tuple[str, ...],
    query: Query,
    selection: Selection,
    quiet: bool,
    verbose: bool,
) -> None:
    """Keep the URLs of the files at and below PATH in a database, for queries in SQL.

    Run again, it reads the files that are new or have changed; of a mailbox that has grown, only the new messages. It
    may be killed at any time: the next run continues. The options that say what to find stay those of the first run,
    as --source, --join and --since do. Exit status: 0, or 2 if anything could not be read or written.
    """
    if not paths and not forget:
        raise click.UsageError("give a PATH to read, or one to --forget.")
    if "-" in paths:
        message = "a harvest looks at its files again, and standard input is there only once: give a file."
        raise click.UsageError(message)
    inputs = Inputs(paths, Outputs(), recursive=True, verbose=verbose)
    if not quiet:
        inputs.show_progress(None)
    bar = inputs.bar
    ctx.call_on_close(bar.hide)
    listener = Listener(
        inputs.fail, inputs.pass_over, advance=bar.advance, pass_over=bar.pass_over, note_urls=bar.note_urls
    )
    if verbose:
        listener = listener._replace(found=inputs.say)
    settings = settings_of(query, selection)
    given = {n: value for n, value in settings.items() if ctx.get_parameter_source(n) != ParameterSource.DEFAULT}
    try:
        tally = harvest(paths, output, listener, given, forget=forget)
    except DatabaseError as error:
        raise Failure(error, output) from error
    except KeyboardInterrupt:
        bar.hide()
        complain(f"interrupted; the next run into {output} goes on")
        raise
    selection.undated = tally[UNDATED]  # the first run has chosen the selection
    bar.hide()
    if verbose and tally[UNSURE]:
        complain(left_out(tally[UNSURE]))
    if not quiet:
        inputs.close()
        complain(f"{summary(tally)}, in {output}")
    ctx.exit(ERROR if tally["failed"] else FOUND)
