"""The README and the pages of docs/, taken apart: blocks of code, links and headings."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = (README, *sorted(DOCS.rglob("*.md")))

_BLOCK = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<mark>(?!/)[^>]*?) -->\n\s*)?"
    r"```(?P<language>[\w-]*)(?: +title=\"(?P<title>[^\"]*)\")?[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
_CODE = re.compile(r"```.*?^ *```$|``.+?``|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|<(https?://[^>\s]+)>|(?:src|href)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)


class Block(NamedTuple):
    """A block of code: its language, what its comment line says (`not run: ...`), the file it names, its text."""

    language: str
    mark: str
    title: str
    text: str
    line: int


def blocks(text: str) -> list[Block]:
    """Return the blocks of code in the page *text*."""
    found = []
    for match in _BLOCK.finditer(text):
        lines = match["text"].splitlines(keepends=True)
        code = "".join(line.removeprefix(match["indent"]) for line in lines)
        line = text.count("\n", 0, match.start("text")) + 1
        found.append(Block(match["language"], match["mark"] or "", match["title"] or "", code, line))
    return found


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands of a `console` block, each with what it prints."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert parts[0] == "", "a console block begins with a command"
    found = []
    for part in parts[1:]:
        lines = part.splitlines(keepends=True)
        size = 1
        while lines[size - 1].endswith("\\\n") or "".join(lines[:size]).count("'") % 2:
            size += 1
        found.append(("".join(lines[:size]).rstrip("\n"), "".join(lines[size:])))
    return found


def marked(mark: str) -> str:
    """Return the one block of all pages whose comment line says *mark*."""
    found = [block.text for page in PAGES for block in blocks(page.read_text("utf-8")) if block.mark == mark]
    assert len(found) == 1, (mark, len(found))
    return found[0]


def between(page: Path, mark: str) -> str:
    """Return the text between `<!-- mark -->` and `<!-- /mark -->` in *page*."""
    match = re.search(rf"<!-- {re.escape(mark)} -->\n(.*?)\n<!-- /", page.read_text("utf-8"), re.DOTALL)
    assert match, (page.name, mark)
    return match[1]


def links(text: str) -> list[str]:
    """Return where the links of the page *text* lead, outside of code."""
    return [next(filter(None, match.groups())) for match in _LINK.finditer(_CODE.sub("", text))]


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of the page *text*, as the site makes them."""
    made = set()
    for heading in _HEADING.findall(_CODE.sub(lambda match: "" if "\n" in match[0] else match[0], text)):
        plain = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        made.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip()))
    return made
