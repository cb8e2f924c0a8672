"""The tables of what the code holds as data: departures, clues, guards, limits, defects, sources, formats."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterable

from made.markdown import ROOT, code, descriptions, table
from urlmend.cli.find import FORMATS
from urlmend.grammar import security
from urlmend.grammar.departures import DEPARTURES
from urlmend.grammar.unwrap import WRAPPINGS
from urlmend.mend.clues import CLUES
from urlmend.mend.guards import GUARDS
from urlmend.mend.quick_verdict import CERTAIN
from urlmend.sources import SOURCES
from urlmend.text.schemes import OPAQUE_NAMES, SCHEMES


def departures() -> str:
    """Return the table of the departures of the profile WEB."""
    seen = descriptions()["seen"]
    lines = (
        (one.name + " (*narrower*)" * one.narrower, one.rfc1738, one.web, code(one.example), seen.get(one.name, "0"))
        for one in DEPARTURES
    )
    return table(("departure", "RFC 1738", "the web", "example", "seen"), lines)


def schemes(which: str) -> str:
    """Return the names of the opaque schemes, or of those that become links."""
    names = {"opaque": OPAQUE_NAMES, "linked": [scheme.name for scheme in SCHEMES if scheme.linked]}[which]
    return " ".join(code(f"{name}:") for name in names)


def sources() -> str:
    """Return the sources."""
    return table(("source", "what is read"), ((code(name), descriptions()["sources"][name]) for name in SOURCES))


def formats() -> str:
    """Return the formats of `--format`."""
    return table(("format", "what is written"), ((code(name), each.help) for name, each in FORMATS.items()))


def clues() -> str:
    """Return the clues, each with what it looks at."""
    return _meanings(("clue", "what it looks at"), ((clue.__name__, meaning) for clue, meaning in CLUES.items()))


def guards(which: str) -> str:
    """Return the guards that join, or those that end."""
    joins = {"join": True, "end": False}[which]
    some = ((guard.__name__, meaning) for guard, (p, meaning) in GUARDS.items() if (p == CERTAIN) == joins)
    return _meanings(("guard", "what it sees"), some)


def _meanings(heading: tuple[str, str], rules: Iterable[tuple[str, str]]) -> str:
    meanings = ((name.replace("_", " "), meaning[:1].upper() + meaning[1:]) for name, meaning in rules)
    return table(heading, meanings)


LIMITS = (
    "text.limits.MAX_URL_LENGTH",
    "text.limits.MAX_WRAPPER_SPAN",
    "text.limits.LOOKBACK",
    "text.limits.LOOKAHEAD",
    "match.MAX_READINGS",
    "mend.joining.MAX_JOINED_LINES",
    "mend.line_break.THRONG",
    "mend.line_break.SHORTEST",
    "sources.mail.MAX_PART_DEPTH",
    "sources.mail.MAX_PARTS",
    "sources.header.MAX_FIELDS_WITH_URLS",
    "sources.compression.MAX_WINDOW_LOG",
    "sources.containers.MAX_ARCHIVE_DEPTH",
    "sources.archives.MAX_LISTED",
    "sources.archives.MAX_MEMBERS",
    "sources.compression.MAX_RATIO",
    "sources.compression.FREE",
    "sources.archives.MAX_TAR_HEADERS",
    "sources.web_archives.MAX_CODINGS",
    "sources.json.MAX_SIZE",
    "sources.json.MAX_PATH",
    "grammar.unwrap.MAX_NESTED",
)


def limits() -> str:
    """Return the limits of LIMITS: their values and their docstrings."""
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
    """Return the kinds of addresses that wrap others."""
    meanings = descriptions()["wrappings"]
    return table(("kind", "where"), ((each.name, meanings[each.name]) for each in WRAPPINGS))


def notes() -> str:
    """Return the security notes; the docstring of the function that yields them says what each sees."""
    said = dict(re.findall(r"^- `(.*?)`: (.*)", inspect.getdoc(security.warnings) or "", re.MULTILINE))
    names = dict.fromkeys(re.findall(r'SecurityWarning\("(.*?)"', inspect.getsource(security)))
    return table(("note", "what it sees"), ((code(name), said[name]) for name in names))


def defects() -> str:
    """Return what a source may note of a broken file, from the places where it does."""
    texts = set()
    for path in sorted((ROOT / "src" / "urlmend" / "sources").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            text = None
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target = node.targets[0]
                text = target.slice if "defects" in ast.unparse(target.value) else None
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".add_defect"):
                text = node.args[0]
            if isinstance(text, (ast.Constant, ast.JoinedStr)):
                texts.add(_template(text))
    said = descriptions()["defects"]
    return table(("defect", "what was broken, and what was done"), ((text, said[text]) for text in sorted(texts)))


def _template(text: ast.Constant | ast.JoinedStr) -> str:
    """Return a text of the code with `…` for what it fills in."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in text.values)
