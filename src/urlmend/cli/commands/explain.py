"""`urlmend explain`: how a URL parses."""

import os

import click

from urlmend.cli import options
from urlmend.cli.command import FOUND, NONE
from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.profiles import PROFILES
from urlmend.output.streams import standard_output


@click.command("explain")
@options.profile
@click.argument("url")
@click.pass_context
def explain_(ctx: click.Context, *, profile: str, url: str) -> None:
    """Show how URL parses: its parts, what they mean, and by what it departs from RFC 1738; or its first fault.

    Exit status: 0 for a URL, 1 for what is none.
    """
    from urlmend.cli.commands.explanation import explain  # noqa: PLC0415 -- reads source code; nothing else needs it

    text = os.fsencode(url).decode(errors="surrogateescape")  # UTF-8, whatever the locale says
    out = standard_output()
    out.write(explain(text, PROFILES[profile]) + "\n")
    out.flush()
    ctx.exit(NONE if parse_or_none(text, PROFILES[profile]) is None else FOUND)
