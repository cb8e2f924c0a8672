"""The options that several commands share."""

from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any

import click

from urlmend.cli.command import Choice, Decorator, Grouped, choice, complete_path
from urlmend.grammar.profiles import PROFILES
from urlmend.output.terminal import MODES
from urlmend.query import Query
from urlmend.sources import SOURCES

# The headings of the help.
reading = partial(click.option, cls=Grouped, group="Reading")
choosing = partial(click.option, cls=Grouped, group="Choosing")

paths = click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=complete_path)
recursive = reading("-r", "--recursive", is_flag=True, help="Read the files in directories, at any depth.")
text = reading("-a", "--text", is_flag=True, help="Also read files that are not text, like grep -a.")
output = click.option("-o", "--output", metavar="FILE", help="Write to FILE.part, renamed to FILE at the end.")
copies = click.option("--copies", is_flag=True, help="Count every copy of a message.")
color = choice("color", MODES, "When to use colours.")


LIST = "list"


def or_list(names: Iterable[str]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return the callback of an option with which the value LIST prints *names* and ends the program."""

    def callback(ctx: click.Context, _parameter: click.Parameter, value: Any) -> Any:  # noqa: ANN401 -- any type of option
        # One name, or several.
        if value and LIST in (value, *value) and not ctx.resilient_parsing:
            click.echo("\n".join(names))
            ctx.exit()
        return value

    return callback


_QUERY: dict[str, Decorator] = {
    "source": reading(
        "--source",
        type=Choice([*SOURCES, LIST]),
        callback=or_list(SOURCES),
        is_eager=True,
        default="auto",
        metavar="KIND",
        help="Type of the files; list prints all types. [auto]",
    ),
    "profile": choice("profile", PROFILES, "Grammar for URLs.", reading),
    "join": choice("join", ["evident", "wrapped", "none"], "Mend bare URLs too, <...> only, none.", reading),
    "schemeless": reading("--schemeless", is_flag=True, help="Also find URLs without a scheme: a.com/b."),
    "addresses": reading("--addresses", is_flag=True, help="Also find mail addresses: jane@a.example."),
    "refang": reading("--refang", is_flag=True, help="Also find defanged URLs: hxxp://a[.]example."),
    "unwrap": reading("--unwrap", is_flag=True, help="Print the target of SafeLinks and the like."),
    "resolve": reading("--resolve", is_flag=True, help="Also find relative links of HTML, resolved."),
    "base": reading("--base", metavar="URL", help="Resolve links of HTML files against this."),
    "min_confidence": choosing(
        "--min-confidence", type=float, default=0.0, metavar="P", help="Leave out URLs below this confidence, 0 to 1."
    ),
}


def query(*names: str) -> Decorator:
    """Give a command the options for the fields of `Query` called *names*, or for all; it takes them as `query`."""
    chosen = names or tuple(_QUERY)

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        @wraps(command)
        def with_query(*args: Any, **given: Any) -> object:  # noqa: ANN401 -- whatever click makes of the options
            fields = {name: given.pop(name) for name in chosen}
            fields["profile"] = PROFILES[fields["profile"]]
            try:
                query = Query(**fields)
            except ValueError as error:
                raise click.UsageError(str(error)) from error
            return command(*args, query=query, **given)

        for name in reversed(chosen):
            _QUERY[name](with_query)
        return with_query

    return decorate
