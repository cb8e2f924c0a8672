"""The charts of a report, as Vega-Lite has them (https://vega.github.io/vega-lite/docs/).

Colours are the page's, by the names of its style sheet: they change with it between light and dark.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from urlmend.report.facts import Month, SchemeShare

Chart = dict[str, Any]

OTHERS = "others"
"""The name of the schemes that are not told apart."""

_COLOURS = [f"var(--series-{number})" for number in range(1, 7)]
# A month of forty years is less than a pixel wide in a narrow window.
_MARK: Chart = {"type": "bar", "color": "var(--accent)", "binSpacing": 0.5, "minBandSize": 1.5, "aria": False}
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
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {"labelColor": "var(--ink)", "labelFontSize": 12, "symbolType": "square"},
}


def months(rows: Iterable[Month], *, long: bool) -> Chart:
    """Return a chart of the occurrences by month; its axis names years only where it is *long*."""
    tooltip = [
        _when(yearly=False),
        _number("occurrences", "URLs"),
        _number("broken", "broken over lines"),
    ]
    y = {
        "field": "occurrences",
        "type": "quantitative",
        "axis": {"title": None, "format": "~s", "tickCount": 5, "tickMinStep": 1},
    }
    x = _x(yearly=False)
    if long:
        x["axis"]["format"] = "%Y"
    return _chart(rows, "URLs per month", {"x": x, "y": y, "tooltip": tooltip})


def broken(rows: Iterable[Month], *, yearly: bool) -> Chart:
    """Return a chart of how large a share was broken over lines, by month or *yearly*."""
    tooltip = [
        _when(yearly=yearly),
        _number("share", "broken over lines", ".2%"),
        _number("occurrences", "of URLs"),
    ]
    y = {"field": "share", "type": "quantitative", "axis": {"title": None, "format": "~%", "tickCount": 4}}
    encoding = {"x": _x(yearly=yearly), "y": y, "tooltip": tooltip}
    return _chart(rows, "Share of URLs broken over lines", encoding) | {
        "transform": [{"calculate": "datum.broken / datum.occurrences", "as": "share"}],
        "height": 150,
    }


def ranked(rows: Iterable[SchemeShare]) -> list[str]:
    """Return the schemes of *rows*, the most frequent first and those that are not told apart last."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.scheme] += row.occurrences
    return sorted(counts, key=lambda name: (name == OTHERS, -counts[name], name))


def schemes(rows: Iterable[SchemeShare], names: list[str], *, yearly: bool) -> Chart:
    """Return a chart of the shares of the schemes *names*, by month or *yearly*."""
    colour = {
        "field": "scheme",
        "type": "nominal",
        "scale": {"domain": names, "range": _COLOURS[: len(names)]},
        "legend": {"title": None, "orient": "top", "columns": 3},
    }
    y = {
        "field": "occurrences",
        "type": "quantitative",
        "stack": "normalize",
        "axis": {"title": None, "format": "~%", "tickCount": 4},
    }
    tooltip = [_when(yearly=yearly), {"field": "scheme", "type": "nominal"}, _number("occurrences", "URLs")]
    encoding = {"x": _x(yearly=yearly), "y": y, "color": colour, "order": {"field": "rank"}, "tooltip": tooltip}
    return _chart(
        (row._asdict() | {"rank": names.index(row.scheme)} for row in rows), "Shares of the schemes", encoding
    )


def _chart(rows: Iterable[Any], description: str, encoding: Chart) -> Chart:
    return {
        "description": description,
        "width": "container",
        "height": 220,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": [row if isinstance(row, dict) else row._asdict() for row in rows]},
        "mark": _MARK,
        "encoding": encoding,
        "config": _CONFIG,
    }


def _number(field: str, title: str, form: str = ",") -> Chart:
    return {"field": field, "title": title, "type": "quantitative", "format": form}


def _when(*, yearly: bool) -> Chart:
    unit, form, title = ("utcyear", "%Y", "year") if yearly else ("utcyearmonth", "%B %Y", "month")
    return {"field": "period", "type": "temporal", "timeUnit": unit, "format": form, "title": title}


def _x(*, yearly: bool) -> Chart:
    axis = {"title": None, "grid": False, "labelOverlap": True, "tickCount": {"expr": "width / 70"}}
    return {"field": "period", "type": "temporal", "timeUnit": "utcyear" if yearly else "utcyearmonth", "axis": axis}
