"""What the command says on standard error."""

import click

from urlmend.output.terminal import on_one_line


def complain(message: str) -> None:
    """Say *message* on standard error, in one line: control characters, as in a file's name, are escapes."""
    click.echo(f"urlmend: {on_one_line(message)}", err=True)


def left_out(count: int) -> str:
    """Return what to say of *count* URLs that are not sure enough."""
    return f"{count} URL{'s' * (count != 1)} left out by --min-confidence"
