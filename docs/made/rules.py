"""The tables of what the code holds as data: departures, clues, guards, limits, defects, sources, wrappings."""

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

from made.markdown import ROOT, code, descriptions, table
from urlmend.grammar.departure import table as departure_table
from urlmend.grammar.departures import DEPARTURES
from urlmend.grammar.wrapping.rules import RULES
from urlmend.mend.evidence import guards_that_end, guards_that_join
from urlmend.mend.evidence.clues import CLUES
from urlmend.sources import SOURCES


def departures() -> str:
    """Return the table of the departures of the profile WEB."""
    return departure_table(DEPARTURES)


def sources() -> str:
    """Return the sources."""
    return table(("source", "what is read"), ((code(name), descriptions()["sources"][name]) for name in SOURCES))


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
