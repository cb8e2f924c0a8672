"""The page of a report: one file with the scripts of its charts, which needs no network."""

import base64
import hashlib
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from urlmend.output.annotation.page import LINE_JOINT, LINKED, SURE
from urlmend.output.annotation.page import percent as confidence
from urlmend.output.display import harmless
from urlmend.report import charts
from urlmend.report.facts import LONGEST, MOST_EXAMPLES, MOST_SCHEMES, Facts, Shared

OPEN_CASES = 8
"""How many hyphens at line ends and doubtful joins are shown at first; the others on request."""


def render(facts: Facts, name: str, settings: dict[str, str], today: date) -> str:
    """Return the page with the *facts* about the database called *name*, made with *settings*."""
    environment = Environment(
        loader=PackageLoader("urlmend", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    filters = {"harmless": harmless, "number": "{:,}".format, "percent": percent, "confidence": confidence}
    environment.filters |= filters
    script = _script()
    schemes = charts.ranked(facts.schemes)
    yearly = bool(facts.periods) and len(facts.periods[0].period) == len("2003")
    return environment.get_template("page.html.jinja").render(
        facts=facts,
        totals=facts.totals,
        name=name,
        settings=settings,
        today=today,
        joint=LINE_JOINT,
        style=Markup(_beside("page.css")),  # noqa: S704 -- ours
        script=Markup(script),  # noqa: S704 -- an installed package's, and ours
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        charts={
            "months": charts.months(facts.months),
            "broken": charts.broken(facts.periods),
            "schemes": charts.schemes(facts.schemes, schemes),
        }
        if facts.months
        else {},
        schemes=schemes,
        by_scheme={(share.period, share.scheme): share.occurrences for share in facts.schemes},
        yearly=yearly,
        rows=[_row(shared) for shared in facts.urls],
        open_cases=OPEN_CASES,
        sure=confidence(SURE),
        most_schemes=MOST_SCHEMES,
        most_examples=MOST_EXAMPLES,
    )


def percent(part: int, whole: int) -> str:
    """Return *part* of *whole* in per cent, in two digits at least: nothing that is there rounds to none.

    >>> print(percent(1, 3), percent(2, 3000), percent(0, 0), percent(1, 10**6), sep=", ")
    33\N{NO-BREAK SPACE}%, 0.067\N{NO-BREAK SPACE}%, 0\N{NO-BREAK SPACE}%, 0.0001\N{NO-BREAK SPACE}%
    """
    share = 100 * part / whole if whole else 0
    if share >= 10 or not share:  # noqa: PLR2004 -- two digits
        return f"{share:.0f}\u00a0%"
    return f"{share:.2g}\u00a0%"


def _row(shared: Shared) -> list[Any]:
    """Return what the table shows of a URL; a click on it must not run what a mail says, nor open a part of it."""
    whole = len(shared.url) <= LONGEST
    link = whole and shared.url.partition(":")[0].lower() in LINKED
    url = harmless(shared.url if whole else f"{shared.url[:LONGEST]}\u2026")
    subject = shared.subject and harmless(shared.subject)
    return [url, int(link), shared.letters, shared.occurrences, shared.broken, shared.first, shared.last, subject]


@cache
def _script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed, and ours, which finds the last under the name vegaEmbed."""
    return vl_convert.javascript_bundle(_beside("page.js"))


def _beside(name: str) -> str:
    return resources.files("urlmend.report").joinpath(name).read_text("utf-8")
