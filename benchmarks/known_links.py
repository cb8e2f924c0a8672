"""How right joined URLs are in text made from PDFs and HTML pages, whose own links say what each URL is.

usage: python -m benchmarks.known_links [--show] FOLDER

The text of a PDF is what `pdftotext` of poppler prints, and its links are the targets of its annotations. An HTML page
is turned to text by html2text, which fills lines of 78 characters and breaks links after hyphens; its links are the
values of `href` and `src`. This needs `apt install poppler-utils` and `pip install pypdf html2text`.

*Joined* are bare URLs over several lines, *named by a link* those that are links of their file. The others need a
reader, as many PDFs have no links for their URLs: --show prints them, with the text around. *Cut short* are bare URLs
at the end of a line that are only the beginning of a link. The rest of the link is in the next lines.
"""

import argparse
import html
import logging
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from urlmend import URLMatch, find_urls

WIDTH = 78
AROUND = 60
REST = 400
"""How many characters after a URL are compared with its link."""

_BLANKS = re.compile(r"\s+")
_HYPHENS = re.compile("[\u2010-\u2015]")
_HREF = re.compile(r"""(?i)\b(?:href|src)\s*=\s*["']([^"']+)["']""")
_AT_LINE_END = re.compile(r"[ \t]*[\r\n]")


class Found(NamedTuple):
    """The text of a file, and what was found in it."""

    text: str
    joined: list[URLMatch]
    not_named: list[URLMatch]
    cut_short: list[URLMatch]


def normal(url: str) -> str:
    """Return *url* without what text and link may differ in: case, escapes, the kind of hyphen, marks at the end."""
    return _HYPHENS.sub("-", unquote(url.strip()).replace("\\", "")).rstrip("/.,;:)-").casefold()


def of_pdf(path: Path) -> tuple[str, set[str]]:
    """Return the text of the PDF at *path*, and its links."""
    from pypdf import PdfReader  # noqa: PLC0415 -- only this benchmark needs it

    command = ["pdftotext", "-enc", "UTF-8", str(path), "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="replace")  # noqa: S603
    links = set()
    for page in PdfReader(path).pages:
        for annotation in page.get("/Annots") or []:
            action = annotation.get_object().get("/A")
            if action and (uri := action.get_object().get("/URI")):
                links.add(str(uri))
    return text, links


def of_html(path: Path) -> tuple[str, set[str]]:
    """Return the page at *path* as text, and its links."""
    import html2text  # noqa: PLC0415 -- only this benchmark needs it

    source = path.read_text(errors="replace")
    writer = html2text.HTML2Text(bodywidth=WIDTH)
    writer.wrap_links = True
    return writer.handle(source), set(map(html.unescape, _HREF.findall(source)))


def found_in(text: str, links: set[str]) -> Found:
    """Return what is found in *text*, a file with these *links*."""
    known = set(map(normal, links))
    bare = [match for match in find_urls(text) if match.form in {"bare", "prefix"}]
    joined = [match for match in bare if match.breaks]
    cut_short = []
    for match in bare:
        url = normal(match.url)
        if match.breaks or url in known or not _AT_LINE_END.match(text, match.end):
            continue
        following = normal(_BLANKS.sub("", text[match.start : match.end + REST]))
        if any(len(link) > len(url) and link.startswith(url) and following.startswith(link) for link in known):
            cut_short.append(match)
    return Found(text, joined, [match for match in joined if normal(match.url) not in known], cut_short)


def files(folder: Path) -> Iterator[tuple[str, Found]]:
    """Yield the name of each PDF and HTML page below *folder*, with what is found in it; each text once."""
    seen = set()
    for path in sorted(folder.rglob("*")):
        read = {".pdf": of_pdf, ".html": of_html}.get(path.suffix)
        if read is None:
            continue
        try:
            text, links = read(path)
        except Exception as error:  # noqa: BLE001 -- whatever a damaged PDF raises
            print(f"{path}: {error}")
            continue
        if text not in seen:
            seen.add(text)
            yield path.name, found_in(text, links)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--show", action="store_true", help="also print the URLs that need a reader")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)  # pypdf's remarks on damaged files
    number = joined = not_named = cut_short = 0
    for name, found in files(arguments.folder):
        number += 1
        joined += len(found.joined)
        not_named += len(found.not_named)
        cut_short += len(found.cut_short)
        for match in [*found.not_named, *found.cut_short] if arguments.show else ():
            around = found.text[max(0, match.start - AROUND) : match.end + AROUND]
            print(f"{name}: {match.url} {match.confidence:.3f}\n    {around!r}")
    print("| files | joined | named by a link | not named | cut short |\n|---:|---:|---:|---:|---:|")
    print(f"| {number:,} | {joined:,} | {joined - not_named:,} | {not_named:,} | {cut_short:,} |")


if __name__ == "__main__":
    main()
