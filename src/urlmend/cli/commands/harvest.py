"""`urlmend harvest`: the URLs of an archive in a database."""

import click
from click.core import ParameterSource

from urlmend.cli import options
from urlmend.cli.command import ERROR, FOUND, Failure, complete_path
from urlmend.cli.inputs import Inputs, complain


@click.command("harvest")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, shell_complete=complete_path)
@click.option("-o", "--output", metavar="FILE", required=True, help="The SQLite database to make or bring up to date.")
@options.source
@options.profile
@options.join
@click.option("-q", "--quiet", is_flag=True, help="Tell errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Tell each file that is new, has changed or is gone.")
@click.pass_context
def harvest_(
    ctx: click.Context, /, *, paths: tuple[str, ...], output: str, quiet: bool, verbose: bool, **asked: str
) -> None:
    """Keep the URLs of the files at and below PATH in a database, to be asked with SQL.

    Run again, it reads what is new or has changed, of a mailbox that has grown only the new messages. It may be killed
    at any time: the next run goes on. It takes --source, --profile and --join as the first run did. Exit status: 0, or
    2 if anything could not be read or written.
    """
    from urlmend.output.database.file import DatabaseError  # noqa: PLC0415 -- as above
    from urlmend.output.database.harvest import harvest, summary  # noqa: PLC0415 -- a database engine; nothing else needs it

    inputs = Inputs(recursive=True)
    if not quiet:
        inputs.show_progress(paths, None)
    ctx.call_on_close(inputs.bar.hide)

    def told(name: str, what: str) -> None:
        if verbose:
            inputs.bar.hide()
            complain(f"{name}: {what}")

    given = {name: asked[name] for name in asked if ctx.get_parameter_source(name) != ParameterSource.DEFAULT}
    try:
        tally = harvest(paths, output, inputs.fail, told, inputs.bar, **given)
    except DatabaseError as error:
        raise Failure(error, output) from error
    except KeyboardInterrupt:
        inputs.bar.hide()
        complain(f"interrupted; the next run into {output} goes on")
        raise
    inputs.bar.hide()
    if not quiet:
        complain(f"{summary(tally)}, in {output}")
    ctx.exit(ERROR if tally["failed"] else FOUND)
