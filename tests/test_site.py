"""The site of docs/ in a browser: it uses no network, its search works, and it is accessible.

`mkdocs build --strict` is in the fixture: a link that leads nowhere, or a page in no menu, is an error.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chromium import CHROMIUM, faults, in_each_width_and_scheme, launched, tab_on
from documents import DOCS, ROOT, blocks, commands

pytest.importorskip("material", reason="needs Material for MkDocs: pip install 'urlmend[docs]'")
pytest.importorskip("mkdocstrings", reason="needs mkdocstrings: pip install 'urlmend[docs]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium"),
]

MAIN = (
    *("index", "start", "how-to/command", "explanation/evidence", "explanation/profiles"),
    *("reference/command", "reference/record", "reference/python"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 -- mkdocs
    assert done.returncode == 0, done.stderr
    return out


@contextmanager
def opened(chromium: Any, page: Path, width: int = 1400, scheme: str = "light") -> Iterator[Any]:
    """Open *page*; check that it loads only from the site and that its console stays empty."""
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab, requests, complaints = tab_on(context, page)
    # Before axe-core runs: it reads style sheets that the browser hides from scripts.
    assert complaints == []
    yield tab
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    context.close()


@pytest.mark.parametrize(("page", "width", "scheme"), in_each_width_and_scheme(MAIN))
def test_nobody_is_kept_out(browser: Any, site: Path, page: str, width: int, scheme: str) -> None:
    with opened(browser, site / f"{page}.html", width, scheme) as tab:
        tab.wait_for_function("[...document.querySelectorAll('.md-typeset table')].every(one => one.closest('div'))")
        assert faults(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("page", ["command", "list-to-sqlite", "security-reports", "shell", "python"])
def test_the_copy_button_copies_commands_without_prompts_and_output(browser: Any, site: Path, page: str) -> None:
    sessions = [
        block for block in blocks((DOCS / "how-to" / f"{page}.md").read_text("utf-8")) if "con" in block.language
    ]
    with opened(browser, site / "how-to" / f"{page}.html") as tab:
        copied = tab.locator(".highlight [data-copy]").evaluate_all("all => all.map((code) => code.dataset.copy)")
        assert copied == [
            "\n".join(command for command, _ in commands(block.text))
            if block.language == "console"
            else "\n".join(re.findall(r"^(?:>>>|\.\.\.)(?: (.*)|$)", block.text, re.MULTILINE))
            for block in sessions
        ]
        first = tab.locator(".highlight", has=tab.locator("[data-copy]")).first
        first.hover()
        first.locator("[data-clipboard-target]").click()
        tab.locator("input[name=query]").focus()
        tab.keyboard.press("Control+V")
        assert tab.locator("input[name=query]").input_value() == copied[0].replace("\n", " ")
