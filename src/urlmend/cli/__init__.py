"""The command `urlmend`: a module for each subcommand."""

import click

from urlmend.cli.command import Commands


@click.group("urlmend", cls=Commands, context_settings={"help_option_names": ["--help"]})
def main() -> None:
    """Find every URL in free text, and mend the ones that line breaks tore apart."""
