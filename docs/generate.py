"""Write the tables of the documents that the code knows: `python docs/generate.py`.

In a page, a table stands between `<!-- made: NAME -->` and `<!-- /made -->`. tests/test_docs.py holds that each is up
to date. What no code knows, what a field means, is in fields.toml beside this file.
"""

import re
import sys
from collections.abc import Callable

from made.command import options, spark, usage
from made.figures import arrow, peers
from made.markdown import ROOT
from made.rules import clues, defects, departures, guards, limits, sources, wrappings
from made.values import fields, names, record, tables

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MADE = re.compile(r"(<!-- made: ([^>]*?) -->\n).*?(<!-- /made -->)", re.DOTALL)

MAKERS: dict[str, Callable[..., str]] = {
    one.__name__: one
    for one in (
        *(
            arrow,
            clues,
            defects,
            departures,
            fields,
            guards,
            limits,
            names,
            options,
            peers,
            record,
            sources,
            spark,
            tables,
        ),
        *(usage, wrappings),
    )
}


def filled(text: str) -> str:
    """Return the page *text* with its tables made anew."""

    def made(match: re.Match[str]) -> str:
        maker, *arguments = match[2].split()
        try:
            return match[1] + MAKERS[maker](*arguments) + "\n" + match[3]
        except ModuleNotFoundError as missing:
            # Spark is heavy: its table is made, and looked at in .ci/run, where it is installed.
            if missing.name != "pyspark":
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
