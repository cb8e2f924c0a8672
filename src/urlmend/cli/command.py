"""How the commands behave under click: which one is meant, how they fail, what their help looks like."""

from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from urlmend.cli.inputs import complain, reason
from urlmend.output.streams import abandon_standard_output

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FOUND, NONE, ERROR = 0, 1, 2
"""The exit statuses, as in grep."""

INTERRUPTED, PIPE_CLOSED = 130, 141
"""The exit statuses that a shell gives to a program ended by SIGINT and by SIGPIPE."""

_COLUMNS = 78
"""How many columns click fills in a terminal of 80, for which the help is made."""

Function = TypeVar("Function", bound=Callable[..., object])


class Failure(click.ClickException):
    """What ends the run: told as `urlmend: NAME: reason`."""

    exit_code = ERROR

    def __init__(self, error: OSError, name: str = "write error") -> None:
        super().__init__(f"{name}: {reason(error)}")

    def show(self, file: IO[str] | None = None) -> None:  # noqa: ARG002 -- click calls it
        """Tell it."""
        complain(self.message)


class Commands(click.Group):
    """The commands; `find` is meant where the first word names none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `find` before *args* where it is meant."""
        if not args or args[0] not in self.commands:
            args = ["find", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what ends it is told as a program does, without a traceback."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except OSError as error:
            # What reading raises ends at its file (`UnreadableError`): this is of output.
            abandon_standard_output()
            if isinstance(error, BrokenPipeError):
                ctx.exit(PIPE_CLOSED)
            raise Failure(error) from error


class Grouped(click.Option):
    """An option that stands under a heading, *group*, in the help."""

    def __init__(self, *names: Any, group: str, **attributes: Any) -> None:  # noqa: ANN401 -- click's
        super().__init__(*names, **attributes)
        self.group = group


def rows(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, str, str]]:
    """Yield the heading, the names and the help of the options of *command*.

    Neighbours with the same help share a row; an option with a counterpart has two, its help is parted by ` / `.
    """
    held: tuple[str, str, str] | None = None
    for option in command.get_params(ctx):
        if not isinstance(option, click.Option):
            continue
        group = getattr(option, "group", "Printing" if isinstance(command, Find) else "Options")
        metavar = "" if option.is_flag else f" {option.make_metavar(ctx)}"
        parts = zip((option.opts, option.secondary_opts), (option.help or "").split(" / "), strict=False)
        for names, text in parts:
            shown = ", ".join(sorted(names, key=len)) + metavar
            if held and held[0] == group and held[2] == text:
                held = (group, f"{held[1]}, {shown}", text)
                continue
            if held:
                yield held
            held = (group, shown, text)
    if held:
        yield held


class Find(click.Command):
    """The default command: its help is the program's."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how this command is called, and the others."""
        formatter.write_usage("urlmend", "[find] [OPTIONS] [PATH]...")
        for name, command in _others(self, ctx):
            formatter.write_usage("urlmend", " ".join([name, *command.collect_usage_pieces(ctx)]), prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, all in one column and without empty lines: they fit a screen."""
        listed = list(rows(self, ctx))
        width = max(len(names) for _, names, _ in listed)
        if formatter.width < _COLUMNS:
            for group, options in groupby(listed, lambda row: row[0]):
                with formatter.section(group):
                    formatter.write_dl([(names, text) for _, names, text in options], col_max=20)
            return
        formatter.write_paragraph()
        heading = ""
        for group, names, text in listed:
            if group != heading:
                formatter.write(f"{group}:\n")
                heading = group
            formatter.write(f"  {names:{width}}  {text}\n")


def complete_path(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Complete a path; the first word may be a command's name too."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 -- only where a shell asks

    items = [CompletionItem(incomplete, type="file")]
    if incomplete and not ctx.params.get("paths"):
        items += [CompletionItem(name) for name, _ in _others(ctx.command, ctx) if name.startswith(incomplete)]
    return items


def _others(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    group = ctx.parent.command if ctx.parent else None
    if isinstance(group, click.Group):
        for name, other in group.commands.items():
            if other is not command:
                yield name, other


def choice(name: str, choices: Collection[str], text: str, **attributes: Any) -> Callable[[Function], Function]:  # noqa: ANN401 -- click's
    """Make the option `--name` with some *choices*, of which the first is the default."""
    first = next(iter(choices))
    kind = click.Choice(list(choices))
    return click.option(
        f"--{name}", type=kind, default=first, metavar="|".join(choices), help=f"{text} [{first}]", **attributes
    )


def print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 -- click calls it
    """Print the version and end, where *value*."""
    if value:
        from importlib import metadata  # noqa: PLC0415 -- slow to import

        try:
            click.echo(f"urlmend {metadata.version('urlmend')}")
        except metadata.PackageNotFoundError:
            click.echo("urlmend (not installed)")
        ctx.exit()
