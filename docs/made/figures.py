"""The tables that benchmarks/README.md has."""

from made.markdown import ROOT, table

BRIEF = (
    "`re`, a pattern",
    "google-re2, same pattern",
    "linkify (Rust)",
    "linkify-it (Node)",
    "URI::Find (Perl)",
    "linkify-it-py",
    "iocextract",
    "urlextract",
)
"""The peers of the README's table: what a user might take instead, faster or slower."""


def peers(size: str = "") -> str:
    """Return the peers' tables of benchmarks/README.md; *size* `brief` is one of them, for the README."""
    tables = between("peers")
    if not size:
        return tables
    lines = tables.partition("**Libraries, list mail**\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    shown = [row for row in found if "urlmend" in row[0] or row[0] in BRIEF]
    measured = tables.rstrip().rpartition("\n")[2].partition(": ")[2]
    heads = ("finder", "MB/s", "urlmend ÷ finder")
    return table(heads, ((row[0], row[3], row[4]) for row in shown)) + f"\n\n{measured}"


def arrow() -> str:
    """Return the table of Arrow of benchmarks/README.md."""
    return between("arrow")


def between(mark: str) -> str:
    """Return what stands between the marks of benchmarks/README.md."""
    text = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    return text.partition(f"<!-- {mark} -->\n")[2].partition(f"\n<!-- /{mark} -->")[0]
