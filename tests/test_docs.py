"""README, docs/ and docstrings are true: what can run is run, tables are the code's, links lead somewhere.

A `console` block is a shell: what follows `$ ` is run, and what follows that is what it prints; `...` alone in a line
stands for any lines. A `pycon` block is a doctest, a `python` block is run. A block with a title is that file. All
blocks of a page share one namespace and one directory, with the files that `docs/examples.py` makes; README has the
checkout. Blocks in other languages are pictures of something; `sh` blocks need a mark that says why they are not run.
"""

import doctest
import importlib
import importlib.util
import io
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import urlmend
from documents import DOCS, PAGES, README, ROOT, Block, anchors, between, blocks, commands, links
from examples import files
from generate import filled
from made.values import URLS
from urlmend.api import PUBLIC_NAMES
from urlmend.cli import main
from urlmend.cli.command import COMMANDS
from urlmend.mend.line_break import first_line_break

SAMPLES = ROOT / "corpora" / "samples"
TEXTS = {page: page.read_text("utf-8") for page in PAGES}
NAMES = {page: str(page.relative_to(ROOT)) for page in PAGES}

FILES = re.compile(r"\b(?:list\.mbox|article\.news|document\.txt|message\.eml|texts\.parquet)\b|\bspool |Maildir")
RUN = {"console", "pycon", "python"}
SHOWN = {"text", "json", "muttrc", "sql", "toml", "conf", "lisp", "crontab", ""}
SHELL = re.compile(r"[|<>;&$*()]")
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _by_page(page: Path) -> str:
    return NAMES[page]


# -- Running


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("docs") / "files"
    files(root)
    return root


PROGRAMS = {
    "urlmend": f'#!/bin/sh\nexec "{sys.executable}" -m urlmend "$@"\n',
    "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n',
    # For machines without SQLite's shell.
    "sqlite3": f"#!{sys.executable}\nimport sqlite3, sys\n"
    "for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):\n"
    "    print(*['' if cell is None else cell for cell in row], sep='|')\n",
}


def with_programs(folder: Path, names: Iterable[str] = PROGRAMS) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(PROGRAMS[name])
        (folder / name).chmod(0o755)
    return folder


class Page:
    """The examples of a page, run in order in the directory *root*."""

    def __init__(self, root: Path, programs: Path) -> None:
        self.root = root
        self.names: dict[str, Any] = {}
        self._programs = programs

    def run(self, block: Block) -> None:
        """Run *block*, or write it to the file that its title names."""
        if block.mark.startswith("not run: "):
            return
        if block.mark == "use":
            for line in block.text.splitlines():
                assert self._printed(line.partition("#")[0].replace("| less", "| cat")), line
        elif block.language == "console":
            for command, expected in commands(block.text):
                found = self._printed(command)
                assert _same(expected, found), f"line {block.line}: $ {command}\n{found}"
        elif block.title:
            path = self.root / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
        elif block.language == "pycon":
            self._doctest(block)
        elif block.language == "python":
            exec(compile(block.text, f"line {block.line}", "exec"), self.names)  # noqa: S102 -- the page's own

    def _printed(self, command: str) -> str:
        if not _needs_shell(command):
            # Not in a process of its own: many commands are run.
            return CliRunner().invoke(main, shlex.split(command)[1:]).output
        environment = {"PATH": f"{self._programs}:/usr/bin:/bin", "HOME": str(self.root), "LC_ALL": "C.UTF-8"}
        environment["PYTHONPATH"] = str(Path(urlmend.__file__).parents[1])
        done = subprocess.run(  # noqa: S603 -- the page's own
            ["/bin/bash", "-o", "pipefail", "-c", command],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    def _doctest(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, f"line {block.line}", None, block.line)
        told = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        with redirect_stdout(told):
            failed = runner.run(test, clear_globs=False).failed
        self.names.update(test.globs)
        assert test.examples
        assert failed == 0, told.getvalue()


def _needs_shell(command: str) -> bool:
    return not command.startswith("urlmend ") or SHELL.search(re.sub(r"'[^'\n]*'", "", command)) is not None


def _same(expected: str, found: str) -> bool:
    pattern = re.escape(expected).replace(re.escape("...\n"), r"(?:.*\n)*?")
    return re.fullmatch(pattern, found) is not None


def _is_quick(page: Path) -> bool:
    """Whether nothing of *page* needs another process."""
    return not any(
        _needs_shell(command)
        for block in blocks(TEXTS[page])
        if block.language == "console" and not block.mark
        for command, _ in commands(block.text)
    )


WITH_CODE = [page for page in PAGES if any(block.language in RUN for block in blocks(TEXTS[page]))]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=NAMES[page], marks=() if _is_quick(page) else pytest.mark.slow) for page in WITH_CODE],
)
def test_the_examples_run(page: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [block for block in blocks(TEXTS[page]) if not _is_run_elsewhere(block)]
    for module, needed in (("pandas", "pandas"), ("polars", "polars"), ("vl_convert", "urlmend report")):
        if any(needed in block.text for block in chosen) and importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")
    if any("jq " in block.text for block in chosen if block.language == "console") and shutil.which("jq") is None:
        pytest.skip("needs jq")
    root, programs = tmp_path / "root", with_programs(tmp_path / "programs")
    if page == README:
        shutil.copytree(ROOT / "corpora" / "samples", root / "corpora" / "samples")
    else:
        names_files = page.parent.name == "how-to" and FILES.search(TEXTS[page])
        assert not names_files or "python3 docs/examples.py" in TEXTS[page]
        shutil.copytree(kept, root)
    monkeypatch.chdir(root)
    shell = Page(root, programs)
    for block in chosen:
        shell.run(block)


def _is_run_elsewhere(block: Block) -> bool:
    """Whether another test runs *block*: tests/slow/test_engines.py, tests/slow/test_spark.py, .ci/run."""
    return block.mark.startswith(("engine: ", "spark", "command: ", "walk"))


@pytest.mark.parametrize("page", PAGES, ids=_by_page)
def test_every_block_is_run_or_says_why_not(page: Path) -> None:
    for block in blocks(TEXTS[page]):
        told = block.mark.startswith(("not run: ", "use")) or _is_run_elsewhere(block)
        assert block.language in RUN | SHOWN or (block.language == "sh" and told), (block.line, block.language)


# -- Tables


@pytest.mark.parametrize("page", [page for page in PAGES if "<!-- made: " in TEXTS[page]], ids=_by_page)
def test_tables_agree_with_the_code(page: Path) -> None:
    assert filled(TEXTS[page]) == TEXTS[page], "python docs/generate.py writes them"


def _made() -> set[str]:
    return {name for text in TEXTS.values() for name in re.findall(r"<!-- made: ([^>]*?) -->", text)}


def test_every_command_name_and_field_is_in_the_reference() -> None:
    wanted = {f"{kind} {name}" for name in COMMANDS for kind in ("usage", "options")}
    wanted |= {"guards join", "guards end", *"record tables names sources formats chosen departures clues".split()}
    wanted |= {f"fields {name}" for name in (*URLS, "URLMatch", "Rejected", "Break", "Origin", "Text")}
    assert wanted <= _made()
    text = TEXTS[DOCS / "reference" / "python.md"]
    documented = set(re.findall(r"^::: urlmend\.(\w+)$", text, re.MULTILINE)) | {"__version__"}
    assert set(PUBLIC_NAMES) <= documented


# -- Links


@pytest.mark.parametrize("page", PAGES, ids=_by_page)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(TEXTS[page]):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            urlmend.parse(link)
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md" and not anchor.startswith("urlmend"):
            assert anchor in anchors(target.read_text("utf-8")), link


def test_the_readme_has_two_commands_of_one_line() -> None:
    told = re.findall(r"<!-- command: (\w+) -->\n```sh\n(.*?)\n```", TEXTS[README], re.DOTALL)
    assert [name for name, _ in told] == ["run", "test"]
    assert all("\n" not in command for _, command in told)


# -- The documents for contributors

NAMED = re.compile(r"(?<![\w./])((?:src|tests|docs|benchmarks|\.ci)/[\w./-]*\w)")


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md"])
def test_files_that_are_named_are_there(name: str) -> None:
    named = NAMED.findall((ROOT / name).read_text("utf-8"))
    assert len(named) > 3
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_extras_that_are_named_are_there() -> None:
    there = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    files = [ROOT / "CONTRIBUTING.md", ROOT / "Dockerfile", *(ROOT / ".github/workflows").iterdir()]
    text = "".join(file.read_text("utf-8") for file in files)
    named = {extra for extras in re.findall(r"\[([a-z,]+)\][\"']", text) for extra in extras.split(",")}
    assert {"dev", "docs", "report", "test"} <= named <= there.keys()


# -- Docstrings, the walk of a new user

HARVEST = DOCS / "how-to" / "list-to-sqlite.md"
MODULES = sorted(module.name for module in pkgutil.walk_packages(urlmend.__path__, "urlmend."))


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    if name == "urlmend.arrow":
        pytest.importorskip("pyarrow")
    if name.startswith("urlmend.report"):
        pytest.importorskip("jinja2")
        pytest.importorskip("vl_convert")
    if name.startswith("urlmend.spark"):
        pytest.importorskip("pyspark")
    # The excerpts of the clues and guards share what makes a line break of a text.
    shared = {"first_line_break": first_line_break}
    assert doctest.testmod(importlib.import_module(name), extraglobs=shared).failed == 0


@pytest.mark.slow
def test_the_walk_of_a_new_user(tmp_path: Path) -> None:
    install, *queries = re.fullmatch(r"```sh\n(.*)\n```", between(HARVEST, "walk"), re.DOTALL)[1].splitlines()  # type: ignore[index]
    assert f"\n{install} && " in TEXTS[README]  # `.ci/run` runs it there
    shutil.copytree(SAMPLES, tmp_path / "corpora" / "samples")
    with_programs(tmp_path / ".venv" / "bin", ["urlmend"])
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:{with_programs(tmp_path / 'bin', ['sqlite3'])}"}
    shell = partial(subprocess.run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    first, hosts, months, again = (shell(["/bin/sh", "-c", command]) for command in queries)
    assert first.stderr == "urlmend: files: 1 new, 0 grown, 0 unchanged; 1208 URLs read, in links.db\n"
    assert hosts.stdout.splitlines()[0] == "place.example.net|3"
    assert len(hosts.stdout.splitlines()) == 5
    assert [line.split("|")[0] for line in months.stdout.splitlines()] == [f"2003-{month:02}" for month in range(1, 13)]
    assert again.stderr in HARVEST.read_text("utf-8")


@pytest.mark.parametrize("name", [name for name in PUBLIC_NAMES if isinstance(getattr(urlmend, name), type)])
def test_examples_of_public_classes_run(name: str) -> None:
    """They have the module `urlmend`, so the test of the module that defines them does not find them."""
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(getattr(urlmend, name), name, module=False, globs=vars(urlmend)):
        runner.run(test)
    assert runner.failures == 0
    assert getattr(urlmend, name).__module__ == "urlmend"
