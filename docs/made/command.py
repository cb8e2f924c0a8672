"""The tables of the command: usage and options, from what makes its `--help`."""

import inspect
import re
from collections.abc import Collection, Mapping

import click

from made.markdown import code, descriptions, escape, table
from urlmend.cli import main as command
from urlmend.cli.command import command_called, rows

LONG_CHOICE = re.compile(r" \[[^\]]{40,}\]$")
"""The values of an option that are too many for its name."""


def options(name: str) -> str:
    """Return the options of the command called *name*; those that do the same in `find` are only named."""
    own, shared = _described(name), []
    if name != "find":
        known = _described("find")
        shared = [names for names, text in own.items() if known.get(names) == text]
    return _without(shared, own)


def _without(shared: Collection[str], listed: Mapping[str, str]) -> str:
    """Return a table of the *listed* options, and a line with the names of the *shared* ones."""
    made = table(("option", "what it does"), ((names, text) for names, text in listed.items() if names not in shared))
    names = ", ".join(code(name) for name in re.findall(r"--[\w-]+", " ".join(shared)))
    return f"{made}\n\nAs in [find](#find): {names}." if shared else made


def _described(name: str) -> dict[str, str]:
    """Map the options of the command called *name* to what its `--help` says and fields.toml adds."""
    more = {**descriptions()["options"], **descriptions().get(f"options {name}", {})}
    with _context(name) as ctx:
        return {
            _names(names): f"{escape(text)} {more.get(_key(names), '')}".rstrip()
            for option in ctx.command.get_params(ctx)
            if isinstance(option, click.Option)
            for _, names, text in rows(_Only(ctx.command, option), ctx)
        }


class _Only(click.Command):
    """A command with one option of *command*: `rows` would put those of `find` in the order of its help."""

    def __init__(self, command: click.Command, option: click.Option) -> None:
        super().__init__(command.name, params=[option], add_help_option=False)


def _context(name: str) -> click.Context:
    return click.Context(command_called(name), info_name=name, parent=click.Context(command, info_name="urlmend"))


def _names(names: str) -> str:
    """Return the names of an option as code that may wrap between them."""
    return ", ".join(code(name) for name in names.split(", "))


def _key(names: str) -> str:
    """Return the longest name of an option, without its value."""
    return max((name.split()[0] for name in names.split(", ")), key=len)


def usage(name: str) -> str:
    """Return how the command called *name* is called, and what its help says first."""
    chosen = command_called(name)
    with _context(name) as ctx:
        pieces = " ".join(chosen.collect_usage_pieces(ctx))
    said = inspect.cleandoc(chosen.help or "").replace("\b\n", "")
    shown = "[find] " if name == "find" else f"{name} "
    return f"```text\nurlmend {shown}{pieces}\n```\n\n{escape(said)}"


def spark() -> str:
    """Return the options of `python -m urlmend.spark`; `ImportError` without the extra `spark`."""
    from urlmend.spark.__main__ import main as job  # noqa: PLC0415 -- few have Spark

    more = descriptions()["options spark"]
    with click.Context(job, info_name="python -m urlmend.spark") as ctx:
        listed = {
            _names(LONG_CHOICE.sub(" KIND", names)): escape(text) or more[_key(names)]
            for option in ctx.command.get_params(ctx)
            if isinstance(option, click.Option)
            for _, names, text in rows(_Only(ctx.command, option), ctx)
        }
    known = _described("find")
    return _without([names for names, text in listed.items() if known.get(names, "").startswith(text)], listed)
