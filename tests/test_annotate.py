"""Annotated text: all of the text and nothing else, with what `find` finds marked in its place."""

import gzip
import io
import re
import tracemalloc
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from selectolax.lexbor import LexborHTMLParser

from urlmend import iter_texts, iter_urls
from urlmend.cli import main
from urlmend.output.annotate import annotate
from urlmend.output.pages import HtmlPage, TerminalPage
from urlmend.query import Query

SAMPLES = sorted(path for path in (Path(__file__).parents[1] / "corpora" / "samples").rglob("*") if path.is_file())


def run(*args: str, stdin: str | bytes = b"") -> Result:
    return CliRunner().invoke(main, ["annotate", *args], input=stdin)


# text, marked, the counts at the end
MARKED = (
    ("", "", "no URLs"),
    ("nothing", "nothing\n", "no URLs"),
    ("a http://a.example/ b\r\n", "a ⟦http://a.example/⟧ b\n", "1 URL"),
    ("a\rhttp://a.example/", "a\n⟦http://a.example/⟧\n", "1 URL"),
    ("> <URL:http://a.example/b-\n>  c>", "> <URL:⟦http://a.example/b-⏎\n>  c⟧>\n", "1 URL, 1 mended, 1 doubtful"),
    ("<URL:http://a.example/ b>", "<URL:⟦http://a.example/␣ b⟧>\n", "1 URL, 1 mended"),
    ("http://a..example/ http://ü.example/", "⟦✗http://a..example/⟧ ⟦http://ü.example/⟧\n", "1 URL, 1 no URL"),
    (
        "<URL:http://a..example/ http://b.example/>",
        "<URL:⟦✗http://a..example/ http://b.example/⟧>\n",
        "no URLs, 1 no URL",
    ),
    ("\33[2J\0 http://a.example/\x7f", "␛[2J␀ ⟦http://a.example/⟧␡\n", "1 URL"),
)


@pytest.mark.parametrize(("text", "marked", "counts"), MARKED)
def test_marks(text: str, marked: str, counts: str) -> None:
    result = run(stdin=text)
    assert (result.stdout, result.stderr) == (f"{marked}══ {counts} ══\n", "")
    assert result.exit_code == (0 if "⟦h" in marked else 1)


def test_colours() -> None:
    result = run("--color", "always", stdin="\33 <http://a.example/b\n c> http://a..example/")
    assert result.stdout == (
        "␛ <\33[1;31mhttp://a.example/b\33[0m\33[1;33m⏎\n \33[0m\33[1;31mc\33[0m> \33[9;34mhttp://a..example/\33[0m\n"
        "\33[36m══ 1 URL, 1 mended, 1 no URL ══\33[0m\n"
    )


def test_options() -> None:
    text = "http://a.example/~b <http://a.example/\nc>"
    assert (
        run("--profile", "rfc1738", stdin=text).stdout
        == "⟦✗http://a.example/~b⟧ <⟦http://a.example/⏎\nc⟧>\n══ 1 URL, 1 mended, 1 no URL ══\n"
    )
    assert "⏎" not in run("--join", "none", stdin=text).stdout


class _Sieve(TerminalPage):
    """Keeps what was written without its marks."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.texts: list[str] = []

    def begin_text(self, origin: object) -> None:  # noqa: ARG002 -- what a page is told
        self.texts.append("")

    def text(self, text: str) -> None:
        self.texts[-1] += text

    def url(self, match: object, ends: object = ()) -> None:  # noqa: ARG002 -- as above
        self.texts[-1] += match.raw  # type: ignore[attr-defined]

    def rejected(self, rejected: object, text: str) -> None:  # noqa: ARG002 -- as above
        self.texts[-1] += text


class Slow(io.BytesIO):
    """Gives a little at a time."""

    def read(self, size: int | None = -1, /) -> bytes:  # noqa: ARG002 -- as it likes
        return super().read(7)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("slow", [False, True])
def test_all_of_the_text_and_all_of_the_urls(path: Path, slow: bool) -> None:
    data = path.read_bytes()
    page = _Sieve()
    found = annotate(Slow(data) if slow else io.BytesIO(data), page, Query())
    urls = [match.url for match in found]
    assert urls == [match.url for match in iter_urls(io.BytesIO(data))]
    texts: list[str] = []
    origin = None
    for text in iter_texts(io.BytesIO(data)):
        if text.origin is not origin:
            texts.append("")
        origin = text.origin
        texts[-1] += text.data if isinstance(text.data, str) else text.data.decode(errors="replace")
    assert page.texts == texts


@pytest.mark.parametrize("shift", [0, 1, 2, 3])
def test_no_character_is_cut_in_a_long_line(shift: int) -> None:
    text = "x" * shift + "\U0001f600" * 200_000
    assert run(stdin=text).stdout == f"{text}\n══ no URLs ══\n"


class Endless:
    """Fragments and whole URLs, rejected ones and words; so many chunks of them."""

    def __init__(self, chunks: int) -> None:
        self._left = chunks

    def read(self, size: int, /) -> bytes:
        self._left -= 1
        line = (
            b"only words of an ordinary text\n" * 200
            + b"words \xc3\xbc http://a..example/ and <http://www.a-\nb.example/> http://a.example/x\n"
        )
        return line * (size // len(line)) if self._left >= 0 else b""


class Discarding(io.StringIO):
    def write(self, text: str, /) -> int:
        return len(text)


def test_memory_is_bounded() -> None:
    peaks = []
    for chunks in (2, 8):
        tracemalloc.start()
        pages = annotate(Endless(chunks), TerminalPage(Discarding()), Query("text"))
        assert sum(1 for _ in pages) > chunks * 50
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5


# Mail


BODY = "Café <http://a.example/b-\nc>\n<script>alert(1)</script>\n-- \nhttp://sig.example/\n"


def _message() -> bytes:
    message = EmailMessage()
    message["Subject"] = "see http://subject.example/<script>"
    message["From"] = "a@a.example"
    message.set_content(BODY, cte="base64")
    message.add_alternative('<a href="http://h.example/">x</a> http://shown.example/', subtype="html")
    return message.as_bytes()


def test_mail_is_shown_decoded_under_headings() -> None:
    headings = re.findall("^── (.*) ──$", (out := run(stdin=_message()).stdout), re.MULTILINE)
    assert headings == [
        "message 1, header:Subject",
        "message 1, part 1, text/plain",
        "message 1, part 1, text/plain, signature",
        "message 1, part 2, text/html, URLs of its attributes",
        "message 1, part 2, text/html",
    ]
    assert "Café <⟦http://a.example/b-⏎\nc⟧>\n" in out


# HTML


def _parsed(html: str) -> LexborHTMLParser:
    return LexborHTMLParser(html)


def test_html_is_a_page_with_links() -> None:
    page = _parsed(run("--format", "html", stdin=_message()).stdout)
    main_ = page.css_first("main")
    assert main_ is not None
    assert [link.attributes["href"] for link in main_.css("a")] == [
        "http://subject.example/",
        "http://a.example/b-c",
        "http://sig.example/",
        "http://h.example/",
        "http://shown.example/",
    ]
    mended = main_.css_first("a.ambiguous")
    assert mended is not None
    assert mended.text() == "http://a.example/b-\nc"
    assert mended.attributes["title"] == (
        "http://a.example/b-c\nform: angle\nor: http://a.example/bc\nnothing decides between these\nconfidence: 99%"
    )
    joints = mended.css("i.line")
    assert [joint.text() for joint in joints] == ["\n"]
    assert "<script>alert(1)</script>" in main_.text()


HOSTILE = (
    '<script>alert(1)</script> http://a.example/"onclick="x javascript://a.example/%0aalert(1) data:text/html,x'
    " http://a.example/'x <URL:http://a.example/<b>> http://a..example/&quot; </pre></main>\n"
)


def test_nothing_of_the_text_is_markup() -> None:
    result = run("--format", "html", stdin=HOSTILE)
    page = _parsed(result.stdout)
    assert not page.css("main script, [onclick], img, link, iframe")
    assert len(page.css("pre")) == 1
    assert {link.attributes["href"].partition(":")[0] for link in page.css("a[href]")} == {"http"}  # type: ignore[union-attr]
    assert page.css("b")
    pre = page.css_first("pre")
    assert pre is not None
    assert pre.text() == HOSTILE
    assert "default-src 'none'" in result.stdout


def test_html_tells_why_something_is_no_url() -> None:
    page = _parsed(run("--format", "html", stdin="http://a..example/").stdout)
    rejected = page.css_first("main del")
    assert rejected is not None
    assert str(rejected.attributes["title"]).startswith("no URL: httpurl: unexpected '/' at 17")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a<b>").write_text("http://a.example/")
    (tmp_path / "b").write_text("nothing")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_several_files() -> None:
    result = run("a<b>", "gone", "b")
    assert result.stdout == "══ a<b> ══\n⟦http://a.example/⟧\n══ b ══\nnothing\n══ 1 URL ══\n"
    assert (result.stderr, result.exit_code) == ("urlmend: gone: No such file or directory\n", 2)
    html = run("--format", "html", "a<b>", "b").stdout
    assert [node.text() for node in _parsed(html).css("h1, h2")] == ["a<b> and 1 more", "a<b>", "b"]


def test_a_file_that_ends_early_is_shown_as_far_as_it_goes() -> None:
    data = gzip.compress(b"http://a.example/ x\n" * 1000)
    result = run(stdin=data[:-10])
    assert "⟦http://a.example/⟧" in result.stdout
    assert "ends early" in result.stderr
    assert result.exit_code == 2


def test_an_empty_page_is_a_page() -> None:
    out = io.StringIO()
    page = HtmlPage(out, "</title>")
    page.close()
    assert _parsed(out.getvalue()).css_first("title").text() == "</title>"  # type: ignore[union-attr]


MESSAGES = """\
From j Sat Feb 17 12:34:56 1996
From: Jane <jane@a.example>
Date: Sat, 17 Feb 1996 11:00:00 +0100
Subject: the <b>page</b>
List-Help: <http://a.example/help>

<http://a.example/b-
c> and http://a.example/d

From k Sat Feb 17 12:34:57 1996
From: k@a.example

nothing
"""


def test_each_message_begins_with_its_head() -> None:
    lines = run(stdin=MESSAGES).stdout.splitlines()
    assert lines[:4] == [
        "── message 1, header:List-Help ──",
        "   From: Jane <jane@a.example>",
        "   Date: 1996-02-17T11:00:00+01:00",
        "   Subject: the <b>page</b>",
    ]
    assert lines.count("   From: Jane <jane@a.example>") == 1
    page = _parsed(run("--format", "html", stdin=MESSAGES).stdout)
    heads = [[node.text() for node in head.css("dd")] for head in page.css("dl")]
    assert heads == [["Jane <jane@a.example>", "1996-02-17T11:00:00+01:00", "the <b>page</b>"], ["k@a.example"]]


def test_a_finger_reaches_the_readings() -> None:
    page = _parsed(run("--format", "html", stdin=MESSAGES).stdout)
    (button,) = page.css("main button")
    said = page.css_first(f"#{button.attributes['popovertarget']}")
    assert said is not None
    assert "http://a.example/bc" in said.text()
    assert page.css_first("footer").text() == "3 URLs, 1 mended, 1 doubtful"  # type: ignore[union-attr]


def test_a_page_too_large_for_browsers_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x" * 3_000_000)
    monkeypatch.setattr("urlmend.cli.annotate.LARGE", 2_000_000)
    assert run("--format", "html", str(tmp_path / "a")).stderr == (
        "urlmend: 2 MB of text: browsers show so large a page slowly, if at all\n"
    )
    assert run(str(tmp_path / "a")).stderr == ""
