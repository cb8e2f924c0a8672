"""The command `urlmend`: arguments and nothing else, one module a command."""

import click

from urlmend.cli.command import Commands
from urlmend.cli.commands.annotate import annotate_
from urlmend.cli.commands.explain import explain_
from urlmend.cli.commands.find import find
from urlmend.cli.commands.harvest import harvest_
from urlmend.cli.commands.report import report_


@click.group("urlmend", cls=Commands, context_settings={"help_option_names": ["--help"]})
def main() -> None:
    """Find every URL in free text, and mend the ones that line breaks tore apart."""


for command in (find, explain_, annotate_, harvest_, report_):
    main.add_command(command)
