"""`urlmend annotate`: the text itself, with each URL marked."""

import sys
from itertools import chain
from types import SimpleNamespace
from typing import Any

import click

from urlmend.cli import options as shared
from urlmend.cli.command import ERROR, FOUND, NONE, choice
from urlmend.cli.inputs import Inputs
from urlmend.cli.outputs import Outputs
from urlmend.output.annotate import annotate
from urlmend.output.files import STANDARD_INPUT, utf8
from urlmend.output.pages import HtmlPage, Page, TerminalPage
from urlmend.output.terminal import colours
from urlmend.reading import FileReader, Job


@click.command("annotate")
@shared.paths
@choice("format", ["text", "html"], "Text with marks, or a page with links.")
@shared.recursive
@shared.query()
@shared.selection
@shared.text
@shared.output
@shared.color
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Print the files' text with each URL and each rejected candidate marked; of mail, each part as decoded.

    Exit status: as for find.
    """
    options = SimpleNamespace(**given)
    paths = options.paths or ("-",)
    query = options.query
    is_html = options.format == "html"
    with Outputs() as outputs:
        out = outputs.use(utf8(sys.stdout)) if options.output is None else outputs.open(options.output)
        inputs = Inputs(paths, outputs, query.source_name, recursive=options.recursive)
        outputs.check(inputs.all_names())
        if not out.isatty():
            inputs.show_progress(out)
        outputs.callback(inputs.close)
        reading = FileReader(Job(query, options.selection, as_text=options.text), inputs)
        members = inputs.members(reading)
        first = next(members, None)
        if first is None and inputs.failed:
            ctx.exit(ERROR)
        # A directory, or the file at the only path, may hold several.
        several = bool(paths[1:]) or (first is not None and (first.name or "-") not in paths)
        page: Page
        if is_html:
            page = HtmlPage(out, _title(paths), several=several, unwrap=query.unwrap)
        else:
            page = TerminalPage(out, colours=colours(options.color, out), several=several, unwrap=query.unwrap)
        found = False
        for file in chain([first] if first else [], members):
            page.begin_file(file.name)
            for _ in reading.guarded(file, annotate(file, page, query, options.selection)):
                found = True
                inputs.bar.note_urls(1)
        page.close()
        inputs.bar.hide()
        outputs.finish()
    ctx.exit(ERROR if inputs.failed else FOUND if found else NONE)


def _title(paths: tuple[str, ...]) -> str:
    first = STANDARD_INPUT if paths[0] == "-" else paths[0]
    return f"{first} and {len(paths) - 1} more" if paths[1:] else first
