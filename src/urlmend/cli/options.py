"""The options that several commands have."""

from functools import partial

import click

from urlmend.cli.command import Grouped, choice, complete_path
from urlmend.grammar.profiles import PROFILES
from urlmend.output.colours import MODES
from urlmend.sources import SOURCES

# The headings of the help: what is read, which URLs are wanted, what is printed.
reading = partial(click.option, cls=Grouped, group="Reading")
choosing = partial(click.option, cls=Grouped, group="Choosing")

paths = click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=complete_path)
_KINDS = ", ".join(SOURCES)
source = reading("--source", type=click.Choice(list(SOURCES)), default="auto", metavar="KIND", help=f"{_KINDS}.")
profile = choice("profile", PROFILES, "Grammar to judge by.", cls=Grouped, group="Reading")
join = choice(
    "join", ["evident", "wrapped", "none"], "Mend bare URLs too, <...>, nothing.", cls=Grouped, group="Reading"
)
color = choice("color", MODES, "Colours; auto: on a terminal.")
