"""The charts of a report: Vega-Lite (https://vega.github.io/vega-lite/docs/), drawn as SVG when the page is made.

Colours have the names of the page's style sheet, and change with it between light and dark.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

import vl_convert
from markupsafe import Markup

from urlmend.report.facts import Row

Chart = dict[str, Any]

OTHERS = "others"
"""The name under which the less frequent schemes are counted together."""

WIDTHS = {"narrow": 360, "middle": 640, "wide": 1080}
"""The widths each chart is drawn in, in CSS pixels, by the class that the style sheet shows or hides."""

_SPIKE = 8  # times as high as the month in the middle
_COLOURS = [f"var(--series-{number})" for number in range(1, 7)]
_CONFIG: Chart = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--quiet)",
        "titleColor": "var(--quiet)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFontSize": 12,
        "aria": False,
    },
    "legend": {"labelColor": "var(--ink)", "labelFontSize": 12, "symbolType": "square", "aria": False},
}


def has_spike(rows: Sequence[Row]) -> bool:
    """Return whether a month has so many links that the others would be flat beside it.

    >>> [has_spike([{"links": links} for links in (10, 12, 11, highest)]) for highest in (88, 1000)]
    [False, True]
    """
    counts: list[int] = [row["links"] for row in rows]
    return max(counts) > _SPIKE * median(counts)


def months(rows: Sequence[Row]) -> Chart:
    """Return a chart of the links by month. If it has a spike, heights are square roots."""
    values = [row | {"tip": f"{row['period']}: {row['links']:,}, {row['broken']:,} broken over lines"} for row in rows]
    most = max(row["links"] for row in rows)
    # A count has no ticks between whole numbers.
    y = _y("~s", ticks=max(1, min(5, most)))
    y["scale"] = {"domain": [0, most], "nice": False, "type": "sqrt" if has_spike(rows) else "linear"}
    # A month out of thirty years is less than a pixel wide where the window is narrow. Its outline shows.
    bar = _BAR | {"color": "var(--accent)", "stroke": "var(--accent)", "strokeWidth": 0.5}
    return _chart(values, {"mark": bar, "encoding": {"x": _x(rows), "y": y, "description": _TIP}})


def ranked(rows: Iterable[Row]) -> list[str]:
    """Return the schemes of *rows*, the most frequent first and OTHERS last."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row["scheme"]] += row["links"]
    return sorted(counts, key=lambda name: (name == OTHERS, -counts[name], name))


def schemes(rows: Sequence[Row], names: list[str]) -> Chart:
    """Return a chart of the shares of the schemes *names*, by month or by year."""
    encoding = {
        "x": _x(rows),
        "y": _y("~%") | {"stack": "normalize"},
        "color": {
            "field": "scheme",
            "type": "nominal",
            "scale": {"domain": names, "range": _COLOURS[: len(names)]},
            "legend": {"title": None, "orient": "top", "columns": 3, "labelLimit": 80},
        },
        "order": {"field": "rank"},
        "description": _TIP,
    }
    values = [
        row | {"rank": names.index(row["scheme"]), "tip": f"{row['period']}, {row['scheme']}: {row['links']:,}"}
        for row in rows
    ]
    # The colour of the page between two parts, so that none depends on its neighbour to be seen.
    return _chart(values, {"mark": _BAR | {"stroke": "var(--paper)", "strokeWidth": 1}, "encoding": encoding})


def drawn(chart: Chart) -> dict[str, Markup]:
    """Return *chart* as SVG in each of the WIDTHS."""
    svg = vl_convert.vegalite_to_svg
    return {name: Markup(svg(chart | {"width": width})) for name, width in WIDTHS.items()}  # noqa: S704 -- Vega escapes


_BAR: Chart = {"type": "bar", "binSpacing": 0}
_TIP: Chart = {"field": "tip", "type": "nominal"}


def _chart(values: Iterable[Chart], view: Chart) -> Chart:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "height": 220,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": list(values)},
        "config": _CONFIG,
    } | view


def _y(form: str, ticks: int = 5) -> Chart:
    axis = {"title": None, "format": form, "tickCount": ticks}
    return {"field": "links", "type": "quantitative", "axis": axis}


def _x(rows: Sequence[Row]) -> Chart:
    """Return the axis of time, which has all months of the years of the *rows*, or all years."""
    return {
        "field": "period",
        "type": "temporal",
        "timeUnit": "utcyear" if len(rows[0]["period"]) == len("2003") else "utcyearmonth",
        "scale": {"type": "utc", "nice": "year"},
        "axis": {"title": None, "grid": False, "labelOverlap": True, "labelSeparation": 8},
    }
