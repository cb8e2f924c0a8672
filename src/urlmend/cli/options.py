"""The options that several commands have."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import click

from urlmend.cli.command import Choice, Grouped, choice, complete_path
from urlmend.grammar.profiles import PROFILES
from urlmend.output.terminal import MODES
from urlmend.query import check_min_confidence
from urlmend.sources import SOURCES
from urlmend.text.forms import Forms


def _min_confidence(_ctx: click.Context, _parameter: click.Parameter, value: str) -> float:
    try:
        least = float(value)
        check_min_confidence(least)
    except ValueError:
        message = f"{value!r} is no number from 0 to 1."
        raise click.BadParameter(message) from None
    return least


def _listed(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Take the names apart that commas separate."""
    return tuple(name for value in values for name in value.split(",") if name)


# The headings of the help: what is read, which URLs are wanted, what is printed.
reading = partial(click.option, cls=Grouped, group="Reading")
choosing = partial(click.option, cls=Grouped, group="Choosing")

paths = click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=complete_path)
_HELP = "What the files are: ? lists the kinds. [auto]"
source = reading("--source", type=Choice(list(SOURCES)), default="auto", metavar="KIND", help=_HELP)
text = reading("-a", "--text", is_flag=True, help="Read what is no text too, as grep -a does.")
profile = choice("profile", PROFILES, "Grammar to judge by.", cls=Grouped, group="Reading")
join = choice(
    "join", ["evident", "wrapped", "none"], "Mend bare URLs too, <...>, nothing.", cls=Grouped, group="Reading"
)
min_confidence = choosing(
    "--min-confidence", callback=_min_confidence, default="0", metavar="P", help="Only URLs at least so sure, 0 to 1."
)
schemes = choosing(
    "--scheme",
    "schemes",
    callback=_listed,
    metavar="NAME",
    multiple=True,
    help="Only URLs with such a scheme: https,ftp.",
)
hosts = choosing(
    "--host", "hosts", callback=_listed, metavar="GLOB", multiple=True, help="Only URLs on such a host: *.a.example."
)
_FORMS = (
    reading("--schemeless", is_flag=True, help="Also those without a scheme: a.com/b."),
    reading("--addresses", is_flag=True, help="Also mail addresses: jane@a.example."),
    reading("--refang", is_flag=True, help="Also defanged ones: hxxp://a[.]example."),
)


def forms(command: Callable[..., object]) -> Callable[..., object]:
    """Give *command* the options of `Forms`, which it takes together as `forms`."""

    @wraps(command)
    def with_forms(*given: Any, schemeless: bool, addresses: bool, refang: bool, **options: Any) -> object:  # noqa: ANN401 -- what click makes of the others
        return command(*given, forms=Forms(schemeless, addresses, refang), **options)

    for option in reversed(_FORMS):
        option(with_forms)
    return with_forms


unwrap = reading("--unwrap", is_flag=True, help="Print the address inside SafeLinks and the like.")
color = choice("color", MODES, "Colours; auto: on a terminal.")
