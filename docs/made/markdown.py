"""How tables are written, and what fields.toml says."""

import html
import inspect
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from urlmend.output.counts import KEYS
from urlmend.text import limits

ROOT = Path(__file__).parents[2]

LONGEST_EXAMPLE = 60


@cache
def descriptions() -> dict[str, dict[str, str]]:
    """Return what each field means, by class or table, with the values of names in braces."""
    values = {name: f"{value:,}" for name, value in vars(limits).items() if isinstance(value, int)}
    values["KEYS"] = ", ".join(map(code, KEYS))
    text = (ROOT / "docs" / "fields.toml").read_text("utf-8")
    return tomllib.loads(re.sub(r"\{([A-Z_]+)\}", lambda name: values[name[1]], text))


def table(heads: tuple[str, ...], lines: Iterator[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    shown = [heads, ("---",) * len(heads), *lines]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in shown)


_CODE_WITH_BAR = re.compile(r"`([^`]*\|[^`]*)`")


def _cell(text: str) -> str:
    """Return *text* in one line. Not all who read Markdown agree on what a `|` in code is: it becomes HTML."""
    line = _CODE_WITH_BAR.sub(
        lambda found: f"<code>{html.escape(found[1], quote=False)}</code>", " ".join(text.split())
    )
    return re.sub(r"<code>.*?</code>", lambda found: found[0].replace("|", "&#124;"), line).replace("|", "\\|")


def code(value: str) -> str:
    """Return *value* as code, shortened; nothing for nothing."""
    shown = value if len(value) <= LONGEST_EXAMPLE else value[: LONGEST_EXAMPLE - 1] + "…"
    return f"`{shown}`" if shown else ""


def escape(text: str) -> str:
    """Return *text* as Markdown that shows it."""
    return re.sub(r"([*_\[])", r"\\\1", text.replace("<", "&lt;"))


def sentence(value: object) -> str:
    """Return the first sentence of the docstring of *value*."""
    said = inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=\.)\s", said)[0]
