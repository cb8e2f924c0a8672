"""`urlmend explain`: how a URL parses, and where the URLs of a text end."""

import os
import sys

import click

from urlmend.cli import options
from urlmend.cli.command import FOUND, NONE
from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.profiles import PROFILES
from urlmend.output.streams import standard_output
from urlmend.text.forms import Forms
from urlmend.text.line_ends import LINE_END


@click.command("explain")
@options.profile
@options.forms
@click.argument("url")
@click.pass_context
def explain_(ctx: click.Context, *, profile: str, forms: Forms, url: str) -> None:
    """Show how URL parses: its parts, what they mean, and by what it departs from RFC 1738; or its first fault.

    A URL with a line end in it is a text, of which each URL is shown, and what decided whether it goes on in the next
    line. So is what is no URL, where --schemeless, --addresses or --refang is given. For -, standard input is read.
    Exit status: 0 for a URL, 1 for what is none.
    """
    from urlmend.cli.commands.explanation import explain, explain_text  # noqa: PLC0415 -- few need it

    octets = sys.stdin.buffer.read() if url == "-" else os.fsencode(url)
    text = octets.decode(errors="surrogateescape")  # UTF-8, whatever the locale says
    judge = PROFILES[profile]
    is_url = parse_or_none(text.strip(), judge) is not None
    if LINE_END.search(text.rstrip()) or (any(forms) and not is_url):
        shown, found = explain_text(text, judge, forms)
    else:
        text = text.strip() if url == "-" else text
        shown, found = explain(text, judge), parse_or_none(text, judge) is not None
    out = standard_output()
    out.write(shown + "\n")
    out.flush()
    ctx.exit(FOUND if found else NONE)
