"""The house: imports run one way between folders, modules stay short, and importing the package costs little."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import urlmend

PACKAGE = Path(urlmend.__file__).parent

ROOMS: Mapping[str, frozenset[str]] = {
    name: frozenset(below.split())
    for name, below in {
        "grammar": "",
        "text": "",
        "sources": "",
        "match": "grammar text sources",
        "mend": "grammar text match",
        "scan": "grammar text match mend sources",
        "resolver": "grammar text mend match scan sources",
        "scanner": "grammar text mend match scan resolver sources",
        "parallel": "grammar text mend match scan resolver scanner sources",
        "extract": "grammar text mend match scan resolver scanner parallel sources",
        "output": "grammar text mend match scan resolver scanner parallel extract sources",
        "arrow": "grammar text mend match scan resolver scanner parallel extract output sources",
        "report": "grammar text mend match scan resolver scanner parallel extract output arrow sources",
        "spark": "grammar text mend match scan resolver scanner parallel extract output arrow sources",
        "cli": "grammar text mend match scan resolver scanner parallel extract output arrow report spark sources",
    }.items()
}
"""Each room, a folder or a module of the package, and the rooms that its modules may import, lazily or not."""

ONLY: Mapping[tuple[str, str], frozenset[str]] = {
    ("match", "sources"): frozenset({"Origin"}),
    ("scan", "sources"): frozenset({"LineCounter", "Origin", "Prefilter", "Span", "Text"}),
}
"""Which names a room may import from another where it may not have all."""

LONGEST = 300
TABLES = {"mend.evidence.weights"}
"""Generated modules, which may be longer than LONGEST lines."""

FULLEST = 12
ROOMY: Mapping[str, int] = {"sources": 14}
"""Folders that may have more than FULLEST modules, and how many."""

MOST_WAIVERS = 8
NAMELESS = {"utils", "util", "helpers", "helper", "core", "manager", "common", "misc", "base"}
CONSTRUCTORS = {"__init__", "__post_init__", "__new__"}

FEW_NEED = ("email", "html", "json", "selectolax", "sqlite3", "subprocess", "publicsuffixlist", "urlmend.sources.mail")
"""What the command imports where it is asked for only."""

HEAVY = (
    *("click", "concurrent", "subprocess", "regex", "idna", "sqlite3", "email"),
    *("selectolax", "fastwarc", "pyarrow", "pyspark", "jinja2", "vl_convert"),
)


class Import(NamedTuple):
    """An import of one module by another, both without `urlmend.`; `names` are those taken from it."""

    importer: str
    line: int
    imported: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


@cache
def modules() -> Mapping[str, Path]:
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text("utf-8"))


def room(module: str) -> str:
    return module.partition(".")[0]


def target(module: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the module that `from module import name` takes, and the names out of it."""
    whole = f"{module}.{name}".removeprefix(".")
    return (whole, ()) if whole in modules() else (module, (name,))


@cache
def imports(module: str) -> tuple[Import, ...]:
    """Return every import of a module of the package in *module*, those inside functions too."""
    found = []
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found += [
                Import(module, node.lineno, alias.name.removeprefix("urlmend."), ())
                for alias in node.names
                if alias.name.startswith("urlmend.")
            ]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: a relative import"
            if room(node.module or "") == "urlmend":
                above = (node.module or "").removeprefix("urlmend").removeprefix(".")
                found += [Import(module, node.lineno, *target(above, alias.name)) for alias in node.names]
    return tuple(found)


def all_imports() -> Iterator[Import]:
    """Yield the imports of all modules but the package itself, which takes the public names from anywhere."""
    for module in modules():
        if room(module) in ROOMS:
            yield from imports(module)


def none_of(wrong: Iterable[str]) -> None:
    """Fail with all that is *wrong*, one a line."""
    if lines := dict.fromkeys(wrong):
        pytest.fail("\n".join(lines))


def calls(module: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls in *module* with the name of the innermost function around each."""

    def inside(node: ast.AST, function: str) -> Iterator[tuple[str, ast.Call]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield function, child
            within = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
            yield from inside(child, within)

    return inside(tree(module), "")


# The arrows


def test_every_module_stands_in_a_room() -> None:
    none_of(module for module in modules() if room(module) not in {*ROOMS, "__init__", "__main__"})
    none_of(f"{name} has no module" for name in ROOMS if name not in set(map(room, modules())))


def test_the_rooms_have_no_circle() -> None:
    for number, name in enumerate(ROOMS):
        assert ROOMS[name] <= set(list(ROOMS)[:number])


def test_a_room_imports_only_what_is_below_it() -> None:
    none_of(
        str(one) for one in all_imports() if room(one.imported) not in ROOMS[room(one.importer)] | {room(one.importer)}
    )


def test_a_room_imports_only_these_names() -> None:
    wrong = []
    for one in all_imports():
        allowed = ONLY.get((room(one.importer), room(one.imported)))
        if allowed is not None and not (one.names and allowed.issuperset(one.names)):
            wrong.append(f"{one} ({', '.join(one.names)})")
    none_of(wrong)


def test_modules_import_in_no_circle() -> None:
    """A package's `__init__` stands for itself, and imports for a type checker count too."""
    below = {module: {one.imported for one in imports(module)} & set(modules()) for module in modules()}
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


# The modules


def test_no_module_is_too_long() -> None:
    lengths = {module: len(path.read_text("utf-8").splitlines()) for module, path in modules().items()}
    none_of(f"{module}: {lines}" for module, lines in lengths.items() if lines > LONGEST and module not in TABLES)


def test_no_folder_is_too_full() -> None:
    sizes: dict[str, int] = {}
    for path in modules().values():
        folder = ".".join(path.parent.relative_to(PACKAGE).parts)
        sizes[folder] = sizes.get(folder, 0) + (path.name != "__init__.py")
    none_of(f"{folder}: {size}" for folder, size in sizes.items() if size > ROOMY.get(folder, FULLEST))


def test_every_module_has_a_name_that_says_something() -> None:
    none_of(module for module in modules() if NAMELESS.intersection(module.split(".")))


def test_no_object_changes_its_class() -> None:
    stores = (
        (module, node)
        for module in modules()
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Attribute) and node.attr == "__class__" and isinstance(node.ctx, ast.Store)
    )
    sets = (
        (module, call)
        for module in modules()
        for _, call in calls(module)
        if any(isinstance(argument, ast.Constant) and argument.value == "__class__" for argument in call.args)
    )
    none_of(f"{module}:{node.lineno}" for module, node in (*stores, *sets))


def test_frozen_values_are_set_in_their_constructors_only() -> None:
    wrong = [
        f"{module}:{call.lineno}, in {function}"
        for module in modules()
        for function, call in calls(module)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in {"__setattr__", "__delattr__"}
        and function not in CONSTRUCTORS
    ]
    none_of(wrong)


def test_few_functions_have_many_arguments() -> None:
    waivers = [
        f"{module}:{number}"
        for module, path in modules().items()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"#.*noqa.*PLR09(13|17)", line)
    ]
    none_of(waivers if len(waivers) > MOST_WAIVERS else ())


# The package


def test_the_package_itself_defines_nothing() -> None:
    assert all(isinstance(node, (ast.Expr, ast.ImportFrom, ast.Assign)) for node in tree("__init__").body)
    assert [name for name in urlmend.__all__ if not hasattr(urlmend, name)] == []


@pytest.mark.parametrize("name", HEAVY)
def test_importing_the_package_is_cheap(name: str) -> None:
    assert name not in imported_with("urlmend")


@pytest.mark.parametrize("name", FEW_NEED)
def test_importing_the_command_is_cheap(name: str) -> None:
    assert name not in imported_with("urlmend.cli")


@cache
def imported_with(module: str) -> frozenset[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    assert "urlmend.grammar.parser" in found.stdout.split()
    return frozenset(found.stdout.split())
