"""The tables of fields: of the record, of the classes, and of the database; examples are taken from one message."""

import inspect
import io
import re
import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import urlmend
from made.markdown import code, descriptions, sentence, table
from urlmend.api import PUBLIC_NAMES
from urlmend.output.tables import as_json
from urlmend.record import FIELDS, MORE_FIELDS

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
    "URL": "https://jane@www.a.example:8080/b/c?d=e#f",
    "IpURL": "nntp://a.example:119/comp.example/42",
    "LoginURL": "ftp://jane:word@ftp.a.example:2121/pub/b;type=i",
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


def chosen() -> str:
    """Return the fields that `--fields` has beside those of the record."""
    return table(("field", "what it says"), ((code(each.name), each.meaning) for each in MORE_FIELDS))


_JSON_TYPES = {
    "strings": "list of strings",
    "breaks": "list of objects",
    "integer": "number",
    "boolean": "true or false",
}


_JSON_TYPES.update({"string": "string", "number": "number"})


def json(value: object) -> str:
    """Return *value* as it is written in the record; nothing for what is absent."""
    return "" if value is None else as_json(value)


def first(values: list[Any]) -> Any:  # noqa: ANN401 -- any field
    """Return the first of *values* that says something, else the first."""
    return next((value for value in values if _says_something(value)), values[0])


def _says_something(value: object) -> bool:
    return value not in (None, "", (), [], False) and not (isinstance(value, float) and value == 1)


WITHOUT_ANNOTATIONS = (urlmend.URLSyntaxError, urlmend.Origin)
"""Classes that take some of their fields in `__init__` and annotate them nowhere else."""


INTERNAL = {"header", "content", "places", "spans", "zones"}
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
                yield name, shown_type(inspect.signature(value.fget).return_annotation), sentence(value)  # type: ignore[arg-type]
    if cls in WITHOUT_ANNOTATIONS:
        for name, parameter in inspect.signature(cls).parameters.items():
            if name not in {*seen, *INTERNAL}:
                yield name, shown_type(parameter.annotation), ""


def shown_type(kind: Any) -> str:  # noqa: ANN401 -- an annotation
    """Return an annotation as one writes it."""
    text = kind if isinstance(kind, str) else inspect.formatannotation(kind)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def fields(name: str) -> str:
    """Return the public fields of the class called *name*."""
    cls = getattr(urlmend, name)
    made = examples(name)
    said: dict[str, Any] = descriptions()["URL" if issubclass(cls, urlmend.URL) else name]
    own = said.get(name, {})
    base = next((one for one in cls.__mro__[1:] if one in _BASES), None)
    of_base = {field for field, _, _ in public(base)} if base else set()
    rows = [
        (
            code(field),
            code(kind),
            own.get(field) or said.get(field) or doc or said[field],
            code(example(first([getattr(one, field) for one in made]))),
        )
        for field, kind, doc in public(cls)
        if field not in of_base
    ]
    parts = [table(("field", "type", "what it is", "example"), iter(rows))] if rows else []
    if base:
        parts.append(f"{'And the' if rows else 'The'} fields of {code(base.__name__)}.")
    return "\n\n".join(parts)


_BASES = (urlmend.URL, urlmend.IpURL, urlmend.LoginURL)
"""Classes whose fields are those of other classes, too."""


def example(value: object) -> str:
    """Return *value* as Python shows it."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _schema() -> str:
    return files("urlmend.output.database").joinpath("schema.sql").read_text("utf-8")


def tables() -> str:
    """Return the views and tables of a harvest's database. A column that means the same in several has one row."""
    db = sqlite3.connect(":memory:")
    db.executescript(_schema())
    names = db.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY type = 'table', rowid"
    )
    meanings = {**descriptions()["columns"], **{each.name: each.meaning for each in FIELDS}}
    known = set()
    parts = []
    for kind, name in names.fetchall():
        if name.startswith("sqlite_"):
            continue
        said = descriptions()[f"table {name}"]
        lines, again = [], []
        for _, column, sql_type, required, _, key in db.execute(f"PRAGMA table_info('{name}')"):
            text = said.get(column) or meanings[column]
            if (column, text) in known:
                again.append(code(column))
                continue
            known.add((column, text))
            absent = "" if required or key or kind == "view" else "or NULL"
            lines.append((code(column), " ".join(filter(None, [sql_type, "key" * key, absent])), text))
        parts.append(f"### {kind} `{name}`\n\n{said['']}\n")
        if lines:
            parts.append(table(("column", "type", "what it says"), iter(lines)) + "\n")
        if again:
            parts.append(f"{'As above' if lines else 'Columns, as above'}: {', '.join(again)}.\n")
    db.close()
    return "\n".join(parts).rstrip()


def names() -> str:
    """Return the public names, each with the first line of its docstring."""
    return table(
        ("name", "what it is"),
        ((f"[`{name}`](#urlmend.{name})", summary(name)) for name in sorted(PUBLIC_NAMES, key=str.lower)),
    )


def summary(name: str) -> str:
    """Return the first line of the docstring of the public *name*."""
    value = getattr(urlmend, name)
    if isinstance(value, urlmend.Profile):
        return descriptions()["names"][name]
    if isinstance(value, str):
        return descriptions()["names"][name]
    return sentence(value)
