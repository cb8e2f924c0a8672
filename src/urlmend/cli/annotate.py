"""`urlmend annotate`: the text itself, with each URL marked."""

from itertools import chain
from typing import Any, NamedTuple

import click

from urlmend.cli import options as shared
from urlmend.cli.command import ERROR, FOUND, NONE, choice, complain
from urlmend.cli.inputs import Inputs, UnreadableError
from urlmend.cli.outputs import Outputs
from urlmend.grammar.profiles import PROFILES
from urlmend.output.annotate import annotate
from urlmend.output.files import STANDARD_INPUT, standard_output
from urlmend.output.pages import HtmlPage, TerminalPage
from urlmend.output.terminal import colours, reason
from urlmend.query import Join, Query
from urlmend.sources import SourceError
from urlmend.text.forms import Forms

LARGE = 20 << 20
"""More than so many bytes make a page that browsers have trouble with."""


class _Options(NamedTuple):
    """The options and arguments, under the names that click gives them."""

    paths: tuple[str, ...]
    format: str
    source: str
    profile: str
    join: Join
    forms: Forms
    min_confidence: float
    unwrap: bool
    color: str
    text: bool


@click.command("annotate")
@shared.paths
@choice("format", ["text", "html"], "Text with marks, or a page with links.")
@shared.source
@shared.text
@shared.profile
@shared.join
@shared.forms
@shared.min_confidence
@shared.unwrap
@shared.color
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Print the text of the files with each URL marked, and each rejected candidate; of mail, each part as decoded.

    Exit status: as of find.
    """
    options = _Options(**given)
    query = Query(options.source, PROFILES[options.profile], options.join, options.min_confidence, *options.forms)
    out = standard_output()
    outputs = Outputs()
    outputs.use(out)
    paths = options.paths or ("-",)
    inputs = Inputs(outputs, recursive=False, source=options.source)
    if not out.isatty():
        inputs.show_progress(paths, out)
    ctx.call_on_close(inputs.bar.hide)
    if options.format == "html" and (size := sum(size or 0 for size in inputs.sizes(paths))) > LARGE:
        complain(f"{size >> 20} MB of text: browsers show so large a page slowly, if at all")
    found = False
    members = (
        member for file in inputs.files(paths) for member in inputs.members(file, options.source, as_text=options.text)
    )
    first = next(members, None)
    # The file at the only path may hold several.
    several = bool(paths[1:]) or (first is not None and (first.name or "-") not in paths)
    page: HtmlPage | TerminalPage
    if options.format == "html":
        page = HtmlPage(out, _title(paths), several=several, unwrap=options.unwrap)
    else:
        page = TerminalPage(out, colours=colours(options.color, out), several=several, unwrap=options.unwrap)
    for file in chain([first] if first else [], members):
        page.begin_file(file.name)
        try:
            for _ in inputs.guarded(file.name, annotate(file, page, query)):
                found = True
                inputs.bar.note_urls(1)
        except (UnreadableError, SourceError) as error:
            inputs.fail(file.name, reason(error))
    page.close()
    ctx.exit(ERROR if inputs.failed else FOUND if found else NONE)


def _title(paths: tuple[str, ...]) -> str:
    first = STANDARD_INPUT if paths[0] == "-" else paths[0]
    return f"{first} and {len(paths) - 1} more" if paths[1:] else first
