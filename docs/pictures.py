"""Make the pictures of the documents: `python docs/pictures.py` (the extra `docs`, and Chromium).

`terminal.svg` is what `urlmend annotate` prints on a terminal; the others are pages, as Chromium shows them.
"""

import base64
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SAMPLES = ROOT / "corpora" / "samples"

THEME = TerminalTheme(
    (16, 30, 32),
    (226, 236, 234),
    [
        *((16, 30, 32), (255, 128, 120), (132, 214, 150), (240, 200, 110)),
        *((130, 180, 255), (214, 160, 240), (110, 210, 214), (226, 236, 234)),
    ],
)
"""Background, foreground, and the eight colours of a terminal."""

# Without the fonts that rich would load from a server.
SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
 font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
 font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def urlmend(*args: str | Path, **environment: str) -> str:
    """Run the command and return what it prints."""
    done = subprocess.run(  # noqa: S603 -- the command itself
        [sys.executable, "-m", "urlmend", *map(str, args)],
        env={**os.environ, **environment},
        cwd=SAMPLES,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def terminal() -> str:
    """Return `urlmend annotate` of a part of the sample article as SVG."""
    lines = urlmend("annotate", "--color", "always", "article.news").splitlines()
    start = next(number for number, line in enumerate(lines) if "I have been through" in line)
    console = Console(record=True, width=84, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi("$ urlmend annotate article.news | less -R"))
    for line in lines[start - 1 : start + 14]:
        console.print(Text.from_ansi(line), soft_wrap=True)
    return str(console.export_svg(title="urlmend", theme=THEME, code_format=SVG, unique_id="urlmend"))


def shot(browser: Browser, page: Path, name: str, size: tuple[int, int], scroll: str = "") -> None:
    """Write what Chromium shows of *page*, in a window of *size*, as `NAME.webp`."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
    tab = context.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_load_state("networkidle")
    if scroll:
        tab.get_by_text(scroll).first.evaluate("element => element.scrollIntoView()")
    session = context.new_cdp_session(tab)
    data = session.send("Page.captureScreenshot", {"format": "webp", "quality": 80})["data"]
    (PICTURES / f"{name}.webp").write_bytes(base64.b64decode(data))
    context.close()


def main() -> None:
    """Make all pictures."""
    (PICTURES / "terminal.svg").write_text(terminal(), "utf-8")
    chart = [sys.executable, str(ROOT / "benchmarks" / "peers_chart.py"), "-o", str(PICTURES / "peers.svg")]
    subprocess.run(chart, check=True)  # noqa: S603 -- this project's own
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        root = Path(folder)
        (root / "annotate.html").write_text(urlmend("annotate", "--format", "html", "article.news"), "utf-8")
        urlmend("harvest", "-q", SAMPLES / "archive", "-o", root / "links.db")
        urlmend("report", root / "links.db", "-o", root / "report.html")
        executable = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        shot(browser, root / "annotate.html", "annotate", (700, 480), "I have been through")
        shot(browser, root / "report.html", "report", (960, 900))
        browser.close()


if __name__ == "__main__":
    main()
