"""Chromium, and the faults of a page that keep people out."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'urlmend[browser]'")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"


def in_each_width_and_scheme(pages: Sequence[str]) -> list[tuple[str, int, str]]:
    """Return each of *pages* twice: in each width and in each scheme, and all of them in each pair of both."""
    looks = ((1400, "light"), (400, "dark")), ((1400, "dark"), (400, "light"))
    return [(page, *look) for number, page in enumerate(pages) for look in looks[number % 2]]


@contextmanager
def launched() -> Iterator[Any]:
    """Launch Chromium."""
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield started
        started.close()


def tab_on(context: Any, page: Path) -> tuple[Any, list[str], list[str]]:
    """Open *page* in a tab of *context*; return the tab and two lists that grow: its requests, and its console."""
    tab = context.new_page()
    tab.set_default_timeout(10_000)
    requests: list[str] = []
    complaints: list[str] = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda said: complaints.append(said.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(page.as_uri())
    return tab, requests, complaints


def faults(tab: Any) -> list[str]:
    """Return what axe-core calls serious or critical on the page in *tab*."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    violations = axe.run(tab).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:200]}"
        for fault in violations
        if fault["impact"] in {"serious", "critical"}
        for node in fault["nodes"]
    ]
