"""The page of a report: one file that needs no network. Without scripts, only the search is missing."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from urlmend.grammar.parser import parse_or_none
from urlmend.output.terminal import harmless
from urlmend.report import charts
from urlmend.report.facts import LIMITS, Facts, Row
from urlmend.text.schemes import LINKED_SCHEMES

FIRST_ROWS = 100
"""How many URLs of the table are shown at first, and in all if no script runs."""

ROWS_SIZE = 1_000_000
"""The most bytes that the table may have without its messages."""

MESSAGES_SIZE = 1_000_000
"""The most bytes that the messages of hosts and URLs may have. With both limits the page stays under 4 MB."""

_FIELD = re.compile(r"\{(\w*)\}")
_FIELDS = {
    "message_id": lambda message_id: quote(message_id, safe="@"),
    # As in the addresses of Mailman 3's archives.
    "message_id_hash": lambda message_id: base64.b32encode(hashlib.sha1(message_id.encode()).digest()).decode(),  # noqa: S324 -- no secret
}
"""The fields that a template for the URLs of messages may have."""


def check_message_url(template: str | None) -> None:
    """Raise `ValueError` unless *template*, if there is one, is an http or https URL with a field after its host.

    >>> check_message_url("https://archive.example/{message_id}")
    >>> check_message_url("https://{message_id}/")
    Traceback (most recent call last):
    ValueError: a message URL is an http or https URL with a field after its host: https://a.example/{message_id}
    """
    if template is None:
        return
    unknown = [name for name in _FIELD.findall(template) if name not in _FIELDS]
    if unknown:
        raise ValueError(f"a message URL has no field {{{unknown[0]}}}; choose from {', '.join(_FIELDS)}")
    head, brace, _ = template.partition("{")
    filled = _FIELD.sub("-", template)
    parts = None if "{" in filled or "}" in filled else parse_or_none(filled)
    if not (brace and parts and parts.scheme in ("http", "https") and re.match("[^/]+//[^/?#]+[/?#]", head)):
        message = "a message URL is an http or https URL with a field after its host: https://a.example/{message_id}"
        raise ValueError(message)


def _message_link(template: str | None, message_id: str | None) -> str | None:
    # Browsers resolve a part of dots alone as a step in the path.
    if template is None or not message_id or not message_id.strip("."):
        return None
    return _FIELD.sub(lambda field: _FIELDS[field[1]](message_id), template)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("urlmend", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    environment.filters |= {"harmless": harmless, "number": "{:,}".format, "dotted": dotted}
    return environment.get_template("page.html.jinja")


def render(facts: Facts, title: str, today: date, *, links: bool, message_url: str | None = None) -> str:
    """Return the page called *title* with the *facts* about a database.

    Without *links* no URL can be followed. Messages are links to the template *message_url*, if it is given: an http or
    https URL with the field `{message_id}`, or `{message_id_hash}` for Mailman 3, after its host.
    """
    script = _beside("page.js")
    hosts = {host: number for number, host in enumerate(dict.fromkeys(shared["host"] or "" for shared in facts.urls))}
    rows = list(_fitting((_row(shared, hosts, links=links) for shared in facts.urls), ROWS_SIZE))
    listed = facts.hosts + facts.urls[: len(rows)]
    messages = list(
        _fitting(([_message(one, message_url) for one in each["messages"]] for each in listed), MESSAGES_SIZE)
    )
    bare = len(listed) - len(messages)
    messages += [[]] * bare
    for host in facts.hosts:
        host["messages"] = messages.pop(0)
    for row, shown in zip(rows, messages, strict=True):
        row.append(shown)
    schemes = charts.ranked(facts.schemes)
    by_scheme = {(share["period"], share["scheme"]): share["links"] for share in facts.schemes}
    periods = list(dict.fromkeys(period for period, _ in by_scheme))
    return _template().render(
        facts=facts,
        totals=facts.totals,
        title=title,
        today=today,
        style=Markup(_beside("page.css")),  # noqa: S704 -- ours
        script=Markup(script),  # noqa: S704 -- ours
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        charts=facts.months
        and {
            "months": charts.drawn(charts.months(facts.months)),
            "schemes": charts.drawn(charts.schemes(facts.schemes, schemes)),
        },
        has_spike=facts.months and charts.has_spike(facts.months),
        schemes=schemes,
        by_scheme=by_scheme,
        periods=periods,
        yearly=len(periods[0]) == len("2003") if periods else False,
        rows=rows,
        bare=bare,
        table={"hosts": list(hosts), "rows": rows},
        first_rows=rows[:FIRST_ROWS],
        limits=LIMITS,
    )


def dotted(host: str) -> Markup:
    """Return *host* as HTML that a narrow window breaks at its dots.

    >>> print(dotted("www.<a>.example"))
    www.<wbr>&lt;a&gt;.<wbr>example
    """
    return Markup(".<wbr>").join(escape(harmless(host)).split("."))


def _row(shared: Row, hosts: dict[str, int], *, links: bool) -> list[Any]:
    """Return the table row of a URL. It is a link only if a click is harmless and the URL is shown whole."""
    full = shared["url"]
    whole = len(full) <= LIMITS["longest_url"]
    link = links and whole and full.partition(":")[0].lower() in LINKED_SCHEMES
    url = harmless(full if whole else f"{full[:-1]}\u2026")
    subject = next((harmless(message["subject"]) for message in shared["messages"] if message["subject"]), None)
    times = [shared["links"], shared["occurrences"], shared["broken"], shared["first"], shared["last"]]
    return [url, int(link), hosts[shared["host"] or ""], *times, subject]


def _message(message: Row, template: str | None) -> list[str | None]:
    """Return what the page shows of a *message*. Its line is in three parts: before the URL, the URL, after it."""
    place = f"{message['source']}, line {message['line']}"
    texts = [*map(message.get, ("date", "author", "subject", "before", "raw", "after")), place]
    return [*(text and harmless(text) for text in texts), _message_link(template, message["message_id"])]


def _fitting(rows: Iterable[list[Any]], size: int) -> Iterator[list[Any]]:
    """Yield as many of the *rows* as fit into *size* bytes of the page."""
    for row in rows:
        size -= len(htmlsafe_json_dumps(row, ensure_ascii=False).encode())
        if size < 0:
            return
        yield row


def _beside(name: str) -> str:
    return resources.files("urlmend.report").joinpath(name).read_text("utf-8")
