"""`-C` shows the text around each URL, `--warn` the security notes; both on text with a known answer."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from urlmend.cli import main
from urlmend.sources.reader import CHUNK_SIZE

TEXT = "one\ntwo <URL:http://a.example/b-\n  c> three\nfour\nfive\n\nhttp://jane:x@a.example/ six"

SHOWN = {
    0: """\
two <URL:http://a.example/b-
  c> three
=> http://a.example/b-c or http://a.example/bc
--
http://jane:x@a.example/ six
""",
    1: """\
one
two <URL:http://a.example/b-
  c> three
=> http://a.example/b-c or http://a.example/bc
four
--

http://jane:x@a.example/ six
""",
    2: """\
one
two <URL:http://a.example/b-
  c> three
=> http://a.example/b-c or http://a.example/bc
four
five

http://jane:x@a.example/ six
""",
}
PREFIXED = """\
t.txt-1-0-one
t.txt:2:4:two <URL:http://a.example/b-
t.txt:3:33:  c> three
t.txt=2=13=> http://a.example/b-c or http://a.example/bc
t.txt-4-44-four
--
t.txt-6-54-
t.txt:7:55:http://jane:x@a.example/ six
"""
NUMBERED = """\
1-one
2:two <URL:http://a.example/b-
3:  c> three
2=> http://a.example/b-c or http://a.example/bc
4-four
--
6-
7:http://jane:x@a.example/ six
"""


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


def test_prefixes(folder: Path) -> None:
    (folder / "t.txt").write_text(TEXT)
    assert context("-nbH") == PREFIXED
    assert context("-n") == NUMBERED
    coloured = context("-n", "--color", "always")
    assert "\x1b[1;31mhttp://a.example/b-\x1b[0m\n" in coloured
    assert "  \x1b[1;31mc\x1b[0m> three\n" in coloured


def context(*args: str, count: int = 1) -> str:
    return CliRunner().invoke(main, [*args, "-C", str(count), "t.txt"]).stdout


def test_context_is_the_same_wherever_it_stands(folder: Path) -> None:
    filling = "filling words\n" * 30_000
    (folder / "t.txt").write_text(filling + TEXT + "\n" + filling)
    moved = [f"{int(line[0]) + 30_000}{line[1:]}" if line != "--" else line for line in NUMBERED.splitlines()]
    assert context("-n").splitlines() == [*moved, "30008-filling words"]


@pytest.mark.parametrize("size", range(CHUNK_SIZE - 60, CHUNK_SIZE + 60, 7))
def test_context_reaches_over_what_is_read_at_once(folder: Path, size: int) -> None:
    # What follows is much more than is remembered.
    filling = "filling words, many of them\n" * 100_000
    (folder / "t.txt").write_text("x" * size + f"\n{TEXT}\n{filling}http://b.example/")
    shown = context("-h")
    assert shown.startswith(f"one\n{SHOWN[1].partition(chr(10))[2]}filling words, many of them\n--\n")
    assert shown.endswith("\n--\nfilling words, many of them\nhttp://b.example/\n")


# a text, the number of lines, the context
MERGED = (
    ("http://a.example/ http://b.example/\nc", 0, "1:http://a.example/ http://b.example/\n"),
    ("http://a.example/\nb\nhttp://c.example/\n", 1, "1:http://a.example/\n2-b\n3:http://c.example/\n"),
    ("http://a.example/\nb\nc\nhttp://d.example/\n", 1, "1:http://a.example/\n2-b\n3-c\n4:http://d.example/\n"),
    ("http://a.example/\nb\nc\nd\nhttp://e.example/", 1, "1:http://a.example/\n2-b\n--\n4-d\n5:http://e.example/\n"),
    ("http://a.example/\nb http://b.example/\nc", 9, "1:http://a.example/\n2:b http://b.example/\n3-c\n"),
    (
        "a <http://a.ex\nample/> and <http://b.ex\nample/>\n",
        0,
        "1:a <http://a.ex\n2:ample/> and <http://b.ex\n1=> http://a.example/\n3:ample/>\n2=> http://b.example/\n",
    ),
    ("\n\n\nhttp://a.example/\n\n\n", 2, "2-\n3-\n4:http://a.example/\n5-\n6-\n"),
)


@pytest.mark.parametrize(("text", "count", "shown"), MERGED)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_each_line_is_written_once(folder: Path, text: str, count: int, shown: str, line_end: str) -> None:
    (folder / "t.txt").write_bytes(text.replace("\n", line_end).encode())
    assert context("-n", count=count) == shown


def test_all_lines_are_the_file(folder: Path) -> None:
    text = "".join(f"line {i}\n" * (i % 7) + f"http://a.example/{i} and http://b.example/{i}\n" for i in range(300))
    (folder / "t.txt").write_text(text)
    assert context(count=3) == text


def test_a_long_line_is_written_in_pieces(folder: Path) -> None:
    text = "".join(f"{'x ' * 40 * (i % 9)}http://a.example/{i} " for i in range(500))
    (folder / "t.txt").write_text(text + "x " * 9000)
    pieces = context(count=2).splitlines()
    assert text.startswith("".join(pieces)[: len(text)].rstrip())
    assert max(map(len, pieces)) < 20_000


def test_several_files(folder: Path) -> None:
    for name in "ab":
        (folder / name).write_text(f"http://{name}.example/\nc\n")
    result = CliRunner().invoke(main, ["-C", "1", "a", "b"])
    assert result.stdout == "a:http://a.example/\na-c\n--\nb:http://b.example/\nb-c\n"


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
