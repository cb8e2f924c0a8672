"""How the commands behave under click: how they are chosen, how they fail, and their help."""

import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

import urlmend
from urlmend.cli.messages import complain
from urlmend.output.files import abandon_standard_output, is_closed_pipe, with_escapes
from urlmend.output.terminal import fault, reason

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FOUND, NONE, ERROR = 0, 1, 2
"""The exit statuses, as in grep."""

INTERRUPTED, PIPE_CLOSED = 130, 141
"""The exit statuses that a shell gives to a program ended by SIGINT and by SIGPIPE."""

_BY_SIGNAL = 128
"""What a shell adds to the number of a signal."""

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
"""The signals that end a run as Ctrl-C does: files are closed, and incomplete ones are named. No system has all."""

_COLUMNS = 78
"""How many columns click fills in a terminal of 80. The help is made for these."""

Function = TypeVar("Function", bound=Callable[..., object])


class Failure(click.ClickException):
    """What ends the run, said as `urlmend: NAME: reason`; *name* is by default the file in *error*."""

    exit_code = ERROR

    def __init__(self, error: OSError, name: str | None = None) -> None:
        super().__init__(f"{name or error.filename or 'write error'}: {reason(error)}")

    def show(self, file: IO[str] | None = None) -> None:  # noqa: ARG002 -- click calls it
        """Say it on standard error."""
        complain(self.message)


class Misuse(click.ClickException):
    """A call that the command does not understand, said in one line with the way to the help of *command*."""

    exit_code = ERROR

    def __init__(self, error: click.UsageError, command: str) -> None:
        message = error.format_message()
        if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter) and error.param:
            message = f"{error.param.opts[-1]}: {error.message}"
        said = " ".join(message.split())
        # What this command itself says is enough.
        super().__init__(said if type(error) is click.UsageError else f"{said.rstrip('.')} (see {command} --help)")

    def show(self, file: IO[str] | None = None) -> None:  # noqa: ARG002 -- click calls it
        """Say it on standard error."""
        complain(self.message)


class Terminated(BaseException):
    """The process was asked to end, by the signal of that *number*."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Turn the first signal that asks the process to end into `Terminated`; a second one ends it at once."""

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise Terminated(number)

    caught = []
    try:
        for number in _ENDING:
            # What ignores a signal, as nohup does, is left alone.
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
                caught.append(number)
    except ValueError:
        pass  # not in the main thread: the caller's program handles signals
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


class Commands(click.Group):
    """The commands; the default is `find`, where the first word names none."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `find` before *args* where the first of them names no command."""
        if not args or args[0] not in self.commands:
            args = ["find", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; whatever ends it is said in a line, without a traceback."""
        with_escapes()
        try:
            with _ended_in_order():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except Terminated as ended:
            ctx.exit(_BY_SIGNAL + ended.number)
        except OSError as error:
            # Errors of reading end at their file (`UnreadableError`): this is one of writing.
            abandon_standard_output()
            if is_closed_pipe(error):
                ctx.exit(PIPE_CLOSED)
            raise Failure(error) from error
        except click.UsageError as error:
            raise Misuse(error, error.ctx.command_path if error.ctx else "urlmend") from error
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            # Without this, Python's status 1 would say that there are no URLs.
            message = fault(error)
            raise Failure(OSError(message), "error") from error


class Grouped(click.Option):
    """An option that stands under a heading, *group*, in the help."""

    def __init__(self, *names: Any, group: str, **attributes: Any) -> None:  # noqa: ANN401 -- click's
        super().__init__(*names, **attributes)
        self.group = group


def rows(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, str, str]]:
    """Yield the heading, the names and the help of the options of *command*.

    An option with a counterpart has two rows; ` / ` separates their helps.
    """
    for option in command.get_params(ctx):
        if not isinstance(option, click.Option) or option.hidden:
            continue
        group = getattr(option, "group", "Printing" if isinstance(command, Find) else "Options")
        metavar = "" if option.is_flag else f" {option.make_metavar(ctx)}"
        parts = zip((option.opts, option.secondary_opts), (option.help or "").split(" / "), strict=False)
        for names, text in parts:
            yield group, ", ".join(sorted(names, key=len)) + metavar, text


class Find(click.Command):
    """The default command. Its help is the program's."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how this command is called, and the others."""
        formatter.write_usage("urlmend", "[find] [OPTIONS] [PATH]...")
        for name, command in _others(self, ctx):
            formatter.write_usage("urlmend", " ".join([name, *command.collect_usage_pieces(ctx)]), prefix="       ")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: it stands before the options, on the first screen."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog, then the options under their headings, in one column and without empty lines."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        listed = list(rows(self, ctx))
        width = max(len(names) for _, names, _ in listed)
        if formatter.width < _COLUMNS:
            for group, options in groupby(listed, lambda row: row[0]):
                with formatter.section(group):
                    formatter.write_dl([(names, text) for _, names, text in options], col_max=20)
            return
        heading = ""
        for group, names, text in listed:
            if group != heading:
                formatter.write(f"{group}:\n")
                heading = group
            formatter.write(f"  {names:{width}}  {text}\n")


def complete_path(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Complete a path; the first word may be a command's name too, which is offered first."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 -- only where a shell asks

    first = not ctx.params.get("paths")
    names = [name for name, _ in _others(ctx.command, ctx) if first and name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


def _others(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    group = ctx.parent.command if ctx.parent else None
    if isinstance(group, click.Group):
        for name, other in group.commands.items():
            if other is not command:
                yield name, other


def choice(name: str, choices: Collection[str], text: str, **attributes: Any) -> Callable[[Function], Function]:  # noqa: ANN401 -- click's
    """Make the option `--name` with some *choices*, of which the first is the default."""
    first = next(iter(choices))
    kind = Choice(list(choices))
    return click.option(
        f"--{name}", type=kind, default=first, metavar="|".join(choices), help=f"{text} [{first}]", **attributes
    )


class Choice(click.Choice[str]):
    """One of several names. What is none of them is refused with the name that it is nearest to."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401, ARG002 -- click's
        """Return what is said of *value*."""
        from difflib import get_close_matches  # noqa: PLC0415 -- only where something is wrong

        near = get_close_matches(str(value), self.choices, 1, 0.5)
        return f"there is no {value}; " + (
            f"did you mean {near[0]}?" if near else f"there are {', '.join(self.choices)}"
        )


def print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 -- click calls it
    """Print the version and end, where *value*."""
    if value:
        click.echo(f"urlmend {urlmend.__version__}")
        ctx.exit()
