"""How right joined URLs are in text made from PDFs, HTML pages and manual pages, whose sources say what each URL is.

usage: python -m benchmarks.known_links [--by READER] [--show] FOLDER

A file is turned to text by a reader: `pdftotext` or `pdftotext -layout` of poppler, `html2text`, `lynx` or `w3m`, which
break long URLs at different places, `groff -Tutf8`, `groff -Tascii` or `mandoc`. Without --by, it is the first of these
for the file. The lines have up to 78 characters, except in PDFs. This needs `apt install groff lynx mandoc
poppler-utils w3m` and `pip install pypdf html2text`.

The links of a PDF are the targets of its annotations, those of an HTML page the values of `href` and `src` and the URLs
in its text, those of a manual page the URLs in its source.

*Joined* are bare URLs over several lines, *named by a link* those that are links of their file. The others are
not all wrong, as many PDFs have no links for their URLs: --show prints them, with the text around. *Cut short* are bare
URLs at the end of a line that are only the beginning of a link. The rest of the link is in the next lines.
"""

import argparse
import gzip
import html
import logging
import re
import subprocess
from collections.abc import Callable, Iterator
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
_URL = re.compile(r"""(?:[A-Za-z][A-Za-z0-9+.\-]*://|www\.|(?:mailto|urn|news|file):)[^\s<>"'\u27e9]+""")
# What groff prints nothing for, what it prints as another character, and a change of font, which ends a URL.
_NOTHING = re.compile(r"\\[:%&/,|^]|\xad|\\\[shc\]")
_ESCAPES = {r"\-": "-", r"\(en": "-", r"\(hy": "-", r"\.": ".", r"\e": "\\", r"\(ti": "~", r"\(rs": "\\"}
_FONT = re.compile(r"\\f(?:\[[^\]]*\]|\(..|.)|\\m\[[^\]]*\]|\\s[-+]?\d+")
_INLINE = re.compile(r"(?i)</?(?:a|b|code|em|i|span|tt|wbr)\b[^>]*>")
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


def links_of_pdf(path: Path) -> set[str]:
    """Return the targets of the annotations of the PDF at *path*."""
    from pypdf import PdfReader  # noqa: PLC0415 -- only this benchmark needs it

    links = set()
    for page in PdfReader(path).pages:
        for annotation in page.get("/Annots") or []:
            action = annotation.get_object().get("/A")
            if action and (uri := action.get_object().get("/URI")):
                links.add(str(uri))
    return links


def links_of_html(path: Path) -> set[str]:
    """Return the links of the page at *path*, and the URLs in its text."""
    source = path.read_text(errors="replace")
    text = html.unescape(re.sub("<[^>]*>", " ", _INLINE.sub("", source)))
    return {*map(html.unescape, _HREF.findall(source)), *_URL.findall(text)}


def by_html2text(path: Path) -> str:
    """Return the page at *path* as html2text prints it, which breaks links after hyphens."""
    import html2text  # noqa: PLC0415 -- only this benchmark needs it

    writer = html2text.HTML2Text(bodywidth=WIDTH)
    writer.wrap_links = True
    return str(writer.handle(path.read_text(errors="replace")))


def source_of(path: Path) -> bytes:
    """Return the content of the file at *path*, decompressed."""
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def links_of_manual(path: Path) -> set[str]:
    """Return the URLs in the source of the manual page at *path*."""
    source = _NOTHING.sub("", source_of(path).decode(errors="replace"))
    for escape, character in _ESCAPES.items():
        source = source.replace(escape, character)
    urls = _URL.findall(_FONT.sub("\n", source))
    return {link for url in urls for link in (url, re.split(r"[)}\],\\]", url)[0])}


class Reader(NamedTuple):
    """A program that turns files whose names match `files` to text, and what returns their links."""

    files: str
    links: Callable[[Path], set[str]]
    command: tuple[str, ...]

    def text(self, path: Path) -> str:
        """Return the file at *path* as text."""
        if not self.command:
            return by_html2text(path)
        run = subprocess.run(self.command, input=source_of(path), capture_output=True, check=True, timeout=60)  # noqa: S603
        return re.sub(".\b", "", run.stdout.decode(errors="replace"))  # without what is printed over


_PDF = r".*\.pdf", links_of_pdf
_HTML = r".*\.html", links_of_html
_MANUAL = r".*\.[1-9][a-z]*(?:\.gz)?", links_of_manual
_GROFF = ("-mandoc", "-P-cbu", "-Kutf8", f"-rLL={WIDTH}n")
READERS = {
    "pdftotext": Reader(*_PDF, ("pdftotext", "-enc", "UTF-8", "-", "-")),
    "pdftotext -layout": Reader(*_PDF, ("pdftotext", "-layout", "-enc", "UTF-8", "-", "-")),
    "html2text": Reader(*_HTML, ()),
    "lynx": Reader(
        *_HTML, ("lynx", "-stdin", "-force_html", "-dump", "-nolist", "-display_charset=utf-8", f"-width={WIDTH}")
    ),
    "w3m": Reader(*_HTML, ("w3m", "-T", "text/html", "-dump", "-O", "UTF-8", "-cols", str(WIDTH))),
    "groff -Tutf8": Reader(*_MANUAL, ("groff", "-Tutf8", *_GROFF)),
    "groff -Tascii": Reader(*_MANUAL, ("groff", "-Tascii", *_GROFF)),
    "mandoc": Reader(*_MANUAL, ("mandoc", "-Tutf8", f"-Owidth={WIDTH}")),
}


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


def files(folder: Path, by: str | None) -> Iterator[tuple[str, Found]]:
    """Yield the name of each file below *folder* that a reader takes, with what is found in it; each text once."""
    readers = [READERS[by]] if by else READERS.values()
    seen = set()
    for path in sorted(folder.rglob("*")):
        reader = next((reader for reader in readers if re.fullmatch(reader.files, path.name)), None)
        if reader is None or not path.is_file():
            continue
        try:
            text, links = reader.text(path), reader.links(path)
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
    parser.add_argument("--by", metavar="READER", choices=READERS, help=f"one of {', '.join(READERS)}")
    parser.add_argument("--show", action="store_true", help="also print the URLs that no link names")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)  # pypdf's remarks on damaged files
    number = joined = not_named = cut_short = 0
    for name, found in files(arguments.folder, arguments.by):
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
