"""`urlmend report`: a page about the database of a harvest."""

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from urlmend.cli import options as shared
from urlmend.cli.command import Failure, FileName
from urlmend.cli.outputs import Outputs
from urlmend.output.counts import Counting
from urlmend.output.database.schema import DatabaseError, explained_errors
from urlmend.output.files import SIDE_FILES


@click.command("report")
@click.argument("database", type=FileName(), metavar="DATABASE")
@click.option("-o", "--output", type=FileName(), metavar="FILE", required=True, help="The page to write.")
@shared.selection
@click.option("--title", metavar="TEXT", help="Heading of the page. [URLs of DATABASE]")
@click.option("--links/--no-links", default=True, help="Show URLs as links. [default] / Show URLs as plain text.")
@click.option("--unwrap", is_flag=True, help="Count the target of SafeLinks and the like.")
@shared.occurrences
@click.option("--header-fields/--no-header-fields", help="Count URLs in header fields too. / Leave them out. [default]")
@shared.no_quoted
@shared.no_signature
@shared.copies
@click.option("--message-url", metavar="URL", help="Link messages to an archive: https://a.example/{message_id}.")
def command(*, database: str, output: str, **given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Write a page about the DATABASE of a harvest: its URLs by time, host and scheme.

    The page is one HTML file and loads nothing. Exit status: 0, or 2 if anything could not be read or written.
    """
    try:
        from urlmend.report.facts import connected, gather  # noqa: PLC0415 -- an extra
        from urlmend.report.page import check_message_url, render  # noqa: PLC0415 -- an extra
    except ModuleNotFoundError as error:
        raise click.UsageError(f"report needs {error.name}: pip install 'urlmend[report]'.") from error

    options = SimpleNamespace(**given)
    counting = Counting(**{name: bool(given[name]) for name in Counting._fields})
    title = options.title or f"URLs of {os.fsencode(Path(database).name).decode(errors='replace')}"
    today = datetime.now(UTC).date()
    with Outputs() as outputs:
        out = outputs.open(output)
        outputs.check([database, *(os.path.realpath(database) + end for end in SIDE_FILES)])
        try:
            check_message_url(options.message_url)
            with explained_errors(), closing(connected(database)) as db:
                facts = gather(db, today, counting, options.selection, unwrap=options.unwrap)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        except DatabaseError as error:
            raise Failure(error, database) from error
        page = render(facts, title, today, links=options.links, message_url=options.message_url)
        out.write(page)
        outputs.finish()
