"""The pages in a browser: they run nothing of what a mail says, ask nothing of the network, and can be used."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import commands
from chromium import CHROMIUM, faults, in_each_width_and_scheme, launched, tab_on

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium"),
]

RUN = "<script>document.title = 'run'</script>"
ATTACK = f"</script>{RUN}<img src=http://img.example/ onerror=\"document.title='run'\">"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as started:
        yield started


@contextmanager
def opened(
    browser: Any, path: Path, width: int = 1400, scheme: str = "light", *, javascript: bool = True
) -> Iterator[Any]:
    """Open the page at *path*; check that it loads nothing else and that its console stays empty."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=javascript
    )
    tab, requests, complaints = tab_on(context, path)
    yield tab
    assert (requests, complaints) == ([path.as_uri()], [])
    assert tab.title() != "run"
    context.close()


def run(*args: str | Path) -> None:
    result = commands.run(*args)
    assert result.exit_code == 0, result.output


def message(number: int, *lines: str, subject: str = "S") -> str:
    day, month = number % 28 + 1, "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[number % 12]
    stamp = "From a@a.example Mon Jul  7 10:06:12 2003"
    date = f"Date: {day} {month} {2000 + number % 9} 10:06:12 -0300"
    name = f"Message-ID: <{number}.{len(lines)}@a.example>"
    return "\n".join([stamp, date, name, f"Subject: {subject}", "", *lines, "", ""])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("vl_convert")
    pytest.importorskip("jinja2")
    root = tmp_path_factory.mktemp("report")
    hostile = (
        f"{ATTACK}<http://www.a-\nb.example/>{ATTACK} http://www.{{a,b}}",
        "<URL:javascript:document.title='run'> ftp://ftp.example/</script>",
    )
    messages = [message(number, f"http://host{number}.example/{'long/' * 40}") for number in range(150)]
    (root / "list.mbox").write_text("".join([*messages, message(7, *hostile, subject=ATTACK)]))
    run("harvest", "-q", root / "list.mbox", "-o", root / "links.db")
    archive = "https://archive.example/{message_id}"
    run("report", root / "links.db", "-o", root / "report.html", "--message-url", archive)
    return root / "report.html"


def rows(tab: Any) -> list[str]:
    return [str(text) for text in tab.locator("#urls tbody tr .url").all_inner_texts()]


@pytest.mark.parametrize(("width", "drawing"), [(1400, "wide"), (800, "middle"), (400, "narrow")])
def test_the_report_shows_its_charts_and_fits(browser: Any, report: Path, width: int, drawing: str) -> None:
    with opened(browser, report, width) as tab:
        assert tab.locator(".chart").count() == 2
        for chart in tab.locator(".chart").all():
            shown = chart.locator("svg:visible")
            assert shown.count() == 1
            assert shown.locator("..").get_attribute("class") == drawing
            assert shown.locator(".mark-rect path").count() > 5
            assert width * 0.7 < shown.bounding_box()["width"] <= width
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_bars_show_their_numbers(browser: Any, report: Path) -> None:
    with opened(browser, report) as tab:
        tab.locator("#schemes .wide .mark-rect path").first.hover()
        assert re.fullmatch(r"20\d\d, [a-z]+: \d+", tab.locator("#tip").inner_text())
        tab.locator("#schemes h2").hover()
        assert not tab.locator("#tip").is_visible()


def test_a_host_filters_the_table(browser: Any, report: Path) -> None:
    with opened(browser, report) as tab:
        tab.locator("#hosts summary", has_text="host100.example").click()
        assert "host100.example" in tab.locator("#hosts [open] pre").inner_text()
        tab.get_by_role("link", name="The URLs of host100.example").click()
        assert tab.get_by_label("Search").input_value() == "host:host100.example"
        assert [url[:23] for url in rows(tab)] == ["http://host100.example/"]
        assert tab.get_by_role("status").inner_text() == "1 of 1 URLs that match, of 154 listed here"
        assert tab.evaluate("location.hash") == "#all"


def test_without_scripts_all_but_the_search_is_there(browser: Any, report: Path) -> None:
    with opened(browser, report, javascript=False) as tab:
        assert len(rows(tab)) == 100
        assert "the first 100" in tab.locator("noscript").inner_text()
        assert tab.locator(".chart svg:visible").count() == 2
        assert not tab.get_by_label("Search").is_visible()


@pytest.mark.parametrize("javascript", [True, False])
def test_a_url_unfolds_its_messages(browser: Any, report: Path, *, javascript: bool) -> None:
    with opened(browser, report, javascript=javascript) as tab:
        row = tab.locator("#urls tbody tr").first
        row.locator("summary").press("Enter")
        url = row.locator(".url").inner_text()
        assert row.locator(".messages mark").all_inner_texts() == [url]
        assert "list.mbox, line" in row.locator(".messages").inner_text()
        link = row.locator(".messages a").get_attribute("href")
        assert re.fullmatch(r"https://archive\.example/\d+\.\d@a\.example", link)


def test_text_of_a_message_is_shown_and_only_harmless_schemes_are_links(browser: Any, report: Path) -> None:
    with opened(browser, report) as tab:
        tab.get_by_label("Search").fill("onerror=")
        assert tab.locator(".subject").all_inner_texts() == [ATTACK] * 4
        assert any(ATTACK in text for text in tab.locator("#hosts pre").all_text_contents())
        assert tab.locator("img").count() == 0
        tab.get_by_label("Search").fill("javascript:")
        assert rows(tab) == ["javascript:document.title='run'"]
        assert tab.locator("#urls tbody a.url").count() == 0
        tab.get_by_label("Search").fill("ftp://ftp.example")
        link = tab.locator("#urls tbody a.url")
        assert [link.get_attribute(name) for name in ("href", "rel")] == [
            "ftp://ftp.example/",
            "nofollow ugc noopener noreferrer",
        ]


def test_search_finds_words_of_urls_and_subjects(browser: Any, report: Path) -> None:
    with opened(browser, report) as tab:
        search, status = tab.get_by_label("Search"), tab.get_by_role("status")
        assert (len(rows(tab)), status.inner_text()) == (100, "100 of 154 URLs")
        # With the keyboard alone.
        search.focus()
        tab.keyboard.type("HOST14 /long")
        assert (len(rows(tab)), status.inner_text()) == (11, "11 of 11 URLs that match, of 154 listed here")
        search.fill("onerror=")
        assert sorted(rows(tab))[2:] == ["http://www.a-b.example/", "javascript:document.title='run'"]
        search.fill("nowhere")
        assert (rows(tab), status.inner_text()) == ([], "0 of 0 URLs that match, of 154 listed here")
        search.fill("")
        tab.get_by_role("button", name="Show 100 more").press("Enter")
        assert (len(rows(tab)), status.inner_text()) == (154, "154 of 154 URLs")
        assert not tab.get_by_role("button", name="Show 100 more").is_visible()


def test_the_table_is_sorted_by_its_headings(browser: Any, report: Path) -> None:
    with opened(browser, report) as tab:
        heading = tab.locator("#urls th", has_text="URL")
        heading.get_by_role("button").press("Enter")
        assert (heading.get_attribute("aria-sort"), rows(tab)[0]) == ("ascending", "ftp://ftp.example/")
        heading.get_by_role("button").click()
        assert (heading.get_attribute("aria-sort"), rows(tab)[0]) == ("descending", "javascript:document.title='run'")
        tab.locator("#urls th", has_text="First").get_by_role("button").click()
        first = tab.locator("#urls tbody td:nth-child(5)").all_inner_texts()
        assert first == sorted(first)
        assert heading.get_attribute("aria-sort") is None


def test_a_script_in_the_page_would_not_run(browser: Any, report: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    broken.write_text(report.read_text("utf-8").replace("<main>", f"<main>{RUN}", 1), "utf-8")
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(broken.as_uri())
    assert tab.locator("main script").first.inner_text() == RUN.removeprefix("<script>").removesuffix("</script>")
    assert tab.title() == "URLs of links.db"
    context.close()


def test_a_report_without_urls_opens(browser: Any, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    pytest.importorskip("jinja2")
    (tmp_path / "text").write_text("nothing")
    run("harvest", "-q", tmp_path / "text", "-o", tmp_path / "links.db")
    run("report", tmp_path / "links.db", "-o", tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as tab:
        assert "There are no URLs" in tab.locator("header").inner_text()


# Faults that keep people out


@pytest.mark.parametrize(("page", "width", "scheme"), in_each_width_and_scheme(["report", "annotated"]))
def test_axe_finds_no_serious_fault(  # noqa: PLR0913, PLR0917 -- pages, widths and colours
    browser: Any, report: Path, annotated: Path, page: str, width: int, scheme: str
) -> None:
    with opened(browser, {"report": report, "annotated": annotated}[page], width, scheme) as tab:
        tab.evaluate("for (const more of document.querySelectorAll('details')) more.open = true")
        assert faults(tab) == []


# Annotated text

TEXT = f"""\
Whole: http://whole.example/ and <http://a.example/b
    c> and {ATTACK}
> quoted <URL:http://www.foo-
> bar.example/>
<URL:javascript:document.title='run'> and http://www.{{a,b}} and {"long" * 60}
"""


@pytest.fixture(scope="module")
def annotated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("annotated")
    (root / "text <b>").write_text(TEXT)
    run("annotate", "--format", "html", "-o", root / "text.html", root / "text <b>")
    return root / "text.html"


@pytest.mark.parametrize("width", [1400, 400])
def test_annotated_text_is_shown_as_it_is(browser: Any, annotated: Path, width: int) -> None:
    with opened(browser, annotated, width) as tab:
        text = "const pre = document.querySelector('pre').cloneNode(true);"
        text += "pre.querySelectorAll('button, [popover]').forEach(node => node.remove()); return pre.textContent"
        assert tab.evaluate(f"(() => {{ {text} }})()") == TEXT
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.locator("h1").inner_text().endswith("text <b>")
        assert tab.locator("img, main script").count() == 0


def test_annotated_urls_are_links_and_removed_text_does_not_look_like_one(browser: Any, annotated: Path) -> None:
    with opened(browser, annotated) as tab:
        assert [link.get_attribute("href") for link in tab.locator("pre a").all()] == [
            "http://whole.example/",
            "http://a.example/bc",
            "http://img.example/",
            "http://www.foo-bar.example/",
        ]
        assert tab.locator("pre b").all_inner_texts() == ["javascript:document.title='run'"]
        assert tab.locator("pre del").all_inner_texts() == ["http://www.{a,b}"]
        taken = tab.locator("pre a.ambiguous i")
        assert taken.text_content() == "\n> "
        assert taken.evaluate("taken => getComputedStyle(taken, '::before').content") == '"\u23ce"'
        lines = "parts => parts.map((part) => getComputedStyle(part).textDecorationLine)"
        assert tab.locator("pre a.ambiguous").evaluate_all(lines) == ["none"]
        assert tab.locator("pre a.ambiguous u").evaluate_all(lines) == ["underline", "underline"]


def test_the_keyboard_and_a_touch_show_the_readings(browser: Any, annotated: Path) -> None:
    with opened(browser, annotated) as tab:
        focused = "document.activeElement, '::after'"
        # The second that was mended or is doubtful.
        tab.keyboard.press("n")
        tab.keyboard.press("n")
        assert "or: http://www.foobar.example/" in tab.evaluate(f"getComputedStyle({focused}).content")
        assert tab.evaluate(f"getComputedStyle({focused}).position") == "fixed"
        tab.keyboard.press("p")
        assert "http://a.example/bc" in tab.evaluate(f"getComputedStyle({focused}).content")
        tab.locator("main button").last.click()
        assert "or: http://www.foobar.example/" in tab.locator("[popover]:popover-open").inner_text()
