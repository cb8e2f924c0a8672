"""A picture of the tables that peers.py writes into README.md: MB/s of each finder, as bars on a scale by tens.

usage: python benchmarks/peers_chart.py -o FILE.svg [--tables TEXT...]

The picture shows what README.md says; nothing is measured. `vl-convert-python` draws it (the extra `report`).
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import vl_convert

TABLES = (
    "Libraries, list mail",
    "Libraries, a news group's mbox",
    "Programs, list mail",
    "Programs, a news group's mbox",
)
LEAST = 0.1
"""The MB/s at which the scale begins."""

GREY = "#7d8590"
"""Read on white as on black."""


def bars(text: str, tables: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """Yield the table, the finder and the MB/s of each row of those *tables* that the Markdown *text* has."""
    table = ""
    for line in text.splitlines():
        if title := re.fullmatch(r"\*\*(.+)\*\*", line):
            table = title[1]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if table in tables and len(cells) > 3 and re.fullmatch(r"[0-9.]+", cells[3]):
            yield {"table": table, "finder": cells[0].replace("`", ""), "rate": float(cells[3])}


def chart(rows: list[dict[str, object]], tables: tuple[str, ...]) -> dict[str, Any]:
    """Return the Vega-Lite chart of *rows*: a panel for each of *tables*."""
    colour = {"condition": {"test": "indexof(datum.finder, 'urlmend') == 0", "value": "#2f81f7"}, "value": GREY}
    rate = {"field": "rate", "type": "quantitative", "scale": {"type": "log", "domainMin": LEAST}, "title": "MB/s"}
    finder = {"field": "finder", "type": "nominal", "sort": {"field": "rate", "order": "descending"}, "title": None}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "facet": {
            "field": "table",
            "type": "nominal",
            "sort": [*tables],
            "title": None,
            "header": {"labelColor": GREY},
        },
        "columns": 2,
        # The longest names reach beyond what is measured for them.
        "padding": {"left": 30, "right": 20, "top": 5, "bottom": 5},
        "resolve": {"scale": {"y": "independent"}},
        "spec": {
            "width": 260,
            "height": {"step": 16},
            "layer": [
                # On a scale by tens, bars have no zero to begin at.
                {"mark": "bar", "encoding": {"x": rate, "x2": {"datum": LEAST}, "y": finder, "color": colour}},
                {
                    "mark": {"type": "text", "align": "left", "dx": 3, "color": GREY},
                    "encoding": {"x": rate, "y": finder, "text": {"field": "rate", "format": ".3~r"}},
                },
            ],
        },
        "config": {
            "background": None,
            "view": {"stroke": None},
            "axis": {"labelColor": GREY, "titleColor": GREY, "grid": False, "labelLimit": 320},
        },
    }


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, type=Path, help="the picture's file")
    parser.add_argument("--tables", nargs="+", default=TABLES, help="the titles of the tables")
    options = parser.parse_args()
    tables = tuple(options.tables)
    rows = list(bars(Path(__file__).with_name("README.md").read_text("utf-8"), tables))
    if not rows:
        parser.error("README.md has no such table")
    options.output.write_text(vl_convert.vegalite_to_svg(chart(rows, tables)), "utf-8")


if __name__ == "__main__":
    main()
