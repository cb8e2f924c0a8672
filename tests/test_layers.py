"""Imports run one way, modules stay short, and importing the package costs little."""

import ast
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import urlmend

PACKAGE = Path(urlmend.__file__).parent
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}

BELOW: Mapping[str, set[str]] = {
    "grammar": set(),
    "departures": set(),
    "errors": set(),
    "rfc822": set(),
    "lines": set(),
    "termination": set(),
    "automaton": set(),
    "profiles": {"grammar", "departures"},
    "urls": {"rfc822"},
    "unrolled": set(),
    "parser": {"grammar", "departures", "errors", "profiles", "unrolled", "urls", "automaton"},
    "triggers": set(),
    "plain": {"extents", "triggers"},
    "torn": {"extents", "lines", "plain"},
    "extents": {"lines", "termination", "triggers"},
    "candidate": {"extents", "lines"},
    "engine": set(),
    "scanner": {"candidate", "engine", "extents", "matches", "plain", "profiles", "sources", "torn", "triggers"},
    "evidence": set(),
    "rejoin": {"lines", "evidence"},
    "sources": {"engine", "sources"},
    "security": {"urls"},
    "normal": {"parser", "profiles", "urls"},
    "building": {"grammar", "parser", "profiles", "urls"},
    "matches": {"errors", "extents", "lines", "parser", "plain", "profiles", "rejoin", "security", "sources", "urls"},
    "seen": {"matches", "plain", "urls"},
    "glance": {"engine", "extents", "matches", "plain", "profiles", "sources", "triggers"},
    "extract": {
        *(
            "glance",
            "matches",
            "seen",
            "rejoin",
            "evidence",
            "plain",
            "termination",
            "torn",
            "triggers",
            "candidate",
            "errors",
            "extents",
            "parser",
            "profiles",
            "scanner",
        ),
        *("sources", "urls"),
    },
    "jobs": {
        "jobs",
        "extents",
        "extract",
        "glance",
        "matches",
        "plain",
        "profiles",
        "scanner",
        "seen",
        "sources",
        "triggers",
    },
}
"""What a module may import of the package; a package stands for all its modules."""

LAZY = {("parser", "automaton")}
"""Imports that must stand inside a function."""

ABOVE = {
    "annotate",
    "arrow",
    "manual",
    "extract",
    "finding",
    "harvest",
    "jobs",
    "cli",
    "commands",
    "inputs",
    "report",
    "progress",
    "selection",
    "spark",
    "surroundings",
    "tally",
    "writers",
    "explain",
    "__main__",
}
"""What nothing below `extract` may import."""

NAMELESS = {"utils", "util", "helpers", "helper", "core", "manager", "common", "misc", "base"}
LONGEST = 300
LONG: Mapping[str, str] = {
    "departures": "a table of data",
    "urls": "one class a scheme",
    "extract": "the public classes with their documentation, and the one place that ties the stages",
}
"""Modules that may be longer than LONGEST lines, and why."""

HEAVY = (
    *("click", "concurrent", "subprocess", "regex", "idna", "sqlite3", "email"),
    *("selectolax", "fastwarc", "pyarrow", "pyspark", "jinja2", "vl_convert"),
)


def imports(path: Path, *, inside: bool | None = None) -> set[str]:
    """Return the modules of the package that *path* imports; only those inside functions, or only those outside."""
    tree = ast.parse(path.read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    lazy = {id(child) for function in functions for child in ast.walk(function)}
    names: set[str] = set()
    for node in ast.walk(tree):
        if inside is not None and (id(node) in lazy) != inside:
            continue
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            modules = (
                {f"urlmend.{alias.name}" for alias in node.names} if node.module == "urlmend" else {str(node.module)}
            )
            names |= modules
    return {name.removeprefix("urlmend.") for name in names if name.startswith("urlmend.")}


def room(module: str) -> str:
    return module.partition(".")[0]


def test_there_are_modules() -> None:
    assert set(BELOW) <= {room(module) for module in MODULES}
    assert len(MODULES) > len(BELOW)


@pytest.mark.parametrize("module", [module for module in MODULES if room(module) in BELOW])
def test_module_imports_only_what_is_below_it(module: str) -> None:
    assert {room(name) for name in imports(MODULES[module])} <= BELOW[room(module)]


def test_every_module_has_its_place() -> None:
    assert {room(module) for module in MODULES} <= {*BELOW, *ABOVE, "__init__"}


@pytest.mark.parametrize(("module", "name"), sorted(LAZY))
def test_what_few_need_is_imported_when_needed(module: str, name: str) -> None:
    assert name in imports(MODULES[module], inside=True)
    assert name not in imports(MODULES[module], inside=False)


def test_nothing_below_extract_knows_what_stands_on_it() -> None:
    for module, path in MODULES.items():
        if room(module) in BELOW and room(module) not in ABOVE:
            assert not {room(name) for name in imports(path)} & ABOVE, module


def test_the_package_itself_defines_nothing() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    assert all(isinstance(node, (ast.Expr, ast.ImportFrom, ast.Assign)) for node in tree.body)
    assert [name for name in urlmend.__all__ if not hasattr(urlmend, name)] == []


def test_importing_the_package_is_cheap() -> None:
    code = f"import sys, urlmend; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    assert found.stdout.split() == []


def test_every_module_has_a_name_that_says_something() -> None:
    assert not {part for module in MODULES for part in module.split(".")} & NAMELESS


def test_no_module_is_too_long() -> None:
    lengths = {module: len(path.read_text("utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: length for module, length in lengths.items() if length > LONGEST and module not in LONG} == {}
