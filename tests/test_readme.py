"""The README's examples, tables and commands are true."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import urlmend
from urlmend import departures

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text("utf-8")


def test_examples_run() -> None:
    results = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert results.attempted > 4
    assert results.failed == 0


MODULES = sorted(module.name for module in pkgutil.walk_packages(urlmend.__path__, "urlmend."))


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    if name == "urlmend.__main__":
        pytest.skip("runs the command")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def _between(mark: str) -> str:
    match = re.search(rf"<!-- {mark} -->\n(.*)\n<!-- /{mark} -->", TEXT, re.DOTALL)
    assert match, mark
    return match[1]


def test_departures_are_the_code_s() -> None:
    assert _between("departures") == departures.table()


def test_every_room_is_in_the_picture() -> None:
    source = README.parent / "src" / "urlmend"
    rooms = {path.name for path in source.glob("*.py") if not path.name.startswith("__")}
    rooms |= {f"{path.name}/" for path in source.iterdir() if (path / "__init__.py").exists()}
    assert rooms
    assert set(re.findall(r"`(\w+(?:\.py|/))`", _between("rooms"))) == rooms


def test_each_command_is_one_line() -> None:
    commands = re.findall(r"<!-- command: (\w+) -->\n```sh\n(.*?)\n```", TEXT, re.DOTALL)
    assert [name for name, _ in commands] == ["run", "test"]
    assert all("\n" not in command for _, command in commands)
