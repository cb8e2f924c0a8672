"""The options that several commands share."""

import re
from collections.abc import Callable, Iterable
from functools import partial, wraps
from itertools import chain
from typing import Any

import click

from urlmend.cli.command import (
    GROUPS,
    LIST,
    Choice,
    Decorator,
    FileName,
    Grouped,
    Keys,
    choice,
    complain,
    complete_path,
)
from urlmend.grammar.profiles import PROFILES
from urlmend.output.terminal import MODES
from urlmend.parallel import count_jobs
from urlmend.query import Query
from urlmend.selection import Selection
from urlmend.sources import SOURCES

MOST_USED = GROUPS[0]
most_used, reading, choosing, printing, more = (partial(click.option, cls=Grouped, group=name) for name in GROUPS[:-1])
"""Options under each heading of the help of `find`."""

paths = click.argument("paths", type=FileName(), metavar="[PATH]...", nargs=-1, shell_complete=complete_path)
recursive = most_used("-r", "--recursive", is_flag=True, help="Read the files in directories, at any depth.")
text = reading("-a", "--text", is_flag=True, help="Also read files that are not text, like grep -a.")
output = most_used(
    "-o", "--output", type=FileName(), metavar="FILE", help="Write to FILE.part; rename it to FILE at the end."
)
no_quoted = choosing("--no-quoted", is_flag=True, help="Leave out URLs in quoted text (> ...).")
no_signature = choosing("--no-signature", is_flag=True, help="Leave out URLs in signatures and lists' footers.")
copies = more("--copies", is_flag=True, help="Count every copy of a message.")
occurrences = click.option("--occurrences", is_flag=True, help="Count every place of a URL, not once a message.")
color = choice("color", MODES, "When to use colours.")


def _count_jobs(_ctx: click.Context, _parameter: click.Parameter, value: str) -> int | None:
    try:
        return None if value == "auto" else count_jobs(int(value))
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number of processes nor auto.") from None


jobs = reading(
    "-j",
    "--jobs",
    callback=_count_jobs,
    default="auto",
    metavar="N",
    help="Number of processes; 0: one per CPU. [auto]",
)


def keys(name: str, known: Iterable[str], metavar: str, **attributes: Any) -> Decorator:  # noqa: ANN401 -- click's
    """Return an option for some of the *known* names, separated by commas."""

    def callback(_ctx: click.Context, _parameter: click.Parameter, values: tuple[tuple[str, ...], ...]) -> object:
        return tuple(dict.fromkeys(chain.from_iterable(values)))

    kind = Keys([*known, LIST])
    return printing(name, type=kind, multiple=True, callback=callback, metavar=f"{metavar},...", **attributes)


_QUERY: dict[str, Decorator] = {
    "source": reading(
        "--source",
        type=Choice([*SOURCES, LIST], {"mail": "message or mbox"}),
        is_eager=True,
        default="auto",
        metavar="KIND",
        help="Type of the files; list prints all types. [auto]",
    ),
    "profile": choice("profile", PROFILES, "Grammar for URLs.", more),
    "join": choice("join", ["evident", "wrapped", "none"], "Mend bare URLs, only <...>, or none.", reading),
    "schemeless": reading("--schemeless", is_flag=True, help="Also find URLs without a scheme: a.com/b."),
    "addresses": reading("--addresses", is_flag=True, help="Also find mail addresses: jane@a.example."),
    "refang": reading("--refang", is_flag=True, help="Also find defanged URLs: hxxp://a[.]example."),
    "unwrap": reading("--unwrap", is_flag=True, help="Use the target of SafeLinks and the like."),
    "resolve": reading("--resolve", is_flag=True, help="Also find and resolve relative links in HTML."),
    "base": more("--base", metavar="URL", help="Resolve links of HTML files against this."),
    "header_fields": choosing(
        "--header-fields/--no-header-fields",
        default=True,
        help="Also count URLs in header fields. / Leave out URLs in header fields.",
    ),
    "min_confidence": choosing(
        "--min-confidence", type=float, default=0.0, metavar="P", help="Leave out URLs below this confidence, 0 to 1."
    ),
}


_SELECTION: dict[str, Decorator] = {
    "since": most_used("--since", metavar="DATE", help="Only messages since DATE: 2005 or 2005-12-24."),
    "until": choosing("--until", metavar="DATE", help="Only messages up to the end of DATE: 2005-12."),
    "author": choosing("--author", metavar="TEXT", help="Only messages with this in From; /TEXT/: regex."),
    "subject": choosing("--subject", metavar="TEXT", help="Only messages with this in their subject."),
    "newsgroup": choosing("--newsgroup", metavar="TEXT", help="Only messages in groups with this in the name."),
}


def _combined(options: dict[str, Decorator], make: Callable[..., object], name: str) -> Decorator:
    """Give a command the *options*, and pass it what *make* returns for their values as the argument *name*."""

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        @wraps(command)
        def with_it(*args: Any, **given: Any) -> object:  # noqa: ANN401 -- whatever click makes of the options
            values = {option: given.pop(option) for option in options}
            try:
                made = make(**values)
            except ValueError as error:
                # The message begins with the name of an argument; here it is an option.
                said = re.sub(r"^\w+", lambda name: f"--{name[0].replace('_', '-')}", str(error))
                raise click.UsageError(said) from error
            return command(*args, **{name: made}, **given)

        for option in reversed(options.values()):
            option(with_it)
        return with_it

    return decorate


def query(*names: str) -> Decorator:
    """Give a command the options for the fields of `Query` called *names*, or for all, as its argument `query`."""
    return _combined({name: _QUERY[name] for name in names or _QUERY}, Query, "query")


def _selection(**conditions: str | None) -> Selection:
    """Return the selection. Unless the command is quiet, a message at its end counts what has no readable date."""
    made = Selection(**conditions)
    ctx = click.get_current_context()

    def complain_of_undated() -> None:
        if made.undated and not ctx.params.get("quiet"):
            several = "s" * (made.undated != 1)
            complain(f"{made.undated} message{several} or file{several} left out: no readable date")

    ctx.call_on_close(complain_of_undated)
    return made


selection = _combined(_SELECTION, _selection, "selection")
"""Gives a command the options that choose messages, as its argument `selection`."""
