"""The cases of data/find.toml: texts, the URLs that are found in them and the candidates that are refused."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, groupby, repeat
from pathlib import Path
from typing import Any

LINE_ENDS: Mapping[str, str] = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}

_MARK = re.compile("⟦(?P<found>[^⟧]*)⟧|⟪(?P<refused>[^⟫]*)⟫")
_PIECE = re.compile("⟨([^⟩]*)⟩")
_LINE_END = re.compile(r"\r\n|\r|\n")
_IMPLIED = {"schemeless": "http://", "address": "mailto:"}


@dataclass(frozen=True, slots=True)
class Expected:
    """What is found, or refused, from *start* to *end*, in characters; the URL is the first of its readings."""

    form: str
    start: int
    end: int
    readings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and what is found and refused in it under some options."""

    text: str
    found: tuple[Expected, ...]
    refused: tuple[Expected, ...]
    options: Mapping[str, Any]

    def with_line_end(self, line_end: str) -> "Case":
        """Return the case with each line end of its text written as *line_end*."""

        def written(text: str) -> str:
            return _LINE_END.sub(line_end, text)

        def moved(one: Expected) -> Expected:
            start, end = (len(written(self.text[:at])) for at in (one.start, one.end))
            return replace(one, start=start, end=end, readings=tuple(map(written, one.readings)))

        return Case(written(self.text), tuple(map(moved, self.found)), tuple(map(moved, self.refused)), self.options)

    def variants(self) -> list["Case"]:
        """Return the case as it is, and under each other line end."""
        others = map(self.with_line_end, LINE_ENDS.values())
        return [self, *(other for other in others if other.text != self.text)]


def _case(marked: str, results: list[Any], forms: list[str], options: Mapping[str, Any]) -> Case:
    found: list[Expected] = []
    refused: list[Expected] = []
    marks = list(_MARK.finditer(marked))
    for number, mark in enumerate(marks):
        start = mark.start() - 2 * number
        text = mark[mark.lastgroup or ""]
        form = forms[len(found) % len(forms)] if mark.lastgroup == "found" else ""
        result = results[number] if results else _IMPLIED.get(form, "") + text
        readings = (result,) if isinstance(result, str) else tuple(result)
        (found if form else refused).append(Expected(form, start, start + len(text), readings))
    assert len(results) in (0, len(marks)), marked
    return Case(re.sub("[⟦⟧⟪⟫]", "", marked), tuple(found), tuple(refused), options)


def _read(table: dict[str, Any], pieces: Mapping[str, Any]) -> Iterator[tuple[str, Case]]:
    """Yield the names and cases of a *table*."""
    for name, row in table.items():
        if name in ("form", "options"):
            continue
        if not isinstance(row, dict):
            text, *results = [row] if isinstance(row, str) else row
            row = {"text": text, "results": results}  # noqa: PLW2901 -- the long way to write it
        about = table | row
        forms = about.get("form", "bare").split()
        options = dict.fromkeys(about.get("options", ()), True)

        def filled(text: str, leader: list[str]) -> str:
            starts = chain(leader, repeat(leader[-1]))
            return _PIECE.sub(lambda piece: next(starts) if piece[1] == "leader" else pieces[piece[1]], text)

        leaders = pieces["leader"] if "⟨leader⟩" in about["text"] else {"": [""]}
        for leader, starts in leaders.items():
            results = [
                filled(result, starts) if isinstance(result, str) else [filled(one, starts) for one in result]
                for result in about.get("results", ())
            ]
            yield f"{name} {leader}".rstrip(), _case(filled(about["text"], starts), results, forms, options)


def _load() -> dict[str, Case]:
    tables = tomllib.loads((Path(__file__).parent / "data" / "find.toml").read_text("utf-8"))
    pieces = tables.pop("pieces")
    return {f"{table}: {name}": case for table, rows in tables.items() for name, case in _read(rows, pieces)}


CASES: Mapping[str, Case] = _load()
"""Every case by its name."""

TABLES: Mapping[str, Mapping[str, Case]] = {
    table: dict(cases) for table, cases in groupby(CASES.items(), key=lambda each: each[0].partition(":")[0])
}
"""The cases of each table, by the whole name of the case."""
