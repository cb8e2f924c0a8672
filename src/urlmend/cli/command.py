"""How the commands behave under click: how they are chosen, how they fail, and their help."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

import click

from urlmend.output.files import abandon_standard_output, is_closed_pipe, with_escapes
from urlmend.output.terminal import on_one_line
from urlmend.reading import reason
from urlmend.selection import PatternError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FOUND, NONE, ERROR = 0, 1, 2
"""The exit statuses, as in grep."""

PIPE_CLOSED = 141
"""The exit status that a shell gives to a program ended by SIGPIPE."""

Decorator = Callable[[Callable[..., object]], Callable[..., object]]


def complain(message: str) -> None:
    """Print *message* to standard error in one line, with escapes for control characters, as in a file name."""
    click.echo(f"urlmend: {on_one_line(message)}", err=True)


def left_out(count: int) -> str:
    """Return the message about *count* URLs of too little confidence."""
    return f"{count} URL{'s' * (count != 1)} left out by --min-confidence"


class Failure(click.ClickException):
    """An *error* that ends the run, printed as `urlmend: NAME: reason`. By default *name* is the file in *error*."""

    exit_code = ERROR

    def __init__(self, error: OSError, name: str | None = None) -> None:
        if isinstance(error, PatternError):
            name = f"--{error.filename}"
        super().__init__(f"{name or error.filename or 'write error'}: {reason(error)}")

    def show(self, file: IO[str] | None = None) -> None:  # noqa: ARG002 -- click calls it
        """Print it to standard error."""
        complain(self.message)


def _misuse(error: click.UsageError) -> str:
    """Return the message of a usage *error* in one line, which names the help of the command."""
    message = error.format_message()
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter) and error.param:
        is_option = isinstance(error.param, click.Option)
        message = f"{error.param.opts[-1] if is_option else (error.param.metavar or '').strip('[].')}: {error.message}"
    message = " ".join(message.split())
    # urlmend's own messages say what to do; those of click are subclasses.
    if type(error) is click.UsageError:
        return message
    return f"{message.rstrip('.')} (see {error.ctx.command_path if error.ctx else 'urlmend'} --help)"


COMMANDS = ("find", "explain", "annotate", "harvest", "report")
"""The names of the commands and of their modules; the first is the default."""


def command_called(name: str) -> click.Command:
    """Import the command called *name*, one of COMMANDS."""
    command: click.Command = import_module(f"urlmend.cli.{name}").command
    return command


class Commands(click.Group):
    """The commands. Each is imported when it is needed; the default is `find`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click calls it
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- click calls it
        """Return the command called *cmd_name*, or `None` if there is none."""
        return command_called(cmd_name) if cmd_name in COMMANDS else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `find` before *args* unless they begin with the name of a command.

        A first word that is almost such a name, and not a file, is reported as a typing mistake.
        """
        if not args or args[0] not in COMMANDS:
            # Few names of files are letters alone. One that is too long does not exist either.
            is_typed = args and args[0].isalpha() and not ctx.resilient_parsing
            if is_typed and not os.path.exists(args[0]) and (near := most_similar(args[0], COMMANDS, 0.8)):
                raise Failure(OSError(f"there is no such file; did you mean {near}?"), args[0])
            args = ["find", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. An error ends it with a message in one line, without a traceback."""
        with_escapes()
        try:
            return super().invoke(ctx)
        except OSError as error:
            # Errors of reading end at their file (`UnreadableError`): this is one of writing.
            abandon_standard_output()
            if is_closed_pipe(error):
                ctx.exit(PIPE_CLOSED)
            raise Failure(error) from error
        except click.UsageError as error:
            complain(_misuse(error))
            ctx.exit(ERROR)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            # Otherwise Python would exit with status 1, which means that no URLs were found.
            raise Failure(OSError(reason(error)), "error") from error


class Grouped(click.Option):
    """An option under the heading *group* in the help."""

    def __init__(self, *names: Any, group: str, **attributes: Any) -> None:  # noqa: ANN401 -- click's
        super().__init__(*names, **attributes)
        self.group = group

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:  # noqa: ANN401 -- click's
        """Return the *value*. It may not be empty, as it is if a shell variable is not set: all would be chosen."""
        made = super().type_cast_value(ctx, value)
        if "" in (made if isinstance(made, tuple) else (made,)):
            raise click.BadParameter("the value is empty.", ctx, self)
        return made


GROUPS = ("Most used", "Reading", "Choosing", "Printing", "More", "Options")
"""The headings of the help, in their order."""


def rows(command: click.Command, ctx: click.Context) -> list[tuple[str, str, str]]:
    """Return (heading, names, help) of each option of *command*, in the order of the headings.

    An option with an opposite has two rows; ` / ` separates their texts.
    """
    found = []
    for option in command.get_params(ctx):
        if not isinstance(option, click.Option):
            continue
        group = getattr(option, "group", "Printing") if isinstance(command, Find) else "Options"
        metavar = "" if option.is_flag else f" {option.make_metavar(ctx)}"
        parts = zip((option.opts, option.secondary_opts), (option.help or "").split(" / "), strict=False)
        found += [(group, ", ".join(sorted(names, key=len)) + metavar, text) for names, text in parts]
    return sorted(found, key=lambda row: GROUPS.index(row[0]))


class Find(click.Command):
    """The default command. Its help is the program's."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how this command is called, and the others."""
        formatter.write_usage("urlmend", "[find] [OPTIONS] [PATH]...")
        for name in COMMANDS[1:]:
            pieces = command_called(name).collect_usage_pieces(ctx)
            formatter.write_usage("urlmend", " ".join([name, *pieces]), prefix="       ")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: `format_options` has written the epilog, so that it is on the first screen."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog, then the options under their headings, all in one column and without blank lines."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        listed = rows(self, ctx)
        width = max(len(names) for _, names, _ in listed)
        heading = ""
        for group, names, text in listed:
            if group != heading:
                formatter.write(f"{group}:\n")
                heading = group
            formatter.write(f"  {names:{width}}  {text}\n")


def complete_path(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Complete a path, or a command's name if it is the first word."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 -- only where a shell asks

    first = ctx.info_name == "find" and not ctx.params.get("paths")
    names = [name for name in COMMANDS[1:] if first and name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


def choice(
    name: str, choices: Collection[str], text: str, option: Callable[..., Decorator] = click.option
) -> Decorator:
    """Return the *option* `--name` with these *choices*; the first is the default."""
    first = next(iter(choices))
    return option(f"--{name}", type=Choice(choices), default=first, metavar="|".join(choices), help=f"{text} [{first}]")


def most_similar(word: str, names: Iterable[str], least: float = 0.5) -> str | None:
    """Return the most similar of *names*; `None` if none is as similar as *least*, from 0 to 1."""
    from difflib import get_close_matches  # noqa: PLC0415 -- only where something is wrong

    return next(iter(get_close_matches(word, names, 1, least)), None)


LIST = "list"


class Choice(click.Choice[str]):
    """One of several names. If LIST is one of them, it prints the others and ends the program.

    The message for another word suggests a similar name, or what *meant* maps it to.
    """

    def __init__(self, choices: Iterable[str], meant: Mapping[str, str] | None = None) -> None:
        super().__init__([*choices])
        self._meant = meant or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 -- click's
        """Return the name *value*."""
        name = super().convert(value, param, ctx)
        if name == LIST and ctx is not None and not ctx.resilient_parsing:
            click.echo("\n".join(name for name in self.choices if name != LIST))
            ctx.exit()
        return name

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401, ARG002 -- click's
        """Return the message for *value*, which is not a choice."""
        names = [name for name in self.choices if name != LIST]
        near = self._meant.get(value) or most_similar(str(value), names)
        return (f"unknown value {value!r}; " if value else "the value is missing; ") + (
            f"did you mean {near}?" if near else f"choose from {', '.join(names)}"
        )


class FileName(click.Path):
    """The name of a file. It may not be empty, as it is if a shell variable is not set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 -- click's
        """Return the name *value*."""
        if not value:
            self.fail("the name is empty.", param, ctx)
        return value


class Keys(Choice):
    """Several of the names, separated by commas."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 -- click's
        """Return the names in *value*, in order."""
        return tuple(super(Keys, self).convert(name.strip() or value, param, ctx) for name in value.split(","))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """Complete the last name."""
        before, comma, last = incomplete.rpartition(",")
        items = super().shell_complete(ctx, param, last)
        for item in items:
            item.value = f"{before}{comma}{item.value}"
        return items
