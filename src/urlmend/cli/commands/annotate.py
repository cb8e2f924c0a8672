"""`urlmend annotate`: the text itself, with each URL marked."""

import click

from urlmend.cli import options
from urlmend.cli.command import ERROR, FOUND, NONE, choice
from urlmend.cli.inputs import Inputs, UnreadableError
from urlmend.grammar.profiles import PROFILES
from urlmend.output.colours import colours
from urlmend.output.streams import standard_output
from urlmend.resolver import Join
from urlmend.sources import SourceError


@click.command("annotate")
@options.paths
@choice("format", ["text", "html"], "Text with marks, or a page with links.")
@options.source
@options.profile
@options.join
@options.color
@click.pass_context
def annotate_(  # noqa: PLR0913 -- one argument an option
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    format: str,  # noqa: A002 -- the option's name
    source: str,
    profile: str,
    join: Join,
    color: str,
) -> None:
    """Print the text of the files with each URL marked, and what looked like one; of mail, each part as decoded.

    Exit status: as of find.
    """
    from urlmend.output.annotation.annotate import annotate  # noqa: PLC0415 -- find has no use for pages
    from urlmend.output.annotation.page import page_for  # noqa: PLC0415 -- as above

    out = standard_output()
    paths = paths or ("-",)
    page = page_for(out, format, paths, colours(color, out))
    found = False
    inputs = Inputs(out, recursive=False)
    if not out.isatty():
        inputs.show_progress(paths, out)
    ctx.call_on_close(inputs.bar.hide)
    for file in inputs.files(paths):
        page.begin_file(file.name)
        try:
            for _ in annotate(file, page, source=source, profile=PROFILES[profile], join=join):
                found = True
                inputs.bar.note_urls(1)
        except (UnreadableError, SourceError) as error:
            inputs.fail(file.name, str(error))
    page.close()
    ctx.exit(ERROR if inputs.failed else FOUND if found else NONE)
