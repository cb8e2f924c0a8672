"""`urlmend annotate`: the text itself, with each URL marked."""

import sys
from itertools import chain

import click

from urlmend.cli import options as shared
from urlmend.cli.command import ERROR, FOUND, NONE, Choice, complain
from urlmend.cli.inputs import Inputs, UnreadableError
from urlmend.cli.outputs import Outputs
from urlmend.output.annotate import annotate
from urlmend.output.files import STANDARD_INPUT, utf8
from urlmend.output.pages import HtmlPage, Page, TerminalPage
from urlmend.output.terminal import colours, reason
from urlmend.query import Query
from urlmend.selection import Selection
from urlmend.sources import SourceError

LARGE = 20 << 20
"""The largest input, in bytes, whose page browsers display without trouble."""


@click.command("annotate")
@shared.paths
@click.option(
    "--format",
    "kind",
    type=Choice(["text", "html"]),
    default="text",
    metavar="text|html",
    help="Text with marks, or a page with links. [text]",
)
@shared.recursive
@shared.query()
@shared.selection
@shared.text
@shared.output
@shared.color
@click.pass_context
def command(  # noqa: PLR0913 -- one for each option
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    kind: str,
    recursive: bool,
    query: Query,
    selection: Selection,
    text: bool,
    output: str | None,
    color: str,
) -> None:
    """Print the files' text with each URL and each rejected candidate marked; of mail, each part as decoded.

    Exit status: as for find.
    """
    paths = paths or ("-",)
    with Outputs() as outputs:
        out = outputs.use(utf8(sys.stdout)) if output is None else outputs.open(output)
        inputs = Inputs(paths, outputs, query.source_name, recursive=recursive, as_text=text)
        outputs.check(inputs.all_names())
        if not out.isatty():
            inputs.show_progress(out)
        outputs.callback(inputs.close)
        if kind == "html" and (size := sum(size or 0 for size in inputs.sizes())) > LARGE:
            complain(f"{size >> 20} MB of text: browsers show so large a page slowly, if at all")
        members = (member for name in inputs.names() for member in inputs.members(name))
        first = next(members, None)
        if first is None and inputs.failed:
            ctx.exit(ERROR)
        # A directory, or the file at the only path, may hold several.
        several = bool(paths[1:]) or (first is not None and (first.name or "-") not in paths)
        page: Page
        if kind == "html":
            page = HtmlPage(out, _title(paths), several=several, unwrap=query.unwrap)
        else:
            page = TerminalPage(out, colours=colours(color, out), several=several, unwrap=query.unwrap)
        found = False
        for file in chain([first] if first else [], members):
            page.begin_file(file.name)
            try:
                for _ in inputs.guarded(file.name, annotate(file, page, query, selection)):
                    found = True
                    inputs.bar.note_urls(1)
            except (UnreadableError, SourceError) as error:
                inputs.fail(file.name, reason(error))
        page.close()
        inputs.bar.hide()
        outputs.finish()
    ctx.exit(ERROR if inputs.failed else FOUND if found else NONE)


def _title(paths: tuple[str, ...]) -> str:
    first = STANDARD_INPUT if paths[0] == "-" else paths[0]
    return f"{first} and {len(paths) - 1} more" if paths[1:] else first
