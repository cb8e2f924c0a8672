"""`urlmend explain`: how URLs parse, and where the URLs of a text end."""

import os
import sys

import click

from urlmend.cli import options
from urlmend.cli.command import FOUND, NONE
from urlmend.grammar.parser import accepts
from urlmend.grammar.profiles import PROFILES
from urlmend.output.files import standard_output
from urlmend.text import defanged
from urlmend.text.forms import Forms
from urlmend.text.line_ends import LINE_END


@click.command("explain")
@options.profile
@options.forms
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each URL.")
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.pass_context
def explain_(ctx: click.Context, *, profile: str, forms: Forms, as_json: bool, urls: tuple[str, ...]) -> None:
    """Show how each URL parses: its parts, what they mean, and by what it departs from RFC 1738; or its first fault.

    A URL with a line end in it is a text, of which each URL is shown, and what decided whether it goes on in the next
    line. So is what is no URL, where --schemeless, --addresses or --refang is given. Without URL, or for -, standard
    input is read. Exit status: 0 where all are URLs, 1 where one is none.
    """
    from urlmend.cli.commands.explained import Explained, explained, explained_text  # noqa: PLC0415 -- few need it
    from urlmend.cli.commands.explanation import in_words  # noqa: PLC0415 -- as above
    from urlmend.output.tables import JsonlFormat  # noqa: PLC0415 -- as above

    if not urls and sys.stdin is not None and sys.stdin.isatty():
        message = "give a URL, or - for standard input."
        raise click.UsageError(message)
    judge = PROFILES[profile]
    every: list[Explained] = []
    for url in urls or ("-",):
        octets = sys.stdin.buffer.read() if url == "-" else os.fsencode(url)
        text = octets.decode(errors="surrogateescape")  # UTF-8, whatever the locale says
        trimmed = text.strip()
        as_others = accepts(trimmed, judge) and not (forms.refang and defanged.changes(trimmed))
        in_text = LINE_END.search(text.rstrip()) or (any(forms) and not as_others)
        if in_text:
            every += explained_text(text, judge, forms)
        else:
            every.append(explained(trimmed if url == "-" else text, judge))
    out = standard_output()
    if as_json:
        row = JsonlFormat(visible=out.isatty()).row
        out.writelines(row(one.as_dict()) for one in every)
    else:
        out.write("\n\n\n".join(in_words(one, heading=len(every) > 1) for one in every) + "\n")
    out.flush()
    ctx.exit(FOUND if all(one.url for one in every) else NONE)
