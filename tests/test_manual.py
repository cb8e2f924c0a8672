"""The manual page has what --help has, and programs that show manual pages take it."""
# ruff: noqa: S607 -- man and groff, where the system has them

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from urlmend.cli.command import COMMANDS, command_called
from urlmend.cli.manual import SHELLS, completion, manual

PAGE = manual()
REQUESTS = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".br", ".nf", ".fi"}


def test_it_is_written_by_the_module() -> None:
    done = subprocess.run([sys.executable, "-m", "urlmend.cli.manual"], capture_output=True, check=True)
    assert (done.stdout.decode(), done.stderr) == (PAGE, b"")


def test_lines_are_text_or_known_requests() -> None:
    for line in PAGE.splitlines():
        assert line
        assert not line.startswith("'")
        assert not line.startswith(".") or line.split()[0] in REQUESTS, line
    # A hyphen that is not escaped is typeset as one, and cannot be typed or found.
    assert not re.search(r"(?<!\\)-", PAGE)
    assert PAGE.count(".nf\n") == PAGE.count(".fi\n") == 1


def test_sections_stand_in_their_order() -> None:
    sections = re.findall(r"^\.SH (.*)$", PAGE, re.MULTILINE)
    assert sections[:5] == ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "OPTIONS"]
    assert sections[5:] == [f"URLMEND {name.upper()}" for name in COMMANDS[1:]]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_its_help_are_there(name: str) -> None:
    page = PAGE.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "")
    for option in command_called(name).params:
        if isinstance(option, click.Option) and not option.hidden:
            for spelling in option.opts + option.secondary_opts:
                assert re.search(rf"^\.B .*{spelling}\b", page, re.MULTILINE), spelling
            for text in str(option.help).split(" / "):
                assert f"\n{text}\n" in page


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff")
def test_groff_has_nothing_to_say() -> None:
    done = subprocess.run(["groff", "-ww", "-man", "-Tutf8"], input=PAGE.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    assert b"--count-by KEY" in re.sub(rb".\x08|\x1b\[[0-9;]*m", b"", done.stdout)


@pytest.mark.skipif(not shutil.which("man"), reason="no man")
def test_man_shows_it() -> None:
    done = subprocess.run(["man", "-l", "-"], input=PAGE.encode(), capture_output=True, check=False)
    assert (done.stderr, done.returncode) == (b"", 0)
    assert b"URLMEND(1)" in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_completions_are_written_by_the_module(shell: str) -> None:
    command = [sys.executable, "-m", "urlmend.cli.manual", shell]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603 -- ours
    assert (done.stdout.decode(), done.stderr) == (completion(shell), b"")
    assert f"_URLMEND_COMPLETE={shell}_complete" in completion(shell)


def test_zsh_knows_the_file_of_a_completion() -> None:
    assert completion("zsh").startswith("#compdef urlmend\n")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(tmp_path: Path) -> None:
    (tmp_path / "urlmend").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urlmend "$@"\n')
    (tmp_path / "urlmend").chmod(0o755)
    asked = "COMP_WORDS=(urlmend --no-quo) COMP_CWORD=1\n_urlmend_completion urlmend\necho $COMPREPLY"
    script = f"PATH={tmp_path}:$PATH\n{completion('bash')}\n{asked}\n"
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("--no-quoted", "")


def test_a_shell_without_completion_is_named() -> None:
    with pytest.raises(ValueError, match="no completion for 'tcsh': bash, zsh, fish"):
        completion("tcsh")
