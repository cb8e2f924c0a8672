"""The manual page, from the texts of `--help`, and completions: `python -m urlmend.cli.manual [bash|zsh|fish]`."""

import inspect
import re
import sys
from collections.abc import Iterator

import click
from click.shell_completion import get_completion_class

from urlmend.cli import main
from urlmend.cli.command import COMMANDS, command_called, rows
from urlmend.output.files import utf8


def manual() -> str:
    """Return the manual page of the command in the format of man(7)."""
    with click.Context(main, info_name="urlmend") as ctx:
        return "\n".join(_page(main, ctx)) + "\n"


def _page(group: click.Group, ctx: click.Context) -> Iterator[str]:
    yield ".TH URLMEND 1"
    yield ".SH NAME"
    summary = group.get_short_help_str(200)
    yield f"urlmend \\- {_text(summary[:1].lower() + summary[1:])}"
    yield ".SH SYNOPSIS"
    for number, name in enumerate(COMMANDS):
        if number:
            yield ".br"
        yield f".B urlmend {name if number else '[find]'}"
        yield _text(" ".join(command_called(name).collect_usage_pieces(ctx)))
    yield ".SH DESCRIPTION"
    for name in COMMANDS:
        command = command_called(name)
        default = name == COMMANDS[0]
        if not default:
            yield f".SH URLMEND {_text(name.upper())}"
        yield from _help(command)
        yield from _epilog(command)
        if default:
            yield ".SH OPTIONS"
        yield from _options(command, ctx, ".SS" if default else None)


def _help(command: click.Command) -> Iterator[str]:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield ".PP"
        yield _text(" ".join(paragraph.split()))


def _epilog(command: click.Command) -> Iterator[str]:
    r"""Yield the epilog. As in click, a paragraph after a \\b keeps its lines."""
    for paragraph in re.split(r"\n*\x08\n", command.epilog or ""):
        lines = paragraph.strip("\n").split("\n")
        if any(line.startswith("  ") for line in lines):
            yield f".SH {_text(lines[0].rstrip(':').upper())}"
            yield ".nf"
            yield from map(_text, lines[1:])
            yield ".fi"
        elif paragraph:
            yield ".PP"
            yield _text(" ".join(lines))


def _options(command: click.Command, ctx: click.Context, heading: str | None) -> Iterator[str]:
    group = None
    for name, names, text in rows(command, ctx):
        if heading and name != group:
            group = name
            yield f"{heading} {_text(name)}"
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


SHELLS = ("bash", "zsh", "fish")


def completion(shell: str) -> str:
    """Return the script with which *shell*, one of SHELLS, completes the command. Raise `ValueError` for another."""
    made = get_completion_class(shell)
    if made is None:
        raise ValueError(f"no completion for {shell!r}: {', '.join(SHELLS)}")
    complete = made(main, {}, "urlmend", "_URLMEND_COMPLETE")
    # click's `source` would run bash to check its version, but the script is for other machines too.
    return (complete.source_template % complete.source_vars()).lstrip("\n")


if __name__ == "__main__":
    utf8(sys.stdout).write(completion(sys.argv[1]) if sys.argv[1:] else manual())
