"""`-C` shows the text around each URL, `--warn` the security notes; both on text with a known answer."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from urlmend.cli import main

TEXT = "one\ntwo <URL:http://a.example/b-\n  c> three\nfour\nfive\n\nhttp://jane:x@a.example/ six"

SHOWN = {
    0: """\
t.txt:2: http://a.example/b-c
	http://a.example/bc
> two <URL:http://a.example/b-
>   c> three
--
t.txt:7: http://jane:x@a.example/
> http://jane:x@a.example/ six
""",
    1: """\
t.txt:2: http://a.example/b-c
	http://a.example/bc
  one
> two <URL:http://a.example/b-
>   c> three
  four
--
t.txt:7: http://jane:x@a.example/
  \n> http://jane:x@a.example/ six
""",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("count", SHOWN)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_context(folder: Path, count: int, line_end: str) -> None:
    (folder / "t.txt").write_bytes(TEXT.replace("\n", line_end).encode())
    result = CliRunner().invoke(main, ["-C", str(count), "t.txt"])
    assert (result.stdout, result.exit_code) == (SHOWN[count], 0)


def test_context_is_the_same_wherever_it_stands(folder: Path) -> None:
    filling = "filling words\n" * 30_000
    (folder / "t.txt").write_text(filling + TEXT + "\n" + filling)
    result = CliRunner().invoke(main, ["-C", "1", "t.txt"])
    moved = SHOWN[1].replace(":2:", ":30002:").replace(":7:", ":30007:")
    assert result.stdout == moved + "  filling words\n"


def test_warn(folder: Path) -> None:
    (folder / "t.txt").write_text(TEXT)
    result = CliRunner().invoke(main, ["--warn", "t.txt"])
    assert result.stdout == "http://a.example/b-c\nhttp://jane:x@a.example/\n"
    assert result.stderr == "urlmend: t.txt:7: http://jane:x@a.example/: password: holds a password in clear text\n"


@pytest.mark.parametrize(
    "wrong", [["-C", "1", "-c"], ["-C", "1", "-0"], ["-C", "1", "--format", "jsonl"], ["-C", "-1"]]
)
def test_context_is_of_text(folder: Path, wrong: list[str]) -> None:
    (folder / "t.txt").write_text(TEXT)
    assert CliRunner().invoke(main, [*wrong, "t.txt"]).exit_code == 2
