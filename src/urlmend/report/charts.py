"""The charts of a report, in Vega-Lite (https://vega.github.io/vega-lite/docs/).

Colours have the names of the page's style sheet, and change with it between light and dark.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from urlmend.report.facts import Month, SchemeShare

Chart = dict[str, Any]

OTHERS = "others"
"""The name of the less frequent schemes together."""

_YEAR = len("2003")
_FEW_YEARS = 3  # of which an axis can name months
_COLOURS = [f"var(--series-{number})" for number in range(1, 7)]
_MARK: Chart = {"type": "bar", "color": "var(--accent)", "binSpacing": 0.5, "aria": False}
# In a narrow window, a month out of thirty years is less than a pixel wide. Its outline shows.
_OUTLINE: Chart = {"stroke": "var(--accent)", "strokeWidth": 1}
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


def months(rows: Sequence[Month]) -> Chart:
    """Return a chart of the occurrences by month."""
    encoding = {
        "x": _x(rows),
        "y": _y("occurrences", "~s", most=max(row.occurrences for row in rows)),
        "tooltip": [_when(rows), _number("occurrences", "URLs"), _number("broken", "broken over lines")],
    }
    return _chart((row._asdict() for row in rows), "URLs per month", encoding) | {"mark": _MARK | _OUTLINE}


def broken(rows: Sequence[Month]) -> Chart:
    """Return a chart of how large a share was broken over lines, by month or by year."""
    encoding = {
        "x": _x(rows),
        "y": _y("share", "~%"),
        "tooltip": [
            _when(rows),
            _number("share", "broken over lines", ".2%"),
            _number("occurrences", "of URLs"),
        ],
    }
    shares = (row._asdict() | {"share": row.broken / row.occurrences} for row in rows)
    return _chart(shares, "Share of URLs broken over lines", encoding) | {"height": 150}


def ranked(rows: Iterable[SchemeShare]) -> list[str]:
    """Return the schemes of *rows*, the most frequent first and OTHERS last."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.scheme] += row.occurrences
    return sorted(counts, key=lambda name: (name == OTHERS, -counts[name], name))


def schemes(rows: Sequence[SchemeShare], names: list[str]) -> Chart:
    """Return a chart of the shares of the schemes *names*, by month or by year."""
    encoding = {
        "x": _x(rows),
        "y": _y("occurrences", "~%") | {"stack": "normalize"},
        "color": {
            "field": "scheme",
            "type": "nominal",
            "scale": {"domain": names, "range": _COLOURS[: len(names)]},
            "legend": {"title": None, "orient": "top", "columns": 3, "labelLimit": 80},
        },
        "order": {"field": "rank"},
        "tooltip": [_when(rows), {"field": "scheme", "type": "nominal"}, _number("occurrences", "URLs")],
    }
    shares = (row._asdict() | {"rank": names.index(row.scheme)} for row in rows)
    return _chart(shares, "Shares of the schemes", encoding)


def _chart(rows: Iterable[Chart], description: str, encoding: Chart) -> Chart:
    return {
        "description": description,
        "width": "container",
        "height": 220,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": list(rows)},
        "mark": _MARK,
        "encoding": encoding,
        "config": _CONFIG,
    }


def _number(field: str, title: str, form: str = ",") -> Chart:
    return {"field": field, "title": title, "type": "quantitative", "format": form}


def _y(field: str, form: str, *, most: int = 5) -> Chart:
    # A count has no ticks between whole numbers.
    axis = {"title": None, "format": form, "tickCount": min(5, most)}
    return {"field": field, "type": "quantitative", "axis": axis}


def _when(rows: Sequence[Month | SchemeShare]) -> Chart:
    yearly = len(rows[0].period) == _YEAR
    unit, form, title = ("utcyear", "%Y", "year") if yearly else ("utcyearmonth", "%B %Y", "month")
    return {"field": "period", "type": "temporal", "timeUnit": unit, "format": form, "title": title}


def _x(rows: Sequence[Month | SchemeShare]) -> Chart:
    """Return the axis of time; there is at least one of the *rows*, which are in the order of their periods."""
    first, last = rows[0].period, rows[-1].period
    years = int(last[:_YEAR]) - int(first[:_YEAR]) + 1
    if len(first) == _YEAR or years > _FEW_YEARS:
        form, steps = "%Y", years
    else:
        form, steps = "%b %Y", 12 * years
    # No more ticks than steps: some would have the same label.
    ticks = {"expr": f"min(width / 70, {steps})"}
    axis = {"title": None, "grid": False, "labelOverlap": True, "tickCount": ticks, "format": form}
    unit = "utcyear" if len(first) == _YEAR else "utcyearmonth"
    return {"field": "period", "type": "temporal", "timeUnit": unit, "axis": axis}
