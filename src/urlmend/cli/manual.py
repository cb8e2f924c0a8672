"""The manual page, from the texts of `--help`: `python -m urlmend.cli.manual`."""

import inspect
import re
import sys
from collections.abc import Iterator

import click

from urlmend.cli import main
from urlmend.cli.command import COMMANDS, Find, command_called, rows
from urlmend.output.files import utf8


def manual() -> str:
    """Return the manual page of the command in the format of man(7)."""
    with click.Context(main, info_name="urlmend") as ctx:
        return "\n".join(_page(ctx)) + "\n"


def _page(ctx: click.Context) -> Iterator[str]:
    yield ".TH URLMEND 1"
    yield ".SH NAME"
    summary = main.get_short_help_str(200)
    yield f"urlmend \\- {_text(summary[:1].lower() + summary[1:])}"
    commands = {name: command_called(name) for name in COMMANDS}
    yield ".SH SYNOPSIS"
    for name, command in commands.items():
        if not isinstance(command, Find):
            yield ".br"
        yield f".B urlmend {'[find]' if isinstance(command, Find) else name}"
        yield _text(" ".join(command.collect_usage_pieces(ctx)))
    for name, command in commands.items():
        yield ".SH DESCRIPTION" if isinstance(command, Find) else f".SH URLMEND {name.upper()}"
        yield from _paragraphs(f"{inspect.cleandoc(command.help or '')}\n\n{command.epilog or ''}")
        yield from _options(command, ctx)


def _paragraphs(text: str) -> Iterator[str]:
    r"""Yield the paragraphs of *text*. As in click, one after a \\b keeps its lines: the first is a heading."""
    for paragraph in filter(None, re.split(r"\n*\x08\n|\n\n", text)):
        heading, *lines = paragraph.strip("\n").split("\n")
        if any(line.startswith("  ") for line in lines):
            yield f".SH {heading.rstrip(':').upper()}"
            yield ".nf"
            yield from map(_text, lines)
            yield ".fi"
        else:
            yield ".PP"
            yield _text(" ".join(paragraph.split()))


def _options(command: click.Command, ctx: click.Context) -> Iterator[str]:
    heading = "Options"
    if isinstance(command, Find):
        yield ".SH OPTIONS"
    for group, names, text in rows(command, ctx):
        if group != heading:
            heading = group
            yield f".SS {group}"
        yield ".TP"
        yield f".B {_text(names)}"
        yield _text(text)


def _text(text: str) -> str:
    r"""Escape *text* for roff: hyphens that are typed, and lines that would be requests.

    >>> print(_text(".x --a 'b' \\n"))
    \&.x \-\-a \(aqb\(aq \en
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


if __name__ == "__main__":
    utf8(sys.stdout).write(manual())
