"""An unforeseen exception is reported and ends the file that it came from; the run goes on with the next file."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import ask, run
from in_this_process import in_this_process
from urlmend.sources import text as text_source

BAD = "http://bad.example/\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make three files; reading the second one raises an exception after its first URL."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        Path(name).write_text(f"http://{name}.example/\n")
    Path("b").write_text(BAD + "words\n" * 10)
    texts = text_source.texts

    def breaking(file: Any, *args: Any) -> Iterator[Any]:
        for text in texts(file, *args):
            yield text
            if "bad" in str(text.data):
                message = "no such charset:\n\33[2J"
                raise LookupError(message)

    monkeypatch.setattr(text_source, "texts", breaking)
    return tmp_path


SQLITE = ("--format", "sqlite", "-o", "links.db")
SAID = re.compile(
    r"urlmend: (?P<name>b|\(standard input\)): LookupError: no such charset: \\x1b\[2J"
    r"( \(urlmend/[\w/.]+:\d+\))?; this is a fault of urlmend"
)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "args",
    [(), ("-v",), ("-j", "2"), ("-n",), ("-C0",), ("--format", "jsonl"), ("--rejects", os.devnull), ("-u",), SQLITE],
)
def test_the_other_files_are_read(args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    if "-j" in args:
        in_this_process(monkeypatch, 1000)
    result = run("--source", "text", *args, "a", "b", "c")
    found = str(ask("links.db", "SELECT url FROM record")) if args == SQLITE else result.stdout
    # What was found before the exception is kept.
    assert [name for name in ("a", "b", "bad", "c") if f"http://{name}.example/" in found] == ["a", "bad", "c"]
    (said,) = [line for line in result.stderr.splitlines() if "read as" not in line]
    assert SAID.fullmatch(said)
    assert result.exit_code == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["find", "annotate"])
@pytest.mark.parametrize("broken", ["-", "b"])
def test_each_command_goes_on_with_the_next_file(command: str, broken: str) -> None:
    result = run(command, "--source", "text", "a", broken, "c", stdin=Path("b").read_text())
    assert "http://a.example/" in result.stdout
    assert "http://c.example/" in result.stdout
    assert SAID.fullmatch(result.stderr.rstrip("\n"))
    assert result.exit_code == 2


def test_a_harvest_stores_the_others_and_tries_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = re.compile(r"urlmend: /.*/b: LookupError: .*; this is a fault of urlmend")
    for what in ("2 new, 0 grown, 0 unchanged", "0 new, 0 grown, 2 unchanged"):
        result = run("harvest", "--source", "text", "a", "b", "c", "-o", "links.db")
        first, last = result.stderr.splitlines()
        assert said.fullmatch(first)
        assert f"files: {what}, 1 failed" in last
        assert result.exit_code == 2
        assert ask("links.db", "SELECT url FROM record ORDER BY url") == [
            ("http://a.example/",),
            ("http://c.example/",),
        ]
        assert len(ask("links.db", "SELECT * FROM source")) == 2
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert run("harvest", "a", "b", "c", "-o", "links.db").exit_code == 0
    assert len(ask("links.db", "SELECT url FROM record")) == 3


def test_what_is_no_file_s_fault_is_status_2_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("urlmend.cli.find.writer_for", broken)
    result = run(stdin="http://a.example/")
    assert result.stderr.startswith("urlmend: error: ZeroDivisionError (urlmend/cli/find.py:")
    assert (result.stdout, result.exit_code) == ("", 2)
