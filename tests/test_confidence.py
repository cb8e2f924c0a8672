"""What the command says of confidence, and what `--min-confidence` leaves out; test_find.py tests what it is."""

import io
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import commands
from commands import ask
from urlmend import URLMatch, find_urls, iter_urls
from urlmend.output.pages import HtmlPage, TerminalPage
from urlmend.output.terminal import Colours, colours

TEXT = """\
Each hyphen at a line end is a doubt: <http://a.example/a-
b-
c-
d> and <http://b.example/b-
c> and http://c.example/ so
"""
FOUND = find_urls(TEXT)
DOUBT, HYPHEN, SURE = (match.confidence for match in FOUND)
LEAST = f"{(DOUBT + HYPHEN) / 2:.3f}"


run = partial(commands.run, stdin=TEXT)


# What is left out


def test_what_is_below_is_left_out(tmp_path: Path) -> None:
    assert 0.5 < DOUBT < HYPHEN < SURE == 1
    (tmp_path / "text").write_text(TEXT)
    for least in (0, DOUBT, DOUBT + 0.001, HYPHEN, 1):
        urls = [match.url for match in FOUND if match.confidence >= least]
        assert [match.url for match in iter_urls(tmp_path / "text", min_confidence=least)] == urls
        assert run("--min-confidence", str(least)).stdout.split() == urls
        assert run("--min-confidence", str(least), "-C", "0", "--color", "always").stdout.count("\33[1;31m") >= len(
            urls
        )


# the options, what stderr says of what is left out
COUNTED = (
    (("--min-confidence", LEAST), ""),
    (("--min-confidence", LEAST, "-v"), "urlmend: 1 URL left out by --min-confidence\n"),
    (("--min-confidence", "1", "-v"), "urlmend: 2 URLs left out by --min-confidence\n"),
    (("--min-confidence", ".1", "-v"), "urlmend: 0 URLs left out by --min-confidence\n"),
    (("-v",), ""),
)


@pytest.mark.parametrize(("options", "said"), COUNTED)
def test_what_is_left_out_is_counted(options: tuple[str, ...], said: str) -> None:
    stderr = run(*options).stderr
    assert [line for line in stderr.splitlines(keepends=True) if "confidence" in line] == [said] * bool(said)


def test_annotated_text_marks_what_is_left() -> None:
    assert run("annotate").stdout.count("\u27e6") == 3
    shown = run("annotate", "--min-confidence", LEAST).stdout
    assert (shown.count("\u27e6"), shown.splitlines()[:3]) == (2, TEXT.splitlines()[:3])


# Where it is written


def test_databases_have_it(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text(TEXT)
    written = [(match.confidence,) for match in FOUND]
    for name, args in (("find.db", ("--format", "sqlite")), ("harvest.db", ("harvest",))):
        assert run(*args, path, "-o", tmp_path / name).exit_code == 0
        assert ask(tmp_path / name, "SELECT confidence FROM record") == written
        assert run(*args, path, "-o", tmp_path / f"less-{name}", "--min-confidence", LEAST).exit_code == 0
        assert ask(tmp_path / f"less-{name}", "SELECT confidence FROM record") == written[1:]
    assert ask(tmp_path / "less-find.db", "SELECT value FROM setting WHERE name = 'min_confidence'") == [(LEAST,)]


def doubtful(confidence: float, text: str = "<http://a.example/b-\nc>") -> URLMatch:
    (match,) = find_urls(text)
    return replace(match, confidence=confidence)


# Annotated text

# confidence, its mark on a terminal
MARKS = ((1.0, ""), (0.9, ""), (0.899, "?89%"), (0.29, "?29%"), (0.0, "?0%"))


@pytest.mark.parametrize(("confidence", "mark"), MARKS)
def test_a_terminal_marks_what_is_doubtful(confidence: float, mark: str) -> None:
    match = doubtful(confidence, "http://a.example/")
    out = io.StringIO()
    TerminalPage(out).url(match)
    assert out.getvalue() == f"\u27e6http://a.example/{mark}\u27e7"
    out = io.StringIO()
    TerminalPage(out, colours=Colours(on=True)).url(match)
    assert re.sub("\33[^m]*m", "", out.getvalue()) == f"http://a.example/{mark}"


# --color, the environment, whether it is a terminal, whether there are colours
WHEN = (
    ("auto", {"TERM": "xterm"}, True, True),
    ("auto", {"TERM": "xterm"}, False, False),
    ("auto", {"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
    ("auto", {"TERM": "xterm", "FORCE_COLOR": "1"}, False, True),
    ("auto", {"TERM": "dumb"}, True, False),
    ("always", {"TERM": "dumb", "NO_COLOR": "1"}, False, True),
    ("never", {"TERM": "xterm", "FORCE_COLOR": "1"}, True, False),
)


def on(terminal: bool, environment: dict[str, str], patch: pytest.MonkeyPatch) -> io.StringIO:
    """Return an output in an *environment*."""
    for name in ("TERM", "TERM_PROGRAM", "VTE_VERSION", "WT_SESSION", "NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK"):
        patch.setenv(name, environment.get(name, ""))
    out = io.StringIO()
    patch.setattr(out, "isatty", lambda: terminal)
    return out


@pytest.mark.parametrize(("mode", "environment", "terminal", "coloured"), WHEN)
def test_when_there_are_colours(
    monkeypatch: pytest.MonkeyPatch, mode: str, environment: dict[str, str], terminal: bool, coloured: bool
) -> None:
    assert colours(mode, on(terminal, environment, monkeypatch)).on is coloured


# The environment of a terminal, whether it has links; the URL, its target as a link.
LINKS = (
    ({"TERM": "xterm-kitty"}, True, "http://a.example/", "http://a.example/"),
    ({"TERM": "xterm-256color"}, True, "http://a.example/", None),
    ({"TERM": "xterm-256color", "VTE_VERSION": "6003"}, True, "https://a.example/b;c", "https://a.example/b;c"),
    ({"TERM": "xterm-256color", "VTE_VERSION": "5000"}, True, "http://a.example/", None),
    ({"TERM_PROGRAM": "iTerm.app", "NO_COLOR": "1"}, True, "http://a.example/", None),
    ({"TERM_PROGRAM": "iTerm.app", "FORCE_HYPERLINK": "0"}, True, "http://a.example/", None),
    ({"WT_SESSION": "1"}, False, "http://a.example/", None),
    ({"WT_SESSION": "1", "FORCE_COLOR": "1"}, False, "http://a.example/", None),
    ({"FORCE_COLOR": "1", "FORCE_HYPERLINK": "1"}, False, "http://a.example/", "http://a.example/"),
    ({"WT_SESSION": "1"}, True, "javascript:alert(1)", None),
    ({"WT_SESSION": "1"}, True, f"http://a.example/{'b' * 3000}", None),
    (
        {"WT_SESSION": "1"},
        True,
        "http://a.example/\x1b\\\x07\x9c\u202e\u00fc",
        "http://a.example/%1B\\%07%C2%9C%E2%80%AE%C3%BC",
    ),
)


@pytest.mark.parametrize(("environment", "terminal", "url", "target"), LINKS)
def test_a_terminal_that_has_hyperlinks_gets_them(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, url: str, target: str | None
) -> None:
    out = on(terminal, environment, monkeypatch)
    TerminalPage(out, colours=colours("auto", out)).url(replace(doubtful(1.0, "http://a.example/"), url=url))
    links = re.findall("\33]8;id=urlmend1;(.*?)\33\\\\(.*?)\33]8;;\33\\\\", out.getvalue(), re.DOTALL)
    assert [link for link, _ in links] == ([target] if target else [])
    assert ("\33]8" in out.getvalue()) == bool(target)


@pytest.mark.parametrize(("confidence", "kind"), [(0.95, "whole"), (0.5, "whole doubtful")])
def test_a_page_shows_it_under_the_pointer(confidence: float, kind: str) -> None:
    out = io.StringIO()
    HtmlPage(out, "title").url(doubtful(confidence, "http://a.example/"))
    assert f'<a class="{kind}" title="http://a.example/\nform: bare' in out.getvalue()
    assert f'confidence: {confidence:.3f}" rel=' in out.getvalue()
