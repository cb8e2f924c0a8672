"""The layers of the package: which modules may import which, and what importing the package may load."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import urlmend
from documents import DOCS, between

PACKAGE = Path(urlmend.__file__).parent

ROOMS = re.findall(
    r"^\| `(\w+)(?:\.py|/)` \|", between(DOCS / "explanation" / "how-it-is-built.md", "rooms"), re.MULTILINE
)
"""The layers, lower first. A folder or module of the package imports from itself and from the layers below it."""

LOADED_LATE = "email html idna json publicsuffixlist regex sqlite3 subprocess tqdm urlmend.sources.mail".split()
"""What the command imports only when it is needed."""

HEAVY = (
    *("click", "concurrent", "subprocess", "regex", "idna", "sqlite3", "email"),
    *("tqdm", "publicsuffixlist", "pyarrow", "pyspark", "jinja2", "vl_convert"),
)
"""What the public names do not need."""

MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@cache
def imports(module: str) -> frozenset[str]:
    """Return the modules of the package that *module* imports anywhere, for type checkers too, without `urlmend.`."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("urlmend.") for alias in node.names if alias.name.startswith("urlmend.")}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} is a relative import"
            source = node.module or ""
            if source.partition(".")[0] == "urlmend":
                above = source.removeprefix("urlmend").removeprefix(".")
                names = {f"{above}.{alias.name}".removeprefix(".") for alias in node.names}
                found |= {name if name in MODULES else above for name in names}
    return frozenset(found - {"", module})


def upward() -> Iterator[str]:
    for module in MODULES:
        room = module.partition(".")[0]
        for imported in imports(module) if room in ROOMS else ():
            if imported.partition(".")[0] not in ROOMS[: ROOMS.index(room) + 1]:
                yield f"{module} imports {imported}"


def test_every_module_belongs_to_a_layer() -> None:
    assert {module.partition(".")[0] for module in MODULES} == {*ROOMS, "__init__", "__main__"}


def test_imports_go_downwards() -> None:
    assert list(upward()) == []


def test_modules_do_not_import_in_a_circle() -> None:
    try:
        TopologicalSorter({module: imports(module) & set(MODULES) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@cache
def imported_with(module: str) -> frozenset[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    assert "urlmend.grammar.parser" in found.stdout.split()
    return frozenset(found.stdout.split())


@pytest.mark.parametrize(
    ("module", "name"), [*(("api", name) for name in HEAVY), *(("cli.find", name) for name in LOADED_LATE)]
)
def test_importing_is_cheap(module: str, name: str) -> None:
    assert name not in imported_with(f"urlmend.{module}")
