"""Tables of benchmarks/README.md."""

import re

from made.markdown import ROOT, table

SHOWN = {
    "text": (
        "`re`, a pattern",
        "google-re2, same pattern",
        "linkify (Rust)",
        "linkify-it (Node)",
        "URI::Find (Perl)",
        "linkify-it-py",
        "urlextract",
    ),
    "programs": ("`rg -o`", "`grep -oE`"),
}
"""The peers in the README's tables: what a user might choose instead, faster or slower."""

_TITLES = {
    "text": "**Libraries, list mail**",
    "programs": "**Programs, list mail**",
}

_SIMILAR = re.compile(r"\*\*\w+, (?:a news group's mbox|RFCs)\*\*")
"""The tables that say nothing that those of list mail do not."""


def peers(kind: str = "") -> str:
    """Return the peers' tables of benchmarks/README.md but similar ones, or that of *kind*, a key of SHOWN."""
    tables = between("peers")
    if not kind:
        return "\n\n".join(part for part in re.split(r"\n\n(?=\*\*|`URLMEND)", tables) if not _SIMILAR.match(part))
    lines = tables.partition(f"{_TITLES[kind]}\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    # What read only a slice is not compared.
    shown = [row for row in found if ("urlmend" in row[0] and row[2] == found[0][2]) or row[0] in SHOWN[kind]]
    return table(("finder", "MB/s", "urlmend ÷ finder"), ((row[0], row[3], row[4]) for row in shown))


def arrow() -> str:
    """Return the table of Arrow of benchmarks/README.md."""
    return between("arrow")


def between(mark: str) -> str:
    """Return the text between two marks in benchmarks/README.md."""
    text = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    return text.partition(f"<!-- {mark} -->\n")[2].partition(f"\n<!-- /{mark} -->")[0]
