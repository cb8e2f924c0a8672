"""Write the tables of the documents that the code knows: `python docs/generate.py`.

In a page, a table stands between `<!-- made: NAME -->` and `<!-- /made -->`. tests/test_docs.py holds that each is up
to date. What no code knows, what a field means, is in fields.toml beside this file.
"""

import ast
import importlib
import inspect
import io
import re
import sqlite3
import sys
import tomllib
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

import urlmend
from urlmend.cli import main as command
from urlmend.cli.command import rows
from urlmend.grammar.departure import table as departure_table
from urlmend.grammar.departures import DEPARTURES
from urlmend.grammar.wrapping.rules import RULES
from urlmend.mend.evidence import guards_that_end, guards_that_join
from urlmend.mend.evidence.clues import CLUES
from urlmend.output.formats import jsonl
from urlmend.output.record import FIELDS
from urlmend.sources import SOURCES

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MADE = re.compile(r"(<!-- made: ([^>]*?) -->\n).*?(<!-- /made -->)", re.DOTALL)
LONGEST_EXAMPLE = 60

MESSAGE = b"""\
From jim@b.example Mon Jul  7 10:06:12 2003
Date: Mon, 7 Jul 2003 10:06:12 -0300
From: Jim <jim@b.example>
Newsgroups: comp.example,alt.example
Subject: Where is the paper?
Message-ID: <1@b.example>
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

> I found it under <URL:ftp://ftp.a.example/pub/www/on-
> line.ps;type=i>, and in http://www.a.example/~jane/archive/
> 1995/gopher-faq.html.
Nobody knows <URL:http://a.example:8o/>.
--\x20
<https://jim:word@www.a.example/~jim/?q=1#top>
"""
"""A mailbox of one message, from which the examples are taken."""

URLS = {
    "HttpURL": "https://jane@www.a.example:8080/b/c?d=e#f",
    "FtpURL": "ftp://jane:word@ftp.a.example:2121/pub/b;type=i",
    "GopherURL": "gopher://a.example:70/7b%09c%09+d",
    "MailtoURL": "mailto:jane%20b@a.example?subject=a%20b",
    "NewsURL": "news:1@b.example",
    "NntpURL": "nntp://a.example:119/comp.example/42",
    "TelnetURL": "telnet://jane:word@a.example:23/",
    "WaisURL": "wais://a.example:210/b/c/d",
    "ProsperoURL": "prospero://a.example:1525/b;c=d",
    "FileURL": "file://localhost/b/c",
    "OtherURL": "svn+ssh://jane:word@a.example:22/b/c#d",
}
"""A URL of each class."""


@cache
def descriptions() -> dict[str, dict[str, str]]:
    """Return what each field means, by class or table."""
    return tomllib.loads((ROOT / "docs" / "fields.toml").read_text("utf-8"))


@cache
def found() -> tuple[list[Any], list[Any]]:
    """Return the matches and the rejects of MESSAGE."""
    file = io.BytesIO(MESSAGE)
    file.name = "list.mbox"
    rejects: list[Any] = []
    return list(urlmend.iter_urls(file, source="mbox", rejected=rejects.append)), rejects


def examples(name: str) -> list[Any]:
    """Return the objects from which the examples of the class called *name* are taken."""
    matches, rejects = found()
    if name in URLS:
        # More than one: a URL that is rarer shows the fields that the first one lacks.
        more = {"NewsURL": ["news://a.example/comp.example", "news:*"], "WaisURL": ["wais://a.example/b?c"]}
        return [urlmend.parse(text) for text in (URLS[name], *more.get(name, ()))]
    return {
        "URLMatch": matches,
        "Rejected": rejects,
        "Break": [one for match in matches for one in match.breaks],
        "Origin": [match.origin for match in matches],
        "Text": list(urlmend.iter_texts(io.BytesIO(MESSAGE), "mbox")),
        "URLSyntaxError": [rejected.error for rejected in rejects],
        "Profile": [urlmend.WEB],
    }[name]


def table(heads: tuple[str, ...], lines: Iterator[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    shown = [heads, ("---",) * len(heads), *lines]
    return "\n".join(
        "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in line) + " |" for line in shown
    )


def code(value: str) -> str:
    """Return *value* as code, shortened; nothing for nothing."""
    shown = value if len(value) <= LONGEST_EXAMPLE else value[: LONGEST_EXAMPLE - 1] + "…"
    return f"`{shown}`" if shown else ""


def departures() -> str:
    """Return the table of the departures of the profile WEB."""
    return departure_table(DEPARTURES)


def options(name: str) -> str:
    """Return the options of the command called *name*: what its `--help` says, and what fields.toml adds."""
    more = {**descriptions()["options"], **descriptions().get(f"options {name}", {})}
    with _context(name) as ctx:
        listed = [
            (group, names, text)
            for option in ctx.command.get_params(ctx)
            if isinstance(option, click.Option)
            for group, names, text in rows(_Only(ctx.command, option), ctx)
        ]
    return table(
        ("option", "`--help` says", "more"),
        ((_names(names), escape(text), more.get(_key(names), "")) for _, names, text in listed),
    )


class _Only(click.Command):
    """A command with one option of *command*: `rows` gives those with the same help one row, and hides some."""

    def __init__(self, command: click.Command, option: click.Option) -> None:
        option = copy(option)
        option.hidden = False
        super().__init__(command.name, params=[option], add_help_option=False)


def _context(name: str) -> click.Context:
    return click.Context(command.commands[name], info_name=name, parent=click.Context(command, info_name="urlmend"))


def _names(names: str) -> str:
    """Return the names of an option as code that may wrap between them."""
    return ", ".join(code(name) for name in names.split(", "))


def _key(names: str) -> str:
    """Return the longest name of an option, without its value."""
    return max((name.split()[0] for name in names.split(", ")), key=len)


def usage(name: str) -> str:
    """Return how the command called *name* is called, and what its help says first."""
    chosen = command.commands[name]
    with _context(name) as ctx:
        pieces = " ".join(chosen.collect_usage_pieces(ctx))
    said = inspect.cleandoc(chosen.help or "").replace("\b\n", "")
    shown = "[find] " if name == "find" else f"{name} "
    return f"```text\nurlmend {shown}{pieces}\n```\n\n{escape(said)}"


def escape(text: str) -> str:
    """Return *text* as Markdown that shows it."""
    return re.sub(r"([*_<\[])", r"\\\1", text)


def sources() -> str:
    """Return the sources."""
    return table(("source", "what is read"), ((code(name), descriptions()["sources"][name]) for name in SOURCES))


def record() -> str:
    """Return the fields of the JSONL record, in their order."""
    made = [match.as_dict() for match in found()[0]]
    return table(
        ("field", "type", "unit", "what it says", "example"),
        (
            (
                code(each.name),
                _JSON_TYPES[each.type] + " or null" * each.absent,
                descriptions()["units"].get(each.name, ""),
                each.meaning,
                code(json(first([one[each.name] for one in made]))),
            )
            for each in FIELDS
        ),
    )


_JSON_TYPES = {
    "strings": "list of strings",
    "breaks": "list of objects",
    "integer": "number",
    "boolean": "true or false",
}
_JSON_TYPES.update({"string": "string", "number": "number"})


def json(value: object) -> str:
    """Return *value* as it is written in the record; nothing for what is absent."""
    return "" if value is None else jsonl._ENCODE(value)  # noqa: SLF001 -- the writer's own


def first(values: list[Any]) -> Any:  # noqa: ANN401 -- any field
    """Return the first of *values* that says something, else the first."""
    return next((value for value in values if _says_something(value)), values[0])


def _says_something(value: object) -> bool:
    return value not in (None, "", (), [], False) and not (isinstance(value, float) and value == 1)


WITHOUT_ANNOTATIONS = (urlmend.URLSyntaxError, urlmend.Origin)
"""Classes that take some of their fields in `__init__` and annotate them nowhere else."""

INTERNAL = {"header", "noted", "content", "places", "spans"}
"""Fields for the rooms of the code, not for its users."""


def public(cls: type) -> Iterator[tuple[str, str, str]]:
    """Yield the public fields and properties of *cls*, its own first, their types, and what their docstrings say."""
    seen: set[str] = set()
    for one in cls.__mro__:
        if not one.__module__.startswith("urlmend"):
            break
        for name, kind in inspect.get_annotations(one).items():
            if name[0] != "_" and name not in {*seen, *INTERNAL} and "ClassVar" not in str(kind):
                seen.add(name)
                yield name, shown_type(kind), ""
        for name, value in vars(one).items():
            if isinstance(value, property) and name[0] != "_" and name not in {*seen, *INTERNAL}:
                seen.add(name)
                yield name, shown_type(inspect.signature(value.fget).return_annotation), _sentence(value)  # type: ignore[arg-type]
    if cls in WITHOUT_ANNOTATIONS:
        for name, parameter in inspect.signature(cls).parameters.items():
            if name not in seen:
                yield name, shown_type(parameter.annotation), ""


def shown_type(kind: Any) -> str:  # noqa: ANN401 -- an annotation
    """Return an annotation as one writes it."""
    text = kind if isinstance(kind, str) else inspect.formatannotation(kind)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def fields(name: str) -> str:
    """Return the public fields of the class called *name*."""
    cls = getattr(urlmend, name)
    made = examples(name)
    said = descriptions().get(name, {}) if not issubclass(cls, urlmend.URL) else descriptions()["URL"]
    own = descriptions().get(name, {})
    return table(
        ("field", "type", "what it is", "example"),
        (
            (
                code(field),
                code(kind),
                own.get(field) or said.get(field) or doc or said[field],
                code(example(first([getattr(one, field) for one in made]))),
            )
            for field, kind, doc in public(cls)
        ),
    )


def example(value: object) -> str:
    """Return *value* as Python shows it."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _schema() -> str:
    return files("urlmend.output.database").joinpath("schema.sql").read_text("utf-8")


def tables() -> str:
    """Return the tables and views of a harvest's database with their columns."""
    db = sqlite3.connect(":memory:")
    script = _schema()
    db.executescript(script)
    names = [
        (kind, name)
        for kind, name in db.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
        )
        if not name.startswith("sqlite_")
    ]
    parts = []
    for kind, name in names:
        said = descriptions()[f"table {name}"]
        parts.append(f"### {kind} `{name}`\n\n{said['']}\n")
        meanings = {each.name: each.meaning for each in FIELDS}
        lines = []
        for _, column, sql_type, required, _, key in db.execute(f"PRAGMA table_info('{name}')"):
            text = said.get(column) or meanings.get(column) or descriptions()["columns"][column]
            sort = " ".join(
                filter(None, [sql_type, "key" if key else "", "" if required or key or kind == "view" else "or NULL"])
            )
            lines.append((code(column), sort, text))
        heads = ("column", "type", "what it says")
        parts.append(table(heads, iter(lines)) + "\n")
    db.close()
    return "\n".join(parts).rstrip()


def _excerpt(function: Callable[..., Any]) -> tuple[str, str]:
    """Return the first sentence of a docstring and its first excerpt of text."""
    said = inspect.cleandoc(function.__doc__ or "")
    quoted = re.search(r'first_line_break\((?:url \+ )?"((?:[^"\\]|\\.)*)"', said)
    sentence = said.partition("\n\n")[0].replace("\n", " ")
    return sentence, quoted[1].replace("\\n", "⏎") if quoted else ""


def clues() -> str:
    """Return the clues, each with what it looks at."""
    return table(("clue", "what it looks at"), ((clue.__name__.replace("_", " "), said_of(clue)) for clue in CLUES))


def said_of(clue: Callable[..., Any]) -> str:
    """Return the first sentence of the docstring of *clue* without its verb."""
    text = re.sub(r"^Tell (?:whether )?", "", _excerpt(clue)[0]).rstrip(".")
    return text[:1].upper() + text[1:]


def guards(which: str) -> str:
    """Return the guards that join, or those that end."""
    chosen = {"join": guards_that_join, "end": guards_that_end}[which].GUARDS
    return table(("guard", "what it sees"), ((guard.__name__.replace("_", " "), said_of(guard)) for guard in chosen))


def names() -> str:
    """Return the public names, each with the first line of its docstring."""
    return table(
        ("name", "what it is"),
        ((f"[`{name}`](#urlmend.{name})", summary(name)) for name in sorted(urlmend.__all__, key=str.lower)),
    )


def summary(name: str) -> str:
    """Return the first line of the docstring of the public *name*."""
    value = getattr(urlmend, name)
    if isinstance(value, urlmend.Profile):
        return descriptions()["names"][name]
    if isinstance(value, str):
        return descriptions()["names"][name]
    return _sentence(value)


def _sentence(value: object) -> str:
    """Return the first sentence of the docstring of *value*."""
    said = inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=\.)\s", said)[0]


LIMITS = (
    "text.limits.MAX_URL_LENGTH",
    "text.limits.MAX_WRAPPER_SPAN",
    "text.limits.LOOKBACK",
    "text.limits.LOOKAHEAD",
    "match.MAX_READINGS",
    "mend.joining.MAX_JOINED_LINES",
    "mend.history.REMEMBERED",
    "mend.history.WINDOW",
    "sources.mail.MAX_DEPTH",
    "sources.mail.MAX_PARTS",
    "sources.header.MAX_FIELDS_WITH_URLS",
    "sources.decompressors.MAX_WINDOW_LOG",
    "sources.containers.bounds.MAX_DEPTH",
    "sources.containers.bounds.MAX_LISTED",
    "sources.containers.bounds.MAX_READ",
    "sources.containers.bounds.MAX_RATIO",
    "sources.containers.bounds.FREE",
    "sources.json.MAX_SIZE",
    "grammar.wrapping.MAX_NESTED",
)


def limits() -> str:
    """Return the limits of LIMITS: their values, and what stands below them in the code."""
    return table(("limit", "value", "what it bounds"), iter([_limit(path) for path in LIMITS]))


def _limit(path: str) -> tuple[str, str, str]:
    module_name, _, name = path.rpartition(".")
    module = importlib.import_module(f"urlmend.{module_name}")
    tree = ast.parse(inspect.getsource(module)).body
    lines = [ast.unparse(node).partition(" = ")[0] for node in tree]
    below = tree[lines.index(name) + 1]
    assert isinstance(below, ast.Expr)  # noqa: S101 -- a limit says what it is for
    return code(name), f"{getattr(module, name):,}", inspect.cleandoc(ast.literal_eval(below.value))


def wrappings() -> str:
    """Return the rules of addresses that wrap others."""
    return table(("rule", "where it is seen"), ((rule.name, rule.why) for rule in RULES))


def defects() -> str:
    """Return what a source may note of a broken file, from the places where it does."""
    texts = set()
    for path in sorted((ROOT / "src" / "urlmend" / "sources").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target = node.targets[0]
                if "defects" in ast.unparse(target.value) and isinstance(target.slice, (ast.Constant, ast.JoinedStr)):
                    texts.add(_template(target.slice))
    said = descriptions()["defects"]
    return table(("defect", "what was broken, and what was done"), ((text, said[text]) for text in sorted(texts)))


def _template(text: ast.Constant | ast.JoinedStr) -> str:
    """Return a text of the code with `…` for what it fills in."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in text.values)


BRIEF = (
    "`re`, a pattern",
    "google-re2, same pattern",
    "linkify (Rust)",
    "linkify-it (Node)",
    "URI::Find (Perl)",
    "linkify-it-py",
    "iocextract",
    "urlextract",
)
"""The peers of the README's table: what a user might take instead, faster or slower."""


def peers(size: str = "") -> str:
    """Return the peers' tables of benchmarks/README.md; *size* `brief` is one of them, for the README."""
    tables = between("peers")
    if not size:
        return tables
    lines = tables.partition("**Libraries, list mail**\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    shown = [row for row in found if "urlmend" in row[0] or row[0] in BRIEF]
    measured = tables.rstrip().rpartition("\n")[2].partition(": ")[2]
    heads = ("finder", "MB/s", "urlmend ÷ finder")
    return table(heads, ((row[0], row[3], row[4]) for row in shown)) + f"\n\n{measured}"


def arrow() -> str:
    """Return the table of Arrow of benchmarks/README.md."""
    return between("arrow")


def between(mark: str) -> str:
    """Return what stands between the marks of benchmarks/README.md."""
    text = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    return text.partition(f"<!-- {mark} -->\n")[2].partition(f"\n<!-- /{mark} -->")[0]


MAKERS: dict[str, Callable[..., str]] = {
    one.__name__: one
    for one in (
        *(arrow, clues, defects, departures, fields, guards, limits, names, options, peers, record, sources, tables),
        *(usage, wrappings),
    )
}


def filled(text: str) -> str:
    """Return the page *text* with its tables made anew."""

    def made(match: re.Match[str]) -> str:
        maker, *arguments = match[2].split()
        return match[1] + MAKERS[maker](*arguments) + "\n" + match[3]

    return MADE.sub(made, text)


if __name__ == "__main__":
    for page in PAGES:
        old = page.read_text("utf-8")
        new = filled(old)
        if new != old:
            page.write_text(new, "utf-8")
            sys.stdout.write(f"{page.relative_to(ROOT)}\n")
