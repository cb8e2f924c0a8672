"""Write the tables of the documents from the code: `python docs/generate.py`.

In a page, a table is between `<!-- made: NAME -->` and `<!-- /made -->`. tests/test_docs.py checks that each is up to
date. fields.toml, next to this file, has the meanings of fields.
"""

import re
import sys
from collections.abc import Callable

from made.command import options, spark, usage
from made.figures import arrow, peers
from made.markdown import ROOT
from made.rules import clues, defects, departures, formats, guards, limits, notes, schemes, sources, wrappings
from made.values import chosen, fields, names, record, tables

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MADE = re.compile(r"(<!-- made: ([^>]*?) -->\n).*?(<!-- /made -->)", re.DOTALL)

MAKERS: dict[str, Callable[..., str]] = {
    one.__name__: one
    for one in (
        *(
            arrow,
            chosen,
            clues,
            defects,
            departures,
            fields,
            formats,
            guards,
            limits,
            names,
            notes,
            options,
            peers,
            record,
            schemes,
            sources,
            spark,
            tables,
        ),
        *(usage, wrappings),
    )
}


def filled(text: str) -> str:
    """Return the page *text* with new tables."""

    def made(match: re.Match[str]) -> str:
        maker, *arguments = match[2].split()
        try:
            return match[1] + MAKERS[maker](*arguments) + "\n" + match[3]
        except ModuleNotFoundError as missing:
            # Spark is heavy: its table is made, and looked at in .ci/run, where it is installed.
            if missing.name not in {"pyarrow", "pyspark"}:
                raise
            return match[0]

    return MADE.sub(made, text)


if __name__ == "__main__":
    for page in PAGES:
        old = page.read_text("utf-8")
        new = filled(old)
        if new != old:
            page.write_text(new, "utf-8")
            sys.stdout.write(f"{page.relative_to(ROOT)}\n")
