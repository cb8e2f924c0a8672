"""The README's commands, the walk of a new user, and examples in docstrings are true; test_docs.py has the rest."""

import doctest
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import urlmend
from documents import DOCS, README, between
from urlmend.mend.line_break import first_line_break

TEXT = README.read_text("utf-8")
HARVEST = DOCS / "how-to" / "list-to-sqlite.md"
WALK = between(HARVEST, "walk")


MODULES = sorted(module.name for module in pkgutil.walk_packages(urlmend.__path__, "urlmend."))


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    if name in {"urlmend.arrow", "urlmend.output.arrow"}:
        pytest.importorskip("pyarrow")
    if name.startswith("urlmend.report"):
        pytest.importorskip("jinja2")
        pytest.importorskip("vl_convert")
    if name.startswith("urlmend.spark"):
        pytest.importorskip("pyspark")
    # The excerpts of the clues and guards share what makes a line break of a text.
    shared = {"first_line_break": first_line_break}
    assert doctest.testmod(importlib.import_module(name), extraglobs=shared).failed == 0


def test_every_room_is_in_the_picture() -> None:
    source = README.parent / "src" / "urlmend"
    rooms = {path.name for path in source.glob("*.py") if not path.name.startswith("__")}
    rooms |= {f"{path.name}/" for path in source.iterdir() if (path / "__init__.py").exists()}
    assert rooms
    assert set(re.findall(r"`(\w+(?:\.py|/))`", between(DOCS / "explanation" / "how-it-is-built.md", "rooms"))) == rooms


SQLITE_SHELL = """#!{python}
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row, sep="|")
"""


@pytest.mark.slow
def test_the_walk_of_a_new_user(tmp_path: Path) -> None:
    install, *commands = re.fullmatch(r"```sh\n(.*)\n```", WALK, re.DOTALL)[1].splitlines()  # type: ignore[index]
    assert len(commands) == 4
    assert install.endswith("pip install -q .")
    checkout = tmp_path / "checkout"
    ignored = shutil.ignore_patterns(".*", "__pycache__", "tests")
    shutil.copytree(README.parent, checkout, ignore=ignored)
    shell = partial(subprocess.run, cwd=checkout, capture_output=True, text=True, check=False)
    installed = shell(["/bin/sh", "-c", install])
    if "connection" in installed.stderr.lower() or "no matching distribution" in installed.stderr.lower():
        pytest.skip("no package index to install from")
    assert installed.returncode == 0, installed.stderr
    sqlite = checkout / "bin" / "sqlite3"  # for machines that have none
    sqlite.parent.mkdir()
    sqlite.write_text(SQLITE_SHELL.format(python=sys.executable))
    sqlite.chmod(0o755)
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:{sqlite.parent}"}
    first, hosts, months, again = (shell(["/bin/sh", "-c", command], env=environment) for command in commands)
    assert [done.returncode for done in (first, hosts, months, again)] == [0, 0, 0, 0]
    assert first.stderr == "urlmend: files: 1 new, 0 grown, 0 unchanged; 1208 URLs read, in links.db\n"
    assert hosts.stdout.splitlines()[0] == "place.example.net|3"
    assert len(hosts.stdout.splitlines()) == 5
    assert [line.split("|")[0] for line in months.stdout.splitlines()] == [f"2003-{month:02}" for month in range(1, 13)]
    assert again.stderr in HARVEST.read_text("utf-8")


def test_each_command_is_one_line() -> None:
    commands = re.findall(r"<!-- command: (\w+) -->\n```sh\n(.*?)\n```", TEXT, re.DOTALL)
    assert [name for name, _ in commands] == ["run", "test"]
    assert all("\n" not in command for _, command in commands)
