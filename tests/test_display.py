"""Control characters in names and texts do nothing to a terminal; programs get names as they are."""
# ruff: noqa: S603 -- what is run is the command itself

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from terminal import on_a_terminal
from urlmend.output.terminal import harmless, on_one_line

COMMAND = (sys.executable, "-m", "urlmend")
ENV = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
ESCAPES = "\33\x07\x7f\x9b\u202e\u2066"
NAME = f"a\n{ESCAPES}b"
SHOWN = r"a\n\x1b\x07\x7f\x9b\u202e\u2066b"
URL = "http://a.example/x\u202ey"
URL_SHOWN = r"http://a.example/x\u202ey"

# text, in one line, made harmless
TEXTS = (
    ("plain é ü 日本 \u200d", "plain é ü 日本 \u200d", "plain é ü 日本 \u200d"),
    ("a\tb\nc\rd", r"a\tb\nc\rd", "a\tb\nc␍d"),
    ("\0\33[2J\x7f", r"\x00\x1b[2J\x7f", "␀␛[2J␡"),
    ("\x85\x9b1m", r"\x85\x9b1m", r"\x85\x9b1m"),
    ("a\u202eb\u2069c\u200fd\u061ce", r"a\u202eb\u2069c\u200fd\u061ce", r"a\u202eb\u2069c\u200fd\u061ce"),
    ("a\u2028b\u2029", r"a\u2028b\u2029", r"a\u2028b\u2029"),
)


@pytest.mark.parametrize(("text", "line", "lines"), TEXTS)
def test_texts(text: str, line: str, lines: str) -> None:
    assert on_one_line(text) == line
    assert harmless(text) == lines


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text(f"{ESCAPES} <{URL}> http://a..example/\u202e\n")
    return tmp_path


# arguments, what is on the terminal
ON_A_TERMINAL = (
    (("-H",), f"{SHOWN}:{URL_SHOWN}"),
    (("-c", "-H"), f"{SHOWN}:1"),
    (("-l",), SHOWN),
    (("-C0", "-Hn"), f"{SHOWN}:1:"),
    (("-v",), f"urlmend: {SHOWN}: read as text"),
    (("--count-by", "url"), f"1\t{URL_SHOWN}"),
    (("--format", "jsonl"), rf'"url": "{URL_SHOWN}"'),
    (("--format", "tsv"), URL_SHOWN),
    (("--format", "csv"), URL_SHOWN),
    (("--rejects", "-"), '"rule": '),
    (("gone\33\n",), r"urlmend: gone\x1b\n: No such file or directory"),
    (("--rejects", "no\33/x"), r"urlmend: no\x1b/x: No such file or directory"),
)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("args", "shown"),
    [*ON_A_TERMINAL[:4], *(pytest.param(*case, marks=pytest.mark.slow) for case in ON_A_TERMINAL[4:])],
)
def test_on_a_terminal_they_are_escapes(args: tuple[str, ...], shown: str) -> None:
    written = on_a_terminal([*COMMAND, *args, NAME], ENV).decode()
    assert shown in written
    assert not set(written) & set(ESCAPES)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("args", [(NAME, "/dev/null"), ("--format", "html", NAME)])
def test_annotated_text_has_no_effect_on_a_terminal(args: tuple[str, ...]) -> None:
    written = on_a_terminal([*COMMAND, "annotate", *args], ENV).decode()
    assert SHOWN in written
    assert not set(written) & set(ESCAPES)


@pytest.mark.usefixtures("folder")
def test_json_on_a_terminal_is_the_same_json() -> None:
    on_terminal = on_a_terminal([*COMMAND, "--format", "jsonl", NAME], ENV)
    piped = subprocess.run([*COMMAND, "--format", "jsonl", NAME], stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(on_terminal) == json.loads(piped)
    assert URL in piped.decode()


# arguments, what a program gets
PIPED = (
    (("-H",), f"{NAME}:{URL}\n"),
    (("-H0",), f"{NAME}:{URL}\0"),
    (("-l",), f"{NAME}\n"),
    (("-l0",), f"{NAME}\0"),
    (("-cH",), f"{NAME}:1\n"),
)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("args", "out"), PIPED)
def test_programs_get_names_as_they_are(args: tuple[str, ...], out: str) -> None:
    assert subprocess.run([*COMMAND, *args, NAME], stdout=subprocess.PIPE, check=True).stdout.decode() == out


@pytest.mark.usefixtures("folder")
def test_a_message_is_one_line_wherever_it_goes() -> None:
    done = subprocess.run([*COMMAND, "gone\n\33x"], stderr=subprocess.PIPE, check=False)
    assert done.stderr == rb"urlmend: gone\n\x1bx: No such file or directory" + b"\n"
