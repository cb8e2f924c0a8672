"""The habits of grep: what is read, which URLs are wanted, how they are printed; and the colours of a terminal."""
# ruff: noqa: S603 -- what is run is the command itself

import gzip
import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from terminal import on_a_terminal
from urlmend.cli import main
from urlmend.output.counts import Tally

TEXT = """\
http://a.example/ http://A.example./x ftp://a.example/f
http://www.b.example/ mailto:jane@a.example
<URL:http://a.example/ > http://[2001:db8::1]/ http://a.example/~jane/
> http://quoted.example/
"""
URLS = (
    *(
        "http://a.example/",
        "http://A.example./x",
        "ftp://a.example/f",
        "http://www.b.example/",
        "mailto:jane@a.example",
    ),
    *("http://a.example/", "http://[2001:db8::1]/", "http://a.example/~jane/", "http://quoted.example/"),
)


def run(*args: str, stdin: str | bytes = TEXT, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, args, input=stdin, env=env)


# arguments, which of URLS are printed
CHOSEN = (
    (("--scheme", "ftp"), (2,)),
    (("--scheme", "FTP", "--scheme", "mailto:"), (2, 4)),
    (("--scheme", "x"), ()),
    (("--host", "a.example"), (0, 1, 2, 5, 7)),
    (("--host", "*.B.example", "--host", "quoted.*"), (3, 8)),
    (("--host", "*b.example"), (3,)),
    (("--host", "[2001:db8::1]"), (6,)),
    (("--host", "*", "--scheme", "mailto"), (4,)),
    (("-u",), (0, 1, 2, 3, 4, 6, 7, 8)),
    (("--unique", "--host", "a.example", "--scheme", "http"), (0, 1, 7)),
    (("--limit", "3"), (0, 1, 2)),
    (("--limit", "2", "--scheme", "http", "--no-quoted", "-u"), (0, 1)),
    (("--limit", "99"), range(9)),
)


@pytest.mark.parametrize(("args", "indexes"), CHOSEN)
def test_which_urls_are_wanted(args: tuple[str, ...], indexes: tuple[int, ...]) -> None:
    result = run(*args)
    assert result.stdout.splitlines() == [URLS[index] for index in indexes]
    assert (result.stderr, result.exit_code) == ("", 0 if indexes else 1)


# arguments, standard output
COUNTED = (
    ("url", "2\thttp://a.example/\n1\tftp://a.example/f\n1\thttp://A.example./x\n"),
    ("host", "5\ta.example\n1\t-\n1\t[2001:db8::1]\n1\tquoted.example\n1\twww.b.example\n"),
    ("scheme", "7\thttp\n1\tftp\n1\tmailto\n"),
    ("departure", "6\t-\n1\tipv6\n1\troot-dot\n1\ttilde\n"),
    ("form", "8\tbare\n1\twrapper\n"),
)


@pytest.mark.parametrize(("by", "out"), COUNTED)
def test_count_by(by: str, out: str) -> None:
    result = run("--count-by", by)
    assert result.stdout.startswith(out)
    assert result.exit_code == 0
    assert run("--count-by", by, "-0").stdout.startswith(out.replace("\n", "\0"))


def test_count_by_of_nothing() -> None:
    result = run("--count-by", "host", stdin="nothing")
    assert (result.stdout, result.exit_code) == ("", 1)


@pytest.mark.parametrize("limit", [0, 2000, 1 << 30])
def test_a_tally_is_the_same_in_memory_and_on_disk(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", limit)
    texts = [f"{random.Random(number).randrange(60)}\U0001f600é\udc80" for number in range(400)]
    tally = Tally()
    new = [text for text in texts if tally.add(text)]
    assert new == list(dict.fromkeys(texts))
    assert list(tally.counts()) == sorted(Counter(texts).items(), key=lambda item: (-item[1], item[0]))
    tally.close()


def test_what_does_not_fit_in_memory_is_still_printed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", 1000)
    urls = [f"http://a.example/{number}" for number in range(50)]
    text = "\n".join([*urls, *reversed(urls), *urls])
    assert run("-u", stdin=text).stdout.splitlines() == urls
    counts = run("--count-by", "url", stdin=text).stdout.splitlines()
    assert counts == [f"3\t{url}" for url in sorted(urls)]


@pytest.mark.parametrize("args", [("-u",), ("--count-by", "url")])
def test_a_temporary_file_that_cannot_be_written_is_told(
    args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_options: object) -> None:
        message = "database or disk is full"
        raise sqlite3.OperationalError(message)

    monkeypatch.setattr("urlmend.output.counts._new_database", full)
    monkeypatch.setattr("urlmend.output.counts.MAX_IN_MEMORY", 0)
    result = run(*args)
    assert result.stderr == "urlmend: write error: temporary file: database or disk is full\n"
    assert result.exit_code == 2


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.html", "d.txt/c.TXT", "d.txt/e.txt", "d.txt/none.txt"):
        path = tmp_path / "t" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"http://a.example/1\nx http://{name[0]}.example/2\n" if "none" not in name else "nothing")
    return tmp_path / "t"


# arguments, files
FILES = (
    ((), "a.txt b.html d.txt/c.TXT d.txt/e.txt"),
    (("--include", "*.txt"), "a.txt d.txt/e.txt"),
    (("--include", "*.txt", "--include", "*.html"), "a.txt b.html d.txt/e.txt"),
    (("--exclude", "*.txt"), "b.html d.txt/c.TXT"),
    (("--include", "*.txt", "--exclude", "[a-d]*"), "d.txt/e.txt"),
)


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(("args", "files"), FILES)
def test_files_below_directories_are_chosen_by_name(args: tuple[str, ...], files: str) -> None:
    result = run("-rl", *args, "t")
    assert result.stdout.split() == [f"t/{name}" for name in files.split()]
    assert run("-rl0", *args, "t").stdout == result.stdout.replace("\n", "\0")


@pytest.mark.usefixtures("tree")
def test_a_file_that_is_named_is_read() -> None:
    assert run("-rl", "--include", "*.html", "t/a.txt").stdout == "t/a.txt\n"


# arguments, standard output
PREFIXED = (
    (("-h", "t/a.txt"), "http://a.example/1\nhttp://a.example/2\n"),
    (("-Hh", "t/a.txt"), "http://a.example/1\nhttp://a.example/2\n"),
    (("-hH", "--limit", "1", "t/a.txt"), "t/a.txt:http://a.example/1\n"),
    (("-ch", "t/a.txt", "t/b.html"), "2\n2\n"),
    (("-rch", "--include", "n*", "t"), "0\n"),
    (("-h", "-C0", "--limit", "1", "t/a.txt"), "http://a.example/1\n"),
    (
        ("-nH", "-C1", "--limit", "1", "t/a.txt"),
        "t/a.txt:1:http://a.example/1\nt/a.txt-2-x http://a.example/2\n",
    ),
    (("-l", "t/a.txt", "t/d.txt/none.txt", "t/b.html"), "t/a.txt\nt/b.html\n"),
    (("-l", "--limit", "2", "t/a.txt", "t/b.html", "t/a.txt"), "t/a.txt\nt/b.html\n"),
    (("-q", "t/a.txt"), ""),
    (("-q", "--format", "jsonl", "t/a.txt"), ""),
    (
        ("--limit", "3", "t/a.txt", "t/b.html", "t/missing"),
        "http://a.example/1\nhttp://a.example/2\nhttp://a.example/1\n",
    ),
    (("-c", "--limit", "3", "t/a.txt", "t/b.html"), "t/a.txt:2\nt/b.html:1\n"),
)


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(("args", "out"), PREFIXED)
def test_printed(args: tuple[str, ...], out: str) -> None:
    result = run(*args)
    assert (result.stdout, result.stderr) == (out, "")
    assert result.exit_code == (1 if out == "0\n" else 0)


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    ("paths", "status"), [(("t/d.txt/none.txt",), 1), (("t/gone", "t/a.txt"), 0), (("t/gone",), 2)]
)
def test_quiet_tells_by_its_status(paths: tuple[str, ...], status: int) -> None:
    result = run("-q", *paths)
    assert (result.stdout, result.exit_code) == ("", status)


def test_quiet_ends_at_the_first_url() -> None:
    # The input is still open, and more than is read at once: only the URL can have ended it.
    with subprocess.Popen([sys.executable, "-m", "urlmend", "-q"], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"http://a.example/ x\n" * 3000)
        process.stdin.flush()
        assert process.wait(60) == 0


def test_verbose_tells_what_each_file_is(tree: Path) -> None:
    mail = b"From: a\nTo: b\nSubject: c\nDate: d\n\nhttp://mail.example/\n"
    (tree / "m.gz").write_bytes(gzip.compress(mail))
    result = run(
        "-v", "-h", "t/m.gz", "-", "t/a.txt", stdin=b"From a@b Sat Jan  1 00:00:00 2000\nTo: x\n\nhttp://b.example/"
    )
    assert result.stderr.splitlines() == [
        "urlmend: t/m.gz: read as message in gzip",
        "urlmend: (standard input): read as mbox",
        "urlmend: t/a.txt: read as text",
    ]
    assert result.stdout.splitlines()[:2] == ["http://mail.example/", "http://b.example/"]
    assert run("-v", "--source", "text", "t/m.gz").stderr == "urlmend: t/m.gz: read as text in gzip\n"


def test_verbose_reads_what_is_packed_twice_no_other_way(tree: Path) -> None:
    (tree / "twice.gz").write_bytes(gzip.compress(gzip.compress(b"http://a.example/\n")))
    assert run("-v", "t/twice.gz").stdout == run("t/twice.gz").stdout


@pytest.mark.parametrize(
    "args",
    [
        ("-c", "-l"),
        ("-C1", "--count-by", "host"),
        ("-l", "-C1"),
        ("--format", "jsonl", "-l"),
        ("--format", "jsonl", "-h"),
        ("--format", "parquet", "-o", "out", "--count-by", "url"),
        ("--include", "*"),
        ("--exclude", "*"),
        ("--limit", "0"),
        ("--count-by", "path"),
        ("--color", "sometimes"),
    ],
)
def test_what_does_not_go_together(args: tuple[str, ...]) -> None:
    result = run(*args)
    assert (result.stdout, result.exit_code) == ("", 2)


# Colours


PAINTED = (
    ((), "\33[1;31mhttp://a.example/b\33[0m\n"),
    (
        ("-Hnb",),
        (
            "\33[35m(standard input)\33[0m\33[36m:\33[0m\33[32m2\33[0m\33[36m:\33[0m\33[32m6\33[0m\33[36m:\33[0m"
            "\33[1;31mhttp://a.example/b\33[0m\n"
        ),
    ),
    (("-cH",), "\33[35m(standard input)\33[0m\33[36m:\33[0m1\n"),
    (("-l",), "\33[35m(standard input)\33[0m\n"),
    (
        ("-C1", "-n"),
        (
            "\33[32m1\33[0m\33[36m-\33[0mx\u241b\n"
            "\33[32m2\33[0m\33[36m:\33[0m> <\33[1;31mhttp://a.example/\33[0m\n"
            "\33[32m3\33[0m\33[36m:\33[0m> \33[1;31mb\33[0m>\n"
            "\33[32m2\33[0m\33[36m=\33[0m> \33[1;31mhttp://a.example/b\33[0m\n"
        ),
    ),
)


@pytest.mark.parametrize(("args", "out"), PAINTED)
def test_colours(args: tuple[str, ...], out: str) -> None:
    assert run("--color", "always", *args, stdin="x\33\n> <http://a.example/\n> b>").stdout == out


# --color, NO_COLOR, FORCE_COLOR, TERM, on a terminal, coloured
WHEN = (
    ("auto", "", "", "xterm", True, True),
    ("auto", "", "", "xterm", False, False),
    ("auto", "1", "", "xterm", True, False),
    ("auto", "", "1", "xterm", False, True),
    ("auto", "1", "1", "xterm", True, False),
    ("auto", "", "", "dumb", True, False),
    ("always", "1", "", "dumb", False, True),
    ("never", "", "1", "xterm", True, False),
)


@pytest.mark.parametrize(("mode", "no_color", "force_color", "term", "terminal", "coloured"), WHEN)
def test_when_there_are_colours(  # noqa: PLR0913, PLR0917 -- the columns of a table
    tree: Path, mode: str, no_color: str, force_color: str, term: str, terminal: bool, coloured: bool
) -> None:
    env = {**os.environ, "NO_COLOR": no_color, "FORCE_COLOR": force_color, "TERM": term}
    command = [sys.executable, "-m", "urlmend", "--color", mode, "--limit", "1", str(tree / "a.txt")]
    out = (
        on_a_terminal(command, env)
        if terminal
        else subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True).stdout
    )
    assert (b"\33[1;31mhttp://a.example/1\33[0m" in out) == coloured
    assert b"http://a.example/1" in out


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str) -> None:
    assert "_URLMEND_COMPLETE" in _completed(shell, "")


def _completed(shell: str, words: str, instruction: str = "source") -> str:
    env = {**os.environ, "_URLMEND_COMPLETE": f"{shell}_{instruction}"}
    env |= {"COMP_WORDS": f"urlmend {words}", "COMP_CWORD": str(max(1, len(words.split())))}
    done = subprocess.run([sys.executable, "-m", "urlmend"], env=env, stdout=subprocess.PIPE, check=False)
    return done.stdout.decode()


# words, completions
COMPLETED = (
    ("--count-", ["plain,--count-by"]),
    ("--count-by de", ["plain,departure"]),
    ("", ["plain,explain", "plain,annotate", "plain,harvest", "plain,report", "file,"]),
    ("expl", ["plain,explain", "file,expl"]),
    ("-r some", ["file,some"]),
    ("explain --pro", ["plain,--profile"]),
)


@pytest.mark.parametrize(("words", "completions"), COMPLETED)
def test_completion(words: str, completions: list[str]) -> None:
    assert _completed("bash", words, "complete").split() == completions
